from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from devicefix.codemod import Codemod, Context
from devicefix.engine.report import FileError, FileFailedError, FileResult
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.source import Source

Swap = Callable[..., type[Codemod]]
Make = Callable[..., type[Codemod]]
Bench = Callable[..., Any]


def after(result: FileResult) -> str:
    assert result.change is not None
    return result.change.after.decode()


def lines(errors: tuple[FileError, ...]) -> list[str]:
    return [str(error) for error in errors]


def test_applies_and_says_so(one_file: Bench, swap: Swap) -> None:
    source = Source.from_text("old = 1\nprint(old)\n", "x.py")
    result, errors = one_file(swap("DFX1", "old", "new")).mend(source)
    assert after(result) == "new = 1\nprint(new)\n"
    assert [(f.line, f.column) for f in result.applied] == [(1, 1), (2, 7)]
    assert (result.findings, result.left, errors) == (result.applied, (), ())


def test_a_check_changes_nothing(one_file: Bench, swap: Swap) -> None:
    bench = one_file(swap("DFX1", "old", "new"), swap("DFX2", "x", "y", Applicability.DISPLAY))
    result, errors = bench.survey(Source.from_text("old = x = 1\n", "x.py"))
    assert [f.code for f in result.findings] == ["DFX1", "DFX2"]
    assert [x.finding.code for x in result.left] == ["DFX2"]
    assert (result.applied, result.change, errors) == ((), None, ())


def test_works_in_rounds_and_keeps_original_places(one_file: Bench, swap: Swap) -> None:
    text = "first = 1\nprint(1, first); shown = 2\n"
    bench = one_file(
        swap("DFX1", "first", "the_second"),
        swap("DFX2", "the_second", "third"),
        swap("DFX3", "shown", "", Applicability.DISPLAY),
    )
    result, _ = bench.rehearse(Source.from_text(text, "x.py"))
    assert after(result) == "third = 1\nprint(1, third); shown = 2\n"
    places = [(f.code, f.line, f.column) for f in result.applied]
    assert places == [("DFX1", 1, 1), ("DFX1", 2, 10), ("DFX2", 1, 1), ("DFX2", 2, 10)]
    assert [len(f.fix.edits) for f in result.applied if f.fix] == [1, 1, 0, 0]
    assert [(x.finding.line, x.finding.column) for x in result.left] == [(2, 18)]


def test_what_is_left_is_named_where_it_now_stands(
    one_file: Bench, make_codemod: Make, swap: Swap
) -> None:
    def check(self: Codemod, context: Context) -> Iterator[Finding]:
        if "import os" not in context.source.text:
            fix = Fix((Edit(0, 0, 0, "import os\n"),), Applicability.SAFE, "g")
            yield context.finding(self, context.source.tree.body[0], "no os", fix)

    bench = one_file(make_codemod("DFX1", check), swap("DFX2", "x", "y", Applicability.DISPLAY))
    source = Source.from_text("a = 1\nx = 2\n", "x.py")
    assert [x.finding.line for x in bench.mend(source)[0].left] == [3]
    assert [x.finding.line for x in bench.rehearse(source)[0].left] == [2]


def test_what_is_early_goes_before_the_others_look(one_file: Bench, make_codemod: Make) -> None:
    def early(self: Codemod, context: Context) -> Iterator[Finding]:
        if (at := context.source.text.find("hex(")) >= 0:
            fix = Fix((Edit(at, at + 3, 0, "bin"),), Applicability.SAFE, "e", early=True)
            yield context.finding(self, context.source.tree.body[0], "old", fix)

    def late(self: Codemod, context: Context) -> Iterator[Finding]:
        if "#" not in context.source.text:
            first = context.source.text.split("(")[0]
            end = len(context.source.text)
            fix = Fix((Edit(end, end, 0, f"# {first}\n"),), Applicability.SAFE, "l")
            yield context.finding(self, context.source.tree.body[0], "late", fix)

    bench = one_file(make_codemod("DFX1", late), make_codemod("DFX2", early))
    result, errors = bench.mend(Source.from_text("hex(1)\n", "x.py"))
    assert after(result) == "bin(1)\n# bin\n"
    assert errors == ()


