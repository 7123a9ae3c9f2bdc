# trap: an object moves its own tensors in a method; its constructor stays
# covers: moved-later user-to
import torch
from torch import nn


class Graph:
    # --- stays
    def __init__(self, nodes):
        self.features = torch.eye(nodes)
        self.adjacency = torch.ones(nodes, nodes)
        self.names = [str(k) for k in range(nodes)]

    def to(self, device):
        self.features = self.features.to(device)
        self.adjacency = self.adjacency.to(device)
        return self

    # --- end


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
graph = Graph(3).to(device)  # stays
model = nn.Linear(3, 2).to(device)
print(model(graph.adjacency @ graph.features).shape)  # stays
print(model(torch.ones(1, 3)).shape)  # moves
