"""A run on a real accelerator: what makes it comparable, and what is counted of it.

There is none here. The program installs the simulator by itself, of which the observation knows
nothing, and takes the paths of a real device.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from devicefix.records.observations import Kind
from tests.observe.programs import Ran, witness

pytestmark = pytest.mark.slow

PROGRAM = """
import torch
from torch import nn
device = "cpu"
if DEVICE != "cpu":
    from devicefix.simulator import install
    install("sim:cuda")
    device = "cuda"
torch.manual_seed(1)
drawn = {}
base = torch.full((7, 5), 0.4).to(device)
drawn["randn"] = torch.randn(4, 3, device=device)
drawn["like"] = torch.rand_like(base.t())
drawn["perm"] = torch.randperm(9, device=device)
drawn["int"] = torch.randint(3, 50, (6,), device=device)
drawn["normal"] = torch.normal(0.0, base)
drawn["bernoulli"] = torch.bernoulli(base)
drawn["multinomial"] = torch.multinomial(base, 3)
drawn["in place"] = base.clone().uniform_().exponential_(2.0)
drawn["out"] = torch.randn(5, out=torch.empty(5, device=device))
with torch.inference_mode():
    drawn["inference"] = nn.functional.dropout(torch.ones(30, device=device), 0.5)
model = nn.Sequential(nn.Linear(5, 8), nn.Dropout(0.3), nn.RReLU(), nn.Linear(8, 2)).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
nn.init.kaiming_normal_(model[0].weight)
losses = []
for step in range(3):
    out = model(drawn["like"].t().contiguous())
    loss = out.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
lstm = nn.LSTM(4, 3, 2, dropout=0.5).to(device)
states = lstm(torch.ones(6, 2, 4).to(device))[0]
back = states.detach().cpu()
print(losses)
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    found = {}
    for device in ("cpu", "cuda"):
        program = PROGRAM.replace("DEVICE", repr(device))
        found[device] = witness(tmp_path_factory.mktemp(device), program, device)
        assert found[device].err == ""
    return found


def left(ran: Ran) -> dict[str, list[object]]:
    return {
        f"{event.how}{leaf.path}": list(leaf.numbers or ())
        for event in ran.of(Kind.LEFT)
        for leaf in event.leaves
    }


def test_random_numbers_are_the_hosts(runs: dict[str, Ran]) -> None:
    host, device = left(runs["cpu"]), left(runs["cuda"])
    drawn = {name for name in host if name.startswith("drawn")}
    assert len(drawn) == 10
    assert {name: device[name] for name in drawn} == {name: host[name] for name in drawn}
    devices = {
        leaf.device
        for event in runs["cuda"].of(Kind.LEFT)
        if event.how == "drawn"
        for leaf in event.leaves
    }
    assert devices == {"cuda:0"}


def test_training_with_dropout_is_the_same(runs: dict[str, Ran]) -> None:
    assert left(runs["cuda"])["losses"] == pytest.approx(left(runs["cpu"])["losses"], rel=1e-5)


def test_arithmetic_of_the_device_is_counted(runs: dict[str, Ran]) -> None:
    record = runs["cuda"].record
    assert runs["cpu"].record["work"] == {}
    assert record["work"]["cuda:0"] > 0
    assert record["work"].get("cpu", 0) == 0
    by_name = {module["name"]: module for module in record["modules"]}
    assert by_name["0"]["work"] == {"cuda:0": 3 * 2 * 7 * 5 * 8}
    assert by_name["0"]["device"] == "cuda:0"
    assert record["device"] == "cuda"
    assert {"float32"} == runs["cuda"].events.precisions


def test_transfers_with_a_real_device(runs: dict[str, Ran]) -> None:
    transfers = {
        (one["at"]["text"], one["how"], one["source"], one["target"]): (one["count"], one["bytes"])
        for one in runs["cuda"].record["transfers"]
    }
    there, here = ("cpu", "cuda:0"), ("cuda:0", "cpu")
    assert transfers[("base = torch.full((7, 5), 0.4).to(device)", ".to", *there)] == (1, 140)
    assert transfers[("losses.append(loss.item())", ".item", *here)] == (3, 12)
    assert transfers[("back = states.detach().cpu()", ".cpu", *here)] == (1, 144)
    assert not [text for text, *_ in transfers if "drawn" in text]


NUDGED = """
import torch
torch.manual_seed(0)
weight = torch.randn(200, 200, requires_grad=True)
made = weight * 3.0
exact = torch.where(weight > 0, weight, 0.0)
shifted = torch.tensor([1.0, float("inf")]) + torch.tensor([0.0, 1.0])
small = (weight.double() * 3.0).bfloat16() * 1.5
drawn = torch.rand(5)
made.sum().backward()
"""


def test_nudged_results_are_off_by_at_most_one_unit(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    found = []
    for number, seed in enumerate(("", "1", "2")):
        folder = tmp_path / str(number)
        folder.mkdir()
        ran = witness(folder, NUDGED, environment={"DEVICEFIX_PERTURB": seed})
        assert ran.err == ""
        found.append(left(ran))
    plain, first, other = found
    assert first["made"] != other["made"]
    for name in ("weight", "exact", "drawn"):
        assert plain[name] == first[name], name
    before = torch.tensor(plain["made"]).float()
    after = torch.tensor(first["made"]).float()
    ulps = (before.view(torch.int32) - after.view(torch.int32)).abs()
    assert ulps.max() == 1
    assert ulps.float().mean() > 0.3
    assert first["shifted"][1] == float("inf")
    assert plain["small"] != first["small"]


ON_A_DEVICE = """
import torch
from devicefix.simulator import install
install("sim:cuda")
weight = torch.randn(200, 200, device="cuda", generator=torch.Generator("cuda").manual_seed(0))
made = (weight * 3.0).cpu()
"""


def test_results_on_a_device_are_nudged_too(tmp_path: Path) -> None:
    """A program that runs nowhere else is held against itself there."""
    found = []
    for seed in ("", "1"):
        folder = tmp_path / f"seed{seed}"
        folder.mkdir()
        ran = witness(folder, ON_A_DEVICE, environment={"DEVICEFIX_PERTURB": seed})
        assert ran.err == ""
        found.append(left(ran)["made"])
    assert found[0] != found[1]
    assert found[1] == pytest.approx(found[0], rel=1e-6)


SETTINGS = """
import torch
product, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
print(product.allow_tf32, cudnn.allow_tf32, cudnn.benchmark)
print(product.allow_fp16_reduced_precision_reduction)
print(product.allow_bf16_reduced_precision_reduction)
"""


def test_sums_keep_their_precision_on_a_device(tmp_path: Path) -> None:
    ran = witness(tmp_path, SETTINGS, "cuda")
    assert ran.out.split() == ["False"] * 5
