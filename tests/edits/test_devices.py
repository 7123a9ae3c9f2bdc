"""The definition of a device that stands further down."""

from __future__ import annotations

import pytest

from devicefix.edits import define_device
from devicefix.flow import DeviceName, analyse
from devicefix.settings import Settings
from devicefix.source import Source

DEFINED = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'


def moved_up(text: str) -> str:
    """``text`` with the definition behind the imports."""
    source = Source.from_text(text)
    late = next(s for s in source.tree.body if source.segment(s) == DEFINED.strip())
    name = DeviceName("device", "device", late=late)  # type: ignore[arg-type]
    return source.apply(define_device(source, analyse(source), Settings(), name))


@pytest.mark.parametrize("between", ["", "\n", "\n\n\n"])
def test_what_stands_behind_the_imports_stays(between: str) -> None:
    text = f"import torch\n{between}{DEFINED}\nprint(device)\n"
    assert moved_up(text) == text


def test_what_stands_further_down_goes_behind_the_imports() -> None:
    text = f"import torch\n\nprint(1)\n{DEFINED}\nprint(device)\n"
    assert moved_up(text) == f"import torch\n\n{DEFINED}\nprint(1)\n\nprint(device)\n"
