"""The tools `run` and `verify`: the user's program, in processes of its own.

Both are the commands of the same name. Their standard input is empty and their output goes to a
file: those of the server belong to the protocol.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import anyio
from msgspec import Struct

from devicefix.mcp.root import RefusedError, Root

_START: Final = (
    "import sys; sys.path[:] = filter(None, sys.path); "
    "from devicefix.cli import main; sys.exit(main())"
)
"""Not ``-m``: Python would import modules from the root folder before those of devicefix."""
_TAIL: Final = 2_000
"""Characters of the output of a program that are shown."""
_FRAMES: Final = 5


class Program(Struct, frozen=True):
    """What to run."""

    entry: str
    arguments: Sequence[str]
    is_module: bool
    timeout: float

    def words(self, root: Root) -> list[str]:
        """As the end of a command line. Raises `RefusedError`."""
        if self.is_module:
            if not all(part.isidentifier() for part in self.entry.split(".")):
                raise RefusedError(
                    f"{self.entry!r} is not the name of a module, such as package.train"
                )
            return ["-m", self.entry, *self.arguments]
        return [str(root.file(self.entry)), *self.arguments]


async def ran(root: Root, program: Program, device: str) -> dict[str, Any]:
    """How the program ended on the simulated device. Raises `RefusedError`."""
    options = ["--device", device, "--timeout", f"{program.timeout:g}", "--no-summary"]
    report, output = await _command(root, ["run", *options], program)
    if report is None:
        raise RefusedError(_last_line(output))
    ending, error = report["ending"], report["error"]
    return {
        "ended": {key: ending[key] for key in ("how", "status", "seconds")},
        "device": report["device"],
        "fault": _fault(root, error) if error is not None else None,
        "fix": error["remedy"] if error is not None else None,
        "share_on_device": report["share"],
        "notes": report["notes"],
        # of an error of placement it says the same as `fault`
        "output_end": "" if error is not None and error["placement"] else output[-_TAIL:],
        "next_step": _after_run(ending, error),
    }


async def verified(
    root: Root, program: Program, trees: dict[str, str | None], device: str
) -> dict[str, Any]:
    """Whether the program does the same before and after. Raises `RefusedError`."""
    options = ["--device", device, "--timeout", f"{program.timeout:g}"]
    for name, tree in trees.items():
        if tree is not None:
            options += [f"--{name}", str(root.path(tree))]
    report, output = await _command(root, ["verify", *options], program)
    if report is None:
        raise RefusedError(
            f"{_last_line(output)}; by default the last `apply` is verified, else name `before`"
        )
    keys = ("verdict", "reason", "baseline", "changed", "partial", "notes", "seconds")
    return {
        **{key: report[key] for key in keys},
        "comparisons": [
            {key: one[key] for key in ("device", "verdict", "compared", "masked", "difference")}
            for one in report["comparisons"]
        ],
    }


async def _command(
    root: Root, words: Sequence[str], program: Program
) -> tuple[dict[str, Any] | None, str]:
    """The JSON that ``devicefix words`` writes, if it does, and what is printed."""
    end = program.words(root)
    with tempfile.TemporaryDirectory(prefix="devicefix-mcp-") as folder:
        report, printed = Path(folder, "report.json"), Path(folder, "output")
        command = [sys.executable, "-c", _START, *words, "--output-file", str(report), *end]
        with printed.open("wb") as out:
            async with await anyio.open_process(
                command,
                cwd=root.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            ) as process:
                await process.wait()
        found = json.loads(report.read_text("utf-8")) if report.exists() else None
        return found, _end_of(printed)


def _end_of(file: Path) -> str:
    with file.open("rb") as printed:
        printed.seek(max(0, file.stat().st_size - 4 * _TAIL))
        return printed.read().decode("utf-8", "replace")


def _last_line(output: str) -> str:
    lines = output.strip().splitlines() or ["it ended without a report"]
    return lines[-1].removeprefix("Error: ")


def _fault(root: Root, error: dict[str, Any]) -> dict[str, Any]:
    """The exception; each place on one line, and the frames of the program itself."""
    keys = ("type", "message", "placement", "op", "advice")
    frames = [f for f in error["traceback"] if Path(f["file"]).is_relative_to(root.folder)]
    return {
        **{key: error[key] for key in keys},
        "at": _at(root, error["at"]),
        "operands": [_operand(root, operand) for operand in error["operands"]],
        "frames": [_at(root, frame) for frame in frames[-_FRAMES:]],
    }


def _operand(root: Root, operand: dict[str, Any]) -> dict[str, Any]:
    """A tensor, what it is called in the program, and where it comes from."""
    return {
        "name": operand["variable"] or operand["module"] or operand["name"],
        "parameter": operand["name"],
        **{key: operand[key] for key in ("device", "dtype", "shape")},
        "created": _at(root, operand["created"]),
        "moved": _at(root, operand["moved"]),
    }


def _at(root: Root, place: dict[str, Any] | None) -> str | None:
    """``train.py:12 (forward): the line``."""
    if place is None:
        return None
    path = Path(place["file"])
    shown = path.relative_to(root.folder) if path.is_relative_to(root.folder) else path
    function, text = place.get("function") or "", place.get("text") or ""
    return f"{shown}:{place['line']}" + (f" ({function})" if function else "") + f": {text}"


def _after_run(ending: dict[str, Any], error: dict[str, Any] | None) -> str:
    if error is None:
        return "" if ending["status"] == 0 else "see `output_end`"
    if not error["placement"]:
        return "the error has nothing to do with devices: see `fault` and `output_end`"
    if error["remedy"] is None:
        return "devicefix has no fix for it: ask `where` about the lines of `fault`"
    if error["remedy"]["left"] is not None:
        return "the fix needs a decision: see `fix`, and ask `where` about the lines of `fault`"
    return "call `apply` with the paths of `fix`"
