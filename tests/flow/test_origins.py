"""How many places a tensor may come from that are told apart."""

from __future__ import annotations

import pytest

from devicefix.flow.evaluated import Evaluated
from devicefix.flow.joins import tensors_in
from devicefix.flow.sizes import MAX_NODES
from devicefix.source import Program, Source

MANY = 3 * MAX_NODES


@pytest.mark.parametrize("made", ["{}", "({}, 1)", "(({}, 1), 2)", "[({}, 1)]"])
def test_origins_of_a_tensor_are_few_wherever_it_lies(made: str) -> None:
    origin = made.format("torch.zeros(3)")
    branches = "".join(
        f"    if choice == {number}:\n        made = {origin}\n" for number in range(MANY)
    )
    text = f"import torch\ndef make(choice):\n    made = {origin}\n{branches}    return made\n"
    evaluated = Evaluated.of(Program.alone(Source.from_text(f"{text}make(int(input()))\n")))
    values = [v for found in evaluated.trace.values.values() for v in found.values()]
    origins = [len(tensor.nodes) for value in values for tensor in tensors_in(value)]
    assert 1 <= max(origins) <= MAX_NODES
