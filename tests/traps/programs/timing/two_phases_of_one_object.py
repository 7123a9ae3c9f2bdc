# trap: an object is tried out on the host before it is told to move
# covers: timing
import torch
from torch import nn


class Agent:
    def __init__(self, size):
        self.net = nn.Linear(size, 2)
        self.warmed = self.net(torch.zeros(1, size)).shape  # stays

    def to(self, device):
        self.net.to(device)
        return self

    def act(self, state):
        return self.net(state).argmax(1)


run_on = torch.device("cuda" if torch.cuda.is_available() else "cpu")
agent = Agent(3)
print(agent.act(torch.ones(1, 3)).shape)  # stays
agent.to(run_on)
print(agent.act(torch.ones(2, 3, device=run_on)).shape, agent.warmed)  # stays
