"""The state of a simulated accelerator: its devices, which one is current, whether this process may
use them.
"""

from __future__ import annotations

import os

import torch

from devicefix.simulator.devices import Simulated
from devicefix.simulator.machine_code import CurrentDevice

AcceleratorError: type[RuntimeError] = getattr(torch, "AcceleratorError", RuntimeError)
"""What a failing CUDA call raises: a class of its own since torch 2.8."""


class Accelerator:
    """The simulated accelerator of this process."""

    def __init__(self, simulated: Simulated) -> None:
        self.simulated = simulated
        self.kind = simulated.kind
        self.name = simulated.kind.name
        """What `torch.device` calls its devices: their ``type``."""
        self.count = simulated.count
        self.current = CurrentDevice()
        self.touched = False
        """Whether something was asked that takes the driver: a child that is forked then may not
        use the device (``register_fork_handler_for_device_init``, torch/csrc/cuda/Module.cpp).
        """
        self.used = False
        self.forked = False
        """Whether this process was forked from one that had touched the device."""
        self.devices = tuple(torch.device(self.name, index) for index in range(self.count))
        os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        self.forked = self.forked or self.touched

    def enter(self) -> None:
        """What every use begins with. Raises what CUDA raises if this process was forked from one
        that had touched the device.

        The text is that of `torch.cuda._lazy_init` and `torch.xpu._lazy_init`; torch has none for
        MPS.
        """
        if self.forked:
            name = self.name.upper()
            raise RuntimeError(
                f"Cannot re-initialize {name} in forked subprocess. To use {name} with "
                "multiprocessing, you must use the 'spawn' start method"
            )
        if not self.used:
            self._use(True)

    def unused(self) -> None:
        """What installation did is no use of the device."""
        self._use(False)

    def _use(self, used: bool) -> None:
        self.used = self.touched = used
        vars(getattr(torch, self.name))["_initialized"] = used

    def index(self, device: object = None) -> int:
        """The index that ``device`` names: an index, a string, a `torch.device`; None for the
        current one.

        Raises `AcceleratorError` for a device that is not there, and `RuntimeError` in a forked
        process.
        """
        self.enter()
        if device is None:
            return self.current.get()
        index = device if isinstance(device, int) else torch.device(device).index  # type: ignore[call-overload]
        if index is None:
            return self.current.get()
        if not 0 <= index < self.count:
            raise self._out_of_range(index)
        return int(index)

    def _out_of_range(self, index: int) -> RuntimeError:
        if self.name == "cuda":
            return AcceleratorError(f"CUDA error: invalid device ordinal{_ORDINAL_ADVICE}")
        return RuntimeError(
            f"The device index is out of range. It must be in [0, {self.count}), but got {index}."
        )


_ORDINAL_ADVICE = (
    "\nCUDA kernel errors might be asynchronously reported at some other API call, "
    "so the stacktrace below might be incorrect."
    "\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1"
    "\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)
"""What c10/cuda/CUDAMiscFunctions.cpp appends to every CUDA error. The other kinds say what
``check_device_index`` says (c10/xpu/XPUFunctions.h; torch's example of a device of one's own has
the same).
"""
