"""Whose code a frame runs, and where the program stands."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest
import torch

from devicefix.simulator.places import HOME, Kind, kind_of, site

STANDARD = sysconfig.get_path("stdlib")


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        (__file__, Kind.PROGRAM),
        ("<stdin>", Kind.PROGRAM),
        ("<string>", Kind.PROGRAM),
        ("<ipython-input-1-abc>", Kind.PROGRAM),
        ("<frozen importlib._bootstrap>", Kind.HIDDEN),
        ("<eval_with_key>.3", Kind.HIDDEN),
        (f"{STANDARD}/threading.py", Kind.HIDDEN),
        (f"{HOME}/observe/host.py", Kind.HIDDEN),
        (f"{STANDARD}/site-packages/einops/einops.py", Kind.LIBRARY),
        (str(Path(torch.__file__).parent / "nn" / "functional.py"), Kind.TORCH),
        ("/home/me/torch/train.py", Kind.PROGRAM),
    ],
)
def test_whose_code_it_is(file: str, kind: Kind) -> None:
    assert kind_of(file) is kind


def test_the_site_is_the_line_that_asks() -> None:
    here = site(sys._getframe())
    assert here is not None
    code, line, via = here
    assert code is sys._getframe().f_code
    assert line == code.co_firstlineno + 1
    assert via is None


def test_no_frames_no_site() -> None:
    assert site(None) is None
