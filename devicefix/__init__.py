"""Rewrites PyTorch sources so that they run on any device and mean what they meant before."""

from __future__ import annotations

from typing import Final

__version__: Final = "0.1.0"
