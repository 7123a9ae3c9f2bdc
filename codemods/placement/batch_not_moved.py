"""A batch from a DataLoader is combined with tensors on the device without being moved.

## What it does
Finds loops over a ``DataLoader`` (also through ``enumerate``, ``zip``, ``tqdm``) whose batches, or
parts of them, are combined with a module or tensors on the device. The fix moves those names in one
statement at the top of the loop body. Parts that only the CPU uses (lengths for
``pack_padded_sequence``, labels that only NumPy reads) stay where they are, and so does the
dataset: worker processes cannot use the device.

## Why
A ``DataLoader`` yields CPU tensors, pinned or not. ``pin_memory=True`` makes the transfer faster,
but does not do it.

## Example
```python
for inputs, targets in loader:
    loss = criterion(model(inputs), targets)
```
becomes
```python
for inputs, targets in loader:
    inputs, targets = inputs.to(device), targets.to(device)
    loss = criterion(model(inputs), targets)
```

## Fix safety
Applied together with the fix that moves the model to the device (see DFX101).

## References
- https://docs.pytorch.org/docs/stable/data.html#memory-pinning
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    header,
    rebind_edits,
    rebindings,
    transfer_advice,
    transfer_edits,
    transfer_fix,
)
from devicefix.findings import Finding
from devicefix.flow import Offence, Transfer


class BatchNotMoved(Codemod):
    """``for x, y in loader:`` with x and y used where the model is."""

    code = "DFX102"
    name = "batch-not-moved"

    def check(self, context: Context) -> Iterator[Finding]:
        source, facts = context.source, context.facts
        found = facts.of(Offence.BATCH)
        for transfer in found:
            if isinstance(transfer.tree, ast.expr):
                yield self._on_expression(context, transfer)
        for transfers in rebindings([t for t in found if isinstance(t.tree, ast.stmt)]):
            edits = rebind_edits(source, facts, context.settings, transfers)
            names = ", ".join(f"`{t.name}`" for t in transfers)
            message = (
                f"the batch ({names}) is on the CPU but is combined with tensors on the device"
            )
            span = header(source, transfers[0].tree)
            fix = transfer_fix(edits, transfers[0])
            yield context.finding(self, span, message, fix, transfer_advice(transfers[0]))

    def _on_expression(self, context: Context, transfer: Transfer) -> Finding:
        """``x = batch["x"]``: the part is moved where it gets its name."""
        edits = transfer_edits(context.source, context.facts, context.settings, transfer)
        text = context.source.segment(transfer.tree)
        message = (
            f"`{text}` (part of a batch) is on the CPU but is combined with tensors on the device"
        )
        fix = transfer_fix(edits, transfer)
        return context.finding(self, transfer.tree, message, fix, transfer_advice(transfer))
