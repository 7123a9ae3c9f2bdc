"""Records: what is read, what is damaged, and what several of them say together."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from devicefix.records import RecordError, gather, placement_of, read_record


def test_a_record_is_read(record: dict[str, Any], failing: Path) -> None:
    read = read_record(json.dumps(record))
    assert read.error is not None
    assert read.error.placement
    assert [o.variable or o.module for o in read.error.operands] == ["inputs", "0.weight"]
    created = read.error.operands[0].created
    assert created is not None
    assert (created.file, created.line) == (str(failing), 6)
    assert read.error.operands[0].moved is None
    assert read.work == {"cuda:0": 7680, "cpu": 640}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 2}', "null", '{"format": 1', "[" * 5_000]
)
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        read_record(text)


def test_a_record_with_a_wrong_type_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(RecordError):
        read_record(json.dumps({**record, "lines": [3]}))


def test_the_first_process_comes_first(tmp_path: Path, record: dict[str, Any]) -> None:
    for number in (10, 20, 30):
        content = {**record, "pid": number, "main": number == 20}
        (tmp_path / f"{number}-x.json").write_text(json.dumps(content))
    assert [r.pid for r in gather(tmp_path).records] == [20, 10, 30]


def test_damaged_and_incomplete_records_are_told(tmp_path: Path, record: dict[str, Any]) -> None:
    killed = {**record, "pid": 30, "main": False, "status": "running", "error": None}
    (tmp_path / "10-x.json").write_text(json.dumps(record))
    (tmp_path / "20-x.json").write_text("{")
    (tmp_path / "30-x.json").write_text(json.dumps(killed))
    for name in ("10.entered", "30.entered", "40.entered"):
        (tmp_path / name).touch()
    gathered = gather(tmp_path)
    assert len(gathered.records) == 2
    assert gathered.entered == 4
    assert [note.split(":")[0] for note in gathered.notes] == [
        "the record of process 20 is damaged",
        "process 30 was not recorded to its end",
    ]


def test_an_empty_folder_says_that_nobody_came(tmp_path: Path) -> None:
    assert gather(tmp_path).entered == 0


def test_processes_are_added_up(record: dict[str, Any]) -> None:
    one = read_record(json.dumps(record))
    other = copy.deepcopy(record)
    other["lines"][0]["at"]["line"] = 1
    both = placement_of([one, read_record(json.dumps(other))])
    assert both.work == {"cuda:0": 2 * 7680, "cpu": 2 * 640}
    assert both.share == pytest.approx(7680 / 8320)
    assert [(c.count, c.bytes) for c in both.transfers] == [(8, 368)]
    assert [m.work for m in both.modules] == [{"cuda:0": 8192}, {"cpu": 256}]
    assert sorted(line.work["cpu"] for line in both.host_lines) == [256, 512, 512]
    assert both.notes == tuple(record["notes"])


def test_nothing_at_all_has_no_share() -> None:
    assert placement_of([]).share is None
