"""float64 data is passed to float32 parameters.

## What it does
Finds tensors that are definitely float64 (made from NumPy's default floats) given to operations
that do not accept float64 with float32: linear and convolution layers, recurrent layers and their
hidden states, normalisation, ``BCELoss``, matrix products (``x @ w``, ``mm``, ``addmm``,
``einsum``). The fix adds ``.float()`` to the data, before any transfer, or ``dtype=torch.float32``
if the tensor is created on the device.

## Why
NumPy's floats are float64, PyTorch's are float32. The layer raises ``RuntimeError: mat1 and mat2
must have the same dtype`` on every device; MPS has no float64 at all; and with float32 only half
the bytes are copied.

## Example
```python
x = torch.from_numpy(np.random.rand(8, 3))
y = nn.Linear(3, 1)(x)
```
becomes
```python
x = torch.from_numpy(np.random.rand(8, 3)).float()
y = nn.Linear(3, 1)(x)
```

## Fix safety
Safe: without the cast the program raises, on the CPU too. The cast is added to the data if nothing
else depends on its dtype, otherwise to the use. Unsafe for an argument of a function that other
files import: another caller may pass float64 together with a module that was cast. float64 on
purpose (``.double()`` modules, ``set_default_dtype``) stays. Where the author asks for float64 by
name (``x.double()``, ``dtype=torch.float64``) and then passes it to a float32 module, the finding
needs your decision.

## References
- https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.dtype
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import cast_advice, cast_edits
from devicefix.findings import Applicability, Finding, Fix


class Float64IntoFloat32Model(Codemod):
    """``linear(torch.from_numpy(float64_array))``."""

    code = "DFX301"
    name = "float64-into-float32-model"

    def check(self, context: Context) -> Iterator[Finding]:
        for clash in context.facts.clashes:
            if clash.found != "float64" or clash.wanted != "float32":
                continue
            edits, group = cast_edits(context.source, context.facts, clash)
            advice = cast_advice(clash)
            text = ast.unparse(clash.operand)
            message = f"`{text}` is float64, but the parameters are float32"
            sure = Applicability.UNSAFE if clash.handed else Applicability.SAFE
            applicability = sure if edits else Applicability.DISPLAY
            fix = Fix(edits, applicability, f"{self.code}-{group}")
            yield context.finding(self, clash.operand, message, fix, advice)
