"""Places that look like an offence and are none: nothing may be changed there.

``tests/traps/programs/<subject>/`` holds one small program per trap: a file, or a folder of files
that is given to `devicefix apply` as a whole. The first lines of the program (of a folder: of
exactly one of its files) say what it is about:

    # trap: what a careless tool would change, and what that would break
    # covers: dataset collate           the subjects of `SUBJECTS` it stands for
    # needs: cuda                       optional: why it cannot run here as it stands
    # fails today: reason               optional: expected to fail, strictly

Marks say what has to become of a line:

    x = torch.zeros(3)  # stays                       not changed, and nothing is added below it
    x = y.cuda(y.get_device())  # stays or: x = y.to(y.device)       either is right
    for x, y in loader:  # moves                      changed, or statements are added below it
    x = torch.zeros(3)  # moves: x = torch.zeros(3, device=device)   this text takes its place
    # --- stays                                       every line down to `# --- end`

Marks that say `moves` stand in traps that lie beside code that does have to change, so that a tool
that does nothing fails as well. A program without any mark has to stay as it is, to the last byte.
Lines without a mark in a program with marks are free: a preamble, a print.
"""

from __future__ import annotations

import difflib
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pytest

from devicefix.engine import apply
from devicefix.engine.registry import load_codemods
from devicefix.settings import Settings

HERE: Final = Path(__file__).parent
PROGRAMS: Final = HERE / "programs"
RUNNER: Final = HERE / "run_programs.py"

SUBJECTS: Final = MappingProxyType(
    {
        # what is left alone wherever it stands
        "dataset": "code of a Dataset: workers run it",
        "collate": "collate functions: workers run them",
        "sampler": "samplers yield indices on the host",
        "worker": "functions that run in worker processes",
        "multiprocessing": "tensors that are shared between processes",
        "parameter": "what becomes a Parameter travels with its module",
        "buffer": "what becomes a buffer travels with its module",
        "init-local": "locals of Module.__init__",
        "numpy": "round trips to NumPy and back",
        "grad-view": "writable views such as `p.grad.numpy()`",
        "alias": "two names of one memory, one of them written",
        "lengths": "lengths that only the host reads",
        "linspace": "`torch.linspace(...).tolist()` and other tensors that become numbers at once",
        "class-level": "tensors made in a class body or at the top of a library",
        "default-argument": "tensors that are default arguments",
        "torchscript": "functions that TorchScript compiles",
        "cache": "tensors that are cached by lru_cache and its kin",
        "kwargs": "keyword arguments that hold a device already",
        "carried": "factories to which something else gives the device",
        "moved-later": "constructors whose result is moved below, by whatever means",
        "generator": "random numbers drawn from a generator of the host",
        "user-to": "classes of the program with a `.to` of their own",
        "user-cuda": "classes of the program with `.cuda`, `.is_cuda` of their own",
        "names": "names and strings that only look like devices or torch",
        "cpu-tests": "tests that assert on the CPU",
        "on-purpose": "what a person put on the host deliberately",
        "timing": "modules that are used before they move, or after they came back",
        "host-only": "what only the host can do: histograms, `apply_`, pointers, files",
        "leaf": "leaves of the gradient: a transfer behind them makes another tensor",
        "float64": "float64 on purpose, and integers that are no floats",
        "guard": "conditions that decide about more than a move",
        "several-devices": "one of several devices, by index, by rank, or none at all",
        "threading": "functions that cannot be handed a device by all who call them",
        "framework": "frameworks that move modules and batches themselves",
        # snippets of real programs that broke other tools
        "arange-out": "`arange(out=torch.cuda.LongTensor(n))`",
        "numpy-buffer": "host locals multiplied in place and only then made a buffer",
        "is-cuda-ternary": "`.cuda() if x.is_cuda else ...`",
        "imported-to-gpu": "`to_gpu()` imported from another module",
        "own-is-cuda": "a user class with its own `is_cuda()`",
        "lengths-list": "`list(lengths[idx])` feeding `pack_padded_sequence`",
        "scattered": "an input that DataParallel scatters",
        "getattr-type": "`getattr(params.cuda() if g else params, dtype)()`",
        "functional-dict": "a dict comprehension of `.cuda()` with functional parameters",
        "data-index": "`.data[0]` in nested unpacking",
        "pin-statement": "a no-op `x.pin_memory()` statement",
        "host-index": "an index tensor iterated on the host, then `pin_memory().to()`",
        "default-type": "a global default that carries every later factory",
        "shadowed-device": "a local named `device` that shadows a global",
        "cuda-get-device": "`.cuda(t.get_device())`",
        "device-get-device": "`device=input.get_device()`",
        "argument-parameter": "a tensor argument that becomes a Parameter inside the callee",
        "integer-labels": "a tuple of `from_numpy().to()` where `.float()` would corrupt labels",
        "config-guard": "`if config.GPU_COUNT:` guards",
        "type-default": "default arguments `dtype=torch.FloatTensor`",
        "sampler-iter": "a Sampler that returns `iter(torch.tensor())`",
    }
)
"""Every kind of trap; each needs two programs at least."""

