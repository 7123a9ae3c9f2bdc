"""A small network learns what a larger one says, which was trained and kept before."""
import torch
import torch.nn.functional as F
from torch import nn


def make(width):
    return nn.Sequential(nn.Linear(5, width), nn.ReLU(), nn.Dropout(0.2), nn.Linear(width, 3))


def fit(net, target, inputs, rate, device):
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    for x in inputs:
        x = x.to(device)
        loss = F.kl_div(net(x).log_softmax(dim=1), target(x), reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    torch.manual_seed(66)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    inputs = torch.randn(8, 32, 5)
    large = make(32).to(device)
    fit(large, lambda x: (2 * x[:, :3]).softmax(dim=1), inputs, 0.02, device)
    torch.save({"net": large.state_dict(), "width": 32}, "teacher.pt")

    kept = torch.load("teacher.pt", map_location=device)
    teacher = make(kept["width"]).to(device)
    teacher.load_state_dict(kept["net"])
    teacher.eval()
    small = make(6).to(device)
    with torch.no_grad():
        soft = [(teacher(x.to(device)) / 2.0).softmax(dim=1) for x in inputs]
    answers = iter(soft)
    fit(small, lambda x: next(answers), inputs, 0.05, device)
    torch.save(small.state_dict(), "student.pt")


main()
