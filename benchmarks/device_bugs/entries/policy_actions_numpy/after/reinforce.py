import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class PointEnv:
    """Stay near the middle of a line."""

    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)

    def reset(self):
        self.x = self.rng.uniform(-1, 1, size=2).astype(np.float32)
        self.t = 0
        return self.x

    def step(self, action):
        push = np.array([-0.2, 0.0, 0.2], dtype=np.float32)[action]
        self.x = np.clip(self.x + np.array([push, -push], dtype=np.float32) / 2, -2, 2)
        self.t += 1
        return self.x, -float(np.abs(self.x[0])), self.t >= 12


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 3))

    def forward(self, obs):
        return Categorical(logits=self.net(obs))


def returns_to_go(rewards, gamma=0.95):
    total, found = 0.0, []
    for reward in reversed(rewards):
        total = reward + gamma * total
        found.append(total)
    return np.array(found[::-1], dtype=np.float32)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    env = PointEnv(seed=0)
    policy = Policy().to(device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
    for episode in range(5):
        obs, done = env.reset(), False
        log_probs, rewards = [], []
        while not done:
            dist = policy(torch.from_numpy(obs).to(device))
            action = dist.sample()
            log_probs.append(dist.log_prob(action))
            obs, reward, done = env.step(action.cpu().numpy())
            rewards.append(reward)
        weights = torch.from_numpy(returns_to_go(rewards)).to(device)
        loss = -(torch.stack(log_probs) * (weights - weights.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"episode {episode}: return {sum(rewards):.3f} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
