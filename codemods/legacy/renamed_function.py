"""A function was renamed or removed.

## What it does
Rewrites names that torch has replaced by equivalent ones: ``F.upsample``,
``nn.init.xavier_uniform`` and similar, ``clip_grad_norm``, wherever they are called, passed on or
imported; and ``backward(retain_variables=True)``. ``F.sigmoid`` and ``F.tanh`` no longer warn: they
are kept, unless the project has to run with torch older than 2.4 (``min-torch``). Names from
``torch._six`` are replaced by their Python 3 equivalents. Removed functions without an exact
replacement (``torch.symeig``, ``torch.gesv``) are reported.

## Why
The old names warn, and will be removed. ``retain_variables`` and removed functions raise an error
today.

## Example
```python
torch.nn.init.xavier_uniform(layer.weight)
torch.nn.utils.clip_grad_norm(model.parameters(), 5.0)
large = F.upsample(x, scale_factor=2)
```
becomes
```python
torch.nn.init.xavier_uniform_(layer.weight)
torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
large = F.interpolate(x, scale_factor=2)
```

## Fix safety
Safe: the old functions only call the new ones. It needs torch 0.4.1. An import and the uses of its
name are fixed together; an import inside ``try``, or whose name also has another meaning, is left
unchanged.

## References
- https://github.com/pytorch/pytorch/releases/tag/v0.4.0
- https://docs.pytorch.org/docs/stable/nn.init.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
- https://docs.pytorch.org/docs/stable/generated/torch.linalg.eigh.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    EditError,
    import_torch,
    remove_statement,
    rename_alias,
    rename_keyword,
    replace_expression,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import OldImport
from devicefix.source import Source
from devicefix.torch_api import COMPATIBLE, REMOVED, RENAMED


class RenamedFunction(Codemod):
    """``torch.nn.init.xavier_uniform(w)``."""

    code = "DFX607"
    name = "renamed-function"
    local = True

    def check(self, context: Context) -> Iterator[Finding]:
        imported = {read for i in context.facts.old_imports for read in i.reads}
        torch = context.program.oldest_torch.version
        renamed = {name for name, row in RENAMED.items() if row.concerns(torch)}
        for found in context.facts.old_imports:
            if found.name in renamed:
                yield from self._import(context, found)
        yield from self._compatible(context)
        for tree, belief in context.facts.beliefs.items():
            if not isinstance(tree, ast.expr) or belief.name not in renamed | REMOVED.keys():
                continue
            if belief.name in REMOVED:
                yield self._removed(context, tree, belief.name)
            elif tree not in imported and isinstance(tree, ast.Attribute):
                yield self._name(context, tree, belief.name)
        for call in _keeps_graph(context):
            yield self._keyword(context, call)

    def _name(self, context: Context, tree: ast.Attribute, old: str) -> Finding:
        """``F.sigmoid``, ``init.constant``."""
        message = f"`{old}` was renamed to `{RENAMED[old].new}` in torch {RENAMED[old].since}"
        try:
            edits = _respelled(context, tree, RENAMED[old].new, old)
        except EditError as error:
            return context.finding(self, tree, message, None, str(error))
        group = f"{self.code}-{context.source.span(tree).start}"
        return context.finding(
            self, tree, message, Fix(edits, Applicability.SAFE, group, early=True)
        )

    def _import(self, context: Context, found: OldImport) -> Iterator[Finding]:
        """``from torch.nn.init import constant``, and what is read by it."""
        row = RENAMED[found.name]
        message = f"`{found.name}` was renamed to `{row.new}` in torch {row.since}"
        group = f"{self.code}-{context.source.span(found.alias).start}"
        short, same = row.new.rpartition(".")[2], _module(row.new) == _module(found.name)
        if not (same and found.sole):
            advice = (
                "the import is inside `try`, its name is also used for something else, or the "
                "function has moved to another module"
            )
            yield context.finding(self, found.alias, message, None, advice)
            return
        edits = [rename_alias(context.source, found.alias, short)]
        if found.alias.asname is None:
            edits += [replace_expression(context.source, r, short) for r in found.reads]
        fix = Fix(tuple(edits), Applicability.SAFE, group, early=True)
        yield context.finding(self, found.alias, message, fix)

    def _compatible(self, context: Context) -> Iterator[Finding]:
        """``from torch._six import inf``: as a whole, for each name of it is replaced."""
        found = [i for i in context.facts.old_imports if i.name in COMPATIBLE and i.sole]
        for statement in dict.fromkeys(i.statement for i in found):
            names = [i for i in found if i.statement is statement]
            message = "`torch._six` was removed in torch 2.0.0"
            if len(names) < len(statement.names):
                advice = "the other names in this import have no known replacement"
                yield context.finding(self, statement, message, None, advice)
                continue
            try:
                edits = tuple(_without_six(context.source, statement, names))
            except EditError as error:
                yield context.finding(self, statement, message, None, str(error))
                continue
            group = f"{self.code}-{context.source.span(statement).start}"
            fix = Fix(edits, Applicability.SAFE, group, early=True)
            yield context.finding(self, statement, message, fix)

    def _removed(self, context: Context, tree: ast.expr, name: str) -> Finding:
        row = REMOVED[name]
        message = f"`{name}` was removed in torch {row.since}"
        advice = f"`{row.instead}` takes different arguments or returns different results"
        return context.finding(self, tree, message, None, advice)

    def _keyword(self, context: Context, call: ast.Call) -> Finding:
        edit = rename_keyword(context.source, call, "retain_variables", "retain_graph")
        group = f"{self.code}-{context.source.span(call).start}"
        message = "the argument `retain_variables` of `backward` was renamed to `retain_graph`"
        return context.finding(
            self, call, message, Fix((edit,), Applicability.SAFE, group, early=True)
        )


def _respelled(context: Context, tree: ast.Attribute, new: str, old: str) -> tuple[Edit, ...]:
    source, short = context.source, new.rpartition(".")[2]
    if _module(new) == _module(old):
        end = source.span(tree).end
        return (Edit(end - len(tree.attr), end, 0, short),)
    torch = context.facts.torch
    more = () if torch else import_torch(source)
    return (replace_expression(source, tree, f"{torch or 'torch'}.{short}"), *more)


def _without_six(
    source: Source, statement: ast.Import | ast.ImportFrom, names: list[OldImport]
) -> Iterator[Edit]:
    """The imports of Python's own that take the place of ``statement``, if there are any."""
    lines = []
    for found in names:
        row, local = COMPATIBLE[found.name], found.alias.asname or found.alias.name
        if row.imports:
            lines.append(row.text if local == row.binds else f"{row.text} as {local}")
        else:
            yield from (replace_expression(source, read, row.text) for read in found.reads)
    if not lines:
        yield remove_statement(source, statement)
        return
    span = source.span(statement)
    indent = source.text[source.line_start(span.start) : span.start]
    if "#" in source.text[span.start : span.end] or indent.strip():
        raise EditError("the import shares its line with other code, or contains a comment")
    yield Edit(span.start, span.end, 0, f"{source.newline}{indent}".join(lines))


def _module(name: str) -> str:
    return name.rpartition(".")[0]


def _keeps_graph(context: Context) -> Iterator[ast.Call]:
    """``loss.backward(retain_variables=True)``: nothing else takes that."""
    if "retain_variables" not in context.source.text:
        return
    for call in context.source.of_type(ast.Call):
        named = any(k.arg == "retain_variables" for k in call.keywords)
        if named and isinstance(call.func, ast.Attribute) and call.func.attr == "backward":
            yield call
