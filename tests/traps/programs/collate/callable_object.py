# trap: an object with `__call__` as collate function
# covers: collate
import torch
from torch import nn
from torch.utils.data import DataLoader


class Collate:
    # --- stays
    def __init__(self, width):
        self.template = torch.zeros(width)

    def __call__(self, batch):
        out = self.template.repeat(len(batch), 1)
        for row, values in zip(out, batch):
            row[: len(values)] = torch.tensor(values)
        return {"x": out, "n": torch.tensor([len(v) for v in batch])}

    # --- end


device = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Linear(4, 1).to(device)
for batch in DataLoader([[1.0], [2.0, 3.0], [4.0] * 4], batch_size=3, collate_fn=Collate(4)):
    result = net(batch["x"])  # moves
    print(result.shape, batch["n"].sum().item())  # stays
