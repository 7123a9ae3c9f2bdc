"""Options such as ``args.cuda`` that switch the accelerator off: a new device has to obey them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.answers import answer, answer_name
from devicefix.flow.deciders import (
    Decider,
    asked_of_file,
    but_for_cuda,
    decider,
    negated,
    question_of,
)
from devicefix.flow.definitions import binds, setters
from devicefix.flow.escapes import reached
from devicefix.flow.expressions import is_move
from devicefix.flow.facts import DeviceName
from devicefix.flow.gpu_choice import first_question
from devicefix.flow.imported import dotted, origins
from devicefix.flow.modules import tree_of
from devicefix.flow.moving import is_move_statement
from devicefix.flow.presence import asks_if_there
from devicefix.flow.queries.access import Path, of_tree
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.scripts import is_main_guard
from devicefix.flow.user_index import user_index
from devicefix.flow.values import (
    FileRecord,
    Flag,
    Instance,
    Residence,
    Tensor,
    Unknown,
    Value,
)
from devicefix.source.walking import once, walk


class UserFlag(Struct, frozen=True):
    """The one condition under which the program moves things."""

    decider: Decider | None = None
    """Who decides it; None where the accelerator alone does."""
    anchor: ast.stmt | None = None
    """The statement of the module body after which the condition can be evaluated."""
    conflicting: bool = False
    """Several conditions, or one that the module body cannot evaluate."""
    index: str = ""
    """Which of several accelerators all calls of ``.cuda(index)`` take."""
    never: bool = False
    """Nothing at the top of the file may ask for CUDA; see ``gpus``."""
    elsewhere: bool = False
    """Functions decide for themselves, too: what they move is not for the file to move."""

    @property
    def condition(self) -> str:
        """When to take the accelerator; empty where there is one."""
        return self.decider.text if self.decider is not None else ""

    @property
    def question(self) -> str:
        """As `Decider.question`."""
        return self.decider.question if self.decider is not None else ""


class Asking(Struct, frozen=True):
    """A condition that decides whether things are moved."""

    tree: ast.If | ast.IfExp
    decider: Decider | None
    """None where it cannot be told who decides it."""


def asking(analysis: Analysis, file: FileRecord) -> list[Asking]:
    """The conditions of a file that decide about moves; not those about where a tensor is, or if
    there is one, nor who runs the file."""
    found = []
    for tree, test in analysis.tests(file):
        if isinstance(tree, ast.If):
            moving = _moves_some(analysis, tree) and not _asked_above(analysis, tree)
        else:
            moving = isinstance(tree, ast.IfExp) and is_move(tree.body, tree.orelse)
        if moving and not isinstance(test, Residence) and not is_main_guard(tree):
            assert isinstance(tree, (ast.If, ast.IfExp))
            if asks_if_there(analysis, tree):
                continue
            found.append(Asking(tree, decider(analysis, tree.test, test)))
    return [asked for asked in found if not decides_less(analysis, asked.decider)]


def asking_a_known_flag(analysis: Analysis, file: FileRecord) -> list[Asking]:
    """Those whose decider is known; ``if loss < best:`` decides about something else."""
    return [asked for asked in asking(analysis, file) if asked.decider is not None]


def decides_less(analysis: Analysis, asked: Decider | None) -> bool:
    """Whether the program needs an accelerator whatever a condition says: a module goes there.

    Then it switches no accelerator off, but says who moves a batch:
    ``if not args.prefetcher: x = x.cuda()``.
    """
    if asked is None or asked.answered or asked.machine:
        return False
    return any(
        _is_cuda(call)
        and any(_needs_it(value, asked) for value, _, _ in seen)
        and all(moves_either_way(analysis, tree) for tree in _conditions_around(analysis, call))
        for call, seen in analysis.seen.transfers.items()
    )


def _needs_it(value: Value, asked: Decider) -> bool:
    """What only an accelerator can take: a module with weights, or a thing from elsewhere.

    Beside an option that a function knows alone, a tensor, too: elsewhere nothing can ask the same.
    """
    if isinstance(value, Instance):
        return any(part.weights for record in value.records for part in tree_of(record))
    alone = isinstance(asked.scope, FUNCTIONS)
    return isinstance(value, Unknown) or (alone and isinstance(value, Tensor))


def moves_either_way(analysis: Analysis, tree: ast.If | ast.IfExp) -> bool:
    """``if several: net = DataParallel(net).cuda()`` and ``else: net.cuda()``, or no question."""
    if not isinstance(tree, ast.If):
        return False
    ways = (tree.body, tree.orelse)
    return is_main_guard(tree) or all(
        any(moves_to_cuda(analysis, statement) for statement in way) for way in ways
    )


def obeys(analysis: Analysis, device: DeviceName, place: ast.AST, asked: Decider | None) -> bool:
    """Whether ``device`` is the accelerator exactly where the condition holds."""
    if asked is None:
        return False
    if asked.machine and asked.answered:
        return True
    if device.flag or device.preamble:
        return device.question == asked.question
    return question_of(analysis, device.text, place) == asked.question


def asked_around(
    analysis: Analysis, call: ast.AST | None, conditions: Sequence[Asking]
) -> Iterator[Decider | None]:
    """Who decides the conditions that hold around a move, as far as they are about the
    accelerator."""
    asked = {a.decider.question for a in conditions if a.decider is not None}
    trees = {a.tree for a in conditions}
    for tree, holds in branches_around(analysis, call):
        if not holds:
            continue
        value = analysis.seen.tests.get(tree)
        found = decider(analysis, tree.test, value)
        alike = found is not None and found.question in asked
        if not isinstance(value, Residence) and (isinstance(value, Flag) or tree in trees or alike):
            yield found


def is_settled(analysis: Analysis, nodes: Iterable[int], place: ast.AST | None) -> bool:
    """Whether each move that has a part in ``nodes`` has run wherever ``place`` is reached.

    The run that is looked at is the one in which conditions move what they can. One that asks
    something else than those around the place may be false there, and then nothing was moved.
    """
    around = list(_conditions_around(analysis, place))
    asked = {d.question for tree in around if (d := _decider(analysis, tree)) is not None}
    for call in _moves(analysis, nodes):
        for tree in _conditions_around(analysis, call):
            if tree in around or is_certain(analysis, tree) or _is_joined(analysis, tree):
                continue
            found = _decider(analysis, tree)
            if found is None or found.question not in asked:
                return False
    return True


def _is_joined(analysis: Analysis, tree: ast.If | ast.IfExp) -> bool:
    """Whether what the other answer leaves has been looked at as well."""
    return tree in analysis.seen.joined and tree not in analysis.seen.assumed


def questions_around(analysis: Analysis, place: ast.AST) -> frozenset[str] | None:
    """What holds where a place is reached, by the conditions around it, but for those that ask the
    machine, or whether there is something; None where it cannot be told of one."""
    known = [
        (_question(analysis, tree), holds) for tree, holds in conditions_around(analysis, place)
    ]
    found = frozenset(answered(question, holds) for question, holds in known)
    return found if all(question for question, _ in known) else None


def _question(analysis: Analysis, tree: ast.If | ast.IfExp) -> str:
    """What a condition asks; empty where that cannot be told."""
    found = _decider(analysis, tree)
    return found.question if found is not None else asked_of_file(analysis, tree.test)


def answered(question: str, holds: bool) -> str:
    """What has been asked where the answer was yes, or no."""
    return question if holds else negated(question)


def _moves(analysis: Analysis, nodes: Iterable[int]) -> Iterator[ast.Call]:
    """The calls that put there what ``nodes`` are computed from."""
    for node in analysis.graph.made_of(nodes):
        match analysis.graph.key(node):
            case ("to", int(), ast.Call() as call, _):
                yield call


def conditions_around(analysis: Analysis, place: ast.AST) -> list[tuple[ast.If | ast.IfExp, bool]]:
    """The conditions around a place, and whether they hold there, but for those that ask the
    machine, or whether there is something."""
    around = branches_around(analysis, place)
    return [(tree, holds) for tree, holds in around if not is_certain(analysis, tree)]


def is_certain(analysis: Analysis, tree: ast.If | ast.IfExp) -> bool:
    """It asks the machine, where the thing is, or whether there is one at all."""
    value, test = analysis.seen.tests.get(tree), analysis.asked(tree)
    if isinstance(tree.test, ast.Constant):
        return True
    return (
        _asks_for_presence(tree, test)
        or isinstance(value, Residence)
        or (isinstance(value, Flag) and value.pure)
    )


def _asks_for_presence(tree: ast.If | ast.IfExp, test: ast.expr) -> bool:
    """``if mask is not None: x = x * mask``; the number of a GPU is an option."""
    match test:
        case ast.Compare(left, [ast.Is() | ast.IsNot()], [ast.Constant(value=None)]):
            return not _is_number_of_gpu(tree, of_tree(left))
    return False


def _is_number_of_gpu(tree: ast.If | ast.IfExp, path: Path | None) -> bool:
    """Whether all that reads the path below the condition is told a GPU: ``x.cuda(args.gpu)``,
    ``torch.cuda.set_device(args.gpu)``."""
    parts = [*tree.body, *tree.orelse] if isinstance(tree, ast.If) else [tree.body, tree.orelse]
    nodes = [node for part in parts for node in walk(part)]
    told = {
        argument
        for call in nodes
        if isinstance(call, ast.Call) and "cuda" in (of_tree(call.func) or _last(call.func))
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
    }
    read = [n for n in nodes if isinstance(n, (ast.Attribute, ast.Name)) and of_tree(n) == path]
    return bool(path) and len(path or ()) > 1 and set(read) <= told


def _last(func: ast.expr) -> tuple[str, ...]:
    return (func.attr,) if isinstance(func, ast.Attribute) else ()


def _decider(analysis: Analysis, tree: ast.If | ast.IfExp) -> Decider | None:
    return decider(analysis, tree.test, analysis.seen.tests.get(tree))


def _conditions_around(analysis: Analysis, call: ast.AST | None) -> Iterator[ast.If | ast.IfExp]:
    return (tree for tree, _ in branches_around(analysis, call))


def branches_around(
    analysis: Analysis, call: ast.AST | None
) -> Iterator[tuple[ast.If | ast.IfExp, bool]]:
    """The conditions around a place in its function, and whether they hold there.

    ``if __name__ == "__main__":`` is none: it holds wherever the program runs.
    """
    child = call
    parent = analysis.parents.get(call) if call is not None else None
    while parent is not None and not isinstance(parent, (*FUNCTIONS, ast.Lambda)):
        if isinstance(parent, ast.If) and child is not parent.test and not is_main_guard(parent):
            yield parent, child in parent.body
        elif isinstance(parent, ast.IfExp) and child is not parent.test:
            yield parent, child is parent.body
        child, parent = parent, analysis.parents.get(parent)


def user_flag(analysis: Analysis, file: FileRecord, conditions: Sequence[Asking]) -> UserFlag:
    """What the guards of a file ask before they move things, and when they may."""
    flag, first = _asked(analysis, file, conditions), file.source.once(first_question)
    asked = file.source.once(answer) if flag.decider is None and not flag.index else None
    after = [statement for statement in (flag.anchor, first.after, asked) if statement is not None]
    anchor = max(after, key=lambda statement: statement.lineno, default=None)
    never = first.never or bool(analysis.processes.why_not(file.source.tree, file.source.path))
    return replace(flag, anchor=anchor, never=never)


def has_answer(analysis: Analysis, file: FileRecord, flag: UserFlag) -> bool:
    """Whether a file asks the machine at its top level, whoever imports it, and nobody else sets
    the name of the answer: a device may stand behind it."""
    asked = file.source.once(answer)
    if asked is None or not file.owned or file.spread or flag.anchor is not asked:
        return False
    return not any(
        dotted(node.value, analysis.home(node).source.once(origins))
        for node in setters(analysis, answer_name(asked, file.source))
    )


def _asked(analysis: Analysis, file: FileRecord, conditions: Sequence[Asking]) -> UserFlag:
    known = [a.decider for a in conditions if a.decider is not None and not a.decider.machine]
    of_file = {d.question: d for d in known if d.scope is file.source.tree}
    nobody = any(asked.decider is None for asked in conditions)
    elsewhere = nobody or any(d.scope is not file.source.tree and not d.pure for d in known)
    index = user_index(analysis, file)
    behind = _anchor(file.source.tree, index) if index and not index.isdigit() else None
    if index and behind is None and not index.isdigit():
        index = ""
    if not of_file:
        return UserFlag(None, behind, index=index, elsewhere=elsewhere)
    one, *others = of_file.values()
    after = [s for s in (one.after, behind) if s is not None]
    anchor = max(after, key=lambda statement: statement.lineno, default=None)
    conflicting = bool(others) or _moves_apart(analysis, file, one, conditions)
    conflicting = conflicting or _is_there_anyway(analysis, one)
    return UserFlag(one, anchor, conflicting, index, elsewhere=elsewhere)


def _moves_apart(
    analysis: Analysis, file: FileRecord, asked: Decider, conditions: Sequence[Asking]
) -> bool:
    """Whether the file moves something that has nothing to do with what ``asked`` decides about.

    What meets such a thing cannot be without it; the rest goes to the accelerator in any case.
    """
    below, apart = set[int](), list[set[int]]()
    for call, seen in analysis.seen.transfers.items():
        if analysis.home(call) is not file or not _is_cuda(call):
            continue
        nodes = {n for _, moved, _ in seen for n in analysis.graph.component(reached(moved))}
        around = asked_around(analysis, call, conditions)
        if any(a is not None and a.question == asked.question for a in around):
            below |= nodes
        elif nodes:
            apart.append(nodes)
    return bool(below) and any(nodes.isdisjoint(below) for nodes in apart)


def _is_there_anyway(analysis: Analysis, asked: Decider) -> bool:
    """Whether a default type brings all that is made there, whatever ``asked`` says."""
    return any(
        asked.question not in _questions_around(analysis, call)
        for call in analysis.seen.default_types
    )


def _questions_around(analysis: Analysis, call: ast.Call) -> set[str]:
    around = (tree for tree, holds in branches_around(analysis, call) if holds)
    known = (found for tree in around if (found := _decider(analysis, tree)) is not None)
    return {question for d in known for question in (d.question, but_for_cuda(d.question))}


def _moves_some(analysis: Analysis, tree: ast.If) -> bool:
    """Whether the condition decides about moves: some statement of the body is one.

    What the body makes itself is not there otherwise: the condition decides about more. Where the
    other branch moves too, it decides about something else.
    """
    moves = any(_moves_if_asked(analysis, tree, s) for s in tree.body)
    return moves and not any(moves_to_cuda(analysis, s) for s in tree.orelse)


def _moves_if_asked(analysis: Analysis, tree: ast.If, statement: ast.stmt) -> bool:
    """``x = x.cuda()``, also where the machine is asked as well."""
    asks = not isinstance(tree.test, ast.Constant)
    if asks and isinstance(statement, ast.If) and _asks_machine_alone(analysis, statement):
        return any(_moves_if_asked(analysis, statement, s) for s in statement.body)
    moves = is_move_statement(statement) and moves_to_cuda(analysis, statement)
    return moves and not _makes(tree, statement)


def _asks_machine_alone(analysis: Analysis, tree: ast.If) -> bool:
    test = analysis.seen.tests.get(tree)
    return isinstance(test, Flag) and test.pure and test.holds


def _makes(tree: ast.If, move: ast.stmt) -> bool:
    """``y = load(); y = y.cuda()`` or ``y["x"] = y["x"].cuda()``, where nothing else in the
    condition binds ``y``.
    """
    before = tree.body[: tree.body.index(move)]
    funcs = (n.func for n in walk(move) if isinstance(n, ast.Call) and _is_cuda(n))
    paths = [of_tree(func.value) for func in funcs if isinstance(func, ast.Attribute)]
    names = [path[0] if path is not None else "" for path in paths]
    return bool(names) and all(
        any(_binds_anew(s, name) for s in before) and not any(binds(s, name) for s in tree.orelse)
        for name in names
    )


def _binds_anew(statement: ast.stmt, name: str) -> bool:
    """An assignment that does not read what the name stood for."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    named = (n for n in walk(value or statement) if isinstance(n, ast.Name) and n.id == name)
    return value is not None and binds(statement, name) and not any(named)


