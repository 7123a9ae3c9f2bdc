"""What is seen of a program that trains: the same on the CPU and on an accelerator."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from devicefix.records.observations import Event, Kind
from tests.observe.programs import Ran, witness

pytestmark = pytest.mark.slow

PROGRAM = """
import sys, warnings
import numpy as np
import torch
from torch import nn

warnings.simplefilter("ignore")
device = "cuda" if torch.cuda.is_available() else "cpu"

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.drop = nn.Dropout()
    def forward(self, x):
        return self.drop(self.fc(x))

class Meter:
    def __init__(self):
        self.total, self.last = 0.0, None

torch.manual_seed(7)
net, meter = Net().to(device), Meter()
optimizer = torch.optim.Adam(net.parameters())
scaler = torch.amp.GradScaler(device, enabled=device == "cuda")
for step in range(2):
    x = torch.randn(5, 4).to(device)
    x.requires_grad_()
    x.register_hook(lambda gradient: print("hook", gradient.sum().item() != 0))
    loss = net(x).pow(2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0, error_if_nonfinite=True)
    scaler.step(optimizer)
    scaler.update()
    meter.total += loss.item()
net.eval()
(2 * loss.detach().requires_grad_()).backward()
whole = torch.arange(6).reshape(2, 3).to(device)
print(whole)
print(f"{whole[0, 1]} {float(whole[1, 2])}",
      whole.t().tolist())
if whole.sum() > 3:
    array = np.asarray(whole.t().cpu())
half = torch.linspace(-1, 1, 10_000).to(device).bfloat16()
flipped = torch.view_as_complex(torch.arange(4.0).reshape(2, 2)).conj()
meter.last = half[::2]
torch.save({"net": net.state_dict(), "step": step}, "out.pt")
del x
raise SystemExit(3)
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    devices = ("cpu", "sim:cuda")
    return {one: witness(tmp_path_factory.mktemp("events"), PROGRAM, one) for one in devices}


@pytest.fixture(params=["cpu", "sim:cuda"])
def ran(request: pytest.FixtureRequest, runs: dict[str, Ran]) -> Ran:
    ended = runs[request.param]
    assert (ended.status, ended.err) == (3, "")
    return ended


def numbers(event: Event) -> list[float]:
    (leaf,) = event.leaves
    assert leaf.numbers is not None
    return list(leaf.numbers)


def test_readings_in_their_order(ran: Ran) -> None:
    reads = ran.of(Kind.READ)
    assert [read.how for read in reads] == [
        *[".item", ".item"],
        *["repr", "format", "float", ".tolist", "bool", "__array__"],
    ]
    assert numbers(reads[2]) == [0, 1, 2, 3, 4, 5]
    assert (reads[2].leaves[0].dtype, reads[2].leaves[0].shape) == ("int64", (2, 3))
    assert [numbers(read) for read in reads[3:5]] == [[1], [5]]
    assert numbers(reads[5]) == [0, 3, 1, 4, 2, 5]
    assert reads[6].at is not None
    assert reads[6].at.text == "if whole.sum() > 3:"
    assert reads[6].at.file.endswith("/train.py")


def test_the_loss_before_it_was_scaled(ran: Ran) -> None:
    losses = ran.of(Kind.LOSS)
    items = [numbers(read) for read in ran.of(Kind.READ)[:2]]
    assert [numbers(loss) for loss in losses[:2]] == items
    assert numbers(losses[2]) == [pytest.approx(2 * items[1][0])]


def test_what_was_written(ran: Ran) -> None:
    texts = [event.text for event in ran.of(Kind.WRITTEN)]
    assert "".join(texts) == ran.out
    assert texts[:2] == ["hook True\n"] * 2
    assert texts[4] == "1 5.0 [[0, 3], [1, 4], [2, 5]]\n"
    assert {event.thread for event in ran.events.events} == {0}


def test_what_was_saved(ran: Ran) -> None:
    (saved,) = ran.of(Kind.SAVED)
    assert saved.how == "out.pt"
    paths = [leaf.path for leaf in saved.leaves]
    assert paths == ["['net']['fc.weight']", "['net']['fc.bias']", "['step']"]


def test_what_is_left(ran: Ran) -> None:
    left = {event.how: {leaf.path: leaf for leaf in event.leaves} for event in ran.of(Kind.LEFT)}
    assert {"device", "net", "meter", "optimizer", "step", "loss", "half", "array"} <= left.keys()
    assert not {"torch", "np", "Net", "scaler", "x"} & left.keys()
    assert set(left["net"]) == {
        *["['fc.weight']", "['fc.bias']", ".fc.weight.grad", ".fc.bias.grad"],
        *[".training", ".fc.training", ".drop.training"],
    }
    assert set(left["meter"]) == {".total", ".last"}
    assert "['state'][0]['exp_avg']" in left["optimizer"]
    flipped = left["flipped"][""]
    assert list(flipped.numbers or ()) == [0, -1, 2, -3]


