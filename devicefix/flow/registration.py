"""Whether ``self.name = tensor`` in a constructor can become ``self.register_buffer("name", …)``.

``register_buffer`` raises where the attribute exists already, before ``Module.__init__`` has run,
and for names that ``Module`` has itself; a buffer accepts nothing but tensors and None afterwards
(https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer).
What is asked here needs the text of the file and the classes, no values.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from devicefix.flow.ir import Body
from devicefix.flow.queries.dataflow import Forward
from devicefix.flow.values import Class, ClassRecord, External
from devicefix.source.parsing import Parents, annotation_of
from devicefix.source.walking import walk
from devicefix.torch_api import MODULE_ATTRIBUTES

_BASES = frozenset({"abc.ABC", "builtins.object", "torch.nn.Module"})
"""Libraries' classes whose attributes we know."""
_OWN_WAYS = frozenset({
    "__delattr__", "__getattr__", "__getattribute__", "__getstate__", "__reduce__",
    "__reduce_ex__", "__setattr__", "__setstate__", "__slots__", "_apply", "cpu", "cuda",
    "register_buffer", "to",
})  # fmt: skip
"""What a class defines that stores, copies or moves its attributes in a way of its own."""
_OF_DICTS = frozenset({"clear", "items", "keys", "pop", "update", "values"})
_SEES_BUFFERS = frozenset({
    "__dict__", "buffers", "get_buffer", "named_buffers", "share_memory", "stack_module_state",
    "vars",
})  # fmt: skip
"""Names through which a program can tell a buffer from a plain attribute, on the CPU, too."""
_GRADIENTS = frozenset({"grad", "requires_grad", "requires_grad_", "retain_grad"})
_REGISTERS = frozenset({"register_buffer", "register_module", "register_parameter", "add_module"})


class Plan(Struct, frozen=True):
    """How one constructor stores one attribute."""

    leading: tuple[ast.Assign, ...]
    """The assignments before which it may not exist: they become ``register_buffer``."""
    following: tuple[ast.stmt, ...]
    """Those that surely come later: an assignment to a buffer replaces it."""


def plan(body: Body, receiver: str, name: str) -> Plan | None:
    """The assignments of ``self.name`` in a constructor; None where some are written another way.

    A function inside the constructor runs at another time.
    """
    leading: list[ast.Assign] = []
    following: list[ast.stmt] = []
    parents = Parents()
    for target in _stores(body.scope, receiver, name):
        statement = parents.get(target)
        if not isinstance(statement, ast.stmt) or not body.points(statement):
            return None
        later = _have_run(body, statement, [s.targets[0] for s in leading])
        if isinstance(statement, ast.AugAssign) and later:
            following.append(statement)
        elif not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return None
        elif later:
            following.append(statement)
        elif annotation_of(statement) is not None:  # a call has no place for it
            return None
        else:
            leading.append(statement)
    if not leading or not starts_before(body, leading):
        return None
    if _touched_before(body.scope, receiver, leading):
        return None
    return Plan(tuple(leading), tuple(following))


def _stores(tree: ast.AST, receiver: str, name: str) -> list[ast.Attribute]:
    found = [
        node
        for node in walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == name
        and not isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id == receiver
    ]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def _have_run(body: Body, statement: ast.stmt, trees: Collection[ast.AST]) -> bool:
    """Whether what one of ``trees`` does is done on every way to ``statement``."""
    run = Forward.of(body, lambda op: True if op.node in trees else None)
    return bool(trees) and all(map(run.before, body.points(statement)))


def starts_before(body: Body, leading: Sequence[ast.Assign]) -> bool:
    """``super().__init__()`` has run on every way to ``leading``, and does not run again."""
    calls = [n for n in walk(body.scope) if isinstance(n, ast.Call) and _is_init_call(n)]
    if any(call.lineno > leading[0].lineno for call in calls):
        return False
    return all(_have_run(body, statement, calls) for statement in leading)