def moves_to_cuda(analysis: Analysis, statement: ast.stmt) -> bool:
    """Whether ``.cuda()`` is called in the statement."""
    return any(call in analysis.seen.transfers for call in once(statement, _cuda_calls))


def _cuda_calls(statement: ast.stmt) -> list[ast.Call]:
    return [n for n in walk(statement) if isinstance(n, ast.Call) and _is_cuda(n)]


def _is_cuda(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"


def _asked_above(analysis: Analysis, tree: ast.AST) -> bool:
    """Below another condition that asks for the accelerator, this one decides something else."""
    parent = analysis.parents.get(tree)
    while parent is not None and not isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if isinstance(parent, ast.If) and (
            isinstance(analysis.seen.tests.get(parent), Flag) or _moves_some(analysis, parent)
        ):
            return True
        parent = analysis.parents.get(parent)
    return False


def _anchor(module: ast.Module, text: str) -> ast.stmt | None:
    """The last statement of the module body that sets the index or the object that holds it."""
    index: ast.expr = ast.parse(text, mode="eval").body
    if isinstance(index, ast.Attribute) and isinstance(index.value, ast.Name):
        wanted = {text, index.value.id}
    elif isinstance(index, ast.Name):
        wanted = {text}
    else:
        return None
    found = None
    for statement in module.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if any(ast.unparse(target) in wanted for target in targets):
            found = statement
    return found
