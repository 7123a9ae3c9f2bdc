"""Rewrites PyTorch code to run on any device, without changing what it computes.

PYTEST_DONT_REWRITE: pytest would rewrite the assertions of a package that holds a plugin, and warn
where `devicefix run` has imported it before.
"""

from __future__ import annotations

from typing import Final

__version__: Final = "0.1.0"
