"""``apply --run`` where a run shows a demand that one more transfer of an operand does not meet."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from devicefix.verification import verifying
from tests.cli.conftest import Devicefix
from tests.forking import Borrowed

Apply = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.slow

CHOICE: Final = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
START: Final = f"""\
import torch
from torch import nn

{CHOICE}"""
MPS: Final = 'device = torch.device("mps" if torch.backends.mps.is_available() else "cpu")\n'

CAST: Final = f"""\
import numpy as np
import torch
from torch import nn

{MPS}
torch.manual_seed(0)
model = nn.Linear(4, 2).to(device)
rows = np.arange(8.0).reshape(2, 4)
batch = torch.from_numpy(rows).to(device).float()
print(round(model(batch).sum().item(), 4))
"""
TABLE: Final = f"""\
import torch
from torch import nn

{MPS}

def table(steps, width, place):
    rates = torch.arange(width, dtype=torch.float64, device=place) / width
    return torch.arange(steps, device=place)[:, None].mul(rates).sin().float()


torch.manual_seed(0)
model = nn.Linear(8, 2).to(device)
print(round(model(table(16, 8, device)).sum().item(), 4))
"""
PINNED: Final = f"""\
{START}from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(8, 4).to(device)
loader = DataLoader(TensorDataset(x), batch_size=4, pin_memory=torch.cuda.is_available())
model = nn.Linear(4, 2).to(device)
for (a,) in loader:
    print(round(model(a).sum().item(), 4))
"""
GRADIENT: Final = f"""\
{START}
torch.manual_seed(0)
model = nn.Linear(4, 2).to(device)
model(torch.ones(3, 4, device=device)).sum().backward()
kept = {{name: p.grad.cpu() for name, p in model.named_parameters()}}
for name, p in model.named_parameters():
    p.grad = kept[name]
print(round(model.weight.grad.sum().item(), 4))
"""
IN_PLACE: Final = f"""\
import pickle

{START}

class Averages:
    def __init__(self, parameters):
        self.parameters = list(parameters)
        self.load(pickle.loads(pickle.dumps([p.detach().cpu() for p in self.parameters])))

    def load(self, state):
        self.values = [value.clone() for value in state]

    def step(self):
        for value, p in zip(self.values, self.parameters):
            value.add_(p.detach())


torch.manual_seed(0)
model = nn.Linear(4, 2).to(device)
averages = Averages(model.parameters())
with torch.no_grad():
    model.weight.mul_(2)
averages.step()
print(round(model(torch.ones(3, 4, device=device)).sum().item(), 4))
print([round(value.sum().item(), 4) for value in averages.values])
"""
ATTRIBUTE: Final = """\
import torch
from torch import nn


class Agent:
    def __init__(self):
        self.net = nn.Linear(4, 2)
        self.optimizer = torch.optim.Adagrad(self.net.parameters(), lr=0.1)

    def to(self, device):
        self.device = device
        self.net.to(device)
        return self

    def step(self, x):
        loss = self.net(x.to(self.device)).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
agent = Agent().to("cuda" if torch.cuda.is_available() else "cpu")
print([round(agent.step(torch.ones(3, 4)), 4) for _ in range(2)])
"""
LISTED: Final = """\
import torch
from torch import nn

several = torch.cuda.device_count() > 1
first = torch.device("cuda", 0) if several else torch.device("cpu")
second = torch.device("cuda", 1) if several else torch.device("cpu")
torch.manual_seed(0)
low, high = nn.Linear(4, 3).to(first), nn.Linear(3, 2).to(second)
high(low(torch.ones(2, 4).to(first)).to(second)).sum().backward()
norms = torch.stack([part.weight.grad.norm() for part in (low, high)])
print(round(norms.norm().item(), 4))
"""
TESTS: Final = f"""\
import pickle

{START}
kept = pickle.loads(pickle.dumps({{"expected": torch.ones(3)}}))


def test_values():
    got = nn.ReLU()(torch.ones(3, device=device))
    torch.testing.assert_close(got, kept["expected"])
    print(got.sum().item())


