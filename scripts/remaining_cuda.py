"""Count what remains of CUDA after ``devicefix apply``, by reason and by what is known besides.

    python scripts/remaining_cuda.py DIR... [--show REASON] [--json FILE]

Every tree is copied to a temporary folder and fixed there; ``devicefix check`` then says what
remains. ``--show`` prints the lines of one reason, such as ``"not understood"``.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gauge import apply, devicefix, relative_name


def remaining(source: Path) -> Iterator[dict[str, Any]]:
    """What remains in one tree; what could not be counted is a use without a line."""
    with tempfile.TemporaryDirectory(prefix="cuda-") as temporary:
        folder = Path(temporary, source.name)
        shutil.copytree(source, folder, symlinks=True, ignore=shutil.ignore_patterns(".git*"))
        apply(folder, unsafe=False)
        run = devicefix(["check", folder.name, "--output-format", "json"], folder.parent)
        found = run.report["remaining"]
        missing = [{"path": path, "reason": "not counted"} for path in found["uncounted"]]
        for use in (*found["uses"], *missing):
            name = relative_name(use["path"], folder)
            yield {"line": 0, "text": "", "detail": "", **use, "tree": source.name, "path": name}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trees", metavar="DIR", nargs="+", type=Path)
    parser.add_argument("--show", metavar="REASON", help="print the lines with this reason")
    parser.add_argument("--json", type=Path, help="write all that remains there")
    options = parser.parse_args()
    found = [use for tree in options.trees for use in remaining(tree.resolve())]
    known = ((use["reason"], re.sub(r"[0-9]+", "N", use["detail"])[:80]) for use in found)
    for (reason, detail), number in sorted(collections.Counter(known).items()):
        print(f"{number:5}  {reason:14} {detail}")
    print(f"{len(found):5}  in all")
    for use in found:
        if use["reason"] == options.show:
            where = f"{use['tree']}/{use['path']}:{use['line']}"
            print(f"{where}: {use['text']} [{use['detail']}]")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
