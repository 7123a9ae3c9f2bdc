"""`async` is used as a name, but has been a keyword since Python 3.7.

## What it does

`x.cuda(async=True)` becomes `x.cuda(non_blocking=True)`, and so do `.to`, `.copy_`, `.type` and
functions of the program that have the same name and such a parameter. Other parameters, variables
and attributes of the program that are called `async` become `async_`; an attribute that the program
does not set itself, such as an option `--async`, is read with `getattr`. Works on Python 2 and
Python 3 files, before all other rules.

## Why

Python 3.7 and later stop at the line with a `SyntaxError`. PyTorch renamed the argument in 0.4.1.

## Example

```python
target = target.cuda(async=True)
```

Use instead:

```python
target = target.cuda(non_blocking=True)
```

## Fix safety

Safe: the argument means the same. If `async=` is passed to a function that belongs neither to torch
nor to the program, its new name is unknown: the file is left unchanged and reported.

## References

- <https://docs.python.org/3/whatsnew/3.7.html#porting-to-python-3-7>
- <https://pytorch.org/docs/stable/generated/torch.Tensor.cuda.html>
"""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.codemod import Conversion
from devicefix.dialect import renamed
from devicefix.findings import Applicability, Finding, Fix
from devicefix.source import Program, Source


class AsyncKeyword(Conversion):
    """DFX604."""

    code = "DFX604"
    name = "async-keyword"

    def convert(self, source: Source, program: Program) -> Iterator[Finding]:
        """Every such name; all of them are one fix."""
        others = (other for other in program.sources.values() if other.path != source.path)
        for found in renamed(source, others):
            fix = Fix(found.edits, Applicability.SAFE, "async")
            new = "getattr()" if found.text == "getattr" else f"`{found.text}`"
            message = f"`async` has been a keyword since Python 3.7; use {new}"
            yield self.finding(source, found.span, message, fix)
