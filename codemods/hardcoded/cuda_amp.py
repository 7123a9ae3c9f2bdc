"""Mixed precision uses ``torch.cuda.amp``, which supports CUDA only.

## What it does
Rewrites ``torch.cuda.amp.autocast`` and ``GradScaler`` to ``torch.amp``, which takes the device
type: imports, calls, context managers, decorators. An existing condition (``enabled=args.amp``) is
kept and combined. ``custom_fwd`` and ``custom_bwd`` run anywhere: they are only rewritten if the
same statement imports them.

## Why
The forms of ``torch.cuda.amp`` are deprecated. They switch themselves off without CUDA, with a
warning; ``torch.amp.autocast("cpu")`` does not: it computes in bfloat16, and results change. So
``enabled=`` depends on the device.

## Example
```python
from torch.cuda.amp import GradScaler, autocast

scaler = GradScaler(init_scale=1024.0)
with autocast():
    loss = model(x)
```
becomes
```python
from torch.amp import GradScaler, autocast

scaler = GradScaler(device.type, init_scale=1024.0, enabled=device.type == "cuda")
with autocast(device.type, enabled=device.type == "cuda"):
    loss = model(x)
```

## Fix safety
Safe: on the CPU everything stays in full precision, on CUDA nothing changes. If no variable is
definitely a ``torch.device`` (``device`` may be a string, a decorator may be evaluated before the
device is chosen), ``"cuda"`` is used instead: without CUDA that warns and does nothing, as
``torch.cuda.amp`` does. ``GradScaler`` needs torch 2.3, ``autocast`` 1.12 and ``custom_fwd`` 2.4:
where the project has to run with an older one (``min-torch``) they are reported and left unchanged.
Imports inside ``try`` or under a version check, star imports, and names that are used other than by
calling them need your decision; so does everything in a program that also uses autocast on the CPU.

## References
- https://docs.pytorch.org/docs/stable/amp.html
- https://docs.pytorch.org/docs/stable/notes/amp_examples.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, amp_edits, import_as, import_from, require, respelled
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import CudaImport, LibraryCall, Mention

_AMP = "torch.cuda.amp"
_AUTOGRAD = frozenset((f"{_AMP}.custom_fwd", f"{_AMP}.custom_bwd"))
_NAMES = _AUTOGRAD | {f"{_AMP}.autocast", f"{_AMP}.GradScaler"}


class CudaAmp(Codemod):
    """``torch.cuda.amp.autocast()``."""

    code = "DFX205"
    name = "cuda-amp"
    local = True
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        mentions = [m for m in context.facts.mentions if _is_of_cuda(context, m)]
        imports = [i for i in context.facts.imports if f"{i.origin}.".startswith(f"{_AMP}.")]
        read = {name for i in imports for name in i.reads}
        for statement in dict.fromkeys(i.statement for i in imports):
            together = [i for i in imports if i.statement is statement]
            if all(i.origin in _AUTOGRAD for i in together):
                continue  # they run without CUDA, too
            reads = {name for i in together for name in i.reads}
            uses = [m for m in mentions if m.root in reads]
            yield from self._findings(context, together, uses)
        for mention in mentions:
            if mention.root not in read and mention.name not in _AUTOGRAD:
                yield from self._findings(context, [], [mention])

    def _findings(
        self, context: Context, imports: Sequence[CudaImport], uses: Sequence[Mention]
    ) -> Iterator[Finding]:
        """An import and all that its names are used for are one decision."""
        first = imports[0].statement if imports else uses[0].tree
        group = f"{self.code}-{context.source.span(first).start}"
        message = f"`{_AMP}` supports no device other than CUDA"
        advice = _why_not(context, imports, uses)
        written: list[tuple[ast.AST, tuple[Edit, ...]]] = []
        try:
            written = [] if advice else list(_written(context, imports, uses))
        except EditError as error:
            advice = str(error)
        if advice:
            yield context.finding(self, first, message, None, advice)
            return
        for tree, edits in written:
            fix = Fix(edits, Applicability.SAFE, group)
            yield context.finding(self, tree, message, fix)


def _is_of_cuda(context: Context, mention: Mention) -> bool:
    """A name of ``torch.cuda.amp`` that is no stand-in for what an older torch lacks."""
    if not f"{mention.name}.".startswith(f"{_AMP}."):
        return False
    child: ast.AST = mention.tree
    parent = context.facts.parents.get(child)
    while parent is not None and not isinstance(parent, (ast.FunctionDef, ast.ClassDef)):
        if isinstance(parent, (ast.If, ast.IfExp, ast.Try)) and _is_tried(context, parent, child):
            return False
        child, parent = parent, context.facts.parents.get(parent)
    return True


def _is_tried(context: Context, tree: ast.If | ast.IfExp | ast.Try, child: ast.AST) -> bool:
    """Whether another branch than ``child``'s takes the name from ``torch.amp``."""
    wanted = f"{context.facts.torch or 'torch'}.amp."
    branches = [tree.body, tree.orelse, getattr(tree, "handlers", [])]
    lists = [branch if isinstance(branch, list) else [branch] for branch in branches]
    own = [nodes for nodes in lists if child in nodes]
    others = [node for nodes in lists if own and nodes not in own for node in nodes]
    named = (n for other in others for n in ast.walk(other) if isinstance(n, ast.Attribute))
    return any(ast.unparse(name).startswith(wanted) for name in named)


