"""What `torch.cuda`, `torch.xpu`, `torch.mps` and `torch.npu` answer while they are simulated."""

from __future__ import annotations

import os
from collections.abc import Iterable
from types import MappingProxyType, ModuleType, TracebackType
from typing import Any, Final

import torch

from devicefix.simulator import privateuse
from devicefix.simulator.accelerator import Accelerator
from devicefix.simulator.generators import DefaultGenerator
from devicefix.simulator.streams import CURRENT, Event, Stream, StreamContext

MEMORY: Final = 16 << 30
"""Bytes that the device says it has; nothing is ever counted against them."""


class DeviceProperties:
    """Stands for `torch.cuda.get_device_properties`: the common features of a data-center GPU, so
    that programs which ask for a capability go their usual way.
    """

    name = "Simulated accelerator"
    major = 8
    minor = 0
    total_memory = MEMORY
    multi_processor_count = 108
    is_integrated = False
    is_multi_gpu_board = False
    warp_size = 32
    max_threads_per_multi_processor = 2048
    regs_per_multiprocessor = 65536
    shared_memory_per_block = 49152
    L2_cache_size = 4 << 20
    gcnArchName = ""  # noqa: N815
    has_fp16 = True
    has_fp64 = True
    uuid = "00000000-0000-0000-0000-000000000000"

    def __repr__(self) -> str:
        return f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor})"


