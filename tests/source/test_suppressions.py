"""Comments that keep devicefix away."""

from __future__ import annotations

import pytest

from devicefix.source import Source


def covered(comment: str, code: str = "DFX103") -> bool:
    return Source.from_text(f"x = 1\ny = 2  {comment}\n").suppressions.covers(code, 2, 2)


@pytest.mark.parametrize(
    "comment",
    [
        "# devicefix: ignore",
        "# devicefix:ignore",
        "#devicefix: ignore",
        "# devicefix: ignore because",
        "# noqa  # devicefix: ignore",
        "# devicefix: ignore[DFX103]",
        "# devicefix: ignore [DFX103]",
        "# devicefix: ignore[DFX201, DFX103]",
        "# devicefix: ignore[DFX201 DFX103]",
        "# devicefix: ignore[dfx103]",
        "# devicefix: ignore[DFX1]",
        "# Devicefix: Ignore[DFX] for now",
    ],
)
def test_covers(comment: str) -> None:
    assert covered(comment)


@pytest.mark.parametrize(
    "comment",
    [
        "# devicefix: ignore[DFX104]",
        "# devicefix: ignore[DFX1034]",
        "# devicefix: ignore[]",
        "# devicefix: ignore[DFX103",
        "# devicefix: ignored",
        "# devicefix: ignore-me",
        "# ignore",
        "+ '# devicefix: ignore'",
        "",
    ],
)
def test_does_not_cover(comment: str) -> None:
    assert not covered(comment)


def test_any_physical_line_of_the_statement_will_do() -> None:
    source = Source.from_text("x = f(\n    a,  # devicefix: ignore[DFX103]\n    b)\ny\n")
    assert source.suppressions.covers("DFX103", 1, 3)
    assert source.suppressions.covers("DFX103", 2, 2)
    assert not source.suppressions.covers("DFX103", 3, 4)


def test_skip_file_covers_everything() -> None:
    suppressions = Source.from_text("x\n\n# devicefix: skip-file\n").suppressions
    assert suppressions.skip_file
    assert suppressions.covers("DFX999", 1, 1)


def test_strings_that_hold_the_words_do_nothing() -> None:
    text = '"""\n# devicefix: skip-file\n"""\nx = "# devicefix: ignore"\n'
    suppressions = Source.from_text(text).suppressions
    assert not suppressions.skip_file
    assert not suppressions.covers("DFX103", 1, 4)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_python_does(newline: str) -> None:
    lines = ["a = '\u2028'", "\x0c", "b = 1  # devicefix: ignore", ""]
    suppressions = Source.from_text(newline.join(lines)).suppressions
    assert suppressions.covers("DFX103", 3, 3)
    assert not suppressions.covers("DFX103", 1, 2)


def test_a_file_that_does_not_tokenise_suppresses_up_to_there() -> None:
    suppressions = Source.from_text("# devicefix: skip-file\nx = '''\n").suppressions
    assert suppressions.skip_file
