"""What may be something else than a tensor: nothing can be written behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

HEAD: Final = "import sys\ny = model(torch.ones(3, device=device)).detach()\n"


def written(beside_model: Moves, program: str) -> list[str]:
    return beside_model(HEAD + program)


MIXED: Final = [
    pytest.param("best = 0\nif len(sys.argv) > 1:\n    best = y\nnp.abs(best)\n", id="number"),
    pytest.param("best = None\nif len(sys.argv) > 1:\n    best = y\nnp.abs(best)\n", id="None"),
    pytest.param(
        "best = 0\nfor i in range(3):\n    if i > 1:\n        best = y\nnp.abs(best)\n", id="loop"
    ),
    pytest.param("for v in [1.0, y]:\n    np.abs(v)\n", id="a list of both"),
    pytest.param("for k, v in {'a': 1, 'b': y}.items():\n    np.abs(v)\n", id="a dict of both"),
    pytest.param("def show(v):\n    np.abs(v)\nshow(y)\nshow(1.0)\n", id="two callers"),
    pytest.param("def show(v):\n    np.abs(v)\nshow(y)\nshow([1, 2])\n", id="tensor or list"),
    pytest.param("def show(v):\n    np.abs(v)\nshow(y)\nshow(np.ones(2))\n", id="tensor or array"),
    pytest.param("np.abs(y if len(sys.argv) > 1 else 0)\n", id="a conditional expression"),
]


@pytest.mark.parametrize("program", MIXED)
def test_what_may_be_a_number_is_not_touched(beside_model: Moves, program: str) -> None:
    (move,) = written(beside_model, program)
    assert move.split(maxsplit=1)[1] in (
        "model(torch.ones(3, device=device)).detach() -> cpu",
        "y -> cpu",
    )


NARROWED: Final = [
    pytest.param("    if best is not None:\n        np.abs(best)\n", id="is not None"),
    pytest.param("    if not best is None:\n        np.abs(best)\n", id="not is None"),
    pytest.param("    if best is None:\n        return\n    np.abs(best)\n", id="early return"),
    pytest.param("    if best is not None and flag:\n        np.abs(best)\n", id="and"),
    pytest.param("    if best is None or flag:\n        return\n    np.abs(best)\n", id="or"),
    pytest.param("    assert best is not None\n    np.abs(best)\n", id="assert"),
    pytest.param("    if isinstance(best, torch.Tensor):\n        np.abs(best)\n", id="isinstance"),
    pytest.param("    if torch.is_tensor(best):\n        np.abs(best)\n", id="is_tensor"),
    pytest.param("    np.abs(best) if best is not None else 0\n", id="conditional expression"),
]


@pytest.mark.parametrize("body", NARROWED)
def test_a_condition_says_that_it_is_a_tensor(beside_model: Moves, body: str) -> None:
    program = (
        "def main(flag):\n    best = None\n    if len(sys.argv) > 1:\n        best = y\n"
        f"{body}main(True)\n"
    )
    assert written(beside_model, program) == ["HOST_READ best -> cpu"]


NOT_NARROWED: Final = [
    pytest.param("    if best is None:\n        pass\n    np.abs(best)\n", id="no way out"),
    pytest.param("    if best is not None or flag:\n        np.abs(best)\n", id="or"),
    pytest.param("    if other is not None:\n        np.abs(best)\n", id="another name"),
]


@pytest.mark.parametrize("body", NOT_NARROWED)
def test_a_condition_that_says_nothing(beside_model: Moves, body: str) -> None:
    program = (
        "def main(flag, other):\n    best = None\n    if len(sys.argv) > 1:\n        best = y\n"
        f"{body}main(True, y)\n"
    )
    assert all(" best -> cpu" not in move for move in written(beside_model, program))


def test_a_number_is_not_excluded_by_none(beside_model: Moves) -> None:
    program = (
        "best = 0\nif len(sys.argv) > 1:\n    best = y\nif best is not None:\n    np.abs(best)\n"
    )
    assert written(beside_model, program) == [
        "HOST_READ model(torch.ones(3, device=device)).detach() -> cpu"
    ]


def test_attributes_are_narrowed_too(beside_model: Moves) -> None:
    program = """
        class Meter:
            def __init__(self):
                self.last = None
            def show(self):
                if self.last is not None:
                    print(np.abs(self.last))
        meter = Meter()
        meter.show()
        meter.last = model(torch.ones(3, device=device)).detach()
        meter.show()
        """
    assert beside_model(program) == ["HOST_READ self.last -> cpu"]


def test_only_the_branch_that_a_caller_takes(beside_model: Moves) -> None:
    program = """
def to_array(value):
    return value.numpy() if isinstance(value, torch.Tensor) else np.asarray(value)
to_array(y)
to_array([1, 2])
"""
    assert written(beside_model, program) == ["HOST_READ value -> cpu"]


@pytest.mark.parametrize(
    ("kind", "count"), [("PIL.Image.Image", 0), ("Image", 0), ("(Image, torch.Tensor)", 1)]
)
def test_behind_a_question_for_another_class_it_is_no_tensor(
    moves: Callable[[str], list[str]], kind: str, count: int
) -> None:
    """``.cpu()`` behind an image would raise."""
    program = f"""
        import PIL.Image
        from somewhere import Image
        def preprocess(image):
            if isinstance(image, torch.Tensor):
                return image
            elif isinstance(image, {kind}):
                image = [image]
            if isinstance(image[0], {kind}):
                image = [np.array(i.resize((8, 8)))[None, :] for i in image]
                image = torch.from_numpy(np.concatenate(image, axis=0))
            elif isinstance(image[0], torch.Tensor):
                image = torch.cat(image, dim=0)
            return image
        """
    assert len(moves(program)) == count


@pytest.mark.parametrize(("given", "count"), [("moved", 0), ("None", 1)])
def test_an_argument_that_is_given_is_not_none(
    beside_model: Callable[[str], list[str]], given: str, count: int
) -> None:
    """Of ``schedule=None`` only what the caller hands over counts."""
    program = f"""
        steps = torch.linspace(0, 1, 3)
        def scaled(x, schedule=None):
            if schedule is None:
                schedule = steps
            return schedule * x
        moved = steps.to(device)
        print(scaled(model(torch.ones(2, 3, device=device)), {given}))
        """
    assert len(beside_model(program)) == count
