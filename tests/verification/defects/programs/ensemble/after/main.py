"""Five small networks in a plain list, each with its own sample of the data."""
import json

import torch
from torch import nn


class Ensemble:
    def __init__(self, count, device):
        self.device = device
        self.nets = [nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)).to(device) for _ in range(count)]
        self.means = {"x": torch.zeros(3, device=device)}

    def fit(self, x, y):
        self.means["x"] = x.mean(dim=0).to(self.device)
        for seed, net in enumerate(self.nets):
            torch.manual_seed(seed)
            chosen = torch.randint(len(x), (len(x),))
            optimizer = torch.optim.Rprop(net.parameters())
            for _ in range(4):
                error = (net(x[chosen].to(self.device) - self.means["x"]) - y[chosen].to(self.device)).abs().mean()
                optimizer.zero_grad()
                error.backward()
                optimizer.step()

    def predict(self, x):
        with torch.no_grad():
            said = torch.stack([net(x.to(self.device) - self.means["x"]) for net in self.nets])
        return said.mean(dim=0).cpu(), said.std(dim=0).cpu()


torch.manual_seed(64)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.rand(50, 3)
ensemble = Ensemble(5, device)
ensemble.fit(x, x.norm(dim=1, keepdim=True))
mean, spread = ensemble.predict(torch.rand(6, 3))
with open("ensemble.json", "w") as file:
    json.dump({"mean": mean[:, 0].tolist(), "spread": spread[:, 0].tolist()}, file)
