import torch


class RolloutStorage:
    def __init__(self, num_steps, num_processes, obs_size):
        self.obs = torch.zeros(num_steps + 1, num_processes, obs_size)
        self.rewards = torch.zeros(num_steps, num_processes, 1)
        self.values = torch.zeros(num_steps + 1, num_processes, 1)
        self.returns = torch.zeros(num_steps + 1, num_processes, 1)
        self.actions = torch.zeros(num_steps, num_processes, 1, dtype=torch.long)

    def to(self, device):
        self.obs = self.obs.to(device)
        self.rewards = self.rewards.to(device)
        self.values = self.values.to(device)
        self.returns = self.returns.to(device)
        self.actions = self.actions.to(device)

    def insert(self, step, obs, action, value, reward):
        self.obs[step + 1].copy_(obs)
        self.actions[step].copy_(action)
        self.values[step].copy_(value)
        self.rewards[step].copy_(reward)

    def compute_returns(self, next_value, gamma):
        self.returns[-1] = next_value
        for step in reversed(range(self.rewards.size(0))):
            self.returns[step] = self.returns[step + 1] * gamma + self.rewards[step]

    def after_update(self):
        self.obs[0].copy_(self.obs[-1])
