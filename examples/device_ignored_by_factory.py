# `device` is chosen, and then no tensor is created on it.
# CPU: prints the largest eigenvalue. GPU: prints it too, but all of the work is done by the CPU.
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(3)

samples = torch.randn(600, 200)
covariance = samples.T @ samples / len(samples)

vector = torch.ones(200)
for step in range(1, 301):
    product = covariance @ vector
    vector = product / product.norm()
    if step % 100 == 0:
        eigenvalue = vector @ (covariance @ vector)
        print(f"step {step}  largest eigenvalue {eigenvalue.item():.4f}")

residual = covariance @ vector - eigenvalue * vector
print(f"relative residual below 0.05: {(residual.norm() / eigenvalue).item() < 0.05}")
