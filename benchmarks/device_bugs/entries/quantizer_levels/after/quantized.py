import torch
import torch.nn as nn

from quant import state_quant


class Leaky(nn.Module):
    """A leaky integrator whose state has few levels."""

    def __init__(self, n_in, n_out, beta=0.8):
        super().__init__()
        self.fc = nn.Linear(n_in, n_out)
        self.beta = beta

    def forward(self, steps):
        membrane = steps.new_zeros(steps.size(1), self.fc.out_features)
        for x in steps:
            membrane = state_quant(self.beta * membrane + self.fc(x))
        return membrane


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(Leaky(5, 24), nn.Linear(24, 2)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(6):
        spikes = (torch.rand(7, 32, 5) < 0.3).float()
        labels = (spikes[:, :, 0].sum(0) > spikes[:, :, 1].sum(0)).long()
        loss = nn.functional.cross_entropy(model(spikes.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
