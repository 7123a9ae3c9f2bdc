# case: a transfer that does not wait
import torch

x = torch.ones(2)
if torch.cuda.is_available():
    x = x.pin_memory().to("cpu", torch.float32, async=True)
    x.copy_(torch.zeros(2), async = False)  # async=True
print(x, "async=True")

# output
import torch

x = torch.ones(2)
if torch.cuda.is_available():
    x = x.pin_memory().to("cpu", torch.float32, non_blocking=True)
    x.copy_(torch.zeros(2), non_blocking = False)  # async=True
print(x, "async=True")

# case: a helper of the program has a parameter of that name
import torch


def fetch(x, async=False):
    return x.clone() if async else x


print(fetch(torch.ones(2), async=True))

# output
import torch


def fetch(x, async_=False):
    return x.clone() if async_ else x


print(fetch(torch.ones(2), async_=True))

# case: an option and an attribute
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--async", action="store_true")
args = parser.parse_args([])
print(torch.ones(2), args.async)

# output
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--async", action="store_true")
args = parser.parse_args([])
print(torch.ones(2), getattr(args, "async"))

# case: Python 2 as well
import torch

x = torch.ones(2)
print x.copy_(torch.zeros(2), async=True).size(0) / 2

# output
import torch

x = torch.ones(2)
print(x.copy_(torch.zeros(2), non_blocking=True).size(0) // 2)

# case: coroutines
import asyncio

import torch


async def work(n):
    async with asyncio.Lock():
        return [i async for i in ticks(n)]


async def ticks(n):
    for i in range(n):
        yield torch.ones(i)


print(asyncio.run(work(2)))

# case: it has its new name
import torch

print(torch.ones(2).to("cpu", non_blocking=True))

# case: a word in a text
import torch

print(torch.ones(2), "x.cuda(async=True)")  # async=True

# case: longer names
import torch

async_op = False
is_async = async_op
print(torch.ones(2), is_async)
