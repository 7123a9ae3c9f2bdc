"""A module holds a tensor in a plain attribute, which does not move with the module.

## What it does
Finds tensors that the ``__init__`` of a module creates and stores in ``self``, and that are later
combined with device tensors. The fix makes them buffers, so that ``.to(device)`` moves them too; it
needs no device variable, and is correct for instances on any device.

## Why
``Module.to`` moves parameters, buffers and submodules. A tensor in a plain attribute is none of
them: it stays on the CPU, and ``forward`` raises ``Expected all tensors to be on the same device``.

## Example
```python
self.frequencies = torch.arange(8) * math.pi
```
becomes
```python
self.register_buffer("frequencies", torch.arange(8) * math.pi, persistent=False)
```

## Fix safety
Applied together with the fix that moves the module to the device (see DFX101). ``persistent=False``
keeps the keys of ``state_dict``, so old checkpoints load. A buffer accepts nothing but tensors and
``None``, is cast by ``.half()`` and ``.double()``, and shows in ``.buffers()``: if the program
relies on any of that, if the attribute is set in another way (in another constructor, by unpacking,
before ``super().__init__()``), if it requires a gradient, or if a class handles its attributes
itself, it stays an attribute and is moved where it is used (DFX105).

## References
-
https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
- https://github.com/pytorch/pytorch/issues/18056"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, register_buffer_edits, transfer_advice, transfer_fix
from devicefix.findings import Edit, Finding
from devicefix.flow import Offence, Transfer


class TensorAttribute(Codemod):
    """``self.mask = torch.ones(n)`` in the constructor of a module."""

    code = "DFX106"
    name = "tensor-attribute"

    def check(self, context: Context) -> Iterator[Finding]:
        for transfer in context.facts.of(Offence.BUFFER):
            message = (
                f"`{transfer.name}` is a plain tensor attribute: it does not move with the module"
            )
            fix = transfer_fix(_edits(context, transfer), transfer)
            yield context.finding(self, transfer.tree, message, fix, transfer_advice(transfer))


def _edits(context: Context, transfer: Transfer) -> tuple[Edit, ...]:
    assert isinstance(transfer.tree, ast.stmt)
    if transfer.blocked:
        return ()
    try:
        return register_buffer_edits(context.source, transfer.tree, transfer.name)
    except EditError:
        return ()
