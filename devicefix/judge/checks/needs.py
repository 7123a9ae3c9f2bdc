"""Does the program do anything else without CUDA where the edits ask whether there is some?

``model.to(device)`` below ``if not torch.cuda.is_available(): sys.exit(1)``, beside a ``.cuda()``
that stays, or in a process that talks over NCCL: with CUDA the program does what it did, and
without it fails as before. Such a question is half a port, and so is ``map_location="cpu"`` above
it. Below ``if torch.cuda.is_available():`` it has been answered. What follows a tensor asks
nothing, but ``x.to(y.device)`` in place of ``x.cuda()`` is half a port there all the same.

An option of the user's is ported as a whole: below ``if self.gpu:``, or by a device that asks it,
nothing is gained where something else stays with ``.cuda()`` below the same condition.

What stays is what no rule rewrites, and what was found and has no safe fix. On what is not known
``.cuda()`` counts, too, and so does a library that is given ``device="cuda"``: if they need no CUDA
after all, a fix is lost, and no harm done.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from devicefix.findings import Span
from devicefix.flow.counts import zero_counts
from devicefix.flow.cuda_guards import Guards, kind_of
from devicefix.flow.deciders import asked_of_file, but_for_cuda, decider, negated, question_of
from devicefix.flow.definitions import enclosing
from devicefix.flow.evaluated import Evaluated
from devicefix.flow.facts import Kind, Need
from devicefix.flow.flags import answered, conditions_around, questions_around
from devicefix.flow.given import Given
from devicefix.flow.graph import HOST_NODE, TARGET_NODE
from devicefix.flow.hardcoded import choices_of_options
from devicefix.flow.kernels import is_gpu
from devicefix.flow.library_seen import library_calls
from devicefix.flow.observations import Occurrence
from devicefix.flow.pinning import pinned
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.unavoidable import Unavoidable
from devicefix.flow.values import Device, Flag, Instance, nodes_of
from devicefix.judge.comparison import Comparison, Objection
from devicefix.judge.comparison import enclosing as around
from devicefix.judge.ported import names_cuda, ported
from devicefix.source.parsing import Parents
from devicefix.source.walking import walk
from devicefix.torch_api import LEGACY_CONSTRUCTORS, MEMORY

NAME: Final = "need"
_CHOSEN: Final = ", under the same option"
_STAY: Final = (Kind.STORAGE, Kind.OVERRIDDEN)
_ANY_ACCELERATOR: Final = "torch.accelerator.is_available"
_RAISE: Final = (Kind.TORCH, *_STAY)
_Place = tuple[str, ast.expr]
"""A file, and an expression of its new text."""


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each edit that asks nowhere but where CUDA is needed all the same."""
    if not comparison.after.complete:
        return
    yield from _beside_the_cpu(comparison)
    asked: dict[int, list[_Place]] = defaultdict(list)
    for path, tree in _questions(comparison):
        for number in comparison.maps[path].makers_in(comparison.span(path, tree)):
            asked[number].append((path, tree))
    for path, tree, numbers in _taken_out(comparison):
        for number in numbers:
            asked[number].append((path, tree))
    every = [place for places in asked.values() for place in places]
    reasons = _Reasons(comparison, every) if asked else None
    for number, places in asked.items():
        found = [reasons.why_in_vain(*place) for place in places] if reasons is not None else []
        if all(found):
            path, tree = places[0]
            line = comparison.old_line(path, tree)
            yield Objection(NAME, path, line, found[0], frozenset((number,)), located=True)


def _beside_the_cpu(comparison: Comparison) -> Iterator[Objection]:
    """``zeros(3, device=x.device)``, newly written, for an ``x`` that is made on the CPU and stays
    there, as what would have to move it is not safe."""
    graph = comparison.after.analysis.graph
    for move in comparison.moves if comparison.after.complete else ():
        holder = move.device.value if isinstance(move.device, ast.Attribute) else None
        if move.replaces is not None or holder is None:
            continue
        nodes = {node for value in comparison.after.values(holder) for node in nodes_of(value)}
        made_of = graph.made_of(nodes)
        ends = {n for n in made_of if n <= TARGET_NODE or not graph.sources(n)}
        if nodes and ends == {HOST_NODE}:
            reason = f"`{ast.unparse(holder)}` stays on the CPU"
            yield comparison.objection(NAME, move.path, move.device, reason, move.call)


