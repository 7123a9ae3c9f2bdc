"""What the queries say of small functions, as a reader would answer."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest

from devicefix.flow.ir import Body, Kind, Op, Point, lower
from devicefix.flow.queries.access import parsed
from devicefix.flow.queries.between import between
from devicefix.flow.queries.congruence import same_value
from devicefix.flow.queries.control import guards
from devicefix.flow.queries.liveness import is_last_read
from devicefix.flow.queries.loops import in_every_turn, is_invariant, loop_around
from devicefix.flow.queries.paths import Ways
from devicefix.flow.queries.reaching import loads_of
from devicefix.flow.queries.settled import Settled
from devicefix.flow.queries.slicing import forward_slice


def body_of(text: str) -> tuple[Body, list[Point]]:
    """The body of a function, and the moments at which it calls ``here()``."""
    tree = ast.parse("def f(p, flag, other):\n" + "\n".join(f"    {s}" for s in text.split("\n")))
    body = lower(tree.body[0])
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Expr) and "here()" in ast.unparse(n)]
    return body, [point for node in nodes for point in body.points(node)]


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("x = 1\nhere()", "x", True),
        ("if flag:\n    x = 1\nhere()", "x", False),
        ("if flag:\n    x = 1\nelse:\n    return\nhere()", "x", True),
        ("if flag:\n    x = 1\nelse:\n    raise ValueError\nhere()", "x", True),
        ("if flag:\n    x = 1\nelse:\n    sys.exit()\nhere()", "x", True),
        ("if True:\n    x = 1\nhere()", "x", True),
        ("while True:\n    x = 1\n    if flag:\n        break\nhere()", "x", True),
        ("for x in p:\n    pass\nhere()", "x", False),
        ("for x in p:\n    here()", "x", True),
        ("try:\n    x = g()\nexcept OSError:\n    pass\nhere()", "x", False),
        ("try:\n    x = g()\nexcept OSError:\n    raise\nhere()", "x", True),
        ("try:\n    g()\nfinally:\n    x = 1\nhere()", "x", True),
        ("with p as x:\n    g()\nhere()", "x", True),
        ("x = 1\ndel x\nhere()", "x", False),
        ("print(x)\nx = 2\nhere()", "x", True),  # it would have stopped there
        ("flag and g(x)\nhere()", "x", False),
        ("import os.path\nhere()", "os", True),
        ("match p:\n    case [x]:\n        pass\n    case _:\n        x = 1\nhere()", "x", True),
        ("match p:\n    case [x]:\n        pass\nhere()", "x", False),
        ("def x():\n    pass\nhere()", "x", True),
        ("g(y := p)\nhere()", "y", True),
        ("[z for z in p]\nhere()", "z", False),
        ("p.device = 1\nhere()", "p.device", True),
        ("g(p.device)\nhere()", "p.device", True),
        ("p.device = 1\np = other\nhere()", "p.device", False),
        ("if flag:\n    p.device = 1\nhere()", "p.device", False),
        ("p['a'] = 1\nhere()", "p['a']", True),
        ("p['b'] = 1\nhere()", "p['a']", False),
        ("return\nhere()", "x", True),  # never reached
    ],
)
def test_what_has_a_value_by_then(text: str, path: str, expected: bool) -> None:
    body, points = body_of(text)
    steps = parsed(path)
    assert steps is not None
    assert points
    assert all(Settled(steps).before(body, point) for point in points) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("here()\nprint(x)", True),
        ("here()\nif flag:\n    return\nprint(x)", False),
        ("here()\nif flag:\n    print(x)", False),
        ("here()\nif flag:\n    print(x)\nelse:\n    g(x)", True),
        ("here()\nx = 1\nprint(x)", False),
        ("for i in p:\n    here()\nprint(x)", True),
    ],
)
def test_what_follows_cannot_do_without_it(text: str, expected: bool) -> None:
    body, points = body_of(f"if other:\n    x = 1\n{text}")
    assert all(Settled(("x",)).needed(body, point) for point in points) is expected


def test_the_conditions_under_which_something_runs() -> None:
    text = """
if not flag:
    return
if p or other:
    here()
for x in p:
    if x and other:
        here()
    elif other is None:
        here()
