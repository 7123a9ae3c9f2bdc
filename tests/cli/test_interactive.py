"""`apply -i` on a terminal, key by key."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Devicefix, install_rules
from tests.cli.test_process import environment
from tests.repository import commit_all, needs_git

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals", allow_module_level=True)
from tests.cli.terminals import ForkServer, Terminal

ROOT: Final = Path(__file__).parents[2]
A: Final = "import torch\nold = 1\nrisky = 2\nzzz = 0\nold = 3\n"
B: Final = "import torch\nold = 4\n"
ASKS: Final = r"q \?\] "
AGAIN: Final = r"again\? \[y n\] "
LAST: Final = r"u \?\] "
STEERING: Final = re.compile(r"\x1b(?!\[[0-9;]*m)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
"""What is neither a colour nor a line's end."""


@pytest.fixture(scope="module")
def fork_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    site = install_rules(tmp_path_factory.mktemp("rules") / "site")
    fork_server = ForkServer(environment(site, TERM="xterm", COLUMNS="120"))
    yield fork_server
    fork_server.close()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text(A)
    (folder / "b.py").write_text(B)
    return folder


Start = Callable[..., Terminal]


@pytest.fixture
def start(work: Path, fork_server: ForkServer) -> Iterator[Start]:
    """Begins a review of some paths."""
    started: list[Terminal] = []

    def begin(*paths: str, **more: str) -> Terminal:
        command = ["apply", "-i", "--select", "TST", *paths]
        state = str(work.parent / "state")
        started.append(fork_server.start(command, work, DEVICEFIX_STATE_DIR=state, **more))
        return started[-1]

    yield begin
    for terminal in started:
        terminal.hang_up()


def test_only_what_is_accepted_is_written(work: Path, start: Start, devicefix: Devicefix) -> None:
    terminal = start(".")
    said = terminal.press("ynyn", ASKS)
    assert "4 fixes in 2 files." in said
    assert "TST202 [unsafe]" in re.sub(r"\x1b\[[0-9;]*m", "", said)
    assert "unsafe: look twice" in said
    last = terminal.press("y", LAST)
    assert "2 accepted, 2 rejected, 0 open." in last
    assert "Write 1 file?" in last
    status, said = terminal.end()
    assert status == 0
    assert "wrote a.py" in said
    assert (work / "a.py").read_text() == A.replace("old = 1", "new = 1").replace(
        "old = 3", "new = 3"
    )
    assert (work / "b.py").read_text() == B
    assert devicefix("undo", str(work)).status == 0
    assert (work / "a.py").read_text() == A


def test_it_goes_on_where_it_was_quit(work: Path, start: Start) -> None:
    terminal = start(".")
    terminal.press("ynq", ASKS)
    status, said = terminal.end()
    assert (status, (work / "a.py").read_text()) == (0, A)
    assert "Nothing was written. Your decisions are kept" in said
    again = start(str(work))  # the same folder
    said = again.press("w", ASKS)
    assert "1 accepted, 1 rejected, 2 open." in said
    assert "a.py:5:1" in said
    status, said = again.end()
    assert (work / "a.py").read_text() == A.replace("old", "new", 1)
    over = start("--start-over", ".")
    assert "Going on" not in over.press("q", ASKS)


def test_one_key_for_a_rule_or_a_file(work: Path, start: Start) -> None:
    terminal = start(".")
    said = terminal.press("fuF", ASKS) + terminal.press("ua", ASKS)
    assert "2 fixes accepted; 1 unsafe left undecided." in said
    assert "3 fixes rejected." in said
    said = terminal.press("r", ASKS) + terminal.press("y", LAST)
    assert "3 fixes accepted." in said
    assert terminal.end()[0] == 0
    assert (work / "a.py").read_text() == A.replace("old", "new")
    assert (work / "b.py").read_text() == B.replace("old", "new")


