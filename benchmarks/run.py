"""What `devicefix check` costs on a real corpus, beside the tools that people would use instead.

    python benchmarks/run.py [--one-in N] [--rounds N] [--tools NAME,NAME] [--files N]

The corpus is 4,804 files of six packages (`corpus.py`, downloaded the first time); the other tools
have a virtual environment of their own. All run one after the other, in each round once, and the
medians count. ``--one-in 20`` takes whole folders, one in twenty, instead of the corpus. Processor
seconds are those of all processes of a tool, its memory the most that they held at once.

`benchmarks/run.json` keeps the results; `docs/performance.md` and its plot are made from it by
``python scripts/build_docs.py``.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from contenders import BASELINE, NAMES, WARM, Contender, contenders, elsewhere, versions
from corpus import PINS, corpus, files, sample
from measuring import Cost, measured

OUTPUT: Final = Path(__file__).with_suffix(".json")
_MEGA: Final = 1_000_000


class FailedError(Exception):
    """A tool did not do its work; the message is for the user."""


def rounds(tools: Sequence[Contender], count: int) -> dict[str, list[Cost]]:
    """What each tool took, in turns."""
    found: dict[str, list[Cost]] = {tool.name: [] for tool in tools}
    for number in range(count):
        for tool in tools:
            print(f"round {number + 1} of {count}: {tool.name} …", file=sys.stderr, flush=True)
            tool.prepare()
            cost = measured(tool.command, elsewhere(), tool.environment)
            if cost.status not in tool.statuses:
                raise FailedError(f"{' '.join(tool.command)}: exit status {cost.status}")
            found[tool.name].append(cost)
    return found


def row(costs: Sequence[Cost], baseline: float) -> dict[str, Any]:
    """The medians of one tool."""
    cpu = statistics.median(cost.cpu for cost in costs)
    return {
        "cpu": round(cpu, 3),
        "wall": round(statistics.median(cost.wall for cost in costs), 3),
        "memory": round(statistics.median(cost.memory for cost in costs)),
        "ratio": round(cpu / baseline, 3),
        "rounds": len(costs),
    }


def table(found: Mapping[str, Mapping[str, Any]]) -> str:
    """For the terminal."""
    lines = [f"{'':16}{'CPU s':>10}{'wall s':>10}{'peak MB':>10}{'x ast.parse':>14}"]
    lines += [
        f"{name:16}{one['cpu']:10.2f}{one['wall']:10.2f}"
        f"{one['memory'] / _MEGA:10.0f}{one['ratio']:14.2f}"
        for name, one in found.items()
    ]
    return "\n".join(lines)


def described(folder: Path) -> dict[str, Any]:
    """The corpus and the machine."""
    texts = [path.read_bytes() for path in files(folder)]
    lines = [line for line in PINS.read_text("utf-8").splitlines() if "==" in line]
    return {
        "files": len(texts),
        "bytes": sum(map(len, texts)),
        "lines": sum(text.count(b"\n") for text in texts),
        "packages": [line.split()[0] for line in lines],
    }


def start_up(count: int) -> Cost:
    """`devicefix --version`."""
    command = (sys.executable, "-m", "devicefix", "--version")
    costs = [measured(command, elsewhere(), {}) for _ in range(max(5, count))]
    return sorted(costs, key=lambda cost: cost.cpu)[len(costs) // 2]


def scaling(folder: Path, count: int) -> dict[str, Any]:
    """How time grows with size, found out in another process."""
    print("time over size …", file=sys.stderr, flush=True)
    script = Path(__file__).with_name("scaling.py")
    command = [sys.executable, str(script), str(folder), "--files", str(count)]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    content: dict[str, Any] = json.loads(out)
    return content


def main() -> int:
    """Measure, print, and write it down."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--one-in", type=int, default=1, help="of the folders of the corpus")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tools", default=",".join(NAMES), help="of: %(default)s")
    parser.add_argument("--files", type=int, default=60, help="for time over size; 0: none")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    given = parser.parse_args()
    names = given.tools.split(",")
    if unknown := [name for name in names if name not in NAMES]:
        parser.error(f"unknown tool {unknown[0]!r}; known are {', '.join(NAMES)}")
    if WARM in names and not {"devicefix", "devicefix -j 2"}.intersection(names):
        parser.error(f"{WARM!r} needs one before it that keeps what it finds")
    if given.rounds < 1 or given.one_in < 1 or given.files not in (0, *range(5, 10_000)):
        parser.error("there is no measuring in no rounds, nor a power law of a few files")
    try:
        return _main(given, names)
    except (FailedError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 2


def _main(given: argparse.Namespace, names: Sequence[str]) -> int:
    whole = corpus()
    folder = sample(whole, given.one_in) if given.one_in > 1 else whole
    costs = rounds(contenders(folder, names), given.rounds)
    baseline = statistics.median(cost.cpu for cost in costs[BASELINE])
    tools = {name: row(found, baseline) for name, found in costs.items()}
    start = start_up(given.rounds)
    content = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "one_in": given.one_in,
        "corpus": described(folder),
        "tools": tools,
        "versions": versions(),
        "start_up": {"cpu": round(start.cpu, 3), "wall": round(start.wall, 3)},
    }
    print(table(tools))
    print(f"devicefix --version: {start.cpu:.3f} s of CPU")
    if given.files:
        content["scaling"] = scaling(whole, given.files)
        worst = content["scaling"]["worst"]
        print(f"time grows with the size of a file to the {content['scaling']['exponent']:.2f}")
        ratio = worst["check"] / worst["parse"]
        print(f"worst file: {worst['file']}, {ratio:.0f} times ast.parse")
    given.output.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
