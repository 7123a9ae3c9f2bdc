"""Functions of random control flow, in which every value that is bound is another number."""

from __future__ import annotations

import random
from typing import Final

NAMES: Final = ("a", "b", "c")


class Generator:
    """``text()`` is the function ``f(a)``.

    ``mark(n)`` gives ``n``, or raises where the run wants it to; ``ask(n)`` decides; ``use(x)``
    reads. All take part in the trace.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._number = 0

    def text(self) -> str:
        body = [*self._block(3, loop=False), "a = b = c = 0"]  # so all three are its own
        return "def f(a):\n" + "\n".join(f"    {line}" for line in body) + "\n"

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _block(self, depth: int, *, loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self._random.randint(1, 3)):
            lines += self._statement(depth, loop=loop)
        return lines

    def _statement(self, depth: int, *, loop: bool) -> list[str]:
        simple = ["bind", "bind", "use", "use", "mark", "del", "pair", "add"]
        exits = ["return", "raise", "assert", *(["break", "continue"] if loop else [])]
        nested = ["if", "ifelse", "for", "while", "try", "finally", "both", "with"]
        kinds = simple * 2 + exits + (nested * 2 if depth else [])
        name = self._random.choice(NAMES)
        match self._random.choice(kinds):
            case "bind":
                return [f"{name} = mark({self._next()})"]
            case "pair":
                return [f"{name}, b = mark({self._next()}), {self._choice()}"]
            case "add":
                return [f"c = {self._next()}", f"c += {self._choice()}"]
            case "use":
                return [f"use({name})"]
            case "mark":
                return [f"mark({self._next()})"]
            case "del":
                return [f"{name} = mark({self._next()})", f"del {name}"]
            case "return":
                return [f"return {self._choice()}"]
            case "raise":
                return [f"raise ValueError({self._next()})"]
            case "assert":
                return [f"if ask({self._next()}) and not ask({self._next()}):", "    return 0"]
            case "break":
                return ["break"]
            case "continue":
                return ["continue"]
            case kind:
                return self._nested(kind, depth - 1, loop=loop)

    def _choice(self) -> str:
        first, second, third = self._next(), self._next(), self._next()
        return self._random.choice(
            [f"{first}", f"({first} if ask({second}) else {third})", f"(ask({first}) or {second})"]
        )

    def _nested(self, kind: str, depth: int, *, loop: bool) -> list[str]:
        def block(inside: bool = loop) -> list[str]:
            return [f"    {line}" for line in self._block(depth, loop=inside)]

        asked, name = f"ask({self._next()})", self._random.choice(NAMES)
        caught = self._random.choice(
            ["except ValueError:", "except KeyError as c:", "except (KeyError, ValueError):"]
        )
        match kind:
            case "if":
                return [f"if {asked}:", *block()]
            case "ifelse":
                more = [f"elif ask({self._next()}) or ask({self._next()}):", *block()]
                return [f"if not {asked}:", *block(), *more, "else:", *block()]
            case "for":
                rest = ["else:", *block()] if self._random.random() < 0.4 else []
                return [f"for {name} in items({self._next()}):", *block(True), *rest]
            case "while":
                test = self._random.choice([asked, "True"])
                return [f"while {test}:", f"    mark({self._next()})", *block(True)]
            case "try":
                rest = ["else:", *block()] if self._random.random() < 0.4 else []
                return ["try:", *block(), caught, *block(), *rest]
            case "finally":
                return ["try:", *block(), "finally:", *block(False)]
            case "both":
                return ["try:", *block(), caught, *block(), "finally:", *block(False)]
        return [f"with mark({self._next()}) as {name}:", *block()]
