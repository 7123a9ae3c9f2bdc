"""What ``argparse`` puts into the attributes of its result, as far as one file says so."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

_KINDS: Final = {"int": "INTEGER", "long": "INTEGER", "float": "FLOAT"}


def option_kinds(nodes: Sequence[ast.AST]) -> dict[tuple[str, str], str]:
    """Which attribute of which name surely holds a number, and the name of its `Kind`.

    The name is bound to nothing but ``parser.parse_args()``, and nobody assigns to the attribute.
    """
    names = _results(nodes)
    if not names:
        return {}
    stored = {
        n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
    }
    declared: dict[str, set[str]] = {}
    for attribute, kind in _declared(nodes):
        declared.setdefault(attribute, set()).add(kind)
    return {
        (name, attribute): next(iter(kinds))
        for name in names
        for attribute, kinds in declared.items()
        if len(kinds) == 1 and "" not in kinds and attribute not in stored
    }


def _results(nodes: Sequence[ast.AST]) -> frozenset[str]:
    bound: dict[str, set[bool]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    bound.setdefault(target.id, set()).add(_parses(node.value))
        elif isinstance(node, ast.arg):
            bound.setdefault(node.arg, set()).add(False)
    return frozenset(name for name, kinds in bound.items() if kinds == {True})


def _parses(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="parse_args")):
            return True
    return False


def _declared(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, str]]:
    """Attribute and kind of every option; an empty kind where it is not surely a number."""
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr="add_argument"), args=args, keywords=keywords):
                flags = [a.value for a in args if isinstance(a, ast.Constant)]
                given = {k.arg: k.value for k in keywords}
                yield _attribute([str(f) for f in flags], given), _kind(given)


def _attribute(flags: list[str], given: dict[str | None, ast.expr]) -> str:
    match given.get("dest"):
        case ast.Constant(value=str(name)):
            return name
    long = next((f for f in flags if f.startswith("--")), flags[0] if flags else "")
    return long.lstrip("-").replace("-", "_")


def _kind(given: dict[str | None, ast.expr]) -> str:
    if {"nargs", "action"} & set(given):
        return ""
    match given.get("type"):
        case ast.Name(id=name):
            kind = _KINDS.get(name, "")
        case _:
            return ""
    default = given.get("default")
    if default is None or (isinstance(default, ast.Constant) and default.value is None):
        return kind
    match default:
        case ast.UnaryOp(operand=ast.Constant() as constant):
            default = constant
    if not isinstance(default, ast.Constant):
        return ""
    if isinstance(default.value, str):  # argparse converts it
        return kind
    # a default that is no text is not converted, and may be of another kind
    return kind if {int: "INTEGER", float: "FLOAT"}.get(type(default.value)) == kind else ""
