"""The minimum cut: never dearer than any other labelling, and consistent where one exists."""

from __future__ import annotations

import ast
import itertools
import random
from typing import Final

import pytest

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

SEEDS: Final = range(60)


def price(edges: list[Edge], target: frozenset[int]) -> float:
    """What a labelling costs: ``target`` are the nodes on the device."""
    total = 0.0
    for edge in edges:
        if edge.source not in target and edge.sink in target:
            total += edge.to_target
        if edge.source in target and edge.sink not in target:
            total += edge.to_host
    return total


def cheapest(graph: PlacementGraph) -> float:
    """By trying all labellings."""
    edges, nodes = list(graph.edges), range(2, len(graph))
    return min(
        price(edges, frozenset((TARGET_NODE, *chosen)))
        for size in range(len(nodes) + 1)
        for chosen in itertools.combinations(nodes, size)
    )


def random_graph(seed: int) -> PlacementGraph:
    chance = random.Random(seed)
    graph = PlacementGraph()
    nodes = [HOST_NODE, TARGET_NODE, *(graph.node(i) for i in range(chance.randint(2, 7)))]
    for _ in range(chance.randint(3, 16)):
        source, sink = chance.sample(nodes, 2)
        up, down = (chance.choice([0.0, 1.0, 1.05, 1.9, 10.0, HARD]) for _ in range(2))
        graph.connect(source, sink, up, down)
    return graph


@pytest.mark.parametrize("seed", SEEDS)
def test_no_labelling_is_cheaper(seed: int) -> None:
    graph = random_graph(seed)
    solution = graph.solve()
    assert TARGET_NODE in solution.target
    assert HOST_NODE not in solution.target
    assert solution.cost == pytest.approx(cheapest(graph), abs=0.01)
    assert price(list(graph.edges), solution.target) == pytest.approx(solution.cost, abs=0.01)


@pytest.mark.parametrize("seed", SEEDS[:20])
def test_what_is_cut_again_is_cut_as_if_it_were_new(seed: int) -> None:
    chance, graph = random.Random(seed), PlacementGraph()
    sites = [site(name) for name in "abc"]
    nodes = [HOST_NODE, TARGET_NODE, *(graph.node(i) for i in range(6))]
    for _ in range(16):
        up, down = (chance.choice([0.0, 1.0, 1.05, 10.0, HARD]) for _ in range(2))
        graph.connect(
            *chance.sample(nodes, 2), up, down, chance.choice(sites), chance.randint(1, 3)
        )
    changes = [
        lambda: graph.harden({chance.choice(sites)}, chance.choice(list(Label))),
        lambda: graph.surcharge({chance.choice(sites): 0.6}),
        lambda: graph.unify(chance.choice(sites)),
        lambda: graph.release(chance.choice(sites)),
        lambda: graph.connect(*chance.sample(nodes, 2), 1.9, 1.0, chance.choice(sites)),
        lambda: graph.reroute(next(graph.edges), chance.choice(sites), 4),
    ]
    for _ in range(8):
        chance.choice(changes)()
        solution, edges = graph.solve(), list(graph.edges)
        assert solution.cost == pytest.approx(cheapest(graph), abs=0.01)
        assert price(edges, solution.target) == pytest.approx(solution.cost, abs=0.01)
        assert [graph.at(s) for s in sites] == [[e for e in edges if e.site is s] for s in sites]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_edges_does_not_matter(seed: int) -> None:
    graph, turned = random_graph(seed), PlacementGraph()
    for _ in range(len(graph) - 2):
        turned.node(len(turned))
    for edge in reversed(list(graph.edges)):
        turned.connect(edge.source, edge.sink, edge.to_target, edge.to_host)
    assert turned.solve() == graph.solve()


def test_a_node_that_nothing_pulls_stays_on_the_host() -> None:
    graph = PlacementGraph()
    lonely, tied = graph.node("lonely"), graph.node("tied")
    graph.connect(HOST_NODE, tied, 1.0, 1.0)
    solution = graph.solve()
    assert solution.label(lonely) is solution.label(tied) is Label.HOST


def test_ties_carry_a_label_along() -> None:
    graph = PlacementGraph()
    nodes = [graph.node(i) for i in range(2000)]  # longer than Python's stack
    for first, second in itertools.pairwise(nodes):
        graph.tie(first, second)
    graph.fix(nodes[0], Label.TARGET)
    assert graph.solve() == Solution(frozenset((TARGET_NODE, *nodes)), 0.0)


