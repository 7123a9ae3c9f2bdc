"""Worlds: the longest row decides; the standard library needs no rows."""

from __future__ import annotations

import inspect

import pytest

from devicefix.torch_api import World, makes_dataset, makes_module, world


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("torch", World.TORCH),
        ("torchvision.ops", World.TORCH),
        ("torchvision.utils.save_image", World.ANYWHERE),
        ("torchvision.utils.make_grid", World.TORCH),
        ("torchvision.utils.draw_bounding_boxes", World.NUMPY),
        ("visdom.Visdom", World.ANYWHERE),
        ("einops.layers.torch", World.TORCH),
        ("transformers", World.TORCH),
        ("numpy", World.NUMPY),
        ("numpy.linalg", World.NUMPY),
        ("matplotlib.pyplot", World.NUMPY),
        ("sklearn.metrics", World.NUMPY),
        ("PIL.Image", World.NUMPY),
        ("tqdm.auto", World.ANYWHERE),
        ("torch.utils.tensorboard", World.ANYWHERE),
        ("torch.utils.data", World.TORCH),
        ("torch.distributed.rpc.rpc_sync", World.UNKNOWN),
        ("wandb", World.ANYWHERE),
        ("os.path", World.ANYWHERE),
        ("random", World.ANYWHERE),
        ("torchy", World.UNKNOWN),
        ("numpyro", World.UNKNOWN),
        ("mymodels", World.UNKNOWN),
        (".models", World.UNKNOWN),
        ("", World.UNKNOWN),
    ],
)
def test_world(module: str, expected: World) -> None:
    assert world(module) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torchvision.models.resnet18", True),
        ("torchvision.models.segmentation.fcn_resnet50", True),
        ("torchvision.models.list_models", False),
        ("torchvision.models.ResNet18_Weights", False),
        ("torchvision.transforms.ToTensor", False),
        ("timm.create_model", True),
        ("timm.list_models", False),
        ("torch.hub.load", True),
        ("torch.hub.load_state_dict_from_url", False),
        ("transformers.AutoModel.from_pretrained", True),
        ("transformers.BertForMaskedLM.from_pretrained", True),
        ("transformers.AutoTokenizer.from_pretrained", False),
        ("transformers.AutoConfig.from_pretrained", False),
        ("transformers.AutoModel", False),
        ("transformers.BertModel", True),
        ("torch_geometric.nn.GCNConv", True),
        ("segmentation_models_pytorch.Unet", True),
        ("segmentation_models_pytorch.metrics.get_stats", False),
        ("torchmetrics.F1Score", True),
        ("torchmetrics.classification.Accuracy", True),
        ("torchmetrics.functional.accuracy", False),
        ("torchmetrics.utilities", False),
    ],
)
def test_makes_module(name: str, expected: bool) -> None:
    assert makes_module(name) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torchvision.datasets.MNIST", True),
        ("torchvision.datasets.folder.ImageFolder", True),
        ("torchvision.datasetsx.MNIST", False),
        ("torchvision.transforms.Compose", False),
    ],
)
def test_makes_dataset(name: str, expected: bool) -> None:
    assert makes_dataset(name) is expected


def test_numpy_needs_the_host() -> None:
    torch = pytest.importorskip("torch")
    numpy = pytest.importorskip("numpy")
    with pytest.raises(TypeError):
        numpy.asarray(torch.zeros(2, device="meta"))


def test_summary_writers_move_by_themselves() -> None:
    pytest.importorskip("torch")
    convert = pytest.importorskip("torch.utils.tensorboard._convert_np")
    assert ".cpu()" in inspect.getsource(convert)