def test_keys_that_answer_nothing(work: Path, start: Start) -> None:
    terminal = start(".")
    said = terminal.press("?xu ssss", ASKS)
    assert "y  accept" in said
    assert "Finds" in said
    assert "There is no answer to undo." in said
    status, said = terminal.end()
    assert "0 accepted, 0 rejected, 4 open." in said
    assert "Nothing was written" in said
    assert (status, (work / "a.py").read_text()) == (0, A)


def test_the_last_answer_is_undone_at_the_end(work: Path, start: Start) -> None:
    terminal = start("b.py")
    terminal.press("y", ASKS)
    terminal.press("u", LAST)
    terminal.press("n", ASKS)
    assert terminal.end()[0] == 0
    assert (work / "b.py").read_text() == B


def test_uncommitted_changes_are_named_first_and_not_written_over(work: Path, start: Start) -> None:
    git(work, "init", "-q")
    git(work, "add", "b.py")
    terminal = start("b.py")
    assert "b.py has uncommitted changes" in terminal.press("y", ASKS)
    terminal.press("y", LAST)
    status, said = terminal.end()
    assert (status, "uncommitted changes in b.py" in said) == (2, True)
    assert (work / "b.py").read_text() == B
    again = start("b.py", "--allow-dirty")
    assert "uncommitted" not in again.press("y", LAST)  # the answer was kept
    assert again.end()[0] == 0
    assert (work / "b.py").read_text() == B.replace("old", "new")


@needs_git
def test_uncommitted_changes_are_what_it_may_be_about(work: Path, start: Start) -> None:
    commit_all(work)
    (work / "b.py").write_text(B + "old = 5\n")
    terminal = start("b.py", "--since", "HEAD")
    assert "uncommitted" not in terminal.press("y", ASKS)
    terminal.press("y", LAST)
    assert terminal.end()[0] == 0
    assert (work / "b.py").read_text() == B + "new = 5\n"


def git(folder: Path, *arguments: str) -> None:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    subprocess.run(["git", *arguments], cwd=folder, check=True)


def test_the_documentation_shows_what_is_printed(work: Path, fork_server: ForkServer) -> None:
    shutil.copy(ROOT / "examples" / "input_left_behind.py", work)
    page = (ROOT / "docs" / "interactive.md").read_text(encoding="utf-8")
    shown = page.partition("```text\n")[2].partition("Accept this")[0]
    state = str(work.parent / "state")
    command = ["apply", "-i", "input_left_behind.py"]
    terminal = fork_server.start(command, work, DEVICEFIX_STATE_DIR=state, NO_COLOR="1")
    said = terminal.press("q", ASKS)
    assert terminal.end()[0] == 0
    assert re.sub(r"\x1b\[[0-9;]*m|\r", "", said).startswith(shown)


@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_who_breaks_off_loses_nothing(work: Path, start: Start, key: str) -> None:
    terminal = start("b.py")
    terminal.press(key, ASKS)
    status, said = terminal.end()
    assert (status, "Nothing was written" in said) == (0, True)
    assert (work / "b.py").read_text() == B


def editor(tmp_path: Path, *texts: str) -> str:
    """A command that saves one text after the other."""
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, sys\n"
        f"texts, count = {texts!r}, pathlib.Path({str(tmp_path / 'count')!r})\n"
        "number = int(count.read_text()) if count.exists() else 0\n"
        "file = pathlib.Path(sys.argv[1])\n"
        "file.write_text(texts[number].replace('RESULT', file.read_text()))\n"
        "count.write_text(str(number + 1))\n"
    )
    return shlex.join([sys.executable, str(script)])


def test_a_result_is_edited_until_it_parses(work: Path, tmp_path: Path, start: Start) -> None:
    command = editor(tmp_path, "import torch\nnew = (\n", "import torch\nnew = 44\n")
    terminal = start("b.py", EDITOR=command, VISUAL="")
    terminal.press("e", ASKS)
    assert "This cannot be written: line 2" in terminal.press("y", AGAIN)
    assert "Accepted, with your edit." in terminal.press("y", LAST)
    assert terminal.end()[0] == 0
    assert (work / "b.py").read_text() == "import torch\nnew = 44\n"


