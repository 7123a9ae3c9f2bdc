"""What is wrong where a transfer is missing: the rule that reports it follows from that."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable

from devicefix.flow.analysis import Analysis
from devicefix.flow.facts import DeviceName, Offence
from devicefix.flow.graph import HOST_NODE, Edge, Label, Site, SiteKind
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.scripts import start_of
from devicefix.source.walking import walk

_OF_SITES = {
    SiteKind.BUFFER: Offence.BUFFER,
    SiteKind.MODULE: Offence.MODULE,
    SiteKind.CREATE: Offence.FACTORY,
    SiteKind.ORIGIN: Offence.DATA,
    SiteKind.BIND: Offence.DATA,
    SiteKind.REBIND: Offence.DATA,
    SiteKind.USE: Offence.OPERAND,
}


class Offences:
    """Names the offence at a place by what is there and where its value goes."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._batches = analysis.batches
        self._weights = analysis.seen.loss_weights
        self._losses = {r.node for r in analysis.modules if r.tensors and r.root is r}
        self._open = {p.node for p in analysis.parameters.values() if not p.arrived}
        self._uses: dict[int, list[Edge]] = defaultdict(list)
        for edge in analysis.graph.edges:
            if edge.sink != HOST_NODE:
                self._uses[edge.source].append(edge)

    def of(self, site: Site, label: Label, edges: list[Edge], device: DeviceName | None) -> Offence:
        """What a transfer to ``label`` at ``site`` mends."""
        if label is Label.HOST and site.kind is not SiteKind.BUFFER:
            if site.tree in self._analysis.seen.host_arguments:
                return Offence.HOST_ARGUMENT
            return Offence.HOST_READ if reads(self._analysis, edges) else Offence.OPERAND
        if site.kind in (SiteKind.BIND, SiteKind.REBIND):
            if all(e.source in self._batches for e in edges):
                return Offence.BATCH
            if isinstance(site.tree, (ast.For, ast.AsyncFor)):
                return Offence.BATCH
        if isinstance(site.tree, ast.expr) and self._weighs_losses(site, edges):
            return Offence.LOSS
        if site.kind in (SiteKind.CREATE, SiteKind.ORIGIN) and self._comes_in(site, device):
            return Offence.HELPER
        if site.kind is SiteKind.CREATE and all(e.source != HOST_NODE for e in edges):
            return Offence.OPERAND  # the call makes no tensor, it brings what it is given
        return _OF_SITES[site.kind]

    def is_guess(self, label: Label, edges: list[Edge]) -> bool:
        """Whether nothing is known of a value but that the host reads it: a caller that nobody has
        seen hands it in, and nothing shows that this is on the device."""
        if label is not Label.HOST or not all(e.source in self._open for e in edges):
            return False
        return all(e.sink in self._analysis.read for edge in edges for e in self._uses[edge.source])

    def _comes_in(self, site: Site, device: DeviceName | None) -> bool:
        """The function around the place knows no device: its callers have to pass one."""
        above: ast.AST | None = site.tree if device is not None and device.passed else None
        while above is not None and device is not None and above is not device.passed:
            above = self._analysis.parents.get(above)
        return above is not None

    def _weighs_losses(self, site: Site, edges: list[Edge]) -> bool:
        """The value goes into losses as their weight, and nowhere else on the device."""
        if site.kind in (SiteKind.BUFFER, SiteKind.MODULE):
            return False
        queue = [edge for edge in edges if not self._is_weight(edge)]
        seen = set(edges)
        found = len(queue) < len(edges)
        while queue:
            uses = self._uses[queue.pop().sink]
            if not uses:
                return False
            found = found or any(map(self._is_weight, uses))
            queue += [e for e in uses if e not in seen and not self._is_weight(e)]
            seen |= set(uses)
        return found

    def _is_weight(self, edge: Edge) -> bool:
        if edge.sink in self._losses:
            return True
        site = edge.site
        return site is not None and site.kind is SiteKind.USE and site.tree in self._weights


def is_brought_in_other_arm(analysis: Analysis, tree: ast.AST) -> bool:
    """``x.cpu().numpy() if gpu else x.numpy()``: who asks knows where the value is."""
    name = start_of(tree)
    child, parent = tree, analysis.parents.get(tree)
    while name and parent is not None and not isinstance(parent, FUNCTIONS):
        if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            arms = (parent.body, parent.orelse)
            lists = [arm if isinstance(arm, list) else [arm] for arm in arms]
            other = next((arm for arm in lists if child not in arm), [])
            if any(_is_brought(node, name) for part in other for node in walk(part)):
                return True
        child, parent = parent, analysis.parents.get(parent)
    return False


def _is_brought(tree: ast.AST, name: str) -> bool:
    """``x.cpu()``, also behind other methods of ``x``."""
    func = tree.func if isinstance(tree, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr == "cpu" and start_of(func) == name


def reads(analysis: Analysis, edges: Iterable[Edge]) -> bool:
    """Whether it is the host that reads the value, at once or under another name."""
    return all(e.sink == HOST_NODE or e.sink in analysis.read for e in edges)
