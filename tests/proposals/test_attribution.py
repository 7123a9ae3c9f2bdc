"""Hunks: both sides as they are in the files, and whose decision each line is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from devicefix.engine import AppliedGroup, Change, Choice, Piece, Rehearsal, rehearsal
from devicefix.findings import Applicability, Span
from devicefix.proposals import FileHunks, Hunk, ReviewSession, Row
from devicefix.proposals.attribution import file_hunks
from devicefix.proposals.hunks import identifier
from devicefix.settings import Settings
from devicefix.source.decoding import LINE_END
from tests.notebooks import notebook

EXAMPLES: Final = Path(__file__).parents[2] / "examples"


class Edited:
    """A file, and groups that each replace one text by another; the offsets are those of both."""

    def __init__(self, before: str, *edits: tuple[str, str], path: str = "a.py") -> None:
        self.path = path
        self.before = self.after = before
        self.groups: list[AppliedGroup] = []
        shift = 0
        for number, (old, new) in enumerate(edits):
            start = before.index(old)
            self.after = self.after.replace(old, new, 1)
            spans = (
                Span(start, start + len(old)),
                Span(start + shift, start + shift + len(new)),
            )
            shift += len(new) - len(old)
            self.groups.append(group(number, path, Piece(*spans)))

    def hunks(self) -> tuple[Hunk, ...]:
        change = Change(self.before.encode(), self.after.encode(), "utf-8")
        return file_hunks(self.path, change, self.groups).hunks

    def changed(self) -> list[tuple[str | None, str | None, str]]:
        """Both texts and the numbers of the groups, of all rows that are no context."""
        names = {identifier(g.identity): str(n) for n, g in enumerate(self.groups)}
        return [
            (
                row.before.text if row.before else None,
                row.after.text if row.after else None,
                "".join(names[p] for p in row.proposals),
            )
            for row in rows(self.hunks())
        ]


def group(number: int, path: str, *pieces: Piece) -> AppliedGroup:
    identity = frozenset({(path, "DFX1", number)})
    return AppliedGroup(identity, (), Applicability.SAFE, {}, pieces={path: pieces})


def rows(hunks: tuple[Hunk, ...]) -> Iterator[Row]:
    return (row for hunk in hunks for row in hunk.rows if not row.is_context)


TEXT = "\n".join(f"line {n}" for n in range(1, 31)) + "\n"


@pytest.mark.parametrize(
    ("edits", "changed"),
    [
        ([("line 5\n", "five\n")], [("line 5", "five", "0")]),
        ([("5\n", "5 and more\n")], [("line 5", "line 5 and more", "0")]),
        ([("line 5\n", "")], [("line 5", None, "0")]),
        ([("line 5\nline 6\n", "")], [("line 5", None, "0"), ("line 6", None, "0")]),
        ([("line 5\n", "line 5\nnew\n")], [(None, "new", "0")]),
        ([("ne 5\nline 6", "ne 5\n\nnew\nline 6")], [(None, "", "0"), (None, "new", "0")]),
        (
            [("line 5\n", "5\n"), ("line 6\n", ""), ("line 7\n", "line seven\nand\n")],
            [
                ("line 5", "5", "0"),
                ("line 6", None, "1"),
                ("line 7", "line seven", "2"),
                (None, "and", "2"),
            ],
        ),
        ([("line 5", "(line"), ("\nline 6", " 5)\nline 6")], [("line 5", "(line 5)", "01")]),
        ([("line 1\n", "new\nline 1\n")], [(None, "new", "0")]),
        ([("line 30\n", "line 30\nlast\n")], [(None, "last", "0")]),
        ([("line 30\n", "line 30 without an end")], [("line 30", "line 30 without an end", "0")]),
        ([("5\nline 6", "5; 6")], [("line 5", "line 5; 6", "0"), ("line 6", None, "0")]),
    ],
)  # fmt: skip
def test_each_line_belongs_to_those_who_changed_it(
    edits: list[tuple[str, str]], changed: list[tuple[str | None, str | None, str]]
) -> None:
    edited = Edited(TEXT, *edits)
    assert edited.changed() == changed
    edited.groups = [group(n, "a.py") for n in range(len(edits))]  # what nothing is known of
    for side in (0, 1):
        lines = [row[side] for row in edited.changed() if row[side] is not None]
        assert lines == [row[side] for row in changed if row[side] is not None]


def test_lines_that_only_end_otherwise_are_no_hunk() -> None:
    change = Change(b"a\r\nb\r\n", b"a\nb\n", "utf-8")
    assert file_hunks("a.py", change, ()) == FileHunks("a.py", ())


@pytest.mark.parametrize(
    ("old", "new", "left", "right"),
    [
        ("x = y.cuda()", "x = y.to(device)", ["cuda()"], ["to(device)"]),
        ("f(a, b)", "f(a, b, c)", [], [", c"]),
        ("f(a, g(b))", "f(a, b)", ["g(b)"], ["b"]),
        ("something", "quite another", [], []),
        ("größe = é.cuda()", "größe = é.to(d)", ["cuda()"], ["to(d)"]),
    ],
)
def test_what_changed_in_a_line(old: str, new: str, left: list[str], right: list[str]) -> None:
    ((row,),) = (tuple(rows(Edited(f"1\n{old}\n2\n", (old, new)).hunks())),)
    for line, texts in ((row.before, left), (row.after, right)):
        assert line is not None
        assert [line.text[a:b] for a, b in line.changed] == texts


def test_changes_whose_contexts_meet_are_one_hunk() -> None:
    edited = Edited(TEXT, ("line 5\n", "five\n"), ("line 12\n", "twelve\n"), ("line 20\n", ""))
    numbers = [[row.before.number for row in hunk.rows if row.before] for hunk in edited.hunks()]
    assert numbers == [list(range(2, 16)), list(range(17, 24))]
    after = [row.after.number for row in edited.hunks()[1].rows if row.after]
    assert after == [17, 18, 19, 20, 21, 22]


CODE = """\
class Net:
    size = 1

    def forward(self, x):
        a = 1
        b = 2
        c = 3
        d = 4
        return x

    async def other(self):
        return 1


