"""Torch's compiler is imported when it is wanted, and not because of an optimizer."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.observe import programs

run = partial(programs.run, afresh=True)

pytestmark = pytest.mark.slow


def test_an_optimizer_does_not_import_the_compiler_and_who_wants_it_gets_it(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        import sys
        import torch

        layer = torch.nn.Linear(2, 1).cuda()
        optimizer = torch.optim.Adam(layer.parameters())

        def train():
            optimizer.zero_grad()
            layer(torch.ones(3, 2, device="cuda")).sum().backward()
            optimizer.step()

        def alone():  # what the compiler leaves alone, as torch keeps it
            return optimizer.zero_grad.__wrapped__.__dict__["__dynamo_disable"]

        def is_imported():
            return "sympy" in sys.modules

        train()
        print(is_imported(), alone() is optimizer.zero_grad.__wrapped__)
        early = sys.modules["torch._dynamo"]

        from torch._dynamo import eval_frame
        print(is_imported(), eval_frame is sys.modules["torch._dynamo.eval_frame"])
        print(eval_frame.__spec__.name, eval_frame.__loader__ is eval_frame.__spec__.loader)
        late = sys.modules["torch._dynamo"]
        print(torch._dynamo is late, early.config is late.config, early.disable is late.disable)
        early.config.cache_size_limit, early.ours = 3, 5
        print(late.config.cache_size_limit, late.ours, "optimize" in dir(early))

        train()
        print(alone() is optimizer.zero_grad.__wrapped__)
        print(torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2)).tolist())
        torch.compile(train, backend="eager")()
        """,
    )
    assert ran.status == 0, ran.err
    assert ran.out.splitlines() == [
        "False True",
        "True True",
        "torch._dynamo.eval_frame True",
        "True True True",
        "3 5 True",
        "False",
        "[2.0, 2.0]",
    ]
