"""Orders done by processes of this machine: several, bounded, and none is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from devicefix.migration.local import Local
from devicefix.migration.orders import Ending, Limits, Result, Stage
from devicefix.verification.process_tree import descendants
from tests.migration.conftest import FIXED, PROGRAM, Author, order, strays

WAIT = 60.0


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Local]:
    before = set(descendants(os.getpid()))
    with Local(2, tmp_path / "work") as executor:
        yield executor
    assert list((tmp_path / "work").iterdir()) == []
    assert strays(before) == {}


def results(local: Local, count: int) -> dict[str, Result]:
    found: dict[str, Result] = {}
    while len(found) < count:
        ended = list(local.finished(WAIT))
        assert ended, f"only {sorted(found)} ended"
        found.update((key, result) for key, _, result in ended)
    return found


def test_several_orders_on_two_slots(author: Author, local: Local, tmp_path: Path) -> None:
    author.write("a.py", PROGRAM)
    commit = author.commit()
    assert local.room == 2
    for number in range(3):
        local.submit(str(number), Stage.REWRITE, order(author.folder))
    local.submit("none", Stage.REWRITE, order("/nowhere"))
    assert local.room == 0
    found = results(local, 4)
    assert local.room == 2
    assert found["none"].ending is Ending.FAILED
    assert "does not exist" in found["none"].reason
    first = found["0"]
    assert (first.ending, first.commit, first.base) == (Ending.CHANGED, commit, "main")
    assert [(f.path, f.after.decode()) for f in first.files] == [("a.py", FIXED)]
    texts = {replace(found[key], seconds=0.0, report="") for key in "012"}
    assert len(texts) == 1  # nothing in them is of one run only
    assert str(tmp_path) not in repr(found["1"])


def test_bounds_end_the_work_and_not_the_others(author: Author, local: Local) -> None:
    author.write("a.py", PROGRAM)
    author.write("noise.bin", os.urandom(50_000))
    author.commit()
    plain = order(author.folder)
    local.submit("time", Stage.REWRITE, replace(plain, limits=Limits(0.01, 2 << 30, 2 << 30)))
    local.submit("memory", Stage.REWRITE, replace(plain, limits=Limits(60, 5_000_000, 2 << 30)))
    local.submit("size", Stage.REWRITE, replace(plain, limits=Limits(60, 2 << 30, 20_000)))
    local.submit("plain", Stage.REWRITE, plain)
    found = results(local, 4)
    endings = {key: (result.ending, result.transient) for key, result in found.items()}
    assert endings.pop("plain") == (Ending.CHANGED, False)
    assert set(endings.values()) == {(Ending.FAILED, False)}
    assert found["time"].reason == "it took more than 0.01 s"
    assert found["memory"].reason == "it used more than 0.005 GB of memory"
    assert found["size"].reason == "it takes more than 0.02 MB to clone"


def test_a_process_that_is_lost(author: Author, local: Local) -> None:
    author.write("a.py", PROGRAM)
    author.commit()
    before = set(descendants(os.getpid()))
    local.submit("lost", Stage.REWRITE, order(author.folder))
    for keeper in set(descendants(os.getpid())) - before:
        os.kill(keeper, signal.SIGKILL)
    found = results(local, 1)["lost"]
    assert (found.ending, found.transient) == (Ending.FAILED, True)
    local.submit("again", Stage.REWRITE, order(author.folder))
    assert results(local, 1)["again"].ending is Ending.CHANGED


def test_what_an_executor_that_was_killed_has_left(tmp_path: Path) -> None:
    left = tmp_path / "work/devicefix-order-x/devicefix-clone-y/tree"
    left.mkdir(parents=True)
    Local(1, tmp_path / "work").close()
    assert list((tmp_path / "work").iterdir()) == []


def test_an_order_that_makes_no_sense(author: Author, local: Local) -> None:
    """A proof of nothing: what devicefix fails on is a failure like others."""
    local.submit("x", Stage.PROVE, order(author.folder))
    assert results(local, 1)["x"].reason.startswith("devicefix failed on it")


KILLED: Final = """
import os, signal, sys
from pathlib import Path
from devicefix.migration.local import Local
from devicefix.migration.orders import Options, Order, Stage

local = Local(1, Path(sys.argv[1]))
local.submit("x", Stage.REWRITE, Order("ssh://example.org/a/b", "", "", (), Options()))
list(local.finished(60))
"""


def test_when_the_campaign_is_killed_nothing_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git waits for a server for ever, and with it all above it."""
    number = tmp_path / "number"
    slow = tmp_path / "ssh"
    slow.write_text(
        f"#!/bin/sh\necho $$ > {number}.new; mv {number}.new {number}; exec sleep 600\n"
    )
    slow.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(slow))
    monkeypatch.setenv("GIT_SSH_VARIANT", "ssh")
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path / "work")]) as campaign:
        until(number.exists)
        sleeping = int(number.read_text())
        between = [pid for pid in descendants(campaign.pid) if pid != sleeping]
        assert len(between) > 2  # a keeper, the work, git
        campaign.kill()
    until(lambda: not any(is_alive(pid) for pid in (sleeping, *between)))
    assert list((tmp_path / "work").iterdir())
    Local(1, tmp_path / "work").close()
    assert not list((tmp_path / "work").iterdir())


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False
