"""Dispatch modes of ours: the program and the compiler go on as if they were not there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

NOTHING: Final[Mapping[str, Any]] = {}


class Aside(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sees every operator on its thread, those of backward passes too: the engine takes it along.

    Subclasses say in `ran` what is to be done in its place.
    """

    supports_higher_order_operators = True

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Torch's word for a mode that is no business of the program's: `torch.compile` goes on."""
        return True

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Nor is the compiler's own work of interest."""
        return True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """No wrapper around `__torch_dispatch__`: it would import the compiler."""
        return False

    def leave(self) -> None:
        """Take the mode off this thread's stack; a thread that forked may not have it."""
        if _get_current_dispatch_mode() is self:
            self.__exit__(None, None, None)  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        keywords = kwargs or NOTHING
        # The operator in C++, without the frame of Python around it: a traceback would show that.
        # Where `Provenance` did not see the call (torch.from_numpy), it sees this one.
        run = getattr(func, "_op", None)
        if run is None:  # one of a higher order: what it calls comes by here by itself
            return func(*args, **keywords)
        if torch.is_inference_mode_enabled() and _composed(func):
            with self:
                return func.decompose(*args, **keywords)
        return self.ran(func, run, args, keywords)

    def ran(
        self,
        func: Any,
        run: Callable[..., Any],
        args: Sequence[Any],
        keywords: Mapping[str, Any],
    ) -> Any:
        """The results of ``func``, which ``run`` computes."""
        raise NotImplementedError


_COMPOSED: Final[dict[Any, bool]] = {}
"""The answers of `_composed` so far; they depend on the operator alone."""


def _composed(func: Any) -> bool:
    """Whether the operator is made of others: in inference mode such come here as a whole."""
    known = _COMPOSED.get(func)
    if known is None:
        key = torch._C.DispatchKey.CompositeImplicitAutograd
        known = _COMPOSED.setdefault(func, func.has_kernel_for_dispatch_key(key))
    return known


def is_plain(value: Any) -> bool:
    """Whether ``value`` is an ordinary tensor; subclasses and fakes are not."""
    kind = type(value)
    return kind is torch.Tensor or kind is torch.nn.Parameter
