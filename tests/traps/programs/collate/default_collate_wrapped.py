# trap: a wrapper of the default collate function adds a tensor of its own
# covers: collate
import torch
from torch import nn
from torch.utils.data import DataLoader, default_collate

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def with_noise(strength):
    noise = torch.linspace(0, strength, 3)  # stays

    def collate(samples):
        x, y = default_collate(samples)
        return x + noise, y, torch.ones(len(samples))  # stays

    return collate


samples = [(torch.full((3,), float(k)), k % 2) for k in range(4)]  # stays
model = nn.Linear(3, 2).to(device)
for x, y, weight in DataLoader(samples, batch_size=2, collate_fn=with_noise(0.1)):
    loss = nn.functional.cross_entropy(model(x), y, reduction="none")
    print((loss * weight).sum().item() > 0)
print(model(torch.ones(1, 3)).shape)  # moves
