"""A record is whole, or not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devicefix.observe.record import FORMAT, Record


def read(folder: Path) -> dict[str, object]:
    (file,) = folder.iterdir()
    found: dict[str, object] = json.loads(file.read_text())
    return found


def test_the_last_record_takes_the_place_of_the_first(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.running()
    assert read(tmp_path)["status"] == "running"
    record.write("finished", {"work": {"cpu": 3}})
    found = read(tmp_path)
    assert (found["format"], found["status"], found["work"]) == (FORMAT, "finished", {"cpu": 3})
    assert found["error"] is None


def test_a_refusal(tmp_path: Path) -> None:
    Record(tmp_path).refuse("no such device")
    assert (read(tmp_path)["status"], read(tmp_path)["refused"]) == ("refused", "no such device")


def test_a_folder_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = Record(tmp_path / "missing")
    record.running()
    record.write("finished", {})
    said = capsys.readouterr().err
    assert said.startswith("devicefix: no record of process ")
    assert said.count("\n") == 1
