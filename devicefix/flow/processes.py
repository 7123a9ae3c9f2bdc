"""Code that may not ask for CUDA, as other processes depend on it.

That is the code of a program that forks processes which use CUDA, code that runs where work is sent
to other machines, and what is evaluated on import before the program chooses its GPUs.

``torch.cuda.is_available()`` starts the driver, and who is forked afterwards cannot use CUDA
(https://docs.pytorch.org/docs/stable/notes/multiprocessing.html). What is computed on the machine
that sends the work goes along with it: parsers and the options that they give are made there.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final

from msgspec import Struct

from devicefix.flow.gpu_choice import (
    ELSEWHERE,
    FORKS,
    TOO_EARLY,
    choices_in,
    is_sender,
    sends_away,
)
from devicefix.flow.imported import dotted, origins
from devicefix.flow.importing import (
    closure,
    function_around,
    import_graph,
    imported_before_gpus_are_chosen,
    runs_on_import,
)
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.scripts import is_main_guard
from devicefix.source import Program, Source
from devicefix.source.parsing import Parents
from devicefix.source.walking import walk
from devicefix.torch_api import ASKS_FOR_CUDA, canonical

_QUESTIONS: Final = (ASKS_FOR_CUDA | {"torch.cuda.init"}) - {"torch.cuda.is_initialized"}
"""What starts the driver."""
_POOLS: Final = frozenset({"Pool", "ProcessPoolExecutor"})
_OF_POOLS: Final = frozenset({
    "apply", "apply_async", "imap", "imap_unordered", "map", "map_async", "starmap",
    "starmap_async", "submit",
})  # fmt: skip
_LIBRARIES: Final = ("billiard.", "concurrent.futures.", "multiprocess.", "multiprocessing.")
_STARTING_ANEW: Final = frozenset({"spawn", "forkserver"})
_CHOOSE_START: Final = frozenset({"get_context", "set_start_method"})


class Processes(Struct, frozen=True, dict=True, eq=False):
    """Which code of a program runs in which process; by names, so rather in too many."""

    program: Program

    def why_not(self, place: ast.AST, path: str) -> str:
        """Why a new question for CUDA must not come at ``place``; empty where it may."""
        source = self.program.sources.get(path)
        if source is None:
            return ""
        inner = isinstance(place, FUNCTIONS) or (isinstance(place, ast.If) and is_main_guard(place))
        place = place.body[0] if inner else place  # type: ignore[attr-defined]
        around = list(_around(place))
        if not self._sending.isdisjoint(around):
            return ELSEWHERE
        if sends_away(source):
            return ELSEWHERE if is_sender(place, source) else ""
        parent = path in self._forking and self._children.isdisjoint(around)
        if parent:
            return FORKS
        early = path in self._early and runs_on_import(place)
        return TOO_EARLY if early or self._comes_before_choice(place, source) else ""

    def _comes_before_choice(self, place: ast.AST, source: Source) -> bool:
        """Whether a function that chooses the GPUs may be called after ``place``: in the function
        around it, or, where it runs on import, anywhere in the file."""
        if not self._choosers:
            return False
        function = function_around(place)
        calls = (c for c in source.of_type(ast.Call) if _called_name(c) in self._choosers)
        return any(function is None or function_around(c) is function for c in calls)

    @cached_property
    def _choosers(self) -> frozenset[str]:
        """The functions of the program that set ``CUDA_VISIBLE_DEVICES``, by name."""
        choices = (c for s in self.program.sources.values() for c in choices_in(s.tree, s))
        functions = (function_around(choice) for choice in choices)
        return frozenset(f.name for f in functions if isinstance(f, FUNCTIONS))

    @cached_property
    def _early(self) -> frozenset[str]:
        """The files that are imported before a program chooses its GPUs."""
        return imported_before_gpus_are_chosen(self.program)

    # -- other machines ----------------------------------------------------------------------------

    @cached_property
    def _sending(self) -> frozenset[ast.AST]:
        """The functions that those call who send the work; not those that are sent."""
        senders = [s for s in self.program.sources.values() if sends_away(s)]
        roots = [
            (part, s.path)
            for s in senders
            for part in (*_top(s), *_functions(s))
            if not isinstance(part, FUNCTIONS) or is_sender(part.body[0], s)
        ]
        return self._called_from(roots)

    # -- processes that are forked -----------------------------------------------------------------

    @cached_property
    def _children(self) -> frozenset[ast.AST]:
        """The functions that forked processes run."""
        return self._called_from(self._targets)

    @cached_property
    def _targets(self) -> list[tuple[ast.AST, str]]:
        found: list[tuple[ast.AST, str]] = []
        named = [s for s in self.program.sources.values() if _names_processes(s)]
        for source in named if not any(map(_chooses_start, named)) else ():
            found += ((f, source.path) for f in _overridden(source))
            for target in _handed_to_processes(source):
                found += self._meant(target, source.path)
        return found

    @cached_property
    def _forking(self) -> frozenset[str]:
        """The files that may be loaded in a process which forks others that use CUDA."""
        sources = self.program.sources
        starting = {p for p, s in sources.items() if _forks_itself(s)}
        if any(map(_uses_device, self._children)):
            starting |= {p for p, s in sources.items() if _starts_processes(s)}
        if not starting:
            return frozenset()
        imports = import_graph(self.program)
        importers = {p: {q for q in imports if p in imports[q]} for p in imports}
        loading = closure(starting, importers)
        scripts = [p for p in loading if importers[p] <= {p} or _is_script(sources[p])]
        loaded = [closure([script], imports) for script in scripts or loading]
        return frozenset[str]().union(*(files for files in loaded if not self._asks(files)))

    def _asks(self, files: Iterable[str]) -> bool:
        """Whether a program of these files asks for CUDA itself in the process that forks: what it
        comes to from the top of a file, by names."""
        sources = [self.program.sources[file] for file in files]
        tops: list[tuple[ast.AST, str]] = [(part, s.path) for s in sources for part in _top(s)]
        reached = self._called_from(tops) - self._children
        return any(
            canonical(dotted(call.func, source.once(origins))) in _QUESTIONS
            and ((function := function_around(call)) is None or function in reached)
            for source in sources
            for call in source.of_type(ast.Call)
        )

    # -- names -------------------------------------------------------------------------------------

    def _called_from(self, roots: Iterable[tuple[ast.AST, str]]) -> frozenset[ast.AST]:
        """The functions among ``roots``, and those that are called there by a name of theirs."""
        waiting, found = list(roots), set[ast.AST]()
        while waiting:
            part, path = waiting.pop()
            if part not in found:
                found.add(part)
                calls = (n for n in walk(part) if isinstance(n, ast.Call))
                waiting += (m for call in calls for m in self._meant(call.func, path))
        return frozenset(f for f in found if isinstance(f, FUNCTIONS))

    def _meant(self, tree: ast.expr, path: str) -> list[tuple[ast.AST, str]]:
        """The functions that an expression may mean; for a class, how its objects are made."""
        name = tree.attr if isinstance(tree, ast.Attribute) else getattr(tree, "id", "")
        found = self._by_name.get(name, [])
        own = [one for one in found if one[1] == path] if isinstance(tree, ast.Name) else []
        return own or found

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[ast.AST, str]]]:
        found: dict[str, list[tuple[ast.AST, str]]] = {}
        for path, source in self.program.sources.items():
            for function in _functions(source):
                found.setdefault(function.name, []).append((function, path))
            for cls in source.of_type(ast.ClassDef):
                made = [f for f in cls.body if isinstance(f, FUNCTIONS) and f.name == "__init__"]
                found.setdefault(cls.name, []).extend((f, path) for f in made)
        return found


def _functions(source: Source) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [*source.of_type(ast.FunctionDef), *source.of_type(ast.AsyncFunctionDef)]


def _top(source: Source) -> list[ast.stmt]:
    return [s for s in source.tree.body if not isinstance(s, (*FUNCTIONS, ast.ClassDef))]


def _around(place: ast.AST) -> Iterator[ast.AST]:
    """The functions in whose body ``place`` is, and itself."""
    child, parents = place, Parents()
    yield place
    while (above := parents.get(child)) is not None:
        if isinstance(above, FUNCTIONS) and child in above.body:
            yield above
        child = above


def _overridden(source: Source) -> Iterator[ast.AST]:
    """What the processes run that a file has classes of."""
    known = source.once(origins)
    for cls in source.of_type(ast.ClassDef):
        if any(_is_of_library(base, known, {"Process"}) for base in cls.bases):
            named = (f for f in cls.body if isinstance(f, FUNCTIONS))
            yield from (f for f in named if f.name == "run")


def _is_of_library(tree: ast.expr, known: Mapping[str, str], names: Collection[str]) -> bool:
    full = dotted(tree, known).removeprefix("torch.")
    return full.startswith(_LIBRARIES) and full.rpartition(".")[2] in names


def _forks_itself(source: Source) -> bool:
    known = source.once(origins)
    return any(dotted(call.func, known) == "os.fork" for call in source.of_type(ast.Call))


def _is_script(source: Source) -> bool:
    return any(map(is_main_guard, source.tree.body))


def _names_processes(source: Source) -> bool:
    return any(
        word in source.text for word in ("Process", "Pool", "set_start_method", "start_processes")
    )


def _starts_processes(source: Source) -> bool:
    if not _names_processes(source):
        return False
    known = source.once(origins)
    calls = source.of_type(ast.Call)
    made = any(_is_start(call, known) for call in calls)
    return made or any(True for _ in _overridden(source))


def _is_start(call: ast.Call, known: Mapping[str, str]) -> bool:
    if _is_of_library(call.func, known, {"Process", *_POOLS}):
        return True
    if _is_of_library(call.func, known, {"start_processes"}):  # of torch, spawned by default
        given = (k.value for k in call.keywords if k.arg == "start_method")
        return any(getattr(method, "value", "") not in _STARTING_ANEW for method in given)
    named = isinstance(call.func, ast.Attribute) and call.func.attr == "Process"
    return named and any(k.arg == "target" for k in call.keywords)  # of a context


def _handed_to_processes(source: Source) -> Iterator[ast.expr]:
    """The functions that a file has processes run, by whatever expression."""
    known = source.once(origins)
    calls = source.of_type(ast.Call)
    pools = any(_is_of_library(call.func, known, _POOLS) for call in calls) or any(
        isinstance(c.func, ast.Attribute) and c.func.attr == "Pool" for c in calls
    )
    for call in calls:
        if _is_start(call, known):
            given = [k.value for k in call.keywords if k.arg in ("fn", "initializer", "target")]
            given += call.args[:1] if _is_of_library(call.func, known, {"start_processes"}) else []
        elif pools and isinstance(call.func, ast.Attribute) and call.func.attr in _OF_POOLS:
            given = call.args[:1]
        else:
            continue
        for tree in (n for g in given for n in walk(g)):
            if isinstance(tree, (ast.Attribute, ast.Name)):
                yield tree


def _chooses_start(source: Source) -> bool:
    """``set_start_method("spawn")``, ``get_context("forkserver")``."""
    for call in source.of_type(ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        name = call.func.id if isinstance(call.func, ast.Name) else name
        given = [*call.args, *(k.value for k in call.keywords)]
        words = {a.value for a in given if isinstance(a, ast.Constant)}
        if name in _CHOOSE_START and not words.isdisjoint(_STARTING_ANEW):
            return True
    return False


def _uses_device(function: ast.AST) -> bool:
    """Whether the text of a function names CUDA, or puts something on a device."""
    for node in walk(function):
        match node:
            case ast.Attribute(attr="cuda") | ast.keyword(arg="device"):
                return True
            case ast.Constant(value=str(text)) if text.startswith("cuda"):
                return True
            case ast.Call(func=ast.Attribute(attr="to"), args=[_, *_]):
                return True
    return False


def _called_name(call: ast.Call) -> str:
    func = call.func
    return func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
