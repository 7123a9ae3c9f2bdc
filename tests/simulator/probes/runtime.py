"""What ``torch.cuda`` and ``torch.accelerator`` return: devices, streams, events, memory."""

from __future__ import annotations

import threading

import torch
from expectations import HOST, another, needs, placed, raises, same


def the_device_is_there(device: torch.device) -> None:
    """`is_available`, `device_count`, `current_device`, names and properties.

    Source: torch/cuda/__init__.py; test/test_cuda.py.
    """
    assert torch.cuda.is_available() is True
    assert torch.cuda.device_count() >= 1
    assert torch.cuda.current_device() == 0
    assert isinstance(torch.cuda.get_device_name(device), str)
    major, minor = torch.cuda.get_device_capability(device)
    assert isinstance(major, int)
    assert isinstance(minor, int)
    properties = torch.cuda.get_device_properties(device)
    assert properties.total_memory > 0
    assert properties.multi_processor_count > 0
    torch.cuda.init()
    assert torch.cuda.is_initialized()


def a_device_without_index_is_the_current_one(device: torch.device) -> None:
    """``torch.device("cuda")`` has no index, a tensor made there has one.

    Source: torch docs, `torch.device`: "the current device".
    """
    assert torch.device("cuda").index is None
    assert torch.device("cuda", 0) == torch.device("cuda:0") == device
    assert torch.ones(1, device="cuda").device == device
    assert torch.ones(1, device=0).device == device
    assert torch.ones(1).to("cuda").device == device
    assert torch.ones(1).cuda().device == device
    assert torch.ones(1).cuda(device).device == device
    assert torch.ones(1).to(0).device == device


def a_device_that_is_missing_is_refused(device: torch.device) -> None:
    """A tensor on a device beyond the last raises "invalid device ordinal".

    Source: c10/cuda/CUDAException.h (cudaErrorInvalidDevice); test/test_cuda.py. It is an
    AcceleratorError, a RuntimeError, from 2.8 on.
    """
    missing = torch.device("cuda", torch.cuda.device_count())
    for use in (
        lambda: torch.ones(1, device=missing),
        lambda: torch.ones(1).to(missing),
        lambda: torch.ones(1).cuda(missing.index),
        lambda: torch.nn.Linear(1, 1).to(missing),
    ):
        with raises(RuntimeError, "CUDA error: invalid device ordinal"):
            use()


def a_missing_device_is_not_made_current(device: torch.device) -> None:
    """``torch.cuda.set_device`` beyond the last raises "invalid device ordinal", and properties
    of it are refused.

    Source: torch/cuda/__init__.py, `set_device`, `get_device_properties`: "Invalid device id".
    """
    count = torch.cuda.device_count()
    try:
        with raises(RuntimeError, "CUDA error: invalid device ordinal"):
            torch.cuda.set_device(count)
    finally:
        torch.cuda.set_device(device)
    with raises(AssertionError, "Invalid device id"):
        torch.cuda.get_device_properties(count)
    assert torch.cuda.current_device() == 0


def the_current_device_can_be_changed(device: torch.device) -> None:
    """``with torch.cuda.device(1)`` and `set_device` decide where ``"cuda"`` is.

    Source: torch/cuda/__init__.py, `class device`, `device_of`; test/test_cuda_multigpu.py.
    """
    other = another(device)
    with torch.cuda.device(other):
        assert torch.cuda.current_device() == other.index
        made = torch.ones(1, device="cuda")
        placed(other, made, torch.ones(1).cuda(), torch.ones(1).to("cuda"))
        assert made.to("cuda") is made
    assert torch.cuda.current_device() == device.index
    with torch.cuda.device_of(made):
        assert torch.cuda.current_device() == other.index
    placed(device, made.to("cuda"), made.cuda())


def a_device_is_set_for_good(device: torch.device) -> None:
    """After ``torch.cuda.set_device(1)`` tensors and modules are made there.

    Source: torch/cuda/__init__.py, `set_device`; test/test_cuda_multigpu.py.
    """
    other = another(device)
    torch.cuda.set_device(other)
    try:
        assert torch.cuda.current_device() == other.index
        placed(other, torch.ones(1, device="cuda"), torch.nn.Linear(1, 1).cuda().weight)
    finally:
        torch.cuda.set_device(device)
    assert torch.cuda.current_device() == device.index


def results_follow_operands_not_the_current_device(device: torch.device) -> None:
    """Operations on tensors of another device run there, whatever the current device is.

    Source: torch docs, "CUDA semantics": "the result will be always placed on the same device".
    """
    other = another(device)
    there = torch.ones(2, device=other)
    placed(other, there + 1, torch.zeros_like(there), there @ there, there.clone())
    assert torch.cuda.current_device() == device.index


def tensors_cross_between_devices(device: torch.device) -> None:
    """`to`, `cuda` and `copy_` carry tensors, values and gradients from device to device.

    Source: aten/src/ATen/native/cuda/Copy.cu; test/test_cuda_multigpu.py, `test_copy_device`.
    """
    other = another(device)
    leaf = torch.tensor([1.0, 2.0], device=device, requires_grad=True)
    there = leaf.to(other)
    placed(other, there, leaf.cuda(other.index))
    (there * 3).sum().backward()
    placed(device, leaf.grad)
    same(leaf.grad, [3.0, 3.0])
    back = torch.zeros(2, device=device).copy_(there)
    placed(device, back)
    same(back, [1.0, 2.0])


