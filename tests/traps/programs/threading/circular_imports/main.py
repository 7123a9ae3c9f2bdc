# trap: two files import each other; neither can take a device from the script
# covers: threading
import torch

from left import Left

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Left(3).to(device)
print(model(torch.ones(2, 3, device=device)).shape, model.partner_size())
