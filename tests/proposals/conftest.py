"""Reviews of small trees, with rules that replace a name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devicefix.codemod import Codemod, Context
from devicefix.engine import rehearsal
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow.facts import FileFacts
from devicefix.proposals import ReviewSession, Store
from devicefix.settings import Settings

SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE


def swap(
    code: str,
    old: str,
    new: str | Callable[[str], str],
    sure: Applicability = SAFE,
    group: str = "",
    early: bool = False,
) -> type[Codemod]:
    """Replaces the name ``old``; all places of the program together where ``group`` is given."""

    def check(self: Codemod, context: Context) -> Iterator[Finding]:
        for node in ast.walk(context.source.tree):
            if isinstance(node, ast.Name) and node.id == old:
                span = context.source.span(node)
                text = new(context.source.text) if callable(new) else new
                edit = Edit(span.start, span.end, 0, text)
                fix = Fix((edit,), sure, group or f"{code}@{span.start}", bool(group), early)
                yield context.finding(self, node, f"{old} stands here", fix, "look twice")

    return type(code, (Codemod,), {"code": code, "name": f"rule-{code.lower()}", "check": check})


RULES = (
    swap("DFX1", "one", "eins"),
    swap("DFX2", "two", "zwei", UNSAFE),
    swap("DFX3", "eins", "un"),  # builds upon DFX1
    swap("DFX4", "both", "beide", SAFE, "both"),  # one decision in all files
)

DEPENDING = swap("DFX2", "two", lambda text: "zwei" if "eins" in text else "dos")
"""Does something else where DFX1 was early, and was made."""


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(folder))
    return folder


Plant = Callable[..., Path]
Review = Callable[..., ReviewSession]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Writes files and returns their folder."""

    def write(**files: str) -> Path:
        root = tmp_path / "project"
        root.mkdir(exist_ok=True)
        for name, text in files.items():
            (root / f"{name}.py").write_bytes(text.encode())
        return root

    return write


@pytest.fixture
def review() -> Review:
    """A session on a folder."""

    def begin(
        *paths: Path, store: Store | None = None, rules: tuple[type[Codemod], ...] = RULES
    ) -> ReviewSession:
        trial = rehearsal(
            paths,
            Settings(),
            dry_run=True,
            codemods=rules,
            analyse=lambda program: dict.fromkeys(program.sources, FileFacts()),
        )
        return ReviewSession(trial, store)

    return begin
