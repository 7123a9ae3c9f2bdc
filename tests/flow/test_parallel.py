"""Wrappers that bring their inputs to the device themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from devicefix.flow import FileFacts

Facts = Callable[[str], FileFacts]
Moves = Callable[[str], list[str]]

TARGET: Final = "FACTORY torch.zeros(8, 1) => device"


def program(wrapper: str, call: str = "model(x)") -> str:
    return f"""
        model = {wrapper}
        x = torch.randn(8, 3)
        loss = F.mse_loss({call}, torch.zeros(8, 1))
        """


@pytest.mark.parametrize(
    "wrapper",
    [
        "nn.DataParallel(model)",
        "nn.DataParallel(model, device_ids=[0])",
        "nn.parallel.DistributedDataParallel(model, device_ids=[0])",
        "nn.parallel.DistributedDataParallel(model, [0])",
    ],
)
def test_what_is_scattered_may_come_from_the_host(beside_model: Moves, wrapper: str) -> None:
    assert beside_model(program(wrapper)) == [TARGET]


@pytest.mark.parametrize("arguments", ["model", "model, device_ids=None", "model, None"])
def test_without_device_ids_nothing_is_scattered(beside_model: Moves, arguments: str) -> None:
    wrapper = f"nn.parallel.DistributedDataParallel({arguments})"
    assert beside_model(program(wrapper)) == ["FACTORY torch.randn(8, 3) => device", TARGET]


def test_the_module_inside_scatters_nothing(beside_model: Moves) -> None:
    moved = beside_model(program("nn.DataParallel(model)", "model.module(x)"))
    assert moved == ["FACTORY torch.randn(8, 3) => device", TARGET]


def test_tensors_in_containers_are_scattered_too(moves: Moves) -> None:
    assert (
        moves(
            """
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(3, 1)
                def forward(self, batch, pair, scale=None):
                    return self.fc(batch["x"] + pair[0]) * scale
            model = nn.DataParallel(Net()).to(device)
            batch = {"x": torch.randn(8, 3)}
            pair = [torch.randn(8, 3), torch.randn(8, 3)]
            print(model(batch, pair, scale=torch.ones(8, 1)))
            """
        )
        == []
    )


def test_wrappers_that_may_hold_each_other_end(facts: Facts) -> None:
    found = facts(
        "class Trainer:\n"
        "    def __init__(self): self.net = torch.nn.Linear(3, 1)\n"
        "    def one(self): self.net = torch.nn.DataParallel(self.net)\n"
        "    def other(self): self.net = torch.nn.parallel.DistributedDataParallel(self.net)\n"
        "    def run(self, x):\n"
        "        self.one()\n"
        "        self.other()\n"
        "        return self.net(x)\n"
        "print(Trainer().run(torch.ones(2, 3)))\n"
    )
    assert found.complete


def test_what_is_wrapped_may_be_any_module_of_the_program(moves: Moves) -> None:
    """Replicas hold no parameters: ``next(self.parameters())`` would find none."""
    program = """
        import sys
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(*[nn.Linear(3, 1)])
            def forward(self, count):
                return self.net(torch.zeros(count, 3))
        def main():
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            print(Net().to(device)(4).sum())
            {}(getattr(sys.modules[__name__], sys.argv[1])())
        """
    assert "next(self.parameters()).device" in str(moves(program.format("print")))
    assert "next(self.parameters()).device" not in str(moves(program.format("nn.DataParallel")))