def streams_are_contexts(device: torch.device) -> None:
    """Work may be put on a stream, streams wait for one another, and know their device.

    Source: torch docs, "CUDA semantics", "CUDA streams"; torch/cuda/streams.py.
    """
    stream = torch.cuda.Stream(device)
    assert stream.device == device
    before = torch.cuda.current_stream()
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream
        here = torch.ones(2, device=device) + 1
    assert torch.cuda.current_stream() == before
    before.wait_stream(stream)
    stream.synchronize()
    torch.cuda.synchronize(device)
    assert stream.query() is True
    here.record_stream(before)
    same(here, [2.0, 2.0])
    assert torch.cuda.default_stream(device) == before


def events_measure_time(device: torch.device) -> None:
    """Two recorded events give a time in milliseconds; a stream can wait for one.

    Source: torch/cuda/streams.py, `Event.elapsed_time`.
    """
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    torch.ones(2, device=device) + 1
    end.record()
    end.synchronize()
    assert end.query() is True
    elapsed = start.elapsed_time(end)
    assert isinstance(elapsed, float)
    assert elapsed >= 0
    torch.cuda.current_stream().wait_event(end)


def memory_is_counted_in_bytes(device: torch.device) -> None:
    """`memory_allocated` and its kin give ints, `mem_get_info` two, and the reset and clearing
    functions nothing.

    Source: torch/cuda/memory.py.
    """
    here = torch.ones(1024, device=device)
    for count in (
        torch.cuda.memory_allocated(),
        torch.cuda.memory_allocated(device),
        torch.cuda.max_memory_allocated(),
        torch.cuda.memory_reserved(),
        torch.cuda.max_memory_reserved(device),
    ):
        assert isinstance(count, int)
        assert count >= 0
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total
    assert torch.cuda.empty_cache() is None
    assert torch.cuda.reset_peak_memory_stats() is None
    assert isinstance(torch.cuda.memory_stats(), dict)
    assert isinstance(torch.cuda.memory_summary(), str)
    placed(device, here)


def the_accelerator_is_the_device(device: torch.device) -> None:
    """`torch.accelerator` names the kind of device and counts it.

    Source: torch/accelerator/__init__.py (from 2.6 on); test/test_accelerator.py.
    """
    needs((2, 6), "torch.accelerator")
    assert torch.accelerator.is_available()
    assert torch.accelerator.device_count() == torch.cuda.device_count()
    current = torch.accelerator.current_accelerator()
    assert current is not None
    assert current.type == device.type
    torch.accelerator.synchronize()
    placed(device, torch.ones(1, device=current.type))


def the_accelerator_tells_of_its_memory(device: torch.device) -> None:
    """`torch.accelerator.get_memory_info` gives what `torch.cuda.mem_get_info` does.

    Source: torch/accelerator/memory.py (from 2.10 on).
    """
    needs((2, 10), "torch.accelerator.get_memory_info")
    free, total = torch.accelerator.get_memory_info()
    assert 0 < free <= total
    assert total == torch.cuda.mem_get_info()[1]


def the_accelerator_has_a_current_device(device: torch.device) -> None:
    """Its index is that of ``torch.cuda``, and can be changed.

    Source: torch/accelerator/__init__.py: `current_device_idx` in 2.6, `current_device_index` and
    `set_device_index` from 2.7 on.
    """
    needs((2, 7), "torch.accelerator.current_device_index")
    assert torch.accelerator.current_device_index() == torch.cuda.current_device()
    other = another(device)
    torch.accelerator.set_device_index(other.index)
    try:
        assert torch.cuda.current_device() == other.index
    finally:
        torch.accelerator.set_device_index(device.index)


def every_thread_has_a_current_device(device: torch.device) -> None:
    """`set_device` in a thread does not change the current device of another; new threads begin
    with the first.

    Source: CUDA runtime: the current device belongs to the thread; test/test_cuda_multigpu.py.
    """
    other = another(device)
    seen: list[object] = []

    def work() -> None:
        seen.append(torch.cuda.current_device())
        torch.cuda.set_device(other)
        seen.append(torch.ones(1, device="cuda").device)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [0, other]
    assert torch.cuda.current_device() == device.index


def threads_share_device_tensors(device: torch.device) -> None:
    """Tensors made and changed in threads are the same memory; errors are raised in the thread.

    Source: torch docs, "CUDA semantics"; the checks are part of every call.
    """
    shared, errors = torch.zeros(4, device=device), list[BaseException]()

    def work(index: int) -> None:
        shared[index] = index
        try:
            shared + torch.ones(4)
        except RuntimeError as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same(shared, [0.0, 1.0, 2.0, 3.0])
    assert len(errors) == 4


def switches_can_be_set(device: torch.device) -> None:
    """The switches of the backends exist and take values.

    Source: torch/backends/cuda/__init__.py, torch/backends/cudnn/__init__.py.
    """
    for switch in (
        (torch.backends.cudnn, "benchmark"),
        (torch.backends.cudnn, "deterministic"),
        (torch.backends.cudnn, "enabled"),
        (torch.backends.cuda.matmul, "allow_tf32"),
    ):
        before = getattr(*switch)
        setattr(*switch, not before)
        assert getattr(*switch) is not before
        setattr(*switch, before)
    assert torch.backends.cuda.is_built()
    placed(HOST, torch.ones(1))


def labels_for_profilers_do_nothing_else(device: torch.device) -> None:
    """NVTX ranges and profiler labels can be put around device work.

    Source: torch/cuda/nvtx.py (needs a CUDA build on the real machine); torch/profiler.
    """
    with torch.profiler.record_function("work"):
        here = torch.ones(2, device=device) * 2
    same(here, [2.0, 2.0])
