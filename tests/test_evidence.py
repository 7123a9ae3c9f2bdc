"""Evidence of several runs put together, and what is left of it when a text has changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from devicefix.digests import digest_of_text, line_digests
from devicefix.evidence import (
    MOST,
    VERSION,
    Demand,
    Evidence,
    EvidenceError,
    Expression,
    Fact,
    Failed,
    RecordedFile,
    merged,
    read_evidence,
    rendered,
    with_failure,
)

TEXT: Final = "import zoo\n\nx = zoo.make()\ny = (x +\n     1)\nx = zoo.make()\n"
HOST_ARGUMENTS: Final = ("tensor", "torch.Tensor", "float32", "cpu")
HOST: Final = Fact(*HOST_ARGUMENTS, ((2, 3),))
THERE: Final = Fact("tensor", "torch.Tensor", "float32", "cuda:0", ((2, 3),))
FIRST: Final = (3, 5, 3, 15)
SUM: Final = (4, 6, 5, 7)
LAST: Final = (6, 5, 6, 15)


def recorded(*expressions: Expression, text: str = TEXT) -> RecordedFile:
    return RecordedFile(digest_of_text(text), tuple(line_digests(text)), expressions)


def places(file: RecordedFile) -> list[tuple[int, int, int, int]]:
    return [one.place for one in file.expressions]


def at(file: RecordedFile, text: str) -> RecordedFile:
    return file.at(digest_of_text(text), line_digests(text))


ALL: Final = recorded(*(Expression(place, (HOST,)) for place in (FIRST, SUM, LAST)))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (TEXT, [FIRST, SUM, LAST]),
        (TEXT.replace("\n", "\r\n"), [FIRST, SUM, LAST]),
        ("# new\n" + TEXT, [(4, 5, 4, 15), (5, 6, 6, 7), (7, 5, 7, 15)]),
        (TEXT.replace("1)", "2)"), [FIRST, LAST]),
        (TEXT.replace("x +\n", "x +\n     3 +\n"), [FIRST, (7, 5, 7, 15)]),
        (TEXT.replace("import zoo\n\nx = zoo.make()\n", ""), [(1, 6, 2, 7), (3, 5, 3, 15)]),
        (TEXT.replace("x = zoo", "x =  zoo"), [SUM]),
        ("", []),
    ],
)
def test_what_was_seen_counts_as_long_as_its_lines_are_there(
    text: str, left: list[tuple[int, int, int, int]]
) -> None:
    assert places(at(ALL, text)) == left


def test_runs_are_added_up() -> None:
    shapes = tuple((n,) for n in range(20))
    old = Expression(FIRST, (HOST,), Demand(False, (Failed("apart"),)))
    new = Expression(
        FIRST, (THERE, Fact(*HOST_ARGUMENTS, shapes)), Demand(True, (Failed("apart"),))
    )
    first = Evidence(files={"/a.py": recorded(old), "/b.py": ALL})
    second = Evidence(files={"/a.py": recorded(new, Expression(LAST, (HOST,)))})
    both = merged(first, second)
    assert both.files["/b.py"] is ALL
    one, last = both.files["/a.py"].expressions
    assert [(fact.device, len(fact.shapes)) for fact in one.seen] == [("cpu", MOST), ("cuda:0", 1)]
    assert one.demand == Demand(True, (Failed("apart"),))
    assert last.place == LAST
    assert merged(both, second) == both


def test_the_text_of_the_last_run_counts() -> None:
    changed = TEXT.replace("1)", "2)")
    new = recorded(Expression(SUM, (THERE,)), text=changed)
    both = merged(Evidence(files={"/a.py": ALL}), Evidence(files={"/a.py": new}))
    file = both.files["/a.py"]
    assert file.digest == digest_of_text(changed)
    assert [(one.place, one.seen) for one in file.expressions] == [
        (FIRST, (HOST,)),
        (SUM, (THERE,)),
        (LAST, (HOST,)),
    ]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    source = tmp_path / "src" / "a.py"
    failed = Demand(False, (Failed("apart", (("self", "cpu"),)),))
    file = recorded(Expression(FIRST, (HOST, THERE)), Expression(LAST, (), failed))
    evidence = Evidence(files={str(source): file})
    path.write_bytes(rendered(evidence, tmp_path))
    assert list(json.loads(path.read_text())["files"]) == ["src/a.py"]
    assert read_evidence(path) == evidence
    assert evidence.of(str(tmp_path / "src" / ".." / "src" / "a.py")) == file


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not a file of"),
        (b"[]", "not a file of"),
        (b'{"version": 1, "files": {"a.py": {"digest": 1}}}', "not a file of"),
        (b'{"version": 2}', f"version 2 is not {VERSION}"),
        (b"[" * 100_000, "not a file of"),
        (b"\xff", "not a file of"),
    ],
)
def test_what_is_none_is_refused(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "evidence.json"
    path.write_bytes(content)
    with pytest.raises(EvidenceError, match=complaint):
        read_evidence(path)
    with pytest.raises(EvidenceError, match="cannot be read"):
        read_evidence(tmp_path)


@pytest.mark.parametrize(
    "place", [(0, 1, 1, 2), (1, 0, 1, 2), (1, 5, 1, 2), (2, 1, 1, 2), (1, 1, 10**12, 2)]
)
def test_a_place_that_no_text_has_is_dropped(
    tmp_path: Path, place: tuple[int, int, int, int]
) -> None:
    path = tmp_path / "evidence.json"
    file = recorded(Expression(place, (HOST,)), Expression(LAST, (HOST,)))
    path.write_bytes(rendered(Evidence(files={str(tmp_path / "a.py"): file}), tmp_path))
    assert places(at(read_evidence(path).files[str(tmp_path / "a.py")], "# new\n" + TEXT)) == [
        (7, 5, 7, 15)
    ]


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "evidence.json"
    path.write_text('{"version": 1, "files": {}}')
    monkeypatch.setattr("devicefix.evidence._LARGEST", 20)
    with pytest.raises(EvidenceError, match="has more than 20 bytes"):
        read_evidence(path)


def test_an_error_belongs_to_the_innermost_expression_that_is_known() -> None:
    evidence = Evidence(files={"/a.py": ALL})
    steps = [("/a.py", (3, 4, 3, 14)), ("/a.py", (6, 4, 6, 14)), ("/lib.py", (1, 0, 1, 1))]
    found = with_failure(evidence, steps, Failed("apart")).files["/a.py"].expressions
    assert [one.demand for one in found] == [None, None, Demand(False, (Failed("apart"),))]
    assert with_failure(evidence, [("/a.py", ()), ("/a.py", (9, 9, 9, 9))], Failed("")) == evidence
