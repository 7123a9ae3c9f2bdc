"""Loaders: datasets, workers and samplers stay on the host, batches are moved once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from devicefix.flow import FileFacts, Offence

Moves = Callable[[str], list[str]]

PAIRS: Final = "loader = DataLoader(TensorDataset(torch.randn(8, 3), torch.zeros(8, 1)))\n"
SINGLES: Final = "loader = DataLoader(TensorDataset(torch.randn(8, 3)))\n"

LOOPS: Final = [
    pytest.param(
        PAIRS + "for x, y in loader:\n    F.mse_loss(model(x), y)\n",
        ["BATCH x in for x, y in loader: -> device", "BATCH y in for x, y in loader: -> device"],
        id="pair",
    ),
    pytest.param(
        PAIRS + "for x, y in loader:\n    print(model(x), y.numpy())\n",
        ["BATCH x in for x, y in loader: -> device"],
        id="labels that only the host uses stay",
    ),
    pytest.param(
        PAIRS + "for i, (x, y) in enumerate(loader):\n    model(x)\n",
        ["BATCH x in for i, (x, y) in enumerate(loader): -> device"],
        id="enumerate",
    ),
    pytest.param(
        "from tqdm import tqdm\n"
        + PAIRS
        + "for i, (x, y) in enumerate(tqdm(loader, leave=False)):\n    model(x)\n",
        ["BATCH x in for i, (x, y) in enumerate(tqdm(loader, leave=False)): -> device"],
        id="tqdm",
    ),
    pytest.param(
        SINGLES + "for (x,) in loader:\n    model(x)\n",
        ["BATCH x in for x, in loader: -> device"],
        id="tuple of one",
    ),
    pytest.param(
        SINGLES + "for batch in loader:\n    model(batch[0])\n",
        ["OPERAND batch[0] -> device"],
        id="part of a batch",
    ),
    pytest.param(
        PAIRS + "for batch in loader:\n    x, y = batch\n    F.mse_loss(model(x), y)\n",
        ["BATCH x in x, y = batch -> device", "BATCH y in x, y = batch -> device"],
        id="unpacked later",
    ),
    pytest.param(
        PAIRS + "x, y = next(iter(loader))\nmodel(x)\n",
        ["BATCH x in x, y = next(iter(loader)) -> device"],
        id="next(iter())",
    ),
    pytest.param(
        PAIRS + "it = iter(loader)\nfor i in range(3):\n    x, y = next(it)\n    model(x)\n",
        ["BATCH x in x, y = next(it) -> device"],
        id="next(it)",
    ),
    pytest.param(
        PAIRS
        + "for epoch in range(3):\n    for x, y in loader:\n"
        + "        for k in range(4):\n            model(x)\n",
        ["BATCH x in for x, y in loader: -> device"],
        id="once per batch, not in the inner loop",
    ),
    pytest.param(
        PAIRS + "for x, y in loader:\n    x, y = x.to(device), y.to(device)\n    model(x)\n",
        [],
        id="moved already",
    ),
    pytest.param(
        PAIRS + "for x, y in loader:\n    x = x.to(device)\n    F.mse_loss(model(x), y)\n",
        ["BATCH y in for x, y in loader: -> device"],
        id="half moved",
    ),
    pytest.param(
        "def train(loader):\n    for x, y in loader:\n        model(x)\n"
        + PAIRS
        + "train(loader)\n",
        ["BATCH x in for x, y in loader: -> device"],
        id="loader as an argument",
    ),
    pytest.param(
        "data = TensorDataset(torch.randn(8, 3), torch.zeros(8, 1))\nx, y = data[0]\nmodel(x)\n",
        ["DATA x in x, y = data[0] -> device"],
        id="a dataset without loader",
    ),
]


@pytest.mark.parametrize(("program", "expected"), LOOPS)
def test_batches_are_moved_once(beside_model: Moves, program: str, expected: list[str]) -> None:
    assert beside_model(program) == expected


IMPORTED: Final = "from mine import Points\nloader = DataLoader(Points())\n"
MOVED: Final = "    for i in range(len(batch)):\n        batch[i] = batch[i].to(device)\n"
UNSEEN_BATCHES: Final = [
    pytest.param(
        "for x in loader:\n    model(x)\n", ["BATCH x in for x in loader: -> device"], id="whole"
    ),
    pytest.param(
        "for batch in loader:\n    model(batch[0])\n", ["OPERAND batch[0] -> device"], id="position"
    ),
    pytest.param(
        "for batch in loader:\n    x, y = batch\n    model(x)\n",
        ["BATCH x in x, y = batch -> device"],
        id="unpacked",
    ),
    pytest.param(
        "for batch in loader:\n    for x in batch:\n        model(x)\n",
        ["BATCH x in for x in batch: -> device"],
        id="iterated",
    ),
    pytest.param(
        "batch = next(iter(loader))\nmodel(batch[0])\n", ["OPERAND batch[0] -> device"], id="next"
    ),
    pytest.param(
        "def step(batch):\n    return model(batch[0])\nfor batch in loader:\n    step(batch)\n",
        ["OPERAND batch[0] -> device"],
        id="taken apart in a function",
    ),
    pytest.param(
        "def step(x):\n    return model(x)\nfor batch in loader:\n    step(batch)\n",
        ["BATCH batch in for batch in loader: -> device"],
        id="whole in a function",
    ),
    pytest.param(
        "for x, ys in loader:\n    for y in ys:\n        model(x) - y\n",
        ["BATCH x in for x, ys in loader: -> device", "BATCH y in for y in ys: -> device"],
        id="a list in it",
    ),
    pytest.param(
        "for batch in loader:\n" + MOVED + "    [model(x) for x in batch]\n", [], id="moved in turn"
    ),
]


@pytest.mark.parametrize(("program", "expected"), UNSEEN_BATCHES)
def test_a_batch_of_an_unseen_dataset_may_be_a_list(
    beside_model: Moves, program: str, expected: list[str]
) -> None:
    assert beside_model(IMPORTED + program) == expected


def test_a_list_whose_items_a_loop_moves_is_there(beside_model: Moves) -> None:
    program = "class Two(Dataset):\n    def __len__(self):\n        return 4\n"
    program += "    def __getitem__(self, i):\n        return [torch.ones(3), torch.zeros(3)]\n"
    program += "for batch in DataLoader(Two()):\n" + MOVED + "    [model(x) for x in batch]\n"
    assert beside_model(program) == []


DATASETS: Final = [
    pytest.param(
        """
        class Points(Dataset):
            def __len__(self):
                return 10
            def __getitem__(self, i):
                return torch.randn(3) + torch.ones(3)
        for x in DataLoader(Points(), batch_size=2):
            model(x)
        """,
        ["BATCH x in for x in DataLoader(Points(), batch_size=2): -> device"],
        id="factories in __getitem__",
    ),
    pytest.param(
        """
        class Points(Dataset):
            def __init__(self):
                self.x = torch.randn(10, 3)
            def __len__(self):
                return 10
            def __getitem__(self, i):
                return self.x[i]
        for x in DataLoader(Points()):
            model(x)
        """,
        ["BATCH x in for x in DataLoader(Points()): -> device"],
        id="tensors kept in the dataset",
    ),
    pytest.param(
        """
        class Points(Dataset):
            def __len__(self):
                return 10
            def __getitem__(self, i):
                return np.ones(3, dtype=np.float32), i
        for x, y in DataLoader(Points()):
            F.cross_entropy(model(x), y)
        """,
        [
            "BATCH x in for x, y in DataLoader(Points()): -> device",
            "BATCH y in for x, y in DataLoader(Points()): -> device",
        ],
        id="arrays and numbers become tensors",
    ),
    pytest.param(
        """
        class Points(Dataset):
            def __len__(self):
                return 10
            def __getitem__(self, i):
                return {"x": torch.randn(3), "y": torch.zeros(1), "name": "n"}
        for batch in DataLoader(Points()):
            print(batch["name"])
            F.mse_loss(model(batch["x"]), batch["y"])
        """,
        ["OPERAND batch['x'] -> device", "OPERAND batch['y'] -> device"],
        id="dict batches",
    ),
    pytest.param(
        """
        def collate(samples):
            mask = torch.ones(len(samples))
            return torch.stack([s[0] for s in samples]), mask
        data = TensorDataset(torch.randn(8, 3))
        for x, m in DataLoader(data, collate_fn=collate):
            print(model(x).squeeze() * m)
        """,
        [
            "BATCH x in for x, m in DataLoader(data, collate_fn=collate): -> device",
            "BATCH m in for x, m in DataLoader(data, collate_fn=collate): -> device",
        ],
        id="collate_fn",
    ),
    pytest.param(
        """
        from torch.utils.data import random_split
        whole = TensorDataset(torch.randn(8, 3), torch.zeros(8, 1))
        train, test = random_split(whole, [6, 2])
        for x, y in DataLoader(train):
            model(x)
        """,
        ["BATCH x in for x, y in DataLoader(train): -> device"],
        id="random_split",
    ),
    pytest.param(
        """
        from torch.utils.data import ConcatDataset, Subset
        whole = TensorDataset(torch.randn(8, 3), torch.zeros(8, 1))
        both = ConcatDataset([Subset(whole, [1, 2]), whole])
        for x, y in DataLoader(both):
            model(x)
        """,
        ["BATCH x in for x, y in DataLoader(both): -> device"],
        id="Subset and ConcatDataset",
    ),
    pytest.param(
        """
        from torch.utils.data import IterableDataset
        class Numbers(IterableDataset):
            def __iter__(self):
                for i in range(3):
                    yield torch.randn(3)
        for x in DataLoader(Numbers()):
            model(x)
        """,
        ["BATCH x in for x in DataLoader(Numbers()): -> device"],
        id="IterableDataset",
    ),
    pytest.param(
        """
        from torch.utils.data import Sampler
        class Mine(Sampler):
            def __iter__(self):
                return iter(torch.randperm(8))
        data = TensorDataset(torch.randn(8, 3))
        for (x,) in DataLoader(data, sampler=Mine()):
            model(x)
        """,
        ["BATCH x in for x, in DataLoader(data, sampler=Mine()): -> device"],
        id="samplers",
    ),
    pytest.param(
        """
        from torchvision import datasets, transforms
        train = datasets.MNIST("data", transform=transforms.ToTensor())
        for x, y in DataLoader(train):
            F.cross_entropy(model(x.view(-1, 3)), y)
        """,
        [
            "BATCH x in for x, y in DataLoader(train): -> device",
            "BATCH y in for x, y in DataLoader(train): -> device",
        ],
        id="datasets of libraries",
    ),
]


@pytest.mark.parametrize(("program", "expected"), DATASETS)
def test_what_workers_run_stays_on_the_host(
    beside_model: Moves, program: str, expected: list[str]
) -> None:
    assert beside_model(program) == expected


@pytest.mark.xfail(strict=True, reason="host operands of one operation are moved behind it")
def test_two_loaders_in_step(beside_model: Moves) -> None:
    program = SINGLES + "for (x,), (y,) in zip(loader, loader):\n    model(x + y)\n"
    assert beside_model(program) == [
        "BATCH x in for (x,), (y,) in zip(loader, loader): -> device",
        "BATCH y in for (x,), (y,) in zip(loader, loader): -> device",
    ]


@pytest.mark.parametrize(
    ("option", "pinned"),
    [("pin_memory=True", True), ("pin_memory=False", False), ("batch_size=2", False)],
)
def test_only_transfers_from_pinned_memory_need_not_block(
    facts: Callable[[str], FileFacts], option: str, pinned: bool
) -> None:
    program = f"""
        net = nn.Linear(3, 1)
        for (x,) in DataLoader(TensorDataset(torch.randn(8, 3)), {option}):
            print(net(x))
        """
    batches = facts(program).of(Offence.BATCH)
    assert [transfer.pinned for transfer in batches] == [pinned]


def test_what_is_bound_beside_a_moved_batch_is_not_moved_with_it(beside_model: Moves) -> None:
    program = """
        from samples import Samples
        for batch in DataLoader(Samples()):
            x, y, name = batch["x"].to(device), batch["y"].to(device), batch["name"]
            print(name[0].split(".")[0], (model(x) - y).sum())
        """
    assert beside_model(program) == []


UNSEEN: Final = """
from pairs import Pairs
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)
    def forward(self, batch):
        {first}
        return self.fc(batch["x"])
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
for batch in DataLoader(Pairs()):
    print(net(batch))
