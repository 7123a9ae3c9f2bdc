"""What makes two runs comparable: clock, seeds, and modules out of one tree."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from devicefix.observe.witness.assignment import Roots, read_assignment
from devicefix.observe.witness.clock import CLOCKS, ForcedClock
from devicefix.observe.witness.relocation import relocate
from devicefix.records.observations import Kind
from tests.observe.programs import ENTRANCE, Ran, witness

TIMES = """
import datetime, time, threading, queue
from time import perf_counter as tick
print(time.time(), time.time_ns(), tick(), time.monotonic_ns(), time.process_time())
print(datetime.datetime.now(), datetime.datetime.now(datetime.timezone.utc), datetime.date.today())
print(datetime.datetime.today(), datetime.datetime.utcnow(), type(datetime.datetime.now()))
print(time.strftime("%c"), time.ctime(), time.asctime(), time.localtime()[:3], time.gmtime()[:3])
print(time.strftime("%Y", time.gmtime(0)), time.gmtime(0)[0], time.ctime(0)[-4:])
began = time.time(); time.sleep(0.01); print(time.time() - began)
try:
    queue.Queue().get(timeout=0.01)
except queue.Empty:
    print("empty", threading.Event().wait(0.01))
other = threading.Thread(target=lambda: [time.time() for _ in range(100)])
other.start(); other.join()
print(time.time())
"""


def timed(folder: Path, name: str, clock: str) -> Ran:
    (folder / name).mkdir()
    ended = witness(folder / name, TIMES, environment={"DEVICEFIX_CLOCK": clock})
    assert ended.err == ""
    return ended


def test_the_same_clock_shows_the_same_time(tmp_path: Path) -> None:
    first, again = timed(tmp_path, "first", "0"), timed(tmp_path, "again", "0")
    assert first.out == again.out
    lines = first.out.splitlines()
    assert lines[4] == "1970 1970 1970"
    assert lines[6] == "empty False"
    assert "'datetime.datetime'" in lines[2]


def test_the_other_clock_shows_another_one_everywhere(tmp_path: Path) -> None:
    first, other = timed(tmp_path, "first", "0"), timed(tmp_path, "other", "1")
    for number in (0, 1, 2, 3, 5, 7):
        one, two = first.out.splitlines()[number], other.out.splitlines()[number]
        assert not set(one.split()[:-2]) & set(two.split()[:-2]) - {"<class", "Jun", "Mar"}, one


def test_a_clock_advances_by_what_was_waited() -> None:
    clock = ForcedClock(CLOCKS[0])
    before = clock.now()
    clock.wait(2.5)
    assert clock.now() - before == 2_500_000_000 + CLOCKS[0].step


SEEDS = """
import os, random, tempfile
import numpy as np
print(random.random(), random.Random().random(), random.Random(3).random())
print(np.random.rand(), np.random.default_rng().random(), np.random.RandomState().rand())
random.seed(5); np.random.seed(seed=6); random.seed("text"); random.seed()
print(random.random(), np.random.rand(), random.SystemRandom().random() != 0.5)
with tempfile.NamedTemporaryFile() as file:
    pass
