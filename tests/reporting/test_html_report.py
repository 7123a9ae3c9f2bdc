"""A run as one page: everything is in it, and nothing in it is markup but ours."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

from devicefix.engine import apply, check
from devicefix.reporting import html
from devicefix.reporting.account import Account
from devicefix.reporting.page.strings import strings_of
from devicefix.settings import Settings

ASSETS: Final = Path(html.__file__).parent / "page" / "assets"
SOURCE: Final = '''import torch


def f(x):
    """A text of several lines,

    {text}
    """
    return x.cuda()
'''
HOSTILE: Final = "</script><!-- <script>alert(1)</script> ]]> \\u2028"


def rendered(tree: Path, command: str = "apply") -> str:
    paths = [tree]
    if command == "check":
        return html.render(Account(check(paths, Settings()), "check"))
    return html.render(Account(apply(paths, Settings(), dry_run=True), "apply", dry_run=True))


def content_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="content">(.*?)</script>', page)
    assert found
    content: dict[str, Any] = json.loads(found[1])
    return content


def test_all_of_a_run_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE.format(text="plain"))
    (tmp_path / "broken.py").write_text("import torch\ndef f(:\n")
    (tmp_path / "lost.py").write_text(SOURCE.format(text="plain").replace("cuda()", "cuda(3)"))
    content = content_of(rendered(tmp_path))
    (group,) = content["groups"]
    assert (group["safe"], group["codes"]) == (True, ["DFX201"])
    (file,) = content["files"]
    assert [group["hunks"], file["path"]] == [[[0, 0]], str(tmp_path / "a.py")]
    changed = [row for row in file["hunks"][0]["rows"] if not isinstance(row[0], int)]
    assert changed[-1][0] == [9, "    return x.cuda()", [13, 19]]
    assert changed[-1][1][1] == "    return x.to(device)"
    assert file["hunks"][0]["open"] == '"""'  # it begins inside a docstring
    assert "device index" in content["left"][0]["reason"]
    assert content["errors"][0]["path"].endswith("broken.py")
    assert content["rules"]["DFX201"]["name"] == "cuda-method"
    assert content["checked"] == 3


def test_lines_that_begin_inside_a_string() -> None:
    text = 'a = """one\ntwo"""\nb = 3  # """\nc = "\\"" + \'\'\'\r\n"""\r\n\'\'\'\nd = 4\n'
    strings = strings_of("a.py", text.encode())
    assert [strings.open_at(None, line) for line in range(1, 8)] == [
        "",
        '"""',
        "",
        "",
        "'''",
        "'''",
        "",
    ]


def test_a_check_has_the_findings_of_each_decision(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE.format(text="plain"))
    content = content_of(rendered(tmp_path, "check"))
    assert [g["findings"][0]["code"] for g in content["groups"]] == ["DFX201"]
    assert content["files"] == []
    assert "apply --dry-run" in content["info"]["without"]


def test_what_files_hold_ends_no_script(tmp_path: Path) -> None:
    (tmp_path / "<!--.py").write_text(SOURCE.format(text=HOSTILE), encoding="utf-8")
    page = rendered(tmp_path)
    ours = ASSETS.joinpath("body.html").read_text()
    assert page.count("<!--") == ours.count("<!--")
    assert page.count("</script>") == 2
    assert "alert(1)" in json.dumps(content_of(page))
    assert "<!--.py" not in page.split("<body>")[0]  # its title


def test_the_browser_may_run_our_script_only_and_load_nothing(tmp_path: Path) -> None:
    page = rendered(tmp_path)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    script = page.rsplit("<script>", 1)[1].split("</script>")[0]
    style = page.split("<style>")[1].split("</style>")[0]
    for kind, text in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]
    assert policy[1].startswith("default-src 'none'; ")
    assert "connect-src" not in policy[1]
    assert re.findall(r"""(?:src|href)=["'](?!#|data:)""", page) == []


def test_no_script_hides_a_name_of_another_one() -> None:
    """They are put into one function, where the last of two with one name would win."""
    names = Counter(
        name
        for file in ASSETS.glob("*.js")
        for name in re.findall(
            r"^(?:async )?(?:function|const|let|class) (\w+)", file.read_text(), re.MULTILINE
        )
    )
    assert len(names) > 100
    assert [name for name, count in names.items() if count > 1] == []
    for file in ASSETS.glob("*.js"):
        text = file.read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", text)
