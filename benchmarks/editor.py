"""How long an editor waits: opens a file, types into it, asks for fixes and for what is believed.

    python benchmarks/editor.py [FILE] [--project FOLDER]

drives `devicefix lsp` over its pipes as an editor does, with FILE or with a program of 1,000 lines
that it makes up: models, data, losses, loops, none of them moved to a device. Each edit changes
something that decides (a comment would, too: nothing is spared). A FILE is copied, and so alone;
with ``--project`` it is opened where it is, below FOLDER, with all that it imports from there.
Nothing is written.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.lsp import editor as driving
from tests.lsp.editor import Editor, edited

LINES = 1000
TIMES = 10
driving.TIMEOUT = 600  # whoever measures waits
HEAD = """\
import argparse
import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

"""
PART = '''
class Encoder{n}(nn.Module):
    """Reads sequences of {width} numbers."""

    def __init__(self, width, hidden={hidden}, layers=2, dropout=0.1):
        super().__init__()
        self.width = width
        self.norm = nn.LayerNorm(width)
        self.rnn = nn.GRU(width, hidden, layers, batch_first=True, dropout=dropout)
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, {classes})
        self.scale = math.sqrt(hidden)

    def attend(self, states, mask):
        scores = self.query(states) @ self.key(states).transpose(1, 2) / self.scale
        scores = scores.masked_fill(mask == 0, -1e9)
        return F.softmax(scores, dim=-1) @ states

    def forward(self, x, lengths=None):
        states, _ = self.rnn(self.norm(x))
        mask = torch.tril(torch.ones(x.size(1), x.size(1)))
        attended = self.attend(states, mask)
        if lengths is not None:
            steps = torch.arange(x.size(1))
            attended = attended * (steps[None, :] < lengths[:, None]).unsqueeze(-1)
        return self.out(attended.mean(dim=1))


class Waves{n}(Dataset):
    def __init__(self, count, length, seed={n}):
        random = np.random.RandomState(seed)
        self.phase = random.rand(count, {width}).astype("float32")
        self.length = length

    def __len__(self):
        return len(self.phase)

    def __getitem__(self, index):
        steps = np.arange(self.length, dtype="float32")[:, None]
        wave = np.sin(steps * 0.1 + self.phase[index])
        return torch.from_numpy(wave.astype("float32")), int(self.phase[index].sum()) % {classes}


def evaluate{n}(model, loader):
    model.eval()
    right, total = 0, 0
    with torch.no_grad():
        for x, y in loader:
            guess = model(x).argmax(dim=1)
            right += (guess == y).sum().item()
            total += len(y)
    return right / max(total, 1)


def train{n}(epochs=3, rate=1e-3):
    model = Encoder{n}({width})
    weight = torch.ones({classes})
    criterion = nn.CrossEntropyLoss(weight=weight)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    loader = DataLoader(Waves{n}(256, 40), batch_size=32, shuffle=True)
    history = []
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            history.append(loss.item())
        print(f"epoch {{epoch}}: {{np.mean(history):.3f}}, {{evaluate{n}(model, loader):.2%}}")
    return model

'''
TAIL = """
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
"""


def program(lines: int = LINES) -> str:
    """Some twelve experiments in one file, as research code has them."""
    parts: list[str] = []
    while len((HEAD + "".join(parts) + TAIL).splitlines()) < lines - 80:
        n = len(parts)
        parts.append(PART.format(n=n, width=8 + n, hidden=32 + n, classes=3 + n % 4))
    calls = "".join(f"    train{n}(options.epochs)\n" for n in range(len(parts)))
    return HEAD + "".join(parts) + TAIL + calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, help="by default a program is made up")
    parser.add_argument("--project", type=Path, help="the folder that the editor shows")
    options = parser.parse_args()
    if options.project is not None and options.file is None:
        parser.error("--project needs a FILE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DEVICEFIX_CACHE_DIR"] = f"{folder}/cache"
        if options.project is not None:
            measure(options.file.resolve(), options.project.resolve())
            return
        file = Path(folder).resolve() / "experiments.py"
        file.write_text(options.file.read_text() if options.file is not None else program())
        measure(file, file.parent)


class Watch:
    """How long things take, and how much of that the server computes."""

    def __init__(self, editor: Editor) -> None:
        self._stat = Path(f"/proc/{editor.process.pid}/stat")
        self._taken: dict[str, list[tuple[float, float]]] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        began, busy = time.perf_counter(), self._busy()
        yield
        taken = time.perf_counter() - began, self._busy() - busy
        self._taken.setdefault(name, []).append(taken)

    def _busy(self) -> float:
        """Seconds of processor time so far; none where the system does not tell it like Linux."""
        if not self._stat.exists():
            return 0.0
        fields = self._stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def show(self) -> None:
        print(f"{'ms':24}{'median':>8}{'most':>8}{'of processor':>14}")
        for name, taken in self._taken.items():
            times = [1000 * wall for wall, _ in taken]
            busy = statistics.median(1000 * busy for _, busy in taken)
            print(f"{name:24}{statistics.median(times):8.0f}{max(times):8.0f}{busy:14.0f}")


def measure(file: Path, project: Path) -> None:
    """Print what an editor waits for."""
    text = file.read_text()
    editor = Editor()
    watch = Watch(editor)
    with watch("start"):
        editor.initialize([project])
    time.sleep(4)  # an editor opens nothing before it has drawn its windows
    with watch("open to findings"):
        uri = editor.open(file)
        found = editor.found(uri)
    print(f"{len(text.splitlines())} lines, {len(text) / 1000:.0f} kB, {len(found)} findings")
    for number in range(2, 2 + TIMES):
        text = text.replace("dropout=0.1", f"dropout=0.{number:02}1", 1) + f"x{number} = {number}\n"
        with watch("edit to findings"):
            editor.change(uri, text, number)
            found = editor.found(uri, number)
        time.sleep(1.5)  # people look at what they see
        if not found:
            continue
        place = found[number % len(found)]["range"]["start"]
        with watch("quick fix"):
            fix = next(a for a in editor.actions(uri, place["line"]) if "edit" in a)
        edited(text, fix["edit"]["documentChanges"][0]["edits"])
        for name in ("first hover", "next hover"):
            with watch(name):
                editor.hover(uri, place["line"], place["character"])
    watch.show()
    editor.leave()


if __name__ == "__main__":
    main()
