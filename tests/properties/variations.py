"""The same program, written in another way: what is found must be the same, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import black

from tests.properties.rewording import REWORDINGS, written_by_python
from tests.properties.sketch import HEADER

Files = Mapping[str, str]
"""The text of each module by its name; ``__main__`` is the program."""

_MADE: Final = re.compile(r"\b([A-Za-z_]+?)(\d+)\b")
_SEED: Final = "torch.manual_seed(0)\n"


def _alone(text: str) -> Files:
    return {"__main__": text}


def renamed(text: str) -> Files:
    """Other names for all that the program names itself; these end in a number."""
    names = {m[0] for m in _MADE.finditer(text) if not m[0].startswith(("float", "int", "uint"))}
    names -= {"BatchNorm1d"}
    return _alone(_MADE.sub(lambda m: f"number_{m[2]}_{m[1]}" if m[0] in names else m[0], text))


def formatted(text: str) -> Files:
    """As black writes it."""
    return _alone(black.format_str(text, mode=black.Mode(line_length=60)))


def reordered(text: str) -> Files:
    """The imports the other way round."""
    imports = [line for line in HEADER.split("\n") if line]
    return _alone("\n".join(imports[::-1]) + "\n" + text.removeprefix(HEADER))


ALIASES: Final = MappingProxyType(
    {
        "import torch\n": "import torch as th\n",
        "import numpy as np\n": "import numpy\n",
        "import torch.nn.functional as F\n": "from torch.nn import functional as fun\n",
        "from torch import nn\n": "import torch.nn as torch_layers\n",
        "from torch.utils.data import DataLoader, Dataset, TensorDataset\n": (
            "from torch.utils import data\n"
        ),
    }
)
_USES: Final = (
    (r"(?<![\w.])torch\.", "th."),
    (r"(?<![\w.])np\.", "numpy."),
    (r"(?<![\w.])F\.", "fun."),
    (r"(?<![\w.])nn\.", "torch_layers."),
    (r"(?<![\w.])(DataLoader|TensorDataset|Dataset)\b", r"data.\1"),
)


def aliased(text: str) -> Files:
    """Libraries under other names."""
    head, body = HEADER, text.removeprefix(HEADER)
    for plain, other in ALIASES.items():
        head = head.replace(plain, other)
    for use, other in _USES:
        body = re.sub(use, other, body)
    return _alone(head + body)


def commented(text: str) -> Files:
    """Comments, blank lines, and statements that do nothing."""
    lines = []
    for number, line in enumerate(text.removeprefix(HEADER).split("\n")):
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip() and not line.strip().startswith(("else", "def __getitem__")):
            lines.append(f"{indent}# device = 'cuda:{number}'")
        lines.append(line)
        if re.fullmatch(r" *\w+ = .*", line) and not re.search(r"\.(cuda|to)\(", line):
            lines += ["", f"{indent}unused = {number}"]
    return _alone(HEADER + "\n".join(lines))


def in_main(text: str) -> Files:
    """All that runs is in a function."""
    head, _, main = text.partition(_SEED)
    if "def main" in main or not main.strip():
        return _alone(text)
    body = "".join(f"    {line}\n" for line in (_SEED + main).split("\n") if line)
    return _alone(f'{head}def main():\n{body}\n\nif __name__ == "__main__":\n    main()\n')


def split(text: str) -> Files:
    """Classes and functions in a file of their own."""
    head, _, main = text.partition(_SEED)
    body = head.removeprefix(HEADER)
    names = re.findall(r"^(?:class |def |(?=\w+ = ))(\w+)", body, re.MULTILINE)
    free = not re.search(r"\bdevice\b(?!=)|use_cuda|\bargs\.", re.sub(r"\.device\b", "", body))
    if not names or not free:
        return _alone(text)
    imports = f"from parts import {', '.join(names)}\n\n"
    return {"parts": HEADER + "\n" + body, "__main__": HEADER + imports + _SEED + main}


def _of_any(reword: Callable[[str], str]) -> Callable[[str], Files]:
    def vary(text: str) -> Files:
        return _alone(reword(text))

    vary.__name__ = reword.__name__
    return vary


VARIATIONS: Final[tuple[Callable[[str], Files], ...]] = (
    renamed,
    formatted,
    reordered,
    aliased,
    commented,
    in_main,
    split,
    *map(_of_any, (written_by_python, *REWORDINGS)),
)
