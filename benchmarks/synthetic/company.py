"""Synthetic repositories on a server, and a plan for them: each campaign finds them as new."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.synthetic import bare
from benchmarks.synthetic.shapes import Synthetic
from tests.github_api.repository import Pull
from tests.github_api.server import GitHubServer, running

TOKEN: Final = "ghs_benchmark"
_CAMPAIGN: Final = """\
[campaign]
name = "any-device"
workspace = "state"
title = "Run {name} on any device"
message = "Port {name} of {base}"
author = "Porter <porter@example.org>"
sign-off = true
body-before = "Of {name}, for {base}."
pause = 0
pull-requests-per-hour = 100000
retry-after = 0.2
"""


@dataclass(frozen=True, slots=True)
class Site:
    """A server with the repositories, and the plan of one campaign."""

    folder: Path
    server: GitHubServer
    made: Sequence[Synthetic]

    @property
    def plan(self) -> Path:
        """Its file."""
        return self.folder / "plan.toml"

    def write_plan(self, said: str = "") -> None:
        """``said``: other lines for ``[campaign]``."""
        text = f'{_CAMPAIGN}github-api = "{self.server.api}"\n{said}\n'
        for one in self.made:
            text += f'[[repositories]]\nurl = "{self.server.address}/{one.name}.git"\n'
            text += "".join(f"{key} = {json.dumps(value)}\n" for key, value in one.said.items())
        self.plan.write_text(text, encoding="utf-8")

    def command(self, *arguments: str) -> list[str]:
        """``devicefix migrate``, as a user calls it."""
        return [sys.executable, "-m", "devicefix", "migrate", *arguments, str(self.plan)]

    def environment(self) -> dict[str, str]:
        """With a folder for temporary files that is looked at afterwards."""
        own = {name: self.folder / name for name in ("tmp", "home")}
        for folder in own.values():
            folder.mkdir(exist_ok=True)
        return {
            **os.environ,
            "GITHUB_TOKEN": TOKEN,
            "GIT_CONFIG_GLOBAL": os.environ.get("CAMPAIGN_GIT_CONFIG", os.devnull),
            "TMPDIR": str(own["tmp"]),
            "DEVICEFIX_STATE_DIR": str(own["home"]),
            "OMP_NUM_THREADS": "1",
        }

    @property
    def words(self) -> Path:
        """What it says on stderr."""
        return self.folder / "stderr.txt"

    def check_words(self) -> None:
        """Raises `RuntimeError` for what no user should see."""
        said = self.words.read_text(encoding="utf-8", errors="replace")
        if "Traceback" in said or "Error:" in said:
            raise RuntimeError(said[-2000:])

    def report(self, page: Path) -> None:
        """The page of what there is."""
        command = [*self.command("report"), "-o", str(page.absolute())]
        subprocess.run(command, env=self.environment(), check=True)

    def run(self, *options: str) -> None:
        """The whole campaign."""
        command = [*self.command("start"), "--open-prs", *options]
        with self.words.open("ab") as words:
            subprocess.run(
                command,
                env=self.environment(),
                stdout=subprocess.DEVNULL,
                stderr=words,
                check=False,
            )
        self.check_words()


class Company:
    """Repositories as they were before any campaign that is measured."""

    def __init__(self, folder: Path, made: Sequence[Synthetic]) -> None:
        self._folder = folder
        self._made = made
        self._pulls: dict[str, list[Pull]] = {}
        for one in made:
            if one.is_there:
                self._make(one)
        earlier = [one for one in made if one.before]
        if earlier:
            self._live(earlier)

    def _bare(self, one: Synthetic) -> Path:
        return self._folder / "made" / f"{one.name}.git"

    def _make(self, one: Synthetic) -> None:
        folder = self._bare(one)
        folder.parent.mkdir(parents=True, exist_ok=True)
        bare.make(folder, one.head)
        if one.files:
            bare.commit(folder, one.branch, one.files, "All of it")

    def _live(self, made: Sequence[Synthetic]) -> None:
        """An earlier campaign, and what people have done since."""
        from benchmarks.synthetic.earlier import lived

        with self._server("earlier", made) as site:
            site.write_plan()
            site.run()
            for one in made:
                lived(one, site.server.repositories[one.name])
                self._pulls[one.name] = site.server.repositories[one.name].pulls
                shutil.rmtree(self._bare(one))
                shutil.move(site.server.repositories[one.name].folder, self._bare(one))

    @contextmanager
    def site(self, name: str, said: str = "") -> Iterator[Site]:
        """As if no campaign had been; gone afterwards."""
        with self._server(name, self._made) as site:
            for one in self._made:
                if one.is_there:
                    bare.listen(site.server.repositories[one.name].folder, one.hook)
            site.write_plan(said)
            yield site

    @contextmanager
    def _server(self, name: str, made: Sequence[Synthetic]) -> Iterator[Site]:
        folder = self._folder / name
        folder.mkdir()
        with running(folder / "server", TOKEN) as server:
            for one in made:
                if one.is_there:
                    repository = server.add(one.name, self._bare(one))
                    repository.pulls += copy.deepcopy(self._pulls.get(one.name, []))
            yield Site(folder, server, made)
            if server.complaints:
                raise RuntimeError(f"not GitHub's API: {server.complaints[:3]}")
        shutil.rmtree(folder)
