"""A module keeps layers in a plain list, tuple or dict, where they are not registered.

## What it does
Finds attributes of a module that its ``__init__`` assigns a list, tuple or dict of modules with
parameters that it creates itself, and that are not registered otherwise: no ``add_module``,
``setattr``, ``nn.Sequential`` or ``nn.ModuleList`` holds them as well. The fix puts them into an
``nn.ModuleList`` or ``nn.ModuleDict``.

## Why
``Module`` registers modules only if they are attributes themselves. Layers in a list are not in
``parameters()``: ``.to(device)`` leaves them behind (``forward`` raises ``Expected all tensors to
be on the same device``), an optimizer of ``model.parameters()`` does not train them,
``state_dict()`` does not save them, and ``eval()`` does not reach them. The last three cause no
error on the CPU.

## Example
```python
self.layers = [nn.Linear(16, 16) for _ in range(depth)]
```
becomes
```python
self.layers = nn.ModuleList([nn.Linear(16, 16) for _ in range(depth)])
```

## Fix safety
Unsafe: ``parameters()`` and ``state_dict()`` get more entries, so more parameters are trained, and
older checkpoints do not load. Random numbers are drawn as before. If the list is not created where
it is assigned, may hold something other than modules, or is used in a way that only a list supports
(``layers + more``, ``heads.get(name)``), it is only reported. Not reported are modules that the
program moves itself and whose ``parameters()`` it uses, because the list is intentional, and
modules that were created elsewhere.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleDict.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, register_modules_edits
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import PlainContainer


class ModuleInPlainContainer(Codemod):
    """``self.layers = [nn.Linear(3, 3), nn.Linear(3, 3)]``."""

    code = "DFX112"
    name = "module-in-plain-container"

    def check(self, context: Context) -> Iterator[Finding]:
        for found in context.facts.plain_containers:
            yield self._finding(context, found)

    def _finding(self, context: Context, found: PlainContainer) -> Finding:
        message = (
            f"the modules in `{found.name}` are not registered: `parameters()`, `to()` and "
            "`state_dict()` skip them"
        )
        edits = _edits(context, found)
        if not edits:
            advice = found.blocked or "put them in an `nn.ModuleList` or `nn.ModuleDict`"
            return context.finding(self, found.statement, message, None, advice)
        group = f"{self.code}-{edits[0].start}"
        fix = Fix(edits, Applicability.UNSAFE, group, early=True)
        advice = "this changes which parameters are trained and saved"
        return context.finding(self, found.statement, message, fix, advice)


def _edits(context: Context, found: PlainContainer) -> tuple[Edit, ...]:
    if not found.wrapper:
        return ()
    try:
        return register_modules_edits(context.source, found.statement, found.wrapper)
    except EditError:
        return ()
