import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence

BOS, EOS, VOCAB = 1, 2, 16


class Seq2Seq(nn.Module):
    def __init__(self, dim=20):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim, padding_idx=0)
        self.encoder = nn.GRU(dim, dim, batch_first=True)
        self.decoder = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, VOCAB)

    def encode(self, src):
        return self.encoder(self.embed(src))[1][0]

    def step(self, tokens, state):
        state = self.decoder(self.embed(tokens), state)
        return self.out(state).log_softmax(-1), state


def train(model, src, device, steps=15):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    src = src.to(device)
    for _ in range(steps):
        state = model.encode(src)
        tokens = torch.full((len(src),), BOS, device=device)
        loss = 0.0
        for t in range(src.size(1)):
            scores, state = model.step(tokens, state)
            loss = loss + nn.functional.nll_loss(scores, src[:, t], ignore_index=0)
            tokens = src[:, t]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"train loss {loss.item():.4f}")


@torch.no_grad()
def greedy(model, src, src_lengths, device):
    state = model.encode(src.to(device))
    tokens = src_lengths.new_full((len(src),), BOS)
    finished = src_lengths.new_zeros(len(src), dtype=torch.bool)
    total = torch.zeros(len(src))
    found = []
    for _ in range(int(src_lengths.max())):
        scores, state = model.step(tokens, state)
        best, tokens = scores.max(-1)
        total += best * ~finished
        found.append(tokens.masked_fill(finished, EOS))
        finished |= tokens == EOS
    return torch.stack(found, dim=1), total


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sentences = [torch.randint(3, VOCAB, (n,)) for n in (5, 3, 6, 4)]
    lengths = torch.tensor([len(s) for s in sentences])
    src = pad_sequence(sentences, batch_first=True)
    model = Seq2Seq().to(device)
    train(model, src, device)
    hypotheses, scores = greedy(model, src, lengths, device)
    for row, score in zip(hypotheses.tolist(), scores.tolist()):
        print(row, f"{score:.3f}")
