"""Repositories that mean harm: what each has, what becomes of it, and that nothing of it ran.

docs/migrate-hostile.md is the table of these.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from devicefix.migration import unpacking
from devicefix.migration.cloning import Wanted, clone
from devicefix.migration.orders import Ending, Limits, Result
from devicefix.migration.rewriting import rewrite
from devicefix.pull_requests import Author as Name
from devicefix.pull_requests import NewContent
from devicefix.pull_requests.commits import make_commit
from devicefix.pull_requests.scratch import checkout, scratch
from tests.migration.conftest import FIXED, PROGRAM, Author, order

PAGE: Final = Path(__file__).parent.parent.parent / "docs/migrate-hostile.md"


@dataclass
class Scene:
    """A repository, somebody who keeps things beside it, and a command that nobody may run."""

    author: Author
    outside: Path
    """A folder of the machine, with a file ``secret.py`` that has something to fix."""
    command: str
    settings: Path
    """Of the user's git."""
    monkeypatch: pytest.MonkeyPatch
    size: int = 50_000_000

    def write(self, name: str, content: str | bytes = PROGRAM) -> Path:
        return self.author.write(name, content)

    def commit(self) -> str:
        return self.author.commit()

    def tree(self) -> str:
        """Of the newest commit."""
        return self.author.git("rev-parse", "HEAD^{tree}")

    def rewrite(self) -> Result:
        return rewrite(order(self.author.folder, limits=Limits(60, 2 << 30, self.size)))


@dataclass(frozen=True)
class Case:
    """One way to mean harm."""

    what: str
    becomes: str
    plant: Callable[[Scene], None]
    fixed: tuple[str, ...] = ("a.py",)
    """The files that are changed as if nothing was wrong; none where the repository is refused."""
    ending: Ending = Ending.CHANGED
    reason: str = ""
    notes: tuple[str, ...] = ()
    errors: int = 0
    control: tuple[str, ...] = field(default=())
    """A command of git by which the trap does snap, below the repository."""


CASES: Final[dict[str, Case]] = {}


def case(
    what: str,
    becomes: str,
    fixed: tuple[str, ...] = ("a.py",),
    ending: Ending | None = None,
    reason: str = "",
    notes: tuple[str, ...] = (),
    errors: int = 0,
    control: tuple[str, ...] = (),
) -> Callable[[Callable[[Scene], None]], Callable[[Scene], None]]:
    def known(plant: Callable[[Scene], None]) -> Callable[[Scene], None]:
        end = ending or (Ending.CHANGED if fixed else Ending.FAILED)
        CASES[plant.__name__] = Case(
            what, becomes, plant, fixed, end, reason, notes, errors, control
        )
        return plant

    return known


# -- what git would run ----------------------------------------------------------------------------


@case(
    "Hooks, in the repository and in the user's `core.hooksPath`",
    "Not run: nothing is checked out by git, and hooks are off",
    control=("clone", "-q", ".", "../plain"),
)
def hooks(scene: Scene) -> None:
    scene.write("a.py")
    scene.commit()
    for folder in (scene.author.folder / ".git/hooks", scene.outside / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in ("post-checkout", "reference-transaction", "post-index-change"):
            hook = folder / name
            hook.write_text(f"#!/bin/sh\n{scene.command}\n")
            hook.chmod(0o755)
    scene.settings.write_text(f"[core]\n\thooksPath = {scene.outside / 'hooks'}\n")


@case(
    "`.gitattributes` that name a filter, an encoding, line ends, keywords",
    "Files are taken as they were committed, byte for byte; no filter runs, even one that the "
    "user's own git knows",
    control=("clone", "-q", ".", "../plain"),
)
def filters(scene: Scene) -> None:
    scene.write("a.py")
    attributes = "filter=evil ident eol=crlf working-tree-encoding=UTF-16"
    scene.write(".gitattributes", f"*.py {attributes}\n*.txt filter=evil\n")
    scene.write("b.txt", "text\n")
    (scene.author.folder / ".git/info").mkdir(exist_ok=True)
    plain = scene.author.folder / ".git/info/attributes"  # committed as it lies there
    plain.write_text("* -filter -ident -text -eol -working-tree-encoding\n")
    scene.commit()
    plain.unlink()
    scene.settings.write_text(f'[filter "evil"]\n\tsmudge = {scene.command}; cat\n')


@case(
    "A file system monitor, a pager, an editor, an external diff in the configuration",
    "Not run: the repository's configuration is read only by the server side of the fetch",
    control=("status",),
)
def monitors(scene: Scene) -> None:
    scene.write("a.py")
    scene.commit()
    script = scene.outside / "monitor"
    script.write_text(f"#!/bin/sh\n{scene.command}\n")
    script.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "core.editor", "diff.external"):
        scene.author.git("config", name, str(script))
    scene.author.git("config", "uploadpack.packObjectsHook", str(script))
    scene.author.git("config", "core.alternateRefsCommand", str(script))


