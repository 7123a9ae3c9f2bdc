# moves
import asyncio
import torch
model = torch.nn.Linear(3, 2)
async def batches():
    for i in range(2):
        yield torch.ones(1, 3) * i
async def main():
    async for b in batches():
        print(model(b).sum().item())
    print([model(b).sum().item() async for b in batches()])
asyncio.new_event_loop().run_until_complete(main())
