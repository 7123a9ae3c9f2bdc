"""How many device bugs a tool mends: real ones, in small programs written after public reports.

    python benchmarks/device_bugs/score.py --cmd 'devicefix apply {dir}'
    python benchmarks/device_bugs/score.py --baseline nothing|replace|expert

``--cmd`` is run on a copy of each program, in its folder. It may say ``{dir}``, the folder,
``{run}``, the command that runs the program, and ``{device}``, the accelerator, such as
``sim:cuda``. Then the program is run on the CPU and on a simulated
accelerator, which needs `devicefix` but no GPU, and compared with what it did before and with what
it does as an expert mends it:

    solved    it runs to its end in both worlds and prints what it has to, and computes about as
              much on the accelerator as the expert's fix
    unsolved  it is not, but nothing is worse than before
    wrong     what ran before fails, prints something else, or computes less on the accelerator

``--baseline expert`` is the check of the entries themselves: all have to be solved, and each has to
show its bug as its ``meta.toml`` says. Exit status 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
sys.path.append(str(HERE))

from bug_judging import SOLVED, VERDICTS, WRONG, faults, judged  # noqa: E402
from bug_replacing import replace  # noqa: E402
from bug_running import Runner  # noqa: E402
from bugs import KINDS, Bug, bugs  # noqa: E402

sys.path.append(str(HERE.parent))

from corpus import cache  # noqa: E402

BASELINES: Final = ("nothing", "replace", "expert")
_LIMIT: Final = 900
"""Seconds for the tool, on one program."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a tool has made of one entry."""

    name: str
    kind: str
    verdict: str
    reason: str
    status: int
    """Of the command."""
    share: float | None
    """On the accelerator, after it."""
    patch: str

    def as_json(self) -> dict[str, Any]:
        """For the file of results."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Tool:
    """What is measured: a command, or a baseline by name."""

    command: str
    baseline: str

    def __call__(self, bug: Bug, folder: Path) -> int:
        """Work on the program in ``folder``; the exit status."""
        if self.baseline == "expert":
            shutil.rmtree(folder)
            shutil.copytree(bug.after, folder)
        elif self.baseline == "replace":
            replace(folder)
        elif self.command:
            return self._called(bug, folder)
        return 0

    def _called(self, bug: Bug, folder: Path) -> int:
        said = {"dir": str(folder), "run": shlex.join(["python", *bug.run]), "device": bug.device}
        words = [_filled(word, said) for word in shlex.split(self.command)]
        state = str(folder.parent / "state")
        own = {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "DEVICEFIX_STATE_DIR": state}
        try:
            done = subprocess.run(
                words,
                cwd=folder,
                env={**os.environ, **own},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_LIMIT,
            )
        except subprocess.TimeoutExpired:
            return 124
        return done.returncode


def _filled(word: str, said: dict[str, str]) -> str:
    for name, value in said.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def scored(bug: Bug, tool: Tool, runner: Runner) -> Score:
    """What ``tool`` makes of ``bug``."""
    before = runner.seen(bug.before, bug.run, bug.device)
    expert = runner.seen(bug.after, bug.run, bug.device)
    with tempfile.TemporaryDirectory(prefix="device-bugs-") as room:
        folder = Path(room, "program")
        shutil.copytree(bug.before, folder)
        status = tool(bug, folder)
        after = runner.seen(folder, bug.run, bug.device)
        patch = difference(bug.before, folder)
    verdict = judged(before, expert, after)
    result, reason = verdict.verdict, verdict.reason
    if tool.baseline == "expert" and (wrong := faults(bug, before, expert)):
        result, reason = WRONG, "; ".join(wrong)
    return Score(bug.name, bug.kind, result, reason, status, after.accelerator.share, patch)


def difference(one: Path, two: Path) -> str:
    """What has changed from tree ``one`` to ``two``, as a unified diff."""
    names = {path.relative_to(tree) for tree in (one, two) for path in tree.rglob("*.py")}
    return "".join(
        line if line.endswith("\n") else line + "\n"
        for name in sorted(names)
        for line in difflib.unified_diff(
            _lines(one / name), _lines(two / name), f"a/{name}", f"b/{name}"
        )
    )


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines(keepends=True) if path.exists() else []


def table(scores: Iterable[Score]) -> Iterator[str]:
    """How many of each kind came out how, as lines of Markdown."""
    known = list(scores)
    yield "| kind | entries | solved | unsolved | wrong |"
    yield "|---|---:|---:|---:|---:|"
    for kind in KINDS:
        if some := [score for score in known if score.kind == kind]:
            yield _row(kind, some)
    yield _row("**all**", known)


def _row(name: str, scores: list[Score]) -> str:
    counts = Counter(score.verdict for score in scores)
    numbers = (str(counts[verdict]) for verdict in VERDICTS)
    return f"| {name} | {len(scores)} | {' | '.join(numbers)} |"


def _tell(score: Score) -> None:
    share = "" if score.share is None else f"{score.share:.0%} on the accelerator"
    print(f"{score.verdict:9} {score.name}: {score.reason or share}", flush=True)


def main() -> int:
    """Measure what the command line says."""
    arguments = _arguments()
    tool = Tool(arguments.cmd or "", arguments.baseline or "")
    runner = Runner(None if arguments.fresh else cache() / "device_bugs")
    chosen = list(bugs(arguments.only))
    with ThreadPoolExecutor(arguments.jobs) as pool:
        scores = []
        for score in pool.map(lambda bug: scored(bug, tool, runner), chosen):
            _tell(score)
            scores.append(score)
            if arguments.only or score.verdict == WRONG:
                print(score.patch)
    print("", *table(scores), sep="\n")
    solved = sum(score.verdict == SOLVED for score in scores)
    print(f"\n{solved} of {len(scores)} solved: {solved / max(1, len(scores)):.1%}")
    if arguments.output is not None:
        told = {"command": arguments.cmd or f"baseline {arguments.baseline}"}
        told["entries"] = [score.as_json() for score in scores]
        arguments.output.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return int(any(score.verdict == WRONG for score in scores))


def _arguments() -> argparse.Namespace:
    description = (__doc__ or "").split("\n\n")[0]
    parser = argparse.ArgumentParser(description=description)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--cmd", metavar="COMMAND", help="with {dir}, {run}, {device}")
    what.add_argument("--baseline", choices=BASELINES)
    parser.add_argument(
        "--only", default="", metavar="NAME", help="entries with this in their name"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--output", type=Path, metavar="FILE", help="results and diffs, as JSON")
    parser.add_argument("--fresh", action="store_true", help="measure again what is remembered")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