def _wrap(make_codemod: Make, preamble: str = "") -> type[Codemod]:
    """Wraps every sum in ``f(…)`` once; nested ones open brackets at one place."""

    def check(self: Codemod, context: Context) -> Iterator[Finding]:
        source = context.source
        for node in ast.walk(source.tree):
            wrapped = {c.args[0] for c in ast.walk(source.tree) if isinstance(c, ast.Call)}
            if isinstance(node, ast.BinOp) and node not in wrapped:
                span = source.span(node)
                edits = [Edit(span.start, span.start, 0, "f("), Edit(span.end, span.end, 0, ")")]
                if preamble and preamble not in source.text:
                    edits.append(Edit(0, 0, 0, preamble))
                fix = Fix(tuple(edits), Applicability.SAFE, f"w{span.start}-{span.end}")
                yield context.finding(self, node, "sum", fix)

    return make_codemod("DFX1", check)


def test_groups_that_overlap_wait_for_the_next_round(one_file: Bench, make_codemod: Make) -> None:
    source = Source.from_text("f = abs\nx = 1 + 2 + 3\n", "x.py")
    result, errors = one_file(_wrap(make_codemod)).mend(source)
    assert after(result) == "f = abs\nx = f(f(1 + 2) + 3)\n"
    assert errors == ()


def test_an_edit_that_several_groups_share_counts_once(one_file: Bench, make_codemod: Make) -> None:
    source = Source.from_text("x = 1 + 2\ny = 3 + 4\n", "x.py")
    result, errors = one_file(_wrap(make_codemod, "f = abs\n")).mend(source)
    assert after(result) == "f = abs\nx = f(1 + 2)\ny = f(3 + 4)\n"
    assert errors == ()


def test_the_group_that_breaks_the_file_is_dropped_and_the_others_are_applied(
    one_file: Bench, swap: Swap
) -> None:
    names = "abcdefg"
    bench = one_file(
        *(swap(f"DFX{i}", name, name.upper()) for i, name in enumerate(names, 1) if name != "d"),
        swap("DFX4", "d", "4d"),
    )
    text = "".join(f"{name} = 1\n" for name in names)
    result, errors = bench.mend(Source.from_text(text, "x.py"))
    assert after(result) == "A = 1\nB = 1\nC = 1\nd = 1\nE = 1\nF = 1\nG = 1\n"
    (error,) = lines(errors)
    assert error.startswith("x.py:4: error: DFX4: its fix was dropped: ")
    assert [x.finding.code for x in result.left] == ["DFX4"]
    assert "dropped" in result.left[0].reason


def test_a_fix_may_not_leave_a_name_undefined(one_file: Bench, swap: Swap) -> None:
    bench = one_file(swap("DFX1", "known", "unknown"))
    result, errors = bench.mend(Source.from_text("from m import known\nprint(known)\n", "x.py"))
    assert result.change is None
    reason = "DFX1: its fix was dropped: leaves a name undefined: unknown"
    assert lines(errors) == [f"x.py:2: error: {reason}"]


def test_names_that_were_undefined_before_are_the_authors_affair(
    one_file: Bench, swap: Swap
) -> None:
    bench = one_file(swap("DFX1", "old", "new"))
    result, errors = bench.mend(Source.from_text("old = 1\nprint(undefined)\n", "x.py"))
    assert (after(result), errors) == ("new = 1\nprint(undefined)\n", ())


def test_a_fix_that_never_settles_is_dropped_and_the_others_are_applied(
    one_file: Bench, make_codemod: Make, swap: Swap
) -> None:
    def check(self: Codemod, context: Context) -> Iterator[Finding]:
        for node in ast.walk(context.source.tree):
            if isinstance(node, ast.Constant):
                end = context.source.span(node).end
                fix = Fix((Edit(end, end, 0, " + 1"),), Applicability.SAFE, f"g{end}")
                yield context.finding(self, node, "constant", fix)

    bench = one_file(make_codemod("DFX1", check), swap("DFX2", "old", "new"))
    result, errors = bench.mend(Source.from_text("old = 5\n", "x.py"))
    assert after(result) == "new = 5\n"
    assert lines(errors) == ["x.py:1: error: DFX1: its fix does not converge"]


