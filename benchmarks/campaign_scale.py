"""Campaigns over synthetic repositories whose end is known: is any lost, or anything done twice?

    python -m benchmarks.campaign_scale [--repositories N] [--seed N] [--jobs N] [--no-proofs]
        [--kills N] [--worker-kills N] [--against-jobs N] [--against-executor NAME]

`devicefix migrate --open-prs` runs over real git remotes and a server that speaks GitHub's API
(tests/github_api). First the campaign is left alone, and held against what each repository was
made to become: states, reasons, branches, files, commits, pull requests, and pushes as hooks of the
server count them. Then, all at once and each with repositories as new, the same campaign is killed
(``kill -9``) and resumed, loses workers, has another number of jobs, another executor: the end has
to be the same, field by field. Times are left out, and how often something was tried that a kill
met.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.synthetic.company import Company, Site
from benchmarks.synthetic.ends import End, different, ends, wrong
from benchmarks.synthetic.kinds import KINDS, NOT_EXECUTED, drawn
from benchmarks.synthetic.running import Kill, Took, bereft, killed, timed
from benchmarks.synthetic.shapes import Synthetic


def main() -> int:
    """Print the tables; 1 if an end is not as it has to be."""
    asked = _asked()
    kinds = asked.kinds or (NOT_EXECUTED if asked.no_proofs else tuple(KINDS))
    made = drawn(asked.repositories, asked.seed, kinds)
    with tempfile.TemporaryDirectory() as name:
        company = Company(Path(name), made)
        trial = _Trial(company, made, asked)
        if not asked.only_killed:
            trial.whole()
        others: list[Callable[[], None]] = []
        if asked.kills:
            others.append(partial(trial.killed, asked.kills))
        if asked.worker_kills:
            others.append(partial(trial.bereft, asked.worker_kills))
        if asked.against_jobs:
            others.append(partial(trial.against, f"jobs = {asked.against_jobs}"))
        if asked.against_executor:
            executor = f'jobs = {asked.jobs}\nexecutor = "{asked.against_executor}"'
            others.append(partial(trial.against, executor))
        with ThreadPoolExecutor(len(others) or 1) as threads:
            for done in [threads.submit(other) for other in others]:
                done.result()
    print(f"{trial.faults} faults")
    return 1 if trial.faults else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (
        ("repositories", 200),
        ("seed", 1),
        ("jobs", 2),
        ("kills", 0),
        ("worker-kills", 0),
        ("against-jobs", 0),
    ):
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N")
    parser.add_argument("--against-executor", default="", metavar="NAME")
    parser.add_argument(
        "--only-killed", action="store_true", help="hold kills against what was made, and no run"
    )
    parser.add_argument("--no-proofs", action="store_true", help="nothing is executed")
    parser.add_argument("--kinds", nargs="+", choices=tuple(KINDS), metavar="KIND")
    parser.add_argument("--report", type=Path, help="where the page of the first campaign goes")
    return parser.parse_args()


class _Trial:
    def __init__(
        self, company: Company, made: Sequence[Synthetic], asked: argparse.Namespace
    ) -> None:
        self._company = company
        self._made = made
        self._asked = asked
        self._said = f"jobs = {asked.jobs}"
        self._whole: Mapping[str, End] = {}
        self.faults = 0

    def whole(self) -> None:
        with self._company.site("whole", self._said) as site:
            took = timed(site, "--open-prs")
            self._whole = ends(site)
            self._judge([line for one in self._made for line in wrong(one, self._found(one), site)])
            self._told(self._said, took)
            self._left_behind(site)
            print(_table(self._made, self._whole))
            if self._asked.report:
                site.report(self._asked.report)

    def _found(self, one: Synthetic) -> End:
        return self._whole[one.entry]

    def killed(self, kills: int) -> None:
        with self._company.site("killed", self._said) as site:
            found = killed(site, kills, random.Random(self._asked.seed))
            self._compare(site, f"killed {len(found)} times", exactly=True)
            print(_kills("Kill", found))

    def bereft(self, kills: int) -> None:
        with self._company.site("bereft", self._said) as site:
            found = bereft(site, kills, random.Random(self._asked.seed))
            self._compare(site, f"{len(found)} workers killed", exactly=False)
            print(_kills("Worker killed", found))

    def against(self, said: str) -> None:
        with self._company.site("-".join(said.split()).replace('"', ""), said) as site:
            site.run()
            self._compare(site, said.replace("\n", ", "), exactly=True)

    def _compare(self, site: Site, what: str, exactly: bool) -> None:
        found = ends(site)
        for one in self._made:
            self._judge([f"{what}: {line}" for line in wrong(one, found[one.entry], site, True)])
        pushes = sum(end.get("taken", 0) for end in found.values())
        asked = sum(end.get("asked", 0) for end in found.values())
        again = sum(one.end.operation != found[one.entry]["operation"] for one in self._made)
        print(
            f"{what}: {len(found)} repositories; the server was asked for {asked} pushes and took "
            f"{pushes}; {again} pull requests were found that had been opened right before"
        )
        if self._whole:
            self._held(found, what, exactly)
        self._left_behind(site)

    def _held(self, found: Mapping[str, End], what: str, exactly: bool) -> None:
        """Field by field against the campaign that was left alone."""
        differing = {
            name: different(self._whole[name], end, exactly) for name, end in found.items()
        }
        same = sum(not keys for keys in differing.values())
        print(f"{what}: {same} of {len(found)} ends the same as without")
        self._judge(
            [
                f"{what}: {name}: {key}: {found[name].get(key)!r}, and was "
                f"{self._whole[name].get(key)!r}"
                for name, keys in differing.items()
                for key in keys
            ]
        )

    def _left_behind(self, site: Site) -> None:
        """Folders of clones, and whatever else nobody needs any more."""
        state = site.folder / "state"
        places = [site.folder / "tmp", state / "work"]
        left = [path.name for place in places if place.is_dir() for path in place.iterdir()]
        left += [path.name for path in state.glob("devicefix-*")]
        print(f"left behind: {', '.join(sorted(left)) or 'nothing'}")

    def _judge(self, lines: Sequence[str]) -> None:
        self.faults += len(lines)
        for line in lines:
            print(f"FAULT {line}", flush=True)

    def _told(self, what: str, took: Took) -> None:
        many = len(self._made)
        print(
            f"{what}, {many} repositories: {took.wall:.0f} s ({took.wall / many:.2f} s each), "
            f"{took.processor:.0f} s of processors ({took.processor / many:.2f} s each), "
            f"and {took.server:.0f} s of the server; load {os.getloadavg()[0]:.1f}",
            flush=True,
        )


def _table(made: Sequence[Synthetic], found: Mapping[str, End]) -> str:
    lines = [
        "| Kind | Repositories | End | Pull requests | Pushes | Requests for each | Said |",
        "|---|--:|---|--:|--:|--:|---|",
    ]
    groups: dict[tuple[str, str], list[End]] = {}
    for one in made:
        end = found[one.entry]
        groups.setdefault((one.kind, end["state"]), []).append(end)
    for (kind, state), rows in sorted(groups.items()):
        pulls = sum(len(row.get("pulls", ())) for row in rows)
        taken = sum(row.get("taken", 0) for row in rows)
        asked = sorted({row.get("requests", 0) for row in rows})
        requests = f"{asked[0]} to {asked[-1]}" if len(asked) > 1 else str(asked[0])
        said = rows[0]["reason"].split("\n")[0][:100].replace("|", "\\|")
        counts = f"{len(rows)} | {state} | {pulls} | {taken} | {requests}"
        lines.append(f"| {kind} | {counts} | {said} |")
    return "\n".join(lines)


def _kills(what: str, found: Sequence[Kill]) -> str:
    lines = [f"| {what} | Repositories done by then | Under way |", "|--:|--:|---|"]
    lines += [f"| {n} | {kill.done} | {kill.under_way} |" for n, kill in enumerate(found, 1)]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
