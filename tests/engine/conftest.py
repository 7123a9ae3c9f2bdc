"""Codemods that need no knowledge of torch, to try the engine with."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from devicefix.codemod import Codemod, Context
from devicefix.engine import cache
from devicefix.engine.analysis import Analyst
from devicefix.engine.groups import Policy
from devicefix.engine.report import FileError, FileResult, Outcome
from devicefix.engine.workbench import Workbench
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow.facts import FileFacts
from devicefix.settings import Settings
from devicefix.source import Program, Source

Check = Callable[[Codemod, Context], Iterator[Finding]]


def _make(code: str, check: Check) -> type[Codemod]:
    body = {"code": code, "name": f"rule-{code.lower()}", "check": check}
    return type(code, (Codemod,), body)


def _swap(
    code: str,
    old: str,
    new: str,
    applicability: Applicability = Applicability.SAFE,
    group: str | None = None,
    advice: str = "",
) -> type[Codemod]:
    """Replaces the name ``old``; every place is a group of its own, unless ``group`` is given."""

    def check(self: Codemod, context: Context) -> Iterator[Finding]:
        for node in ast.walk(context.source.tree):
            if isinstance(node, ast.Name) and node.id == old:
                span = context.source.span(node)
                edit = Edit(span.start, span.end, 0, new)
                fix = Fix((edit,), applicability, group or f"{code}@{span.start}")
                yield context.finding(self, node, f"{old} stands here", fix, advice)

    return _make(code, check)


@pytest.fixture
def make_codemod() -> Callable[[str, Check], type[Codemod]]:
    """A codemod from its code and its check."""
    return _make


@pytest.fixture
def swap() -> Callable[..., type[Codemod]]:
    """A codemod that replaces a name."""
    return _swap


@pytest.fixture
def workbench() -> Callable[..., Workbench]:
    """A workbench with the codemods given, all selected unless ``selected`` names some."""

    def build(*codemods: type[Codemod], selected: str = "", unsafe: bool = False) -> Workbench:
        codes = frozenset(selected.split() or (codemod.code for codemod in codemods))
        return Workbench(Analyst(codemods, Settings(), _no_facts), Policy(codes, unsafe))

    return build


class OneFile:
    """A workbench for programs of one file."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    def survey(self, source: Source) -> tuple[FileResult, tuple[FileError, ...]]:
        return _only(self._bench.survey(Program.alone(source)))

    def rehearse(self, source: Source) -> tuple[FileResult, tuple[FileError, ...]]:
        return _only(self._bench.rehearse(Program.alone(source)))

    def mend(self, source: Source) -> tuple[FileResult, tuple[FileError, ...]]:
        return _only(self._bench.mend(Program.alone(source)))


def _only(outcome: Outcome) -> tuple[FileResult, tuple[FileError, ...]]:
    (result,) = outcome.results
    return result, outcome.errors


@pytest.fixture
def one_file(workbench: Callable[..., Workbench]) -> Callable[..., OneFile]:
    """The same for programs of one file."""
    return lambda *codemods, **options: OneFile(workbench(*codemods, **options))


def _no_facts(program: Program) -> dict[str, FileFacts]:
    return dict.fromkeys(program.sources, FileFacts())


@pytest.fixture
def no_facts() -> Callable[[Program], dict[str, FileFacts]]:
    """An analysis that knows nothing."""
    return _no_facts


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Writes files into a folder and returns it."""

    def plant(files: dict[str, str]) -> Path:
        root = tmp_path / "project"
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode())
        return root

    return plant


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A journal of the test's own."""
    folder = tmp_path / "state"
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(folder))
    return folder


@pytest.fixture
def worked_on(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of the programs that are looked at, and not remembered."""
    seen: list[str] = []
    loaded = cache.loaded

    def noting(plan: Any) -> Any:
        seen.extend(Path(path).name for path in plan.paths)
        return loaded(plan)

    monkeypatch.setattr(cache, "loaded", noting)
    return seen
