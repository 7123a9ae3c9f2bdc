"""What `backward` is called on: the loss, before a scaler of gradients has scaled it."""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import torch

from devicefix.observe.witness.log import EventLog
from devicefix.observe.witness.tensors import tensor_leaf
from devicefix.observe.witness.threads import in_engine
from devicefix.observe.witness.where import line_of
from devicefix.simulator.rounding import SECOND_ORDER

Tensor = torch.Tensor

_HERE: Final = threading.local()


def in_backward() -> bool:
    """Whether gradients are being computed on this thread."""
    return getattr(_HERE, "passes", 0) > 0 or in_engine()


class Losses:
    """Notes the loss of every call of `backward` that the program makes."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._rounded = False

    def begin(self) -> None:
        """Listen from now on."""
        torch.autograd.backward = self._listening(torch.autograd.backward)
        torch.autograd.grad = self._passing(torch.autograd.grad)
        scaler: Any = torch.amp.grad_scaler.GradScaler
        scaler.scale = self._scaling(scaler.scale)

    def _listening(self, original: Callable[..., Any]) -> Callable[..., Any]:
        passing = self._passing(original)

        @functools.wraps(original)
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            scaled, _HERE.scaled = getattr(_HERE, "scaled", False), False
            if not scaled and not in_backward():
                self._note(tensors, ".backward", sys._getframe().f_back)
            return passing(tensors, *args, **kwargs)

        return backward

    def _passing(self, original: Callable[..., Any]) -> Callable[..., Any]:
        position = list(inspect.signature(original).parameters).index(SECOND_ORDER)

        @functools.wraps(original)
        def run(*args: Any, **kwargs: Any) -> Any:
            if kwargs.get(SECOND_ORDER) or any(args[position : position + 1]):
                self._round_otherwise()
            _HERE.passes = getattr(_HERE, "passes", 0) + 1
            try:
                return original(*args, **kwargs)
            finally:
                _HERE.passes -= 1

        return run

    def _round_otherwise(self) -> None:
        if not self._rounded:
            self._rounded = True
            self._log.saw("rounded", SECOND_ORDER, None)

    def _scaling(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The next `backward` is of something that is scaled."""

        @functools.wraps(original)
        def scale(scaler: Any, outputs: Any) -> Any:
            self._note(outputs, ".scale", sys._getframe().f_back)
            _HERE.scaled = True
            return original(scaler, outputs)

        return scale

    def _note(self, tensors: Any, how: str, frame: FrameType | None) -> None:
        if not self._log.ours:
            return
        several = tensors if isinstance(tensors, (tuple, list)) else (tensors,)
        with torch._C.DisableTorchFunction():
            for tensor in several:
                if isinstance(tensor, Tensor) and tensor.numel() == 1:
                    leaf = tensor_leaf("", tensor, self._log.room)
                    self._log.saw("loss", how, line_of(frame), [leaf])
