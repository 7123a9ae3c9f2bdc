"""Why a rewrite cannot be written down."""

from __future__ import annotations


class EditError(Exception):
    """This rewrite cannot be made here without changing something else; a codemod declines."""
