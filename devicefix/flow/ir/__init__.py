"""The intermediate representation: what a scope does, in blocks of operations in SSA form.

``lower(scope)`` makes a `Body` of a tree, ``source.once(Bodies)`` those of a file as they are asked
for, `printed` shows one. Only the text counts here: what names mean in other scopes, and what
objects are, is found elsewhere. Questions about it are in `devicefix.flow.queries`.
"""

from devicefix.flow.ir.bodies import SCOPES, Bodies, lower, scope_around
from devicefix.flow.ir.ops import DEFINITIONS, DELETES, ENDS, WRITES, Block, Body, Kind, Op, Point
from devicefix.flow.ir.printing import printed

__all__ = [
    "DEFINITIONS",
    "DELETES",
    "ENDS",
    "SCOPES",
    "WRITES",
    "Block",
    "Bodies",
    "Body",
    "Kind",
    "Op",
    "Point",
    "lower",
    "printed",
    "scope_around",
]
