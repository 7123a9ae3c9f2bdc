"""An LSTM tags letters of packed words; only vowels at the end of a word count more."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def main():
    torch.manual_seed(71)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    embed, lstm, out = nn.Embedding(10, 6).to(device), nn.LSTM(6, 8, batch_first=True).to(device), nn.Linear(8, 2).to(device)
    weights = [*embed.parameters(), *lstm.parameters(), *out.parameters()]
    optimizer = torch.optim.SGD(weights, lr=0.5)
    criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]), reduction="none").to(device)
    drop = nn.Dropout(0.1)
    for step in range(6):
        lengths = torch.randint(3, 9, (12,))
        words = torch.randint(10, (12, int(lengths.max()))).to(device)
        packed = pack_padded_sequence(drop(embed(words)), lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(lstm(packed)[0], batch_first=True)
        wrong = criterion(out(states).transpose(1, 2), words % 2)
        there = torch.arange(words.size(1), device=device) < lengths.to(device)[:, None]
        loss = (wrong * there).sum() / there.sum()
        loss.backward()
        if step % 2 == 1:
            nn.utils.clip_grad_value_(weights, 0.02)
            optimizer.step()
            optimizer.zero_grad()
    print("ready")


main()
