import torch
import torch.nn as nn

from storage import RolloutStorage

STEPS, PROCESSES, OBS = 5, 4, 6


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(OBS, 32), nn.Tanh())
        self.critic = nn.Linear(32, 1)
        self.actor = nn.Linear(32, 3)

    def forward(self, obs):
        h = self.base(obs)
        return self.critic(h), torch.distributions.Categorical(logits=self.actor(h))


def env_step(obs, action):
    shift = torch.nn.functional.one_hot(action.squeeze(1), 3).float().repeat(1, 2)
    obs = 0.8 * obs + 0.2 * shift
    return obs, obs[:, :1] - obs[:, 1:2]


def main():
    torch.manual_seed(0)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    policy = Policy().to(device)
    optimizer = torch.optim.RMSprop(policy.parameters(), lr=0.01)
    rollouts = RolloutStorage(STEPS, PROCESSES, OBS)
    rollouts.obs[0].copy_(torch.randn(PROCESSES, OBS))
    for update in range(4):
        for step in range(STEPS):
            with torch.no_grad():
                value, dist = policy(rollouts.obs[step])
                action = dist.sample().unsqueeze(1)
            obs, reward = env_step(rollouts.obs[step], action)
            rollouts.insert(step, obs, action, value, reward)
        with torch.no_grad():
            next_value, _ = policy(rollouts.obs[-1])
        rollouts.compute_returns(next_value, 0.95)
        values, dist = policy(rollouts.obs[:-1].flatten(0, 1))
        log_probs = dist.log_prob(rollouts.actions.flatten())
        advantages = rollouts.returns[:-1].flatten() - values.squeeze(1)
        loss = advantages.pow(2).mean() - (advantages.detach() * log_probs).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rollouts.after_update()
        print(f"update {update} loss {loss.item():.4f} reward {rollouts.rewards.mean().item():.4f}")


main()
