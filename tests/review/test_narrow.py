"""The page in a narrow window."""

from __future__ import annotations

from pathlib import Path

from tests.review.conftest import Look, Server


def test_verdicts_are_named_in_full(tree: Path, review: Server, look: Look) -> None:
    (tree / "a.py").write_text("import torch\n\n\ndef f(x):\n    return x.cuda()\n")
    page = look(review().address, width=1040)
    names = page.locator(".segments .name")
    assert names.count() > 3
    cut = "names => names.filter((n) => n.scrollWidth > n.clientWidth).map((n) => n.innerText)"
    assert names.evaluate_all(cut) == []
