"""SARIF 2.1.0, as GitHub's code scanning and editors read it.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html, and what GitHub takes of it:
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning

What `apply` has fixed is no result any more. Columns and replacements count in UTF-16 units.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Final

from devicefix.codemod import Codemod
from devicefix.engine import FileError, Left
from devicefix.engine.registry import load_codemods
from devicefix.findings import Finding
from devicefix.reporting.account import Account
from devicefix.reporting.file_places import FilePlace, Places
from devicefix.reporting.fingerprints import line_hashes
from devicefix.reporting.fix_groups import fix_groups
from devicefix.reporting.left_text import applicability
from devicefix.reporting.remains import as_json
from devicefix.reporting.sarif_fixes import Fixes
from devicefix.reporting.sarif_places import location
from devicefix.reporting.sarif_rules import rules
from devicefix.reporting.severity import severity_of
from devicefix.reporting.texts import Texts

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
MOST: Final = 25_000
"""Results of a run that GitHub takes; it refuses more."""
UNFINISHED: Final = "analysis-unfinished"
"""What is said of a program in which something may be missing; its files are the locations."""
_LINK: Final = re.compile(r"\[(?=[^\[\]]*\]\()")
_Found = tuple[Finding, Left | None]


def render(account: Account) -> str:
    """The report as one log with one run."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(account)]}
    return json.dumps(log, indent=2) + "\n"


def _run(account: Account) -> dict[str, Any]:
    found = [one for one in account.outcomes() if account.proposes or one[1] is not None]
    known = {codemod.code: codemod for codemod in load_codemods()} if found else {}
    shown = _weightiest(found, known)
    named = sorted({finding.code for finding, _ in shown})
    described = rules(known[code] for code in named if code in known)
    return {
        "tool": {"driver": {**_driver(), "rules": described}},
        "invocations": [_invocation(account, Places(Texts(account)), len(found) - len(shown))],
        "columnKind": "utf16CodeUnits",
        "newlineSequences": ["\r\n", "\n", "\r"],
        **_remaining(account),
        "results": _Results(account, known, [rule["id"] for rule in described]).of(shown),
    }


def _remaining(account: Account) -> dict[str, Any]:
    """What is left of CUDA is no result: a property of the run."""
    remains = account.report.remains
    return {} if remains is None else {"properties": {"devicefix/remaining": as_json(remains)}}


def _driver() -> dict[str, Any]:
    number = version("devicefix")
    return {"name": "devicefix", "version": number, "semanticVersion": number}


def _weightiest(found: Sequence[_Found], known: dict[str, type[Codemod]]) -> Sequence[_Found]:
    if len(found) <= MOST:
        return found

    def weight(one: _Found) -> int:
        return -severity_of(known.get(one[0].code))

    return sorted(found, key=weight)[:MOST]


def _invocation(account: Account, places: Places, kept_back: int) -> dict[str, Any]:
    said = [_notification(error, places) for error in account.report.errors]
    if kept_back:
        text = f"{kept_back} more results are not shown: a report may contain {MOST}."
        said.append({"level": "warning", "message": {"text": text}})
    use = account.report.baseline
    if use is not None and use.hidden:
        text = literal(f"{use.hidden} findings in {use.location} are not reported.")
        said.append({"level": "note", "message": {"text": text}})
    done = not account.report.errors
    return {"executionSuccessful": done, "toolExecutionNotifications": said}


def _notification(error: FileError, places: Places) -> dict[str, Any]:
    where = [location(places.error(error))]
    where += [location(FilePlace(places.path(path))) for path in error.program[1:]]
    kind = {"descriptor": {"id": UNFINISHED}} if error.program else {}
    return {
        "level": "error",
        **kind,
        "message": {"text": literal(error.reason)},
        "locations": where,
    }


class _Results:
    """What was found, result by result."""

    def __init__(
        self, account: Account, known: dict[str, type[Codemod]], described: list[str]
    ) -> None:
        self._texts = Texts(account)
        self._places = Places(self._texts)
        self._fixes = Fixes(fix_groups(account), self._texts, self._places)
        self._known = known
        self._index = {code: {"ruleIndex": at} for at, code in enumerate(described)}
        self._hashes: dict[tuple[str, bool], dict[int, str]] = {}
        self._seen: Counter[str] = Counter()

    def of(self, found: Sequence[_Found]) -> list[dict[str, Any]]:
        """All of ``found``."""
        return [self._result(finding, left) for finding, left in found]

    def _result(self, finding: Finding, left: Left | None) -> dict[str, Any]:
        place = self._places.finding(finding, left)
        fixes = self._fixes.of(finding)
        return {
            "ruleId": finding.code,
            **self._index.get(finding.code, {}),
            "level": severity_of(self._known.get(finding.code)).name.lower(),
            "message": {"text": literal(_said(finding, left, place))},
            "locations": [location(place)],
            "partialFingerprints": self._fingerprints(finding, left, place),
            **({"fixes": fixes} if fixes else {}),
            "properties": {
                "applicability": applicability(finding).name.lower(),
                "status": "fixable" if left is None else "left",
            },
        }

    def _fingerprints(
        self, finding: Finding, left: Left | None, place: FilePlace
    ) -> dict[str, str]:
        source = self._texts.of(finding, left)
        line = source.line_text(source.position(finding.span.start)[0]) if source else ""
        words = "\0".join((place.path, finding.code, finding.message, line))
        own = hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._seen[own] += 1
        found = {"devicefixFinding/v1": f"{own}:{self._seen[own]}"}
        github = self._line_hashes(finding.path, left).get(place.line or 0)
        return {**found, "primaryLocationLineHash": github} if github else found

    def _line_hashes(self, path: str, left: Left | None) -> dict[int, str]:
        new = self._texts.is_new(left)
        if (path, new) not in self._hashes:
            data = self._texts.data(path, new)
            self._hashes[path, new] = line_hashes(data) if data is not None else {}
        return self._hashes[path, new]


def _said(finding: Finding, left: Left | None, place: FilePlace) -> str:
    where = f" ({place.cell})" if place.cell else ""
    return f"{finding.message}{where}" + (f": {left.reason}" if left is not None else "")


def literal(text: str) -> str:
    """``text`` where SARIF would look for links, ``[text](target)``, and for ``{0}``."""
    return _LINK.sub(r"\\[", text).replace("{", "{{").replace("}", "}}")
