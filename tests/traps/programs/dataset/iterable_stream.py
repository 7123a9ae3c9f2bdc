# trap: `__iter__` of an IterableDataset runs in workers, too
# covers: dataset
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Walk(IterableDataset):
    def __init__(self, steps):
        self.steps = steps

    def __iter__(self):
        # --- stays
        position = torch.zeros(2)
        for step in range(self.steps):
            position = position + torch.tensor([1.0, step % 3])
            yield position.clone(), torch.as_tensor(float(step))
        # --- end


net = nn.Linear(2, 1).to(device)
for places, times in DataLoader(Walk(8), batch_size=4):  # moves
    print(net(places).squeeze(1).sub(times).shape)
