"""The baseline of all ratios: ``ast.parse`` over the files of a folder, and nothing else.

    python benchmarks/bare_parse.py FOLDER

The garbage collector is off and each tree is dropped at once: with all trees kept and the collector
on, the same loop takes four times as long, and anything would look fast beside it.
"""

from __future__ import annotations

import ast
import gc
import sys
import warnings
from pathlib import Path


def main(folder: str) -> None:
    """Parse every file; one that does not parse counts, too."""
    warnings.simplefilter("ignore")
    gc.disable()
    for path in sorted(Path(folder).rglob("*.py")):
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            print(f"{path}: does not parse", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
