"""What `torch.compile` compiles runs without our mode, and it does not compile our own code.

Dynamo would trace into the mode, and cannot trace torch's own modules with any such mode in place.
It would also compile what the kernels and the watcher do when they run below compiled code.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, Final

from torch.overrides import TorchFunctionMode

from devicefix.simulator.importing import after_import
from devicefix.simulator.provenance import Provenance, suspended

_FRAMES: Final = "torch._dynamo.eval_frame"
_RULES: Final = "torch._dynamo.trace_rules"


def leave_ours_alone() -> None:
    """Have dynamo pass over devicefix, as it passes over the standard library."""
    after_import(_RULES, lambda: sys.modules[_RULES].add("devicefix"))


def suspend_in_compiled_code(
    tell: Callable[[], None], kind: type[TorchFunctionMode] = Provenance
) -> Callable[[], None]:
    """Suspend modes of ``kind`` around compiled functions from now on; returns what ends it.

    ``tell`` is called whenever a function is given to the compiler.
    """
    ending: list[Callable[[], None]] = []
    after_import(_FRAMES, lambda: ending.append(_wrap(tell, kind)))

    def end() -> None:
        while ending:
            ending.pop()()

    return end


def _wrap(tell: Callable[[], None], kind: type[TorchFunctionMode]) -> Callable[[], None]:
    context = sys.modules[_FRAMES]._TorchDynamoContext
    original = context.__call__

    @functools.wraps(original)
    def __call__(compiler: Any, compiled: Any) -> Any:  # noqa: N807
        result = original(compiler, compiled)
        if not hasattr(result, "__code__"):
            return result  # a module or a class, whose methods come here by themselves
        tell()
        return _suspending(result, kind)

    def end() -> None:
        context.__call__ = original

    context.__call__ = __call__
    return end


def _suspending(compiled: Any, kind: type[TorchFunctionMode]) -> Any:
    @functools.wraps(compiled)
    def call(*args: Any, **kwargs: Any) -> Any:
        with suspended(kind):
            return compiled(*args, **kwargs)

    return call