"""


def test_random_numbers_are_the_same(tmp_path: Path) -> None:
    ran = []
    for name in ("first", "again"):
        (tmp_path / name).mkdir()
        ran.append(witness(tmp_path / name, SEEDS))
        assert ran[-1].err == ""
    assert ran[0].out == ran[1].out
    seeded = [(event.how, event.leaves[0]) for event in ran[0].of(Kind.SEEDED)]
    assert [(how, leaf.text or list(leaf.numbers or ())) for how, leaf in seeded] == [
        ("random.seed", [5]),
        ("numpy.random.seed", [6]),
        ("random.seed", "text"),
        ("random.seed", []),
    ]


FINDER = """
MAPPING = {{"installed": {package!r}}}
class Finder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        return None
"""


def trees(folder: Path) -> tuple[Path, Path]:
    original, scratch = folder / "original", folder / "scratch"
    for tree in (original, scratch):
        tree.mkdir()
        (tree / "listed.py").write_text(f"where = {tree.name!r}")
        (tree / "stray.py").write_text("")
    return original, scratch


def test_modules_come_out_of_the_copy(tmp_path: Path) -> None:
    original, scratch = trees(tmp_path)
    ran = witness(
        scratch,
        f"""
        import sys
        here = sys.path.pop(0)
        import listed
        print(listed.where, {str(original)!r} in sys.path)
        sys.path[:0] = [{str(original)!r}]
        import stray
        """,
        environment={
            "DEVICEFIX_ROOTS": f"{original}{os.pathsep}{scratch}",
            "PYTHONPATH": os.pathsep.join((str(ENTRANCE), str(original))),
        },
    )
    assert ran.err == ""
    assert ran.out == "scratch False\n"
    assert ran.events.strangers == (str(original / "stray.py"),)


def test_finders_of_editable_packages_are_redirected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, scratch = trees(tmp_path)
    finder = ModuleType("__editable___project_finder")
    exec(FINDER.format(package=str(original / "listed.py")), vars(finder))
    monkeypatch.setitem(sys.modules, finder.__name__, finder)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, finder.Finder])
    monkeypatch.setattr(sys, "path", [str(original), *sys.path])
    relocate(Roots(str(original), str(scratch)))
    assert {"installed": str(scratch / "listed.py")} == finder.MAPPING
    assert sys.path[0] == str(scratch)


def test_environments_of_python_stay_where_they_are() -> None:
    roots = Roots("/home/project", "/tmp/copy")
    assert roots.moved("/home/project/src") == "/tmp/copy/src"
    assert roots.moved("/home/projects") is None
    assert roots.moved("/home/project") == "/tmp/copy"


def test_a_copy_in_the_tree_itself_is_the_copy() -> None:
    roots = Roots("/tmp", "/tmp/devicefix-1/tree/tmp")
    assert roots.moved("/tmp/devicefix-1/tree/tmp/p.py") is None
    assert roots.moved("/tmp/p.py") == "/tmp/devicefix-1/tree/tmp/p.py"


def test_what_is_installed_from_another_state_leads_into_the_copy() -> None:
    environment = {
        "DEVICEFIX_EVENTS": "1",
        "DEVICEFIX_OBSERVE": "/records",
        "DEVICEFIX_ROOTS": os.pathsep.join(("/old/", "/new", "/tmp/copy")),
    }
    assignment = read_assignment(environment)
    assert assignment is not None
    assert assignment.roots is not None
    assert assignment.roots.moved("/new/src") == "/tmp/copy/src"
    assert assignment.roots.moved("/old") == "/tmp/copy"
    assert assignment.roots.moved("/newer") is None


LINES = """
import sys
def used(a,
         b=2):
    if a:
        return (a +
                b)
    return 0
def unused():
    return 1
print(used(1,
           b=3))
@staticmethod
def decorated(): pass
"""


def test_the_lines_that_ran(tmp_path: Path) -> None:
    asked = tmp_path / "asked.json"
    script = tmp_path / "train.py"
    lines = [3, 4, 5, 7, 8, 10, 12, 14, 99]
    asked.write_text(json.dumps({str(script): lines, str(tmp_path / "none.py"): [1]}))
    ran = witness(tmp_path, LINES, environment={"DEVICEFIX_LINES": str(asked)})
    assert (ran.out, ran.err) == ("4\n", "")
    assert ran.events.executed == {str(script): frozenset({3, 4, 5, 7, 12, 14})}


def test_a_program_that_leaves_at_once_has_its_end(tmp_path: Path) -> None:
    ran = witness(
        tmp_path,
        """
        import os
        if os.fork() == 0:
            print("of a child")
            os._exit(0)
        print("half a line", end="", flush=True)
        os.wait()
        os._exit(3)
        """,
    )
    assert (ran.status, ran.err) == (3, "")
    assert [event.text for event in ran.events.events] == ["half a line"]
    assert ran.events.whole


def test_functions_of_time_stay_no_methods(tmp_path: Path) -> None:
    ran = witness(
        tmp_path,
        """
        import logging, pickle, sys, time
        logging.basicConfig(format="%(asctime)s %(message)s", stream=sys.stdout)
        logging.warning("hot")
        class Watch:
            tick = time.perf_counter
        print(Watch().tick() > 0, pickle.loads(pickle.dumps(time.time)) is time.time, time.time)
        """,
    )
    assert ran.err == ""
    assert ran.out.splitlines()[0].startswith("2024-06-")
    assert ran.out.splitlines()[1] == "True True <built-in function time>"
