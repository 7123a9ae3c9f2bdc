"""What generated programs do with tensors, one line each.

``B`` is a batch, ``R`` a row, ``C`` a column, ``N`` a number, ``L`` are labels, ``M`` is a mask.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from tests.properties.scopes import Sort

SORTS: Final = MappingProxyType(dict(zip("BRCNLM", Sort, strict=True)))

_FACTORIES: Final = """
B = torch.ones(4, 3@)
B = torch.zeros(4, 3@)
B = torch.randn(4, 3@)
B = torch.rand((4, 3)@)
B = torch.full((4, 3), 0.5@)
B = torch.linspace(-1, 1, 12@).reshape(4, 3)
B = torch.arange(12.0@).view(4, 3)
B = torch.empty(4, 3@).uniform_()
B = torch.eye(4, 3@)
B = torch.tensor([[0.1, 0.2, 0.3]] * 4@)
B = torch.normal(0.0, 1.0, (4, 3)@)
B = torch.randn(3, 4@).t()
B = torch.randn(4, 3, dtype=torch.float32@)
B = torch.Tensor(4, 3).fill_(0.25)
B = torch.FloatTensor([[1.0, -1.0, 0.5]] * 4)
B = torch.from_numpy(np.random.randn(4, 3).astype("float32"))
B = torch.from_numpy(np.random.rand(4, 3)).float()
B = torch.tensor(np.linspace(0, 1, 12).reshape(4, 3), dtype=torch.float32@)
B = torch.as_tensor(np.ones((4, 3), dtype=np.float32)@)
B = torch.rand(2, 4, 3@)[0]
B = torch.stack([torch.rand(3@) for _ in range(4)])
R = torch.ones(3@)
R = torch.tensor([0.5, -0.5, 1.0]@)
R = torch.rand(3@)
R = torch.arange(3@).float()
R = torch.from_numpy(np.float32([1, 2, 3]))
R = torch.logspace(-1, 0, 3@)
C = torch.zeros(4@)
C = torch.linspace(0, 1, 4@)
C = torch.randn(4@)
C = torch.tensor([i / 4 for i in range(4)]@)
N = torch.tensor(0.5@)
N = torch.zeros(()@)
N = torch.ones([]@)
L = torch.tensor([0, 2, 1, 1]@)
L = torch.randint(0, 3, (4,)@)
L = torch.arange(4@) % 3
L = torch.LongTensor([2, 1, 0, 0])
L = torch.from_numpy(np.array([0, 1, 2, 0]))
L = torch.zeros(4, dtype=torch.long@)
L = torch.randperm(4@).clamp(max=2)
M = torch.tensor([True, False, True, True]@)
M = torch.rand(4@) > 0.5
M = torch.arange(4@) < 2
M = torch.ones(4, dtype=torch.bool@)
"""

_OPERATIONS: Final = """
B B B = {0} + {1}
B B B = {0} * {1}
B B B = torch.maximum({0}, {1})
B B B = torch.cat([{0}, {1}])[2:6]
B B B = torch.stack([{0}, {1}]).mean(0)
B B B = torch.tanh({0} @ {1}.t()) @ {0}
B B B = torch.lerp({0}, {1}, 0.5)
B B B = torch.mm({0}, torch.sigmoid({1}).t().mm({0}))
B B B = torch.einsum("ij,ij->ij", {0}, {1})
B B B = ({0}, {1})[1]
B B R = {0} - {1}
B B R = F.layer_norm({0}, (3,), {1})
B R B = {0} * {1}
B B C = {0} * {1}.unsqueeze(1)
B B C = {0} + {1}[:, None]
B B N = {0} * {1}
B N B = {0} - {1}
B B M = {0} * {1}.float().view(-1, 1)
B B L = {0}[{1}]
B B L = torch.index_select({0}, 0, {1})
B M B B = torch.where({0}.unsqueeze(1), {1}, {2})
B B M = {0}.masked_fill({1}.unsqueeze(-1), 0.0)
B B = torch.sigmoid({0})
B B = {0}.clone()
B B = F.softmax({0}, dim=1)
B B = {0}.abs().sqrt()
B B = torch.zeros_like({0}) + {0}
B B = {0} + torch.ones({0}.shape%)
B B = {0} + {0}.new_ones(3)
B B = torch.rand({0}.size(0), 3%) * {0}
B B C = F.linear({0}, torch.ones(3, 3%)) + {1}.mean()
B L = F.one_hot({0}, 3).float()
B B B = torch.clamp({0}, max={1})
B B B = max({0}, {1}, key=lambda t: t.sum().item())
B B B = sum([{0}, {1}])
B B B = torch.addcmul({0}, {1}, {1}, value=0.5)
R B = {0}.mean(0)
R B L = {0}[{1}[0]]
R B = {0}[0]
R R R = torch.cross({0}, {1}, dim=0)
R R R = {0} + {1}
C B = {0}.sum(dim=1)
C B R = {0} @ {1}
C B R = torch.mv({0}, {1})
C B L = {0}.gather(1, {1}.unsqueeze(1)).squeeze(1)
C C C = {0} + {1}
C B = {0}.norm(dim=-1)
C M = {0}.float()
C R L = {0}[{1}]
C B L = F.cross_entropy({0}, {1}, reduction='none')
C B L R = F.cross_entropy({0}, {1}, weight={2}.abs(), reduction='none')
N B = {0}.mean()
N C C = torch.dot({0}, {1})
N B B = F.mse_loss({0}, {1})
N B L = F.cross_entropy({0}, {1})
N B M = {0}[{1}].sum()
N N N = {0} + {1}
L B = {0}.argmax(1)
L B = torch.max({0}, 1)[1]
L L M = torch.where({1}, {0}, 0)
M C = {0} > 0
M L L = {0} == {1}
M M M = {0} & {1}
M M = ~{0}
M C C = {0} <= {1}
M L = {0}.eq(1)
"""

_WRITES: Final = """
B = {0}.mul_(0.5)
B B = {0}.add_({1})
B B = {0} += {1}
B R = {0} -= {1}
B R = {0}[0] = {1}
B M = {0}[{1}] = 0.0
B C = {0}[:, 1] = {1}
B B = {0}.copy_({1})
B L B = {0}.index_add_(0, {1}, {2})
B M = {0}.masked_fill_({1}.unsqueeze(1), 0.25)
B = {0}.t().clamp_(min=-0.5)
B = F.relu({0}, inplace=True)
B = torch.nn.init.normal_({0})
B B = torch.add({1}, 1, out={0})
B L = {0}.scatter_(1, {1}.unsqueeze(1), 1.0)
B R = {0}[1].add_({1})
C N = {0}[2] = {1}
C L C = {0}[{1}] = {2}
R R = {0}.add_({1}, alpha=0.1)
N N = {0} += {1}
C = {0}.zero_()
M M = {0} |= {1}
L M = {0}[{1}] = 1
N = {0}.div_(2)
"""

_READS: Final = """
print(round({0}.float().sum().item(), 4))
print({0}.tolist())
print(float({0}.float().mean()))
print({0}!.numpy().sum())
print(np.mean({0}!.numpy()))
print({0})
print({0}.shape, {0}.dtype)
print(f"{{{0}.float().norm():.4f}}")
print(np.asarray({0}!).max())
print(bool(({0} > 0).any()))
print([float(v) for v in {0}.reshape(-1)][:3])
print({0}!.numpy().reshape(-1)[:2].tolist())
print(len({0}.reshape(-1)), int({0}.reshape(-1)[0]))
print('%.3f' % {0}.float().std())
print(np.allclose({0}!.numpy(), 0.5))
"""


def _rows(table: str) -> Iterator[tuple[tuple[Sort, ...], str]]:
    for line in table.strip().split("\n"):
        sorts, _, text = line.partition(" = ")
        yield tuple(SORTS[letter] for letter in sorts.split()), text


def _by_sort(table: str) -> Mapping[Sort, tuple[str, ...]]:
    rows = list(_rows(table))
    return {sort: tuple(text for (made,), text in rows if made is sort) for sort in Sort}


FACTORIES: Final = MappingProxyType(_by_sort(_FACTORIES))
"""How tensors are made; ``@`` is where ``device=`` goes, if the call takes one."""

OPERATIONS: Final = tuple((sorts[0], sorts[1:], text) for sorts, text in _rows(_OPERATIONS))
"""What comes of which operands; ``%`` is where a factory inside gets the device of the first."""

WRITES: Final = tuple((sorts[0], sorts[1:], text) for sorts, text in _rows(_WRITES))
"""What is written into what, with which operands."""

READS: Final = tuple(_READS.strip().split("\n"))
"""``!`` is where a reader needs the host."""
