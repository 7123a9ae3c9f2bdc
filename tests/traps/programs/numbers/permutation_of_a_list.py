# trap: a permutation walks over Python lists
# covers: linspace host-index
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
sentences = [[1, 2], [3], [4, 5, 6], [7]]
model = nn.EmbeddingBag(8, 2).to(device)
for k in torch.randperm(len(sentences)):  # stays
    words = torch.tensor([sentences[k]])  # moves
    print(model(words).shape)
