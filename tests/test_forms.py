"""What is found in a program does not depend on the form in which it is written.

The programs are those of the case files, in the forms of `tests.forms`. One in `SHARE` of them is
taken in each form, others in each; ``DEVICEFIX_ALL_FORMS=1`` takes them all.
"""

from __future__ import annotations

import ast
import os
from functools import cache
from pathlib import Path
from typing import Final
from zlib import crc32

import pytest

from devicefix.engine import check
from tests.codemods.test_cases import CASES, CODEMODS, Case, settings
from tests.forms import FORMS, written

SHARE: Final = 1 if os.environ.get("DEVICEFIX_ALL_FORMS") else 45
KNOWN: Final[dict[str, set[str]]] = {
    "below a constant": {
        "cuda_guard: an index of the user, or none",
        "cuda_guard: an option of the object is asked once, where the object is made",
        "cuda_guard: a function that imports torch itself",
        "cuda_guard: a function that imports torch itself, and more",
        "cuda_method: an option gives the index, by whatever name it comes",
        "cuda_method: a function chooses the cards, and uses them",
        # where the choice of cards is no statement of the file itself, all of the file waits for it
        "cuda_method: torch is imported below what chooses the cards",
        # an option is one of the file itself where a statement of the file says so
        "cuda_method: what the file moves whatever the option says, and what the option is about",
        "cuda_guard: both branches do the same but for the moves",
        "default_tensor_type: all that it carries is seen",
        (
            "default_tensor_type: what is moved at once needs no device of its own, unless it is "
            "drawn there"
        ),
        # what marks and decorators ask is looked for at the very top of a file
        "device_literal: tests that do not run without CUDA",
        "device_literal: all tests of the file are skipped without CUDA",
        "device_literal: one of several marks",
        "device_literal: a function that imports torch itself, in a file that works without it",
        "two_way_choice: by statement, with a name for the question",
        # a constant around a move is taken for a condition of the user: `True and …`
        "own_methods: one that is looked up by its name",
        # what a function reads is followed to a statement of the file itself, alone on its line
        "data_index: in a function, by a name for what the version says",
        "volatile: a value of the module that a function below it reads",
    },
    "blank lines": {
        # by design: a ladder that holds a comment is rewritten branch by branch, which keeps it
        "cuda_only: ladders, as an expression and as statements",
        "cuda_only: a device that a condition sets, and one with a comment beside it",
    },
    "other names": {
        # pytest reads this name: under another one it is another program
        "device_literal: all tests of the file are skipped without CUDA",
        "device_literal: one of several marks",
        # a name without an underscore may be imported by others
        (
            "cuda_tensor_type: the default of a parameter, and of a keyword of a method, that a "
            "name is not needed for"
        ),
    },
    "one line": {
        # where a call is, is known by its line: one beside the choice of cards counts as too early
        "cuda_method: a function chooses the cards, and uses them",
        "cuda_method: the main block chooses the cards first",
        "volatile: a value of the module that a function below it reads",
    },
    "main": {
        # in a function the gradient is also made where the scores are
        (
            "operands_on_two_devices: the gradient that backward begins with has to be beside what "
            "it is called on"
        ),
        # by design: what the top of a file binds may be read by whoever imports it, what a function
        # binds by nobody else; an option is one of a file, or one of each call
        "cuda_guard: an index of the user, or none",
        "cuda_guard: a device that was chosen by another condition",
        "cuda_method: an option gives the index, by whatever name it comes",
        "cuda_method: the program has put the option into a device",
        "cuda_method: torch is imported in a compound statement",
        "cuda_tensor_type: an option of the user that the device obeys",
        "made_then_moved: a leaf, a cast, a view",
    },
    "named conditions": {
        # a method with a name for the question does more than move what the object holds
        "own_methods: a method that only moves what an object holds takes a device",
        # a name that a loop binds anew is another answer in each turn
        "cuda_guard: a list of which some items are moved, and the list as it is",
        # a name for the question is one finding more, and what stays below it gets its own check
        "cuda_only: ladders, as an expression and as statements",
        "cuda_only: a device that a condition sets, and one with a comment beside it",
        "cuda_only: a name of its own that means something else, too",
        # a name for the question whether an argument was left out says nothing of the argument
        "beside_inputs: a parameter may be left out, and then there is nothing to follow",
        "cuda_only: what has no generic form keeps its check, and all below it",
        "cuda_only: seeds of CUDA beside the seed of all",
        "cuda_call: something has asked",
        "cuda_method: only type checkers import torch",
        "cuda_method: only type checkers import torch, by the module's name",
        "cuda_guard: a name for the question",
        "cuda_guard: a switch in the text of a function",
        "cuda_guard: a guard that asks if there is anything to move",
        "cuda_guard: what is there with CUDA only stays below its condition",
        "cuda_guard: a name that nothing binds stays below its condition",
        "cuda_guard: a device that was chosen by the same condition",
        "cuda_guard: a flag that lives on: the guards work everywhere as they stand",
        "cuda_guard: moves under the same question, beside the result of a module",
        "cuda_method: an option that the program sets anew on some ways",
        "cuda_tensor_type: an option of the user that the device obeys",
        "made_then_moved: a leaf, a cast, a view",
        "device_literal: below conditions that ask for data, not for devices",
        "volatile: both branches wrap it",
        "volatile: the condition is the one under which it learns",
    },
}
"""What is found differently still: fixes that one form gets and another does not."""
_Found = list[tuple[str, str]]


def is_python3(case: Case) -> bool:
    try:
        ast.parse(case.before)
    except SyntaxError:
        return False
    return True


PROGRAMS: Final = [case for case in CASES if is_python3(case)]


def found_in(text: str, case: Case, folder: Path, *, whole: bool = False) -> _Found:
    """The rules that find something, and whether they have a fix, and which kind.

    ``whole``: the folder is asked for, and not the file.
    """
    path = folder / "program.py"
    path.write_text(text)
    report = check([folder if whole else path], settings(case), codemods=CODEMODS)
    assert not report.errors, report.errors
    findings = (f for result in report.files for f in result.findings)
    return sorted((f.code, f.fix.applicability.name if f.fix else "no fix") for f in findings)


@cache
def found_before(case: Case, folder: Path) -> _Found:
    return found_in(written(ast.parse(case.before)), case, folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forms")


def share(number: int) -> list[Case]:
    """One in so many programs, by their titles: a new program takes no other's place."""
    return [p for p in PROGRAMS if (crc32(str(p).encode()) - number) % SHARE == 0]


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_a_program_says_nothing(form: str, folder: Path) -> None:
    start = list(FORMS).index(form)
    different = {}
    programs = share(start)
    for case in programs:
        text = FORMS[form](ast.parse(case.before))
        if text is not None and found_in(text, case, folder) != found_before(case, folder):
            different[str(case)] = text
    known = KNOWN.get(form, set()) & set(map(str, programs))
    assert different.keys() == known, {
        case: different.get(case) for case in different.keys() ^ known
    }


def test_a_file_alone_or_its_folder(tmp_path: Path) -> None:
    programs = share(len(FORMS))
    both = {
        str(case): [found_in(case.before, case, tmp_path, whole=whole) for whole in (False, True)]
        for case in programs
    }
    assert {case: found for case, found in both.items() if found[0] != found[1]} == {}
