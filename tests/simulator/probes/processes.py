"""Processes: forks, spawned children, and workers of loaders."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable

import torch
from expectations import HOST, afresh, placed, raises, same
from torch.utils.data import DataLoader, Dataset


def _in_fork(work: Callable[[], object]) -> object:
    """What ``work`` gives in a forked child, or the type and message of its error."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = work()
        except BaseException as error:
            said = [type(error).__name__, str(error)]
        os.write(writing, json.dumps(said).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as results:
        data = results.read()
    os.waitpid(child, 0)
    return json.loads(data)


_REFUSED = (
    "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must "
    "use the 'spawn' start method"
)


class _Places(Dataset[str]):
    """Tells where a tensor is that a worker makes."""

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> str:
        return str(torch.ones(2, device=self.device).sum().device)


class _Squares(Dataset[torch.Tensor]):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.tensor(float(index)) ** 2


def a_fork_cannot_use_the_device(device: torch.device) -> None:
    """A child forked after the device was used raises when it makes or moves a tensor there.

    Source: torch/cuda/__init__.py, `_lazy_init`: "Cannot re-initialize CUDA in forked subprocess".
    """
    torch.ones(1, device=device)
    for work in (
        lambda: torch.ones(1, device=device).item(),
        lambda: torch.ones(1).to(device).item(),
        lambda: torch.ones(1).cuda().item(),
        lambda: torch.nn.Linear(1, 1).to(device).bias.item(),
    ):
        assert _in_fork(work) == ["RuntimeError", _REFUSED]


def a_fork_can_use_the_host(device: torch.device) -> None:
    """A child forked after the device was used works with CPU tensors, and its parent goes on.

    Source: torch docs, "Multiprocessing best practices"; torch/utils/data: workers are forks.
    """
    here = torch.ones(2, device=device)
    assert _in_fork(lambda: (torch.ones(2) * 3).sum().item()) == 6.0
    same(here + 1, [2.0, 2.0])


def workers_of_a_loader_stay_on_the_host(device: torch.device) -> None:
    """Workers deliver CPU batches while the parent computes on the device.

    Source: torch docs, `torch.utils.data`, "Multi-process data loading".
    """
    scale = torch.tensor(2.0, device=device)
    total = 0.0
    for batch in DataLoader(_Squares(), batch_size=2, num_workers=2):
        placed(HOST, batch)
        total += (batch.to(device) * scale).sum().item()
    assert total == 28.0


def a_worker_that_uses_the_device_is_refused(device: torch.device) -> None:
    """A Dataset that makes device tensors raises in a forked worker; the parent gets the error.

    Source: torch/cuda/__init__.py, `_lazy_init`; torch/_utils.py, `ExceptionWrapper.reraise`.
    """
    torch.ones(1, device=device)
    loader = DataLoader(_Places(device), num_workers=1, multiprocessing_context="fork")
    with raises(RuntimeError, _REFUSED):
        list(loader)
    with raises(RuntimeError, "Caught RuntimeError in DataLoader worker process 0"):
        list(loader)


def a_pinning_loader_with_workers(device: torch.device) -> None:
    """With ``pin_memory=True`` a thread of the parent pins what the workers deliver.

    Source: torch/utils/data/_utils/pin_memory.py, `_pin_memory_loop`.
    """
    loader = DataLoader(_Squares(), batch_size=2, num_workers=1, pin_memory=True)
    batches = [batch.to(device, non_blocking=True) for batch in loader]
    placed(device, *batches)
    same(torch.cat(batches), [0.0, 1.0, 4.0, 9.0])


def a_bad_fork_is_known(device: torch.device) -> None:
    """In a child forked after use `torch.cuda.is_available` still answers, and
    ``torch.cuda._is_in_bad_fork`` says yes.

    Source: torch/csrc/cuda/Module.cpp, `THCPModule_isInBadFork`; test/test_cuda.py.
    """
    torch.ones(1, device=device)
    assert _in_fork(lambda: torch.cuda._is_in_bad_fork()) is True
    assert torch.cuda._is_in_bad_fork() is False
    assert multiprocessing.get_start_method(allow_none=True) in (None, "fork", "forkserver")


_FORKING = """
import os, torch
def child():
    number = os.fork()
    if number == 0:
        try:
            torch.ones(1, device="cuda").item()
        except RuntimeError:
            os._exit(3)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
torch.cuda.manual_seed(1)
print(torch.cuda.is_initialized(), torch.cuda.device_count() > 0, child())
torch.cuda.is_available()
print(torch.cuda.is_initialized(), child())
torch.ones(1, device="cuda")
print(torch.cuda.is_initialized(), child())
"""


def a_fork_before_any_use_may_use_the_device(device: torch.device) -> None:
    """A process that has seeded the device and counted it may fork children that use it; once it
    has asked `is_available` or used the device, it may not.

    Source: torch/csrc/cuda/Module.cpp, `THCPModule_getDeviceCount_wrap`
    (``register_fork_handler_for_device_init``); torch/cuda/__init__.py, `is_available`,
    `device_count` (which asks NVML), `is_initialized`.
    """
    assert afresh(_FORKING).split("\n") == ["False True 0", "False 3", "True 3"]
