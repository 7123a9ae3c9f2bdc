# trap: `.data[0]` of rows, of batches and of other classes is no old `.item()`
# covers: data-index names
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Frame:
    def __init__(self, *rows):
        self.data = list(rows)


model = nn.Linear(2, 3).to(device)
x = torch.ones(4, 2)  # moves
# --- stays
rows = model(x)
(best, (first, second)), place = (rows.max(1)[0].data, rows.data[0].topk(2)[0]), rows.max(1)[1].data[0]
weights, bias = model.weight.data[0], model.bias.data[0]
name, (size, _) = Frame("a", "b").data[0], (Frame((1, 2)).data[0][0], Frame(3).data[0])
# --- end
print(best.shape, first.shape, weights.shape, place.item() < 3, name, size, second.shape, bias.shape)
