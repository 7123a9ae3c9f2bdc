"""Who gets an answer from the server, and who gets none."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from devicefix.review.serving import PortError, Wishes, serve
from tests.review.conftest import Served, Server, serving

CUDA = "import torch\n\n\ndef f(x):\n    return x.cuda()\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """For all tests that change nothing."""
    folder = tmp_path_factory.mktemp("tree")
    (folder / "a.py").write_text(CUDA)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(folder)
        monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        with serving(folder, monkeypatch) as server:
            yield server()


@pytest.fixture
def own(tree: Path, review: Server) -> Served:
    """For one that writes."""
    (tree / "a.py").write_text(CUDA)
    return review()


def test_its_own_page_gets_what_is_proposed(served: Served) -> None:
    status, headers, text = served.ask("GET", "/api/content")
    content = json.loads(text)
    assert status == 200
    assert [group["verdict"] for group in content["groups"]] == ["pending"]
    assert headers["cache-control"] == "no-store"


OTHERS: Final[tuple[dict[str, str | None], ...]] = (
    {"authorization": None},
    {"authorization": ""},
    {"authorization": "Bearer "},
    {"authorization": "Bearer \xe9"},
    {"host": "evil.example"},
    {"host": "evil.example:80"},
    {"host": "127.0.0.1"},
    {"host": ""},
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": "http://127.0.0.1:1"},
    {"sec_fetch_site": "cross-site"},
    {"sec_fetch_site": "same-site"},
)


def test_others_are_refused(served: Served) -> None:
    name = f"evil.example:{served.port}"  # which its owner has bound to 127.0.0.1
    rebound: dict[str, str | None] = {"host": name, "origin": f"http://{name}"}
    for changed in (*OTHERS, rebound):
        answers = [
            served.ask("GET", "/api/content", **changed),
            served.ask("POST", "/api/decide", {"answers": []}, **changed),
            served.ask("OPTIONS", "/api/decide", **changed),
        ]
        assert {status for status, _, _ in answers} == {403}, changed
        for _, headers, text in answers:
            assert "a.py" not in text
            assert not [name for name in headers if name.startswith("access-control")]


def test_a_post_without_an_origin_is_refused(served: Served) -> None:
    """Browsers send one with each; the token alone is not enough to change anything."""
    assert served.ask("POST", "/api/quit", {}, origin=None)[0] == 403
    assert served.thread.is_alive()


def test_the_page_itself_holds_no_secret_and_may_load_nothing(served: Served) -> None:
    status, headers, text = served.ask("GET", "/", authorization=None, origin=None)
    assert status == 200
    assert served.token not in text
    assert "<title>devicefix review</title>" in text  # not even what is reviewed
    assert "a.py" not in text
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")


def test_no_file_is_given_out(served: Served) -> None:
    for path in ("/../../etc/passwd", "/%2e%2e/a.py", "//etc/passwd", "/a.py", "/api/../a.py"):
        status, _, text = served.ask("GET", path)
        assert status == 404, path
        assert "root:" not in text
        assert "torch" not in text


def test_what_is_not_understood_changes_nothing(served: Served) -> None:
    bad = ("", "[]", "{", '{"answers": 1}', '{"answers": [["x"]]}', '{"answers": [["x", "maybe"]]}')
    for body in (*bad, "[" * 100_000, '{"answers": ' + "[" * 100_000):
        status, _, text = served.ask("POST", "/api/decide", body)
        assert status == 400, body[:40]
        assert "not understood" in text
    assert "too long" in served.ask("POST", "/api/decide", '"' + "x" * 9_000_000 + '"')[2]
    assert served.ask("GET", "/api/content")[0] == 200


def test_a_fix_that_is_not_there_is_counted(served: Served) -> None:
    body = {"answers": [["0" * 12, "accepted"]]}
    assert json.loads(served.ask("POST", "/api/decide", body)[2])["unknown"] == 1


def test_only_what_was_shown_is_written(own: Served, tree: Path) -> None:
    """A key that is not of the last look at what would be written."""
    assert own.ask("POST", "/api/preview", {})[0] == 409  # nothing is accepted
    group = json.loads(own.ask("GET", "/api/content")[2])["groups"][0]["id"]
    own.ask("POST", "/api/decide", {"answers": [[group, "accepted"]]})
    status, _, text = own.ask("POST", "/api/write", {"key": "0" * 32})
    assert status == 409
    assert "no longer the ones that were shown" in text
    assert (tree / "a.py").read_text() == CUDA
    key = json.loads(own.ask("POST", "/api/preview", {})[2])["key"]
    assert own.ask("POST", "/api/write", {"key": key})[0] == 200
    assert (tree / "a.py").read_text() != CUDA
    assert own.ask("POST", "/api/write", {"key": key})[0] == 409


def test_where_accepted_fixes_need_others_it_says_so(tree: Path, review: Server) -> None:
    """`.cuda()` in a file of Python 2: without the conversion there is nothing to write."""
    (tree / "old.py").write_text('import torch\nx = torch.zeros(2).cuda()\nprint "x", x\n')
    served = review()
    assert served.ask("POST", "/api/preview", {})[2].count("nothing is accepted") == 1
    groups = json.loads(served.ask("GET", "/api/content")[2])["groups"]
    (later,) = (group["id"] for group in groups if group["codes"] == ["DFX201"])
    served.ask("POST", "/api/decide", {"answers": [[later, "accepted"]]})
    status, _, text = served.ask("POST", "/api/preview", {})
    assert (status, "depend on fixes that are not accepted" in text) == (409, True)


def test_it_is_reached_by_no_other_address(served: Served) -> None:
    with socket.socket() as other, pytest.raises(ConnectionRefusedError):
        other.connect(("127.0.0.2", served.port))


def test_a_port_that_is_taken(served: Served) -> None:
    with pytest.raises(PortError, match=f"port {served.port} of 127.0.0.1: address already in use"):
        serve(served.model, None, Wishes(served.port, browser=False), print)


def test_links_that_lead_out_of_the_tree_are_not_reviewed(
    tree: Path, tmp_path: Path, review: Server
) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(CUDA)
    (tree / "link.py").symlink_to(outside)
    (tree / "folder").symlink_to(tmp_path)
    served = review()
    content = json.loads(served.ask("GET", "/api/content")[2])
    assert content["groups"] == content["files"] == []


def test_a_file_that_became_a_link_out_of_the_tree_is_not_followed(
    own: Served, tree: Path, tmp_path: Path
) -> None:
    group = json.loads(own.ask("GET", "/api/content")[2])["groups"][0]["id"]
    own.ask("POST", "/api/decide", {"answers": [[group, "accepted"]]})
    key = json.loads(own.ask("POST", "/api/preview", {})[2])["key"]
    outside = tmp_path / "outside.py"
    outside.write_text("secret = 1\n")
    (tree / "a.py").unlink()
    (tree / "a.py").symlink_to(outside)
    written = json.loads(own.ask("POST", "/api/write", {"key": key})[2])["written"]
    assert written["files"] == []
    assert "a.py" in written["errors"][0]
    assert outside.read_text() == "secret = 1\n"
