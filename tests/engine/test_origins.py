from __future__ import annotations

from devicefix.engine.origins import Origins
from devicefix.findings import Edit


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
