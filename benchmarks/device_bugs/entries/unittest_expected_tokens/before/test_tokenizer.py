import unittest

import torch

from tokenizer import HookedModel


class TokenizerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(0)
        cls.model = HookedModel()

    def test_to_tokens_default(self):
        expected = torch.tensor([[0, 2, 1, 4]])
        self.assertTrue(torch.equal(self.model.to_tokens("bad"), expected))

    def test_to_tokens_without_bos(self):
        tokens = self.model.to_tokens("cafe", prepend_bos=False)
        self.assertTrue(torch.all(tokens == torch.tensor([[3, 1, 6, 5]])))

    def test_round_trip(self):
        self.assertEqual(self.model.to_string(self.model.to_tokens("head")), "_head")

    def test_logits_follow_embedding(self):
        weight = self.model.unembed.weight
        by_hand = self.model.embed.weight[torch.tensor([0, 1])] @ weight.t()
        torch.testing.assert_close(self.model("a")[0], by_hand)
        print(f"mean logit {self.model('a').mean().item():.4f}")


if __name__ == "__main__":
    unittest.main()
