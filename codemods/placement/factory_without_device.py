"""A tensor is created on the CPU and combined with tensors on the device.

## What it does
Finds factory calls (``torch.zeros``, ``randn``, ``arange``, ``full``, ``tensor``, ``eye`` …) whose
result is combined with device tensors. The fix adds ``device=``: the device variable in scope, or
the device of a tensor in scope (``x.device``, ``next(self.parameters()).device``).

## Why
Factories create CPU tensors by default. Combining one with a device tensor raises ``RuntimeError:
Expected all tensors to be on the same device`` (except for a 0-dim CPU operand of a pointwise
operation). It never "falls back to the CPU".

## Example
```python
mask = torch.ones(x.size(0), x.size(1))
```
becomes
```python
mask = torch.ones(x.size(0), x.size(1), device=x.device)
```

## Fix safety
Safe if all uses of the tensor are known. Calls with a CPU ``generator=``, ``out=`` or unpacked
keywords get a ``.to(device)`` instead. Tensors that a module's ``__init__`` creates, and those of
datasets, collate functions and samplers, are left unchanged: parameters and buffers move with
``.to()``, and worker processes stay on the CPU.

## References
- https://docs.pytorch.org/docs/stable/torch.html#creation-ops
- https://docs.pytorch.org/docs/stable/notes/cuda.html#best-practices
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import transfer_advice, transfer_edits, transfer_fix
from devicefix.findings import Finding
from devicefix.flow import Offence


class FactoryWithoutDevice(Codemod):
    """``torch.zeros(n)`` beside tensors of the device."""

    code = "DFX103"
    name = "factory-without-device"

    def check(self, context: Context) -> Iterator[Finding]:
        source, facts = context.source, context.facts
        for transfer in facts.of(Offence.FACTORY):
            assert isinstance(transfer.tree, ast.Call)
            edits = transfer_edits(source, facts, context.settings, transfer)
            name = ast.unparse(transfer.tree.func)
            message = f"`{name}` creates a CPU tensor that is used on the device"
            fix = transfer_fix(edits, transfer)
            yield context.finding(self, transfer.tree, message, fix, transfer_advice(transfer))
