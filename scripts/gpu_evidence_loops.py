"""The seeded training loops of the simulator's tests on one device: ``python … DEVICE [LOOP…]``.

One line of JSON for each loop: its losses, and sum and norm of every parameter. A real device draws
the host's random numbers, so that only rounding is left.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import torch

ROOT: Final = Path(__file__).resolve().parent.parent
LOOPS: Final = ROOT / "tests" / "simulator" / "programs" / "training.py"


def main() -> None:
    """Run the loops that the command line names, or all."""
    device, *names = sys.argv[1:]
    sys.path.insert(0, str(ROOT))
    torch.set_num_threads(1)
    kind = _prepared(device)
    loops = _module().LOOPS
    for name in names or loops:
        if name in loops:
            line = _line(loops[name], kind)
            sys.stdout.write(json.dumps({"name": name, **line}) + "\n")
            sys.stdout.flush()


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
