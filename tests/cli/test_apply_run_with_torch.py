"""``apply --run`` as a user runs it: programs whose models and data come out of a library.

The library is there as bytecode alone, so that no analysis sees it.
"""

from __future__ import annotations

import json
import py_compile
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from referencing import Registry, Resource

from devicefix.verification import verifying
from tests.cli.conftest import Devicefix
from tests.forking import Borrowed

DOCS: Final = Path(__file__).parents[2] / "docs"
GUIDE: Final = DOCS / "apply-run.md"
SCHEMAS: Final = {
    name: Resource.from_contents(json.loads((DOCS / name).read_text(encoding="utf-8")))
    for name in ("report.schema.json", "run.schema.json", "verify.schema.json")
}
Apply = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.slow

ZOO: Final = '''\
import torch
from torch import nn


class Linear(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.out = nn.Linear(8, width)

    def forward(self, x):
        return self.out(x)


class Scaled(Linear):
    """Multiplies by what it makes anew on the CPU each time."""

    def forward(self, x):
        return self.out(x) * torch.linspace(0.0, 1.0, 3)


def build(name, **options):
    return {"linear": Linear, "scaled": Scaled}[name](**options)


def batch():
    return torch.arange(16.0).reshape(2, 8)
'''

MANY_SHAPES: Final = """\
import pickle

import torch
import zoo


class Trainer:
    def __init__(self, config):
        self.model = zoo.build(config["model"])

    def fit(self, steps):
        for _ in range(steps):
            x = zoo.batch()
            scale = torch.full((3,), 0.5)
            loss = (self.model(x) * scale).sum()
            loss.backward()
        return loss.item()

    def predict(self, x):
        return self.model(x).detach().numpy()


torch.manual_seed(0)
left, right = zoo.build("linear"), zoo.build("linear")
trainer = Trainer({"model": "linear"})
print(trainer.fit(2))
data = pickle.loads(pickle.dumps({"x": torch.ones(2, 8)}))
print(trainer.predict(data["x"]).sum())
if len(data) > 1:
    values = torch.zeros(3)
else:
    values = eval("torch.arange(3.0)")
print((left.out(zoo.batch()) + values).tolist())
print(right(zoo.batch()).sum().item())
"""
MANY_SHAPES_AFTER: Final = """\
import pickle

import torch
import zoo

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Trainer:
    def __init__(self, config):
        self.model = zoo.build(config["model"]).to(device)

    def fit(self, steps):
        for _ in range(steps):
            x = zoo.batch().to(device)
            scale = torch.full((3,), 0.5, device=device)
            loss = (self.model(x) * scale).sum()
            loss.backward()
        return loss.item()

    def predict(self, x):
        return self.model(x).detach().cpu().numpy()


torch.manual_seed(0)
left, right = zoo.build("linear").to(device), zoo.build("linear").to(device)
trainer = Trainer({"model": "linear"})
print(trainer.fit(2))
data = pickle.loads(pickle.dumps({"x": torch.ones(2, 8)}))
print(trainer.predict(data["x"].to(device)).sum())
if len(data) > 1:
    values = torch.zeros(3)
else:
    values = eval("torch.arange(3.0)")
values = values.to(device)
print((left.out(zoo.batch().to(device)) + values).tolist())
print(right(zoo.batch().to(device)).sum().item())
"""

STATIC: Final = """\
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 3)
x = torch.randn(4, 8)
print(model(x).sum().item())
"""
CALLED: Final = """\
import torch
import zoo

torch.manual_seed(0)
model = zoo.build("scaled")
x = zoo.batch()
print(model(x).sum().item())
"""


@pytest.fixture
def apply(answer: Devicefix, own_state: Path, monkeypatch: pytest.MonkeyPatch) -> Apply:
    """The command in our own process; programs are forked off a Python that has torch."""
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(own_state))
    monkeypatch.setattr(verifying, "ForkServer", Borrowed)

    def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(arguments, *answer(folder, *arguments))

    return run


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Path]:
    def project(program: str, library: str = ZOO) -> Path:
        """A folder with a program, and beside it the bytecode of a library."""
        folder = tmp_path / "project"
        folder.mkdir()
        (folder / "train.py").write_text(program)
        (tmp_path / "zoo.py").write_text(library)
        py_compile.compile(
            str(tmp_path / "zoo.py"),
            cfile=str(folder / "zoo.pyc"),
            dfile="/opt/lib/site-packages/zoo.py",
        )
        return folder

    return project


