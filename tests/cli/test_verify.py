"""``devicefix verify``: which trees, which devices, what is shown and with which status it ends.

Programs here import no torch, but one: then a run takes no time.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from devicefix.verification import verifying
from tests.cli.conftest import Devicefix
from tests.forking import Borrowed
from tests.patience import given_time

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/verify.schema.json").read_text(encoding="utf-8"))

Ran = subprocess.CompletedProcess[str]
Verify = Callable[..., Ran]


@pytest.fixture
def environment(state: Path, tmp_path: Path) -> dict[str, str]:
    (tmp_path / "temporary").mkdir()
    base = {k: v for k, v in os.environ.items() if k not in {"VIRTUAL_ENV", "CONDA_PREFIX"}}
    more = {"DEVICEFIX_STATE_DIR": str(state), "TMPDIR": str(tmp_path / "temporary")}
    return {**base, **more}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Two states of a program."""
    for tree in ("old", "new"):
        (tmp_path / tree).mkdir()
        (tmp_path / tree / "same.py").touch()
    return tmp_path


@pytest.fixture
def verify(
    answer: Devicefix, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Verify:
    """``devicefix verify`` on the two trees, in our own process."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(verifying, "ForkServer", Borrowed)

    def verify(*arguments: str, trees: bool = True) -> Ran:
        options = ["--before", "old", "--after", "new"] if trees else []
        return Ran(arguments, *answer(here, "verify", *options, *arguments))

    return verify


def programs(here: Path, before: str, after: str, name: str = "p.py") -> str:
    (here / "old" / name).write_text(before)
    (here / "new" / name).write_text(after)
    return name


def test_the_same_passes(verify: Verify, here: Path, tmp_path: Path) -> None:
    code = "import sys\nprint(sys.argv[1:], __file__)\nfor n in range(3):\n    print(n / 3)\n"
    name = programs(here, code, code + "# better\n")
    done = verify("--device", "cpu", name, "--device", "-m")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "pass: p.py --device -m on cpu"
    assert not list((tmp_path / "temporary").glob("devicefix-*"))


def test_another_number_is_shown_with_both_values(verify: Verify, here: Path) -> None:
    name = programs(here, "print('loss', 0.5)\n", "print('loss', 0.25)\n")
    done = verify("--device", "cpu", name)
    assert done.returncode == 3
    assert done.stdout.startswith("differs: p.py on cpu\n")
    assert "loss 0.5" in done.stdout
    assert "loss 0.25" in done.stdout


def test_what_differs_only_by_time_passes(verify: Verify, here: Path) -> None:
    code = "import time\nprint('took', time.perf_counter_ns(), 's')\nprint('done', 1.5)\n"
    assert verify("--device", "cpu", programs(here, code, code + "\n")).returncode == 0


def test_a_program_that_never_ran_has_no_baseline(verify: Verify, here: Path) -> None:
    name = programs(here, "print(1)\nraise ValueError('broken')\n", "print(1)\n")
    done = verify("--device", "cpu", name)
    assert done.returncode == 2
    assert done.stdout.startswith("no baseline: p.py\nbefore the change, it fails on every device")


def test_the_json_keeps_to_its_schema_and_is_alone_on_stdout(verify: Verify, here: Path) -> None:
    name = programs(here, "print(1)\nprint(2)\n", "print(1)\nprint(3)\n")
    done = verify("--device", "cpu", "--output-format", "json", name)
    content: dict[str, Any] = json.loads(done.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(content)
    assert (content["verdict"], content["status"], done.returncode) == ("differs", 3, 3)
    assert content["changed"] == ["p.py"]


def test_a_report_in_a_file_has_the_format_of_its_name(verify: Verify, here: Path) -> None:
    name = programs(here, "print(1)\nprint(2)\n", "print(1)\nprint(2)\n\n")
    done = verify("--device", "cpu", "--output-file", "report.md", name)
    assert done.stdout.startswith("pass: ")
    assert (here / "report.md").read_text().startswith("### devicefix verify: pass\n")


def test_trees_that_are_the_same_are_verified_all_the_same(verify: Verify, here: Path) -> None:
    done = verify("--device", "cpu", programs(here, "print(1)\n", "print(1)\n"))
    assert done.returncode == 0
    assert "note: nothing was changed: the program was compared with itself" in done.stdout


def test_a_program_that_fails_before_and_after_is_said_to(verify: Verify, here: Path) -> None:
    fails = "raise ValueError('broken')\n"
    done = verify("--device", "cpu", programs(here, fails, fails))
    assert done.returncode == 2
    headline = "nothing to verify: p.py on cpu\ncpu: nothing was changed, and the program fails"
    assert done.stdout.startswith(f"{headline} (ValueError: broken)\n")
    assert done.stdout.endswith("\ncpu: nothing was compared\n")
    done = verify("--device", "cpu", programs(here, fails, fails + "\n"))
    assert (
        "cpu: the program fails both before and after the change (ValueError: broken)\n"
        in done.stdout
    )
    done = verify("--device", "cpu", programs(here, fails, "raise KeyError(1)\n"))
    assert "fails before the change (ValueError: broken) and after it (KeyError: 1)" in done.stdout


def test_a_run_that_takes_too_long_gives_a_verdict_on_what_it_did(
    verify: Verify, here: Path
) -> None:
    code = "import time\nfor n in range(9):\n    print(n, flush=True)\ntime.sleep(600)\n"
    name = programs(here, code, code + "\n")
    done = given_time(
        lambda seconds: verify("--device", "cpu", "--timeout", str(seconds), name),
        lambda done: done.returncode == 0,
    )
    assert done.stdout.startswith("pass so far: p.py on cpu\n")
    assert "stopped after " in done.stdout
    assert done.returncode == 0


def test_what_the_program_writes_never_reaches_us(verify: Verify, here: Path) -> None:
    code = "import sys\nprint('aloud')\nsys.stderr.write('complaint')\nopen('made', 'w').close()\n"
    done = verify("--device", "cpu", programs(here, code, code + "\n"))
    assert "aloud" not in done.stdout
    assert done.stderr == ""
    assert not (here / "new/made").exists()


@pytest.mark.slow
def test_the_last_apply_is_the_default(
    answer: Devicefix, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "ForkServer", Borrowed)
    code = "import torch\nx = torch.ones(2).cuda()\nprint(x.sum().item())\n"
    # what our guard prints on the device alone is no difference
    code += "print(torch.cuda.get_device_name(0))\n"
    code += "print(\n    torch.cuda.mem_get_info()[0] / 2**30\n)\n"
    (here / "p.py").write_text(code)
    assert answer(here, "apply", "p.py").status == 0
    assert (here / "p.py").read_text() != code
    done = answer(here, "verify", "--output-format", "json", "p.py")
    content = json.loads(done.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(content)
    assert (content["verdict"], content["baseline"]) == ("pass", "sim:cuda")
    after = next(r for r in content["runs"] if (r["role"], r["device"]) == ("after", "sim:cuda"))
    assert after["placement"]["share"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.py"], "gone.py: no such file"),
        (["only.py"], "the folders do not match: only.py: no such file in "),
        (["--device", "tpu", "p.py"], "unknown device 'tpu'; choose from sim:cuda, "),
        (["--device", "cpu,sim:tpu", "p.py"], "unknown simulated device 'sim:tpu'"),
        (["--device", "cpu,,cuda", "p.py"], "unknown device ''"),
        (["--device", "mps", "p.py"], "sees no mps device; sim:mps simulates one"),
        (["--python", "gone", "p.py"], "no interpreter gone"),
        (["--output-format", "html", "p.py"], "'html' is not one of"),
        (["--timeout", "-1", "p.py"], "-1.0 is not in the range"),
        (["--output-file", "/gone/x.md", "p.py"], "/gone/x.md cannot be written"),
        (["-"], "a program on standard input cannot be verified"),
        ([], "Missing argument"),
        (["--device", "cpu", "true"], "no Python process could be observed"),
    ],
)
def test_what_cannot_be_verified(
    arguments: list[str], said: str, answer: Devicefix, here: Path
) -> None:
    programs(here, "print(1)\n", "print(1)\n")
    (here / "new/only.py").touch()
    done = answer(here, "verify", "--before", "old", "--after", "new", *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_nothing_applied_and_no_trees_named(verify: Verify, here: Path) -> None:
    done = verify("p.py", trees=False)
    assert done.returncode == 2
    assert "no `devicefix apply` has changed anything in" in done.stderr
    assert "--before and --after" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupt_leaves_nothing_behind(
    number: signal.Signals, here: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    mark = f"mark-{os.getpid()}-{number}"
    started = here / "started"
    code = f"import time\nopen({str(started)!r}, 'w').close()\ntime.sleep(600)\n"
    name = programs(here, code, code + "\n")
    options = ["--before", "old", "--after", "new", "--device", "cpu"]
    command = [sys.executable, "-m", "devicefix", "verify", *options, name, mark]
    process = subprocess.Popen(command, cwd=here, env=environment, stderr=subprocess.PIPE)
    while not started.exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate(timeout=600)  # its streams are closed when all has ended
    killed = number is signal.SIGKILL
    assert process.returncode == (-number if killed else 128 + number)
    assert b"Traceback" not in errors
    assert not list((tmp_path / "temporary").glob("devicefix-*"))
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not any(mark.encode() in words for words in running)


LONG = """
import sys, time
for n in range(1_500):
    print(f"line {n}", "of_a_long_output_which_is_not_kept_in_memory" * 70, n / 8)
print("took", time.perf_counter_ns(), "s")
print("result", RESULT)
sys.stdout.write("x" * 600_000)
"""


def test_long_output_is_compared_to_its_end(verify: Verify, here: Path) -> None:
    before, same, other = (LONG.replace("RESULT", result) for result in ("1.5", "1.50", "2.5"))
    done = verify("--device", "cpu", programs(here, before, same))
    assert (done.returncode, done.stdout.partition(":")[0]) == (0, "pass"), done.stdout
    done = verify("--device", "cpu", programs(here, before, other))
    assert done.returncode == 3, done.stdout
    assert "  before  result 1.5\n" in done.stdout
    assert "  after   result 2.5\n" in done.stdout


def test_a_line_without_end_ends_with_the_time(verify: Verify, here: Path) -> None:
    code = "import sys\nwhile True:\n    sys.stdout.write(' . ')\n"
    name = programs(here, code, code + "\n")
    verdicts = ("pass so far: ", "could not be verified: ")
    done = given_time(
        lambda seconds: verify("--device", "cpu", "--timeout", str(seconds), name),
        lambda done: done.stdout.startswith(verdicts),
    )
    assert done.returncode in (0, 2), done.stdout
    assert done.stdout.startswith(verdicts), done.stdout
