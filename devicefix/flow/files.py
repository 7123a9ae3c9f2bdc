"""The files of a program: how an import statement of one reaches the names of another.

Nothing is imported: a file is evaluated like everything else, once per pass. A file that may not
be edited is evaluated only when a name of it is used, so that a program pulls in no more of a
large project than it needs.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from devicefix.flow.values import (
    Const,
    External,
    File,
    FileRecord,
    Folder,
    Import,
    Listing,
    Tuple,
    Unknown,
    Value,
)
from devicefix.torch_api import canonical, star_names

if TYPE_CHECKING:
    from devicefix.flow.frame import Frame

_MAX_HOPS = 20
"""Re-exports of re-exports that are followed."""


def is_test(path: str, root: Path) -> bool:
    """Whether pytest would collect the file (docs.pytest.org, conventions for test discovery).

    Folders count below ``root``, which holds the whole program, and with its own name; of a file
    that lies elsewhere and is only read, none do.
    """
    file = Path(path).absolute()
    inside = file.is_relative_to(root)
    folders = {root.name, *file.relative_to(root).parent.parts} if inside else set[str]()
    tested = file.name.startswith("test_") or file.name.endswith("_test.py")
    return tested or file.name == "conftest.py" or bool({"test", "tests"} & folders)


# -- import statements ---------------------------------------------------------------------------


def import_modules(frame: Frame, tree: ast.Import) -> None:
    """``import a.b`` binds a; ``import a.b as c`` binds the module itself."""
    for alias in tree.names:
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        found = find_module(frame, frame.file.path, alias.name)
        _run(frame, found)
        if found is not None and name != alias.name:
            found = find_module(frame, frame.file.path, name)
        frame.bind(alias.asname or name, found or External(canonical(name)))


def import_names(frame: Frame, tree: ast.ImportFrom) -> None:
    """``from a import b``: a name of the file a, or a file of its own."""
    origin = "." * tree.level + (tree.module or "")
    holder = find_module(frame, frame.file.path, tree.module or "", tree.level)
    for alias in tree.names:
        if alias.name == "*":
            _import_all(frame, holder, origin)
            continue
        if holder is not None:
            value = member(frame, holder, alias.name, lazily=True)
            _run(frame, value)
        elif tree.level:
            value = Unknown(f"{origin} was not analysed")
        else:
            value = External(canonical(f"{origin}.{alias.name}"))
        frame.bind(alias.asname or alias.name, value)


def _run(frame: Frame, imported: Value | None) -> None:
    """A file that is imported runs, whatever is used of it: it may register its classes."""
    if isinstance(imported, File) and imported.record.owned:
        enter(frame, imported.record)


def _import_all(frame: Frame, holder: File | Folder | None, origin: str) -> None:
    if isinstance(holder, File):
        names = _public(enter(frame, holder.record))
        frame.file.starred.update(names)
        holder.record.spread = True
        for name in names:
            frame.bind(name, member(frame, holder, name, lazily=True))
    elif holder is None and not origin.startswith("."):
        for name in star_names(origin):
            frame.bind(name, External(canonical(f"{origin}.{name}")))


def _public(file: Frame | None) -> list[str]:
    """What ``from file import *`` binds: ``__all__``, else the names without an underscore."""
    if file is None:
        return []
    listed = file.held("__all__")
    items: tuple[Value, ...] | None = listed.items if isinstance(listed, Tuple) else None
    if isinstance(listed, Listing) and len(listed.records) == 1:
        items = next(iter(listed.records)).items
    if items is not None:
        return [i.value for i in items if isinstance(i, Const) and isinstance(i.value, str)]
    return file.public()


# -- modules and their members -------------------------------------------------------------------


def find_module(frame: Frame, importer: str, dotted: str, level: int = 0) -> File | Folder | None:
    """The file or folder of the program that a dotted name means in ``importer``."""
    modules = frame.analysis.program.modules
    path = modules.find(importer, dotted, level)
    if path is not None:
        record = frame.analysis.file(path)
        record.imported = record.imported or record is not frame.file
        return File(record)
    if modules.is_package(importer, dotted, level):
        return Folder(importer, dotted, level)
    return None


def member(frame: Frame, holder: File | Folder, name: str, *, lazily: bool = False) -> Value:
    """``holder.name``: a name of the file, else a file below the folder."""
    if isinstance(holder, Folder):
        dotted = f"{holder.dotted}.{name}" if holder.dotted else name
        found = find_module(frame, holder.importer, dotted, holder.level)
        return found or Unknown(f"{dotted} was not analysed")
    record = holder.record
    if lazily and not record.owned:
        return Import(record, name)
    found_name = _name(frame, record, name)
    # the file may still be on its way to the name: two files that import each other
    return forced(frame, found_name) if found_name is not None else Import(record, name)


def forced(frame: Frame, value: Value) -> Value:
    """``value``, or what stands behind an import of it."""
    for _ in range(_MAX_HOPS):
        if not isinstance(value, Import):
            return value
        found = _name(frame, value.record, value.name)
        if found is None:
            return Unknown(_reason(frame, value))
        value = found
    return Unknown("circular imports")


def _reason(frame: Frame, missing: Import) -> str:
    if not frame.analysis.open(missing.record):
        return f"{missing.record.path} was not analysed"
    where = missing.record.path.replace("\\", "/").rpartition("/")[2]
    return f"{missing.name} of {where} is not defined where it is imported"


def _name(frame: Frame, record: FileRecord, name: str) -> Value | None:
    """What ``name`` is in a file, or the file of that name beside an ``__init__.py``."""
    file = enter(frame, record)
    found = file.held(name) if file is not None else None
    if found is None and record.package:
        return find_module(frame, record.path, name, 1)
    return found


def enter(frame: Frame, record: FileRecord) -> Frame | None:
    """The top level of a file, which is begun when it is first asked for in a pass.

    None where the file cannot be read.
    """
    if record.frame is None and frame.analysis.open(record):
        frame.analysis.semantics.enter(frame.analysis, record)
    return record.frame
