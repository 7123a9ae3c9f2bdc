"""A CUDA tensor type creates or casts a tensor.

## What it does
Finds ``torch.cuda.FloatTensor(...)`` and the other types, ``x.type(torch.cuda.FloatTensor)``,
``x.type("torch.cuda.FloatTensor")``, and names for such types (``Tensor = torch.cuda.FloatTensor if
cuda else torch.FloatTensor``) with all their uses. Sizes become ``torch.empty`` (``torch.zeros``)
with ``device=``; data is created with the CPU type and moved; a type around a new tensor of that
type is removed; a cast becomes ``.to(device, dtype)``. A name that several casts and nothing else
read becomes that of the dtype (``dtype = torch.float32``), unless it is the type's own name;
another one is removed. The default of a parameter that only casts read becomes the dtype, too.

## Why
A CUDA tensor type raises an error without CUDA: ``TypeError: type torch.cuda.FloatTensor not
available``. A type that is chosen by a condition works on CUDA and on the CPU only.

## Example
```python
Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
z = Tensor(np.random.normal(0, 1, (8, 100)))
images = images.type(Tensor)
```
becomes
```python
z = torch.FloatTensor(np.random.normal(0, 1, (8, 100))).to(device)
images = images.to(device, torch.float32)
```

## Fix safety
Safe if the arguments are definitely sizes, numbers, lists or arrays, and the cast object is
definitely a tensor, or a module cast to a floating-point type. Unsafe if they may be something else
(a type accepts only tensors of that type), if a name is chosen by a user's option that the device
may not depend on, and if ``isinstance(x, Tensor)`` tests a name: that becomes a test of the dtype,
but also tested the device. All uses of one name are fixed together. The dtype is omitted if the
tensor definitely has it already. A type that the program passes on, compares or stores in an
attribute needs your decision, and so does a parameter that a call may give another type; if an
option chooses between it and the CPU type (``self.Tensor = torch.cuda.FloatTensor if opt.gpu_ids
else torch.Tensor``), an availability check is added.
``isinstance(x, torch.cuda.FloatTensor)`` is left unchanged.

## References
- https://docs.pytorch.org/docs/stable/tensors.html
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.type.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    EditError,
    ask_in_choice,
    name_dtype,
    question_edits,
    remove_statement,
    typed_edits,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Kind, Mention, TypeAlias


class CudaTensorType(Codemod):
    """``torch.cuda.FloatTensor(3)``."""

    code = "DFX202"
    name = "cuda-tensor-type"
    local = True
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        aliases = context.facts.aliases
        types = [m for m in context.facts.mentions if m.dtype]
        inside = {n for a in aliases for n in (*ast.walk(a.statement), *a.reads, a.tree)}
        for alias in aliases:
            first = next(a for a in aliases if a.statement is alias.statement)
            if alias is first and not isinstance(alias.tree, ast.Name):
                decision = _Decision(alias, types, aliases)
                if any(decision.reads()):
                    yield from self._findings(context, decision)
        for mention in types:
            named = not _is_spelled_out(context, mention) or mention.tree in inside
            left = named or mention.guarded or mention.is_type
            if not left and _counts(context, mention):
                yield from self._findings(context, _Decision(None, [mention], ()))

    def _findings(self, context: Context, decision: _Decision) -> Iterator[Finding]:
        message = f"`{decision.type}` hard-codes CUDA"
        try:
            written = list(decision.written(context))
        except EditError as error:
            kept = ask_in_choice(context.source, context.facts, decision.tree)
            start = context.source.span(decision.first).start
            fix = Fix(kept, Applicability.SAFE, f"{self.code}-{start}") if kept else None
            yield context.finding(self, decision.first, message, fix, "" if fix else str(error))
            return
        group = f"{self.code}-{context.source.span(decision.first).start}"
        advice = _doubt(context, decision)
        applicability = Applicability.UNSAFE if advice else Applicability.SAFE
        for tree, edits in written:
            yield context.finding(self, tree, message, Fix(edits, applicability, group), advice)


class _Decision:
    """A type, or a name for one with all its uses, and the names that stand for this one."""

    def __init__(
        self, alias: TypeAlias | None, types: Sequence[Mention], aliases: Sequence[TypeAlias]
    ) -> None:
        self.alias = alias
        self.uses = [m for m in types if alias is None or m.tree in alias.reads]
        further = [a for a in aliases if alias is not None and a.tree in alias.reads]
        self.further = [_Decision(a, types, aliases) for a in further]
        """Names that stand for this one."""
        beside = [a for a in aliases if alias is not None and a.statement is alias.statement]
        if beside and beside[0] is alias:
            self.further += [_Decision(a, types, aliases) for a in beside[1:]]
        self.goes = not beside or beside[0] is alias
        """The statement goes with this name: it is the first of those that it binds."""
        self.type = alias.type if alias is not None else self.uses[0].name
        self.tree = alias.tree if alias is not None else self.uses[0].tree
        self.first: ast.AST = alias.statement if alias is not None else self.tree

    def reads(self) -> Iterator[ast.Name]:
        """Where the name is read, or one that is bound beside it."""
        yield from self.alias.reads if self.alias is not None else ()
        for decision in self.further:
            yield from decision.reads()

    def written(
        self, context: Context, *, named: bool = False
    ) -> Iterator[tuple[ast.AST, tuple[Edit, ...]]]:
        """The edits, by what they are for. Raises ``EditError``.

        ``named``: it is a parameter, and its default will stand for the dtype.
        """
        if self.alias is not None:
            if len(self.uses) != len(self.alias.reads) or not self.alias.sole:
                raise EditError("the name is also assigned or used elsewhere")
            if self.goes and not named:
                yield self.first, (self._defined(context, self.alias),)
        passed = {decision.alias.tree for decision in self.further if decision.alias}
        given = context.source, context.facts, context.settings
        for use in self.uses:
            if use.is_type:
                yield use.tree, question_edits(context.source, context.facts, use)
            elif use.tree not in passed:
                yield use.tree, typed_edits(*given, use, named=self._is_dtype(context))
        for decision in self.further:
            named = decision.is_parameter and self._is_dtype(context)
            yield from decision.written(context, named=named)

    @property
    def is_parameter(self) -> bool:
        """It is the default of a parameter."""
        return self.alias is not None and isinstance(self.alias.statement, ast.arg)

    def _is_dtype(self, context: Context) -> bool:
        """Several casts, or those of a function that has it as a default, and nothing else read the
        name: it is where the program says its dtype."""
        if self.alias is None or not all(further.is_parameter for further in self.further):
            return False
        given = {further.tree for further in self.further}
        casts = [use for use in self.uses if use.tree not in given]
        alone = len(casts) < 2 and not (given or (self.is_parameter and casts))
        says_type = {read.id for read in self.alias.reads} & {
            "Tensor",
            self.type.rpartition(".")[2],
        }
        return not (alone or says_type) and all(_is_cast(context, use) for use in casts)

    def _defined(self, context: Context, alias: TypeAlias) -> Edit:
        if self._is_dtype(context):
            return name_dtype(context.source, context.facts, alias, self.uses[0].dtype)
        if isinstance(alias.statement, ast.arg):
            raise EditError("the type is passed to other code")
        return remove_statement(context.source, alias.statement)


def _is_cast(context: Context, use: Mention) -> bool:
    """``x.type(dtype)``."""
    call = context.facts.parents.get(use.tree)
    return isinstance(call, ast.Call) and call.func is not use.tree and not use.is_type


def _is_spelled_out(context: Context, mention: Mention) -> bool:
    """``torch.cuda.FloatTensor``, and not a name that the program has for it."""
    text = ast.unparse(mention.tree)
    imported = {found.local for found in context.facts.imports}
    return ".cuda." in f".{text}" or text.partition(".")[0] in imported


def _doubt(context: Context, decision: _Decision) -> str:
    """What was not seen; empty where the fix is safe."""
    condition = decision.alias.condition if decision.alias is not None else ""
    for use in decision.uses:
        if use.is_type:
            return f"line {use.tree.lineno} also checks which device a tensor is on"
        call = context.facts.parents.get(use.tree)
        settled = use.takes_no_tensor or use.again
        if isinstance(call, ast.Call) and call.func is use.tree and not settled:
            return f"line {call.lineno} may pass it a tensor"
        cast = context.facts.calls.get(call) if isinstance(call, ast.Call) else None
        whole = not use.dtype.startswith("float") or (
            cast is not None and cast.kind is Kind.UNKNOWN
        )
        if cast is not None and not cast.surely_tensor and whole:
            return f"line {cast.call.lineno} may cast a module"
        if condition and not (use.device and use.device.flag.startswith(condition)):
            return f"the device may not depend on `{condition}`"
    return next(filter(None, (_doubt(context, d) for d in decision.further)), "")


def _counts(context: Context, mention: Mention) -> bool:
    """Whether it is called or handed on: it is compared everywhere, and the default is DFX207's."""
    parent = context.facts.parents.get(mention.tree)
    if isinstance(parent, ast.Compare):
        return False
    called = next((c for c in context.facts.library if c.call is parent), None)
    return called is None or "torch.set_default_tensor_type" not in called.names
