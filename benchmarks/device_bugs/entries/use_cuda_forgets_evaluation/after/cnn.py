import argparse

import torch
import torch.nn as nn
import torch.optim as optim

BASES = "ACGT"
MOTIF = [0, 1, 2, 3]


def encode(count, length=20):
    index = torch.randint(0, 4, (count, length))
    labels = torch.arange(count) % 2
    for row in range(1, count, 2):
        at = int(torch.randint(0, length - 4, (1,)))
        index[row, at:at + 4] = torch.tensor(MOTIF)
    onehot = nn.functional.one_hot(index, 4).float().transpose(1, 2)
    return onehot, labels


class MotifNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 16, 4)
        self.fc = nn.Linear(16, 2)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).amax(dim=2))


def evaluate(model, x, y, use_cuda):
    model.eval()
    with torch.no_grad():
        if use_cuda:
            x, y = x.cuda(), y.cuda()
        pred = model(x).argmax(1)
    return pred.eq(y).sum().item() / len(y)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", type=int, default=0, help="index of the GPU, -1 for none")
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    torch.manual_seed(0)
    use_cuda = args.cuda >= 0 and torch.cuda.is_available()
    x, y = encode(80)
    model = MotifNet()
    criterion = nn.CrossEntropyLoss()
    if use_cuda:
        torch.cuda.set_device(args.cuda)
        model.cuda()
        criterion.cuda()
    optimizer = optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(args.epochs):
        model.train()
        for part in range(0, 64, 16):
            batch, target = x[part:part + 16], y[part:part + 16]
            if use_cuda:
                batch, target = batch.cuda(), target.cuda()
            loss = criterion(model(batch), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        score = evaluate(model, x[64:], y[64:], use_cuda)
        print(f"epoch {epoch} loss {loss.item():.4f} accuracy {score:.3f}")


if __name__ == "__main__":
    main()
