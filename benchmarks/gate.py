"""Whether `devicefix apply` breaks anything in the corpus of the benchmarks: all must be zero.

    python benchmarks/gate.py [--one-in N] [--up-to BYTES] [--jobs N] [--unsafe-fixes]

Each program of the 4,804 files of six packages (`corpus.py`, downloaded the first time) is fixed
in memory and looked at from outside (`gate_checks.py`). Then all fixes are written into a copy of
the corpus, and the programs with a file that has changed, or that read one, are fixed again:
nothing may be left to do. (Of the others nothing is different: the analysis knows no clock and no
disk.) At last the fixes are undone, and every byte of the copy is compared with the corpus.

    crashes        errors of files that Python parses, and whatever is raised
    unparsed       rewritten files that do not compile
    unstable       files that a second run changes again
    undefined      names that pyflakes calls undefined only after the run
    outside        rewritten files that are not the old text with the reported edits, byte for byte
    undo           files that are not as they were

Exit status 1 if one of these is not zero. Fixes that were dropped before they were written are
named, and are no failure: nothing was broken. What is done is kept in the cache folder of the
platform, for as long as the code of devicefix stays the same, so that a gate that was stopped goes
on; not with ``--corpus``. ``--one-in`` and ``--up-to`` leave programs out, for a first look.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from corpus import PINS, cache, corpus, files
from gate_work import Kept, each, programs

from devicefix import engine
from devicefix.engine import JournalError, Report
from devicefix.engine.state import STATE_VARIABLE
from devicefix.settings import Settings

SLOWEST: Final = 5
_SHOWN: Final = 20
"""Lines of each kind."""
_PACKAGES: Final = ("devicefix", "codemods")


class State:
    """What is known already of programs, on the disk."""

    def __init__(self, name: str) -> None:
        self._path = cache() / f"gate-{name}.jsonl"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        for old in self._path.parent.glob("gate-*.jsonl"):
            if old.name.split(".")[0].split("-")[1] != name.split("-")[0]:
                old.unlink()  # of other code

    def known(self) -> dict[tuple[str, ...], Kept]:
        """By the files of the program."""
        found = {}
        if self._path.exists():
            for line in self._path.read_text("utf-8").splitlines():
                with contextlib.suppress(
                    ValueError, TypeError
                ):  # it was stopped while it wrote that
                    kept = Kept.read(line)
                    found[kept.paths] = kept
        return found

    def keep(self, kept: Kept) -> None:
        """One more."""
        with self._path.open("a", encoding="utf-8") as out:
            out.write(kept.line + "\n")


def code() -> str:
    """A digest of devicefix, its rules, Python, and the corpus."""
    digest = hashlib.sha256(sys.version.encode() + PINS.read_bytes())
    root = Path(engine.__file__).parents[2]
    for path in sorted(p for package in _PACKAGES for p in (root / package).rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def first(given: argparse.Namespace, settings: Settings) -> tuple[int, list[Kept]]:
    """All programs that are to be looked at, fixed for the first time; the current folder's."""
    count, found = programs()
    chosen = [plan for plan in found[:: given.one_in] if plan.size <= given.up_to]
    print(f"{count} files, {len(found)} programs, {len(chosen)} to be fixed", file=sys.stderr)
    state = State(f"{code()}-{'unsafe' if given.unsafe_fixes else 'safe'}")
    known = state.known() if given.corpus is None else {}
    done = [known[plan.paths] for plan in chosen if plan.paths in known]
    new = [plan for plan in chosen if plan.paths not in known]
    new.sort(key=lambda plan: plan.size)  # a gate that is stopped has done most of them
    for kept in _told(each(new, settings, given.jobs), len(done), len(chosen)):
        if given.corpus is None:
            state.keep(kept)
        done.append(kept)
    return count, sorted(done, key=lambda kept: kept.paths)


def again(done: Sequence[Kept], given: argparse.Namespace, settings: Settings) -> list[Kept]:
    """Those that may have become others, fixed a second time; the current folder's."""
    changed = frozenset[str]().union(*(kept.changed for kept in done))
    same = {k.paths for k in done if changed.isdisjoint(k.paths) and changed.isdisjoint(k.asked)}
    ours = frozenset(path for kept in done for path in kept.paths)
    _, found = programs()
    new = [plan for plan in found if ours.intersection(plan.paths) and plan.paths not in same]
    print(f"{len(changed)} files changed, {len(new)} programs again", file=sys.stderr)
    return list(_told(each(new, settings, given.jobs), 0, len(new)))