class _Reasons:
    """Why it makes no difference what is found out about CUDA at a place of the new program."""

    def __init__(self, comparison: Comparison, places: Iterable[_Place]) -> None:
        self._comparison = comparison
        after = comparison.after
        kept = _kept(comparison)
        self._unavoidable = Unavoidable(after.analysis, kept, after.values)
        given = Given(after.analysis)
        self._chosen = [
            (asked, Need(call, reason))
            for call, reason in (
                *kept.items(),
                *_below_options(comparison),
                *_chosen_by_options(comparison),
            )
            if (asked := _alternatives(after, given, call))
        ]
        """What stays below conditions, with what each of them asks, by any name for that."""
        self._placed = {move.device for move in comparison.moves}
        self._named = {path for path in comparison.maps if _has_new_name(comparison, path)}
        open_ = {
            path
            for path, tree in places
            if self._places(tree) and not self._is_answered(path, tree)
        }
        self._answered = set(comparison.maps) - open_
        """Files that gain nothing: conditions have asked wherever something is moved."""

    def why_in_vain(self, path: str, tree: ast.expr) -> str:
        """Empty where it may make one."""
        if path in self._answered and self._places(tree):
            return "a condition around it already checks this"
        need = self._unavoidable.at(tree) or self._where_it_is_used(tree)
        if need is not None:
            return f"the program still needs CUDA, at {_said(self._comparison, need)}"
        if (beside := self._beside(tree)) is not None:
            return _said(self._comparison, beside, _CHOSEN)
        if (beside := self._in_the_same_arm(tree)) is not None:
            return _said(self._comparison, beside)
        measured = None if _reads(tree) else self._measured_beside(tree)
        return _said(self._comparison, measured) if measured is not None else ""

    def _places(self, tree: ast.expr) -> bool:
        """Whether it says where something goes."""
        return _reads(tree) or tree in self._placed

    def _in_the_same_arm(self, tree: ast.expr) -> Need | None:
        """A type of CUDA that stays below the condition around a move: ``x.to(y.device)`` in place
        of ``x.cuda()`` gains nothing there."""
        if tree not in self._placed:
            return None
        analysis, parents = self._comparison.after.analysis, self._comparison.after.parents
        child: ast.AST = tree
        while (above := parents.get(child)) is not None and not isinstance(above, FUNCTIONS):
            if isinstance(above, ast.If) and child in above.body:
                inside = {n for statement in above.body for n in walk(statement)}
                mentions = analysis.seen.mentions.items()
                found = (n for n, seen in mentions if n in inside and _is_cuda_type(seen))
                return next((Need(n, f"`{ast.unparse(n)}` is left unchanged") for n in found), None)
            child = above
        return None

    def _measured_beside(self, tree: ast.expr) -> Need | None:
        """What the function around a guard is for, where that is to measure the memory of CUDA, and
        not to move anything."""
        analysis = self._comparison.after.analysis
        function = enclosing(analysis, tree)
        calls = [c for c in walk(function) if isinstance(c, ast.Call)]
        if not isinstance(function, FUNCTIONS) or not analysis.seen.transfers.keys().isdisjoint(
            calls
        ):
            return None
        measured = (c for c in calls if not MEMORY.isdisjoint(analysis.seen.calls.get(c, ())))
        return next((Need(c, "memory of CUDA is measured") for c in measured), None)

    def _where_it_is_used(self, tree: ast.expr) -> Need | None:
        """The default of a parameter is of use where its function runs."""
        parents, child = self._comparison.after.parents, tree
        while isinstance(above := parents.get(child), (ast.expr, ast.keyword)):
            child = above  # type: ignore[assignment]
        function = parents.get(above) if isinstance(above, ast.arguments) else None
        return self._unavoidable.at(function.body[0]) if isinstance(function, FUNCTIONS) else None

    def _beside(self, tree: ast.expr) -> Need | None:
        """What stays in another place where the user has chosen the same."""
        asked = self._asked(tree) if self._chosen else frozenset()
        within = self._guards_around(tree) if self._chosen else frozenset()
        for choice, need in self._chosen:
            same = not any(map(asked.isdisjoint, choice))
            if same or not within.isdisjoint(self._guards_around(need.tree)):
                return need
        return None

    def _guards_around(self, tree: ast.AST) -> frozenset[ast.AST]:
        """The conditions around it that ask an option of the user's; whatever else is asked below
        them, what is there is ported together."""
        analysis, parents = self._comparison.after.analysis, self._comparison.after.parents
        found, child = [], tree
        while (above := parents.get(child)) is not None and not isinstance(above, FUNCTIONS):
            if isinstance(above, ast.If) and child in above.body:
                asked = questions_around(analysis, child)
                found += [above] if asked and asked != questions_around(analysis, above) else []
            child = above
        return frozenset(found)

    def _asked(self, tree: ast.expr) -> frozenset[str]:
        """By conditions around it, and by the device that it names."""
        chosen = ""
        if _reads(tree):
            analysis = self._comparison.after.analysis
            chosen = but_for_cuda(question_of(analysis, ast.unparse(tree), tree))
        return self._asked_around(tree) | ({chosen} if chosen else frozenset())

    def _asked_around(self, tree: ast.expr) -> frozenset[str]:
        analysis = self._comparison.after.analysis
        if Guards(analysis, analysis.home(tree).source).are_around(tree):
            return frozenset()
        whole = self._whole(tree)
        own = decider(analysis, whole, None) if whole is not tree else None
        beside = frozenset((but_for_cuda(own.question),)) if own is not None else frozenset()
        options = (
            answered(option, holds)
            for condition, holds in conditions_around(analysis, tree)
            if (option := _option(self._comparison.after, condition.test))
        )
        return beside.union(options, questions_around(analysis, tree) or ())

    def _whole(self, tree: ast.expr) -> ast.expr:
        """``args.gpu and torch.cuda.is_available()`` for its last part."""
        above = self._comparison.after.parents.get(tree)
        return above if isinstance(above, ast.BoolOp) and isinstance(above.op, ast.And) else tree

    def _is_answered(self, path: str, tree: ast.expr) -> bool:
        analysis, source = self._comparison.after.analysis, self._comparison.source(path)
        if _reads(tree) and path in self._named:
            return Guards(analysis, source).have_asked(tree)
        tests = (analysis.seen.tests.get(above) for above in around(self._comparison.after, tree))
        return any(isinstance(test, Flag) and test.pure and test.holds for test in tests)


