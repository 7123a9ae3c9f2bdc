"""Streams and events of the device: there is one order of execution, the host's, so all are done at
once.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Any

import torch

from devicefix.simulator.accelerator import Accelerator


class Event:
    """Stands for `torch.cuda.Event`. Times are the host's clock, in milliseconds."""

    def __init__(
        self,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        **_: Any,
    ):
        self._timing = enable_timing
        self._recorded: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        self._recorded = time.perf_counter()

    def elapsed_time(self, end_event: Event) -> float:
        if not (self._timing and end_event._timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._recorded is None or end_event._recorded is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._recorded - self._recorded) * 1e3

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        """Nothing is under way."""

    def wait(self, stream: Stream | None = None) -> None:
        """Nothing is under way."""


class Stream:
    """Stands for `torch.cuda.Stream`."""

    _next_id = 1
    accelerator: Accelerator

    def __init__(
        self, device: Any = None, priority: int = 0, stream_id: int | None = None, **_: Any
    ) -> None:
        index = self.accelerator.index(device)
        self.device = self.accelerator.devices[index]
        self.device_index = index
        self.priority = priority
        self.stream_id = _new_id() if stream_id is None else stream_id
        self.cuda_stream = self.stream_id
        self.sycl_queue = self.stream_id

    def synchronize(self) -> None:
        """Nothing is under way."""

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def wait_stream(self, stream: Stream) -> None:
        """Nothing is under way."""

    def wait_event(self, event: Event) -> None:
        """Nothing is under way."""

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self.device, self.stream_id) == (
            other.device,
            other.stream_id,
        )

    def __hash__(self) -> int:
        return hash((self.device, self.stream_id))

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave it."""


def _new_id() -> int:
    Stream._next_id += 1
    return Stream._next_id


class _Current(threading.local):
    """The stream that each device works on, in each thread."""

    def __init__(self) -> None:
        self.streams: dict[int, Stream] = {}

    def of(self, device: Any) -> Stream:
        """The stream of ``device``; the default stream, number 0, if none was chosen."""
        index = Stream.accelerator.index(device)
        return self.streams.get(index) or Stream(index, stream_id=0)

    def choose(self, stream: Stream) -> None:
        """Let ``stream`` be the one of its device, and its device the current one."""
        self.streams[stream.device_index] = stream
        Stream.accelerator.current.set(stream.device_index)


CURRENT = _Current()


class StreamContext:
    """Stands for `torch.cuda.StreamContext`: the stream and its device are current inside."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> Stream | None:
        if self.stream is not None:
            self._index = self.stream.accelerator.current.get()
            self._before = CURRENT.of(self.stream.device_index)
            CURRENT.choose(self.stream)
        return self.stream

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.stream is not None:
            CURRENT.choose(self._before)
            self.stream.accelerator.current.set(self._index)


def install(accelerator: Accelerator) -> None:
    """Let torch's helpers take these for streams and events (torch/_streambase.py until 2.5)."""
    Stream.accelerator = accelerator
    bases = getattr(torch, "_streambase", None)
    for name, kind in (("_StreamBase", Stream), ("_EventBase", Event)):
        base = getattr(bases, name, None)
        if base is not None and hasattr(base, "register"):
            base.register(kind)
    tensor: Any = torch.Tensor
    tensor.record_stream = _record_stream


def _record_stream(tensor: torch.Tensor, stream: Any) -> None:
    """`Tensor.record_stream`, whose parser takes only native streams: memory is never reused under
    a stream.
    """
