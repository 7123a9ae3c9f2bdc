"""What `devicefix.engine` offers is there, and is loaded when it is asked for."""

from __future__ import annotations

import subprocess
import sys

import devicefix.engine


def test_all_names_are_there() -> None:
    found = {name: getattr(devicefix.engine, name) for name in devicefix.engine.__all__}
    assert all(callable(value) for value in found.values())
    homes = " ".join(devicefix.engine._HOMES.values()).split()
    assert sorted(homes) == sorted(devicefix.engine.__all__)
    assert not hasattr(devicefix.engine, "nothing_of_that_name")


def test_a_check_loads_neither_a_client_for_http_nor_git_nor_a_journal() -> None:
    asked = "devicefix.cli.check", "devicefix.engine.runner"
    spared = "urllib.request", "subprocess", "devicefix.engine.journal", "devicefix.records"
    program = f"import sys, {', '.join(asked)}; print([m for m in {spared} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"
