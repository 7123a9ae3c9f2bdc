# run:
# run: --device cpu
import argparse

import torch
from torch import nn


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    p.add_argument("--steps", type=int, default=4)
    return p.parse_args()


class Policy(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
        self.device = device
        self.to(device)

    def act(self, obs):
        obs = torch.as_tensor(obs, dtype=torch.float32)
        if self.device != "cpu":
            obs = obs.to(self.device)
        return torch.distributions.Categorical(logits=self.body(obs))


def main(args):
    torch.manual_seed(7)
    policy = Policy(args.device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    obs = [0.1, -0.2, 0.3]
    for step in range(args.steps):
        dist = policy.act(obs)
        action = dist.sample()
        reward = 1.0 if action.item() == 1 else -1.0
        loss = -dist.log_prob(action) * reward
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        obs = [o + 0.05 * reward for o in obs]
        print(step, action.item(), f"{loss.item():.5f}")
    print(args.device.split(":")[0] in ("cpu", "cuda"))


if __name__ == "__main__":
    main(get_args())
