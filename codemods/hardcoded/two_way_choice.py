"""A device selection considers only CUDA and the CPU.

## What it does
Reports where a program chooses CUDA if it is available, and otherwise the CPU. Runs only if DFX211
is selected by its code or name, and changes nothing: which accelerators a program supports is your
decision.

## Why
On a machine with MPS or XPU the program computes on the CPU, without a warning.

## Example
```python
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
```
With torch 2.7 and later this takes any accelerator:
```python
device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
```
``style = "accelerator"`` in ``[tool.devicefix]`` has devicefix write that (DFX213).

## Fix safety
There is no fix: not every operation exists on every accelerator, MPS has no float64, and results
differ in their last digits.

## References
- https://docs.pytorch.org/docs/stable/accelerator.html
- https://docs.pytorch.org/docs/stable/notes/mps.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.findings import Finding


class TwoWayChoice(Codemod):
    """``"cuda" if torch.cuda.is_available() else "cpu"``."""

    code = "DFX211"
    name = "two-way-choice"
    ports = True
    on_request = True
    only_reports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for tree in context.facts.choices:
            message = "this device selection considers only CUDA and the CPU"
            call = "torch.accelerator.current_accelerator(check_available=True)"
            advice = f"{call} returns whichever accelerator is available (torch 2.7 or later)"
            yield context.finding(self, tree, message, None, advice)
