# moves
import torch
model = None
scale = None
def setup():
    global model, scale
    model = torch.nn.Linear(3, 2)
    scale = torch.ones(2)
def run(x):
    return (model(x) * scale).sum().item()
setup()
print(run(torch.ones(1, 3)))
