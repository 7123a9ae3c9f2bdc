import torch
import torch.nn as nn

from binary import BinaryLinear


def xor_data(count):
    x = torch.randint(0, 2, (count, 8)).float() * 2 - 1
    return x, (x[:, 0] * x[:, 1] > 0).long()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(
        BinaryLinear(8, 32), nn.BatchNorm1d(32), nn.Hardtanh(), BinaryLinear(32, 2)
    ).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(8):
        x, y = xor_data(64)
        x, y = x.to(device), y.to(device)
        logits = model(x)
        loss = nn.functional.cross_entropy(logits / 8, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 2:
            right = (logits.argmax(1) == y).float().mean().item()
            print(f"step {step + 1}: loss {loss.item():.4f} accuracy {right:.3f}")


if __name__ == "__main__":
    main()