def without_times(text: str) -> str:
    return re.sub(r" +", " ", re.sub(r"\d+\.\d s", "", text)).replace(" \n", "\n")


def blocks(language: str) -> list[str]:
    pattern = rf"^```{language}\n(.*?)^```$"
    return re.findall(pattern, GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_program_of_the_guide(apply: Apply, project: Callable[..., Path]) -> None:
    library, program = blocks("python")
    (diff,) = blocks("diff")
    screen, _ = blocks("text")
    folder = project(program, library)
    report = ("--output-format", "json", "--output-file", "../report.json")
    done = apply(folder, "apply", "--run", "python train.py", *report)
    assert done.returncode == 0, done.stdout + done.stderr
    assert without_times(done.stdout) == without_times(screen)
    content = json.loads((folder.parent / "report.json").read_text())
    registry: Registry[Any] = Registry().with_resources(SCHEMAS.items())
    schema = SCHEMAS["report.schema.json"].contents
    jsonschema.Draft202012Validator(schema, registry=registry).validate(content)
    assert content["files"][0]["diff"] == diff
    assert content["run"]["stuck"] is None
    assert len(content["run"]["repairs"]) == 7
    assert apply(folder, "undo").returncode == 0
    assert (folder / "train.py").read_text() == program


def test_where_a_value_is_made_bound_or_used(apply: Apply, project: Callable[..., Path]) -> None:
    folder = project(MANY_SHAPES)
    done = apply(folder, "apply", "--run", "python train.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "train.py").read_text() == MANY_SHAPES_AFTER


def test_what_the_rules_fix_takes_one_run(apply: Apply, project: Callable[..., Path]) -> None:
    folder = project(STATIC)
    done = apply(folder, "apply", "--run", "python train.py", "--dry-run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "+model = nn.Linear(8, 3).to(device)\n" in done.stdout
    assert done.stderr.startswith("1 run on sim:cuda to find device errors\npass: train.py")
    assert (folder / "train.py").read_text() == STATIC


def test_a_program_that_does_something_else_then(
    apply: Apply, project: Callable[..., Path]
) -> None:
    """Nothing is written although it runs to its end, and computes on the accelerator."""
    program = STATIC.replace("sum()", "sum().mul(2 if x.is_cuda else 1)")
    folder = project(program)
    done = apply(folder, "apply", "--run", "python train.py")
    assert done.returncode == 3, done.stdout + done.stderr
    assert done.stdout.startswith("1 run on sim:cuda to find device errors\ndiffers: train.py")
    assert done.stdout.endswith("\nNothing was written.\n")
    assert (folder / "train.py").read_text() == program


def test_where_a_person_has_to_decide(apply: Apply, project: Callable[..., Path]) -> None:
    folder = project(CALLED)
    done = apply(folder, "apply", "--run", "python train.py")
    assert done.returncode == 4, done.stdout + done.stderr
    _, screen = blocks("text")
    assert done.stdout == screen
    assert (folder / "train.py").read_text() == CALLED


@pytest.mark.parametrize(
    ("comment", "rounds", "said"),
    [
        ("", "1", "  The maximum number of runs was reached; --rounds allows more.\n"),
        (
            "  # devicefix: ignore",
            "9",
            "  Needs your decision: where `model` is moved to the device",
        ),
    ],
)
def test_the_author_and_the_user_set_limits(
    apply: Apply, project: Callable[..., Path], comment: str, rounds: str, said: str
) -> None:
    program = CALLED.replace('"scaled")', f'"scaled"){comment}')
    folder = project(program)
    done = apply(folder, "apply", "--run", "python train.py", "--rounds", rounds)
    assert done.returncode == 5, done.stdout + done.stderr
    assert done.stdout.startswith("1 run on sim:cuda to find device errors\n")
    assert "  nothing is computed on the accelerator\n" in done.stdout
    assert said in done.stdout
    assert (folder / "train.py").read_text() == program


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--rounds", "3"], "--rounds needs --run"),
        (["--run", "x", "--verify", "x"], "--verify and --run cannot be combined"),
        (["--run", "x", "--check"], "--check and --run cannot be combined"),
        (["--run", "x", "--keep-passing"], "--keep-passing needs --verify"),
        (["--run", "x", "--device", "cpu"], "--run needs a simulated device"),
        (["--run", "x", "-i"], "-i and --run cannot be combined"),
        (["--run", "x", "-"], "--run runs files: it cannot be used with standard input"),
    ],
)
def test_what_does_not_go_together(
    answer: Devicefix, tmp_path: Path, options: list[str], complaint: str
) -> None:
    done = answer(tmp_path, "apply", *options)
    assert done.status == 2
    assert complaint in done.err


OLDER: Final = """\
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 2))
optimizers = {"adagrad": torch.optim.Adagrad}
optimizer = optimizers[input()](model.parameters(), lr=0.1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
for step in range(2):
    loss = model(torch.ones(3, 4, device=device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(round(loss.item(), 4))
"""
WORKERS: Final = """\
import functools

import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def collate(items, device):
    return {"x": torch.stack(items).to(device), "n": torch.tensor(len(items), device=device)}


torch.manual_seed(0)
model = nn.Linear(4, 2).to(device)
data = list(torch.randn(8, 4))
loader = DataLoader(data, 4, num_workers=1, collate_fn=functools.partial(collate, device=device))
for batch in loader:
    print((model(batch["x"]).sum() / batch["n"]).item())
"""
DRAWS: Final = """\
import torch
from torch import nn
from torch.utils.data import random_split


def seeded(device):
    generator = torch.Generator(device=device)
    return generator.manual_seed(1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(4, 2).to(device)
train, rest = random_split(torch.randn(12, 4), [8, 4], generator=seeded(device))
print(model(torch.stack(list(train)).to(device)).sum().item())
"""
LAZY: Final = """\
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = None

    def forward(self, x):
        if self.proj is None:
            self.proj = nn.Linear(x.shape[1], 2)
        return self.proj(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 3), Head()).to(device)
print(model(torch.ones(2, 4, device=device)).sum().item())
"""
TWO: Final = """\
import torch
from torch import nn

several = torch.cuda.device_count() > 1
places = [torch.device("cuda", n) if several else torch.device("cpu") for n in (0, 1)]


class Halves(nn.Module):
    def __init__(self):
        super().__init__()
        self.low = nn.Linear(4, 3).to(places[0])
        self.high = nn.Linear(3, 2).to(places[1])

    def forward(self, x):
        h = self.low(x)
        return self.high(h)


torch.manual_seed(0)
model = Halves()
print(model(torch.ones(2, 4).to(places[0])).sum().item())
"""


TRAINER: Final = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Trainer:
    def __init__(self, model, optimizer):
        self.model = model.to(device)
        self.optimizer = optimizer

    def step(self, x):
        loss = self.model(x.to(device)).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 2))
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
trainer = Trainer(model, optimizer)
print([round(trainer.step(torch.ones(3, 4)), 4) for _ in range(2)])
"""
CHOICE: Final = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'


@pytest.mark.parametrize(
    ("program", "device", "changes"),
    [
        (
            OLDER.replace("input()", '"adagrad"'),
            "sim:cuda",
            [
                (f"{CHOICE}model.to(device)\n", ""),
                ("nn.Linear(4, 2))\n", f"nn.Linear(4, 2))\n{CHOICE}model.to(device)\n"),
            ],
        ),
        (TRAINER, "sim:cuda", [("nn.Linear(4, 2))", "nn.Linear(4, 2)).to(device)")]),
        (
            WORKERS,
            "sim:cuda",
            [
                ("torch.stack(items).to(device)", "torch.stack(items)"),
                ("len(items), device=device", "len(items)"),
                ('batch["x"])', 'batch["x"].to(device))'),
                ('batch["n"])', 'batch["n"].to(device))'),
            ],
        ),
        (DRAWS, "sim:cuda", [("torch.Generator(device=device)", "torch.Generator()")]),
        (LAZY, "sim:cuda", [("x.shape[1], 2)", "x.shape[1], 2).to(x.device)")]),
        (TWO, "sim:cuda:2", [("self.high(h)", "self.high(h.to(self.high.weight.device))")]),
    ],
    ids=["optimizer", "optimizer given", "workers", "generator", "lazy", "two accelerators"],
)
def test_what_a_transfer_more_cannot_help(
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
