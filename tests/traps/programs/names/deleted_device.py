# trap: the name is deleted, or means something else, when the function runs
# covers: names shadowed-device
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
x = torch.ones(3, 2, device=device)


def later(net, rows):
    return net(torch.tensor(rows)).shape  # stays


print(model(x).shape)
del device
model.cpu()  # stays
print(later(model, [[1.0, 2.0]]))  # stays
