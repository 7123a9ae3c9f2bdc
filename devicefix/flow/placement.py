"""From the cheapest cut to the transfers that codemods write.

A transfer is written once for all contexts that reach it, so each has to be right in all of them:
where one context wants it and another does not, the device is taken from a tensor in scope, and if
there is none the place is ruled out and the cut is made again.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from devicefix.flow import buffers
from devicefix.flow.analysis import Analysis
from devicefix.flow.beside_inputs import beside_inputs
from devicefix.flow.bound import Bindings
from devicefix.flow.calls_seen import assigned, transfer_calls
from devicefix.flow.costs import PASSING_COST
from devicefix.flow.decision_groups import Chosen, Groups, name_of_group
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
from devicefix.flow.late import late_definition, name_of
from devicefix.flow.modules import below
from devicefix.flow.must_meet import must_meet
from devicefix.flow.naming import DeviceNames, Moved
from devicefix.flow.offences import Offences, is_brought_in_other_arm, reads
from devicefix.flow.origins import Origins
from devicefix.flow.own_choices import undoes
from devicefix.flow.partners import Partners
from devicefix.flow.passing import Wanted
from devicefix.flow.reads import note_reads
from devicefix.flow.references import References
from devicefix.flow.scripts import new_names
from devicefix.flow.undecided import undecided
from devicefix.flow.values import FileRecord, ObjectRecord
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
    mappings, encodings = set(analysis.seen.mappings), analysis.seen.encodings
    needed = mappings or encodings
    edges = [e for e in analysis.graph.edges if e.site is not None] if needed else []
    # moved where another name holds it, too, that one would show it moved; and it has no `.cpu()`
    sites = {e.site for e in edges if e.source in encodings and e.site is not None}
    analysis.graph.harden(sites, Label.HOST)
    known = -1
    while known < len(mappings):  # what is handed on to where it is asked for an item is the same
        known = len(mappings)
        found = [e for e in edges if e.sink in mappings - encodings]
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
        shares[function] += sum(solution.paid(edge) is not None for edge in analysis.graph.at(site))
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
    paid = {solution.paid(edge) for edge in edges}
    return [label for label in Label if label in paid]


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
    if undoes(analysis, solution, names.bindings.partners, site, edges, label):
        return False
    wanted, seen = _wanted(solution, edges), analysis.sites.get(site, {})
    if label is Label.HOST:
        if any(e.to_host >= HARD for e in edges if solution.paid(e) is Label.HOST):
            return False
        known = [e for e in edges if e.context in seen]
        if not all(names.is_tensor({e.source}, seen[e.context]) for e in known):
            return False  # an array has no `.cpu`
        viewed = any(e.sink in analysis.viewed for e in edges)
        back = (reads(analysis, edges) and not viewed) or _writes(analysis, edges)
        return None if back else False
    pairs = [(seen[c], place) for c, place in wanted.items() if c in seen]
    if any(e.to_target >= HARD for e in edges if solution.paid(e) is Label.TARGET):
        return False
    parts = [part for part in analysis.missed if part.tree is site.tree]
    bound = () if _have_company(parts) else assigned(analysis, site.tree)
    texts = (ast.unparse(site.tree), site.name, *bound)
    made = site.kind in _MADE_TO_MEET
    goes = frozenset(e.sink for e in edges if e.sink > TARGET_NODE)
    meets = goes if made else frozenset(part.node for part in parts)
    moved = Moved(texts, meets=meets, goes=goes, hosted=_is_hosted(analysis, pairs))
    found = names.at(pairs, moved)
    if found is not None and names.overrules_user(found, goes, site.tree):
        found = names.of_module(pairs, moved)
    return False if found is None else found


def _have_company(parts: Sequence[ObjectRecord]) -> bool:
    """Whether modules have other parts with parameters beside those that they get behind their
    move: they say where these belong before they are there."""
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
        edges = [edge for edge in analysis.graph.at(site) if solution.paid(edge) is label]
        if not edges or offences.is_guess(label, edges):
            continue
        if site.kind is SiteKind.BUFFER and buffers.stand_alone(analysis, edges):
            found += _alone(analysis, site, edges)
            continue
        number = groups.of(edges)
        if groups.refutes_itself(number):
            continue
        unsafe, group = groups.unsafe(number, analysis.home(site.tree)), name_of_group(number)
        offence = offences.of(site, label, edges, device)
        if offence is Offence.HOST_READ and is_brought_in_other_arm(analysis, site.tree):
            continue
        if unsafe and device and must_meet(analysis, partners, site, edges, device):
            unsafe, group = "", f"met-{min(edge.sink for edge in edges)}"
        trees: tuple[ast.AST, ...] = buffers.statements(analysis, site) or (site.tree,)
        found += [
            Transfer(
                offence=offence,
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
