"""What the oldest torch of a project has: no rewrite may need a newer one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devicefix.edits.errors import EditError
from devicefix.torch_api import is_there, needs_newer

if TYPE_CHECKING:
    from devicefix.oldest_torch import OldestTorch


def require(oldest: OldestTorch, name: str) -> None:
    """Raise ``EditError`` where the ``oldest`` torch of the program has no ``name``."""
    if not is_there(name, oldest.version):
        raise EditError(needs_newer(name, oldest.said))
