"""`async` is used as a name, but is a keyword since Python 3.7.

## What it does

`x.cuda(async=True)` becomes `x.cuda(non_blocking=True)`, and so do `.to`, `.copy_`, `.type` and
functions of the program that are called like them and have such a parameter. Other parameters,
variables and attributes of the program that are called `async` become `async_`; an attribute that
nobody in the program sets, such as an option `--async`, is read by `getattr`. Works on files of
Python 2 and Python 3 alike, before anything else.

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

Safe: the argument means the same. Where `async=` is given to a function that is neither torch's nor
the program's, nobody can tell its new name: the file is left as it is, and named.

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
            message = f"`async` is a keyword since Python 3.7; it is {new} now"
            yield self.finding(source, found.span, message, fix)
