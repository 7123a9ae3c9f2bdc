"""The last word: what is written has passed a verification, as a whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from devicefix.engine import Change, FileResult, Report
from devicefix.verification.acceptance import Acceptance, Decision
from devicefix.verification.loop.draft import Draft
from devicefix.verification.loop.outcome import Ended, Found
from devicefix.verification.loop.static import Rules
from devicefix.verification.request import Candidate
from devicefix.verification.result import Verdict, Verification

Verify = Callable[[Candidate], Verification]


def ended(found: Found, rules: Rules, verify: Verify) -> Ended:
    """Verify what was found. Raises `LaunchError` and `EngineError`."""
    end = _ended(found, rules, verify)
    refused = end.acceptance.decision in (Decision.REJECTED, Decision.UNKNOWN)
    if found.before is None or not refused:
        return end
    return ended(found.before, rules, verify)


def _ended(found: Found, rules: Rules, verify: Verify) -> Ended:
    stuck, draft = found.mended.stuck, found.draft
    report = _report(draft, rules)
    if stuck is not None:
        return Ended(found.mended, Acceptance(Decision.REJECTED, stuck.shown, report, None))
    if not report.changes:
        words = "the program already runs on the accelerator"
        return Ended(found.mended, Acceptance(Decision.NOTHING, words, report, None))
    verification = verify(Candidate(draft.tree))
    if verification.verdict is Verdict.PASS:
        decision, refusal = Decision.ACCEPTED, None
    else:
        unknown = verification.verdict.is_unknown
        decision, refusal = Decision.UNKNOWN if unknown else Decision.REJECTED, verification
    passed = verification if refusal is None else None
    reason = verification.reason
    accepted = Acceptance(decision, reason, report, passed, refusal, trials=1)
    return Ended(found.mended, accepted)


def _report(draft: Draft, rules: Rules) -> Report:
    """All that is to be written; what the rules leave has its positions in the new texts."""
    first, last = rules.report(draft.on_disk), rules.report(draft)
    before = {os.path.realpath(result.path): result for result in first.files}
    after = {os.path.realpath(result.path): result for result in last.files}
    changed = draft.changed
    files = [
        _result(path, before.get(path), after.get(path), draft, changed)
        for path in sorted({*before, *after, *changed})
    ]
    return replace(last, files=tuple(files), groups=first.groups)


def _result(
    path: str,
    before: FileResult | None,
    after: FileResult | None,
    draft: Draft,
    changed: frozenset[str],
) -> FileResult:
    """What was found in one file and fixed, what is left of it, and how it changes."""
    known = before or after
    name = known.path if known is not None else _shown(path)
    applied = before.applied if before is not None else ()
    left = after.left if after is not None else ()
    found = (*applied, *(one.finding for one in left))
    return FileResult(
        path=name,
        findings=tuple(sorted(found, key=lambda finding: (finding.span, finding.code))),
        applied=applied,
        left=left,
        change=_change(path, before, draft, changed) if path in changed else None,
        remaining=after.remaining if after is not None else (),
    )


def _change(path: str, before: FileResult | None, draft: Draft, changed: frozenset[str]) -> Change:
    """All files are written together, or none of them."""
    rules = before.change if before is not None else None
    return Change(
        before=Path(path).read_bytes(),
        after=draft.texts[path],
        encoding=draft.on_disk.source(path).encoding,
        codes=rules.codes if rules is not None else frozenset(),
        partners=changed - {path},
    )


def _shown(path: str) -> str:
    """As one would write it here."""
    return os.path.relpath(path) if Path(path).is_relative_to(Path.cwd()) else path
