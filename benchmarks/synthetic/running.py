"""Campaigns of the command line, with what they took, and with what is killed meanwhile."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.synthetic.company import Site
from devicefix.verification.process_tree import descendants

_WORKER: Final = b"devicefix.migration.fork_server"
"""In the command line of those who do the work, and of each process that they fork for it."""
_MOMENT: Final = 1.0
"""Seconds: a kill comes up to so long after the repository that it waits for has ended."""


@dataclass(frozen=True, slots=True)
class Took:
    """What a campaign took: seconds."""

    wall: float
    processor: float
    """Of devicefix and all that it starts; not of the server."""
    server: float
    """Of the server, which runs on the same machine."""


@dataclass(frozen=True, slots=True)
class Kill:
    """Something that was killed."""

    done: int
    """Repositories that had come to their end by then."""
    under_way: str
    """What was."""


def timed(site: Site, *options: str) -> Took:
    """The whole campaign, or what is left of it."""
    server, started = time.process_time() + _below(), time.monotonic()
    with site.words.open("ab") as words:
        process = subprocess.Popen(
            [*site.command("resume"), "--output-format", "json", *options],
            env=site.environment(),
            stdout=subprocess.DEVNULL,
            stderr=words,
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    site.check_words()
    own = used.ru_utime + used.ru_stime
    now = time.process_time() + _below()
    return Took(time.monotonic() - started, own, now - server - own)


def _below() -> float:
    """Of the processes that this one has waited for."""
    times = os.times()
    return times.children_user + times.children_system


@dataclass
class _Run:
    """One start of the command, and what it has told."""

    site: Site
    done: set[str]
    under_way: Counter[str] = field(default_factory=Counter)
    is_over: bool = False

    def __post_init__(self) -> None:
        with self.site.words.open("ab") as words:  # no pipe, which orphans would keep open
            self.process = subprocess.Popen(
                [*self.site.command("resume"), "--open-prs", "--output-format", "json"],
                env=self.site.environment(),
                stdout=subprocess.PIPE,
                stderr=words,
            )

    def read_until(self, is_enough: Callable[[], bool]) -> None:
        """What it tells, line by line."""
        assert self.process.stdout is not None
        while not is_enough():
            line = self.process.stdout.readline()
            if not line.endswith(b"}\n"):
                break
            self._told(json.loads(line))

    def _told(self, line: dict[str, object]) -> None:
        self.is_over = line["event"] == "end"
        if self.is_over:
            return
        self.under_way[str(line["stage"])] += 1 if line["event"] == "begun" else -1
        if line["last"]:
            self.done.add(str(line["name"]))

    def kill(self) -> None:
        """At once, with what nobody has read yet."""
        self.process.kill()
        self.finish()

    def finish(self) -> None:
        """Until it has ended."""
        self.read_until(lambda: False)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process.wait()
        self.site.check_words()

    @property
    def said(self) -> Kill:
        running = +self.under_way
        return Kill(len(self.done), ", ".join(f"{n} {stage}" for stage, n in running.items()))


def killed(site: Site, kills: int, chance: random.Random) -> list[Kill]:
    """``kill -9`` of the command at so many instants, spread over the campaign; then to its end."""
    found: list[Kill] = []
    done: set[str] = set()
    for mark in _marks(site, kills, chance):
        run = _Run(site, done)
        run.read_until(lambda mark=mark: len(done) >= mark)  # type: ignore[misc]
        time.sleep(chance.uniform(0.0, _MOMENT))
        run.kill()
        if run.is_over:
            break
        found.append(run.said)
    last = _Run(site, done)
    last.finish()
    return found


def bereft(site: Site, kills: int, chance: random.Random) -> list[Kill]:
    """The campaign, while so many of its workers are killed."""
    run = _Run(site, set())
    found: list[Kill] = []
    for mark in _marks(site, kills, chance):
        run.read_until(lambda mark=mark: len(run.done) >= mark)  # type: ignore[misc]
        time.sleep(chance.uniform(0.0, _MOMENT))
        workers = _workers(run.process.pid)
        if workers:
            with suppress(ProcessLookupError):
                os.kill(chance.choice(workers), signal.SIGKILL)
                found.append(run.said)
    run.finish()
    return found


def _marks(site: Site, kills: int, chance: random.Random) -> list[float]:
    return sorted(chance.uniform(0.0, len(site.made) * 0.97) for _ in range(kills))


def _workers(process: int) -> list[int]:
    found = []
    for number in descendants(process):
        with suppress(OSError):
            if _WORKER in Path(f"/proc/{number}/cmdline").read_bytes():
                found.append(number)
    return found