def test_fixes_that_take_each_other_back_are_dropped(one_file: Bench, swap: Swap) -> None:
    bench = one_file(swap("DFX1", "ping", "pong"), swap("DFX2", "pong", "ping"))
    result, errors = bench.mend(Source.from_text("ping = 1\n", "x.py"))
    assert len(errors) == 1
    again, _ = bench.mend(Source.from_text(after(result) if result.change else "ping = 1\n"))
    assert again.change is None


def test_a_fix_that_changes_nothing_is_an_error(one_file: Bench, swap: Swap) -> None:
    result, errors = one_file(swap("DFX1", "a", "a")).mend(Source.from_text("a = 1\n", "x.py"))
    assert result.change is None
    assert lines(errors) == ["x.py:1: error: DFX1: its fix was dropped: its edits change nothing"]


def test_edits_of_one_group_may_not_overlap(one_file: Bench, make_codemod: Make) -> None:
    def check(self: Codemod, context: Context) -> Iterator[Finding]:
        edits = (Edit(0, 3, 0, "x"), Edit(1, 2, 0, "y"))
        fix = Fix(edits, Applicability.SAFE, "g")
        yield context.finding(self, context.source.tree.body[0], "bad", fix)

    result, errors = one_file(make_codemod("DFX1", check)).mend(Source.from_text("abc\n", "x.py"))
    assert result.change is None
    assert "its edits conflict" in lines(errors)[0]


def test_a_fix_must_fit_the_encoding(one_file: Bench, swap: Swap) -> None:
    bench = one_file(swap("DFX1", "a", "имя"))
    source = Source.from_bytes(b"# coding: latin-1\na = '\xe9'\n", "x.py")
    result, errors = bench.mend(source)
    assert result.change is None
    assert "dropped" in lines(errors)[0]


def test_bytes_outside_the_edits_stay(one_file: Bench, swap: Swap) -> None:
    data = b"\xef\xbb\xbfold = '\xc3\xa9'\r\n\tif_ = old  \r\n\x0c\rold\n# \xe2\x80\xa8 end"
    source = Source.from_bytes(data.replace(b"\tif_", b"if_"), "x.py")
    result, errors = one_file(swap("DFX1", "old", "new")).mend(source)
    assert errors == ()
    assert result.change is not None
    assert result.change.before == data.replace(b"\tif_", b"if_")
    assert result.change.after == result.change.before.replace(b"old", b"new")


def test_a_suppressed_or_skipped_file_is_left(one_file: Bench, swap: Swap) -> None:
    bench = one_file(swap("DFX1", "old", "new"))
    for comment in ("# devicefix: skip-file\nold\n", "old  # devicefix: ignore[DFX1]\n"):
        result, _ = bench.mend(Source.from_text(comment, "x.py"))
        assert (result.findings, result.change) == ((), None)


def test_an_unsettled_file_is_an_error(one_file: Bench, make_codemod: Make) -> None:
    counter = iter(range(1000))

    def check(self: Codemod, context: Context) -> Iterator[Finding]:
        number = next(counter)
        fix = Fix((Edit(0, 0, 0, f"x{number} = 1\n"),), Applicability.SAFE, "g")
        self.__class__.code = f"DFX{number}"  # a new one every time: it cannot be banned
        yield context.finding(self, context.source.tree.body[0], "moody", fix)

    codes = " ".join(f"DFX{i}" for i in range(1000))
    bench = one_file(make_codemod("DFX0", check), selected=codes)
    with pytest.raises(FileFailedError, match="do not converge"):
        bench.mend(Source.from_text("a = 1\n", "x.py"))
