# trap: the same with unittest, and expected values that are compared on the host
# covers: cpu-tests
import unittest

import torch
from torch import nn


class PoolingTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.AvgPool1d(2), nn.Flatten(), nn.Linear(2, 1, bias=False))
        nn.init.ones_(self.model[2].weight)

    def test_values(self):
        x = torch.tensor([[[1.0, 3.0, 5.0, 7.0]]])
        out = self.model(x)
        self.assertEqual(out.device.type, "cpu")
        torch.testing.assert_close(out, torch.tensor([[8.0]]))

    def test_is_not_on_a_device(self):
        self.assertFalse(next(self.model.parameters()).is_cuda)
        self.assertEqual(str(self.model(torch.ones(1, 1, 4)).device), "cpu")


if __name__ == "__main__":
    unittest.main(argv=["tests"])
