# trap: the Dataset lives in another file than the loop that moves its batches
# covers: dataset collate
import torch
from torch import nn
from torch.utils.data import DataLoader

from corpus import Sentences, pad_batch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.EmbeddingBag(20, 2).to(device)
loader = DataLoader(Sentences(6), batch_size=3, collate_fn=pad_batch)
for words, labels in loader:
    words, labels = words.to(device), labels.to(device)
    print(nn.functional.cross_entropy(model(words), labels).item() > 0)
