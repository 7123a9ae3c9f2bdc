"""TorchScript tells the errors of our kernels as those of its own.

Its interpreter puts the text of an error of C++ below its own traceback. An error of Python, which
ours are, it gives with the name of its class and the Python frames.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any, Final

import torch

_FOLDER: Final = Path(__file__).parent
_OURS: Final = re.compile(
    rf"RuntimeError: \w+: (.*?)\n\nAt:\n  {re.escape(str(_FOLDER))}/.*", re.DOTALL
)


def install() -> None:
    """Mend the text where scripted functions and methods are called."""
    for kind in (torch._C.ScriptFunction, torch._C.ScriptMethod):
        _wrap(kind)


def _wrap(kind: Any) -> None:
    native = kind.__call__

    @functools.wraps(native)
    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        try:
            return native(self, *arguments, **keywords)
        except RuntimeError as error:
            error.args = (_OURS.sub(r"RuntimeError: \1\n", str(error)),)
            raise

    kind.__call__ = call
