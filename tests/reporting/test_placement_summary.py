"""Where a run computed, on a screen and in a file."""

from __future__ import annotations

import copy
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devicefix.records import Ending, How, Run, read_record
from devicefix.reporting.placement_summary import show_summary, write_summary

MODEL = "model = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2)).to(device)"


@pytest.fixture(autouse=True)
def _here(failing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(failing.parent)


def shown(run: Run) -> list[str]:
    out = io.StringIO()
    show_summary(run, out)
    return out.getvalue().splitlines()


def test_what_it_says(run: Run) -> None:
    assert shown(run) == [
        "── placement on sim:cuda ── python3 failing.py ".ljust(83, "─") + " exit 1, 2.5 s ──",
        "arithmetic   cuda:0    92.3%  ██████████████████████··  7.7 k",
        "             cpu        7.7%  ██······················  640",
        "computed on the CPU",
        "  6.2%  failing.py:6  inputs = torch.randn(64, 8)",
        "  1.5%  failing.py:7  print(model(inputs).sum())",
        "copied between devices",
        f"  4  184 B  cpu → cuda:0  failing.py:5  {MODEL[:59]}…",
        "modules: 1 on cuda:0, 1 on cpu",
        "  2  Linear  cpu     10 parameters   1.5%  of all, on cpu",
        "  0  Linear  cuda:0  36 parameters  49.2%  of all, on cuda:0",
        "largest tensors",
        "  2.0 kB  cpu  float32  [64, 8]  failing.py:6  inputs = torch.randn(64, 8)",
        "note: Tensors made in other threads bear no line.",
    ]


def large(record: dict[str, Any]) -> Run:
    """A run with a hundred of everything."""
    record = copy.deepcopy(record)
    record["notes"] = [f"note {n} " * 40 for n in range(100)]
    record["work"] = {f"cuda:{n}": 10**n for n in range(4)} | {"cpu": 1}
    for name, key in (("lines", None), ("transfers", None), ("modules", "name"), ("tensors", None)):
        one = record[name][-1]
        record[name] = [copy.deepcopy(one) for _ in range(100)]
        for n, entry in enumerate(record[name]):
            entry.update({key: f"encoder.layers.{n}.attention" * 3} if key else {})
            if entry.get("at"):
                entry["at"].update(line=n, file="/long" * 60 + f"/{n}.py", text="f(x) " * 90)
    read = read_record(json.dumps(record))
    ending = Ending(How.TIMEOUT, 124, 1e6)
    return Run(("/p/python",) + ("argument",) * 99, "/p/python", "sim:cuda:4", ending, (read,), 1)


def test_it_fits_on_a_screen_whatever_comes(record: dict[str, Any]) -> None:
    lines = shown(large(record))
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 100
    assert any(line.startswith("modules") and line.endswith("(4 of 100)") for line in lines)


def test_a_file_has_every_row(record: dict[str, Any]) -> None:
    out = io.StringIO()
    write_summary(large(record), out)
    assert len(out.getvalue().splitlines()) > 500
    assert "\x1b" not in out.getvalue()


def test_a_program_without_torch(run: Run) -> None:
    assert shown(replace(run, records=()))[1:] == ["The program never imported torch."]
    lost = replace(run, records=(), notes=("process 3 left no record: it was killed",))
    assert shown(lost)[1:] == [
        "Nothing was recorded.",
        "note: process 3 left no record: it was killed",
    ]
    assert shown(replace(run, records=(), entered=0))[1:] == [
        "No Python process could be observed."
    ]


def test_a_program_that_never_uses_the_accelerator(record: dict[str, Any], run: Run) -> None:
    read = read_record(json.dumps({**record, "work": {"cpu": 5}}))
    assert shown(replace(run, records=(read,)))[1:3] == [
        "arithmetic   cpu     100%  ████████████████████████  5",
        "the accelerator computed nothing",
    ]
    assert "the accelerator computed nothing" not in shown(run)


def test_a_program_that_computes_nothing(record: dict[str, Any], run: Run) -> None:
    empty = {**record, "work": {}, "lines": [], "modules": [], "transfers": [], "tensors": []}
    read = read_record(json.dumps({**empty, "notes": []}))
    assert shown(replace(run, records=(read,)))[1:] == ["arithmetic   none was recorded"]


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        (Ending(How.SIGNAL, 139, 1.0, 11), "signal 11, 1.0 s"),
        (Ending(How.TIMEOUT, 124, 1.0), "timed out, 1.0 s"),
        (Ending(How.MEMORY, 137, 1.0, 9, 500), "out of memory (--memory), 1.0 s"),
    ],
)
def test_how_it_ended(run: Run, ending: Ending, said: str) -> None:
    assert said in shown(replace(run, ending=ending))[0]


def test_colour_obeys_no_color(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured, plain = Terminal(), Terminal()
    show_summary(run, coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    show_summary(run, plain)
    assert "\x1b[32m" in coloured.getvalue()
    assert "\x1b[32m" not in plain.getvalue()
