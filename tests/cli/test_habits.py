"""What users of other tools type without reading the manual, and what they are told."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from devicefix import __version__
from tests.cli.conftest import Devicefix, plant

CUDA = "import torch\n\nx = torch.ones(2).cuda()\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a project with one program."""
    project = tmp_path / "project"
    plant(project / "a.py", CUDA)
    plant(project / "pyproject.toml", "[tool.devicefix]\n")
    monkeypatch.chdir(project)
    return project


@pytest.fixture
def ask(answer: Devicefix) -> Devicefix:
    """The command line in the current folder."""
    return lambda *arguments: answer(Path.cwd(), *arguments)


@pytest.mark.parametrize("command", ["check", "apply", "baseline"])
def test_without_paths_it_is_the_current_folder(ask: Devicefix, command: str) -> None:
    run = ask(command)
    assert run.status in (0, 1), run.err
    assert "1 finding" in run.out or "1 checked" in run.out


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version(ask: Devicefix, option: str) -> None:
    assert ask(option).out.split()[-1] == __version__


def test_files_are_excluded_on_the_command_line(ask: Devicefix, here: Path) -> None:
    plant(here / "legacy/old.py", CUDA)
    plant(here / "model_pb2.py", CUDA)
    assert "(3 checked)" in ask("check").out
    run = ask("check", "--exclude", "legacy/", "--exclude", "*_pb2.py")
    assert "in 1 file (1 checked)" in run.out
    assert "legacy" not in run.out
    plant(here / "pyproject.toml", '[tool.devicefix]\nexclude = ["legacy/"]\n')
    assert "in 1 file (1 checked)" in ask("check", "--exclude", "*_pb2.py").out


def test_quiet_and_verbose(ask: Devicefix, here: Path) -> None:
    plant(here / "a.py", CUDA + "y = torch.ones(3).cuda(1)\n" * 6)
    quiet = ask("check", "-q")
    assert [line.split()[1] for line in quiet.out.splitlines()] == ["DFX201"] * 7
    assert "-v lists them" in ask("check").out
    verbose = ask("check", "--verbose").out
    assert "a.py:9:5" in verbose
    assert "`devicefix explain CODE` describes a rule" in verbose
    assert ask("apply", "--quiet").out == quiet.out
    assert ask("apply", "-q", "-i").status == 2
    assert ask("apply", "-q", "--verify", "python a.py").status == 2


def test_fix_is_the_name_of_a_command_here(ask: Devicefix, here: Path) -> None:
    run = ask("check", "--fix", ".")
    assert (run.status, run.out) == (2, "")
    assert "check changes nothing; use devicefix apply" in run.err
    assert (here / "a.py").read_text() == CUDA


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("check", "--json"), "use --output-format json"),
        (("migrate", "status", "--json", "plan.toml"), "use --output-format json"),
        (("check", "--diff"), "use devicefix apply --dry-run"),
    ],
)
def test_options_of_other_tools_are_told(
    ask: Devicefix, here: Path, arguments: tuple[str, ...], hint: str
) -> None:
    plant(here / "plan.toml", "")
    run = ask(*arguments)
    assert (run.status, run.out) == (2, "")
    assert hint in run.err


def test_without_a_command_the_help_has_its_lines(ask: Devicefix) -> None:
    for command in ((), ("migrate",)):
        run = ask(*command)
        assert (run.status, run.out) == (2, "")
        assert "Commands:" in run.err.splitlines()


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("a.py", "'a.py' is not a command: use devicefix check a.py"),
        (".", "'.' is not a command: use devicefix check ."),
        ("fix", "use devicefix apply"),
        ("chek", "Did you mean 'check'?"),
    ],
)
def test_what_is_no_command_is_told(ask: Devicefix, name: str, hint: str) -> None:
    run = ask(name)
    assert (run.status, run.out) == (2, "")
    assert hint in run.err


@pytest.mark.parametrize(
    ("selector", "hint"),
    [
        ("DFX2O1", "did you mean DFX2"),
        ("DFX20x", "did you mean DFX201, DFX202, DFX203, DFX204, DFX205, …?"),
        ("DFX1011", "did you mean DFX101?"),
        ("DFX999", "codes begin with DFX1, DFX2, DFX3, DFX4, DFX5, DFX6, DFX7"),
        ("cuda-", "did you mean cuda-amp, cuda-call, cuda-generator, cuda-guard, cuda-in-doctest"),
        ("cuda-methd", "did you mean cuda-method"),
        ("201", "did you mean DFX201?"),
    ],
)
def test_an_unknown_rule_gets_those_that_begin_alike(
    ask: Devicefix, selector: str, hint: str
) -> None:
    run = ask("check", "--select", selector)
    assert (run.status, run.out) == (2, "")
    assert f"unknown rule {selector!r}" in run.err
    assert hint in run.err


