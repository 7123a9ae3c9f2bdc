"""What each format makes of one and the same run.

DEVICEFIX_SNAPSHOTS=write pytest tests/reporting/test_snapshots.py writes them anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from devicefix.engine import Report, check
from devicefix.reporting.account import Account
from devicefix.reporting.formats import FORMATS, render
from devicefix.settings import Settings

SNAPSHOTS: Final = Path(__file__).resolve().parent / "snapshots"
FILES: Final = {
    "broken.py": "import torch\nx = (\n",
    "train.py": "import torch\nmodel = torch.nn.Linear(2, 2).cuda()\nname = '😀'; "
    "x = torch.ones(3, 2).cuda()\nprint(name, model(x))\n",
    "unsafe.py": "import torch, mystery\n"
    "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
    "model = torch.nn.Linear(2, 2).to(device)\n"
    "x = torch.ones(3, 2)\n"
    "mystery.show(x)\n"
    "print(model(x))\n",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    here, root = Path.cwd(), tmp_path_factory.mktemp("project")
    for name, text in FILES.items():
        (root / name).write_bytes(text.encode())
    os.chdir(root)
    try:
        return replace(check([Path()], Settings()), seconds=0.25)
    finally:
        os.chdir(here)


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "html"])
def test_a_run_looks_like_this(
    report: Report, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text.encode())
    monkeypatch.chdir(tmp_path)
    shown = render(Account(report, "check"), form)
    if form == "sarif":
        shown = _without_what_others_say(json.loads(shown))
    file = SNAPSHOTS / f"check.{form}"
    if os.environ.get("DEVICEFIX_SNAPSHOTS") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(shown.encode())
    assert shown == file.read_bytes().decode()


def _without_what_others_say(log: dict[str, Any]) -> str:
    """A log without our version, and without the pages of the rules."""
    driver = log["runs"][0]["tool"]["driver"]
    driver["version"] = driver["semanticVersion"] = "1.0"
    for rule in driver["rules"]:
        assert rule["help"]["text"] == rule["help"].pop("markdown")
        rule["help"]["text"] = rule["help"]["text"].split("\n")[0]
        rule["fullDescription"] = rule["shortDescription"]
        rule.pop("helpUri", None)
    return json.dumps(log, indent=2) + "\n"
