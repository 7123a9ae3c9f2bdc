"""Reading case files: what a codemod has to make of pieces of source, and what it has to leave.

``tests/codemods/<family>/<offence>.py`` holds the cases of ``codemods/<family>/<offence>.py``, one
after the other, each below a line ``# case: <what is special about it>``:

    # case: a tuple batch
    <a whole little program>

    # output
    <the same program after `devicefix apply`>

    # case: the batch is moved already
    <a program that has to stay as it is, and in which nothing is found>

A line ``# reports: DFX201 DFX203`` directly below ``# case:`` names the codes of what is found and
left for a person: in a case without output everything that is found, in a case with output what is
still found afterwards. All other cases have to end without a finding.

White space around a case does not count; its text ends with one line end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
_TITLE: Final = re.compile(r"^# case: *(.*?) *\n", re.MULTILINE)
_OUTPUT: Final = re.compile(r"^# output *\n", re.MULTILINE)
_REPORTS: Final = re.compile(r"# reports: *(.*?) *\n")


class CaseError(Exception):
    """A case file is not written as it should be; names the file and the case."""


@dataclass(frozen=True, slots=True)
class Case:
    """One program, and what `devicefix apply` has to make of it."""

    path: str
    """Of the case file below this folder, such as ``hardcoded/cuda_method.py``."""
    title: str
    before: str
    after: str | None
    """None where the program has to stay as it is."""
    reports: frozenset[str]
    """The codes of what is left for a person."""

    def __str__(self) -> str:
        return f"{Path(self.path).stem}: {self.title}"


def case_files() -> list[str]:
    """All case files, as paths below this folder."""
    return sorted(path.relative_to(HERE).as_posix() for path in HERE.glob("*/*.py"))


def read_cases(path: str) -> list[Case]:
    """The cases of one file. Raises `CaseError`."""
    return list(parse_cases((HERE / path).read_text(encoding="utf-8"), path))


def parse_cases(text: str, path: str) -> Iterator[Case]:
    """Take the text of a case file apart. Raises `CaseError`."""
    head, *pieces = _TITLE.split(text)
    if head.strip():
        raise CaseError(f"{path}: there is text above the first '# case:'")
    seen: set[str] = set()
    for title, body in zip(pieces[::2], pieces[1::2], strict=True):
        if not title or title in seen:
            raise CaseError(f"{path}: every case needs a title of its own, {title!r} is none")
        seen.add(title)
        yield _case(path, title, body)


def _case(path: str, title: str, body: str) -> Case:
    reports = _REPORTS.match(body)
    if reports is not None:
        body = body[reports.end() :]
    before, *outputs = (_trimmed(part) for part in _OUTPUT.split(body))
    if len(outputs) > 1 or not before.strip():
        raise CaseError(f"{path}: {title!r} needs a program, and '# output' at most once")
    after = outputs[0] if outputs else None
    if before == after:
        raise CaseError(f"{path}: {title!r} has an output that is its input")
    codes = frozenset(reports.group(1).split()) if reports is not None else frozenset()
    return Case(path, title, before, after, codes)


def _trimmed(text: str) -> str:
    return text.strip("\n") + "\n"
