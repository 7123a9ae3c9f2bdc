import argparse
import io

import torch
from torch import nn

use_cuda = torch.cuda.is_available()


class Tacotiny(nn.Module):
    def __init__(self, symbols=20, dim=16, mels=6):
        super().__init__()
        self.embedding = nn.Embedding(symbols, dim)
        self.encoder = nn.GRU(dim, dim, batch_first=True)
        self.mel = nn.Linear(dim, mels)

    def forward(self, text):
        return self.mel(self.encoder(self.embedding(text))[0])


def train(model, optimizer, steps, device):
    for _ in range(steps):
        text = torch.randint(0, 20, (8, 10))
        mel = torch.stack([(text % k).float() for k in range(2, 8)], dim=-1) / 5
        text, mel = text.to(device), mel.to(device)
        loss = nn.functional.l1_loss(model(text), mel)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def load_checkpoint(file, model, optimizer):
    checkpoint = torch.load(file, map_location="cpu")
    model.load_state_dict(checkpoint["state_dict"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return checkpoint["global_step"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if use_cuda else "cpu")

    model = Tacotiny().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    print(f"first run: {train(model, optimizer, args.steps, device):.4f}")
    file = io.BytesIO()
    state = {"state_dict": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save({**state, "global_step": args.steps}, file)
    file.seek(0)

    model = Tacotiny().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    step = load_checkpoint(file, model, optimizer)
    print(f"from step {step}: {train(model, optimizer, args.steps, device):.4f}")


if __name__ == "__main__":
    main()
