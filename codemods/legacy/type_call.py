"""A cast by a tensor type brings the tensor to the CPU.

## What it does
Rewrites ``x.type(torch.FloatTensor)`` to ``x.float()`` where ``x`` lives on the device, and so for
the other types of the host, also where a string names them.

## Why
``torch.FloatTensor`` is the type of the *CPU*: what was written for the CPU as a cast takes a
tensor off its device, and what is computed with it fails. ``x.float()`` stays where ``x`` is.

## Example
```python
mask = (scores > 0).type(torch.FloatTensor)
```
becomes
```python
mask = (scores > 0).float()
```

## Fix safety
Safe: on the CPU it is the same cast, and where the host needs the result, another rule brings it
there. What is on the host anyway, or no tensor for sure (a module has ``type()``, too), stays, and
so does ``x.type(kind)``, where a name says which type.
``x.type(torch.cuda.FloatTensor)`` is DFX202's.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.type.html
- https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, replace_method
from devicefix.findings import Applicability, Finding, Fix
from devicefix.flow import Belief, Sort
from devicefix.torch_api import LEGACY_CONSTRUCTORS

_CASTS = {
    "bfloat16": "bfloat16",
    "bool": "bool",
    "float16": "half",
    "float32": "float",
    "float64": "double",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "int8": "char",
    "uint8": "byte",
}


class TypeCall(Codemod):
    """``x.type(torch.FloatTensor)``."""

    code = "DFX610"
    name = "type-call"
    local = True

    def check(self, context: Context) -> Iterator[Finding]:
        calls = context.source.of_type(ast.Call) if "type" in context.source.attributes else ()
        for call in calls:
            if cast := _cast(context, call):
                yield from self._finding(context, call, cast)

    def _finding(self, context: Context, call: ast.Call, cast: str) -> Iterator[Finding]:
        message = "a type of the CPU takes the tensor there"
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else call
        belief = context.facts.beliefs.get(receiver, Belief())
        if belief.sort is not Sort.TENSOR or not belief.on_device:
            return
        try:
            edit = replace_method(context.source, call, f"{cast}()")
        except EditError as error:
            yield context.finding(self, call, message, None, str(error))
            return
        group = f"{self.code}-{context.source.span(call).end}"
        yield context.finding(
            self, call, message, Fix((edit,), Applicability.SAFE, group, early=True)
        )


def _cast(context: Context, call: ast.Call) -> str:
    """The method that casts as this call does; empty for other calls, and for names.

    A name for a type is changed where it is defined.
    """
    func = call.func
    if not (isinstance(func, ast.Attribute) and func.attr == "type" and len(call.args) == 1):
        return ""
    if call.keywords:
        return ""
    given = call.args[0]
    imported = {read for i in context.facts.old_imports if i.sole for read in i.reads}
    if isinstance(given, ast.Name) and given not in imported:
        return ""
    name = context.facts.beliefs.get(given, Belief()).name
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        name = given.value
    row = LEGACY_CONSTRUCTORS.get(name)
    # `torch.Tensor` is what the default is
    return _CASTS.get(row.dtype, "") if row is not None and row.device == "cpu" else ""
