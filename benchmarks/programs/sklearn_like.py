import numpy as np
import torch
from torch import nn


class TorchRegressor:
    def __init__(self, hidden=8, epochs=20, lr=0.05, seed=0, verbose=False):
        self.hidden, self.epochs, self.lr, self.seed, self.verbose = hidden, epochs, lr, seed, verbose

    def get_params(self):
        return dict(hidden=self.hidden, epochs=self.epochs, lr=self.lr, seed=self.seed)

    def fit(self, X, y, sample_weight=None):
        torch.manual_seed(self.seed)
        self.mean_, self.std_ = X.mean(0), X.std(0) + 1e-8
        X = torch.tensor((X - self.mean_) / self.std_, dtype=torch.float32)
        y = torch.as_tensor(y, dtype=torch.float32).reshape(-1, 1)
        w = torch.ones(len(X), 1) if sample_weight is None else torch.tensor(sample_weight).float()[:, None]
        self.model_ = nn.Sequential(nn.Linear(X.shape[1], self.hidden), nn.ReLU(), nn.Linear(self.hidden, 1))
        opt = torch.optim.Adam(self.model_.parameters(), lr=self.lr)
        self.loss_ = []
        for _ in range(self.epochs):
            perm = torch.randperm(len(X))
            for idx in perm.split(16):
                loss = (w[idx] * (self.model_(X[idx]) - y[idx]) ** 2).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
            self.loss_.append(float(loss))
        return self

    def predict(self, X):
        self.model_.eval()
        with torch.no_grad():
            X = torch.tensor((X - self.mean_) / self.std_, dtype=torch.float32)
            return self.model_(X).squeeze(1).numpy()

    def score(self, X, y):
        e = y - self.predict(X)
        return 1 - (e ** 2).sum() / ((y - y.mean()) ** 2).sum()


def cross_validate(make, X, y, k=3):
    folds = np.array_split(np.arange(len(X)), k)
    for i in range(k):
        test = folds[i]
        train = np.concatenate([f for j, f in enumerate(folds) if j != i])
        yield make().fit(X[train], y[train]).score(X[test], y[test])


rng = np.random.RandomState(0)
X = rng.randn(48, 3)
y = X[:, 0] - 2 * X[:, 1] ** 2
print(["%.4f" % s for s in cross_validate(lambda: TorchRegressor(epochs=10), X, y)])
m = TorchRegressor(**TorchRegressor(epochs=5).get_params()).fit(X, y, np.abs(y))
print(["%.5f" % l for l in m.loss_], m.predict(X[:2]).round(4).tolist())
