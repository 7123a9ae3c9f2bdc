"""Prints time in all the forms that people print it in."""
import datetime
import time

import torch

start, began = time.time(), datetime.datetime.now()
tick, monotonic = time.perf_counter(), time.monotonic_ns()
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
steps = 12
for step in range(steps):
    loss = model(torch.ones(4, 8)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 3:
        elapsed = time.time() - start
        left = elapsed / (step + 1) * (steps - step - 1)
        print(f"step {step + 1}/{steps} loss {loss.item():.4f} {elapsed:.2f}s ETA {datetime.timedelta(seconds=int(left))}")
took = time.time() - start
print("took %.0f s, %d min %d s" % (took, took // 60, took % 60))
print("took", (datetime.datetime.now() - began).seconds, "seconds", datetime.datetime.now() - began)
print("%.1f samples/s" % (4 * steps / (time.perf_counter() - tick)))
print("ms per step:", round(1e3 * (time.perf_counter() - tick) / steps, 1))
print("ns", time.monotonic_ns() - monotonic, "cpu", time.process_time())
print("slow" if took > 0.5 else "fast")
print(time.strftime("%Y-%m-%d %H:%M:%S"), time.ctime(), datetime.date.today().isoformat())
print(f"Finished on {datetime.datetime.now():%A, %d %B %Y at %H:%M}")
print(datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"))
