import torch
import torch.nn as nn


class Bicycle(nn.Module):
    """A kinematic bicycle: x, y, heading and speed, moved by acceleration and steering."""

    def __init__(self, agents, dt=0.1, length=2.0):
        super().__init__()
        self.dt = dt
        self.register_buffer("length", torch.full((agents,), length))
        self.register_buffer("state", torch.zeros(agents, 4))

    def set_state(self, state):
        self.state = state.clone()

    def step(self, action):
        x, y, heading, speed = self.state.unbind(-1)
        speed = speed + action[:, 0] * self.dt
        heading = heading + speed / self.length * torch.tan(action[:, 1]) * self.dt
        moved = [x + speed * heading.cos() * self.dt, y + speed * heading.sin() * self.dt]
        self.state = torch.stack([*moved, heading, speed], dim=-1)
        return self.state
