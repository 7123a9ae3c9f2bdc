"""What of ``torch.cuda`` torch has for any accelerator, and since when.

Where there is no accelerator, most of ``torch.cuda`` does nothing, and most of
``torch.accelerator`` raises: what a call is to give there stands in its row.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from devicefix.torch_api.rows import table, words


class Alone(enum.Enum):
    """What a function does where there is no accelerator."""

    ANSWERS = "answers"
    """It gives False, 0 or an object that is of no use."""
    RAISES = "raises"


class Takes(enum.Enum):
    """What the generic form may be given."""

    NOTHING = "nothing"
    DEVICE = "a device or its number, by position"
    NUMBER = "a number, by position"
    SAME = "the same arguments"


class Generic(Struct, frozen=True):
    """A name of ``torch.cuda``, and the one for any accelerator."""

    name: str
    form: str
    """The generic name; empty where there is none."""
    since: tuple[int, int] = (2, 6)
    alone: Alone = Alone.RAISES
    takes: Takes = Takes.DEVICE
    otherwise: str = ""
    """What the old one gives without CUDA, as an expression: the generic one is only asked where
    there is an accelerator. Empty where the old one raises, or both answer."""
    value: bool = False
    """It is the same object, and not only called."""
    unless: frozenset[str] = frozenset()
    """Where a file has one of these, which take or give what this makes, it stays, too."""
    why: str = ""
    """Why there is no generic form."""
    source: str = "https://docs.pytorch.org/docs/stable/accelerator.html"
    answers: tuple[int, int] = (2, 6)
    """Since when one that `Alone.ANSWERS` does so in a build for CUDA without a GPU, too; before,
    it is only asked where there is an accelerator."""


def _same(names: str, since: tuple[int, int], otherwise: str = "") -> Iterator[Generic]:
    """Functions of both modules with the same name."""
    for name in names.split():
        form = f"torch.accelerator.{name}"
        yield Generic(f"torch.cuda.{name}", form, since, otherwise=otherwise)


def _none(names: str, why: str) -> Iterator[Generic]:
    for name in names.split():
        yield Generic(f"torch.cuda.{name}", "", why=why)


_DOES_NOTHING: Final = "None"
_STREAMS: Final = words(
    """
    torch.cuda.Stream torch.cuda.StreamContext torch.cuda.current_stream torch.cuda.default_stream
    torch.cuda.set_stream torch.cuda.stream
    """
)

GENERIC: Final[Mapping[str, Generic]] = table(
    (
        Generic(
            "torch.cuda.is_available",
            "torch.accelerator.is_available",
            alone=Alone.ANSWERS,
            takes=Takes.NOTHING,
        ),
        Generic(
            "torch.cuda.device_count",
            "torch.accelerator.device_count",
            alone=Alone.ANSWERS,
            answers=(2, 8),  # that of 2.7 raises "Found no NVIDIA driver"
            takes=Takes.NOTHING,
            otherwise="0",
        ),
    ),
    _same("synchronize", (2, 6)),
    (
        Generic(
            "torch.cuda.current_device",
            "torch.accelerator.current_device_index",
            takes=Takes.NOTHING,
        ),
        Generic("torch.cuda.set_device", "torch.accelerator.set_device_index"),
        Generic("torch.cuda.device", "torch.accelerator.device_index", (2, 8), takes=Takes.NUMBER),
        Generic(
            "torch.cuda.empty_cache",
            "torch.accelerator.empty_cache",
            (2, 9),
            takes=Takes.NOTHING,
            otherwise=_DOES_NOTHING,
        ),
    ),
    _same("memory_allocated max_memory_allocated memory_reserved max_memory_reserved", (2, 9), "0"),
    _same("memory_stats", (2, 9), "{}"),
    _same("reset_peak_memory_stats reset_accumulated_memory_stats", (2, 9)),
    (
        Generic("torch.cuda.mem_get_info", "torch.accelerator.get_memory_info", (2, 10)),
        Generic("torch.cuda.get_rng_state", "torch.accelerator.random.get_rng_state", (2, 14)),
        Generic(
            "torch.cuda.OutOfMemoryError",
            "torch.OutOfMemoryError",
            (2, 5),
            Alone.ANSWERS,
            Takes.SAME,
            value=True,
            source="https://docs.pytorch.org/docs/stable/cuda.html",
        ),
        Generic(
            "torch.cuda.Event",
            "torch.Event",
            alone=Alone.ANSWERS,
            takes=Takes.SAME,
            unless=_STREAMS,
            source="https://docs.pytorch.org/docs/stable/generated/torch.Event.html",
        ),
    ),
    _none("get_device_name get_device_properties", "not every accelerator provides it"),
    _none("get_device_capability", "`torch.accelerator.get_device_capability` gives a dict"),
    _none(
        "nvtx.mark nvtx.range nvtx.range_pop nvtx.range_push cudart profiler.profile "
        "profiler.start profiler.stop",
        "it is part of the CUDA tools",
    ),
    _none("CUDAGraph graph graph_pool_handle", "`torch.accelerator.Graph` is used differently"),
    (
        Generic(
            "torch.cuda",
            "",
            why="use `torch.get_device_module(device)` to get the module of an accelerator",
        ),
    ),
    (
        Generic(name, "", why="`torch.Stream` is used differently as a context manager")
        for name in sorted(_STREAMS)
    ),
    (
        Generic(name, "", why="only builds for CUDA can split a batch over several devices")
        for name in ("torch.nn.DataParallel", "torch.nn.parallel.data_parallel")
    ),
    _none(
        "manual_seed manual_seed_all seed seed_all",
        "`torch.manual_seed` seeds the CPU and all devices",
    ),
    _none(
        "get_rng_state_all set_rng_state set_rng_state_all initial_seed",
        "the random state of other accelerators is set through their own modules",
    ),
)
"""By the name that ``torch.cuda`` has for it. Which of them raise without CUDA says `NEEDS_CUDA`.