_HEADER: Final = re.compile(r"# (trap|covers|needs|fails today): *(.*)")
_MARK: Final = re.compile(r" *# (stays|moves)( or)?(?:: *(.*?)|, .*)? *$")


class TrapError(Exception):
    """A trap is not written as it should be."""


@dataclass(frozen=True, slots=True)
class Trap:
    """One program; `path` is its file or folder below `PROGRAMS`."""

    path: str
    covers: frozenset[str]
    needs: str
    fails_today: str

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of its files below `PROGRAMS`."""
        root = PROGRAMS / self.path
        found = [root] if root.is_file() else sorted(root.rglob("*.py"))
        return tuple(file.relative_to(PROGRAMS).as_posix() for file in found)


@dataclass(frozen=True, slots=True)
class Mark:
    """What has to become of one line."""

    number: int
    """0-based."""
    moves: bool
    text: str
    """What takes the line's place, where the mark says so."""


def read_traps() -> Iterator[Trap]:
    for path in sorted(PROGRAMS.glob("*/*")):
        if path.suffix == ".py" or (path.is_dir() and path.name != "__pycache__"):
            yield read_trap(path)


def read_trap(path: Path) -> Trap:
    """Read the header of one program. Raises `TrapError`."""
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    heads = [head for file in files if (head := header(file.read_text(encoding="utf-8")))]
    name = path.relative_to(PROGRAMS).as_posix()
    if len(heads) != 1:
        raise TrapError(f"{name}: exactly one file has to begin with '# trap:'")
    (head,) = heads
    covers = frozenset(head.get("covers", "").split())
    if not head["trap"] or not covers or not covers <= SUBJECTS.keys():
        raise TrapError(f"{name}: says what it is about, and covers {sorted(covers - {*SUBJECTS})}")
    return Trap(name, covers, head.get("needs", ""), head.get("fails today", ""))


def header(text: str) -> dict[str, str]:
    """The named comments on top of a file; empty where the first is not ``# trap:``."""
    found: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        if (match := _HEADER.match(line)) is not None:
            key, found[match[1]] = match[1], match[2]
        elif line.startswith("#   ") and key:
            found[key] += " " + line[1:].strip()
        else:
            break
    return found if "trap" in found else {}


def marks(text: str) -> Iterator[Mark]:
    """The marks of a program, those of blocks included. Raises `TrapError`."""
    inside = False
    for number, line in enumerate(text.splitlines()):
        match line.strip():
            case "# --- stays":
                inside = True
            case "# --- end":
                inside = False
        found = _MARK.search(line)
        if inside or found is not None:
            moves = found is not None and found[1] == "moves"
            if moves and (inside or (found and found[2])):
                raise TrapError(f"{line!r} both stays and moves")
            yield Mark(number, moves, found[3] or "" if found else "")
    if inside:
        raise TrapError("a block that stays has no end")


