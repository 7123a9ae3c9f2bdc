"""How a synthetic repository of each kind is made of chance."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from string import Template
from typing import Final

from benchmarks.synthetic import programs
from benchmarks.synthetic.programs import Pair, drawn
from benchmarks.synthetic.shapes import CREATED, NOTHING, End, Item, Synthetic
from tests.notebooks import notebook

Make = Callable[[str, random.Random, int], Synthetic]
"""Of a kind, chance, and the number among those of its kind."""
_HUGE: Final = 20_000_000
_LARGE: Final = 3_000_000
_STYLES: Final = (programs.SCRIPT, programs.TRAINING, programs.CUDA)
_BRANCHES: Final = ("master", "develop", "release/1.0", "größer")
_NAMES: Final = (
    ".github",
    "-rf",
    "--upload-pack",
    "UPPER_lower.Case-1",
    "a..b",
    "HEAD",
    "con",
    "_",
    "0",
    "x" * 100,
)
_FILES: Final = (
    "naïve Zeile.py",
    "-o.py",
    "*.py",
    'a "quoted" one.py',
    "line\nend.py",
    "\x1b[2Jescape.py",
    "деталь/сеть.py",
)


def of(kind: str, chance: random.Random, number: int, *pairs: tuple[str, Pair]) -> Synthetic:
    """A repository of programs, each with figures of its own."""
    files, golden = {"README.md": Item(f"# {kind}\n".encode())}, {}
    for path, pair in pairs:
        before, after = drawn(pair, chance)
        files[path] = Item(before)
        if after != before:
            golden[path] = after
    end = CREATED if golden else NOTHING
    return Synthetic(kind, f"acme/{kind}-{number}", files, golden, end)


def single(pair: Pair, end: End | None = None, **more: object) -> Make:
    """One program; ``end`` and ``more`` where something else is to become of it."""

    def make(kind: str, chance: random.Random, number: int) -> Synthetic:
        one = of(kind, chance, number, ("train.py", pair))
        return replace(one, end=end or one.end, **more)  # type: ignore[arg-type]

    return make


def beside(files: Mapping[str, Item]) -> Make:
    """One program, and other files beside it."""

    def make(kind: str, chance: random.Random, number: int) -> Synthetic:
        one = of(kind, chance, number, ("train.py", programs.SCRIPT))
        return replace(one, files={**one.files, **files})

    return make


def moved_on(kind: str, chance: random.Random, number: int) -> Synthetic:
    """One program, and later another one."""
    one = of(kind, chance, number, ("train.py", programs.SCRIPT))
    other = of(kind, chance, number, ("second.py", programs.CUDA))
    end = replace(CREATED, operation="updated")
    golden, later = {**one.golden, **other.golden}, {"second.py": other.files["second.py"]}
    return replace(one, golden=golden, later=later, end=end, before=kind)


def proven(pair: Pair, end: End, **more: str | int) -> Make:
    """With a command that runs it."""
    return single(pair, end, said={"verify": "python train.py", "python": sys.executable, **more})


def scripts(least: int, most: int) -> Make:
    """So many beside each other, about half of which have something to fix."""

    def make(kind: str, chance: random.Random, number: int) -> Synthetic:
        pairs = [("first.py", programs.SCRIPT)]
        for place in range(chance.randrange(least, most + 1) - 1):
            pair = chance.choice((*_STYLES, programs.RIGHT, programs.PLAIN, programs.PLAIN))
            pairs.append((f"part{place % 7}/run{place}.py", pair))
        return of(kind, chance, number, *pairs)

    return make


def package(kind: str, chance: random.Random, number: int) -> Synthetic:
    """A library, a program, and modules that they do not need."""
    width = chance.randrange(3, 40)
    net, use = drawn(programs.NET, chance, width), drawn(programs.USE, chance, width)
    files = {"lab/__init__.py": Item(b""), "lab/net.py": Item(net[0]), "train.py": Item(use[0])}
    for place in range(chance.randrange(3, 40)):
        files[f"lab/tool{place}.py"] = Item(f"def tool(x):\n    return x + {place}\n".encode())
    golden = {"lab/net.py": net[1], "train.py": use[1]}
    return Synthetic(kind, f"acme/{kind}-{number}", files, golden)


def study(kind: str, chance: random.Random, number: int) -> Synthetic:
    """A notebook of two cells."""
    before, after = (_cells(text) for text in drawn(programs.SCRIPT, chance))
    files = {"study.ipynb": Item(notebook("#md# A study", *before))}
    golden = {"study.ipynb": notebook("#md# A study", *after)}
    return Synthetic(kind, f"acme/{kind}-{number}", files, golden)


def _cells(program: bytes) -> tuple[str, str]:
    first, _, last = program.decode().partition("device = ")
    return first.rstrip("\n"), f"device = {last}".rstrip("\n")


def broken(kind: str, chance: random.Random, number: int) -> Synthetic:
    """One file that is no Python; every other one has something to fix beside it."""
    text = Template(programs.BROKEN).substitute(rows=number).encode()
    one = of(kind, chance, number, *[("train.py", programs.SCRIPT)][: number % 2])
    end = one.end if number % 2 else End("nothing", "1 could not be processed")
    return replace(one, files={**one.files, "broken.py": Item(text)}, end=end)


def huge(kind: str, chance: random.Random, number: int) -> Synthetic:
    """A file of 20 MB that does not pack, or Python that is too long to be looked at."""
    one = of(kind, chance, number, ("train.py", programs.SCRIPT))
    if number % 2:
        return replace(one, files={**one.files, "weights.bin": Item(chance.randbytes(_HUGE))})
    text = b"import torch\n" + b"x = torch.zeros(1)\n" * 400_000
    return replace(one, files={**one.files, "table.py": Item(text)})


def too_large(kind: str, chance: random.Random, number: int) -> Synthetic:
    """More than the plan lets a clone take."""
    one = of(kind, chance, number, ("train.py", programs.SCRIPT))
    files = {**one.files, "weights.bin": Item(chance.randbytes(_LARGE))}
    end = End("failed", "it takes more than 1 MB to clone")
    return replace(one, files=files, end=end, said={"clone-size": "1 MB"})


def empty(kind: str, chance: random.Random, number: int) -> Synthetic:
    """Without a commit."""
    return Synthetic(
        kind, f"acme/{kind}-{number}", end=End("nothing", "the repository has no commits")
    )


def missing(kind: str, chance: random.Random, number: int) -> Synthetic:
    """Not on the server."""
    end = End("failed", "not found")
    return Synthetic(kind, f"acme/{kind}-{number}", is_there=False, end=end)


def other_branch(kind: str, chance: random.Random, number: int) -> Synthetic:
    """Its first branch is not called main."""
    one = of(kind, chance, number, ("train.py", programs.SCRIPT))
    branch = _BRANCHES[number % len(_BRANCHES)]
    return replace(one, branch=branch, head=branch)


def no_first_branch(kind: str, chance: random.Random, number: int) -> Synthetic:
    """None of the name that it calls its first; the plan names one in every other case."""
    one = of(kind, chance, number, ("train.py", programs.SCRIPT))
    if number % 2:
        return replace(one, branch="trunk", said={"base": "trunk"})
    end = End("failed", "it calls no branch its first: name its base in the plan")
    return replace(one, branch="trunk", end=end)


def strange_name(kind: str, chance: random.Random, number: int) -> Synthetic:
    """All that GitHub takes: letters, digits, ``.``, ``-`` and ``_``, up to a hundred."""
    one = of(kind, chance, number, ("train.py", programs.SCRIPT))
    owner = f"other{number}" if number >= len(_NAMES) else "acme"
    return replace(one, name=f"{owner}/{_NAMES[number % len(_NAMES)]}")


def strange_files(kind: str, chance: random.Random, number: int) -> Synthetic:
    """Names that a shell, a terminal or git could take for something else."""
    return of(kind, chance, number, *((name, programs.SCRIPT) for name in _FILES))
