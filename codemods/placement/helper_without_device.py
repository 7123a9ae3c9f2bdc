"""A helper creates a tensor for the device, but has no way to know which device.

## What it does
Finds hidden states, masks, positions and other tensors that a function creates for device tensors
of its callers, if nothing in the function knows the device: no tensor, module or attribute. The fix
gives the function a parameter ``device=None``, uses it, and passes the device in every call, also
in other files and through intermediate functions.

## Why
The helper creates a CPU tensor, and the error is raised where its result is used, possibly in
another file: ``RuntimeError: Expected all tensors to be on the same device``. A device that is
fixed in the helper would be wrong for the next caller.

## Example
```python
def causal_mask(n):
    return torch.ones(n, n).tril()


scores = scores * causal_mask(scores.size(-1))
```
becomes
```python
def causal_mask(n, device=None):
    return torch.ones(n, n, device=device).tril()


scores = scores * causal_mask(scores.size(-1), device=scores.device)
```

## Fix safety
Safe if all uses of the tensor are known: callers that pass no device get the same as before.
Functions whose calls are not all known (they are overridden, stored, or passed to unanalysed code),
or that already have a parameter of that name, are left unchanged.

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


class HelperWithoutDevice(Codemod):
    """``def mask(n): return torch.ones(n)`` for tensors of the device."""

    code = "DFX107"
    name = "helper-without-device"

    def check(self, context: Context) -> Iterator[Finding]:
        source, facts = context.source, context.facts
        for transfer in facts.of(Offence.HELPER):
            edits = transfer_edits(source, facts, context.settings, transfer)
            maker = transfer.tree.func if isinstance(transfer.tree, ast.Call) else transfer.tree
            message = (
                f"`{ast.unparse(maker)}` creates a CPU tensor, but the callers use it on the device"
            )
            fix = transfer_fix(edits, transfer)
            yield context.finding(self, transfer.tree, message, fix, transfer_advice(transfer))
