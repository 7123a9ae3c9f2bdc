# trap: the collate function is a method of a trainer that holds a device
# covers: collate worker
import torch
from torch import nn
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, samples):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = nn.Linear(3, 1).to(self.device)
        self.loader = DataLoader(samples, batch_size=2, collate_fn=self.collate)

    def collate(self, batch):
        # --- stays
        x = torch.stack([torch.as_tensor(s) for s in batch])
        noise = torch.ones(len(batch), 3) * 0.01
        return x + noise
        # --- end

    def run(self):
        for x in self.loader:  # moves
            print(self.model(x).shape)


Trainer([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [0.0, 0.0, 1.0]]).run()