def _is_init_call(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "__init__"


def _touched_before(init: ast.AST, receiver: str, leading: Sequence[ast.Assign]) -> bool:
    """The unfinished object is handed to other code, which could set the attribute first.

    Calling its layers is no harm: only methods of its own class and functions that get it are.
    """
    for node in walk(init):
        if not isinstance(node, ast.Call) or node.lineno > leading[0].lineno:
            continue
        if _is_init_call(node) or (isinstance(node.func, ast.Name) and node.func.id == "super"):
            continue
        if any(isinstance(a, ast.Name) and a.id == receiver for a in node.args):
            return True
    return False


# -- classes -----------------------------------------------------------------------------------


def family(cls: ClassRecord, classes: Iterable[ClassRecord]) -> tuple[ClassRecord, ...]:
    """The class with all classes of the program above, below and beside it."""
    below = [c for c in classes if cls in c.ancestry()]
    found: dict[int, ClassRecord] = {}
    for member in (cls, *below):
        for relative in member.ancestry():
            found[id(relative)] = relative
    return tuple(found.values())


def is_ordinary(cls: ClassRecord, name: str) -> bool:
    """Whether nothing in the body of ``cls`` speaks against a buffer called ``name``."""
    if not all(_is_known(base) for base in cls.bases):
        return False
    defined = set(_defined(cls.tree.body))
    if name in defined or defined & _OWN_WAYS:
        return False
    return not any(_names_it(node, name) for node in walk(cls.tree))


def _is_known(base: object) -> bool:
    return isinstance(base, Class) or (isinstance(base, External) and base.name in _BASES)


def _defined(body: Iterable[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield statement.name
        elif not isinstance(statement, ast.AnnAssign):  # `name: Tensor` alone defines nothing
            yield from (
                node.id
                for node in walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            )


def _names_it(node: ast.AST, name: str) -> bool:
    """``register_buffer("name", …)``, ``setattr(self, "name", …)``, ``setattr(self, key, …)``."""
    if not isinstance(node, ast.Call) or not node.args:
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr in _REGISTERS:
        return _is_text(node.args[0], name)
    if isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr"):
        key = node.args[1] if len(node.args) > 1 else None
        return not isinstance(key, ast.Constant) or _is_text(key, name)
    return False


def _is_text(tree: ast.expr, text: str) -> bool:
    return isinstance(tree, ast.Constant) and tree.value == text


def calls_before(init: ast.FunctionDef, plan: Plan, relatives: Iterable[ClassRecord]) -> bool:
    """Whether methods of the object run before the attribute is there, or may: a parent's do."""
    relatives = tuple(relatives)
    methods = {name for cls in relatives for name in _defined(cls.tree.body)} - {"__init__"}
    early = [n for n in walk(init) if getattr(n, "lineno", 0) <= plan.leading[0].lineno]
    parents = [base for cls in relatives for base in cls.bases if isinstance(base, Class)]
    return bool(parents) or any(isinstance(n, ast.Attribute) and n.attr in methods for n in early)


# -- the file ----------------------------------------------------------------------------------


def is_fit_name(name: str) -> bool:
    """A name that ``Module`` leaves free and that Python does not mangle."""
    return not name.startswith("__") and name not in MODULE_ATTRIBUTES


def is_free(name: str) -> bool:
    """A name that ``ModuleDict`` leaves to its modules."""
    return name not in MODULE_ATTRIBUTES and name not in _OF_DICTS


class Store(Struct, frozen=True):
    """``something.name = …`` or ``del something.name``."""

    target: ast.Attribute
    inside: bool
    """In a method of one of the classes."""
    constructs: bool
    """In a constructor of one of them."""


_Place = tuple[ast.Attribute, ast.AST | None, ast.ClassDef | None]
"""A target, the outermost function around it, and the class around that."""


class Text(Struct, frozen=True):
    """What the files of a program say about attributes."""

    tells_buffers_apart: bool
    """The program could see that an attribute is a buffer now."""
    gradients: frozenset[str]
    """Attributes that are asked for a gradient: a buffer that has moved is no leaf."""
    _stores: Mapping[str, tuple[_Place, ...]]

    def stores_elsewhere(
        self, name: str, relatives: Iterable[ClassRecord], known: Iterable[ast.expr]
    ) -> Iterator[Store]:
        """Every other place that sets or deletes ``something.name`` of an object of these."""
        mine = {id(cls.tree) for cls in relatives}
        planned = set(map(id, known))
        for target, method, owner in self._stores.get(name, ()):
            if id(target) in planned:
                continue
            inside = owner is not None and id(owner) in mine
            if owner is not None and not inside and _is_receiver(target.value, method):
                continue  # the attribute of another class
            yield Store(target, inside, inside and getattr(method, "name", "") == "__init__")


def survey(trees: Iterable[ast.Module]) -> Text:
    """Read the files once."""
    apart, gradients = False, set()
    stores: dict[str, list[_Place]] = {}
    for node, method, owner in (place for tree in trees for place in _names(tree)):
        if isinstance(node, ast.Name):
            apart = apart or node.id in _SEES_BUFFERS
            continue
        apart = apart or node.attr in _SEES_BUFFERS
        if node.attr in _GRADIENTS and isinstance(node.value, ast.Attribute):
            gradients.add(node.value.attr)
        if not isinstance(node.ctx, ast.Load):
            stores.setdefault(node.attr, []).append((node, method, owner))
    frozen = {name: tuple(places) for name, places in stores.items()}
    return Text(apart, frozenset(gradients), frozen)


def _names(
    tree: ast.Module,
) -> Iterator[tuple[ast.Attribute | ast.Name, ast.AST | None, ast.ClassDef | None]]:
    """Names and attributes with where they stand, by a stack: programs nest deeper than Python."""
    stack: list[tuple[ast.AST, ast.AST | None, ast.ClassDef | None]] = [(tree, None, None)]
    while stack:
        node, method, owner = stack.pop()
        if isinstance(node, (ast.Attribute, ast.Name)):
            yield node, method, owner
        elif isinstance(node, ast.ClassDef):
            method, owner = None, node
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and method is None:
            method = node
        stack += [(child, method, owner) for child in ast.iter_child_nodes(node)]


def _is_receiver(tree: ast.expr, method: ast.AST | None) -> bool:
    """``self`` of the method around it."""
    if not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    spec = [*method.args.posonlyargs, *method.args.args]
    return bool(spec) and isinstance(tree, ast.Name) and tree.id == spec[0].arg