def _written(
    context: Context, imports: Sequence[CudaImport], uses: Sequence[Mention]
) -> Iterator[tuple[ast.AST, tuple[Edit, ...]]]:
    source, facts, oldest = context.source, context.facts, context.program.oldest_torch
    if imports:
        for found in imports:
            require(oldest, found.origin.replace(".cuda.", "."))
        yield imports[0].statement, (_imported(context, imports[0]),)
    for use in uses:
        if use.is_type:
            require(oldest, use.name.replace(".cuda.", "."))
        spelled = () if imports else (respelled(source, facts, use.tree),)
        edits = () if use.is_type else amp_edits(source, facts, context.settings, oldest, use)
        if spelled or edits:
            yield use.tree, (*spelled, *edits)


def _imported(context: Context, found: CudaImport) -> Edit:
    statement = found.statement
    if isinstance(statement, ast.ImportFrom):
        module = "torch.amp" if found.origin != _AMP else "torch"
        return import_from(context.source, statement, module)
    alias = next(a for a in statement.names if a.asname == found.local)
    return import_as(context.source, statement, alias, "torch.amp")


def _why_not(context: Context, imports: Sequence[CudaImport], uses: Sequence[Mention]) -> str:
    """What the user has to decide; empty if nothing prevents the fix."""
    nests = f"{_AMP}.autocast" in {use.name for use in uses}
    if nests and any(_works_on_host(call) for call in context.facts.library):
        return "the program also uses autocast on other devices"
    if not all(i.sole for i in imports):
        return "the import is inside `try`, or its name is also used for something else"
    if any(not (i.origin in _NAMES or (i.origin == _AMP and i.local != "*")) for i in imports):
        return "`torch.amp` does not have all of these names"
    if imports and len(imports) != len(getattr(imports[0].statement, "names", ())):
        return "the statement also imports something else"
    known = {use.root for use in uses}
    lost = [name for i in imports for name in i.reads if name not in known]
    return f"line {lost[0].lineno} uses the name in another way" if lost else ""


def _works_on_host(found: LibraryCall) -> bool:
    """``torch.autocast(device.type)``: on the CPU it is in force, and ours would end it there."""
    told = any(k.arg == "enabled" for k in found.call.keywords)
    if "torch.amp.autocast" not in found.names or told:
        return False
    kind = found.call.args[0] if found.call.args else None
    return not (isinstance(kind, ast.Constant) and kind.value == "cuda")
