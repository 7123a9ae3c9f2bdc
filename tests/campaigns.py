"""Campaigns to be shown: reports and proofs as `apply` and `verify` write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from devicefix.engine import apply
from devicefix.reporting import json as report_json
from devicefix.reporting.account import Account
from devicefix.reporting.campaign import Campaign, Repository
from devicefix.settings import Settings

SOURCE = """import torch


def f(x):
    return x.cuda()


def g(x):
    return x.cuda(3)
"""
PATCHED = "    return x.to(device)"


def report_of(tree: Path) -> str:
    """What `apply --dry-run --output-format json` says of what lies there."""
    report = apply([tree], Settings(), dry_run=True)
    return report_json.render(Account(report, "apply", dry_run=True))


def evidence(verdict: str, **changed: Any) -> str:
    """A proof as docs/verify.schema.json has it."""
    place = {"file": "/worker/x/src/train.py", "line": 7, "function": "f", "text": "loss.item()"}
    difference = {
        "kind": "loss",
        "what": "the 3rd loss",
        "before": "0.5",
        "after": "0.75",
        "at_before": place,
        "at_after": None,
        "detail": "",
    }
    comparisons = [
        {
            "device": device,
            "verdict": verdict,
            "partial": False,
            "compared": 1234,
            "masked": 2,
            "tolerance": "exact",
            "deviation": None,
            "difference": difference if verdict == "differs" else None,
            "notes": [],
        }
        for device in ("cpu", "sim:cuda")
    ]
    run = {
        "role": "after",
        "device": "sim:cuda",
        "ending": {
            "how": "exited",
            "status": 0,
            "signal": None,
            "seconds": 2.5,
            "megabytes": None,
        },
        "error": None,
        "placement": {
            "work": {"cpu": 1, "sim:cuda": 3},
            "share": 0.75,
            "copies": {"count": 2, "bytes": 4000},
            "modules": [],
            "transfers": [],
            "lines": [],
            "notes": [],
        },
        "stderr": "",
        "notes": [],
    }
    found = {
        "version": 1,
        "command": "verify",
        "entry": ["train.py", "--name", "a b"],
        "verdict": verdict,
        "partial": False,
        "reason": "it is said why",
        "baseline": "cpu",
        "modernised": [],
        "changed": ["src/train.py"],
        "comparisons": comparisons,
        "runs": [run],
        "executed": {},
        "notes": ["a note"],
        "seconds": 3.21,
    }
    return json.dumps(found | changed)


def campaign(*repositories: Repository) -> Campaign:
    return Campaign("autumn", "plan.toml", repositories, True, 1_795_300_000.0, 1_795_303_600.0)
