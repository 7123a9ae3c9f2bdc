# trap: statistics kept by a Dataset are read by workers, though everything else is on the device
# covers: dataset
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Weather(Dataset):
    # --- stays
    def __init__(self, table):
        self.rows = torch.from_numpy(table).float()
        self.mean = self.rows.mean(0)
        self.std = self.rows.std(0) + torch.tensor(1e-6)
        self.weights = torch.ones(len(table))

    def __len__(self):
        return self.rows.size(0)

    def __getitem__(self, i):
        row = (self.rows[i] - self.mean) / self.std
        return row[:-1] * torch.full((3,), 0.5), row[-1:], self.weights[i]

    # --- end


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    data = Weather(np.arange(48, dtype=np.float64).reshape(12, 4))
    model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for x, y, w in DataLoader(data, batch_size=6, shuffle=False):  # moves
            loss = (w[:, None] * (model(x) - y) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, round(loss.item(), 4))


if __name__ == "__main__":
    main()
