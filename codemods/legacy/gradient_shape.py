"""A 0-dim tensor is given a gradient with one dimension.

## What it does
Takes the only element of the gradient: ``loss.backward(one)`` becomes ``loss.backward(one[0])``, if
``loss`` definitely has no dimension and ``one`` definitely has one.

## Why
Losses, sums and means were of shape ``[1]`` before torch 0.4, and so were their gradients. Today
they have no dimension, and a gradient has to have the shape of its tensor: ``RuntimeError: Mismatch
in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] has a shape of
torch.Size([]).``

## Example
```python
one = torch.FloatTensor([1])
critic(real).mean().backward(one)
```
becomes
```python
one = torch.FloatTensor([1])
critic(real).mean().backward(one[0])
```

## Fix safety
Safe: the call raises. It is left unchanged if the dimensions of the tensor or of the gradient are
not known.

## References
- https://pytorch.org/blog/pytorch-0_4_0-migration-guide/#support-for-0-dimensional-scalar-tensors
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, append_call
from devicefix.findings import Applicability, Finding, Fix
from devicefix.flow import Belief
from devicefix.flow.questions import gradient_of

_MESSAGE = "a 0-dim tensor cannot take a gradient with one dimension"


class GradientShape(Codemod):
    """``loss.backward(one)``."""

    code = "DFX617"
    name = "gradient-shape"
    local = True
    modernizes = True

    def check(self, context: Context) -> Iterator[Finding]:
        beliefs = context.facts.beliefs
        for call in context.source.of_type(ast.Call):
            asked = gradient_of(call)
            if asked is None:
                continue
            tensor, gradient = asked
            if beliefs.get(tensor, Belief()).scalar and beliefs.get(gradient, Belief()).flat:
                yield self._finding(context, gradient)

    def _finding(self, context: Context, gradient: ast.expr) -> Finding:
        try:
            edits = append_call(context.source, gradient, "[0]")
        except EditError as error:
            return context.finding(self, gradient, _MESSAGE, None, str(error))
        group = f"{self.code}-{context.source.span(gradient).end}"
        fix = Fix(edits, Applicability.SAFE, group, early=True)
        return context.finding(self, gradient, _MESSAGE, fix)
