"""From the cheapest cut to the transfers that codemods write.

A transfer is written once for all contexts that reach it, so each has to be right in all of them:
where one context wants it and another does not, the device is taken from a tensor in scope, and if
there is none the place is ruled out and the cut is made again.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, NamedTuple

from devicefix.flow import buffers
from devicefix.flow.analysis import Analysis
from devicefix.flow.beside_device import is_beside_device
from devicefix.flow.beside_inputs import beside_inputs
from devicefix.flow.bound import Bindings
from devicefix.flow.calls_seen import assigned, transfer_calls
from devicefix.flow.candidates import parameter_names
from devicefix.flow.costs import PASSING_COST
from devicefix.flow.facts import DeviceName, Offence, Transfer, TransferCall
from devicefix.flow.graph import (
    HARD,
    HOST_NODE,
    TARGET_NODE,
    Edge,
    Label,
    PlacementGraph,
    Site,
    SiteKind,
    Solution,
)
from devicefix.flow.ir.bodies import scope_around
from devicefix.flow.late import late_definition, name_of
from devicefix.flow.modules import below, is_moved
from devicefix.flow.must_meet import must_meet
from devicefix.flow.naming import DeviceNames, Moved
from devicefix.flow.observations import Meeting
from devicefix.flow.offences import Offences, reads
from devicefix.flow.origins import Origins
from devicefix.flow.partners import Partners
from devicefix.flow.passing import Wanted
from devicefix.flow.reads import note_reads
from devicefix.flow.references import References
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.scripts import new_names
from devicefix.flow.sightings import IN_A_RUN
from devicefix.flow.standing import today
from devicefix.flow.undecided import undecided
from devicefix.flow.union_find import UnionFind
from devicefix.flow.values import FileRecord, ObjectRecord, Tensor
from devicefix.time_limit import check_time

MAX_CUTS = 60
"""Times the cut is made again after places were ruled out."""


_MADE_TO_MEET = (SiteKind.CREATE, SiteKind.ORIGIN, SiteKind.USE)
_MADE_BY_CALL = (SiteKind.CREATE, SiteKind.MODULE, SiteKind.ORIGIN)
_BEHIND_VALUES = (SiteKind.USE, SiteKind.BIND, SiteKind.REBIND)


def decide(analysis: Analysis) -> Decision:
    """Choose the transfers, and name the device at each."""
    _keep_aliases(analysis)
    buffers.rule_out(analysis)
    _keep_neighbours(analysis)
    _keep_mappings(analysis)
    _keep_sequences(analysis)
    note_reads(analysis)
    return _settle(analysis)


def _keep_aliases(analysis: Analysis) -> None:
    """A value that a function writes in place must reach it as it is, not as a transferred copy."""
    graph = analysis.graph
    for edge in list(graph.edges):
        if edge.site is None or edge.site.kind not in _BEHIND_VALUES:
            continue
        sealed = edge.site.kind is SiteKind.USE and graph.is_sealed(edge.sink)
        # in another context it is a number, and numbers have no `.to` and no `.cpu`
        name = edge.site.name
        bound = (edge.site.tree, name) if name else edge.site.tree
        other = bound in analysis.seen.other_values
        if sealed or (other and not _is_state(analysis, edge.site)):
            graph.connect(edge.source, edge.sink, HARD, HARD, edge.site, edge.context)


def _is_state(analysis: Analysis, site: Site) -> bool:
    """Whether it is a tuple of tensors wherever it is looked at."""
    tree = site.tree
    known = analysis.seen.states.get(tree) if isinstance(tree, ast.expr) else None
    return known == {True} and not analysis.seen.scripted


def _keep_neighbours(analysis: Analysis) -> None:
    """Nothing is written in files that are only read, nor in tests: they run on the CPU.

    A test that moves its model itself says so; what it does not move belongs on the host.
    """
    files = ((site, analysis.home(site.tree)) for site in analysis.sites)
    outside = {s for s, file in files if not file.owned or analysis.is_test(file)}
    for label in Label:
        analysis.graph.harden(outside, label)


def _keep_mappings(analysis: Analysis) -> None:
    """A batch that is a dict is moved item by item."""
    mappings, sites = set(analysis.seen.mappings), set()
    edges = [e for e in analysis.graph.edges if e.site is not None] if mappings else []
    known = -1
    while known < len(mappings):  # what is handed on to where it is asked for an item is the same
        known = len(mappings)
        found = [e for e in edges if e.sink in mappings]
        mappings |= {e.source for e in found}
        sites |= {e.site for e in found if e.site is not None}
    analysis.seen.mappings |= mappings
    analysis.graph.harden(sites, Label.TARGET)


def _keep_sequences(analysis: Analysis) -> None:
    """A batch of an unseen dataset is moved as a whole only where it is used as one tensor.

    What is only taken apart, by its positions or in a loop, may be a list, which has no ``.to``.
    """
    sequences = analysis.sequences
    edges = [
        edge
        for edge in analysis.graph.edges
        if (edge.source in sequences or edge.sink in sequences)
        and edge.sink > TARGET_NODE
        and sequences.get(edge.source) != edge.sink
        and sequences.get(edge.sink) != edge.source
    ]
    used = {e.source for e in edges if e.sink not in sequences}
    known = -1
    while known < len(used):  # what is handed on under another name is the same
        known = len(used)
        used |= {e.source for e in edges if e.sink in used}
    lists = sequences.keys() - used
    analysis.graph.harden({e.site for e in edges if e.site and e.sink in lists}, Label.TARGET)


Chosen = dict[tuple[Site, Label], DeviceName | None]
Stuck = set[tuple[Site, Label]]
"""Places that no other placement can do without, and where nothing can be written."""


Calls = Mapping[ast.Call, TransferCall]


class Decision(NamedTuple):
    """Where everything lives, and where transfers are written for that."""

    solution: Solution
    names: DeviceNames
    chosen: Chosen
    stuck: Stuck
    calls: Calls
    """The transfers that the program makes itself."""
    is_consistent: bool
    """Whether what has to be together is."""


def _settle(analysis: Analysis) -> Decision:
    """Cut, check every place in all its contexts, mend what does not hold, and cut again."""
    graph = analysis.graph
    ruled_out: Stuck = set()
    unified: set[Site] = set()
    passed: set[Site] = set()
    tried: set[int] = set()
    solution = graph.solve()
    if sites := undecided(graph, solution):
        graph.waive(sites)
        solution = graph.solve()
    # what is bound where, and what calls what, is no question of the cut
    partners = Partners(analysis)
    bindings = Bindings(analysis, References(analysis), partners, Origins(analysis, partners))
    calls: Calls = {}
    last = False
    for _ in range(MAX_CUTS):
        check_time()
        names, chosen, refused, calls = _named(analysis, solution, bindings, last=last)
        if _move_elsewhere(analysis, chosen, refused, tried):
            solution, last = graph.solve(), False
            continue
        passing = _passing(analysis, solution, chosen)
        if refused <= ruled_out and passing.keys() <= passed:
            if last:
                break
            last = True  # the same cut once more, with the transfers of the program
            continue
        last = False
        graph.surcharge({site: cost for site, cost in passing.items() if site not in passed})
        passed |= passing.keys()
        divided = _divided(analysis, solution, refused) - unified
        unified |= divided
        for site in divided:
            graph.unify(site)
        _rule_out(graph, {r for r in refused - ruled_out if r[0] not in divided})
        ruled_out |= {r for r in refused if r[0] not in divided}
        cost, solution = solution.cost, graph.solve()
        if divided and solution.cost > cost + HARD / 2:
            # some context cannot do as the others
            for site in divided:
                graph.release(site)
            solution = graph.solve()
    else:
        analysis.give_up(f"no consistent placement of its tensors was found in {MAX_CUTS} attempts")
        return Decision(solution, names, {}, set(), transfer_calls(analysis, names), False)
    consistent = not any(map(solution.breaks, graph.edges))
    return Decision(solution, names, chosen, refused, calls, consistent)


def _move_elsewhere(analysis: Analysis, chosen: Chosen, refused: Stuck, tried: set[int]) -> bool:
    """Modules that cannot be moved where they are made, or only with a parameter for the device,
    are moved where the result of the function that makes them is bound.
    """
    found = False
    for edge in list(analysis.graph.edges):
        site, others = edge.site, analysis.module_sites.get(edge.sink, [])
        if site is None or site.kind is not SiteKind.MODULE or not others:
            continue
        device = chosen.get((site, Label.TARGET))
        awkward = device is not None and device.passed is not None
        awkward = awkward and edge.sink not in tried
        if not (awkward or (site, Label.TARGET) in refused):
            continue
        tried.add(edge.sink)
        if awkward:
            others.append((site, edge.context))
        analysis.graph.reroute(edge, *others.pop(0))
        found = True
    return found


def _rule_out(graph: PlacementGraph, refused: Stuck) -> None:
    for label in Label:
        graph.harden({site for site, place in refused if place is label}, label)


def _divided(analysis: Analysis, solution: Solution, refused: Stuck) -> set[Site]:
    """The sites that one context wants on the device and another, it seems, does not."""
    found = set()
    for site in {site for site, label in refused if label is Label.TARGET}:
        sinks = [edge.sink for edge in analysis.graph.at(site) if edge.sink > TARGET_NODE]
        if len({solution.label(sink) for sink in sinks}) > 1:
            found.add(site)
    return found


def _passing(analysis: Analysis, solution: Solution, chosen: Chosen) -> dict[Site, float]:
    """The sites that need a parameter for the device, each with its share of what that costs."""
    functions = {s: d.passed for (s, _), d in chosen.items() if d is not None and d.passed}
    shares: Counter[ast.AST] = Counter()
    for site, function in functions.items():
        shares[function] += sum(
            _paid(solution, edge) is not None for edge in analysis.graph.at(site)
        )
    return {site: PASSING_COST / shares[function] for site, function in functions.items()}


def _named(
    analysis: Analysis, solution: Solution, bindings: Bindings, *, last: bool
) -> tuple[DeviceNames, Chosen, Stuck, Calls]:
    """Choose with the best new name for each script that means nothing else where it is used.

    ``last``: the transfers of the program itself are named as well. A cut that will be made again
    can do without.
    """
    left: dict[FileRecord, list[str]] = {}

    def first(file: FileRecord) -> str:
        if file not in left:
            left[file] = _names_for(file) if file.owned else []
        return next(iter(left[file]), "")

    defined: set[FileRecord] = set()
    while True:
        names = DeviceNames(analysis, solution, first, bindings, frozenset(defined))
        chosen, refused = _choose(analysis, solution, names)
        calls = transfer_calls(analysis, names) if last else {}  # they need the name, too
        if not names.shadowed and names.at_import <= defined:
            return names, chosen, refused, calls
        defined |= names.at_import
        for file in names.shadowed:
            left[file] = left[file][1:]


def _names_for(file: FileRecord) -> list[str]:
    """What a device may be called at the top: as further down, else something new."""
    late = file.source.once(late_definition)
    names = file.source.once(new_names)
    return names if late is None else [name_of(late), *names]


def _choose(analysis: Analysis, solution: Solution, names: DeviceNames) -> tuple[Chosen, Stuck]:
    graph = analysis.graph
    chosen: Chosen = {}
    refused: Stuck = set()
    cut = [edge for edge in solution.crossing(graph.edges) if solution.paid(edge)]
    for site in sorted({edge.site for edge in cut if edge.site is not None}, key=graph.rank):
        edges = graph.at(site)
        for label in _labels(solution, edges):
            device = _device_for(analysis, solution, names, site, edges, label)
            if device is False:
                refused.add((site, label))
            else:
                chosen[site, label] = device
    return chosen, refused


def _labels(solution: Solution, edges: Iterable[Edge]) -> list[Label]:
    """Where transfers at a place go, in a fixed order."""
    paid = {_paid(solution, edge) for edge in edges}
    return [label for label in Label if label in paid]


def _paid(solution: Solution, edge: Edge) -> Label | None:
    """Where a transfer on this edge goes, if the cut pays for one."""
    return solution.paid(edge)


def _device_for(
    analysis: Analysis,
    solution: Solution,
    names: DeviceNames,
    site: Site,
    edges: list[Edge],
    label: Label,
) -> DeviceName | Literal[False] | None:
    """The name of the device at ``site`` (None for ``.cpu()``), False where nothing is right."""
    if site.kind is SiteKind.BUFFER:
        return None if buffers.agree(analysis, solution, edges) else False
    callees = analysis.callees.get(site.tree, set())
    if site.kind in _MADE_BY_CALL and {"indirect", "called"} <= callees:
        return False  # `map(nn.Linear, sizes)` is no layer
    if site.tree in analysis.seen.spread and not _moves_together(analysis, solution, site, edges):
        return False
    wanted = _wanted(solution, edges)
    if label is Label.HOST:
        if any(e.to_host >= HARD for e in edges if _paid(solution, e) is Label.HOST):
            return False
        viewed = any(e.sink in analysis.viewed for e in edges)
        back = (reads(analysis, edges) and not viewed) or _writes(analysis, edges)
        return None if back else False
    seen = analysis.sites.get(site, {})
    pairs = [(seen[c], place) for c, place in wanted.items() if c in seen]
    if any(e.to_target >= HARD for e in edges if _paid(solution, e) is Label.TARGET):
        return False
    bound = () if _is_new_part(analysis, site) else assigned(analysis, site.tree)
    texts = (ast.unparse(site.tree), site.name, *bound)
    made = site.kind in _MADE_TO_MEET
    goes = frozenset(e.sink for e in edges if e.sink > TARGET_NODE)
    meets = goes if made else frozenset()
    moved = Moved(texts, meets=meets, goes=goes, hosted=_is_hosted(analysis, pairs))
    found = names.at(pairs, moved)
    if found is not None and names.overrules_user(found, goes, site.tree):
        found = names.of_module(pairs, moved)
    return False if found is None else found


def _is_new_part(analysis: Analysis, site: Site) -> bool:
    """Whether what is made there becomes a part of modules that have been moved already, and have
    other parts with parameters: they say where it belongs before it is there."""
    parts = [part for part in analysis.missed if part.tree is site.tree]
    return bool(parts) and all(
        part.parent is not None
        and any(other.weights and not other.late for other in below(part.parent))
        for part in parts
    )


def _moves_together(
    analysis: Analysis, solution: Solution, site: Site, edges: Iterable[Edge]
) -> bool:
    """Whether each item of a tuple that is spread has to be on the device, in all contexts."""
    places = {solution.label(edge.sink) for edge in edges}
    return _is_state(analysis, site) and places == {Label.TARGET}


def _is_hosted(analysis: Analysis, wanted: Wanted) -> bool:
    """Workers run the function around the place, too."""
    return any(seen.frame.function in analysis.hosted for seen, _ in wanted)


def _writes(analysis: Analysis, edges: Iterable[Edge]) -> bool:
    """What is written in place stays where it is; taking back anything else is no repair."""
    graph = analysis.graph
    sinks = {edge.sink for edge in edges}
    into = (edge for edge in graph.edges if edge.sink in sinks)
    ties = [edge for edge in into if edge.to_host >= HARD and edge.to_target >= HARD]
    return sinks <= {tie.sink for tie in ties if graph.is_sealed(tie.source)}


def _wanted(solution: Solution, edges: Iterable[Edge]) -> dict[int, Label]:
    """In each context that has a say: where the value has to be behind the place."""
    wanted: dict[int, Label] = {}
    for edge in edges:
        free = edge.to_target == 0.0
        if not free or edge.sink == HOST_NODE:
            wanted[edge.context] = solution.label(edge.sink)
    return wanted


# -- transfers ---------------------------------------------------------------------------------


def transfers(analysis: Analysis, decision: Decision) -> list[Transfer]:
    """The transfers of a decision, in the order of the lines, whichever file they are in."""
    solution, chosen, stuck = decision.solution, decision.chosen, decision.stuck
    groups = Groups(analysis, solution, chosen)
    offences, partners = Offences(analysis), decision.names.bindings.partners
    found = []
    for (site, label), device in [*chosen.items(), *((key, None) for key in stuck)]:
        edges = [edge for edge in analysis.graph.at(site) if _paid(solution, edge) is label]
        if not edges:
            continue
        if site.kind is SiteKind.BUFFER and buffers.stand_alone(analysis, edges):
            found += _alone(analysis, site, edges)
            continue
        number = groups.of(edges)
        if groups.refutes_itself(number):
            continue
        unsafe, group = groups.unsafe(number, analysis.home(site.tree)), name_of_group(number)
        if unsafe and device and must_meet(analysis, partners, site, edges, device):
            unsafe, group = "", f"met-{min(edge.sink for edge in edges)}"
        trees: tuple[ast.AST, ...] = buffers.statements(analysis, site) or (site.tree,)
        found += [
            Transfer(
                offence=offences.of(site, label, edges, device),
                tree=tree,
                keyword=site.kind is SiteKind.CREATE,
                name=site.name,
                device=device,
                group=group,
                blocked=_why_stuck(label) if (site, label) in stuck else groups.blocked(number),
                unsafe=unsafe,
                pinned=label is Label.TARGET and all(e.source in analysis.pinned for e in edges),
                each=site.kind is SiteKind.USE and _is_state(analysis, site),
            )
            for tree in trees
        ]
    beside = list(_made_beside_inputs(analysis, decision, found))
    instead = {transfer.tree for transfer in beside}
    found = [*(transfer for transfer in found if transfer.tree not in instead), *beside]
    return sorted(
        found, key=lambda t: (getattr(t.tree, "lineno", 0), getattr(t.tree, "col_offset", 0))
    )


def _made_beside_inputs(
    analysis: Analysis, decision: Decision, others: Iterable[Transfer]
) -> Iterator[Transfer]:
    """Those that the function around them shows to be right, beside the safe ones of the cut."""
    bindings = decision.names.bindings
    sure = {transfer.tree for transfer in others if not (transfer.blocked or transfer.unsafe)}
    known = {site for site in analysis.sites if site.tree in sure}
    for site, edges, device in beside_inputs(analysis, bindings, known):
        yield Transfer(
            offence=Offence.FACTORY if site.kind is SiteKind.CREATE else Offence.DATA,
            tree=site.tree,
            keyword=site.kind is SiteKind.CREATE,
            name=site.name,
            device=device,
            group=f"met-{min(edge.sink for edge in edges)}",
            blocked="",
            unsafe="",
        )


def name_of_group(number: int) -> str:
    """What fixes of one decision are called."""
    return f"placement-{number}"


def _alone(analysis: Analysis, site: Site, edges: list[Edge]) -> list[Transfer]:
    """A buffer of a module that the program moves itself: whatever else is unknown, it is right."""
    group = f"buffer-{min(edge.sink for edge in edges)}"
    return [
        Transfer(Offence.BUFFER, tree, False, site.name, None, group, "", "")
        for tree in buffers.statements(analysis, site)
    ]


def _why_stuck(label: Label) -> str:
    if label is Label.HOST:
        return "writes through this view would be lost after `.cpu()`"
    return "no device variable is in scope for every caller"


def _own_inputs(
    analysis: Analysis, edges: Iterable[Edge], chosen: Chosen
) -> Iterator[tuple[Edge, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Transfers of what a method is called with, to where its module is, and those in ``forward``:
    a module that moves its own inputs hides who has left them behind."""
    for edge in edges:
        device = chosen.get((edge.site, Label.TARGET)) if edge.site is not None else None
        named = edge.site.tree if edge.site is not None else None
        if device is None or not isinstance(named, ast.Name):
            continue
        function = scope_around(analysis.parents, named)
        method = isinstance(analysis.parents.get(function), ast.ClassDef)
        if not isinstance(function, FUNCTIONS) or not method:
            continue
        first, *given = parameter_names(function) or [""]
        own = device.follows and device.text.startswith((f"{first}.", f"next({first}."))
        if named.id in given and (own or function.name == "forward"):
            yield edge, function


