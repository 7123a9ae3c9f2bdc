"""The benchmark of device bugs: its entries, how it judges, and its baseline by text."""

from __future__ import annotations

import ast
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "benchmarks" / "device_bugs"))

from bug_judging import SOLVED, UNSOLVED, WRONG, faults, judged  # noqa: E402
from bug_replacing import DEVICE, replaced  # noqa: E402
from bug_running import Ran, Seen, ran  # noqa: E402
from bugs import ENTRIES, KINDS, SHOWS, Bug, bugs, read  # noqa: E402
from score import Score, Tool, difference, table  # noqa: E402

ALL = list(bugs())
WELL = Ran(0, "loss 0.5\n", "", 1.0)
FAILED = Ran(1, "", "RuntimeError: two devices", 0.0)
OTHER = Ran(0, "loss 0.7\n", "", 1.0)


def sources(folder: Path) -> dict[str, str]:
    """The Python files of a program."""
    return {str(p.relative_to(folder)): p.read_text("utf-8") for p in sorted(folder.rglob("*.py"))}


@pytest.mark.parametrize("bug", ALL, ids=lambda bug: bug.name)
def test_an_entry_is_well_formed(bug: Bug) -> None:
    before, after = sources(bug.before), sources(bug.after)
    assert bug.kind in KINDS
    assert bug.shows in SHOWS
    assert bool(bug.error) == (bug.shows in ("error", "cpu-error"))
    assert (bug.share < 1) == (bug.shows == "share")
    assert bug.source.startswith("https://")
    assert bug.title
    assert bug.report
    assert before.keys() == after.keys()
    assert before != after
    assert 20 <= sum(len(text.splitlines()) for text in before.values()) <= 90
    assert bug.run[0] in {*before, "-m"}
    for text in (*before.values(), *after.values()):
        ast.parse(text)


def test_there_are_several_of_each_kind() -> None:
    counts = Counter(bug.kind for bug in ALL)
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 2
    assert len(ALL) >= 60


def test_the_page_counts_the_entries() -> None:
    page = (ROOT / "docs" / "device_bugs.md").read_text("utf-8")
    counts = Counter(bug.kind for bug in ALL)
    rows = [f"| {kind} | {counts[kind]} | {says} |" for kind, says in KINDS.items()]
    assert [row for row in rows if row not in page] == []
    assert f"{len(ALL)} small programs" in page


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one_hot_from_eye", "device_chosen_never_used"])
def test_an_entry_shows_its_bug_and_the_fix_does_not(name: str) -> None:
    bug = read(ENTRIES / name)
    before, after = (ran(tree, bug.run, bug.device) for tree in (bug.before, bug.after))
    # On the CPU both print what the fix prints; `score.py --baseline expert` runs that, too.
    assert faults(bug, Seen(after, before), Seen(after, after)) == []


def test_what_prints_the_same_in_both_worlds_is_solved() -> None:
    before, expert = Seen(WELL, FAILED), Seen(WELL, WELL)
    assert judged(before, expert, expert).verdict == SOLVED
    assert judged(before, expert, before).verdict == UNSOLVED
    assert judged(before, expert, Seen(WELL, Ran(0, "loss 0.50001\n", "", 0.97))) == (
        judged(before, expert, expert)
    )


def test_what_ran_has_to_run_and_to_print_the_same() -> None:
    before, expert = Seen(WELL, FAILED), Seen(WELL, WELL)
    assert judged(before, expert, Seen(FAILED, WELL)).verdict == WRONG
    assert judged(before, expert, Seen(OTHER, WELL)).verdict == WRONG
    assert judged(before, expert, Seen(WELL, OTHER)).verdict == WRONG


def test_what_stays_on_the_cpu_is_unsolved_and_what_goes_back_there_is_wrong() -> None:
    half, none = (Ran(0, WELL.printed, "", share) for share in (0.5, 0.0))
    before, expert = Seen(WELL, half), Seen(WELL, WELL)
    assert judged(before, expert, before).verdict == UNSOLVED
    assert judged(before, expert, Seen(WELL, none)).verdict == WRONG


def test_without_a_run_on_the_cpu_the_fix_says_what_is_printed() -> None:
    before, expert = Seen(FAILED, WELL), Seen(WELL, WELL)
    assert judged(before, expert, expert).verdict == SOLVED
    assert judged(before, expert, Seen(OTHER, WELL)).verdict == WRONG


def test_text_is_replaced_and_a_device_defined() -> None:
    text = 'import torch\n\nnet = Net().cuda()\nx = torch.load("a").to("cuda")\nprint(x.numpy())\n'
    assert replaced(text) == (
        f"import torch\n\n{DEVICE}\n\nnet = Net().to(device)\n"
        'x = torch.load("a", map_location=device).to(device)\nprint(x.cpu().numpy())\n'
    )
    assert replaced("import torch\nx = 1\n") == "import torch\nx = 1\n"


def test_a_command_is_told_the_folder_the_program_and_the_device(tmp_path: Path) -> None:
    bug = read(ENTRIES / "rotary_in_double_precision")
    folder = tmp_path / "program"
    shutil.copytree(bug.before, folder)
    script = "import pathlib, sys; pathlib.Path('new.py').write_text(repr(sys.argv[1:]))"
    tool = Tool(f'{sys.executable} -c "{script}" {{dir}} "{{run}}" --on={{device}}', "")
    assert tool(bug, folder) == 0
    told = ast.literal_eval((folder / "new.py").read_text("utf-8"))
    assert told == [str(folder), "python rope.py", "--on=sim:mps"]
    assert difference(bug.before, folder).startswith("--- a/new.py\n+++ b/new.py\n")
    assert Tool("", "expert")(bug, folder) == 0
    assert sources(folder) == sources(bug.after)


def test_scores_are_counted_by_kind() -> None:
    scores = [Score("a", "ema", SOLVED, "", 0, 1.0, ""), Score("b", "ema", WRONG, "", 0, None, "")]
    assert list(table(scores))[2:] == ["| ema | 2 | 1 | 0 | 1 |", "| **all** | 2 | 1 | 0 | 1 |"]
