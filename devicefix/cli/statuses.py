"""What the exit status says."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
FOUND: Final = 1
CANNOT: Final = 2
"""It could not do its work; outranks the others."""
