"""Programs with planted defects: what a verification has to find, written down beforehand.

``programs/<name>/before`` is a program that knows no device, ``after`` what a careful person makes
of it, and ``defects.toml`` says what goes wrong when that is done carelessly:

    entry = "train.py"               # main.py, where it does not say so
    arguments = ["--epochs", "3"]

    [[defect]]
    name = "labels-stay"
    class = "transfer removed"       # one of CLASSES
    file = "data.py"                 # the entry, where it does not say so
    old = "y.to(device)"             # is in the file once
    new = "y"
    also = [["old", "new"], ...]     # what else is edited, afterwards
    on = "device"                    # the CPU does not show it; or "either"
    shows = ["loss = criterion("]    # texts, each in one line: where the first difference may be
    left = ["model"]                 # names whose value at the end may be the first difference
    status = true                    # what has no line may be: the exit status, a file

``untouched = true`` instead of ``old`` and ``new``: the program after the change is that before it.
There, if no line is named, and with ``coverage = true``, no value differs: the placement tells.

What another careful person might have made of it is harmless; a verification lets it pass:

    [[harmless]]
    name = "labels-moved-in-the-loop"
    file = "data.py"                 # the entry, where it does not say so
    edits = [["old", "new"], ...]    # one after the other; each old text is there once, then
    old = "y.to(device)"             # instead of edits, if there is one only
    new = "y.to(device, non_blocking=True)"
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from devicefix.verification.trees import Tree

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE: Final = Path(__file__).resolve().parent
PROGRAMS: Final = HERE / "programs"
STEADY: Final = HERE / "steady"

CLASSES: Final = MappingProxyType(
    {
        "transfer removed": "a tensor stays where it was created",
        "nothing moved": "everything is computed correctly, but on the CPU",
        "wrong cast": "values pass through another dtype, or stay in it",
        "integers cast to float": "integers or booleans become floats",
        "buffer missing from state_dict": "a buffer becomes a plain attribute or not persistent",
        "extra random draw": "a random generator is called once more",
        "operand swapped": "two operands, or two similar names, are swapped",
        "epoch skipped": "a loop ends earlier or starts later",
        "detach added": "a gradient no longer flows",
        "aliasing broken": "two names of the same memory become two copies",
        "eval mode removed": "a module runs in the wrong mode",
        "device passed only part of the way": "one of several tensors stays on the CPU",
        "gradient not zeroed": "gradients accumulate over steps",
        "wrong dim": "a reduction runs over another dimension",
        "loss averaged differently": "sum instead of mean, or a mean over something else",
        "shuffling changed": "the data come in another order",
        "no_grad removed": "gradients flow where they must not",
        "clone removed": "two values share memory",
        "index off by one": "an index is one too high or too low",
        "dtype of saved checkpoint changed": "a saved value has another dtype or type",
        "optimizer built before replaced submodule": "the optimizer has other parameters or state",
        "exit status changed": "the program succeeds where it failed, or the reverse",
        "output line missing": "a line is no longer printed",
        "generator on wrong device": "a generator and the tensor that it fills are on two devices",
        "in-place write to the wrong tensor": "another tensor is written to",
        "optimizer without all parameters": "some parameters are never trained",
        "parameter groups swapped": "parameters are trained with the settings of another group",
        "learning rate scheduled wrongly": "the scheduler steps at the wrong time",
        "mask inverted": "masked elements are used, and the others are not",
        "weights untied": "shared parameters become separate ones, or the reverse",
        "random generator reseeded": "random numbers repeat, or come from another seed",
        "gradient clipping changed": "gradients are not clipped, or too late",
        "gradient accumulation changed": "a step uses more or fewer batches",
        "moving average updated at the wrong time": "it is taken before or after the step",
        "state partly loaded": "part of a checkpoint is not loaded",
        "error swallowed": "a device error is caught, and the program continues with less",
        "file missing or added": "a file is no longer written, or one more is",
        "file content changed": "a file has other content",
        "key added to what is saved": "a saved dict has one more key",
        "result order changed": "results come in another order",
        "plain list not moved": "modules or tensors in a list or dict stay behind",
        "leaf tensor replaced by a copy": "the moved copy is trained, not the original",
        "write goes to a copy": "a write reaches a copy on the CPU, not the tensor itself",
        "class weights wrong": "the loss uses the weight of another class",
        "running statistics wrong": "running statistics are not updated, or from the wrong data",
        "dropout changed": "another dropout rate, or dropout always or never",
        "last optimizer step skipped": "the last update of the weights is missing",
    }
)
"""Every class of defect."""

BY_PLACEMENT: Final = "nothing moved"
"""The class that only the placement shows."""


class CatalogueError(Exception):
    """A defect is not written as it should be."""


@dataclass(frozen=True)
class Defect:
    """One thing that is wrong in a program after the change."""

    program: Program
    name: str
    kind: str
    """One of `CLASSES`."""
    file: str
    old: str
    new: str
    untouched: bool
    on: str
    shows: tuple[str, ...]
    left: tuple[str, ...]
    status: bool
    coverage: bool
    """Whether no observation differs and the placement tells."""
    also: tuple[tuple[str, str], ...] = ()
    """What else is edited, after ``old``."""

    def __str__(self) -> str:
        return f"{self.program.name}-{self.name}"

    @property
    def tree(self) -> Tree:
        """The program after the change, with the defect."""
        if self.untouched:
            return self.program.before
        return Tree(self.program.after.root, {self.file: self.text.encode()})

    @cached_property
    def text(self) -> str:
        """The file with the defect. Raises `CatalogueError`."""
        return _edited(self, self.program, self.file, ((self.old, self.new), *self.also))

    @cached_property
    def places(self) -> frozenset[tuple[str, int]]:
        """Files below the root and lines, in the program with the defect, where the first
        difference may be reported. Raises `CatalogueError`.
        """
        texts = _texts(self.tree.root)
        if not self.untouched:
            texts |= _parts(self.file, self.text)
        return frozenset(place for shown in self.shows for place in _found(self, shown, texts))

    @cached_property
    def former(self) -> frozenset[tuple[str, int]]:
        """The same lines in the program before the change, as far as they are there."""
        texts = _texts(self.program.before.root)
        return frozenset(place for shown in self.shows for place in _lines(shown, texts))


@dataclass(frozen=True)
class Harmless:
    """Another form of a program after the change, which means the same on every device."""

    program: Program
    name: str
    file: str
    edits: tuple[tuple[str, str], ...]
    """Old and new text; each old one is in the file once, after the edits before it."""

    def __str__(self) -> str:
        return f"{self.program.name}-{self.name}"

    @property
    def tree(self) -> Tree:
        """The program in this form. Raises `CatalogueError`."""
        return Tree(self.program.after.root, {self.file: self.text.encode()})

    @cached_property
    def text(self) -> str:
        """The file in this form. Raises `CatalogueError`."""
        return _edited(self, self.program, self.file, self.edits)


@dataclass(frozen=True)
class Program:
    """A program in two states, its defects, and other forms that are as good."""

    name: str
    entry: str
    arguments: tuple[str, ...]
    defects: tuple[Defect, ...] = field(default=(), compare=False, repr=False)
    harmless: tuple[Harmless, ...] = field(default=(), compare=False, repr=False)

    root: Path | None = None
    """Where it is, if it has one state only."""

    @property
    def before(self) -> Tree:
        """As people wrote it."""
        return Tree(self.root or PROGRAMS / self.name / "before")

    @property
    def after(self) -> Tree:
        """As it should be."""
        return Tree(self.root or PROGRAMS / self.name / "after")


def read_programs() -> tuple[Program, ...]:
    """All programs. Raises `CatalogueError`."""
    return tuple(map(_program, sorted(PROGRAMS.glob("*/defects.toml"))))


def steady_programs() -> tuple[Program, ...]:
    """Programs that nobody changes, and that are never the same twice."""
    files = sorted(STEADY.glob("*.py"))
    return tuple(Program(file.stem, file.name, (), root=STEADY) for file in files)


def made_wrong(program: Program) -> Tree:
    """A steady program with the defect that is planted in it. Raises `CatalogueError`."""
    table = tomllib.loads((STEADY / "defects.toml").read_text(encoding="utf-8"))[program.name]
    text = (STEADY / program.entry).read_text(encoding="utf-8")
    if text.count(table["old"]) != 1:
        raise CatalogueError(f"{table['old']!r} is there {text.count(table['old'])} times")
    changed = text.replace(table["old"], table["new"])
    return Tree(STEADY, {program.entry: changed.encode()})


def _program(path: Path) -> Program:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    entry = content.get("entry", "main.py")
    bare = Program(path.parent.name, entry, tuple(content.get("arguments", ())))
    defects = tuple(_defect(bare, table) for table in content["defect"])
    harmless = tuple(_harmless(bare, table) for table in content.get("harmless", ()))
    return Program(bare.name, bare.entry, bare.arguments, defects, harmless)


def _defect(program: Program, table: Mapping[str, Any]) -> Defect:
    untouched, shows = table.get("untouched", False), tuple(table.get("shows", ()))
    defect = Defect(
        program=program,
        name=table["name"],
        kind=table["class"],
        file=table.get("file", program.entry),
        old=table.get("old", ""),
        new=table.get("new", ""),
        untouched=untouched,
        on=table.get("on", "cpu"),
        shows=shows,
        left=tuple(table.get("left", ())),
        status=table.get("status", False),
        coverage=table.get("coverage", untouched and not shows),
        also=_pairs(table.get("also", ())),
    )
    if defect.kind not in CLASSES:
        raise CatalogueError(f"{defect}: there is no class {defect.kind!r}")
    if not (defect.coverage or defect.shows or defect.left or defect.status):
        raise CatalogueError(f"{defect}: does not say where it shows")
    return defect


def _harmless(program: Program, table: Mapping[str, Any]) -> Harmless:
    edits = table.get("edits") or [(table.get("old", ""), table.get("new", ""))]
    return Harmless(
        program=program,
        name=table["name"],
        file=table.get("file", program.entry),
        edits=_pairs(edits),
    )


def _pairs(edits: Iterable[Iterable[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((old, new) for old, new in edits)


def _edited(
    item: Defect | Harmless, program: Program, file: str, edits: Iterable[tuple[str, str]]
) -> str:
    text = (program.after.root / file).read_text(encoding="utf-8")
    for old, new in edits:
        if text.count(old) != 1 or not old:
            raise CatalogueError(f"{item}: {old!r} is there {text.count(old)} times")
        text = text.replace(old, new)
    return text


def _texts(root: Path) -> dict[str, str]:
    """What has lines: files of a tree, and cells of its notebooks, as tracebacks call them."""
    found: dict[str, str] = {}
    for path in sorted((*root.rglob("*.py"), *root.rglob("*.ipynb"))):
        found |= _parts(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    return found


def _parts(file: str, text: str) -> dict[str, str]:
    if not file.endswith(".ipynb"):
        return {file: text}
    cells = enumerate(json.loads(text)["cells"], 1)
    code = ((n, cell) for n, cell in cells if cell["cell_type"] == "code")
    return {f"{file}:cell {n}": "".join(cell["source"]) for n, cell in code}


def _found(defect: Defect, shown: str, texts: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """The one line that has the text; nothing where the defect took the line away."""
    places = list(_lines(shown, texts))
    if len(places) > 1 or not (places or defect.former):
        raise CatalogueError(f"{defect}: {len(places)} lines have {shown!r}")
    yield from places


def _lines(shown: str, texts: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    for file, text in texts.items():
        numbered = enumerate(text.splitlines(), 1)
        yield from ((file, number) for number, line in numbered if shown in line)
