"""A window over a sensor's readings: one array that is written again and again."""
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rng = np.random.default_rng(77)
window = np.zeros(64, dtype=np.float32)
readings = torch.from_numpy(window)
taps = torch.hann_window(9, device=device)
taps = taps / taps.sum()
levels = torch.zeros(5, device=device)
low, high = levels[:2], levels[3:]
peaks = torch.zeros(10, device=device)

for tick in range(10):
    window[:-16] = window[16:]
    window[-16:] = np.sin(np.arange(16) * (tick + 1) / 5) + rng.normal(0, 0.1, 16)
    smooth = torch.nn.functional.conv1d(readings.to(device)[None, None], taps[None, None])[0, 0]
    peaks[tick] = smooth.max()
    low += smooth[:2]
    high -= smooth[-2:]
    if tick % 3 == 0:
        print("tick", tick, "energy %.5f" % smooth.square().sum().item())

print("levels", levels.tolist())
print("peaks", peaks)
print("louder at the end" if peaks[-1] > peaks[0] else "softer at the end")
