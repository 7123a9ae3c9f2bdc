"""What is sent to a worker of Ray, by value: it may meet another devicefix there, or none."""

from __future__ import annotations

DONE = "done"
UNFIT = "unfit"


def run(version: str, job: bytes) -> tuple[str, object]:
    """`DONE` and what `devicefix.migration.ray_worker.done` gives; or `UNFIT` and why not.

    ``version`` is that of the campaign's devicefix, which alone knows what ``job`` means.
    """
    import socket
    import sys

    place = f"{sys.executable} on {socket.gethostname()}"
    try:
        from devicefix import __version__ as theirs
        from devicefix.migration import ray_worker
    except ImportError as error:
        return UNFIT, f"there is no devicefix for {place} ({error}), and {version} is needed"
    if theirs != version:
        return UNFIT, f"{place} has devicefix {theirs}, and {version} is needed"
    return DONE, ray_worker.done(job)
