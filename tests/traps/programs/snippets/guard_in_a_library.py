# trap: the same where the configuration comes from elsewhere
# covers: config-guard
import torch


def proposals(boxes, config):
    spread = torch.tensor([0.1, 0.1, 0.2, 0.2])
    if config.GPU_COUNT:  # stays
        spread = spread.cuda()
    return boxes * spread


def targets(rois, labels, config):
    if config.GPU_COUNT > 0:  # stays
        rois, labels = rois.cuda(), labels.cuda()
    return rois[labels > 0]


def crop(images, gpu_ids):
    if len(gpu_ids) > 0:  # stays
        images = images.cuda(gpu_ids[0])
    return images
