"""``apply --verify`` with made-up rules, and a verification that only reads the new text."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from devicefix.cli import verifying
from devicefix.records import Ending, How
from devicefix.records.observations import Kind
from devicefix.verification import LaunchError
from devicefix.verification import verifying as verification
from devicefix.verification.request import Candidate, Request
from devicefix.verification.result import (
    Comparison,
    Difference,
    Role,
    RunSummary,
    Verdict,
    Verification,
)
from devicefix.verification.trees import Tree
from tests.cli.conftest import Devicefix

CODE = b"import torch\nold = 1\nrisky = 2\n"
NEW = b"import torch\nnew = 1\nrisky = 2\n"
ALL = b"import torch\nnew = 1\nbold = 2\n"
COMMAND = ("--verify", "python train.py --epochs 1")
Verdicts = Callable[[bytes], Verdict]


class Theatre:
    """Plays the verifier: what it was asked, and what it says of a text."""

    def __init__(self) -> None:
        self.requests: list[tuple[Request, Tree]] = []
        self.seen: list[bytes] = []
        self.verdict: Verdicts = lambda text: Verdict.PASS
        self.never_ran = frozenset[int]()
        self.meanwhile: Callable[[], object] = lambda: None

    def verify(self, after: Candidate, devices: Sequence[str] | None = None) -> Verification:
        text = after.tree.overlay.get("train.py", CODE)
        assert text is not None
        self.seen.append(text)
        self.meanwhile()
        verdict = self.verdict(text)
        first = Difference(Kind.LOSS, "the loss", "1.5", "2.5", None, None)
        difference = first if verdict is Verdict.DIFFERS else None
        run = RunSummary(Role.BEFORE, "cpu", Ending(How.EXITED, 0, 1.0), None, None, "")
        return Verification(
            entry=("train.py", "--epochs", "1"),
            verdict=verdict,
            reason="that is how it is",
            baseline="cpu",
            comparisons=(Comparison("cpu", verdict, 3, 0, difference),),
            runs=(run,),
            executed={path: lines - self.never_ran for path, lines in after.lines.items()},
            changed=("train.py",),
            seconds=1.0,
        )


@pytest.fixture
def theatre(devicefix: Devicefix, monkeypatch: pytest.MonkeyPatch) -> Theatre:
    """In a folder with one program, of which one fix is safe and one is not."""
    theatre = Theatre()

    class Verifier:
        def __init__(self, request: Request, before: Tree, progress: object) -> None:
            theatre.requests.append((request, before))

        def __enter__(self) -> Theatre:
            return theatre

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(verification, "Verifier", Verifier)
    monkeypatch.setattr(verifying, "check_devices", lambda *_: None)
    Path("train.py").write_bytes(CODE)
    return theatre


def held() -> bytes:
    return Path("train.py").read_bytes()


def differs_with(word: bytes) -> Verdicts:
    return lambda text: Verdict.DIFFERS if word in text else Verdict.PASS


def test_writes_what_passes_and_undo_takes_it_back(devicefix: Devicefix, theatre: Theatre) -> None:
    done = devicefix("apply", *COMMAND, ".")
    assert (done.status, done.err) == (0, "")
    assert held() == ALL == theatre.seen[-1]
    assert "pass: train.py --epochs 1" in done.out
    assert "Unsafe, verified by the run:\n  TST202 train.py:3\n" in done.out
    assert "Fixed 2 findings" in done.out
    assert devicefix("undo").status == 0
    assert held() == CODE


def test_the_folder_is_where_one_is_unless_named(devicefix: Devicefix, theatre: Theatre) -> None:
    assert devicefix("apply", *COMMAND).status == 0
    assert held() == ALL
    ((request, before),) = theatre.requests
    assert before == Tree(Path.cwd().resolve())
    assert (request.name, request.arguments) == ("train.py", ("--epochs", "1"))
    assert request.devices == ("sim:cuda",)
    assert request.bounds.seconds == verifying.SECONDS


def test_what_is_run_can_be_said(devicefix: Devicefix, theatre: Theatre) -> None:
    bounds = ("--timeout", "5", "--memory", "900", "--tolerance", "0.1", "--python", sys.executable)
    done = devicefix("apply", *COMMAND, *bounds, "--device", "cpu", "--device", "sim:mps")
    assert done.status == 0, done.err
    ((request, _),) = theatre.requests
    assert request.devices == ("cpu", "sim:mps")
    assert (request.bounds.seconds, request.bounds.megabytes) == (5.0, 900)
    assert (request.tolerance, request.python) == (0.1, sys.executable)


def test_the_copy_holds_all_that_is_changed(devicefix: Devicefix, theatre: Theatre) -> None:
    outside = Path("..", "other.py")
    outside.write_bytes(CODE)
    assert devicefix("apply", *COMMAND, ".", str(outside)).status == 0
    ((request, before),) = theatre.requests
    assert before.root == Path.cwd().resolve().parent
    assert str(request.folder) == Path.cwd().name


def test_an_unsafe_fix_that_never_ran_is_left(devicefix: Devicefix, theatre: Theatre) -> None:
    theatre.never_ran = frozenset({3})
    done = devicefix("apply", *COMMAND)
    assert (done.status, held()) == (0, NEW)
    assert (
        "Unsafe, not verified, not written:\n"
        "  TST202 train.py:3: its line 3 (after the fix) never ran" in done.out
    )


def test_an_unsafe_fix_that_differs_is_left(devicefix: Devicefix, theatre: Theatre) -> None:
    theatre.verdict = differs_with(b"bold")
    done = devicefix("apply", *COMMAND)
    assert (done.status, held()) == (0, NEW)
    assert "the loss: 1.5 before, 2.5 after" in done.out


def test_what_does_not_pass_is_not_written(devicefix: Devicefix, theatre: Theatre) -> None:
    theatre.verdict = differs_with(b"new")
    done = devicefix("apply", *COMMAND, ".")
    assert (done.status, held()) == (3, CODE)
    assert "first difference on cpu: the loss" in done.out
    assert "TST101 train.py:2" in done.out
    assert "-old = 1\n+new = 1\n" in done.out
    assert "Nothing was written." in done.out
    assert "--keep-passing" not in done.out  # there is nothing else
    assert devicefix("undo").status == 2  # nor in the journal


def test_the_rest_is_offered_and_written_on_request(devicefix: Devicefix, theatre: Theatre) -> None:
    theatre.verdict = differs_with(b"bold")
    done = devicefix("apply", "--unsafe-fixes", *COMMAND)
    assert (done.status, held()) == (3, CODE)
    offer = "devicefix apply --verify 'python train.py --epochs 1' --keep-passing"
    assert offer in done.out
    done = devicefix("apply", "--unsafe-fixes", *COMMAND, "--keep-passing")
    assert (done.status, held()) == (3, NEW)
    assert "TST202 train.py:3" in done.out
    assert "left out: the verification does not pass with it" in done.out
    assert devicefix("undo").status == 0


def test_what_cannot_be_found_out_is_not_written(devicefix: Devicefix, theatre: Theatre) -> None:
    theatre.verdict = lambda text: Verdict.NO_BASELINE
    done = devicefix("apply", *COMMAND)
    assert (done.status, held()) == (2, CODE)
    assert "the program fails on every device" in done.out


def test_a_program_that_cannot_be_run_is_an_error(devicefix: Devicefix, theatre: Theatre) -> None:
    def refuse(text: bytes) -> Verdict:
        raise LaunchError("no such thing")

    theatre.verdict = refuse
    done = devicefix("apply", *COMMAND)
    assert (done.status, done.out, held()) == (2, "", CODE)
    assert done.err == "Error: no such thing\n"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("python missing.py", "no such file"),
        ("python train.py && true", "without a shell"),
        ("python -c pass", "only a script"),
        ("no-such-python3.99/python train.py", "no interpreter"),
    ],
)
def test_a_bad_command_runs_nothing(
    devicefix: Devicefix, theatre: Theatre, command: str, said: str
) -> None:
    done = devicefix("apply", "--verify", command)
    assert (done.status, done.out, held()) == (2, "", CODE)
    assert said in done.err
    assert theatre.seen == []


@pytest.mark.parametrize(
    "option",
    [
        ("--keep-passing",),
        ("--device", "cpu"),
        ("--python", "python"),
        ("--timeout", "5"),
        ("--memory", "5"),
        ("--tolerance", "5"),
    ],
)
def test_options_of_a_verification_need_one(
    devicefix: Devicefix, theatre: Theatre, option: tuple[str, ...]
) -> None:
    done = devicefix("apply", ".", *option)
    assert (done.status, held()) == (2, CODE)
    assert f"{option[0]} needs --verify" in done.err


def test_a_rehearsal_verifies_and_prints_a_patch(devicefix: Devicefix, theatre: Theatre) -> None:
    done = devicefix("apply", *COMMAND, "--dry-run")
    assert (done.status, held()) == (0, CODE)
    assert done.out.startswith("--- a/train.py\n+++ b/train.py\n")
    assert done.out.endswith("+bold = 2\n")
    assert "pass: train.py" in done.err
    assert theatre.seen[-1] == ALL


def test_json_is_all_there_is_on_stdout(devicefix: Devicefix, theatre: Theatre) -> None:
    theatre.never_ran = frozenset({3})
    done = devicefix("apply", *COMMAND, "--output-format", "json")
    content = json.loads(done.out)
    assert (done.status, done.err, held()) == (0, "", NEW)
    assert content["dry_run"] is False
    acceptance = content["acceptance"]
    assert (acceptance["decision"], acceptance["written"]) == ("accepted", True)
    assert acceptance["verification"]["verdict"] == "pass"
    (group,) = acceptance["groups"]
    assert group["findings"] == [{"path": "train.py", "line": 2, "code": "TST101"}]
    assert group["lines"] == {"train.py": [2]}
    assert [one["why"] for one in acceptance["unproven"]] == [
        "its line 3 (after the fix) never ran"
    ]


def test_json_of_what_was_rejected(devicefix: Devicefix, theatre: Theatre) -> None:
    theatre.verdict = differs_with(b"new")
    done = devicefix("apply", *COMMAND, "--output-format", "json")
    content = json.loads(done.out)
    assert (done.status, held(), content["dry_run"]) == (3, CODE, True)
    acceptance: dict[str, Any] = content["acceptance"]
    assert (acceptance["decision"], acceptance["written"]) == ("rejected", False)
    assert acceptance["refusal"]["comparisons"][0]["difference"]["what"] == "the loss"
    (guilty,) = acceptance["guilty"]
    assert guilty["codes"] == ["TST101"]
    assert "+new = 1" in guilty["diffs"][0]["diff"]


@pytest.mark.parametrize("later", [False, True])
def test_a_file_that_changed_meanwhile_is_not_written(
    devicefix: Devicefix, theatre: Theatre, later: bool
) -> None:
    theatre.meanwhile = lambda: Path("train.py").write_bytes(CODE + b"# mine\n")
    choice = ("--ignore", "TST202") if later else ()
    done = devicefix("apply", *COMMAND, *choice)
    assert (done.status, held()) == (2, CODE + b"# mine\n")
    assert "was changed in the meantime" in done.err


def test_nothing_to_fix_runs_nothing(devicefix: Devicefix, theatre: Theatre) -> None:
    Path("train.py").write_bytes(b"import torch\n")
    done = devicefix("apply", *COMMAND)
    assert (done.status, theatre.seen) == (0, [])
    assert done.out == "Nothing to fix in 1 file.\n"


@pytest.mark.parametrize(("answer", "content"), [("y", NEW), ("n", CODE)])
def test_somebody_at_a_terminal_is_asked(
    devicefix: Devicefix,
    theatre: Theatre,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    content: bytes,
) -> None:
    theatre.verdict = differs_with(b"bold")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{answer}\n"))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    done = devicefix("apply", "--unsafe-fixes", *COMMAND)
    assert (done.status, held()) == (3, content)
    assert "It passes with the other group of fixes. Write it?" in done.err + done.out
    assert done.out.count("first difference") == 1  # why is told before the question, and once


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, keys: str) -> None:
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    pressed = iter(keys)
    monkeypatch.setattr("click.getchar", lambda: next(pressed))


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_what_was_accepted_one_by_one_is_verified(
    devicefix: Devicefix, theatre: Theatre, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_a_terminal(monkeypatch, "nyy")
    done = devicefix("apply", "-i", *COMMAND)
    assert (done.status, held()) == (0, b"import torch\nold = 1\nbold = 2\n")
    assert set(theatre.seen) == {held()}
    assert "pass: train.py --epochs 1" in plain(done.out)
    assert "not accepted in review" in done.out


def test_what_was_accepted_and_does_not_pass_is_kept_and_not_written(
    devicefix: Devicefix, theatre: Theatre, monkeypatch: pytest.MonkeyPatch
) -> None:
    theatre.verdict = differs_with(b"new")
    at_a_terminal(monkeypatch, "yny")
    assert devicefix("apply", "-i", *COMMAND).status == 3
    assert held() == CODE
    at_a_terminal(monkeypatch, "y")
    again = devicefix("apply", "-i", ".")
    assert "1 accepted, 1 rejected, 0 open." in plain(again.out)
    assert held() == NEW
