"""Puts operations into blocks, and blocks one behind the other."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devicefix.flow.ir.ops import ENDS, Block, Kind, Op, Point


class Building:
    """The blocks of a scope that is being lowered; operations go to the end of ``current``."""

    def __init__(self, scope: ast.AST) -> None:
        self.blocks: list[Block] = []
        self.made: dict[ast.AST, list[Op]] = {}
        self.starts: dict[ast.stmt, list[Point]] = {}
        self.loops: tuple[ast.AST, ...] = ()
        self.turns: dict[ast.AST, tuple[int, int]] = {}
        self.current = self.new_block()
        self._scope = scope

    def start(self, statement: ast.stmt) -> None:
        """Note where a statement begins."""
        point = (self.current.number, len(self.current.ops))
        self.starts.setdefault(statement, []).append(point)

    def new_block(self) -> Block:
        """A block that nothing leads to yet."""
        block = Block(len(self.blocks), loops=self.loops)
        self.blocks.append(block)
        return block

    def emit(self, kind: Kind, node: ast.AST, operands: Sequence[Op] = (), name: str = "") -> Op:
        """Append an operation to the current block."""
        op = Op(kind, node, list(operands), name, self.current.number, len(self.current.ops))
        self.current.ops.append(op)
        if kind not in ENDS:
            self.made.setdefault(node, []).append(op)
        return op

    def end(
        self, kind: Kind, node: ast.AST, successors: Sequence[Block], operands: Sequence[Op] = ()
    ) -> None:
        """End the current block; what follows without a new one is never reached."""
        self.emit(kind, node, operands)
        for successor in successors:
            self.current.successors.append(successor.number)
            successor.predecessors.append(self.current.number)
        self.current = self.new_block()

    def jump(self, node: ast.AST, to: Block) -> None:
        """Go on in another block."""
        self.end(Kind.JUMP, node, [to])

    def go_on(self, node: ast.AST, block: Block) -> None:
        """Go on in a block and fill it."""
        self.jump(node, block)
        self.current = block

    def branch(self, node: ast.AST, asked: Op, true: Block, false: Block) -> None:
        """Go on where a value leads to."""
        self.end(Kind.BRANCH, node, [true, false], [asked])
