"""Q-learning on a corridor with a replay buffer, a target network and a JSON report."""
import json
import random
from collections import deque

import torch
from torch import nn

LENGTH = 8


def observe(place):
    state = torch.zeros(LENGTH)
    state[place] = 1.0
    return state


def walk(place, action):
    place = max(0, place - 1) if action == 0 else place + 1
    done = place == LENGTH - 1
    return place, (1.0 if done else -0.02), done


def make_net():
    return nn.Sequential(nn.Linear(LENGTH, 24), nn.ReLU(), nn.Linear(24, 2))


class Agent:
    def __init__(self, device):
        self.device = device
        self.net, self.target = make_net().to(device), make_net().to(device)
        self.target.load_state_dict(self.net.state_dict())
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=0.01)
        self.memory = deque(maxlen=200)

    def act(self, state, chance):
        if random.random() < chance:
            return random.randrange(2)
        with torch.no_grad():
            return self.net(state.to(self.device)).argmax().item()

    def learn(self, size=16, gamma=0.9):
        if len(self.memory) < size:
            return
        states, actions, rewards, following, dones = zip(*random.sample(self.memory, size))
        states = torch.stack(states).to(self.device)
        following = torch.stack(following).to(self.device)
        actions = torch.tensor(actions, device=self.device)
        rewards = torch.tensor(rewards, device=self.device)
        going_on = ~torch.tensor(dones, device=self.device)
        values = self.net(states).gather(1, actions[:, None])[:, 0]
        with torch.no_grad():
            best = self.target(following).max(dim=1).values
        wanted = rewards + gamma * best * going_on
        loss = nn.functional.smooth_l1_loss(values, wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def follow(self, tau=0.2):
        with torch.no_grad():
            for slow, fast in zip(self.target.parameters(), self.net.parameters()):
                slow.lerp_(fast, tau)


def main():
    random.seed(53)
    torch.manual_seed(53)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent = Agent(device)
    lengths = []
    for episode in range(6):
        place = 0
        for step in range(20):
            action = agent.act(observe(place), chance=0.5)
            following, reward, done = walk(place, action)
            agent.memory.append((observe(place), action, reward, observe(following), done))
            place = following
            agent.learn()
            if done:
                break
        agent.follow()
        lengths.append(step + 1)
    with torch.no_grad():
        table = agent.target(torch.eye(LENGTH, device=device))
    report = {"lengths": lengths, "left": table[:, 0].tolist(), "right": table[:, 1].tolist()}
    with open("report.json", "w") as file:
        json.dump(report, file)


main()
