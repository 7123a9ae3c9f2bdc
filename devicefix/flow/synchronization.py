"""Which operations start work on the device, and which may make the host wait for it.

A call of torch returns as soon as the device has been told what to do. The host waits where it
asks for a value: https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
What is not known may wait: who asks wants to be sure that nothing does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.graph import Label, Solution
from devicefix.flow.ir import Bodies, Body, Kind, Op
from devicefix.flow.joins import alternatives, options, parts_in, tensors_in
from devicefix.flow.values import (
    Array,
    Bound,
    Class,
    Const,
    Dataset,
    Device,
    Dtype,
    External,
    Flag,
    Function,
    Generator,
    Instance,
    Listing,
    Loader,
    Mapping,
    ObjectRecord,
    Opaque,
    Optimizer,
    Partial,
    Plain,
    Residence,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    is_text,
)
from devicefix.torch_api import (
    FACTORIES,
    LIKE,
    NEEDS_VALUES,
    Effect,
    World,
    goes_on,
    is_optimizer,
    layer,
    method,
    model_goes_on,
    world,
)

_OF_THE_HOST: Final = (
    *(Plain, Const, Flag, Residence, Device, Dtype, Array, Generator),
    *(Loader, Dataset, Optimizer, External),
)
_HELD: Final = (Listing, Mapping, Tuple, Stream)
_LOOKS: Final = frozenset(
    f"builtins.{name}"
    for name in (
        *("abs", "all", "any", "bool", "complex", "divmod", "float", "format", "hash", "input"),
        *("int", "max", "min", "print", "repr", "round", "sorted", "str", "ascii", "pow"),
    )
)
"""Functions of Python that ask a tensor for its values."""
_IDLE: Final = frozenset(
    f"builtins.{name}"
    for name in (
        *("bytearray", "callable", "dict", "enumerate", "getattr", "hasattr", "id", "isinstance"),
        *("issubclass", "iter", "len", "list", "next", "object", "open", "range", "reversed"),
        *("set", "frozenset", "slice", "sum", "super", "tuple", "type", "zip"),
    )
)
"""Functions of Python that do not."""
_OF_MODULES: Final = frozenset({
    "add_module", "buffers", "children", "eval", "modules", "named_buffers", "named_children",
    "named_modules", "named_parameters", "parameters", "register_buffer", "requires_grad_",
    "train", "zero_grad",
})  # fmt: skip
"""Methods of modules that do nothing on the device, or only start it."""
_STILL: Final = frozenset({
    Kind.ARGUMENT, Kind.UNBOUND, Kind.STORE, Kind.DELETE, Kind.PHI, Kind.LOAD, Kind.OUTER,
    Kind.STORE_OUTER, Kind.DELETE_OUTER, Kind.ATTRIBUTE, Kind.SET_ATTRIBUTE, Kind.DELETE_ATTRIBUTE,
    Kind.CONSTANT, Kind.BUILD, Kind.UNPACK, Kind.CAUGHT, Kind.IMPORT, Kind.JUMP, Kind.MAY_RAISE,
    Kind.RETURN, Kind.RAISE,
})  # fmt: skip
"""Operations that run no code of anybody else."""


class Synchronization:
    """The operations of a program after evaluation."""

    def __init__(self, analysis: Analysis, solution: Solution) -> None:
        self._analysis = analysis
        self._solution = solution
        self._waits: dict[Op, bool] = {}
        self._waiting: dict[ast.AST, bool] = {}
        self._working: dict[ast.AST, bool] = {}

    # -- values --------------------------------------------------------------------------------

    def values(self, tree: ast.AST) -> list[Value]:
        """What an expression is, in each context; none where nothing has evaluated it."""
        trace = self._analysis.trace
        noted = trace.values.get(tree, {}) if trace is not None else {}
        return [part for value in noted.values() for part in alternatives(value)]

    def is_on(self, tree: ast.AST, label: Label) -> bool:
        """Whether an expression surely is a tensor that lives there."""
        values = self.values(tree)
        return bool(values) and all(
            isinstance(value, Tensor)
            and bool(value.nodes)
            and all(self._solution.label(node) is label for node in value.nodes)
            for value in values
        )

    def _on_device(self, value: Value) -> bool:
        """Whether a value is, or holds, a tensor of the device."""
        nodes = (node for tensor in tensors_in(value) for node in tensor.nodes)
        return any(self._solution.label(node) is Label.TARGET for node in nodes)

    def may_hold(self, tree: ast.AST) -> bool:
        """Whether an expression may be, or hold, a tensor of the device."""
        values = self.values(tree)
        return not values or any(map(self._may_be, values))

    def _may_be(self, value: Value) -> bool:
        for part in parts_in(value):
            if isinstance(part, Tensor):
                if not part.nodes or self._on_device(part):
                    return True
            elif isinstance(part, Instance):
                if not all(record.module for record in part.records):
                    return True
            elif not isinstance(part, (*_OF_THE_HOST, *_HELD)):
                return True
        return False

    # -- waiting -------------------------------------------------------------------------------

    def may_wait(self, op: Op) -> bool:
        """Whether the host may wait for the device there."""
        if op.kind in _STILL:
            return False
        if op not in self._waits:
            self._waits[op] = self._may_wait(op)
        return self._waits[op]

    def _may_wait(self, op: Op) -> bool:
        match op.kind:
            case Kind.CLOSURE:
                return isinstance(op.node, ast.GeneratorExp) and self._body_waits(op.node)
            case Kind.BRANCH:
                asked = op.operands[0]
                return asked.kind is not Kind.NEXT and self._asks(asked)
            case Kind.COMPUTE:
                return self._computes(op)
            case Kind.ITEM | Kind.SET_ITEM | Kind.DELETE_ITEM:
                return self._indexes(op)
            case Kind.NEXT:
                source = op.operands[0].node
                held = (*_HELD, Loader, Dataset, Plain, Const, Array)
                values = self.values(source)
                return not values or not all(isinstance(v, (*held, Tensor)) for v in values)
            case Kind.ENTER:
                return self._enters(op.operands[0].node)
            case Kind.CALL if isinstance(op.node, ast.Call):
                return self._calls(op.node)
        return True

    def _asks(self, op: Op) -> bool:
        """Whether the truth of a value may be that of a device tensor."""
        if op.kind is Kind.PHI:
            return any(map(self._asks, op.operands))
        if isinstance(op.node, ast.Compare):
            plain = (ast.Is, ast.IsNot)
            return not all(isinstance(o, plain) for o in op.node.ops) and any(
                self._may_answer(operand.node) for operand in op.operands
            )
        return self._may_answer(op.node)

    def _may_answer(self, tree: ast.AST) -> bool:
        """Whether a condition may be a device tensor: most that nobody knows are flags, and no
        tensor has had to do with them."""
        values = self.values(tree)
        return not values or any(
            bool(value.near)
            if isinstance(value, Unknown)
            else value.parameter.tensor
            if isinstance(value, Opaque)
            else self._may_be(value)
            for value in values
        )

    def _computes(self, op: Op) -> bool:
        match op.node:
            case ast.JoinedStr() | ast.FormattedValue():
                return any(self.may_hold(operand.node) for operand in _inner(op))
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                text = any(map(is_text, self.values(left)))
                return text and self.may_hold(right)
            case ast.UnaryOp(op=ast.Not()):
                return self._asks(op.operands[0])
            case ast.Compare(ops=ops) if any(isinstance(o, (ast.In, ast.NotIn)) for o in ops):
                return any(self.may_hold(operand.node) for operand in op.operands)
        return False

    def _indexes(self, op: Op) -> bool:
        """A mask is looked through; what the host writes into a device tensor is copied there."""
        holder, key, *given = (operand.node for operand in op.operands)
        if not self.may_hold(holder) and not self.may_hold(key):
            return False
        held = [isinstance(value, _HELD) for value in self.values(holder)]
        if held and all(held):
            return self.may_hold(key)
        numbers = all(
            isinstance(v, (Plain, Const)) for part in _parts(key) for v in self.values(part)
        )
        known = all(self.values(part) for part in _parts(key))
        copied = [v for tree in given for v in self.values(tree) if tensors_in(v)]
        return not (numbers and known) or not all(map(self._on_device, copied))

    def _enters(self, tree: ast.AST) -> bool:
        names = self._analysis.seen.calls.get(tree, ()) if isinstance(tree, ast.Call) else ()
        return not names or not all(map(goes_on, names))

    def left(self, tree: ast.AST, until: ast.AST) -> bool:
        """Whether a context around ``tree`` that is left before ``until`` may wait then."""
        around = self._contexts(tree).keys() - self._contexts(until).keys()
        items = (item for one in around for item in self._contexts(tree)[one])
        return any(self._enters(item.context_expr) for item in items)

    def _contexts(self, tree: ast.AST) -> dict[ast.AST, list[ast.withitem]]:
        """The ``with`` statements around a place."""
        found: dict[ast.AST, list[ast.withitem]] = {}
        above = self._analysis.parents.get(tree)
        while above is not None:
            if isinstance(above, (ast.With, ast.AsyncWith)):
                found[above] = above.items
            above = self._analysis.parents.get(above)
        return found

    def _calls(self, call: ast.Call) -> bool:
        if any(isinstance(given, ast.Starred) for given in call.args):
            return True
        values = self.values(call.func)
        return not values or any(
            self._call_waits(call, option) for value in values for option in options(value)
        )

    def _call_waits(self, call: ast.Call, callee: Value) -> bool:
        match callee:
            case External(name=name):
                return self._function_waits(call, name)
            case Function(tree=tree) | Bound(function=Function(tree=tree)):
                return self._body_waits(tree)
            case Class(record=record):
                init = record.lookup("__init__")
                return isinstance(init, Function) and self._body_waits(init.tree)
            case Instance(records=records):
                return any(map(self._object_waits, records))
            case Bound(receiver=Tensor(), name=name):
                return self._method_waits(call, name)
            case Bound(receiver=Optimizer(made=made), name=name):
                return (
                    name not in ("step", "zero_grad") or bool(call.args) or _looks_back(made, self)
                )
            case Bound(receiver=Instance(), name=name):
                return name not in _OF_MODULES
            case Bound(receiver=Const() | Plain()):
                return self._given(call)
            case Bound(receiver=Loader() | Dataset() | Listing() | Mapping() | Tuple() | Stream()):
                return False
        return True

    def _given(self, call: ast.Call) -> bool:
        """Whether a call may be given a tensor of the device."""
        return any(map(self.may_hold, _arguments(call)))

    def _runs(self, call: ast.Call) -> bool:
        """Whether a call may be given code of the program to run."""
        values = [value for tree in _arguments(call) for value in self.values(tree)]
        parts = (part for value in values for part in parts_in(value))
        return any(isinstance(p, (Instance, Function, Bound, Class, Partial)) for p in parts)

    def _function_waits(self, call: ast.Call, name: str) -> bool:
        if name in _IDLE:
            return False
        if name in _LOOKS:
            return self._given(call)
        if world(name) in (World.ANYWHERE, World.NUMPY) and not name.startswith("builtins."):
            return self._given(call) or self._runs(call)
        if layer(name) is not None or is_optimizer(name) or name == "torch.utils.data.DataLoader":
            return False
        if goes_on(name):
            return False
        placed = any(self._on_device(value) for value in self.values(call))
        return not _makes(name) or (placed and _copies(name))

    def _method_waits(self, call: ast.Call, name: str) -> bool:
        assert isinstance(call.func, ast.Attribute)
        row = method(name)
        if row is None:
            return True
        if row.effect is Effect.TRANSFER or name in ("copy_", "type"):
            return self._transfer_waits(call, name)
        if row.effect is Effect.HOST_READ or name.removesuffix("_") in NEEDS_VALUES:
            return self.may_hold(call.func.value)
        return False

    def _transfer_waits(self, call: ast.Call, name: str) -> bool:
        """A copy between the two waits; to the host, not where it says ``non_blocking``."""
        assert isinstance(call.func, ast.Attribute)
        source = call.args[0] if name == "copy_" and call.args else call.func.value
        result = call.func.value if name == "copy_" else call
        for label in (Label.TARGET, Label.HOST):
            if self.is_on(source, label) and self.is_on(result, label):
                return False
        return not (says_non_blocking(call) and self.is_on(source, Label.TARGET))

    def _object_waits(self, record: ObjectRecord) -> bool:
        """Whether calling a module, or another object, may."""
        called = record.entry
        if isinstance(called, Function):
            return self._body_waits(called.tree)
        if not (record.module and model_goes_on(record.layer)):
            return True
        held = [*record.children, *record.attributes.values()]
        inner = {r for v in held for p in parts_in(v) if isinstance(p, Instance) for r in p.records}
        return any(map(self._object_waits, inner - {record}))

    def _body_waits(self, scope: ast.AST) -> bool:
        """Whether anything in a function may; what it calls itself adds nothing to that."""
        if scope not in self._waiting:
            self._waiting[scope] = False
            body = self.body(scope)
            self._waiting[scope] = body is None or any(map(self.may_wait, _run(body)))
        return self._waiting[scope]

    def body(self, scope: ast.AST) -> Body | None:
        """The operations of a function; None where it is nested too deeply."""
        try:
            return self._analysis.home(scope).source.once(Bodies).of(scope)
        except RecursionError:
            return None

    # -- work ----------------------------------------------------------------------------------

    def works(self, op: Op) -> bool:
        """Whether the device surely gets something to compute there."""
        match op.kind, op.node:
            case Kind.COMPUTE, ast.BinOp() | ast.Compare() | ast.UnaryOp() | ast.AugAssign():
                return any(self.is_on(operand.node, Label.TARGET) for operand in op.operands)
            case Kind.CALL, ast.Call(func=func) as call:
                values = self.values(func)
                return bool(values) and all(self._call_works(call, value) for value in values)
        return False

    def _call_works(self, call: ast.Call, callee: Value) -> bool:
        match callee:
            case Function(tree=tree) | Bound(function=Function(tree=tree)):
                return self._body_works(tree)
            case Instance(modules=modules) if modules:
                return any(map(self._on_device, self.values(call)))
            case External(name=name) if name.startswith("torch.") and goes_on(name):
                return any(map(self._on_device, self.values(call))) and self._given(call)
            case Bound(receiver=Tensor() as tensor, name=name):
                row = method(name)
                known = row is not None and row.effect in (Effect.COPY, Effect.IN_PLACE)
                return (known or name == "backward") and self._on_device(tensor)
            case Bound(receiver=Optimizer(nodes=nodes), name="step"):
                return any(self._solution.label(node) is Label.TARGET for node in nodes)
        return False

    def _body_works(self, scope: ast.AST) -> bool:
        if scope not in self._working:
            self._working[scope] = False
            body = self.body(scope)
            self._working[scope] = body is not None and any(map(self.works, _run(body)))
        return self._working[scope]


def says_non_blocking(call: ast.Call) -> bool:
    """``x.to("cpu", non_blocking=True)``."""
    return any(
        k.arg == "non_blocking" and isinstance(k.value, ast.Constant) and k.value.value is True
        for k in call.keywords
    )


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _run(body: Body) -> Iterable[Op]:
    return (op for op in body.ops if body.is_reached(op.block))


def _inner(op: Op) -> Iterable[Op]:
    """What a formatted string shows."""
    for operand in op.operands:
        if isinstance(operand.node, (ast.JoinedStr, ast.FormattedValue)):
            yield from _inner(operand)
        else:
            yield operand


def _parts(key: ast.AST) -> list[ast.AST]:
    """The bounds and numbers of an index."""
    match key:
        case ast.Tuple(elts=parts):
            return [part for inner in parts for part in _parts(inner)]
        case ast.Slice(lower=lower, upper=upper, step=step):
            return [part for part in (lower, upper, step) if part is not None]
    return [key]


def _looks_back(made: Iterable[ast.Call], sync: Synchronization) -> bool:
    """Whether an optimizer asks for losses while it steps."""
    names = [v.name for call in made for v in sync.values(call.func) if isinstance(v, External)]
    return not names or any(name.rpartition(".")[2] == "LBFGS" for name in names)


def _makes(name: str) -> bool:
    """Whether it is a function that makes a tensor of nothing but numbers."""
    return name in FACTORIES or name in LIKE


def _copies(name: str) -> bool:
    """Whether what it makes is a copy of the host's data."""
    return name in ("torch.tensor", "torch.as_tensor", "torch.asarray", "torch.from_numpy")
