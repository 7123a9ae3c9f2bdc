"""Where a whole run computed and what it copied: the records of its processes, added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from devicefix.records.record import LineWork, ModuleWork, Record, Storage, Transfer, Work

HOST: Final = "cpu"


@dataclass(frozen=True, slots=True)
class Placement:
    """All processes of a run together; sequences begin with what matters most."""

    work: Work
    lines: tuple[LineWork, ...]
    """By all of their arithmetic."""
    host_lines: tuple[LineWork, ...]
    """Those that computed on the host, by how much."""
    modules: tuple[ModuleWork, ...]
    """In the order in which they were recorded."""
    transfers: tuple[Transfer, ...]
    """By bytes."""
    tensors: tuple[Storage, ...]
    """By bytes."""
    notes: tuple[str, ...]

    @property
    def share(self) -> float | None:
        """Of the arithmetic, what ran on an accelerator, 0 to 1; None where there was none."""
        total = sum(self.work.values())
        return 1 - self.work.get(HOST, 0) / total if total else None


def placement_of(records: Sequence[Record]) -> Placement:
    """What ``records`` say together."""
    lines = _lines(line for record in records for line in record.lines)
    return Placement(
        work=_added(record.work for record in records),
        lines=lines,
        host_lines=tuple(sorted(filter(_on_host, lines), key=_host_work, reverse=True)),
        modules=_modules(module for record in records for module in record.modules),
        transfers=_transfers(transfer for record in records for transfer in record.transfers),
        tensors=tuple(
            sorted((t for r in records for t in r.tensors), key=lambda t: t.bytes, reverse=True)
        ),
        notes=tuple(dict.fromkeys(note for record in records for note in record.notes)),
    )


def _added(works: Iterable[Work]) -> Work:
    total: Counter[str] = Counter()
    for work in works:
        total.update(work)
    return dict(total)


def _on_host(line: LineWork) -> bool:
    return _host_work(line) > 0


def _host_work(line: LineWork) -> int:
    return line.work.get(HOST, 0)


def _lines(lines: Iterable[LineWork]) -> tuple[LineWork, ...]:
    found: dict[object, LineWork] = {}
    for line in lines:
        known = found.get(line.at)
        found[line.at] = line if known is None else replace(known, work=_both(known, line))
    return tuple(sorted(found.values(), key=lambda line: sum(line.work.values()), reverse=True))


def _both(one: LineWork | ModuleWork, other: LineWork | ModuleWork) -> Work:
    return _added((one.work, other.work))


def _modules(modules: Iterable[ModuleWork]) -> tuple[ModuleWork, ...]:
    """The same module in several processes is one; what it computed is added."""
    found: dict[object, ModuleWork] = {}
    for module in modules:
        key = (module.root, module.name, module.type, module.device, module.parameters)
        known = found.get(key)
        found[key] = module if known is None else replace(known, work=_both(known, module))
    return tuple(found.values())


def _transfers(transfers: Iterable[Transfer]) -> tuple[Transfer, ...]:
    found: dict[object, Transfer] = {}
    for transfer in transfers:
        key = (transfer.at, transfer.source, transfer.target, transfer.how)
        known = found.get(key)
        if known is not None:
            transfer = replace(
                known, count=known.count + transfer.count, bytes=known.bytes + transfer.bytes
            )
        found[key] = transfer
    return tuple(sorted(found.values(), key=lambda transfer: transfer.bytes, reverse=True))
