"""What is found inside of a value that unseen code gets."""

from __future__ import annotations

import ast
from collections.abc import ValuesView
from typing import Any

from devicefix.flow.escapes import reached
from devicefix.flow.joins import join, parts_in
from devicefix.flow.values import (
    Const,
    Instance,
    ObjectRecord,
    Tensor,
    Tuple,
    Value,
)


class Looked(dict[str, Value]):
    """Attributes that count how often somebody reads them all."""

    times = 0

    def values(self) -> Any:
        self.times += 1
        values: ValuesView[Value] = super().values()
        return values


def tensor(node: int) -> Tensor:
    return Tensor(frozenset((node,)))


def test_each_object_is_looked_into_once() -> None:
    records = [ObjectRecord(number, ast.Pass()) for number in range(6)]
    everyone, looked = Instance(frozenset(records)), []
    for number, record in enumerate(records):
        record.attributes = attributes = Looked(x=tensor(number), others=everyone)
        looked.append(attributes)
    assert reached(everyone) == set(range(6))
    assert [attributes.times for attributes in looked] == [1] * 6


def test_objects_are_looked_into_from_the_nearest_place() -> None:
    chain = [ObjectRecord(number, ast.Pass()) for number in range(7)]
    places = [Instance(frozenset((record,))) for record in chain]
    for number, record in enumerate(chain[:-1]):
        record.attributes = {"x": tensor(number), "next": places[number + 1]}
    assert reached(places[0]) == {0, 1, 2}
    assert reached(Tuple((places[0], places[2]))) == {0, 1, 2, 3, 4}
    chain[1].attributes["first"] = places[0]
    assert reached(places[1]) == {0, 1, 2, 3}


def test_no_container_is_taken_for_one_that_is_gone() -> None:
    def either(number: int) -> Value:
        pair = Tuple((tensor(number), Const(number)))
        return join(join(pair, tensor(number)), Const(None))

    many = Tuple(tuple(either(number) for number in range(40)))
    assert {p.value for p in parts_in(many) if isinstance(p, Const)} == set(range(40))
