"""A program in its own process: what passes through, and what ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from devicefix.records import How
from devicefix.verification import Bounds
from devicefix.verification.supervision import GRACE, supervise
from tests.patience import given_time

DRIVER = """
import os, signal, sys
from devicefix.verification import Bounds, supervision
seconds, megabytes, grace, *command = sys.argv[1:]
bounds = Bounds(float(seconds) or None, int(megabytes) or None)
supervision.GRACE = float(grace)
ending = supervision.supervise((sys.executable, *command), dict(os.environ), bounds)
print(ending.how.value, ending.status, file=sys.stderr)
"""


def driven(
    *arguments: str, seconds: float = 0, megabytes: int = 0, grace: float = GRACE
) -> list[str]:
    bounds = map(str, (seconds, megabytes, grace))
    return [sys.executable, "-c", DRIVER, *bounds, *arguments]


def ran(*arguments: str, seconds: float = 0, megabytes: int = 0, grace: float = GRACE) -> list[str]:
    """How a program ended and what it printed."""
    done = subprocess.run(
        driven(*arguments, seconds=seconds, megabytes=megabytes, grace=grace),
        capture_output=True,
        text=True,
        timeout=600,
    )
    return [done.stderr.splitlines()[-1], done.stdout]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return tmp_path / "program.py"


def alive(mark: str) -> list[int]:
    """Processes that have ``mark`` in their command line."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if folder.name.isdecimal() and mark.encode() in words and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("print(1)", "exited 0"),
        ("raise SystemExit(7)", "exited 7"),
        ("import os; os._exit(3)", "exited 3"),
        ("import os; os.kill(os.getpid(), 9)", "signal 137"),
        ("import os; os.abort()", "signal 134"),
        ("import sys, threading; threading.Thread(target=sys.exit, args=(3,)).start()", "exited 0"),
    ],
)
def test_how_it_ends(code: str, ended: str) -> None:
    assert ran("-c", code)[0] == ended


def test_input_and_output_pass_through_byte_for_byte() -> None:
    code = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])"
    data = bytes(range(256)) * 5000
    done = subprocess.run(driven("-c", code), input=data, capture_output=True)
    assert done.stdout == data[::-1]


def test_other_open_files_pass_through(tmp_path: Path) -> None:
    code = "import os; os.write(3, b'here')"
    words = " ".join(f"'{word}'" for word in driven("-c", code.replace("'", '"')))
    subprocess.run(f"{words} 3> {tmp_path}/three", shell=True, check=True, capture_output=True)
    assert (tmp_path / "three").read_text() == "here"


def test_signals_have_their_usual_meaning() -> None:
    code = "import signal as s; print(s.pthread_sigmask(s.SIG_BLOCK, ()), s.getsignal(s.SIGPIPE))"
    direct = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran("-c", code) == ["exited 0", direct.stdout]


def test_a_program_that_never_ends_says_where_it_was(program: Path) -> None:
    program.write_text("import time\ntime.sleep(600)\n")

    def ended(seconds: float) -> str:
        command = driven(str(program), seconds=seconds)
        return subprocess.run(command, capture_output=True, text=True).stderr

    said = given_time(ended, lambda said: "line 2" in said)
    assert said.splitlines()[-1] == "timeout 124"
    assert "line 2" in said
    assert "KeyboardInterrupt" in said


@pytest.mark.slow
def test_a_daemon_that_ignores_all_signals_does_not_outlive_the_bounds(program: Path) -> None:
    program.write_text(
        "import os, signal, time\n"
        "for number in (1, 2, 3, 15):\n"
        "    signal.signal(number, signal.SIG_IGN)\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        os.fork()\n"
        "        time.sleep(60)\n"
        "time.sleep(60)\n"
    )
    assert ran(str(program), seconds=0.5, grace=0.3)[0] == "timeout 124"
    assert alive(str(program)) == []


def test_what_it_leaves_behind_does_not_outlive_the_bounds(program: Path) -> None:
    text = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n"
    program.write_text(text)
    assert ran(str(program), seconds=60)[0] == "exited 0"
    assert alive(str(program)) == []


def test_without_bounds_a_daemon_lives_on(program: Path) -> None:
    program.write_text(
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    for number in range(3):\n"
        "        os.close(number)\n"
        "    time.sleep(60)\n"
    )
    assert ran(str(program))[0] == "exited 0"
    (daemon,) = alive(str(program))
    os.kill(daemon, signal.SIGKILL)


GROWS = "held = []\nwhile True:\n    held.append(b'x' * 5_000_000)"
FORKS = """
import os, time
held = b'x' * 120_000_000
for _ in 'ab':
    os.fork()
held = held[:60_000_000] + held[60_000_000:]
time.sleep(60)
"""


@pytest.mark.parametrize("code", [GROWS, FORKS], ids=["one", "together"])
def test_memory_is_bounded(code: str) -> None:
    assert ran("-c", code, megabytes=250)[0] == "memory 137"


def test_what_processes_share_counts_once() -> None:
    code = (
        "import os, time\nheld = b'x' * 120_000_000\nfor _ in 'ab':\n    os.fork()\ntime.sleep(0.7)"
    )
    assert ran("-c", code, megabytes=250)[0] == "exited 0"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGINT])
def test_signals_reach_the_program(program: Path, number: int) -> None:
    program.write_text(
        "import signal, sys, time\n"
        f"signal.signal({number}, lambda *_: sys.exit(9))\n"
        "print('ready', flush=True)\n"
        "for _ in range(1200):\n"  # a handler may run only when the sleep that has begun is over
        "    time.sleep(0.05)\n"
    )
    process = subprocess.Popen(
        driven(str(program)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert err.splitlines()[-1] == "exited 9"


def test_to_be_terminated_ends_the_children_too(program: Path) -> None:
    program.write_text(
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n"
        "print('ready', flush=True)\ntime.sleep(60)\n"
    )
    process = subprocess.Popen(
        driven(str(program)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.terminate()
    process.wait(timeout=60)
    process.stdout.close()
    deadline = time.monotonic() + 60
    while alive(str(program)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert alive(str(program)) == []


def test_our_own_process_is_left_as_it_was() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        ending = supervise(
            (sys.executable, "-c", "raise SystemExit(4)"), dict(os.environ), Bounds()
        )
        assert (ending.how, ending.status) == (How.EXITED, 4)
        ended = supervise(
            (sys.executable, "-c", "import time; time.sleep(60)"),
            dict(os.environ),
            Bounds(0.1, 900),
        )
        assert ended.how is How.TIMEOUT
        assert other.poll() is None  # it is ours, and none of the program's
        other.communicate(b"\n")
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