def test_the_cut_says_where_transfers_go() -> None:
    graph = PlacementGraph()
    data, module, result = graph.node("data"), graph.node("module"), graph.node("result")
    graph.fix(data, Label.HOST)
    graph.fix(module, Label.TARGET)
    graph.connect(data, module, 1.1, 10.0)
    graph.connect(module, result, 1.1, 10.0)
    graph.connect(result, HOST_NODE, 0.0, 1.0)
    solution = graph.solve()
    cuts = {(e.source, e.sink): solution.cut(e) for e in graph.edges if solution.cut(e)}
    assert cuts == {(data, module): Label.TARGET, (result, HOST_NODE): Label.HOST}
    assert solution.cost == pytest.approx(2.1)


def test_one_transfer_at_creation_beats_two_at_uses() -> None:
    graph = PlacementGraph()
    new, uses = graph.node("new"), [graph.node("first"), graph.node("second")]
    graph.connect(HOST_NODE, new, 1.0, HARD)
    for use in uses:
        graph.fix(use, Label.TARGET)
        graph.connect(new, use, 1.1, 10.0)
    solution = graph.solve()
    assert solution.label(new) is Label.TARGET
    assert solution.cost == pytest.approx(1.0)


def site(text: str) -> Site:
    return Site(SiteKind.USE, ast.parse(text, mode="eval").body)


def test_a_hardened_site_is_avoided() -> None:
    graph = PlacementGraph()
    data, use = graph.node("data"), graph.node("use")
    cheap, dear = site("x"), site("y")
    graph.fix(use, Label.TARGET)
    graph.connect(HOST_NODE, data, 1.0, HARD, cheap)
    graph.connect(data, use, 2.0, HARD, dear)
    assert graph.solve().cost == pytest.approx(1.0)
    graph.harden({cheap}, Label.TARGET)
    solution = graph.solve()
    assert solution.cost == pytest.approx(2.0)
    assert solution.label(data) is Label.HOST


def costs(graph: PlacementGraph) -> dict[tuple[int, int], tuple[float, float]]:
    return {(e.source, e.sink): (e.to_target, e.to_host) for e in graph.edges}


@pytest.mark.parametrize(
    ("label", "left"), [(Label.TARGET, (HARD, 10.0)), (Label.HOST, (1.0, HARD))]
)
def test_what_may_not_be_written_to_one_place_may_be_to_the_other(
    label: Label, left: tuple[float, float]
) -> None:
    graph, here, there = PlacementGraph(), site("x"), site("y")
    first, second = graph.node("first"), graph.node("second")
    graph.connect(HOST_NODE, first, 1.0, 10.0, here)
    graph.connect(HOST_NODE, second, 1.0, 10.0, there)
    graph.harden({here}, label)
    assert costs(graph) == {(HOST_NODE, first): left, (HOST_NODE, second): (1.0, 10.0)}


def test_more_edits_cost_more_where_there_is_one() -> None:
    graph, here, there = PlacementGraph(), site("x"), site("y")
    first, second, third = (graph.node(number) for number in range(3))
    graph.connect(HOST_NODE, first, 1.0, 10.0, here)
    graph.connect(HOST_NODE, second, 0.0, 10.0, here)
    graph.connect(HOST_NODE, third, 1.0, 10.0, there)
    graph.surcharge({here: 0.5})
    assert [edge.to_target for edge in graph.edges] == [1.5, 0.0, 1.0]
    assert {edge.to_host for edge in graph.edges} == {10.0}


def test_a_transfer_that_is_written_elsewhere_is_not_written_here() -> None:
    graph, here, there = PlacementGraph(), site("x"), site("y")
    node, other = graph.node("x"), graph.node("y")
    graph.connect(HOST_NODE, node, 1.0, 10.0, here, 1)
    graph.connect(HOST_NODE, other, 2.0, 10.0, there, 1)
    graph.solve()
    graph.reroute(next(graph.edges), there, 2)
    assert graph.at(here) == []
    assert graph.at(there) == [
        Edge(HOST_NODE, other, 2.0, 10.0, there, 1),
        Edge(HOST_NODE, node, 1.0, 10.0, there, 2),
    ]
    graph.fix(node, Label.TARGET)
    assert graph.solve().cost == pytest.approx(1.0)


