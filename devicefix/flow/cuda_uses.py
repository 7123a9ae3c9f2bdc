"""The uses of CUDA in a file, and why each may stay, as far as that is known."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from devicefix.findings import CudaUse, Reason, Span
from devicefix.flow.analysis import Analysis
from devicefix.flow.cuda_guards import Guards, is_a_choice
from devicefix.flow.cuda_sites import Site, Sort, sites
from devicefix.flow.deciders import decider
from devicefix.flow.facts import DeviceNumber, Kind, Number, TransferCall
from devicefix.flow.flags import asking
from devicefix.flow.imported import dotted, origins
from devicefix.flow.mentions import is_annotation
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import FileRecord
from devicefix.source import Source
from devicefix.torch_api import HARMLESS, NEEDS_CUDA, QUESTIONS, canonical

_SEARCHES = frozenset({"endswith", "get", "startswith"})
"""Methods of strings and dictionaries that look for what they are given."""
_AS_IT_IS = frozenset({"frozenset", "list", "set", "str", "torch.device", "tuple"})
"""What still names the same device."""
_KERNELS = frozenset(
    f"torch.utils.cpp_extension.{name}" for name in ("CUDAExtension", "load", "load_inline")
)


def cuda_uses(
    analysis: Analysis,
    file: FileRecord,
    calls: Mapping[ast.Call, TransferCall],
    numbers: Iterable[DeviceNumber],
    needs: str,
) -> tuple[CudaUse, ...]:
    """Those of ``file``, in the order of the text; ``needs`` says why it needs CUDA itself.

    ``calls`` and ``numbers`` are those of the file. A ``cuda`` method of a class that is none of
    torch's is no use.
    """
    source = file.source
    found = [
        site
        for site in source.once(sites)
        if not (isinstance(site.tree, ast.Call) and _is_own(calls.get(site.tree)))
    ]
    reasons = _Reasons(analysis, file, needs)
    uses = [_use(source, site, reasons) for site in found]
    uses += _numbers(source, numbers, uses, reasons)
    return tuple(sorted(uses, key=lambda use: use.name))


def _is_own(call: TransferCall | None) -> bool:
    return call is not None and call.kind is Kind.OTHER


def _use(source: Source, site: Site, reasons: _Reasons) -> CudaUse:
    span = name = source.span(site.tree)
    call = reasons.call_around(site.tree)
    if call is not None and site.sort is not Sort.MOVE:
        span = source.span(call)
    if site.sort is Sort.MOVE and isinstance(site.tree, ast.Call):
        name = Span(source.span(site.tree.func).end - len("cuda"), span.end)
    return CudaUse(span, name, *reasons.of(site))


def _numbers(
    source: Source, numbers: Iterable[DeviceNumber], uses: list[CudaUse], reasons: _Reasons
) -> Iterator[CudaUse]:
    """Numbers that are used as devices, where nothing in them names CUDA itself."""
    named = [u.span if u.span.start == u.name.start else u.name for u in uses]
    trees = [number.tree for number in numbers if number.kind is not Number.LOCATED]
    for tree in dict.fromkeys((*trees, *reasons.places())):
        if not any(_meet(source.span(tree), other) for other in named):
            yield _use(source, Site(tree, Sort.NUMBER), reasons)


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


class _Reasons:
    """Why the uses of one file stay."""

    def __init__(self, analysis: Analysis, file: FileRecord, needs: str) -> None:
        self._analysis = analysis
        self._parents = analysis.parents
        self._file = file
        self._needs = needs
        self._guards = Guards(analysis, file.source)

    def places(self) -> Iterator[ast.expr]:
        """Numbers where devices are wanted, below a check for CUDA, too."""
        for tree in self._analysis.seen.places:
            if isinstance(tree, ast.Constant) and self._analysis.home(tree) is self._file:
                yield tree

    def of(self, site: Site) -> tuple[Reason, str]:
        """A reason, and what is known besides."""
        if site.sort is Sort.PLACE or site.name in QUESTIONS:
            return Reason.ASKED, ""
        if reason := self._decided(site.tree):
            return reason, ""
        if _is_harmless(site.name) or is_annotation(self._parents, site.tree):
            return Reason.HARMLESS, ""
        if self._is_guarded(site.tree):
            return Reason.GUARDED, ""
        if self._needs:
            return Reason.NEEDED, self._needs
        if needed := _why_needed(site):
            return Reason.NEEDED, needed
        return Reason.UNKNOWN, self._found_in(site)

    def call_around(self, tree: ast.AST) -> ast.Call | None:
        """What ``tree`` is called in, or is given to."""
        above = self._parents.get(tree)
        if isinstance(above, ast.keyword):
            above = self._parents.get(above)
        return above if isinstance(above, ast.Call) else None

    def _decided(self, tree: ast.AST) -> Reason | None:
        """What an expression around ``tree`` does with it: compares or chooses, or nothing."""
        child, parent = tree, self._parents.get(tree)
        while isinstance(parent, (ast.expr, ast.keyword, ast.MatchValue)):
            match parent:
                case ast.Compare() | ast.MatchValue() | ast.keyword(arg="choices"):
                    return Reason.ASKED
                case ast.IfExp(test=test) if (
                    child is not test and self._guards.says(parent) is not None
                ):
                    return Reason.ASKED
                case ast.Call() if child is not parent.func:
                    called = self._called(parent)
                    if called in HARMLESS:
                        return Reason.HARMLESS
                    if _looks_for(parent, called, child):
                        return Reason.ASKED
                    if called not in _AS_IT_IS:
                        return None
                case ast.Call(func=ast.Attribute(value=ast.Constant())):
                    pass  # `"cuda:{}".format(i)`
                case ast.Call() | ast.Dict() | ast.Lambda():
                    return None
            child, parent = parent, self._parents.get(parent)
        return None

    def _called(self, call: ast.Call) -> str:
        """The name of what is called; of a method of anything its own."""
        names = self._analysis.seen.calls.get(call, set())
        if len(names) == 1:
            return next(iter(names)).removeprefix("builtins.")
        name = canonical(dotted(call.func, self._file.source.once(origins)))
        return name or getattr(call.func, "id", "")

    def _is_guarded(self, tree: ast.AST) -> bool:
        chosen = isinstance(tree, ast.expr) and is_a_choice(self._analysis, tree)
        asked = chosen or self._guards.are_around(tree)
        return asked or any(map(self._is_flag, self._conditions(tree)))

    def _conditions(self, tree: ast.AST) -> Iterator[ast.expr]:
        """What is asked around ``tree`` in its function."""
        child, parent = tree, self._parents.get(tree)
        while parent is not None and not isinstance(child, (*FUNCTIONS, ast.Lambda)):
            if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
                yield parent.test
            child, parent = parent, self._parents.get(parent)

    def _is_flag(self, test: ast.expr) -> bool:
        """A condition under which the file moves things."""
        if not self._questions:
            return False
        asked = decider(self._analysis, test, None)
        return asked is not None and asked.question in self._questions

    @cached_property
    def _questions(self) -> frozenset[str]:
        conditions = asking(self._analysis, self._file)
        return frozenset(c.decider.question for c in conditions if c.decider is not None)

    def _found_in(self, site: Site) -> str:
        """What is around a use of which nothing is known."""
        if site.sort is Sort.MOVE:
            seen = site.tree in self._analysis.seen.transfers
            return "" if seen else "in code that was not analysed"
        tree: ast.AST = site.tree
        call = self.call_around(tree)
        while call is not None and call.func is not tree and self._called(call) in _AS_IT_IS:
            tree, call = call, self.call_around(call)
        if call is not None and call.func is not tree:
            return f"passed to `{_short(call.func)}`"
        match self._parents.get(tree):
            case ast.arguments():
                return "the default of a parameter"
            case ast.IfExp(test=test):
                return f"chosen by `{_short(test)}`"
            case ast.Assign(targets=[target]):
                return f"assigned to `{_short(target)}`"
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
                return "one of several values"
        return ""


def _is_harmless(name: str) -> bool:
    return name in HARMLESS or name.startswith("torch.backends.cuda.")


def _looks_for(call: ast.Call, called: str, child: ast.AST) -> bool:
    """``isinstance(x, torch.cuda.FloatTensor)``, ``device.startswith("cuda")``."""
    if called in ("isinstance", "issubclass"):
        return child in call.args[1:]
    if called == "hasattr" or called == "click.Choice":
        return True
    return isinstance(call.func, ast.Attribute) and call.func.attr in _SEARCHES


def _why_needed(site: Site) -> str:
    if site.sort is Sort.LIBRARY:
        return f"`{site.name}` is a library for CUDA"
    if site.sort is Sort.TEXT and site.name == "nccl":
        return "NCCL supports CUDA devices only"
    if site.name in _KERNELS:
        return "it compiles code for CUDA"
    return "it raises an error without CUDA" if site.name in NEEDS_CUDA else ""


def _short(tree: ast.expr) -> str:
    text = ast.unparse(tree)
    return text if len(text) <= 40 else f"{text[:39]}…"
