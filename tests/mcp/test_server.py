"""``devicefix mcp`` as an agent has it: the SDK's client over stdio, one server for all tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.types import TextContent, Tool

NET = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
x = torch.ones(4, 3)
y = net(x)
print("sum", y.detach().numpy().sum())
"""
CLEAN = (
    NET.replace("(4, 3)", "(4, 3, device=device)")
    .replace("ones", "full")
    .replace("(4, 3,", "((4, 3), 2.0,")
    .replace(".detach().numpy()", "")
)
OPEN = """\
import torch


def f(a, b):
    c = b.t() + 1
    return a, c
"""


class Agent:
    """Calls tools of the server."""

    def __init__(self, folder: Path, ask: Callable[[str, dict[str, Any]], Any]) -> None:
        self.folder = folder
        self._ask = ask
        self.tools: dict[str, Tool] = {}

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer."""
        result = self._ask(tool, arguments)
        assert not result.is_error, result.content
        answer: dict[str, Any] = result.structured_content
        return answer

    def refused(self, tool: str, **arguments: Any) -> str:
        """Why there is none."""
        result = self._ask(tool, arguments)
        assert result.is_error
        (content,) = result.content
        assert isinstance(content, TextContent)
        return content.text


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory, state: Path) -> Iterator[Agent]:
    folder = tmp_path_factory.mktemp("agent") / "root"
    folder.mkdir()
    for name, text in {"net.py": NET, "clean.py": CLEAN, "open.py": OPEN}.items():
        (folder / name).write_text(text)
    (folder.parent / "outside.py").write_text(NET)
    (folder / "link.py").symlink_to(folder.parent / "outside.py")
    (folder / "click.py").write_text("raise ImportError('a module of the program')\n")
    kept = {"DEVICEFIX_CACHE_DIR": str(folder.parent / "cache"), "DEVICEFIX_STATE_DIR": str(state)}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "devicefix", "mcp", "--root", str(folder)],
        env={**os.environ, **kept},
        cwd=folder.parent,
    )
    with start_blocking_portal() as portal:
        client = Client(server)
        with portal.wrap_async_context_manager(client):
            agent = Agent(folder, lambda *call: portal.call(client.call_tool, *call))
            agent.tools = {tool.name: tool for tool in portal.call(client.list_tools).tools}
            yield agent


def test_what_executes_and_what_writes_says_so(agent: Agent) -> None:
    assert list(agent.tools) == ["where", "check", "apply", "run", "verify"]
    hints = {name: tool.annotations for name, tool in agent.tools.items()}
    reads = {name for name, hint in hints.items() if hint and hint.read_only_hint}
    assert reads == {"where", "check"}
    assert all(hint and hint.destructive_hint for n, hint in hints.items() if n not in reads)
    executes = {n for n, tool in agent.tools.items() if "EXECUTE" in (tool.description or "")}
    assert executes == {"run", "verify"}


def test_where_says_place_evidence_and_basis(agent: Agent) -> None:
    found = agent("where", file="net.py", line=7, column=9)
    (x,) = found["values"]
    assert (x["text"], x["kind"], x["dtype"]) == ("x", "tensor", "float32")
    assert (x["now"], x["after_fix"], x["basis"]) == ("CPU", "device", "inferred")
    assert "net.py:6 created here (CPU)" in x["evidence"]
    (sums,) = agent("where", file="open.py", line=6, column=15)["values"]
    assert (sums["now"], sums["basis"]) == ("device", "assumed")
    assert "no line 99" in agent.refused("where", file="net.py", line=99)


def test_check_counts_first_and_pages(agent: Agent) -> None:
    first = agent("check", paths=["net.py", "open.py"], limit=1)
    assert next(iter(first)) == "counts"
    counts = first["counts"]
    assert counts["files_checked"] == 2
    assert counts["findings"] == sum(counts["by_rule"].values()) > 1
    assert len(first["findings"]) == 1
    second = agent("check", paths=["net.py", "open.py"], limit=1, cursor=first["next"])
    assert second["findings"] != first["findings"]
    other = agent.refused("check", paths=["net.py"], rules=["DFX1"], cursor=first["next"])
    assert "start without one" in other or "no cursor" in other
    assert agent("check", paths=["net.py"], rules=["DFX606"])["counts"]["findings"] == 0
    assert "DFX9" in agent.refused("check", rules=["DFX9"])


@pytest.mark.parametrize("path", ["../outside.py", "link.py", "/etc/hostname"])
@pytest.mark.parametrize("tool", ["check", "apply", "run"])
def test_what_is_outside_of_the_root_is_refused(agent: Agent, tool: str, path: str) -> None:
    named = {"entry": path} if tool == "run" else {"paths": [path]}
    said = agent.refused(tool, **named)
    assert f"{path} is outside {agent.folder}" in said
    assert "--root" in said


def test_bad_arguments_are_refused_and_say_what_to_do(agent: Agent) -> None:
    assert "does not exist; paths are relative to" in agent.refused("check", paths=["no.py"])
    assert "name a file" in agent.refused("where", file=".", line=1)
    assert "not the name of a module" in agent.refused("run", entry="a; b", module=True)
    assert "greater than or equal to 1" in agent.refused("where", file="net.py", line=0)
    assert "sim:" in agent.refused("run", entry="net.py", device="cuda")
    assert "without `groups`" in agent.refused("apply", paths=["net.py"], groups=["nothing"])
    assert "else name `before`" in agent.refused("verify", entry="net.py")


@pytest.mark.slow
def test_run_gives_the_fault_or_the_share(agent: Agent) -> None:
    failed = agent("run", entry="net.py")
    fault = failed["fault"]
    assert (fault["placement"], fault["op"]) == (True, "aten::addmm")
    made = {operand["name"]: operand["created"] for operand in fault["operands"]}
    assert made["x"] == "net.py:6 (<module>): x = torch.ones(4, 3)"
    assert fault["at"].startswith("net.py:7")
    assert failed["fix"]["codes"] == ["DFX103"]
    assert "call `apply`" in failed["next_step"]
    clean = agent("run", entry="clean.py")
    assert (clean["ended"]["status"], clean["fault"]) == (0, None)
    assert clean["share_on_device"] == 1.0
    assert "sum" in clean["output_end"]


@pytest.mark.slow
def test_apply_shows_then_writes_and_verify_compares(agent: Agent) -> None:
    """Last: it changes the file."""
    shown = agent("apply", paths=["net.py"])
    assert (shown["written"], shown["counts"]["files"]) == (False, 1)
    assert "+x = torch.ones(4, 3, device=device)\n" in shown["diff"]
    (group,) = shown["groups"]
    assert group["safety"] == "safe"
    assert agent("apply", paths=["net.py"], groups=[])["diff"] == ""
    assert (agent.folder / "net.py").read_text() == NET
    written = agent("apply", paths=["net.py"], groups=[group["id"]], write=True)
    assert written["written"]
    assert "devicefix undo" in written["next_step"]
    assert "torch.ones(4, 3, device=device)" in (agent.folder / "net.py").read_text()
    verified = agent("verify", entry="net.py")
    assert verified["verdict"] == "pass"
    assert [one["device"] for one in verified["comparisons"]] == ["cpu", "sim:cuda"]
    assert all(one["difference"] is None for one in verified["comparisons"])


WITHOUT = """
import importlib.util, sys
from devicefix.cli import main
known = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "mcp" else known(name, *more)
status = main(["mcp"])
heavy = {"mcp", "torch", "libcst", "codemods"} & set(sys.modules)
sys.exit(f"loaded {heavy}" if heavy else status)
"""


def test_without_the_sdk_one_sentence_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: the server needs the MCP SDK: pip install 'devicefix[mcp]'\n"
