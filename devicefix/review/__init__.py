"""A review in the browser: a page that a server on this machine, and nobody else, gives out."""

from __future__ import annotations
