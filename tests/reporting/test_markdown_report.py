"""A run in the body of a pull request, read with a parser of Markdown.

https://github.github.com/gfm
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace as changed
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec.structs import replace

from devicefix.engine import AppliedGroup, BaselineUse, Change, FileError, FileResult, Left, Report
from devicefix.engine.report import Stale
from devicefix.findings import Applicability, Finding, Fix, Span
from devicefix.reporting import markdown
from devicefix.reporting.account import Account
from devicefix.verification.acceptance import Acceptance, Decision, Guilty, Unproven
from devicefix.verification.result import Comparison, Verdict, Verification

GFM = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = (
    "</details> <img src=x onerror=alert(1)> @octocat #1 GH-12 ``` | [a](javascript:b) ![c](d)"
    " **bold** ~~gone~~ `tick <b>x</b> $x$ https://evil.example www.evil.example"
    " deadbeefdeadbeefdeadbeefdeadbeefdeadbeef\n\n# heading\n\n<script>alert(1)</script>"
    "\n- [ ] x\x1b[2J"
)


def tokens(text: str) -> Iterator[Token]:
    for token in GFM.parse(text):
        yield from [token, *(token.children or ())]


def finding(
    line: int, sure: Applicability | None, message: str = "is `x` on the host", path: str = "a.py"
) -> Finding:
    fix = Fix((), sure, "g") if sure is not None else None
    return Finding("DFX103", "factory", message, path, Span(0, 0), line, 1, fix, "")


def account_of(*left: Left, **more: Any) -> Account:
    found = tuple(one.finding for one in left)
    return Account(Report((FileResult("a.py", found, (), left),), (), 3, 0.1), "check", **more)


def passing(verdict: Verdict = Verdict.PASS, reason: str = "it does the same") -> Verification:
    comparison = Comparison("cpu", verdict, 5, 0, None)
    return Verification(
        ("train.py",), verdict, reason, "cpu", (comparison,), (), {}, ("a.py",), 1.0
    )


def group(message: str = "m", path: str = "a.py") -> AppliedGroup:
    found = finding(4, Applicability.UNSAFE, message, path)
    identity = frozenset({(path, "DFX103", 0)})
    return AppliedGroup(identity, (found,), Applicability.UNSAFE, {path: frozenset({4})}, message)


def test_what_is_found_left_and_not_worked_on_is_said(report: Report) -> None:
    text = markdown.render(Account(report, "check"))
    assert text == (
        "**devicefix** found 3 findings in 1 file (12 checked; 1 file not processed), "
        "1 fixable with `devicefix apply`.\n"
        "\n"
        "| Code | Rule | Found | Fixable | What is wrong |\n"
        "| --- | --- | --: | --: | --- |\n"
        "| DFX103 | rule-dfx103 | 2 | 1 | A tensor is created on the CPU and "
        "combined with tensors on the device. |\n"
        "| DFX201 | rule-dfx201 | 1 | 0 | `.cuda()` hard-codes CUDA. |\n"
        "\n"
        "#### Needs your decision\n"
        "\n"
        f"- **DFX201** {'x' * 200} (`src/a.py:9`): choose a device\n"
        "- **DFX103** enters helper() (`src/a.py:7`): the fix is unsafe\n"
        "\n"
        "#### Not processed\n"
        "\n"
        "- `src/b.py`, line 4: looks like Python 2\\\\x1b\\[31m\n"
        "\n"
        "<details><summary>1 file that would change</summary>\n"
        "\n"
        "- `src/a.py`\n"
        "\n"
        "</details>\n"
    )


def test_findings_that_are_fixed_together_are_one_decision() -> None:
    unsafe = [Left(finding(n, Applicability.UNSAFE), "unsafe: `f` is unknown") for n in range(9)]
    alone = Left(finding(40, None, "made by hand"), "there is no automatic fix")
    text = markdown.render(account_of(*unsafe, alone))
    places = "`a.py`, " + ", ".join(f"`a.py:{n}`" for n in range(1, 6))
    assert text.split("#### Needs your decision")[1].strip().splitlines() == [
        "- **DFX103** made by hand (`a.py:40`): there is no automatic fix",
        f"- **DFX103** is `x` on the host ({places} and 3 places more): unsafe: `f` is unknown",
    ]


def test_what_apply_did_and_would_do(report: Report) -> None:
    def first(**more: Any) -> str:
        return markdown.render(Account(report, "apply", **more)).splitlines()[0]

    assert (
        "fixed 1 finding in 1 file (12 checked; 1 file not processed); 2 need your decision"
        in first(written=True)
    )
    assert "would fix 1 finding" in first(dry_run=True)
    refused = Acceptance(Decision.REJECTED, "no", report, None, passing(Verdict.DIFFERS))
    assert "would fix 1 finding" in first(acceptance=refused)
    nothing = Account(Report((), (), 2, 0.1), "apply")
    assert markdown.render(nothing) == "**devicefix** found nothing in 2 files.\n"


def test_the_evidence_is_there(report: Report) -> None:
    accepted = Acceptance(
        Decision.ACCEPTED, "", report, passing(), proven=(group(),), trials=2,
        unproven=(Unproven(group(), "its lines did not run"),),
    )  # fmt: skip
    text = markdown.render(Account(report, "apply", False, accepted, True))
    assert "### devicefix verify: pass" in text
    assert "unsafe not written (2 verifications)" in text
    assert "**Unsafe, verified by the run**:\n\n- DFX103 a.py:4" in text
    assert "- DFX103 a.py:4: its lines did not run" in text
    refused = Acceptance(
        Decision.REJECTED, "", report, None, passing(Verdict.DIFFERS),
        (Guilty(group(), (), passing()),),
    )  # fmt: skip
    text = markdown.render(Account(report, "apply", False, refused, False))
    assert "### devicefix verify: differs" in text
    assert "**At fault, not written**:\n\n- DFX103 a.py:4" in text


def hostile() -> Account:
    found = replace(finding(3, None, HOSTILE, HOSTILE), rule=HOSTILE)
    left = Left(found, HOSTILE)
    result = FileResult(HOSTILE, (found,), (), (left,), Change(b"a", b"b", "utf-8"))
    report = Report((result,), (FileError(HOSTILE, 3, HOSTILE, 2),), 1, 0.1)
    refusal = changed(passing(Verdict.DIFFERS, HOSTILE), entry=(HOSTILE,), changed=(HOSTILE,))
    bad = group(HOSTILE, HOSTILE)
    acceptance = Acceptance(
        Decision.REJECTED, HOSTILE, report, refusal, refusal, (Guilty(bad, (), refusal),),
        proven=(bad,), unproven=(Unproven(bad, HOSTILE),), idle=(Unproven(bad, HOSTILE),),
    )  # fmt: skip
    return Account(report, "apply", False, acceptance, False)


def test_a_baseline_is_accounted_for(report: Report) -> None:
    use = BaselineUse("<b>", 1, (Stale("a.py", "DFX103", "x"), Stale("a.py", "DFX103", "y")))
    text = markdown.render(Account(replace(report, baseline=use), "check"))
    said = "1 finding in the baseline `<b>` not reported; 2 entries of it no longer found."
    assert said in text.split("\n")


def test_nothing_of_the_code_becomes_markup() -> None:
    text = markdown.render(hostile())
    seen = list(tokens(text))
    html = [t.content.strip() for t in seen if t.type.startswith("html")]
    assert re.fullmatch(r"(<details><summary>[\w, ]+</summary>|</details>)*", "".join(html))
    assert "".join(html).count("<details>") == "".join(html).count("</details>") == 2
    assert {t.type for t in seen}.isdisjoint({"link_open", "image", "s_open", "em_open", "fence"})
    heads = [seen[at + 1].content for at, t in enumerate(seen) if t.type == "heading_open"]
    assert heads == ["Needs your decision", "Not processed", "devicefix verify: differs"]
    bold = {seen[at + 1].content for at, t in enumerate(seen) if t.type == "strong_open"}
    assert "bold" not in bold
    assert "\x1b" not in text


def test_nothing_of_the_code_is_a_reference() -> None:
    """GitHub looks for these in what is no code, after the markup."""
    words = [t.content for t in tokens(markdown.render(hostile())) if t.type == "text"]
    assert "octocat" in "".join(words)
    for pattern in (r"@\w", r"#\d", r"GH-\d", r"\w://", r"www\.", r"[0-9a-f]{7}"):
        assert not re.search(pattern, " ".join(words)), pattern


def test_a_table_keeps_its_columns() -> None:
    cells = [t for t in tokens(markdown.render(hostile())) if t.type == "td_open"]
    rows = [t for t in tokens(markdown.render(hostile())) if t.type == "tr_open"]
    assert (len(rows), len(cells)) == (2, 5)


def test_what_is_too_much_is_counted_and_left_out() -> None:
    left = [
        Left(replace(finding(n, None, "`" + "x`y" * 300), path=f"{'d/' * 90}{n}.py"), "why " * 200)
        for n in range(2000)
    ]
    errors = tuple(FileError(f"{n}.py", None, "r" * 700) for n in range(2000))
    results = tuple(
        FileResult(f"{n}" * 50, (x.finding,), (), (x,), Change(b"", b"", "utf-8"))
        for n, x in enumerate(left)
    )
    refusal = changed(passing(Verdict.DIFFERS), entry=("e" * 100_000,), reason="r" * 100_000)
    acceptance = Acceptance(Decision.REJECTED, "", Report((), (), 0, 0), None, refusal)
    report = Report(results, errors, 2000, 0.1)
    text = markdown.render(Account(report, "apply", False, acceptance, False))
    assert len(text) < markdown.LIMIT
    assert re.search(r"^- and \d+ decisions more$", text, re.MULTILINE)
    assert "### devicefix verify: differs" in text
    assert text.count("<details>") == text.count("</details>")
    alone = markdown.render(Account(Report((), errors, 9, 0.1), "check"))
    assert len(alone) < markdown.LIMIT
    shown, more = alone.count("\n- `"), re.search(r"^- and (\d+) errors more$", alone, re.MULTILINE)
    assert more is not None
    assert shown + int(more[1]) == 2000
