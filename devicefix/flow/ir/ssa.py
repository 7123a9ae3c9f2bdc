"""Static single assignment: each load gets the one definition that reaches it.

R. Cytron et al., "Efficiently Computing Static Single Assignment Form and the Control Dependence
Graph" (1991): a phi stands wherever several definitions of a name meet, whether the name is read
there or not, so that any moment can be asked for any name.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence

from devicefix.flow.ir.dominance import frontiers
from devicefix.flow.ir.ops import DEFINITIONS, Block, Kind, Op


def to_ssa(scope: ast.AST, blocks: Sequence[Block], dominators: Sequence[int]) -> list[int]:
    """Place the phis of names and give loads their definitions.

    Returns, by block, how many operations stand before those that were there.
    """
    lengths = [len(block.ops) for block in blocks]
    _place(scope, blocks, dominators)
    _rename(blocks, dominators)
    for block in blocks:
        for at, op in enumerate(block.ops):
            op.at = at
    return [len(block.ops) - length for block, length in zip(blocks, lengths, strict=True)]


def _place(scope: ast.AST, blocks: Sequence[Block], dominators: Sequence[int]) -> None:
    """Phis, and that all names but parameters are unbound at first."""
    bordering = frontiers([block.successors for block in blocks], dominators)
    defined: defaultdict[str, set[int]] = defaultdict(set)
    for block in blocks:
        if block.number == 0 or dominators[block.number] >= 0:
            for op in block.ops:
                if op.kind in DEFINITIONS and op.name:
                    defined[op.name].add(block.number)
                elif op.kind is Kind.LOAD:
                    defined[op.name].update()  # which nothing may ever bind
    given = {op.name for op in blocks[0].ops if op.kind is Kind.ARGUMENT}
    unbound = [Op(Kind.UNBOUND, scope, [], name, 0) for name in sorted(defined.keys() - given)]
    phis: defaultdict[int, list[str]] = defaultdict(list)
    for name in sorted(defined):
        queue = sorted(defined[name] | {0})
        placed: set[int] = set()
        while queue:
            for border in bordering[queue.pop()]:
                if border not in placed:
                    placed.add(border)
                    phis[border].append(name)
                    queue.append(border)
    for number, names in phis.items():
        block = blocks[number]
        block.ops[:0] = [Op(Kind.PHI, scope, [], name, number) for name in names]
        block.predecessors[:] = [p for p in block.predecessors if p == 0 or dominators[p] >= 0]
    blocks[0].ops[:0] = unbound


def _rename(blocks: Sequence[Block], dominators: Sequence[int]) -> None:
    below: defaultdict[int, list[int]] = defaultdict(list)
    for number, above in enumerate(dominators):
        if above >= 0:
            below[above].append(number)
    reaching: defaultdict[str, list[Op]] = defaultdict(list)
    stack: list[tuple[int, list[str] | None]] = [(0, None)]
    while stack:
        number, left = stack.pop()
        if left is not None:
            for name in left:
                reaching[name].pop()
            continue
        bound = _renamed(blocks[number], reaching)
        stack.append((number, bound))
        for successor in blocks[number].successors:
            for op in blocks[successor].ops:
                if op.kind is not Kind.PHI or not op.name:
                    break
                ways = blocks[successor].predecessors
                op.operands = op.operands or [op] * len(ways)
                for way, above in enumerate(ways):
                    if above == number:
                        op.operands[way] = reaching[op.name][-1]
        stack += [(child, None) for child in below[number]]


def _renamed(block: Block, reaching: defaultdict[str, list[Op]]) -> list[str]:
    """Resolve the loads of a block; the names that it defines, once for each time."""
    bound = []
    for op in block.ops:
        if op.kind is Kind.LOAD:
            op.operands[:] = reaching[op.name][-1:]
        elif op.kind in DEFINITIONS and op.name:
            reaching[op.name].append(op)
            bound.append(op.name)
    return bound
