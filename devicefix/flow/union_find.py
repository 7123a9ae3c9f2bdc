"""Disjoint sets of numbers, by union-find with path compression.

Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm", 1975.
"""

from __future__ import annotations


class UnionFind:
    """Sets that are joined and never divided; the smallest member stands for each."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, member: int) -> int:
        """What stands for the set of ``member``."""
        root = member
        while (above := self._parent.get(root, root)) != root:
            root = above
        while (above := self._parent.get(member, member)) != root:
            self._parent[member] = root
            member = above
        return root

    def union(self, first: int, second: int) -> None:
        """Make one set of two."""
        first, second = self.find(first), self.find(second)
        if first != second:
            self._parent[max(first, second)] = min(first, second)
