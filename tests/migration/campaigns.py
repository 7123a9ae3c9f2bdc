"""What the tests of campaigns share: plans, and an executor that does what it is told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from devicefix.migration.orders import ChangedFile, Ending, Order, Result, Stage
from devicefix.migration.plan import Plan
from devicefix.migration.plan_file import load_plan

COMMIT = "c" * 40
CHANGED = Result(
    Ending.CHANGED,
    commit=COMMIT,
    base="main",
    files=(ChangedFile("a.py", b"one\n", b"two\n"),),
    body="the body",
    counts="- DFX201 cuda-call: 1",
    seconds=1.0,
    size=10,
)
FAILED = Result(Ending.FAILED, "broken")
PASSING = Result(Ending.FAILED, "no network", transient=True)

Answer = Callable[[Order, Stage], Result]


def write_plan(folder: Path, *names: str, campaign: str = "", rest: str = "") -> Plan:
    """A plan of repositories on https://forge.example."""
    text = (
        f'[campaign]\nname = "c"\nworkspace = "state"\nretry-after = 0.01\n{campaign}\n'
        f'github-api = "https://forge.example/api/v3"\n{rest}\n'
    )
    for name in names:
        text += f'[[repositories]]\nurl = "https://forge.example/acme/{name}"\n'
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    return load_plan(folder / "plan.toml")


@dataclass
class Played:
    """An executor whose orders end at once, one for each time it is asked."""

    answer: Answer
    width: int = 2
    begun: list[tuple[str, Stage]] = field(default_factory=list)
    most: int = 0
    closed: bool = False
    _queue: list[tuple[str, Stage, Result]] = field(default_factory=list)

    @property
    def room(self) -> int:
        return self.width - len(self._queue)

    def submit(self, key: str, stage: Stage, order: Order, before: Result | None = None) -> None:
        assert (before is not None) == (stage is Stage.PROVE)
        self.begun.append((key.rpartition("/")[2], stage))
        self._queue.append((key, stage, self.answer(order, stage)))
        self.most = max(self.most, len(self._queue))

    def finished(self, seconds: float) -> Iterator[tuple[str, Stage, Result]]:
        if self._queue:
            yield self._queue.pop(0)
        else:
            time.sleep(seconds)

    def close(self) -> None:
        self.closed = True
