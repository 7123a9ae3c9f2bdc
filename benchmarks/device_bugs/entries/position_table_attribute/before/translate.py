import math

import torch
import torch.nn as nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=64):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.pe = pe.unsqueeze(0)

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


class CopyModel(nn.Module):
    """Learns to say a sentence backwards."""

    def __init__(self, vocab=11, d_model=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)
        self.position = PositionalEncoding(d_model)
        layer = nn.TransformerEncoderLayer(d_model, 4, 48, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=1)
        self.generator = nn.Linear(d_model, vocab)

    def forward(self, src):
        return self.generator(self.encoder(self.position(self.embed(src))))


def data_gen(vocab, batch_size, batches):
    for _ in range(batches):
        src = torch.randint(1, vocab, (batch_size, 8))
        yield src, src.flip(1)


def run():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = CopyModel().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    for i, (src, tgt) in enumerate(data_gen(11, 16, 9)):
        out = model(src.to(device))
        loss = nn.functional.cross_entropy(out.transpose(1, 2), tgt.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i % 3 == 2:
            print(f"batch {i + 1} loss {loss.item():.4f}")


if __name__ == "__main__":
    run()
