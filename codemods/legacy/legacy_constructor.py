"""A tensor needed on the device is created with a legacy CPU constructor.

## What it does
If ``torch.FloatTensor(...)`` creates a tensor that has to be moved at once, it becomes a factory
that accepts a device: sizes go to ``torch.empty`` (``torch.zeros`` where ``.zero_()`` follows,
``torch.ones`` where ``.fill_(1)`` does), lists and arrays to ``torch.tensor``, with the dtype of
the type; ``range`` to ``torch.arange``. The transfer is then ``device=`` (DFX103).

## Why
The CPU types create tensors on the CPU only; they accept sizes or data, and the call does not show
which.

## Example
```python
counts = torch.LongTensor(batch_size, 3).zero_()
weights = torch.FloatTensor([0.4, 0.6])
```
becomes
```python
counts = torch.zeros(batch_size, 3, dtype=torch.int64, device=device)
weights = torch.tensor([0.4, 0.6], device=device)
```

## Fix safety
Safe: the same values in the same type. If the argument may be a size or data, or a tensor, the call
is left unchanged; so it is if nothing has to be moved: the types still work. The content of
``torch.empty`` is as arbitrary as that of the type.

## References
- https://docs.pytorch.org/docs/stable/tensors.html
- https://docs.pytorch.org/docs/stable/generated/torch.empty.html
- https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, as_factory, constructor_of, dtype_of
from devicefix.findings import Applicability, Finding, Fix
from devicefix.flow import Transfer


class LegacyConstructor(Codemod):
    """``torch.FloatTensor(2, 3)``."""

    code = "DFX605"
    name = "legacy-constructor"
    local = True

    def check(self, context: Context) -> Iterator[Finding]:
        for transfer in context.facts.transfers:
            found = _made_by_type(context, transfer)
            if found is None:
                continue
            try:
                edits = as_factory(
                    context.source, context.facts, found, dtype_of(context.facts, found)
                )
            except EditError:
                continue  # the transfer is written behind it
            message = f"`{ast.unparse(found.func)}` creates CPU tensors only"
            group = f"{self.code}-{context.source.span(found).start}"
            fix = Fix(edits, Applicability.SAFE, group, early=True)
            yield context.finding(self, found, message, fix)


def _made_by_type(context: Context, transfer: Transfer) -> ast.Call | None:
    """The call of a type at the start of what is moved: ``torch.LongTensor(3).zero_()``."""
    if transfer.keyword or transfer.device is None or transfer.blocked or transfer.unsafe:
        return None
    return constructor_of(context.facts, transfer.tree)
