"""NumPy reads a tensor that lives on the device.

## What it does
Finds ``.numpy()``, ``np.…(tensor)``, plotting and other host libraries reading tensors of the
device, also through ``__array__``, and host-only arguments such as the lengths of
``pack_padded_sequence``. The fix writes ``.cpu()`` where the host reads.

## Why
Only CPU tensors share memory with NumPy: elsewhere it raises ``TypeError: can't convert cuda:0
device type tensor to numpy. Use Tensor.cpu()``.

## Example
```python
pred = model(x).detach().numpy()
```
becomes
```python
pred = model(x).detach().cpu().numpy()
```

## Fix safety
Safe: on the CPU ``.cpu()`` returns the tensor itself. Part of the decision that puts the tensor on
the device.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import transfer_advice, transfer_edits, transfer_fix
from devicefix.findings import Finding
from devicefix.flow import Offence


class NumpyOnDeviceTensor(Codemod):
    """``device_tensor.numpy()``."""

    code = "DFX401"
    name = "numpy-on-device-tensor"

    def check(self, context: Context) -> Iterator[Finding]:
        for transfer in context.facts.of(Offence.HOST_READ):
            edits = transfer_edits(context.source, context.facts, context.settings, transfer)
            text = ast.unparse(transfer.tree)
            message = f"the host reads `{text}`, which is on the device"
            fix = transfer_fix(edits, transfer)
            yield context.finding(self, transfer.tree, message, fix, transfer_advice(transfer))
