"""The seeded training loops of the simulator's tests on one device.

    python scripts/gpu_evidence_loops.py [--perturb SEED] DEVICE [LOOP ...]

One line of JSON for each loop: its losses, and sum and norm of every parameter. A real device draws
the host's random numbers, so that only rounding is left; with a seed, results of arithmetic are off
by up to one unit in the last place, at random, which is what rounding may do.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import operator
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import torch

ROOT: Final = Path(__file__).resolve().parent.parent
LOOPS: Final = ROOT / "tests" / "simulator" / "programs" / "training.py"


_SETTINGS: Final = (
    "backends.cuda.matmul.allow_tf32",
    "backends.cudnn.allow_tf32",
    "backends.cuda.matmul.allow_fp16_reduced_precision_reduction",
    "backends.cuda.matmul.allow_bf16_reduced_precision_reduction",
    "backends.cuda.matmul.allow_fp16_accumulation",
)
"""In which a card would compute with less precision than it is asked for."""


def main() -> None:
    """Run the loops that the command line names, or all."""
    options = _options()
    sys.path.insert(0, str(ROOT))
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    kind = _prepared(options.device)
    if not options.device.startswith("sim:"):
        _tell({"name": "settings", "words": _settings()})
    loops = _module().LOOPS
    for name in options.loops or loops:
        if name in loops:
            with _perturbed(options.perturb):
                line = _line(loops[name], kind)
            _tell({"name": name, **line})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("device")
    parser.add_argument("--perturb", type=int, metavar="SEED")
    parser.add_argument("loops", nargs="*")
    return parser.parse_args()


def _tell(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _settings() -> str:
    """What torch says of its settings; a release may lack some."""
    said = ((name, _value(name)) for name in _SETTINGS)
    return ", ".join(f"{name} {value}" for name, value in said)


def _value(name: str) -> Any:
    try:
        return operator.attrgetter(name)(torch)
    except AttributeError:
        return "is not known"


def _perturbed(seed: int | None) -> Any:
    """A context in which results are nudged, or nothing is done."""
    if seed is None:
        return contextlib.nullcontext()
    from devicefix.observe.real.nudging import Nudges

    return Nudges(seed)


def _prepared(device: str) -> str:
    """The kind of device that the loops are given."""
    if device.startswith("sim:"):
        from devicefix.simulator import install

        return install(device).name
    from devicefix.observe.real.drawing import HostDraws
    from devicefix.observe.real.settings import compute_as_the_host_does

    compute_as_the_host_does()
    HostDraws().__enter__()
    return device


def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("training", LOOPS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["training"] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def _line(loop: Any, device: str) -> dict[str, Any]:
    torch.manual_seed(7)
    try:
        run = loop(device)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "numbers": []}
    numbers = [float(loss) for loss in run.losses]
    for module in run.trained:
        for value in module.state_dict().values():
            wide = value.detach().cpu().double()
            numbers += [wide.sum().item(), wide.norm().item()]
    return {"error": "", "numbers": numbers}


if __name__ == "__main__":
    main()
