"""A tensor on the device is read by NumPy or other CPU code.

## What it does
Finds ``.numpy()`` on tensors on the device, and implicit conversions (``__array__``):
``np.…(tensor)``, lists of tensors given to NumPy, plots and axes, scikit-learn, SciPy, pandas and
other libraries that work on the CPU, a tensor combined with an array (``tensor * array``), rows
written into an array, values put into a queue for a forked process. The fix adds ``.cpu()`` where
the CPU reads the value, or where it is stored for that (``losses.append(loss.cpu())``).

## Why
Only CPU tensors share memory with NumPy: on a device it raises ``TypeError: can't convert cuda:0
device type tensor to numpy. Use Tensor.cpu()``. Shapes, ``.item()``, ``.tolist()``, ``float()``,
printing, one number as an index or written into an array, and NumPy scalars combined with a tensor
work on every device and are not reported. ``.detach()`` is never added: a tensor that requires a
gradient refuses ``.numpy()`` and ``__array__`` on the CPU, too.

## Example
```python
pred = model(x).detach().numpy()
```
becomes
```python
pred = model(x).detach().cpu().numpy()
```

## Fix safety
Safe: on the CPU ``.cpu()`` returns the tensor itself. Applied together with the fix that moves the
tensor to the device (see DFX101). There is no fix if the value may not be a tensor and have no
``.cpu()``.

On a device ``.cpu()`` is a copy. Where the program writes through the array (``p.grad.numpy()[:] =
0``), or reads it after the tensor has changed, the finding needs your decision.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec.structs import replace

from devicefix.codemod import Codemod, Context
from devicefix.edits import transfer_advice, transfer_edits, transfer_fix
from devicefix.findings import Applicability, Finding
from devicefix.flow import Offence
from devicefix.flow.old_losses import learns

_NUMBER = "`.data[0]` of a loss should be `.item()`, which is on the CPU"


class NumpyOnDeviceTensor(Codemod):
    """``device_tensor.numpy()``."""

    code = "DFX401"
    name = "numpy-on-device-tensor"

    def check(self, context: Context) -> Iterator[Finding]:
        for transfer in context.facts.of(Offence.HOST_READ):
            edits = transfer_edits(context.source, context.facts, context.settings, transfer)
            text = ast.unparse(transfer.tree)
            message = f"`{text}` is on the device but is read on the CPU"
            fix, advice = transfer_fix(edits, transfer), transfer_advice(transfer)
            number = learns(context.facts, transfer.tree) or _reads_number(context, transfer.tree)
            if fix is not None and number:
                fix, advice = replace(fix, applicability=Applicability.UNSAFE), _NUMBER
            yield context.finding(self, transfer.tree, message, fix, advice)


def _reads_number(context: Context, tree: ast.AST) -> bool:
    """``losses.append(loss.data[0])``, as torch 0.3 read numbers; not ``x.data[0].numpy()``."""
    parent = context.facts.parents.get(tree)
    if isinstance(parent, ast.Attribute) and parent.value is tree:
        return False
    match tree:
        case ast.Subscript(ast.Attribute(attr="data"), ast.Constant(value=0)):
            return True
        case ast.Subscript(ast.Subscript() as inner, ast.Constant(value=0)):
            return _reads_number(context, inner)
    return False
