"""What a check remembers of programs: the same report, and never one of other files."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devicefix.engine import Report, cache, check, programs
from devicefix.engine.cache_files import CacheFiles
from devicefix.findings import Finding
from devicefix.settings import Settings

Tree = Callable[[dict[str, str]], Path]

HELPER = "import torch\n\ndef make(x):\n    return x + torch.ones(3).cuda()\n"
FILES = {
    "helper.py": HELPER,
    "train.py": "import torch\nimport helper\n\nm = torch.nn.Linear(3, 3).cuda()\n"
    "print(m(helper.make(torch.ones(3))))\n",
    "alone.py": "import torch\nm = torch.nn.Linear(2, 2)\nprint(m(torch.ones(2, 2)).cuda())\n",
    "plain.py": "print(1)\n",
}


@pytest.fixture
def project(tree: Tree) -> Path:
    return tree(FILES)


def again(project: Path, settings: Settings | None = None, **more: Any) -> Report:
    return check([project], settings or Settings(), cached=True, **more)


def told(report: Report) -> tuple[Any, ...]:
    return report.files, report.errors, report.checked


def kept() -> list[Path]:
    return sorted(Path(os.environ["DEVICEFIX_CACHE_DIR"], "checks").rglob("*.json"))


def test_says_the_same_with_and_without(project: Path, worked_on: list[str]) -> None:
    plain = told(check([project], Settings()))
    assert [len(result.findings) for result in plain[0]] == [3, 1, 2]
    assert told(again(project)) == plain
    assert sorted(worked_on) == ["alone.py", "helper.py", "train.py"]
    worked_on.clear()
    assert told(again(project)) == plain
    assert worked_on == []


def test_several_processes_keep_and_find_the_same(
    project: Path, worked_on: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devicefix.engine.processes.WORTH", 1)
    plain = told(check([project], Settings()))
    assert told(again(project, jobs=2)) == plain
    assert told(again(project, jobs=2)) == plain
    assert worked_on == []
    assert len(kept()) == 2


def test_an_edit_concerns_its_program_only(project: Path, worked_on: list[str]) -> None:
    again(project)
    worked_on.clear()
    (project / "alone.py").write_text(FILES["alone.py"].replace(".cuda()", ""))
    assert told(again(project)) == told(check([project], Settings()))
    assert worked_on == ["alone.py"]
    (project / "alone.py").write_text(FILES["alone.py"])
    worked_on.clear()
    again(project)
    assert worked_on == []


def test_an_edit_concerns_those_that_have_read_it(
    project: Path, worked_on: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "MOST_FILES", 1)
    again(project)
    assert sorted(worked_on) == ["alone.py", "helper.py", "train.py"]
    worked_on.clear()
    (project / "helper.py").write_text(HELPER.replace(".cuda()", ""))
    assert told(again(project)) == told(check([project], Settings()))
    assert sorted(worked_on) == ["helper.py", "train.py"]


def test_a_file_that_changes_while_it_is_looked_at_is_kept_as_it_was_read(
    project: Path, worked_on: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    noting = cache.loaded
    new = FILES["alone.py"].replace("(2, 2)", "(4, 4)")

    def changing(plan: Any) -> Any:
        (project / "alone.py").write_text(new)
        return noting(plan)

    monkeypatch.setattr(cache, "loaded", changing)
    again(project)
    monkeypatch.setattr(cache, "loaded", noting)
    worked_on.clear()
    assert told(again(project)) == told(check([project], Settings()))
    assert worked_on == []
    (project / "alone.py").write_text(FILES["alone.py"])
    again(project)
    assert worked_on == ["alone.py"]


def _settings(project: Path) -> Settings:
    return Settings(min_torch="2.6")


def _new_file(project: Path) -> Settings:
    (project / "new.py").write_text("x = 1\n")
    return Settings()


@pytest.mark.parametrize("change", [_settings, _new_file])
def test_what_outcomes_depend_on(
    project: Path, worked_on: list[str], change: Callable[[Path], Settings]
) -> None:
    again(project)
    worked_on.clear()
    settings = change(project)
    again(project, settings)
    assert sorted(worked_on) == ["alone.py", "helper.py", "train.py"]


def test_a_notebook_elsewhere_is_another_one(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": "import torch\nm = torch.nn.Linear(2, 2)\nprint(m(torch.ones(2, 2)))",
    }
    text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
    root = tree({"tests/fit.ipynb": text, "fit.ipynb": text})
    for folder, findings in (("tests", 0), (".", 2)):
        monkeypatch.chdir(root / folder)
        report = again(Path("fit.ipynb"))
        assert sum(len(result.findings) for result in report.files) == findings


def test_other_code_of_ours_forgets_all(
    project: Path, worked_on: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "ours" / "devicefix"
    package.mkdir(parents=True)
    (package / "flow.py").write_text("x = 1\n")
    monkeypatch.setattr(cache, "_ROOT", package.parent)
    monkeypatch.setattr(cache, "_rules_are_own", lambda: True)
    again(project)
    worked_on.clear()
    again(project)
    assert worked_on == []
    (package / "flow.py").write_text("x = 10\n")
    again(project)
    assert len(worked_on) == 3


@pytest.mark.parametrize("what", ["rules of others", "rules from elsewhere"])
def test_where_nobody_can_tell_nothing_is_kept(
    project: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if what == "rules of others":
        entries = cache.entry_points
        monkeypatch.setattr(cache, "entry_points", lambda group: [*entries(group=group)] * 2)
    else:
        monkeypatch.setattr(cache, "_ROOT", project)
    assert told(again(project)) == told(check([project], Settings()))
    assert kept() == []


def test_what_has_errors_is_not_kept(project: Path) -> None:
    (project / "alone.py").write_text("import torch\nx = (\n")
    assert told(again(project)) == told(again(project)) == told(check([project], Settings()))
    assert len(again(project).errors) == 1
    assert len(kept()) == 1


def _sealed(content: str) -> bytes:
    """``content`` with the digest that belongs to it."""
    folder = CacheFiles(Path(os.environ["DEVICEFIX_CACHE_DIR"], "sealing"))
    folder.put("key", json.loads(content))
    data = folder._path("key").read_bytes()
    folder._path("key").unlink()
    return data


@pytest.mark.parametrize(
    "broken",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"DFX", b"XYZ", 1),
        lambda data: b"\xff" * 100,
        lambda data: _sealed("null"),
        lambda data: _sealed("[[], 1]"),
        lambda data: _sealed('[[], ["Outcome", 1]]'),
        lambda data: _sealed('[[], ["Path", "/"]]'),
        lambda data: _sealed('[[["x"]], ["Span", 1, 2]]'),
        lambda data: _sealed('[[], ["Span", 1, 2]]'),
        lambda data: _sealed('[[], ["Outcome", {}, [""], [""], [""], [""]]]'),
    ],
)
def test_a_broken_entry_is_none(
    project: Path, broken: Callable[[bytes], bytes], worked_on: list[str]
) -> None:
    plain = told(again(project))
    for path in kept():
        path.write_bytes(broken(path.read_bytes()))
    worked_on.clear()
    assert told(again(project)) == plain
    assert len(worked_on) == 3
    assert told(again(project)) == plain
    assert len(worked_on) == 3


def test_a_folder_that_cannot_be_written_is_none(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DEVICEFIX_CACHE_DIR", str(tmp_path / "file"))
    assert told(again(project)) == told(check([project], Settings()))


def test_nothing_half_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    files = CacheFiles(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        files.put("abc", 1)
    assert files.get("abc") is None
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    files.put("abc", [1, "ä\udc80"])
    assert files.get("abc") == [1, "ä\udc80"]


def test_what_was_not_asked_for_the_longest_goes_first(tmp_path: Path) -> None:
    files = CacheFiles(tmp_path)
    for number in range(10):
        files.put(f"{number}0", "x" * 966)  # a thousand bytes with the digest
        os.utime(files._path(f"{number}0"), (1_000 + number, 1_000 + number))
    assert files._path("00").stat().st_size == 1_001
    assert files.get("00") is not None  # asked for once more
    files.tidy(most=10_010)
    assert len(list(tmp_path.rglob("*.json"))) == 10
    files.tidy(most=6_500)
    left = {key for key in (f"{number}0" for number in range(10)) if files.get(key) is not None}
    assert left == {"00", "60", "70", "80", "90"}


def test_a_run_tidies_up(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(CacheFiles, "tidy", lambda self, most=0: asked.append(self.folder.name))
    again(project)
    again(project)
    assert sorted(set(asked)) == ["checks", "projects"]
    assert asked.count("checks") == 1


@pytest.mark.parametrize("content", [["Path", "/"], {}, 1.5, [], {"results": [{"path": 1}]}])
def test_what_is_no_outcome_is_looked_for_again(project: Path, content: object) -> None:
    report = told(again(project))
    for path in (Path(os.environ["DEVICEFIX_CACHE_DIR"]) / "checks").rglob("*.json"):
        files = CacheFiles(path.parent.parent)
        neighbours, _ = files.get(path.stem)
        files.put(path.stem, [neighbours, content])
    assert told(again(project)) == report


def test_all_of_a_finding_is_kept(project: Path) -> None:
    """A field more than is written would be lost without a word."""
    found = [finding for result in again(project).files for finding in result.findings]
    assert all(isinstance(finding, Finding) for finding in found)
    texts = [path.read_text() for path in kept()]
    for finding, word in itertools.product(found, ("code", "message", "advice", "rule")):
        assert any(json.dumps(getattr(finding, word)) in text for text in texts)
