"""``torch.load`` reads a pickled object, which torch 2.6 and later refuse by default.

## What it does
Reports ``torch.load`` without ``weights_only`` if the program calls the loaded object, or a part of
it, or uses methods that only modules and optimizers have (``.eval()``, ``.parameters()``,
``.state_dict()``).

## Why
Since torch 2.6 ``torch.load`` reads tensors and plain containers only, unless
``weights_only=False`` is passed: ``UnpicklingError: Weights only load failed``. A file that holds a
whole module is a pickle, and reading one runs whatever code is in it.

## Example
```python
net = torch.load("net.pt")
net.eval()
```

## Fix safety
There is no fix: whether the file can be trusted is your decision. Write ``weights_only=False``
(torch 1.13 or later) if it can, or save the ``state_dict()`` of the module and load that.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.load.html
- https://docs.pytorch.org/docs/stable/notes/serialization.html#weights-only
"""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.findings import Finding
from devicefix.flow import LibraryCall, Use

_LOADER = frozenset({"torch.load"})
_MESSAGE = (
    "since torch 2.6, `torch.load` refuses pickled objects unless `weights_only=False` is passed"
)


class WholeObjectLoaded(Codemod):
    """``net = torch.load("net.pt"); net.eval()``."""

    code = "DFX616"
    name = "whole-object-loaded"
    only_reports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for found in context.facts.library:
            if found.names == _LOADER and Use.OBJECT in found.uses and not _says(found):
                line = getattr(found.uses[Use.OBJECT], "lineno", 0)
                why = (
                    f"line {line} uses the result as a module or other object, not as a "
                    "state_dict: pass `weights_only=False` if you trust the file"
                )
                yield context.finding(self, found.call, _MESSAGE, None, why)


def _says(found: LibraryCall) -> bool:
    """Whether the call says what it reads, or may."""
    return any(k.arg in ("weights_only", None) for k in found.call.keywords)
