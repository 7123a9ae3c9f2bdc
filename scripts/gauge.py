"""Measure ``devicefix apply`` on real source trees, and sample its hunks for a blind review.

    python scripts/gauge.py DIR... [--json FILE] [--unsafe-fixes]
                            [--hunks N --seed S --out FOLDER]

Every tree is copied to a temporary folder and fixed there; the given folders are only read. One row
per tree says how much was found, changed and left (``exact``: changed files that are, to the last
byte, the old text with the reported edits), and what went wrong. These count as failures:

- a crash: a traceback, an unknown exit status, a run that does not end, or exit 2 without a
  per-file error; also an error on a file that Python itself can read and parse;
- a file that does not parse after it was changed, whether it did before or not (Python 2);
- a notebook that nbformat refuses, or of which more is changed than the source of cells;
- a second run that still changes something, and an ``undo`` that does not restore every byte;
- a name that pyflakes calls undefined only after the run (needs pyflakes installed); in a file of
  Python 2, which pyflakes cannot read, one that it does not have at all;
- a changed line that no reported edit explains (where all was fixed in one round), a lost comment,
  a changed encoding mark, line end or permission bit, a file added, removed or changed that is not
  Python.

The exit status is 0 without failures, 1 with some, 2 if the measuring itself was impossible.
"""

from __future__ import annotations

import argparse
import ast
import bisect
import codecs
import collections
import dataclasses
import difflib
import io
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tokenize
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

TIME_LIMIT_S: Final = 600.0
CONTEXT_ROWS: Final = 6
JOIN_ROWS: Final = 3
"""Changes at most this many equal lines apart are judged as one hunk."""
HEADER_ROWS: Final = 30

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_UNDEFINED: Final = re.compile(r"undefined name|referenced before assignment|undefined local")
_MESSAGE: Final = re.compile(r"^(?P<path>.*?):\d+:(?:\d+:)? (?P<text>.*)$")
_HEADER: Final = re.compile(
    r"^\s*(?:import|from)\s.*\b(?:torch|numpy|np)\b"
    r"|^\s*[\w.]*\w*(?:device|cuda|gpu)\w*\s*(?::[^=]+)?=(?!=)"
    r"|is_available\(|add_argument\(.*(?:cuda|device|gpu)"
    r"|def\s.*\bdevice\b|def\s+\w*device\w*\(|set_default_tensor_type"
    r"|\.to\(|\.cuda\(",
    re.IGNORECASE,
)
_SCOPE: Final = re.compile(r"^(?P<indent>\s*)(?:async\s+def|def|class)\s")

Tree = Mapping[str, bytes]
"""Every regular file of a folder: its path in the folder (``/`` between parts) -> its bytes."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a whole-file diff: ``mark`` is ``" "``, ``"-"`` or ``"+"``.

    ``old`` and ``new`` are the 1-based line numbers that the row has, or would be inserted after.
    """

    mark: str
    old: int
    new: int
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """A piece of a diff to be judged by itself: ``rows[start:end]`` of the whole-file diff."""

    tree: str
    path: str
    rows: Sequence[Row] = field(repr=False)
    start: int
    end: int
    codes: tuple[str, ...] = ()
    """The rules whose findings or edits lie in it, where known."""

    @property
    def line(self) -> int:
        """The first line concerned, in the text before the change."""
        return max(1, self.rows[self.start].old)


@dataclass(frozen=True, slots=True)
class Run:
    """What one call of devicefix did: exit status, output, seconds of wall time."""

    status: int | None
    stdout: str
    stderr: str
    seconds: float

    @property
    def report(self) -> dict[str, Any]:
        """The JSON report; empty if standard output is not one."""
        try:
            report = json.loads(self.stdout)
        except ValueError:
            return {}
        return report if isinstance(report, dict) else {}


@dataclass(slots=True)
class Result:
    """One row of the table."""

    tree: str
    files: int
    python: int
    torch: int
    findings: int = 0
    edits: int = 0
    changed: int = 0
    left: int = 0
    seconds: float = 0.0
    converted: int = 0
    """Files that did not parse before, and do after."""
    notebooks: int = 0
    """Those that were changed."""
    exact: int = 0
    """Changed files that are, to the last byte, what the report's edits make of the old text."""
    errors: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    new_messages: list[str] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)


