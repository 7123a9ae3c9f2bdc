"""Noisy pictures with one bar in each, made on the fly."""
import cPickle

import numpy as np
import torch

NAMES = {'lying': 0, 'standing': 1}


def load(count, size):
    rng = np.random.RandomState(0)
    samples = map(lambda i: picture(rng, size, i % 2), xrange(count))
    copy = cPickle.loads(cPickle.dumps(samples, 2))
    return copy[len(copy) / 4:], copy[:len(copy) / 4]


def picture(rng, size, stands):
    image = rng.normal(0, 0.7, (1, size, size)).astype('float32')
    middle = image.shape[1] / 2 + rng.randint(-3, 3)
    if stands:
        image[:, :, middle] += 1
    else:
        image[:, middle] += 1
    return image, stands


def batches(samples, batch_size):
    for start in xrange(0, len(samples), batch_size):
        images, labels = zip(*samples[start:start + batch_size])
        yield torch.from_numpy(np.stack(images)), torch.LongTensor(labels)


def names(labels):
    by_number = dict((number, name) for name, number in NAMES.iteritems())
    return [by_number[number] for number in labels.tolist()]