"""


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ('batch["x"] = batch["x"].to(device)', []),
        ("pass", ["OPERAND batch['x'] -> device"]),
    ],
)
def test_a_batch_that_is_asked_for_an_item_is_no_tensor(
    moves: Moves, first: str, expected: list[str]
) -> None:
    found = moves(UNSEEN.format(first=first))
    assert [line for line in found if "batch" in line] == expected


def test_a_loop_over_both_places_is_left_to_what_needs_one_of_them(moves: Moves) -> None:
    program = (
        "device = torch.device('cuda')\ndef first(xs):\n    for x in xs:\n"
        "        if x.sum().item() > 0:\n            return x\n"
        "t = torch.rand(4, 3)\nprint(first([t.to(device), t]), np.asarray(t))\n"
    )
    assert moves(program) == []
    needy = program.replace(
        "            return x\n", "            return nn.Linear(3, 1).cuda()(x)\n"
    )
    assert moves(needy) == ["OPERAND x -> device"]


def test_what_workers_name_is_bound_where_the_loader_is_read(
    facts: Callable[[str], FileFacts],
) -> None:
    chosen = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    load = "def collate(samples):\n    return torch.load('x.pt', map_location='cuda:0')\n"
    read = "for x in DataLoader(data, num_workers=2, collate_fn=collate):\n    print(x)\n"
    early, late = facts(load + chosen + read), facts(load + read + chosen)
    found = [c.device for f in (early, late) for c in f.library if c.call.args]
    assert [(d.text, d.preamble) for d in found if d] == [("device", ""), ("device", "device")]


@pytest.mark.parametrize(
    ("move", "found"),
    [
        ("pass", ["BATCH x in for x in xs: -> device"]),
        ("x = x.to(device)", []),
        ("x = x.cuda()", []),
        ("n = n.to(device); x = x.to(device=device)", []),
        ("x, n = x.to(device), n.to(device)", []),
        ("print(n); x = x.to(device)", []),
        ("print(x); x = x.to(device)", []),
        ("x = x.to(torch.float64)", ["BATCH x in for x in xs: -> device"]),
    ],
)
def test_what_the_loop_brings_there_first_may_come_from_both_places(
    beside_model: Moves, move: str, found: list[str]
) -> None:
    program = "def first(xs, n):\n    for x in xs:\n"
    program += f"        {move}\n        if x.sum() > 0:\n            return x\n"
    program += "kept = torch.ones(4, 3)\nprint(kept.numpy())\n"
    program += "out = model(torch.ones(4, 3, device=device))\n"
    program += "print(model(first([out, kept], torch.ones(1))))\n"
    assert beside_model(program) == found
