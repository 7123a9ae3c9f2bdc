"""The documents: generated pages are fresh, and the README says what is there."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import click
import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from devicefix.cli import cli, main
from devicefix.engine import apply, check
from devicefix.engine.registry import load_codemods
from devicefix.settings import Settings

ROOT: Final = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def build_docs() -> Iterator[ModuleType]:
    """``scripts/build_docs.py`` as a module, and its siblings beside it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "scripts"))
        yield load()


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_docs", ROOT / "scripts" / "build_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_of_the_rules_are_fresh(
    build_docs: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    status = build_docs.main(["--check"])
    assert status == 0, capsys.readouterr().out


def test_a_stale_page_is_named_and_mended(
    build_docs: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = build_docs.documents(build_docs.own_rules())
    build_docs.write(wanted, tmp_path)
    assert list(build_docs.stale(wanted, tmp_path)) == []
    (tmp_path / "docs/rules/DFX101.md").write_text("old\n")
    (tmp_path / "docs/rules/DFX102.md").unlink()
    (tmp_path / "docs/rules/DFX999.md").write_text("gone\n")
    (tmp_path / "docs/reference/configuration.md").write_text("old\n")
    problems = dict(build_docs.stale(wanted, tmp_path))
    pages = ["reference/configuration", "rules/DFX101", "rules/DFX102", "rules/DFX999"]
    assert sorted(problems) == [f"docs/{page}.md" for page in pages]
    assert "first: 'old'" in problems["docs/rules/DFX101.md"]
    assert build_docs.report(list(problems.items())) == 1
    assert "DFX999.md: documents nothing that is there" in capsys.readouterr().out
    build_docs.write(wanted, tmp_path)
    assert list(build_docs.stale(wanted, tmp_path)) == []


def test_every_page_says_that_it_is_generated(build_docs: ModuleType) -> None:
    documents = build_docs.documents(build_docs.own_rules())
    pages = {name: text for name, text in documents.items() if name.endswith(".md")}
    assert len(pages) > len(build_docs.own_rules())
    assert all("Generated" in text.split("\n", 1)[0] for text in pages.values())


def test_the_reference_has_all_commands_options_and_keys(build_docs: ModuleType) -> None:
    documents = build_docs.documents(build_docs.own_rules())
    commands = documents["docs/reference/command-line.md"]
    for name, command in cli.commands.items():
        assert f"## devicefix {name}\n" in commands
        options = {name for option in command.params for name in option.opts if name[0] == "-"}
        section = commands.split(f"## devicefix {name}\n")[1].split("\n## ")[0]
        assert [option for option in options if f"`{option}" not in section] == []
    keys = re.findall(r"^## `(.*)`$", documents["docs/reference/configuration.md"], re.MULTILINE)
    assert keys == [name.replace("_", "-") for name in Settings.__struct_fields__]


def test_a_key_that_says_nothing_of_itself_is_refused(build_docs: ModuleType) -> None:
    @dataclass
    class Silent:
        said: int = 1
        """Something."""
        silent: int = 2

    reference = sys.modules["docs_reference"]
    with pytest.raises(LookupError, match=r"Silent\.silent says nothing of itself"):
        reference.attribute_docstrings(Silent)


def test_without_codemods_it_says_what_to_do(
    build_docs: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("devicefix.engine.registry.entry_points", lambda **_: ())
    assert build_docs.main(["--check"]) == 2
    assert "pip install" in capsys.readouterr().err


def pages_of(entry: Any) -> Iterator[str]:
    """The pages that an entry of the menu names."""
    if isinstance(entry, str):
        yield entry
        return
    for below in entry if isinstance(entry, list) else entry.values():
        yield from pages_of(below)


def test_every_page_is_in_the_menu_once() -> None:
    with (ROOT / "zensical.toml").open("rb") as file:
        menu = list(pages_of(tomllib.load(file)["project"]["nav"]))
    docs = ROOT / "docs"
    pages = [path.relative_to(docs).as_posix() for path in docs.rglob("*.md")]
    assert sorted(menu) == sorted(pages), "the menu is `nav` in zensical.toml"


FENCES: Final = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("pattern", ["docs/**/*.md", "CHANGELOG.md", "CONTRIBUTING.md"])
def test_what_belongs_to_a_list_is_indented_by_four(pattern: str) -> None:
    """GitHub needs less, but on the site the list would end there, and be counted anew."""
    short = []
    for page in sorted(ROOT.glob(pattern)):
        text = FENCES.sub("", page.read_text(encoding="utf-8"))
        found = re.findall(r"\n[ \t]*\n( {1,3}\S.*)|\n( {1,3}(?:[-*]|\d+\.) .*)", text)
        short += [f"{page.relative_to(ROOT)}: {a or b}" for a, b in found]
    assert short == []


_FILE: Final = re.compile(r"`((?:devicefix|codemods|tests|scripts|examples)/[\w./]+)`")


@pytest.mark.parametrize("page", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_files_that_are_named_exist(page: str) -> None:
    named = _FILE.findall((ROOT / page).read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


_SHOWN: Final = re.compile(r"^ *\$ (devicefix .*)$|`(devicefix [^`]+)`", re.MULTILINE)
_PLACEHOLDER: Final = re.compile(r"[\[\]…|]|\.\.\.|COMMAND")


def commands_of(page: Path) -> Iterator[str]:
    """The command lines that a page names, but for forms such as ``[OPTIONS]``."""
    for shown in _SHOWN.findall(page.read_text(encoding="utf-8")):
        line = " ".join((shown[0] or shown[1]).split())
        if not _PLACEHOLDER.search(line):
            yield line


def why_not(line: str) -> str:
    """What is wrong with a command line; nothing where it could be typed."""
    _, name, *rest = [*shlex.split(line, comments=True), ""]
    if name.startswith("-") or not name:
        return ""
    command = cli.commands.get(name)
    if command is None:
        return "no such command"
    if isinstance(command, click.Group) and rest[0] != "--help":  # a plan may stand for `start`
        command, rest = (
            (command.commands[rest[0]], rest[1:])
            if rest[0] in command.commands
            else (command.commands["start"], rest)
        )
    try:
        context = click.Context(command, **command.context_settings)
        command.make_parser(context).parse_args(rest)
    except click.NoSuchOption as error:
        return str(error)
    except click.BadOptionUsage:
        pass  # the argument of an option is left to the reader
    return ""


def test_documents_name_only_commands_and_options_that_exist() -> None:
    pages = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
    lines = {(page.name, line) for page in pages for line in commands_of(page)}
    assert len(lines) > 100
    wrong = [f"{page}: {line}: {why}" for page, line in sorted(lines) if (why := why_not(line))]
    assert wrong == []


README: Final = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_has_the_two_commands_as_ci_runs_them() -> None:
    for command in ("pip install . && devicefix apply --dry-run examples/", "pytest"):
        assert command in README
    assert "pip install '.[test]' && pytest" in README


HOME: Final = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
CASES: Final = (ROOT / "docs" / "cases.md").read_text(encoding="utf-8")
CONFIGURING: Final = (ROOT / "docs" / "configuring.md").read_text(encoding="utf-8")
FENCED: Final = re.findall(r"^```diff\n(.*?)^```$", README + HOME + CASES, re.M | re.S)
BLOCKS: Final = [block for block in FENCED if not block.startswith("---")]
PATCHES: Final = [block for block in FENCED if block.startswith("---")]
TAGGER: Final = ROOT / "examples" / "tagger"


def side(block: str, sign: str) -> str:
    """The program before (``-``) or after (``+``) a diff that shows all of it."""
    lines = block.splitlines(keepends=True)
    return "".join(line[1:] for line in lines if line[0] in (" ", sign))


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_diffs_that_introduce_are_made_by_the_tool(block: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(side(block, "-"), encoding="utf-8")
    report = apply([program], Settings(), dry_run=True)
    ((_, change),) = report.changes
    assert change.after.decode() == side(block, "+")


@pytest.fixture
def tagger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the program of three files, as the working directory."""
    folder = Path(shutil.copytree(TAGGER, tmp_path / "tagger"))
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("name", ["data.py", "model.py", "train.py"])
def test_the_cases_show_the_program_of_three_files(name: str) -> None:
    lines = (TAGGER / name).read_text(encoding="utf-8").splitlines(keepends=True)
    code = "".join(line for line in lines if not line.startswith("# "))
    assert f"```python\n# {name}\n{code}```\n" in CASES


def test_the_patch_of_the_cases_is_made_by_the_tool(
    tagger: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["apply", "--dry-run", "."]) == 0
    assert [capfd.readouterr().out] == PATCHES


def test_what_the_cases_explain_is_what_the_tool_says(
    tagger: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "model.py:16:30"]) == 0
    assert f"```text\n{capfd.readouterr().out}```\n" in CASES


def test_what_the_guide_explains_is_what_the_tool_says(
    tagger: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    guide = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```text\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert main(["explain", "data.py:7:23"]) == 0
    assert shown in capfd.readouterr().out


def test_the_guide_to_notebooks_shows_what_the_tool_prints(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    guide = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```diff\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(ROOT)
    assert main(["apply", "--dry-run", "examples/fuel.ipynb"]) == 0
    assert capfd.readouterr().out == shown


def test_what_the_cases_leave_to_a_person_is_left(tmp_path: Path) -> None:
    (left,) = re.findall(r"^```python\n(import torch\n.*?)^```$", CASES, re.MULTILINE | re.DOTALL)
    program = tmp_path / "unseen.py"
    program.write_text(left, encoding="utf-8")
    report = check([program], Settings())
    (said,) = re.findall(
        r"^Needs your decision:\n  unseen\.py:(.*) \[unsafe\]\n    (.*)\n +\^+\n    (.*)$",
        CASES,
        re.MULTILINE,
    )
    first = report.files[0].left[0]
    place = f"{first.finding.line}:{first.finding.column} {first.finding.code}"
    code = left.splitlines()[first.finding.line - 1]
    assert said == (f"{place} {first.finding.message}", code, first.reason)


def test_the_readme_names_only_rules_that_exist() -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    named = set(re.findall(r"\bDFX\d{3}\b", README + CASES + CONFIGURING + hooks))
    assert named <= {rule.code for rule in load_codemods()}


def test_the_page_on_configuring_names_every_setting() -> None:
    keys = {name.replace("_", "-") for name in Settings.__struct_fields__}
    (table,) = re.findall(r"^```toml\n(.*?)^```$", CONFIGURING, re.MULTILINE | re.DOTALL)
    assert tomllib.loads(table)["tool"]["devicefix"].keys() == keys


def test_the_readme_can_be_read_at_once() -> None:
    assert len(README.splitlines()) <= 150


def test_the_readme_names_every_command() -> None:
    """In its table: a command that the table lacks is one that nobody finds."""
    named = set(re.findall(r"`(?:devicefix )?(\w+)(?: [^`]*)?`", README.split("## Commands")[1]))
    assert {name for name, command in cli.commands.items() if not command.hidden} <= named


def test_the_readme_has_the_harm_figures_that_were_measured() -> None:
    """The number of programs is the sum of the table, and none of them was harmed."""
    page = (ROOT / "docs" / "harm.md").read_text(encoding="utf-8")
    measured = page.split("## What was measured\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in measured.splitlines()]
    rows = [row for row in rows if len(row) == 8 and row[1].isdecimal()]
    assert {row[6] for row in rows} == {"0"}
    assert f"applied to {sum(int(row[1]) for row in rows):,} programs" in README
    assert "**None of these was harmed**" in README
    *_, latest = re.findall(
        r"^\| [\w-]+ \| [^|]+ \| \d+ \| (\d+) \|.* (\d+) \(([\d.]+)%\) \|$", page, re.MULTILINE
    )
    hunks, wrong, share = latest
    said = rf"judged {wrong} of {hunks} hunks \({re.escape(share)} ?%\) wrong"
    assert re.search(said, README)


def strings_of(folder: str) -> str:
    """The sources below a folder, without line breaks inside of strings."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / folder).rglob("*.py")]
    return re.sub(r'"\n\s+f?"', "", "\n".join(sources))


def test_what_verified_fixes_are_told_is_quoted_as_it_is() -> None:
    page = (ROOT / "docs" / "apply-verify.md").read_text(encoding="utf-8")
    quotes = re.findall(r"^\| \*([A-Z][^*]+)\*", page, re.MULTILINE)
    assert len(quotes) == 2
    said = strings_of("devicefix/reporting")
    assert [one for one in quotes if one.replace("sim:cuda", "{failed}") not in said] == []


def test_messages_that_have_changed_are_quoted_as_they_are() -> None:
    """Column *Now* of the table in docs/adopting.md: no message of it has changed once more."""
    page = (ROOT / "docs" / "adopting.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (DFX\d+|all) \| (.+) \| (.+) \|$", page, re.MULTILINE)
    assert len(rows) == 20
    said = strings_of("codemods") + strings_of("devicefix")
    for _, before, now in rows:
        pieces = [piece.strip(" `':.()0123456789") for piece in re.split(r"`[^`]*`|'cuda'", now)]
        assert before != now
        assert [piece for piece in pieces if piece not in said] == []


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_files_that_documents_name_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    missing = [link for link in links if not (ROOT / link).exists()]
    assert missing == []


def test_modules_that_the_architecture_names_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:devicefix|codemods|scripts|tests)/[\w/]+\.py)`", text))
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
