"""A value that was a Python number before torch 0.4 is now a 0-dim tensor.

## What it does
Adds ``.item()`` to sums, means, maxima … of plain tensors that are added up, printed, returned or
put into a list, to their items that are used as dictionary keys, and to ``x.data[0]`` where ``x``
has one dimension.

## Why
``(predicted == labels).sum()`` was a Python number before torch 0.4 if ``predicted`` and ``labels``
were not ``Variable``. Today it is a 0-dim tensor: sums of it are tensors too, and are printed as
``tensor(42)``; dividing integers gives different digits, and a list of them keeps device memory. A
tensor is never found as a dictionary key: ``KeyError: tensor(2)``.

## Example
```python
_, predicted = torch.max(outputs.data, 1)
correct += (predicted == labels).sum()
print("correct:", correct)
```
becomes
```python
_, predicted = torch.max(outputs.data, 1)
correct += (predicted == labels).sum().item()
print("correct:", correct)
```

Reported only in files that use ``Variable``, for tensors that were definitely not wrapped in it and
have no gradient, and only if the result is not used in a way that needs a tensor. A file without
``volatile=`` or an index of a 0-dim tensor may be newer than torch 0.4: there, the result must also
not be returned, stored or passed on, because other code may expect a tensor. If it may have been a
``Variable``, it is left unchanged.

## Fix safety
Safe if the program fails before with a current torch: the file is Python 2, an earlier statement
raises (``loss.data[0]``), or the tensor is used as a dictionary key. Otherwise unsafe: the program
prints, writes and returns ``42`` instead of ``tensor(42)``.

## References
- https://pytorch.org/blog/pytorch-0_4_0-migration-guide/#support-for-0-dimensional-scalar-tensors
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.item.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, append_call, read_item
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Belief
from devicefix.flow.questions import base_of

_MESSAGE = "this was a Python number before torch 0.4 and is now a 0-dim tensor"
_RAN = "the program still runs, but may print or write different text"


class PlainNumber(Codemod):
    """``correct += (predicted == labels).sum()``."""

    code = "DFX614"
    name = "plain-number"
    local = True
    modernizes = True

    def check(self, context: Context) -> Iterator[Finding]:
        for tree, sure in context.facts.old_numbers.items():
            try:
                edits = _edits(context, tree)
            except EditError as error:
                yield context.finding(self, tree, _MESSAGE, None, str(error))
                continue
            group = f"{self.code}-{context.source.span(tree).end}"
            applicability = Applicability.SAFE if sure else Applicability.UNSAFE
            fix = Fix(edits, applicability, group, early=True)
            yield context.finding(self, tree, _MESSAGE, fix, "" if sure else _RAN)


def _edits(context: Context, tree: ast.expr) -> tuple[Edit, ...]:
    """``.item()`` behind ``tree``; of a tensor of one element it needs no index."""
    if isinstance(tree, ast.Subscript):
        base = base_of(tree.value)
        if base is not tree.value and context.facts.beliefs.get(base, Belief()).single:
            return read_item(context.source, tree, base)
    return append_call(context.source, tree, ".item()")
