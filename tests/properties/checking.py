"""What has to hold of a generated program and of what `apply` makes of it."""

from __future__ import annotations

import ast
import difflib
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from devicefix.engine import Report, apply
from devicefix.engine.report import Left
from devicefix.settings import Settings
from tests.properties.programs import Generated, Written
from tests.properties.rewording import REWORDINGS, written_by_python
from tests.properties.running import Ran, on_cpu, simulated
from tests.properties.variations import VARIATIONS, Files

_ELSE: Final = ("DFX2", "DFX5", "DFX6")
"""Rules that are not about what is missing: what names CUDA, is slow, or is old."""


_ALIKE: Final = MappingProxyType({"DFX107": "DFX103"})
"""Which of them it is depends on whether a device has a name where the function stands."""


@dataclass(frozen=True, slots=True)
class Violation:
    """What does not hold."""

    rule: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.rule}: {self.detail}" if self.detail else self.rule


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What `apply` makes of a program, and what it says of it."""

    files: Files
    report: Report
    """Of this program alone."""

    @property
    def text(self) -> str:
        """The main file."""
        return self.files["__main__"]


def rewrite(text: str, folder: Path) -> Rewritten:
    """What `apply` makes of a file with that text."""
    return rewrite_all([{"__main__": text}], folder)[0]


def rewrite_all(programs: Sequence[Files], folder: Path) -> list[Rewritten]:
    """What `apply` makes of programs, each in a folder of its own, in one run."""
    places = [_written(files, folder / str(n)) for n, files in enumerate(programs)]
    report = apply([p for paths in places for p in paths.values()], Settings(), dry_run=True)
    return [_part(files, paths, report) for files, paths in zip(programs, places, strict=True)]


def _written(files: Files, folder: Path) -> dict[str, Path]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    paths = {name: folder / f"{name.strip('_')}.py" for name in files}
    for name, text in files.items():
        paths[name].write_text(text)
    return paths


def _part(files: Files, paths: Mapping[str, Path], report: Report) -> Rewritten:
    """What the report of several programs says of this one."""
    mine = {str(path) for path in paths.values()}
    results = tuple(f for f in report.files if f.path in mine)
    errors = tuple(e for e in report.errors if e.path in mine)
    after = {f.path: f.change.after.decode() for f in results if f.change is not None}
    texts = {name: after.get(str(paths[name]), text) for name, text in files.items()}
    return Rewritten(texts, replace(report, files=results, errors=errors))


def variations_that_differ(program: Generated, folder: Path) -> Iterator[Violation]:
    """Ways of writing the program in which something else is found, or comes out."""
    if on_cpu(program.plain).error:
        return
    ways = [vary(program.text) for vary in VARIATIONS]
    first, *others = rewrite_all([{"__main__": program.text}, *ways], folder)
    found, wanted = _findings(first.report), simulated(first.text)
    for vary, other in zip(VARIATIONS, others, strict=True):
        ran = simulated(other.text, {n: t for n, t in other.files.items() if n[0] != "_"})
        name = f"{vary.__name__}: "
        if (now := _findings(other.report)) != found:
            gone, new = found - now, now - found
            yield Violation("other findings", f"{name}-{dict(gone)} +{dict(new)}")
        if bool(ran.error) != bool(wanted.error):
            yield Violation("another outcome", name + (ran.error or f"no {wanted.error}"))
        elif not ran.error and ran.outcome != wanted.outcome:
            yield Violation("another outcome", name + _difference(wanted, ran))


def _findings(report: Report) -> Counter[str]:
    """What was found, without places and names."""
    found = [finding for file in report.files for finding in file.findings]
    codes = ((_ALIKE.get(f.code, f.code), f.fix) for f in found)
    return Counter(f"{code} {fix.applicability.name if fix else ''}" for code, fix in codes)


def rewordings_that_differ(text: str, folder: Path) -> Iterator[Violation]:
    """Ways of writing any program, as Python writes its tree, in which something else is found."""
    plain = written_by_python(text)
    ways = [{"__main__": reword(plain)} for reword in REWORDINGS]
    first, *others = rewrite_all([{"__main__": plain}, *ways], folder)
    found = _findings(first.report)
    for reword, other in zip(REWORDINGS, others, strict=True):
        if (now := _findings(other.report)) != found:
            gone, new = dict(found - now), dict(now - found)
            yield Violation("other findings", f"{reword.__name__}: -{gone} +{new}")


def violations(program: Generated, folder: Path) -> list[Violation]:
    """What does not hold for `program`; ``invalid``, where the program itself is none."""
    return violations_of([program], folder)[0]


def violations_of(programs: Sequence[Generated], folder: Path) -> list[list[Violation]]:
    """The same of several programs, which are rewritten together: that costs less."""
    once = rewrite_all([{"__main__": p.text} for p in programs], folder)
    pairs = list(zip(programs, once, strict=True))
    changed = [r.files for p, r in pairs if r.text != p.text]
    twice = iter(rewrite_all(changed, folder) if changed else [])
    return [list(_judged(p, r, next(twice) if r.text != p.text else r)) for p, r in pairs]


def _judged(program: Generated, once: Rewritten, again: Rewritten) -> Iterator[Violation]:
    plain = on_cpu(program.plain)
    if plain.error:
        yield Violation("invalid", plain.error)
        return
    yield from _of_the_text(once, again)
    golden = simulated(program.right).outcome == plain.outcome
    left = _left(once)
    here = on_cpu(once.text)
    if here.outcome != plain.outcome and (program.runs_anywhere or not left):
        yield Violation("another meaning on the CPU", _difference(plain, here))
    yield from _on_the_device(program, plain if golden else None, once.text, left)
    if golden and program.written is Written.ALL and program.anchored and program.names_device:
        codes = {f.code for file in once.report.files for f in file.applied}
        if unwanted := sorted(code for code in codes if code != "DFX402" and code[:4] not in _ELSE):
            yield Violation("a right program is changed", ", ".join(unwanted))


def _left(once: Rewritten) -> list[Left]:
    """What a person has to decide; a report on efficiency is no such thing."""
    left = [x for f in once.report.files for x in f.left]
    return [x for x in left if not x.finding.code.startswith("DFX5")]


def _on_the_device(
    program: Generated, golden: Ran | None, after: str, left: Sequence[Left]
) -> Iterator[Violation]:
    """What is wrong on the simulated accelerator; ``golden`` is what has to come out there."""
    there = simulated(after)
    before = golden or simulated(program.text)
    if there.error or (not before.error and there.outcome != before.outcome):
        if not left:
            kind = "wrong on a device" if golden else "doubtful on a device"
            yield Violation(kind, _difference(before, there))
        elif golden:
            yield Violation("left", f"{left[0].finding.code} {left[0].finding.advice}")
    elif program.anchored and "cpu" in there.devices and not left:
        yield Violation("left on the host")


def _difference(wanted: Ran, got: Ran) -> str:
    if got.error:
        return got.error
    pairs = zip(wanted.outcome[0].split("\n"), got.outcome[0].split("\n"), strict=False)
    return next((f"{a!r} became {b!r}" for a, b in pairs if a != b), "fewer lines")


def _of_the_text(once: Rewritten, again: Rewritten) -> Iterator[Violation]:
    if once.report.errors:
        yield Violation("an error", once.report.errors[0].reason)
    try:
        ast.parse(once.text)
    except SyntaxError as error:
        yield Violation("does not parse", str(error))
        return
    if again.text != once.text:
        lines = difflib.ndiff(once.text.split("\n"), again.text.split("\n"))
        yield Violation("not stable", " | ".join(line for line in lines if line[0] in "+-"))
