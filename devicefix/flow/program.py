"""Evaluate a whole program: its files, then the functions that nobody calls."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from devicefix.flow import buffers, calls, expressions, statements
from devicefix.flow.analysis import Analysis, BudgetExceededError
from devicefix.flow.construction import is_gone
from devicefix.flow.costs import HEAVY
from devicefix.flow.demos import is_demo
from devicefix.flow.escapes import enter_escaped, meet_names
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import HARD, HOST_NODE, TARGET_NODE, Label, Site, SiteKind
from devicefix.flow.joins import parts_in
from devicefix.flow.makers import moved_by_callers
from devicefix.flow.modules import tree_of
from devicefix.flow.neighbours import Neighbour
from devicefix.flow.parallel import AVERAGED, WRAPPERS
from devicefix.flow.processes import Processes
from devicefix.flow.roots import evaluate_uncalled, made, reused_result
from devicefix.flow.sightings import Sightings
from devicefix.flow.trace import Trace
from devicefix.flow.values import (
    FileRecord,
    Function,
    Instance,
    ObjectRecord,
    Value,
)
from devicefix.source import Program, Source
from devicefix.torch_api import is_library_module, is_metric

USUAL_PASSES = 3
"""Evaluations of the whole program: attributes set late are seen by methods evaluated early."""
MAX_PASSES = 12
"""After so many, something that still changes has no end that is worth waiting for; programs of
some thirty repositories take eight at most."""
LIKE_BEFORE = 0.8
"""The part of the expressions of one pass that the next one evaluates at the least."""
CONTEXTS = (12, 4, 1)
"""Ways of reaching one function that are told apart; fewer where that takes too long."""
ANCHOR = 500.0
"""What it is worth to have a module that is used on data on the device."""


class _Semantics:
    """Ties the mutually recursive parts of evaluation together."""

    evaluate = staticmethod(expressions.evaluate)
    execute = staticmethod(statements.execute)
    call = staticmethod(calls.call)

    def reused_result(
        self, frame: Frame, tree: ast.expr, function: Function, args: Arguments
    ) -> Value | None:
        """What a call gives that need not be followed."""
        return reused_result(frame, tree, function, args)

    def enter(self, analysis: Analysis, file: FileRecord) -> None:
        """Run a file behind its packages, as Python does: what these import comes first.

        Of one that is only read, nothing runs before it is asked for.
        """
        if not file.owned:
            file.frame = Neighbour(analysis, file)
            return
        for package in _packages(analysis, file):
            if package.frame is None:
                self._run(analysis, package)
        if file.frame is None:
            self._run(analysis, file)

    def _run(self, analysis: Analysis, file: FileRecord) -> None:
        file.frame = frame = Frame(analysis, file.source.tree)
        statements.execute(frame, file.source.tree.body)
        frame.flush(forget=False)
        if frame.env is None:
            frame.env = {}


def _packages(analysis: Analysis, file: FileRecord) -> list[FileRecord]:
    """The ``__init__.py`` of the folders around a file, from the outermost in."""
    found: list[FileRecord] = []
    for folder in Path(file.path).parents:
        package = analysis.files.get(str(folder / "__init__.py"))
        if package is None:
            break
        if package.owned and package is not file:
            found.insert(0, package)
    return found


def unevaluated(program: Program, before: Analysis) -> Analysis:
    """The files of ``program``, and the neighbours that it had ``before`` some edits."""
    analysis = Analysis(program, _Semantics(), Processes(program))
    analysis.files |= {p: file for p, file in before.files.items() if not file.owned}
    return analysis


def evaluate_program(
    program: Program, trace: Trace | None = None, *, explicit: bool = False
) -> tuple[Analysis, bool]:
    """What evaluation and the anchors say, and whether evaluation came to an end.

    ``explicit``: as if there were no default tensor types of CUDA, and all that they carry were to
    stay where it is.
    """
    sightings = Sightings.of(program)
    if sightings is not None:
        _, complete = _whole(program, None, explicit, sightings)
        sightings = sightings if complete else None
        if sightings is not None:
            sightings.allow()
    analysis, complete = _whole(program, trace, explicit, sightings)
    analysis.finished = True
    anchored = anchor_modules(analysis)
    for file in analysis.owned:
        chosen = file in analysis.explicit_host or analysis.is_test(file)
        if file not in anchored and not chosen and not is_demo(analysis, file):
            _anchor_work(analysis, file)
    return analysis, complete


def _whole(
    program: Program, trace: Trace | None, explicit: bool, sightings: Sightings | None
) -> tuple[Analysis, bool]:
    """Evaluation as fine as it comes to an end, and whether it does."""
    for contexts in CONTEXTS[program.too_fine :]:
        analysis = Analysis(
            program, _Semantics(), Processes(program), contexts=contexts, trace=trace
        )
        analysis.explicit, analysis.sightings = explicit, sightings
        if contexts == CONTEXTS[-1]:
            analysis.most_steps *= 2  # there is nothing cheaper to try
        complete = _evaluated(analysis)
        if complete:
            break
    else:
        analysis.give_up(f"its code takes more than {analysis.most_steps:,} evaluations")
    return analysis, complete


def _evaluated(analysis: Analysis) -> bool:
    """Whether evaluation came to an end.

    At best another pass would find the same; else there have been as many as usual, and what they
    found is not sure (`Analysis.unsettled`).
    """
    passes = 0
    try:
        while passes < MAX_PASSES:
            analysis.restart()
            known, before = _evident(analysis), analysis.steps
            _evaluate(analysis)
            passes += 1
            if analysis.settled and _evident(analysis) == known:
                return True
            if passes == USUAL_PASSES:
                # it was not too much so far, and what is left to find out are a few hops
                analysis.graph.hurried = True
                analysis.most_steps += analysis.most_steps // 2
            if analysis.left < LIKE_BEFORE * (analysis.steps - before):
                break
    except BudgetExceededError:
        return False
    analysis.unsettled = True
    return passes >= USUAL_PASSES


def _anchor_work(analysis: Analysis, file: FileRecord) -> None:
    """A program without modules wants its accelerator for the arithmetic.

    Not for what it does with something that it has just brought to the host by name.
    """
    work = {n for n in analysis.heavy.get(file, ()) if not _is_brought_back(analysis, n)}
    if file.frame is not None and analysis.has_device(file.frame):
        work |= analysis.losses.get(file, set())
    for node in work:
        analysis.graph.connect(TARGET_NODE, node, 0.0, HEAVY)


def _is_brought_back(analysis: Analysis, node: int) -> bool:
    """Whether an operand comes from ``x.cpu()``, with nothing that says where it is in between."""
    waiting, met = [node], {node}
    while waiting:
        current = waiting.pop()
        sources = analysis.graph.sources(current)
        if sources.get(HOST_NODE, 0.0) >= HARD and _is_transfer(analysis, current):
            return True
        if max(sources.get(HOST_NODE, 0.0), sources.get(TARGET_NODE, 0.0)) < HARD:
            waiting += sources.keys() - met
            met |= sources.keys()
    return False


def _is_transfer(analysis: Analysis, node: int) -> bool:
    match analysis.graph.key(node):
        case ("to", *_):
            return True
    return False


def _evident(analysis: Analysis) -> int:
    """How many parameters have shown that they are tensors."""
    arrived = (record for moved in analysis.arrived.values() for record in moved.values())
    return sum(record.tensor for record in (*analysis.parameters.values(), *arrived))


def _evaluate(analysis: Analysis) -> None:
    """Every file, then the functions that nobody calls; tests last, for they call everything."""
    tests = [file for file in analysis.owned if analysis.is_test(file)]
    others = [file for file in analysis.owned if file not in tests]
    for files in (others, tests):
        for file in files:
            if file.frame is None:
                analysis.semantics.enter(analysis, file)
        enter_escaped(analysis)  # what the files hand on themselves
        trees = [tree for file in files for tree in file.source.once(_functions)]
        # forward tells most about a module: see it before the helpers that it calls
        trees.sort(key=lambda tree: tree.name not in ("__init__", "forward"))
        for _ in range(2):  # once more for the functions that are defined inside functions
            for tree in trees:
                if tree not in analysis.entered and tree in analysis.definitions:
                    evaluate_uncalled(analysis, analysis.definitions[tree])
    enter_escaped(analysis)
    meet_names(analysis)


def _functions(source: Source) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All functions of a file, in the order of the text."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node for node in source.nodes if isinstance(node, kinds)]
    return sorted(found, key=lambda node: node.lineno)


def _is_copy(members: Sequence[ObjectRecord]) -> bool:
    """Whether all that a module has of its own was copied from another one: it is where that is."""
    own = [m for m in members if m.origin is None and m.layer not in WRAPPERS]
    mine = [m for m in own if m.stateful]
    has_own = any(m.layer or m.registered or m.weights for m in mine)
    return not has_own and any(m.origin is not None for m in members)


def _is_split(root: ObjectRecord, members: Sequence[ObjectRecord]) -> bool:
    """Whether the program moves some layers with weights, and others of the same module not."""
    if Label.TARGET in root.moved_to:
        return False
    layers = [m for m in members if m.layer and m.weights and m is not root]
    moved = [m for m in layers if Label.TARGET in m.moved_to]
    return 0 < len(moved) < len(layers)


# -- anchors -----------------------------------------------------------------------------------


def anchor_modules(analysis: Analysis) -> set[FileRecord]:
    """Modules that are used on data belong on the device; gives the programs that have some."""
    graph = analysis.graph
    roots: dict[ObjectRecord, list[ObjectRecord]] = {}
    keepers = buffers.keepers(analysis)
    holders = {keeper.root for keeper in keepers}
    for record in analysis.modules:
        roots.setdefault(record.root, []).append(record)
    for record in reversed(analysis.modules):
        copy = record if record.root.layer == AVERAGED else record.root
        if record.called and copy.origin is not None and not record.root.moved_to:
            copy.origin.root.called = True  # it is there if its original is
    for record in analysis.modules:
        used = record.called and not record.moved and not _is_kept_by_unseen(record)
        for lender in record.lenders if used else ():
            lender.root.called = True  # what is used are its parts
    found: set[FileRecord] = set()
    placed = {entry for members in roots.values() if (entry := _places_itself(members)) is not None}
    for root, members in roots.items():
        if {"module", "other"} <= analysis.callees.get(root.tree, set()) and root.frame:
            root.frame.meet(root.node, root.tree, "the call may create something else")
        unmade = (m.generic and m.cls and not made(analysis, m.cls) for m in members)
        if root.generic or any(unmade) or _is_only_made(root, members):
            graph.fix(root.node, Label.TARGET)
            continue
        if _is_kept_by_unseen(root):
            analysis.kept.append(root)
            continue
        if any(m.framework for m in members) or is_gone(analysis, root):
            continue
        used = any(m.called for m in members) and any(m.stateful for m in members)
        if _is_copy(members) or any(m.moved for m in members):
            found |= {m.frame.entry for m in members if m.frame is not None}
            root.split = _is_split(root, members)
            if root.split and root.frame is not None:
                root.frame.meet(root.node, root.tree, "the program moves only parts of this module")
            for part in members:
                if part in analysis.early:
                    _connect_module(analysis, part, analysis.early[part])
                if part in analysis.missed and _has_state(part, keepers):
                    _connect_module(analysis, part, root.node)
                for weight in analysis.missed_weights.get(part, ()):
                    graph.tie(root.node, weight)
        elif root.lenders and not any(m.stateful and not m.lenders for m in members):
            continue  # it has nothing of its own to move
        elif root.tensors:
            # a loss is computed where the scores are: its weight alone is no reason for a device
            for frame, expr, value in root.tensors:
                frame.use(expr, value, root.node)
        elif (
            (used or root in holders or not analysis.seen.read_weights.isdisjoint(members))
            and root.frame is not None
            and not root.frame.host
        ):
            heavy = used and _is_reason(analysis, root, members)
            if heavy:
                found.add(root.frame.entry)
            apart = [m for m in members if (m.late or m.before or m.beside) and m is not root]
            _connect_root(analysis, root, [m for m in apart if _has_state(m, keepers)])
            for weight in {weight for m in members for weight in m.late_weights}:
                graph.tie(root.node, weight)
            entry = root.frame.entry
            wanted = heavy and entry not in placed
            wanted = wanted and not analysis.is_test(entry) and not is_demo(analysis, entry)
            if wanted and root.frame.root_context:
                _let_decide(analysis, root)
            graph.connect(TARGET_NODE, root.node, 0.0, ANCHOR if wanted else 0.0)
    for parameter in analysis.parameters.values():
        if parameter.tensor and not parameter.moved and not _is_of_seen(parameter.frame):
            graph.fix(parameter.node, Label.TARGET)
    return found


def _has_state(part: ObjectRecord, keepers: set[ObjectRecord]) -> bool:
    """It has something that moves with it, or that would as a buffer."""
    return part.stateful or not keepers.isdisjoint(tree_of(part))


def _is_reason(analysis: Analysis, root: ObjectRecord, members: list[ObjectRecord]) -> bool:
    """Whether its calls are a reason to go to the device: a metric counts where it is told to, and
    what a library makes may only transform, unless the program asks for its parameters, or loads
    them: ``BertModel.from_pretrained``."""
    if is_metric(root.layer):
        return False
    if root.layer.endswith(".from_pretrained"):
        return True
    asked = root in analysis.seen.asked_for_parameters or any(m.weights for m in members)
    return asked or not is_library_module(root.layer)


def _is_of_seen(frame: Frame) -> bool:
    """A method of modules that the program makes: what comes in is where these modules are."""
    this = frame.receiver
    return isinstance(this, Instance) and any(r.module and not r.generic for r in this.records)


def _places_itself(members: list[ObjectRecord]) -> FileRecord | None:
    """The program that moves this module itself, if it does.

    What such a program leaves on the host works there, or it meets what is on the device: then that
    is the reason to move it, and nothing else is.
    """
    seen = any(m.stateful for m in members) and not any(m.generic for m in members)
    frames = (m.frame for m in members if seen and m.moved)
    return next((frame.entry for frame in frames if frame is not None), None)


def _is_only_made(root: ObjectRecord, members: Sequence[ObjectRecord]) -> bool:
    """A function that nobody calls makes it and gives it back, and does nothing with it: those who
    call it move it to where its ``forward`` needs it."""
    frame = root.frame
    if frame is None or not frame.root_context or any(m.called or m.moved for m in members):
        return False
    given = parts_in(frame.result) if frame.result is not None else ()
    return any(isinstance(part, Instance) and root in part.records for part in given)


def _is_kept_by_unseen(root: ObjectRecord) -> bool:
    """A constructor makes it and it is no part of that module: a list holds it, say. Who makes such
    modules is not seen, nor where they go."""
    return root.frame is not None and root.frame.building and root.frame.root_context


def _let_decide(analysis: Analysis, root: ObjectRecord) -> None:
    """Nobody calls the function that moves the module, so nobody tells it where."""
    frame, site = root.frame, moved_by_callers(analysis, root)
    if site is not None:
        frame = analysis.sites[site][analysis.bound_modules[root][site]].frame
    outermost = frame.outermost if frame is not None else None
    if outermost is not None:
        analysis.deciding.add(outermost.tree)


def _connect_root(analysis: Analysis, root: ObjectRecord, late: list[ObjectRecord]) -> None:
    """The module is moved where it is made, and each part that came ``late`` or was used before.

    Where a function puts all together, its result is moved.
    """
    bound = list(analysis.bound_modules.get(root, {}).items())
    together = all(part.frame is root.frame and not part.before for part in late)
    if late and bound and together:
        (site, context), *others = bound
        analysis.graph.connect(HOST_NODE, root.node, 1.0, HARD, site, context)
        analysis.module_sites[root.node] = others
        return
    for part in late:
        _connect_module(analysis, part, root.node)
        if part.frame is not None and part.frame.building:
            # the module around it may be used, too, and would be moved by halves
            part.frame.meet(root.node, part.tree, "the result is a part of two modules")
    _connect_module(analysis, root, root.node)


def _connect_module(analysis: Analysis, root: ObjectRecord, node: int) -> None:
    """``node``, where the module lives, is on the host unless it is moved where it is made."""
    if root.frame is not None and root.frame.evaluates_once(root.tree):
        analysis.graph.fix(node, Label.HOST)  # a class body may run long before there is a device
        return
    if root.frame is not None and root.tree in analysis.seen.uncertain_modules:
        reason = "the result may be something without `.to`"
        root.frame.meet(root.node, root.tree, reason)
    site = Site(SiteKind.MODULE, root.tree)
    if root.occurrence is not None:
        analysis.sites.setdefault(site, {})[root.context] = root.occurrence
    places = {site: root.context, **analysis.bound_modules.get(root, {})}
    site = moved_by_callers(analysis, root) or site
    context = places.pop(site)
    others = list(places.items())
    analysis.graph.connect(HOST_NODE, node, 1.0, HARD, site, context)
    analysis.module_sites[node] = others
