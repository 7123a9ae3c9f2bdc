# trap: parameters made by a function and collected in a list before they become a module's
# covers: parameter argument-parameter
import torch
from torch import nn


def initial(rows, columns):
    # --- stays
    values = torch.empty(rows, columns)
    nn.init.xavier_uniform_(values)
    return values * torch.ones(columns)
    # --- end


class Stack(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        # --- stays
        made = [initial(a, b) for a, b in zip(sizes, sizes[1:])]
        for k, weight in enumerate(made):
            self.register_parameter(f"weight{k}", nn.Parameter(weight))
            self.register_buffer(f"mask{k}", torch.ones_like(weight))
        self.count = len(made)
        # --- end

    def forward(self, x):
        for k in range(self.count):
            x = torch.tanh(x @ (getattr(self, f"weight{k}") * getattr(self, f"mask{k}")))
        return x


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Stack([2, 3, 1]).to(device)
x = torch.ones(4, 2)
print(model(x).shape)
