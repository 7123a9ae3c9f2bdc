"""How an editor reaches the server, and what it may be told there."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devicefix.cli import main
from tests.lsp.editor import Editor, Json, edited

FIXED = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
s = "😀é"; x = torch.ones(2, 3, device=device)
print(model(x))
"""
BROKEN = FIXED.replace(", device=device", "")
PULLING: Json = {
    "general": {"positionEncodings": ["utf-8", "utf-16"]},
    "workspace": {"configuration": True, "diagnostics": {"refreshSupport": True}},
    "textDocument": {"diagnostic": {"dynamicRegistration": False}},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pulled").resolve()


CHATTER = """
import sys, threading, time

def chat():
    while "devicefix.flow" not in sys.modules:
        time.sleep(0.01)
    print("chatter", flush=True)

threading.Thread(target=chat, daemon=True).start()
"""
"""What some library may print once it is loaded."""


@pytest.fixture(scope="module")
def asking(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """An editor that asks for diagnostics, has settings to be asked for, and counts bytes."""
    noisy = tmp_path_factory.mktemp("noisy")
    (noisy / "sitecustomize.py").write_text(CHATTER)
    site = {"DEVICEFIX_DOCS_URL": "https://docs.example.org"}
    editor = Editor(env={**os.environ, **site, "PYTHONPATH": str(noisy)})
    editor.initialize([folder], PULLING)
    assert editor.capabilities["positionEncoding"] == "utf-8"
    request = editor.requests.get(timeout=60)
    assert (request["method"], request["params"]["items"]) == (
        "workspace/configuration",
        [{"section": "devicefix"}],
    )
    editor.send({"id": request["id"], "result": [{"ignore": ["DFX104"], "unsafeFixes": False}]})
    assert editor.requests.get(timeout=60)["method"] == "workspace/diagnostic/refresh"
    yield editor
    assert editor.leave() == 0
    assert b"chatter\n" in editor.said
    assert editor.strange == []  # on stdout are messages only


def pull(editor: Editor, uri: str, previous: str | None = None) -> Any:
    more = {"previousResultId": previous} if previous else {}
    return editor.ask("textDocument/diagnostic", textDocument={"uri": uri}, **more)


def test_an_editor_may_ask_instead_of_being_told(asking: Editor, folder: Path) -> None:
    uri = asking.open(folder / "a.py", BROKEN)
    full = pull(asking, uri)
    (found,) = full["items"]
    assert found["range"]["start"] == {"line": 4, "character": len('s = "😀é"; x = '.encode())}
    assert found["codeDescription"] == {"href": "https://docs.example.org/rules/DFX103/"}
    assert pull(asking, uri, full["resultId"]) == {
        "kind": "unchanged",
        "resultId": full["resultId"],
    }
    # this editor resolves nothing and knows no versions: all is there at once, by document
    fix, _, everything = asking.actions(uri, 4)
    for action in (fix, everything):
        assert edited(BROKEN, action["edit"]["changes"][uri], "utf-8") == FIXED
    asking.change(uri, FIXED, 2)
    assert pull(asking, uri, full["resultId"])["items"] == []
    assert asking.diagnostics.empty()


def test_an_answer_about_an_old_text_is_not_given(asking: Editor, folder: Path) -> None:
    uri = asking.open(folder / "b.py", BROKEN)
    number = asking.begin("textDocument/diagnostic", textDocument={"uri": uri})
    asking.change(uri, FIXED, 2)
    answer = asking.answer(number)
    if "error" in answer:  # or the answer was there before the text had changed
        assert answer["error"]["code"] == -32802
        assert answer["error"]["data"] == {"retriggerRequest": True}
    assert pull(asking, uri)["items"] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"position": {"line": -1, "character": 0}},
        {"position": {"line": 0, "character": 2**40}},
        {"position": {"line": "one", "character": 0}},
        {},
    ],
)
def test_invalid_positions_are_refused(asking: Editor, folder: Path, wrong: Json) -> None:
    uri = asking.open(folder / "c.py", FIXED)
    answer = asking.answer(asking.begin("textDocument/hover", textDocument={"uri": uri}, **wrong))
    assert answer["error"]["code"] == -32602
    assert answer["error"]["message"] == "invalid parameters of textDocument/hover"
    assert asking.hover(uri, 10**6, 10**6) == ""  # a place that is not there is none of these


def test_over_tcp_it_listens_to_this_machine_only() -> None:
    """And to no browser: whatever a page makes it send begins with a method and a path."""
    command = [sys.executable, "-m", "devicefix", "lsp", "--tcp", "0"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server,
        contextlib.ExitStack() as at_last,
    ):
        at_last.callback(server.kill)
        assert server.stderr is not None
        assert server.stdout is not None
        host, port = server.stderr.readline().decode().split()[-1].rsplit(":", 1)
        assert host == "127.0.0.1"
        body = json.dumps({"jsonrpc": "2.0", "method": "exit"}).encode()
        message = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        with socket.create_connection((host, int(port)), 60) as page:
            page.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + message)
            assert page.recv(1) == b""
        assert server.poll() is None
        with socket.create_connection((host, int(port)), 60) as editor:
            params = {"processId": None, "rootUri": None, "capabilities": {}}
            hello = json.dumps(
                {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
            ).encode()
            editor.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(hello), hello))
            assert b'"name": "devicefix"' in _until(editor, b"serverInfo")
        assert server.wait(60) == 0
        assert server.stdout.read() == b""


def _until(connection: socket.socket, word: bytes) -> bytes:
    found = b""
    while word not in found or b"devicefix" not in found.partition(word)[2]:
        more = connection.recv(65536)
        assert more, found
        found += more
    return found


def test_without_pygls_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["lsp"]) == 2
    assert capsys.readouterr().err == (
        "Error: the server needs pygls: pip install 'devicefix[lsp]'\n"
    )
