"""Nothing new decides by the text of a tree.

Two expressions that read alike may mean different things, and the same thing reads in many ways:
`devicefix.flow.queries` (``congruence``, ``reaching``, ``meaning``) says which are the same.
"""

from __future__ import annotations

import ast
from pathlib import Path
from types import MappingProxyType
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2] / "devicefix"
LEFT: Final = MappingProxyType(
    {
        "flow/annotations.py": 1,
        "flow/binding.py": 2,
        "flow/bound.py": 1,
        "flow/buffers.py": 2,
        "flow/calls_seen.py": 4,
        "flow/command_line.py": 2,
        "flow/cuda_guards.py": 2,
        "flow/cuda_uses.py": 1,
        "flow/deciders.py": 3,
        "flow/demands.py": 1,
        "flow/dimensions.py": 1,
        "flow/evidence.py": 6,
        "flow/expressions.py": 2,
        "flow/flags.py": 1,
        "flow/guards.py": 7,
        "flow/hardcoded.py": 1,
        "flow/history.py": 1,
        "flow/indices.py": 4,
        "flow/items.py": 2,
        "flow/late.py": 1,
        "flow/library_seen.py": 2,
        "flow/literals.py": 3,
        "flow/mentions.py": 1,
        "flow/moving.py": 9,
        "flow/narrowing.py": 2,
        "flow/passing.py": 1,
        "flow/placement.py": 1,
        "flow/presence.py": 2,
        "flow/probes.py": 1,
        "flow/proof.py": 1,
        "flow/scopes.py": 4,
        "flow/type_aliases.py": 6,
        "flow/unavoidable.py": 1,
        "flow/user_index.py": 3,
        "flow/volatile.py": 1,
        "dialect/kinds.py": 1,
        "dialect/listing.py": 3,
    }
)
"""Uses of ``ast.unparse`` and ``ast.dump`` by file: some write messages and names, others still
compare. A file that has fewer than here gets its new number; none gets more."""


def texts_in(path: Path) -> int:
    nodes = ast.walk(ast.parse(path.read_bytes()))
    named = (n for n in nodes if isinstance(n, ast.Attribute) and n.attr in ("unparse", "dump"))
    return sum(isinstance(n.value, ast.Name) and n.value.id == "ast" for n in named)


def test_no_more_texts_of_trees_are_made() -> None:
    paths = (path for package in ("flow", "dialect") for path in (ROOT / package).rglob("*.py"))
    found = {path.relative_to(ROOT).as_posix(): texts_in(path) for path in paths}
    assert {path: number for path, number in found.items() if number} == LEFT


def test_trees_are_turned_into_text_by_no_other_name() -> None:
    paths = (path for package in ("flow", "dialect") for path in (ROOT / package).rglob("*.py"))
    imported = {
        path.name
        for path in paths
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.ImportFrom) and node.module == "ast"
    }
    assert imported == set()
