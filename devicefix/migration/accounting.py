"""A campaign's state as those see it who report it."""

from __future__ import annotations

import time
from collections.abc import Iterator

from devicefix.migration.ledger import Ledger
from devicefix.migration.orders import Stage
from devicefix.migration.plan import Plan
from devicefix.migration.rows import Row
from devicefix.reporting.campaign import Campaign, Event, Repository


def account(plan: Plan, ledger: Ledger) -> Campaign:
    """The repositories are read from ``ledger`` when they are asked for, one after the other."""
    return Campaign(
        name=plan.name,
        plan=str(plan.file),
        repositories=_repositories(ledger),
        proves=any(entry.order.verify for entry in plan.entries),
        began=ledger.began,
        now=time.time(),
    )


def _repositories(ledger: Ledger) -> Iterator[Repository]:
    for row in ledger.rows():
        yield _repository(row, ledger)


def _repository(row: Row, ledger: Ledger) -> Repository:
    rewritten = ledger.result(row.key, Stage.REWRITE, with_files=False)
    proven = ledger.result(row.key, Stage.PROVE, with_files=False)
    newest = proven if proven is not None and proven.report else rewritten
    return Repository(
        name=row.name,
        url=row.url,
        state=row.state.value,
        running=row.running.value if row.running else "",
        failed=row.failed.value if row.failed else "",
        attempts=row.attempts,
        next_try=row.next_try,
        reason=row.reason,
        base=row.base,
        commit=row.commit,
        number=row.number,
        request_url=row.request_url,
        operation=row.operation,
        seconds=row.seconds,
        size=row.size,
        updated=row.updated,
        notes=newest.notes if newest else (),
        report=newest.report if newest else "",
        evidence=proven.evidence if proven else "",
        events=tuple(Event(*one) for one in ledger.history(row.key)),
    )