test_values()
"""


OLDER: Final = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)

    def fit(self, device):
        self.model.to(device)
        for _ in range(2):
            loss = self.model(torch.ones(3, 4).to(device)).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            print(round(loss.item(), 4))


torch.manual_seed(0)
Trainer(nn.Linear(4, 2)).fit("cuda" if torch.cuda.is_available() else "cpu")
"""
SLOW: Final = f"""\
import torch
from torch import nn


class Slow:
    def __init__(self, optimizer):
        self.groups = vars(optimizer)["param_groups"]
        self.weights = [p.detach().clone() for group in self.groups for p in group["params"]]

    @torch.no_grad()
    def follow(self):
        for q, p in zip(self.weights, self.groups[0]["params"]):
            q.add_(p - q, alpha=0.5)
            p.copy_(q)


def build():
    model = nn.Linear(4, 2)
    return model, Slow(torch.optim.SGD(model.parameters(), lr=0.1))


def main():
    torch.manual_seed(0)
    {CHOICE}    model, slow = build()
    model = model.to(device)
    with torch.no_grad():
        model.weight.mul_(2)
    for _ in range(2):
        slow.follow()
        print(round(model(torch.ones(3, 4, device=device)).sum().item(), 4))


main()
"""
FETCHED: Final = f"""\
{START}

class Pipeline:
    def __init__(self):
        self.encoder = nn.Linear(4, 3).to(device)
        self.decoder = nn.Linear(3, 2).to(device)

    def decode(self, x):
        code = self.encoder(x)
        self.encoder.to("cpu")
        return self.decoder(code)


torch.manual_seed(0)
torch.set_default_device(device)
pipeline = Pipeline()
order = torch.Generator().manual_seed(0)
for _ in range(2):
    print(round(pipeline.decode(torch.ones(3, 4)).sum().item(), 4))
print(torch.randperm(8, generator=order)[0].item() < 8)
"""
PASSED: Final = f"""\
import pickle

{START}

class Car(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(3, 4))

    def reset(self, state):
        self.state = state.clone()

    def step(self, action):
        self.state = self.state + action[:, :1] * 0.5
        return self.state


def straight(car):
    action = torch.tensor([[1.0, 0.0]]).expand(3, -1)
    print(car.step(action).sum().item())


def turned(car):
    car.reset(torch.ones(1, 4).repeat(3, 1))
    print(car.step(torch.full((3, 2), 2.0)).sum().item())


for drive in (straight, turned):
    drive(pickle.loads(pickle.dumps(Car().to(device))))
"""
BROUGHT: Final = f"""\
{START}

def scores(features, bank):
    features = features.cpu()
    return features @ bank.t()


torch.manual_seed(0)
model = nn.Linear(16, 16).to(device)
bank = torch.eye(16).repeat(8, 1)
with torch.no_grad():
    features = model(torch.ones(64, 16, device=device))
print(scores(features, bank).argmax(1)[:4].tolist())
"""
EVALUATED: Final = f"""\
{START}

def evaluate(model, x):
    model.to("cpu")
    for _ in range(20):
        total = model(x).sum()
    return total.item()


torch.manual_seed(0)
model = nn.Linear(16, 16).to(device)
x = torch.ones(64, 16)
model(x.to(device)).sum().backward()
print(round(evaluate(model, x), 2))
"""
BEGUN: Final = """\
import torch


def pairwise(a, b):
    return ((a[:, None] - b[None]) ** 2).sum(-1)


torch.manual_seed(0)
points = torch.rand(64, 4)
centres = points[:8].clone()
for step in range(4):
    near = pairwise(points, centres).argmin(1)
    for k in range(8):
        centres[k] = points[near == k].mean(0)
print(round(pairwise(points, centres).min(1).values.sum().item(), 4))
"""
ASKED: Final = f"""\
{START}
torch.manual_seed(0)
model = nn.Linear(4, 2).to(device)
print(round(model(torch.ones(3, 4)).sum().item(), 4))
square = torch.ones(64, 64)
print((square @ square).sum().item(), square.is_cuda)
"""


@pytest.fixture
def apply(answer: Devicefix, own_state: Path, monkeypatch: pytest.MonkeyPatch) -> Apply:
    """The command in our own process; programs are forked off a Python that has torch."""
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(own_state))
    monkeypatch.setattr(verifying, "ForkServer", Borrowed)

    def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(arguments, *answer(folder, *arguments))

    return run


