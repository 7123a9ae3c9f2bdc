"""A ``torch.cuda`` name is used that the project has banned.

## What it does
Finds every use of ``torch.cuda``, under any name it was imported as. Runs only if DFX215 is
selected by its code or name: for projects that want new code to run on any accelerator. Permitted
names, including everything below them, are listed in ``[tool.devicefix]``, each with a reason:

```toml
allow = ["torch.cuda.nvtx: ranges for Nsight", "torch.cuda.get_device_name"]
```

## Why
Code that checks only for CUDA fails or runs on the CPU on machines with another accelerator. A code
review finds that late, and a text search finds strings and comments but misses ``from torch import
cuda``.

## Example
```python
from torch import cuda

cuda.synchronize()
```
Use instead:
```python
torch.accelerator.synchronize()
```

## Fix safety
There is no fix here: ``devicefix apply --style accelerator`` rewrites what can be rewritten
(DFX213). What a project can use depends on ``min-torch``; the message says it for each name.

## References
- https://docs.pytorch.org/docs/stable/accelerator.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.findings import Finding
from devicefix.flow import CudaSort, cuda_sites
from devicefix.torch_api import GENERIC, is_there, needs_newer, no_generic_form

_ROOM = "torch.cuda"


class BannedCudaName(Codemod):
    """``torch.cuda.synchronize()``, where that is banned."""

    code = "DFX215"
    name = "banned-cuda-name"
    on_request = True
    only_reports = True
    textual = True

    def check(self, context: Context) -> Iterator[Finding]:
        for tree, name in _uses(context):
            if not context.settings.allows(name):
                message, advice = f"`{name}` is banned", _advice(context, name)
                yield context.finding(self, tree, message, None, advice)


def _uses(context: Context) -> Iterator[tuple[ast.AST, str]]:
    """Imports of what is in ``torch.cuda``, and dotted names: what an import binds counts once."""
    for found in context.facts.imports:
        if found.origin != _ROOM or found.local == "*":
            yield found.statement, found.origin
    for site in context.source.once(cuda_sites):
        inside = f"{site.name}.".startswith(f"{_ROOM}.")
        if site.sort is CudaSort.NAME and inside and isinstance(site.tree, ast.Attribute):
            yield site.tree, site.name


def _advice(context: Context, name: str) -> str:
    row, oldest = GENERIC.get(name), context.program.oldest_torch
    if name == _ROOM:
        return "use `torch.accelerator`, which works with every accelerator"
    if row is None or not row.form:
        return f"{no_generic_form(name)}; `allow` in [tool.devicefix] permits it"
    if not is_there(row.form, oldest.version):
        return needs_newer(row.form, oldest.said)
    return f"use `{row.form}`"
