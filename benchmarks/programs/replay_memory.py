import random
from collections import namedtuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class ReplayMemory(object):
    def __init__(self, capacity):
        self.capacity, self.memory, self.position = capacity, [], 0

    def push(self, *args):
        if len(self.memory) < self.capacity:
            self.memory.append(None)
        self.memory[self.position] = Transition(*args)
        self.position = (self.position + 1) % self.capacity

    def sample(self, n):
        return random.sample(self.memory, n)


class Env:
    def __init__(self):
        self.s = np.zeros(3)
        self.rng = np.random.RandomState(0)

    def step(self, action):
        self.s = self.s * 0.9 + self.rng.randn(3) * 0.1
        self.s[action] += 0.5
        done = self.s.max() > 1.5
        return self.s.copy(), float(self.s[0] - self.s[2]), done

    def reset(self):
        self.s = self.rng.randn(3)
        return self.s.copy()


def as_tensor(s):
    return torch.from_numpy(s).float().unsqueeze(0)


random.seed(0)
torch.manual_seed(0)
policy, target = nn.Linear(3, 3), nn.Linear(3, 3)
target.load_state_dict(policy.state_dict())
target.eval()
optimizer = torch.optim.RMSprop(policy.parameters(), lr=0.01)
memory, env = ReplayMemory(50), Env()
state = as_tensor(env.reset())
for t in range(30):
    if random.random() > 0.3:
        with torch.no_grad():
            action = policy(state).max(1)[1].view(1, 1)
    else:
        action = torch.tensor([[random.randrange(3)]], dtype=torch.long)
    observation, reward, done = env.step(action.item())
    reward = torch.tensor([reward], dtype=torch.float32)
    next_state = None if done else as_tensor(observation)
    memory.push(state, action, next_state, reward)
    state = as_tensor(env.reset()) if done else next_state
    if len(memory.memory) < 8:
        continue
    batch = Transition(*zip(*memory.sample(8)))
    mask = torch.tensor(tuple(s is not None for s in batch.next_state), dtype=torch.bool)
    non_final = torch.cat([s for s in batch.next_state if s is not None])
    q = policy(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
    v = torch.zeros(8)
    v[mask] = target(non_final).max(1)[0].detach()
    loss = F.smooth_l1_loss(q, (v * 0.99 + torch.cat(batch.reward)).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    for p in policy.parameters():
        p.grad.data.clamp_(-1, 1)
    optimizer.step()
    if t % 10 == 9:
        target.load_state_dict(policy.state_dict())
        print(t, "%.6f" % loss.item())
