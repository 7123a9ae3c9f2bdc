"""Imports point down, and `devicefix` never names `codemods`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from devicefix.source.imports import bound_names

ROOT: Final = Path(__file__).parent.parent

LEVELS: Final = MappingProxyType(
    {
        "device_helpers": 0,
        "digests": 0,
        "evidence": 0,
        "findings": 0,
        "ipython": 0,
        "oldest_torch": 0,
        "source": 1,
        "settings": 1,
        "time_limit": 0,
        "own_process": 0,
        "simulator": 0,
        "observe": 1,
        "records": 1,
        "torch_api": 2,
        "dialect": 2,
        "flow": 3,
        "judge": 4,
        "codemod": 4,
        "edits": 4,
        "engine": 5,
        "proposals": 6,
        "audit": 6,
        "verification": 6,
        "reporting": 7,
        "pull_requests": 7,
        "migration": 8,
        "review": 8,
        "pytest_plugin": 9,
        "lsp": 8,
        "mcp": 8,
        "action": 9,
        "cli": 9,
        "libcst_commands": 9,
        "__main__": 10,
    }
)
"""The packages of devicefix; each may import those on lower levels, and itself."""

FOR_CODEMODS: Final = frozenset(
    {"codemod", "dialect", "edits", "flow", "findings", "source", "torch_api", "settings"}
)
"""The packages that codemods may import."""


def files(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything that a file imports, wherever in it."""
    package = ".".join(path.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, name) for name in bound_names(node, package).values())
        elif isinstance(node, ast.Call) and "import" in ast.unparse(node.func):
            names = (a.value for a in node.args if isinstance(a, ast.Constant))
            yield from ((node.lineno, name) for name in names if isinstance(name, str))


def package_of(path: Path) -> str:
    return path.relative_to(ROOT / "devicefix").parts[0].removesuffix(".py")


def complaints(package: str) -> Iterator[str]:
    for path in files(package):
        for line, name in imports(path):
            reason = objection(path, name.split("."))
            if reason:
                yield f"{path.relative_to(ROOT)}:{line}: {name}: {reason}"


def objection(path: Path, name: list[str]) -> str:
    top = path.relative_to(ROOT).parts[0]
    if name[0] == "fissix" and path != ROOT / "devicefix/source/python2.py":
        return "only source/python2.py reads Python 2"
    if name[0] == "codemods" and top == "devicefix":
        return "codemods come in by their entry point"
    if name[0] != "devicefix" or name == ["devicefix", "__version__"]:
        return ""
    if len(name) == 1 or name[1] not in LEVELS:
        return "not a package of devicefix"
    if top == "codemods":
        return "" if name[1] in FOR_CODEMODS else "codemods may not import it"
    return "" if allowed(package_of(path), name[1]) else "imports point down only"


def allowed(mine: str, theirs: str) -> bool:
    return mine == theirs or LEVELS[theirs] < LEVELS.get(mine, 0)


@pytest.mark.parametrize("package", ["devicefix", "codemods"])
def test_imports_point_down(package: str) -> None:
    assert files(package), f"no files in {package}/"
    assert list(complaints(package)) == []


def test_every_package_has_a_level() -> None:
    packages = {package_of(path) for path in files("devicefix")} - {"__init__"}
    assert packages <= set(LEVELS)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("devicefix/source/text.py", "devicefix.flow.analyse"),
        ("devicefix/codemod.py", "devicefix.edits.add_keyword"),
        ("devicefix/engine/runner.py", "codemods.placement"),
        ("devicefix/engine/runner.py", "devicefix.cli"),
        ("devicefix/engine/runner.py", "fissix.pytree"),
        ("devicefix/engine/runner.py", "devicefix"),
        ("codemods/placement/x.py", "devicefix.engine"),
    ],
)
def test_what_points_up_is_seen(path: str, name: str) -> None:
    assert objection(ROOT / path, name.split("."))
