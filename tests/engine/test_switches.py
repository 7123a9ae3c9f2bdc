"""A switch of the user in one file, and a device that another file would pass down."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from devicefix.engine import Choice, rehearsal
from devicefix.settings import Settings

MAIN = """
    import engine

    engine.make()
    print(engine.step().shape)
    """
ENGINE = """
    import torch
    from config import USE_GPU
    from torch import nn

    net = h = None


    def make():
        global net, h
        net = nn.Linear(2, 2)
        h = torch.zeros(2)
        if USE_GPU:
            net.cuda()
            h = h.cuda()


    def step():
        x = torch.ones(2)
        if USE_GPU:
            x = x.cuda()
        return net(x) + h
    """
OPTION = """
    import argparse

    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu", action="store_true")
    USE_GPU = not parser.parse_args().cpu and torch.cuda.is_available()
    """
MACHINE = """
    import torch

    USE_GPU = torch.cuda.is_available()
    """


def written(folder: Path, **files: str) -> dict[str, str]:
    """What the files that change read afterwards."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(dedent(text).lstrip())
    report = rehearsal((folder,), Settings()).report(Choice())
    return {Path(r.path).stem: change.after.decode() for r, change in report.changes}


def test_a_device_that_asks_the_machine_alone_does_not_overrule_it(tmp_path: Path) -> None:
    assert not written(tmp_path, main=MAIN, engine=ENGINE, config=OPTION)


def test_wherever_the_value_is_moved(tmp_path: Path) -> None:
    place = """

    def place():
        global h
        if USE_GPU:
            h = h.cuda()
    """
    engine = ENGINE.replace("            h = h.cuda()\n", "") + place
    main = MAIN.replace("make()", "make()\n    engine.place()")
    assert not written(tmp_path, main=main, engine=engine, config=OPTION)


def test_a_function_that_is_told_makes_its_device_of_that(tmp_path: Path) -> None:
    told = ENGINE.replace("    from config import USE_GPU\n", "").replace("USE_GPU", "cuda")
    told = told.replace("make()", "make(cuda)").replace("step()", "step(cuda)")
    main = MAIN.replace("import engine", "import engine\n    from config import USE_GPU")
    main = main.replace("make()", "make(USE_GPU)").replace("step()", "step(USE_GPU)")
    after = written(tmp_path, main=main, engine=told, config=OPTION)
    assert after.keys() == {"engine"}
    assert after["engine"].count('device = torch.device("cuda" if cuda else "cpu")') == 2
    assert "h = torch.zeros(2, device=device)" in after["engine"]


def test_what_asks_the_machine_is_no_switch(tmp_path: Path) -> None:
    left = ENGINE.replace("            h = h.cuda()\n", "")
    after = written(tmp_path, main=MAIN, engine=left, config=MACHINE)
    assert "h = torch.zeros(2, device=device)" in after["engine"]
    assert "engine.make(device=device)" in after["main"]
    assert not written(tmp_path, main=MAIN, engine=left, config=OPTION)
