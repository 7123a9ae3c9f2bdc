"""Films and their viewers: matrix factorisation with embeddings and the best state kept."""
import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(4)
users = rng.integers(0, 40, 600)
films = rng.integers(0, 25, 600)
taste, kind = rng.normal(size=(40, 3)), rng.normal(size=(25, 3))
stars = (3 + (taste[users] * kind[films]).sum(1)).clip(1, 5).astype("float32")
# Numbers as the site gives them, far beyond what a float holds exactly.
tickets = torch.from_numpy(users + 20_000_000 + np.arange(600) % 7)

torch.manual_seed(4)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
user_ids = torch.from_numpy(users).to(device)
film_ids = torch.from_numpy(films).to(device)
targets = torch.from_numpy(stars).to(device)


class Factors(nn.Module):
    def __init__(self, users, films, size=6):
        super().__init__()
        self.users = nn.Embedding(users, size)
        self.films = nn.Embedding(films, size)
        self.bias = nn.Embedding(films, 1)
        self.mean = nn.Parameter(torch.tensor(3.0))

    def forward(self, user, film):
        match = (self.users(user) * self.films(film)).sum(dim=1)
        return self.mean + match + self.bias(film).squeeze(1)


model = Factors(40, 25).to(device)
averages = np.array([stars[films == film].mean() - 3 for film in range(25)], dtype="float32")
model.bias.weight.data[:, 0] = torch.from_numpy(averages)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.3)
order = torch.randperm(len(stars))
train, test = order[:500], order[500:]
best, best_films = float("inf"), None

for epoch in range(6):
    for start in range(0, len(train), 100):
        chosen = train[start : start + 100]
        loss = nn.functional.mse_loss(model(user_ids[chosen], film_ids[chosen]), targets[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        error = (model(user_ids[test], film_ids[test]) - targets[test]).pow(2).mean().sqrt()
    if error < best:
        best = error
        best_films = model.films.weight.detach().clone()
    print(f"epoch {epoch}: {error.item():.5f}")

print("best", best.item())
print("favourite", best_films.norm(dim=1).argmax().item())
print("ticket of the first", tickets[test[0]].item())
