# Two matrices from NumPy, each moved under a guard of its own; the first guard also has an else.
# CPU: prints a note and the result. GPU: prints the result; other accelerators are never used.
import numpy as np
import torch

rng = np.random.default_rng(9)

# Rows: days. Columns: shops. How much do the shops' sales move together?
sales = torch.from_numpy(rng.normal(100, 15, size=(365, 20)).astype(np.float32))
if torch.cuda.is_available():
    sales = sales.cuda()
else:
    print("No GPU here, this will take a little longer.")

trend = torch.from_numpy(np.linspace(-20, 20, 365, dtype=np.float32)).unsqueeze(1)
if torch.cuda.is_available():
    trend = trend.cuda()

sales = sales + trend
centred = sales - sales.mean(dim=0)
covariance = centred.T @ centred / (len(centred) - 1)
deviation = covariance.diagonal().sqrt()
correlation = covariance / (deviation.unsqueeze(0) * deviation.unsqueeze(1))

together = (correlation.sum() - 20) / (20 * 19)
print(f"mean correlation between shops {together.item():.4f}")
print(f"largest variance {covariance.diagonal().max().item():.2f}")