def test_large_tensors_are_sampled(ran: Ran) -> None:
    left = {event.how: event.leaves for event in ran.of(Kind.LEFT)}
    (half,), last = left["half"], left["meter"][1]
    assert (half.shape, half.dtype, len(half.numbers or ())) == ((10_000,), "bfloat16", 3334)
    assert (last.shape, len(last.numbers or ())) == ((5_000,), 2500)
    assert half.numbers is not None
    assert half.numbers[0] == -1
    assert len(half.digest) == 32


def test_a_program_that_ends_itself_is_whole(ran: Ran) -> None:
    assert ran.events.whole
    assert ran.events.main
    assert ran.record["status"] == "finished"


def test_both_devices_are_seen_to_do_the_same(runs: dict[str, Ran]) -> None:
    host, device = (list(map(without_place, ran.events.events)) for ran in runs.values())
    assert host == device


def without_place(event: Event) -> Event:
    """The event without files and devices."""
    text = event.text.replace(", device='cuda:0'", "")
    leaves = (
        dataclasses.replace(leaf, device="", text=leaf.text.replace("cuda", "cpu"))
        for leaf in event.leaves
    )
    return dataclasses.replace(event, at=None, text=text, leaves=tuple(leaves))


RESUMED = """
import torch
device = "cuda" if torch.cuda.is_available() else "cpu"
weight = torch.nn.Parameter(torch.ones(2, device=device))
optimizer = torch.optim.Adam([weight])
weight.grad = torch.ones_like(weight)
optimizer.step()
torch.save(optimizer.state_dict(), "state.pt")
state = torch.load("state.pt", map_location="cpu")
optimizer.load_state_dict(state)
optimizer.step()
"""


@pytest.mark.parametrize(("device", "shared"), [("cpu", True), ("sim:cuda", False)])
def test_the_state_that_an_optimizer_has_loaded(tmp_path: Path, device: str, shared: bool) -> None:
    """The steps after it change what was loaded where the optimizer has not copied it."""
    ran = witness(tmp_path, RESUMED, device)
    assert (ran.status, ran.err) == (0, "")
    states = {event.how: event.leaves for event in ran.of(Kind.LEFT)}
    by_path = {leaf.path: leaf for leaf in states["state"]}
    moments = by_path["['state'][0]['exp_avg']"]
    assert moments.shared is shared
    assert moments.loaded
    assert (moments.digest == moments.loaded) is not shared
    assert by_path["['state'][0]['step']"].shared  # stays where it is in both
    assert not any(leaf.loaded for leaf in states["weight"])


def test_gradients_of_gradients_round_otherwise_on_a_device(tmp_path: Path) -> None:
    """The engine adds them up in an order that depends on its threads."""
    ran = witness(
        tmp_path,
        """
        import torch
        x = torch.ones(2, requires_grad=True)
        torch.autograd.grad(x.pow(3).sum(), x)
        print("once")
        for step in range(2):
            torch.autograd.grad(x.pow(3).sum(), x, None, None, True)
        x.pow(3).sum().backward(create_graph=True)
        """,
    )
    assert ran.status == 0, ran.err
    rounded = [event for event in ran.events.events if event.kind in (Kind.ROUNDED, Kind.WRITTEN)]
    assert [event.how for event in rounded if event.kind is Kind.ROUNDED] == ["create_graph"]
    assert rounded[0].kind is Kind.WRITTEN


def test_batches_that_are_split_round_otherwise(tmp_path: Path) -> None:
    """Each device adds up its own part."""
    ran = witness(
        tmp_path,
        """
        import torch
        model = torch.nn.Linear(3, 2).cuda()
        x = torch.ones(4, 3)
        torch.nn.DataParallel(model, [0])(x)
        print("one device")
        for step in range(2):
            torch.nn.DataParallel(model, [0, 1])(x)
        """,
        "sim:cuda:2",
    )
    assert ran.status == 0, ran.err
    events = [event for event in ran.events.events if event.kind in (Kind.ROUNDED, Kind.WRITTEN)]
    assert [event.kind for event in events] == [Kind.WRITTEN, Kind.ROUNDED]
    assert events[1].how == "DataParallel"
