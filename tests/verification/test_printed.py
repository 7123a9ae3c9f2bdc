"""How printed text is read."""

from __future__ import annotations

import pytest

from devicefix.verification.printed import lines_of


def numbers(text: str) -> list[float]:
    (line,) = lines_of(text)
    return [token.number for token in line.tokens if token.number is not None]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("epoch 1: loss 0.1234", [1, 0.1234]),
        ("took 0.5s, 3MB, 97%", [0.5, 3, 97]),
        ("lr=1e-05 x=-3.5e+2", [1e-05, -350]),
        ("12:03:59 on 2026-11-22", [12, 3, 59, 2026, 11, 22]),
        ("conv2d layer1.weight fc_3", []),
        ("range 1-2", [1, 2]),
        ("object at 0x7f12ab90", []),
        ("tensor([1., -2.5000])", [1, -2.5]),
        (".5 of 7.", [0.5, 7]),
        ("2-9a297e.pt and 2-264dac.pt", [2, 2]),
        ("12ms 3.5it/s 8GiB 2x 90%", [12, 3.5, 8, 2, 90]),
    ],
)
def test_numbers_are_found(text: str, found: list[float]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("host", "device"),
    [
        ("tensor([1., 2.])", "tensor([1., 2.], device='cuda:0')"),
        (
            "tensor([1., 2.], grad_fn=<AddBackward0>)",
            "tensor([1., 2.], device='cuda:0',\n       grad_fn=<AddBackward0>)",
        ),
        ("tensor(1., requires_grad=True)", "tensor(1., device='mps:0', grad_fn=<ToCopyBackward0>)"),
        ("tensor([1], dtype=torch.int8)", "tensor([1], device='cuda:0',\n       dtype=torch.int8)"),
        ("Using cpu", "Using cuda:1"),
        ("on the CPU", "on the GPU"),
    ],
)
def test_the_device_is_no_result(host: str, device: str) -> None:
    assert [x.text for x in lines_of(host)] == [x.text for x in lines_of(device)]


def test_other_words_that_contain_a_device_stay() -> None:
    assert lines_of("cudart cpus")[0].text == "cudart cpus"
    assert not lines_of("cudart")[0].names_a_device
    assert lines_of("device: cuda")[0].names_a_device


def test_a_progress_bar_is_lines() -> None:
    assert [line.text for line in lines_of("10%\r20%\r\n\ndone\n")] == ["10%", "20%", "done"]


def test_not_a_number_is_one() -> None:
    (line,) = lines_of("loss nan, best -inf")
    assert [token.number is not None for token in line.tokens] == [False, True, False, False, True]
