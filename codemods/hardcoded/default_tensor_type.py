"""The default tensor type is a CUDA type.

## What it does
Finds ``torch.set_default_tensor_type("torch.cuda.FloatTensor")`` and
``torch.set_default_tensor_type(torch.cuda.FloatTensor)``. If everything that depends on the default
is known, the default is removed: each factory gets ``device=``, each module is moved. Otherwise it
is put under ``if torch.cuda.is_available():``. Shuffling loaders and ``random_split`` after such a
default (or ``torch.set_default_device``) are reported.

## Why
The type raises an error without CUDA: ``TypeError: type torch.cuda.FloatTensor not available``. It
supports no other accelerator, has been deprecated since torch 2.1, and breaks code that shuffles on
the CPU: ``DataLoader(shuffle=True)`` raises ``Expected a 'cuda' device type for generator but found
'cpu'``. So does ``torch.set_default_device``, which affects neither ``torch.Tensor(3)`` nor other
threads; it is therefore not used as a replacement.

## Example
```python
torch.set_default_tensor_type("torch.cuda.FloatTensor")
model = torch.nn.Linear(3, 1)
print(model(torch.ones(8, 3)).sum())
```
becomes
```python
model = torch.nn.Linear(3, 1).to(device)
print(model(torch.ones(8, 3, device=device)).sum())
```

## Fix safety
Safe. All transfers and the default are one group, applied only if no unanalysed code may rely on
the default. The condition changes nothing with CUDA. Defaults that are already chosen by a
condition are left unchanged; the order of a loader needs your decision, because the generator of a
device needs its own seed.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.set_default_tensor_type.html
- https://docs.pytorch.org/docs/stable/generated/torch.set_default_device.html
- https://github.com/pytorch/pytorch/issues/44714
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, put_below, remove_statement
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import DefaultType


class DefaultTensorType(Codemod):
    """``torch.set_default_tensor_type("torch.cuda.FloatTensor")``."""

    code = "DFX207"
    name = "default-tensor-type"
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for found in context.facts.defaults:
            if not found.guarded:
                yield self._finding(context, found)
        for call in context.facts.shuffled:
            message = (
                "the shuffle order is generated on the CPU, but new tensors are created on another "
                "device by default"
            )
            advice = "pass `generator=torch.Generator(device=...)`, and seed it"
            yield context.finding(self, call, message, None, advice)

    def _finding(self, context: Context, found: DefaultType) -> Finding:
        message = f"the default tensor type `{found.name}` hard-codes CUDA"
        try:
            edits = _edits(context, found)
        except EditError as error:
            return context.finding(self, found.call, message, None, str(error))
        group = found.group or f"{self.code}-{context.source.span(found.call).start}"
        fix = Fix(edits, Applicability.SAFE, group, shared=bool(found.group))
        return context.finding(self, found.call, message, fix)


def _edits(context: Context, found: DefaultType) -> tuple[Edit, ...]:
    statement = context.facts.parents.get(found.call)
    if not isinstance(statement, ast.Expr):
        raise EditError("it is not a separate statement")
    if found.group:
        return (remove_statement(context.source, statement),)
    if not context.facts.torch:
        raise EditError("torch is not imported in this scope")
    condition = f"{context.facts.torch}.cuda.is_available()"
    return put_below(context.source, [statement], condition)[0]
