"""A trainer that keeps checkpoints, is resumed, and gets a new head."""
import os

import torch
from torch import nn


class Trainer:
    def __init__(self, model, folder):
        self.model = model
        self.folder = folder
        self.epoch = 0
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.01)
        self.generator = torch.Generator().manual_seed(40)
        os.makedirs(folder, exist_ok=True)

    def batch(self):
        inputs = torch.randn(32, 5, generator=self.generator)
        wanted = inputs.abs().sum(dim=1, keepdim=True)
        return inputs, wanted

    def fit(self, epochs):
        while self.epoch < epochs:
            losses = []
            for _ in range(4):
                inputs, wanted = self.batch()
                loss = nn.functional.smooth_l1_loss(self.model(inputs), wanted)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                losses.append(loss.detach())
            self.epoch += 1
            self.save("last.pt", torch.stack(losses).mean())

    def save(self, name, loss):
        state = {
            "epoch": self.epoch,
            "loss": loss,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        torch.save(state, os.path.join(self.folder, name))

    def resume(self, name):
        state = torch.load(os.path.join(self.folder, name))
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epoch = state["epoch"]
        return state["loss"]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(5)
        self.body = nn.Linear(5, 16)
        self.head = nn.Linear(16, 1)
        self.register_buffer("scale", torch.tensor([2.0]))

    def forward(self, x):
        return self.scale * self.head(torch.relu(self.body(self.norm(x))))


def main():
    torch.manual_seed(40)
    Trainer(Net(), "run").fit(3)
    second = Trainer(Net(), "run")
    print("resumed at", f"{second.resume('last.pt'):.5f}")
    second.fit(5)

    model = second.model
    model.head = nn.Linear(16, 1)
    third = Trainer(model, "tuned")
    third.fit(2)
    print("files", sorted(os.listdir("run") + os.listdir("tuned")))


if __name__ == "__main__":
    main()
