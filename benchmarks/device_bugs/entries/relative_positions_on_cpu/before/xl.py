import torch
import torch.nn as nn


class RelativeAttentionModel(nn.Module):
    def __init__(self, vocab=40, d_model=16, layers=1):
        super().__init__()
        self.d_model = d_model
        self.embed = nn.Embedding(vocab, d_model)
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.pos = nn.Linear(d_model, d_model, bias=False)
        self.out = nn.Linear(d_model, vocab)

    @staticmethod
    def positional_embedding(pos_seq, inv_freq):
        sinusoid = torch.einsum("i,d->id", pos_seq, inv_freq)
        return torch.cat([torch.sin(sinusoid), torch.cos(sinusoid)], dim=-1)

    def relative_positional_encoding(self, qlen, klen):
        freq_seq = torch.arange(0, self.d_model, 2.0)
        inv_freq = 1 / torch.pow(10000, freq_seq / self.d_model)
        beg, end = klen, -qlen
        fwd_pos_seq = torch.arange(beg, end, -1.0)
        bwd_pos_seq = torch.arange(-beg, -end, 1.0)
        fwd = self.positional_embedding(fwd_pos_seq, inv_freq)
        bwd = self.positional_embedding(bwd_pos_seq, inv_freq)
        table = torch.stack([fwd, bwd], dim=1)
        smooth = torch.einsum("ibd,jbd->ij", table, table) / self.d_model
        return torch.softmax(smooth, dim=-1) @ fwd

    def forward(self, tokens):
        h = self.embed(tokens)
        n = tokens.size(1)
        pos_emb = self.relative_positional_encoding(n, n)
        pos_emb = pos_emb.to(h.device)
        content = self.query(h) @ self.key(h).transpose(1, 2)
        position = (self.query(h) @ self.pos(pos_emb).t())[:, :, :n]
        weights = torch.softmax((content + position) / self.d_model ** 0.5, dim=-1)
        return self.out(weights @ h)


def main():
    torch.manual_seed(7)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = RelativeAttentionModel().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    tokens = torch.randint(0, 40, (2, 24)).to(device)
    for step in range(5):
        logits = model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{step} {loss.item():.4f}")


if __name__ == "__main__":
    main()
