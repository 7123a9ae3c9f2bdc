"""Arithmetic on the host, seen by a dispatch mode on the thread that observes.

What touches a tensor of the accelerator is not counted here: its kernel tells the watcher. Work of
a loader, of its collate function or of a Dataset belongs on the host and is not counted at all.
Backward passes are seen, too: the autograd engine takes the mode along.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from devicefix.observe import loading
from devicefix.observe.recorder import Recorder
from devicefix.observe.standing import in_dataset, standing
from devicefix.observe.work import work_of

_HOST: Final = torch.device("cpu")
_NOTHING: Final[Mapping[str, Any]] = {}


class HostWork(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts what kernels of the host compute for the program."""

    supports_higher_order_operators = True

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._recorder = recorder

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
        keywords = kwargs or _NOTHING
        # The operator in C++, without the frame of Python around it: a traceback would show that.
        # Where `Provenance` did not see the call (torch.from_numpy), it sees this one.
        run = getattr(func, "_op", None)
        if run is None:  # one of a higher order: what it calls comes by here by itself
            return func(*args, **keywords)
        if torch.is_inference_mode_enabled() and _composed(func):
            with self:
                return func.decompose(*args, **keywords)
        results = run(*args, **keywords)
        if _on_host(args) and (results is None or _on_host(results)):
            self._count(func, args, keywords, results)
        return results

    def _count(
        self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], results: Any
    ) -> None:
        try:
            work = work_of(func, args, kwargs, results)
        except Exception as error:
            self._recorder.miss(func, error)
            return
        if not work or loading.under_way():
            return
        stands = standing(sys._getframe(2))
        if not in_dataset(stands.frame):
            self._recorder.count(work, _HOST, stands)
            self._recorder.largest.see(results, stands.spot)


_COMPOSED: Final[dict[Any, bool]] = {}
"""The answers of `_composed` so far; they depend on the operator alone."""


def _composed(func: Any) -> bool:
    """Whether the operator is made of others: in inference mode such come here as a whole."""
    known = _COMPOSED.get(func)
    if known is None:
        key = torch._C.DispatchKey.CompositeImplicitAutograd
        known = _COMPOSED.setdefault(func, func.has_kernel_for_dispatch_key(key))
    return known


def _on_host(values: Any) -> bool:
    """Whether all tensors are ordinary ones of the host; subclasses and fakes are not."""
    kind = type(values)
    if kind is torch.Tensor or kind is torch.nn.Parameter:
        return bool(values.is_cpu)
    if kind is tuple or kind is list:
        return all(map(_on_host, values))
    return not isinstance(values, torch.Tensor)
