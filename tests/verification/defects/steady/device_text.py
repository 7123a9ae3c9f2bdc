"""Right on any device already, and tells which it is."""
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(3)
print("Using device:", device)
print(f"device={device!r} type={device.type} gpus={torch.cuda.device_count()}")
if device.type == "cuda":
    print("GPU:", torch.cuda.get_device_name(0))
    print("memory", torch.cuda.memory_allocated() / 1024**2, "MB", torch.cuda.mem_get_info())
    torch.backends.cudnn.benchmark = True
else:
    print("no GPU, this takes longer")
model = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.Tanh(), torch.nn.Linear(6, 2)).to(device)
x = torch.randn(3, 6, device=device)
out = model(x)
print(out)
print(out.device, x.is_cuda, next(model.parameters()).device.type, x.type())
print({"device": str(out.device), "parameters": [p.device for p in model.parameters()][:1]})
print("rounded", out.detach().cpu().numpy().round(4).tolist(), "on", "GPU" if x.is_cuda else "CPU")
