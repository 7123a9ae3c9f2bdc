"""What has to hold of a generated program and of what `apply` makes of it."""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from devicefix.engine import Report, apply
from devicefix.settings import Settings
from tests.properties.programs import Generated, Written
from tests.properties.running import Ran, on_cpu, simulated
from tests.properties.variations import VARIATIONS, Files


@dataclass(frozen=True, slots=True)
class Violation:
    """What does not hold."""

    rule: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.rule}: {self.detail}" if self.detail else self.rule


def rewrite(text: str, folder: Path) -> tuple[str, Report]:
    """What `apply` makes of a file with that text."""
    files, report = rewrite_all({"__main__": text}, folder)
    return files["__main__"], report


def rewrite_all(files: Files, folder: Path) -> tuple[dict[str, str], Report]:
    """What `apply` makes of a program of several files."""
    paths = {name: folder / f"{name.strip('_')}.py" for name in files}
    for name, text in files.items():
        paths[name].write_text(text)
    report = apply(list(paths.values()), Settings(), dry_run=True)
    for path in paths.values():
        path.unlink()
    after = {f.path: f.change.after.decode() for f in report.files if f.change is not None}
    return {name: after.get(str(paths[name]), text) for name, text in files.items()}, report


def variations_that_differ(program: Generated, folder: Path) -> Iterator[Violation]:
    """Ways of writing the program in which something else is found, or comes out."""
    if on_cpu(program.plain).error:
        return
    after, report = rewrite(program.text, folder)
    found, wanted = _findings(report), simulated(after)
    for vary in VARIATIONS:
        files = vary(program.text)
        changed, other = rewrite_all(files, folder)
        ran = simulated(changed["__main__"], {n: t for n, t in changed.items() if n[0] != "_"})
        name = f"{vary.__name__}: "
        if _findings(other) != found:
            gone, new = found - _findings(other), _findings(other) - found
            yield Violation("other findings", f"{name}-{dict(gone)} +{dict(new)}")
        if bool(ran.error) != bool(wanted.error):
            yield Violation("another outcome", name + (ran.error or f"no {wanted.error}"))
        elif not ran.error and ran.outcome != wanted.outcome:
            yield Violation("another outcome", name + _difference(wanted, ran))


def _findings(report: Report) -> Counter[str]:
    """What was found, without places and names."""
    found = [finding for file in report.files for finding in file.findings]
    return Counter(f"{f.code} {f.fix.applicability.name if f.fix else ''}" for f in found)


def violations(program: Generated, folder: Path) -> Iterator[Violation]:
    """What does not hold for `program`; nothing, where the program itself is none."""
    plain = on_cpu(program.plain)
    if plain.error:
        yield Violation("invalid", plain.error)
        return
    right = simulated(program.right)
    golden = right.outcome == plain.outcome
    after, report = rewrite(program.text, folder)
    yield from _of_the_text(program, after, report, folder)
    here = on_cpu(after)
    left = [x for f in report.files for x in f.left if not x.finding.code.startswith("DFX5")]
    if here.outcome != plain.outcome and (program.runs_anywhere or not left):
        yield Violation("another meaning on the CPU", _difference(plain, here))
    there = simulated(after)
    before = plain if golden else simulated(program.text)
    if there.error or (not before.error and there.outcome != before.outcome):
        if not left:
            kind = "wrong on a device" if golden else "doubtful on a device"
            yield Violation(kind, _difference(before, there))
        elif golden:
            yield Violation("left", f"{left[0].finding.code} {left[0].finding.advice}")
    elif program.anchored and "cpu" in there.devices and not left:
        yield Violation("left on the host")
    if golden and program.written is Written.ALL and program.anchored and program.names_device:
        codes = {f.code for file in report.files for f in file.applied}
        if unwanted := sorted(
            code for code in codes if code != "DFX402" and code[:4] not in ("DFX5", "DFX2")
        ):
            yield Violation("a right program is changed", ", ".join(unwanted))


def _difference(wanted: Ran, got: Ran) -> str:
    if got.error:
        return got.error
    pairs = zip(wanted.outcome[0].split("\n"), got.outcome[0].split("\n"), strict=False)
    return next((f"{a!r} became {b!r}" for a, b in pairs if a != b), "fewer lines")


def _of_the_text(
    program: Generated, after: str, report: Report, folder: Path
) -> Iterator[Violation]:
    if report.errors:
        yield Violation("an error", report.errors[0].reason)
    try:
        ast.parse(after)
    except SyntaxError as error:
        yield Violation("does not parse", str(error))
        return
    again, _ = rewrite(after, folder)
    if again != after:
        changed = [x for x in difflib.ndiff(after.split("\n"), again.split("\n")) if x[0] in "+-"]
        yield Violation("not stable", " | ".join(changed))
