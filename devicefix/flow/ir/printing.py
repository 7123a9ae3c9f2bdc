"""Writes a body as text: for tests, for documents, for whoever looks for a mistake."""

from __future__ import annotations

import ast

from devicefix.flow.ir.ops import DEFINITIONS, ENDS, Block, Body, Kind, Op

_SILENT = frozenset((Kind.UNBOUND, Kind.JUMP, Kind.MAY_RAISE))
_UNWRITTEN = _SILENT | {Kind.BRANCH}
_SHOWN = 32


def printed(body: Body) -> str:
    """The blocks that are reached, a line for each operation.

    ``%3`` is the result of an operation, ``x.3`` the definition of a name.
    """
    blocks = [block for block in body.blocks if body.is_reached(block.number)]
    ops = [op for block in blocks for op in block.ops if op.kind not in _SILENT]
    written = {op: f"{op.name}.{n}" if _defines(op) else f"%{n}" for n, op in enumerate(ops)}
    written |= {op: f"{op.name}?" for op in body.blocks[0].ops if op.kind is Kind.UNBOUND}
    lines = [f"body {getattr(body.scope, 'name', type(body.scope).__name__.lower())}"]
    for block in blocks:
        lines.append(f"b{block.number}:")
        lines += [f"    {_line(op, written)}" for op in block.ops if op.kind not in _UNWRITTEN]
        lines += [f"    {_goes_on(block, written)}"] if block.successors else []
    return "\n".join(lines) + "\n"


def _defines(op: Op) -> bool:
    return op.kind in DEFINITIONS and bool(op.name)


def _line(op: Op, written: dict[Op, str]) -> str:
    operands = ", ".join(written[o] for o in op.operands if o in written)
    if op.kind is Kind.RETURN or op.kind is Kind.RAISE:
        return f"{op.kind.value} {operands}".rstrip()
    shown = f" {op.name}" if op.name and not _defines(op) else ""
    if op.kind is Kind.CONSTANT and isinstance(op.node, ast.Constant):
        shown = f" {op.node.value!r}"[:_SHOWN]
    return f"{written[op]} = {op.kind.value}{shown} {operands}".rstrip()


def _goes_on(block: Block, written: dict[Op, str]) -> str:
    end = block.ops[-1]
    assert end.kind in ENDS
    ways = ", ".join(f"b{number}" for number in block.successors)
    if end.kind is Kind.BRANCH:
        return f"branch {written[end.operands[0]]}: {ways}"
    return f"{end.kind.value}: {ways}"
