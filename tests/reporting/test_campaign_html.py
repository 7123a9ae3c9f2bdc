"""A campaign as one page: everything is in it, and nothing in it is markup but ours."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from devicefix.reporting import campaign_content, campaign_html
from devicefix.reporting.campaign import Event, Repository
from devicefix.reporting.campaign_content import content_of
from tests.campaigns import PATCHED, SOURCE, campaign, evidence, report_of

ASSETS: Final = Path(campaign_html.__file__).parent / "page" / "assets"
ONE: Final = Repository("a/b", "https://example.org/a/b", "proven")
HOSTILE: Final = "</script><!-- <script>alert(1)</script> \x1b[31m"


def shown(one: Repository) -> dict[str, Any]:
    (found,) = content_of(campaign(one))["repositories"]
    content: dict[str, Any] = json.loads(json.dumps(found))
    return content


def test_what_a_run_found_and_changed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    (tmp_path / "broken.py").write_text("import torch\ndef f(:\n")
    one = shown(replace(ONE, report=report_of(tmp_path)))
    (file,) = one["files"]
    assert file["path"].endswith("a.py")
    assert f"+{PATCHED}\n" in file["diff"]
    added = sum(line.startswith("+") for line in file["diff"].split("\n")[2:])
    removed = sum(line.startswith("-") for line in file["diff"].split("\n")[2:])
    assert (file["added"], file["removed"]) == (added, removed)
    assert one["stat"] == [1, added, removed]
    assert one["rules"]["DFX201"] == [1, 1]
    assert [f["line"] for f in one["remaining"]] == [9]
    assert one["errors"]["count"] == 1
    assert one["errors"]["shown"][0]["path"].endswith("broken.py")
    assert (one["checked"], one["fixed"], one["left"]) == (2, 1, 1)


def test_a_proof_and_how_much_was_compared() -> None:
    proof = shown(replace(ONE, evidence=evidence("pass")))["proof"]
    assert (proof["verdict"], proof["passed"], proof["compared"]) == ("pass", True, 2468)
    assert proof["entry"] == "train.py --name 'a b'"
    assert proof["devices"] == "cpu, sim:cuda"
    assert proof["rows"] == [["after, on sim:cuda", "exit 0, 2.5 s", "75.0%", "2, 4 kB"]]
    assert proof["agreements"][0] == (
        "cpu: 1,234 values compared, 2 not compared because they vary from run to run: all equal"
    )
    assert proof["differences"] == []


def test_how_many_of_the_fixes_ran_in_a_proof() -> None:
    acceptance = {"groups": [{}, {}, {}], "idle": [{}, {}]}
    one = replace(ONE, evidence=evidence("pass"))
    assert shown(one)["ran"] is None
    assert shown(replace(one, report=json.dumps({"acceptance": acceptance})))["ran"] == [1, 3]


def test_a_difference_on_several_devices_is_told_once() -> None:
    proof = shown(replace(ONE, evidence=evidence("differs")))["proof"]
    assert (proof["passed"], proof["unknown"]) == (False, False)
    (difference,) = proof["differences"]
    assert difference["devices"] == "cpu, sim:cuda"
    assert difference["sides"] == [
        ["before", "0.5", "src/train.py:7", "loss.item()"],
        ["after", "0.75", "", ""],
    ]


def test_runs_that_came_to_no_good_end() -> None:
    run = json.loads(evidence("pass"))["runs"][0]
    error = {"type": "RuntimeError", "at": {"file": "a.py", "line": 3}}
    endings = [
        {"how": "timeout", "seconds": 9.0},
        {"how": "memory", "megabytes": 70, "seconds": 1.0},
        {"how": "signal", "signal": 9, "seconds": 1.0},
        {"how": "exited", "status": 3, "seconds": 1.0},
    ]
    runs = [run | {"ending": e, "device": str(at)} for at, e in enumerate(endings)]
    runs.append(run | {"device": "x", "error": error, "placement": None})
    runs.append(runs[0] | {"ending": endings[3]})  # only the first of a role and device is shown
    runs.append(run | {"role": "perturbed"})
    proof = shown(replace(ONE, evidence=evidence("no-baseline", runs=runs)))["proof"]
    assert [row[1] for row in proof["rows"]] == [
        "stopped after 9.0 s",
        "stopped: it used 70 MB",
        "signal 9, 1.0 s",
        "exit 3, 1.0 s",
        "RuntimeError at a.py:3",
    ]
    assert (proof["verdict"], proof["unknown"]) == ("no baseline", True)


@pytest.mark.parametrize(
    ("url", "is_link"),
    [
        ("https://github.com/a/b/pull/1", True),
        ("http://localhost:8000/a", True),
        ("javascript:alert(1)", False),
        ("JAVASCRIPT://x/%0aalert(1)", False),
        ("data:text/html,x", False),
        ("file:///etc/passwd", False),
        ("/srv/repositories/a", False),
        ("https://[x", False),
    ],
)
def test_only_the_web_is_linked(url: str, is_link: bool) -> None:
    one = shown(replace(ONE, url=url, request_url=url))
    assert (one["link"], one["request"]) == ((url, url) if is_link else ("", ""))
    assert one["url"] == url


def test_a_page_stays_small_enough_to_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text(SOURCE)
    report = report_of(tmp_path)
    size = len(json.loads(report)["files"][0]["diff"])
    monkeypatch.setattr(campaign_content, "_DIFFS_OF_ONE", 2 * size)
    monkeypatch.setattr(campaign_content, "_DIFFS", 3 * size)
    ones = content_of(campaign(*(replace(ONE, report=report) for _ in range(2))))["repositories"]
    has_diff = [[file["diff"] is not None for file in one["files"]] for one in ones]
    assert has_diff == [[True, True, False], [True, False, False]]
    assert ones[0]["stat"] == ones[1]["stat"]
    assert ones[0]["stat"][0] == 3


def test_a_long_history_is_cut_at_its_beginning() -> None:
    one = shown(replace(ONE, events=tuple(Event(at, "begun") for at in range(130))))
    assert (len(one["events"]), one["earlier"], one["events"][-1][0]) == (100, 30, 129)


def test_what_strangers_wrote_ends_no_script(tmp_path: Path) -> None:
    (tmp_path / "<!--.py").write_text(SOURCE + f"# {HOSTILE}\n")
    hostile = Repository(
        HOSTILE,
        HOSTILE,
        HOSTILE,
        reason=HOSTILE,
        report=report_of(tmp_path),
        evidence=evidence("differs", reason=HOSTILE, entry=[HOSTILE]),
    )
    page = campaign_html.render(replace(campaign(hostile), name=HOSTILE, plan=HOSTILE))
    assert page.count("<!--") == 0
    assert page.count("</script>") == 2
    head = page.split("<body>")[0]
    assert "<script>alert" not in head
    assert "default-src 'none'" in head
    assert "connect-src" not in head
    assert re.findall(r"""(?:src|href)=["'](?!#|data:)""", page) == []


def test_no_script_hides_a_name_of_another_one() -> None:
    """They are put into one function, where the last of two with one name would win."""
    texts = [(ASSETS / name).read_text() for name in campaign_html.PARTS.scripts]
    names = Counter(
        name
        for text in texts
        for name in re.findall(
            r"^(?:async )?(?:function|const|let|class) (\w+)", text, re.MULTILINE
        )
    )
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []
    for text in texts:
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", text)