def test_an_edit_that_nobody_wants_any_more_changes_nothing(
    work: Path, tmp_path: Path, start: Start
) -> None:
    terminal = start("b.py", EDITOR=editor(tmp_path, "import (\n"), VISUAL="")
    terminal.press("e", ASKS)
    terminal.press("n", AGAIN)
    assert "Nothing was edited." in terminal.press("q", ASKS)
    assert terminal.end()[0] == 0
    assert (work / "b.py").read_text() == B


def test_an_edit_is_kept_and_undone(work: Path, tmp_path: Path, start: Start) -> None:
    mine = {"EDITOR": editor(tmp_path, "RESULT# mine\n", "RESULT# more\n"), "VISUAL": ""}
    terminal = start("a.py", **mine)
    terminal.press("eq", ASKS)
    terminal.end()
    terminal = start("a.py", **mine)
    terminal.press("eunn", ASKS)  # the second edit is undone, the first is not
    terminal.press("y", LAST)
    assert terminal.end()[0] == 0
    assert (work / "a.py").read_text() == A.replace("old", "new", 1) + "# mine\n"


@pytest.mark.parametrize("command", ["no-such-editor-at-all", "false"])
def test_an_editor_that_fails_is_named(work: Path, start: Start, command: str) -> None:
    terminal = start("b.py", EDITOR=command, VISUAL="")
    assert f"{command}: Editing failed" in terminal.press("eq", ASKS)
    assert terminal.end()[0] == 0
    assert (work / "b.py").read_text() == B


def test_an_edit_and_a_later_fix_go_together(work: Path, tmp_path: Path, start: Start) -> None:
    terminal = start("a.py", EDITOR=editor(tmp_path, "# mine\nRESULT"), VISUAL="")
    terminal.press("eny", ASKS)
    terminal.press("y", LAST)
    assert terminal.end()[0] == 0
    assert (work / "a.py").read_text() == "# mine\n" + A.replace("old", "new")


def test_an_edit_that_clashes_is_asked_about(work: Path, tmp_path: Path, start: Start) -> None:
    changed = A.replace("old = 1", "new = 1").replace("old = 3", "old = 33")
    resolved = changed.replace("old = 33", "new = 33")
    terminal = start("a.py", EDITOR=editor(tmp_path, changed, resolved), VISUAL="")
    terminal.press("eny", ASKS)
    assert "conflicts with" in terminal.press("y", LAST)
    assert terminal.end()[0] == 0
    assert (work / "a.py").read_text() == resolved


def test_a_file_that_changes_meanwhile_is_left(work: Path, start: Start) -> None:
    terminal = start("b.py")
    terminal.press("y", ASKS)
    (work / "b.py").write_text("import torch\n")
    terminal.press("y", LAST)
    status, said = terminal.end()
    assert status == 2
    assert "b.py: error: not written: it was changed in the meantime" in said
    assert (work / "b.py").read_text() == "import torch\n"


def test_nothing_steers_the_terminal(work: Path, start: Start) -> None:
    name = "\x1b]0;title\x07\x9b2J.py"
    (work / name).write_text("import torch\n# \x1b[2J\x07 \u202e\told\nold = 1\n")
    terminal = start(name)
    said = terminal.press("y", ASKS) + terminal.press("y", LAST)
    said += terminal.end()[1]
    assert STEERING.findall(said.replace("\x1b[2K", "").replace("\r", "")) == []
    assert "\u202e" not in said
    assert r"\x1b]0;title\x07\x9b2J.py" in said
    assert "new = 1" in (work / name).read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-i", "."], "needs a terminal"),
        (["-i", "--check", "."], "-i and --check cannot be combined"),
        (["-i", "--dry-run", "."], "-i and --dry-run cannot be combined"),
        (["-i", "--output-format", "json", "."], "-i and --output-format cannot be combined"),
        (["-i", "-"], "-i and - cannot be combined"),
        (["--start-over", "."], "--start-over needs -i"),
    ],
)
def test_what_does_not_go_together(devicefix: Devicefix, arguments: list[str], said: str) -> None:
    done = devicefix("apply", *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