def test_contexts_share_the_place_and_the_price() -> None:
    graph, here = PlacementGraph(), site("x")
    first, second, third = (graph.node(number) for number in range(3))
    graph.connect(HOST_NODE, first, 1.0, 10.0, here, 1)
    graph.connect(HOST_NODE, second, 1.2, 10.0, here, 2)
    graph.connect(HOST_NODE, third, 1.4, 10.0, here, 2)
    graph.connect(third, HOST_NODE, 0.0, 1.0, here, 3)
    graph.connect(third, TARGET_NODE, 1.6, 10.0, here, 4)
    before = costs(graph)
    graph.unify(here)
    assert costs(graph) == {
        (HOST_NODE, first): (0.5, 10.0),
        (HOST_NODE, second): (0.6, 10.0),
        (HOST_NODE, third): (0.7, 10.0),
        (third, HOST_NODE): (0.0, 1.0),
        (third, TARGET_NODE): (1.6, 10.0),
        (first, second): (HARD, HARD),
        (first, third): (HARD, HARD),
    }
    graph.release(here)
    assert costs(graph) == before
    graph.release(here)
    assert costs(graph) == before


def test_what_may_not_be_written_anywhere_may_not_be_for_all_contexts() -> None:
    graph, here = PlacementGraph(), Site(SiteKind.BIND, ast.Name("x"))
    for context in range(3):
        graph.connect(HOST_NODE, graph.node(context), 1.5, 10.0, here, context)
    graph.harden({here}, Label.TARGET)
    graph.unify(here)
    assert {edge.to_target for edge in graph.at(here)} == {HARD}


def test_connecting_twice_keeps_the_higher_cost() -> None:
    graph = PlacementGraph()
    node = graph.node("x")
    graph.connect(HOST_NODE, node, 1.0, 5.0)
    graph.connect(HOST_NODE, node, 3.0, 2.0)
    (edge,) = graph.edges
    assert (edge.to_target, edge.to_host) == (3.0, 5.0)


def test_nodes_are_found_again_and_edges_forgotten() -> None:
    graph = PlacementGraph()
    node = graph.node("x")
    graph.connect(node, node, 1.0, 1.0)
    graph.fix(node, Label.TARGET)
    graph.seal(frozenset((node,)))
    assert graph.sources(node) == {TARGET_NODE: HARD}
    assert graph.is_sealed(node)
    assert graph.solve().label(node) is Label.TARGET
    graph.clear()
    assert graph.node("x") == node
    assert graph.key(node) == "x"
    assert (list(graph.edges), graph.sources(node)) == ([], {})
    assert not graph.is_sealed(node)
    assert graph.solve().label(node) is Label.HOST


def test_what_is_made_on_the_host_is_so_all_the_way() -> None:
    graph = PlacementGraph()
    made, then, other = graph.node("made"), graph.node("then"), graph.node("other")
    graph.connect(HOST_NODE, TARGET_NODE, 1.0, HARD)
    graph.fix(other, Label.TARGET)
    graph.connect(HOST_NODE, made, 1.0, HARD)
    graph.connect(made, then, 1.1, 10.0)
    assert graph.may_be_made({made})
    assert graph.may_be_made({then, other})
    assert not graph.may_be_made({other})
    graph.clear()
    assert not graph.may_be_made({made, then})


def test_sites_are_the_same_where_the_tree_is() -> None:
    tree = ast.parse("x", mode="eval").body
    assert Site(SiteKind.USE, tree) == Site(SiteKind.USE, tree)
    assert Site(SiteKind.USE, tree) != Site(SiteKind.BIND, tree)
    assert Site(SiteKind.REBIND, tree, "x") != Site(SiteKind.REBIND, tree, "y")
    assert site("x") != site("x")


def test_what_was_fixed_to_the_target_is_made_there() -> None:
    graph = PlacementGraph()
    device, host, result, loop, around, mixed = (graph.node(name) for name in "dhrlam")
    graph.fix(device, Label.TARGET)
    graph.fix(host, Label.HOST)
    graph.tie(device, result)
    graph.tie(loop, around)
    graph.tie(around, loop)
    assert graph.is_made_on_target([device, result])
    assert not graph.is_made_on_target([])
    assert not graph.is_made_on_target([loop])  # from nowhere
    graph.tie(result, loop)
    assert graph.is_made_on_target([around])
    graph.tie(around, mixed)
    graph.tie(host, mixed)
    assert not graph.is_made_on_target([mixed])
