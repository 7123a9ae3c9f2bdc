"""What is loaded to say which version this is: nothing that it does not need."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

from devicefix import __version__
from devicefix.cli import cli
from devicefix.cli.subcommands import NAMES

_LOADED = """
import sys
from devicefix.cli import main
main(["--version"])
print(*sorted(name for name in sys.modules if name.partition(".")[0] in ("devicefix", "rich")))
"""


def test_the_version_is_that_of_the_distribution() -> None:
    assert __version__ == importlib.metadata.version("devicefix")


def test_to_say_the_version_loads_no_subcommand() -> None:
    done = subprocess.run([sys.executable, "-c", _LOADED], capture_output=True, check=True)
    version, loaded = done.stdout.decode().splitlines()
    assert version == f"devicefix, version {__version__}"
    rooms = {name.split(".")[1] for name in loaded.split() if "." in name}
    assert rooms == {"cli"}


def test_all_subcommands_are_there() -> None:
    assert list(cli.commands) == list(NAMES)
    assert [command.name for command in cli.commands.values()] == list(NAMES)
    with pytest.raises(KeyError):
        cli.commands["statuses"]
    assert cli.commands.get("exits") is None
