"""What the oldest torch of a project has: no rewrite may need a newer one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devicefix.edits.errors import EditError
from devicefix.torch_api import SINCE, is_there

if TYPE_CHECKING:
    from devicefix.settings import Settings


def require(settings: Settings, name: str) -> None:
    """Raise ``EditError`` where ``min-torch`` names a torch that has no ``name``."""
    if not is_there(name, settings.oldest_torch):
        since = ".".join(map(str, SINCE[name]))
        reason = f"`{name}` needs torch {since}, and min-torch is {settings.min_torch}"
        raise EditError(reason)
