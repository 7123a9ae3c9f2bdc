# case: a loop of 2017: print, xrange, integer division, next
import torch

steps = 7
data = [torch.ones(2), torch.zeros(2)]
it = iter(data)
first = it.next()
for i in xrange(steps / 2):
    print "step", i, first.size(0) / 2

# output
import torch

steps = 7
data = [torch.ones(2), torch.zeros(2)]
it = iter(data)
first = next(it)
for i in range(steps // 2):
    print("step", i, first.size(0) // 2)

# case: lists where lists are needed, and nowhere else
import torch

sizes = {"a": 1, "b": 2}
names = sizes.keys()
names.sort()
for name, size in sizes.iteritems():
    print name, torch.ones(size)
print map(len, names)[0], sum(map(len, names)), sizes.has_key("a")

# output
import torch

sizes = {"a": 1, "b": 2}
names = list(sizes.keys())
names.sort()
for name, size in sizes.items():
    print(name, torch.ones(size))
print(list(map(len, names))[0], sum(map(len, names)), "a" in sizes)

# case: modules that were renamed, and comparing by a function
import cPickle
from StringIO import StringIO

import torch

words = ["b", "a"]
words.sort(cmp=lambda a, b: cmp(a, b))
print >>StringIO(), cPickle.dumps(words)
print torch.ones(2),

# output
import functools
import pickle
from io import StringIO

import torch

words = ["b", "a"]
words.sort(key=functools.cmp_to_key(lambda a, b: ((a > b) - (a < b))))
print(pickle.dumps(words), file=StringIO())
print(torch.ones(2), end=' ')

# case: true division was asked for
from __future__ import division

import torch

n = 7
print n / 2, torch.ones(n)

# output
from __future__ import division

import torch

n = 7
print(n / 2, torch.ones(n))

# case: Python 3 that divides integers
import torch

n = 7
print(n / 2, torch.ones(n))

# case: Python 3 whose own names are those of Python 2
import torch


def xrange(n):
    return range(n)


unicode = str
for i in xrange(2):
    print(unicode(i), torch.ones(2))

# case: code for both, with what each of them has
from __future__ import print_function

import torch

try:
    import cPickle as pickle
except ImportError:
    import pickle

print(pickle.dumps([1]), torch.ones(2))

# case: views that are only gone through
import torch

sizes = {"a": 1}
for name in sizes.keys():
    print(name, torch.ones(sizes[name]))

# case: octal numbers as Python 3 writes them
import torch

print(0o17, torch.ones(2), 10 // 3, repr(3))

# case: a buffer that may hold bytes
# reports: DFX611
import torch
from StringIO import StringIO

from PIL import Image


def load(data):
    print "loading"
    return Image.open(StringIO(data))

# output
import torch
from StringIO import StringIO

from PIL import Image


def load(data):
    print("loading")
    return Image.open(StringIO(data))