def read_tree(folder: Path) -> Tree:
    """Every regular file below ``folder``, without version control's own; links are left out."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    named = ((path.relative_to(folder), path) for path in paths)
    return {name.as_posix(): path.read_bytes() for name, path in named if ".git" not in name.parts}


def modes(folder: Path) -> dict[str, int]:
    """The permission bits of everything below ``folder``."""
    return {str(path): path.lstat().st_mode for path in sorted(folder.rglob("*"))}


def parses(data: bytes) -> bool:
    """Whether the running Python accepts these bytes as a module."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def text_of(data: bytes) -> str:
    """A source file's text in the encoding that it declares, without a byte order mark."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError:
        encoding = "latin-1"
    return data.decode(encoding, "replace")


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends, split where Python splits them."""
    return _LINE.findall(text)


def bare_lines(data: bytes) -> list[str]:
    """The lines of a source file without their ends."""
    return [line.rstrip("\r\n") for line in lines_of(text_of(data))]


def comments(data: bytes) -> collections.Counter[str]:
    """How often each comment occurs in a source file that parses."""
    found: collections.Counter[str] = collections.Counter()
    try:
        for token in tokenize.tokenize(io.BytesIO(data).readline):
            if token.type == tokenize.COMMENT:
                found[token.string.strip()] += 1
    except (tokenize.TokenError, SyntaxError):
        return collections.Counter()
    return found


def diff_rows(before: Sequence[str], after: Sequence[str]) -> list[Row]:
    """The whole-file diff, equal lines included."""
    rows: list[Row] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            rows += [Row(" ", i1 + k + 1, j1 + k + 1, before[i1 + k]) for k in range(i2 - i1)]
            continue
        rows += [Row("-", i + 1, j1, before[i]) for i in range(i1, i2)]
        rows += [Row("+", i2, j + 1, after[j]) for j in range(j1, j2)]
    return rows


def hunks_of(tree: str, path: str, before: bytes, after: bytes) -> Iterator[Hunk]:
    """The hunks of one changed file, in order."""
    rows = diff_rows(bare_lines(before), bare_lines(after))
    changed = [number for number, row in enumerate(rows) if row.mark != " "]
    start = last = -1
    for number in changed:
        if start < 0:
            start = number
        elif number - last > JOIN_ROWS + 1:
            yield Hunk(tree, path, rows, start, last + 1)
            start = number
        last = number
    if start >= 0:
        yield Hunk(tree, path, rows, start, last + 1)


def _scopes(rows: Sequence[Row], start: int) -> list[Row]:
    """The ``def`` and ``class`` lines around ``rows[start]``, outermost first."""
    text = next((row.text for row in rows[start:] if row.text.strip()), "")
    indent = len(text) - len(text.lstrip())
    found: list[Row] = []
    for row in reversed(rows[:start]):
        match = _SCOPE.match(row.text)
        if match and row.mark != "-" and len(match["indent"]) < indent:
            found.append(row)
            indent = len(match["indent"])
    return found[::-1]


def render_hunk(hunk: Hunk) -> str:
    """The text that a reviewer gets; it does not say who made the change.

    First the lines elsewhere in the file that bear on devices, then the hunk (``>`` in the first
    column) in its surroundings. ``-`` and ``+`` outside the hunk belong to the same change.
    """
    low, high = max(0, hunk.start - CONTEXT_ROWS), hunk.end + CONTEXT_ROWS
    elsewhere = [*hunk.rows[:low], *hunk.rows[high:]]
    scopes = [row for row in _scopes(hunk.rows, hunk.start) if row in elsewhere]
    header = [row for row in elsewhere if _HEADER.search(row.text)]
    header.sort(key=lambda row: abs(row.old - hunk.line))
    header = sorted({*header[:HEADER_ROWS], *scopes}, key=hunk.rows.index)
    lines = [f"file: {hunk.path}", "", "--- elsewhere in this file ---"]
    lines += [f"  {row.mark}{row.old:5d} {row.text}" for row in header]
    lines += ["", "--- the change to judge: the lines marked > ---"]
    for number, row in enumerate(hunk.rows[low:high], low):
        pointer = ">" if hunk.start <= number < hunk.end else " "
        lines.append(f"{pointer} {row.mark}{row.old:5d} {row.text}")
    return "\n".join(lines) + "\n"


