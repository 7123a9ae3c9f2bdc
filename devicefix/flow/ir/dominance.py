"""Dominators and dominance frontiers of numbered nodes.

K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from collections.abc import Sequence


def reverse_postorder(successors: Sequence[Sequence[int]], entry: int) -> list[int]:
    """All nodes that ``entry`` leads to, each before those that it leads to but for cycles."""
    found: list[int] = []
    seen = {entry}
    stack = [(entry, iter(successors[entry]))]
    while stack:
        node, rest = stack[-1]
        following = next((n for n in rest if n not in seen), None)
        if following is None:
            found.append(node)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(successors[following])))
    found.reverse()
    return found


def immediate_dominators(successors: Sequence[Sequence[int]], entry: int) -> list[int]:
    """By node, the last one that all ways from ``entry`` to it pass; -1 for the entry itself and
    for what it does not lead to."""
    order = reverse_postorder(successors, entry)
    rank = {node: number for number, node in enumerate(order)}
    predecessors: dict[int, list[int]] = {node: [] for node in order}
    for node in order:
        for following in successors[node]:
            predecessors[following].append(node)
    found = [-1] * len(successors)
    found[entry] = entry
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            above = -1
            for one in predecessors[node]:
                if found[one] >= 0:
                    above = one if above < 0 else _meet(found, rank, above, one)
            if found[node] != above:
                found[node], changed = above, True
    found[entry] = -1
    return found


def _meet(found: list[int], rank: dict[int, int], one: int, other: int) -> int:
    while one != other:
        while rank[one] > rank[other]:
            one = found[one]
        while rank[other] > rank[one]:
            other = found[other]
    return one


def frontiers(successors: Sequence[Sequence[int]], dominators: Sequence[int]) -> list[set[int]]:
    """By node: where what it dominates ends, so that other ways join."""
    found: list[set[int]] = [set() for _ in successors]
    predecessors: list[list[int]] = [[] for _ in successors]
    for node, following in enumerate(successors):
        for one in following:
            predecessors[one].append(node)
    for node, above in enumerate(predecessors):
        for one in above:
            while one >= 0 and one != dominators[node]:
                if dominators[one] < 0 and one != 0:
                    break  # never reached
                found[one].add(node)
                one = dominators[one]
    return found


def subtrees(dominators: Sequence[int]) -> list[tuple[int, int]]:
    """By node its number in a walk through the tree of dominators, and the last number below it:
    it dominates the nodes that have these numbers, itself included."""
    below: list[list[int]] = [[] for _ in dominators]
    for node, above in enumerate(dominators):
        if above >= 0:
            below[above].append(node)
    first, last = [0] * len(dominators), [0] * len(dominators)
    number = -1
    waiting = [node for node, above in enumerate(dominators) if above < 0]
    while waiting:
        node = waiting.pop()
        if node < 0:
            last[~node] = number
            continue
        number += 1
        first[node] = number
        waiting += [~node, *below[node]]
    return list(zip(first, last, strict=True))