The versions are those in whose wheels the names are; a test looks at the installed one.
"""

CHOSEN: Final = "torch.accelerator.current_accelerator"
"""Names the accelerator; with ``check_available=True`` (torch 2.7) None where there is none."""
BACKEND_OF: Final = "torch.distributed.get_default_backend_for_device"
"""NCCL for CUDA, Gloo for the CPU; it came with torch 2.6, and knows MPS from 2.9 on."""
IS_AVAILABLE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "torch.cuda.is_available": "cuda",
        "torch.backends.mps.is_available": "mps",
        "torch.mps.is_available": "mps",
        "torch.xpu.is_available": "xpu",
        "torch.mtia.is_available": "mtia",
    }
)
"""What asks for one kind of accelerator, and its name as a device."""
ACCELERATOR_NAMES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        name: since
        for since, names in {
            (2, 6): "current_accelerator current_device_idx current_device_index current_stream "
            "device_count is_available set_device_idx set_device_index set_stream synchronize",
            (2, 8): "device_index",
            (2, 9): "empty_cache max_memory_allocated max_memory_reserved memory memory_allocated "
            "memory_reserved memory_stats reset_accumulated_memory_stats reset_peak_memory_stats",
            (2, 10): "get_device_capability get_memory_info",
            (2, 12): "Graph empty_host_cache graphs",
            (2, 14): "random",
        }.items()
        for name in names.split()
    }
)
"""All that `torch.accelerator` has, and since when."""
NEWEST_KNOWN: Final = (2, 15)
"""The newest torch that the tables were compared with."""
GRAD_SCALER_ANYWHERE: Final = (2, 8)
"""Since then `torch.amp.GradScaler` works on MPS, which has no float64.
https://github.com/pytorch/pytorch/pull/150255
"""


def no_generic_form(name: str) -> str:
    """Why ``name`` stays for CUDA; empty where a row has another name for it."""
    row = GENERIC.get(name)
    if row is None:
        return "torch has no equivalent for other accelerators"
    return "" if row.form else row.why


def meant_by(name: str) -> str:
    """What ``torch.accelerator`` has in place of ``name``, which it has not; in words."""
    row = GENERIC.get(name.replace("torch.accelerator.", "torch.cuda.", 1))
    if row is None:
        return "`torch.get_device_module(device)` offers what only one kind of accelerator has"
    return f"use `{row.form}`" if row.form else row.why
