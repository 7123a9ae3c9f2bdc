"""One operand is on the CPU, the others are on the device.

## What it does
Finds operations whose operands are on different devices, if the CPU operand has other uses on the
CPU, or cannot be created on the device. The fix moves it where it is used.

## Why
Mixing a CPU and a device tensor raises an error; PyTorch does not compute on the CPU instead (the
only exception is a 0-dim CPU tensor in a pointwise operation). In-place operators do not move
tensors either.

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
Safe if the device of every operand is known. A value that a function modifies in place is never
moved in the call: the change would be lost.

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
            if transfer.keyword and isinstance(transfer.tree, ast.Call):
                text = ast.unparse(transfer.tree.func)
                message = f"`{text}` passes CPU tensors to a module on the device"
            fix = transfer_fix(edits, transfer)
            yield context.finding(self, transfer.tree, message, fix, transfer_advice(transfer))
