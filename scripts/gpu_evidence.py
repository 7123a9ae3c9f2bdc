"""Hold the simulated accelerator, and devicefix's verdicts, against a real GPU: one command.

    python scripts/gpu_evidence.py                      # needs a CUDA build of torch, and a card
    python scripts/gpu_evidence.py --parts probes loops # some of it
    python scripts/gpu_evidence.py --device sim:cuda --output DIR   # a trial without a card

Four parts, each on the card and on the simulator, in processes of their own: the *probes* of
placement behaviour (tests/simulator/probes), the *examples* before and after ``devicefix apply``,
seeded training *loops* with the host's random numbers, and `verify`, which holds the examples
after the change against those before it, on the card. Every difference in message, placement and
value goes into ``docs/gpu/evidence.json`` and ``evidence.md``. A part that fails is reported, and
the rest goes on; what the budget does not reach is listed. Parts that are there from an earlier run
with the same devices, and are not asked for, are kept: each has its own date and versions.

Where the dependencies of ``devicefix apply`` are missing, ``--rewritten DIR`` names a copy of
``examples`` that it has been run on. Exit status: 0 no difference, 1 some, 2 no device, or a part
failed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import gpu_evidence_page  # noqa: E402
import gpu_evidence_parts  # noqa: E402
from gpu_evidence_parts import Bench, Part  # noqa: E402

PARTS: Final[dict[str, Callable[[Bench], Part]]] = {
    "probes": gpu_evidence_parts.probes,
    "loops": gpu_evidence_parts.loops,
    "examples": gpu_evidence_parts.examples,
    "verify": gpu_evidence_parts.verify,
}
SECONDS: Final = 540.0

_CIRCUMSTANCES: Final = """
import json, platform, torch
card = torch.cuda.is_available()
print(json.dumps({
    "torch": torch.__version__, "cuda": torch.version.cuda, "python": platform.python_version(),
    "cards": torch.cuda.device_count() if card else 0,
    "card": torch.cuda.get_device_name(0) if card else None,
    "capability": list(torch.cuda.get_device_capability(0)) if card else None,
    "cudnn": torch.backends.cudnn.version() if card else None,
}))
"""


@dataclass
class Evidence:
    """What is known: the parts of this run, and those of earlier ones."""

    device: str
    against: str
    parts: dict[str, Any] = field(default_factory=dict)
    """As JSON has them."""

    def status(self, names: Sequence[str]) -> int:
        """The exit status of a run that measured these parts."""
        mine = [self.parts[name] for name in names]
        if any(part["failed"] for part in mine):
            return 2
        return 1 if any(part["differences"] for part in mine) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    options = _options(arguments)
    is_trial = options.device == "cpu" or options.device.startswith("sim:")
    if is_trial and options.output is None:
        print("Say where to write with --output: docs/gpu is for evidence from a real card.")
        return 2
    known = circumstances()
    if not is_trial and not known["cards"]:
        print(
            f"There is no {options.device} here (torch {known['torch']} sees no card), so there is "
            "no evidence to gather; --device sim:cuda --output DIR tries the script itself."
        )
        return 2
    folder = options.output or ROOT / "docs" / "gpu"
    folder.mkdir(parents=True, exist_ok=True)
    names = options.parts or [*PARTS]
    return _gathered(names, options, known, folder).status(names)


def _gathered(
    names: Sequence[str], options: argparse.Namespace, known: dict[str, Any], folder: Path
) -> Evidence:
    cards = max(known["cards"], 1)
    against = "sim:cuda" if cards == 1 else f"sim:cuda:{cards}"
    evidence = Evidence(options.device, against, _kept(folder, options.device, against, names))
    with tempfile.TemporaryDirectory(prefix="gpu-evidence-") as scratch:
        bench = Bench(
            device=options.device,
            against=against,
            deadline=time.monotonic() + options.budget,
            jobs=options.jobs,
            scratch=Path(scratch),
            rewritten=options.rewritten,
            only=frozenset(options.only),
        )
        for name in names:
            evidence.parts[name] = asdict(_part(name, bench, known))
            _write(evidence, folder)  # what is known is kept, whatever happens next
    return evidence


def _kept(folder: Path, device: str, against: str, names: Sequence[str]) -> dict[str, Any]:
    """The parts that are there already and stay: measured between the same devices."""
    try:
        earlier = json.loads((folder / "evidence.json").read_text(encoding="utf-8"))
    except OSError:
        return {}
    if (earlier["device"], earlier["against"]) != (device, against):
        return {}
    return {name: part for name, part in earlier["parts"].items() if name not in names}


def _part(name: str, bench: Bench, known: dict[str, Any]) -> Part:
    began = time.monotonic()
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    part = _measured(name, bench)
    part.measured = {"date": now, "only": sorted(bench.only), **known}
    part.seconds = round(time.monotonic() - began, 1)
    print(f"{name}: {gpu_evidence_page.summary(asdict(part))}", flush=True)
    return part


def _measured(name: str, bench: Bench) -> Part:
    if bench.left() <= 0:
        return Part(failed="not reached: the budget was used up")
    try:
        return PARTS[name](bench)
    except Exception as error:  # one part must not take the others with it
        traceback.print_exc()
        return Part(failed=f"{type(error).__name__}: {error}")


def _write(evidence: Evidence, folder: Path) -> None:
    content = asdict(evidence)
    content["parts"] = {name: evidence.parts[name] for name in PARTS if name in evidence.parts}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    (folder / "evidence.json").write_text(text + "\n", encoding="utf-8")
    (folder / "evidence.md").write_text(gpu_evidence_page.page(content), encoding="utf-8")


def circumstances() -> dict[str, Any]:
    """What this interpreter's torch and the machine are."""
    command = [sys.executable, "-c", _CIRCUMSTANCES]
    asked = subprocess.run(command, capture_output=True, text=True, check=True)
    return {**json.loads(asked.stdout), "driver": _driver(), "cores": os.cpu_count()}


def _driver() -> str | None:
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return asked.stdout.strip().partition("\n")[0] or None if asked.returncode == 0 else None


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument(
        "--device", default="cuda", help="cuda; sim:cuda and cpu try the script itself"
    )
    parser.add_argument("--parts", nargs="+", choices=tuple(PARTS), default=[])
    parser.add_argument("--only", nargs="+", default=[], help="probe files, examples, loops")
    parser.add_argument("--budget", type=float, default=SECONDS, metavar="SECONDS")
    parser.add_argument("--jobs", type=int, default=max(2, min(16, os.cpu_count() or 2)))
    parser.add_argument("--rewritten", type=Path, metavar="DIR", help="examples after apply")
    parser.add_argument("--output", type=Path, metavar="DIR", help="docs/gpu by default")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
