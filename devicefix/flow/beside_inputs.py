"""Tensors that a function makes to meet one that it is given, whatever became of the program.

The cheapest cut moves what has to be on the device. It says nothing of a function that only tests
or demos call with tensors of the CPU, nor of one beside a conflict that no transfer settles, nor of
what meets values that nobody has seen. But what is made there to meet a parameter belongs where
that is, for each caller: that follows from the function alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial

from devicefix.flow.analysis import Analysis
from devicefix.flow.bound import Bindings
from devicefix.flow.candidates import beside, met, tensor_parameters
from devicefix.flow.facts import DeviceName
from devicefix.flow.frame import Frame
from devicefix.flow.graph import Edge, Label, Site, SiteKind
from devicefix.flow.must_meet import must_meet, tensor_of
from devicefix.flow.observations import Occurrence
from devicefix.flow.partners import Company, Partners
from devicefix.flow.standing import Places, today
from devicefix.flow.values import Tensor, Value, nodes_of


def beside_inputs(
    analysis: Analysis, bindings: Bindings, known: Collection[Site]
) -> Iterator[tuple[Site, list[Edge], DeviceName]]:
    """The places, other than the ``known``, where ``device=x.device`` is right in all contexts."""
    places: Mapping[int, Places] | None = None
    for site, seen in analysis.sites.items():
        if site in known or site.kind not in (SiteKind.CREATE, SiteKind.ORIGIN):
            continue
        file = analysis.home(site.tree)
        if not file.owned or analysis.is_test(file) or site.tree in analysis.seen.spread:
            continue
        edges = analysis.graph.at(site)
        frames = [one.frame for one in seen.values()]
        if not edges or any(f.function is None or _is_compiled(analysis, f) for f in frames):
            continue
        if places is None:
            places = today(analysis)
        device = _device(analysis, bindings, places, site, edges)
        if device is not None:
            yield site, edges, device


def _device(
    analysis: Analysis,
    bindings: Bindings,
    places: Mapping[int, Places],
    site: Site,
    edges: list[Edge],
) -> DeviceName | None:
    seen, partners = [*analysis.sites[site].values()], bindings.partners
    company = Company()
    for one in seen:
        made = frozenset(e.sink for e in edges if e.context == one.context)
        company = company.joined(partners.of(made))
    for text in _candidates(seen[0], company, partners):
        holder = text.removesuffix(".device")
        device = DeviceName(text, follows=True)
        if not all(bindings.has(text, one) for one in seen):
            continue
        held = [tensor_of(one.names.get(holder)) for one in seen]
        if any(isinstance(value, Tensor) and value.scalar for value in held):
            continue  # one of the host meets tensors of any device
        if not any(map(partial(_may_be_elsewhere, analysis, places), seen, held)):
            continue
        if must_meet(analysis, partners, site, edges, device):
            return device
    return None


def _candidates(seen: Occurrence, company: Company, partners: Partners) -> Iterator[str]:
    """What is met at once, what the statement names, and all that the function has been given; but
    nothing that it has placed itself."""
    placed = partners.placed_in(seen.context)
    yield from met(seen, company, placed)
    for text in (*beside(seen), *tensor_parameters(seen)):
        if not any(map(placed, nodes_of(seen.names.get(text.removesuffix(".device"))))):
            yield text


def _may_be_elsewhere(
    analysis: Analysis, places: Mapping[int, Places], seen: Occurrence, value: Value | None
) -> bool:
    """Whether a context is no test's, and something says that a value may be on the device."""
    if not isinstance(value, Tensor) or analysis.is_test(seen.frame.entry):
        return False
    return any(Label.TARGET in places.get(node, ()) for node in value.nodes)


def _is_compiled(analysis: Analysis, frame: Frame) -> bool:
    """TorchScript compiles the function, or the class that it is a method of."""
    scripted, owner = analysis.seen.scripted, frame.owner
    return frame.function in scripted or (owner is not None and owner.tree in scripted)
