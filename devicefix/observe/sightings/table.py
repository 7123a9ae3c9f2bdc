"""What was seen of each expression, and the call that looks.

Values are looked at without any code of the program or of torch's modes: their type, and of tensors
what C++ has at hand. What has been seen often is looked at now and then only.
"""

from __future__ import annotations

import builtins
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Final

from devicefix.observe.sightings.instrument import NAME, Watched
from devicefix.simulator.importing import after_import

MOST: Final = 8
"""Facts of one expression that are kept; and of one tensor, its shapes."""
_OFTEN: Final = 64
"""Looks at one expression behind which only every so many-th one counts."""
_DYNAMO: Final = "torch._dynamo.eval_frame"

Fact = tuple[str, str, str, str]
"""Kind, type, dtype and device; empty where there is none."""


class Table:
    """The expressions of all modules of this process, by number."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[str, int, list[Watched]]] = {}
        """By path: the text, the number of the first expression, and all of them."""
        self._last: list[Any] = []
        self._looks: list[int] = []
        self._facts: list[dict[Fact, dict[tuple[int, ...], None]] | None] = []
        self._kinds: dict[type, str] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._last)

    def begin(self) -> None:
        """Give the compiled modules the function that they call."""
        setattr(builtins, NAME, self._looker(compiling=False))
        after_import(_DYNAMO, lambda: setattr(builtins, NAME, self._looker(compiling=True)))

    def add(self, path: str, text: str, first: int, watched: list[Watched]) -> None:
        """The expressions of the file at ``path``; its first one has the number ``first``."""
        with self._lock:
            self.files[path] = text, first, watched
            room = first + len(watched) - len(self._last)
            self._last += [None] * room
            self._looks += [0] * room
            self._facts += [None] * room

    def facts(self, number: int) -> Mapping[Fact, Mapping[tuple[int, ...], None]]:
        """What was seen of an expression, with the shapes that it had."""
        return self._facts[number] or {}

    def _looker(self, compiling: bool) -> Any:
        """``seen(number, value)``, which gives ``value``.

        It is compiled under a name of its own: dynamo passes over devicefix, and would break its
        graph at each call. Traced, it does nothing.
        """
        test = "    if is_compiling():\n        return value\n" if compiling else ""
        text = (
            "def seen(number, value):\n"
            f"{test}"
            "    if type(value) is not last[number]:\n"
            "        look(number, value)\n"
            "    return value\n"
        )
        scope: dict[str, Any] = {"last": self._last, "look": self._look, "__name__": "builtins"}
        if compiling:
            scope["is_compiling"] = sys.modules["torch"].compiler.is_compiling
        exec(compile(text, "<seen>", "exec"), scope)
        return scope["seen"]

    def _look(self, number: int, value: Any) -> None:
        kind = type(value)
        known = self._kinds.get(kind) or self._kinds.setdefault(kind, _kind_of(kind))
        if known == "other":
            self._last[number] = kind  # from now on nothing is to be seen in one of this type
            self._keep(number, (known, _name(kind), "", ""), None)
            return
        self._looks[number] = looks = self._looks[number] + 1
        if looks > _OFTEN and looks % _OFTEN:
            return
        try:
            with sys.modules["torch"]._C.DisableTorchFunction():
                found = _tensor(value) if known == "tensor" else _module(value)
        except Exception:  # a parameter without a shape yet, a tensor that a transform takes apart
            return
        if found is not None:
            dtype, device, shape = found
            self._keep(number, (known, _name(kind), dtype, device), shape)

    def _keep(self, number: int, fact: Fact, shape: tuple[int, ...] | None) -> None:
        facts = self._facts[number]
        if facts is None:
            facts = self._facts[number] = {}
        if fact not in facts and len(facts) < MOST:
            facts[fact] = {}
        shapes = facts.get(fact)
        if shape is not None and shapes is not None and shape not in shapes and len(shapes) < MOST:
            shapes[shape] = None


def _kind_of(kind: type) -> str:
    names = {(one.__module__, one.__name__) for one in kind.__mro__}
    if ("torch", "Tensor") in names or ("torch._tensor", "Tensor") in names:
        return "tensor"
    return "module" if ("torch.nn.modules.module", "Module") in names else "other"


def _name(kind: type) -> str:
    home = kind.__module__
    return kind.__qualname__ if home == "builtins" else f"{home}.{kind.__qualname__}"


def _tensor(value: Any) -> tuple[str, str, tuple[int, ...] | None]:
    if sys.modules["torch"]._C._get_tracing_state() is not None:
        return _dtype(value), str(value.device), None  # a shape that is read would be traced
    return _dtype(value), str(value.device), tuple(map(int, value.shape))


def _dtype(value: Any) -> str:
    return str(value.dtype).removeprefix("torch.")


def _module(value: Any) -> tuple[str, str, None]:
    """By its first parameter or buffer; without any, nowhere."""
    held = next(_held(value), None)
    return ("", "", None) if held is None else (_dtype(held), str(held.device), None)


def _held(module: Any) -> Iterator[Any]:
    """Parameters, then buffers, of a module and its parts, without a method that may be its own."""
    own = vars(module)
    for store in ("_parameters", "_buffers"):
        yield from (one for one in (own.get(store) or {}).values() if one is not None)
    for part in (own.get("_modules") or {}).values():
        if part is not None:
            yield from _held(part)
