"""Which checks for CUDA each use of it rests on, as the text of a file says.

What stays for CUDA alone needs the check that it stands below: that may not ask for any accelerator
then. What rests on no check of the file rests on any that somebody has made.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Final

from msgspec import Struct

from devicefix.findings import Reason
from devicefix.flow.cuda_guards import Conditions
from devicefix.flow.cuda_sites import Sort, is_compared, sites
from devicefix.flow.facts import FileFacts, Kind, LibraryCall
from devicefix.flow.handed_on import handed_on
from devicefix.flow.imported import dotted, origins
from devicefix.flow.mentions import is_type
from devicefix.flow.queries.meaning import meaning
from devicefix.flow.scopes import FUNCTIONS, binding_scope, block_of, scope_of
from devicefix.flow.scripts import bound_at_top
from devicefix.source import Source
from devicefix.source.parsing import Parents, annotation_of
from devicefix.source.walking import walk
from devicefix.torch_api import (
    ASKS_FOR_CUDA,
    HARMLESS,
    LEGACY_CONSTRUCTORS,
    QUESTIONS,
    canonical,
    no_generic_form,
)

_STEPS: Final = 8
"""How many definitions are followed, one to the next."""
_SILENT: Final = frozenset({Reason.ASKED, Reason.HARMLESS})
_MIXED: Final = frozenset({"torch.amp.autocast", "torch.amp.GradScaler"})
_NCCL: Final = "nccl"
_MODULE: Final = "torch.cuda"
_SPLITS: Final = frozenset({"torch.nn.DataParallel", "torch.nn.parallel.data_parallel"})
"""They split batches over several devices with what only builds for CUDA have."""
_PLACES: Final = frozenset({"device", "map_location", "to"})
_LEAVES: Final = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class CudaSite(Struct, frozen=True):
    """A use of CUDA, and what the program has asked before it comes there."""

    tree: ast.expr | ast.stmt
    sort: Sort
    name: str
    """The canonical name of what is named of a library; the text of a string."""
    checks: tuple[ast.Call, ...] = ()
    """The calls that ask for CUDA on which conditions around it depend."""
    certain: bool = False
    """It is surely reached with CUDA only."""
    apart: bool = False
    """It rests on no check, as a condition around it names CUDA: ``if device.type == "cuda":``."""


def checked_sites(source: Source) -> tuple[CudaSite, ...]:
    """All uses of CUDA in one file, in the order of the text."""
    found = source.once(sites)
    if not found and not any(name.rpartition(".")[2] in source.text for name in _SPLITS):
        return ()
    finder = _Finder(source)
    known = [CudaSite(site.tree, site.sort, site.name, *finder.about(site.tree)) for site in found]
    known += finder.splits()
    return tuple(sorted(known, key=lambda site: source.span(site.tree)))


def is_left(site: CudaSite, source: Source, facts: FileFacts) -> bool:
    """Whether it means nothing to other accelerators: it compares, sets something of CUDA's own, or
    is what another rule is about."""
    if site.apart and site.certain and site.sort is not Sort.NAME:
        return True
    if site.sort is Sort.MOVE:
        call = facts.calls.get(site.tree) if isinstance(site.tree, ast.Call) else None
        return call is not None and call.kind is Kind.OTHER
    if site.sort is Sort.NAME:
        inside = site.name.startswith("torch.cuda.")
        if is_type(facts.parents, site.tree):
            return True
        if site.name in _SPLITS:
            return False
        return not (inside or site.name == _MODULE) or site.name.startswith("torch.cuda.amp")
    if site.sort is not Sort.TEXT or is_compared(site.tree):
        return True
    if amp_call(site, facts) is not None:
        return False
    span = source.span(site.tree)
    reasons = {use.reason for use in facts.uses if use.name == span}
    return not _is_chosen(site.tree) and not reasons.isdisjoint(_SILENT)


def places_on_cuda(source: Source, facts: FileFacts, but: Collection[str] = ()) -> bool:
    """Whether a file puts something on CUDA by its name, ``but`` for what these names at its top
    stand for."""
    own = _nodes_of(source, but)
    return any(
        places(site) and site.tree not in own and not is_left(site, source, facts)
        for site in source.once(checked_sites)
    )


def moves_with_cuda(source: Source, facts: FileFacts, but: Collection[str]) -> bool:
    """Whether where things are may depend on whether there is CUDA, ``but`` for what these names at
    the top of a file stand for: another accelerator would get only some of them."""
    own, finder, parents = _nodes_of(source, but), _Finder(source), Parents()
    for call in source.of_type(ast.Call):
        assert isinstance(call, ast.Call)
        if call in own:
            continue
        if finder.asks(call) and not _is_tested(call, parents):
            return True  # whoever gets the answer may move something by it
        told = any(keyword.arg in _PLACES for keyword in call.keywords)
        if (told or call in facts.calls) and finder.about(call)[0]:
            return True
    listed = (node for node in source.of_type(ast.List, ast.Tuple, ast.Set) if node not in own)
    return any(map(_lists_devices, listed)) or any(
        test not in own for test in moving_conditions(source, facts)
    )


def _lists_devices(tree: ast.AST) -> bool:
    """``("cuda", "cpu")``: another accelerator may be refused."""
    words = {getattr(word, "value", None) for word in getattr(tree, "elts", ())}
    return words >= {"cuda", "cpu"}


def _is_tested(call: ast.expr, parents: Parents) -> bool:
    """Whether a condition asks it, and nobody else gets the answer."""
    child: ast.AST = call
    parent = parents.get(call)
    while isinstance(parent, (ast.BoolOp, ast.UnaryOp, ast.Compare)):
        child, parent = parent, parents.get(parent)
    return getattr(parent, "test", None) is child


def _nodes_of(source: Source, names: Collection[str]) -> set[ast.AST]:
    """What these names at the top of a file stand for."""
    bound = (s for s in source.tree.body if any(name in bound_at_top(s) for name in names))
    return {node for statement in bound for node in walk(statement)}


def is_open(site: CudaSite) -> bool:
    """Whether nothing in the file keeps the program from it on another accelerator.

    Processes that are to talk over NCCL do not start there, whatever a check says. What splits
    batches without any check has never worked beside another accelerator.
    """
    resting = site.checks or site.apart or site.name in {_NCCL, *_SPLITS}
    return places(site) or (needs_check(site) and not resting)


def open_elsewhere(path: str, sources: Mapping[str, Source]) -> tuple[str, CudaSite] | None:
    """A use in another file than ``path`` that stays for CUDA and rests on no check of that file:
    it may rest on one of this."""
    for other, source in sources.items():
        for site in source.once(checked_sites) if other != path else ():
            moves = site.sort is Sort.MOVE and not (site.apart and site.certain)
            named = site.sort is Sort.NAME and site.name.startswith("torch.cuda.")
            stays = named and bool(no_generic_form(site.name)) and is_open(site)
            lone = _is_device(source, site) and not (site.checks or site.apart)
            if moves or lone or (stays and not site.name.startswith("torch.cuda.amp.")):
                return other, site
    return None


def _is_device(source: Source, site: CudaSite) -> bool:
    """Whether a string is taken for a device: it is chosen, or something is put there."""
    if site.sort is not Sort.TEXT or site.name == _NCCL or is_compared(site.tree):
        return False
    above = source.parent(site.tree)
    if isinstance(above, ast.keyword):
        return above.arg in _PLACES
    called = above.func if isinstance(above, ast.Call) and above.func is not site.tree else None
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return _is_chosen(site.tree) or name in _PLACES


def moving_conditions(source: Source, facts: FileFacts) -> tuple[ast.expr, ...]:
    """Conditions that name CUDA, and decide about something that is moved: ``if device.type ==
    "cuda": x = x.to(device)`` leaves it behind beside another accelerator."""
    found, finder = [], _Finder(source)
    for tree in (*source.of_type(ast.If), *source.of_type(ast.IfExp)):
        assert isinstance(tree, (ast.If, ast.IfExp))
        inside = (n for part in _parts(tree) for n in walk(part))
        if any(node in facts.calls for node in inside) and finder.names_cuda(tree.test):
            found.append(tree.test)
    return tuple(found)


def _parts(choice: ast.If | ast.IfExp) -> list[ast.AST]:
    if isinstance(choice, ast.IfExp):
        return [choice.body, choice.orelse]
    return [*choice.body, *choice.orelse]


def amp_call(site: CudaSite, facts: FileFacts) -> LibraryCall | None:
    """The call of mixed precision that is told ``"cuda"``, as its type of device."""
    above = facts.parents.get(site.tree)
    call = facts.parents.get(above) if isinstance(above, ast.keyword) else above
    named = above.arg in ("device_type", "device") if isinstance(above, ast.keyword) else True
    first = isinstance(call, ast.Call) and (named if above is not call else _is_first(call, site))
    found = (known for known in facts.library if first and known.call is call)
    return next((known for known in found if known.names & _MIXED), None)


def _is_first(call: ast.Call, site: CudaSite) -> bool:
    return call.args[:1] == [site.tree]


def places(site: CudaSite) -> bool:
    """Whether something is put on CUDA there, beside which nothing may be on another device."""
    if site.sort is Sort.NAME:
        return site.name in LEGACY_CONSTRUCTORS
    return site.sort is Sort.MOVE or (site.sort is Sort.TEXT and site.name != _NCCL)


def keeps(site: CudaSite) -> tuple[ast.Call, ...]:
    """The checks that have to ask for CUDA as long as the site stays: all, where it raises without
    CUDA; else those beside it in one statement, which would be half a question."""
    if needs_check(site):
        return site.checks
    own = _statement(site.tree)
    return tuple(check for check in site.checks if _statement(check) is own)


def is_beside(source: Source, site: CudaSite, trees: Collection[ast.AST]) -> bool:
    """Whether its statement also has one of ``trees``, or a name that has got its value from one:
    rewritten, half of that would be about another device."""
    statement = _statement(site.tree)
    if statement is None or hasattr(statement, "body"):
        return False
    noted = annotation_of(statement)
    aside = {site.tree, *(walk(noted) if noted is not None else ())}
    nodes = [n for n in walk(statement) if n not in aside]
    names = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    values = (v for n in names for v in values_of(source, n))
    return any(n in trees for n in (*nodes, *(n for value in values for n in walk(value))))


def needs_check(site: CudaSite) -> bool:
    """Whether it raises where there is no CUDA."""
    quiet = site.name in HARMLESS or site.name in QUESTIONS or site.name == _MODULE
    return site.sort is not Sort.NAME or not quiet


def _statement(tree: ast.AST) -> ast.AST | None:
    parents, found = Parents(), tree
    while found is not None and not isinstance(found, ast.stmt):
        found = parents.get(found)  # type: ignore[assignment]
    return found


def _is_chosen(tree: ast.AST) -> bool:
    """``"cuda" if x else "cpu"``."""
    parents = Parents()
    child, parent = tree, parents.get(tree)
    while isinstance(parent, ast.expr):
        if isinstance(parent, ast.IfExp) and child is not parent.test:
            return True
        child, parent = parent, parents.get(parent)
    return False


class _Finder:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._known = source.once(origins)
        self._conditions = Conditions(source)
        self._parents = Parents()

    def about(self, tree: ast.AST) -> tuple[tuple[ast.Call, ...], bool, bool]:
        """The checks around ``tree``, whether they are sure, and whether one names CUDA itself.

        The innermost that is sure will do; else it may rest on any of them.
        """
        around: dict[ast.Call, None] = {}
        for child, parent in self._around(tree):
            tests = list(_tests(child, parent))
            found = dict.fromkeys(call for test in tests for call in self.checks(test))
            if tests and self._conditions.lead_to(child, parent):
                return tuple(found), True, not found and any(map(self.names_cuda, tests))
            around |= found
        return tuple(around), self._conditions.have_asked(tree), False

    def splits(self) -> Iterator[CudaSite]:
        """Calls that split batches, with the checks around them and around the calls of a function
        of this file that makes them."""
        for call in self._source.of_type(ast.Call):
            assert isinstance(call, ast.Call)
            name = canonical(dotted(call.func, self._known))
            if name in _SPLITS:
                checks, certain, apart = self.about(call)
                more = (c for caller in self._callers(call) for c in self.about(caller)[0])
                every = tuple(dict.fromkeys((*checks, *more)))
                yield CudaSite(call.func, Sort.NAME, name, every, certain, apart)

    def _callers(self, tree: ast.AST) -> Iterator[ast.Call]:
        """What calls something by the name of the function that ``tree`` is in."""
        function: ast.AST | None = tree
        while function is not None and not isinstance(function, FUNCTIONS):
            function = self._parents.get(function)
        if function is None:
            return
        for call in self._source.of_type(ast.Call):
            assert isinstance(call, ast.Call)
            if getattr(call.func, "attr", getattr(call.func, "id", "")) == function.name:
                yield call

    def _around(self, tree: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """``tree`` and all that holds it in its function, each with what is around it."""
        child, parent = tree, self._parents.get(tree)
        while parent is not None and not isinstance(child, (*FUNCTIONS, ast.Lambda)):
            yield child, parent
            child, parent = parent, self._parents.get(parent)

    def checks(self, test: ast.expr, depth: int = 0) -> Iterator[ast.Call]:
        """The calls in ``test`` that ask, also by the names and attributes that hold an answer."""
        for node in walk(test):
            if isinstance(node, ast.Call) and self.asks(node):
                yield node
            elif isinstance(node, (ast.Name, ast.Attribute)) and depth < _STEPS:
                for value in values_of(self._source, node):
                    yield from self.checks(value, depth + 1)
                yield from self._handed_on(node, depth + 1)

    def _handed_on(self, node: ast.expr, depth: int) -> Iterator[ast.Call]:
        """The calls that ask in what a parameter is given, if all that give it have asked, or say
        no."""
        given = [v for v in handed_on(self._source, node) if not _is_no(v)]
        found = [tuple(self.checks(value, depth)) for value in given]
        if all(found):
            yield from chain.from_iterable(found)

    def names_cuda(self, test: ast.expr, depth: int = 0) -> bool:
        """Whether ``test`` asks for CUDA by its name, also by names that hold the answer."""
        if depth > _STEPS or _says_cuda(test):
            return depth <= _STEPS
        names = [n for n in walk(test) if isinstance(n, ast.Name)]
        values = (value for name in names for value in values_of(self._source, name))
        return any(self.names_cuda(value, depth + 1) for value in values)

    def asks(self, call: ast.Call) -> bool:
        """Whether it asks for an accelerator."""
        return canonical(dotted(call.func, self._known)) in ASKS_FOR_CUDA


def _is_no(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not value.value


def _tests(child: ast.AST, parent: ast.AST) -> Iterator[ast.expr]:
    """The conditions under which ``parent`` comes to its part ``child``."""
    match parent:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            if child is not test:
                yield test
        case ast.BoolOp(values=parts):
            yield from parts[: next(at for at, part in enumerate(parts) if part is child)]
        case ast.For(iter=counted) if child in parent.body:
            yield counted
    block = block_of(parent, child) if isinstance(child, ast.stmt) else []
    for earlier in block[: next((at for at, s in enumerate(block) if s is child), 0)]:
        leaves = isinstance(earlier, ast.If) and isinstance(earlier.body[-1], _LEAVES)
        if isinstance(earlier, ast.Assert) or leaves:
            yield earlier.test  # type: ignore[attr-defined]


def values_of(source: Source, tree: ast.Name | ast.Attribute) -> list[ast.expr]:
    """What a file may have bound to a name, or to an attribute of that name."""
    if isinstance(tree, ast.Attribute):
        return source.once(_attributes).get(tree.attr, [])
    meant = meaning(source, tree)
    if meant is not tree:
        return [meant]
    bound, parents = source.once(_bound), Parents()
    scope: ast.AST = tree
    while not isinstance(scope, ast.Module):
        scope = scope_of(parents, scope)
        if (scope, tree.id) in bound:
            return bound[scope, tree.id]
    return []


def _says_cuda(test: ast.expr) -> bool:
    """``x.is_cuda``, ``device.type == "cuda"``; ``"gpu"`` may be any."""
    compared = [n for n in walk(test) if isinstance(n, ast.Compare)]
    sides = [side for n in compared for side in (n.left, *n.comparators)]
    words = [s.value for side in sides for s in walk(side) if isinstance(s, ast.Constant)]
    is_cuda = any(isinstance(n, ast.Attribute) and n.attr == "is_cuda" for n in walk(test))
    return is_cuda or any(isinstance(w, str) and w.startswith("cuda") for w in words)


def _attributes(source: Source) -> dict[str, list[ast.expr]]:
    """What a file assigns to attributes, by their names."""
    found: dict[str, list[ast.expr]] = {}
    for statement in source.of_type(ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Attribute):
                found.setdefault(target.attr, []).append(statement.value)
    return found


def _bound(source: Source) -> dict[tuple[ast.AST, str], list[ast.expr]]:
    """What a file assigns to names, by the scope; nothing is known of a parameter."""
    parents = Parents()
    found: dict[tuple[ast.AST, str], list[ast.expr]] = {}
    for argument in source.of_type(ast.arg):
        found[scope_of(parents, parents[argument]), argument.arg] = []
    for statement in source.of_type(ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                scope = binding_scope(parents, target)
                found.setdefault((scope, target.id), []).append(statement.value)
    return found
