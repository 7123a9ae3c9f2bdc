"""The next element of an iterator is taken by `.next()`.

## What it does

`it.next()` becomes `next(it)`, where `it` is definitely an iterator: what `iter()` and `__iter__()`
give, a generator of this file, `enumerate`. `loader.__iter__().next()` is `next(iter(loader))`. If
its type is unknown, it is reported if the returned value is used (a progress bar may have a
`next()` that returns nothing); if a class of the program has a method `next`, it is not reported.

## Why

Iterators have no method `next` in Python 3: `AttributeError: '_SingleProcessDataLoaderIter' object
has no attribute 'next'`. Iterators of loaders had one up to PyTorch 1.13 for compatibility.

## Example

```python
images, labels = iter(loader).next()
```

Use instead:

```python
images, labels = next(iter(loader))
```

## Fix safety

Safe where it is an iterator; reported but not changed if that is unknown.

## References

- <https://peps.python.org/pep-3114/>
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devicefix.codemod import Codemod, Context
from devicefix.dialect import Draft, Kind, surroundings, write_next
from devicefix.findings import Applicability, Finding, Fix


class NextMethod(Codemod):
    """DFX609."""

    code = "DFX609"
    name = "next-method"

    def check(self, context: Context) -> Iterator[Finding]:
        if "next" not in context.source.attributes:
            return
        calls = list(_calls(context.source.of_type(ast.Call)))
        if not calls:
            return
        around = surroundings(context.source, context.program)
        draft = Draft(context.source, around, is_python2=False)
        for call, function in calls:
            surely = draft.kinds.of(function.value) is Kind.ITERATOR
            told = isinstance(draft.parent(call), ast.Expr)
            if surely or not (around.own_next or told or draft.is_guarded(call)):
                yield self._finding(context, draft, call, function, surely)

    def _finding(
        self,
        context: Context,
        draft: Draft,
        call: ast.Call,
        function: ast.Attribute,
        surely: bool,
    ) -> Finding:
        message = "iterators have no method `next` in Python 3"
        if not surely:
            return context.finding(self, call, message, None, "write next(…) if it is an iterator")
        span = context.source.span(call)
        change = draft.change(call, self.code)
        write_next(draft, call, function, change)
        group = f"{self.code}-{span.start}"
        return context.finding(
            self, call, message, Fix(tuple(change.edits), Applicability.SAFE, group)
        )


def _calls(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.Call, ast.Attribute]]:
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr="next") as function, args=[], keywords=[]):
                yield node, function
