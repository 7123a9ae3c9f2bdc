import numpy as np
import torch


class ReplayBuffer:
    """A first-in-first-out buffer."""

    def __init__(self, obs_dim, act_dim, size, device=None):
        self.device = device
        self.obs = np.zeros((size, obs_dim), dtype=np.float32)
        self.next_obs = np.zeros((size, obs_dim), dtype=np.float32)
        self.act = np.zeros((size, act_dim), dtype=np.float32)
        self.rew = np.zeros(size, dtype=np.float32)
        self.ptr, self.size, self.max_size = 0, 0, size

    def store(self, obs, act, rew, next_obs):
        self.obs[self.ptr], self.next_obs[self.ptr] = obs, next_obs
        self.act[self.ptr], self.rew[self.ptr] = act, rew
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample_batch(self, batch_size=16):
        idxs = np.random.randint(0, self.size, size=batch_size)
        batch = dict(obs=self.obs[idxs], next_obs=self.next_obs[idxs], act=self.act[idxs], rew=self.rew[idxs])
        return {k: torch.as_tensor(v, dtype=torch.float32, device=self.device) for k, v in batch.items()}
