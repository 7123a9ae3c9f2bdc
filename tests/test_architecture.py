"""ARCHITECTURE.md says what is so: its example, its table of packages, the costs it names."""

from __future__ import annotations

import ast
import re
from difflib import unified_diff
from pathlib import Path
from typing import Final

from devicefix.engine import apply
from devicefix.flow import Transfer, analyse
from devicefix.flow.ir import lower, printed
from devicefix.settings import Settings
from devicefix.source import Source
from tests.test_layers import LEVELS

ROOT: Final = Path(__file__).resolve().parent.parent
TEXT: Final = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
EXAMPLE: Final = TEXT.partition("## A worked example\n")[2].partition("\n## ")[0]
MOST_WORDS: Final = 3000


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", EXAMPLE, re.DOTALL | re.MULTILINE)


(PROGRAM,) = blocks("python")
(IR, FACTS) = blocks("text")
(DIFF,) = blocks("diff")


def said(transfer: Transfer, source: Source) -> str:
    """One transfer, as the page shows it."""
    text = ast.get_source_segment(source.text, transfer.tree) or ""
    device = transfer.device.text if transfer.device is not None else "cpu"
    line = getattr(transfer.tree, "lineno", 0)
    return f"{line:2}  {transfer.offence.name:9}  {text:19}  {device}\n"


def test_the_ir_of_the_example() -> None:
    functions = [node for node in ast.walk(ast.parse(PROGRAM)) if isinstance(node, ast.FunctionDef)]
    (forward,) = [node for node in functions if node.name == "forward"]
    assert printed(lower(forward)).rstrip() == IR.rstrip()


def test_the_facts_of_the_example() -> None:
    source = Source.from_text(PROGRAM)
    assert "".join(said(transfer, source) for transfer in analyse(source).transfers) == FACTS


def test_the_edits_of_the_example(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    apply([path], Settings())
    new = path.read_text(encoding="utf-8")
    lines = unified_diff(PROGRAM.splitlines(True), new.splitlines(True), n=1)
    assert "".join(list(lines)[2:]) == DIFF


def test_the_table_has_every_package_on_its_level() -> None:
    section = TEXT.partition("## Packages\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| (.*?) \|", section, re.MULTILINE)
    levels = {name: int(level) for level, names in rows for name in re.findall(r"`(\w+)`", names)}
    assert levels == {name: level for name, level in LEVELS.items() if name != "__main__"}


def test_it_can_be_read_in_one_sitting() -> None:
    assert len(TEXT.split()) <= MOST_WORDS
