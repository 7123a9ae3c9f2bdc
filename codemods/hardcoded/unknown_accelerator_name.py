"""A name of ``torch.accelerator`` does not exist, or came later than ``min-torch``.

## What it does
Finds names in ``torch.accelerator`` that do not exist, such as ``manual_seed_all``, and with
``min-torch`` those that do not exist in the oldest supported torch. If the program checks for
itself (``hasattr``, a version, ``except AttributeError``), nothing is reported.

## Why
``torch.accelerator`` has some of the names of ``torch.cuda``, others under other names, and many
not at all: ``AttributeError: module 'torch.accelerator' has no attribute 'manual_seed_all'``. It
came with torch 2.6, and grew with nearly every release since.

## Example
```python
torch.accelerator.manual_seed_all(0)
torch.accelerator.set_device(1)
```
Use instead:
```python
torch.manual_seed(0)
torch.accelerator.set_device_index(1)
```

## Fix safety
There is no fix: which name was meant is your decision.

## References
- https://docs.pytorch.org/docs/stable/accelerator.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.findings import Finding
from devicefix.flow import accelerator_names
from devicefix.torch_api import ACCELERATOR_NAMES, NEWEST_KNOWN, is_there, meant_by, needs_newer

_NEWEST = ".".join(map(str, NEWEST_KNOWN))


class UnknownAcceleratorName(Codemod):
    """``torch.accelerator.manual_seed_all(0)``."""

    code = "DFX214"
    name = "unknown-accelerator-name"
    only_reports = True
    textual = True

    def check(self, context: Context) -> Iterator[Finding]:
        oldest = context.program.oldest_torch
        for tree, name in context.source.once(accelerator_names):
            short = name.partition("(")[0].rpartition(".")[2]
            if short not in ACCELERATOR_NAMES:
                if "(" not in name:
                    message = f"`{name}` does not exist (in torch up to {_NEWEST})"
                    yield context.finding(self, tree, message, None, meant_by(name))
            elif context.settings.min_torch and not is_there(name, oldest.version):
                advice = "raise `min-torch`, or check with `hasattr` first"
                yield context.finding(self, tree, needs_newer(name, oldest.said), None, advice)
