"""A value that was a number in old torch is a 0-dim tensor now.

## What it does
Writes ``.item()`` behind sums, means, maxima … of plain tensors that are added up, printed or put
into a list, and behind their items that a dictionary is asked for.

## Why
``(predicted == labels).sum()`` was a number of Python before torch 0.4, where ``predicted`` and
``labels`` were no ``Variable``. Today it is a tensor without dimensions: what is added up is one,
too, and is printed as ``tensor(42)``; division of whole numbers gives other digits, and a list of
them keeps memory of the device. No dictionary finds a tensor: ``KeyError: tensor(2)``.

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

Found only in files that use ``Variable``, of tensors that surely were none, have no gradient, and
of whose sum nothing is asked that only tensors have. Files without ``volatile=`` may be of a later
time: there it must not be returned, kept, or passed on, as others may know it as a tensor. What may
have been a ``Variable``, whose sum was one, stays.

## Fix safety
Safe where the torch of today does not get that far: the file is Python 2, a statement that runs
before raises (``loss.data[0]``), or a dictionary is asked for the tensor. Unsafe elsewhere: what
the program prints, writes and returns is ``42`` after the fix, and was ``tensor(42)``.

## References
- https://pytorch.org/blog/pytorch-0_4_0-migration-guide/#support-for-0-dimensional-scalar-tensors
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.item.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, append_call
from devicefix.findings import Applicability, Finding, Fix

_MESSAGE = "this was a number in old torch and is a 0-dim tensor now"
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
                edits = append_call(context.source, tree, ".item()")
            except EditError as error:
                yield context.finding(self, tree, _MESSAGE, None, str(error))
                continue
            group = f"{self.code}-{context.source.span(tree).end}"
            applicability = Applicability.SAFE if sure else Applicability.UNSAFE
            fix = Fix(edits, applicability, group, early=True)
            yield context.finding(self, tree, _MESSAGE, fix, "" if sure else _RAN)
