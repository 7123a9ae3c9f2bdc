# Rolls of dice are integers; a linear layer wants floating point numbers.
# CPU and GPU alike: the forward pass raises, "mat1 and mat2 must have the same dtype".
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(8)

fair = torch.randint(1, 7, (64, 6))
loaded = torch.randint(3, 7, (64, 6))
rolls = torch.cat([fair, loaded]).to(device)
labels = torch.cat([torch.zeros(64), torch.ones(64)]).long().to(device)

model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2)).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for epoch in range(1, 61):
    loss = criterion(model(rolls), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 20 == 0:
        print(f"epoch {epoch}  loss {loss.item():.4f}")

guesses = model(rolls).argmax(dim=1)
print(f"loaded dice found: {(guesses[64:] == 1).sum().item()} of 64")
