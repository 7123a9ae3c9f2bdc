"""A server of its own, and an editor that opens, types, mends and asks; one process for all."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from devicefix.engine import apply
from devicefix.settings import Settings
from tests.lsp.editor import Editor, Json, edited

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
FIXED = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
print(model(x))
"""
BROKEN = FIXED.replace(", device=device", "")
UNSAFE = BROKEN.replace("import torch\n", "import torch\nimport mystery\n").replace(
    "print", "mystery.check(x)\nprint"
)
CALLER = "import torch\nfrom parts import model\n\nprint(model(torch.ones(2, 3)))\n"
MOVED = 'import torch\n\nmodel = torch.nn.Linear(3, 1).to("cuda")\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("open").resolve()


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Editor]:
    editor = Editor()
    editor.initialize([folder])
    yield editor
    assert editor.leave() == 0
    assert editor.strange == []


@pytest.fixture
def project(folder: Path, request: pytest.FixtureRequest) -> Path:
    """A repository of its own, so that tests do not see each other."""
    place = folder / re.sub(r"\W+", "-", request.node.name)
    (place / ".git").mkdir(parents=True)
    return place


@pytest.fixture
def editor(server: Editor) -> Iterator[Editor]:
    opened: list[str] = []
    plain = server.open

    def opening(path: Path | str, text: str | None = None, version: int = 1) -> str:
        opened.append(plain(path, text, version))
        return opened[-1]

    server.open = opening  # type: ignore[method-assign]
    yield server
    server.open = plain  # type: ignore[method-assign]
    for uri in opened:
        server.close(uri)


def codes(diagnostics: list[Json]) -> list[tuple[object, int]]:
    return [(d.get("code"), d["range"]["start"]["line"]) for d in diagnostics]


def texts_of(action: Json, **texts: str) -> dict[str, str]:
    """The documents after an action, by the names of their files."""
    changes = action["edit"]["documentChanges"]
    return {
        Path(change["textDocument"]["uri"]).stem: edited(
            texts[Path(change["textDocument"]["uri"]).stem], change["edits"]
        )
        for change in changes
    }


def test_what_is_typed_is_looked_at_and_mended(editor: Editor, project: Path) -> None:
    file = project / "a.py"
    file.write_text(FIXED)
    uri = editor.open(file)
    assert editor.found(uri) == []
    editor.change(uri, BROKEN, 2)
    (found,) = editor.found(uri, 2)
    assert (found["code"], found["severity"], found["source"]) == ("DFX103", 2, "devicefix")
    assert found["range"] == {
        "start": {"line": 4, "character": 4},
        "end": {"line": 4, "character": 20},
    }
    fix = next(a for a in editor.actions(uri, 4, shown=[found]) if a["title"].startswith("Fix"))
    assert (fix["kind"], fix["isPreferred"]) == ("quickfix", True)
    assert fix["diagnostics"] == [found]
    assert fix["edit"]["documentChanges"][0]["textDocument"] == {"uri": uri, "version": 2}
    assert texts_of(fix, a=BROKEN) == {"a": FIXED}
    editor.change(uri, FIXED, 3)
    assert editor.found(uri, 3) == []
    assert file.read_text() == FIXED  # the server writes nothing


def test_only_the_last_of_many_texts_counts(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "a.py", FIXED)
    for version in range(2, 12):
        editor.change(uri, FIXED + "#" * version, version)
    editor.change(uri, BROKEN, 12)
    assert codes(editor.found(uri, 12)) == [("DFX103", 4)]


def test_a_text_that_does_not_parse_yet(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "a.py", BROKEN + "print(\n")
    (found,) = editor.found(uri)
    assert (found["severity"], found["message"][:13]) == (3, "not analysed:")
    assert found["range"]["start"]["line"] == 6
    editor.change(uri, BROKEN + "print()\n", 2)
    assert codes(editor.found(uri, 2)) == [("DFX103", 4)]


def test_a_fix_reaches_into_other_files(editor: Editor, project: Path) -> None:
    """Those that are open have a version."""
    shutil.copytree(EXAMPLES / "tagger", project, dirs_exist_ok=True)
    texts = {path.stem: path.read_text() for path in project.glob("*.py")}
    uri = editor.open(project / "data.py", version=7)
    (found,) = editor.found(uri, 7)
    related = found["relatedInformation"]
    assert {Path(r["location"]["uri"]).stem for r in related} == {"train", "model"}
    (fix,) = [a for a in editor.actions(uri, 6) if a["title"].startswith("Fix")]
    assert "in 3 files)" in fix["title"]
    versions = {
        Path(c["textDocument"]["uri"]).stem: c["textDocument"]["version"]
        for c in fix["edit"]["documentChanges"]
    }
    assert versions == {"data": 7, "model": None, "train": None}
    new = texts_of(fix, **texts)
    apply([project], Settings())
    assert new == {path.stem: path.read_text() for path in project.glob("*.py")}


