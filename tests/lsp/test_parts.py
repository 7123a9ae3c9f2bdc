"""Positions, documents and settings, without a server."""

from __future__ import annotations

import asyncio
import json
import threading
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from devicefix.engine.looking import Look
from devicefix.findings import Edit
from devicefix.lsp.actions import CodeActions, NoLongerFitError
from devicefix.lsp.documents import Documents, as_bytes, path_of, uri_of
from devicefix.lsp.options import Options
from devicefix.lsp.positions import Positions
from devicefix.lsp.projects import Projects, Snapshot, root_of
from devicefix.lsp.rules import description
from devicefix.lsp.session import EditorSession, OutdatedError
from devicefix.reporting import rule_pages
from devicefix.settings import Settings, SettingsError
from devicefix.source import Source

EXTENSION = Path(__file__).resolve().parents[2] / "editors" / "vscode"
TEXT = "a\r\né😀x\ry\f\u2028z\n"


@pytest.mark.parametrize(
    ("encoding", "column"), [("utf-8", 2 + 4), ("utf-16", 1 + 2), ("utf-32", 2)]
)
def test_columns_count_units_of_the_encoding(encoding: str, column: int) -> None:
    places = Positions(Source.from_text(TEXT), encoding)
    assert places.position(TEXT.index("x")) == types.Position(1, column)
    assert places.position(TEXT.index("z")).line == 2
    for offset in (i for i in range(len(TEXT) + 1) if TEXT[i - 1 : i + 1] != "\r\n"):
        assert places.offset(places.position(offset)) == offset
    assert places.offset(types.Position(1, 99)) == TEXT.index("x") + 1
    assert places.offset(types.Position(99, 0)) == len(TEXT)


@pytest.mark.parametrize("text", ["x = 1\n", "# coding: latin-1\ré", "# coding: klingon\n", "é"])
def test_a_text_is_read_back_as_it_is(text: str) -> None:
    data = as_bytes(text)
    if "klingon" not in text:
        assert Source.from_bytes(data, "x.py").text == text
    assert data == text.encode("latin-1" if "latin-1" in text else "utf-8")
    assert as_bytes("# coding: ascii\né") == "# coding: ascii\né".encode()


def test_names_of_files(tmp_path: Path) -> None:
    for name in ("plain.py", "with space;#%?.py", "é😀.py"):
        assert path_of(uri_of(tmp_path / name), Path()) == tmp_path / name
    assert path_of("file://localhost/x.py", Path()) == Path("/x.py")
    assert path_of("untitled:../../etc/x", tmp_path) == tmp_path / "..-..-etc-x.py"
    for other in ("git:/x.py", "http://[x", "file:relative", "file:///a%00b.py", ""):
        assert path_of(other, tmp_path) is None


def test_settings_of_the_editor_go_first(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.devicefix]\nignore = ["DFX1"]\nmin-torch = "2.0"\n'
    )
    given = {"devicefix": {"ignore": ["DFX5"], "unsafeFixes": True, "config": None}}
    expected = Settings(ignore=("DFX5",), unsafe_fixes=True, min_torch="2.0")
    assert Options.of(given).settings(tmp_path) == expected
    assert Options.of(None).settings(tmp_path).ignore == ("DFX1",)
    for wrong in (3, {"ignore": "DFX1"}, {"config": 1}, {"minTorch": "x"}, {"nonsense": 1}):
        with pytest.raises(SettingsError, match=r"^editor settings: "):
            Options.of(wrong)


def test_what_is_looked_at_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "code/repository"
    (inner / ".git").mkdir(parents=True)
    file = inner / "package/a.py"
    assert root_of(file, [tmp_path]) == inner
    assert root_of(file, [tmp_path, inner / "package"]) == inner / "package"
    assert root_of(tmp_path / "code/a.py", [tmp_path]) == tmp_path
    assert root_of(file, [tmp_path / "other"]) is None
    monkeypatch.setattr(Path, "home", lambda: inner)
    assert root_of(file, [inner]) is None
    assert root_of(file, [tmp_path]) is None


