"""Arithmetic that a dispatch mode sees, on the thread that observes.

Beside a simulated accelerator that is the host's alone: what touches a tensor of the device is not
counted here, for its kernel tells the watcher. A real one tells nobody, and `DeviceWork` counts for
it. Work of a loader, of its collate function or of a Dataset belongs on the host and is not counted
at all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import torch

from devicefix.observe import loading
from devicefix.observe.aside import Aside, is_plain
from devicefix.observe.recorder import Recorder
from devicefix.observe.standing import in_dataset, standing
from devicefix.observe.work import work_of

_HOST: Final = torch.device("cpu")


class HostWork(Aside):
    """Counts what kernels of the host compute for the program."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.recorder = recorder

    def ran(
        self,
        func: Any,
        run: Callable[..., Any],
        args: Sequence[Any],
        keywords: Mapping[str, Any],
    ) -> Any:
        results = run(*args, **keywords)
        if _on_host(args) and (results is None or _on_host(results)):
            self._count(func, args, keywords, results)
        else:
            self.elsewhere(func, args, keywords, results)
        return results

    def elsewhere(
        self, func: Any, args: Sequence[Any], keywords: Mapping[str, Any], results: Any
    ) -> None:
        """Something ran that is not the host's alone."""

    def _count(
        self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], results: Any
    ) -> None:
        try:
            work = work_of(func, args, kwargs, results)
        except Exception as error:
            self.recorder.miss(func, error)
            return
        if not work or loading.under_way():
            return
        stands = standing(sys._getframe(3))
        if not in_dataset(stands.frame):
            self.recorder.count(work, _HOST, stands)
            self.recorder.largest.see(results, stands.spot)
            if self.recorder.provenance:
                self.recorder.begun.see(args, work)


_COPIES: Final = frozenset({"aten::_to_copy", "aten::copy_", "aten::_copy_from"})


class DeviceWork(HostWork):  # type: ignore[no-untyped-call]
    """Counts for a real accelerator, too, and what crosses between it and the host."""

    def elsewhere(
        self, func: Any, args: Sequence[Any], keywords: Mapping[str, Any], results: Any
    ) -> None:
        """Count what ran on the device, a copy, or a reading."""
        try:
            self._tell(func, args, keywords, results)
        except Exception as error:
            self.recorder.miss(func, error)

    def _tell(
        self, func: Any, args: Sequence[Any], keywords: Mapping[str, Any], results: Any
    ) -> None:
        name = func._schema.name
        if name in _COPIES:
            source, made = (args[1], args[0]) if name == "aten::copy_" else (args[0], results)
            if is_plain(source) and is_plain(made) and source.device != made.device:
                self.recorder.crossed(source, made)
        elif name == "aten::_local_scalar_dense":
            self.recorder.read(args[0], "_local_scalar_dense")
        else:
            device = _device_of(results) or _device_of(args)
            if device is not None:
                self.recorder.ran(func, args, keywords, results, device)


def _on_host(values: Any) -> bool:
    """Whether all tensors are ordinary ones of the host."""
    if is_plain(values):
        return bool(values.is_cpu)
    if type(values) in (tuple, list):
        return all(map(_on_host, values))
    return not isinstance(values, torch.Tensor)


def _device_of(values: Any) -> torch.device | None:
    """Where the first tensor lives that is not on the host."""
    if is_plain(values):
        device: torch.device = values.device
        return None if device.type in ("cpu", "meta") else device
    if type(values) in (tuple, list):
        return next(filter(None, map(_device_of, values)), None)
    return None
