"""What all frames of one program share: the graph, the records, and what evaluation has seen.

A *context* is one way in which a function is reached; a helper called from two places is evaluated
in two contexts, so that what one caller puts on the device does not leak into the other. The number
of contexts per function is bounded: cost stays about linear in the size of the program.
"""

from __future__ import annotations

import ast
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec import Struct, field

from devicefix.flow.aliases import Aliases, Way
from devicefix.flow.arrivals import ANY_KEY, Arrivals
from devicefix.flow.files import is_test
from devicefix.flow.graph import Label, PlacementGraph, Site
from devicefix.flow.ir import scope_around
from devicefix.flow.joins import is_update, join
from devicefix.flow.observations import Candidate, Meeting, Observations, Occurrence
from devicefix.flow.own_names import OwnNames
from devicefix.flow.process_defaults import ProcessDefaults
from devicefix.flow.queries.meaning import meaning
from devicefix.flow.questions import questions
from devicefix.flow.trace import Trace
from devicefix.flow.values import (
    ClassRecord,
    DictRecord,
    FileRecord,
    Function,
    ListRecord,
    ObjectRecord,
    Parameter,
    Record,
    Tensor,
    Unknown,
    Value,
)
from devicefix.source.parsing import PARENT, Parents
from devicefix.source.program import WHOLE
from devicefix.source.walking import walk
from devicefix.time_limit import check_time

if TYPE_CHECKING:
    from devicefix.flow.frame import Arguments, Frame
    from devicefix.flow.processes import Processes
    from devicefix.flow.registration import Plan
    from devicefix.flow.sightings import Sightings
    from devicefix.source import Source
    from devicefix.source.program import Program

MAX_NEIGHBOURS = 24
"""Files of the project outside the program that one analysis reads."""
MAX_OF_BASES = 120
"""The same where it looks for the base of a class: all its methods depend on that."""
MAX_STEPS = 500_000
"""Expressions evaluated in a program before the analysis gives up on placement."""
USUAL_FILES = 24
STEPS_PER_FILE = 15_000
"""How many more for every file of a program of more files than usual."""
USUAL_SIZE = 120
"""Expressions of a function; of smaller ones more contexts are told apart."""
_Item = TypeVar("_Item")


TICK = 64
"""Expressions after which the time is looked at, at the latest."""


class BudgetExceededError(Exception):
    """The program is too large or too tangled; placement is left alone."""


class Semantics(Protocol):
    """The mutually recursive parts of evaluation, tied together in ``program``."""

    def evaluate(self, frame: Frame, tree: ast.expr | None) -> Value: ...

    def execute(self, frame: Frame, body: Sequence[ast.stmt]) -> None: ...

    def call(self, frame: Frame, tree: ast.expr, callee: Value, args: Arguments) -> Value: ...

    def reused_result(
        self, frame: Frame, tree: ast.expr, function: Function, args: Arguments
    ) -> Value | None: ...

    def enter(self, analysis: Analysis, file: FileRecord) -> None: ...


class Escape(Struct, frozen=True):
    """A function that unseen code was given, and what it may be called with there."""

    frame: Frame
    tree: ast.expr
    callee: Value
    given: Value


