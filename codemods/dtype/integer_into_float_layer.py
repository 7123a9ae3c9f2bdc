"""An integer tensor is passed to a layer that computes with floats.

## What it does
Finds tensors that are definitely integers given to linear, convolution, recurrent or normalisation
layers. The fix adds ``.float()`` to the data, before any transfer.

## Why
The layer raises ``RuntimeError: mat1 and mat2 must have the same dtype`` (or ``expected scalar type
Float but found Long``) on every device. It does not "pass silently".

## Example
```python
x = torch.randint(0, 10, (8, 3))
y = nn.Linear(3, 1)(x)
```
becomes
```python
x = torch.randint(0, 10, (8, 3)).float()
y = nn.Linear(3, 1)(x)
```

## Fix safety
Safe: without the cast the program raises, on the CPU too. Indices of embeddings and class labels
are never cast: they have to be integers.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import cast_advice, cast_edits
from devicefix.findings import Applicability, Finding, Fix


class IntegerIntoFloatLayer(Codemod):
    """``linear(torch.randint(...))``."""

    code = "DFX302"
    name = "integer-into-float-layer"

    def check(self, context: Context) -> Iterator[Finding]:
        for clash in context.facts.clashes:
            if clash.found.startswith("float"):
                continue
            edits, group = cast_edits(context.source, context.facts, clash)
            advice = cast_advice(clash)
            text = ast.unparse(clash.operand)
            message = f"`{text}` is an integer tensor, but the layer computes with floats"
            sure = Applicability.UNSAFE if clash.handed else Applicability.SAFE
            applicability = sure if edits else Applicability.DISPLAY
            fix = Fix(edits, applicability, f"{self.code}-{group}")
            yield context.finding(self, clash.operand, message, fix, advice)
