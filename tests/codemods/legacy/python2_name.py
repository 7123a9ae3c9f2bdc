# case: names that have successors
import torch

for i in xrange(3):
    print(unicode(i), isinstance(i, (int, long)), torch.ones(i))

# output
import torch

for i in range(3):
    print(str(i), isinstance(i, int), torch.ones(i))

# case: dicts
import torch

sizes = {"a": 1}
for name, size in sizes.iteritems():
    print(name, torch.ones(size))
if not sizes.has_key("b"):
    print(sizes.keys()[0])

# output
import torch

sizes = {"a": 1}
for name, size in sizes.items():
    print(name, torch.ones(size))
if "b" not in sizes:
    print(list(sizes.keys())[0])

# case: modules, and a builtin that lives in one
import cPickle

import torch

print(cPickle.dumps(reduce(max, [1, 2])), torch.ones(2))

# output
from functools import reduce
import pickle

import torch

print(pickle.dumps(reduce(max, [1, 2])), torch.ones(2))

# case: a statement that Python 3 takes for an expression
import sys

import torch

print >> sys.stderr, "done", torch.ones(2)

# output
import sys

import torch

print("done", torch.ones(2), file=sys.stderr)

# case: a pickle, which is bytes now, and a function of string
import cPickle
import string

import torch

print(cPickle.load(open("a")), string.join(["a"], ""), torch.ones(2))

# output
import pickle
import string

import torch

print(pickle.load(open("a", "rb"), encoding="latin1"), "".join(["a"]), torch.ones(2))

# case: what Python 3 had until lately says nothing about the rest of the file
from collections import Iterable, deque
from time import clock

import torch

views = {}.keys(), 7 / 2
print(views, Iterable, deque, clock(), torch.ones(2))

# output
from collections.abc import Iterable
from collections import deque
from time import process_time as clock

import torch

views = {}.keys(), 7 / 2
print(views, Iterable, deque, clock(), torch.ones(2))

# case: the file binds them itself
import torch

try:
    unicode
except NameError:
    unicode = str


def reduce(values):
    return max(values)


for xrange in [torch.ones(2)]:
    print(unicode(xrange), reduce([1, 2]))

# case: it asks for the version
import sys

import torch

if sys.version_info[0] < 3:
    import cPickle as pickle

    names = unicode
else:
    import pickle

    names = str
print(names(pickle.dumps(1)), torch.ones(2))

# case: what another library brings
import torch
from einops import reduce

print(reduce(torch.ones(2, 2), "a b -> a", "sum"))

# case: a class of the program has such methods
import torch


class Table:
    def iteritems(self):
        return [("a", torch.ones(2))]


for name, value in Table().iteritems():
    print(name, value)

# case: what these modules still have
import collections
import string

import torch

print(collections.OrderedDict(), string.capwords("a"), string.digits, torch.ones(2))

# case: a name like that of a module
import torch

string = torch.ones(2)
print(string.split(1), (string / 2).mean())

# case: a name that is bound by an assignment expression
import torch

if xrange := getattr(torch, "range", range):
    print([n for n in xrange(3)])

# case: a name that a function binds for the module
import torch


def choose(old):
    if old:
        global xrange
        xrange = torch.arange


def show():
    return [n for n in xrange(3)]


choose(True)
print(show())

# case: values that are exchanged, and one name that is tried
import torch

casts = [(tuple, list)]
try:
    casts.append((str, unicode))
except Exception:
    pass
sizes = {"a": torch.ones(2)}
for name, size in sizes.iteritems():
    print(name, size)
for name, size in sizes.items():
    sizes[name] = size + 1
print(casts, sizes)

# output
import torch

casts = [(tuple, list)]
try:
    casts.append((str, unicode))
except Exception:
    pass
sizes = {"a": torch.ones(2)}
for name, size in sizes.items():
    print(name, size)
for name, size in sizes.items():
    sizes[name] = size + 1
print(casts, sizes)

# case: one name that is tried, and nothing else that is old
import torch

kinds = [str]
try:
    kinds.append(unicode)
except Exception:
    pass
print(kinds, torch.ones(2))

# case: a type that is asked for already
import torch


def weigh(alpha):
    pairs = (int, long)
    if isinstance(alpha, (float, int, long)):
        alpha = torch.tensor([alpha, 1 - alpha])
    return alpha, issubclass(pairs[0], (long, int, float))

# output
import torch


def weigh(alpha):
    pairs = (int, int)
    if isinstance(alpha, (float, int)):
        alpha = torch.tensor([alpha, 1 - alpha])
    return alpha, issubclass(pairs[0], (int, float))

# case: what a `try` does where Python 3's name is not there
try:
    import builtins
except:
    import __builtin__ as builtins
try:
    text = unicode
except NameError:
    text = str

import torch

print(builtins.max(torch.ones(2)), text)

# case: what is asked twice is asked once
import torch


def kind(x):
    if type(x) == str or type(x) == unicode:
        return "text"
    if type(x) is float or (type(x) is int) or (type(x) is long):
        return "number"
    if type(x) == str or type(kind) == unicode:
        return "two things"
    return torch.is_tensor(x)


print(kind("a"), kind(1), kind(torch.ones(1)))

# output
import torch


def kind(x):
    if type(x) == str:
        return "text"
    if type(x) is float or (type(x) is int) or (type(x) is int):
        return "number"
    if type(x) == str or type(kind) == str:
        return "two things"
    return torch.is_tensor(x)


print(kind("a"), kind(1), kind(torch.ones(1)))

# case: a name for the version is asked
import sys

import torch

PYTHON = sys.version_info[0]
MAJOR = PYTHON
if PYTHON == 2:
    from urllib import urlretrieve
elif MAJOR == 3:
    from urllib.request import urlretrieve

print(torch.ones(1).item(), urlretrieve)
