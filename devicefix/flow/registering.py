"""Whether a plain list or dict of modules can become an ``nn.ModuleList`` or ``nn.ModuleDict``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.flow import registration
from devicefix.flow.analysis import Analysis
from devicefix.flow.ir import Bodies
from devicefix.flow.values import External, Mapping, ObjectRecord, Value
from devicefix.source.parsing import Parents
from devicefix.source.walking import walk

_READERS = frozenset({"enumerate", "iter", "len", "list", "reversed", "tuple", "zip"})
"""Builtin functions to which a container of modules is as good as a list or dict."""
_METHODS = {
    "ModuleList": frozenset({"append", "insert", "pop"}),
    "ModuleDict": frozenset({"items", "keys", "pop", "values"}),
}
"""Methods that they have in common with lists and dicts, and that do the same."""
_Method = ast.FunctionDef | ast.AsyncFunctionDef


def container(
    analysis: Analysis,
    owner: ObjectRecord,
    target: ast.Attribute,
    statement: ast.stmt,
    value: Value,
) -> tuple[str, str]:
    """How the container is written that would register them, or why there is none."""
    plan = _Registering(analysis, owner, target, statement)
    kind, reason = plan.kind(value)
    reason = reason or plan.objection(kind)
    wrapper = "" if reason else plan.spelled(kind)
    return wrapper, reason or ("" if wrapper else f"`{kind}` has no name in this file")


def place_of(parents: Parents, tree: ast.AST) -> tuple[_Method | None, ast.ClassDef | None]:
    """The method around ``tree``, and its class; None where it is in none."""
    method: _Method | None = None
    current = parents.get(tree)
    while current is not None and not isinstance(current, ast.ClassDef):
        if isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef)):
            method = current
        current = parents.get(current)
    return (method, current) if isinstance(current, ast.ClassDef) else (None, None)


def is_receiver(tree: ast.expr, method: _Method) -> bool:
    """``self`` of the method around it."""
    spec = [*method.args.posonlyargs, *method.args.args]
    return bool(spec) and isinstance(tree, ast.Name) and tree.id == spec[0].arg


class _Registering:
    """One attribute of one class, and what the program does with it."""

    def __init__(
        self, analysis: Analysis, owner: ObjectRecord, target: ast.Attribute, statement: ast.stmt
    ) -> None:
        assert owner.cls is not None
        self._analysis = analysis
        self._target = target
        self._statement = statement
        self._name = target.attr
        self._relatives = registration.family(owner.cls, analysis.classes())
        self._calls = {r.tree for r in analysis.modules}
        init, _ = place_of(analysis.parents, statement)
        assert isinstance(init, ast.FunctionDef)
        self._init = init

    def kind(self, value: Value) -> tuple[str, str]:
        """Which container it is, and why its elements are not surely modules."""
        written = getattr(self._statement, "value", None)
        elements: list[ast.expr] = []
        match written:
            case ast.List(elts=elts) | ast.Tuple(elts=elts):
                kind, elements = "ModuleList", elts
            case ast.ListComp(elt=elt):
                kind, elements = "ModuleList", [elt]
            case ast.Dict(values=values):
                kind, elements = "ModuleDict", values
            case ast.DictComp(value=made):
                kind, elements = "ModuleDict", [made]
            case _:
                return "", "it is not created where it is assigned"
        if not all(self._is_made(element) for element in elements):
            return kind, "its elements may not be modules"
        if isinstance(value, Mapping) and not all(map(_has_names, value.records)):
            return kind, "its keys may not be valid module names"
        return kind, ""

    def _is_made(self, tree: ast.expr) -> bool:
        """A call that makes a module, or moves one that is made there."""
        if isinstance(tree, ast.Call) and tree in self._analysis.seen.transfers:
            return isinstance(tree.func, ast.Attribute) and self._is_made(tree.func.value)
        return isinstance(tree, ast.Call) and tree in self._calls

    def objection(self, kind: str) -> str:
        """What the program does that it could not do with the other container."""
        if not registration.is_fit_name(self._name) or not all(
            registration.is_ordinary(cls, self._name) for cls in self._relatives
        ):
            return f"a class implements `{self._name}` itself"
        body = self._analysis.home(self._init).source.once(Bodies).of(self._init)
        if not isinstance(self._statement, ast.Assign) or not registration.starts_before(
            body, [self._statement]
        ):
            return "it is assigned before `super().__init__()`, or on some paths only"
        for use in self._uses():
            if not self._is_fit(use, kind):
                source = self._analysis.home(use).source
                written = source.segment(self._analysis.parents.get(use, use))
                return f"`{written}` may need a {'dict' if kind == 'ModuleDict' else 'list'}"
        return ""

    def _uses(self) -> Iterator[ast.Attribute]:
        """Where the program reads or binds an attribute of that name of such an object."""
        mine = [cls.tree for cls in self._relatives]
        for file in self._analysis.owned:
            for use in file.source.nodes:
                if isinstance(use, ast.Attribute) and use.attr == self._name:
                    method, cls = place_of(self._analysis.parents, use)
                    other = method is not None and cls not in mine
                    if not (other and method is not None and is_receiver(use.value, method)):
                        yield use

    def _is_fit(self, use: ast.Attribute, kind: str) -> bool:
        parent = self._analysis.parents.get(use)
        match parent:
            case _ if use is self._target:
                return True
            case _ if not isinstance(use.ctx, ast.Load):
                return False
            case ast.For(iter=read) | ast.comprehension(iter=read):
                return read is use
            case ast.Subscript(value=read):
                return read is use and self._is_fit_item(parent)
            case ast.Starred() | ast.Compare():
                return True
            case ast.Call(func=ast.Name(id=name)):
                free = self._analysis.home(use).frame
                return name in _READERS and (free is None or free.held(name) is None)
            case ast.Attribute(attr=name):
                return name in _METHODS[kind] and self._is_fit_call(parent)
            case _:
                return False

    def _is_fit_item(self, item: ast.Subscript) -> bool:
        """``self.layers[i]`` is the same; what is stored there has to be a module."""
        if isinstance(item.ctx, ast.Load):
            return not isinstance(item.slice, ast.Slice)
        parent = self._analysis.parents.get(item)
        return isinstance(parent, ast.Assign) and self._is_made(parent.value)

    def _is_fit_call(self, method: ast.Attribute) -> bool:
        """``self.layers.append(nn.Linear(3, 3))``: what is added has to be a module."""
        call = self._analysis.parents.get(method)
        if not isinstance(call, ast.Call) or call.func is not method:
            return False
        added = method.attr in ("append", "insert")
        return not added or (bool(call.args) and self._is_made(call.args[-1]))

    def spelled(self, kind: str) -> str:
        """The class as the file of the statement can write it; empty where it cannot."""
        top = self._analysis.home(self._statement).frame
        names = (top.env or {}) if top is not None else {}
        local = {n.id for n in walk(self._init) if isinstance(n, ast.Name) and _binds(n)}
        local |= {n.arg for n in walk(self._init) if isinstance(n, ast.arg)}
        for wanted, rest in (
            (f"torch.nn.{kind}", ""),
            ("torch.nn", f".{kind}"),
            ("torch", f".nn.{kind}"),
        ):
            for name, value in names.items():
                if name.isidentifier() and name not in local and value == External(wanted):
                    return name + rest
        return ""


def _binds(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _has_names(record: object) -> bool:
    """Whether all keys of a dict can be names of modules: strings without a dot, not taken."""
    items = getattr(record, "items", {})
    if getattr(record, "element", None) is not None:
        return False
    return all(isinstance(k, str) and k and "." not in k and registration.is_free(k) for k in items)
