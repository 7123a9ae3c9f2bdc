"""What a verification sees of programs that really run, though they neither print nor return it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from devicefix.records.observations import Kind
from devicefix.verification import verifying
from devicefix.verification.request import Candidate, Request
from devicefix.verification.result import Difference, Verdict
from devicefix.verification.trees import Tree
from devicefix.verification.verifying import Verifier
from tests.forking import Borrowed

pytestmark = pytest.mark.slow

PROGRAM = """
import os, pickle, time, uuid
import numpy, torch
torch.set_num_threads(1)
device = torch.device("cpu")
extra = {}
torch.manual_seed(0)
batch, other = torch.randn(4, 3).to(device), torch.randn(4, 3).to(device)

def measure(model, x):
    try:
        return model(x).sum().item()
    except Exception:
        return None

offset = torch.tensor(0.0)

def main():
    model = torch.nn.Linear(3, 2).to(device)
    for rate in (0.1, 0.2):
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        for step in range(3):
            optimizer.zero_grad()
            model(batch).pow(2).sum().backward()
            optimizer.step()
        torch.save({**model.state_dict(), **extra}, "model.pt")
    optimizer.zero_grad()
    model(batch).sum().backward()
    measure(model, other)
    optimizer.step()
    store(model.weight.detach().cpu())
    print("done")

def store(weight):
    folder = time.strftime("runs/%Y%m%d-%H%M%S")
    os.makedirs(folder)
    total = weight.sum().reshape(1) + offset
    with open(f"{folder}/{uuid.uuid4()}.pkl", "wb") as file:
        pickle.dump({"total": total, "kept": os.urandom(4)}, file)
    with open(f"{folder}/raw.bin", "wb") as file:
        file.write(b"\\0" + bytes(total.untyped_storage()))
    with open(f"{folder}/chance.bin", "wb") as file:
        file.write(b"\\0" + os.urandom(9))

main()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("seen") / "project"
    root.mkdir()
    (root / "train.py").write_text(PROGRAM)
    return root


@pytest.fixture(scope="module")
def verifier(folder: Path) -> Iterator[Verifier]:
    """One for all tests, so that the program before the change is run once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verifying, "ForkServer", Borrowed)
        patch.setattr(verifying, "_DOUBTS", 0)  # nothing here is left to chance
        request = Request("train.py", (), sys.executable, devices=("sim:cuda",))
        with Verifier(request, Tree(folder)) as found:
            yield found


def first(
    verifier: Verifier, folder: Path, *changes: tuple[str, str], on_device: bool = False
) -> Difference | None:
    """The first difference that the changes make."""
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    candidate = Candidate(Tree(folder, {"train.py": text.encode()}))
    found = verifier.verify(candidate, ("sim:cuda",) if on_device else ())
    assert found.verdict in {Verdict.PASS, Verdict.DIFFERS}, found.reason
    return found.comparisons[-1].difference


def test_what_is_written_to_files_is_seen(verifier: Verifier, folder: Path) -> None:
    """In a folder that is named by the time, under a name that is never the same."""
    difference = first(verifier, folder, ("sum().reshape(1)", "sum().reshape(1) + 1e-6"))
    assert difference is not None
    assert (difference.kind, difference.detail) == (Kind.SAVED, "")
    assert difference.what.startswith("['total'] in runs/")
    lost = first(
        verifier,
        folder,
        ('    with open(f"{folder}/raw.bin"', '    return\n    with open(f"{folder}/raw.bin"'),
    )
    assert lost is not None
    assert (lost.what.startswith("the content in runs/"), lost.after) == (True, "nothing")


MOVED = ('device("cpu")', 'device("cuda" if torch.cuda.is_available() else "cpu")')


def test_what_is_moved_rightly_is_the_same(verifier: Verifier, folder: Path) -> None:
    text = PROGRAM.replace(*MOVED)
    found = verifier.verify(Candidate(Tree(folder, {"train.py": text.encode()})))
    assert (found.verdict, found.reason) == (
        Verdict.PASS,
        "the program behaves the same after the change",
    )
    for comparison in found.comparisons:
        (note,) = (note for note in comparison.notes if "not compared" in note)
        assert note.endswith("/chance.bin")


def test_a_last_step_that_nothing_reads_is_seen(verifier: Verifier, folder: Path) -> None:
    wrong = ("measure(model, other)\n", "measure(model, other); model.weight.grad.neg_()\n")
    difference = first(verifier, folder, wrong)
    assert difference is not None
    assert (difference.kind, difference.what) == (
        Kind.STEPPED,
        "parameter 1 of SGD 2 after its last step",
    )
    assert difference.at_after is not None
    assert difference.at_after.text == "optimizer.step()"


def test_a_new_key_of_a_saved_state_is_seen(verifier: Verifier, folder: Path) -> None:
    difference = first(verifier, folder, ("extra = {}", "extra = {'mask': torch.ones(2)}"))
    assert difference is not None
    assert (difference.what, difference.before) == ("['mask'] in model.pt", "nothing")


def test_an_error_of_the_device_that_is_swallowed_is_seen(verifier: Verifier, folder: Path) -> None:
    stays = (", torch.randn(4, 3).to(device)", ", torch.randn(4, 3)")
    difference = first(verifier, folder, MOVED, stays, on_device=True)
    assert difference is not None
    assert (difference.kind, difference.before) == (Kind.RAISED, "nothing")
    assert difference.at_after is not None
    assert difference.at_after.function == "measure"
