"""Passing the device down: a parameter for a function that has no name for it.

The parameter is called ``device`` and is None by default, which leaves things where they are:
``torch.zeros(3, device=None)``, ``x.to(None)``. So a function that has moved them itself gets none.
Every call passes the device that is right there, which may ask for another parameter one call up;
where a function may be reached by anything but a call that was seen, it is left (``references``).
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from devicefix.flow.analysis import Analysis
from devicefix.flow.facts import Argument, DeviceName, Parameter
from devicefix.flow.functions import is_module
from devicefix.flow.graph import Label
from devicefix.flow.observations import Occurrence
from devicefix.flow.references import References
from devicefix.flow.scripts import NEW_NAMES, torch_name
from devicefix.flow.values import ClassRecord
from devicefix.source.walking import walk

Wanted = Sequence[tuple[Occurrence, Label]]
Naming = Callable[[Wanted, bool], DeviceName | None]
"""Finds a name at a call; the flag: what asks for it can do without."""

MAX_LEVELS: Final = 6
"""Calls through which one device is passed down."""
HARMLESS: Final = frozenset({
    "builtins.staticmethod", "builtins.classmethod", "functools.wraps", "functools.lru_cache",
    "functools.cache", "torch.no_grad", "torch.enable_grad", "torch.inference_mode",
    "torch.autograd.no_grad", "torch.set_grad_enabled", "abc.abstractmethod",
})  # fmt: skip
"""Decorators that hand every argument on."""


class _Passed(Struct, eq=False):
    """A function that gets the parameter."""

    name: str
    typed: bool = True
    """Every call passes a ``torch.device``."""
    places: dict[int, Label] = field(default_factory=dict)
    """Where the device is, in each context of the function that needs it."""
    arguments: dict[ast.Call, DeviceName] = field(default_factory=dict)


class Passing:
    """Which functions get a parameter for the device, and what their calls pass."""

    def __init__(
        self,
        analysis: Analysis,
        name_at: Naming,
        new_names: dict[ast.AST, str],
        references: References,
    ) -> None:
        """``new_names`` keeps what parameters may be called from one cut to the next."""
        self._new_names = new_names
        self._references = references
        self._analysis = analysis
        self._name_at = name_at
        self._passed: dict[ast.AST, _Passed] = {}
        self._running: list[ast.AST] = []
        self._left: set[ast.AST] = set()
        """Functions that define a device themselves."""

    def at(self, wanted: Wanted, *, spare: bool = False) -> DeviceName | None:
        """The new parameter of the function around these places, if all its calls can pass it.

        ``spare``: without it the function can still choose a device itself.
        """
        frames = [seen.frame.outermost for seen, _ in wanted]
        first = frames[0]
        if first is None or any(f is None or f.tree is not first.tree for f in frames):
            return None
        places: dict[int, Label] = {}
        for frame, (_, label) in zip(frames, wanted, strict=True):
            if frame is None or places.setdefault(frame.context, label) is not label:
                return None
        return self.into(first.tree, first.owner, places, spare=spare)

    def into(
        self,
        function: ast.AST,
        owner: ClassRecord | None,
        wanted: Mapping[int, Label],
        *,
        spare: bool = False,
    ) -> DeviceName | None:
        """A parameter of ``function`` that is there in these of its contexts."""
        if function in self._running or len(self._running) >= MAX_LEVELS:
            return None
        if function in self._left:
            return None
        if not self._may_change(function, owner):
            return None
        passed = self._passed.get(function) or _Passed(self._new_name(function))
        places = {**wanted, **passed.places}
        if any(places[context] is not label for context, label in wanted.items()):
            return None
        arguments = self._arguments(function, places, spare) if passed.name else None
        if arguments is None:
            return None
        typed = all(device.typed for device in arguments.values())
        if function in self._passed and typed is not passed.typed:
            return None  # others were told what it is
        passed.places, passed.arguments, passed.typed = places, arguments, typed
        self._passed[function] = passed
        return DeviceName(passed.name, passed=function, typed=typed)

    def parameters(self) -> Mapping[ast.AST, Parameter]:
        """All parameters that were handed out, by function."""
        home = self._analysis.home
        return {
            function: Parameter(
                home(function).source,
                function,
                passed.name,
                tuple(
                    self._argument(call, device)
                    for call, device in (
                        *passed.arguments.items(),
                        *self._recursive(function, passed.name),
                    )
                ),
            )
            for function, passed in self._passed.items()
        }

    def _argument(self, call: ast.Call, device: DeviceName) -> Argument:
        source = self._analysis.home(call).source
        return Argument(source, torch_name(source.tree), call, device)

    def _recursive(self, function: ast.AST, name: str) -> list[tuple[ast.Call, DeviceName]]:
        """Inside itself the function passes on what it was given."""
        calls = self._analysis.seen.recursions.get(function, ())
        return [(c, DeviceName(name)) for c in calls if isinstance(c, ast.Call)]

    def given(self, function: ast.AST) -> Collection[DeviceName]:
        """What the calls of a function pass for its parameter."""
        return self._passed[function].arguments.values()

    def leave(self, function: ast.AST) -> None:
        """The function has a device of its own: a parameter would be overwritten."""
        self._left.add(function)

    def calls_it(self, function: ast.AST, name: str) -> bool:
        """Whether the function gets a parameter of that name."""
        return function in self._passed and self._passed[function].name == name

    def repeats(self, function: ast.AST | None) -> bool:
        """Whether a call of ``function`` would pass where another of its arguments is."""
        passed = self._passed.get(function) if function is not None else None
        return passed is not None and any(
            device.follows and _asked(device) in map(ast.unparse, _given(call))
            for call, device in passed.arguments.items()
        )

    # -- may it have one? ----------------------------------------------------------------------

    def _may_change(self, function: ast.AST, owner: ClassRecord | None) -> bool:
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        if not self._analysis.home(function).owned or function.name in ("forward", "main_worker"):
            return False
        if owner is not None and is_module(owner) and function.name == "__init__":
            return False
        if function.name.startswith("__") and function.name != "__init__":
            return False
        plain = self._analysis.seen.decorators.get(function, frozenset()) <= HARMLESS
        return plain and self._references.are_calls(function, owner)

    def _new_name(self, function: ast.AST) -> str:
        """A name that means nothing in the function yet; empty where there is none."""
        if function not in self._new_names:
            nodes = list(walk(function))
            used = {n.id for n in nodes if isinstance(n, ast.Name)}
            used |= {n.arg for n in nodes if isinstance(n, ast.arg)}
            used |= self._keywords(function)
            free = (name for name in NEW_NAMES if name not in used)
            self._new_names[function] = next(free, "")
        return self._new_names[function]

    def _keywords(self, function: ast.AST) -> set[str]:
        """By what names it is given something, which may go on in ``**options``."""
        callees = self._analysis.seen.callees
        calls = (call for call, called in callees.items() if function in called)
        keywords = (k for call in calls if isinstance(call, ast.Call) for k in call.keywords)
        return {keyword.arg for keyword in keywords if keyword.arg is not None}

    # -- what the calls pass -------------------------------------------------------------------

    def _arguments(
        self, function: ast.AST, places: Mapping[int, Label], spare: bool
    ) -> dict[ast.Call, DeviceName] | None:
        """What each call passes; None where one cannot be changed, or has no name for it."""
        calls = self._calls(function, places)
        if calls is None:
            return None
        found = {}
        self._running.append(function)
        try:
            for call, wanted in calls.items():
                if all(label is Label.HOST for _, label in wanted):
                    continue  # without the argument it stays where it was
                device = self._name_at(wanted, spare)
                if device is None:
                    return None
                found[call] = device
        finally:
            self._running.pop()
        return found

    def _calls(
        self, function: ast.AST, places: Mapping[int, Label]
    ) -> dict[ast.Call, list[tuple[Occurrence, Label]]] | None:
        """The calls that enter the function in these contexts; None where one takes no argument."""
        seen = self._analysis.seen
        calls: dict[ast.Call, list[tuple[Occurrence, Label]]] = defaultdict(list)
        for context, label in places.items():
            entries = seen.entries.get(context)
            if not entries:
                return None  # nobody calls it here
            for (_, call), occurrence in entries.items():
                if call in seen.recursions.get(function, ()):
                    continue
                if not isinstance(call, ast.Call) or not self._takes(call, function):
                    return None
                calls[call].append((occurrence, label))
        recursive = seen.recursions.get(function, ())
        if any(not isinstance(c, ast.Call) or not self._takes(c, function) for c in recursive):
            return None
        return calls

    def _takes(self, call: ast.Call, function: ast.AST) -> bool:
        """Whether an argument for ``function`` can be written in ``call``."""
        home = self._analysis.home(call)
        spread = any(keyword.arg is None for keyword in call.keywords)
        named = self._analysis.seen.callees.get(call) == {function}
        return named and home.owned and not spread and home.source.is_editable(call)


def _asked(device: DeviceName) -> str:
    """What a name follows: ``x`` of ``x.device``, ``net`` of ``next(net.parameters()).device``."""
    path = device.text.removeprefix("next(").removesuffix(".device")
    return path.removesuffix(".parameters())")


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]
