"""How devicefix enters a Python program: this folder stands first in PYTHONPATH.

Python imports a module of this name when it starts. A program that never imports torch goes on as
if nothing had happened; a `sitecustomize` that the machine has besides this one runs after it.
Standard library only: the program may run in an interpreter that does not have devicefix.
"""

from __future__ import annotations

import atexit
import importlib.machinery
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

_HERE = Path(__file__).absolute().parent
_PACKAGE = _HERE.parent.parent


class _Devicefix:
    """Finds `devicefix` in our own folder, whatever the program's interpreter has installed."""

    @staticmethod
    def find_spec(
        fullname: str, path: object, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "devicefix":
            return None
        return importlib.util.spec_from_file_location(
            fullname, _PACKAGE / "__init__.py", submodule_search_locations=[str(_PACKAGE)]
        )


finder = _Devicefix


def enter() -> None:
    """Wait for torch. The first process to come here is the one that the user started."""
    os.environ.setdefault("DEVICEFIX_MAIN", str(os.getpid()))
    _sign_in()
    sys.meta_path.insert(0, finder)
    from devicefix.simulator.importing import after_import

    if os.environ.get("DEVICEFIX_EVENTS"):
        from devicefix.observe.witness import testify

        testify()
    _see_expressions()
    after_import("torch", _torch_is_there)


def _see_expressions() -> None:
    """Where that was asked for: `devicefix run --record`.

    DEVICEFIX_SEE is the folder of the user's files, DEVICEFIX_SEEN that for what was seen.
    """
    root, directory = os.environ.get("DEVICEFIX_SEE"), os.environ.get("DEVICEFIX_SEEN")
    if root and directory:
        from devicefix.observe.sightings.writing import begin

        atexit.register(begin(Path(directory), root))


def _sign_in() -> None:
    """Leave an empty file that says: this process was reached, whether it imports torch or not."""
    directory = os.environ.get("DEVICEFIX_OBSERVE")
    try:
        if directory:
            Path(directory, f"{os.getpid()}.entered").touch()
    except OSError:  # the run that wanted to know is over
        return


def _torch_is_there() -> None:
    try:
        from devicefix.observe.entering import enter

        enter()
    except Exception as error:  # a torch of which we know nothing; the program must not go on
        what = f"{type(error).__name__}: {error}"
        sys.stderr.write(f"devicefix: the simulated accelerator fails on this torch: {what}\n")
        sys.stderr.flush()
        os._exit(2)


def _next_one() -> None:
    """Run the `sitecustomize` that would have run without us."""
    elsewhere = [entry for entry in sys.path if Path(entry).absolute() != _HERE]
    sys.path[:] = elsewhere
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if __name__ == "sitecustomize":
    if os.environ.get("DEVICEFIX_SIMULATE") or os.environ.get("DEVICEFIX_OBSERVE"):
        enter()
    _next_one()
