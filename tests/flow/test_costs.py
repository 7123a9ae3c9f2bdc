"""Small programs: which transfers are chosen, and what all of them cost."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

from devicefix.flow import costs
from devicefix.flow.placement import decide
from devicefix.flow.program import evaluate_program
from devicefix.source import ModuleIndex, Program, Source

ROOT: Final = Path(__file__).resolve().parent.parent.parent
MODEL: Final = """\
import torch
from torch.utils.data import DataLoader, TensorDataset
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)
"""


def chosen(program: Program) -> tuple[float, list[str]]:
    """What the cut costs, and the edits that it pays for."""
    analysis, complete = evaluate_program(program)
    assert complete
    decision = decide(analysis)
    edits = [
        f"{site.kind.name} {site.name or ast.unparse(site.tree)}" for site, _ in decision.chosen
    ]
    return decision.solution.cost, sorted(edits)


def alone(text: str) -> Program:
    return Program.alone(Source.from_text(text))


@pytest.mark.parametrize(
    ("text", "cost", "edits"),
    [
        pytest.param(
            f"{MODEL}x = torch.zeros(8, 3)\nprint(x.numpy())\nprint(model(x))\n",
            costs.USE_COST,
            ["USE x"],
            id="host-data-with-a-second-reader",
        ),
        pytest.param(
            f"{MODEL}x = torch.zeros(8, 3)\nprint(model(x), model(x))\n",
            costs.CREATE_COST,
            ["CREATE torch.zeros(8, 3)"],
            id="two-uses",
        ),
        pytest.param(
            f"""{MODEL}
for x, y in DataLoader(TensorDataset(torch.zeros(8, 3), torch.zeros(8))):
    for i in range(3):
        model(x)
""",
            costs.BIND_COST,
            ["REBIND x"],
            id="a-batch-used-in-an-inner-loop",
        ),
        pytest.param(
            f"""{MODEL}
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)

    def forward(self, x):
        return self.fc(x * torch.ones(3))

print(Net().to(device)(torch.zeros(4, 3)))
""",
            2 * costs.CREATE_COST,
            ["CREATE torch.ones(3)", "CREATE torch.zeros(4, 3)"],
            id="a-mask-made-in-forward",
        ),
    ],
)
def test_the_cheapest_edits(text: str, cost: float, edits: list[str]) -> None:
    assert chosen(alone(text)) == (pytest.approx(cost), edits)


def test_the_program_of_three_files() -> None:
    folder = ROOT / "examples" / "tagger"
    sources = {str(path): Source.read(path) for path in sorted(folder.glob("*.py"))}
    program = Program(sources, ModuleIndex(sources), lambda _: None)
    cost, edits = chosen(program)
    assert cost == pytest.approx(7.7)
    assert edits == [
        "BUFFER scale",
        "CREATE torch.ones(length, length)",
        "CREATE torch.tensor([1.0, 1.5])",
        "MODULE Tagger(50, 2)",
        "REBIND tags",
        "REBIND words",
        "USE scores[0].argmax(dim=1)",
    ]


def test_what_a_transfer_is_called_on_is_evaluated_once() -> None:
    chain = "torch.zeros(1)" + ".cuda()" * 40
    source = Source.from_text(f"import torch\nx = {chain}\n")
    analysis, complete = evaluate_program(Program.alone(source))
    assert complete
    assert analysis.steps < 500
