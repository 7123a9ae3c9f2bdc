from __future__ import annotations

from devicefix.engine.origins import Origins
from devicefix.findings import Edit, Span
from devicefix.source import Source


def test_leads_back_through_all_rounds() -> None:
    first = "abc def ghi"
    origins = Origins().after([Edit(4, 7, 0, "LONGER"), Edit(0, 0, 0, ">>")])
    second = ">>abc LONGER ghi"
    assert origins.original(second.index("c")) == first.index("c")
    assert origins.original(second.index("LONGER")) == first.index("def")
    assert origins.original(second.index("GER")) == first.index("def")
    assert origins.original(second.index("ghi")) == first.index("ghi")
    assert origins.original(0) == 0
    origins = origins.after([Edit(2, 6, 0, "")])
    third = ">>LONGER ghi"
    assert origins.original(third.index("ghi")) == first.index("ghi")
    assert origins.original(third.index("LONGER")) == first.index("def")
    assert origins.original(len(third)) == len(first)


def test_insertions_of_one_rank_are_where_the_text_has_them() -> None:
    first, second = Edit(1, 1, 0, "zz"), Edit(1, 1, 0, "a")
    assert Source.from_text("xy").apply([first, second]) == "xzzay"
    origins = Origins().after([first, second])
    assert [origins.last(edit, 0) for edit in (first, second)] == [Span(1, 3), Span(3, 4)]
