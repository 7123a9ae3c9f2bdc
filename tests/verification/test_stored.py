"""Values in files that programs write, read without running what they name; whose file is whose."""

from __future__ import annotations

import collections
import io
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from devicefix.records.observations import Leaf
from devicefix.verification.file_names import partners
from devicefix.verification.stored import leaves_of

numpy = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")


def values(content: bytes) -> dict[str, Any]:
    """The numbers, else the text, by path."""
    return {
        leaf.path: leaf.text if leaf.numbers is None else list(leaf.numbers)
        for leaf in leaves_of(content)
    }


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    numpy.save(file, array)
    return file.getvalue()


def test_arrays_of_numpy() -> None:
    numbers = numpy.arange(6, dtype="float32").reshape(2, 3)
    (leaf,) = leaves_of(npy(numbers))
    assert (leaf.type, leaf.dtype, leaf.shape) == ("array", "float32", (2, 3))
    assert values(npy(numbers)) == {"": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]}
    assert values(npy(numpy.asfortranarray(numbers))) == values(npy(numbers))
    assert values(npy(numbers.astype(">f8"))) == values(npy(numbers))
    assert values(npy(numpy.array([1 + 2j, 3.0]))) == {"": [1.0, 2.0, 3.0, 0.0]}
    assert len(leaves_of(npy(numpy.ones(100_000)))[0].numbers or ()) <= 4096
    words = [leaves_of(npy(numpy.array(["a", word])))[0].text for word in "bcb"]
    assert words[0] == words[2] != words[1]
    both = io.BytesIO()
    numpy.savez_compressed(both, a=numbers[0], b=numpy.array([True]))
    assert values(both.getvalue()) == {"['a']": [0.0, 1.0, 2.0], "['b']": [1]}


class Result:
    """What a program may pickle."""

    def __init__(self) -> None:
        self.loss = 0.5
        self.weights = numpy.ones(2)
        self.row = torch.arange(4.0).reshape(2, 2).t()[1]


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol: int) -> None:
    content = {"a": [1, 2.5, "on cuda:0"], "n": numpy.float32(2), "o": collections.OrderedDict(z=1)}
    found = values(pickle.dumps({**content, "r": Result()}, protocol=protocol))
    assert found["['a'][1]"] == [2.5]
    assert "cuda" not in found["['a'][2]"]
    assert (found["['n']"], found["['o']['z']"]) == ([2.0], [1])
    assert found["['r'].loss"] == [0.5]
    assert found["['r'].weights"] == [1.0, 1.0]
    assert found["['r'].row"] == [1.0, 3.0]


def test_files_of_torch() -> None:
    file = io.BytesIO()
    model = torch.nn.Linear(2, 1)
    half = torch.tensor([1.5, -2.0]).bfloat16()
    torch.save({"state": model.state_dict(), "half": half, "at": torch.device("cpu")}, file)
    found = values(file.getvalue())
    assert found["['state']['weight']"] == model.weight.flatten().tolist()
    assert found["['half']"] == [1.5, -2.0]
    assert "['at']" not in found


class _Calls:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.file),)


def test_nothing_that_a_pickle_names_is_run(tmp_path: Path) -> None:
    file = tmp_path / "made"
    found = values(pickle.dumps({"x": _Calls(file), "y": 1}))
    assert not file.exists()
    assert found["['y']"] == [1]
    assert str(file) in found.values()


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x02junk.",
        b"PK\x03\x04 and no more",
        b"\x93NUMPY\x01\x00\xff\xff{}",
        b"\x89PNG and so on",
        b"",
        b"\x80\x02Nr\xff\xff\xff\x7f.",  # would have a table of 16 GB
        pickle.dumps(1) + pickle.dumps(2),
    ],
)
def test_what_is_damaged_or_not_known_is_compared_as_a_whole(content: bytes) -> None:
    (leaf,) = leaves_of(content)
    assert leaf == leaves_of(content)[0]
    assert (leaf.type, leaf.numbers) == ("file", None)
    assert leaf != leaves_of(content + b"x")[0]


def test_deep_and_wide_objects_have_an_end() -> None:
    wide: list[Any] = [0.5]
    for _ in range(40):
        wide = [wide, wide]
    assert len(leaves_of(pickle.dumps(wide))) <= 20_000
    circle: list[Any] = []
    circle.append(circle)
    assert leaves_of(pickle.dumps(circle)) == ()
    assert isinstance(leaves_of(pickle.dumps({1.5: None}))[0], Leaf)


# Names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        (["runs/20240610-061320/a.pt", "b.pt"], ["runs/20310313-100000/a.pt", "b.pt"]),
        (["3f2a9c1d/log.txt", "3f2a9c1d/x.npy"], ["ab12cd34/log.txt", "ab12cd34/x.npy"]),
        (["runs/Jun10_06-13_host/events.1"], ["runs/Mar13_10-00_host/events.2"]),
        (["tmpk3j_x9ab.json"], ["tmpzz_abcde.json"]),
        (["5.npy", "7.npy"], ["8.npy", "2.npy"]),
    ],
)  # fmt: skip
def test_files_with_times_or_chance_in_their_names_belong_together(
    mine: list[str], other: list[str]
) -> None:
    assert partners(mine, other) == dict(zip(other, mine, strict=True))
    assert partners(mine, other, wandering=set(mine)) == partners(mine, other)


def test_a_name_that_is_always_the_same_has_to_be_the_same() -> None:
    assert partners(["epoch_1.pt", "epoch_2.pt"], ["epoch_1.pt", "epoch_3.pt"], set()) == {
        "epoch_1.pt": "epoch_1.pt"
    }
    assert partners(["a1.pt"], ["a2.pt", "a3.pt"]) == {}


class Shifted(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


class Doubled(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_the_code_that_torchscript_saves_is_a_value() -> None:
    def saved(module: torch.nn.Module) -> dict[str, Any]:
        file = io.BytesIO()
        torch.jit.save(torch.jit.trace(module, torch.ones(2)), file)
        return values(file.getvalue())

    first, again, other = saved(Shifted()), saved(Shifted()), saved(Doubled())
    assert first == again
    assert "return torch.add(x, CONSTANTS.c0)" in first.values()
    assert "return torch.mul(x, CONSTANTS.c0)" in other.values()
    assert "constants/0" in first
