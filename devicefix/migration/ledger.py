"""What a campaign has done and found, in a file that a crash at any instant leaves whole.

One process writes (`exclusive`), others may read meanwhile: SQLite, with a write-ahead log. Each
method that writes is one transaction, and is on the disk when it returns.
https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html#pragma_synchronous
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from devicefix.migration.orders import Ending, Result, Stage
from devicefix.migration.plan import Entry
from devicefix.migration.refusals import CampaignError
from devicefix.migration.results import clean, forget_results, load_result, store_result
from devicefix.migration.rows import COLUMNS, Row, row_of
from devicefix.migration.schema import connected, prepare, transaction
from devicefix.migration.states import State, state_after
from devicefix.pull_requests import Operation, Outcome

_BUSY: Final = 30.0
"""Seconds that a reader may hold things up."""
_HOUR: Final = 3600.0
_BEGAN: Final = "began"
_ANEW: Final = "restarted"
_RETRIED: Final = "retried"
_OUTDATED: Final = "outdated"
_LEFT: Final = (Operation.KEPT, Operation.DECLINED)


class Ledger:
    """The state of one campaign."""

    def __init__(
        self, database: sqlite3.Connection, file: Path, now: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._file = file
        self._now = now

    @classmethod
    def opened(cls, file: Path) -> Ledger:
        """To write; made if it is not there. Whoever calls holds `exclusive`.

        Raises `CampaignError`.
        """
        database = connected(file, timeout=_BUSY)
        prepare(database, file)
        ledger = cls(database, file)
        if not ledger.said(_BEGAN):
            ledger.keep(_BEGAN, str(int(time.time())))
        return ledger

    @classmethod
    def read(cls, file: Path) -> Ledger:
        """To read, while another process may write. Raises `CampaignError`."""
        if not file.is_file():
            raise CampaignError(f"the campaign has not started: there is no {file}")
        database = connected(file, timeout=_BUSY, writes=False)
        prepare(database, file, writes=False)
        return cls(database, file)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._database.close()

    # ---- the plan --------------------------------------------------------------------------------

    def adopt(self, entries: Sequence[Entry]) -> None:
        """Take in what the plan says now.

        A repository of which something else is to be found out begins anew; one that the plan has
        no more stays here, and nothing is done with it.
        """
        with self._transaction():
            known = dict(self._database.execute("SELECT key, digest FROM repositories"))
            self._database.execute("UPDATE repositories SET position = NULL")
            for position, entry in enumerate(entries):
                if entry.key not in known:
                    self._insert(entry)
                elif known[entry.key] != entry.digest:
                    self._again(entry.key, "the plan for it has changed")
                said = (position, entry.name, entry.order.url, entry.digest, entry.key)
                self._database.execute(
                    "UPDATE repositories SET position=?, name=?, url=?, digest=? WHERE key=?", said
                )

    def interrupted(self) -> list[str]:
        """The keys of what was running when its campaign was killed; it is to be done again.

        That it was begun does not count as an attempt.
        """
        keys = [row.key for row in self.rows() if row.running is not None]
        with self._transaction():
            for key in keys:
                self._note(key, "interrupted")
            self._database.execute(
                "UPDATE repositories SET running = '', attempts = attempts - 1 WHERE running != ''"
            )
        return keys

    def put_back(self, key: str, stage: Stage, reason: str) -> None:
        """A stage was begun that cannot be done now, for a reason that is not the repository's."""
        with self._transaction():
            self._set(key, running="", attempts=max(0, self.row(key).attempts - 1))
            self._note(key, "deferred", stage, reason)

    def outdated(self, key: str, stage: Stage, reason: str, seconds: float) -> None:
        """What was looked at is gone: from the beginning."""
        with self._transaction():
            self._restart(key)
            self._set(key, reason=clean(reason), seconds=self.row(key).seconds + seconds)
            self._note(key, _OUTDATED, stage, reason)

    def times_outdated(self, key: str) -> int:
        """How often it was, since somebody has asked for it or the plan has changed."""
        asked = "SELECT event FROM events WHERE key = ? AND event IN (?, ?, ?) ORDER BY id DESC"
        found = self._database.execute(asked, (key, _OUTDATED, _ANEW, _RETRIED)).fetchall()
        return sum(1 for _ in takewhile(lambda row: row[0] == _OUTDATED, found))

    def retry(self, key: str, whole: bool) -> None:
        """Do again the stage that has failed; all from the beginning, if ``whole``."""
        row = self.row(key)
        with self._transaction():
            if whole or row.failed in (None, Stage.REWRITE):
                self._again(key, "requested")
                return
            state = self._state_before(key, row.failed)
            self._set(key, state=state.value, attempts=0, next_try=0.0)
            self._note(key, _RETRIED, row.failed)

    # ---- stages ----------------------------------------------------------------------------------

    def begin(self, key: str, stage: Stage) -> None:
        """It is written down before anything is done."""
        with self._transaction():
            self._database.execute(
                "UPDATE repositories SET running=?, attempts=attempts+1, updated=? WHERE key=?",
                (stage.value, self._now(), key),
            )
            self._note(key, "begun", stage)

    def end(self, key: str, stage: Stage, result: Result, proves: bool) -> State:
        """Keep what a stage of an executor found; the state that it leads to.

        ``proves``: whether the plan has a command for it.
        """
        state = state_after(stage, result, proves)
        with self._transaction():
            store_result(self._database, key, stage, result)
            self._settle(key, stage, state, result.reason, result.seconds)
            self._set(key, commit_name=result.commit, base=clean(result.base), size=result.size)
        return state

    def published(self, key: str, outcome: Outcome, seconds: float) -> State:
        """Keep what became of the pull request."""
        state = State.LEFT if outcome.operation in _LEFT else State.PUBLISHED
        with self._transaction():
            self._settle(key, Stage.PUBLISH, state, outcome.reason, seconds)
            self._request(key, outcome)
        return state

    def withdrawn(self, key: str, outcome: Outcome, seconds: float) -> None:
        """Keep that there is nothing to propose any more."""
        with self._transaction():
            self._settle(key, Stage.PUBLISH, State.NOTHING, outcome.reason, seconds)
            if outcome.operation is Operation.UNCHANGED:  # a later run has been here
                outcome = replace(outcome, operation=Operation.KEPT)
            self._request(key, outcome)

    def fail(self, key: str, stage: Stage, reason: str, seconds: float) -> None:
        """A stage has failed, and is not tried again."""
        tried = self.row(key).attempts
        with self._transaction():
            self._settle(key, stage, State.FAILED, reason, seconds)
            self._set(key, failed=stage.value, attempts=tried)

    def put_off(
        self,
        key: str,
        stage: Stage,
        reason: str,
        seconds: float,
        until: float,
        counts: bool = True,
    ) -> None:
        """A stage has failed, and is to be tried again, not before ``until``.

        ``counts``: whether this was an attempt.
        """
        with self._transaction():
            self._database.execute(
                "UPDATE repositories SET running='', failed=?, next_try=?, reason=?, "
                "seconds=seconds+?, attempts=attempts-?, updated=? WHERE key=?",
                (stage.value, until, clean(reason), seconds, not counts, self._now(), key),
            )
            self._note(key, "postponed", stage, reason)

    # ---- what is known ---------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        """The repositories of the plan, in its order."""
        found = self._database.execute(
            f"SELECT {COLUMNS} FROM repositories WHERE position IS NOT NULL ORDER BY position"
        )
        return [row_of(one) for one in found]

    def row(self, key: str) -> Row:
        """One of them."""
        asked = f"SELECT {COLUMNS} FROM repositories WHERE key = ?"
        return row_of(self._database.execute(asked, (key,)).fetchone())

    def result(self, key: str, stage: Stage, with_files: bool = True) -> Result | None:
        """What a stage found."""
        return load_result(self._database, key, stage, with_files)

    def proposed(self, key: str) -> Result | None:
        """What is to be proposed of a repository: what passed, or else what was rewritten."""
        return self.result(key, Stage.PROVE) or self.result(key, Stage.REWRITE)

    def history(self, key: str) -> list[tuple[float, str, str, str]]:
        """What has been done with a repository: time, event, stage, reason."""
        return self._database.execute(
            "SELECT time, event, stage, reason FROM events WHERE key = ? ORDER BY id", (key,)
        ).fetchall()

    def requests_since(self, seconds: float = _HOUR) -> list[float]:
        """When pull requests were opened or changed, the oldest first.

        Not those of times to come: the clock has been set back.
        """
        now = self._now()
        found = self._database.execute(
            "SELECT time FROM events WHERE event IN ('created', 'updated', 'closed') "
            "AND time > ? AND time <= ? ORDER BY id",
            (now - seconds, now),
        )
        return [time for (time,) in found]

    @property
    def began(self) -> float:
        """When the campaign did, in whole seconds since 1970; it is the date of its commits."""
        return float(self.said(_BEGAN) or 0)

    def said(self, name: str) -> str:
        """Something that is the same for the whole campaign; empty where it was not kept yet."""
        found = self._database.execute("SELECT value FROM campaign WHERE name = ?", (name,))
        return str((found.fetchone() or ("",))[0])

    def keep(self, name: str, value: str) -> None:
        """See `said`."""
        with self._transaction():
            self._database.execute("INSERT OR REPLACE INTO campaign VALUES (?, ?)", (name, value))

    # ---- inside ----------------------------------------------------------------------------------

    def _transaction(self) -> AbstractContextManager[None]:
        return transaction(self._database, self._file)

    def _insert(self, entry: Entry) -> None:
        self._database.execute(
            "INSERT INTO repositories (key, name, url, digest, state) VALUES (?, '', '', '', ?)",
            (entry.key, State.WAITING.value),
        )

    def _again(self, key: str, why: str) -> None:
        """From the beginning; what is known of its pull request stays."""
        self._restart(key)
        self._note(key, _ANEW, reason=why)

    def _restart(self, key: str) -> None:
        forget_results(self._database, key)
        self._set(key, state=State.WAITING.value, attempts=0, next_try=0.0, reason="", failed="")
        self._set(key, running="")

    def _state_before(self, key: str, stage: Stage | None) -> State:
        """Where a repository stood when a stage began, which is not the first."""
        proven = self.result(key, Stage.PROVE, with_files=False)
        if stage is Stage.PROVE:
            return State.REWRITTEN
        found = proven or self.result(key, Stage.REWRITE, with_files=False)
        if found is not None and found.ending is Ending.NOTHING:
            return State.NOTHING
        return State.REWRITTEN if proven is None else State.PROVEN

    def _settle(self, key: str, stage: Stage, state: State, reason: str, seconds: float) -> None:
        self._set(key, state=state.value, running="", failed="", attempts=0, next_try=0.0)
        self._set(key, reason=clean(reason), updated=self._now())
        self._database.execute(
            "UPDATE repositories SET seconds = seconds + ? WHERE key = ?", (seconds, key)
        )
        self._note(key, state.value, stage, reason)

    def _request(self, key: str, outcome: Outcome) -> None:
        self._set(key, operation=outcome.operation.value)
        self._note(key, outcome.operation.value, Stage.PUBLISH, outcome.url)
        if outcome.number is not None:
            self._set(key, number=outcome.number, request_url=clean(outcome.url))

    def _set(self, key: str, **values: Any) -> None:
        names = ", ".join(f"{name} = ?" for name in values)
        self._database.execute(
            f"UPDATE repositories SET {names} WHERE key = ?", (*values.values(), key)
        )

    def _note(self, key: str, event: str, stage: Stage | None = None, reason: str = "") -> None:
        self._database.execute(
            "INSERT INTO events (time, key, event, stage, reason) VALUES (?, ?, ?, ?, ?)",
            (self._now(), key, event, stage.value if stage else "", clean(reason)),
        )