def test_a_code_leads_to_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_pages, "_sites", lambda: {"codemods": "https://example.org/docs"})
    found = description("DFX103")
    assert found == types.CodeDescription("https://example.org/docs/rules/DFX103/")
    assert description("DFX999") is None


def test_the_server_knows_the_settings_of_the_extension() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_bytes())
    defaults = {
        name.removeprefix("devicefix."): described["default"]
        for name, described in manifest["contributes"]["configuration"]["properties"].items()
    }
    assert defaults.pop("path") == "devicefix"
    given = {name: value for name, value in defaults.items() if value != ""}
    assert Options.of(given).settings(EXTENSION) == Settings()
    assert set(given) ^ set(defaults) == {"minTorch", "config"}
    assert Options.of({**given, "minTorch": "2.0"}).settings(EXTENSION).min_torch == "2.0"
    assert manifest["version"] == version("devicefix")


def test_a_file_that_changes_meanwhile_is_not_edited(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1\n")
    source = Source.read(file)
    actions = CodeActions(Documents(), "utf-16", types.ClientCapabilities())
    edits = {str(file): [Edit(0, 1, 0, "y")]}
    edit = actions.workspace_edit({str(file): source}, edits)
    assert edit.changes is not None
    assert list(edit.changes) == [file.as_uri()]
    file.write_text("x = 2\n")
    with pytest.raises(NoLongerFitError, match="was changed in the meantime"):
        actions.workspace_edit({str(file): source}, edits)


def test_a_text_that_is_read_as_another_one_is_not_edited(tmp_path: Path) -> None:
    documents, path = Documents(), tmp_path / "a.py"
    text = "# coding: latin-1\nx = '\u2192'; y.cuda()\n"
    documents.hold(uri_of(path), text, 1, tmp_path)
    source = Source.from_bytes(as_bytes(text), str(path))
    assert source.text != text
    actions = CodeActions(documents, "utf-16", types.ClientCapabilities())
    at = source.text.index("cuda")
    with pytest.raises(NoLongerFitError, match=r"a\.py has changed since it was read"):
        actions.workspace_edit({str(path): source}, {str(path): [Edit(at, at + 6, 0, "to(d)")]})


def test_what_stays_the_same_is_not_looked_at_again(tmp_path: Path) -> None:
    text = "import torch\nfrom parts import x\nprint(torch.nn.Linear(1, 1).cuda()(x))\n"
    main, parts = tmp_path / "main.py", tmp_path / "parts.py"
    main.write_text(text)
    parts.write_text("x = 1\n")
    projects = Projects()

    def seen(**texts: str) -> Look:
        held = {tmp_path / f"{name}.py": value.encode() for name, value in texts.items()}
        return projects.look(main, Snapshot(held)).look

    first = seen(main=text)
    assert first.findings
    assert seen(main=text) is first
    assert seen(main=text + "#") is not first
    again = seen(main=text)
    assert seen(main=text, parts="x = 2\n") is not again
    parts.write_text("x = 1234\n")
    newest = seen(main=text)
    assert newest is not again
    assert seen(main=text) is newest


def test_questions_about_old_texts_are_not_answered() -> None:
    """One that waits is not even begun."""
    document = SimpleNamespace(diagnostic=object())  # an editor that asks is not told
    server = SimpleNamespace(
        workspace=SimpleNamespace(folders={}, root_uri=None),
        client_capabilities=SimpleNamespace(text_document=document),
    )
    session = EditorSession(cast(LanguageServer, server))
    go_on, begun = threading.Event(), threading.Event()
    asked: list[str] = []

    def slow(_: Projects, __: Snapshot) -> None:
        asked.append("slow")
        begun.set()
        go_on.wait(60)

    async def ask() -> list[object]:
        first = asyncio.ensure_future(session.ask(slow))
        second = asyncio.ensure_future(session.ask(lambda p, n: asked.append("second")))
        await asyncio.to_thread(begun.wait, 60)
        session.changed()
        go_on.set()
        return list(await asyncio.gather(first, second, return_exceptions=True))

    assert [type(answer) for answer in asyncio.run(ask())] == [OutdatedError, OutdatedError]
    assert asked == ["slow"]
