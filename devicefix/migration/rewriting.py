"""The first stage: what the fixes of a repository are. Nothing of it is executed."""

from __future__ import annotations

from devicefix.migration.cloning import Clone
from devicefix.migration.orders import Ending, Order, Result
from devicefix.migration.working import changed_files, look, reported, without_fixes, worked
from devicefix.reporting.account import Account


def rewrite(order: Order) -> Result:
    """Clone the repository and find its fixes; in a process of its own, as it changes the folder.

    Only what is wrong with devicefix itself raises.
    """
    return worked(order, order.commit, _rewritten)


def _rewritten(order: Order, found: Clone) -> Result:
    looked = look(order, found)
    report = looked.report
    files = changed_files(report, found)
    ending = Ending.CHANGED if files else Ending.NOTHING
    result = Result(
        ending,
        f"{len(files)} file{'s' * (len(files) != 1)} to be changed" if files else "",
        files=files,
        worth_proving=bool(order.verify) and (bool(files) or looked.has_unsafe),
    )
    if not files:
        result = Result(ending, without_fixes(report), worth_proving=result.worth_proving)
    return reported(result, Account(report, "apply", written=bool(files)), found)
