"""A module is used but never moved to the device.

## What it does
Finds modules that the program creates and calls but never moves: no ``.to(device)``, no
``.cuda()``, no parent module that is moved. The fix adds ``.to(device)`` after the construction.

## Why
Parameters are created on the CPU. A module that is never moved trains on the CPU, however many
accelerators the machine has, without a warning.

## Example
```python
model = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))
```
becomes
```python
model = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1)).to(device)
```

## Fix safety
The move is one group with everything that it requires: batches, masks and targets are moved too,
and results that NumPy reads are copied back. The whole group is applied, or nothing; it is unsafe
if unanalysed code would receive a moved tensor.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import transfer_advice, transfer_edits, transfer_fix
from devicefix.findings import Finding
from devicefix.flow import Offence


class ModelNeverMoved(Codemod):
    """``net = Net()``, used on data, moved nowhere."""

    code = "DFX101"
    name = "model-never-moved"

    def check(self, context: Context) -> Iterator[Finding]:
        source, facts = context.source, context.facts
        for transfer in facts.of(Offence.MODULE):
            edits = transfer_edits(source, facts, context.settings, transfer)
            name = _class_name(transfer.tree)
            message = f"`{name}` is used but never moved to a device"
            fix = transfer_fix(edits, transfer)
            yield context.finding(self, transfer.tree, message, fix, transfer_advice(transfer))


def _class_name(tree: ast.AST) -> str:
    return ast.unparse(tree.func) if isinstance(tree, ast.Call) else "the module"
