# trap: a method is overridden in another file; a device for the one is a TypeError for the other
# covers: threading
import torch
from torch import nn

from shapes import Line, Point, Shape

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
shapes: list[Shape] = [Point(), Line(3)]
for shape in shapes:
    print(shape.name(), model(torch.as_tensor(shape.corners(), device=device)).shape)
print(model(Line(2).rows()).shape)  # moves
