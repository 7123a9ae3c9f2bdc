"""Which expression names the device at a place: names in scope, a tensor to follow, a new name.

In this order: a name already in scope and proven to be a device; inside the
methods of a module an argument or the module's own parameters; in a script a new name after the
imports; a parameter that the callers fill; a tensor or module among the parameters. Every
candidate must be right in every context in which the place is reached.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import filterfalse
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from devicefix.flow.already_there import is_there_already
from devicefix.flow.analysis import Analysis
from devicefix.flow.bound import Bindings
from devicefix.flow.candidates import (
    beside,
    far,
    local_tensors,
    met,
    modules_met,
    named,
    own_devices,
    own_module,
    own_weights,
    receiver_name,
    tensor_parameters,
    without,
)
from devicefix.flow.deciders import ASKS, Decider, question_of
from devicefix.flow.deciding import device_of, moves_from_host, moves_only_where
from devicefix.flow.definitions import enclosing
from devicefix.flow.facts import Argument, DeviceName, Parameter
from devicefix.flow.flags import (
    Asking,
    UserFlag,
    asked_around,
    asking,
    has_answer,
    is_settled,
    user_flag,
)
from devicefix.flow.frame import Frame
from devicefix.flow.gpu_choice import choices_in, first_question
from devicefix.flow.graph import Label, SiteKind, Solution
from devicefix.flow.late import is_typed as is_typed_late
from devicefix.flow.late import late_definition, name_of
from devicefix.flow.locals import define_locally, keep_in_object
from devicefix.flow.modules import tree_of
from devicefix.flow.must_meet import Meetings
from devicefix.flow.observations import Occurrence
from devicefix.flow.partners import Company, is_of_module
from devicefix.flow.passing import Passing, Wanted
from devicefix.flow.proof import Proof, follows, held, is_typed
from devicefix.flow.queries.access import Path, of_tree, parsed
from devicefix.flow.replicas import Replicas, is_method
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.scripts import bound_anywhere, bound_names, is_script, main_guard
from devicefix.flow.shown import is_shown
from devicefix.flow.switches import MACHINE, Switches
from devicefix.flow.tensors_given import is_beside_given
from devicefix.flow.user_index import cuda_index, is_cuda, names_one_gpu
from devicefix.flow.values import (
    Device,
    FileRecord,
    Instance,
    Opaque,
    Tensor,
    Value,
    is_open,
    nodes_of,
)
from devicefix.flow.values import Parameter as OpaqueParameter
from devicefix.time_limit import check_time


class Moved(Struct, frozen=True):
    """What is transferred at the place that needs a name."""

    texts: tuple[str, ...] = ()
    """As it is written, and what it is assigned to: it cannot follow itself."""
    already: bool = False
    """The program moves it there itself, by ``.cuda()``."""
    arrives: bool = False
    """It comes from a parameter, and the program moves it: the parameters arrive on the host."""
    beside: bool = False
    """Below ``if x.is_cuda:``, which says whom it follows."""
    named: bool = False
    """The program names an accelerator there itself, by ``"cuda"``."""
    handed: bool = False
    """Nothing here, it is only handed on, to code of several programs that can do without."""
    meets: frozenset[int] = frozenset()
    """The nodes of what is made, or moved, to meet something."""
    goes: frozenset[int] = frozenset()
    """The nodes of what is moved, whatever it is."""
    held: frozenset[int] = frozenset()
    """The nodes of what the program moves, before it does: what is at none but these is no place to
    go to."""
    chosen: bool = False
    """The program says which of several accelerators, by ``.cuda(index)``."""
    hosted: bool = False
    """Workers come here, too: they must not see a device of the program."""


UNSAID: Final = Moved()
"""Nothing is known of what is moved."""
_HANDED: Final = Moved(handed=True)


class DeviceNames:
    """Finds names for the device, and invents at most one for every script."""

    def __init__(
        self,
        analysis: Analysis,
        solution: Solution,
        new_name: Callable[[FileRecord], str],
        bindings: Bindings,
        defined: Set[FileRecord] = frozenset(),
    ) -> None:
        """``new_name``: what a device may be called at the top of a file; empty for nothing.

        ``defined``: the files that are known to define that as soon as they are imported.
        """
        self.analysis = analysis
        self._proof = Proof(analysis, solution, bindings.partners, bindings.weights)
        self.bindings = bindings
        """What is bound where."""
        references = bindings.references
        self._passing = Passing(analysis, self._at_call, bindings.new_names, references)
        self._new = new_name
        self._flags: dict[FileRecord, UserFlag] = {}
        self._conditions: dict[FileRecord, list[Asking]] = {}
        self._scripts: dict[FileRecord, bool] = {}
        self.shadowed: set[FileRecord] = set()
        """Files with a place that needs the new name where it means something else."""
        self.at_import: set[FileRecord] = set()
        """Files that define the new name as soon as they are imported."""
        self.unsure: Set[ast.AST] = frozenset()
        """Where transfers are that no safe fix writes."""
        self._defined = defined
        self._invented: dict[FileRecord, list[Occurrence]] = {}
        self._hang_on_edits: dict[frozenset[int], bool] = {}
        self._switches = Switches(analysis, self.conditions)
        self._replicas = Replicas(analysis)

    def at(self, wanted: Wanted, moved: Moved = UNSAID) -> DeviceName | None:
        """An expression that names, in each of these contexts, the place that is wanted there."""
        check_time()
        if not wanted:
            return None
        first = wanted[0][0]
        moves = moved.already or moved.named
        if moved.hosted:
            return self._passing.at(wanted)
        if self._is_scripted(first.frame):
            return self._proven(tensor_parameters(first), wanted, moved)
        company = self._company(wanted, moved)
        found = self._proven(self._met(first, company), wanted, moved)
        if found is None:
            found = self._proven(named(self.analysis, first), wanted, moved)
        if found is None and moved.already and not moved.beside:
            # beside an index that the user chose, only a tensor that is surely met says the same
            candidates = self._met_when_moved(wanted) if moved.chosen else self._met(first, company)
            found = self._certain(candidates, wanted, moved)
        ours = moved.already and not moved.beside and not is_method(first.frame)
        if found is None and ours:
            found = self._invent(wanted, moved)
        if found is None:
            found = self._proven(self._at_hand(first, company, moved), wanted, moved)
        if found is None and any(self._replicas.run(seen.frame) for seen, _ in wanted):
            found = self._proven(local_tensors(first), wanted, moved)
        if found is None and not self.analysis.has_device(first.frame):
            found = self._invent(wanted, moved)
        spare = moved.handed
        if found is None and not moves and _holds_nothing(first.frame):
            found = self._passed(wanted, moved, spare=spare)
        if found is None and not moves:
            found = keep_in_object(wanted, self._passing, spare=spare)
        if found is None:
            found = self._proven(far(first), wanted, moved)
        if found is None and not moves:
            found = self._passing.at(wanted, spare=spare)
        if found is None:
            found = self._invent(wanted, moved)
        if found is None and moves and not moved.chosen:
            found = self._proven(self._met_when_moved(wanted), wanted, moved)
        if found is None and (moved.already or self._decides(first.frame)):
            found = self._locally(wanted, moved)
        if found is None and moved.already:
            found = self._in_main_block(wanted) or self._at_import(wanted)
        return found

    def _company(self, wanted: Wanted, moved: Moved) -> Company:
        """What the value is combined with, in one context or another."""
        partners, found = self.bindings.partners, Company()
        for seen, _ in () if moved.chosen else wanted:
            found = found.joined(partners.of(moved.meets or partners.made_at(seen)))
        return found

    def _met(self, first: Occurrence, company: Company) -> Iterator[str]:
        """The tensor that is met; a device that the function has been given says the same, unless
        callers that nobody has seen may have that tensor elsewhere.

        What the function has made or moved itself needed a name for that, which does here, too.
        """
        if company.far and first.frame.function is not None:
            own = self.bindings.partners.placed_in(first.context)
            found = list(met(first, company, own))
            values = {text: first.names.get(text.removesuffix(".device")) for text in found}
            given = list(own_devices(first))
            yield from (text for text in found if given and self._is_open(values[text]))
            yield from given
            yield from found

    def _met_when_moved(self, wanted: Wanted) -> Iterator[str]:
        """The tensor that a batch meets in a function which would have to ask the machine else."""
        first, partners, company = wanted[0][0], self.bindings.partners, Company()
        for seen, _ in wanted if first.frame.function is not None else ():
            company = company.joined(partners.of(partners.placed_at(seen)))
        yield from met(first, company, partners.placed_in(first.context))

    def _at_hand(self, first: Occurrence, company: Company, moved: Moved) -> Iterator[str]:
        """Other tensors and modules; what takes the accelerator for itself follows no tensor that
        it may never meet, and that callers that nobody has seen may have elsewhere, or that a
        condition has moved which nothing asks at the place, or that the function has placed itself:
        that needed a name, which does here, too."""
        if first.frame.function is None:
            return
        known = frozenset(met(first, company))
        made = moved.meets or self.bindings.partners.made_at(first)
        moves = made and (moved.already or moved.named)

        partners = self.bindings.partners
        placed = partners.placed_in(first.context)
        beside_it = frozenset(met(first, partners.of(partners.placed_at(first))))

        def follows_nobody(text: str) -> bool:
            value = first.names.get(text.removesuffix(".device"))
            if text in known:
                return False
            if text not in beside_it and any(map(placed, nodes_of(value))):
                return True
            apart = moved.already and not self._is_settled(value, first)
            return apart or (bool(moves) and self._is_open(value))

        yield from filterfalse(follows_nobody, beside(first))
        if made and not moved.chosen:
            yield from self._related(first, made)
        yield from filterfalse(follows_nobody, tensor_parameters(first))
        if module := own_module(first):
            yield from met(first, self._company_of_module(first), placed)
            here = made or self.bindings.partners.placed_at(first)
            weights = own_weights(first, self.bindings.partners.of(here))
            yield from (weight for weight, is_met in weights.items() if is_met)
            if not self._replicas.may_run(first.frame):
                yield f"next({module}.parameters()).device"
            yield from weights
            yield f"next({module}.parameters()).device"

    def _related(self, first: Occurrence, made: frozenset[int]) -> Iterator[str]:
        """Tensors of the function that live with what it makes by what becomes of both.

        What it has made or moved itself needed a name for that, which does here, too.
        """
        own = {f"{name}.device" for scope in first.scopes[:-1] for name in scope}
        placed = self.bindings.partners.placed_in(first.context)
        found = met(first, self.bindings.partners.living_with(made), placed)
        yield from (text for text in found if text in own)

    def _is_settled(self, value: Value | None, seen: Occurrence) -> bool:
        """Whether each move that has a part in it has run where the place is reached."""
        nodes = value.nodes if isinstance(value, Tensor) else frozenset()
        return is_settled(self.analysis, nodes, seen.place)

    def is_there(self, value: Value, seen: Occurrence) -> bool:
        """Whether the program itself has brought a tensor to the accelerator by then, in each run.

        What it has brought there on some conditions, those around the place ask as well. In a copy
        that ``DataParallel`` runs, ``.cuda()`` brings to the GPU of that copy what is on another.
        """
        if self._replicas.run(seen.frame) or self._replicas.may_run(seen.frame):
            return False
        sure = isinstance(value, Tensor) and value.certain and not value.maybe
        nodes = value.nodes if isinstance(value, Tensor) and sure else frozenset[int]()
        if not nodes or not is_there_already(self.analysis, nodes):
            return False
        return self._names_one_gpu and self._is_settled(value, seen)

    def _need_not_be_there(self, value: Value | None) -> bool:
        """Whether the program brings it to an accelerator as well, and has not done so before, or
        has perhaps brought it to another one: two tensors that ask each other change places."""
        nodes = nodes_of(value)
        if not nodes & self._sent:
            return False
        there = self._names_one_gpu and is_there_already(self.analysis, nodes)
        return not there or self._comes_in(value)

    @cached_property
    def _names_one_gpu(self) -> bool:
        return names_one_gpu(self.analysis)

    def _has_to_be_moved(self, text: str, seen: Occurrence) -> bool:
        """Whether the tensor that ``text`` follows is there by an edit only: the program moves what
        is beside it by itself, wherever that one is."""
        nodes = nodes_of(seen.names.get(text.removesuffix(".device")))
        if nodes not in self._hang_on_edits:
            made_of = self.analysis.graph.made_of(nodes)
            self._hang_on_edits[nodes] = not self._brought.isdisjoint(made_of)
        return self._hang_on_edits[nodes]

    @cached_property
    def _brought(self) -> Set[int]:
        """The nodes of tensors that edits bring to the target."""
        solution, graph = self._proof.solution, self.analysis.graph
        edges = (e for e in graph.edges if e.source not in solution.target)
        moved = (edge.sink for edge in edges if solution.paid(edge) is Label.TARGET)
        return {node for node in moved if not is_of_module(graph.key(node))}

    def _comes_in(self, value: Value | None) -> bool:
        """Whether it is computed of what a caller that nobody has seen hands in."""
        return not self._open.isdisjoint(self.analysis.graph.made_of(nodes_of(value)))

    @cached_property
    def _sent(self) -> Set[int]:
        """The nodes of what the program brings to an accelerator, and of what that is made of."""
        moves = (move for seen in self.analysis.seen.transfers.values() for move in seen)
        sent = (
            before
            for before, after, _ in moves
            if isinstance(before, Tensor) and self.bindings.partners.are_moved(nodes_of(after))
        )
        return self.analysis.graph.made_of(node for before in sent for node in before.nodes)

    def _company_of_module(self, first: Occurrence) -> Company:
        """What the parameters of the module at hand are combined with, or what comes of that."""
        this = first.names.get(receiver_name(first.frame))
        modules = this.modules if isinstance(this, Instance) else ()
        nodes = frozenset(part.node for module in modules for part in tree_of(module))
        return self.bindings.partners.living_with(nodes)

    def _is_open(self, value: Value | None) -> bool:
        """Whether it is where a caller that nobody has seen has it."""
        nodes = value.nodes if isinstance(value, Tensor) else frozenset()
        before = self.bindings.partners.before(nodes)
        return is_open(value) or not before.isdisjoint(self._open)

    def is_tensor(self, nodes: Set[int], seen: Occurrence) -> bool:
        """Whether what comes from callers that nobody has seen is shown to be a tensor at a place,
        and not on another way through the function only: it may be an array there."""
        given = self.bindings.partners.before(nodes) & self._open
        return all(is_shown(self._parameters[node], seen) for node in given)

    @cached_property
    def _parameters(self) -> Mapping[int, OpaqueParameter]:
        return {parameter.node: parameter for parameter in self.analysis.parameters.values()}

    @cached_property
    def _open(self) -> Set[int]:
        return self._parameters.keys()

    def _passed(self, wanted: Wanted, moved: Moved, *, spare: bool) -> DeviceName | None:
        """A parameter, unless a module that comes in anyhow says as much.

        It does where the calls would ask that very module, and where several programs come here:
        what is called from so many places is called from others, too, that pass no device.
        """
        own = self._proven(far(wanted[0][0]), wanted, moved)
        if own is not None and spare:
            return own
        found = self._passing.at(wanted, spare=spare)
        if found is not None and own is not None and self._passing.repeats(found.passed):
            return own
        return found

    def _at_call(self, wanted: Wanted, spare: bool) -> DeviceName | None:
        return self.at(wanted, _HANDED if spare else UNSAID)

    def _locally(self, wanted: Wanted, moved: Moved) -> DeviceName | None:
        """A device of the function's own, or of its object's; no parameter goes by its name.

        Not beside a module that is surely there, and that nobody knows to have parameters.
        """
        if any(self._proof.is_fed(p) for p in _given(wanted[0][0])):
            return None
        if any(self._is_asked_for(seen) for seen, _ in wanted) or self._waits(wanted):
            return None
        found, file = define_locally(wanted, already=moved.already), wanted[0][0].frame.file
        if found is not None and found.text.isidentifier() and self._follows_its_tensors(wanted):
            return None
        if found is not None and file in self._defined and isinstance(found.anchor, FUNCTIONS):
            new = DeviceName(self._new(file), self._new(file))
            if replace(found, anchor=None) == new:  # the file has one for all of its functions
                return new
        if found is not None and found.anchor is not None:
            if self._passing.calls_it(found.anchor, found.preamble):
                return None
            self._passing.leave(found.anchor)
        return found

    def _follows_its_tensors(self, wanted: Wanted) -> bool:
        """Whether the function is given tensors that what it moves belongs to; one that moves
        modules decides where everything is."""
        frame = wanted[0][0].frame.outermost
        if frame is None or frame.tree in self._placing_modules:
            return False
        partners = self.bindings.partners
        return any(is_beside_given(self.analysis, partners, seen) for seen, _ in wanted)

    @cached_property
    def _placing_modules(self) -> Set[ast.AST]:
        """The functions that bring modules to the accelerator."""
        moves = (
            seen
            for found in self.analysis.seen.transfers.values()
            for before, _, seen in found
            if (isinstance(before, Instance) and before.modules)
            or (isinstance(before, Opaque) and (before.parameter.module or before.parameter.given))
        )
        frames = (seen.frame.outermost for seen in moves)
        return {frame.tree for frame in frames if frame is not None}

    def _waits(self, wanted: Wanted) -> bool:
        """Whether a module that the object holds can be asked one round later."""
        return all(
            any(self._proof.waits_for(text, seen) for text in far(seen) if text.startswith("next("))
            for seen, _ in wanted
        )

    def _is_asked_for(self, seen: Occurrence) -> bool:
        """Whether the function asks the user before it moves other things, and nothing moves here:
        a device of its own would not ask."""
        if seen.place in self.analysis.seen.transfers:
            return False
        function = seen.frame.outermost.tree if seen.frame.outermost is not None else None
        here = self._questions(seen.frame.file, seen.place)
        return any(
            not self._questions(seen.frame.file, call) <= here
            for call in self.analysis.seen.transfers
            if enclosing(self.analysis, call) is function
        )

    def _questions(self, file: FileRecord, place: ast.AST | None) -> frozenset[str]:
        """What is asked of the user around a place before things are moved."""
        around = asked_around(self.analysis, place, self.conditions(file))
        return frozenset(
            asked.question if asked is not None else ""
            for asked in around
            if asked is None or not asked.machine
        )

    def overrules_user(self, device: DeviceName, nodes: Set[int], place: ast.AST) -> bool:
        """Whether a switch decides about ``nodes``, and the device at ``place`` asks the machine
        alone."""
        return self.asks_machine(device, place) and self._switches.decide(nodes, place)

    def of_module(self, wanted: Wanted, moved: Moved) -> DeviceName | None:
        """The module that the value is combined with, wherever the user has it."""
        found = modules_met(wanted[0][0], self._company(wanted, moved))
        return self._proven(found, wanted, moved)

    def asks_machine(self, device: DeviceName, place: ast.AST) -> bool:
        """Whether the name obeys no user: a new one, one passed down, or one of the program."""
        if device.passed is not None:
            given = self._passing.given(device.passed)
            return any(self.asks_machine(each, place) for each in given)
        if device.preamble or device.flag:
            return bool(device.preamble) and device.question in MACHINE
        return question_of(self.analysis, device.text, place) == ASKS

    def _decides(self, frame: Frame) -> bool:
        """The function around the place makes the module itself, and nobody tells it where."""
        outermost = frame.outermost
        tree = outermost.tree if outermost is not None else None
        return tree in self.analysis.deciding or tree in self._building

    @cached_property
    def _building(self) -> set[ast.AST]:
        """The functions in which modules are made that have to be moved."""
        edges = [e for e in self.analysis.graph.edges if self._proof.solution.cut(e)]
        sites = {e.site for e in edges if e.site is not None and e.site.kind is SiteKind.MODULE}
        seen = (occurrence for site in sites for occurrence in self.analysis.sites[site].values())
        return {frame.tree for found in seen if (frame := found.frame.outermost) is not None}

    def probe(self, wanted: Wanted, moved: Moved = UNSAID) -> DeviceName | None:
        """As `at`, for a place that may turn out not to need the name."""
        invented = {file: list(seen) for file, seen in self._invented.items()}
        shadowed = set(self.shadowed)
        found = self.at(wanted, moved)
        self._invented, self.shadowed = invented, shadowed
        return found

    def parameters(self) -> Mapping[ast.AST, Parameter]:
        """The parameters that the names given out so far need."""
        return {
            function: replace(p, arguments=tuple(map(self._placed, p.arguments)))
            for function, p in self._passing.parameters().items()
        }

    def _placed(self, argument: Argument) -> Argument:
        guard = self.main_guard(self.analysis.home(argument.call))
        return replace(argument, device=inside(argument.device, guard)) if guard else argument

    def flag(self, file: FileRecord) -> UserFlag:
        """The condition under which a file moves things."""
        if file not in self._flags:
            self._flags[file] = user_flag(self.analysis, file, self.conditions(file))
        return self._flags[file]

    def conditions(self, file: FileRecord) -> list[Asking]:
        """The conditions of a file that decide about moves."""
        if file not in self._conditions:
            self._conditions[file] = asking(self.analysis, file)
        return self._conditions[file]

    def decided(self, asked: Decider, places: list[Occurrence]) -> DeviceName | None:
        """A device of the function, or of the object, that decides a condition around a move."""
        file = places[0].frame.file
        script = self.is_script(file) and not file.imported
        closed = script or self.bindings.references.are_only_calls(asked.scope)
        moving = self.conditions(file)
        solution = self._proof.solution
        if not moves_from_host(self.analysis, solution, asked, moving, closed=closed):
            return None
        if not moves_only_where(self.analysis, asked, moving):
            return None  # it would decide about the other things, too
        return device_of(asked, places, moving)

    def _is_scripted(self, frame: Frame) -> bool:
        """TorchScript compiles the function: it knows its parameters and nothing around it."""
        scripted = self.analysis.seen.scripted
        return frame.function in scripted or (
            frame.owner is not None and frame.owner.tree in scripted
        )

    def _proven(self, candidates: Iterator[str], wanted: Wanted, moved: Moved) -> DeviceName | None:
        first = wanted[0][0].names
        for text in without(candidates, moved.texts, wanted[0][0]):
            if text.startswith("next(") and self._empties_parameters(wanted, moved):
                continue
            if (moved.already or moved.named) and self._moves_itself(text, wanted[0][0]):
                continue
            if self._is_mapping(first.get(text.removesuffix(".device"))):
                continue
            holder = first.get(text.removesuffix(".device"))
            if moved.arrives and is_open(holder):
                continue
            if moved.held and self._is_where(moved.held, nodes_of(holder)):
                continue
            if moved.already and self._need_not_be_there(holder):
                continue
            if moved.already and any(self._has_to_be_moved(text, seen) for seen, _ in wanted):
                continue
            if all(
                self._proof.denotes(text, seen, label)
                and self.bindings.has(text, seen)
                and self._is_the_one(text, seen, moved)
                and not self._sets(seen, text)
                for seen, label in wanted
            ):
                typed = all(is_typed(text, seen.names) for seen, _ in wanted)
                return DeviceName(text, follows=follows(text, first), typed=typed)
        return None

    def _moves_itself(self, text: str, seen: Occurrence) -> bool:
        """Whether the function around the place brings the module that ``text`` asks to the
        accelerator: that needed a name, which does here, too."""
        module = parsed(text.removeprefix("next(").removesuffix(".parameters()).device"))
        function = seen.frame.function
        return function is not None and module in self._moved_in.get(function, ())

    @cached_property
    def _moved_in(self) -> Mapping[ast.AST, Set[Path | None]]:
        """What functions bring to the current accelerator, by ``.cuda()``."""
        found = defaultdict[ast.AST, set[Path | None]](set)
        for call in self.analysis.seen.transfers:
            path = of_tree(call.func.value) if isinstance(call.func, ast.Attribute) else None
            if path is not None and is_cuda(call) and cuda_index(call) is None:
                found[enclosing(self.analysis, call)].add(path)
        return found

    def _certain(
        self, candidates: Iterator[str], wanted: Wanted, moved: Moved
    ) -> DeviceName | None:
        """A tensor that what the program moves meets in each run that works, wherever that is."""
        first, places = wanted[0][0], [seen for seen, _ in wanted]
        for text in without(candidates, moved.texts, first):
            found = DeviceName(text, follows=True, typed=True)
            if all(self.bindings.has(text, seen) for seen in places) and self.meets(found, places):
                return found
        return None

    def meets(self, device: DeviceName, places: Sequence[Occurrence]) -> bool:
        """Whether what the program moves there surely meets the tensor that ``device`` asks: then
        no run that works has moved it elsewhere."""
        tree, partners = places[0].place, self.bindings.partners
        if not isinstance(tree, ast.Call) or tree not in self.analysis.seen.transfers:
            return False
        made = [(seen, partners.placed_at(seen)) for seen in places]
        meetings = Meetings(self.analysis, partners, tree, made)
        return meetings.are_certain(meetings.beside(device.text.removesuffix(".device")))

    def _sets(self, seen: Occurrence, text: str) -> bool:
        """``device = torch.empty(1).cuda().device``: what finds out what the name is."""
        path, tree = parsed(text), seen.place
        while tree is not None and not isinstance(tree, ast.stmt):
            tree = self.analysis.parents.get(tree)
        targets = tree.targets if isinstance(tree, ast.Assign) else []
        return path is not None and path in map(of_tree, targets)

    def _is_where(self, held: frozenset[int], nodes: frozenset[int]) -> bool:
        """Whether a value is where another one is, for it is that by another name, or was made of
        it alone."""
        return bool(nodes) and nodes <= self.bindings.partners.before(held)

    def _is_the_one(self, text: str, seen: Occurrence, moved: Moved) -> bool:
        """Whether it is the device of what is met, and no other that the user can choose."""
        chosen = self._proof.chosen_by(text, seen)
        nodes = moved.meets or moved.goes or self.bindings.partners.placed_at(seen)
        return not chosen or self.bindings.origins.agree(text, chosen, seen, nodes)

    def _empties_parameters(self, wanted: Wanted, moved: Moved) -> bool:
        """``DataParallel`` runs copies that hold no parameters: ``next()`` would find none.

        https://github.com/pytorch/pytorch/issues/36035. What takes the accelerator itself works in
        the copies of whoever uses the module, seen or not.
        """
        if any(self._replicas.run(seen.frame) for seen, _ in wanted):
            return True
        works = moved.already or moved.named
        return works and any(self._replicas.may_run(seen.frame) for seen, _ in wanted)

    def _is_mapping(self, value: Value | None) -> bool:
        """A batch that is subscripted by a string is a dict, and has no ``.device``."""
        return isinstance(value, Tensor) and bool(value.nodes & self.analysis.seen.mappings)

    # -- new names -----------------------------------------------------------------------------

    def _invent(self, wanted: Wanted, moved: Moved) -> DeviceName | None:
        """A new name at the top of the script, if there the device is nobody else's choice."""
        frame = wanted[0][0].frame
        file = frame.file
        flag = self.flag(file)
        asks = self.is_script(file) or has_answer(self.analysis, file, flag)
        if not asks or not (name := self._new(file)):
            return None
        if any(label is Label.HOST for _, label in wanted):
            return None
        if moved.handed and file not in self._needy:
            return None  # a library that several scripts use can choose for itself
        if flag.never:
            return None
        if (flag.conflicting or flag.elsewhere) and not moved.already:
            # a call of `.cuda()` stays below its own condition; a new transfer would have none
            return None
        if any(self._is_chosen(seen.frame) for seen, _ in wanted):
            return None  # the user has chosen a device: another one could differ from it
        late = self._late(file, name)
        if late is not None and file.source.once(first_question).waits:
            return None
        if late is None and not _is_defined_at(flag, wanted):
            return None
        if any(_is_taken(seen.frame, name) for seen, _ in wanted):
            self.shadowed.add(file)
            return None
        if late is not None:
            return DeviceName(name, name, typed=is_typed_late(late), late=late)
        if (alike := self._chosen_alike(file, flag, wanted)) is not None:
            return alike
        self._invented.setdefault(file, []).extend(seen for seen, _ in wanted)
        if flag.conflicting:
            return DeviceName(name, name, anchor=file.source.once(first_question).after)
        return DeviceName(
            name,
            name,
            flag.condition,
            index=flag.index,
            anchor=flag.anchor,
            question=flag.question,
        )

    def _chosen_alike(self, file: FileRecord, flag: UserFlag, wanted: Wanted) -> DeviceName | None:
        """A name at the top of the file for a device that is chosen as the new one would be."""
        asked = flag.question or ASKS
        for statement in file.source.tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=text)]):
                    seen = [one for one, _ in wanted]
                    if all(self._is_chosen_so(text, one, statement, asked) for one in seen):
                        typed = all(is_typed(text, one.names) for one in seen)
                        return DeviceName(text, typed=typed)
        return None

    def _is_chosen_so(self, text: str, seen: Occurrence, statement: ast.stmt, asked: str) -> bool:
        """Whether ``statement`` has chosen the device ``text`` at a place by such a question."""
        device = held(seen.names, text)
        if not isinstance(device, Device) or device.label is not Label.TARGET or device.gpu:
            return False
        if self._sets(seen, text):
            return False
        before = seen.frame.function is not None or seen.line > statement.lineno
        place = seen.place
        return before and place is not None and question_of(self.analysis, text, place) == asked

    def _in_main_block(self, wanted: Wanted) -> DeviceName | None:
        """A new name for the main block alone: others import the file, or it chooses its GPUs."""
        file, places = wanted[0][0].frame.file, [seen for seen, _ in wanted]
        guard = main_guard(file.source, [seen.line for seen in places])
        inner = any(
            seen.frame.function is not None or self._is_chosen(seen.frame) for seen in places
        )
        if guard is None or inner or not file.owned or not (name := self._new(file)):
            return None
        asks = replace(self.flag(file), never=False) != UserFlag()
        if asks or any(label is Label.HOST for _, label in wanted):
            return None
        choices = choices_in(guard, file.source)
        anchor = choices[-1] if choices else guard
        late = anchor is not guard and any(seen.line <= anchor.lineno for seen in places)
        known = anchor is guard or anchor in guard.body
        return DeviceName(name, name, anchor=anchor) if known and not late else None

    def _at_import(self, wanted: Wanted) -> DeviceName | None:
        """A new name at the top of a file that others import, for what takes the accelerator as
        soon as they do: nobody can have told it which."""
        file, places = wanted[0][0].frame.file, [seen for seen, _ in wanted]
        if not file.owned or file.spread or not (name := self._new(file)) or self._late(file, name):
            return None
        asks = replace(self.flag(file), never=False) != UserFlag()
        if asks or choices_in(file.source.tree, file.source):
            return None
        if any(label is Label.HOST for _, label in wanted):
            return None
        if any(seen.frame.function is not None or self._is_chosen(seen.frame) for seen in places):
            return None
        self._invented.setdefault(file, []).extend(places)
        self.at_import.add(file)
        return DeviceName(name, name)

    @staticmethod
    def _late(file: FileRecord, name: str) -> ast.Assign | None:
        """The definition of the new name further down, if the name is not so new."""
        late = file.source.once(late_definition)
        return late if late is not None and name_of(late) == name else None

    @cached_property
    def _needy(self) -> set[FileRecord]:
        """Files that move something themselves, or get a transfer."""
        cut = (e.site for e in self.analysis.graph.edges if self._proof.solution.cut(e))
        trees = [*self.analysis.seen.transfers, *(site.tree for site in cut if site is not None)]
        return {self.analysis.home(tree) for tree in trees}

    def is_script(self, file: FileRecord) -> bool:
        """What other files import must not decide at its top level where they run."""
        if file not in self._scripts:
            self._scripts[file] = file.owned and (
                file.runs or (is_script(file.source.tree) and not file.imported)
            )
        return self._scripts[file]

    def _is_chosen(self, frame: Frame) -> bool:
        """By an option of the user, or as an index that stands for one of several devices."""
        options = self.analysis.seen.device_options.values()
        return frame.entry in self.analysis.seen.ranked or any(
            frame.entry in entries for entries in options
        )

    def main_guard(self, file: FileRecord) -> ast.If | None:
        """The ``if __name__ == "__main__":`` that holds every place with the new name, if any, of
        those where safe fixes write."""
        invented = [s for s in self._invented.get(file, []) if s.place not in self.unsure]
        if any(seen.frame.function is not None for seen in invented):
            return None
        return main_guard(file.source, [seen.line for seen in invented])


