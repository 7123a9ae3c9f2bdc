"""The least that a codemod on libcst costs: parse, walk, write back, for each file of a folder.

python benchmarks/trivial_codemod.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import libcst


class Nothing(libcst.CSTTransformer):
    """Looks at each call and changes none."""

    def leave_Call(self, original_node: libcst.Call, updated_node: libcst.Call) -> libcst.Call:  # noqa: N802
        """Keep it as it is."""
        return updated_node


def main(folder: str) -> None:
    """Make each file again; none is written."""
    for path in sorted(Path(folder).rglob("*.py")):
        try:
            _ = libcst.parse_module(path.read_bytes()).visit(Nothing()).bytes
        except libcst.ParserSyntaxError:
            print(f"{path}: does not parse", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
