"""What the objects of a program's own classes have: what asks for that asks no tensor for sure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

from msgspec import Struct, field

from devicefix.flow.values import ClassRecord, Function
from devicefix.source.walking import once, walk


class OwnNames(Struct, eq=False):
    """The attributes of the classes of a program, by each of their names."""

    _by_name: dict[str, list[frozenset[str]]] = field(default_factory=dict)
    _count: int = 0

    def have_all(self, classes: Collection[ClassRecord], asked: Collection[str]) -> bool:
        """Whether the objects of one of ``classes`` have all that is ``asked``."""
        if len(classes) != self._count:
            self._count = len(classes)
            self._index(classes)
        rarest = min((self._by_name.get(name, []) for name in asked), key=len, default=[])
        return any(names.issuperset(asked) for names in rarest)

    def _index(self, classes: Iterable[ClassRecord]) -> None:
        self._by_name.clear()
        for cls in classes:
            if "torch.Tensor" not in cls.library_bases():
                names = frozenset(name for record in cls.ancestry() for name in _names_of(record))
                for name in names:
                    self._by_name.setdefault(name, []).append(names)


def _names_of(cls: ClassRecord) -> Iterable[str]:
    """What its body binds and its methods store; nobody asks an object for a static method."""
    for name, value in cls.attributes.items():
        if not (isinstance(value, Function) and value.kind == "staticmethod"):
            yield name
    yield from once(cls.tree, _stored)


def _stored(tree: ast.AST) -> frozenset[str]:
    nodes = (node for node in walk(tree) if isinstance(node, ast.Attribute))
    return frozenset(node.attr for node in nodes if isinstance(node.ctx, ast.Store))
