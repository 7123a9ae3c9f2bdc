"""Errors that torch carries from one thread or process to another, and raises there as text.

`DataParallel` and loaders with workers do: the new exception has the old one's traceback in its
message, and neither its frames nor its tensors. The explanation is made where they still are.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from torch._utils import ExceptionWrapper

from devicefix.observe.explaining import EXPLANATION, explain

_KEPT = "devicefix_explanation"


def explain_carried_errors() -> Callable[[], None]:
    """Let carried errors keep their explanations from now on; returns what ends it."""
    carriers: Any = ExceptionWrapper
    wrap, reraise = carriers.__init__, carriers.reraise

    @functools.wraps(wrap)
    def __init__(carrier: Any, exc_info: Any = None, where: str = "in background") -> None:  # noqa: N807
        found = exc_info or sys.exc_info()
        if found[1] is not None:
            setattr(carrier, _KEPT, explain(found[1]))
        wrap(carrier, found, where)

    @functools.wraps(reraise)
    def raise_again(carrier: Any) -> Any:
        try:
            return reraise(carrier)
        except Exception as error:
            setattr(error, EXPLANATION, getattr(carrier, _KEPT, None))
            raise

    def end() -> None:
        carriers.__init__, carriers.reraise = wrap, reraise

    carriers.__init__, carriers.reraise = __init__, raise_again
    return end
