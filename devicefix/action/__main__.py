"""``python -I -m devicefix.action look`` and ``pull-request``, as `action.yml` runs them.

``-I`` is needed: without it Python would import from the repository that is looked at.
Exit status: 0 done, 1 findings or fixes that do not pass, 2 could not do its work.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Final

from devicefix.action.bundle import BundleError
from devicefix.action.handover import Handover
from devicefix.action.inputs import InputError, read_inputs
from devicefix.action.runner import Runner, annotate
from devicefix.engine import EngineError
from devicefix.own_process import ends_with_its_command
from devicefix.pull_requests import PullRequestError
from devicefix.settings import SettingsError
from devicefix.verification import LaunchError

_CANNOT: Final = 2
_EXPECTED: Final = (
    BundleError,
    EngineError,
    InputError,
    LaunchError,
    PullRequestError,
    SettingsError,
)


def main(arguments: list[str]) -> int:
    """Run one step; its exit status."""
    if not sys.flags.isolated:
        annotate("error", "devicefix.action must be started with python -I")
        return _CANNOT
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name may be in any encoding
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        runner = Runner.from_environment(os.environ)
    except KeyError as missing:
        annotate("error", f"this is not a step of GitHub Actions: {missing} is not set")
        return _CANNOT
    try:
        return _step(arguments, runner)
    except _EXPECTED as error:
        annotate("error", str(error))
        return _CANNOT


def _step(arguments: list[str], runner: Runner) -> int:
    match arguments:
        case ["look"]:
            from devicefix.action.looking import look

            return look(read_inputs(os.environ, runner.workspace), runner)
        case ["pull-request"]:
            from devicefix.action.opening import open_or_close

            handover = Handover.read(Path(os.environ["INPUT_PROPOSAL"]))
            open_or_close(handover, runner, os.environ["INPUT_TOKEN"])
            return 0
        case _:
            annotate("error", "devicefix.action knows two steps, look and pull-request")
            return _CANNOT


if __name__ == "__main__":
    ends_with_its_command()
    sys.exit(main(sys.argv[1:]))
