"""Where a program has a list of the devices that there are: CUDA, the CPU, and maybe some others.

``assert kind in ("cpu", "cuda")`` ends a program that has chosen another accelerator, and a ladder
of comparisons that raises at its end does so, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.cuda_checks import values_of
from devicefix.source import Source
from devicefix.source.walking import walk

_KNOWN: Final = frozenset({"cuda", "cpu"})


def closed_lists(source: Source) -> tuple[ast.expr, ...]:
    """The tests of one file that an accelerator passes only if it is listed."""
    if not all(kind in source.text for kind in _KNOWN):
        return ()
    listed = [n for n in source.of_type(ast.Compare) if isinstance(n, ast.Compare)]
    members = [n for n in listed if _is_closed(_members(source, n))]
    ladders = [n for n in source.of_type(ast.If) if isinstance(n, ast.If)]
    return (*members, *(n.test for n in ladders if _is_closed(_rungs(n))))


def _is_closed(words: Iterator[str]) -> bool:
    return {word.partition(":")[0] for word in words} >= _KNOWN


def _members(source: Source, test: ast.Compare) -> Iterator[str]:
    """The words of ``kind in ("cpu", "cuda")``, also where a name stands for them."""
    if not isinstance(test.ops[0], (ast.In, ast.NotIn)):
        return
    given = test.comparators[0]
    named = values_of(source, given) if isinstance(given, (ast.Name, ast.Attribute)) else [given]
    for value in named:
        if isinstance(value, (ast.Tuple, ast.List, ast.Set)):
            yield from (word for one in value.elts for word in _words(one))


def _rungs(ladder: ast.If) -> Iterator[str]:
    """The words that a ladder of comparisons knows, if it raises for all others."""
    found = []
    rest: list[ast.stmt] = [ladder]
    while len(rest) == 1 and isinstance(step := rest[0], ast.If):
        found += [w for n in walk(step.test) if isinstance(n, ast.Compare) for w in _equal(n)]
        rest = step.orelse
    return iter(found if rest and isinstance(rest[-1], ast.Raise) else ())


def _equal(test: ast.Compare) -> Iterator[str]:
    if isinstance(test.ops[0], ast.Eq):
        yield from (w for side in (test.left, *test.comparators) for w in _words(side))


def _words(tree: ast.expr) -> Iterator[str]:
    """``cuda`` of ``"cuda"`` and of ``torch.device("cuda")``."""
    inner = tree.args[0] if isinstance(tree, ast.Call) and len(tree.args) == 1 else tree
    if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
        yield inner.value