def test():
    pass


last = 1
"""


@pytest.mark.parametrize(
    ("line", "scope"),
    [
        ("    size = 1", ""),  # the class is shown
        ("        d = 4", "def forward(self, x):"),
        ("        return x", "def forward(self, x):"),
        ("        return 1", "class Net:"),
        ("last = 1", ""),
    ],
)
def test_a_hunk_says_what_is_around_it(line: str, scope: str) -> None:
    (hunk,) = Edited(CODE, (line, line + "0")).hunks()
    assert hunk.scope == scope


def test_hunks_of_a_notebook_lie_in_one_cell() -> None:
    cells = "import torch\nx = 1\n", "#md words", "%matplotlib inline\ny = x\n", "", "z = y"
    before = notebook(*cells)
    after = notebook(
        *(
            c.replace("= x", "= x2").replace("= 1", "= 11") + "\nw = 0" * (c == "z = y")
            for c in cells
        )
    )
    hunks = file_hunks("a.ipynb", Change(before, after, "utf-8"), ()).hunks
    assert [hunk.cell for hunk in hunks] == [1, 3, 5]
    shown = [
        [(row.before and row.before.number, row.after and row.after.text) for row in hunk.rows]
        for hunk in hunks
    ]
    assert shown == [
        [(1, "import torch"), (2, "x = 11")],
        [(1, "%matplotlib inline"), (2, "y = x2")],
        [(1, "z = y"), (None, "w = 0")],
    ]


# -- real programs ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trial() -> Rehearsal:
    files = [
        *(EXAMPLES / name for name in ("bars_2017", "spirals", "fuel.ipynb")),
        *sorted(EXAMPLES.glob("*.py"))[:9],
    ]
    return rehearsal(files, Settings(), dry_run=True)


def lines(data: bytes) -> list[str]:
    return LINE_END.split(data.decode())


def test_the_rows_lead_from_the_files_as_they_are_to_those_as_they_are_to_be(
    trial: Rehearsal,
) -> None:
    state = ReviewSession(trial).state
    changes = {r.path: c for r, c in trial.report(Choice(trusts_all=True)).changes}
    assert len(state.files) == len(changes) >= 10
    for file in state.files:
        if not file.path.endswith(".ipynb"):
            assert patched(file, lines(changes[file.path].before)) == lines(
                changes[file.path].after
            )


def patched(file: FileHunks, text: list[str]) -> list[str]:
    """``text`` as the rows of a file's hunks tell it."""
    new: list[str] = []
    at = 0
    for row in (row for hunk in file.hunks for row in hunk.rows):
        if row.before is not None:
            new += text[at : row.before.number - 1]
            assert text[row.before.number - 1] == row.before.text
            at = row.before.number
        if row.after is not None:
            new.append(row.after.text)
    return new + text[at:]


def test_every_changed_line_of_a_real_program_has_an_owner_and_every_group_a_line(
    trial: Rehearsal,
) -> None:
    state = ReviewSession(trial).state
    found = [row for file in state.files for row in rows(file.hunks)]
    assert all(row.proposals for row in found)
    assert {p for row in found for p in row.proposals} == {p.id for p in state.proposals}


def test_what_is_left_out_is_gone_from_just_its_lines(trial: Rehearsal) -> None:
    session = ReviewSession(trial)
    shown = {
        (f.path, row.before.number): row
        for f in session.state.files
        for row in rows(f.hunks)
        if row.before
    }
    names = {p.id: p for p in session.state.proposals}
    alone = [
        (place, names[row.proposals[0]])
        for place, row in shown.items()
        if len(row.proposals) == 1
        and not place[0].endswith(".ipynb")
        and not names[row.proposals[0]].group.codes[0].startswith("DFX6")
    ]
    assert len(alone) > 12
    for (path, number), proposal in alone[:12]:
        report = trial.report(Choice(without=frozenset({proposal.group.identity}), trusts_all=True))
        left = {r.path: file_hunks(r.path, c, report.groups) for r, c in report.changes}
        rest = rows(left[path].hunks) if path in left else ()
        assert number not in [row.before.number for row in rest if row.before]


def test_a_file_of_another_encoding(tmp_path: Path) -> None:
    before = "# coding: latin-1\nx = 'é'\n".encode("latin-1")
    after = "# coding: latin-1\nx = 'éé'\n".encode("latin-1")
    (hunk,) = file_hunks("a.py", Change(before, after, "latin-1"), ()).hunks
    assert [row.after.text for row in rows((hunk,)) if row.after] == ["x = 'éé'"]


def test_two_thousand_hunks_are_read_from_what_was_replaced() -> None:
    """No line is compared with all others: half a second, and not ten minutes."""
    unit = "x = y.cuda({})\nsame()\n\n\n\nsame()\n\n\n"
    edited = Edited("")
    pieces: list[Piece] = []
    for n in range(2000):
        old, new = unit.format(n), unit.format(n).replace("cuda", "to")
        start, now = len(edited.before) + 6, len(edited.after) + 6
        pieces.append(Piece(Span(start, start + 4), Span(now, now + 2)))
        edited.before += old
        edited.after += new
    edited.groups = [group(n, "a.py", piece) for n, piece in enumerate(pieces)]
    hunks = edited.hunks()
    assert len(hunks) == 2000
    assert [len(hunk.proposals) for hunk in hunks] == [1] * 2000
