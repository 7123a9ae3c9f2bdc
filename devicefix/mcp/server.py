"""The tools as an agent sees them: names, descriptions, arguments, what they may change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from devicefix import __version__
from devicefix.engine import Asked, EngineError
from devicefix.mcp import applying, checking, explaining, programs
from devicefix.mcp.root import RefusedError, Root
from devicefix.settings import SettingsError

_INSTRUCTIONS: Final = """\
devicefix rewrites PyTorch code so that it runs on any device. Usual order: `check` (what is \
wrong), `apply` (the diff, then write=true), `verify` (same results on the CPU and on a simulated \
GPU). If a program fails with a device error, call `run`; to know where a tensor is, call `where` \
instead of guessing. Paths are relative to the root folder. Long lists have `next`: pass it as \
`cursor`."""
_READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES: Final = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
_EXECUTES: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, open_world_hint=True
)
"""A program may do anything."""

Paths = Annotated[
    tuple[str, ...], Field(description="Files and folders; the whole root folder if empty.")
]
Rules = Annotated[
    tuple[str, ...], Field(description="Only these rules: codes, prefixes (DFX1) or names.")
]
Limit = Annotated[int, Field(ge=1, le=200, description="Entries per page.")]
Cursor = Annotated[str | None, Field(description="`next` of the previous answer.")]
Entry = Annotated[str, Field(min_length=1, description="A script or notebook; or a module.")]
Arguments = Annotated[tuple[str, ...], Field(description="Arguments of the program.")]
IsModule = Annotated[bool, Field(description="Whether `entry` is a module, as for `python -m`.")]
Seconds = Annotated[float, Field(gt=0, le=3600, description="Each run is stopped after this time.")]
Line = Annotated[int, Field(ge=1)]
Optional = Annotated[int | None, Field(ge=1)]
Tree = Annotated[str | None, Field(description="A folder with this state of the program.")]
Device = Annotated[
    str,
    Field(
        pattern=r"^sim:[a-z]+(:\d+)?$",
        description="sim:cuda, sim:cuda:N, sim:mps, sim:xpu, sim:npu",
    ),
]


class Analyses:
    """Analyses of source text, in a thread of their own, one at a time."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self._turn = anyio.Lock()

    async def run(self, question: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The answer. Raises `ToolError` for what the agent can do something about."""
        async with self._turn:
            try:
                return await anyio.to_thread.run_sync(question)
            except (RefusedError, EngineError, SettingsError) as error:
                raise ToolError(str(error)) from error


def build(root: Root) -> MCPServer:
    """The server for one folder."""
    server = MCPServer(
        "devicefix", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING"
    )
    analyses = Analyses(root)
    _add_reading(server, analyses)
    _add_apply(server, analyses)
    _add_executing(server, root)
    return server


def _add_reading(server: MCPServer, analyses: Analyses) -> None:
    @server.tool(annotations=_READS)
    async def where(
        file: str,
        line: Line,
        column: Optional = None,
        cell: Optional = None,
        detail: Annotated[bool, Field(description="All of `devicefix explain`.")] = False,
        limit: Limit = 10,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """Show which device the tensors and modules on a line are on. Executes and writes nothing.

        For each expression: kind, dtype, device now and after the fix, the reasons, and `basis`:
        inferred from the source, assumed (a parameter of a function without known callers), or
        unknown. A column (from 1) selects the smallest expression there, a cell one of a notebook.
        """
        asked = Asked(line, column, cell)
        return await analyses.run(
            lambda: explaining.where(analyses.root, file, asked, limit, cursor, detail)
        )

    @server.tool(annotations=_READS)
    async def check(
        paths: Paths = (),
        rules: Rules = (),
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """Find device problems in PyTorch code. Executes and writes nothing.

        Counts come first. `safety`: safe (apply fixes it), unsafe (depends on code that was not
        analysed), display (needs a decision).
        """
        return await analyses.run(
            lambda: checking.found(analyses.root, paths, rules, limit, cursor)
        )


def _add_apply(server: MCPServer, analyses: Analyses) -> None:
    @server.tool(annotations=_WRITES)
    async def apply(
        paths: Paths = (),
        rules: Rules = (),
        groups: Annotated[
            tuple[str, ...] | None, Field(description="Ids of groups. Default: all safe ones.")
        ] = None,
        write: Annotated[bool, Field(description="Write the files.")] = False,
        allow_dirty: Annotated[
            bool, Field(description="Write even if git has uncommitted changes in these files.")
        ] = False,
        diff_lines: Annotated[int, Field(ge=0, le=5000)] = 400,
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """Show the fixes as a unified diff; with write=true, write them. Executes nothing.

        A group is one decision, applied as a whole; unsafe groups are listed, and applied only if
        `groups` names them. `devicefix undo` in the root folder reverts what was written.
        """
        wanted = applying.Wanted(
            paths, rules, groups, write, allow_dirty, diff_lines, limit, cursor
        )
        return await analyses.run(lambda: applying.applied(analyses.root, wanted))


def _add_executing(server: MCPServer, root: Root) -> None:
    @server.tool(annotations=_EXECUTES)
    async def run(
        entry: Entry,
        args: Arguments = (),
        module: IsModule = False,
        device: Device = "sim:cuda",
        timeout: Seconds = 120,
    ) -> dict[str, Any]:
        """EXECUTE a program on a simulated GPU, in the root folder; it may do anything.

        If tensors on two devices are combined: the operator, where each operand was created and
        moved, the frames, and the fix. Otherwise the share of the arithmetic on the device.
        """
        program = programs.Program(entry, args, module, timeout)
        try:
            return await programs.ran(root, program, device)
        except RefusedError as error:
            raise ToolError(str(error)) from error

    @server.tool(annotations=_EXECUTES)
    async def verify(
        entry: Entry,
        args: Arguments = (),
        module: IsModule = False,
        before: Tree = None,
        after: Tree = None,
        device: Device = "sim:cuda",
        timeout: Seconds = 600,
    ) -> dict[str, Any]:
        """EXECUTE a program before and after a change, in copies, and compare the results.

        The default change is the last `apply`. Returns the verdict (pass, partly-moved, differs,
        ...) and the first difference on each device.
        """
        program = programs.Program(entry, args, module, timeout)
        trees = {"before": before, "after": after}
        try:
            return await programs.verified(root, program, trees, device)
        except RefusedError as error:
            raise ToolError(str(error)) from error
