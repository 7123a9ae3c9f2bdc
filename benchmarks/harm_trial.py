"""One program before and after `devicefix apply`, in each world."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from harm_judging import difference, same_numbers, same_text, steady
from harm_programs import Program, Run
from harm_running import CARD, CPU, DEVICEFIX, PORTED, SIMULATED, WORLDS, Ran, stage

SAME: Final = "same"
HARMED: Final = "harmed"
REPAIRED: Final = "repaired"
MEANT: Final = "meant"
"""It prints something else, which is what the rule is for."""
PORTED_TO: Final = "ported"
"""It took the CPU there, and takes the accelerator now: it prints what it printed with CUDA."""
FAILED: Final = "failed"
"""It did not run before, and does not now."""
_MEANT: Final = frozenset(
    {
        # It prints `grad_fn`, which nothing behind a volatile Variable had in old torch.
        "legacy/volatile.py: an else whose statements all go",
        # `Parameter(...).cuda()` was no parameter, which is why DFX111 is there.
        "placement/leaf_moved.py: a parameter of a module, in the old spelling",
    }
)
"""Programs whose whole output is the difference that a rule makes on purpose."""
_NOTEBOOK: Final = Path(__file__).parent.parent / "devicefix" / "observe" / "notebook.py"
_IGNORED: Final = shutil.ignore_patterns("__pycache__", ".git")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one way to start a program in one world."""

    kind: str
    program: str
    run: str
    world: str
    verdict: str
    changed: bool
    """Whether `apply` has changed anything."""
    error: str = ""
    """Why it does not run: after the change where it ran before, else before."""
    diff: str = ""
    """What it prints now in the place of what it printed, or the end of the traceback."""
    patch: str = ""
    """What `apply` has changed, where that did harm."""

    def as_json(self) -> dict[str, Any]:
        """A line of the journal."""
        return asdict(self)


class Trial:
    """The trees of a program before and after, and a place where they run, always the same."""

    def __init__(self, program: Program, folder: Path, seconds: float) -> None:
        self._program = program
        self._seconds = seconds
        self._before, self._after, self._room = (
            folder / name for name in ("before", "after", "program")
        )
        self.status = 0
        """Of `apply`."""

    def outcomes(self, worlds: Sequence[str] = WORLDS) -> Iterator[Outcome]:
        """What came of each way to start it in each of these worlds.

        On a card, whose time is counted, and where only a change may matter, of what has changed.
        """
        self._write()
        self.status = self._apply()
        changed = _contents(self._before) != _contents(self._after)
        for run in self._program.runs:
            for world in (w for w in worlds if changed or w not in (CARD, *PORTED)):
                yield self._outcome(run, world, changed)

    def _write(self) -> None:
        if self._program.tree is not None:
            shutil.copytree(self._program.tree, self._before, symlinks=True, ignore=_IGNORED)
        else:
            self._before.mkdir()
            for name, content in self._program.files.items():
                (self._before / name).write_bytes(content)
        for name, content in self._program.beside.items():
            (self._before / name).write_bytes(content)
        shutil.copytree(self._before, self._after, symlinks=True)

    def _apply(self) -> int:
        state = f"{tempfile.gettempdir()}/devicefix-harm-{os.getpid()}"
        own = (("DEVICEFIX_STATE_DIR", state), ("DEVICEFIX_CACHE_DIR", state))
        command = ("apply", "-j", "1", *self._program.options, str(self._after))
        return stage(DEVICEFIX, own=own).run(self._after.parent, DEVICEFIX, command, 600).status

    def _outcome(self, run: Run, world: str, changed: bool) -> Outcome:
        def told(verdict: str, error: str = "", diff: str = "") -> Outcome:
            kind, name = self._program.kind, self._program.name
            patch = _patch(self._before, self._after) if verdict == HARMED else ""
            return Outcome(kind, name, str(run), world, verdict, changed, error, diff, patch)

        before = self._ran(self._before, run, world)
        if not changed:
            return told(SAME) if before.well else told(FAILED, before.error)
        after = self._ran(self._after, run, world)
        if not before.well:
            return told(REPAIRED if after.well else FAILED, before.error)
        if not after.well:
            return told(HARMED, after.error, _lines_of(after.said, str(self._room)))
        same = same_text if world == CPU else same_numbers
        if same(before.printed, after.printed):
            return told(SAME)
        if world in PORTED and same_numbers(
            self._ran(self._before, run, SIMULATED).printed, after.printed
        ):
            return told(PORTED_TO)
        again = self._ran(self._before, run, world)
        one, two = steady(before.printed, again.printed, after.printed)
        if same(one, two):
            return told(SAME)
        verdict = MEANT if self._program.name in _MEANT else HARMED
        return told(verdict, "prints something else", difference(one, two))

    def _ran(self, tree: Path, run: Run, world: str) -> Ran:
        shutil.rmtree(self._room, ignore_errors=True)
        shutil.copytree(tree, self._room, symlinks=True)
        place = self._room / Path(run.entry).parent
        entry, arguments = Path(run.entry).name, run.arguments
        if entry.endswith(".ipynb"):
            entry, arguments = str(_NOTEBOOK), (entry, *arguments)
        apart = stage(world, self._program.path, self._program.variables)
        return apart.run(place, entry, arguments, self._seconds)


def tried(
    program: Program, seconds: float, worlds: Sequence[str] = WORLDS
) -> tuple[list[Outcome], int]:
    """What came of ``program``, and the exit status of `apply`."""
    with tempfile.TemporaryDirectory(prefix="harm-") as folder:
        trial = Trial(program, Path(folder), seconds)
        return list(trial.outcomes(worlds)), trial.status


def _lines_of(traceback: str, folder: str) -> str:
    """What a traceback says of the program's own lines."""
    lines = traceback.splitlines()
    mine = [n for n, line in enumerate(lines) if f'"{folder}' in line]
    return "\n".join(line for n in mine for line in lines[n : n + 2])


def _patch(before: Path, after: Path) -> str:
    one, two = _contents(before), _contents(after)
    lines = [
        line
        for name in sorted(two)
        if one.get(name) != two[name]
        for line in difflib.unified_diff(
            one.get(name, b"").decode(errors="replace").splitlines(),
            two[name].decode(errors="replace").splitlines(),
            name,
            lineterm="",
            n=1,
        )
    ]
    return "\n".join(lines)


def _contents(tree: Path) -> dict[str, bytes]:
    files = (path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(tree)): path.read_bytes() for path in files}
