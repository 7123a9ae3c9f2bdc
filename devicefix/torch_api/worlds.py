"""What a call into somebody else's module needs of its tensor arguments."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from msgspec import Struct

from devicefix.torch_api.library_modules import is_library_module
from devicefix.torch_api.modules import is_metric
from devicefix.torch_api.rows import table, words


class World(enum.Enum):
    """Where tensor arguments of a call into a module may live."""

    TORCH = "torch"
    """Follows its arguments: they must live together, and the result lives there too."""
    NUMPY = "numpy"
    """Needs the host: a device tensor raises, as an argument or through ``__array__``."""
    ANYWHERE = "anywhere"
    """Takes values that live on any device, and makes none; it may give them back."""
    UNKNOWN = "unknown"
    """Nobody knows."""


class ModuleRow(Struct, frozen=True):
    """The world of a module and of what lies below it, by its dotted name."""

    name: str
    world: World
    source: str


def _world(world: World, rows: Mapping[str, str]) -> Iterator[ModuleRow]:
    for name, source in rows.items():
        yield ModuleRow(name, world, source)


_TORCH: Final[Mapping[str, str]] = {
    "torch": "https://docs.pytorch.org/docs/stable/",
    "torchvision": "https://docs.pytorch.org/vision/stable/",
    "torchaudio": "https://docs.pytorch.org/audio/stable/",
    "torchtext": "https://docs.pytorch.org/text/stable/",
    "torchmetrics": "https://lightning.ai/docs/torchmetrics/stable/",
    "torchdiffeq": "https://github.com/rtqichen/torchdiffeq",
    "torchsde": "https://github.com/google-research/torchsde",
    "torch_geometric": "https://pytorch-geometric.readthedocs.io/en/latest/",
    "torch_scatter": "https://pytorch-scatter.readthedocs.io/en/latest/",
    "torch_sparse": "https://github.com/rusty1s/pytorch_sparse",
    "torch_cluster": "https://github.com/rusty1s/pytorch_cluster",
    "torch_spline_conv": "https://github.com/rusty1s/pytorch_spline_conv",
    "functorch": "https://docs.pytorch.org/functorch/stable/",
    "einops": "https://einops.rocks/",
    "opt_einsum": "https://optimized-einsum.readthedocs.io/en/stable/",
    "kornia": "https://kornia.readthedocs.io/en/latest/",
    "timm": "https://huggingface.co/docs/timm/index",
    "transformers": "https://huggingface.co/docs/transformers/index",
    "diffusers": "https://huggingface.co/docs/diffusers/index",
    "peft": "https://huggingface.co/docs/peft/index",
    "accelerate": "https://huggingface.co/docs/accelerate/index",
    "lightning": "https://lightning.ai/docs/pytorch/stable/",
    "pytorch_lightning": "https://lightning.ai/docs/pytorch/stable/",
    "apex": "https://nvidia.github.io/apex/",
    "fvcore": "https://github.com/facebookresearch/fvcore",
    "detectron2": "https://detectron2.readthedocs.io/en/latest/",
    "pytorch3d": "https://pytorch3d.readthedocs.io/en/latest/",
    "segmentation_models_pytorch": "https://smp.readthedocs.io/en/latest/",
    "efficientnet_pytorch": "https://github.com/lukemelas/EfficientNet-PyTorch",
    "pretrainedmodels": "https://github.com/Cadene/pretrained-models.pytorch",
    "pytorch_pretrained_bert": "https://github.com/huggingface/transformers/tree/v0.6.2",
    "pytorch_transformers": "https://github.com/huggingface/transformers/tree/1.2.0",
    "pytorch_msssim": "https://github.com/VainF/pytorch-msssim",
    "lpips": "https://github.com/richzhang/PerceptualSimilarity",
    "gpytorch": "https://docs.gpytorch.ai/en/stable/",
    "botorch": "https://botorch.org/docs/introduction",
    "pyro": "https://docs.pyro.ai/en/stable/",
    "e3nn": "https://docs.e3nn.org/en/stable/",
    "dgl": "https://www.dgl.ai/dgl_docs/",
    "xformers": "https://facebookresearch.github.io/xformers/",
    "flash_attn": "https://github.com/Dao-AILab/flash-attention",
    "allennlp": "https://docs.allennlp.org/main/",
    "captum": "https://captum.ai/api/",
    "higher": "https://github.com/facebookresearch/higher",
    "thop": "https://github.com/Lyken17/pytorch-OpCounter",
    "torchviz": "https://github.com/szagoruyko/pytorchviz",
    "clip": "https://github.com/openai/CLIP",
    "open_clip": "https://github.com/mlfoundations/open_clip",
}

_NUMPY: Final[Mapping[str, str]] = {
    "numpy": "check: np.asarray(tensor) calls Tensor.__array__, which raises off the CPU",
    "scipy": "https://docs.scipy.org/doc/scipy/reference/",
    "sklearn": "https://scikit-learn.org/stable/api/index.html",
    "matplotlib": "https://matplotlib.org/stable/api/",
    "pylab": "https://matplotlib.org/stable/api/pylab.html",
    "mpl_toolkits": "https://matplotlib.org/stable/api/toolkits/mplot3d.html",
    "PIL": "https://pillow.readthedocs.io/en/stable/reference/Image.html",
    "cv2": "https://docs.opencv.org/4.x/",
    "pandas": "https://pandas.pydata.org/docs/reference/",
    "skimage": "https://scikit-image.org/docs/stable/api/api.html",
    "seaborn": "https://seaborn.pydata.org/api.html",
    "plotly": "https://plotly.com/python-api-reference/",
    "bokeh": "https://docs.bokeh.org/en/latest/docs/reference.html",
    "imageio": "https://imageio.readthedocs.io/en/stable/",
    "h5py": "https://docs.h5py.org/en/stable/",
    "gym": "https://www.gymlibrary.dev/",
    "gymnasium": "https://gymnasium.farama.org/",
    "numba": "https://numba.readthedocs.io/en/stable/",
    "statsmodels": "https://www.statsmodels.org/stable/api.html",
    "networkx": "https://networkx.org/documentation/stable/reference/",
    "sympy": "https://docs.sympy.org/latest/reference/",
    "nltk": "https://www.nltk.org/api/nltk.html",
    "librosa": "https://librosa.org/doc/latest/",
    "soundfile": "https://python-soundfile.readthedocs.io/",
    "tifffile": "https://github.com/cgohlke/tifffile",
    "scikitplot": "https://scikit-plot.readthedocs.io/en/stable/",
    "albumentations": "https://albumentations.ai/docs/",
    "faiss": "https://github.com/facebookresearch/faiss/wiki",
    "umap": "https://umap-learn.readthedocs.io/en/latest/",
    "xgboost": "https://xgboost.readthedocs.io/en/stable/python/python_api.html",
    "lightgbm": "https://lightgbm.readthedocs.io/en/stable/",
    "tensorflow": "https://www.tensorflow.org/api_docs/python/tf/convert_to_tensor",
    "nibabel": "https://nipy.org/nibabel/api.html",
    "SimpleITK": "https://simpleitk.readthedocs.io/en/master/",
    "astropy": "https://docs.astropy.org/en/stable/",
    "pyarrow": "https://arrow.apache.org/docs/python/api.html",
    "pycocotools": "https://github.com/cocodataset/cocoapi",
    "torchvision.utils.draw_bounding_boxes": "torchvision/utils.py: image.permute(1, 2, 0).numpy()",
    "torchvision.utils.draw_keypoints": "torchvision/utils.py: image.permute(1, 2, 0).numpy()",
}

_ANYWHERE: Final[Mapping[str, str]] = {
    "tqdm": "https://tqdm.github.io/",
    "rich": "https://rich.readthedocs.io/en/stable/",
    "click": "https://click.palletsprojects.com/",
    "yaml": "https://pyyaml.org/wiki/PyYAMLDocumentation",
    "absl": "https://abseil.io/docs/python/",
    "termcolor": "https://github.com/termcolor/termcolor",
    "colorama": "https://github.com/tartley/colorama",
    "tabulate": "https://github.com/astanin/python-tabulate",
    "prettytable": "https://github.com/prettytable/prettytable",
    "loguru": "https://loguru.readthedocs.io/en/stable/",
    "omegaconf": "https://omegaconf.readthedocs.io/",
    "hydra": "https://hydra.cc/docs/intro/",
    "fire": "https://github.com/google/python-fire",
    "easydict": "https://github.com/makinacorpus/easydict",
    "yacs": "https://github.com/rbgirshick/yacs",
    "attr": "https://www.attrs.org/",
    "attrs": "https://www.attrs.org/",
    "pydantic": "https://docs.pydantic.dev/",
    "requests": "https://requests.readthedocs.io/",
    "psutil": "https://psutil.readthedocs.io/",
    "wandb": "https://docs.wandb.ai/ref/python/ (its tests log CUDA tensors)",
    "tensorboardX": "https://github.com/lanpa/tensorboardX (x2num.py: .cpu().numpy())",
    "visdom": "https://github.com/fossasia/visdom (_to_numpy: .detach().cpu().numpy(), no lists)",
    "torch.utils.tensorboard": "check: _convert_np.py calls .detach().cpu().numpy()",
    "mlflow": "https://mlflow.org/docs/latest/api_reference/python_api/mlflow.html",
    "neptune": "https://docs.neptune.ai/",
    "comet_ml": "https://www.comet.com/docs/v2/",
    "ipdb": "https://github.com/gotcha/ipdb",
    "IPython": "https://ipython.readthedocs.io/en/stable/",
    "progressbar": "https://progressbar-2.readthedocs.io/",
    "torchsummary": "https://github.com/sksq96/pytorch-summary (takes a module and sizes)",
    "torchinfo": "https://github.com/TylerYep/torchinfo (moves its input itself)",
    "einops.asnumpy": "einops/einops.py: x.detach().cpu().numpy()",
    "torchvision.utils.save_image": 'torchvision/utils.py: .to("cpu", torch.uint8).numpy()',
    "six": "https://six.readthedocs.io/",
    "future": "https://python-future.org/",
    "past": "https://python-future.org/",
    "typing_extensions": "https://typing-extensions.readthedocs.io/",
    "setproctitle": "https://github.com/dvarrazzo/py-setproctitle",
}

_REPORTS: Final[Mapping[str, str]] = {
    "thop": "https://github.com/Lyken17/pytorch-OpCounter (profile: model(*inputs); numbers)",
    "torchviz": "https://github.com/szagoruyko/pytorchviz (make_dot: a graph)",
    "ptflops": "https://github.com/sovrasov/flops-counter.pytorch",
    "fvcore.nn.FlopCountAnalysis": "fvcore/nn/flop_count.py: runs the model; numbers by name",
    "fvcore.nn.ActivationCountAnalysis": "fvcore/nn/activation_count.py, likewise",
    "fvcore.nn.flop_count": "fvcore/nn/flop_count.py, likewise",
    "fvcore.nn.parameter_count": "fvcore/nn/parameter_count.py: numbers by name",
}
"""What runs a module on what it is given, and reports on it: no tensor comes back."""

_ELSEWHERE: Final[Mapping[str, str]] = {
    "torch.distributed.rpc": "https://docs.pytorch.org/docs/stable/rpc.html",
}
"""Runs in other processes, which need a map of devices to take tensors that are on one."""

WORLDS: Final[Mapping[str, ModuleRow]] = table(
    _world(World.TORCH, _TORCH),
    _world(World.NUMPY, _NUMPY),
    _world(World.ANYWHERE, _ANYWHERE),
    _world(World.UNKNOWN, _ELSEWHERE),
)
"""Modules by dotted name; the longest row that leads a name decides."""


class Prefix(Struct, frozen=True):
    """A dotted name whose calls, and the calls of what lies below it, return one kind of thing.

    ``method``: the last part is a class method of any class below the rest of the name.
    """

    name: str
    method: bool
    source: str


_MODELS: Final = "https://docs.pytorch.org/vision/stable/models.html"
_HUB: Final = "https://huggingface.co/docs/transformers/model_doc/auto"

MODULE_FACTORIES: Final[Mapping[str, Prefix]] = table(
    (
        Prefix("torchvision.models", False, _MODELS),
        Prefix(
            "timm.create_model",
            False,
            "https://huggingface.co/docs/timm/reference/models",
        ),
        Prefix("torch.hub.load", False, "https://docs.pytorch.org/docs/stable/hub.html"),
        Prefix("transformers.from_pretrained", True, _HUB),
        Prefix("transformers.from_config", True, _HUB),
        Prefix(
            "segmentation_models_pytorch.create_model",
            False,
            "https://smp.readthedocs.io/en/latest/",
        ),
    )
)
"""Functions and methods that return a ``torch.nn.Module``; tokenizers, processors and
configurations excepted. Classes are in ``library_modules``.
"""

DATASETS: Final[Mapping[str, Prefix]] = table(
    (
        Prefix(
            "torchvision.datasets",
            False,
            "https://docs.pytorch.org/vision/stable/datasets.html",
        ),
        Prefix(
            "torchaudio.datasets",
            False,
            "https://docs.pytorch.org/audio/stable/datasets.html",
        ),
    )
)
"""Classes of map-style datasets whose samples are tuples that live on the host."""

_TABLES: Final = words("EMNIST FashionMNIST KMNIST MNIST QMNIST")
"""Datasets of torchvision that hold all samples as tensors; those of others are arrays or lists.
https://github.com/pytorch/vision/blob/main/torchvision/datasets/mnist.py
"""
TABLES: Final[Mapping[str, str]] = {
    "data": "uint8", "train_data": "uint8", "test_data": "uint8",
    "targets": "int64", "train_labels": "int64", "test_labels": "int64",
}  # fmt: skip
"""The attributes that hold them."""

OBJECTS: Final[Mapping[str, str]] = {
    "matplotlib": "https://matplotlib.org/stable/api/: figures, axes, artists",
    "pylab": "https://matplotlib.org/stable/api/pylab.html",
    "mpl_toolkits": "https://matplotlib.org/stable/api/toolkits/mplot3d.html",
    "seaborn": "https://seaborn.pydata.org/api.html: axes and grids",
    "plotly": "https://plotly.com/python-api-reference/: figures",
    "bokeh": "https://docs.bokeh.org/en/latest/docs/reference.html: figures",
    "PIL": "https://pillow.readthedocs.io/en/stable/reference/Image.html: images",
    "networkx": "https://networkx.org/documentation/stable/reference/: graphs",
}
"""Libraries of the NumPy world whose calls return objects, no arrays: their methods read, too."""

_NO_MODEL: Final = ("Tokenizer", "Processor", "Config", "FeatureExtractor")
"""In the names of classes: ``ViTImageProcessorFast``, ``Wav2Vec2ProcessorWithLM``."""
_OTHER_MODELS: Final = ("Flax", "TF")
"""How transformers calls its models for JAX and TensorFlow."""
_MODEL_HELPERS: Final = (
    "torchvision.models.get_weight",
    "torchvision.models.list_models",
)


@lru_cache(maxsize=4096)
def world(module: str) -> World:
    """Return the world of a dotted module name; relative names and unheard-of ones are UNKNOWN."""
    head = module
    while head:
        if head in WORLDS:
            return WORLDS[head].world
        head = head.rpartition(".")[0]
    top = module.partition(".")[0]
    return World.ANYWHERE if top in sys.stdlib_module_names else World.UNKNOWN


@lru_cache(maxsize=4096)
def reports(name: str) -> bool:
    """Say whether a call of this dotted name tells about a module, and gives no tensor back."""
    return any(name == row or name.startswith(f"{row}.") for row in _REPORTS)


@lru_cache(maxsize=4096)
def makes_module(name: str) -> bool:
    """Say whether a call of this dotted name returns a ``torch.nn.Module``."""
    if name.endswith("_Weights") or name.startswith(_MODEL_HELPERS):
        return False
    if is_metric(name) or is_library_module(name):
        return True
    owner = name.rpartition(".")[0]
    if any(word in owner.rpartition(".")[2] for word in _NO_MODEL) or ".configuration" in owner:
        return False
    if owner.startswith("transformers.") and owner.rpartition(".")[2].startswith(_OTHER_MODELS):
        return False
    return any(_covers(row, name) for row in MODULE_FACTORIES.values())


def makes_objects(name: str) -> bool:
    """Say whether calls of this dotted name return objects whose methods read on the host."""
    return name.partition(".")[0] in OBJECTS


@lru_cache(maxsize=4096)
def makes_dataset(name: str) -> bool:
    """Say whether a call of this dotted name returns a map-style dataset of host samples."""
    return any(_covers(row, name) for row in DATASETS.values())


def has_tables(name: str) -> bool:
    """Say whether a dataset of this dotted name holds its samples in `TABLES`."""
    return name.startswith("torchvision.datasets.") and name.rpartition(".")[2] in _TABLES


def _covers(row: Prefix, name: str) -> bool:
    if row.method:
        base, _, method = row.name.rpartition(".")
        return name.startswith(f"{base}.") and name.endswith(f".{method}")
    return name == row.name or name.startswith(f"{row.name}.")
