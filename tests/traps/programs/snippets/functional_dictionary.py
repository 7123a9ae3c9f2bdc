# trap: functional parameters in a dictionary, without a module: leaves stay leaves
# covers: functional-dict
import torch
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def network(x, params):
    hidden = F.relu(F.linear(x, params["w1"], params["b1"]))
    return F.linear(hidden, params["w2"], params["b2"])


torch.manual_seed(0)
# --- stays
params = {"w1": torch.randn(4, 3), "b1": torch.zeros(4), "w2": torch.randn(2, 4), "b2": torch.zeros(2)}
params = {key: value.to(device).requires_grad_() for key, value in params.items()}
optimizer = torch.optim.SGD(params.values(), lr=0.1)
# --- end
x = torch.ones(5, 3)  # moves
y = torch.zeros(5, dtype=torch.long)  # moves
for step in range(2):
    loss = F.cross_entropy(network(x, params), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(all(value.is_leaf for value in params.values()), loss.item() > 0)
