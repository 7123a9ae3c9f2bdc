"""What the first stage of a campaign costs for real repositories, one after the other.

    python benchmarks/public_repositories.py FOLDER... [--output FILE]

Each FOLDER is a git repository, bare or not, of which a shallow clone is made and rewritten as
`devicefix migrate` does it; nothing of it is executed or changed. Processor seconds are those of
the process and its children: they depend little on what else the machine does, and wall seconds
much. `benchmarks/public_repositories.json` is what `docs/migrate-scale.md` is made from.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import resource
import sys
import time
import zlib
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from devicefix.migration.orders import Options, Order, Result
from devicefix.migration.rewriting import rewrite

OUTPUT: Final = Path(__file__).with_suffix(".json")
_KILO: Final = 1024


def kept(result: Result) -> int:
    """The bytes that the campaign's state has of it, compressed."""
    texts = [f.before for f in result.files] + [f.after for f in result.files]
    said = "\n".join((result.report, result.body, result.reason)).encode("utf-8", "replace")
    return sum(len(zlib.compress(text)) for text in [*texts, said])


def work(folder: str, out: Connection) -> None:
    """One repository, in a process of its own."""
    result = rewrite(Order(folder, "", "", (), Options()))
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    summary = json.loads(result.report)["summary"] if result.report else {}
    out.send(
        {
            "commit": result.commit,
            "ending": result.ending.value,
            "reason": result.reason,
            "cpu": round(sum(one.ru_utime + one.ru_stime for one in used), 2),
            "wall": round(result.seconds, 2),
            "memory": max(one.ru_maxrss for one in used) * _KILO,
            "clone": result.size,
            "kept": kept(result),
            "looked": summary.get("files_checked", 0),
            "changed": len(result.files),
            "fixed": summary.get("fixed", 0),
            "left": summary.get("left", 0),
        }
    )


def measured(folder: Path) -> dict[str, Any]:
    """What one repository took."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(str(folder.resolve()), there))
    process.start()
    there.close()
    try:
        found: dict[str, Any] = here.recv()
    except EOFError:
        found = {"ending": "failed", "reason": "its process ended"}
    process.join()
    return {"name": folder.name, **found}


def main() -> int:
    """Measure, and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    asked = parser.parse_args()
    rows = []
    for folder in asked.folders:
        rows.append(measured(folder))
        print(rows[-1], file=sys.stderr, flush=True)
    content = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "python": platform.python_version(),
        "repositories": rows,
    }
    asked.output.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
