"""How large the analysis is, and how much of it still asks the raw tree.

``python scripts/flow_counts.py [REV...]`` prints a table: the files as they are, and those of each
commit. Counted in ``devicefix/flow`` and ``devicefix/dialect``: files, lines, the longest files,
tests for a kind of node (``isinstance(x, ast.X)``, ``case ast.X``), looks at the node above
(``parents.get``), ``ast.walk``, and texts of nodes (``unparse``, ``dump``).
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGES: Final = ("devicefix/flow", "devicefix/dialect")
LONG: Final = 500
TREE_QUESTIONS: Final = {
    "parents.get": "parents.get",
    "ast.walk": "ast.walk",
    "ast.unparse": "unparse, dump",
    "ast.dump": "unparse, dump",
}


class Visitor(ast.NodeVisitor):
    """Counts what asks the tree of a program."""

    def __init__(self) -> None:
        self.found = dict.fromkeys(("tests for a kind of node", *TREE_QUESTIONS.values()), 0)

    def visit_Call(self, node: ast.Call) -> None:
        name = ast.unparse(node.func)
        if name == "isinstance" and "ast." in ast.unparse(node.args[1]):
            self.found["tests for a kind of node"] += 1
        if name.lower().removesuffix("()").endswith("parents.get") or name == "Parents().get":
            self.found["parents.get"] += 1
        self.generic_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        self.found["tests for a kind of node"] += ast.unparse(node.cls).startswith("ast.")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        question = TREE_QUESTIONS.get(ast.unparse(node))
        if question is not None and question != "parents.get":
            self.found[question] += 1
        self.generic_visit(node)


def on_disk() -> dict[str, str]:
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}


def of_commit(revision: str) -> dict[str, str]:
    command = ["git", "-C", str(ROOT), "archive", revision]
    listed = ["git", "-C", str(ROOT), "ls-tree", "-d", "--name-only", revision, "devicefix/"]
    there = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split()
    packages = [package for package in PACKAGES if package in there]
    data = subprocess.run([*command, *packages], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return {
            member.name: file.read().decode()
            for member in archive
            if member.name.endswith(".py") and (file := archive.extractfile(member)) is not None
        }


def counts(files: Mapping[str, str]) -> dict[str, int]:
    """The numbers of one version."""
    found: dict[str, int] = {}
    for package in PACKAGES:
        texts = [text for path, text in files.items() if path.startswith(f"{package}/")]
        found[f"files of {package}"] = len(texts)
        found[f"lines of {package}"] = sum(text.count("\n") for text in texts)
    lengths = [text.count("\n") for text in files.values()]
    found["the longest file"] = max(lengths)
    found[f"files of more than {LONG} lines"] = sum(length > LONG for length in lengths)
    visitor = Visitor()
    for text in files.values():
        visitor.visit(ast.parse(text))
    return found | visitor.found


def main() -> None:
    versions = {revision: of_commit(revision) for revision in sys.argv[1:]} | {"now": on_disk()}
    tables = {name: counts(files) for name, files in versions.items()}
    width = max(map(len, tables["now"]))
    print(" " * width, *(f"{name[:10]:>10}" for name in tables))
    for row in tables["now"]:
        print(f"{row:{width}}", *(f"{table[row]:10}" for table in tables.values()))
    longest = sorted((text.count("\n"), path) for path, text in versions["now"].items())
    for lines, path in reversed(longest[-10:]):
        print(f"{lines:5} {path}")


if __name__ == "__main__":
    main()
