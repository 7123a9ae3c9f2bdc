"""Files that are only read may lie anywhere."""

from __future__ import annotations

from pathlib import Path

from devicefix.flow.files import is_test


def test_a_file_outside_of_the_program_is_judged_by_its_name(tmp_path: Path) -> None:
    root = tmp_path / "tests" / "program"
    assert not is_test(str(tmp_path / "tests" / "library.py"), root)
    assert is_test(str(tmp_path / "library" / "test_it.py"), root)
    assert is_test(str(root / "tests" / "it.py"), root)
