"""What stops a whole run; what stops one file only is in `report`."""

from __future__ import annotations


class EngineError(Exception):
    """A run cannot go on; the message is for the user."""


class RegistryError(EngineError):
    """The codemods cannot be loaded; says which package or code is at fault."""


class UnknownRuleError(EngineError):
    """A selector that names no rule; the message holds the nearest ones."""


class PlaceError(EngineError):
    """There is nothing to explain at the place that was asked for; the message says why."""


class JournalError(EngineError):
    """The journal cannot be written or read, or holds nothing that fits."""


class GitError(EngineError):
    """git cannot say what it was asked; the message holds its own words."""


class UncommittedError(EngineError):
    """Files that were to be rewritten have changes that git does not have; names them."""


class EvidenceFileError(EngineError):
    """What runs have recorded cannot be read; names the file."""


class BaselineError(EngineError):
    """A baseline cannot be read or written; names the file."""
