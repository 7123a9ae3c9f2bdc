"""Operations in blocks: what one scope does, in the order in which Python does it."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Final, TypeAlias, TypeVar, cast

from msgspec import Struct, field

from devicefix.flow.ir.dominance import subtrees


class Kind(enum.Enum):
    """What an operation does with its operands."""

    # names of the scope
    ARGUMENT = "argument"
    """What a caller passes for a parameter."""
    UNBOUND = "unbound"
    """The state of all other names when the scope is entered."""
    STORE = "store"
    DELETE = "delete"
    PHI = "phi"
    """One of its operands. With a name: the definition that reaches it, one for each predecessor
    of its block, in their order; without: the result of ``a if b else c`` and of ``a or b``."""
    LOAD = "load"
    """Reads a name; its operand is the definition that reaches it."""
    # names of other scopes
    OUTER = "outer"
    STORE_OUTER = "store outer"
    DELETE_OUTER = "delete outer"
    # objects
    ATTRIBUTE = "attribute"
    SET_ATTRIBUTE = "set attribute"
    DELETE_ATTRIBUTE = "delete attribute"
    ITEM = "item"
    SET_ITEM = "set item"
    DELETE_ITEM = "delete item"
    # values
    CONSTANT = "constant"
    COMPUTE = "compute"
    """An operator, a comparison, a formatted string."""
    BUILD = "build"
    """A tuple, list, set, dictionary, slice, or what a comprehension makes."""
    UNPACK = "unpack"
    """One of the parts of its operand: ``a, b = pair``."""
    NEXT = "next"
    """One item of what is iterated over."""
    ENTER = "enter"
    """What ``with`` binds."""
    CAUGHT = "caught"
    """The exception that a handler is run for, or the subject of a pattern."""
    CALL = "call"
    CLOSURE = "closure"
    """A function, class or generator expression that is made, and runs at another time."""
    IMPORT = "import"
    SUSPEND = "suspend"
    """``yield`` and ``await``: anything may run in between."""
    # ends of blocks
    JUMP = "jump"
    BRANCH = "branch"
    """Goes to the first successor where its operand is true, else to the second."""
    MAY_RAISE = "may raise"
    """Goes on, or to the handler of what the statement behind it raises."""
    RETURN = "return"
    RAISE = "raise"


ENDS = frozenset((Kind.JUMP, Kind.BRANCH, Kind.MAY_RAISE, Kind.RETURN, Kind.RAISE))
DEFINITIONS = frozenset((Kind.ARGUMENT, Kind.UNBOUND, Kind.STORE, Kind.DELETE, Kind.PHI))
"""What may reach a load."""


class Op(Struct, eq=False, gc=False):
    """One operation, which stands for its result as well.

    ``node`` is the tree that it was made of; ``name`` that of the variable, attribute or keyword.
    """

    kind: Kind
    node: ast.AST
    operands: list[Op]
    name: str = ""
    block: int = -1
    """The number of its block."""
    at: int = -1
    """Its position in the block."""


Point: TypeAlias = tuple[int, int]
"""A moment: the number of a block, and how many of its operations have run."""


class Block(Struct, eq=False):
    """Operations that run one after the other; the last one says where it goes on."""

    number: int
    ops: list[Op] = field(default_factory=list)
    successors: list[int] = field(default_factory=list)
    predecessors: list[int] = field(default_factory=list)
    loops: tuple[ast.AST, ...] = ()
    """The loops that run it again, the innermost one last."""


WRITES: Final = frozenset((Kind.STORE, Kind.STORE_OUTER, Kind.SET_ATTRIBUTE, Kind.SET_ITEM))
"""What binds a name, an attribute or an item."""
DELETES: Final = frozenset(
    (Kind.DELETE, Kind.DELETE_OUTER, Kind.DELETE_ATTRIBUTE, Kind.DELETE_ITEM)
)


_Answer = TypeVar("_Answer")


class Body(Struct, eq=False, dict=True):
    """The operations of one scope: a module, a class, a function, a lambda."""

    scope: ast.AST
    blocks: list[Block]
    names: frozenset[str]
    """The variables of the scope."""
    shared: frozenset[str]
    """Those that functions and classes inside it read or bind, at a time of their own."""
    dynamic: bool
    """It calls ``eval``, ``exec``, ``locals`` or the like, which reach names as texts."""
    made: dict[ast.AST, list[Op]]
    """The operations that were made of a tree; several for what stands in ``finally``."""
    starts: dict[ast.stmt, list[Point]]
    """Where statements begin."""
    loops: dict[ast.AST, tuple[int, int]]
    """By ``for``, ``while``, or ``for`` of a comprehension: the block that begins each turn, and
    the one that follows the last."""
    immediate_dominators: list[int]
    """By block: the block that every way to it passes last; -1 for the entry and what is never
    reached."""

    @property
    def ops(self) -> Iterator[Op]:
        """All operations, block by block."""
        for block in self.blocks:
            yield from block.ops

    @cached_property
    def writes(self) -> Sequence[Op]:
        """Those that bind or delete a name, an attribute or an item."""
        return [op for op in self.ops if op.kind in WRITES or op.kind in DELETES]

    def once(self, question: Callable[[Body], _Answer]) -> _Answer:
        """The answer to a question about the body alone, found once."""
        if question not in self._answers:
            self._answers[question] = question(self)
        return cast(_Answer, self._answers[question])

    @cached_property
    def _answers(self) -> dict[Callable[[Body], object], object]:
        return {}

    def of(self, node: ast.AST) -> Sequence[Op]:
        """The operations of a tree; none where it is no part of the scope."""
        return self.made.get(node, ())

    def points(self, node: ast.AST) -> Sequence[Point]:
        """The moments at which a statement begins, or an expression has its operands and not yet
        its result; none where it is no part of the scope."""
        if isinstance(node, ast.stmt):
            return self.starts.get(node, ())
        return [(op.block, op.at) for op in self.of(node)]

    def dominates(self, above: int, block: int) -> bool:
        """Whether all ways from the entry to ``block`` pass ``above``; a block dominates itself."""
        first, last = self._subtrees[above]
        return first <= self._subtrees[block][0] <= last

    @cached_property
    def _subtrees(self) -> Sequence[tuple[int, int]]:
        return subtrees(self.immediate_dominators)

    def is_reached(self, block: int) -> bool:
        """Whether any way leads from the entry of the scope to a block."""
        return block == 0 or self.immediate_dominators[block] >= 0
