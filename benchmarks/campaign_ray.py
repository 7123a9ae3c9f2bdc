"""The same campaign on this machine and on a Ray cluster of two nodes: is the end the same?

    python -m benchmarks.campaign_ray [--repositories N] [--proofs N] [CASE]...

Each row of the table is a campaign of its own. The first is done by processes of this machine. The
others have to leave the same in the ledger, whatever is killed (``kill -9``) in the middle: a
worker, a node, the campaign itself or the whole cluster. Then nothing may be left running.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.campaign_kills import _made
from devicefix.migration.ledger import Ledger
from devicefix.migration.orders import Result, Stage
from devicefix.migration.plan_file import load_plan
from devicefix.verification.process_tree import descendants
from tests.migration.ray_nodes import Nodes, until

_TIMES: Final = re.compile(r'(?<="seconds": )[0-9.e-]+|[0-9.]+(?= s \|)')
_LIMIT: Final = 600.0

Ledgers = dict[str, tuple[Any, ...]]


@dataclass
class Try:
    """One campaign."""

    plan: Path
    nodes: Nodes

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "devicefix",
            "migrate",
            str(self.plan),
            "--output-format",
            "json",
            *options,
        ]
        return subprocess.Popen(
            command,
            env=self.nodes.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def on_ray(self) -> subprocess.Popen[bytes]:
        self.nodes.environment["RAY_ADDRESS"] = self.nodes.address
        return self.start("--executor", "ray")

    def below(self, campaign: subprocess.Popen[bytes]) -> list[int]:
        """All processes of a campaign and of what works for it on the nodes."""
        tops = [campaign.pid, *self.nodes.working("prove"), *self.nodes.working("rewrite")]
        return [*tops, *(pid for top in tops for pid in descendants(top))]

    def proving(self) -> list[int]:
        """Workers in the middle of a proof."""
        return sorted(self.nodes.working("prove"))


def left_alone(tried: Try) -> str:
    return _end(tried.on_ray())


def worker_killed(tried: Try) -> str:
    campaign = tried.on_ray()
    until(tried.proving)
    os.kill(tried.proving()[0], signal.SIGKILL)
    return _end(campaign)


def node_killed(tried: Try) -> str:
    campaign = tried.on_ray()
    second = tried.nodes.nodes[1]
    until(lambda: any(title.startswith("ray::prove") for title in second.titles().values()))
    second.kill()
    return _end(campaign)


def campaign_killed(tried: Try) -> str:
    campaign = tried.on_ray()
    until(tried.proving)
    below = tried.below(campaign)
    campaign.kill()
    campaign.communicate()
    return f"nothing runs {_gone(below):.1f} s later; then: {_end(tried.on_ray())}"


def interrupted(tried: Try) -> str:
    campaign = tried.on_ray()
    until(tried.proving)
    below = tried.below(campaign)
    campaign.send_signal(signal.SIGINT)
    first = _end(campaign)
    return f"{first}, nothing runs {_gone(below):.1f} s later; then: {_end(tried.on_ray())}"


def cluster_killed(tried: Try) -> str:
    campaign = tried.on_ray()
    until(tried.proving)
    below = tried.below(campaign)
    for node in reversed(tried.nodes.nodes):
        node.kill()
    tried.nodes.nodes.clear()
    started = time.monotonic()
    first = _end(campaign)
    took = time.monotonic() - started
    (tried.nodes.folder / "ray_current_cluster").unlink(missing_ok=True)
    tried.nodes.add(1)
    tried.nodes.add(1)
    _gone(below)
    return f"{first} after {took:.0f} s; on another cluster: {_end(tried.on_ray())}"


def of_its_own(tried: Try) -> str:
    tried.nodes.environment.pop("RAY_ADDRESS", None)
    return _end(tried.start("--executor", "ray"))


CASES: Final[dict[str, Callable[[Try], str]]] = {
    "left alone": left_alone,
    "a worker killed": worker_killed,
    "a node killed": node_killed,
    "the campaign killed": campaign_killed,
    "Ctrl-C": interrupted,
    "the cluster killed": cluster_killed,
    "a cluster of its own": of_its_own,
}


def main() -> int:
    """Print the table; 1 if an end differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--repositories", type=int, default=5)
    parser.add_argument("--proofs", type=int, default=2)
    asked = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever a shell has ignored for us
    differ = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = [_made(folder / "made", number) for number in range(asked.repositories)]
        wanted, took = _local(_plan(folder / "local", made, asked.proofs))
        print("| case | seconds | exit status | same ledger |\n|---|---|---|---|")
        print(f"| local | {took:.0f} | | |", flush=True)
        for case in asked.cases or CASES:
            plan = _plan(folder / case.replace(" ", "-"), made, asked.proofs)
            with Nodes() as nodes:
                nodes.add(1)
                nodes.add(1)
                started = time.monotonic()
                said = CASES[case](Try(plan, nodes))
                took = time.monotonic() - started
            same = (found := ledger(plan)) == wanted
            differ += not same
            word = "yes" if same else "NO"
            print(f"| {case} | {took:.0f} | {said} | {word} |", flush=True)
            if not same:
                print(_difference(wanted, found), file=sys.stderr)
    return 1 if differ else 0


def _plan(folder: Path, made: list[Path], proofs: int) -> Path:
    folder.mkdir()
    plan = folder / "plan.toml"
    text = '[campaign]\nname = "c"\nworkspace = "state"\nretry-after = 1\n'
    for number, bare in enumerate(made):
        text += f'[[repositories]]\npath = "{bare}"\n'
        text += 'verify = "python train.py"\n' if number < proofs else ""
    plan.write_text(text, encoding="utf-8")
    return plan


def _local(plan: Path) -> tuple[Ledgers, float]:
    command = [sys.executable, "-m", "devicefix", "migrate", str(plan)]
    started = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    return ledger(plan), time.monotonic() - started


def ledger(plan: Path) -> Ledgers:
    """What is known of each repository in the end, but for what is of one run only: times."""
    found: Ledgers = {}
    with Ledger.read(load_plan(plan).database) as kept:
        for row in kept.rows():
            results = [kept.result(row.key, stage) for stage in (Stage.REWRITE, Stage.PROVE)]
            plain = [result and _timeless(result) for result in results]
            found[row.key] = (row.state, row.running, row.attempts, row.reason, *plain)
    return found


def _timeless(result: Result) -> Result:
    texts = (result.report, result.evidence, result.body)
    report, evidence, body = (_TIMES.sub("0", text) for text in texts)
    return replace(result, seconds=0.0, report=report, evidence=evidence, body=body)


def _difference(wanted: Ledgers, found: Ledgers) -> str:
    texts = [
        [line for one in what.values() for part in one for line in repr(part).split("\\n")]
        for what in (wanted, found)
    ]
    return "\n".join(difflib.unified_diff(*texts, "local", "Ray", n=3, lineterm=""))


def _end(campaign: subprocess.Popen[bytes]) -> str:
    """Its exit status, and what it said of that."""
    output, errors = campaign.communicate(timeout=_LIMIT)
    for line in output.splitlines():
        json.loads(line)
    said = errors.decode().strip().splitlines()
    told = [line for line in said if not line.startswith("Nothing was pushed")]
    return f"{campaign.returncode}{f' ({told[-1]})' if told else ''}"


def _gone(processes: list[int]) -> float:
    """Seconds until none of them is there any more."""
    started = time.monotonic()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in processes))
    return time.monotonic() - started


if __name__ == "__main__":
    sys.exit(main())
