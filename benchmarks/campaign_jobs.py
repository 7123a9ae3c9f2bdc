"""What two jobs bring over one, and what bounds it.

    python -m benchmarks.campaign_jobs [--repositories N] [--seed N] [--jobs N ...] [--turns N]

The campaign of benchmarks/campaign_scale.py without proofs, first as a rehearsal (clone and
rewrite), then with ``--open-prs`` (commit, push, pull request), with each number of jobs in turns:
where other work is done on the machine meanwhile, the fastest turn of each says most.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.synthetic.company import Company
from benchmarks.synthetic.kinds import NOT_EXECUTED, drawn
from benchmarks.synthetic.spent import Spent, spent

_HEAD = (
    "| Jobs | Stage | Wall | Processors in all | The command | Keepers | git | The work | "
    "Server | Load |\n|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repositories", type=int, default=60, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--turns", type=int, default=2, metavar="N")
    asked = parser.parse_args()
    left_out = {"open", "moved-on", "person", "declined", "merged", "missing", "empty", "huge"}
    kinds = [kind for kind in NOT_EXECUTED if kind not in left_out]
    made = drawn(asked.repositories, asked.seed, kinds)
    walls: dict[tuple[int, str], list[float]] = {}
    print(_HEAD)
    with tempfile.TemporaryDirectory() as name:
        company = Company(Path(name), made)
        for turn in range(asked.turns):
            for jobs in asked.jobs:
                with company.site(f"turn{turn}-{jobs}", f"jobs = {jobs}") as site:
                    for stage, options in (("rewrite", ()), ("publish", ("--open-prs",))):
                        took = spent(site, *options)
                        walls.setdefault((jobs, stage), []).append(took.wall)
                        print(_line(jobs, stage, took), flush=True)
                    requests, pulls = len(site.server.asked), site.server.pushes
    print(f"{requests} requests to the API and {pulls} pushes for {len(made)} repositories")
    for stage in ("rewrite", "publish"):
        best = {jobs: min(walls[jobs, stage]) for jobs in asked.jobs}
        first = best[asked.jobs[0]]
        ratios = ", ".join(
            f"{jobs}: {wall:.1f} s ({first / wall:.2f})" for jobs, wall in best.items()
        )
        print(f"{stage}, the fastest turn by jobs: {ratios}")
    return 0


def _line(jobs: int, stage: str, took: Spent) -> str:
    parts = (took.command, took.fork_servers, took.git, took.rest, took.server)
    shown = " | ".join(f"{part:.1f} s" for part in (took.wall, took.processor, *parts))
    return f"| {jobs} | {stage} | {shown} | {os.getloadavg()[0]:.1f} |"


if __name__ == "__main__":
    sys.exit(main())
