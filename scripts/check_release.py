"""Build the wheel and the sdist, check them, and run the wheel in a bare environment.

    pip install -e '.[release]'
    python scripts/check_release.py [--out DIR]

The wheel is built from the sdist, as on PyPI. Takes about half a minute and the network: the build
and the bare environment install what they need. Nothing is uploaded. Exit status 1 if a check
fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGES: Final = {"devicefix", "codemods"}
DATA: Final = (
    "devicefix/py.typed",
    "codemods/py.typed",
    "devicefix/observe/entrance/sitecustomize.py",
    "devicefix/reporting/page/assets/dom.js",
    "devicefix/torch_api/library_modules.txt",
)
"""Files that are no modules, or that no import would miss."""
PROGRAM: Final = """\
import torch

model = torch.nn.Linear(2, 2).cuda()
print(model(torch.ones(1, 2).cuda()))
"""
FIXED: Final = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(2, 2).to(device)
print(model(torch.ones(1, 2, device=device)))
"""


class CheckError(Exception):
    """What is wrong with a distribution."""


def main() -> int:
    """Run all checks; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, help="keep the distributions in this folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="devicefix-release-") as place:
        os.environ["DEVICEFIX_STATE_DIR"] = str(Path(place, "state"))
        try:
            out = arguments.out or Path(place, "dist")
            wheel, sdist = built(out)
            run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist))
            check_contents(wheel)
            check_sources(sdist)
            check_installed(wheel, Path(place))
        except CheckError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    print(f"{wheel.name} and {sdist.name} are fine")
    return 0


def built(out: Path) -> tuple[Path, Path]:
    """The wheel and the sdist. Raises `CheckError`."""
    run(sys.executable, "-m", "build", "--outdir", str(out), str(ROOT))
    wheels, sdists = sorted(out.glob("*.whl")), sorted(out.glob("*.tar.gz"))
    if len(wheels) != 1 or len(sdists) != 1:
        raise CheckError(f"{out} has to hold one wheel and one sdist")
    return wheels[0], sdists[0]


def check_contents(wheel: Path) -> None:
    """Both packages are in it, whole, and nothing else. Raises `CheckError`."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    tops = {name.partition("/")[0] for name in names}
    strange = {top for top in tops - PACKAGES if not top.endswith(".dist-info")}
    if strange:
        raise CheckError(f"the wheel has {', '.join(sorted(strange))} at its top")
    listed = run("git", "-C", str(ROOT), "ls-files", "-z", *sorted(PACKAGES)).split("\0")
    missing = ({*filter(None, listed)} | {*DATA}) - names
    if missing:
        raise CheckError(f"the wheel lacks {', '.join(sorted(missing)[:10])}")


def check_sources(sdist: Path) -> None:
    """Nothing is in it but what git has, and the metadata. Raises `CheckError`."""
    with tarfile.open(sdist) as archive:
        names = {m.name.partition("/")[2] for m in archive.getmembers() if m.isfile()}
    strange = names - {*run("git", "-C", str(ROOT), "ls-files", "-z").split("\0"), "PKG-INFO"}
    if strange:
        raise CheckError(f"the sdist has {', '.join(sorted(strange)[:10])}")


def check_installed(wheel: Path, place: Path) -> None:
    """It works where only its dependencies are. Raises `CheckError`."""
    venv.create(place / "bare", with_pip=True)
    scripts = place / "bare" / ("Scripts" if sys.platform == "win32" else "bin")
    run(str(scripts / "python"), "-m", "pip", "install", "--quiet", str(wheel))
    (place / "work").mkdir()
    program = place / "work" / "train.py"
    program.write_text(PROGRAM)
    devicefix = str(scripts / "devicefix")
    if "devicefix" not in run(devicefix, "--version"):
        raise CheckError("devicefix --version does not say its name")
    if "DFX201" not in run(devicefix, "rules"):
        raise CheckError("the rules are not installed")
    run(devicefix, "apply", str(program))
    if program.read_text() != FIXED:
        raise CheckError(f"apply wrote\n{program.read_text()}")
    run(devicefix, "undo", str(program))
    if program.read_text() != PROGRAM:
        raise CheckError("undo did not restore the program")


def run(*command: str) -> str:
    """What ``command`` prints. Raises `CheckError` if it fails."""
    done = subprocess.run(command, cwd=tempfile.gettempdir(), capture_output=True, text=True)
    if done.returncode:
        said = (done.stdout + done.stderr)[-2_000:]
        raise CheckError(f"{' '.join(command)}: exit status {done.returncode}\n{said}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
