"""What every join of values obeys, whatever the values are."""

from __future__ import annotations

import ast
from functools import reduce
from itertools import combinations_with_replacement
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devicefix.flow.graph import Label
from devicefix.flow.joins import join
from devicefix.flow.program import evaluate_program
from devicefix.flow.values import (
    NONE,
    NUMBER,
    PLAIN,
    RECURSIVE,
    SIZES,
    TEXT,
    Array,
    Bound,
    Const,
    Dataset,
    Device,
    DictRecord,
    Dtype,
    External,
    Flag,
    Flat,
    Generator,
    Instance,
    Listing,
    ListRecord,
    Loader,
    Mapping,
    ObjectRecord,
    Opaque,
    Optimizer,
    Partial,
    Plain,
    Residence,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
)
from devicefix.source import Program, Source

ANALYSIS, _ = evaluate_program(
    Program.alone(
        Source.from_text("class Net: pass\ndef f(x, y): pass\ndef g(z): pass\nnet = Net\n")
    )
)
FUNCTIONS: Final = tuple(ANALYSIS.definitions.values())
PARAMETERS: Final = tuple(ANALYSIS.parameters.values())
A, B = frozenset((2,)), frozenset((3,))
X, Y = (ast.parse(name, mode="eval").body for name in "xy")
LISTS: Final = [
    Listing(frozenset((ListRecord(number, element),)))
    for number, element in enumerate((None, PLAIN, Tensor(A)))
]
OBJECTS: Final = [Instance(frozenset((ObjectRecord(number, X),))) for number in range(2)]
DICTS: Final = [Mapping(frozenset((DictRecord(number),))) for number in range(2)]
CALLABLES: Final = [External(f"library.{name}") for name in "abcdefg"]

KINDS: Final[dict[str, list[Value]]] = {
    "tensor": [
        Tensor(A),
        Tensor(B, "int64", scalar=True),
        Tensor(B, born=X, constant=True, flat=Flat.SURE),
        Tensor(A, born=Y, raw=False, near=B, computed=True, flat=Flat.OPEN),
        Tensor(A, parameter=True, leaf=True),
    ],
    "array": [Array(), Array("int64", A, A, 2), Array("int64", B, B, 1, Flat.SURE)],
    "object": list(OBJECTS),
    "device": [
        Device(Label.HOST),
        Device(Label.TARGET),
        Device(Label.TARGET, agnostic=False, gpu="1"),
        Device(None, A),
    ],
    "string": [Const("cuda"), Const("cuda:1"), Const("cpu"), Const("meta"), Const("sum")],
    "number": [Const(1), Const(2.5), Const(True), Const(False), NUMBER],
    "plain": [PLAIN, TEXT, SIZES, Plain(reads=True), Plain(storage=True)],
    "option": [
        Plain(choice=True),
        join(Plain(choice=True), Plain(choice=True)),
    ],
    "flag": [Flag(), Flag(holds=False), Flag(pure=False)],
    "None": [NONE],
    "unknown": [
        Unknown("one"),
        Unknown("two", near=A, foreign=True),
        Unknown("two", near=B, torch=True),
        Unknown(RECURSIVE),
    ],
    "parameter": [Opaque(PARAMETERS[0]), Opaque(PARAMETERS[1]), Opaque(PARAMETERS[0], part=True)],
    "function": list(FUNCTIONS),
    "library": [
        *CALLABLES[:3],
        External("torch.cuda.FloatTensor"),
        External("torch.FloatTensor"),
        External("torch.Tensor"),
    ],
    "method": [Bound(OBJECTS[0], "forward", FUNCTIONS[0]), Bound(PLAIN, "method")],
    "partial": [Partial(FUNCTIONS[0], (), ()), Partial(CALLABLES[0], (PLAIN,), ())],
    "dtype": [Dtype("int64"), Dtype("float32")],
    "optimizer": [Optimizer(A), Optimizer(B)],
    "generator": [Generator(Device(Label.HOST)), Generator(Device(Label.TARGET))],
    "residence": [Residence(A), Residence(B)],
    "tuple": [
        Tuple(()),
        Tuple((PLAIN,)),
        Tuple((Tensor(A), NONE), ("a", "b")),
        Tuple((Tensor(B), Unknown("one"))),
    ],
    "list": list(LISTS),
    "stream": [Stream(Tensor(A)), Stream(Stream(PLAIN)), Stream(Tuple((NONE, PLAIN)))],
    "dict": list(DICTS),
    "dataset": [Dataset(Tensor(A)), Dataset(Tuple((Tensor(B), PLAIN)))],
    "loader": [Loader(Tensor(A), Dataset(PLAIN)), Loader(NONE, Dataset(Tensor(B)))],
    "several": [
        join(Tensor(A), Array()),
        join(OBJECTS[0], Unknown("one")),
        join(Tensor(A), Unknown("two")),
        reduce(join, CALLABLES[1:]),
        reduce(join, CALLABLES),
        join(Tensor(A), reduce(join, CALLABLES[1:])),
    ],
}
SAMPLES: Final = [value for values in KINDS.values() for value in values]
THIRDS: Final = [value for values in KINDS.values() for value in (*values[:2], values[-1])]


def held(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    """What holds other values, and joins of them."""
    return st.one_of(
        values,
        st.lists(values, max_size=3).map(lambda items: Tuple(tuple(items))),
        values.map(Stream),
        st.tuples(values, values).map(lambda pair: join(*pair)),
        st.builds(Loader, values, values.map(Dataset)),
    )


LEAVES: Final = st.sampled_from(SAMPLES)
VALUES: Final = st.one_of(*[LEAVES] * 8, held(LEAVES), held(held(LEAVES)))


@settings(max_examples=300, deadline=None)
@given(VALUES, VALUES, VALUES)
def test_it_is_associative(first: Value, second: Value, third: Value) -> None:
    assert join(join(first, second), third) == join(first, join(second, third))


@settings(max_examples=300, deadline=None)
@given(VALUES, VALUES)
def test_it_is_commutative(first: Value, second: Value) -> None:
    assert join(first, second) == join(second, first)


@settings(max_examples=300, deadline=None)
@given(VALUES, VALUES)
def test_what_is_joined_already_adds_nothing(first: Value, second: Value) -> None:
    both = join(first, second)
    assert join(first, both) == join(both, second) == join(both, both) == both


@settings(max_examples=300, deadline=None)
@given(VALUES, VALUES, VALUES)
def test_it_is_monotone(less: Value, added: Value, other: Value) -> None:
    more = join(less, added)
    below, above = join(less, other), join(more, other)
    assert join(below, above) == above


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_nothing_yet_is_neutral(value: Value) -> None:
    bottom = join(None, None)
    assert join(bottom, value) == join(value, bottom) == value


@settings(max_examples=300, deadline=None)
@given(VALUES, VALUES)
def test_what_was_not_seen_is_never_lost(value: Value, other: Value) -> None:
    met = join(value, Unknown("somebody"))
    assert join(join(met, other), Unknown("somebody")) == join(met, other)


@pytest.mark.parametrize(("one", "other"), list(combinations_with_replacement(KINDS, 2)))
def test_the_order_says_nothing(one: str, other: str) -> None:
    """For each pair of kinds, with anything as the third."""
    for second in KINDS[other]:
        behind = [(third, join(second, third)) for third in THIRDS]
        for first in KINDS[one]:
            both = join(first, second)
            assert join(second, first) == both
            assert join(first, both) == both
            for third, rest in behind:
                assert join(both, third) == join(first, rest)
