# case: sizes and data
import numpy as np
import torch

model = torch.nn.Linear(3, 2)
total = model(torch.FloatTensor(4, 3).fill_(1.0)).sum()
total += model(torch.Tensor([[1, 2, 3]])).sum() + model(torch.FloatTensor(2, 3).zero_()).sum()
rows = model.weight.data
embed = torch.nn.Embedding(3, 2)
total += embed(torch.LongTensor([0, 1])).sum() + rows[torch.LongTensor([0, 1])].sum()
total += model(torch.FloatTensor(np.ones((2, 3)))).sum()
print(total.item())

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(3, 2).to(device)
total = model(torch.ones(4, 3, device=device)).sum()
total += model(torch.tensor([[1, 2, 3]], dtype=torch.float32, device=device)).sum() + model(torch.zeros(2, 3, device=device)).sum()
rows = model.weight.data
embed = torch.nn.Embedding(3, 2).to(device)
total += embed(torch.tensor([0, 1], device=device)).sum() + rows[torch.LongTensor([0, 1])].sum()
total += model(torch.tensor(np.ones((2, 3)), dtype=torch.float32, device=device)).sum()
print(total.item())

# case: a size or data
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)


def run(n):
    return model(torch.FloatTensor(n).to(device))


print(run([1.0, 2.0, 3.0]), run(3).shape)

# case: nothing has to be moved
import torch

lengths = torch.LongTensor([3, 2])
print(lengths.numpy(), torch.FloatTensor(2, 3).zero_().sum().item())

# case: moved already
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)
print(model(torch.FloatTensor(4, 3).zero_().to(device)).sum().item())