@case(
    "Submodules, with commands for addresses and for updates",
    "An empty folder; nothing is fetched, and the result says so",
    notes=("1 submodule is empty: nothing is fetched for it",),
)
def submodules(scene: Scene) -> None:
    scene.write("a.py")
    scene.write(
        ".gitmodules",
        f'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "{scene.command}"\n'
        f"\tupdate = !{scene.command}\n",
    )
    scene.author.git("add", "-A")
    scene.author.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},x")
    scene.author.git("commit", "-q", "-m", "all")
    scene.settings.write_text("[submodule]\n\trecurse = true\n[protocol]\n\tallow = always\n")


@case(
    "Pointers of Git LFS, one of them in place of a program",
    "They stay pointers: nothing is fetched, and the result says how many there are, "
    "as does the reason if the proof fails",
    notes=("2 files are stored in Git LFS: only the pointers were cloned",),
)
def lfs(scene: Scene) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    scene.write("a.py")
    scene.write("b.py", pointer)
    scene.write("weights.pt", pointer)
    scene.commit()


# -- what would lead us elsewhere ------------------------------------------------------------------


@case(
    "Links out of the repository: to files, folders, devices, to its `.git`, over other links",
    "Not created, but counted; links that stay inside are created. Nothing outside is"
    " read or changed",
    notes=("7 links lead out of the repository: not created",),
)
def links(scene: Scene) -> None:
    scene.write("a.py")
    scene.write("deep/er/b.txt", "")
    top = scene.author.folder
    for name, target in {
        "secret.py": scene.outside / "secret.py",
        "package": scene.outside,
        ".gitignore": Path("/dev/zero"),
        "pyproject.toml": scene.outside / "secret.py",
        "config.py": Path(".git/config"),
        "up": Path("deep/er/../../.."),
        "over": Path("inner/../../secret.py"),
        "inner": Path("deep/er"),
        "alias.py": Path("a.py"),
        "broken.txt": Path("nothing"),
    }.items():
        (top / name).symlink_to(target)
    # `over` leads to secret.py beside deep/, which is a link out
    scene.commit()


@case(
    "A tree with a file of the name `..`, or with `/` in it",
    "The repository is refused; nothing is written",
    fixed=(),
    reason="which git refuses as well",
)
def dotdot(scene: Scene) -> None:
    blob = scene.author.blob(b"harm")
    inner = scene.author.commit_tree(("100644", blob, "harm"))
    tree = scene.author.git("rev-parse", f"{inner}^{{tree}}")
    scene.author.commit_tree(("40000", tree, ".."), ("100644", blob, "x/../../../harm"))


@case(
    "A tree with `.git` in it, as a folder with hooks, as a file, as `.GIT`, in a folder",
    "The repository is refused; nothing is written",
    fixed=(),
    reason="'in/.GIT', which git refuses as well",
)
def dotgit(scene: Scene) -> None:
    blob = scene.author.blob(b"gitdir: /elsewhere\n")
    inner = scene.author.commit_tree(("100644", blob, ".GIT"))
    tree = scene.author.git("rev-parse", f"{inner}^{{tree}}")
    scene.author.commit_tree(("40000", tree, "in"))


@case(
    "A tree with a link and a folder of one name, so that a file would be written through the link",
    "The repository is refused; nothing is written where the link leads",
    fixed=(),
    reason="two of its files have the same name",
)
def twice(scene: Scene) -> None:
    inner = scene.author.commit_tree(("100644", scene.author.blob(b"harm"), "harm"))
    tree = scene.author.git("rev-parse", f"{inner}^{{tree}}")
    link = scene.author.blob(os.fsencode(scene.outside))
    scene.author.commit_tree(("120000", link, "x"), ("40000", tree, "x"))


@case(
    "A repository whose `.git` is a file, and that borrows objects from another (alternates)",
    "Cloned completely through git's server side: the clone borrows nothing",
)
def borrowed(scene: Scene) -> None:
    scene.write("a.py")
    scene.commit()
    own = scene.author.folder
    other = own.parent / "other"
    scene.author.git("clone", "-q", "--shared", ".", str(other))
    (own / ".git").rename(own.parent / "lender.git")
    (other / ".git").rename(own.parent / "borrower.git")
    alternates = own.parent / "borrower.git/objects/info/alternates"
    alternates.write_text(f"{own.parent / 'lender.git/objects'}\n")
    (own / ".git").write_text(f"gitdir: {own.parent / 'borrower.git'}\n")


