"""The baseline ``replace``: what a script of regular expressions does to the files of a program.

python benchmarks/device_bugs/bug_replacing.py FOLDER
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Final

DEVICE: Final = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
_ARGUMENTS: Final = r"\(((?:[^()]|\([^()]*\))*)\)"
"""What stands in parentheses, with one level of them inside."""
_CHOICE: Final = re.compile(r"is_available|add_argument|^\s*#|[=!]=|\bin\b")
"""Lines whose literals are asked for, or are a choice already."""


def replaced(text: str) -> str:
    """``text`` with all that can be replaced, and a device where that needs one."""
    found = "\n".join(_line(line) for line in text.split("\n"))
    if found == text or not re.search(r"\bdevice\b", found):
        return found
    return found if re.search(r"^device\s*=", found, re.M) else _with_a_device(found)


def _line(line: str) -> str:
    line = re.sub(r"\.cuda" + _ARGUMENTS, ".to(device)", line)
    line = re.sub(r"torch\.cuda\.(\w+Tensor)\b", r"torch.\1", line)
    line = re.sub(r"(?<!cpu\(\))\.numpy\(\)", ".cpu().numpy()", line)
    if "map_location" not in line:
        line = re.sub(r"torch\.load" + _ARGUMENTS, r"torch.load(\1, map_location=device)", line)
    if _CHOICE.search(line):
        return line
    if re.match(r"""\s*device\s*=\s*(?:torch\.device\()?['"]cuda""", line):
        return re.sub(r"device\s*=.*", DEVICE, line)
    line = re.sub(r"""torch\.device\(\s*['"]cuda(?::0)?['"]\s*\)""", "device", line)
    return re.sub(r"""(['"])cuda(?::0)?\1""", "device", line)


def _with_a_device(text: str) -> str:
    """Behind the last import at the top."""
    imports = (n for n in ast.parse(text).body if isinstance(n, ast.Import | ast.ImportFrom))
    last = max((node.end_lineno or 0 for node in imports), default=0)
    lines = text.split("\n")
    known = any(re.match(r"import torch$", line) for line in lines)
    return "\n".join(
        [*lines[:last], *([] if known else ["import torch"]), "", DEVICE, *lines[last:]]
    )


def replace(folder: Path) -> None:
    """Rewrite all Python files below ``folder``."""
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text("utf-8")
        path.write_text(replaced(text), "utf-8")


if __name__ == "__main__":
    replace(Path(sys.argv[1]))
