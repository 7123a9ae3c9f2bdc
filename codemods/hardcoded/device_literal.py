"""A device is named by a string such as ``"cuda"`` where nobody asked whether it is there.

## What it does
Finds accelerator strings in device positions: ``torch.device("cuda:0")``, ``.to("cuda")``,
``device="cuda"``, ``map_location="cuda"``. Where the literal defines a name, the definition asks
``torch.cuda.is_available()``; elsewhere the name that the scope has for its device is used.

## Why
The string raises on a machine without CUDA, when the first tensor is put there.

## Example
```python
device = torch.device("cuda")
x = x.to("cuda")
```
becomes
```python
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = x.to(device)
```

## Fix safety
Safe. Strings that are compared, printed, passed to ``autocast``, or chosen by a condition are no
devices that the program is nailed to: they stay.

## References
- https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
"""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, define_device, replace_expression
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import DeviceLiteral


class HardcodedDeviceLiteral(Codemod):
    """``torch.device("cuda")``."""

    code = "DFX203"
    name = "hardcoded-device-literal"
    local = True

    def check(self, context: Context) -> Iterator[Finding]:
        for found in context.facts.literals:
            if found.generator:
                continue  # DFX210 says where generators are
            message = f"the device {found.literal.value!r} is taken without asking if it is there"
            edits = _written(context, found)
            if context.facts.needs_cuda or not edits:
                advice = context.facts.needs_cuda or _why_not(found)
                yield context.finding(self, found.literal, message, None, advice)
                continue
            start = context.source.span(found.literal).start
            fix = Fix(edits, Applicability.SAFE, f"{self.code}-{start}")
            yield context.finding(self, found.literal, message, fix)


def _why_not(found: DeviceLiteral) -> str:
    if ":" in str(found.literal.value):
        return "the index would be lost"
    return "nothing here can stand for this one string"


def _written(context: Context, found: DeviceLiteral) -> tuple[Edit, ...]:
    try:
        return _edits(context, found)
    except EditError:
        return ()


def _edits(context: Context, found: DeviceLiteral) -> tuple[Edit, ...]:
    source, facts = context.source, context.facts
    if not found.defines:
        if found.device is None:
            return ()
        return (
            replace_expression(source, found.literal, found.device.text),
            *define_device(source, facts, context.settings, found.device),
        )
    if not facts.torch:
        return ()
    written = source.segment(found.literal)
    quote = written[-1]
    text = f"{written} if {facts.torch}.cuda.is_available() else {quote}cpu{quote}"
    return (replace_expression(source, found.literal, text),)
