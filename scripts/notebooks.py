"""What `apply` does to notebooks: ``python scripts/notebooks.py FOLDER…``.

Works on copies of the folders. Of every notebook: whether nbformat accepts it afterwards as before,
whether all but the sources of changed cells is the same byte for byte, and whether a second `apply`
changes nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from devicefix.engine import Report, apply
from devicefix.settings import Settings
from devicefix.source.notebooks import is_valid, read_notebook


def main() -> None:
    """Print a line for each notebook, and the sums."""
    sums: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        os.environ["DEVICEFIX_STATE_DIR"] = f"{place}/state"
        for number, folder in enumerate(sys.argv[1:]):
            copy = Path(place, str(number), Path(folder).name)
            shutil.copytree(folder, copy, symlinks=True)
            sums += _project(copy)
    print(", ".join(f"{name} {count}" for name, count in sums.items()))


def _project(folder: Path) -> Counter[str]:
    names = [p for p in sorted(folder.rglob("*.ipynb")) if ".ipynb_checkpoints" not in p.parts]
    before = {path: path.read_bytes() for path in names}
    first = apply([folder], Settings())
    again = apply([folder], Settings())
    sums: Counter[str] = Counter(notebooks=len(names))
    for path in names:
        told = _told(path, before[path], first, again)
        sums += Counter(told)
        print(f"{path.relative_to(folder.parent)}: {' · '.join(told)}")
        print("".join(f"    {e}\n" for e in first.errors if e.path == str(path)), end="")
    return sums


def _told(path: Path, before: bytes, first: Report, again: Report) -> list[str]:
    if any(error.path == str(path) for error in first.errors):
        return ["error"]
    after = path.read_bytes()
    told = ["unchanged" if after == before else "changed"]
    if is_valid(before) and not is_valid(after):
        told.append("INVALID")
    if after != before and not _same_but_sources(before, after, str(path)):
        told.append("TOUCHED")
    if any(result.path == str(path) for result, _ in again.changes):
        told.append("RESTLESS")
    return told


def _same_but_sources(before: bytes, after: bytes, path: str) -> bool:
    """Whether the files agree byte for byte outside the sources of cells that differ."""
    pieces = []
    for data in (before, after):
        book, at, kept = read_notebook(data, path), 0, ""
        others = read_notebook(before if data is after else after, path).cells
        for cell, other in zip(book.cells, others, strict=True):
            if cell.source != other.source:
                kept, at = kept + book.json[at : cell.span.start], cell.span.end
        pieces.append(kept + book.json[at:])
        json.loads(book.json)
    return pieces[0] == pieces[1]


if __name__ == "__main__":
    main()
