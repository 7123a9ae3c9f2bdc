"""What was found in a program, file by file: the facts that codemods ask for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.beliefs import Noted, beliefs
from devicefix.flow.bound import Bindings
from devicefix.flow.counts import zero_counts
from devicefix.flow.crossings import crossings_in, places_something
from devicefix.flow.cuda_uses import cuda_uses
from devicefix.flow.default_types import default_types
from devicefix.flow.demos import is_imported
from devicefix.flow.doubles import double_precision, doubles
from devicefix.flow.dtypes import clashes_in
from devicefix.flow.facts import (
    DeviceLiteral,
    DeviceName,
    DeviceNumber,
    Draw,
    FileFacts,
    Guard,
    Kind,
    LibraryCall,
    Mention,
    Route,
    StaleOptimizer,
    Transfer,
    TransferCall,
    Wait,
)
from devicefix.flow.guards import guards
from devicefix.flow.hardcoded import device_literals, two_way_choices
from devicefix.flow.indices import device_numbers
from devicefix.flow.library_seen import library_calls
from devicefix.flow.mentions import cuda_imports, mentions
from devicefix.flow.naming import inside
from devicefix.flow.needs import left_with_cuda, needs, reason_with_line
from devicefix.flow.observations import DtypeClash
from devicefix.flow.old_imports import old_imports
from devicefix.flow.old_numbers import old_numbers
from devicefix.flow.own_moves import as_before, settled
from devicefix.flow.pinning import pinned
from devicefix.flow.placement import Decision, transfers
from devicefix.flow.routes import exact_factories, routes, waits
from devicefix.flow.scripts import torch_name
from devicefix.flow.sharing import Shared
from devicefix.flow.synchronization import Synchronization
from devicefix.flow.type_aliases import type_aliases
from devicefix.flow.unfinished import timings, unfinished_copies
from devicefix.flow.unread import unread_flags
from devicefix.flow.unregistered import plain_containers, unregistered
from devicefix.flow.values import FileRecord
from devicefix.flow.version_checks import version_checks
from devicefix.flow.volatile import ungraded
from devicefix.flow.working_guards import left_alone, said_above
from devicefix.flow.wrappings import wrappings

_TRAVELS: Final = (Kind.TORCH, Kind.OWN)


def gather_facts(analysis: Analysis, decision: Decision, *, complete: bool) -> dict[str, FileFacts]:
    """The facts of each file, with the transfers that were chosen and which cannot be trusted."""
    solution, names = decision.solution, decision.names
    found = _Found(analysis, decision, transfers(analysis, decision) if complete else [])
    names.unsure = found.unsure
    # only now: all that was found has asked for names
    parameters = names.parameters()
    dtype_uses = {k: frozenset(v) for k, v in analysis.seen.dtype_uses.items()}
    noted, held = Noted(analysis), tuple(unregistered(analysis))
    sync = Synchronization(analysis, solution)
    moves = places_something(analysis)
    facts = {}
    owned = {f: found.of(f).below(names.main_guard(f), found.unsure) for f in analysis.owned}
    owned = {file: own.shared(analysis) for file, own in owned.items()}
    moved = _moved(analysis, owned, names.bindings)
    for file, own in owned.items():
        need = found.needs.get(file)
        opened, calls = moved[file]
        facts[file.source.path] = FileFacts(
            transfers=tuple(own.transfers),
            calls=calls,
            library=own.library,
            mentions=own.mentions,
            imports=cuda_imports(file.source),
            for_versions=tuple(map(file.source.span, file.source.once(version_checks))),
            aliases=type_aliases(analysis, file, own.mentions, names.bindings.references),
            guards=opened,
            literals=own.literals,
            clashes=clashes_in(analysis, file),
            doubles=own.doubles,
            stuck=found.stuck,
            crosses=found.crosses,
            double_precision=found.double_precision,
            crossings=crossings_in(analysis, solution, file),
            choices=two_way_choices(analysis, file),
            numbers=own.numbers,
            draws=own.draws,
            dtype_uses=dtype_uses,
            parameters=parameters,
            routes=own.routes,
            exact=exact_factories(analysis, file) if calls else frozenset(),
            waits=own.waits,
            timings=timings(sync, file) if moves else (),
            unfinished_copies=unfinished_copies(sync, file) if moves else (),
            optimizers=_optimizers(analysis, file),
            beliefs=(known := beliefs(analysis, file, solution, noted)),
            typed=_typed(analysis, file),
            wrappings=(wrapped := wrappings(analysis, file, known)),
            ungraded=ungraded(analysis, known, wrapped, file.source),
            old_numbers=old_numbers(analysis, file, known, wrapped),
            old_imports=old_imports(analysis, file),
            unread_flags=unread_flags(analysis, file),
            zero_counts=tuple(zero_counts(analysis, file)),
            pinned=pinned(analysis, file),
            defaults=default_types(analysis, file),
            plain_containers=plain_containers(analysis, held, file),
            shuffled=tuple(c for c in analysis.seen.shuffled if analysis.home(c) is file),
            parents=analysis.parents,
            torch=torch_name(file.source.tree),
            needs_cuda=(
                reason := reason_with_line(analysis, need, file) if need is not None else ""
            ),
            own_need=need if need is not None and analysis.home(need.tree) is file else None,
            uses=cuda_uses(analysis, file, own.calls, own.numbers, reason),
            script=names.is_script(file),
            imported=is_imported(analysis, file),
            complete=complete,
            settled=not analysis.unsettled,
            limits=tuple(analysis.limits),
        )
    return left_with_cuda(analysis, facts, found.needs)


class _Own(Struct, frozen=True):
    """What was found in one file."""

    transfers: Sequence[Transfer]
    calls: Mapping[ast.Call, TransferCall]
    library: tuple[LibraryCall, ...]
    literals: tuple[DeviceLiteral, ...]
    mentions: tuple[Mention, ...]
    numbers: tuple[DeviceNumber, ...]
    doubles: tuple[DtypeClash, ...]
    draws: tuple[Draw, ...]
    routes: Mapping[ast.Call, Route]
    waits: tuple[Wait, ...]

    def below(self, guard: ast.If | None, unsure: Set[ast.AST]) -> _Own:
        """The same, with new names defined below ``guard``, which holds all that need them, but for
        what is ``unsure``."""
        if guard is None:
            return self
        return self._named(lambda tree, name: name if tree in unsure else inside(name, guard))

    def shared(self, analysis: Analysis) -> _Own:
        """The same, with one name for what several places of a function would ask."""
        transfers = [(t.tree, t.device) for t in self.transfers if t.device is not None]
        calls = [(c.call, c.device) for c in self.calls.values() if c.device is not None]
        strings = [(f.literal, f.device) for f in self.literals if f.device or f.replaceable]
        shared = Shared(analysis, [*transfers, *calls, *strings])
        return self._named(shared.instead)

    def _named(self, name: Callable[[ast.AST, DeviceName | None], DeviceName | None]) -> _Own:
        """The same, with the names that ``name`` gives instead."""
        return replace(
            self,
            transfers=[replace(t, device=name(t.tree, t.device)) for t in self.transfers],
            calls={k: replace(c, device=name(k, c.device)) for k, c in self.calls.items()},
            library=tuple(replace(c, device=name(c.call, c.device)) for c in self.library),
            literals=tuple(replace(f, device=name(f.literal, f.device)) for f in self.literals),
            mentions=tuple(replace(f, device=name(f.tree, f.device)) for f in self.mentions),
            numbers=tuple(replace(f, device=name(f.tree, f.device)) for f in self.numbers),
        )


class _Found:
    """What was found in the program; each thing belongs to one of its files."""

    def __init__(self, analysis: Analysis, decision: Decision, chosen: list[Transfer]) -> None:
        solution, names, share = decision.solution, decision.names, analysis.by_file
        drawn = [Draw(call, generator) for call, generator in analysis.seen.drawn.items()]
        self._transfers = share(chosen, lambda found: found.tree)
        self._calls = share(decision.calls.values(), lambda found: found.call)
        self._library = share(library_calls(analysis, names), lambda found: found.call)
        self._literals = share(device_literals(analysis, names), lambda found: found.literal)
        self._mentions = share(mentions(analysis, names), lambda found: found.tree)
        self._numbers = share(device_numbers(analysis, names), lambda found: found.tree)
        wide = doubles(analysis, solution, chosen)
        self._doubles = share(wide, lambda found: found.operand)
        double = double_precision(analysis, solution, chosen)
        self.double_precision = "" if double is None else _place(analysis, double)
        stuck: list[ast.AST] = [found.tree for found in chosen if found.blocked or found.unsafe]
        self.unsure: Set[ast.AST] = frozenset(stuck)
        """Where transfers are that no safe fix writes."""
        stuck += [found.made for found in analysis.seen.stale_optimizers.values()]
        self.stuck = next((_place(analysis, tree) for tree in stuck), "")
        crossed = (
            c.tree for file in analysis.owned for c in crossings_in(analysis, solution, file)
        )
        self.crosses = next((_place(analysis, tree) for tree in crossed), "")
        self._draws = share(drawn, lambda found: found.call)
        self._routes = share(routes(analysis, solution).values(), lambda found: found.call)
        self._waits = share(waits(analysis, solution), lambda found: found.call)
        self.needs = needs(analysis)
        """Why files need CUDA."""

    def of(self, file: FileRecord) -> _Own:
        """The part of it that is in ``file``."""
        return _Own(
            self._transfers.get(file, ()),
            {seen.call: seen for seen in self._calls.get(file, ())},
            tuple(self._library.get(file, ())),
            tuple(self._literals.get(file, ())),
            tuple(self._mentions.get(file, ())),
            tuple(self._numbers.get(file, ())),
            tuple(self._doubles.get(file, ())),
            tuple(self._draws.get(file, ())),
            {route.call: route for route in self._routes.get(file, ())},
            tuple(self._waits.get(file, ())),
        )


def _place(analysis: Analysis, tree: ast.AST) -> str:
    return f"{analysis.home(tree).source.path}:{getattr(tree, 'lineno', 1)}"


_Moved: TypeAlias = tuple[tuple[Guard, ...], Mapping[ast.Call, TransferCall]]


def _moved(
    analysis: Analysis, owned: Mapping[FileRecord, _Own], bindings: Bindings
) -> dict[FileRecord, _Moved]:
    """The conditions that go in each file, and its calls of ``.cuda()`` and the like."""
    found = _settled(analysis, owned, bindings)
    calls = {call: seen for _, moved in found.values() for call, seen in moved.items()}
    if all(seen.own is None for seen in calls.values()):
        return found
    named = settled(calls, (guard for opened, _ in found.values() for guard in opened))
    if named is None:
        plain = {f: replace(own, calls=as_before(own.calls)) for f, own in owned.items()}
        return _settled(analysis, plain, bindings)
    return {f: (opened, {c: named[c] for c in moved}) for f, (opened, moved) in found.items()}


def _settled(
    analysis: Analysis, owned: Mapping[FileRecord, _Own], bindings: Bindings
) -> dict[FileRecord, _Moved]:
    moves_only = guards(analysis, {f: own.calls for f, own in owned.items()}, bindings)
    return {f: _right_already(analysis, f, own, *moves_only[f]) for f, own in owned.items()}


def _right_already(
    analysis: Analysis,
    file: FileRecord,
    own: _Own,
    opened: Sequence[Guard],
    calls: Mapping[ast.Call, TransferCall],
) -> _Moved:
    """The conditions that go, and ``calls``, of which those say so that stay below theirs."""
    calls = said_above(analysis, file, calls, opened)
    named: list[tuple[ast.AST, DeviceName | None]] = [
        *((found.tree, found.device) for found in own.transfers),
        *((found.tree, found.device) for found in own.mentions),
        *((found.tree, found.device) for found in own.numbers),
        *((found.literal, found.device) for found in own.literals),
        *((call, s.device if s.kind in _TRAVELS else None) for call, s in calls.items()),
    ]
    left = left_alone(analysis, file, named, [guard for guard in opened if not guard.follows])
    return tuple(guard for guard in opened if left.isdisjoint(guard.moves)), {
        call: replace(seen, device=None, asked=True) if call in left else seen
        for call, seen in calls.items()
    }


def _optimizers(analysis: Analysis, file: FileRecord) -> tuple[StaleOptimizer, ...]:
    """Those that a file makes; what another file does to their state has no place in this one."""
    found = (s for made, s in analysis.seen.stale_optimizers.items() if analysis.home(made) is file)
    return tuple(s if analysis.home(s.made) is file else replace(s, made=s.call) for s in found)


def _typed(analysis: Analysis, file: FileRecord) -> frozenset[ast.Call]:
    """The calls of tensor types in a file that are given no tensor."""
    if analysis.default_float64 or analysis.process_defaults.typed:
        return frozenset()
    return frozenset(
        tree
        for tree, plain in analysis.seen.typed.items()
        if plain and isinstance(tree, ast.Call) and analysis.home(tree) is file
    )
