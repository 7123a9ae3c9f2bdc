"""Seeded training loops, written for any device.

Run as ``python training.py cpu`` or ``python training.py sim:cuda:2``: one line of JSON for each
loop, its losses as `float.hex` and a digest of every parameter. `tests/simulator/test_training.py`
compares the lines of both.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody calls it
from torch.utils.data import DataLoader, Dataset


@dataclass
class Run:
    """What a loop leaves behind."""

    losses: list[float] = field(default_factory=list)
    trained: list[nn.Module] = field(default_factory=list)

    def digests(self) -> list[str]:
        return [_digest(value) for module in self.trained for value in module.state_dict().values()]


def _digest(value: Tensor) -> str:
    array = value.detach().cpu().contiguous().numpy()
    return f"{tuple(array.shape)} {hashlib.sha256(array.tobytes()).hexdigest()[:16]}"


_SGD = partial(torch.optim.SGD, lr=0.1)
Loop = Callable[[str], Run]
Loss = Callable[[], Tensor]


def _fit(run: Run, optimizer: torch.optim.Optimizer, losses: Iterable[Loss]) -> Run:
    for loss_of in losses:

        def closure(loss_of: Loss = loss_of) -> Tensor:
            optimizer.zero_grad()
            loss = loss_of()
            loss.backward()
            return loss

        run.losses.append(optimizer.step(closure).item())
    return run


def _batches(device: str, *shape: int, classes: int = 3, count: int = 6) -> list[list[Tensor]]:
    pairs = [(torch.randn(*shape), torch.randint(classes, shape[:1])) for _ in range(count)]
    return [[tensor.to(device) for tensor in pair] for pair in pairs]


def _classify(
    device: str,
    model: nn.Module,
    *shape: int,
    make: Callable[..., torch.optim.Optimizer] = _SGD,
) -> Run:
    """Some steps of a classifier with three classes over random batches of this shape."""
    model.to(device)
    batches = _batches(device, *shape)
    losses = [partial(lambda x, y: F.cross_entropy(model(x), y), *batch) for batch in batches]
    return _fit(Run(trained=[model]), make(model.parameters()), losses)


def _small() -> nn.Module:
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))


OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "sgd": partial(torch.optim.SGD, lr=0.1),
    "sgd_momentum": partial(torch.optim.SGD, lr=0.1, momentum=0.9, weight_decay=1e-3),
    "sgd_nesterov": partial(torch.optim.SGD, lr=0.1, momentum=0.9, nesterov=True),
    "adam": partial(torch.optim.Adam, lr=0.01),
    "adam_amsgrad": partial(torch.optim.Adam, lr=0.01, amsgrad=True, weight_decay=1e-2),
    "adamw": partial(torch.optim.AdamW, lr=0.01),
    "adamax": partial(torch.optim.Adamax, lr=0.01),
    "nadam": partial(torch.optim.NAdam, lr=0.01),
    "radam": partial(torch.optim.RAdam, lr=0.01),
    "adagrad": partial(torch.optim.Adagrad, lr=0.1),
    "adadelta": torch.optim.Adadelta,
    "rmsprop": partial(torch.optim.RMSprop, lr=0.01, momentum=0.5, centered=True),
    "rprop": torch.optim.Rprop,
    "asgd": torch.optim.ASGD,
    "lbfgs": partial(torch.optim.LBFGS, lr=0.5, max_iter=5, line_search_fn="strong_wolfe"),
}


def _optimizer(name: str, device: str, **options: bool) -> Run:
    return _classify(device, _small(), 8, 6, make=partial(OPTIMIZERS[name], **options))


def clipping_and_schedule(device: str) -> Run:
    """Clipped gradients, gathered over two batches, a schedule, an average of weights."""
    model = _small().to(device)
    average = torch.optim.swa_utils.AveragedModel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=8)
    run = Run(trained=[model, average])
    for x, y in _batches(device, 8, 6, count=6):
        for half in (slice(0, 4), slice(4, 8)):
            loss = F.cross_entropy(model(x[half]), y[half], label_smoothing=0.1) / 2
            loss.backward()
            run.losses.append(loss.item())
        run.losses.append(float(nn.utils.clip_grad_norm_(model.parameters(), 0.2)))
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        schedule.step()
        average.update_parameters(model)
    return run


def mlp(device: str) -> Run:
    """Linear layers with dropout."""
    model = nn.Sequential(
        nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 16), nn.GELU(),
        nn.Dropout(0.1), nn.Linear(16, 3),
    )  # fmt: skip
    return _classify(device, model, 8, 6, make=partial(torch.optim.Adam, lr=0.01))


class Pictures(Dataset):  # type: ignore[type-arg]
    """Random pictures, each from its own seed, so that workers make the same ones."""

    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        generator = torch.Generator().manual_seed(index)
        return torch.randn(3, 12, 12, generator=generator), index % 3


def cnn(device: str) -> Run:
    """Convolutions over batches from two loader workers."""
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, groups=2, stride=2), nn.ReLU(), nn.Dropout2d(0.2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3),
    ).to(device)  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    run = Run(trained=[model])
    loader = DataLoader(Pictures(), batch_size=6, shuffle=True, num_workers=2)
    for _ in range(2):
        batches = [[tensor.to(device) for tensor in batch] for batch in loader]
        losses = [partial(lambda x, y: F.cross_entropy(model(x), y), *batch) for batch in batches]
        _fit(run, optimizer, losses)
    return run


def channels_last(device: str) -> Run:
    """Convolutions, transposed ones and up-sampling in the channels-last format."""
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.SiLU(),
        nn.Upsample(scale_factor=2, mode="bilinear"), nn.ConvTranspose2d(8, 3, 2), nn.AvgPool2d(3),
        nn.Flatten(), nn.Linear(75, 3),
    ).to(memory_format=torch.channels_last)  # fmt: skip
    return _classify(device, model, 4, 3, 9, 9)


class Recurrent(nn.Module):
    """Packed sequences through a recurrent layer."""

    def __init__(self, kind: type[nn.RNNBase], **options: object) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 5, padding_idx=0)
        self.layers = kind(5, 8, batch_first=True, **options)
        self.head = nn.LazyLinear(3)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(tokens), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        outputs, _ = self.layers(packed)
        padded, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)
        result: Tensor = self.head(padded.mean(1))
        return result


def _recurrent(kind: type[nn.RNNBase], device: str, **options: object) -> Run:
    model = Recurrent(kind, **options)
    model(torch.ones(1, 2, dtype=torch.long), torch.tensor([2]))
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in range(5):
        tokens, lengths = torch.randint(1, 20, (4, 7)), torch.randint(1, 8, (4,))
        labels = torch.randint(3, (4,)).to(device)
        losses.append(
            partial(
                lambda t, n, y: F.cross_entropy(model(t, n), y), tokens.to(device), lengths, labels
            )
        )
    return _fit(Run(trained=[model]), optimizer, losses)


def cells(device: str) -> Run:
    """An LSTM cell and a GRU cell, step by step, the state kept over the batches."""
    lstm, gru, head = nn.LSTMCell(4, 8).to(device), nn.GRUCell(8, 8).to(device), nn.Linear(8, 3)
    head.to(device)
    parameters = [*lstm.parameters(), *gru.parameters(), *head.parameters()]
    optimizer = torch.optim.RMSprop(parameters, lr=0.01)
    run, state, hidden = Run(trained=[lstm, gru, head]), None, None
    for x, y in _batches(device, 5, 6, 4):
        for step in x.unbind(1):
            state = lstm(step, state)
            hidden = gru(state[0], hidden)
        loss = F.cross_entropy(head(hidden), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        state, hidden = (state[0].detach(), state[1].detach()), hidden.detach()
        run.losses.append(loss.item())
    return run


class Encoder(nn.Module):
    """A transformer encoder with a causal mask and padding."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(8, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        mask = torch.triu(torch.full((7, 7), float("-inf"), device=tokens.device), diagonal=1)
        ignored = torch.zeros(tokens.shape, device=tokens.device).masked_fill(tokens == 0, -1e9)
        hidden = self.layers(self.embedding(tokens), mask=mask, src_key_padding_mask=ignored)
        result: Tensor = self.head(hidden.mean(1))
        return result