T = TypeVar("T", DeviceName, DeviceName | None)


def inside(device: T, guard: ast.If) -> T:
    """A new name that only the main program needs is defined there."""
    if device is None or not device.preamble or device.anchor is not None:
        return device
    return replace(device, anchor=guard)


def _given(seen: Occurrence) -> Iterator[OpaqueParameter]:
    """What functions that nobody calls are given, of those around the place."""
    for value in (value for scope in seen.scopes[:-1] for value in scope.values()):
        if isinstance(value, Opaque) and is_open(value) and not value.part:
            yield value.parameter


def _holds_nothing(frame: Frame) -> bool:
    """A plain function, or one that makes the object: nothing but a parameter tells the device."""
    function = frame.function
    return not receiver_name(frame) or getattr(function, "name", "") == "__init__"


def _is_taken(frame: Frame, name: str) -> bool:
    """Whether a function around the place binds the new name itself."""
    if name not in frame.file.source.once(bound_anywhere):
        return False
    current: Frame | None = frame
    while current is not None:
        if current.function is not None and name in bound_names(current.function):
            return True
        current = current.parent
    return False


def _is_defined_at(flag: UserFlag, wanted: Wanted) -> bool:
    """A name defined after the flag is not there before it."""
    if flag.anchor is None or flag.conflicting:
        return True
    after = flag.anchor.lineno
    return all(seen.frame.function is not None or seen.line > after for seen, _ in wanted)
