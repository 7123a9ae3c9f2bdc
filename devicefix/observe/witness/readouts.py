"""Values that the program reads out of tensors, seen by a `TorchFunctionMode`.

What torch's own Python code reads for itself, such as an optimizer, is no observation; nor is what
is read while gradients are computed, on whose thread is torch's affair.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FrameType
from typing import Any, Final

import torch
from torch.overrides import TorchFunctionMode, handle_torch_function

from devicefix.observe.witness.log import EventLog
from devicefix.observe.witness.losses import in_backward
from devicefix.observe.witness.numbers import number_leaf
from devicefix.observe.witness.tensors import number_read, tensor_leaf
from devicefix.observe.witness.where import line_of
from devicefix.simulator.places import KINDS, Kind

Tensor = torch.Tensor

_NUMBERS: Final = {
    "item": ".item",
    "__float__": "float",
    "__int__": "int",
    "__bool__": "bool",
    "__complex__": "complex",
    "__index__": "index",
}
"""Methods that give the only element as a number."""
_WHOLE: Final = {
    "tolist": ".tolist",
    "numpy": ".numpy",
    "__array__": "__array__",
    "__repr__": "repr",
    "__format__": "format",
}
"""Methods that give all elements, or show them."""
_ANSWERS: Final = {"equal": "torch.equal", "allclose": "torch.allclose"}
"""Functions that compare tensors and answer yes or no."""

_HOW: Final[Mapping[Any, tuple[str, str]]] = {
    **{getattr(Tensor, name): ("number", how) for name, how in _NUMBERS.items()},
    **{getattr(Tensor, name): ("whole", how) for name, how in _WHOLE.items()},
    **{getattr(torch, name): ("answer", how) for name, how in _ANSWERS.items()},
    **{getattr(Tensor, name): ("answer", how) for name, how in _ANSWERS.items()},
    torch.is_nonzero: ("number", "bool"),
    Tensor.is_nonzero: ("number", "bool"),
}


def _codes() -> Iterator[CodeType]:
    """Code of torch that stands between the program and the mode when the program reads."""
    yield handle_torch_function.__code__
    for function in _HOW:
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType):
            yield code


_DETOURS: Final = frozenset(_codes())


_LONG: Final = 400
"""Characters of an error's message."""


class Readouts(TorchFunctionMode):
    """Writes an event for every reading, and for every error that torch raises instead."""

    def __init__(self, log: EventLog) -> None:
        super().__init__()
        self._log = log

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except Exception as error:
            self._note_raised(error, sys._getframe().f_back)
            raise
        how = _HOW.get(func)
        if how is not None and not in_backward() and self._log.ours:
            frame = asked_by(sys._getframe().f_back)
            if frame is not None:
                self._note(frame, *how, args[0], result)
        return result

    def _note_raised(self, error: Exception, frame: FrameType | None) -> None:
        """The program may catch it, and go on without what it wanted to know."""
        if self._log.ours:
            leaf = {"path": "", "type": "error", "text": str(error)[:_LONG]}
            self._log.saw("raised", type(error).__name__, line_of(frame), [leaf])

    def _note(self, frame: FrameType, what: str, how: str, tensor: Tensor, result: Any) -> None:
        with torch._C.DisableTorchFunction():
            if what == "number":
                leaf = number_read(tensor, result)
            elif what == "whole":
                leaf = tensor_leaf("", tensor, self._log.room)
            else:
                leaf = number_leaf("", bool(result)) or {}
            self._log.saw("read", how, line_of(frame), [leaf])


def asked_by(frame: FrameType | None) -> FrameType | None:
    """The frame that reads, seen from below; None where that is torch itself."""
    while frame is not None:
        code = frame.f_code
        kind = KINDS[code.co_filename]
        if kind is Kind.PROGRAM or kind is Kind.LIBRARY:
            return frame
        if kind is Kind.TORCH and code not in _DETOURS:
            return None
        frame = frame.f_back
    return None
