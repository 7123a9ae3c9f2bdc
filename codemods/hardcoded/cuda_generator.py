"""A ``torch.Generator`` is hard-coded to CUDA, or is used for a tensor on another device.

## What it does
Finds ``torch.Generator(device="cuda")`` without an availability check: it is created on the
program's device, and what it draws follows (DFX203). Finds factories that draw from such a
generator without ``device=``, and writes ``device=generator.device``.

## Why
``torch.Generator("cuda")`` raises an error without CUDA. A generator draws on its own device only:
``RuntimeError: Expected a 'cpu' device type for generator but found 'cuda'``.

## Example
```python
g = torch.Generator(device="cuda").manual_seed(0)
noise = torch.randn(3, generator=g, device="cuda")
order = torch.randperm(8, generator=g)
```
becomes
```python
g = torch.Generator(device=device).manual_seed(0)
noise = torch.randn(3, generator=g, device=device)
order = torch.randperm(8, generator=g, device=g.device)
```

## Fix safety
Safe: with CUDA it is the same generator; without it the program failed here. One seed gives
different numbers on different devices. An index is kept: ``"cuda:1"`` falls back to the CPU without
CUDA.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Generator.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, add_keyword, replace_literal
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import DeviceLiteral


class CudaGenerator(Codemod):
    """``torch.Generator(device="cuda")``."""

    code = "DFX210"
    name = "cuda-generator"
    local = True
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for found in context.facts.literals:
            if found.generator:
                message = (
                    f"a generator on {ast.unparse(found.literal)} can only be used on that device"
                )
                yield self._finding(context, found.literal, message, found)
        for draw in context.facts.draws:
            name = context.source.segment(draw.generator)
            message = f"`{name}` is a generator on another device, but this is created on the CPU"
            yield self._finding(context, draw.call, message, f"{name}.device")

    def _finding(
        self, context: Context, tree: ast.AST, message: str, what: DeviceLiteral | str
    ) -> Finding:
        try:
            if isinstance(what, str):
                assert isinstance(tree, ast.Call)
                edits: tuple[Edit, ...] = (add_keyword(context.source, tree, "device", what),)
            else:
                edits = replace_literal(context.source, context.facts, context.settings, what)
        except EditError as error:
            return context.finding(self, tree, message, None, str(error))
        group = f"{self.code}-{context.source.span(tree).end}"
        return context.finding(self, tree, message, Fix(edits, Applicability.SAFE, group))
