"""What torch.cuda does where there is no CUDA, against the installed torch."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import pytest

from devicefix.torch_api import AMP, ASKS_FOR_CUDA, MAP_LOCATION, NEEDS_CUDA, SETS_RANDOM_STATE

torch = pytest.importorskip("torch")

without_cuda = pytest.mark.skipif(
    torch.cuda.is_available() or torch.version.cuda is not None, reason="a torch for CUDA"
)
ARGUMENTS: Final[dict[str, tuple[object, ...]]] = {
    "torch.cuda.caching_allocator_alloc": (10,),
    "torch.cuda.can_device_access_peer": (0, 1),
    "torch.cuda.nvtx.mark": ("a",),
    "torch.cuda.nvtx.range_push": ("a",),
    "torch.cuda.set_device": (0,),
    "torch.cuda.set_per_process_memory_fraction": (0.5,),
    "torch.cuda.set_sync_debug_mode": ("warn",),
}
CONTEXTS: Final = frozenset({"torch.cuda.nvtx.range", "torch.cuda.profiler.profile"})
HARMLESS: Final[dict[str, tuple[object, ...]]] = {
    "torch.cuda.device_count": (),
    "torch.cuda.empty_cache": (),
    "torch.cuda.is_available": (),
    "torch.cuda.is_bf16_supported": (),
    "torch.cuda.is_initialized": (),
    "torch.cuda.manual_seed": (1,),
    "torch.cuda.manual_seed_all": (1,),
    "torch.cuda.max_memory_allocated": (),
    "torch.cuda.max_memory_reserved": (),
    "torch.cuda.memory_allocated": (),
    "torch.cuda.memory_reserved": (),
    "torch.cuda.memory_stats": (),
}


def found(name: str) -> Callable[..., Any]:
    made: Callable[..., Any] = operator.attrgetter(name.removeprefix("torch."))(torch)
    return made


def call(name: str) -> None:
    if name not in CONTEXTS:
        found(name)(*ARGUMENTS.get(name, ()))
        return
    with found(name)("a"):
        pass


@without_cuda
@pytest.mark.parametrize("name", sorted(NEEDS_CUDA))
@pytest.mark.filterwarnings("ignore")
def test_it_raises_without_cuda(name: str) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 (they are of all kinds)
        call(name)


@without_cuda
@pytest.mark.parametrize("name", sorted(HARMLESS))
@pytest.mark.filterwarnings("ignore")
def test_it_does_not_raise(name: str) -> None:
    found(name)(*HARMLESS[name])
    assert name not in NEEDS_CUDA


@without_cuda
def test_a_negative_index_is_no_device() -> None:
    with torch.cuda.device(-1):
        pass
    with pytest.raises(RuntimeError), torch.cuda.device(0):
        pass


@pytest.mark.parametrize(
    "name", sorted({*AMP, *AMP.values(), *ASKS_FOR_CUDA, *MAP_LOCATION} - {"torch.hub"})
)
def test_the_names_are_there(name: str) -> None:
    assert callable(found(name))


@pytest.mark.parametrize("name", sorted(SETS_RANDOM_STATE))
def test_random_states_are_set_by(name: str) -> None:
    assert callable(found(name))


@pytest.mark.parametrize(("name", "position"), sorted(MAP_LOCATION.items()))
def test_the_position_of_map_location(name: str, position: int) -> None:
    import inspect

    assert list(inspect.signature(found(name)).parameters)[position] == "map_location"


def test_autocast_on_the_cpu_computes_in_bfloat16() -> None:
    one = torch.ones(2, 2)
    with torch.amp.autocast("cpu"):
        assert (one @ one).dtype == torch.bfloat16
    with torch.amp.autocast("cpu", enabled=False):
        assert (one @ one).dtype == torch.float32


@without_cuda
def test_data_parallel_calls_the_module_itself() -> None:
    module, x = torch.nn.Linear(3, 1), torch.ones(2, 3)
    for numbers in ([0], [0, 1], [], None):
        assert torch.equal(torch.nn.DataParallel(module, device_ids=numbers)(x), module(x))


@without_cuda
def test_the_functions_below_it_raise() -> None:
    module, x = torch.nn.Linear(3, 1), torch.ones(2, 3)
    with pytest.raises(RuntimeError):
        torch.nn.parallel.data_parallel(module, x)
    with pytest.raises(AssertionError):
        torch.nn.parallel.replicate(module, [0])
