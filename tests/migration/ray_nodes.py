"""Nodes of a Ray cluster, all on this machine, each with processes of its own."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devicefix.verification.process_tree import descendants, kill_descendants

_STORE: Final = 100_000_000
_LIMIT: Final = 240.0


@dataclass(frozen=True)
class Node:
    """One ``ray start --block``, which ends with any of its processes."""

    process: subprocess.Popen[bytes]

    def titles(self) -> dict[int, str]:
        """What its processes call themselves: a worker ``ray::`` and what it does."""
        return {pid: _title(pid) for pid in descendants(self.process.pid)}

    @property
    def is_up(self) -> bool:
        """Whether it takes tasks, or soon does."""
        return "ray::RuntimeEnvAgent" in self.titles().values()

    def has_begun(self) -> bool:
        """Whether it is up, or will never be."""
        return self.is_up or self.process.poll() is not None

    def kill(self) -> None:
        """As when somebody pulls the plug."""
        self.process.send_signal(signal.SIGSTOP)  # it cannot be told of the end of others
        kill_descendants(self.process.pid)
        self.process.kill()
        self.process.wait()


class Nodes:
    """A cluster; a context manager. The first node is the head."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # a short path
        self.nodes: list[Node] = []
        self.environment = {
            **os.environ,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        """That whoever uses it needs, too."""

    def __enter__(self) -> Nodes:
        return self

    def __exit__(self, *error: object) -> None:
        for node in self.nodes:
            node.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def address(self) -> str:
        """Of the head."""
        return (self.folder / "ray_current_cluster").read_text(encoding="utf-8").strip()

    def add(self, cpus: int, gpus: int = 0) -> Node:
        """One more, that is up."""
        head = ["--head", "--port=0", "--include-dashboard=false", f"--temp-dir={self.folder}"]
        which = [f"--address={self.address}"] if self.nodes else head
        sizes = [f"--num-cpus={cpus}", f"--num-gpus={gpus}", f"--object-store-memory={_STORE}"]
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block"]
        while True:  # Ray gives a node half a minute, which a busy machine may not have
            process = subprocess.Popen(
                [*command, *which, *sizes, "--disable-usage-stats"],
                env=self.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            node = Node(process)
            until(node.has_begun)
            if node.is_up:
                until((self.folder / "ray_current_cluster").exists)
                self.nodes.append(node)
                return node
            node.kill()

    def working(self, word: str) -> dict[int, str]:
        """The workers that do something that is called so, by their numbers."""
        alive = [node for node in self.nodes if node.process.poll() is None]
        titles = {pid: title for node in alive for pid, title in node.titles().items()}
        return {pid: t for pid, t in titles.items() if t.startswith(f"ray::{word}")}


def until(holds: Callable[[], object]) -> None:
    """Wait for it."""
    deadline = time.monotonic() + _LIMIT
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not in {_LIMIT:g} s")
        time.sleep(0.02)


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    except OSError:
        return ""
