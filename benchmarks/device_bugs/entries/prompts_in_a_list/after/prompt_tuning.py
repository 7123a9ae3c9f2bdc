import torch
import torch.nn as nn


class DeepPrompt(nn.Module):
    """A frozen encoder with learned tokens in front of each layer."""

    def __init__(self, vocab=30, dim=16, layers=2, tokens=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(
            [nn.TransformerEncoderLayer(dim, 2, 32, dropout=0.0, batch_first=True) for _ in range(layers)]
        )
        self.head = nn.Linear(dim, 2)
        for p in self.parameters():
            p.requires_grad_(False)
        self.tokens = tokens
        self.prompts = nn.ParameterList(
            [nn.Parameter(torch.randn(tokens, dim) * 0.1) for _ in range(layers)]
        )

    def forward(self, ids):
        x = self.embed(ids)
        for block, prompt in zip(self.blocks, self.prompts):
            prefix = prompt.unsqueeze(0).expand(len(x), -1, -1)
            x = block(torch.cat([prefix, x], dim=1))[:, self.tokens:]
        return self.head(x.mean(dim=1))


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = DeepPrompt().to(device)
    optimizer = torch.optim.Adam(model.prompts, lr=0.1)
    ids = torch.randint(0, 30, (24, 6), device=device)
    labels = (ids[:, 0] > ids[:, -1]).long()
    for step in range(4):
        loss = nn.functional.cross_entropy(model(ids), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")
    norms = [prompt.norm().item() for prompt in model.prompts]
    print("norms", *(f"{norm:.3f}" for norm in norms))


if __name__ == "__main__":
    main()