LEFT_BEHIND: Final = "this module is in a list and is never moved"


class Groups:
    """Transfers whose values touch belong to one decision, and values that share a transfer.

    That stands in the text once: whoever makes it for one context has made it for the others.
    """

    def __init__(self, analysis: Analysis, solution: Solution, chosen: Chosen) -> None:
        self._analysis = analysis
        self._solution = solution
        self._parts = UnionFind()
        edges = list(analysis.graph.edges)
        for edge in edges:
            if edge.source > TARGET_NODE and edge.sink > TARGET_NODE:
                self._parts.union(edge.source, edge.sink)
        self._join_contexts(edges, chosen)
        self._changed = self._moved(edges)
        self._join_followed(chosen)
        self._broken = self._violations(edges)
        unseen = [p.node for p in analysis.parameters.values() if p.tensor and not p.moved]
        self._refuted = self._broken.intersection(map(self.find, unseen))
        self._meetings: dict[int, tuple[ast.AST, str]] = {}
        moved = {self.find(node) for node in self._changed}
        for node, tree in analysis.sightings.used.items() if analysis.sightings else ():
            if self.find(node) in moved:
                self._meetings.setdefault(self.find(node), (tree, IN_A_RUN))
        for parameter in analysis.parameters.values():
            function = parameter.frame.tree
            if parameter.tensor and function in analysis.escaped:
                group = self.find(parameter.node)
                if group in moved:
                    name = getattr(function, "name", "a lambda")
                    reason = f"not all callers of {name} were analysed"
                    self._meetings[group] = (function, reason)
        for meeting in analysis.meetings.values():
            if meeting.node not in self._changed or self._is_settled(meeting):
                continue
            if not self._agrees(meeting):
                where = (meeting.tree, meeting.reason)
                self._meetings.setdefault(self.find(meeting.node), where)
        for parameter_node, tree in self._mixed(edges):
            reason = f"calls to {getattr(tree, 'name', 'a lambda')} are not analysed separately"
            self._meetings.setdefault(self.find(parameter_node), (tree, reason))
        for record in self._left_behind(edges, chosen):
            self._meetings.setdefault(self.find(record.node), (record.tree, LEFT_BEHIND))
        for module, meeting in self._unsure_inputs(edges):
            self._meetings.setdefault(self.find(module), (meeting.tree, meeting.reason))
        for edge in self._needless(edges, chosen):
            assert edge.site is not None
            why = (edge.site.tree, "this is already on the device in some runs")
            self._meetings.setdefault(self.find(edge.source), why)
        for edge, function in _own_inputs(analysis, edges, chosen):
            why = (function, f"the callers of `{function.name}` should move its inputs")
            self._meetings.setdefault(self.find(edge.source), why)

    def _is_settled(self, meeting: Meeting) -> bool:
        """Whether what is unknown there has to be on the device in any run that works."""
        return is_beside_device(self._analysis, meeting, self._changed)

    def _agrees(self, meeting: Meeting) -> bool:
        """Whether all tensors of what was not seen are where the one is that it stands for."""
        label = self._solution.label
        return {label(node) for node in meeting.place} == {label(meeting.node)}

    def _mixed(self, edges: list[Edge]) -> Iterator[tuple[int, ast.AST]]:
        """Parameters of functions that are called from more places than are told apart: what one
        caller has on the device is no reason to move what another one has on the host."""
        target, graph = self._solution.target, self._analysis.graph
        there = {e.sink for e in edges if e.source in target and e.source not in self._changed}
        for node in sorted(there & self._changed) if self._analysis.shared_contexts else ():
            match graph.key(node):
                case ("parameter", context, ast.AST() as tree, _):
                    if context in self._analysis.shared_contexts:
                        yield node, tree

    def _left_behind(self, edges: list[Edge], chosen: Chosen) -> Iterator[ObjectRecord]:
        """Modules in plain lists that no edit moves, and whose call is given what edits move.

        What goes to where a tensor or module at hand is (``x.device``) is right beside them, too.
        """
        left = [r for r in self._analysis.kept if r.node in self._changed and not is_moved(r)]
        named = {key for key, device in chosen.items() if device and not device.follows}
        moving = {
            self.find(_own_node(edge))
            for edge in (edges if left else ())
            if edge.site is not None and (edge.site, _paid(self._solution, edge)) in named
        }
        yield from (record for record in left if self.find(record.node) in moving)

    def _unsure_inputs(self, edges: list[Edge]) -> Iterator[tuple[int, Meeting]]:
        """Modules that are moved, and called with what stays on the host: code that nobody has
        seen takes it, and nobody knows whether that wants it there."""
        target, analysis = self._solution.target, self._analysis
        after: dict[int, list[int]] = defaultdict(list)
        for edge in edges if not self._changed.isdisjoint(analysis.seen.inputs) else ():
            if edge.source > TARGET_NODE and edge.sink not in target:
                after[edge.source].append(edge.sink)
        met = {meeting.node: meeting for meeting in analysis.meetings.values()} if after else {}
        for module, inputs in analysis.seen.inputs.items() if met else ():
            waiting = list(inputs - target) if module in self._changed else []
            reached: set[int] = set()
            while waiting:
                node = waiting.pop()
                if node in met:
                    yield module, met[node]
                    break
                if node not in reached:
                    reached.add(node)
                    waiting += after[node]

    def _needless(self, edges: list[Edge], chosen: Chosen) -> Iterator[Edge]:
        """Transfers of what the program itself may have brought to either place by then: in the
        runs in which it meets what is beside it, nothing has to be moved."""
        places = today(self._analysis)
        for edge in edges:
            if edge.site is None or (edge.site, Label.TARGET) not in chosen:
                continue
            if _paid(self._solution, edge) is not Label.TARGET:
                continue
            if edge.source > TARGET_NODE and len(places.get(edge.source, ())) > 1:
                yield edge

    def of(self, edges: list[Edge]) -> int:
        return self.find(_own_node(edges[0]))

    def unsafe(self, group: int, file: FileRecord) -> str:
        """What makes a decision unsure, for a reader of ``file``."""
        if group not in self._meetings:
            return ""
        tree, reason = self._meetings[group]
        return f"{_line_name(self._analysis, tree, file)}: {reason}"

    def blocked(self, group: int) -> str:
        return "no consistent placement was found" if group in self._broken else ""

    def refutes_itself(self, group: int) -> bool:
        """No placement satisfies it, and it rests on where callers that nobody has seen have their
        tensors: they have them elsewhere, and nothing is known."""
        return group in self._refuted

    def _join_contexts(self, edges: list[Edge], chosen: Chosen) -> None:
        """``x.to(w.device)`` is left out: where ``w`` is decides, in each context by itself."""
        fixed = {key for key, device in chosen.items() if device and not device.follows}
        sites = {site for site, _ in fixed}
        first: dict[tuple[Site, Label | None], int] = {}
        for edge in edges:
            if edge.site is None or edge.site not in sites:
                continue
            key = edge.site, _paid(self._solution, edge)
            if key in fixed:
                self._parts.union(first.setdefault(key, _own_node(edge)), _own_node(edge))

    def _join_followed(self, chosen: Chosen) -> None:
        """``device=x.device``: it rests on what brings ``x`` there."""
        for (site, label), device in chosen.items():
            if device is None or not device.follows:
                continue
            holder = device.text.removesuffix(".device")
            for edge in self._analysis.graph.at(site):
                seen = self._analysis.sites[site].get(edge.context)
                value = seen.names.get(holder) if seen is not None else None
                if isinstance(value, Tensor) and _paid(self._solution, edge) is label:
                    for node in value.nodes & self._changed:
                        self._parts.union(node, _own_node(edge))

    def _moved(self, edges: list[Edge]) -> set[int]:
        """Nodes that the transfers put on the target."""
        target = self._solution.target
        after: dict[int, list[int]] = defaultdict(list)
        queue = []
        for edge in edges:
            if edge.sink in target and edge.sink > TARGET_NODE:
                if edge.source not in target:
                    queue.append(edge.sink)
                elif edge.source > TARGET_NODE:
                    after[edge.source].append(edge.sink)
                    if edge.to_host >= HARD and edge.to_target >= HARD:
                        after[edge.sink].append(edge.source)
        moved: set[int] = set()
        while queue:
            node = queue.pop()
            if node not in moved:
                moved.add(node)
                queue += after[node]
        return moved

    def _violations(self, edges: list[Edge]) -> set[int]:
        broken = (edge for edge in edges if self._solution.breaks(edge))
        return {self.find(max(edge.source, edge.sink)) for edge in broken}

    def find(self, node: int) -> int:
        """The number of the decision that ``node`` belongs to."""
        return self._parts.find(node)


def _own_node(edge: Edge) -> int:
    """The end of it that is neither the host itself nor the target."""
    return edge.sink if edge.sink > TARGET_NODE else edge.source


def _line_name(analysis: Analysis, tree: ast.AST, file: FileRecord) -> str:
    """What the line of ``tree`` is called in a sentence of ``file``."""
    home, line = analysis.home(tree), getattr(tree, "lineno", 0)
    if home is file:
        return f"line {line}"  # `Source.with_line_names` makes cells of it
    known = home.source.notebook is not None
    return f"{home.source.path}:{home.source.line_name(line) if known else line}"