class DeviceContext:
    """Stands for `torch.cuda.device`: a device is current inside; a negative index does nothing."""

    accelerator: Accelerator

    def __init__(self, device: Any) -> None:
        negative = isinstance(device, int) and device < 0
        self.idx = -1 if device is None or negative else self.accelerator.index(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = self.accelerator.current.get()
        if self.idx >= 0:
            self.accelerator.current.set(self.idx)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.accelerator.current.set(self.prev_idx)


class DeviceOf(DeviceContext):
    """Stands for `torch.cuda.device_of`."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if getattr(obj, "is_cuda", False) else -1)


class Runtime:
    """Every public method takes the place of the function of that name in the backend's module."""

    def __init__(self, accelerator: Accelerator, defaults: tuple[DefaultGenerator, ...]) -> None:
        self._accelerator, self._defaults = accelerator, defaults

    # What there is.

    def is_available(self) -> bool:
        """Asks the driver how many devices there are, unless it is told to ask NVML."""
        if os.environ.get("PYTORCH_NVML_BASED_CUDA_CHECK") != "1":
            self._accelerator.touched = True
        return True

    def is_built(self) -> bool:
        return True

    def is_initialized(self) -> bool:
        return self._accelerator.used and not self._accelerator.forked

    def init(self) -> None:
        self._accelerator.enter()

    def device_count(self) -> int:
        return self._accelerator.count

    def current_device(self) -> int:
        return self._accelerator.index()

    def set_device(self, device: Any) -> None:
        if not (isinstance(device, int) and device < 0):
            self._accelerator.current.set(self._accelerator.index(device))

    def get_device_name(self, device: Any = None) -> str:
        return DeviceProperties.name

    def get_device_capability(self, device: Any = None) -> tuple[int, int]:
        return DeviceProperties.major, DeviceProperties.minor

    def get_device_properties(self, device: Any = None) -> DeviceProperties:
        self._accelerator.enter()
        if not 0 <= torch._utils._get_device_index(device, optional=True) < self.device_count():
            raise AssertionError("Invalid device id")  # torch/cuda/__init__.py
        return DeviceProperties()

    def get_arch_list(self) -> list[str]:
        return ["sm_80"]

    def is_bf16_supported(self, including_emulation: bool = True) -> bool:
        return True

    def is_tf32_supported(self) -> bool:
        return True

    def can_device_access_peer(self, device: Any, peer_device: Any) -> bool:
        return self._accelerator.index(device) != self._accelerator.index(peer_device)

    # Streams.

    def synchronize(self, device: Any = None) -> None:
        self._accelerator.index(device)

    def current_stream(self, device: Any = None) -> Stream:
        return CURRENT.of(device)

    def default_stream(self, device: Any = None) -> Stream:
        return Stream(device, stream_id=0)

    def stream(self, stream: Stream | None) -> StreamContext:
        return StreamContext(stream)

    def set_stream(self, stream: Stream) -> None:
        CURRENT.choose(stream)

    def is_current_stream_capturing(self) -> bool:
        return False

    def current_blas_handle(self) -> int:
        return 0

    # Random numbers: they come from the host's generator.

    def manual_seed(self, seed: int) -> None:
        self._defaults[self._accelerator.current.get()].manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        """`torch.manual_seed` calls this, too, and has seeded the host's generator itself."""
        for generator in self._defaults:
            generator.manual_seed(seed)

    def seed(self) -> None:
        self._defaults[self._accelerator.current.get()].seed()

    def seed_all(self) -> None:
        self.manual_seed_all(self._defaults[0].seed())

    def initial_seed(self) -> int:
        return int(self._defaults[self._accelerator.index()].initial_seed())

    def get_rng_state(self, device: Any = None) -> torch.Tensor:
        state: torch.Tensor = self._defaults[self._accelerator.index(device)].get_state()
        return state

    def set_rng_state(self, new_state: torch.Tensor, device: Any = None) -> None:
        self._defaults[self._accelerator.index(device)].set_state(new_state)

    def get_rng_state_all(self) -> list[torch.Tensor]:
        return [self.get_rng_state(index) for index in range(self._accelerator.count)]

    def set_rng_state_all(self, new_states: Iterable[torch.Tensor]) -> None:
        for index, state in enumerate(new_states):
            self.set_rng_state(state, index)

    # Memory: the host's, and not counted.

    def mem_get_info(self, device: Any = None) -> tuple[int, int]:
        return MEMORY, MEMORY

    def memory_stats(self, device: Any = None) -> dict[str, Any]:
        return {}

    def memory_summary(self, device: Any = None, abbreviated: bool = False) -> str:
        return ""

    def memory_snapshot(self, *arguments: Any, **keywords: Any) -> list[Any]:
        return []

    def recommended_max_memory(self) -> int:
        return MEMORY

    def set_per_process_memory_fraction(self, fraction: float, device: Any = None) -> None:
        """Nothing is limited."""

    # Mixed precision.

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        """`torch.autocast` asks it of devices that torch's core does not know by name."""
        return [torch.float16, torch.bfloat16]


class XpuProperties(DeviceProperties):
    """Stands for `torch.xpu.get_device_properties`."""

    platform_name = "Simulated platform"
    max_compute_units = 512
    gpu_eu_count = 512
    gpu_subslice_count = 64
    max_work_group_size = 1024
    max_num_sub_groups = 64
    sub_group_sizes = (16, 32)
    has_atomic64 = True
    type = "gpu"

    def __repr__(self) -> str:
        return f"_XpuDeviceProperties(name='{self.name}', platform_name='{self.platform_name}')"


class XpuRuntime(Runtime):
    """What `torch.xpu` answers otherwise: a capability is a dictionary of what the device has."""

    def get_device_properties(self, device: Any = None) -> DeviceProperties:
        self._accelerator.index(device)
        return XpuProperties()

    def get_device_capability(self, device: Any = None) -> Any:
        properties = vars(XpuProperties).items()
        return {name: value for name, value in properties if not name.startswith("_")}


_ZERO: Final = (
    "memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved",
    "memory_cached", "max_memory_cached", "current_allocated_memory", "driver_allocated_memory",
    "device_memory_used", "utilization", "memory_usage", "temperature",
    "power_draw", "clock_rate", "get_sync_debug_mode",
)  # fmt: skip
"""Functions that count something which is not simulated."""

_NOTHING: Final = (
    "empty_cache", "ipc_collect", "reset_peak_memory_stats", "reset_max_memory_allocated",
    "reset_max_memory_cached", "reset_accumulated_memory_stats", "set_sync_debug_mode",
)  # fmt: skip
"""Functions that have nothing to do."""


_RUNTIMES: Final = MappingProxyType({"xpu": XpuRuntime})


def install(accelerator: Accelerator, defaults: tuple[DefaultGenerator, ...]) -> None:
    """Let the backend's module answer for the simulation."""
    module = _module(accelerator)
    DeviceContext.accelerator = accelerator
    runtime = _RUNTIMES.get(accelerator.name, Runtime)(accelerator, defaults)
    replacements = {
        name: getattr(runtime, name) for name in vars(Runtime) if not name.startswith("_")
    }
    replacements |= dict.fromkeys(_ZERO, _zero) | dict.fromkeys(_NOTHING, _nothing)
    replacements |= {"Stream": Stream, "Event": Event, "StreamContext": StreamContext,
                     "device": DeviceContext, "device_of": DeviceOf}  # fmt: skip
    for place in _places(module):
        for name, replacement in replacements.items():
            if hasattr(place, name) or privateuse.is_private(accelerator.kind):
                setattr(place, name, replacement)
    for name, replacement in _private(accelerator, defaults).items():
        setattr(module, name, replacement)


def _module(accelerator: Accelerator) -> ModuleType:
    module = getattr(torch, accelerator.name)
    assert isinstance(module, ModuleType)
    return module


def _places(module: ModuleType) -> Iterable[ModuleType]:
    """The module and those of its parts that keep names of their own."""
    yield module
    for part in ("random", "memory", "streams", "event"):
        place = getattr(module, part, None)
        if isinstance(place, ModuleType) and place.__name__.startswith(module.__name__):
            yield place


def _private(
    accelerator: Accelerator, defaults: tuple[DefaultGenerator, ...]
) -> MappingProxyType[str, Any]:
    """What torch's own Python code asks."""

    def lazy_init() -> None:
        accelerator.enter()

    return MappingProxyType(
        {
            "_is_compiled": lambda: True,
            "_is_in_bad_fork": lambda: accelerator.forked,
            "_lazy_init": lazy_init,
            "_lazy_call": lambda callable, **keywords: (
                None
            ),  # seeds, for generators that are not there
            "_initialized": accelerator.used,
            "default_generators": defaults,
        }
    )


def _zero(*arguments: Any, **keywords: Any) -> int:
    return 0


def _nothing(*arguments: Any, **keywords: Any) -> None:
    return None
