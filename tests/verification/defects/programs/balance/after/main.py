"""REINFORCE on a pole of our own, whose world is NumPy."""
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class Pole:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def reset(self):
        self.state = self.random.uniform(-0.05, 0.05, size=2)
        return self.state.copy()

    def step(self, action):
        push = 0.4 if action == 1 else -0.4
        self.state[1] += 0.1 * (5.0 * np.sin(self.state[0]) + push) + self.random.normal(0, 0.002)
        self.state[0] += 0.1 * self.state[1]
        return self.state.copy(), 1.0, abs(self.state[0]) > 0.4


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, state):
        return torch.softmax(self.layers(state), dim=-1)


def discounted(rewards, device, gamma=0.97):
    returns, running = [], 0.0
    for reward in reversed(rewards):
        running = reward + gamma * running
        returns.insert(0, running)
    returns = torch.tensor(returns, device=device)
    return (returns - returns.mean()) / (returns.std() + 1e-6)


def main():
    torch.manual_seed(2)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    world = Pole(seed=7)
    policy = Policy().to(device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
    average = 0.0
    for episode in range(8):
        state, log_probs, rewards = world.reset(), [], []
        for _ in range(40):
            chances = policy(torch.from_numpy(state).float().to(device))
            choice = Categorical(chances)
            action = choice.sample()
            log_probs.append(choice.log_prob(action))
            state, reward, done = world.step(action.item())
            rewards.append(reward)
            if done:
                break
        advantage = discounted(rewards, device)
        loss = -(torch.stack(log_probs) * advantage).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average = 0.9 * average + 0.1 * len(rewards)
    print(f"after {episode + 1} episodes: {average:.3f} steps")


main()
