import torch

DEVICE = "/dev/video0"
device = "camera"
gpu = torch.device("cuda" if torch.cuda.is_available() else "cpu")
EPSILON = torch.tensor(1e-6)
