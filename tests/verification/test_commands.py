"""Command lines as users type them."""

from __future__ import annotations

import pytest

from devicefix.verification import LaunchError
from devicefix.verification.commands import Command, read_command


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("python train.py --epochs 1", Command("train.py", ("--epochs", "1"), None)),
        ("python3 'my train.py' 'a b'", Command("my train.py", ("a b",), None)),
        ("python -u train.py -u", Command("train.py", ("-u",), None)),
        ("python -m pkg.train -m x", Command("pkg.train", ("-m", "x"), None, True)),
        ("python3.11 train.py", Command("train.py", (), "python3.11")),
        ("/opt/env/bin/python train.py", Command("train.py", (), "/opt/env/bin/python")),
        (".venv/bin/python -m pytest", Command("pytest", (), ".venv/bin/python", True)),
        ("pytest -q tests", Command("pytest", ("-q", "tests"), None)),
        ("train.ipynb", Command("train.ipynb", (), None)),
        ("python train.py a=b", Command("train.py", ("a=b",), None)),
    ],
)
def test_is_taken_apart(text: str, command: Command) -> None:
    assert read_command(text) == command


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("python 'train.py", "no closing quotation"),
        ("python", "name a script, a notebook or a module"),
        ("python -", "name a script, a notebook or a module"),
        ("python -c 'print(1)'", "only a script"),
        ("python -O train.py", "environment variables"),
        ("python -m", "only a script"),
        ("SEED=1 python train.py", "before `devicefix`"),
        ("python a.py && python b.py", "without a shell"),
        ("python a.py > log", "without a shell"),
    ],
)
def test_what_cannot_be_run_says_why(text: str, said: str) -> None:
    with pytest.raises(LaunchError, match=said):
        read_command(text)