def failures(before: str, after: str) -> list[str]:
    """What is wrong with ``after``, a line each; a text without marks is free."""
    wanted = list(marks(before))
    changed = changes(before, after)
    lines = before.splitlines()
    return [
        f"line {mark.number + 1} {reason}: {lines[mark.number].strip()}"
        for mark in wanted
        if (reason := complaint(mark, changed.get(mark.number)))
    ]


def complaint(mark: Mark, new: tuple[str, ...] | None) -> str:
    """Why ``new``, the lines in its place (None: as it was), is not what the mark asks for."""
    there = new is not None and mark.text != "" and mark.text in new
    if not mark.moves:
        return "" if new is None or there else f"has to stay, and became {new}"
    if new is None or new == ():
        return "has to change, and did not"
    return "" if there or not mark.text else f"has to change, but not into {new}"


def changes(before: str, after: str) -> dict[int, tuple[str, ...]]:
    """What takes the place of each changed line; added lines belong to the one above them."""
    old, new = ([bare(line) for line in text.splitlines()] for text in (before, after))
    found: dict[int, tuple[str, ...]] = {}
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind == "insert":
            found[start - 1] = (old[start - 1], *new[new_start:new_end])
        elif kind != "equal" and end - start == new_end - new_start:
            found |= {start + i: (new[new_start + i],) for i in range(end - start)}
        elif kind != "equal":
            found |= dict.fromkeys(range(start, end), tuple(new[new_start:new_end]))
    return found


def bare(line: str) -> str:
    """A line without indentation and mark."""
    return _MARK.sub("", line).strip()


