"""Who decides a condition: the machine alone, a file at its top, or a function by what it is given.

A name is followed to the statement that binds it, an option to the statements that set it. What
may be set anew between those and the condition is nobody's: no other place can ask the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.constructors import begins_with_base
from devicefix.flow.definitions import (
    Path,
    binds,
    enclosing,
    is_shared,
    parameters,
    path_of,
    receiver,
    setters,
    setters_by_name,
    spine,
    statement_in,
)
from devicefix.flow.imported import root_name
from devicefix.flow.importing import closure, import_graph
from devicefix.flow.name_index import NameIndex, last_name
from devicefix.flow.queries.access import of_tree
from devicefix.flow.queries.meaning import meaning
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import Flag, Value
from devicefix.source import Source
from devicefix.source.walking import walk
from devicefix.time_limit import check_time

ASKS: Final = "torch.cuda.is_available"
AVAILABLE: Final = f"{ASKS}()"
_PURE: Final = frozenset({"bool", "int", "len"})
_LOOPS: Final = (ast.AsyncFor, ast.For, ast.While)
_MAX_STEPS: Final = 8
"""How many definitions are followed, one to the next."""


class Decider(Struct, frozen=True):
    """Where a condition is decided."""

    scope: ast.AST
    """The function that decides it for itself, the class whose objects do, or the module."""
    tree: ast.expr
    """The condition as it reads there."""
    question: str
    """The same for all conditions that surely ask the same, and for no others."""
    after: ast.stmt | None = None
    """The statement of the scope behind which it is settled; None: from its start. That of a class
    is in its ``__init__``."""
    machine: bool = False
    """Nothing but the accelerator decides."""
    answered: bool = False
    """It is true only where there is an accelerator."""
    pure: bool = False
    """So it is, and there always, with all that was seen to call the scope."""

    @property
    def always(self) -> bool:
        """The text of the program says yes, whoever runs it."""
        return self.question == repr(True)

    @property
    def text(self) -> str:
        """The condition under which the accelerator is taken, as it reads in the scope."""
        asked = ast.unparse(self.tree)
        if self.answered:
            return asked
        loose = isinstance(self.tree, (ast.IfExp, ast.Lambda))
        loose = loose or (isinstance(self.tree, ast.BoolOp) and isinstance(self.tree.op, ast.Or))
        return f"({asked}) and {AVAILABLE}" if loose else f"{asked} and {AVAILABLE}"


def decider(analysis: Analysis, test: ast.expr, value: Value | None) -> Decider | None:
    """Who decides ``test``, which was seen to be ``value``; None where that cannot be told."""
    check_time()
    meant = meaning(analysis.home(test).source, test)
    found = _of(analysis, meant if path_of(analysis, meant) is not None else test, _MAX_STEPS)
    if found is None:
        return None
    flag = value if isinstance(value, Flag) else None
    machine = found.machine and flag is not None and flag.pure
    answered = flag is not None and flag.holds
    pure = answered and flag is not None and flag.pure
    found = replace(found, machine=machine, answered=answered, pure=pure)
    refused = None if machine or answered else _refused(analysis, found)
    return replace(found, after=refused, answered=True) if refused is not None else found


def _refused(analysis: Analysis, asked: Decider) -> ast.If | None:
    """``if cuda and not torch.cuda.is_available(): raise …``: behind it there is an accelerator
    wherever the condition holds.
    """
    line = asked.after.lineno if asked.after is not None else 0
    for statement, own, asks in analysis.home(asked.scope).source.once(_Refusals).of(asked.scope):
        if statement.lineno > line and _asks_machine(analysis, asks):
            known = _of(analysis, own, _MAX_STEPS)
            if known is not None and known.question == asked.question:
                return statement
    return None


class _Refusals:
    """The statements of scopes that raise where a condition holds, and a call says no."""

    def __init__(self, source: Source) -> None:
        self._known: dict[ast.AST, list[tuple[ast.If, ast.expr, ast.Call]]] = {}

    def of(self, scope: ast.AST) -> list[tuple[ast.If, ast.expr, ast.Call]]:
        """Each with the condition and the call."""
        if scope not in self._known:
            self._known[scope] = list(_refusals(scope))
        return self._known[scope]


def _refusals(scope: ast.AST) -> Iterator[tuple[ast.If, ast.expr, ast.Call]]:
    for statement in spine(scope):
        if isinstance(statement, ast.If) and not statement.orelse:
            match statement.test, statement.body[-1]:
                case ast.BoolOp(
                    ast.And(), [own, ast.UnaryOp(ast.Not(), ast.Call() as asks)]
                ), ast.Raise():
                    yield statement, own, asks


def question_of(analysis: Analysis, device: str, place: ast.AST) -> str:
    """What was asked when a device was chosen that is called so at ``place``; empty: not known.

    That is the condition in ``device = torch.device("cuda" if args.cuda else "cpu")``.
    """
    tree = ast.parse(device, mode="eval").body
    path = path_of(analysis, tree, place)
    if path is None or not _is_settled(analysis, path):
        return ""
    setting = _setting(analysis, path)
    chosen = _definition(analysis, path, tree, setting)
    if isinstance(chosen, ast.Call) and len(chosen.args) == 1:
        chosen = chosen.args[0]
    test = chosen.test if isinstance(chosen, ast.IfExp) else None
    if chosen is None and len(setting) == 1 and isinstance(setting[0], ast.If):
        test = setting[0].test
    found = _of(analysis, test, _MAX_STEPS) if test is not None else None
    return found.question if found is not None else ""


def _of(analysis: Analysis, tree: ast.expr, steps: int) -> Decider | None:
    parts = _parts(analysis, tree)
    if parts is None:
        return _path(analysis, tree, steps)
    known = [_of(analysis, part, steps) for part in parts]
    found = [part for part in known if part is not None]
    if len(found) < len(known):
        return None
    scope = _innermost(analysis, [_above(analysis, tree)[-1], *(p.scope for p in found)])
    if scope is None:
        return None
    here = [p.after for p in found if p.scope is scope and p.after is not None]
    return Decider(
        scope,
        _rebuilt(tree, [p.tree for p in found]),
        _question(tree, [p.question for p in found]),
        max(here, key=lambda statement: statement.lineno, default=None),
        all(p.machine for p in found),
    )


def asked_of_file(analysis: Analysis, tree: ast.expr) -> str:
    """The same for a condition on names that functions of the file share, such as ``global args``:
    what they are changes, and is one thing for all who ask. Empty for other names."""
    parts = _parts(analysis, tree)
    if parts is None:
        path, home = path_of(analysis, tree), analysis.home(tree)
        shared = path is not None and is_shared(home.source, path.name)
        return f"{home.path}:{'.'.join(of_tree(tree) or ())}" if shared else ""
    known = [asked_of_file(analysis, part) for part in parts]
    return _question(tree, known) if all(known) or not known else ""


def _parts(analysis: Analysis, tree: ast.expr) -> list[ast.expr] | None:
    """What a condition is made of; None where it is a name, or something that nobody follows."""
    match tree:
        case ast.Constant():
            return []
        case ast.IfExp(test=test, body=ast.Constant(value=True), orelse=ast.Constant(value=False)):
            return [test]
        case ast.BoolOp(values=values):
            return values
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _PURE:
            return args
        case ast.Call(args=[], keywords=[]) if _asks_machine(analysis, tree):
            return []
    return None


def _asks_machine(analysis: Analysis, tree: ast.Call) -> bool:
    names = analysis.seen.calls.get(tree, set())
    return bool(names) and names <= {ASKS}


def _innermost(analysis: Analysis, scopes: Sequence[ast.AST]) -> ast.AST | None:
    """The scope that sees all names: one that lies in all the others."""
    deepest = max(scopes, key=lambda scope: len(_above(analysis, scope)))
    return deepest if all(s in _above(analysis, deepest) for s in scopes) else None


def _above(analysis: Analysis, scope: ast.AST) -> list[ast.AST]:
    """A scope and all that is around it."""
    found = [scope]
    while (above := analysis.parents.get(found[-1])) is not None:
        found.append(above)
    return found


def _rebuilt(tree: ast.expr, parts: Sequence[ast.expr]) -> ast.expr:
    """The condition with each part as its scope says it."""
    match tree:
        case ast.IfExp(body=body, orelse=orelse):
            return ast.IfExp(parts[0], body, orelse)
        case ast.BoolOp(op=op):
            return ast.BoolOp(op, list(parts))
        case ast.UnaryOp(op=operator):
            return ast.UnaryOp(operator, parts[0])
        case ast.Compare(ops=ops):
            return ast.Compare(parts[0], ops, list(parts[1:]))
        case ast.Call(func=func) if parts:
            return ast.Call(func, list(parts), [])
    return tree


def _question(tree: ast.expr, parts: Sequence[str]) -> str:
    match tree:
        case ast.Constant(value=value):
            return repr(value)
        case ast.IfExp():
            return parts[0]
        case ast.UnaryOp(op=ast.Not()):
            return negated(parts[0])
        case ast.Compare(ops=[op]) if parts[1] in ("True", "False"):
            equal = isinstance(op, (ast.Eq, ast.Is))
            if equal or isinstance(op, (ast.NotEq, ast.IsNot)):
                return parts[0] if equal is (parts[1] == "True") else negated(parts[0])
            return f"{type(op).__name__}({', '.join(parts)})"
        case ast.BoolOp(op=op) | ast.UnaryOp(op=op):
            return f"{type(op).__name__}({', '.join(parts)})"
        case ast.Compare(ops=ops):
            return f"{'/'.join(type(op).__name__ for op in ops)}({', '.join(parts)})"
        case ast.Call(func=ast.Name(id=name)):
            return f"{name}({', '.join(parts)})"
    return ASKS


def negated(question: str) -> str:
    """What the opposite condition asks."""
    if question.startswith("Not("):
        return question.removeprefix("Not(").removesuffix(")")
    return f"Not({question})"


def but_for_cuda(question: str) -> str:
    """The rest of a question that asks for CUDA as well; the question itself if it does not."""
    rest = question.removeprefix("And(").removesuffix(f", {ASKS})")
    return rest if question == f"And({rest}, {ASKS})" else question


# -- names and what hangs on them ------------------------------------------------------------------


def _path(analysis: Analysis, tree: ast.expr, steps: int) -> Decider | None:
    path = path_of(analysis, tree)
    if path is None or steps == 0 or path.name == "__name__":  # another file is another question
        return None
    source = analysis.home(path.scope).source
    if is_shared(source, path.name) or not _is_settled(analysis, path):
        return None
    setting = _setting(analysis, path)
    scope, after = path.scope, setting[-1] if setting else None
    if isinstance(after, _LOOPS) and after in _above(analysis, tree):
        return None  # another answer in each turn
    if (made := _set_once(analysis, path)) is not None:
        scope, after = analysis.parents[analysis.parents[made]], made
    kept = path if made is not None else _kept(analysis, path)
    asked = f"{kept.name}@{id(kept.scope if made is None else scope)}.{'.'.join(kept.attributes)}"
    own = Decider(scope, tree, asked, after)
    meant = _definition(analysis, path, tree, setting)
    before = _of(analysis, meant, steps - 1) if meant is not None else None
    if before is None:
        return own
    if before.machine or before.scope is path.scope:
        return replace(own, question=before.question, machine=before.machine)
    # another name for what is decided around it
    return before if before.scope in _above(analysis, scope) else own


def _setting(analysis: Analysis, path: Path) -> list[ast.stmt]:
    """The statements of its scope that bind the name, or set the attribute."""
    found = [s for s in spine(path.scope) if binds(s, path.name)]
    nodes: list[ast.AST] = [
        node
        for attribute in path.attributes
        for node in setters(analysis, attribute)
        if enclosing(analysis, node) is path.scope and root_name(node) == path.name
    ]
    if path.attributes:
        nodes += setters_by_name(path.scope, path.name, path.attributes[0])
    for node in nodes:
        statement = statement_in(analysis, path.scope, node)
        found += [statement] if statement is not None and statement not in found else []
    imports = (ast.Import, ast.ImportFrom)
    return sorted((s for s in found if not isinstance(s, imports)), key=lambda s: s.lineno)


def _definition(
    analysis: Analysis, path: Path, tree: ast.expr, setting: Sequence[ast.stmt]
) -> ast.expr | None:
    """What the only statement that sets it sets it to."""
    if (made := _set_once(analysis, path)) is not None:
        return made.value
    last = setting[-1] if setting else None
    if not isinstance(last, ast.Assign) or len(last.targets) != 1:
        return None
    if ast.dump(last.targets[0]) != ast.dump(_stored(tree)):
        return None
    first_of_name = path.attributes and all(isinstance(s, ast.Assign) for s in setting[:-1])
    sole = len(setting) == 1 and path.name not in parameters(path.scope)
    return last.value if sole or first_of_name else None


def _stored(tree: ast.expr) -> ast.expr:
    """The same expression as the target of an assignment."""
    if isinstance(tree, ast.Attribute):
        return ast.Attribute(tree.value, tree.attr, ast.Store())
    return ast.Name(tree.id, ast.Store()) if isinstance(tree, ast.Name) else tree


def _set_once(analysis: Analysis, path: Path) -> ast.Assign | None:
    """The one statement of a method that sets ``self.name``, where nothing else does.

    What reads it has to come after that: there is no such attribute before. An attribute of that
    name of another class is another one, unless the two are related.
    """
    owner = analysis.parents.get(path.scope)
    own = path.name == receiver(analysis, path.scope)
    if not own or len(path.attributes) != 1 or not isinstance(owner, ast.ClassDef):
        return None
    related = analysis.program.once(NameIndex).relatives(owner)
    mine = [
        node
        for node in setters(analysis, path.attributes[0])
        if analysis.parents.get(enclosing(analysis, node)) in related
    ]
    if len(mine) != 1:
        return None
    function, statement = enclosing(analysis, mine[0]), analysis.parents.get(mine[0])
    made = getattr(function, "name", "") == "__init__" or not any(
        binds(one, path.attributes[0])
        for cls in related
        for one in (cls.body if isinstance(cls, ast.ClassDef) else ())
    )
    here = statement in spine(function) and analysis.parents.get(function) is owner
    return statement if made and here and isinstance(statement, ast.Assign) else None


def _kept(analysis: Analysis, path: Path) -> Path:
    """The same for all methods of an object, where only its constructor sets the attribute.

    ``self.args.gpu`` is the ``args.gpu`` that the constructor was given.
    """
    owner = analysis.parents.get(path.scope)
    own = path.attributes and path.name == receiver(analysis, path.scope)
    if not own or not isinstance(owner, ast.ClassDef):
        return path
    first, *rest = path.attributes
    mine = _setters_in(analysis, owner, first)
    if any(getattr(function, "name", "") != "__init__" for function in mine.values()):
        return path
    if len(mine) == 1 and rest:
        node, function = next(iter(mine.items()))
        name = _argument_of(analysis, function, node)
        if name:
            return Path(name, tuple(rest), function)
    return Path(path.name, path.attributes, owner)


def _setters_in(
    analysis: Analysis, owner: ast.ClassDef, attribute: str
) -> dict[ast.Attribute, ast.AST]:
    """Where methods of a class, or of one that is related, set an attribute, each with its
    method."""
    related = analysis.program.once(NameIndex).relatives(owner)
    functions = {node: enclosing(analysis, node) for node in setters(analysis, attribute)}
    return {n: f for n, f in functions.items() if analysis.parents.get(f) in related}


def _argument_of(analysis: Analysis, function: ast.AST, node: ast.Attribute) -> str:
    """``args`` in ``self.args = args``, where that is what the function was given."""
    made = analysis.parents.get(node)
    given = made.value if isinstance(made, ast.Assign) else None
    name = given.id if isinstance(given, ast.Name) else ""
    anew = any(binds(statement, name) for statement in spine(function))
    return name if name in parameters(function) and not anew else ""


def kept_by_object(analysis: Analysis, asked: Decider) -> Decider | None:
    """The same question, decided by the object: ``args.cuda`` for each method that asks
    ``self.args.cuda``, as the constructor reads what it was given and keeps.

    What sets the option has to have run before such an object is made.
    """
    path = path_of(analysis, asked.tree)
    kept = _kept(analysis, path) if path is not None else None
    owner = analysis.parents.get(kept.scope) if kept is not None else None
    if kept is None or not kept.attributes or not isinstance(owner, ast.ClassDef):
        return None
    made = getattr(kept.scope, "name", "") == "__init__" and kept.name in parameters(kept.scope)
    keeping = list(_keeping(analysis, owner, kept)) if made else []
    if not keeping or asked.after not in (None, *keeping):
        return None
    made_before = (
        _is_set_before(analysis, owner, n) for n in setters(analysis, kept.attributes[-1])
    )
    if len(kept.attributes) > 1 or not all(made_before):
        return None
    tree = ast.Attribute(ast.Name(kept.name, ast.Load()), kept.attributes[0], ast.Load())
    return replace(asked, scope=owner, tree=tree, after=None)


def _keeping(analysis: Analysis, owner: ast.ClassDef, kept: Path) -> Iterator[ast.Assign]:
    """The statements by which the constructor keeps the argument under a name, for good."""
    for statement in (s for s in spine(kept.scope) if isinstance(s, ast.Assign)):
        for node in statement.targets:
            if (
                isinstance(node, ast.Attribute)
                and _argument_of(analysis, kept.scope, node) == kept.name
                and root_name(node) == receiver(analysis, kept.scope)
                and len(_setters_in(analysis, owner, node.attr)) == 1
            ):
                yield statement


def _is_set_before(analysis: Analysis, owner: ast.ClassDef, node: ast.Attribute) -> bool:
    """Whether a statement has run when objects of the class are made: at the top of a file, in the
    constructor of others, or above the call in the function that makes one."""
    function = enclosing(analysis, node)
    if not isinstance(function, FUNCTIONS):
        return True
    there = analysis.parents.get(function)
    if isinstance(there, ast.ClassDef) and root_name(node) == receiver(analysis, function):
        return there not in analysis.program.once(NameIndex).relatives(owner)
    calls = (n for n in walk(function) if isinstance(n, ast.Call))
    lines = [n.lineno for n in calls if last_name(n.func) == owner.name]
    return bool(lines) and node.lineno < min(lines)


def _is_settled(analysis: Analysis, path: Path) -> bool:
    """Whether nobody sets the attribute anew while the scope runs."""
    own = receiver(analysis, path.scope)
    for attribute in path.attributes:
        for node in setters(analysis, attribute):
            function = enclosing(analysis, node)
            if function is path.scope:
                if root_name(node) == path.name:
                    continue
                return False
            if not isinstance(function, FUNCTIONS):
                if isinstance(path.scope, ast.Module) and _imports(analysis, node, path.scope):
                    return False  # it runs when the scope has run
                continue  # that has run before
            made = function.name == "__init__" and root_name(node) == receiver(analysis, function)
            if made and (path.name != own or getattr(path.scope, "name", "") != "__init__"):
                continue  # an object that is being made
            if made and _runs_first(analysis, path.scope, function):
                continue
            if _is_of_others(analysis, path, node) or _is_new(analysis, function, node):
                continue
            called = analysis.program.once(NameIndex).may_call
            if isinstance(path.scope, ast.Module) or called(path.scope, function):
                return False
    return True


def _runs_first(analysis: Analysis, init: ast.AST, other: ast.AST) -> bool:
    """Whether a constructor begins with that of its base, and ``other`` is one of a base."""
    owner, above = analysis.parents.get(init), analysis.parents.get(other)
    if not isinstance(owner, ast.ClassDef) or not begins_with_base(owner, init):
        return False
    return analysis.program.once(NameIndex).is_above(above, owner)


def _imports(analysis: Analysis, node: ast.AST, scope: ast.AST) -> bool:
    """Whether the file of ``node`` imports that of ``scope``, directly or by others."""
    graph, own = analysis.program.once(import_graph), analysis.home(node).path
    return analysis.home(scope).path in closure(graph.get(own, ()), graph)


def _is_of_others(analysis: Analysis, path: Path, node: ast.Attribute) -> bool:
    """``self.name`` of a class that has nothing to do with the one whose method reads it."""
    function = enclosing(analysis, node)
    there, here = analysis.parents.get(function), analysis.parents.get(path.scope)
    if root_name(node) != receiver(analysis, function) or not isinstance(there, ast.ClassDef):
        return False
    if path.name != receiver(analysis, path.scope) or not isinstance(here, ast.ClassDef):
        return False
    return there not in analysis.program.once(NameIndex).relatives(here)


def _is_new(analysis: Analysis, function: ast.AST, node: ast.Attribute) -> bool:
    """``args.cuda`` of ``args = parser.parse_args()`` in a function: each run of it sets that in
    options which nobody has had before."""
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    bound = [statement for statement in spine(function) if binds(statement, name)]
    if len(bound) != 1 or name in parameters(function):
        return False
    match bound[0]:
        case ast.Assign([ast.Name()], ast.Call(keywords=[]) as made):
            new = any(record.namespace and record.tree is made for record in analysis.objects())
            return new and not is_shared(analysis.home(function).source, name)
    return False
