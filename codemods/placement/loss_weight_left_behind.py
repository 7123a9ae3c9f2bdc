"""The weights of a loss are on the CPU, but the loss runs on the device.

## What it does
Finds tensors that are given to a loss as ``weight`` or ``pos_weight`` (``nn.CrossEntropyLoss``,
``nn.NLLLoss``, ``nn.BCEWithLogitsLoss``, ``F.cross_entropy`` …) and used nowhere else, while the
loss is called on device tensors. The fix creates the weight on the device, or moves it where it is
passed to the loss.

## Why
A loss module keeps its weight as a buffer. Few programs move their criterion, because most losses
have nothing to move; with a weight the call raises ``Expected all tensors to be on the same
device``.

## Example
```python
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 4.0]))
```
becomes
```python
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 4.0], device=device))
```

## Fix safety
Applied together with the fix that moves the model to the device (see DFX101). A loss that the
program moves (``criterion.to(device)``), or that is part of a module that is moved, moves its
weight as well and is not reported. A tensor that is also used elsewhere is reported by DFX103,
DFX104 or DFX105.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import transfer_advice, transfer_edits, transfer_fix
from devicefix.findings import Finding
from devicefix.flow import Offence


class LossWeightLeftBehind(Codemod):
    """``nn.CrossEntropyLoss(weight=w)`` with w on the host."""

    code = "DFX108"
    name = "loss-weight-left-behind"

    def check(self, context: Context) -> Iterator[Finding]:
        source, facts = context.source, context.facts
        for transfer in facts.of(Offence.LOSS):
            edits = transfer_edits(source, facts, context.settings, transfer)
            text = ast.unparse(transfer.tree)
            message = f"the loss weights `{text}` are on the CPU, but the loss runs on the device"
            fix = transfer_fix(edits, transfer)
            yield context.finding(self, transfer.tree, message, fix, transfer_advice(transfer))