def _told(kept: Iterable[Kept], done: int, count: int) -> Iterator[Kept]:
    for at, one in enumerate(kept, done + 1):
        print(f"{at}/{count}  {one.seconds:7.1f} s  {one.name}", file=sys.stderr, flush=True)
        yield one


def undone(folder: Path, original: Path) -> list[str]:
    """What ``undo`` does not bring back to what it was."""
    try:
        errors = [str(error) for error in engine.undo([Path()]).errors]
    except JournalError as error:
        errors = [str(error)]
    names = (path.relative_to(original) for path in files(original))
    others = [n for n in names if (folder / n).read_bytes() != (original / n).read_bytes()]
    return [*errors, *(f"{name}: not as it was" for name in others)]


def second(
    done: Sequence[Kept], whole: Path, given: argparse.Namespace, settings: Settings
) -> tuple[list[Kept], list[str]]:
    """All programs that may have become others, and what ``undo`` does not bring back."""
    results = tuple(result for kept in done for result in kept.results())
    if not results:
        return [], []
    with tempfile.TemporaryDirectory(prefix="gate-") as working:
        copy = Path(working, "corpus")
        shutil.copytree(whole, copy)
        os.environ[STATE_VARIABLE] = str(Path(working, "state"))
        os.chdir(copy)
        try:
            report = engine.commit(Report(results, (), len(results), 0.0), allow_dirty=True)
            failed = [str(error) for error in report.errors]
            return again(done, given, settings), [*failed, *undone(copy, whole)]
        finally:
            os.chdir(whole)


# -- what is told ----------------------------------------------------------------------------------


def failures(done: Sequence[Kept], more: Sequence[Kept], undo: list[str]) -> dict[str, list[str]]:
    """What must not be, by name."""
    every = [*done, *more]
    return {
        "crashes": [line for kept in every for line in kept.crashes],
        "unparsed": [line for kept in every for line in kept.unparsed],
        "unstable": sorted(path for kept in more for path in kept.changed),
        "undefined": [line for kept in every for line in kept.undefined],
        "outside": [line for kept in every for line in kept.outside],
        "undo": undo,
    }


def show(
    count: int, done: Sequence[Kept], more: Sequence[Kept], bad: Mapping[str, list[str]]
) -> None:
    """The table, and what is behind each figure that is not as it should be."""
    every = [*done, *more]
    dropped = [line for kept in every for line in kept.dropped]
    refused = [line for kept in done for line in kept.refused]
    figures = {
        "files found": count,
        "files looked at": sum(len(kept.paths) for kept in done),
        "programs": len(done),
        "findings": sum(len(kept.findings) for kept in done),
        "decisions": sum(kept.groups for kept in done),
        "edits": sum(kept.edits for kept in done),
        "changed files": sum(len(kept.changes) for kept in done),
        "looked at again": len(more),
        "dropped fixes": len(dropped),
        "do not parse": len(refused),
        **{name: len(lines) for name, lines in bad.items()},
    }
    codes = Counter(line.split()[0] for kept in done for line in kept.findings)
    seconds = sum(kept.seconds for kept in every)
    print("\n".join(f"{name:16}{figure:8}" for name, figure in figures.items()))
    print(f"{'CPU s':16}{seconds:8.0f}")
    print("by rule: " + ", ".join(f"{code} {codes[code]}" for code in sorted(codes)))
    for kept in sorted(done, key=lambda kept: -kept.seconds)[:SLOWEST]:
        print(f"  {kept.seconds:7.1f} s  {len(kept.paths):3} files from {kept.name}")
    for name, lines in {**bad, "dropped": dropped, "do not parse": refused}.items():
        for line in lines[:_SHOWN]:
            print(f"{name}: {line}")
        if len(lines) > _SHOWN:
            print(f"{name}: and {len(lines) - _SHOWN} more")


def main() -> int:
    """Fix, look, write, fix again, undo, and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--one-in", type=int, default=1, help="of the programs of the corpus")
    parser.add_argument("--up-to", type=int, default=sys.maxsize, help="bytes of a program")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--unsafe-fixes", action="store_true")
    parser.add_argument("--corpus", type=Path, help="another folder of Python files")
    given = parser.parse_args()
    if given.one_in < 1 or given.jobs < 1:
        parser.error("that is no work at all")
    settings = Settings(unsafe_fixes=given.unsafe_fixes)
    whole = (given.corpus or corpus()).resolve()
    os.chdir(whole)  # so that files have the same names in the copy
    count, done = first(given, settings)
    more, undo = second(done, whole, given, settings)
    bad = failures(done, more, undo)
    show(count, done, more, bad)
    return int(any(bad.values()))


if __name__ == "__main__":
    sys.exit(main())
