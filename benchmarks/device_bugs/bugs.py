"""The entries of the benchmark: programs with a device bug, and the same with an expert's fix."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE: Final = Path(__file__).resolve().parent
ENTRIES: Final = HERE / "entries"
SHOWS: Final = frozenset({"error", "cpu-error", "share", "values"})
"""What shows the bug: an error on the accelerator, one without it, what stays on the CPU, or what
is printed on the accelerator."""
KINDS: Final = {
    "hard-coded-cuda": '`.cuda()`, `"cuda"` and `torch.cuda.FloatTensor` where there may be none',
    "cpu-operand": "masks, indices, constants and positions that are made on the CPU in each step",
    "labels-validation": "labels, class weights, and the loop that validates",
    "metric-state": "metrics and losses that keep tensors of their own",
    "sampler-generator": "`torch.Generator`, samplers and random splits",
    "noise-schedule": "tables of diffusion models, and noise",
    "cached-attribute": "tensors kept as plain attributes that should be buffers",
    "plain-container": "modules and parameters in lists and dicts",
    "checkpoint": "`torch.load` without `map_location`, the state of optimizers, resuming",
    "optimizer-first": "an optimizer that is older than the move of its model",
    "ema": "averaged copies of the weights",
    "replay-buffer": "the memory of reinforcement learning",
    "rnn-hidden": "hidden states and lengths of recurrent networks",
    "numpy": "`.numpy()` of what is on the accelerator, and ways through NumPy and back",
    "float64": "double precision for devices that have none",
    "dataset": "datasets and `collate_fn` that make tensors of the device in workers",
    "model-parallel": "one model on two devices",
    "offload": "layers that are moved in and out by hand",
    "multi-gpu": "`DataParallel`, `device_ids` and counts of devices",
    "config-device": "devices from the command line and from configurations",
    "helper-module": "functions of another module that make tensors",
    "like-factories": "`new_*` and `*_like` of the wrong tensor",
    "autograd-function": "`torch.autograd.Function` whose backward makes tensors",
    "lazy-module": "modules that are built in the first forward",
    "scripted": "`torch.jit.script` and `torch.jit.trace`",
    "registry": "models, losses and schedules that are built by name",
    "tests": "pytest and unittest",
}


@dataclass(frozen=True, slots=True)
class Bug:
    """One entry."""

    name: str
    title: str
    kind: str
    run: tuple[str, ...]
    """What follows ``python`` on the command line that runs the program."""
    source: str
    """The address of the report, commit or question after which it was written."""
    report: str
    """What that says, in a sentence."""
    shows: str
    error: str
    """A part of the message, where an error shows the bug."""
    share: float
    """The most that the program computes on the accelerator, where that shows the bug."""
    device: str
    """The simulated accelerator: ``sim:cuda``, or ``sim:cuda:2`` with two of them."""

    @property
    def before(self) -> Path:
        """The folder of the program with the bug."""
        return ENTRIES / self.name / "before"

    @property
    def after(self) -> Path:
        """The folder of the program as an expert mends it."""
        return ENTRIES / self.name / "after"


def bugs(only: str = "") -> Iterator[Bug]:
    """All entries with ``only`` in their names, by name."""
    for folder in sorted(ENTRIES.iterdir()):
        if (folder / "meta.toml").is_file() and only in folder.name:
            yield read(folder)


def read(folder: Path) -> Bug:
    """The entry in ``folder``.

    Raises `KeyError` where its ``meta.toml`` lacks something.
    """
    meta: dict[str, Any] = tomllib.loads((folder / "meta.toml").read_text("utf-8"))
    return Bug(
        name=folder.name,
        title=meta["title"],
        kind=meta["kind"],
        run=tuple(meta["run"]),
        source=meta["source"],
        report=meta["report"],
        shows=meta["shows"],
        error=meta.get("error", ""),
        share=meta.get("share", 1.0),
        device=meta.get("device", "sim:cuda"),
    )
