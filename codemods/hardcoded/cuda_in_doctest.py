'''An example in a docstring needs CUDA.

## What it does
Reports the examples of docstrings (`>>>`) that call `.cuda()` or name a CUDA device without an
availability check. It changes nothing.

## Why
`python -m doctest` and Sphinx run such examples, and fail on a machine without CUDA. The expected
output may name the device as well, so both have to be rewritten by hand.

## Example
```python
def double(x):
    """
    >>> double(torch.ones(2).cuda())
    tensor([2., 2.], device='cuda:0')
    """
    return x * 2
```

## Fix safety
There is no fix.

## References
- https://docs.python.org/3/library/doctest.html
'''

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.findings import Finding, Span
from devicefix.source import Source

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_PROMPT = ">>>"


class CudaInDoctest(Codemod):
    """``>>> x.cuda()``."""

    code = "DFX219"
    name = "cuda-in-doctest"
    only_reports = True

    def check(self, context: Context) -> Iterator[Finding]:
        text = context.source.text
        if _PROMPT not in text or "cuda" not in text:
            return
        for node in context.source.of_type(*_DOCUMENTED):
            if isinstance(node, _DOCUMENTED) and _PROMPT in (ast.get_docstring(node) or ""):
                docstring = node.body[0]
                assert isinstance(docstring, ast.Expr)
                for span in _examples(context.source, docstring.value):
                    message = "this example needs CUDA"
                    advice = "make it run without CUDA, or mark it as skipped"
                    yield context.finding(self, span, message, None, advice)


def _examples(source: Source, docstring: ast.expr) -> Iterator[Span]:
    """The lines of those that need CUDA, where they stand in the file as in the text."""
    whole = source.span(docstring)
    at = whole.start
    for example in _parsed(source.text[whole.start : whole.end]):
        first = example.split("\n", 1)[0]
        start = source.text.find(first, at, whole.end)
        if start >= 0:
            at = start + len(first)
            if _needs_cuda(example):
                yield Span(start, at)


def _parsed(text: str) -> list[str]:
    try:
        return [e.source for e in doctest.DocTestParser().get_examples(text.expandtabs())]
    except ValueError:  # they are not laid out as doctest wants it
        return []


def _needs_cuda(example: str) -> bool:
    try:
        tree = ast.parse(example)
    except (SyntaxError, ValueError):
        return False
    if "is_available" in example:
        return False
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return any(_is_cuda_method(call) or _names_cuda(call) for call in calls)


def _is_cuda_method(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"


def _names_cuda(call: ast.Call) -> bool:
    """``x.to("cuda")``, ``torch.device("cuda:0")``, ``torch.ones(2, device="cuda")``."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    given = [k.value for k in call.keywords if k.arg == "device"]
    given += call.args if name in ("to", "device") else []
    texts = (value.value for value in given if isinstance(value, ast.Constant))
    return any(isinstance(text, str) and text.partition(":")[0] == "cuda" for text in texts)
