"""CPU data (NumPy, lists) becomes a tensor and is used on the device without being moved.

## What it does
Finds tensors that are definitely on the CPU (``from_numpy``, ``torch.Tensor(...)``,
``FloatTensor``, samples of a dataset, the results of helpers, lengths that ``pad_packed_sequence``
returns) and that are combined with device tensors. The fix adds ``.to(device)`` to the data, after
its casts and views, or reassigns the names if several are unpacked.

## Why
``from_numpy`` shares memory with a NumPy array: the result is a CPU tensor by definition. The
legacy constructors do not accept the ``device=`` of an accelerator either.

## Example
```python
x = torch.from_numpy(data).float()
```
becomes
```python
x = torch.from_numpy(data).float().to(device)
```

## Fix safety
The transfer comes after the cast: half the bytes are copied, and devices without float64 (MPS)
work. Safe if all uses are known.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html
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


class CpuDataNotMoved(Codemod):
    """``torch.from_numpy(x)`` beside tensors of the device."""

    code = "DFX104"
    name = "cpu-data-not-moved"

    def check(self, context: Context) -> Iterator[Finding]:
        transfers = context.facts.of(Offence.DATA)
        for transfer in transfers:
            if isinstance(transfer.tree, ast.expr):
                yield self._on_expression(context, transfer)
        for group in rebindings([t for t in transfers if isinstance(t.tree, ast.stmt)]):
            edits = rebind_edits(context.source, context.facts, context.settings, group)
            names = ", ".join(f"`{t.name}`" for t in group)
            be = "is" if len(group) == 1 else "are"
            message = f"{names} {be} on the CPU but {be} combined with tensors on the device"
            fix = transfer_fix(edits, group[0])
            span = header(context.source, group[0].tree)
            yield context.finding(self, span, message, fix, transfer_advice(group[0]))

    def _on_expression(self, context: Context, transfer: Transfer) -> Finding:
        edits = transfer_edits(context.source, context.facts, context.settings, transfer)
        message = "CPU data is used on the device but never moved there"
        fix = transfer_fix(edits, transfer)
        return context.finding(self, transfer.tree, message, fix, transfer_advice(transfer))
