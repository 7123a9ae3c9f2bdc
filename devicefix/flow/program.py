"""Evaluate a whole program: its body, then the functions that nobody calls."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devicefix.flow import buffers, calls, expressions, statements
from devicefix.flow.analysis import Analysis
from devicefix.flow.facts import FileFacts
from devicefix.flow.frame import Arguments, BudgetExceededError, Frame
from devicefix.flow.functions import is_host_class, prepare, run
from devicefix.flow.graph import HARD, HOST_NODE, TARGET_NODE, Label, Site, SiteKind
from devicefix.flow.placement import place
from devicefix.flow.values import (
    PLAIN,
    ClassRecord,
    Function,
    Instance,
    ObjectRecord,
    Opaque,
    Parameter,
    Unknown,
    Value,
)
from devicefix.source import Source

MAX_PASSES = 3
"""Evaluations of the whole program: attributes set late are seen by methods evaluated early."""
ANCHOR = 500.0
"""What it is worth to have a module that is used on data on the device."""
HEAVY = 40.0
"""The same for heavy arithmetic in a program without modules."""
_PLAIN_ANNOTATIONS = frozenset(("int", "float", "str", "bool", "bytes", "Path"))


class _Semantics:
    """Ties the mutually recursive parts of evaluation together."""

    def evaluate(self, frame: Frame, tree: ast.expr | None) -> Value:
        return expressions.evaluate(frame, tree)

    def execute(self, frame: Frame, body: Sequence[ast.stmt]) -> None:
        statements.execute(frame, body)

    def call(self, frame: Frame, tree: ast.expr, callee: Value, args: Arguments) -> Value:
        return calls.call(frame, tree, callee, args)


def analyse(source: Source) -> FileFacts:
    """Where every tensor and module of a file lives, and what is wrong with that.

    Nothing of the program is imported or executed.

    Raises:
        SourceError: the file cannot be parsed.
    """
    analysis = Analysis(source, _Semantics())
    complete = True
    try:
        for _ in range(MAX_PASSES):
            analysis.restart()
            known = _evident(analysis)
            _evaluate(analysis)
            if not analysis.changed and _evident(analysis) == known:
                break
    except BudgetExceededError:
        complete = False
    anchored = anchor_modules(analysis)
    if not anchored and not analysis.explicit_host:
        work = analysis.heavy | (analysis.losses if analysis.has_device() else set())
        for node in work:
            analysis.graph.connect(TARGET_NODE, node, 0.0, HEAVY)
    return place(analysis, complete=complete)


def _evident(analysis: Analysis) -> int:
    """How many parameters have shown that they are tensors."""
    return sum(parameter.tensor for parameter in analysis.parameters.values())


def _evaluate(analysis: Analysis) -> None:
    module = Frame(analysis, analysis.source.tree)
    statements.execute(module, analysis.source.tree.body)
    module.flush(forget=False)
    if module.env is None:
        module.env = {}
    for tree in _functions(analysis):
        if tree not in analysis.entered and tree in analysis.definitions:
            _evaluate_root(analysis, analysis.definitions[tree])
    # functions defined inside those
    for tree in _functions(analysis):
        if tree not in analysis.entered and tree in analysis.definitions:
            _evaluate_root(analysis, analysis.definitions[tree])


def _functions(analysis: Analysis) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    found = [
        tree
        for tree in ast.walk(analysis.source.tree)
        if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    # forward tells most about a module: see it before the helpers that it calls
    return sorted(found, key=lambda t: (t.name not in ("__init__", "forward"), t.lineno))


def _evaluate_root(analysis: Analysis, function: Function) -> None:
    """A function that nobody calls here: its parameters say what they are by how they are used."""
    caller = Frame(analysis, function.tree, function.frame)
    caller.root_context = True
    caller.owner = function.owner
    inner = Frame(
        analysis,
        function.tree,
        function.frame,
        context=analysis.context(None, function.tree, function.tree),
        caller=caller,
        owner=function.owner,
    )
    inner.host = function.owner is not None and is_host_class(function.owner)
    _bind_roots(inner, function)
    run(inner, function)


def _bind_roots(inner: Frame, function: Function) -> None:
    tree = function.tree
    parameters = [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]
    defaults = [
        *[None] * (len(parameters) - len(tree.args.kwonlyargs) - len(tree.args.defaults)),
        *tree.args.defaults,
        *tree.args.kw_defaults,
    ]
    start = 0
    if function.owner is not None and function.kind != "staticmethod" and parameters:
        this = _instance(inner, function.owner)
        inner.receiver = this
        inner.bind(parameters[0].arg, this)
        start = 1
    for parameter, default in list(zip(parameters, defaults, strict=True))[start:]:
        inner.bind(parameter.arg, _root_value(inner, parameter, default))
    for extra in (tree.args.vararg, tree.args.kwarg):
        if extra is not None:
            inner.bind(extra.arg, Unknown(f"the parameter {extra.arg!r}"))


def _root_value(inner: Frame, parameter: ast.arg, default: ast.expr | None) -> Value:
    if isinstance(default, ast.Constant) and isinstance(default.value, (int, float, str)):
        return PLAIN
    annotation = ast.unparse(parameter.annotation) if parameter.annotation else ""
    if annotation in _PLAIN_ANNOTATIONS:
        return PLAIN
    key = (inner.tree, parameter.arg)
    record = inner.analysis.parameters.get(key)
    if record is None:
        record = inner.analysis.parameters[key] = Parameter(parameter.arg, inner)
    record.frame = inner
    record.node = inner.graph.node(("root", *key))
    if annotation in ("Tensor", "torch.Tensor", "torch.FloatTensor", "torch.LongTensor"):
        record.tensor = True
    return Opaque(record)


def _instance(frame: Frame, cls: ClassRecord) -> Value:
    """The objects of ``cls`` that the program makes, else one that stands for all."""
    made = [r for r in frame.analysis.objects() if r.cls is not None and cls in r.cls.ancestry()]
    if made:
        return Instance(frozenset(made))
    record, new = frame.analysis.object_record(("any", cls), cls.tree)
    prepare(frame, record, cls)
    record.generic = True
    record.moved = True
    if record.module:
        record.stateful = True
    init = cls.lookup("__init__")
    if new and isinstance(init, Function) and init.tree not in frame.analysis.entered:
        _evaluate_root(frame.analysis, init)
    return Instance(frozenset((record,)))


# -- anchors -----------------------------------------------------------------------------------


def anchor_modules(analysis: Analysis) -> bool:
    """Modules that are used on data belong on the device; true if there are any in the program."""
    graph = analysis.graph
    roots: dict[ObjectRecord, list[ObjectRecord]] = {}
    holders = buffers.holders(analysis)
    for record in analysis.modules:
        roots.setdefault(record.root, []).append(record)
    found = False
    for root, members in roots.items():
        if any(m.generic for m in members):
            graph.fix(root.node, Label.TARGET)
            continue
        if any(m.framework for m in members):
            continue
        used = any(m.called for m in members) and any(m.stateful for m in members)
        if any(m.moved for m in members):
            found = True
        elif root.tensors:
            graph.connect(TARGET_NODE, root.node, 0.0, ANCHOR if used else 0.0)
            for frame, expr, value in root.tensors:
                frame.use(expr, value, root.node)
        elif (used or root in holders) and root.frame is not None and not root.frame.host:
            found = found or used
            site = Site(SiteKind.MODULE, root.tree)
            if root.occurrence is not None:
                analysis.sites.setdefault(site, {})[root.context] = root.occurrence
            graph.connect(HOST_NODE, root.node, 1.0, HARD, site, root.context)
            graph.connect(TARGET_NODE, root.node, 0.0, ANCHOR if used else 0.0)
    for parameter in analysis.parameters.values():
        if parameter.tensor and not parameter.moved:
            graph.fix(parameter.node, Label.TARGET)
    return found
