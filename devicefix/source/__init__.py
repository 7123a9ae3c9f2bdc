"""Text and tree of source files, with positions that survive every encoding and line end."""

from devicefix.source.errors import SourceError
from devicefix.source.imports import bound_names
from devicefix.source.suppressions import Suppressions
from devicefix.source.text import Source

__all__ = ["Source", "SourceError", "Suppressions", "bound_names"]