def test_an_edit_is_seen_in_the_other_files_of_the_program(editor: Editor, project: Path) -> None:
    (project / "parts.py").write_text(MOVED)
    caller = editor.open(project / "main.py", CALLER)
    assert [code for code, _ in codes(editor.found(caller))] == ["DFX103"]
    parts = editor.open(project / "parts.py", MOVED.replace('.to("cuda")', ""))
    editor.change(parts, "model = print\n", 2)
    editor.found(parts, 2)
    assert editor.found(caller) == []


def test_all_that_is_safe_at_once(
    editor: Editor, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `apply` does it, in as many rounds, in all files of each decision."""
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path))  # not into the user's own journal
    shutil.copytree(EXAMPLES / "tagger", project, dirs_exist_ok=True)
    texts = {path.stem: path.read_text() for path in project.glob("*.py")}
    uri = editor.open(project / "train.py")
    (action,) = editor.actions(uri, 0, only=["source.fixAll"])
    assert action["kind"] == "source.fixAll.devicefix"
    assert "edit" not in action
    new = texts_of(editor.ask("codeAction/resolve", **action), **texts)
    apply([project], Settings())
    assert new == {path.stem: path.read_text() for path in project.glob("*.py")}


def test_nothing_unsafe_is_done_at_once(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "a.py", UNSAFE)
    actions = editor.actions(uri, 5)
    assert [a["title"].split(":")[0] for a in actions] == [
        "Unsafe fix for DFX103",
        "Ignore DFX103 on this line",
    ]
    assert actions[0]["isPreferred"] is False
    assert editor.actions(uri, 5, only=["source.fixAll"]) == []
    assert editor.actions(uri, 5, only=["refactor"]) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\ufeff" + BROKEN, [("DFX103", 4)]),
        (BROKEN.replace("\n", "\r"), [("DFX103", 4)]),
        (BROKEN + "y = " + "+".join(["x"] * 3000), [("DFX103", 4)]),
        (BROKEN + "\0", [(None, 6)]),
        ("", []),
    ],
    ids=["byte order mark", "carriage returns", "nesting", "null", "nothing"],
)
def test_whatever_the_text_is(
    editor: Editor, project: Path, text: str, found: list[object]
) -> None:
    uri = editor.open(project / "a.py", text)
    assert codes(editor.found(uri)) == found


def test_a_finding_is_silenced_where_it_stands(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "a.py", BROKEN)
    editor.found(uri)
    action = next(a for a in editor.actions(uri, 4) if a["title"].startswith("Ignore"))
    new = texts_of(action, a=BROKEN)["a"]
    assert new.splitlines()[4] == "x = torch.ones(2, 3)  # devicefix: ignore[DFX103]"
    editor.change(uri, new, 2)
    assert editor.found(uri, 2) == []


def test_python_2_becomes_python_3(editor: Editor, project: Path) -> None:
    shutil.copytree(EXAMPLES / "bars_2017", project, dirs_exist_ok=True)
    text = (project / "train.py").read_text()
    uri = editor.open(project / "train.py")
    lines = [line for code, line in codes(editor.found(uri)) if code == "DFX606"]
    fix = next(a for a in editor.actions(uri, lines[0]) if "DFX606:" in a["title"])
    new = texts_of(fix, train=text)["train"]
    compile(new, "train.py", "exec")
    editor.change(uri, new, 2)
    assert "DFX606" not in [code for code, _ in codes(editor.found(uri, 2))]


def test_what_is_believed_of_a_value(editor: Editor, project: Path) -> None:
    text = BROKEN.replace("ones(2, 3)", 'ones(2, 3); s = "`<b>"')
    uri = editor.open(project / "a.py", text)
    told = editor.hover(uri, 4, 0)
    assert told.startswith("`x`: tensor, float32, on the CPU now, **on the device** after the fix")
    assert "a.py:5: created here" in told
    rule = editor.hover(uri, 4, 6)
    assert "**DFX103** `factory-without-device`" in rule
    assert editor.hover(uri, 1, 0) == ""
    assert '``x = torch.ones(2, 3); s = "`<b>"``' in told


def test_places_are_counted_as_the_protocol_counts_them(editor: Editor, project: Path) -> None:
    """Line ends of three kinds, a form feed that ends no line, characters of two units."""
    text = BROKEN.replace("x = torch", '"\f\u2028"; s = "😀é"; x = torch').replace("\n", "\r\n")
    uri = editor.open(project / "a.py", text)
    (found,) = editor.found(uri)
    assert found["range"]["start"] == {
        "line": 4,
        "character": len('"\f\u2028"; s = "😀é"; x = ') + 1,
    }
    fix = next(a for a in editor.actions(uri, 4) if a["title"].startswith("Fix"))
    assert texts_of(fix, a=text)["a"] == text.replace("(2, 3)", "(2, 3, device=device)")


def test_what_is_nobodys_own_is_not_looked_at(
    editor: Editor, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Excluded files, libraries, and what has no file: `check .` would pass over them, too."""
    (project / ".gitignore").write_text("made.py\n")
    (project / "pyproject.toml").write_text('[tool.devicefix]\nexclude = ["taken.py"]\n')
    inside = project / ".venv/site-packages/lib.py"
    outside = tmp_path_factory.mktemp("python") / "site-packages/lib.py"
    for file in (project / "made.py", project / "taken.py", inside, outside):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(BROKEN)
        assert editor.found(editor.open(file)) == []
    editor.notify(
        "textDocument/didOpen",
        textDocument={"uri": "git:/x.py", "languageId": "python", "version": 1, "text": BROKEN},
    )
    assert editor.actions("git:/x.py", 4) == []


def test_a_document_without_a_file(editor: Editor) -> None:
    text = {"uri": "untitled:Notes", "languageId": "plaintext", "version": 1, "text": BROKEN}
    editor.notify("textDocument/didOpen", textDocument=text)
    assert editor.actions("untitled:Notes", 4) == []
    uri = editor.open("untitled:Untitled-1", BROKEN)
    assert codes(editor.found(uri)) == [("DFX103", 4)]
    fix = editor.actions(uri, 4)[0]
    (change,) = fix["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 1}
    assert edited(BROKEN, change["edits"]) == FIXED


def test_a_file_of_no_open_folder(editor: Editor, tmp_path_factory: pytest.TempPathFactory) -> None:
    """It stands for itself, and what lies around it is read where it is imported."""
    place = tmp_path_factory.mktemp("elsewhere")
    (place / "parts.py").write_text(MOVED)
    (place / "other.py").write_text(BROKEN)
    (place / "a b;#%.py").write_text(CALLER)
    uri = editor.open(place / "a b;#%.py")
    assert [code for code, _ in codes(editor.found(uri))] == ["DFX103"]


def test_settings_are_read_again(editor: Editor, project: Path) -> None:
    file = project / "pyproject.toml"
    uri = editor.open(project / "a.py", BROKEN)
    assert codes(editor.found(uri)) == [("DFX103", 4)]
    changed = [{"uri": file.as_uri(), "type": 1}]
    for setting, expected in (('ignore = ["DFX103"]', []), ("", [("DFX103", 4)])):
        file.write_text(f"[tool.devicefix]\n{setting}\n")
        editor.notify("workspace/didChangeWatchedFiles", changes=changed)
        assert codes(editor.found(uri)) == expected
    file.write_text("[tool.devicefix]\nignore = 3\n")
    editor.notify("workspace/didChangeWatchedFiles", changes=changed)
    assert editor.found(uri) == []
    said = editor.messages.get(timeout=60)["params"]["message"]
    assert f"{file}:2: ignore must be a list of strings" in said


def test_the_editor_has_settings_too(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "a.py", BROKEN)
    assert codes(editor.found(uri)) == [("DFX103", 4)]
    settings = {"devicefix": {"ignore": ["DFX103"]}}
    editor.notify("workspace/didChangeConfiguration", settings=settings)
    assert editor.found(uri) == []
    editor.notify("workspace/didChangeConfiguration", settings={"devicefix": {"unsafe": True}})
    said = editor.messages.get(timeout=60)["params"]["message"]
    assert "editor settings: unknown setting 'unsafe'" in said
    editor.notify("workspace/didChangeConfiguration", settings={"devicefix": {}})
    while codes(editor.found(uri)) != [("DFX103", 4)]:
        pass
