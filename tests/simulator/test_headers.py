"""Virtual functions are counted as the compiler lays them out."""

from __future__ import annotations

from pathlib import Path

import pytest

from devicefix.simulator import Refused
from devicefix.simulator.headers import base_classes, virtual_functions

HEADER = """
// virtual void in_a_comment() {}
/* virtual void in_another() {} */
struct C10_API Other { virtual void elsewhere() {} };
struct TORCH_API Guard final : public Base<int>, Second {
  Guard() = default;
  virtual DeviceType type() const = 0;
  virtual Device exchangeDevice(Device d) const = 0;  // note
  virtual void record(
      void** event,
      const Stream& stream) const {
    if (stream) { virtual_looking(); }
  }
  [[noreturn]] virtual void fail(C10_UNUSED_ARGUMENT(int x)) const;
  virtual C10_NODISCARD(true) int checked(int x) = 0;
  virtual int checked(long x) = 0;
  void plain() {}
  int index() const override { return 0; }
  virtual int twice() const override { return 0; }
  virtual ~Guard() = default;
};
"""


@pytest.fixture
def header(tmp_path: Path) -> Path:
    path = tmp_path / "Guard.h"
    path.write_text(HEADER)
    return path


def test_each_virtual_function_has_a_slot_and_a_destructor_two(header: Path) -> None:
    assert virtual_functions(header, "Guard") == [
        "type",
        "exchangeDevice",
        "record",
        "fail",
        "checked",
        "checked",
        "~Guard",
        "~Guard",
    ]


def test_other_classes_of_the_header_are_told_apart(header: Path) -> None:
    assert virtual_functions(header, "Other") == ["elsewhere"]


def test_bases_are_what_follows_the_colon(header: Path) -> None:
    assert "Base<int>" in base_classes(header, "Guard")
    assert not base_classes(header, "Other")


def test_a_missing_class_is_refused(header: Path) -> None:
    with pytest.raises(Refused, match=r"Guard\.h does not define Gone"):
        virtual_functions(header, "Gone")


def test_a_missing_header_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"no readable header Gone\.h"):
        virtual_functions(tmp_path / "Gone.h", "Gone")


def test_a_declaration_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "Odd.h"
    path.write_text("struct Odd { virtual operator_of_a_new_kind; };")
    with pytest.raises(Refused, match="cannot read the declaration"):
        virtual_functions(path, "Odd")
