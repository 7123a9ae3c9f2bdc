"""A run as one page for people: each fix side by side, why, and how sure; one file, no network."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from devicefix.engine import AppliedGroup, Identity, Remains, Report
from devicefix.findings import Applicability, Finding
from devicefix.proposals import Proposal, Verdict
from devicefix.proposals.attribution import file_hunks
from devicefix.proposals.hunks import identifier
from devicefix.reporting.account import Account
from devicefix.reporting.page import Material, content_of, document
from devicefix.reporting.page.evidence import evidence_of
from devicefix.reporting.places import near
from devicefix.reporting.remains import said_of, summary

_UNSHOWN = (
    "A check changes nothing. `devicefix apply --dry-run --output-format html` shows each fix."
)


def render(account: Account) -> str:
    """The page, as a text in UTF-8."""
    content = content_of(_material(account))
    content["info"] = _info(account)
    content["remains"] = _remains(account.report.remains)
    content["proof"] = _proof(account)
    return document(content, f"devicefix {account.command}: {content['info']['where']}")


def _material(account: Account) -> Material:
    report = account.report
    groups = report.groups or _found(report)
    return Material(
        proposals=[Proposal(identifier(g.identity), g, Verdict.PENDING) for g in groups],
        files=[file_hunks(result.path, change, groups) for result, change in report.changes],
        before={result.path: change.before for result, change in report.changes},
        left=[left for result in report.files for left in result.left],
        errors=report.errors,
        checked=report.checked,
    )


def _found(report: Report) -> tuple[AppliedGroup, ...]:
    """After a check: the findings that `apply` would fix together."""
    together: dict[tuple[str, str], list[Finding]] = {}
    for result in report.files:
        left = {one.finding for one in result.left}
        for finding in result.findings:
            if finding not in left and finding.fix is not None:
                path = "" if finding.fix.shared else finding.path
                together.setdefault((path, finding.fix.group), []).append(finding)
    return tuple(_group(findings) for findings in together.values())


def _group(findings: list[Finding]) -> AppliedGroup:
    identity: Identity = frozenset((f.path, f.code, f.span.start) for f in findings)
    sure = min(f.fix.applicability if f.fix else Applicability.DISPLAY for f in findings)
    return AppliedGroup(identity, tuple(findings), sure, {})


def _info(account: Account) -> dict[str, Any]:
    said = {True: "would be written", False: "was written"}[account.proposes]
    return {
        "where": _where(account.report),
        "foot": f"devicefix {version('devicefix')} {account.command}: what is shown {said}.",
        "without": _UNSHOWN if account.command == "check" else None,
    }


def _remains(remains: Remains | None) -> dict[str, Any] | None:
    if remains is None or not (line := summary(remains, "")):
        return None
    uses = [{"at": use.where, "text": use.text, "why": said_of(use)} for use in remains.uses]
    uses += [{"at": path, "text": "", "why": "not counted"} for path in remains.uncounted]
    return {"said": line, "uses": uses}


def _where(report: Report) -> str:
    paths = [near(result.path) for result in report.files]
    if not paths:
        return ""
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def _proof(account: Account) -> dict[str, Any] | None:
    found = account.acceptance
    verification = (found.verification or found.refusal) if found is not None else None
    return evidence_of(verification) if verification is not None else None
