"""One operand is on the CPU, the others are on the device.

## What it does
Finds operations whose operands live in different places, where the CPU operand has other uses on
the CPU, or cannot be made elsewhere. The fix transfers it at the use.

## Why
PyTorch does not choose for you: mixing a CPU and a device tensor raises, it does not compute on the
CPU (a 0-dim CPU tensor in a pointwise operation is the one exception). In-place operators do not
move tensors either.

## Example
```python
restored = model(images.to(device))
error = (restored - images).abs().mean()
```
becomes
```python
restored = model(images.to(device))
error = (restored - images.to(device)).abs().mean()
```

## Fix safety
Safe where the place of every operand is known. A value that a function writes in place is never
transferred on its way in: the write would be lost.

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import transfer_advice, transfer_edits, transfer_fix
from devicefix.findings import Finding
from devicefix.flow import Offence


class OperandsOnTwoDevices(Codemod):
    """``device_tensor + host_tensor``."""

    code = "DFX105"
    name = "operands-on-two-devices"

    def check(self, context: Context) -> Iterator[Finding]:
        for transfer in context.facts.of(Offence.OPERAND):
            edits = transfer_edits(context.source, context.facts, context.settings, transfer)
            text = ast.unparse(transfer.tree)
            places = "the CPU", "the device"
            here, there = places[::-1] if transfer.device is None else places
            message = f"`{text}` is on {here} but is combined with tensors on {there}"
            fix = transfer_fix(edits, transfer)
            yield context.finding(self, transfer.tree, message, fix, transfer_advice(transfer))
