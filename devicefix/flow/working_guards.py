"""Conditions that ask the machine before they move things: they work everywhere as they stand.

A new device is another answer to the same question. So all of them that would need it go, and with
them the flag that they ask, or none does, and none where another ``.cuda()`` stays below such a
condition. A flag that lives on stays where the device can be built from it. Where no flag stands
for the question, those that only move go by themselves: one that decides more goes on asking the
machine. A device of a function's own takes the place of two questions at least.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.answers import answer_name
from devicefix.flow.cuda_guards import Guards
from devicefix.flow.definitions import path_of
from devicefix.flow.facts import DeviceName, Guard, TransferCall
from devicefix.flow.flags import asking_a_known_flag, branches_around
from devicefix.flow.imported import origins
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.unread import is_taken
from devicefix.flow.user_index import is_cuda
from devicefix.flow.values import FileRecord, Flag
from devicefix.source.walking import walk

AskedFlag = tuple[str, ast.AST | None]
"""A name and the scope that binds it; an attribute, whichever object has it."""


def left_alone(
    analysis: Analysis,
    file: FileRecord,
    named: Iterable[tuple[ast.AST, DeviceName | None]],
    opened: Sequence[Guard],
) -> frozenset[ast.AST]:
    """What of ``named`` stays as it is, below the conditions around it.

    ``named`` is all in a file that would ask a device, with its name; ``opened`` are the conditions
    that would go. One question that is of use needs the new name, and then all ask it.
    """
    around, found = Guards(analysis, file.source), set[ast.AST]()
    named = list(named)
    renamed = {tree for tree, device in named if device is not None}
    stays = any(map(around.have_asked, _others(file, renamed)))
    for (_, anchor), trees in _by_new_name(named).items():
        going = [guard for guard in opened if not trees.isdisjoint(guard.moves)]
        if any(guard.option for guard in going) or not all(map(around.have_asked, trees)):
            continue
        whole = trees <= {move for guard in going for move in guard.moves}
        whole = whole or (bool(going) and not _asked_by_name(analysis, file, going))
        gains = len(going) > 1 or not isinstance(anchor, FUNCTIONS)
        if stays or not (whole and gains and _end_with(analysis, file, going, anchor)):
            found |= trees
    return frozenset(found)


def said_above(
    analysis: Analysis,
    file: FileRecord,
    calls: Mapping[ast.Call, TransferCall],
    going: Sequence[Guard],
) -> Mapping[ast.Call, TransferCall]:
    """``calls``, of which those get no device below conditions that stay, and that have asked for
    CUDA, or only decide about moves: ``x.to(device)`` would say the same twice there."""
    gone = {guard.tree for guard in going}
    moved = {call for guard in going for call in guard.moves}
    waiting = [c for c, seen in calls.items() if seen.device is not None and c not in moved]
    around = {c: list(branches_around(analysis, c)) for c in waiting if is_cuda(c)}
    if not any(around.values()):
        return calls
    deciding = {asked.tree for asked in asking_a_known_flag(analysis, file)} - gone

    def without(call: ast.Call, seen: TransferCall) -> TransferCall:
        for tree, inside in around.get(call, ()):
            test = analysis.seen.tests.get(tree)
            if isinstance(test, Flag) and test.pure:
                if test.holds is inside and tree not in gone:
                    return replace(seen, device=None, asked=True)
            elif inside and tree in deciding:
                return replace(seen, device=None)
        return seen

    return {call: without(call, seen) for call, seen in calls.items()}


def _others(file: FileRecord, going: Collection[ast.AST]) -> Iterator[ast.AST]:
    """The calls of ``.cuda()`` that stay: of what is not known, or has a method of that name."""
    for call in file.source.of_type(ast.Call):
        func = getattr(call, "func", None)
        if isinstance(func, ast.Attribute) and func.attr == "cuda" and call not in going:
            yield call


def _asked_by_name(analysis: Analysis, file: FileRecord, going: Sequence[Guard]) -> bool:
    """Whether a flag stands for the question: beside the new device it would be a second answer."""
    return any(flags_of(analysis, file, guard.tree.test) for guard in going)


def flags_of(analysis: Analysis, file: FileRecord, tree: ast.expr) -> frozenset[AskedFlag]:
    """What an expression reads that the program itself has set."""
    return frozenset(flag for n in walk(tree) for flag in _flags(analysis, file, n))


def _by_new_name(
    named: Iterable[tuple[ast.AST, DeviceName | None]],
) -> dict[tuple[str, ast.AST | None], set[ast.AST]]:
    """The places that need a new name which asks the machine alone, by that name."""
    found: dict[tuple[str, ast.AST | None], set[ast.AST]] = defaultdict(set)
    for tree, device in named:
        if device is None or device.follows or device.flag or device.late is not None:
            continue
        if device.preamble:
            found[device.preamble, device.anchor].add(tree)
    return found


def _end_with(
    analysis: Analysis, file: FileRecord, going: Sequence[Guard], anchor: ast.AST | None
) -> bool:
    """Whether nothing but these conditions reads the flags that they ask, other than that which the
    new device is built from, behind ``anchor``."""
    asking = {node for guard in going for node in walk(guard.tree.test)}
    flags = {f for node in asking for f in _flags(analysis, file, node)}
    if isinstance(anchor, ast.Assign):
        flags -= {(answer_name(anchor, file.source), file.source.tree)}
    others = (node for node in file.source.nodes if node not in asking)
    if any(flag in flags for node in others for flag in _flags(analysis, file, node)):
        return False
    module = file.source.tree
    return not any(scope is module and is_taken(analysis, file, name) for name, scope in flags)


def _flags(analysis: Analysis, file: FileRecord, node: ast.AST) -> Iterator[AskedFlag]:
    """What a node reads that the program itself has set."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name not in file.source.once(origins):
            path = path_of(analysis, node)
            if path is not None and not isinstance(analysis.parents.get(node), ast.Attribute):
                yield name, path.scope
        case ast.Attribute(attr=name, ctx=ast.Load()) if _is_read(analysis, node):
            yield name, None


def _is_read(analysis: Analysis, tree: ast.Attribute) -> bool:
    """It is no method that is called, nor a part of a longer path."""
    above = analysis.parents.get(tree)
    return not isinstance(above, ast.Attribute) and getattr(above, "func", None) is not tree
