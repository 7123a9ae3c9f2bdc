"""``devicefix run``: what passes through, what is said, and with which status it ends.

Programs here import no torch: what is recorded of them they write themselves.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.conftest import Devicefix

ROOT = Path(__file__).resolve().parents[2]
ENTER = 'import os\nfolder = os.environ["DEVICEFIX_OBSERVE"]\n'

Ran = subprocess.CompletedProcess[str]
Run = Callable[..., Ran]


@pytest.fixture
def environment(state: Path) -> dict[str, str]:
    base = {k: v for k, v in os.environ.items() if k not in {"VIRTUAL_ENV", "CONDA_PREFIX"}}
    return {**base, "DEVICEFIX_STATE_DIR": str(state)}


@pytest.fixture
def here(failing: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(failing.parent)
    return failing.parent


@pytest.fixture
def run_it(here: Path, environment: dict[str, str]) -> Run:
    """``devicefix run`` with these arguments, in a folder of its own."""

    def run_it(*arguments: str, **more: Any) -> Ran:
        command = [sys.executable, "-m", "devicefix", "run", *arguments]
        more = {"capture_output": True, "text": True, "env": environment, **more}
        return subprocess.run(command, cwd=here, timeout=600, **more)

    return run_it


def write(folder: Path, code: str, name: str = "p.py") -> str:
    (folder / name).write_text(ENTER + code)
    return name


@pytest.fixture
def recorded(here: Path, record: dict[str, Any]) -> str:
    """A program that leaves `record` and ends with 1."""
    (here / "record.json").write_text(json.dumps(record))
    code = "import shutil, sys\nshutil.copy('record.json', folder + '/1-x.json')\nsys.exit(1)\n"
    return write(here, code)


def test_what_the_program_does_passes_through(run_it: Run, here: Path) -> None:
    code = "import sys\nprint(sys.argv, input())\nprint('e', file=sys.stderr)\nsys.exit(7)\n"
    done = run_it(write(here, code), "--timeout", "-m", "x", input="in\n")
    assert (done.returncode, done.stdout) == (7, "['p.py', '--timeout', '-m', 'x'] in\n")
    assert done.stderr == "e\n"


def test_binary_output_passes_through(run_it: Run, here: Path) -> None:
    code = "import sys\nsys.stdout.buffer.write(bytes(range(256)))\n"
    done = run_it(write(here, code), text=False)
    assert done.stdout == bytes(range(256))  # type: ignore[comparison-overlap]


def test_a_module_and_a_command(run_it: Run, here: Path) -> None:
    write(here, "print(__name__)\n", "mod.py")
    assert run_it("-m", "mod").stdout == "__main__\n"
    assert run_it("--", "mod.py").stdout == "__main__\n"
    assert run_it("--python", sys.executable, "python", "mod.py").stdout == "__main__\n"


def test_standard_input_as_the_program(run_it: Run) -> None:
    assert run_it("-", "a", input=ENTER + "import sys\nprint(sys.argv)").stdout == "['-', 'a']\n"


def test_a_terminal_is_still_one(here: Path, environment: dict[str, str]) -> None:
    code = "import os\nprint(*map(os.isatty, range(3)), os.getpgrp() == os.tcgetpgrp(0))\n"
    spawn = [sys.executable, "-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"]
    command = [*spawn, sys.executable, "-m", "devicefix", "run", write(here, code)]
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    assert done.stdout.splitlines()[0].strip() == b"True True True True"


def test_on_an_error_of_placement_there_is_one_screen(run_it: Run, recorded: str) -> None:
    done = run_it(recorded)
    assert (done.returncode, done.stdout) == (1, "")
    fix = "  fix       `devicefix apply failing.py`"
    assert f"{fix} alone does not fix this, tried in a copy (DFX103)" in done.stderr
    assert len(done.stderr.splitlines()) <= 24
    assert "placement on" not in done.stderr
    done = run_it("--summary", "--no-try", recorded)
    assert "── placement on sim:cuda" in done.stderr
    assert f"{fix} may fix this (DFX103)" in done.stderr


def test_the_summary_of_a_program_without_torch(run_it: Run, here: Path) -> None:
    done = run_it("--summary", write(here, "print(1)\n"))
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert done.stderr.endswith("The program never imported torch.\n")


def test_the_reports(run_it: Run, here: Path, recorded: str) -> None:
    schema = json.loads((ROOT / "docs" / "run.schema.json").read_text(encoding="utf-8"))
    assert run_it("--output-format", "json", recorded).stdout == ""
    content = json.loads((here / "devicefix-run.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(content)
    assert content["error"]["remedy"]["codes"] == ["DFX103"]
    run_it("--output-file", "r.html", recorded)
    assert (here / "r.html").read_text().startswith("<!doctype html>")
    run_it("--output-format", "text", "--output-file", "r.html", recorded)
    assert (here / "r.html").read_text().startswith("── placement on")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.py"], "gone.py: no such file"),
        (["--device", "cuda", "p.py"], "unknown simulated device 'cuda'"),
        (["--device", "sim:cuda:99", "p.py"], "the number of devices is 1 to"),
        (["--python", "gone", "p.py"], "no interpreter gone"),
        (["--timeout", "0", "p.py"], "0.0 is not in the range x>0"),
        (
            ["--output-format", "html", "--output-file", "gone/x", "p.py"],
            "gone/x cannot be written",
        ),
        (["--what", "p.py"], "No such option"),
        ([], "Missing argument 'ENTRY [ARGS]...'"),
    ],
)
def test_what_keeps_it_from_running(
    answer: Devicefix, here: Path, arguments: list[str], said: str
) -> None:
    write(here, "print('it ran')\n")
    done = answer(here, "run", *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_an_interpreter_without_torch(run_it: Run, here: Path) -> None:
    fake = here / "python"
    fake.write_text(f'#!/bin/sh\n{sys.executable} -I -S "$@"\n')
    fake.chmod(0o755)
    done = run_it("--python", "./python", write(here, "print('it ran')\n"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no torch" in done.stderr


def test_a_program_that_shuts_us_out(run_it: Run, here: Path) -> None:
    (here / "p.py").write_text("print(1)\n")
    done = run_it("python", "-I", "-S", "p.py")
    assert done.returncode == 2
    assert "no Python process could be observed" in done.stderr


def test_a_refusal_in_the_program(run_it: Run, here: Path, record: dict[str, Any]) -> None:
    refused = {**record, "status": "refused", "refused": "a real GPU is there", "error": None}
    (here / "record.json").write_text(json.dumps(refused))
    code = "import shutil\nshutil.copy('record.json', folder + '/1-x.json')\n"
    assert run_it(write(here, code)).returncode == 2


def test_a_damaged_record_is_told(run_it: Run, here: Path) -> None:
    code = "open(folder + '/77-x.json', 'w').write('{')\n"
    done = run_it("--summary", write(here, code))
    assert done.returncode == 0
    assert "note: the record of process 77 is damaged" in done.stderr


@pytest.mark.parametrize(
    ("options", "code", "status", "said"),
    [
        (["--timeout", "0.5"], "import time\ntime.sleep(60)", 124, "stopped after 0.5 seconds"),
        (["--memory", "250"], "x = []\nwhile 1: x.append(b'x' * 9**7)", 137, "more than 250"),
        ([], "os.kill(os.getpid(), 9)", 137, "killed by signal 9 (SIGKILL)"),
        ([], "os.abort()", 134, "killed by signal 6 (SIGABRT)"),
        ([], "os.kill(os.getpid(), 40)", 168, "killed by signal 40"),
        ([], "import nowhere", 1, "No module named 'nowhere'"),
    ],
)
def test_how_it_may_end(
    run_it: Run, here: Path, options: list[str], code: str, status: int, said: str
) -> None:
    done = run_it(*options, write(here, code))
    assert done.returncode == status
    assert said in done.stderr


def test_an_interrupt_is_passed_over_in_silence(run_it: Run, here: Path) -> None:
    code = "import signal\nsignal.signal(2, signal.SIG_DFL)\nos.kill(os.getpid(), 2)\n"
    done = run_it(write(here, code))
    assert (done.returncode, done.stderr) == (130, "")


def test_nothing_is_left_behind(
    run_it: Run, here: Path, recorded: str, environment: dict[str, str]
) -> None:
    folder = here / "tmp"
    (folder / "devicefix-run-of-one-that-was-killed/tree").mkdir(parents=True)
    run_it(recorded, env={**environment, "TMPDIR": str(folder)})
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_program_that_ends_its_parent_ends_itself(
    run_it: Run, here: Path, environment: dict[str, str], number: int
) -> None:
    folder = here / "tmp"
    folder.mkdir()
    code = f"""
import subprocess, sys
sleep = "import time; time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", sleep, "mark"], start_new_session=True)
print(child.pid, flush=True)
os.kill(os.getppid(), {number})
child.wait()
"""
    done = run_it(write(here, code), env={**environment, "TMPDIR": str(folder)})
    assert done.returncode == 128 + number
    left = Path(f"/proc/{int(done.stdout)}/cmdline")
    assert not left.exists() or b"mark" not in left.read_bytes()
    assert list(folder.iterdir()) == []


def test_our_own_process_imports_no_torch(
    run_it: Run, here: Path, environment: dict[str, str]
) -> None:
    code = """
import sys
from devicefix.cli import main
status = main(["run", "p.py"])
print(status, "torch" in sys.modules)
"""
    write(here, "print(1)\n")
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True)
    assert done.stdout == "1\n0 False\n"


def test_it_can_be_imported_where_there_are_fewer_signals() -> None:
    code = """
import signal
for name in ("SIGPIPE", "SIGHUP", "SIGQUIT", "SIGKILL", "SIGCHLD", "SIGUSR1", "SIGUSR2"):
    delattr(signal, name)
import devicefix.cli, devicefix.verification
"""
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT)}, check=True)
