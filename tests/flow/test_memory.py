"""Tensors that look into a buffer: a write to it has to reach them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

import pytest

from devicefix.flow import FileFacts

Moves = Callable[[str], list[str]]

BUFFER: Final = "packet = bytearray(3)\nx = torch.frombuffer(packet, dtype=torch.uint8)\n"
READ: Final = "print(model(x.float()))\n"


@pytest.mark.parametrize(
    "write",
    [
        "packet[:] = bytes([1, 2, 3])",
        "packet[0] = 7",
        "with open('a', 'rb') as file:\n    file.readinto(packet)",
        "import struct\nstruct.pack_into('B', packet, 0, 1)",
        "memoryview(packet)[1] = 3",
    ],
)
def test_what_is_written_later_is_moved_where_it_is_read(beside_model: Moves, write: str) -> None:
    assert beside_model(f"{BUFFER}{write}\n{READ}") == ["OPERAND x.float() -> device"]


def test_what_is_filled_again_and_again_is_moved_each_time(beside_model: Moves) -> None:
    program = f"{BUFFER}for k in range(3):\n    packet[0] = k\n    {READ}"
    assert beside_model(program) == ["OPERAND x.float() -> device"]


@pytest.mark.parametrize("data", ["packet", "bytes(3)", "open('a', 'rb').read()"])
def test_what_nobody_writes_moves_as_it_is_made(beside_model: Moves, data: str) -> None:
    program = f"packet = bytearray(3)\nx = torch.frombuffer({data}, dtype=torch.uint8)\n{READ}"
    (line,) = beside_model(program + READ)
    assert line.startswith("DATA torch.frombuffer(")


DATA: Final = "x = torch.ones(1, 3)\nx.numpy()[0] = 2\n"
"""A tensor that has to stay on the host."""
FUNCTIONS: Final = "def same(a):\n    return a\ndef bump(a):\n    a.add_(1)\n"


NAMES: Final = ["same(x)", "x[0:1]", "x.view(1, 3)", "x.detach()", "x.T.t()", "torch.squeeze(x, 2)"]
WRITES: Final = ["x += 1", "x[0] = 5", "x.numpy()[0] = 5", "bump(x)", "torch.add(x, 1, out=x)"]


@pytest.mark.parametrize(
    ("name", "write"), [*((n, "x.add_(1)") for n in NAMES), *(("x.view(1, 3)", w) for w in WRITES)]
)
def test_what_is_written_by_another_name_is_moved_where_it_is_read(
    beside_model: Moves, name: str, write: str
) -> None:
    program = f"{FUNCTIONS}{DATA}y = {name}\nprint(model(y))\n{write}\nprint(model(y))\n"
    assert beside_model(program) == ["OPERAND y -> device"] * 2


def test_what_is_written_before_it_gets_another_name_moves_there(beside_model: Moves) -> None:
    program = f"{DATA}x.add_(1)\ny = x.view(1, 3)\nprint(model(y), model(y))\n"
    assert beside_model(program) == ["DATA x.view(1, 3) -> device"]


def test_what_is_computed_shares_no_memory(beside_model: Moves) -> None:
    program = f"{DATA}y = x * 2\nx.add_(1)\nprint(model(y), model(y))\n"
    assert beside_model(program) == ["DATA x * 2 -> device"]


def test_each_round_gives_another_view(beside_model: Moves) -> None:
    program = f"""{DATA}
for k in range(3):
    y = x[0:1]
    print(model(y), model(y))
    x.add_(1)
"""
    assert beside_model(program) == ["DATA x[0:1] -> device"]


def test_two_names_of_one_tensor_are_no_two_copies(beside_model: Moves) -> None:
    program = f"""{DATA}
first, second = x.view(1, 3), x.view(1, 3)
print(model(first), model(first), model(second), model(second))
first.add_(1)
print(model(first), model(second))
"""
    assert beside_model(program) == [
        *["OPERAND first -> device"] * 2,
        *["OPERAND second -> device"] * 2,
        *["OPERAND first -> device", "OPERAND second -> device"],
    ]


def test_what_a_container_holds_is_written(beside_model: Moves) -> None:
    program = """
a = np.ones(3, dtype="float32")
t = torch.from_numpy(a)
parts = [t]
a[0] = 2
y = parts[0]
print(model(y), model(y))
"""
    assert beside_model(program) == ["DATA parts[0] -> device"]


def test_a_container_of_views_holds_no_copies(beside_model: Moves) -> None:
    program = f"{DATA}rows = [x[0]]\nx.add_(1)\nprint(model(rows[0]))\n"
    assert beside_model(program) == ["OPERAND rows[0] -> device"]


def test_a_cast_is_a_copy_of_what_an_array_gets_later(facts: Callable[[str], FileFacts]) -> None:
    program = """
a = np.ones(3)
t = torch.from_numpy(a)
u = t.view(1, 3)
a[0] = 2
print(nn.Linear(3, 1)(u))
"""
    (clash,) = facts(program).clashes
    assert ast.unparse(clash.operand) == "u"
    assert clash.born is None


def test_what_an_object_holds_is_written_by_another_name(beside_model: Moves) -> None:
    program = f"""{DATA}
class Holder:
    def __init__(self, held):
        self.held = held
        self.seen = held[0:1]
    def show(self):
        print(model(self.seen))
holder = Holder(x)
holder.show()
x.add_(1)
holder.show()
"""
    assert beside_model(program) == ["OPERAND self.seen -> device"]


@pytest.mark.parametrize(
    "view",
    [
        "if i == 0:\n        {}",
        "if i > 0:\n        pass\n    else:\n        {}",
        "for j in range(1 - i):\n        {}",
        "while i < len(open('a').read()):\n        {}\n        i += 9",
        "try:\n        print(1 / i)\n    except ZeroDivisionError:\n        {}",
        "match i:\n        case 0:\n            {}",
    ],
)
def test_a_name_that_only_one_branch_binds_anew_is_outdated_behind_it(
    beside_model: Moves, view: str
) -> None:
    program = "x = torch.zeros(4, 3)\nfor i in range(3):\n    x.add_(1)\n    {}\n"
    program += "    print(model(y))\n    print(x.numpy())\n"
    again = "y = x.view(4, 3)"
    assert beside_model(program.format(view.format(again))) == ["OPERAND y -> device"]
    assert beside_model(program.format(again)) == [f"DATA {again[4:]} -> device"]


def test_a_name_that_both_branches_bind_anew_is_not(beside_model: Moves) -> None:
    program = "x = torch.zeros(4, 3)\nfor i in range(3):\n    x.add_(1)\n"
    program += "    if i:\n        y = x.view(4, 3)\n    else:\n        y = x.view(4, 3)\n"
    reads = ", ".join(["model(y)"] * 3 + ["x.numpy()"] * 4)
    program += f"    print({reads})\n"
    assert beside_model(program) == ["DATA x.view(4, 3) -> device"] * 2