"""
    body, points = body_of(text)
    told = [[(_asked(b), answer) for b, answer in guards(body, number)] for number, _ in points]
    assert told == [
        [("flag", True)],  # one of the two was true, and which one is not known
        [("flag", True), ("for x in p", True), ("x", True), ("other", True)],
        [("flag", True), ("for x in p", True), ("other is None", True)],
    ]


def _asked(branch: Op) -> str:
    return ast.unparse(branch.operands[0].node).partition(":")[0]


def test_definitions_and_the_loads_that_they_reach() -> None:
    body, _ = body_of("x = 1\nif flag:\n    x = 2\nprint(x)\nx = 3\nreturn x")
    stores = [op for op in body.ops if op.kind is Kind.STORE and op.name == "x"]
    lines = {_line(s) - 1: [_line(load) - 1 for load in loads_of(body, s)] for s in stores}
    assert lines == {1: [4], 3: [4], 5: [6]}


def _line(op: Op) -> int:
    return op.node.lineno  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("g(x)", True),
        ("g(x)\nprint(x)", False),
        ("g(x)\nx = 2\nprint(x)", True),
        ("for i in p:\n    g(x)", False),
        ("for i in p:\n    x = i\n    g(x)", True),
        ("while flag:\n    g(x)\n    x = 2", True),
        ("g(x)\nreturn lambda: x", False),
        ("g(x)\nreturn locals()", False),
        ("try:\n    g(x)\nfinally:\n    print(x)", False),
        ("try:\n    g(x)\nexcept OSError:\n    print(x)", False),
    ],
)
def test_the_last_read(text: str, expected: bool) -> None:
    body, _ = body_of(f"x = 1\n{text}")
    calls = [op for op in body.ops if op.kind.value == "call" and "g(x)" in ast.unparse(op.node)]
    load = next(o for o in calls[0].operands if o.name == "x")
    assert is_last_read(body, load) is expected


@pytest.mark.parametrize(
    ("text", "reached"),
    [
        ("y = seed()\nprint(y)\ny = 1\nprint(y)", [3]),
        ("while flag:\n    y = seed()\n    y = y + 1\nprint(y)", [5]),
        ("ys = []\nprint(ys)\nys.append(seed())\nprint(ys)", [5]),
        ("ys = {}\nys[0] = seed()\nprint(ys)", [4]),
        ("r = p.read(seed())\nprint(p)\nprint(r)", [4]),  # its result is used: `p` may be as it was
        ("y = seed().data\nprint(y)", []),
        ("if flag:\n    y = seed()\nelse:\n    y = 1\nprint(y)", [6]),
        ("for y in seed():\n    pass\nprint([z for z in p])", []),
        ("print([z for z in seed()])", [2]),
    ],
)
def test_what_is_computed_of_a_value(text: str, reached: list[int]) -> None:
    body, _ = body_of(text)
    seeds = [op for op in body.ops if op.kind is Kind.CALL and ast.unparse(op.node) == "seed()"]
    found = forward_slice(body, seeds, lambda op: op.name != "data")
    prints = [op for op in found if op.kind is Kind.CALL and "print" in ast.unparse(op.node)]
    assert sorted({op.node.lineno for op in prints}) == reached  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("here()\na()\nhere()", {"a"}),
        ("a()\nhere()\nhere()\nb()", set()),
        ("here()\nif flag:\n    a()\nelse:\n    b()\nhere()", {"a", "b"}),
        ("here()\nif flag:\n    a()\n    return\nb()\nhere()", {"b"}),
        ("here()\nfor x in p:\n    a()\nhere()\nb()", {"a"}),
        ("for x in p:\n    here()\n    a()\n    here()\n    b()", {"a"}),
        ("for x in p:\n    here()\n    a()\nhere()", {"a"}),  # not the turn before
        ("here()\nreturn\na()\nhere()", set()),
        ("try:\n    here()\n    a()\nexcept OSError:\n    b()\nhere()", {"a", "b"}),
    ],
)
def test_what_runs_between_two_calls(text: str, expected: set[str]) -> None:
    body, _ = body_of(text)
    calls = [op for op in body.ops if op.kind is Kind.CALL]
    start, end = (op for op in calls if ast.unparse(op.node) == "here()")
    if start.node.lineno > end.node.lineno:  # type: ignore[attr-defined]
        start, end = end, start
    found = {ast.unparse(op.node)[:-2] for op in between(body, (start,), end) if op in calls}
    assert found == expected


def test_the_end_may_run_in_between() -> None:
    body, _ = body_of("here()\nfor x in p:\n    a()\n    here()\n    b()\nc()")
    start, a, end, b, _ = sorted(
        (op for op in body.ops if op.kind is Kind.CALL),
        key=lambda op: op.node.lineno,  # type: ignore[attr-defined]
    )
    assert not between(body, (start,), end) & {b, end}
    assert between(body, (start,), end, again=True) >= {a, b, end}


@pytest.mark.parametrize(
    ("text", "before", "behind"),
    [
        ("need()\nhere()", [2], None),
        ("here()\nif flag:\n    need()", None, None),
        ("here()\nif flag:\n    need()\nelse:\n    need()", None, [4, 6]),
        ("here()\nif flag:\n    raise ValueError\nneed()", None, [5]),
        ("here()\nif flag:\n    return\nneed()", None, None),
        ("if flag:\n    here()\nif other:\n    g()\nif flag:\n    need()", None, [7]),
        ("if flag and other:\n    here()\nif flag:\n    need()", None, [5]),
        ("if flag:\n    here()\nflag = g()\nif flag:\n    need()", None, None),
        ("if p.x:\n    here()\nif p.x:\n    need()", None, [5]),
        ("if p.x:\n    here()\np.x = g()\nif p.x:\n    need()", None, None),
        ("for x in p:\n    here()\n    need()", None, [4]),
        ("for x in p:\n    if x:\n        here()\n    if x:\n        need()", None, [6]),
        ("for x in p:\n    if x:\n        need()\n    if x:\n        here()", None, None),
        ("for x in p:\n    need()\nhere()", [3], None),  # it comes to its body
        ("for x in p:\n    if x:\n        continue\n    need()\nhere()", None, None),
        ("while flag:\n    need()\nhere()", [3], None),
        ("while flag:\n    here()\n    flag = g()\nneed()", None, [5]),
        ("while True:\n    here()\n    if flag:\n        need()", None, None),  # for ever
        ("while True:\n    here()\n    if flag:\n        break\nneed()", None, [6]),
        ("here()\n[need() for x in p for y in x]", None, [3]),
        ("here()\n[need() for x in p if x]", None, None),
        ("try:\n    need()\nexcept OSError:\n    pass\nhere()", None, None),
        ("try:\n    need()\nexcept OSError:\n    raise\nhere()", [3], None),
        ("try:\n    g()\nfinally:\n    need()\nhere()", [5], None),
        ("here()\nflag and need()", None, None),
        ("here()\nraise ValueError", None, []),  # there is no way
    ],
)
def test_what_all_ways_come_by(
    text: str, before: list[int] | None, behind: list[int] | None
) -> None:
    body, points = body_of(text)
    ways = Ways(body, lambda _: None, _is_need, lambda _: False)
    point = points[0][0], points[0][1] + 1
    assert _lines(ways.before(point)) == before
    assert _lines(ways.behind(point)) == behind


def _is_need(op: Op) -> bool:
    return op.kind is Kind.CALL and op.operands[0].name == "need"


def _lines(found: Sequence[Op] | None) -> list[int] | None:
    return sorted({_line(op) for op in found}) if found is not None else None


@pytest.mark.parametrize(
    ("text", "loop", "every"),
    [
        ("here()", False, False),
        ("for x in p:\n    here()", True, True),
        ("for x in p:\n    if x:\n        here()", True, False),
        ("for x in p:\n    if x:\n        continue\n    here()", True, False),
        ("for x in p:\n    if x:\n        break\n    here()", True, True),
        ("for x in p:\n    if x:\n        here()\n        break", False, False),
        ("for x in p:\n    try:\n        here()\n    except OSError:\n        pass", True, False),
        ("while here():\n    pass", True, True),
        ("for x in here():\n    pass", False, False),
        ("for x in p:\n    pass\nelse:\n    here()", False, False),
    ],
)
def test_what_runs_again(text: str, loop: bool, every: bool) -> None:
    body, _ = body_of(text)
    call = next(o for o in body.ops if o.kind is Kind.CALL and o.operands[0].name == "here")
    found = loop_around(body, call)
    assert (found is not None) is loop
    assert every is (found is not None and in_every_turn(body, found, call))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("here()", True),
        ("p = p + 1", False),
        ("p.x = 1", False),
        ("p.y = 1", True),
        ("p.x[0] = 1", False),
        ("p.x.add_(1)", False),
        ("p.x.add(1)", True),
        ("p.step()", False),
        ("g(p)", False),
        ("del p.x", False),
    ],
)
def test_what_stays_the_same_in_a_loop(text: str, expected: bool) -> None:
    body, _ = body_of(f"for i in other:\n    g(p.x)\n    {text}")
    read = next(op for op in body.ops if op.kind is Kind.ATTRIBUTE and op.name == "x")
    assert is_invariant(body, next(iter(body.loops)), read) is expected


@pytest.mark.parametrize(
    ("one", "between", "other", "expected"),
    [
        ("p + 1", "", "p + 1", True),
        ("p + 1", "", "p + 2", False),
        ("p + 1", "", "p + True", False),
        ("p + 1", "", "p - 1", False),
        ("p + 1", "p = 2", "p + 1", False),
        ("p + 1", "other = 2", "p + 1", True),
        ("p", "other = p", "other", False),  # another name: that is not followed
        ("p.x", "", "p.x", True),
        ("p.x", "p.x = 1", "p.x", False),
        ("p.x", "p.y = 1", "p.x", True),
        ("g(p, a=1)", "", "g(p, a=1)", True),
        ("g(p, a=1)", "", "g(p, b=1)", False),
        ("1 if flag else 2", "", "1 if flag else 2", True),
        ("1 if flag else 2", "flag = other", "1 if flag else 2", False),
    ],
)
def test_expressions_with_the_same_value(
    one: str, between: str, other: str, expected: bool
) -> None:
    body, _ = body_of(f"a = {one}\n{between or 'pass'}\nb = {other}")
    lines = body.scope.body  # type: ignore[attr-defined]
    assert same_value(body, lines[0].value, lines[2].value) is expected
