import math

import pytest
import torch

from kinematics import Bicycle

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Bicycle(agents=3).to(device)


@pytest.mark.parametrize("acceleration", [0.0, 1.0, -0.5])
def test_straight(model, acceleration):
    action = torch.tensor([[acceleration, 0.0]], device=device).expand(3, -1)
    state = model.step(action)
    assert torch.allclose(state[:, 3], torch.full((3,), 0.1 * acceleration, device=device))
    assert torch.all(state[:, 1] == 0)


def test_turn(model):
    model.set_state(torch.tensor([[0.0, 0.0, 0.0, 2.0]], device=device).repeat(3, 1))
    state = model.step(torch.tensor([[0.0, math.pi / 4]] * 3, device=device))
    assert state[0, 2].item() == pytest.approx(0.1)


def test_many_steps(model):
    for _ in range(20):
        state = model.step(torch.randn(3, 2, device=device) * 0.1)
    assert state.shape == (3, 4)
    assert torch.isfinite(state).all()