def transformer(device: str) -> Run:
    """Attention, layer norm, dropout."""
    model = Encoder().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for _ in range(5):
        tokens, labels = torch.randint(20, (4, 7)).to(device), torch.randint(3, (4,)).to(device)
        losses.append(partial(lambda t, y: F.cross_entropy(model(t), y), tokens, labels))
    return _fit(Run(trained=[model]), optimizer, losses)


def gan(device: str) -> Run:
    """Two networks against each other, each with its optimizer."""
    maker = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.LeakyReLU(0.2), nn.Linear(16, 6))
    judge = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Dropout(0.2), nn.Linear(16, 1))
    maker.to(device)
    judge.to(device)
    making = torch.optim.Adam(maker.parameters(), lr=0.01, betas=(0.5, 0.999))
    judging = torch.optim.Adam(judge.parameters(), lr=0.01, betas=(0.5, 0.999))
    run, criterion = Run(trained=[maker, judge]), nn.BCEWithLogitsLoss()
    for real, _ in _batches(device, 8, 6):
        false = maker(torch.randn(8, 4, device=device))
        yes, no = torch.ones(8, 1, device=device), torch.zeros(8, 1, device=device)
        judging.zero_grad()
        judged = criterion(judge(real), yes) + criterion(judge(false.detach()), no)
        judged.backward()
        judging.step()
        making.zero_grad()
        made = criterion(judge(false), yes)
        made.backward()
        making.step()
        run.losses += [judged.item(), made.item()]
    return run


