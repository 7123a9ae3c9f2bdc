"""The intermediate representation does what Python does."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from typing import Any

import pytest

from devicefix.flow.ir import Body, Kind, Op, lower
from devicefix.flow.queries.liveness import reads_after
from devicefix.flow.queries.reaching import alternatives, definition
from devicefix.flow.queries.settled import Settled
from tests.flow.ir.generated import Generator
from tests.flow.ir.interpreter import Interpreter

PROGRAMS = 400
RUNS = 4
LONGEST = 60


class StopError(BaseException):
    """The run is long enough."""


class World:
    """What a generated function calls: the same answers for the same seed, and a trace."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.trace: list[object] = []

    def names(self) -> dict[str, Any]:
        errors = {"ValueError": ValueError, "KeyError": KeyError}
        return {"mark": self.mark, "ask": self.ask, "use": self.use, "items": self.items, **errors}

    def _note(self, *what: object) -> None:
        self.trace.append(what)
        if len(self.trace) > LONGEST:
            raise StopError

    def mark(self, number: int) -> Value:
        self._note("mark", number)
        return Value(number)

    def ask(self, number: int) -> bool:
        answer = self._random.random() < 0.5
        self._note("ask", number, answer)
        return answer

    def items(self, number: int) -> list[Value]:
        self._note("items", number)
        return [Value(number * 1000 + n) for n in range(self._random.randint(0, 2))]

    def use(self, value: object) -> None:
        self._note("use", value)
        if self._random.random() < 0.15:
            raise self._random.choice([ValueError, KeyError])


class Value(int):
    """A number that ``with`` takes as well."""

    def __enter__(self) -> Value:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def outcome(run: Callable[[], object], world: World) -> tuple[object, list[object]]:
    """How a run ends, and what it did until then; a read of nothing ends it, too."""
    try:
        ended: object = ("returned", run())
    except UnboundLocalError:
        ended = "unbound"
    except (ValueError, KeyError) as error:
        ended = type(error)
    except StopError:
        ended = "stopped"
    if len(world.trace) > LONGEST:  # Python goes through every `finally` on the way out
        ended = "stopped"
    return ended, world.trace[:LONGEST]


class Watch:
    """Holds what a run does against what the queries say of every run."""

    def __init__(self, body: Body) -> None:
        self._body = body
        given = [op for op in body.ops if op.kind is Kind.ARGUMENT]
        self._bound: dict[str, Op | None] = {op.name: op for op in given}

    def __call__(self, op: Op) -> None:
        if op.kind is not Kind.LOAD:
            self._bound[op.name] = op if op.kind is Kind.STORE else None
            return
        body, point, last = self._body, (op.block, op.at), self._bound.get(op.name)
        reaching = definition(body, op.name, point)
        assert reaching is op.operands[0]
        if last is not None:
            assert last in alternatives(reaching)
            assert op in reads_after(body, op.name, (last.block, last.at + 1))
        else:
            assert not Settled((op.name,)).before(body, point, given=op.name == "a")


@pytest.mark.parametrize("part", range(4))
def test_generated_functions_do_what_they_do_in_python(part: int) -> None:
    """Each with several answers of the world around it, and the queries hold in each run."""
    endings: set[object] = set()
    for seed in range(part * PROGRAMS // 4, (part + 1) * PROGRAMS // 4):
        text = Generator(seed).text()
        tree = ast.parse(text)
        body = lower(tree.body[0])
        code = compile(tree, "generated", "exec")
        for run in range(RUNS):
            world, copy = World(run), World(run)
            names = world.names()
            exec(code, names)
            expected = outcome(lambda f=names["f"]: f(0), world)
            interpreter = Interpreter(body, copy.names(), Watch(body))
            assert outcome(lambda i=interpreter: i.run(0), copy) == expected, text
            endings.add(str(expected[0])[:9])
    assert len(endings) >= 4  # returns, both exceptions, unbound names, too long
