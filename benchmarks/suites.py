"""Whether libraries' own tests still pass after `devicefix apply`: none may be harmed.

    python benchmarks/suites.py --mirrors DIR [--only NAME]... [--whole] [--fresh] [--json FILE]

`suites.json` names the libraries: repository and commit, the arguments of pytest, what is
rewritten, and what the tests need beside PyTorch and pytest, which are this interpreter's.
``--mirrors`` has a git repository of each, as ``owner+name`` or ``owner/name``.

`devicefix apply` rewrites the sources of a copy, or with ``--whole`` all of it, the tests included.
The suite runs twice before, on the CPU and with ``--simulate-device``, and once after; if a test
fails, again. Where nothing was rewritten it runs once: that is before and after.

    harmed     tests that passed in both runs before, and pass in none after
    more       tests that pass after, and passed in no run before

Outcomes before are kept in ``--work`` as long as the entry, Python, PyTorch and pytest stay what
they are; ``--fresh`` runs them again. What was changed is in ``NAME/after.diff`` or
``NAME/whole.diff``, what the tests said in ``NAME/*.log``. Exit status 1 if a test was harmed, 2
if a suite could not be run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from suites_work import (
    Applied,
    Manifest,
    Outcomes,
    Suite,
    SuiteError,
    apply,
    extract,
    install,
    keep,
    kept,
    run,
)

MANIFEST: Final = Path(__file__).with_suffix(".json")
DEVICE: Final = "cuda"
PACKAGES: Final = "packages"
_MISSING: Final = "no outcome"


@dataclass(frozen=True, slots=True)
class Compared:
    """The outcomes of one suite before and after, on the CPU or on the simulated device."""

    tests: int
    before: int
    """Tests that passed in both runs."""
    after: int
    """Tests that passed."""
    harmed: Mapping[str, str]
    """What those say now that passed in both runs before."""
    more: list[str]
    """Those that passed in no run before."""

    @classmethod
    def of(cls, before: Sequence[Outcomes], after: Outcomes) -> Compared:
        """Of the runs."""
        stable = set.intersection(*(each.passed for each in before))
        ever = set.union(*(each.passed for each in before))
        lost = sorted(stable - after.passed)
        return cls(
            len(set(after.tests).union(*(each.tests for each in before))),
            len(stable),
            len(after.passed),
            {name: after.tests.get(name, _MISSING) for name in lost},
            sorted(after.passed - ever),
        )


def measured(suite: Suite, digest: str, given: argparse.Namespace) -> dict[str, Any]:
    """All of one suite."""
    home, packages = given.work / suite.name, given.work / PACKAGES
    home.mkdir(parents=True, exist_ok=True)
    before, after = home / "before", home / ("whole" if given.whole else "after")
    extract(suite, given.mirrors, before)
    applied = None if given.before else _applied(suite, before, after, given.whole)
    found: dict[str, Any] = {"name": suite.name, "commit": suite.commit}
    found |= {"applied": asdict(applied)} if applied else {}
    for device in ("", DEVICE):
        runs = _before(suite, digest, given, device, 2 if applied is None or applied.files else 1)
        place = device or "cpu"
        _tell(f"  {place}: {', '.join(str(len(r.passed)) for r in runs)} passed before")
        if applied:
            compared = _after(suite, runs, after, packages, device, applied)
            found[place] = asdict(compared)
            for name, said in compared.harmed.items():
                _tell(f"  {place}: {name} no longer passes: {said}")
    return found


def _after(
    suite: Suite, before: Sequence[Outcomes], tree: Path, packages: Path, device: str, done: Applied
) -> Compared:
    if not done.files:
        return Compared.of(before, before[-1])  # the same files
    compared = Compared.of(before, run(suite, tree, packages, device))
    if compared.harmed:
        again = Compared.of(before, run(suite, tree, packages, device))
        both = {name: said for name, said in again.harmed.items() if name in compared.harmed}
        compared = replace(compared, harmed=both)
    return compared


def _before(
    suite: Suite, digest: str, given: argparse.Namespace, device: str, times: int
) -> list[Outcomes]:
    home = given.work / suite.name
    known = home / f"before-{device or 'cpu'}.json"
    runs = [] if given.fresh else kept(known, digest)
    while len(runs) < times:
        runs.append(run(suite, home / "before", given.work / PACKAGES, device))
        keep(known, digest, runs)
    return runs


def _applied(suite: Suite, before: Path, after: Path, whole: bool) -> Applied:
    shutil.rmtree(after, ignore_errors=True)
    shutil.copytree(before, after)
    applied = apply(suite, before, after, ["."] if whole else suite.apply)
    _tell(f"  apply: {applied.hunks} hunks in {applied.files} files, {applied.seconds} s")
    if applied.status:
        _tell(f"  apply: status {applied.status}: {applied.said[-1:]}")
    return applied


def table(results: Sequence[Mapping[str, Any]]) -> str:
    """In Markdown."""
    lines = [
        "| library | files | hunks | CPU | after | harmed | simulated | after | harmed | more |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    rows = [_row(each) for each in results if DEVICE in each]
    if rows:
        rows.append(["**all**", *(sum(row[at] for row in rows) for at in range(1, len(rows[0])))])
    lines += [f"| {' | '.join(map(_shown, row))} |" for row in rows]
    lines += [f"| {each['name']} | {each['error']} |" for each in results if "error" in each]
    return "\n".join(lines)


def _row(each: Mapping[str, Any]) -> list[Any]:
    applied, cpu, device = each["applied"], each["cpu"], each[DEVICE]
    counts = [cpu["before"], cpu["after"], len(cpu["harmed"])]
    counts += [device["before"], device["after"], len(device["harmed"]), len(device["more"])]
    return [each["name"], applied["files"], applied["hunks"], *counts]


def _shown(cell: str | int) -> str:
    return cell if isinstance(cell, str) else f"{cell:,}"


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mirrors", type=Path, required=True, metavar="DIR")
    parser.add_argument("--work", type=Path, default=Path("build/suites"), metavar="DIR")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--whole", action="store_true", help="rewrite the tests, too")
    parser.add_argument("--before", action="store_true", help="only the runs before")
    parser.add_argument("--fresh", action="store_true", help="keep nothing of earlier runs")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


def main() -> int:
    """Run them, one after the other."""
    given = _arguments()
    given.mirrors, given.work = given.mirrors.resolve(), given.work.resolve()
    manifest = Manifest.read(MANIFEST)
    install(manifest.requirements, given.work / PACKAGES)
    results: list[dict[str, Any]] = []
    for suite in manifest.suites:
        if given.only and suite.name not in given.only:
            continue
        _tell(suite.name)
        try:
            results.append(measured(suite, suite.digest(manifest.requirements), given))
        except SuiteError as error:
            _tell(f"  {error}")
            results.append({"name": suite.name, "error": str(error)})
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    print(table(results))
    if any("error" in each for each in results):
        return 2
    return int(any(each.get(place, {}).get("harmed") for each in results for place in _PLACES))


_PLACES: Final = ("cpu", DEVICE)

if __name__ == "__main__":
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.exit(main())
