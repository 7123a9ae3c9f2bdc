import numpy as np
import torch
import torch.nn as nn

from buffer import ReplayBuffer


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs_dim, 24), nn.ReLU(), nn.Linear(24, act_dim), nn.Tanh())
        self.q = nn.Sequential(nn.Linear(obs_dim + act_dim, 24), nn.ReLU(), nn.Linear(24, 1))

    def act(self, obs):
        with torch.no_grad():
            return self.pi(obs).numpy()

    def value(self, obs, act):
        return self.q(torch.cat([obs, act], dim=-1)).squeeze(-1)


def step(obs, act):
    following = 0.9 * obs + 0.1 * np.concatenate([act, -act])
    return following.astype(np.float32), float(-np.square(following).sum())


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ac = ActorCritic(4, 2).to(device)
    buffer = ReplayBuffer(4, 2, 100)
    q_opt = torch.optim.Adam(ac.q.parameters(), lr=5e-3)
    pi_opt = torch.optim.Adam(ac.pi.parameters(), lr=5e-3)
    obs = np.ones(4, dtype=np.float32)
    for t in range(1, 41):
        act = ac.act(torch.as_tensor(obs, dtype=torch.float32)) + 0.1 * np.random.randn(2)
        following, reward = step(obs, act)
        buffer.store(obs, act, reward, following)
        obs = following
        if t < 16:
            continue
        data = buffer.sample_batch()
        with torch.no_grad():
            backup = data["rew"] + 0.9 * ac.value(data["next_obs"], ac.pi(data["next_obs"]))
        loss_q = (ac.value(data["obs"], data["act"]) - backup).pow(2).mean()
        q_opt.zero_grad()
        loss_q.backward()
        q_opt.step()
        loss_pi = -ac.value(data["obs"], ac.pi(data["obs"])).mean()
        pi_opt.zero_grad()
        loss_pi.backward()
        pi_opt.step()
        if t % 8 == 0:
            print(f"t {t} q {loss_q.item():.4f} pi {loss_pi.item():.4f}")


main()
