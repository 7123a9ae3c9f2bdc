"""A device such as ``"cuda"`` is hard-coded without an availability check.

## What it does
Finds accelerator strings in device positions: ``torch.device("cuda:0")``, ``.to("cuda")``,
``device="cuda"``, ``map_location="cuda"``, and where a string comes from that is used as a device
elsewhere: constants, defaults of parameters, configurations. What stands where a device is wanted
becomes the name that the scope has for its device; a string that is handed on stays a string and
asks ``torch.cuda.is_available()``. A function that names a device for what it makes to meet a
tensor at hand takes that of the tensor: ``device = x.device``. One of several accelerators
(``"cuda:1"``) in a tuple that goes to code that was not analysed is reported, and so is one of
several devices in a list.

## Why
The string raises on a machine without CUDA, when the first tensor is put there.

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
Safe. Strings that are compared, printed, passed to ``autocast``, or chosen by a condition are no
devices that the program hard-codes: they stay. One that would ask for CUDA before the file sets
``CUDA_VISIBLE_DEVICES`` is reported, and so is one for which importing a package that others
install would ask: a process that is forked later could not use CUDA.

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
