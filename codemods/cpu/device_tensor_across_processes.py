"""A tensor or module on the device is sent to another process.

## What it does
Finds device tensors among the arguments of ``Process``, pools, queues and pipes of
``multiprocessing`` (``torch.multiprocessing`` is the same), and loaders with workers whose dataset
or collate function holds or makes device tensors. Programs that start their processes by ``spawn``
or ``forkserver`` are not reported, except for loader workers.

An argument of ``queue.put`` is copied to the CPU there by DFX401.

## Why
A forked process cannot use the device: ``RuntimeError: Cannot re-initialize CUDA in forked
subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method``. With
``spawn`` it works, but the sender has to keep the tensor until the receiver is done. On the CPU the
problem does not show: such tensors are in shared memory.

## Example
```python
images = torch.rand(100, 3, 32, 32).to(device)
loader = DataLoader(TensorDataset(images), batch_size=10, num_workers=2)
for (x,) in loader:
    model(x)
```
Use instead:
```python
images = torch.rand(100, 3, 32, 32)
loader = DataLoader(TensorDataset(images), batch_size=10, num_workers=2)
for (x,) in loader:
    model(x.to(device))
```

## Fix safety
There is no fix: keep the data on the CPU and move it where it is used, or start processes by
``spawn``.

## References
- https://docs.pytorch.org/docs/stable/notes/multiprocessing.html
- https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from devicefix.codemod import Codemod, Context
from devicefix.findings import Applicability, Finding, Fix

_MESSAGES: Final = {
    "process": "a tensor on the device is sent to another process",
    "workers": "DataLoader workers create or receive tensors on the device",
}
_ADVICE: Final = {
    "process": "send a CPU copy, or start processes with `spawn`",
    "workers": "keep the data on the CPU and move its batches, or use `num_workers=0`",
}


class DeviceTensorAcrossProcesses(Codemod):
    """``queue.put(device_tensor)``."""

    code = "DFX404"
    name = "device-tensor-across-processes"
    only_reports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for crossing in context.facts.crossings:
            if crossing.how not in _MESSAGES:
                continue
            group = f"{self.code}-{context.source.span(crossing.tree).start}"
            fix = Fix((), Applicability.DISPLAY, group)
            message, advice = _MESSAGES[crossing.how], _ADVICE[crossing.how]
            yield context.finding(self, crossing.tree, message, fix, advice)
