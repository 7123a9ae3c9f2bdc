"""From the cheapest cut to the transfers that codemods write.

A transfer is written once for all contexts that reach it, so each has to be right in all of them:
where one context wants it and another does not, the device is taken from a tensor in scope, and if
there is none the place is ruled out and the cut is made again.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from devicefix.flow.analysis import Analysis
from devicefix.flow.calls_seen import transfer_calls
from devicefix.flow.facts import DeviceName, FileFacts, Offence, Transfer
from devicefix.flow.graph import HARD, HOST_NODE, TARGET_NODE, Edge, Label, Site, SiteKind, Solution
from devicefix.flow.hardcoded import device_literals, guards, kernel_reason, torch_name
from devicefix.flow.library_seen import library_calls
from devicefix.flow.mentions import cuda_imports, mentions
from devicefix.flow.naming import DeviceNames, new_names

MAX_CUTS = 12
"""Times the cut is made again after places were ruled out."""


def place(analysis: Analysis, *, complete: bool) -> FileFacts:
    """Choose the transfers, name the device at each, and say which cannot be trusted."""
    _keep_aliases(analysis)
    solution, names, chosen, stuck = _settle(analysis)
    transfers = _transfers(analysis, solution, chosen, stuck) if complete else []
    calls = transfer_calls(analysis, names)
    library = library_calls(analysis, names)
    literals = device_literals(analysis, names)
    named = mentions(analysis, names)
    guard = names.main_guard()
    if guard is not None:
        transfers = [replace(t, device=_inside(t.device, guard)) for t in transfers]
        calls = {k: replace(c, device=_inside(c.device, guard)) for k, c in calls.items()}
        literals = tuple(replace(f, device=_inside(f.device, guard)) for f in literals)
        library = tuple(replace(f, device=_inside(f.device, guard)) for f in library)
        named = tuple(replace(f, device=_inside(f.device, guard)) for f in named)
    return FileFacts(
        transfers=tuple(transfers),
        calls=calls,
        library=library,
        mentions=named,
        imports=cuda_imports(analysis.source.tree, analysis.parents),
        guards=guards(analysis, calls),
        literals=literals,
        clashes=tuple(analysis.seen.clashes.values()),
        dtype_uses={k: frozenset(v) for k, v in analysis.seen.dtype_uses.items()},
        parents=analysis.parents,
        torch=torch_name(analysis),
        needs_cuda=kernel_reason(analysis),
        script=names.script,
        complete=complete,
    )


def _inside(device: DeviceName | None, guard: ast.If) -> DeviceName | None:
    """A new name that only the main program needs is defined there."""
    if device is None or not device.preamble or device.anchor is not None:
        return device
    return replace(device, anchor=guard)


def _keep_aliases(analysis: Analysis) -> None:
    """A value that a function writes in place must reach it as it is, not as a transferred copy."""
    graph = analysis.graph
    for edge in list(graph.edges):
        if edge.site is not None and edge.site.kind is SiteKind.USE and graph.is_sealed(edge.sink):
            graph.connect(edge.source, edge.sink, HARD, HARD, edge.site, edge.context)


Chosen = dict[tuple[Site, Label], DeviceName | None]
Stuck = set[tuple[Site, Label]]
"""Places that no other placement can do without, and where nothing can be written."""


def _settle(analysis: Analysis) -> tuple[Solution, DeviceNames, Chosen, Stuck]:
    """Cut, check every place in all its contexts, rule out what does not hold, and cut again."""
    graph = analysis.graph
    ruled_out: Stuck = set()
    for _ in range(MAX_CUTS):
        solution = graph.solve()
        for name in [*new_names(analysis.source.tree), ""]:
            names = DeviceNames(analysis, solution, name)
            chosen, refused = _choose(analysis, solution, names)
            transfer_calls(analysis, names)  # they need the name, too
            if not names.shadowed:
                break
        if not refused:
            break
        known = len(ruled_out)
        ruled_out |= refused
        for site, label in refused:
            graph.harden(site, label)
        if len(ruled_out) == known:
            break
    return solution, names, chosen, refused


def _choose(analysis: Analysis, solution: Solution, names: DeviceNames) -> tuple[Chosen, Stuck]:
    by_site: dict[Site, list[Edge]] = defaultdict(list)
    for edge in analysis.graph.edges:
        if edge.site is not None:
            by_site[edge.site].append(edge)
    chosen: Chosen = {}
    refused: Stuck = set()
    for site, edges in by_site.items():
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
    cut = solution.cut(edge)
    cost = edge.to_target if cut is Label.TARGET else edge.to_host
    return cut if cut is not None and cost > 0 else None


def _device_for(
    analysis: Analysis,
    solution: Solution,
    names: DeviceNames,
    site: Site,
    edges: list[Edge],
    label: Label,
) -> DeviceName | Literal[False] | None:
    """The name of the device at ``site`` (None for ``.cpu()``), False where nothing is right."""
    wanted = _wanted(solution, edges)
    if label is Label.HOST:
        if any(e.to_host >= HARD for e in edges if _paid(solution, e) is Label.HOST):
            return False
        return None if Label.TARGET not in wanted.values() or _reads(edges) else False
    seen = analysis.sites.get(site, {})
    pairs = [(seen[c], place) for c, place in wanted.items() if c in seen]
    if any(e.to_target >= HARD for e in edges if _paid(solution, e) is Label.TARGET):
        return False
    found = names.at(pairs)
    return found if found is not None else False


def _reads(edges: Iterable[Edge]) -> bool:
    return all(e.sink == HOST_NODE for e in edges)


def _wanted(solution: Solution, edges: Iterable[Edge]) -> dict[int, Label]:
    """In each context that has a say: where the value has to be behind the place."""
    wanted: dict[int, Label] = {}
    for edge in edges:
        free = edge.to_target == 0.0
        if not free or edge.sink == HOST_NODE:
            wanted[edge.context] = solution.label(edge.sink)
    return wanted


# -- transfers ---------------------------------------------------------------------------------


def _transfers(
    analysis: Analysis, solution: Solution, chosen: Chosen, stuck: Stuck
) -> list[Transfer]:
    groups = _Groups(analysis, solution)
    found = []
    for (site, label), device in [*chosen.items(), *((key, None) for key in stuck)]:
        edges = [e for e in analysis.graph.edges if e.site == site and _paid(solution, e) is label]
        if not edges:
            continue
        number = groups.of(edges)
        found.append(
            Transfer(
                offence=_offence(analysis, site, label, edges),
                tree=site.tree,
                keyword=site.kind is SiteKind.CREATE,
                name=site.name,
                device=device,
                group=f"placement-{number}",
                blocked=_why_stuck(label) if (site, label) in stuck else groups.blocked(number),
                unsafe=groups.unsafe(number),
                pinned=label is Label.TARGET and all(e.source in analysis.pinned for e in edges),
            )
        )
    return sorted(
        found, key=lambda t: (getattr(t.tree, "lineno", 0), getattr(t.tree, "col_offset", 0))
    )


def _why_stuck(label: Label) -> str:
    if label is Label.HOST:
        return "what is written through this view would be lost behind `.cpu()`"
    return "nothing here names the device in all the ways this code is reached"


def _offence(analysis: Analysis, site: Site, label: Label, edges: list[Edge]) -> Offence:
    if label is Label.HOST:
        return Offence.HOST_READ if _reads(edges) else Offence.OPERAND
    if site.kind is SiteKind.MODULE:
        return Offence.MODULE
    bound = site.kind in (SiteKind.BIND, SiteKind.REBIND)
    if bound and all(e.source in analysis.batches for e in edges):
        return Offence.BATCH
    if site.kind is SiteKind.CREATE:
        return Offence.FACTORY
    if site.kind is SiteKind.ORIGIN:
        return Offence.DATA
    if site.kind is SiteKind.REBIND:
        return Offence.BATCH if isinstance(site.tree, (ast.For, ast.AsyncFor)) else Offence.DATA
    if site.kind is SiteKind.BIND:
        return Offence.DATA
    return Offence.OPERAND


class _Groups:
    """Transfers whose values touch belong to one decision."""

    def __init__(self, analysis: Analysis, solution: Solution) -> None:
        self._solution = solution
        self._parent: dict[int, int] = {}
        edges = list(analysis.graph.edges)
        for edge in edges:
            if edge.source > TARGET_NODE and edge.sink > TARGET_NODE:
                self._union(edge.source, edge.sink)
        self._changed = self._moved(edges)
        self._broken = self._violations(edges)
        self._meetings: dict[int, str] = {}
        moved = {self._find(node) for node in self._changed}
        for parameter in analysis.parameters.values():
            function = parameter.frame.tree
            if parameter.tensor and function in analysis.escaped:
                group = self._find(parameter.node)
                if group in moved:
                    name = getattr(function, "name", "a lambda")
                    reason = f"the callers of {name} are not seen"
                    self._meetings[group] = f"line {getattr(function, 'lineno', 0)}: {reason}"
        for meeting in analysis.meetings.values():
            if meeting.node in self._changed:
                line = getattr(meeting.tree, "lineno", 0)
                self._meetings.setdefault(
                    self._find(meeting.node), f"line {line}: {meeting.reason}"
                )

    def of(self, edges: list[Edge]) -> int:
        edge = edges[0]
        return self._find(edge.sink if edge.sink > TARGET_NODE else edge.source)

    def unsafe(self, group: int) -> str:
        return self._meetings.get(group, "")

    def blocked(self, group: int) -> str:
        return "no consistent placement was found" if group in self._broken else ""

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
        broken = set()
        for edge in edges:
            cut = self._solution.cut(edge)
            cost = edge.to_target if cut is Label.TARGET else edge.to_host
            if cut is not None and cost >= HARD:
                broken.add(self._find(max(edge.source, edge.sink)))
        return broken

    def _find(self, node: int) -> int:
        root = node
        while (above := self._parent.get(root, root)) != root:
            root = above
        while (above := self._parent.get(node, node)) != root:
            self._parent[node] = root
            node = above
        return root

    def _union(self, first: int, second: int) -> None:
        first, second = self._find(first), self._find(second)
        if first != second:
            self._parent[max(first, second)] = min(first, second)