def shown(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", "", "")
    return "\n".join(line.rstrip("\n") for line in lines)


CODEMODS: Final = tuple(c for c in load_codemods() if c.__module__.startswith("codemods."))
TRAPS: Final = list(read_traps())


def parameters() -> list[Any]:
    return [pytest.param(trap, id=trap.path, marks=expected(trap)) for trap in TRAPS]


def expected(trap: Trap) -> list[pytest.MarkDecorator]:
    reason = trap.fails_today
    return [pytest.mark.xfail(reason=reason, strict=True)] if reason else []


def original(trap: Trap) -> dict[str, str]:
    return {file: (PROGRAMS / file).read_text(encoding="utf-8") for file in trap.files}


@functools.cache
def rewritten(trap: Trap) -> Mapping[str, str]:
    """The texts of all files behind `apply`, which has written nothing."""
    with tempfile.TemporaryDirectory() as folder:
        return _rewritten(trap, Path(folder))


def _rewritten(trap: Trap, folder: Path) -> dict[str, str]:
    root = copied(trap, folder / "before")
    report = apply([root], Settings(), dry_run=True, codemods=CODEMODS)
    assert not report.errors, [str(error) for error in report.errors]
    texts = original(trap)
    for result, change in report.changes:
        file = Path(result.path).relative_to(folder / "before").as_posix()
        texts[file] = change.after.decode()
    return texts


def copied(trap: Trap, folder: Path) -> Path:
    """A copy of the program, away from the tests, whose files have names of their own."""
    target = folder / trap.path
    target.parent.mkdir(parents=True)
    source = PROGRAMS / trap.path
    if source.is_file():
        return Path(shutil.copy(source, target))
    return Path(shutil.copytree(source, target, ignore=lambda *_: ["__pycache__"]))


@pytest.mark.parametrize("trap", parameters())
def test_nothing_walks_into_the_trap(trap: Trap) -> None:
    old, new = original(trap), rewritten(trap)
    assert not wrong(old, new), "\n".join(shown(old[file], new[file]) for file in old)


def wrong(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """What is wrong with the new texts of a program, by file."""
    if not any(True for text in old.values() for _ in marks(text)):
        return [f"{file} has to stay as it is" for file in old if old[file] != new[file]]
    return [f"{file}: {what}" for file in old for what in failures(old[file], new[file])]


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_subject_has_two_traps(subject: str) -> None:
    assert len([trap for trap in TRAPS if subject in trap.covers]) >= 2


def test_there_are_traps_in_which_something_has_to_move() -> None:
    moving = [
        trap
        for trap in TRAPS
        if any(mark.moves for text in original(trap).values() for mark in marks(text))
    ]
    assert len(moving) * 4 >= len(TRAPS)


@pytest.mark.slow
def test_the_traps_are_programs_that_run_and_print_the_same_afterwards(tmp_path: Path) -> None:
    """Of those that need nothing that is not here; they run on the CPU."""
    jobs = {}
    for trap in TRAPS:
        if trap.needs or trap.fails_today:
            continue
        jobs[trap.path] = [str(entry(PROGRAMS / trap.path))]
        texts = rewritten(trap)
        if texts == original(trap):
            continue  # what stays as it is prints the same
        for file, text in texts.items():
            after = tmp_path / "after" / file
            after.parent.mkdir(parents=True, exist_ok=True)
            after.write_text(text, encoding="utf-8")
        jobs[trap.path].append(str(entry(tmp_path / "after" / trap.path)))
    assert faults(jobs) == {}


def faults(jobs: dict[str, list[str]]) -> object:
    """What is wrong with these programs, by name."""
    result = subprocess.run(
        [sys.executable, str(RUNNER)],
        input=json.dumps(jobs),
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    return json.loads(result.stdout)


def entry(path: Path) -> Path:
    """The file to run."""
    return path if path.is_file() else path / "main.py"


@pytest.mark.parametrize(
    ("after", "count"),
    [
        ("import torch\na = 1  # stays\nfor x in y:  # moves\n    x = x.to(d)\n    f(x)\n", 0),
        ("import torch\na = 1  # stays\nfor x in y:  # moves\n    f(x)\n", 1),
        ("import torch\na = 2  # stays\nfor x in y.to(d):  # moves\n    f(x)\n", 1),
        ("import torch\na = 1  # stays\na = 2\nfor x in y:  # moves\n    x = 1\n    f(x)\n", 1),
    ],
)
def test_what_marks_ask_for(after: str, count: int) -> None:
    before = "import torch\na = 1  # stays\nfor x in y:  # moves\n    f(x)\n"
    assert len(failures(before, after)) == count


def test_marks_with_a_text() -> None:
    before = "a  # stays or: b\nc  # moves: d\n"
    assert not failures(before, before.replace("c  #", "d  #"))
    assert not failures(before, "b  # stays or: b\nd  # moves: d\n")
    assert len(failures(before, "x  # stays or: b\ny  # moves: d\n")) == 2
    assert len(failures("a  # stays\n", "c\n\nd\n")) == 1


def test_blocks() -> None:
    before = "# --- stays\na\nb\n# --- end\nc  # moves\n"
    assert len(failures(before, before)) == 1
    assert not failures(before, before.replace("c  #", "d  #"))
    assert failures(before, before.replace("b\n", "b\nx\n").replace("c  #", "d  #"))


def test_a_program_without_marks_stays_to_the_last_byte() -> None:
    assert not wrong({"a.py": "a\n"}, {"a.py": "a\n"})
    assert wrong({"a.py": "a\n"}, {"a.py": "a \n"})


def test_files_without_marks_are_free_beside_files_with_marks() -> None:
    old = {"a.py": "a\n", "b.py": "b  # stays\n"}
    assert not wrong(old, old | {"a.py": "x\n"})
    assert wrong(old, old | {"b.py": "x\n"})


@pytest.mark.parametrize("text", ["# --- stays\na  # moves\n# --- end\n", "# --- stays\na\n"])
def test_marks_that_contradict_themselves_are_refused(text: str) -> None:
    with pytest.raises(TrapError):
        list(marks(text))
