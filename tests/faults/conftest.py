"""One warm devicefix for the tests of a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.ground import Ground
from tests.faults.injection import Injector, build


@pytest.fixture(scope="session")
def injector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Injector]:
    """Where runs with faults come from."""
    folder = tmp_path_factory.mktemp("faults")
    shim = build(folder)
    if isinstance(shim, str):
        pytest.skip(shim)
    with Injector(shim, folder) as started:
        yield started


@pytest.fixture(scope="session")
def ground(injector: Injector, tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """The project on which most of them go wrong."""
    return Ground(injector, tmp_path_factory.mktemp("project"))
