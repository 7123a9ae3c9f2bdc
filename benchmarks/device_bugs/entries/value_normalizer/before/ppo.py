import torch
import torch.nn as nn

from valuenorm import ValueNorm


class Critic(nn.Module):
    def __init__(self, obs_dim=5):
        super().__init__()
        self.v = nn.Sequential(nn.Linear(obs_dim, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, obs):
        return self.v(obs)


class CriticTrainer:
    def __init__(self, device):
        self.device = device
        self.critic = Critic().to(device)
        self.value_normalizer = ValueNorm(1).to(self.device)
        self.optimizer = torch.optim.Adam(self.critic.parameters(), lr=0.01)

    def update(self, obs, returns):
        obs, returns = obs.to(self.device), returns.to(self.device)
        self.value_normalizer.update(returns)
        target = self.value_normalizer.normalize(returns)
        loss = nn.functional.huber_loss(self.critic(obs), target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(0)
    trainer = CriticTrainer(torch.device("cuda:0" if torch.cuda.is_available() else "cpu"))
    for it in range(4):
        obs = torch.randn(64, 5)
        returns = 20 + 5 * obs.sum(1, keepdim=True)
        print(f"iteration {it} value loss {trainer.update(obs, returns):.4f}")
    values = trainer.value_normalizer.denormalize(trainer.critic(torch.zeros(1, 5).to(trainer.device)))
    print(f"value of zero {values.item():.3f}")
