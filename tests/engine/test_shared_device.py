"""Where a new device is defined for a function or a main program."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from devicefix.engine import Choice, rehearsal
from devicefix.settings import Settings

MAIN = """
    from torch import nn

    from trainer import train

    if __name__ == "__main__":
        train(nn.Linear(3, 2).cuda(), [], 2)
    """
TRAINER = """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader


    def train(model, data, cards):
        if cards > 1:
            model = nn.DataParallel(model)
        model.train()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for batch in DataLoader(data):
            image, label = batch["image"], batch["label"]
            image, label = image.cuda(), label.cuda()
            nn.functional.cross_entropy(model(image), label).backward()
            optimizer.step()
    """


def written(folder: Path, trainer: str) -> str:
    for name, text in (("main.py", MAIN), ("trainer.py", trainer)):
        (folder / name).write_text(dedent(text).lstrip())
    report = rehearsal((folder,), Settings()).report(Choice())
    changes = {Path(result.path).name: change for result, change in report.changes}
    return changes["trainer.py"].after.decode()


def test_it_stands_behind_what_binds_the_module_last(tmp_path: Path) -> None:
    text = written(tmp_path, TRAINER)
    assert "    model.train()\n    device = next(model.parameters()).device\n" in text
    assert "image, label = image.to(device), label.to(device)" in text


def test_a_module_that_the_loop_binds_anew_is_asked_at_each_place(tmp_path: Path) -> None:
    last = "            optimizer.step()\n"
    text = written(tmp_path, TRAINER.replace(last, f"{last}            model = model.eval()\n"))
    assert text.count("next(model.parameters()).device") == 2
    assert "\n    device =" not in text


SOLVER = """
    class Solver:
        def __init__(self, model, pairs):
            self.model = model
            self.pairs = pairs

        def run(self):
            for x, y in self.pairs:
                x = x.cuda()
                y = y.cuda()
                print((self.model(x) - y).sum().item())
    """


SOLVER_THAT_MOVES = """
    class Solver:
        def __init__(self, model, pairs):
            self.model = model
            self.pairs = pairs

        def run(self):
            self.start()
            for x, y in self.pairs:
                print((self.model(x.cuda()) - y.cuda()).sum().item())

        def start(self):
            self.model.cuda()
    """


def test_the_module_of_an_object_is_asked_once(tmp_path: Path) -> None:
    solver = _of_solver(tmp_path, SOLVER)
    assert "    def run(self):\n        device = next(self.model.parameters()).device\n" in solver
    assert solver.count(".to(device)") == 2


def test_a_module_that_a_method_moves_is_not_asked_before(tmp_path: Path) -> None:
    solver = _of_solver(tmp_path, SOLVER_THAT_MOVES)
    assert "next(" not in solver
    assert "self.model.to(self.device)" in solver


SOLVER_THAT_IS_GIVEN_A_MODULE = """
    class Solver:
        def __init__(self, pairs):
            self.pairs = pairs

        def run(self, model):
            model.cuda()
            for x, y in self.pairs:
                print((model(x.cuda()) - y.cuda()).sum().item())
    """
MAIN_THAT_GIVES_ONE = """
    import torch
    from torch import nn

    from solver import Solver

    Solver([(torch.ones(2, 3), torch.ones(2, 1))]).run(nn.Linear(3, 1))
    """


def test_what_meets_a_module_takes_the_device_that_the_function_moves_it_to(tmp_path: Path) -> None:
    files = {"main.py": MAIN_THAT_GIVES_ONE, "solver.py": SOLVER_THAT_IS_GIVEN_A_MODULE}
    for name, text in files.items():
        (tmp_path / name).write_text(dedent(text).lstrip())
    report = rehearsal((tmp_path,), Settings()).report(Choice())
    changes = {Path(result.path).name: change for result, change in report.changes}
    solver = changes["solver.py"].after.decode()
    assert "model.to(self.device)" in solver
    assert "model(x.to(self.device)) - y.to(self.device)" in solver


def test_a_string_takes_the_device_of_the_object_that_its_function_asks_for(tmp_path: Path) -> None:
    both = 'model(x.cuda()).sum().item(), y.to("cuda")'
    solver = SOLVER_THAT_IS_GIVEN_A_MODULE.replace("(model(x.cuda()) - y.cuda())", both)
    for name, text in (("main.py", MAIN_THAT_GIVES_ONE), ("solver.py", solver)):
        (tmp_path / name).write_text(dedent(text).lstrip())
    report = rehearsal((tmp_path,), Settings()).report(Choice())
    changes = {Path(result.path).name: change for result, change in report.changes}
    assert "y.to(self.device)" in changes["solver.py"].after.decode()


def _of_solver(folder: Path, solver: str) -> str:
    made = "nn.Linear(3, 1)" + (".cuda()" if "start" not in solver else "")
    main = f"""
        import torch
        from torch import nn

        from solver import Solver

        if __name__ == "__main__":
            Solver({made}, [(torch.ones(2, 3), torch.ones(2, 1))]).run()
        """
    for name, text in (("main.py", main), ("solver.py", solver)):
        (folder / name).write_text(dedent(text).lstrip())
    report = rehearsal((folder,), Settings()).report(Choice())
    changes = {Path(result.path).name: change for result, change in report.changes}
    return changes["solver.py"].after.decode()


def test_one_string_gets_the_name_of_the_other(tmp_path: Path) -> None:
    """``device="cuda"`` below ``device = "cuda"``: one question is enough."""
    work = """
        import torch
        from torch import nn


        def run(n, device="cuda"):
            net = nn.Linear(n, 1).to(device)
            return net(torch.ones(2, n).to(device))
        """
    main = """
        from work import run

        device = "cuda"
        print(run(2, device=device))
        print(run(3, device="cuda"))
        """
    for name, text in (("main.py", main), ("work.py", work)):
        (tmp_path / name).write_text(dedent(text).lstrip())
    report = rehearsal((tmp_path,), Settings()).report(Choice())
    changes = {Path(result.path).name: change for result, change in report.changes}
    after = changes["main.py"].after.decode()
    assert after.count("torch.cuda.is_available()") == 1
    assert "run(3, device=device)" in after


def test_it_stands_below_the_imports_of_a_main_program(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        dedent("""
        import torch

        if __name__ == "__main__":
            # what only the demonstration needs
            import math

            net = torch.nn.Linear(3, 1).cuda()
            print(net(torch.ones(3).cuda()), math.pi)
        """)
    )
    report = rehearsal((script,), Settings()).report(Choice())
    ((_, change),) = report.changes
    assert "    import math\n    device = torch.device(" in change.after.decode()


def test_what_a_main_program_imports_is_not_imported_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        dedent("""
        if __name__ == "__main__":
            import argparse
            import torch

            parser = argparse.ArgumentParser()
            parser.add_argument("--device", default="cuda:0")
            print(torch.ones(3).to(parser.parse_args().device))
        """)
    )
    report = rehearsal((script,), Settings()).report(Choice())
    ((_, change),) = report.changes
    assert change.after.decode().count("import torch") == 1
    assert 'default="cuda:0" if torch.cuda.is_available() else "cpu"' in change.after.decode()
