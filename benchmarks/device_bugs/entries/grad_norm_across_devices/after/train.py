import torch
import torch.nn as nn

from sam import SAM

if torch.cuda.device_count() > 1:
    dev0, dev1 = "cuda:0", "cuda:1"
else:
    dev0 = dev1 = "cuda" if torch.cuda.is_available() else "cpu"


class Split(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, 20), nn.ReLU()).to(dev0)
        self.decoder = nn.Linear(20, 2).to(dev1)

    def forward(self, x):
        return self.decoder(self.encoder(x.to(dev0)).to(dev1))


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Split()
    optimizer = SAM(model.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
    for step in range(5):
        x = torch.randn(40, 6)
        y = (x[:, 0] * x[:, 1] > 0).long().to(dev1)
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.first_step()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.second_step()
        print(f"step {step} loss {loss.item():.4f}")
