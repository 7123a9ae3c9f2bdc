"""How much slower a program is on the simulated accelerator than on the CPU, and whether its memory
grows.

Both run in one process and take turns, round by round, so that whatever else the machine does
falls on both; the figure is the median over the rounds of (device / CPU). Installing the simulator
leaves tensors of the host alone, so the CPU's rounds are those of plain PyTorch; ``--check-fair``
measures them in processes without the simulator, too.

    python benchmarks/simulator.py                # slow-down, one thread and PyTorch's default
    python benchmarks/simulator.py --cpu-time     # CPU time, for a machine that others keep busy
    python benchmarks/simulator.py --check-fair   # the CPU's own times, with and without it
    python benchmarks/simulator.py --memory       # 2,000 steps of each program
"""

from __future__ import annotations

import argparse
import gc
import resource
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

Step = Callable[[], object]


def cnn(device: str) -> Step:
    """A classifier of digits: 16 pictures of 28x28, two convolutions, batch norm, SGD."""
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 7 * 7, 64), nn.ReLU(), nn.Linear(64, 10),
    ).to(device)  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images, labels = torch.randn(16, 1, 28, 28), torch.randint(10, (16,))

    def step() -> None:
        loss = nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def transformer(device: str) -> Step:
    """An encoder of two layers, width 64, four heads, over 8 sequences of 32, AdamW."""
    layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    batch = torch.randn(8, 32, 64)
    mask = nn.Transformer.generate_square_subsequent_mask(32).to(device)

    def step() -> None:
        loss = model(batch.to(device), mask=mask).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def lstm(device: str) -> Step:
    """A packed LSTM of two layers, 64 wide, over 8 sequences of up to 20, Adam."""
    embedding = nn.Embedding(500, 32).to(device)
    recurrent = nn.LSTM(32, 64, num_layers=2, batch_first=True).to(device)
    head = nn.Linear(64, 5).to(device)
    parameters = [*embedding.parameters(), *recurrent.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(parameters)
    tokens, labels = torch.randint(500, (8, 20)), torch.randint(5, (8,))
    lengths = torch.arange(20, 12, -1)

    def step() -> None:
        embedded = embedding(tokens.to(device))
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths, batch_first=True)
        _, (hidden, _) = recurrent(packed)
        loss = nn.functional.cross_entropy(head(hidden[-1]), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def tiny(device: str) -> Step:
    """A policy of 4 inputs and 2 actions: five decisions one by one, a policy gradient, SGD."""
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2), nn.Softmax(-1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    observation = torch.randn(4)

    def step() -> None:
        decided = []
        for _ in range(5):
            choices = torch.distributions.Categorical(model(observation.to(device)))
            action = choices.sample()
            decided.append(choices.log_prob(action) * -float(action.item()))
        optimizer.zero_grad()
        torch.stack(decided).sum().backward()
        optimizer.step()

    return step


PROGRAMS = (cnn, transformer, lstm, tiny)


def slow_down(program: Callable[[str], Step], seconds: float) -> tuple[float, float, float]:
    """Medians over the rounds: milliseconds of a step on the CPU, on the device, and the ratio."""
    here, there = program("cpu"), program("cuda")
    for step in (here, there):
        _time(step, 3)
    steps = max(1, round(0.02 / _time(here, 3)))
    host, device = [], []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(host) < 11:
        turns = [(here, host), (there, device)]
        for step, times in turns if len(host) % 2 else reversed(turns):
            times.append(_time(step, steps))
    ratios = [slow / fast for fast, slow in zip(host, device, strict=True)]
    median = statistics.median
    return median(host) * 1e3, median(device) * 1e3, median(ratios)


def _time(step: Step, steps: int) -> float:
    """Seconds of one step."""
    start = CLOCK.now()
    for _ in range(steps):
        step()
    return (CLOCK.now() - start) / steps


class _Clock:
    """The clock on the wall; with ``--cpu-time`` that of this process's threads together, for a
    machine that others keep busy: a backward pass on a device changes threads and waits for them.
    """

    now: Callable[[], float] = staticmethod(time.perf_counter)


CLOCK = _Clock()


def growth(program: Callable[[str], Step], steps: int) -> tuple[int, int, int]:
    """From a tenth of ``steps`` to the end: kibibytes resident, bytes Python holds, its objects."""
    step = program("cuda")
    tracemalloc.start()
    for _ in range(steps // 10):
        step()
    before = _memory()
    for _ in range(steps - steps // 10):
        step()
    after = _memory()
    tracemalloc.stop()
    return after[0] - before[0], after[1] - before[1], after[2] - before[2]


def _memory() -> tuple[int, int, int]:
    gc.collect()
    objects = len(gc.get_objects())
    held, _ = tracemalloc.get_traced_memory()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1024, held, objects


def report_slow_down(threads: int, seconds: float) -> None:
    torch.set_num_threads(threads)
    for program in PROGRAMS:
        torch.manual_seed(0)
        host, device, ratio = slow_down(program, seconds)
        print(f"| {program.__name__} | {threads} | {host:.2f} | {device:.2f} | {ratio:.2f} |")


def report_fairness() -> None:
    """The CPU's steps in fresh processes, alternately with the simulator and without."""
    for program in PROGRAMS:
        times: dict[str, list[float]] = {"with": [], "without": []}
        for _ in range(5):
            for how, measured in times.items():
                command = [sys.executable, __file__, "--host", program.__name__, how]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                measured.append(float(done.stdout))
        plain, installed = (statistics.median(times[how]) for how in ("without", "with"))
        print(f"| {program.__name__} | {plain:.3f} | {installed:.3f} | {installed / plain:.2f} |")


def _host_time(name: str, how: str) -> float:
    """Milliseconds of a step on the CPU: the least of many, which is steadier across processes."""
    if how == "with":
        _install()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    step = next(program for program in PROGRAMS if program.__name__ == name)("cpu")
    return min(_time(step, 5) for _ in range(60)) * 1e3


def _install() -> None:
    from devicefix.simulator import install

    install("sim:cuda")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10, help="for each program")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--steps", type=int, default=2000, help="of each program for --memory")
    parser.add_argument("--check-fair", action="store_true")
    parser.add_argument("--host", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--cpu-time", action="store_true", help="one thread, CPU time")
    options = parser.parse_args()
    if options.cpu_time:
        CLOCK.now = time.process_time  # type: ignore[method-assign]
    default = torch.get_num_threads()
    if options.host:
        print(_host_time(*options.host))
    elif options.check_fair:
        print("| program | CPU, plain (ms) | CPU, simulator installed (ms) | ratio |")
        print("|---|---|---|---|")
        report_fairness()
    elif options.memory:
        _install()
        torch.set_num_threads(1)
        print("| program | resident (KiB) | Python (bytes) | objects |\n|---|---|---|---|")
        for program in PROGRAMS:
            print(
                f"| {program.__name__} | {' | '.join(map(str, growth(program, options.steps)))} |"
            )
    else:
        _install()
        print(
            "| program | threads | CPU (ms) | simulated (ms) | slow-down |\n|---|---|---|---|---|"
        )
        for threads in [1] if options.cpu_time else sorted({1, default}):
            report_slow_down(threads, options.seconds)


if __name__ == "__main__":
    main()
