import torch
import torch.nn as nn

WORDS = {w: i for i, w in enumerate("a photo of cat dog red blue on the moon".split())}


class TextEncoder(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.embed = nn.Embedding(len(WORDS), dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, ids):
        return self.rnn(self.embed(ids))[1][0]


class Denoiser(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2 * dim, 32), nn.SiLU(), nn.Linear(32, dim))

    def forward(self, x, text):
        return self.net(torch.cat([x, text.expand_as(x)], dim=1))


class Pipeline:
    def __init__(self, device):
        self.device = device
        self.text_encoder = TextEncoder().eval().to(device)
        self.denoiser = Denoiser().eval().to(device)

    def encode(self, prompt):
        ids = torch.tensor([[WORDS[w] for w in prompt.split()]], device=self.device)
        self.text_encoder.to(self.device)
        text = self.text_encoder(ids)
        # Room for the denoiser.
        self.text_encoder.to("cpu")
        return text

    @torch.no_grad()
    def __call__(self, prompt, steps=4, seed=0):
        text = self.encode(prompt)
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(3, 12, generator=generator).to(self.device)
        for _ in range(steps):
            x = x - 0.2 * self.denoiser(x, text)
        return x


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pipe = Pipeline(device)
    for prompt in ("a photo of a cat", "a red dog on the moon"):
        latents = pipe(prompt)
        print(f"{prompt}: mean {latents.mean().item():.4f} std {latents.std().item():.4f}")


if __name__ == "__main__":
    main()
