from .models import MODELS, create
from .utils import AverageMeter, accuracy

__all__ = ["MODELS", "create", "AverageMeter", "accuracy"]