def policy_gradient(device: str) -> Run:
    """Decisions one by one, rewards on the host, a return for each."""
    policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    run = Run(trained=[policy])
    for _ in range(4):
        state, chosen, rewards = torch.randn(4), [], []
        for _ in range(6):
            choices = torch.distributions.Categorical(logits=policy(state.to(device)))
            action = choices.sample()
            chosen.append(choices.log_prob(action))
            rewards.append(float(state.sum()) * (1 if action.item() else -1))
            state = state.roll(1) * 0.9
        returns = torch.tensor([sum(rewards[i:]) for i in range(6)], device=device)
        returns = (returns - returns.mean()) / (returns.std() + 1e-6)
        loss = -(torch.stack(chosen) * returns).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        run.losses.append(loss.item())
    return run


def embedding_bag(device: str) -> Run:
    """Embeddings, some with sparse gradients, and bags of them."""

    class Bags(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bag = nn.EmbeddingBag(20, 6, mode="mean")
            self.sums = nn.EmbeddingBag(20, 6, mode="sum", sparse=True)
            self.words = nn.Embedding(20, 6, sparse=True)
            self.head = nn.Linear(6, 3)

        def forward(self, tokens: Tensor) -> Tensor:
            rows = self.bag(tokens) + self.sums(tokens) + self.words(tokens).sum(1)
            result: Tensor = self.head(rows)
            return result

    model = Bags().to(device)
    losses = []
    for _ in range(5):
        tokens, labels = torch.randint(20, (4, 7)).to(device), torch.randint(3, (4,)).to(device)
        losses.append(partial(lambda t, y: F.cross_entropy(model(t), y), tokens, labels))
    return _fit(Run(trained=[model]), torch.optim.SGD(model.parameters(), lr=0.1), losses)


def normalisation(device: str) -> Run:
    """Batch, layer, group, instance and RMS norm, weight norm, spectral norm."""
    model = nn.Sequential(
        nn.Conv1d(4, 8, 3), nn.BatchNorm1d(8), nn.GroupNorm(4, 8),
        nn.InstanceNorm1d(8, affine=True),
        nn.Flatten(), nn.Linear(32, 16), nn.LayerNorm(16), nn.RMSNorm(16), nn.PReLU(),
        nn.utils.parametrizations.weight_norm(nn.Linear(16, 8)), nn.Hardswish(),
        nn.utils.parametrizations.spectral_norm(nn.Linear(8, 3)),
    )  # fmt: skip
    return _classify(device, model, 6, 4, 6)


def objectives(device: str) -> Run:
    """Losses of many kinds over one network."""
    model = nn.Sequential(nn.Linear(6, 8), nn.Softplus(), nn.Linear(8, 4)).to(device)
    weight = torch.rand(4).to(device)
    kinds: list[Callable[[Tensor, Tensor, Tensor], Tensor]] = [
        lambda out, aim, label: F.mse_loss(out, aim),
        lambda out, aim, label: F.smooth_l1_loss(out, aim),
        lambda out, aim, label: F.huber_loss(out, aim, delta=0.5),
        lambda out, aim, label: F.kl_div(out.log_softmax(1), aim.softmax(1), reduction="batchmean"),
        lambda out, aim, label: F.nll_loss(out.log_softmax(1), label, weight=weight),
        lambda out, aim, label: F.cross_entropy(out, label, weight=weight, ignore_index=2),
        lambda out, aim, label: F.binary_cross_entropy(out.sigmoid(), aim.sigmoid()),
        lambda out, aim, label: F.binary_cross_entropy_with_logits(
            out, aim.sigmoid(), pos_weight=weight
        ),
        lambda out, aim, label: F.multi_margin_loss(out, label),
        lambda out, aim, label: F.cosine_embedding_loss(out, aim, label * 2 - 1 > 0),
        lambda out, aim, label: F.triplet_margin_loss(out, aim, aim.flip(0)),
        lambda out, aim, label: F.gaussian_nll_loss(out, aim, torch.ones_like(out)),
        lambda out, aim, label: F.poisson_nll_loss(out, aim.abs()),
        lambda out, aim, label: F.ctc_loss(
            out[:, None, :].log_softmax(2), label[None, :2] % 3 + 1, (8,), (2,)
        ),
    ]
    losses = []
    for kind in kinds:
        x, aim, label = torch.randn(8, 6), torch.randn(8, 4), torch.randint(4, (8,))
        moved = [tensor.to(device) for tensor in (x, aim, label)]
        losses.append(partial(lambda k, a, b, c: k(model(a), b, c), kind, *moved))
    return _fit(Run(trained=[model]), torch.optim.SGD(model.parameters(), lr=0.05), losses)


def custom_function(device: str) -> Run:
    """A Function whose backward computes, hooks, checkpointing and a gradient of a gradient."""

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Tensor:
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                y = x.detach().requires_grad_()
                (inner,) = torch.autograd.grad((y**3).sum(), y)
            return grad * inner

    model = _small().to(device)
    model[0].weight.register_hook(lambda grad: grad.clamp(-0.5, 0.5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def loss(x: Tensor, y: Tensor) -> Tensor:
        x = x.requires_grad_()
        out = torch.utils.checkpoint.checkpoint(model, x, use_reentrant=False)
        fit = F.cross_entropy(Cube.apply(out), y)
        (slope,) = torch.autograd.grad(fit, x, create_graph=True)
        return fit + slope.square().sum()

    batches = _batches(device, 8, 6)
    return _fit(Run(trained=[model]), optimizer, [partial(loss, *batch) for batch in batches])


def functional(device: str) -> Run:
    """Gradients of each sample by vmap, and an ensemble."""
    models = [_small().to(device) for _ in range(3)]
    parameters, _ = torch.func.stack_module_state(models)
    model = models[0]

    def loss(p: dict[str, Tensor], b: dict[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(torch.func.functional_call(model, (p, b), (x[None],)), y[None])

    run = Run(trained=models)
    first = {name: value[0].detach() for name, value in parameters.items()}
    for x, y in _batches(device, 8, 6, count=3):
        each = torch.func.vmap(torch.func.grad(loss), (None, None, 0, 0))(first, {}, x, y)
        many = torch.func.vmap(loss, (0, None, None, None))(parameters, {}, x[0], y[0])
        run.losses += [float(grad.square().sum()) for grad in each.values()] + many.tolist()
    return run


def data_parallel(device: str) -> Run:
    """Two replicas; on the CPU the same two halves of every batch, one after the other."""
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
    both = nn.DataParallel(model) if device != "cpu" else _InHalves(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = _batches(device, 8, 6)
    losses = [partial(lambda x, y: F.cross_entropy(both(x), y), *batch) for batch in batches]
    return _fit(Run(trained=[model]), optimizer, losses)


class _InHalves(nn.Module):
    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: Tensor) -> Tensor:
        return torch.cat([self.model(part) for part in batch.chunk(2)])


def mixed_precision(device: str) -> Run:
    """Autocast to bfloat16, on either side."""
    model = nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 3)).to(
        device
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def loss(x: Tensor, y: Tensor) -> Tensor:
        with torch.autocast(torch.device(device).type, dtype=torch.bfloat16):
            return F.cross_entropy(model(x), y)

    batches = _batches(device, 8, 6)
    return _fit(Run(trained=[model]), optimizer, [partial(loss, *batch) for batch in batches])


def loss_scaling(device: str) -> Run:
    """Autocast to float16 with a scaler, as programs for CUDA do it."""
    kind = torch.device(device).type
    model, scaler = _small().to(device), torch.amp.GradScaler(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    run = Run(trained=[model])
    for x, y in _batches(device, 8, 6):
        with torch.autocast(kind, dtype=torch.float16):
            loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        run.losses.append(loss.item())
    return run


def _compiled(backend: str, device: str) -> Run:
    return _classify(device, torch.compile(_small(), backend=backend), 8, 6)


LOOPS: dict[str, Loop] = {
    loop.__name__: loop
    for loop in (
        mlp, cnn, channels_last, cells, transformer, gan, policy_gradient, embedding_bag,
        normalisation, objectives, custom_function, functional, data_parallel,
        clipping_and_schedule, mixed_precision, loss_scaling,
    )
}  # fmt: skip
LOOPS |= {
    "lstm": partial(_recurrent, nn.LSTM),
    "gru": partial(_recurrent, nn.GRU),
    "rnn": partial(_recurrent, nn.RNN),
    "lstm_deep": partial(_recurrent, nn.LSTM, num_layers=2, bidirectional=True, dropout=0.2),
    "gru_deep": partial(_recurrent, nn.GRU, num_layers=2, bidirectional=True, dropout=0.2),
    "lstm_projected": partial(_recurrent, nn.LSTM, proj_size=4),
    "compiled_eager": partial(_compiled, "eager"),
    "compiled_aot": partial(_compiled, "aot_eager"),
}
LOOPS |= {f"optimizer_{name}": partial(_optimizer, name) for name in OPTIMIZERS}


def main() -> None:
    torch.set_num_threads(1)
    device, *names = sys.argv[1:]
    if device != "cpu":
        from devicefix.simulator import install

        device = install(device).name
    for name in names or LOOPS:
        torch.manual_seed(7)
        try:
            run = LOOPS[name](device)
        except Exception as error:
            line: dict[str, object] = {"name": name, "error": f"{type(error).__name__}: {error}"}
        else:
            losses = [float(loss).hex() for loss in run.losses]
            line = {"name": name, "losses": losses, "parameters": run.digests()}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
