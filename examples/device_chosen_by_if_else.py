# The device is chosen once, and everything is created on it. Nothing is wrong here: it runs on the
# CPU and on a GPU.
import torch

if torch.cuda.is_available():
    device = torch.device("cuda")
else:
    device = torch.device("cpu")

torch.manual_seed(10)

# Least squares: which mixture of five known spectra gives the measured one?
spectra = torch.rand(120, 5, device=device)
mixture = torch.tensor([0.1, 0.4, 0.0, 0.3, 0.2], device=device)
measured = torch.matmul(spectra, mixture) + 0.01 * torch.randn(120, device=device)

normal = torch.matmul(spectra.T, spectra)
estimate = torch.linalg.solve(normal, torch.matmul(spectra.T, measured))

for number, (true, found) in enumerate(zip(mixture.tolist(), estimate.tolist(), strict=True)):
    print(f"substance {number}: {true:.2f} found as {found:.3f}")

residual = torch.matmul(spectra, estimate) - measured
print(f"residual {residual.pow(2).mean().sqrt().item():.4f}")
