# run:
# run: --gpus 0
# run: --gpus 0,1
import argparse

import torch
import torch.nn as nn

p = argparse.ArgumentParser()
p.add_argument("--gpus", default="")
args = p.parse_args()
ids = [int(g) for g in args.gpus.split(",") if g] if torch.cuda.is_available() else []
ids = ids[: torch.cuda.device_count()] if ids else ids


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.fc = nn.Linear(2 * 36, 2)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).flatten(1))

    def features(self, x):
        return self.conv(x).mean((2, 3))


torch.manual_seed(0)
model = Model()
if len(ids) > 0:
    model = nn.DataParallel(model, device_ids=ids).cuda(ids[0])
inner = model.module if isinstance(model, nn.DataParallel) else model
opt = torch.optim.SGD(inner.parameters(), lr=0.1)
x, y = torch.randn(6, 1, 8, 8), torch.tensor([0, 1, 0, 1, 1, 0])
for _ in range(3):
    a, b = (x.cuda(ids[0]), y.cuda(ids[0])) if ids else (x, y)
    loss = nn.functional.cross_entropy(model(a), b)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print("%.6f" % loss.item())
print(["%.5f" % v for v in inner.features(x.cuda(ids[0]) if ids else x).mean(0).tolist()])
print(sorted(inner.state_dict()))
