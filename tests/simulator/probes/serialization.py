"""Saving and loading: which device a file names, and where its tensors are created."""

from __future__ import annotations

import copy
import io
import pickle
import zipfile
from typing import Any

import torch
from expectations import HOST, another, placed, raises, same
from torch import nn


def _saved(value: object, **options: Any) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(value, file, **options)
    file.seek(0)
    return file


def _renamed(file: io.BytesIO, old: bytes, new: bytes) -> io.BytesIO:
    """The archive with ``old`` replaced in its pickle by ``new``, which has the same length."""
    result = io.BytesIO()
    with zipfile.ZipFile(file) as read, zipfile.ZipFile(result, "w") as write:
        for item in read.infolist():
            data = read.read(item)
            write.writestr(item, data.replace(old, new) if "data.pkl" in item.filename else data)
    result.seek(0)
    return result


def a_file_names_the_device(device: torch.device) -> None:
    """The storage of a device tensor is tagged ``cuda:0`` in the file, a CPU one ``cpu``.

    Source: torch/serialization.py, `location_tag`.
    """
    with zipfile.ZipFile(_saved(torch.ones(1, device=device))) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("data.pkl")]
        assert str(device).encode() in archive.read(name)
    with zipfile.ZipFile(_saved(torch.ones(1))) as archive:
        assert b"cuda" not in archive.read(name)


def loading_returns_to_the_device(device: torch.device) -> None:
    """Without ``map_location`` tensors come back where they were saved.

    Source: torch docs, `torch.load`; torch/serialization.py, `_deserialize`.
    """
    saved = _saved({"here": torch.ones(2, device=device), "there": torch.zeros(2)})
    loaded = torch.load(saved)
    placed(device, loaded["here"])
    placed(HOST, loaded["there"])
    same(loaded["here"], [1.0, 1.0])


def loading_maps_to_the_host(device: torch.device) -> None:
    """``map_location`` as a string, a device, a mapping and a function sends tensors to the CPU.

    Source: torch docs, `torch.load`, ``map_location``; test/test_serialization.py.
    """
    for where in (
        "cpu",
        HOST,
        {str(device): "cpu"},
        lambda storage, location: storage,
    ):
        saved = _saved(torch.ones(2, device=device))
        placed(HOST, loaded := torch.load(saved, map_location=where))
        same(loaded, [1.0, 1.0])


def loading_maps_to_the_device(device: torch.device) -> None:
    """``map_location=device`` brings CPU tensors over; a mapping that does not name ``cpu``
    leaves them.

    Source: torch/serialization.py, `_get_restore_location`.
    """
    placed(device, torch.load(_saved(torch.ones(2)), map_location=device))
    placed(device, torch.load(_saved(torch.ones(2)), map_location="cuda:0"))
    placed(HOST, torch.load(_saved(torch.ones(2)), map_location={"cuda:0": "cpu"}))


def loading_maps_to_another_device(device: torch.device) -> None:
    """A mapping from one device to another is followed.

    Source: torch docs, `torch.load`: ``map_location={'cuda:1': 'cuda:0'}``.
    """
    other = another(device)
    saved = _saved(torch.ones(2, device=other))
    placed(device, torch.load(saved, map_location={str(other): str(device)}))


def a_saved_device_that_is_missing_is_refused(device: torch.device) -> None:
    """A file of a device that this machine lacks raises and advises ``map_location``.

    Source: torch/serialization.py, `_validate_device` (`validate_cuda_device` up to 2.5).
    """
    saved = _renamed(_saved(torch.ones(1, device=device)), str(device).encode(), b"cuda:9")
    count = torch.cuda.device_count()
    with raises(
        RuntimeError,
        "Attempting to deserialize object on CUDA device 9 but torch.cuda.device_count() is "
        f"{count}. Please use torch.load with map_location to map your storages to an existing "
        "device.",
    ):
        torch.load(saved)


def the_old_format_names_the_device(device: torch.device) -> None:
    """The format before zip archives keeps the device, too.

    Source: torch/serialization.py, `_legacy_save`, `_legacy_load`.
    """
    saved = _saved(torch.ones(2, device=device), _use_new_zipfile_serialization=False)
    placed(device, torch.load(saved))
    saved.seek(0)
    placed(HOST, torch.load(saved, map_location="cpu"))


def views_of_one_storage_stay_together(device: torch.device) -> None:
    """Two views that are saved together share memory after loading.

    Source: torch docs, "Saving and loading tensors preserves views".
    """
    here = torch.zeros(4, device=device)
    first, second = torch.load(_saved([here[:2], here[1:]]))
    first[1] = 5
    same(second, [5.0, 0.0, 0.0])


def pickling_keeps_the_device(device: torch.device) -> None:
    """`pickle` and `deepcopy` bring tensors and parameters back to the device.

    Source: torch/_tensor.py, `Tensor.__reduce_ex__`, `__deepcopy__`.
    """
    here = nn.Parameter(torch.ones(2, device=device))
    for twin in (pickle.loads(pickle.dumps(here)), copy.deepcopy(here)):
        placed(device, twin)
        assert isinstance(twin, nn.Parameter)
        assert twin.requires_grad
        assert twin is not here
        same(twin, here)


def a_state_dict_is_copied_across(device: torch.device) -> None:
    """`load_state_dict` copies values into parameters where they are, from any device.

    Source: torch/nn/modules/module.py, `_load_from_state_dict`: ``param.copy_(input_param)``.
    """
    source, target = nn.Linear(2, 2), nn.Linear(2, 2).to(device)
    before = target.weight
    target.load_state_dict(source.state_dict())
    assert target.weight is before
    placed(device, target.weight)
    same(target.weight, source.weight)
    source.load_state_dict(target.state_dict())
    placed(HOST, source.weight)


def a_whole_module_returns_to_its_device(device: torch.device) -> None:
    """A module saved as a whole on the device comes back there, or where ``map_location`` says.

    Source: torch/serialization.py, `_save` and `_load` of modules.
    """
    saved = _saved(nn.Linear(2, 2).to(device))
    placed(device, torch.load(saved, weights_only=False).weight)
    saved.seek(0)
    placed(HOST, torch.load(saved, map_location="cpu", weights_only=False).weight)
