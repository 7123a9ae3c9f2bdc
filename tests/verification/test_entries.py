"""What the user means by an entry, and by an interpreter."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from devicefix.verification import (
    LaunchError,
    check_readiness,
    default_interpreter,
    find_entry,
    find_interpreter,
)
from devicefix.verification.environment import ENTRANCE, simulated


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def python(here: Path) -> str:
    """An interpreter with a command beside it."""
    folder = here / "env" / "bin"
    folder.mkdir(parents=True)
    executable(folder / "pytest", f"#!{folder}/python\n")
    (folder / "python").symlink_to(sys.executable)
    return str(folder / "python")


def executable(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_script(here: Path) -> None:
    (here / "a.py").touch()
    assert find_entry("a.py", ["-x"], "/p", False).command == ("/p", "a.py", "-x")


def test_a_module() -> None:
    assert find_entry("a.b", ["-m"], "/p", True).command == ("/p", "-m", "a.b", "-m")


def test_standard_input() -> None:
    assert find_entry("-", [], "/p", False).command == ("/p", "-")


def test_a_notebook_has_its_runner(here: Path) -> None:
    (here / "a.ipynb").write_text('{"cells": []}')
    runner = Path(find_entry("a.ipynb", ["1"], "/p", False).command[1])
    assert runner.is_file()
    assert find_entry("a.ipynb", ["1"], "/p", False).command[2:] == ("a.ipynb", "1")


def test_a_command_beside_the_interpreter_comes_first(
    here: Path, python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = here / "other"
    other.mkdir()
    executable(other / "pytest", "#!/bin/sh\n")
    executable(other / "tool", f"#!{python}\n")
    monkeypatch.setenv("PATH", str(other), prepend=os.pathsep)
    beside = find_entry("pytest", ["-q"], python, False)
    assert beside.command == (str(here / "env/bin/pytest"), "-q")
    assert find_entry("tool", [], sys.executable, False).command == (str(other / "tool"),)
    assert find_entry("tool", [], sys.executable, False).python == python


def test_a_command_with_a_folder_is_taken_as_it_is(here: Path) -> None:
    tool = executable(here / "tool", "#!/bin/sh\n")
    assert find_entry("./tool", [], "/p", False).command == ("./tool",)
    tool.chmod(0o644)
    assert find_entry("./tool", [], "/p", False).command == ("/p", "./tool")


def test_a_script_without_a_suffix_and_a_package(here: Path) -> None:
    (here / "train").write_text("print(1)\n")
    assert find_entry("train", [], "/p", False).command == ("/p", "train")
    (here / "app").mkdir()
    (here / "app/__main__.py").touch()
    assert find_entry("app", [], "/p", False).command == ("/p", "app")


def test_an_executable_script_runs_under_the_chosen_interpreter(here: Path) -> None:
    executable(here / "a.py", "#!/usr/bin/python2\n")
    assert find_entry("./a.py", [], "/p", False).command == ("/p", "./a.py")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gone.py", "gone.py: no such file"),
        ("gone.ipynb", "gone.ipynb: no such file"),
        ("sub/gone", "sub/gone: no such file"),
        ("gone", "gone: no such file or command (a module is run with -m)"),
        ("a", "a: no such file or command; is it a.py?"),
        ("folder", "folder is a folder without a __main__.py"),
        ("folder.py", "folder.py is a folder without a __main__.py"),
        ("data", "data is neither Python nor executable"),
        ("bad.ipynb", "bad.ipynb is not a notebook: "),
        ("list.ipynb", "list.ipynb is not a notebook: it has no cells"),
        ("r.ipynb", "r.ipynb is not a Python notebook: its language is R"),
        ("x" * 300, "cannot be read: file name too long"),
        ("a\0b", "cannot be read: embedded null byte"),
    ],
)
def test_what_cannot_be_run(here: Path, name: str, said: str) -> None:
    (here / "a.py").touch()
    (here / "folder").mkdir()
    (here / "folder.py").mkdir()
    (here / "data").write_bytes(b"\0\1")
    (here / "bad.ipynb").write_text("{")
    (here / "list.ipynb").write_text("[]")
    (here / "r.ipynb").write_text('{"cells": [], "metadata": {"kernelspec": {"language": "R"}}}')
    with pytest.raises(LaunchError) as error:
        find_entry(name, [], "/p", False)
    assert said in str(error.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file(here: Path) -> None:
    (here / "a.py").touch(mode=0)
    with pytest.raises(LaunchError, match="permission denied"):
        find_entry("a.py", [], "/p", False)


def test_the_interpreter_of_the_active_environment(
    python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    assert default_interpreter() == sys.executable
    prefix = str(Path(python).parent.parent)
    monkeypatch.setenv("CONDA_PREFIX", prefix)
    assert default_interpreter() == sys.executable  # torch is here, so this is where one works
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert default_interpreter() == python
    monkeypatch.setenv("CONDA_PREFIX", "/gone")
    monkeypatch.setenv("VIRTUAL_ENV", prefix)
    assert default_interpreter() == python


def test_a_link_to_an_interpreter_is_not_resolved(python: str) -> None:
    assert find_interpreter("env/bin/python") == python


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gone", "no interpreter gone"),
        ("env/bin", "env/bin is a folder"),
        ("text", "text cannot be executed"),
    ],
)
def test_what_is_no_interpreter(here: Path, python: str, name: str, said: str) -> None:
    (here / "text").touch()
    with pytest.raises(LaunchError, match=said):
        find_interpreter(name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#!/bin/sh\nexit 1\n", "is not Python"),
        ("#!/gone\n", "is not Python"),
        (f'#!/bin/sh\n{sys.executable} -I -S "$@"\n', "has no torch"),
    ],
)
def test_an_interpreter_that_will_not_do(here: Path, text: str, said: str) -> None:
    with pytest.raises(LaunchError, match=said):
        check_readiness(str(executable(here / "fake", text)), "sim:cuda")


def test_the_environment_keeps_what_the_user_has(tmp_path: Path) -> None:
    base = {"PYTHONPATH": "/mine", "A": "b", "DEVICEFIX_MAIN": "1"}
    made = simulated(base, "sim:mps", tmp_path, provenance=False)
    assert made == {
        "A": "b",
        "PYTHONPATH": f"{ENTRANCE}{os.pathsep}/mine",
        "DEVICEFIX_SIMULATE": "sim:mps",
        "DEVICEFIX_OBSERVE": str(tmp_path),
        "DEVICEFIX_PROVENANCE": "0",
    }
    assert simulated({}, "sim:cuda", tmp_path, True)["PYTHONPATH"] == str(ENTRANCE)
