"""A git repository of a test's own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
_SOMEBODY = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false")


def git(folder: Path, *arguments: str) -> str:
    """What git prints."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(folder), *_SOMEBODY, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, env=environment)
    return done.stdout.decode()


def commit_all(folder: Path) -> str:
    """The name of a commit of all that is in ``folder``, which becomes a repository."""
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")
    return git(folder, "rev-parse", "HEAD").strip()
