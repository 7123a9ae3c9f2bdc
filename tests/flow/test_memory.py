"""Tensors that look into a buffer: a write to it has to reach them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

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
