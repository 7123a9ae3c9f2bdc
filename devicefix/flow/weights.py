"""Which tensors of a module surely are there and travel with it: ``self.fc.weight``.

They say where the module is, also inside the replicas that ``DataParallel`` makes: those hold their
parameters as plain attributes, and ``parameters()`` gives none
(https://github.com/pytorch/pytorch/issues/36035).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.graph import Label
from devicefix.flow.values import ClassRecord, Instance, ObjectRecord, Value
from devicefix.torch_api import own_weight

MAX_DEPTH: Final = 2
"""Parts inside parts that are asked: who writes ``self.a.b.c.weight`` knows too much."""


def has_surely(record: ObjectRecord, name: str) -> bool:
    """Whether a module has a parameter or buffer of this name whenever its code runs.

    A norm may be made without ``weight``, and a layer whose weight torch computes anew
    (``weight_norm``) has it where it was computed last.
    """
    if record.recomputed or (record.root.split and Label.TARGET not in record.moved_to):
        return False
    if record.layer:
        return bool(name) and own_weight(record.layer) == name and name not in record.attributes
    return record.module and not _overrides(record.cls) and record.travels.get(name, False)


def _overrides(cls: ClassRecord | None) -> bool:
    """Its attributes may be something else than what was stored in them."""
    return cls is not None and cls.lookup("__getattr__") is not None


def held_by(path: str, holder: Value, depth: int = MAX_DEPTH) -> Iterator[tuple[str, int]]:
    """``self.weight``, ``self.fc.weight`` with the nodes of their modules, the nearest first."""
    modules = holder.modules if isinstance(holder, Instance) else ()
    for record in modules[:1]:
        names = [own_weight(record.layer)] if record.layer else list(record.travels)
        names = [name for name in names if name.isidentifier()]
        yield from ((f"{path}.{n}", record.node) for n in names if has_surely(record, n))
        for name, part in record.attributes.items() if depth else ():
            if name.isidentifier() and record.parts.get(name, False) and not part.beside.none:
                yield from held_by(f"{path}.{name}", part, depth - 1)
        for number, part in enumerate(items(record)) if depth else ():
            yield from held_by(f"{path}[{number}]", part, depth - 1)


def items(record: ObjectRecord) -> list[Value]:
    """The parts of ``nn.Sequential(first, second)`` by their numbers; none of other modules."""
    written = record.tree.args if isinstance(record.tree, ast.Call) else []
    if record.layer != "torch.nn.Sequential" or record.reordered:
        return []
    exact = len(written) == len(record.children)
    exact = exact and not any(isinstance(part, ast.Starred) for part in written)
    return record.children if exact else []
