"""Two tasks with one body: each part learns at a rate of its own."""
import torch
from torch import nn


def main():
    torch.manual_seed(61)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(64, 5).to(device)
    amount, sign = x.abs().sum(dim=1, keepdim=True), (x[:, :1] > 0).float()
    body = nn.Sequential(nn.Linear(5, 16), nn.Tanh()).to(device)
    heads = nn.ModuleDict({"amount": nn.Linear(16, 1), "sign": nn.Linear(16, 1)}).to(device)
    slow, fast = list(body.parameters()), list(heads.parameters())
    optimizer = torch.optim.SGD([{"params": slow, "lr": 0.02}, {"params": fast, "lr": 0.1}])
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8)
    for step in range(8):
        hidden = body(x)
        error = nn.functional.mse_loss(heads["amount"](hidden), amount)
        doubt = nn.functional.binary_cross_entropy_with_logits(heads["sign"](hidden), sign)
        loss = 0.3 * error + doubt
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 2:
            scheduler.step()
    print("done")


main()
