"""A campaign that is killed (``kill -9``) at random instants, and resumed: is the end the same?

    python -m benchmarks.campaign_kills [--kills N] [--repositories N] [--jobs N] [--seed N]

Each row of the table is a campaign of its own, over real git remotes and a server that speaks
GitHub's API (tests/github_api). The first is not killed; the others have to come to its end: the
same states, one branch and one pull request for each repository, one commit on it, the same files.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.github_api.server import GitHubServer, running

TOKEN: Final = "ghs_benchmark"
BRANCH: Final = "devicefix/main"
PROGRAM: Final = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 2).to(device)
inputs = torch.randn({number}, 8)
print(model(inputs).sum().item())
"""


def main() -> int:
    """Print the table; 1 if an end differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--repositories", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = [_made(folder / "made", number) for number in range(asked.repositories)]
        with _campaign(folder / "whole", made, asked.jobs) as (server, plan):
            started = time.monotonic()
            _finish(plan)
            whole = time.monotonic() - started
            wanted = _end(server, plan)
        print(f"not killed: {whole:.1f} s, {_counts(wanted)}")
        print("| kill | at | done by then | same end | pushes |\n|---|---|---|---|---|")
        differ = 0
        for kill in range(1, asked.kills + 1):
            with _campaign(folder / str(kill), made, asked.jobs) as (server, plan):
                instant = chance.uniform(0.0, whole)
                done = _kill(plan, instant)
                _finish(plan)
                same = _end(server, plan) == wanted
                differ += not same
                word = "yes" if same else "NO"
                print(
                    f"| {kill} | {instant:.2f} s | {done} | {word} | {server.pushes} |", flush=True
                )
    return 1 if differ else 0


def _made(folder: Path, number: int) -> Path:
    """A bare repository; each fourth has nothing to fix."""
    tree, bare = folder / f"r{number}", folder / f"r{number}.git"
    tree.mkdir(parents=True)
    text = PROGRAM.format(number=number + 1) if number % 4 != 3 else "print(1)\n"
    (tree / "train.py").write_text(text, encoding="utf-8")
    mail = ("-c", "user.name=Jane", "-c", "user.email=jane@example.org")
    for command in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "one")):
        subprocess.run(["git", *mail, *command], cwd=tree, check=True)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", bare], check=True)
    subprocess.run(["git", "push", "-q", bare, "main"], cwd=tree, check=True)
    return bare


@contextmanager
def _campaign(folder: Path, made: list[Path], jobs: int) -> Iterator[tuple[GitHubServer, Path]]:
    """A server of its own; the first repository refuses to be pushed to."""
    folder.mkdir()
    with running(folder / "server", TOKEN) as server:
        for bare in made:
            server.add(f"acme/{bare.stem}", bare)
        server.repositories[f"acme/{made[0].stem}"].protect(BRANCH)
        plan = folder / "plan.toml"
        text = (
            f'[campaign]\nname = "c"\nworkspace = "state"\npause = 0\njobs = {jobs}\n'
            f'github-api = "{server.api}"\n'
        )
        for bare in made:
            text += f'[[repositories]]\nurl = "{server.address}/acme/{bare.stem}.git"\n'
        plan.write_text(text, encoding="utf-8")
        yield server, plan
    shutil.rmtree(folder)


def _command(plan: Path) -> list[str]:
    return [
        sys.executable,
        "-m",
        "devicefix",
        "migrate",
        str(plan),
        "--open-prs",
        "--output-format",
        "json",
    ]


def _environment() -> dict[str, str]:
    return {**os.environ, "GITHUB_TOKEN": TOKEN, "GIT_CONFIG_GLOBAL": os.devnull}


def _kill(plan: Path, instant: float) -> int:
    """Start it and kill it; how many repositories had come to their end."""
    with subprocess.Popen(_command(plan), stdout=subprocess.PIPE, env=_environment()) as process:
        time.sleep(instant)
        process.kill()
        output = process.communicate()[0]
    lines = [json.loads(line) for line in output.splitlines() if line.endswith(b"}")]
    return sum(bool(line.get("last")) for line in lines)


def _finish(plan: Path) -> None:
    subprocess.run(_command(plan), stdout=subprocess.DEVNULL, env=_environment(), check=False)


def _end(server: GitHubServer, plan: Path) -> dict[str, Any]:
    """What is there at the end, on both sides."""
    command = [
        sys.executable,
        "-m",
        "devicefix",
        "migrate",
        "status",
        str(plan),
        "--output-format",
        "json",
    ]
    told = json.loads(subprocess.run(command, capture_output=True, check=False).stdout)
    found = {}
    for row in told["repositories"]:
        remote = server.repositories[row["name"]]
        head = remote.head_of(BRANCH)
        found[row["name"]] = (
            *(row["state"], row["running"], row["attempts"]),
            len(remote.pulls),
            remote.git("rev-list", "--count", f"main..{BRANCH}") if head else None,
            remote.git("rev-parse", f"{BRANCH}^{{tree}}") if head else None,
        )
    return found


def _counts(end: dict[str, Any]) -> str:
    states = [one[0] for one in end.values()]
    return ", ".join(f"{states.count(state)} {state}" for state in sorted(set(states)))


if __name__ == "__main__":
    sys.exit(main())