def write_hunks(hunks: Sequence[Hunk], out: Path) -> None:
    """One numbered file per hunk, and ``manifest.json`` that says where each comes from."""
    out.mkdir(parents=True, exist_ok=True)
    manifest = []
    for number, hunk in enumerate(hunks, 1):
        name = f"{number:03d}.txt"
        (out / name).write_text(render_hunk(hunk), encoding="utf-8")
        place = {"tree": hunk.tree, "file": hunk.path, "line": hunk.line, "codes": hunk.codes}
        manifest.append({"hunk": name, **place})
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def devicefix(arguments: Sequence[str], folder: Path) -> Run:
    """Run devicefix with ``folder`` as working directory; its journal stays in that folder."""
    paths = [
        str(Path(p).absolute()) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p
    ]
    environment = {
        **os.environ,
        "DEVICEFIX_STATE_DIR": str(folder / "state"),
        "PYTHONPATH": os.pathsep.join(paths),
    }
    command = [sys.executable, "-m", "devicefix", *arguments]
    start = time.monotonic()
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            timeout=TIME_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Run(None, "", f"no end after {TIME_LIMIT_S:.0f} s", time.monotonic() - start)
    stdout, stderr = (data.decode("utf-8", "replace") for data in (done.stdout, done.stderr))
    return Run(done.returncode, stdout, stderr, time.monotonic() - start)


