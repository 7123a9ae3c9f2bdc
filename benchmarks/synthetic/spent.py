"""Where the time of a campaign goes: the command itself, those who work for it, git, the server."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.synthetic.company import Site
from devicefix.verification.process_tree import descendants

_KEEPER: Final = b"devicefix.migration.fork_server"
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAUSE: Final = 0.2
_GIT: Final = """\
#!/bin/bash
TIMEFORMAT='%U %S'
{{ time {git} "$@" 2>&4 ; }} 4>&2 2>> {log}
"""
"""As much as git and what it starts for its work take of a processor."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of one campaign."""

    wall: float
    command: float
    """Of a processor, as all below: the command itself, which talks to the server, too."""
    keepers: float
    """The processes that import everything once, and fork."""
    git: float
    rest: float
    """The forks, one for each stage of each repository; with what a proof runs."""
    server: float
    """Which is not devicefix, but runs on the same machine."""

    @property
    def processor(self) -> float:
        """Of devicefix and all that it starts."""
        return self.command + self.keepers + self.git + self.rest


def spent(site: Site, *options: str) -> Spent:
    """The whole campaign, or what is left of it."""
    log = site.folder / "git.log"
    log.write_text("", encoding="utf-8")
    environment = {
        **site.environment(),
        "PATH": f"{_wrapped(site.folder, log)}:{os.environ['PATH']}",
    }
    before, started = _ours(), time.monotonic()
    with site.words.open("ab") as words:
        process = subprocess.Popen(
            [*site.command("resume"), "--output-format", "json", *options],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=words,
        )
        command, keepers, used = _watched(process)
    wall = time.monotonic() - started
    site.check_words()
    git = sum(map(float, log.read_text(encoding="utf-8").split()))
    rest = used - command - keepers - git
    return Spent(wall, command, keepers, git, rest, _ours() - before - used)


def _wrapped(folder: Path, log: Path) -> Path:
    """A folder with a ``git`` that notes what it takes."""
    place = folder / "bin"
    place.mkdir(exist_ok=True)
    (place / "git").write_text(_GIT.format(git=shutil.which("git"), log=log), encoding="utf-8")
    (place / "git").chmod(0o755)
    return place


def _watched(process: subprocess.Popen[bytes]) -> tuple[float, float, float]:
    """Until it ends: its own time, that of its keepers, and of all below it together."""
    own, keepers = 0.0, dict[int, float]()
    while True:
        with suppress(OSError):
            own = _own(process.pid)
        for number in descendants(process.pid):
            with suppress(OSError):
                if _is_keeper(number, process.pid):
                    keepers[number] = _own(number)
        done, status, used = os.wait4(process.pid, os.WNOHANG)
        if done:
            process.returncode = os.waitstatus_to_exitcode(status)
            return own, sum(keepers.values()), used.ru_utime + used.ru_stime
        time.sleep(_PAUSE)


def _is_keeper(number: int, parent: int) -> bool:
    is_one = _KEEPER in Path(f"/proc/{number}/cmdline").read_bytes()
    return is_one and int(_fields(number)[1]) == parent


def _own(number: int) -> float:
    fields = _fields(number)
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _fields(number: int) -> list[str]:
    """Of /proc/PID/stat, from the state on (proc(5))."""
    return Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()


def _ours() -> float:
    times = os.times()
    return sum(times[:4])
