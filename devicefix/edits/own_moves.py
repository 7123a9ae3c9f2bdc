"""``cuda(self)`` of a class of the program becomes ``to(self, device)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from devicefix.edits import ranks
from devicefix.edits.errors import EditError
from devicefix.findings import Edit

if TYPE_CHECKING:
    from devicefix.flow import OwnMove
    from devicefix.source import Source

OWN_MOVES: Final = "own-moves"
"""The group of all fixes around such methods."""


def take_device(source: Source, own: OwnMove) -> tuple[Edit, ...]:
    """The new name of the method, and its parameter.

    Raises ``EditError`` where the name is not on the line of its ``def``.
    """
    there, old = own.source, own.function.name
    start = there.span(own.function).start
    written = f"def {old}"
    if not there.text.startswith(written, start):
        raise EditError("the form of the definition is not supported")
    receiver = there.span(own.function.args.args[0]).end
    edits = (
        Edit(start + len("def "), start + len(written), 0, "to"),
        Edit(receiver, receiver, ranks.KEYWORD, ", device"),
    )
    return edits if there is source else tuple(replace(e, path=there.path) for e in edits)
