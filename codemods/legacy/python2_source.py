"""A file is written in Python 2, which Python 3 cannot parse.

## What it does

Files that Python 3 cannot parse and Python 2 can are converted as a whole, and the other rules run
on the result, in the same run: `print`, `exec`, `except A, e`, `raise A, "…"`, backquotes, `<>`,
octal and long literals, tuple parameters, mixed tabs and spaces; `xrange`, `raw_input`, `unicode`
and other names; `iteritems()`, `has_key()`, `.next()`, `cmp=`; modules that were renamed; imports
of modules in the same package. `map`, `filter`, `zip`, `range` and `d.keys()` are wrapped in `list`
where a list is needed. `/` becomes `//` where both sides are definitely integers, or where floats
are refused (`range`, slices, sizes of tensors, widths of layers), unless the file contains `from
__future__ import division`. Pickles are read and written as bytes, and read with
`encoding="latin1"`, which files written by Python 2 need. Functions of `string` become methods of
str, `text.translate(None, chars)` gets a table, and `e.message` of builtin exceptions is `str(e)`.

A file that Python 3 can read is converted as well if it imports such a file at its top, or if only
such files import it: Python 3 has never run it, so `/` means what it means in them.

What may change its meaning and could not be decided is reported where it is: `/` of values of
unknown type, names that are used after a list comprehension or `except` clause, `.encode()` and
`.decode()`, `__cmp__`, a class that loses its hash. They are only reported while the file is Python
2; afterwards they cannot be found any more.

`--no-python2`, or `python2 = false` in the settings, leaves such files unchanged and reports them.

## Why

Python 3 stops at the first of these lines with a `SyntaxError`, and nothing else can be analysed in
the file. The current PyTorch has no build for Python 2.

## Example

```python
for i in xrange(len(data) / 10):
    print "batch", i
    x, y = loader.next()
```

Use instead:

```python
for i in range(len(data) // 10):
    print("batch", i)
    x, y = next(loader)
```

## Fix safety

Safe, and one fix for the whole file, because half of it would not parse. What has no exact
equivalent in Python 3 is reported, see above. All text becomes Unicode.

## References

- <https://docs.python.org/3/whatsnew/3.0.html>
- <https://docs.python.org/3/howto/pyporting.html>
- <https://peps.python.org/pep-0238/>
"""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.codemod import Conversion
from devicefix.dialect import Converted, companions, convert, surroundings
from devicefix.findings import Applicability, Finding, Fix, Span
from devicefix.source import Program, Source, SourceError
from devicefix.source.python2 import complaint


class Python2Source(Conversion):
    """DFX606."""

    code = "DFX606"
    name = "python2-source"
    switch = "python2"

    def convert(self, source: Source, program: Program) -> Iterator[Finding]:
        """The whole file, and what is to be looked at in it."""
        try:
            converted = convert(source, surroundings(source, program))
        except SourceError:
            raise complaint(source) from None
        yield from self._findings(source, converted, _message(converted))

    def accompany(self, program: Program, converted: frozenset[str]) -> Iterator[Finding]:
        """Files that import such a file, or that only such files import: nothing else ran them."""
        for path in companions(program, converted):
            source = program.sources[path]
            try:
                changed = convert(source, surroundings(source, program))
            except SourceError:
                continue
            message = (
                "this file belongs to a Python 2 program: "
                "files that it imports, or that import it, are Python 2"
            )
            yield from self._findings(source, changed, message)

    def _findings(self, source: Source, converted: Converted, message: str) -> Iterator[Finding]:
        if converted.edits:
            fix = Fix(converted.edits, Applicability.SAFE, "python2")
            yield self.finding(source, _first(source, converted), message, fix)
        for note in converted.notes:
            yield self.finding(source, note.span, note.message, advice=note.advice)


def _first(source: Source, converted: Converted) -> Span:
    """The line at which Python 3 gives up; else the first one that changes."""
    start = min(edit.start for edit in converted.edits)
    try:
        _ = source.tree
    except SourceError as error:
        line = source.line_of(error)
        if line is not None:
            start = source.offset(line, 0)
    start = source.line_start(start)
    return Span(start, source.line_end(start))


def _message(converted: Converted) -> str:
    most = sorted(converted.changes, key=lambda change: -change[1])[:4]
    named = ", ".join(name for name, _ in most)
    return f"this file is written in Python 2{f' ({named} …)' if named else ''}"
