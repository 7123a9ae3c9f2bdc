"""A device such as ``"cuda"`` is hard-coded without an availability check.

## What it does
Finds accelerator strings in device positions: ``torch.device("cuda:0")``, ``.to("cuda")``,
``device="cuda"``, ``map_location="cuda"``, and the origin of strings that are used as a device
elsewhere: constants, default values, configurations. A string in a device position becomes the
device variable in scope; a string that is passed on stays a string and depends on
``torch.cuda.is_available()``. In a function that creates tensors to combine with an argument ``x``,
the device becomes ``x.device``. ``device="cuda"`` in a call of a library on top of torch stays a
string; in a call of an unknown library it is reported. A specific GPU (``"cuda:1"``) in a tuple
that is passed to unanalysed code is reported, and so is one of several devices in a list.

## Why
On a machine without CUDA it raises when the first tensor is put there.

## Example
```python
device = torch.device("cuda")
x = x.to("cuda")


def fit(model, device="cuda"):
    model.to(device)
```
becomes
```python
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = x.to(device)


def fit(model, device="cuda" if torch.cuda.is_available() else "cpu"):
    model.to(device)
```

## Fix safety
Safe. Strings that are compared, printed, passed to ``autocast``, or chosen by a condition are left
unchanged. A fix that would check for CUDA before the file sets ``CUDA_VISIBLE_DEVICES`` is only
reported, and so is one that would check when an installed package is imported: processes that are
forked later could not use CUDA.

## References
- https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, replace_literal
from devicefix.findings import Applicability, Finding, Fix
from devicefix.flow import DeviceLiteral


class HardcodedDeviceLiteral(Codemod):
    """``torch.device("cuda")``."""

    code = "DFX203"
    name = "hardcoded-device-literal"
    local = True
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for found in context.facts.literals:
            if not found.generator:  # DFX210 says where generators are
                yield self._finding(context, found)

    def _finding(self, context: Context, found: DeviceLiteral) -> Finding:
        message = f"hard-coded {ast.unparse(found.literal)} without an availability check"
        try:
            if found.left:
                raise EditError(found.left)
            edits = replace_literal(context.source, context.facts, context.settings, found)
        except EditError as error:
            return context.finding(self, found.literal, message, None, str(error))
        start = context.source.span(found.literal).start
        fix = Fix(edits, Applicability.SAFE, f"{self.code}-{start}")
        return context.finding(self, found.literal, message, fix)
