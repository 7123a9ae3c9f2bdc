"""One run in the scratch copy: where it works, what it is told, and what comes back.

The programs import no torch: what would be observed of them they write themselves.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from devicefix.records import How
from devicefix.verification import Bounds, LaunchError
from devicefix.verification.execution import Execution, Order, execute
from devicefix.verification.request import Request
from devicefix.verification.result import Role
from devicefix.verification.scratch import Scratch
from devicefix.verification.trees import Tree
from tests.patience import given_time

Execute = Callable[..., Execution]
ON_CPU = Order(Role.BEFORE, "cpu")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    return root


@pytest.fixture
def program(root: Path) -> Callable[[str], None]:
    def program(code: str, name: str = "p.py") -> None:
        (root / name).write_text(code)

    return program


@pytest.fixture
def run_it(root: Path) -> Iterator[Execute]:
    """Runs ``p.py`` in a copy of `root`."""
    with Scratch(Tree(root)) as scratch:

        def run_it(
            *arguments: str,
            name: str = "p.py",
            order: Order = ON_CPU,
            **more: Any,
        ) -> Execution:
            request = Request(name, arguments, sys.executable, **more)
            scratch.restore(Tree(root))
            return execute(request, scratch, root, order)

        yield run_it


def test_it_works_in_the_copy_and_is_heard(root: Path, program: Any, run_it: Execute) -> None:
    program(
        "import os, sys\n"
        "print(os.getcwd(), os.environ['PWD'], __file__, sys.argv[1:])\n"
        "open('made', 'w').close()\n"
        "sys.stderr.write('complained in ' + os.getcwd())\n"
        "sys.exit(3)\n"
    )
    done = run_it("-x", "1")
    assert done.output.decode() == f"{root} {root} {root}/p.py ['-x', '1']\n"
    assert done.errors == f"complained in {root}"
    assert (done.ending.how, done.ending.status) == (How.EXITED, 3)
    assert not (root / "made").exists()


def test_it_has_no_terminal_no_input_and_not_our_group(program: Any, run_it: Execute) -> None:
    program(
        "import os, sys\n"
        "print(repr(sys.stdin.read()), os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid())\n"
        "try:\n    open('/dev/tty')\nexcept OSError:\n    print('none')\n"
    )
    assert run_it().output == b"'' True True\nnone\n"


def test_our_own_working_directory_stays(program: Any, run_it: Execute) -> None:
    program("")
    before = Path.cwd()
    run_it()
    assert Path.cwd() == before


@pytest.mark.parametrize(
    ("device", "told"),
    [
        ("cpu", {"DEVICEFIX_DEVICE": "cpu", "CUDA_VISIBLE_DEVICES": ""}),
        (
            "sim:cuda:2",
            {
                "DEVICEFIX_DEVICE": "sim:cuda:2",
                "DEVICEFIX_SIMULATE": "sim:cuda:2",
                "CUDA_VISIBLE_DEVICES": "",
            },
        ),
        ("cuda", {"DEVICEFIX_DEVICE": "cuda"}),
    ],
)
def test_what_it_is_told(
    device: str,
    told: dict[str, str],
    root: Path,
    program: Any,
    run_it: Execute,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("CUDA_VISIBLE_DEVICES", "PYTHONHASHSEED", "DEVICEFIX_SIMULATE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "/x")
    program("import json, os\nprint(json.dumps(dict(os.environ)))\n")
    lines = {"p.py": frozenset({2, 1})}
    found = json.loads(run_it(order=Order(Role.AFTER, device, 1, lines, 7)).output)
    names = ("DEVICEFIX_DEVICE", "DEVICEFIX_SIMULATE", "CUDA_VISIBLE_DEVICES")
    assert {name: found[name] for name in names if name in found} == told
    assert found["DEVICEFIX_EVENTS"] == "1"
    assert found["DEVICEFIX_CLOCK"] == "1"
    assert found["DEVICEFIX_PERTURB"] == "7"
    assert found["PYTHONHASHSEED"] == "0"
    assert found["DEVICEFIX_ROOTS"] == f"{root}{os.pathsep}{root}"  # the copy, by its tree's name
    assert "PYTHONPYCACHEPREFIX" not in found


def test_the_lines_that_are_asked_about(root: Path, program: Any, run_it: Execute) -> None:
    program("import os\nprint(open(os.environ['DEVICEFIX_LINES']).read())\n")
    order = Order(Role.AFTER, "cpu", lines={"p.py": frozenset({2, 1})})
    assert json.loads(run_it(order=order).output) == {str(root / "p.py"): [1, 2]}


def test_the_users_hash_seed_stays(
    program: Any, run_it: Execute, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "5")
    program("import os\nprint(os.environ['PYTHONHASHSEED'])\n")
    assert run_it().output == b"5\n"


def test_paths_into_the_tree_lead_into_the_copy(
    root: Path, program: Any, run_it: Execute, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "env").mkdir()
    (root / "env/pyvenv.cfg").touch()
    monkeypatch.setenv("PYTHONPATH", f"{root}/sub{os.pathsep}/else")
    monkeypatch.setenv("OUT", f"{root}/out.txt")
    monkeypatch.setenv("VIRTUAL_ENV", f"{root}/env")
    program(
        "import os, sys\n"
        "for place in (*sys.argv[1].split('='), *os.environ['PYTHONPATH'].split(os.pathsep),\n"
        "              os.environ['OUT'], os.environ['VIRTUAL_ENV']):\n"
        "    print(os.path.relpath(place))\n"
        "open(os.environ['OUT'], 'w').close()\n"
    )
    lines = run_it(f"--to={root}/sub").output.decode().splitlines()
    assert lines[1] == "sub"
    assert "sub" in lines[2:]
    assert lines[-2] == "out.txt"
    assert lines[-1].startswith("../")  # it is not in the copy
    assert not (root / "out.txt").exists()


def test_a_module_a_command_a_notebook_and_an_absolute_path(
    root: Path, program: Any, run_it: Execute
) -> None:
    program("import os\nprint(os.path.relpath(__file__))\n")
    (root / "sub/tool").write_text(f"#!{sys.executable}\nprint(__file__)\n")
    (root / "sub/tool").chmod(0o755)
    cell = {"cell_type": "code", "source": "import os; print(os.getcwd())"}
    (root / "sub/n.ipynb").write_text(json.dumps({"cells": [cell]}))
    assert run_it(name="p", is_module=True).output == b"p.py\n"
    assert run_it("p.py", name="python").output == b"p.py\n"
    assert run_it(name=str(root / "p.py")).output == b"p.py\n"
    assert run_it(name="./tool", folder=PurePosixPath("sub")).output.endswith(b"tool\n")
    assert run_it(name="sub/n.ipynb").output.decode() == f"{root}/sub\n"


def test_records_and_events_come_back_with_the_names_of_the_tree(
    root: Path, program: Any, run_it: Execute, record: dict[str, Any]
) -> None:
    (root / "record.json").write_text(json.dumps(record))
    program(
        "import json, os\n"
        "here = os.path.abspath(__file__)\n"
        "folder = os.environ['DEVICEFIX_OBSERVE']\n"
        "record = json.load(open('record.json'))\n"
        "record['lines'][0]['at']['file'] = here\n"
        "json.dump(record, open(folder + '/7-a.json', 'w'))\n"
        "events = [{'format': 1, 'pid': 7, 'main': True},\n"
        "          {'kind': 'written', 'at': [here, 3, 'f', 't'], 'text': 'in ' + here},\n"
        "          {'executed': {here: [2]}}]\n"
        "with open(folder + '/7-a.events', 'w') as file:\n"
        "    file.writelines(json.dumps(event) + '\\n' for event in events)\n"
        "with open(folder + '/8-b.events', 'w') as file:\n"
        '    file.write(\'{"format": 1, "pid": 8, "main": false}\\ndamaged\\n\')\n'
    )
    done = run_it(order=Order(Role.BEFORE, "sim:cuda"))
    first = done.records[0].lines[0].at
    assert first is not None
    assert first.file == str(root / "p.py")
    events = next(events for events in done.observed if events.pid == 7)
    (event,) = events.events
    assert event.at is not None
    assert (event.at.file, event.text) == (f"{root}/p.py", f"in {root}/p.py")
    assert events.executed == {"p.py": {2}}
    assert [note for note in done.notes if "the record of process 8 cannot be read" in note]


def test_another_tree_goes_by_the_first_ones_name_but_places_are_its_own(
    root: Path, program: Any, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "p.py").write_text(
        "import json, os\n"
        "here = os.path.abspath(__file__)\n"
        "print(here)\n"
        "with open(os.environ['DEVICEFIX_OBSERVE'] + '/7-a.events', 'w') as file:\n"
        "    for event in ({'format': 1, 'pid': 7, 'main': True},\n"
        "                  {'kind': 'read', 'at': [here, 3, 'f', 't'], 'how': here}):\n"
        "        file.write(json.dumps(event) + '\\n')\n"
    )
    with Scratch(Tree(root)) as scratch:
        scratch.restore(Tree(other))
        request = Request("p.py", (), sys.executable)
        done = execute(request, scratch, other, Order(Role.AFTER, "cpu"))
    (event,) = next(events for events in done.observed if events.pid == 7).events
    assert event.at is not None
    assert (event.at.file, event.how) == (f"{other}/p.py", f"{root}/p.py")
    assert done.output.decode() == f"{root}/p.py\n"


def test_imports_from_another_state_lead_into_the_copy(
    root: Path, program: Any, run_it: Execute, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "new/sub").mkdir(parents=True)
    (tmp_path / "new/sub/lib.py").write_text("print('new')\n")
    (root / "sub/lib.py").write_text("print('old')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "new/sub"))
    program("import os, lib\nprint(os.environ['DEVICEFIX_ROOTS'])\n")
    done = run_it(roots=(root, tmp_path / "new"))
    roots = os.pathsep.join(map(str, (root, tmp_path / "new", root)))
    assert done.output.decode() == f"old\n{roots}\n"


def test_more_output_than_is_kept(
    program: Any, run_it: Execute, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devicefix.verification.execution.MOST_OUTPUT", 1000)
    monkeypatch.setattr("devicefix.verification.execution.ROOM", 5000)
    monkeypatch.setattr("devicefix.verification.execution.MOST_ERRORS", 10)
    program("import sys\nsys.stdout.write('ab' * 100_000)\nsys.stderr.write('x' * 70_000 + 'end')")
    done = run_it()
    assert done.output == b"ab" * 500
    assert done.errors == "xxxxxxxend"
    assert done.rest is not None
    with done.rest.file:
        assert b"".join(done.rest.lines()) == b"ab" * 2000
    assert "stdout: only the first 5,000 bytes were kept" in done.notes


def test_a_program_that_never_ends_and_what_it_left(program: Any, run_it: Execute) -> None:
    program(
        "import subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print('so far', flush=True)\n"
        "time.sleep(600)\n"
    )
    done = given_time(lambda seconds: run_it(bounds=Bounds(seconds)), lambda run: bool(run.output))
    assert done.ending.how is How.TIMEOUT
    assert done.output == b"so far\n"
    assert done.ending.seconds < 300


def test_a_daemon_does_not_outlive_a_run_without_bounds(program: Any, run_it: Execute) -> None:
    program(
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],\n"
        "                 start_new_session=True)\n"
    )
    assert run_it().ending.seconds < 300


@pytest.mark.parametrize(
    ("name", "more", "said"),
    [
        ("gone.py", {}, r"gone.py: no such file \(in .*/project\)"),
        ("p.py", {"folder": PurePosixPath("gone")}, "there is no folder gone in .*/project"),
        ("true", {}, "no Python process could be observed"),
    ],
)
def test_what_cannot_be_run(
    name: str, more: dict[str, Any], said: str, program: Any, run_it: Execute
) -> None:
    program("")
    with pytest.raises(LaunchError, match=said):
        run_it(name=name, **more)


def test_an_accelerator_that_was_refused(
    root: Path, program: Any, run_it: Execute, record: dict[str, Any]
) -> None:
    refused = {**record, "error": None, "status": "refused", "refused": "torch is too old"}
    (root / "record.json").write_text(json.dumps(refused))
    program("import os, shutil\nshutil.copy('record.json', os.environ['DEVICEFIX_OBSERVE'])\n")
    with pytest.raises(LaunchError, match="torch is too old"):
        run_it()
