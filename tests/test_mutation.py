"""``scripts/mutate_flow.py``: the mutants of a small checkout, and what tests say to them."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import py_compile
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

SCRIPTS: Final = Path(__file__).resolve().parent.parent / "scripts"
MODULE: Final = "devicefix/flow/small.py"
TEXT: Final = '''\
"""Small."""


def most(first, second):
    """The larger one."""
    if first > second:
        return first
    return second


def text(word: "str" = "none"):
    return word
'''
TESTS: Final = """\
import importlib.util, pathlib
spec = importlib.util.spec_from_file_location("small", pathlib.Path("devicefix/flow/small.py"))
small = importlib.util.module_from_spec(spec)
spec.loader.exec_module(small)

def test_most_becomes_its_output():
    assert small.most(1, 2) == small.most(2, 1) == 2
"""

mutmut = pytest.mark.skipif(
    importlib.util.find_spec("mutmut") is None,
    reason="no mutmut: pip install 'devicefix[mutation]'",
)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a module, a test of that name, and one of codemods."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p xdist")
    root = tmp_path / "checkout"
    files = {
        MODULE: TEXT,
        "tests/flow/test_small.py": TESTS,
        "tests/codemods/test_cases.py": "def test_stays_as_it_is(): pass\n",
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    subprocess.run(("git", "init", "-q", str(root)), check=True)
    return root


@pytest.fixture
def command(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """``mutate_flow`` for that checkout."""
    found = importlib.import_module("mutate_flow")
    monkeypatch.setattr(found, "ROOT", checkout)
    return found


@dataclass(frozen=True)
class Changed:
    """A mutant as far as `flow_trial` knows it."""

    text: str
    module: str = MODULE


def changed(old: str, new: str) -> Changed:
    assert TEXT.count(old) == 1
    return Changed(TEXT.replace(old, new))


def test_how_a_mutant_ends(checkout: Path) -> None:
    with importlib.import_module("flow_trial").Trial(checkout) as trial:
        assert trial.passes()
        folder = trial._folder
        (folder / MODULE).touch()  # as old as the mutant, and as long
        py_compile.compile(str(folder / MODULE))
        assert trial.end(changed("first > second", "first < second")) == "killed"
        assert trial.end(changed("return word", "return word * 2")) == "survived"
        assert trial.end(changed("        return first", "        while 1: pass")) == "timeout"
        assert (folder / MODULE).read_text() == TEXT
    assert not folder.exists()
    assert (checkout / MODULE).read_text() == TEXT


@mutmut
def test_tests_that_fail_anyway_say_nothing(
    command: ModuleType, checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / MODULE).write_text(TEXT.replace("first > second", "first < second"))
    journal = tmp_path / "journal"
    assert command.main(["small", "--journal", str(journal)]) == 2
    assert capsys.readouterr().err == "the tests fail without any mutant\n"
    assert not journal.exists()


@pytest.mark.parametrize(
    ("name", "missing", "said"),
    [
        ("large", "", "there is no devicefix/flow/large.py"),
        ("small", "mutmut", "mutmut is missing"),
    ],
)
def test_what_cannot_be_run(
    command: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    missing: str,
    said: str,
) -> None:
    find: Callable[[str], Any] = importlib.util.find_spec
    monkeypatch.setattr(
        command.importlib.util, "find_spec", lambda name: None if name == missing else find(name)
    )
    assert command.main([name]) == 2
    assert said in capsys.readouterr().err


@mutmut
def test_mutants_are_programs_with_one_change(checkout: Path) -> None:
    mutants = importlib.import_module("flow_mutants").mutants
    found = list(mutants(Path(MODULE), TEXT))
    assert {mutant.place for mutant in found} == {f"{MODULE}:6"}  # no annotation, no default
    assert {ast.unparse(ast.parse(mutant.text).body[1].body[1].test) for mutant in found} == {
        "first >= second",
        "not first > second",
    }
    assert len({mutant.digest for mutant in found}) == len(found)
    assert any("-    if first > second:\n+    if first >= second:" in m.diff for m in found)
    later = list(mutants(Path(MODULE), TEXT + "\n\nONE = 1\n"))
    assert {mutant.digest for mutant in found} < {mutant.digest for mutant in later}


@mutmut
def test_from_a_survivor_to_a_better_test(
    command: ModuleType, checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Equal numbers do not tell ``>`` from ``>=``; what was killed is not run again."""
    journal = tmp_path / "journal"
    arguments = ["small", "--journal", str(journal)]
    assert command.main(arguments) == 1
    shown = capsys.readouterr().out
    assert "+    if first >= second:" in shown
    assert "| `small.py` | 2 | 1 | 0 | 1 | 50.0% |" in shown
    assert command.main([*arguments, "--show"]) == 1
    assert capsys.readouterr().out == shown[shown.index("\n\n") + 1 :]
    better = TESTS + "    assert type(small.most(True, 1)) is int\n"
    (checkout / "tests/flow/test_small.py").write_text(better)
    assert command.main(arguments) == 0
    assert "| `small.py` | 2 | 2 | 0 | 0 | 100.0% |" in capsys.readouterr().out
    ends = [json.loads(line)["end"] for line in journal.read_text().splitlines()]
    assert sorted(ends[:2]) == ["killed", "survived"]
    assert ends[2:] == ["killed"]
