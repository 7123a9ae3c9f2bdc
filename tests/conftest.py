"""What the tests of several rooms share: the record of a small program that failed."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from devicefix.engine import interpreter
from devicefix.records import Ending, How, Record, Run, read_record

# A shell has what it runs in the background ignore interrupts; tests send them to what they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Workers of pytest share the processors already; more threads than those only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# What one process of a test has compiled serves the next, whatever the shell says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# What is imported and collected stays: looking through it for garbage takes a quarter of the time.
gc.disable()
# `benchmarks` is no part of the wheel; last, as what is installed is what is tested.
sys.path.append(str(Path(__file__).resolve().parent.parent))

LONG: Final = (
    "cli/test_apply_run_demands.py",
    "test_pytest_plugin.py",
    "cli/test_run_with_torch.py",
    "codemods/test_cases.py",
    "traps/test_traps.py",
    "pull_requests/test_publishing.py",
    "action/test_action.py",
    "observe/test_entrance.py",
    "cli/test_verify.py",
    "review/test_page.py",
    "cli/test_apply_run_with_torch.py",
    "verification/test_warming.py",
    "simulator/test_probes.py",
    "mcp/test_server.py",
    "simulator/test_selftest.py",
    "test_examples.py",
    "cli/test_run.py",
    "verification/test_planted_defects.py",
    "uses/test_uses.py",
    "pull_requests/test_commits.py",
    "faults/test_each_call.py",
    "test_forms.py",
    "pull_requests/test_refusals.py",
    "flow/test_laws.py",
    "cli/test_pre_commit.py",
    "migration/test_hostile.py",
    "properties/test_generated.py",
    "observe/test_deferring.py",
    "migration/test_proving.py",
    "cli/test_apply_verify_with_torch.py",
    "migration/test_synthetic.py",
    "migration/test_migrating.py",
    "cli/test_limits.py",
    "faults/test_cache.py",
    "engine/test_asked_names.py",
    "engine/test_choice_of_real_rules.py",
    "simulator/test_training.py",
    "migration/test_local.py",
    "test_site.py",
    "test_harm.py",
    "test_fuzz.py",
    "faults/test_reports.py",
    "test_gpu_evidence.py",
)
"""Files that take longest come first, so that no worker is left with one when the other is done."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    rank = {f"tests/{name}": at for at, name in enumerate(LONG)}
    items.sort(key=lambda item: rank.get(item.nodeid.partition("::")[0], len(rank)))


def pytest_collection_finish() -> None:
    """Tests, pytest and torch stay, and no collection has to look through them: that took a second
    or more each time. What is new is collected while it is still in the processor's cache."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(30_000, 10, 10)
    interpreter._Keeping.on = True


_counter = itertools.count()


@pytest.fixture(scope="session")
def _caches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("caches")


@pytest.fixture(autouse=True)
def _own_cache(_caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test finds what another one has kept, or what the developer's own runs have."""
    monkeypatch.setenv("DEVICEFIX_CACHE_DIR", str(_caches / str(next(_counter))))


@pytest.fixture(scope="session", autouse=True)
def _rare_collections() -> None:
    """Programs leave less behind than pytest, its tests and torch hold: to look through all of that
    for it as often as a process of devicefix does took half of the time."""
    interpreter._MUCH = 1_000_000


PROGRAM = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2)).to(device)
inputs = torch.randn(64, 8)
print(model(inputs).sum())
"""
"""`apply` gives ``inputs`` its device (DFX103)."""


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    """A program whose input stays on the host."""
    file = tmp_path / "failing.py"
    file.write_text(PROGRAM)
    return file


def place(file: Path, line: int, function: str = "<module>") -> dict[str, Any]:
    text = PROGRAM.splitlines()[line - 1].strip()
    return {"file": str(file), "line": line, "function": function, "text": text}


@pytest.fixture
def record(failing: Path) -> dict[str, Any]:
    """What `devicefix.observe` would write of `failing`."""
    weight = {
        "name": "mat2",
        "device": "cuda:0",
        "shape": [8, 4],
        "dtype": "float32",
        "how": "torch.nn.Linear",
        "created": place(failing, 5),
        "moved": place(failing, 5),
        "moved_by": "torch.nn.Module.to",
        "module": "0.weight",
        "variable": None,
    }
    inputs = {
        "name": "mat1",
        "device": "cpu",
        "shape": [64, 8],
        "dtype": "float32",
        "how": "torch.randn",
        "created": place(failing, 6),
        "moved": None,
        "moved_by": None,
        "module": None,
        "variable": "inputs",
    }
    error = {
        "type": "RuntimeError",
        "message": "Expected all tensors to be on the same device, but got mat1 is on cpu",
        "placement": True,
        "op": "aten::addmm",
        "at": place(failing, 7),
        "traceback": [place(failing, 7)],
        "operands": [inputs, weight],
        "advice": "inputs was made on the CPU: make it on the device of 0.weight.",
    }
    return {
        "format": 1,
        "pid": 4711,
        "ppid": 4710,
        "argv": [str(failing)],
        "python": "3.11.7",
        "torch": "2.13.0+cpu",
        "device": "sim:cuda",
        "main": True,
        "status": "raised",
        "refused": None,
        "error": error,
        "transfers": [
            {
                "at": place(failing, 5),
                "source": "cpu",
                "target": "cuda:0",
                "how": "torch.nn.Module.to",
                "count": 4,
                "bytes": 184,
            }
        ],
        "lines": [
            {"at": place(failing, 6), "work": {"cpu": 512}},
            {"at": place(failing, 7), "work": {"cuda:0": 7680, "cpu": 128}},
        ],
        "modules": [
            {
                "name": "0",
                "type": "Linear",
                "device": "cuda:0",
                "parameters": 36,
                "bytes": 144,
                "work": {"cuda:0": 4096},
            },
            {
                "name": "2",
                "type": "Linear",
                "device": "cpu",
                "parameters": 10,
                "bytes": 40,
                "work": {"cpu": 128},
            },
        ],
        "tensors": [
            {
                "shape": [64, 8],
                "dtype": "float32",
                "bytes": 2048,
                "device": "cpu",
                "created": place(failing, 6),
                "moved": None,
            }
        ],
        "work": {"cuda:0": 7680, "cpu": 640},
        "notes": ["Tensors made in other threads bear no line."],
    }


@pytest.fixture(scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the verdict on this torch is kept: one trial for all tests, whoever shares them."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared-state"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def own_state(tmp_path: Path, state: Path) -> Path:
    """Where a journal is kept that no other test has; the verdict on this torch is that of all."""
    folder, verdicts = tmp_path / "state", state / "selftest"
    folder.mkdir()
    verdicts.mkdir(exist_ok=True)
    (folder / "selftest").symlink_to(verdicts)
    return folder


@pytest.fixture
def run(record: dict[str, Any]) -> Run:
    """The run that left `record`."""
    import json

    read = read_record(json.dumps(record))
    return run_of(read)


def run_of(*records: Record) -> Run:
    ending = Ending(How.EXITED, 1, 2.5)
    return Run(
        ("/usr/bin/python3", "failing.py"), "/usr/bin/python3", "sim:cuda", ending, records, 1
    )