@pytest.mark.parametrize(
    ("program", "device", "changes"),
    [
        (CAST, "sim:mps", [("from_numpy(rows).to(", "from_numpy(rows).float().to(")]),
        (
            TABLE,
            "sim:mps",
            [
                ("dtype=torch.float64, device=place", "dtype=torch.float64"),
                ("torch.arange(steps, device=place)", "torch.arange(steps)"),
                ("table(16, 8, device))", "table(16, 8, device).to(device))"),
            ],
        ),
        (
            PINNED,
            "sim:cuda",
            [(", pin_memory=torch.cuda.is_available()", "")],
        ),
        (GRADIENT, "sim:cuda", [("p.grad = kept[name]", "p.grad = kept[name].to(device)")]),
        (IN_PLACE, "sim:cuda", [("value.clone() for", "value.clone().to(device) for")]),
        (
            ATTRIBUTE,
            "sim:cuda",
            [
                ("import nn\n\n\n", f"import nn\n\ntorch_{CHOICE}\n\n"),
                ("nn.Linear(4, 2)", "nn.Linear(4, 2).to(torch_device)"),
            ],
        ),
        (LISTED, "sim:cuda:2", [("grad.norm() for", "grad.norm().to(first) for")]),
        (TESTS, "sim:cuda", [('kept["expected"])', 'kept["expected"].to(got.device))')]),
        (
            OLDER,
            "sim:cuda",
            [
                ("import nn\n\n\n", f"import nn\n\ntorch_{CHOICE}\n\n"),
                ("self.model = model\n", "self.model = model.to(torch_device)\n"),
            ],
        ),
        (
            SLOW,
            "sim:cuda",
            [
                ("import nn\n\n\n", f"import nn\n\ntorch_{CHOICE}\n\n"),
                ("p.detach().clone() for", "p.detach().clone().to(torch_device) for"),
            ],
        ),
        (
            FETCHED,
            "sim:cuda",
            [
                ("self.encoder(x)", "self.encoder.to(x.device)(x)"),
                ("torch.Generator()", "torch.Generator(device=device)"),
            ],
        ),
        (
            PASSED,
            "sim:cuda",
            [
                ("tensor([[1.0, 0.0]])", "tensor([[1.0, 0.0]], device=device)"),
                ("torch.ones(1, 4)", "torch.ones(1, 4, device=device)"),
                ("torch.full((3, 2), 2.0)", "torch.full((3, 2), 2.0, device=device)"),
            ],
        ),
        (
            BROUGHT,
            "sim:cuda",
            [("    features = features.cpu()\n", ""), ("eye(16)", "eye(16, device=device)")],
        ),
        (
            EVALUATED,
            "sim:cuda",
            [('    model.to("cpu")\n', ""), ("ones(64, 16)", "ones(64, 16, device=device)")],
        ),
        (
            BEGUN,
            "sim:cuda",
            [
                ("import torch\n", f"import torch\n\n{CHOICE}"),
                ("torch.rand(64, 4)", "torch.rand(64, 4).to(device)"),
            ],
        ),
        (ASKED, "sim:cuda", [("ones(3, 4)", "ones(3, 4, device=device)")]),
    ],
    ids=[
        "float64 cast first",
        "float64 on the CPU",
        "pinned",
        "gradient",
        "changed in place",
        "optimizer of an attribute",
        "items of a list",
        "compared in a test",
        "older than the move of its model",
        "changed in place where it is held",
        "sent to the CPU and called again",
        "passed by a caller",
        "brought back",
        "evaluated on the CPU",
        "nothing but tensors",
        "what would change the output stays",
    ],
)
def test_what_a_run_shows_is_mended(
    apply: Apply, tmp_path: Path, program: str, device: str, changes: list[tuple[str, str]]
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(program)
    done = apply(folder, "apply", "--device", device, "--run", "python train.py")
    assert done.returncode == 0, done.stdout + done.stderr
    for old, new in changes:
        assert old in program
        program = program.replace(old, new)
    assert (folder / "train.py").read_text() == program
