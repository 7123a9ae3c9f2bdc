"""float64 is moved to the device, where it is slow or not supported.

## What it does
Finds tensors that are definitely float64 (made from NumPy's default floats) that are moved to the
device and accepted there: ``mse_loss``, ``l1_loss``, ``smooth_l1_loss``,
``binary_cross_entropy_with_logits`` and arithmetic promote and compute in float64. The fix adds
``.float()`` before the transfer. Layers and matrix products, which raise an error, are covered by
DFX301.

## Why
MPS has no float64: ``TypeError: Cannot convert a MPS Tensor to float64 dtype as the MPS framework
doesn't support float64``. On other devices twice the bytes are copied, and GPUs compute float64
many times slower.

## Example
```python
y = torch.from_numpy(np.random.rand(8, 1)).to(device)
loss = nn.functional.mse_loss(model(x), y)
```
becomes
```python
y = torch.from_numpy(np.random.rand(8, 1)).float().to(device)
loss = nn.functional.mse_loss(model(x), y)
```

## Fix safety
Unsafe: the program runs without the cast, and prints different digits with it. Where the author
asks for float64 by name (``dtype=torch.float64``, ``.double()``), and in a program that computes in
float64 (``.double()`` modules, ``set_default_dtype``), nothing is reported.

## References
- https://docs.pytorch.org/docs/stable/notes/mps.html
- https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.dtype
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.codemod import Codemod, Context
from devicefix.edits import cast_edits
from devicefix.findings import Applicability, Finding, Fix

_ADVICE: Final = "the cast would change results: the other operands promote it to float64"


class Float64OnDevice(Codemod):
    """``torch.from_numpy(float64_array).to(device)``."""

    code = "DFX303"
    name = "float64-on-device"

    def check(self, context: Context) -> Iterator[Finding]:
        for double in context.facts.doubles:
            edits, group = cast_edits(context.source, context.facts, double)
            message = f"`{ast.unparse(double.operand)}` is moved to the device as float64"
            applicability = Applicability.UNSAFE if edits else Applicability.DISPLAY
            fix = Fix(edits, applicability, f"{self.code}-{group}")
            yield context.finding(self, double.operand, message, fix, _ADVICE)
