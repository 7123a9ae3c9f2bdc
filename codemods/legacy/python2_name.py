"""A file that Python 3 can parse uses names that exist only in Python 2.

## What it does

`xrange`, `raw_input`, `unicode`, `basestring`, `long`, `reduce`, `iteritems()`, `has_key()`,
`cmp=`, `import cPickle`, `urllib2`, `print >>file, x` and others become their Python 3 equivalents,
in files that Python 3 can parse. Names that the file defines itself, and uses inside a `try` that
catches the error or under a version check, are left unchanged. A file that uses such a name was
written for Python 2: `map`, `d.keys()` and so on are also wrapped in `list` where a list is needed,
pickles are read as bytes, and divisions of integers are reported.

`time.clock` (gone since Python 3.8) and the abstract classes of `collections` (in `collections.abc`
only, since 3.10) are renamed as well; they do not mean that the file is Python 2.

## Why

Python 3 reads the file and fails when the line is run: `NameError: name 'xrange' is not defined`,
`AttributeError: 'dict' object has no attribute 'iteritems'`.

## Example

```python
for name, value in params.iteritems():
    values = [value] * reduce(max, sizes)
```

Use instead:

```python
from functools import reduce

for name, value in params.items():
    values = [value] * reduce(max, sizes)
```

## Fix safety

Safe: without it the line cannot run. Names that may come from a star import, or methods that a
class of the program may define, are reported.

## References

- <https://docs.python.org/3/whatsnew/3.0.html>
"""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.dialect import GONE_LATER, Change, Draft, leftovers, may_be_old, surroundings
from devicefix.findings import Applicability, Finding, Fix


class Python2Name(Codemod):
    """DFX611."""

    code = "DFX611"
    name = "python2-name"

    def check(self, context: Context) -> Iterator[Finding]:
        if not may_be_old(context.source):
            return
        draft = leftovers(context.source, surroundings(context.source, context.program))
        for change in draft.changes:
            yield self._finding(context, draft, change)
        for note in draft.notes:
            yield context.finding(self, note.span, note.message, None, note.advice)

    def _finding(self, context: Context, draft: Draft, change: Change) -> Finding:
        group = f"{self.code}-{change.what}"
        fix = Fix(draft.edits(change), Applicability.SAFE, group)
        gone_later = change.what in GONE_LATER
        where = "older versions of Python" if gone_later else "Python 2"
        message = f"this exists in {where} only ({change.what})"
        return context.finding(self, change.span, message, fix)
