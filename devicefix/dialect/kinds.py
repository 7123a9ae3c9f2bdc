"""What kind of value an expression surely has: enough of it to say what ``/`` meant in Python 2.

What is passed to a function is known where all calls can be seen (`Parameters`), and what a value
has to be where only an integer will do (`needed`). Names have all the kinds that anything in their
scope gives them, whenever that is.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable, Sequence
from typing import Final

from devicefix.dialect.forms import (
    is_fixed,
    is_grown,
    is_mask,
    own_nodes,
    path_of,
    reducing,
    selves,
    written,
)
from devicefix.dialect.growing import Growing
from devicefix.dialect.numbers import (
    BITS,
    FUNCTIONS_FLOAT,
    INTEGERS,
    ITERATORS,
    KEEP,
    METHODS_FLOAT,
    METHODS_INTEGER,
    POSITIONS,
    SAME_ELEMENTS,
)
from devicefix.dialect.options import option_kinds
from devicefix.dialect.parameters import Parameters
from devicefix.dialect.scopes import Binding, Scopes
from devicefix.dialect.stores import stores


class Kind(enum.Enum):
    """What a value is."""

    INTEGER = "integer"
    FLOAT = "float"
    """A number, or a tensor or an array of numbers, that is no integer."""
    TEXT = "text"
    SIZES = "sizes"
    """A sequence of integers, such as what ``x.size()`` gives."""
    LIST = "list"
    ITERATOR = "iterator"
    OTHER = "other"
    """Surely no number."""


_NOTHING: Final = "nothing"
"""Of a name whose value hangs on itself (``i = i + 1``), and of None: it adds no kind."""
_Answer = Kind | str | None


class Kinds:
    """The kinds of the expressions of one file."""

    def __init__(
        self,
        nodes: Sequence[ast.AST],
        scopes: Scopes,
        needed: frozenset[ast.expr],
        own_methods: frozenset[str] = frozenset(),
        closed: bool = False,
    ) -> None:
        """``nodes`` are those of a tree, `linked`; a float would be an error in place of what is
        ``needed``; ``own_methods`` are defined by classes around:
        who has them is not known then; ``closed``: no other file calls what this one defines.
        """
        self._parameters = Parameters(nodes, scopes, closed)
        self._growing = Growing(nodes, scopes)
        self._visited: set[tuple[object, tuple[int, ...]]] = set()
        self._needed = needed
        self._needed_names = _single(self._needed, scopes)
        self._scopes = scopes
        self._known: dict[ast.expr, _Answer] = {}
        self._options = option_kinds(nodes)
        self._stored = stores(nodes)
        self._reducing = dict(reducing(nodes, scopes))
        self._selves = frozenset(selves(nodes))
        self._defined = own_methods | {
            n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef))
        }

    def of(self, node: ast.expr) -> Kind | None:
        """What ``node`` is; None where that is not known."""
        answer = self._of(node)
        return answer if isinstance(answer, Kind) else None

    def _of(self, node: ast.expr) -> _Answer:
        if node not in self._known:
            self._known[node] = _NOTHING  # while it is being found
            found = self._found(node)
            is_needed = found is None and node in self._needed
            self._known[node] = Kind.INTEGER if is_needed else found
        return self._known[node]

    def _found(self, node: ast.expr) -> _Answer:
        match node:
            case ast.Constant(value=value):
                return _constant(value)
            case ast.Name():
                return self._all(self._scopes.bindings(node))
            case ast.UnaryOp(op=ast.Not()) | ast.Compare():
                return Kind.INTEGER
            case ast.UnaryOp(operand=operand):
                return self._of(operand)
            case ast.BinOp():
                return self._operation(node.left, node.op, node.right)
            case ast.IfExp(body=body, orelse=orelse):
                return _joined([self._of(body), self._of(orelse)])
            case ast.BoolOp(values=values):
                return _joined(map(self._of, values))
            case ast.Call():
                return self._call(node)
            case ast.Subscript(value=value, slice=ast.Slice()):
                kind = self._of(value)
                return kind if kind in (Kind.SIZES, Kind.LIST, Kind.TEXT) else None
            case ast.Subscript(value=value, slice=index):
                return self._item(value, path_of(index))
            case ast.Attribute():
                return self._attribute(node)
            case ast.List() | ast.ListComp():
                return Kind.LIST
            case ast.GeneratorExp():
                return Kind.ITERATOR
            case (
                ast.Dict() | ast.Set() | ast.DictComp() | ast.SetComp() | ast.Tuple() | ast.Lambda()
            ):
                return Kind.OTHER
            case ast.JoinedStr():
                return Kind.TEXT
        return None

    def _all(self, bindings: list[Binding]) -> _Answer:
        """What holds of a name with these bindings: a float stays one, whatever is added to it."""
        if not bindings:
            return None
        plain = _joined(self._bound(b) for b in bindings if b.how != "augmented")
        if plain is Kind.FLOAT:
            return plain
        return _joined([plain, *(self._bound(b) for b in bindings if b.how == "augmented")])

    def _bound(self, binding: Binding) -> _Answer:
        if binding.how == "parameter":
            return self._passed(binding)
        if binding.value is None:
            return None
        if binding.how == "value":
            return self._item(binding.value, binding.path)
        if binding.how == "each":
            return self._each(binding.value, binding.path)
        if binding.how == "augmented" and isinstance(binding.node, ast.AugAssign):
            kind = self._of(binding.value)
            if isinstance(binding.node.op, ast.Pow):
                return None
            return _NOTHING if kind is Kind.INTEGER else kind
        return None

    def _passed(self, binding: Binding) -> _Answer:
        """What all calls pass; else what the parameter has to be where it is used."""
        if binding.node in self._reducing:
            return self._of_reducing(self._reducing[binding.node], binding.node)
        passed = self._parameters.passed(binding)
        kind = _joined(map(self._of, passed)) if passed is not None else None
        return Kind.INTEGER if kind is None and binding in self._needed_names else kind

    def _of_reducing(self, call: ast.Call, parameter: ast.AST) -> _Answer:
        function = call.args[0]
        assert isinstance(function, ast.Lambda)
        if parameter is function.args.args[0]:
            return self._reduced(call)
        return self._each(call.args[1], ())

    def _operation(self, left: ast.expr, op: ast.operator, right: ast.expr) -> _Answer:
        kinds = {self._of(left), self._of(right)}
        if kinds == {_NOTHING}:
            return _NOTHING
        kinds.discard(_NOTHING)
        if isinstance(op, ast.Mod) and self._of(left) is Kind.TEXT:
            return Kind.TEXT
        if isinstance(op, ast.Pow):
            return self._power(left, right)
        if kinds == {Kind.INTEGER} and isinstance(op, (*KEEP, *BITS)):
            return Kind.INTEGER
        if (
            Kind.FLOAT in kinds
            and isinstance(op, KEEP)
            and kinds <= {Kind.FLOAT, Kind.INTEGER, None}
        ):
            return Kind.FLOAT
        if isinstance(op, ast.Add) and len(kinds) == 1:
            return kinds.pop()
        if isinstance(op, ast.Mult) and kinds in ({Kind.LIST, Kind.INTEGER}, {Kind.LIST, None}):
            return Kind.LIST
        return None

    def _power(self, left: ast.expr, right: ast.expr) -> _Answer:
        kinds = {self._of(left), self._of(right)}
        if Kind.FLOAT in kinds:
            return Kind.FLOAT
        natural = isinstance(right, ast.Constant)
        return Kind.INTEGER if kinds == {Kind.INTEGER} and natural else None

    # -- calls and attributes ----------------------------------------------------------------------

    def _call(self, node: ast.Call) -> _Answer:
        function = node.func
        if isinstance(function, ast.Attribute):
            return self._method(node, function)
        if self._scopes.is_builtin(function, *INTEGERS):
            return Kind.INTEGER
        if self._scopes.is_builtin(function, "float", "round"):
            return Kind.FLOAT
        if self._scopes.is_builtin(function, "str", "repr", "raw_input", "unicode", "chr"):
            return Kind.TEXT
        if self._scopes.is_builtin(function, "abs", "min", "max"):
            return self._extreme(node)
        if self._scopes.is_builtin(function, "reduce"):
            return self._reduced(node)
        if self._scopes.is_builtin(function, "sum") and len(node.args) == 1:
            return self._each(node.args[0], ())
        if self._scopes.is_builtin(function, "range", "list", "sorted", "zip", "map"):
            return Kind.LIST
        if self._scopes.is_builtin(function, *ITERATORS):
            return Kind.ITERATOR
        return self._returned(function, ())

    def _extreme(self, node: ast.Call) -> _Answer:
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            return None
        if len(node.args) == 1 and isinstance(node.func, ast.Name) and node.func.id != "abs":
            return self._each(node.args[0], ())
        return _joined(map(self._of, node.args))

    def _reduced(self, node: ast.Call) -> _Answer:
        """What ``reduce`` gives: what it begins with, and what its function makes of that."""
        match node.args:
            case [ast.Lambda(body=body), _, first]:
                return _joined([self._of(first), self._of(body)])
            case [ast.Lambda(body=body), values]:
                return _joined([self._each(values, ()), self._of(body)])
        return None

    def _returned(self, function: ast.expr, path: tuple[int, ...]) -> _Answer:
        """What a function of this file gives, or an item of the tuple that it gives."""
        if not isinstance(function, ast.Name):
            return None
        bindings = self._scopes.bindings(function)
        match [binding.node for binding in bindings]:
            case [ast.FunctionDef(decorator_list=[]) as definition]:
                inside = [
                    n for n in own_nodes(definition) if isinstance(n, (ast.Return, ast.Yield))
                ]
                if any(isinstance(n, ast.Yield) for n in inside):
                    return None if path else Kind.ITERATOR
                given = [n.value for n in inside if n.value is not None]
                if path and not all(isinstance(value, ast.Tuple) for value in given):
                    return None
                return _joined(self._item(value, path) for value in given)
        return None

    def _method(self, node: ast.Call, function: ast.Attribute) -> _Answer:
        name = function.attr
        if name == "__iter__" and not (node.args or node.keywords):
            # in Python 3 it gives what has `__next__`; a class may be as it was in Python 2
            return None if "next" in self._defined else Kind.ITERATOR
        if name in self._defined:
            return None
        if self._is_module(function.value):
            if name in POSITIONS:
                return Kind.INTEGER
            return Kind.FLOAT if name in FUNCTIONS_FLOAT else self._of_module(node, function)
        if name == "size" and not node.keywords:
            return Kind.INTEGER if len(node.args) == 1 else Kind.SIZES
        if name in ("iterkeys", "itervalues", "iteritems"):
            return Kind.ITERATOR
        if name in METHODS_INTEGER:
            return Kind.INTEGER
        if name == "sum" and not (node.args or node.keywords) and is_mask(function.value):
            return Kind.INTEGER
        if name in METHODS_FLOAT:
            return Kind.FLOAT
        if name in ("format", "join", "strip", "lower", "upper", "replace"):
            return Kind.TEXT
        return None

    def _of_module(self, node: ast.Call, function: ast.Attribute) -> _Answer:
        if function.attr in ("randint", "randrange") and len(node.args) <= 2:
            return Kind.INTEGER
        return Kind.FLOAT if function.attr in ("random", "uniform", "gauss") else None

    def _is_module(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Name):
            return isinstance(node, ast.Attribute) and self._is_module(node.value)
        bindings = self._scopes.bindings(node)
        return bool(bindings) and all(b.how == "import" for b in bindings)

    def _attribute(self, node: ast.Attribute) -> _Answer:
        if node.attr in ("shape", "ndim") and node.attr not in self._stored:
            return Kind.SIZES if node.attr == "shape" else Kind.INTEGER
        if self._is_module(node.value):
            return Kind.FLOAT if node.attr in ("pi", "e", "inf") else None
        if isinstance(node.value, ast.Name):
            option = self._options.get((node.value.id, node.attr))
            if option is not None:
                return Kind[option]
        if isinstance(node.value, ast.Name) and self._is_own(node.value):
            return self._all(self._stored.get(node.attr, [_UNBOUND]))
        return None

    def _is_own(self, node: ast.Name) -> bool:
        """Whether a name is the first parameter of a method: ``self``."""
        bindings = self._scopes.bindings(node)
        return len(bindings) == 1 and bindings[0].node in self._selves

    # -- containers --------------------------------------------------------------------------------

    def _item(self, node: ast.expr, path: tuple[int, ...]) -> _Answer:
        """What ``node[path[0]][path[1]]…`` is."""
        if not path:
            return self._of(node)
        match node:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                whole = not any(isinstance(e, ast.Starred) for e in elements)
                if whole and 0 <= path[0] < len(elements):
                    return self._item(elements[path[0]], path[1:])
                return None
            case ast.Name():
                return self._item_of_name(node, path)
            case ast.Subscript(value=value, slice=index) if not isinstance(index, ast.Slice):
                return self._item(value, (*path_of(index), *path))
            case ast.Call(func=ast.Name() as function) if self._scopes.bindings(function):
                return self._returned(function, path)
        if len(path) == 1 and self._of(node) is Kind.SIZES:
            return Kind.INTEGER
        return None

    def _item_of_name(self, node: ast.Name, path: tuple[int, ...]) -> _Answer:
        match self._scopes.bindings(node):
            case [Binding(how="value", value=ast.expr() as value, path=start)]:
                if isinstance(value, (ast.Tuple, ast.Call, ast.Attribute)):
                    found = self._item(value, (*start, *path))
                    if found is not None:
                        return found
                if not start and self._is_list(value):
                    return self._each(node, path[1:])
            case [Binding(how="each", value=ast.expr() as value, path=start)]:
                return self._each(value, (*start, *path))
        return Kind.INTEGER if self._of(node) is Kind.SIZES and len(path) == 1 else None

    def _is_list(self, node: ast.expr) -> bool:
        """Whether it makes a new list."""
        makers = ("range", "list", "sorted", "map", "zip", "filter")
        made = isinstance(node, ast.Call) and self._scopes.is_builtin(node.func, *makers)
        return made or isinstance(node, (ast.List, ast.ListComp))

    def _each(self, node: ast.expr, path: tuple[int, ...]) -> _Answer:
        """What the elements of ``node`` are, or the items of each by ``path``."""
        match node:
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                return _joined(self._item(element, path) for element in elements)
            case (
                ast.ListComp(elt=element) | ast.GeneratorExp(elt=element) | ast.SetComp(elt=element)
            ):
                return self._item(element, path)
            case ast.Call(func=function, args=[]) if self._counts(function):
                return Kind.INTEGER
            case ast.Call(func=ast.Attribute()) if self._splits(node):
                return None if path else Kind.TEXT
            case ast.Call(func=ast.Name() as function, args=args) if args:
                return self._each_of_call(function, args, path)
            case ast.Subscript(value=value, slice=ast.Slice()):
                return self._each(value, path)
            case ast.Name():
                return self._each_of_name(node, path)
        return Kind.INTEGER if self._of(node) is Kind.SIZES and not path else None

    def _each_of_name(self, node: ast.Name, path: tuple[int, ...]) -> _Answer:
        match self._scopes.bindings(node):
            case [Binding(how="value", value=ast.expr() as value, path=()) as binding]:
                if (binding, path) in self._visited:
                    return _NOTHING
                self._visited.add((binding, path))
                found = self._each_bound(node, binding, value, path)
                self._visited.remove((binding, path))
                return found
        return Kind.INTEGER if self._of(node) is Kind.SIZES and not path else None

    def _each_bound(
        self, node: ast.Name, binding: Binding, value: ast.expr, path: tuple[int, ...]
    ) -> _Answer:
        """The elements of a tuple or of a list, with all that is put into that later."""
        if isinstance(value, (ast.Tuple, ast.Call)) and not is_grown(value):
            return self._each(value, path)
        if not self._is_list(value):
            return Kind.INTEGER if self._of(node) is Kind.SIZES and not path else None
        added = self._growing.added(node.id, binding)
        if added is None or (path and not all(map(is_fixed, [*written(value), *added]))):
            return None
        return _joined([self._each(value, path), *(self._item(e, path) for e in added)])

    def _splits(self, node: ast.Call) -> bool:
        """Whether it takes a text to pieces; who splits a tensor says how long they are."""
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args, keywords=[]):
                if name in self._defined or self._is_module(value):
                    return False
                told = not args or self._of(args[0]) is Kind.TEXT
                return name == "splitlines" or (name in ("split", "rsplit") and told)
        return False

    def _counts(self, function: ast.expr) -> bool:
        """Whether it is ``itertools.count``, which counts from 0 by 1 if nothing else is said."""
        if isinstance(function, ast.Attribute):
            return function.attr == "count" and ast.unparse(function.value) == "itertools"
        if not isinstance(function, ast.Name):
            return False
        match [binding.node for binding in self._scopes.bindings(function)]:
            case [ast.ImportFrom(module="itertools", names=names)]:
                return any(a.name == "count" == function.id and not a.asname for a in names)
        return False

    def _each_of_call(
        self, function: ast.Name, args: list[ast.expr], path: tuple[int, ...]
    ) -> _Answer:
        builtin = self._scopes.is_builtin
        if builtin(function, "range", "xrange"):
            return None if path else Kind.INTEGER
        if builtin(function, "enumerate") and path:
            return Kind.INTEGER if path[0] == 0 else self._each(args[0], path[1:])
        if builtin(function, "zip") and path and 0 <= path[0] < len(args):
            return self._each(args[path[0]], path[1:])
        if builtin(function, *SAME_ELEMENTS):
            return self._each(args[0], path)
        if builtin(function, "filter") and len(args) == 2:
            return self._each(args[1], path)
        if builtin(function, "map") and len(args) == 2:
            return self._mapped(args[0], path)
        return None

    def _mapped(self, function: ast.expr, path: tuple[int, ...]) -> _Answer:
        """What ``map`` makes of each element."""
        if isinstance(function, ast.Lambda):
            return self._item(function.body, path) if not path or is_fixed(function.body) else None
        if self._scopes.is_builtin(function, *INTEGERS):
            return None if path else Kind.INTEGER
        if self._scopes.is_builtin(function, "float"):
            return None if path else Kind.FLOAT
        return self._returned(function, path)


def _single(expressions: Iterable[ast.expr], scopes: Scopes) -> frozenset[Binding]:
    """What is bound but once, of the names among ``expressions``."""
    bindings = (scopes.bindings(e) for e in expressions if isinstance(e, ast.Name))
    return frozenset(found[0] for found in bindings if len(found) == 1)


_UNBOUND: Final = Binding("other", ast.Pass())


def _constant(value: object) -> _Answer:
    if value is None:
        return _NOTHING
    if isinstance(value, int):
        return Kind.INTEGER
    if isinstance(value, (float, complex)):
        return Kind.FLOAT
    return Kind.TEXT if isinstance(value, (str, bytes)) else Kind.OTHER


def _joined(kinds: Iterable[_Answer]) -> _Answer:
    found = set(kinds) - {_NOTHING}
    if not found:
        return _NOTHING
    return found.pop() if len(found) == 1 else None