def pyflakes(tree: Tree) -> collections.Counter[tuple[str, str]] | None:
    """How often pyflakes says what of which file; None without pyflakes."""
    found: collections.Counter[tuple[str, str]] = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="gauge-") as temporary:
        for name, data in tree.items():
            path = Path(temporary, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        command = [sys.executable, "-m", "pyflakes", temporary]
        done = subprocess.run(command, capture_output=True, check=False)
        if b"No module named pyflakes" in done.stderr:
            return None
        for line in done.stdout.decode("utf-8", "replace").splitlines():
            if match := _MESSAGE.match(line):
                text = re.sub(r" (?:on|from|of) line \d+|line \d+", "", match["text"])
                found[os.path.relpath(match["path"], temporary), text] += 1
    return found


def new_messages(before: Tree, after: Tree) -> list[str]:
    """What pyflakes says of the changed files only after the run.

    Of a file that did not parse before it is only what is said of names that it did not have.
    """
    known = {name: parses(data) for name, data in before.items()}
    messages = _new_messages(before, after)
    return [
        message
        for message in messages
        if known.get(name := message.partition(":")[0], True)
        or (_UNDEFINED.search(message) and not _is_in(message, text_of(before[name])))
    ]


def _is_in(message: str, text: str) -> bool:
    """Whether the name that a message is about stands in a text."""
    return any(re.search(rf"\b{re.escape(n)}\b", text) for n in re.findall(r"'([^']+)'", message))


def _new_messages(before: Tree, after: Tree) -> list[str]:
    first, second = pyflakes(before), pyflakes(after)
    if first is None or second is None:
        return ["pyflakes is not installed: undefined names not checked"]
    return [f"{name}: {text}" for (name, text), _ in sorted((second - first).items())]


def fixed_findings(report: Mapping[str, Any], folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The findings that were fixed, per file, each with its edits there.

    One that has edits in another file counts there, too, on line 0.
    """
    found: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for finding in report.get("findings", ()):
        if finding["status"] == "fixed":
            home = finding["path"]
            for path in dict.fromkeys([home, *(e.get("path", home) for e in finding["edits"])]):
                edits = [e for e in finding["edits"] if e.get("path", home) == path]
                line = finding["line"] if path == home else 0
                there = {**finding, "edits": edits, "line": line}
                found[relative_name(path, folder)].append(there)
    return found


def edits_of(findings: Sequence[Mapping[str, Any]]) -> list[tuple[int, int, str]]:
    """Their edits, each once, by position."""
    edits = [(e["start"], e["end"], e["text"]) for f in findings for e in f["edits"]]
    return sorted(dict.fromkeys(edits), key=lambda edit: edit[:2])


def spliced(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """``text`` with sorted edits applied."""
    pieces, at = [], 0
    for start, end, new in edits:
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def edited_lines(text: str, findings: Sequence[Mapping[str, Any]]) -> set[int]:
    """The lines of the text before that the edits touch or adjoin.

    A fix that was found only after others had been applied is reported without its edits: the line
    of its finding counts.
    """
    starts = [0, *itertools.accumulate(len(line) for line in lines_of(text))]
    lines = {finding["line"] for finding in findings if not finding["edits"]}
    for start, end, _ in edits_of(findings):
        first, last = (bisect.bisect_right(starts, offset) for offset in (start, end))
        lines.update(range(first - 1, last + 2))
    return lines


def labelled(hunk: Hunk, text: str, findings: Sequence[Mapping[str, Any]]) -> Hunk:
    """The hunk with the codes of the findings that have a line or an edit in it."""
    lines = {row.old for row in hunk.rows[hunk.start : hunk.end]}
    codes = {
        finding["code"]
        for finding in findings
        if finding["line"] in lines or lines & edited_lines(text, [finding])
    }
    return dataclasses.replace(hunk, codes=tuple(sorted(codes)))


def relative_name(path: str, folder: Path) -> str:
    """A reported path as the tree names it."""
    return Path(os.path.relpath(folder.parent / path, folder)).as_posix()


def unexplained(before: bytes, after: bytes, edited: set[int]) -> list[int]:
    """The first lines of changed regions that no edit touches."""
    matcher = difflib.SequenceMatcher(
        None, lines_of(text_of(before)), lines_of(text_of(after)), autojunk=False
    )
    regions = ((i1 + 1, i2) for tag, i1, i2, _, _ in matcher.get_opcodes() if tag != "equal")
    return [first for first, last in regions if edited.isdisjoint(range(first - 1, last + 2))]


def line_ends(data: bytes) -> set[str]:
    """Which line ends occur."""
    return {line[len(line.rstrip("\r\n")) :] for line in lines_of(text_of(data))}


def file_failures(name: str, before: bytes, after: bytes) -> Iterator[str]:
    """What went wrong in one changed file, apart from undefined names and unexplained lines."""
    if name.endswith(".ipynb"):
        yield from (f"{name}: {failure}" for failure in notebook_failures(before, after))
        return
    if not name.endswith(".py"):
        yield f"{name}: not a Python file, yet changed"
        return
    if not parses(after):
        yield f"{name}: changed, and does not parse"
        return
    if lost := comments(before) - comments(after):
        yield f"{name}: lost comments: {', '.join(sorted(lost))}"
    if line_ends(after) - line_ends(before):
        yield f"{name}: new kind of line end"
    if before.startswith(codecs.BOM_UTF8) != after.startswith(codecs.BOM_UTF8):
        yield f"{name}: byte order mark changed"


def notebook_failures(before: bytes, after: bytes) -> Iterator[str]:
    """What went wrong in a changed notebook (needs nbformat)."""
    import nbformat

    try:
        notebook = nbformat.reads(after.decode("utf-8"), nbformat.NO_CONVERT)  # type: ignore[no-untyped-call]
        nbformat.validate(notebook)
    except (ValueError, nbformat.ValidationError) as error:
        yield f"not a notebook any more: {error}"
        return
    first, second = raw_cells(before.decode("utf-8")), raw_cells(after.decode("utf-8"))
    if len(first) != len(second):
        yield "another number of cells"
        return
    frame, new_frame = before.decode("utf-8"), after.decode("utf-8")
    for number, (old, new) in enumerate(zip(first, second, strict=True), 1):
        frame, new_frame = frame.replace(old, "", 1), new_frame.replace(new, "", 1)
        if old != new and without_source(old) != without_source(new):
            yield f"cell {number}: more than its source is changed"
    if frame != new_frame:
        yield "changed outside of its cells"


def raw_cells(text: str) -> list[str]:
    """The cells of a notebook as they stand in its file."""
    start = re.search(r'"cells"\s*:\s*\[', text)
    at, found = start.end() if start else len(text), []
    while (match := re.compile(r"[\s,]*(?=\{)").match(text, at)) is not None:
        _, end = json.JSONDecoder().raw_decode(text, match.end())
        found.append(text[match.end() : end])
        at = end
    return found


def without_source(cell: str) -> dict[str, Any]:
    """A cell but for its program."""
    content: dict[str, Any] = json.loads(cell)
    return {key: value for key, value in content.items() if key != "source"}


def tree_failures(before: Tree, after: Tree) -> Iterator[str]:
    """What went wrong in the tree, file by file."""
    for name in sorted(before.keys() ^ after.keys()):
        yield f"{name}: {'removed' if name in before else 'added'}"
    for name in changed_files(before, after):
        yield from file_failures(name, before[name], after[name])


def changed_files(before: Tree, after: Tree) -> list[str]:
    """The files that both trees have, with different bytes."""
    return sorted(name for name in before.keys() & after.keys() if before[name] != after[name])


def run_failures(run: Run, before: Tree, folder: Path) -> Iterator[str]:
    """What one call's exit status, output and listed errors say against it."""
    errors = run.report.get("errors", ())
    if run.status is None or "Traceback (most recent call last)" in run.stderr:
        yield f"crash: {run.stderr.strip()[-300:]}"
    elif run.status not in (0, 2) or (run.status == 2 and not errors):
        yield f"exit {run.status} without a listed error: {run.stderr.strip()[-300:]}"
    elif not run.report:
        yield "standard output is not a JSON report"
    for error in errors:
        name = relative_name(error["path"], folder)
        if parses(before.get(name, b"\0")):
            yield f"{name}: sound file not done: {error['reason']}"


def apply(folder: Path, unsafe: bool) -> Run:
    """``devicefix apply`` on a copied tree."""
    options = ["--unsafe-fixes"] if unsafe else []
    return devicefix(["apply", folder.name, "--output-format", "json", *options], folder.parent)


def count(result: Result, run: Run, folder: Path) -> None:
    """Fill in what the first run reported."""
    findings = run.report.get("findings", [])
    by_file = fixed_findings(run.report, folder).values()
    result.findings = len(findings)
    result.edits = sum(len(edits_of(fixed)) for fixed in by_file)
    result.left = len({left_key(finding) for finding in findings if finding["status"] == "left"})
    result.codes = dict(sorted(collections.Counter(f["code"] for f in findings).items()))
    result.seconds = round(run.seconds, 2)
    result.errors = [f"{e['path']}: {e['reason']}" for e in run.report.get("errors", ())]


def left_key(finding: Mapping[str, Any]) -> tuple[Any, ...]:
    """What makes two findings one group; a finding without a fix is its own."""
    if finding.get("shared"):
        return ("", finding["group"])
    if finding.get("group"):
        return (finding["path"], finding["group"])
    return (finding["path"], finding["line"], finding["column"], finding["code"])


def edit_failures(run: Run, before: Tree, after: Tree, folder: Path) -> tuple[int, list[str]]:
    """How many changed files the reported edits reproduce, and changed lines outside the edits."""
    exact = 0
    failures: list[str] = []
    fixed = fixed_findings(run.report, folder)
    for name in changed_files(before, after):
        if name.endswith(".ipynb") or not parses(before[name]):
            continue  # of notebooks and Python 2, edits are not told as places in the file
        text, findings = text_of(before[name]), fixed.get(name, [])
        if not all(finding["edits"] or not finding["line"] for finding in findings):
            continue  # nor are those that were made after a round of others: of old idioms, say
        if spliced(text, edits_of(findings)) == text_of(after[name]):
            exact += 1
            continue
        for line in unexplained(before[name], after[name], edited_lines(text, findings)):
            failures.append(f"{name}:{line}: changed, but no edit was reported there")
    return exact, failures


def gauge(source: Path, unsafe: bool) -> tuple[Result, list[Hunk]]:
    """Fix a copy of one tree and say what happened."""
    with tempfile.TemporaryDirectory(prefix="gauge-") as temporary:
        folder = Path(temporary, source.name)
        shutil.copytree(source, folder, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        return gauge_copy(folder, unsafe)


def gauge_copy(folder: Path, unsafe: bool) -> tuple[Result, list[Hunk]]:
    """Fix one tree in place, check it from all sides, and take the fixes back."""
    before, before_modes = read_tree(folder), modes(folder)
    python = {name: data for name, data in before.items() if name.endswith(".py")}
    torch = sum(b"torch" in data for data in python.values())
    result = Result(folder.name, len(before), len(python), torch)
    run = apply(folder, unsafe)
    after = read_tree(folder)
    changed = changed_files(before, after)
    count(result, run, folder)
    result.changed = len(changed)
    result.notebooks = sum(name.endswith(".ipynb") for name in changed)
    result.converted = sum(
        parses(after[name]) and not parses(before[name]) for name in changed if name.endswith(".py")
    )
    result.new_messages = new_messages(
        {name: before[name] for name in changed if name in python},
        {name: after[name] for name in changed if name in python},
    )
    failures = [*run_failures(run, before, folder), *tree_failures(before, after)]
    result.exact, outside = edit_failures(run, before, after, folder)
    failures += outside
    failures += [message for message in result.new_messages if _UNDEFINED.search(message)]
    if modes(folder) != before_modes:
        failures.append("permission bits changed")
    failures += repeat_failures(folder, before, after, unsafe)
    result.failures = failures
    fixed = fixed_findings(run.report, folder)
    hunks = [
        labelled(hunk, text_of(before[name]), fixed.get(name, []))
        for name in changed
        if name in python
        for hunk in hunks_of(folder.name, name, before[name], after[name])
    ]
    return result, hunks


def repeat_failures(folder: Path, before: Tree, after: Tree, unsafe: bool) -> Iterator[str]:
    """Whether a second run changes anything and ``undo`` restores everything."""
    apply(folder, unsafe)
    again = read_tree(folder)
    for name in changed_files(after, again):
        yield f"{name}: a second run changes it again"
    if again == before or changed_files(after, again):
        return
    undo = devicefix(["undo", folder.name], folder.parent)
    if read_tree(folder) != before:
        yield f"undo does not restore the tree (exit {undo.status}): {undo.stderr.strip()[-200:]}"


def table(results: Sequence[Result]) -> str:
    """The results as text, one row per tree and a sum."""
    names = ["files", "python", "torch", "findings", "edits", "changed", "exact"]
    names += ["converted", "notebooks", "left", "seconds"]
    rows = [[r.tree, *(str(getattr(r, n)) for n in names), str(len(r.failures))] for r in results]
    sums = [f"{sum(getattr(r, n) for r in results):g}" for n in names]
    rows.append(["total", *sums, str(sum(len(r.failures) for r in results))])
    rows.insert(0, ["tree", *names, "failures"])
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [
        [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)] for row in rows
    ]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *line]) for row, line in zip(rows, lines, strict=True)
    )


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trees", metavar="DIR", nargs="+", type=Path)
    parser.add_argument("--json", type=Path, help="write the results there")
    parser.add_argument("--unsafe-fixes", action="store_true", help="apply the unsafe fixes too")
    parser.add_argument("--hunks", type=int, default=0, metavar="N", help="sample N hunks")
    parser.add_argument("--seed", type=int, default=0, help="of the sample; default: 0")
    parser.add_argument("--out", type=Path, help="folder for the sampled hunks")
    options = parser.parse_args()
    if bool(options.hunks) != bool(options.out):
        parser.error("--hunks and --out go together")
    if missing := [str(path) for path in options.trees if not path.is_dir()]:
        parser.error(f"not a folder: {', '.join(missing)}")
    return options


def main() -> int:
    """Measure, print the table and the failures, write what was asked for."""
    options = arguments()
    results: list[Result] = []
    hunks: list[Hunk] = []
    for tree in options.trees:
        result, found = gauge(tree.resolve(), options.unsafe_fixes)
        print(
            f"{result.tree}: {result.seconds:.1f} s, {len(result.failures)} failures",
            file=sys.stderr,
        )
        results.append(result)
        hunks += found
    print(table(results))
    for result in results:
        for failure in result.failures:
            print(f"{result.tree}: FAILURE: {failure}")
        for remark in (*result.errors, *result.new_messages):
            print(f"{result.tree}: {remark}")
    if options.json:
        rows = [dataclasses.asdict(result) for result in results]
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if options.hunks:
        sample = random.Random(options.seed).sample(hunks, min(options.hunks, len(hunks)))
        write_hunks(sample, options.out)
    return int(any(result.failures for result in results))


if __name__ == "__main__":
    sys.exit(main())
