import torch
import torch.nn as nn
import torch.nn.functional as F


class DiscreteVAE(nn.Module):
    def __init__(self, num_tokens=12, dim=16, features=10):
        super().__init__()
        self.num_tokens = num_tokens
        self.encoder = nn.Sequential(nn.Linear(features, 32), nn.ReLU(), nn.Linear(32, 3 * num_tokens))
        self.codebook = nn.Parameter(torch.randn(num_tokens, dim) * 0.2)
        self.decoder = nn.Sequential(nn.Linear(3 * dim, 32), nn.ReLU(), nn.Linear(32, features))

    def relax(self, logits, temperature=1.0):
        uniform = torch.rand(logits.shape).clamp(1e-6, 1 - 1e-6)
        gumbel = -torch.log(-torch.log(uniform))
        return F.softmax((logits + gumbel) / temperature, dim=-1)

    def kl(self, logits):
        log_qy = F.log_softmax(logits, dim=-1)
        log_prior = torch.log(torch.full([self.num_tokens], 1.0 / self.num_tokens))
        return (log_qy.exp() * (log_qy - log_prior)).sum(-1).mean()

    def forward(self, x, weight=0.01):
        logits = self.encoder(x).view(len(x), 3, self.num_tokens)
        codes = self.relax(logits) @ self.codebook
        out = self.decoder(codes.flatten(1))
        return F.smooth_l1_loss(out, x) + weight * self.kl(logits), logits

    @torch.no_grad()
    def get_codebook_indices(self, x):
        return self.encoder(x).view(len(x), 3, self.num_tokens).argmax(-1)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    vae = DiscreteVAE().to(device)
    opt = torch.optim.Adam(vae.parameters(), lr=0.01)
    x = torch.randn(48, 3).mm(torch.randn(3, 10)).to(device)
    for epoch in range(4):
        for part in x.split(16):
            loss, _ = vae(part)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")
    print("codes", vae.get_codebook_indices(x[:3]).tolist())


if __name__ == "__main__":
    main()