def test_an_unknown_rule_in_the_settings_is_told_with_its_line(ask: Devicefix, here: Path) -> None:
    plant(here / "pyproject.toml", '[tool.devicefix]\npython2 = true\nignore = ["DFX2O1"]\n')
    run = ask("check")
    assert (run.status, run.out) == (2, "")
    assert f"{here / 'pyproject.toml'}:3: ignore: unknown rule 'DFX2O1'; did you mean" in run.err


def test_undo_names_no_folder_of_others(
    ask: Devicefix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path / "secret-project/b.py", f"{CUDA}print(torch.cuda.is_available())\n")
    monkeypatch.chdir(tmp_path / "secret-project")
    assert ask("apply", "--unsafe-fixes").status == 0
    monkeypatch.chdir(tmp_path / "project")
    run = ask("undo")
    assert (run.status, "secret" in run.err) == (2, False)
    assert "nothing to undo in this folder" in run.err


def test_undo_lists_what_it_can_revert(
    ask: Devicefix, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = "print(torch.cuda.is_available())\n"
    assert ask("undo", "--list").out == "nothing to undo in this folder\n"
    plant(tmp_path / "secret-project/c.py", CUDA + used)
    monkeypatch.chdir(tmp_path / "secret-project")
    assert ask("apply", "--unsafe-fixes").status == 0
    monkeypatch.chdir(here)
    for name in ("a.py", "b.py"):
        plant(here / name, f"import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n{used}")
        assert "Fixed 1 finding" in ask("apply", name).out
    run = ask("undo", "--list")
    newest, oldest = run.out.splitlines()
    assert run.status == 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  1 file  DFX201  b\.py", newest)
    assert oldest.endswith("  1 file  DFX201  a.py")
    assert ask("undo", "--list", "a.py").out.splitlines() == [oldest]
    assert ask("undo").out == "restored b.py\n"
    assert ask("undo", "--list").out.splitlines() == [oldest]


@pytest.mark.parametrize(
    ("comment", "meant"),
    [
        ("# devicefix: ignroe[DFX201]", "devicefix: ignore"),
        ("# devicefix: noqa", "devicefix: ignore"),
        ("# devicefix: disable=DFX201", "devicefix: ignore"),
        ("# devicefix: skip_file", "devicefix: skip-file"),
        ("# devicefix: ignores", "devicefix: ignore"),
        ("# devicfix: ignore", "devicefix: ignore"),
        ("# device-fix: skip-file", "devicefix: skip-file"),
    ],
)
def test_a_misspelt_comment_is_told(ask: Devicefix, here: Path, comment: str, meant: str) -> None:
    plant(here / "a.py", f"import torch\n\nx = torch.ones(2).cuda()  {comment}\n")
    out = ask("check").out
    assert "a.py:3:27 DFX701" in out
    assert f"did you mean `{meant}`?" in out


@pytest.mark.parametrize(
    "comment",
    [
        "# devicefix: see the issue",
        "# devicefix moved this",
        "# devicefix: ignore",
        "# device: ignore",
        "# deviceful: ignore",
    ],
)
def test_other_comments_are_left_alone(ask: Devicefix, here: Path, comment: str) -> None:
    plant(here / "a.py", f"import torch\n\nx = torch.ones(2).cuda()  {comment}\n")
    assert "DFX701" not in ask("check").out


def test_shells_can_complete() -> None:
    """As docs/configuring.md says."""
    page = (Path(__file__).parents[2] / "docs/configuring.md").read_text(encoding="utf-8")
    assert 'eval "$(_DEVICEFIX_COMPLETE=bash_source devicefix)"' in page
    done = subprocess.run(
        [sys.executable, "-m", "devicefix"],
        env={**os.environ, "_DEVICEFIX_COMPLETE": "zsh_source"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "compdef" in done.stdout, done.stderr


def test_torch_load_is_named_as_it_is_called(here: Path, ask: Devicefix) -> None:
    plant(here / "b.py", "import torch\nprint(torch.load('x.pt').sum())\n")
    assert "`torch.load` without `map_location`" in ask("check", "-q", "b.py").out


def test_fixes_stand_in_the_order_of_the_file(here: Path, ask: Devicefix) -> None:
    plant(here / "a.py", "import torch\nmodel = torch.nn.Linear(2, 2)\nx = torch.ones(2).cuda()\n")
    with (here / "a.py").open("a") as file:
        file.write("print(model(x))\n")
    lines = ask("apply").out.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["a.py:2:9", "a.py:3:5"]


def test_at_the_top_of_a_file_no_caller_is_spoken_of(here: Path, ask: Devicefix) -> None:
    choice = 'def choose(n):\n    os.environ["CUDA_VISIBLE_DEVICES"] = n\n'
    plant(here / "b.py", f"import os\n{CUDA}{choice}")
    out = ask("check", "b.py").out
    assert "no device variable is in scope: define one, or use the device of a tensor" in out
