"""The clock is read before the device has finished its work.

## What it does
Finds, in programs that put something on a device, differences of two readings of a clock
(``time.time()``, ``time.perf_counter()``, ``time.monotonic()``, ``timeit.default_timer()``,
``datetime.now()``) with work for the device between them, where nothing waits between the two: no
``synchronize``, no ``.item()``, no copy between CPU and device, no printed tensor, no call of
unanalysed code. If anything between them may wait, nothing is reported.

## Why
The CPU only queues work for the device and continues. The measured time is that of launching the
kernels, not of running them. On the CPU the same lines measure the work.

## Example
```python
start = time.perf_counter()
output = model(images)
print(time.perf_counter() - start)
```
is right as
```python
torch.accelerator.synchronize()
start = time.perf_counter()
output = model(images)
torch.accelerator.synchronize()
print(time.perf_counter() - start)
```
(``torch.cuda.synchronize()`` before torch 2.6; both raise where there is no accelerator). What
``torch.utils.benchmark`` and ``torch.cuda.Event(enable_timing=True)`` measure needs none of that.

## Fix safety
There is no fix: waiting slows the program down, and only you know whether the number is meant as a
measurement.

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
- https://docs.pytorch.org/docs/stable/benchmark_utils.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.findings import Finding


class ClockReadTooEarly(Codemod):
    """``time.time() - start`` behind ``model(x)``."""

    code = "DFX406"
    name = "clock-read-too-early"
    only_reports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for timing in context.facts.timings:
            line = getattr(timing.work, "lineno", 0)
            message = f"the clock is read before the device has finished the work of line {line}"
            advice = "call `synchronize` before each time the clock is read"
            yield context.finding(self, timing.difference, message, None, advice)
