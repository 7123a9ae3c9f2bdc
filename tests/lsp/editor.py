"""An editor that speaks the Language Server Protocol over the pipes of a process, byte by byte."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

TIMEOUT = 60
Json = dict[str, Any]
CAPABILITIES: Json = {
    "workspace": {
        "workspaceEdit": {"documentChanges": True},
        "configuration": False,
        "workspaceFolders": True,
    },
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "codeAction": {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}},
    },
}


class Editor:
    """Starts a server and talks to it."""

    def __init__(self, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "devicefix", "lsp", *arguments]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
        )
        self.capabilities: Json = {}
        self.diagnostics: queue.Queue[Json] = queue.Queue()
        self.messages: queue.Queue[Json] = queue.Queue()
        """What is shown to people."""
        self.requests: queue.Queue[Json] = queue.Queue()
        """What the server has asked."""
        self.strange: list[bytes] = []
        """What stood on stdout and was no message."""
        self.said = b""
        """What stood on stderr, once it has left."""
        self._answers: dict[int, queue.Queue[Json]] = {}
        self._number = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    # -- the protocol ------------------------------------------------------------------------------

    def send(self, message: Json) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        self.send({"method": method, "params": params})

    def begin(self, method: str, **params: Any) -> int:
        self._number += 1
        self._answers[self._number] = queue.Queue()
        self.send({"id": self._number, "method": method, "params": params})
        return self._number

    def answer(self, number: int) -> Json:
        return self._answers[number].get(timeout=TIMEOUT)

    def ask(self, method: str, **params: Any) -> Any:
        answer = self.answer(self.begin(method, **params))
        assert "error" not in answer, answer
        return answer["result"]

    def _read(self) -> None:
        out = self.process.stdout
        assert out is not None
        while line := out.readline():
            name, _, value = line.partition(b":")
            if name.lower() != b"content-length":
                self.strange.append(line)
                continue
            while out.readline().strip():
                pass
            self._sort(json.loads(out.read(int(value))))

    def _sort(self, message: Json) -> None:
        if "method" not in message:
            self._answers[message["id"]].put(message)
        elif message["method"] == "textDocument/publishDiagnostics":
            self.diagnostics.put(message["params"])
        elif "id" in message:
            self.requests.put(message)
        else:
            self.messages.put(message)

    # -- what editors do ---------------------------------------------------------------------------

    def initialize(
        self, folders: Sequence[Path], capabilities: Json = CAPABILITIES, options: Any = None
    ) -> Json:
        named = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
        answer: Json = self.ask(
            "initialize",
            processId=None,
            rootUri=named[0]["uri"] if named else None,
            workspaceFolders=named,
            capabilities=capabilities,
            initializationOptions=options,
        )
        self.capabilities = answer["capabilities"]
        self.notify("initialized")
        return answer

    def open(self, path: Path | str, text: str | None = None, version: int = 1) -> str:
        uri = path.as_uri() if isinstance(path, Path) else path
        if text is None:
            assert isinstance(path, Path)
            text = path.read_bytes().decode()
        document = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)
        return uri

    def change(self, uri: str, text: str, version: int) -> None:
        self.notify(
            "textDocument/didChange",
            textDocument={"uri": uri, "version": version},
            contentChanges=[{"text": text}],
        )

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", textDocument={"uri": uri})

    def found(self, uri: str, version: int | None = 1) -> list[Json]:
        """The diagnostics of a document, once they are told of this version."""
        while True:
            told = self.diagnostics.get(timeout=TIMEOUT)
            if told["uri"] == uri and told.get("version") == version:
                diagnostics: list[Json] = told["diagnostics"]
                return diagnostics

    def actions(
        self, uri: str, line: int, only: Sequence[str] | None = None, shown: Sequence[Json] = ()
    ) -> list[Json]:
        """What is offered on a line, from 0."""
        at = {"line": line, "character": 0}
        context = {"diagnostics": list(shown), **({"only": list(only)} if only else {})}
        found = self.ask(
            "textDocument/codeAction",
            textDocument={"uri": uri},
            range={"start": at, "end": at},
            context=context,
        )
        return list(found or ())

    def hover(self, uri: str, line: int, character: int) -> str:
        answer = self.ask(
            "textDocument/hover",
            textDocument={"uri": uri},
            position={"line": line, "character": character},
        )
        return str(answer["contents"]["value"]) if answer is not None else ""

    def leave(self) -> int:
        """Shut the server down; its exit status."""
        self.ask("shutdown")
        self.notify("exit")
        status = self.process.wait(timeout=TIMEOUT)
        self._reader.join(timeout=TIMEOUT)
        assert self.process.stderr is not None
        self.said = self.process.stderr.read()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        return status


def edited(text: str, edits: Sequence[Json], encoding: str = "utf-16") -> str:
    """``text`` as an editor has it after ``edits``."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    starts = [0]
    for line in _split(text):
        starts.append(starts[-1] + len(line))

    def offset(position: Json) -> int:
        line = position["line"]
        if line >= len(lines):
            return len(text)
        size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        name = encoding if size == 1 else f"{encoding}-le"
        before = lines[line].encode(name)[: position["character"] * size]
        return starts[line] + len(before.decode(name))

    pieces, at = [], 0
    spans = [(offset(e["range"]["start"]), offset(e["range"]["end"]), e["newText"]) for e in edits]
    for start, end, new in sorted(spans, key=lambda span: span[:2]):
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def _split(text: str) -> list[str]:
    """Lines with their ends, of which the protocol has three."""
    found, at = [], 0
    while at < len(text):
        ends = [text.find(end, at) for end in ("\r\n", "\n", "\r")]
        first = min((e for e in ends if e >= 0), default=len(text) - 1)
        size = 2 if text.startswith("\r\n", first) else 1
        found.append(text[at : first + size])
        at = first + size
    return found