def _alternatives(side: Evaluated, given: Given, place: ast.AST) -> tuple[frozenset[str], ...]:
    """What conditions around a place ask, each with what its name stands for, as long as that does
    not ask for CUDA: a flag of an object, or one that calls give. Empty where it cannot be told."""
    analysis, found = side.analysis, []
    for condition, holds in conditions_around(analysis, place):
        own = decider(analysis, condition.test, analysis.seen.tests.get(condition))
        trees = given.behind(condition.test)
        works = any(isinstance(v, Flag) and v.holds for tree in trees for v in side.values(tree))
        behind = [decider(analysis, tree, None) for tree in trees if not works]
        asked = [own, *behind]
        questions = [but_for_cuda(d.question) for d in asked if d is not None]
        if not questions and (shared := asked_of_file(analysis, condition.test)):
            questions = [shared]
        option = _option(side, condition.test)
        questions += [option] if option else []
        found.append(frozenset(answered(question, holds) for question in questions))
    return tuple(found) if all(found) else ()


def _option(side: Evaluated, test: ast.expr) -> str:
    """What ``not args.cpu`` asks, the same wherever the options of one ``parse_args()`` are read.

    Empty for anything else.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        asked = _option(side, test.operand)
        return negated(asked) if asked else ""
    if not isinstance(test, ast.Attribute):
        return ""
    values = side.values(test.value)
    records = {r for v in values for r in (v.records if isinstance(v, Instance) else (None,))}
    made = {r.tree if r is not None and r.namespace else None for r in records}
    (parsed,) = made if len(made) == 1 else (None,)
    return f"{id(parsed)}.{test.attr}" if parsed is not None else ""


def _reads(tree: ast.expr) -> bool:
    """``device``, and no question of its own."""
    return isinstance(tree, (ast.Attribute, ast.Name))


def _has_new_name(comparison: Comparison, path: str) -> bool:
    """Whether edits have put in ``device = …``."""
    nodes = comparison.source(path).of_type(ast.Assign)
    return any(comparison.is_new(path, tree) for tree in nodes)


def _questions(comparison: Comparison) -> Iterator[_Place]:
    """The expressions that edits have put in to ask for CUDA, or for what was found out of it, or
    to do without its name."""
    for path in comparison.maps:
        for tree in comparison.source(path).nodes:
            if isinstance(tree, ast.expr) and _is_question(comparison, path, tree):
                yield path, tree
    yield from ((move.path, move.device) for move in ported(comparison))


def _taken_out(comparison: Comparison) -> Iterator[tuple[str, ast.expr, frozenset[int]]]:
    """What had ``.cuda()`` behind it and has nothing in its place, with the edits that took it."""
    replaced = {move.replaces for move in comparison.moves}
    for call in comparison.before.analysis.seen.transfers.keys() - replaced:
        path = comparison.before.analysis.home(call).path
        if path not in comparison.maps or not names_cuda(comparison, call):
            continue
        source = comparison.before.program.sources[path]
        whole, moved = source.span(call), source.span(call.func.value)  # type: ignore[attr-defined]
        edits = comparison.maps[path].removers_in(Span(moved.end, whole.end))
        kept = comparison.new_nodes.get((path, moved.start, moved.end), ())
        if edits and kept:
            yield path, kept[0], edits


def _is_question(comparison: Comparison, path: str, tree: ast.expr) -> bool:
    written = comparison.is_new(path, tree) and _asks(comparison, tree)
    return written and not _defines(comparison, path, tree)


def _asks(comparison: Comparison, tree: ast.expr) -> bool:
    values = comparison.after.values(tree)
    parent = comparison.after.parents.get(tree)
    if isinstance(parent, ast.keyword) and parent.arg == "map_location":
        return True  # it is the host, or a device that asks
    if isinstance(parent, ast.keyword) and parent.arg == "enabled":
        return False  # of mixed precision: it keeps what the old name did, and ports nothing
    return bool(values) and all(
        (isinstance(v, Device) and not v.nodes) or (isinstance(v, Flag) and v.pure) for v in values
    )


def _defines(comparison: Comparison, path: str, tree: ast.expr) -> bool:
    """Whether it is a part of ``device = …``: what counts is where that is read."""
    above = comparison.after.parents.get(tree)
    while above is not None and not isinstance(above, ast.stmt):
        above = comparison.after.parents.get(above)
    return isinstance(above, ast.Assign) and comparison.is_new(path, above)


def _kept(comparison: Comparison) -> Mapping[ast.AST, str]:
    """The calls of the new program that raise where there is no CUDA, and that stay.

    What could be rewritten, and is left since the user wants it so, may be another day.
    """
    decision, parents = comparison.after.decision, comparison.after.parents
    found: dict[ast.AST, str] = dict(_given_cuda(comparison))
    for call, seen in decision.calls.items():
        moves = isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"
        cuda_only = seen.kind in _STAY or seen.device is None or not seen.keeps_index
        stays = (cuda_only and seen.kind in _RAISE) or _is_left(comparison, call)
        if moves and stays and seen.kind is not Kind.OTHER and not seen.probes:
            found[call] = f"`{ast.unparse(call.func)}` is left unchanged"
    for known in library_calls(comparison.after.analysis, decision.names):
        alone = isinstance(parents.get(known.call), ast.Expr)
        if known.needs_cuda and not known.guarded and (known.spread or not alone):
            found[known.call] = f"`{min(known.names)}` raises an error without CUDA"
    found.update(_typed(comparison))
    for file in comparison.after.analysis.owned:
        for operation in zero_counts(comparison.after.analysis, file).values():
            found[operation] = "it uses the number of GPUs, which is 0 without CUDA"
    found.update(_pinned(comparison))
    for call, names in comparison.after.analysis.seen.calls.items():
        if "torch.cuda.device" in names and (_is_entered(parents, call) or _has_gpu(call)):
            found[call] = f"`{ast.unparse(call)}` raises an error without CUDA"
    return found


def _pinned(comparison: Comparison) -> Iterator[tuple[ast.AST, str]]:
    """``make().pin_memory()``, where no fix of that is safe; any accelerator will do."""
    analysis = comparison.after.analysis
    if any(_ANY_ACCELERATOR in names for names in analysis.seen.calls.values()):
        return
    for tree in (tree for file in analysis.owned for tree in pinned(analysis, file)):
        if isinstance(tree, ast.Call) and _is_left(comparison, tree):
            yield tree, f"`{ast.unparse(tree.func)}` raises an error without CUDA"


def _is_entered(parents: Parents, call: ast.Call) -> bool:
    """``with torch.cuda.device(gpu):``: of an index that is no GPU it would do nothing."""
    none = isinstance(next(iter(call.args), None), (ast.Constant, ast.UnaryOp))
    return isinstance(parents.get(call), ast.withitem) and not none


def _has_gpu(call: ast.Call) -> bool:
    return is_gpu(next(iter(call.args), None))


def _is_cuda_type(mentions: Mapping[int, tuple[str, Occurrence]]) -> bool:
    """Whether an expression names ``torch.cuda.FloatTensor`` or its like in each context."""
    names = {name for name, _ in mentions.values()}
    return bool(names) and names <= LEGACY_CONSTRUCTORS.keys() and all("cuda" in n for n in names)


def _typed(comparison: Comparison) -> Iterator[tuple[ast.AST, str]]:
    """``torch.cuda.FloatTensor(x)``, where no fix of that is safe."""
    analysis, parents = comparison.after.analysis, comparison.after.parents
    for tree, seen in analysis.seen.mentions.items():
        call = parents.get(tree)
        made = all(name in LEGACY_CONSTRUCTORS for name, _ in seen.values())
        if isinstance(call, ast.Call) and call.func is tree and made and _is_left(comparison, tree):
            yield call, f"`{ast.unparse(tree)}` is left unchanged"


def _is_left(comparison: Comparison, tree: ast.AST) -> bool:
    path = comparison.after.analysis.home(tree).path
    left = comparison.left.get(path)  # none of a file that was only read
    return bool(left) and comparison.span(path, tree) in (left or ())


def _below_options(comparison: Comparison) -> Iterator[tuple[ast.Call, str]]:
    """The moves that stay with a condition that only decides about them."""
    analysis = comparison.after.analysis
    for call in comparison.after.decision.calls:
        if any(_is_left(comparison, c.test) for c, _ in conditions_around(analysis, call)):
            yield call, f"`{ast.unparse(call.func)}` is left unchanged"


def _chosen_by_options(comparison: Comparison) -> Iterator[tuple[ast.expr, str]]:
    """The devices that stay where the user asks for CUDA."""
    analysis = comparison.after.analysis
    for tree in (t for file in analysis.owned for t in choices_of_options(analysis, file)):
        home = analysis.home(tree)
        new = comparison.is_new(home.path, tree)
        if not new and not Guards(analysis, home.source).are_around(tree):
            yield tree, f"`{ast.unparse(tree)}` is left unchanged"


def _given_cuda(comparison: Comparison) -> Iterator[tuple[ast.AST, str]]:
    """The calls of libraries with ``device="cuda"``, where no fix of that is safe."""
    seen = comparison.after.analysis.seen
    known = {*seen.device_literals, *seen.device_strings}
    calls = (n for file in comparison.after.analysis.owned for n in file.source.of_type(ast.Call))
    for call in calls:
        own = any(seen.callees.get(call, ())) if isinstance(call, ast.Call) else True
        for keyword in call.keywords if isinstance(call, ast.Call) and not own else ():
            cuda = keyword.arg == "device" and kind_of(keyword.value) == "cuda"
            if cuda and (keyword.value not in known or _is_left(comparison, keyword.value)):
                yield call, f"`{ast.unparse(keyword)}` is left unchanged"


def _said(comparison: Comparison, need: Need, more: str = "") -> str:
    path = comparison.after.analysis.home(need.tree).path
    return f"{path}:{comparison.old_line(path, need.tree)}: {need.reason}{more}"
