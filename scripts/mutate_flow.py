"""Whether the tests of the analysis notice when something in it is wrong.

    python scripts/mutate_flow.py MODULE... [--sample N] [--seed N] [--journal FILE] [--show]

Each MODULE (``graph`` is devicefix/flow/graph.py) is changed in one place after the other, and the
tests are run on each of these mutants: those of tests/flow, the file of that name first, then those
of tests/codemods. A mutant that no test fails on has survived, and is printed as a diff. Mutants
are those of mutmut (``pip install 'devicefix[mutation]'``), and those of
``flow_mutants.py``. They live in a copy of the checkout; nothing in it is touched.

The journal has a line for each mutant. Those that were killed are not run again, so that a run
goes on where one was interrupted, and tests that were written since are tried on what is left;
``--show`` prints what is in it and runs nothing.

Exit status: 0 all killed, 1 some survived, 2 it could not be found out.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

ROOT: Final = Path(__file__).resolve().parent.parent
FLOW: Final = Path("devicefix", "flow")
ENDS: Final = ("killed", "timeout", "survived")

if TYPE_CHECKING:
    from flow_mutants import Mutant


class Journal:
    """How each mutant ended, by its digest; a line is added as soon as it is known."""

    def __init__(self, file: Path) -> None:
        self._file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self._ends = {line["mutant"]: line["end"] for line in map(json.loads, lines)}

    def end(self, mutant: Mutant) -> str:
        """One of `ENDS`, or nothing where it has not been run."""
        return self._ends.get(mutant.digest, "")

    def note(self, mutant: Mutant, end: str) -> None:
        self._ends[mutant.digest] = end
        line = {"mutant": mutant.digest, "module": mutant.module, "line": mutant.line, "end": end}
        with self._file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options = _parser().parse_args(arguments)
    unknown = [name for name in options.modules if not (ROOT / FLOW / f"{name}.py").is_file()]
    if unknown:
        print(f"there is no {FLOW / unknown[0]}.py", file=sys.stderr)
        return 2
    if importlib.util.find_spec("mutmut") is None:
        print("mutmut is missing: pip install 'devicefix[mutation]'", file=sys.stderr)
        return 2
    mutants = [m for name in options.modules for m in _sample(name, options.sample, options.seed)]
    journal = Journal(options.journal)
    if not options.show and not _run(mutants, journal):
        print("the tests fail without any mutant", file=sys.stderr)
        return 2
    _report(mutants, journal)
    return 0 if all(journal.end(m) in ("killed", "timeout") for m in mutants) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("modules", nargs="+", metavar="MODULE", help="a file of devicefix/flow")
    parser.add_argument("--sample", type=int, help="so many mutants of each module; all if not")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    journal = Path("mutants.jsonl")
    parser.add_argument("--journal", type=Path, default=journal, help=f"by default {journal}")
    parser.add_argument("--show", action="store_true", help="run nothing")
    return parser


def _sample(name: str, size: int | None, seed: int) -> list[Mutant]:
    from flow_mutants import mutants

    found = list(mutants(FLOW / f"{name}.py", (ROOT / FLOW / f"{name}.py").read_text("utf-8")))
    order = list(range(len(found)))
    random.Random(f"{seed} {name}").shuffle(order)  # a larger sample has the smaller one in it
    return [found[number] for number in sorted(order[:size])]


def _run(mutants: Iterable[Mutant], journal: Journal) -> bool:
    """Whether the tests could be used: they pass where nothing is changed."""
    from flow_trial import Trial

    left = [m for m in mutants if journal.end(m) not in ("killed", "timeout")]
    with Trial(ROOT) as trial:
        if left and not trial.passes():
            return False
        for number, mutant in enumerate(left, 1):
            journal.note(mutant, trial.end(mutant))
            print(f"{number} of {len(left)}: {mutant.place} {journal.end(mutant)}", flush=True)
    return True


def _report(mutants: Sequence[Mutant], journal: Journal) -> None:
    for mutant in mutants:
        if journal.end(mutant) == "survived":
            print(f"\n{mutant.place} {mutant.digest}\n{mutant.diff}")
    print("\n".join(_table(mutants, journal)))


def _table(mutants: Sequence[Mutant], journal: Journal) -> Iterator[str]:
    yield "\n| Module | Mutants | Killed | Out of time | Survived | Score |"
    yield "|---|---|---|---|---|---|"
    for module in dict.fromkeys(mutant.module for mutant in mutants):
        ends = Counter(journal.end(m) for m in mutants if m.module == module)
        run = sum(ends[end] for end in ENDS)
        score = f"{100 * (run - ends['survived']) / run:.1f}%" if run else ""
        figures = " | ".join(str(ends[end]) for end in ENDS)
        yield f"| `{Path(module).name}` | {run} | {figures} | {score} |"


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what runs ends, the copy goes
    sys.exit(main())
