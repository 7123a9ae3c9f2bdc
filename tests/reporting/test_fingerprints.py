"""The hash of a line that GitHub's upload action would compute.

The values are those of upstream's own test
(https://github.com/github/codeql-action/blob/main/src/fingerprints.test.ts).
"""

from __future__ import annotations

import pytest

from devicefix.reporting.fingerprints import line_hashes

GREETINGS = [
    "e9496ae3ebfced30:1",
    "fb7c023a8b9ccb3f:1",
    "ce8ba1a563dcdaca:1",
    "e20e36e16fcb0cc8:1",
    "b3edc88f2938467e:1",
    "c8e28b0b4002a3a0:1",
    "c129715d7a2bc9a3:1",
]


@pytest.mark.parametrize(
    ("data", "hashes"),
    [
        (b"", ["c129715d7a2bc9a3:1"]),
        (b" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", GREETINGS),
        (b" hello; \t\r\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", GREETINGS),
        (
            b"Lorem ipsum dolor sit amet.\n" * 8,
            [
                *(f"a7f2ff13bc495cf2:{number}" for number in range(1, 5)),
                "a7f2ff1481e87703:1",
                "a9cf91f7bbf1862b:1",
                "55ec222b86bcae53:1",
                "cc97dc7b1d7d8f7b:1",
                "c129715d7a2bc9a3:1",
            ],
        ),
    ],
)
def test_lines_have_the_hashes_that_github_gives_them(data: bytes, hashes: list[str]) -> None:
    assert line_hashes(data) == dict(enumerate(hashes, start=1))


def test_any_bytes_have_hashes() -> None:
    assert len(line_hashes(b"\xef\xbb\xbfx = 1\n\xff\xfe\n\xf0\x9f\x98\x80")) == 3