# -- what would run inside devicefix ---------------------------------------------------------------


@case(
    "`codemods/`, `devicefix/`, and files by the names of libraries that devicefix imports",
    "Read like any other code; nothing is ever imported from the repository",
)
def shadows(scene: Scene) -> None:
    scene.write("a.py")
    harm = f"import os\nos.system({scene.command!r})\n"
    for name in ("codemods", "devicefix", "torch", "libcst", "pyflakes", "rich", "pathspec"):
        scene.write(f"{name}/__init__.py", harm)
    for name in ("fissix", "platformdirs", "pygments", "tomllib", "github", "json", "difflib"):
        scene.write(f"{name}.py", harm)
    scene.write("evil-1.0.dist-info/entry_points.txt", "[devicefix.codemods]\nx = codemods\n")
    scene.write("evil-1.0.dist-info/METADATA", "Name: evil\nVersion: 1.0\n")
    scene.commit()


@case(
    "`sitecustomize.py`, `conftest.py`, `setup.py`, `.pth` files that run code",
    "Not run",
)
def customised(scene: Scene) -> None:
    scene.write("a.py")
    harm = f"import os\nos.system({scene.command!r})\n"
    for name in ("sitecustomize", "usercustomize", "conftest", "setup", "__init__", "__main__"):
        scene.write(f"{name}.py", harm)
    scene.write("x.pth", f"import os; os.system({scene.command!r})\n")
    scene.commit()


@case(
    "A `device-expression` in `pyproject.toml` that runs a program",
    "It is only text: it may be written into the source, where reviewers see it, but "
    "is never evaluated",
    fixed=("a.py",),
)
def expression(scene: Scene) -> None:
    scene.write("a.py")
    text = f'__import__("os").system("{scene.command}")'
    scene.write("pyproject.toml", f"[tool.devicefix]\ndevice-expression = '''{text}'''\n")
    scene.commit()


@case(
    "Settings in `pyproject.toml` that name files elsewhere: `baseline`",
    "The repository is refused",
    fixed=(),
    reason="pyproject.toml:2: baseline must be a path below the folder of this file",
)
def baseline(scene: Scene) -> None:
    scene.write("a.py")
    scene.write("pyproject.toml", "[tool.devicefix]\nbaseline = '../outside/secret.py'\n")
    scene.commit()


# -- what would be too much ------------------------------------------------------------------------


@case(
    "A file larger than `clone-size` that is packed into a few KB",
    "The repository is refused before the file is written: `clone-size` counts the unpacked size",
    fixed=(),
    reason="its files are larger than the",
)
def bomb(scene: Scene) -> None:
    scene.size = 5_000_000
    scene.write("a.py")
    scene.write("zeros.bin", bytes(20_000_000))
    scene.commit()


@case(
    "A file larger than `clone-size` as it is",
    "git is stopped while it writes the pack, so there is never more on the disk",
    fixed=(),
    reason="it takes more than 5 MB to clone",
)
def large(scene: Scene) -> None:
    scene.size = 5_000_000
    scene.author.git("config", "core.compression", "0")
    scene.write("noise.bin", os.urandom(20_000_000))
    scene.commit()


@case(
    "A Python file of 6 MB that mentions torch",
    "Reported as not analysed; the others are rewritten",
    errors=1,
)
def long(scene: Scene) -> None:
    scene.write("a.py")
    scene.write("data.py", "import torch\nx = [\n" + "    0.0,\n" * 700_000 + "]\n")
    scene.commit()


@case(
    "Trees within trees: 10,000,000,000 files in eleven objects",
    "The repository is refused at its 200,000th file; nothing is written",
    fixed=(),
    reason="it has more than 20 files",
)
def count(scene: Scene) -> None:
    scene.monkeypatch.setattr(unpacking, "MOST_FILES", 20)
    tree = scene.author.git("mktree", given=b"")
    blob = scene.author.blob(b"x\n")
    entries: tuple[tuple[str, str, str], ...]
    entries = tuple(("100644", blob, str(n)) for n in range(10))
    for _ in range(10):
        made = scene.author.commit_tree(*entries)
        tree = scene.author.git("rev-parse", f"{made}^{{tree}}")
        entries = tuple(("40000", tree, str(n)) for n in range(10))


@case(
    "Python that is nested too deeply for any parser",
    "Reported as not analysed; the others are rewritten",
    errors=2,
)
def deep(scene: Scene) -> None:
    scene.write("a.py")
    scene.write("b.py", "import torch\nx = " + "(" * 1_000 + ")" * 1_000 + "\n")
    scene.write("c.py", "import torch\nx = " + "-" * 20_000 + "1\n")
    scene.commit()


