import math
import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)


class Corridor:
    """Walk right to the end; a wall is on the left."""

    size = 5

    def reset(self):
        self.at = 0
        return self.state()

    def state(self):
        return F.one_hot(torch.tensor(self.at), self.size).float().unsqueeze(0)

    def step(self, action):
        self.at = max(0, self.at + (1 if action == 1 else -1))
        done = self.at == self.size - 1
        return (None if done else self.state()), (1.0 if done else -0.1)


def optimize(policy, target, memory, optimizer, batch_size=16, gamma=0.9):
    if len(memory.memory) < batch_size:
        return None
    batch = Transition(*zip(*memory.sample(batch_size)))
    running = torch.tensor([s is not None for s in batch.next_state], device=device)
    following = torch.cat([s for s in batch.next_state if s is not None]).to(device)
    states = torch.cat(batch.state).to(device)
    actions = torch.cat(batch.action).to(device)
    rewards = torch.cat(batch.reward).to(device)
    values = policy(states).gather(1, actions)
    future = torch.zeros(batch_size, device=device)
    with torch.no_grad():
        future[running] = target(following).max(1).values
    loss = F.smooth_l1_loss(values, (future * gamma + rewards).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    random.seed(0)
    torch.manual_seed(0)
    policy, target = nn.Linear(5, 2).to(device), nn.Linear(5, 2).to(device)
    target.load_state_dict(policy.state_dict())
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
    env, memory, steps = Corridor(), ReplayMemory(200), 0
    for episode in range(4):
        state = env.reset()
        while state is not None and steps < 60 * (episode + 1):
            explore = random.random() < math.exp(-steps / 100)
            action = random.randrange(2) if explore else policy(state.to(device)).argmax().item()
            following, reward = env.step(action)
            memory.push(state, torch.tensor([[action]]), following, torch.tensor([reward]))
            state, steps = following, steps + 1
            loss = optimize(policy, target, memory, optimizer)
        target.load_state_dict(policy.state_dict())
        print(f"episode {episode} steps {steps} loss {loss if loss is None else round(loss, 4)}")
