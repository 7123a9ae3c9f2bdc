import copy
import io
import pickle

import torch
from torch import nn


class Standardize:
    def __init__(self, mean, std):
        self.mean, self.std = torch.tensor(mean), torch.tensor(std)

    def __call__(self, x):
        return (x - self.mean) / self.std


class Classifier(nn.Module):
    def __init__(self, n, transform=None):
        super().__init__()
        self.transform = transform
        self.fc = nn.Linear(n, 2)
        self.history = []

    def forward(self, x):
        if self.transform is not None:
            x = self.transform(x)
        return self.fc(x)

    def __getstate__(self):
        state = self.__dict__.copy()
        state["history"] = state["history"][-1:]
        return state


torch.manual_seed(0)
clf = Classifier(3, Standardize([0.1, 0.2, 0.3], [1.0, 2.0, 3.0]))
opt = torch.optim.SGD(clf.parameters(), lr=0.1)
x, y = torch.randn(12, 3), torch.randint(0, 2, (12,))
for _ in range(3):
    loss = nn.functional.cross_entropy(clf(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    clf.history.append(loss.item())
again = pickle.loads(pickle.dumps(clf))
print(again.history, torch.equal(again(x), clf(x)))
buffer = io.BytesIO()
torch.save({"model": clf.state_dict(), "opt": opt.state_dict(), "x": x[:2]}, buffer)
buffer.seek(0)
saved = torch.load(buffer, weights_only=False)
other = copy.deepcopy(clf)
other.load_state_dict(saved["model"])
print(sorted(saved["model"]), other(saved["x"]).detach().numpy().round(4).tolist())