# -- names -----------------------------------------------------------------------------------------


NAMES: Final = (
    "\x1b]0;title\x07\x1b[2J.py",
    "quo\"te'd.py",
    "new\nline.py",
    "-rf.py",
    "*.py",
    ":(exclude)a.py",
    "<b>&amp;.py",
    "a`b|c](x).py",
    "\u202egnp.py",
    os.fsdecode(b"\xff\xfe.py"),
    " .py",
)


@case(
    "Names of terminal escapes, quotes, line ends, options, wildcards, markup, no UTF-8",
    "Rewritten and committed under exactly these names; special characters are "
    "escaped when they are printed",
    fixed=tuple(sorted(NAMES)),
)
def names(scene: Scene) -> None:
    for name in NAMES:
        scene.write(name)
    scene.commit()


@case(
    "Names that differ in case only",
    "Two files where the disk can hold both; elsewhere the repository is refused",
    fixed=("A.py", "a.py"),
)
def case_colliding(scene: Scene) -> None:
    scene.write("a.py")
    scene.write("A.py")
    scene.commit()


# -- all of them -----------------------------------------------------------------------------------


@pytest.fixture
def scene(
    author: Author,
    tmp_path: Path,
    trap: tuple[str, Callable[[], bool]],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Scene]:
    outside = tmp_path / "outside"
    outside.mkdir()
    secret = outside / "secret.py"
    secret.write_text(PROGRAM)
    settings = tmp_path / "gitconfig"
    settings.write_text("")
    yield Scene(author, outside, trap[0], settings, monkeypatch)
    assert secret.read_text() == PROGRAM
    assert not list(tmp_path.rglob("harm"))


@pytest.mark.parametrize("name", CASES)
def test_it(name: str, scene: Scene, trap: tuple[str, Callable[[], bool]]) -> None:
    one = CASES[name]
    one.plant(scene)
    monkeypatch = scene.monkeypatch
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(scene.settings))
    if one.control:
        subprocess.run(["git", *one.control], cwd=scene.author.folder, capture_output=True)
        assert trap[1](), "the trap does not snap"
        next(scene.author.folder.parent.glob("somebody ran it")).unlink()
    result = scene.rewrite()
    assert not trap[1]()
    assert (result.ending, result.notes, result.errors) == (one.ending, one.notes, one.errors), (
        result
    )
    assert one.reason in result.reason
    assert not result.transient
    assert tuple(file.path for file in result.files) == one.fixed
    assert all(file.after.decode() == FIXED for file in result.files)
    assert "\x1b" not in result.body + result.report
    assert str(scene.outside.parent) not in repr(result)
    if result.files:
        assert set(committed(scene.author.folder, result)) == set(one.fixed)


def committed(folder: Path, result: Result) -> list[str]:
    """The names of what a commit of ``result`` changes, made as for a pull request."""
    place = folder.parent / "bare"
    found = clone(Wanted(str(folder), result.base, result.commit, files=False), place)
    files = [NewContent(str(found.folder / f.path), f.before, f.after) for f in result.files]
    source = checkout(found.folder)
    with scratch(source, str(folder)) as git:
        made = make_commit(git, source, files, "message", Name("A", "a@example.org"))
        listed = git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", source.head, made)
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]


def test_nothing_is_imported_from_there_by_a_new_process_either(
    scene: Scene, trap: tuple[str, Callable[[], bool]]
) -> None:
    """Here nothing was imported before."""
    shadows(scene)
    program = (
        "import sys\n"
        "from devicefix.migration.orders import Order, Options\n"
        "from devicefix.migration.rewriting import rewrite\n"
        "result = rewrite(Order(sys.argv[1], '', '', (), Options()))\n"
        "print(result.ending.value, [file.path for file in result.files])\n"
    )
    command = [sys.executable, "-c", program, str(scene.author.folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=scene.outside)
    assert done.stdout == "changed ['a.py']\n", done.stderr
    assert not trap[1]()


@pytest.mark.parametrize("path", ["../outside", "/etc", "..", "link", "nothing"])
def test_paths_of_a_plan_stay_inside(path: str, scene: Scene) -> None:
    scene.write("a.py")
    (scene.author.folder / "link").symlink_to(scene.outside)
    scene.commit()
    result = rewrite(order(scene.author.folder, paths=(path,)))
    assert result.ending is Ending.FAILED
    reason = "there is no" if path in ("link", "nothing") else "leads out of the repository"
    assert reason in result.reason


def test_the_page_has_them_all() -> None:
    rows = [f"| {one.what} | {one.becomes} |" for one in CASES.values()]
    table = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert [row for row in table if row in rows] == rows
