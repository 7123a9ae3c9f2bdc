# trap: generators of loaders, samplers and splits are the host's
# covers: generator sampler
import torch
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, TensorDataset, random_split

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
# --- stays
g = torch.Generator()
g.manual_seed(0)
data = TensorDataset(torch.arange(24.0).view(12, 2))
train, test = random_split(data, [8, 4], generator=g)
order = torch.randperm(8, generator=g).tolist()
# --- end
model = nn.Linear(2, 1).to(device)
for (x,) in DataLoader(train, batch_size=4, shuffle=True, generator=g):  # moves
    print(model(x).shape)
for (x,) in DataLoader(test, batch_size=2, sampler=RandomSampler(test, generator=g)):  # moves
    print(model(x).shape, len(order))
