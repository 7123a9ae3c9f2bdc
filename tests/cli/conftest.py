"""The command line with two installed rules of the tests' own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from devicefix.cli import main
from devicefix.engine import registry
from devicefix.flow.facts import FileFacts

PACKAGE = "dfx_cli_rules"
RULE = '''
"""The name `{old}` is used.

## What it does
Finds `{old}`.
"""
import ast
from devicefix.codemod import Codemod
from devicefix.findings import Applicability, Edit, Fix

class Rule(Codemod):
    code = "{code}"
    name = "{old}-name"

    def check(self, context):
        for node in ast.walk(context.source.tree):
            if isinstance(node, ast.Name) and node.id == "{old}":
                span = context.source.span(node)
                edit = Edit(span.start, span.end, 0, "{new}")
                fix = Fix((edit,), Applicability.{sure}, f"{code}@{{span.start}}")
                yield context.finding(self, node, "{old} is used", fix, "{advice}")
'''
FILES = {
    f"{PACKAGE}/__init__.py": "",
    f"{PACKAGE}/old.py": RULE.format(code="TST101", old="old", new="new", sure="SAFE", advice=""),
    f"{PACKAGE}/risky.py": RULE.format(
        code="TST202", old="risky", new="bold", sure="UNSAFE", advice="look twice"
    ),
}


class Run(NamedTuple):
    status: int
    out: str
    err: str


Devicefix = Callable[..., Run]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder in which a distribution with two rules is installed."""
    return install_rules(tmp_path / "site")


def install_rules(folder: Path) -> Path:
    info = {
        "METADATA": "Metadata-Version: 2.1\nName: dfx-cli-rules\nVersion: 1\n",
        "RECORD": "\n".join(f"{name},," for name in FILES),
        "entry_points.txt": f"[devicefix.codemods]\nx = {PACKAGE}\n[dfx.test]\nx = {PACKAGE}\n",
    }
    for name, content in FILES.items():
        plant(folder / name, content)
    for name, content in info.items():
        plant(folder / "dfx_cli_rules-1.dist-info" / name, content)
    return folder


def plant(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())


@pytest.fixture
def answer(
    state: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Devicefix:
    """The command line in our own process, for what it says before it starts another one."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(state))

    def run(folder: Path, *arguments: str) -> Run:
        monkeypatch.chdir(folder)
        status = main(arguments)
        return Run(status, *capfd.readouterr())

    return run


@pytest.fixture
def devicefix(
    site: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> Iterator[Devicefix]:
    """Runs the command line in an empty folder of its own."""
    flow = ModuleType("devicefix.flow")
    flow.analyse_program = lambda program: dict.fromkeys(program.sources, FileFacts())  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "devicefix.flow", flow)
    monkeypatch.setattr(registry, "GROUP", "dfx.test")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def run(*arguments: str) -> Run:
        status = main(arguments)
        captured = capfdbinary.readouterr()
        return Run(status, captured.out.decode(), captured.err.decode())

    yield run
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]