class Analysis(Struct, eq=False):
    """The state that all frames of one program share."""

    program: Program
    semantics: Semantics
    processes: Processes
    """Which code runs in which process."""
    root: Path = field(default_factory=Path)
    """The folder that holds the whole program."""
    files: dict[str, FileRecord] = field(default_factory=dict)
    """The files of the program, and those of its project that it has read, by path."""
    graph: PlacementGraph = field(default_factory=PlacementGraph)
    parents: Parents = field(default_factory=Parents)
    seen: Observations = field(default_factory=Observations)
    meetings: dict[tuple[int, ast.AST], Meeting] = field(default_factory=dict)
    sites: dict[Site, dict[int, Occurrence]] = field(default_factory=dict)
    """Where transfers can be written, and what each context sees there."""
    hosted: set[ast.AST] = field(default_factory=set)
    """Functions that workers run, too: nothing there may name a device of the program."""
    wrappers: set[ast.AST] = field(default_factory=set)
    """Functions that the program's decorators put in the place of others."""
    defaults: set[ast.AST] = field(default_factory=set)
    """The expressions that are defaults of parameters."""
    parameters: dict[Hashable, Parameter] = field(default_factory=dict)
    """Parameters of the functions that nobody calls."""
    arrived: dict[ast.Call, dict[int, Parameter]] = field(default_factory=dict)
    """What calls move without anybody knowing what it is, by context."""
    modules: list[ObjectRecord] = field(default_factory=list)
    kept: list[ObjectRecord] = field(default_factory=list)
    """Modules that a constructor makes which nobody calls, and that are no part of its object."""
    stays: dict[ObjectRecord, Label] = field(default_factory=dict)
    """Where the modules that the program moves are by now, as evaluation goes on."""
    within: set[ObjectRecord] = field(default_factory=set)
    """Modules that do nothing but call what they hold, while that is evaluated."""
    deciding: set[ast.AST] = field(default_factory=set)
    """Functions that nobody calls and that make the module they use: they choose its device."""
    adopted: set[ObjectRecord] = field(default_factory=set)
    """The modules that have become parts of others so far in this pass."""
    missed: dict[ObjectRecord, None] = field(default_factory=dict)
    """The modules that have become parts of others behind the last move of these."""
    missed_weights: dict[ObjectRecord, set[int]] = field(default_factory=dict)
    """The nodes of the parameters and buffers that modules got behind their last move."""
    early: dict[ObjectRecord, int] = field(default_factory=dict)
    """Nodes of modules that are used before the program moves them."""
    instances: dict[ClassRecord, dict[ObjectRecord, None]] = field(default_factory=dict)
    """The objects of each class and of those derived from it."""
    bound_modules: dict[ObjectRecord, dict[Site, int]] = field(default_factory=dict)
    """Calls whose result is bound and may be this module, with their contexts."""
    used_before: set[ObjectRecord] = field(default_factory=set)
    """Modules that were called before the result of their maker was bound."""
    module_sites: dict[int, list[tuple[Site, int]]] = field(default_factory=dict)
    """Where else a module can be moved than where it is now, by its node; the best place first."""
    definitions: dict[ast.AST, Function] = field(default_factory=dict)
    entered: set[ast.AST] = field(default_factory=set)
    """Functions that were evaluated in this pass."""
    evaluated_uncalled: set[ast.AST] = field(default_factory=set)
    """Functions that were evaluated in this pass as if somebody unseen had called them."""
    received: dict[ast.AST, frozenset[ObjectRecord]] = field(default_factory=dict)
    """The objects whose methods these are."""
    seeks_base: bool = False
    """What is being evaluated is the base of a class."""
    turns: int | None = None
    """After how many steps the loop began whose turns are evaluated one by one, if one is."""
    for_the_cpu: bool = False
    """What is evaluated now has been written for the CPU: an autocast of that kind is around it."""
    finished: bool = False
    """Evaluation has come to its end: whoever asks now learns what was found."""
    nested: int = 0
    """How many of them wait for another one to be evaluated."""
    exchanged: dict[str, Unknown] = field(default_factory=dict)
    """What the program puts functions of its own in the place of: ``torch.Tensor.double``."""
    making: list[tuple[ClassRecord, Frame, ast.expr]] = field(default_factory=list)
    """The calls of classes whose ``__new__`` or whose metaclass makes the object, the last last."""
    escaped: set[ast.AST] = field(default_factory=set)
    """Functions that are handed to code that we cannot see."""
    handed: set[ObjectRecord] = field(default_factory=set)
    """Objects that are handed to such code."""
    escapes: dict[Hashable, Escape] = field(default_factory=dict)
    """The same with where they are handed over, to be entered at the end of a pass."""
    followed: set[Hashable] = field(default_factory=set)
    """Those of them that were entered in this pass."""
    gives_back: set[ast.expr] = field(default_factory=set)
    """Calls of library code that are given functions which return tensors or modules: what they
    give may hold these."""
    callees: dict[ast.AST, set[str]] = field(default_factory=dict)
    """Of calls: what they call in any pass and context: "factory", "module", "numpy", "other", or
    something like ``map`` ("indirect") that has "called" what it was given."""
    chosen: set[ast.AST] = field(default_factory=set)
    """Functions that were called as one of several: which one, nobody knows."""
    tensor_options: bool = False
    """An option of the command line may be a tensor."""
    open_scopes: list[tuple[Frame, ast.expr, Frame, str | None, Mapping[str, Value]]] = field(
        default_factory=list
    )
    """Where names are read that are not written out: who, the place, the scope, the only name that
    is meant (None: any), and the names of the scope."""
    created: dict[int, ast.Call] = field(default_factory=dict)
    """The calls that make tensors, by node."""
    pinned: set[int] = field(default_factory=set)
    """Tensors in pinned memory, by node."""
    buffers: dict[int, Candidate] = field(default_factory=dict)
    """Tensors that could be buffers of the modules that hold them, by node."""
    batches: set[int] = field(default_factory=set)
    """Parts of batches, as loaders yield them."""
    sequences: dict[int, int] = field(default_factory=dict)
    """The nodes of batches that may be lists, and of what they hold then."""
    stale: set[int] = field(default_factory=set)
    """Host tensors whose shared array was written since they were made, by node."""
    aliases: Aliases = field(default_factory=Aliases)
    """Nodes that stand for the same memory, if no transfer comes between."""
    shared: dict[int, set[int]] = field(default_factory=dict)
    """Nodes that share the memory of an array, by the array's number."""
    written: dict[int, Way] = field(default_factory=dict)
    """Arrays that a tensor has written into, with the names between the two."""
    read: frozenset[int] = frozenset()
    """Nodes whose value the host reads, found before the cut."""
    viewed: frozenset[int] = frozenset()
    """Nodes whose value the host writes through a view of it."""
    heavy: dict[FileRecord, set[int]] = field(default_factory=dict)
    """Results of heavy arithmetic, by the program that does it."""
    losses: dict[FileRecord, set[int]] = field(default_factory=dict)
    """What ``backward`` was called on, by the program that calls it."""
    memo: dict[tuple[ast.AST, int], set[tuple[int, tuple[Value, ...]]]] = field(
        default_factory=dict
    )
    """The arguments with which a context was evaluated in this pass."""
    begun: dict[tuple[ast.AST, int], set[Hashable]] = field(default_factory=dict)
    """What the names of a context were when its body was evaluated in this pass."""
    names_by_kind: dict[
        tuple[int, tuple[type[Value], ...]], tuple[object, list[tuple[str, Value]]]
    ] = field(default_factory=dict)
    """Names of some kinds, by scope; see `Occurrence.those_of`."""
    plans: dict[tuple[ast.FunctionDef, str], Plan | None] = field(default_factory=dict)
    """How constructors store their attributes; that is a question of the text alone."""
    process_defaults: ProcessDefaults = field(default_factory=ProcessDefaults)
    explicit: bool = False
    """Default tensor types of CUDA are taken away: what they carry has to say where it is made."""
    default_float64: bool = False
    explicit_host: set[FileRecord] = field(default_factory=set)
    """Programs that put tensors on the CPU by name: they have chosen."""
    arrivals: Arrivals = field(default_factory=Arrivals)
    """Attributes and items that the program moves itself."""
    since: dict[tuple[Record, object], int] = field(default_factory=dict)
    """After how many steps of this pass an object got an attribute, or a dict an item."""
    named: dict[tuple[Record, object], set[tuple[Label, object]]] = field(default_factory=dict)
    """Which places an attribute of an object names, and in which functions it gets them; all
    constructors count as one."""
    unsettled: bool = False
    """Another pass would find something else, and there was no room for one."""
    changed: bool = False
    """Modules have more parts, copies or moves than at the start of this pass."""
    receiver: tuple[ast.Attribute, Value] | None = None
    """The attribute that was evaluated last, and what it was found in."""
    steps: int = 0
    """Expressions that were evaluated."""
    due: int = 0
    """How many it takes until the next `pause`."""
    began: int = 0
    """The number of steps before this pass."""
    most_steps: int = 0
    questions: set[ast.AST] = field(default_factory=set)
    """The expressions that old idioms are about: what they are is noted."""
    trace: Trace | None = None
    """Where evaluation notes what it finds, if somebody wants to read it."""
    sightings: Sightings | None = None
    """What runs have seen; None where there is no evidence."""
    contexts: int = 12
    """Ways of reaching one function that are told apart."""
    limits: dict[str, None] = field(default_factory=dict)
    """Why something may have been missed, in words for the user."""
    shared_contexts: set[int] = field(default_factory=set)
    """Those that stand for all other ways of reaching a function."""
    _around: dict[str, FileRecord] = field(default_factory=dict)
    """The files of the project outside the program that somebody imports, read or not."""
    _homes: dict[ast.AST, FileRecord] = field(default_factory=dict)
    _frames: dict[tuple[ast.AST, int], int] = field(default_factory=dict)
    _collected: dict[FileRecord, bool] = field(default_factory=dict)
    _tests: dict[FileRecord, list[tuple[ast.AST, Value]]] = field(default_factory=dict)
    _heirs: dict[ClassRecord, list[ClassRecord]] = field(default_factory=dict)
    _lists: dict[Hashable, ListRecord] = field(default_factory=dict)
    _dicts: dict[Hashable, DictRecord] = field(default_factory=dict)
    _objects: dict[Hashable, ObjectRecord] = field(default_factory=dict)
    _classes: dict[Hashable, ClassRecord] = field(default_factory=dict)
    _own_names: OwnNames = field(default_factory=OwnNames)
    _contexts: dict[Hashable, int] = field(default_factory=dict)
    _reached: dict[ast.AST, int] = field(default_factory=dict)
    _shares: dict[ast.AST, int] = field(default_factory=dict)
    _implied: dict[Hashable, ast.Name] = field(default_factory=dict)
    _written_out: dict[tuple[ast.expr, str], ast.Attribute] = field(default_factory=dict)
    _results: dict[Hashable, Value] = field(default_factory=dict)
    _missed: set[Hashable] = field(default_factory=set)
    """Results that were asked for before there were any."""
    _before: dict[tuple[Record | None, object], Value | None] = field(default_factory=dict)
    """What results, and attributes, items and elements of records, were at the start of this
    pass, as far as they have changed since."""

    def __post_init__(self) -> None:
        for source in self.program.sources.values():
            self._add(source, FileRecord(source.path, _is_package(source.path), owned=True))
        folders = [Path(path).absolute().parent for path in self.program.sources]
        self.root = Path(os.path.commonpath(folders)) if folders else Path()

    def _add(self, source: Source, record: FileRecord) -> None:
        record.text, record.noted = source, self.program.noted
        self.files[source.path] = record
        self._homes[source.tree] = record
        if record.owned:
            _ = source.nodes  # they know their parents; those of others, as they are evaluated
            self.questions |= source.once(questions)
        self.most_steps = MAX_STEPS + STEPS_PER_FILE * max(0, len(self.files) - USUAL_FILES)

    @property
    def owned(self) -> list[FileRecord]:
        """The files that may be edited."""
        return [record for record in self.files.values() if record.owned]

    def file(self, path: str) -> FileRecord:
        """The file at ``path``; one that is only read need not have been read yet."""
        found = self.files.get(path)
        if found is not None:
            return found
        return self._around.setdefault(path, FileRecord(path, _is_package(path), owned=False))

    def open(self, file: FileRecord) -> bool:
        """Read a file if that has to be; whether it could be."""
        most = MAX_OF_BASES if self.seeks_base else MAX_NEIGHBOURS
        if file.text is None and len(self.files) - len(self.program.sources) < most:
            source = self.program.neighbour(file.path)
            if source is not None:
                self._add(source, file)
        return file.text is not None

    def pause(self) -> None:
        """As many expressions are evaluated as may be before somebody looks whether to go on.

        Raises:
            BudgetExceededError: there are too many.
            TimeExceededError: it takes too long.
        """
        if self.steps > self.most_steps:
            raise BudgetExceededError
        self.due = min(self.steps + TICK, self.most_steps + 1)
        check_time()

    def give_up(self, reason: str) -> None:
        """Something that has to be known is not found out; the user is told the ``reason``."""
        self.limits[reason] = None

    def is_test(self, file: FileRecord) -> bool:
        """Whether pytest would collect the file."""
        found = self._collected.get(file)
        if found is None:
            found = self._collected[file] = is_test(file.path, self.root)
        return found

    def tests(self, file: FileRecord) -> list[tuple[ast.AST, Value]]:
        """The conditions that evaluation has seen in a file."""
        if not self._tests:
            for tree, value in self.seen.tests.items():
                self._tests.setdefault(self.home(tree), []).append((tree, value))
        return self._tests.get(file, [])

    def asked(self, tree: ast.If | ast.IfExp) -> ast.expr:
        """What a condition asks: for a name, the expression that gave it its value."""
        file = self.home(tree)
        assert file.text is not None
        meant = meaning(file.text, tree.test)
        if meant is not tree.test and isinstance(scope_around(self.parents, tree), ast.Module):
            file.note(WHOLE)  # it may be any other statement of the file
        return meant

    def home(self, tree: ast.AST) -> FileRecord:
        """The file that holds ``tree``."""
        while (above := getattr(tree, PARENT, None)) is not None:  # `Parents.get`, at its speed
            tree = above
        return self._homes[tree]

    @property
    def left(self) -> int:
        """How many expressions may still be evaluated."""
        return self.most_steps - self.steps

    def by_file(
        self, items: Iterable[_Item], where: Callable[[_Item], ast.AST]
    ) -> Mapping[FileRecord, Sequence[_Item]]:
        """``items`` by the file of the tree that belongs to each, in their order."""
        found: defaultdict[FileRecord, list[_Item]] = defaultdict(list)
        for item in items:
            found[self.home(where(item))].append(item)
        return found

    def restart(self) -> None:
        """Forget what one evaluation saw, but not what the objects hold: it will be seen again."""
        self.began = self.steps
        self.graph.clear()
        self.seen.forget()
        if self.trace is not None:
            self.trace.clear()
        if self.sightings is not None:
            self.sightings.begin()
        self.meetings.clear()
        self.sites.clear()
        self.hosted.clear()
        self.bound_modules.clear()
        self.used_before.clear()
        self.stays.clear()
        self._tests.clear()
        self._heirs.clear()
        self._frames.clear()
        self.adopted.clear()
        self.missed.clear()
        self.missed_weights.clear()
        self.early.clear()
        self.entered.clear()
        self.evaluated_uncalled.clear()
        self.received.clear()
        self.nested = 0
        self.memo.clear()
        self.begun.clear()
        self.escaped.clear()
        self.handed.clear()
        self.escapes.clear()
        self.followed.clear()
        self.open_scopes.clear()
        self.heavy.clear()
        self.stale.clear()
        self.aliases.clear()
        self.shared.clear()
        self.written.clear()
        self.losses.clear()
        self.buffers.clear()
        self.explicit_host.clear()
        self.process_defaults.restart()
        self.since.clear()
        self.arrivals.restart()
        self.changed = False
        self._before.clear()
        for file in self.files.values():
            file.frame, file.runs, file.chooses = None, False, False
        for record in self.modules:
            record.moved = record.called = record.hardcoded = record.settled = False

    def anchor_arithmetic(self, frame: Frame, result: Tensor | None) -> None:
        """Heavy arithmetic: what a program without modules wants its accelerator for."""
        if result is not None and not frame.root_context:
            self.heavy.setdefault(frame.entry, set()).update(result.nodes)

    def anchor_backward(self, frame: Frame, loss: Tensor) -> None:
        """``loss.backward()``: work for the device of a program that has one."""
        if not frame.root_context:
            self.losses.setdefault(frame.entry, set()).update(loss.nodes)

    def has_device(self, frame: Frame) -> bool:
        """The program that reaches ``frame`` names an accelerator, whether it uses it or not."""
        return (
            frame.entry.chooses
            or frame.file.chooses
            or any(frame.entry in entries for entries in self.seen.device_options.values())
        )

    def context(self, caller: Frame | None, call: ast.AST, function: ast.AST) -> int:
        """The context of calling ``function`` at ``call``.

        When there are many, they share one; but not where different modules are being built, whose
        parts would be the same.
        """
        key = (caller.context if caller else 0, call, function)
        found = self._contexts.get(key)
        if found is None:
            number = self._reached.get(function, 0)
            if number >= self.contexts and number >= self.contexts * self._share(function):
                return self.shared_context(function, caller.built if caller else 0)
            self._reached[function] = number + 1
            found = self._contexts[key] = len(self._contexts) + 1
        return found

    def implied(self, place: ast.AST, name: str, part: Hashable = None) -> ast.Name:
        """The call that Python makes by itself at ``place``, of a property called ``name``, say.

        It is the same each time, so that its context is. ``part`` tells apart what is called there.
        """
        return self._implied.setdefault((place, name, part), ast.Name(name))

    def written_out(self, call: ast.expr, holder: ast.expr, name: str) -> ast.Attribute:
        """``holder.name`` for the ``call`` of `getattr` that asks for it, the same each time."""
        found = self._written_out.get((call, name))
        if found is None:
            found = ast.copy_location(ast.Attribute(holder, name, ast.Load()), call)
            self._written_out[call, name] = found
        return found

    def _share(self, function: ast.AST) -> int:
        """How many contexts of a small function cost what one of a usual one does."""
        found = self._shares.get(function)
        if found is None:
            size = sum(isinstance(node, ast.expr) for node in walk(function))
            found = self._shares[function] = max(1, USUAL_SIZE // max(1, size))
        return found

    def shared_context(self, function: ast.AST, built: int = 0) -> int:
        """The context of all calls of ``function`` that are not told apart.

        ``built``: that of the outermost constructor of a module that makes them; 0: of none.
        """
        found = self._contexts.setdefault((-1, built, function), len(self._contexts) + 1)
        self.shared_contexts.add(found)
        return found

    def context_of(self, record: ObjectRecord, init: ast.AST) -> int | None:
        """The context in which ``init`` has made ``record``."""
        maker = record.frame
        found = self._contexts.get((maker.context if maker else 0, record.tree, init))
        if found is None:
            found = self._contexts.get((-1, maker.built if maker else 0, init))
        return found if found is not None else self._contexts.get((-1, 0, init))

    def number(self, tree: ast.AST, context: int) -> int:
        """How many frames of ``tree`` have asked for their number in this context and pass."""
        found = self._frames.get((tree, context), 0)
        self._frames[tree, context] = found + 1
        return found

    def list_record(self, key: Hashable) -> ListRecord:
        return self._lists.setdefault(key, ListRecord(len(self._lists)))

    def dict_record(self, key: Hashable) -> DictRecord:
        return self._dicts.setdefault(key, DictRecord(len(self._dicts)))

    def note_set(self, record: Record, key: object) -> None:
        """The object has the attribute, or the dict the item, from now on."""
        self.since.setdefault((record, key), self.steps)

    def note_named(
        self, record: Record, key: object, place: Label, function: ast.AST | None
    ) -> None:
        """The attribute names this place."""
        name = getattr(function, "name", "")
        where = name if name == "__init__" else function
        named = self.named.setdefault((record, key), set())
        self.changed = self.changed or (place, where) not in named
        named.add((place, where))

    def is_renamed(self, record: Record, key: object) -> bool:
        """Whether an attribute names one place first, and a function sets it to another."""
        named = self.named.get((record, key), ())
        return any(a is not b and f != g for a, f in named for b, g in named)

    def note_made(self, record: Record, key: object) -> None:
        """The dict has the item from the first."""
        self.since[record, key] = 0

    def object_record(self, key: Hashable, tree: ast.AST) -> tuple[ObjectRecord, bool]:
        """The record of ``key``, and whether it is new."""
        found = self._objects.get(key)
        if found is not None:
            return found, False
        record = self._objects[key] = ObjectRecord(len(self._objects), tree)
        return record, True

    def objects(self) -> list[ObjectRecord]:
        """All instances that evaluation has made."""
        return list(self._objects.values())

    def classes(self) -> list[ClassRecord]:
        """All classes that evaluation has seen."""
        return list(self._classes.values())

    def heirs(self, cls: ClassRecord) -> Sequence[ClassRecord]:
        """The class, and those that derive from it: for when evaluation has come to its end."""
        if not self._heirs:
            for record in self._classes.values():
                for above in record.ancestry():
                    self._heirs.setdefault(above, []).append(record)
        return self._heirs.get(cls, ())

    def may_be_object(self, asked: Collection[str]) -> bool:
        """Whether a class of the program has all that is ``asked``: that is no sign of a tensor."""
        return self._own_names.have_all(self._classes.values(), asked)

    def class_record(self, key: Hashable, record: ClassRecord) -> ClassRecord:
        return self._classes.setdefault(key, record)

    def derive(self, cls: ClassRecord, bases: tuple[Value, ...]) -> None:
        """Let ``cls`` have these bases from now on."""
        if bases != cls.bases:
            for record in self._classes.values():
                record.line = None
        cls.bases = bases

    def note_change(self, holder: Record, key: object, old: Value | None) -> None:
        """What was ``old`` is about to be something else."""
        self._before.setdefault((holder, key), old)

    @property
    def settled(self) -> bool:
        """Whether all is at the end of a pass as it was at its start: the next would be the same.

        What changes to and fro, the same way in each pass, is settled: joins of unknown values keep
        the newest.
        """
        return not self.changed and all(
            self._now(holder, key) == old for (holder, key), old in self._before.items()
        )

    def _now(self, holder: Record | None, key: object) -> Value | None:
        match holder:
            case ObjectRecord():
                return holder.attributes.get(str(key))
            case DictRecord():
                return holder.element if key is ANY_KEY else holder.items.get(key)
            case ListRecord():
                return holder.element
            case _:
                return self._results.get(key)

    def join_result(self, key: Hashable, value: Value) -> Value:
        """Join ``value`` into what ``key`` held, and give that."""
        old = self._results.get(key)
        new = join(old, value)
        if new != old and (old is not None or key in self._missed):
            self._before.setdefault((None, key), old)
        if is_update(old, new):
            self._results[key] = new
        return new

    def forget_calls(self, calls: Iterable[tuple[ast.AST, int]]) -> None:
        """Evaluate these functions anew in these contexts, whatever they are called with."""
        for call in calls:
            self.memo.pop(call, None)
            self.begun.pop(call, None)

    def known_result(self, key: Hashable) -> Value | None:
        """What `join_result` has put there; None where there is nothing yet."""
        return self._results.get(key)

    def awaited_result(self, key: Hashable) -> Value | None:
        """The same, for one who has to go on without it: what comes later is news."""
        found = self._results.get(key)
        if found is None:
            self._missed.add(key)
        return found


def _is_package(path: str) -> bool:
    return path.replace("\\", "/").endswith("/__init__.py")
