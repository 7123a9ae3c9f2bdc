import torch
from helpers import inputs, tiny_model


def test_identity():
    x = inputs()
    out = tiny_model()(x)
    assert out.device == x.device == torch.device("cpu")
    assert torch.equal(out, torch.tensor([[1.0, 2.0], [3.0, 4.0]]))


def test_numpy():
    assert tiny_model()(inputs()).detach().numpy().shape == (2, 2)


def run_all():
    test_identity()
    test_numpy()
