"""Many repositories: each is cloned, rewritten, proven and proposed, and none stops the others."""

from __future__ import annotations
