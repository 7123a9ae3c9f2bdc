# trap: a replay buffer is large and stays on the host; what is drawn from it moves
# covers: on-purpose alias
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Replay:
    def __init__(self, capacity, size):
        # --- stays
        self.states = torch.zeros(capacity, size)
        self.rewards = torch.zeros(capacity)
        self.count = 0
        # --- end

    def add(self, state, reward):
        # --- stays
        index = self.count % len(self.rewards)
        self.states[index] = state
        self.rewards[index] = reward
        self.count += 1
        # --- end

    def sample(self, size):
        # --- stays
        chosen = torch.randint(min(self.count, len(self.rewards)), (size,))
        return self.states[chosen].to(device), self.rewards[chosen].to(device)
        # --- end


torch.manual_seed(0)
memory = Replay(10, 3)
for k in range(12):
    memory.add(torch.full((3,), float(k)), k / 10)  # stays
critic = nn.Linear(3, 1).to(device)
states, rewards = memory.sample(4)
print(nn.functional.mse_loss(critic(states).squeeze(1), rewards).item() > 0)
