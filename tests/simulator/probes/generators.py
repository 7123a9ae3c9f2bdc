"""Random numbers: which generator goes with which device."""

from __future__ import annotations

import torch
from expectations import HOST, another, placed, raises, same


def _wanted(wanted: str, found: str) -> str:
    return f"Expected a '{wanted}' device type for generator but found '{found}'"


def a_host_generator_does_not_serve_the_device(device: torch.device) -> None:
    """A CPU generator given to a factory on the device raises.

    Source: aten/src/ATen/core/Generator.h, `check_generator`.
    """
    generator = torch.Generator()
    for make in (torch.rand, torch.randn):
        with raises(RuntimeError, _wanted("cuda", "cpu")):
            make(2, generator=generator, device=device)
    with raises(RuntimeError, _wanted("cuda", "cpu")):
        torch.randint(3, (2,), generator=generator, device=device)


def a_device_generator_does_not_serve_the_host(device: torch.device) -> None:
    """A generator of the device given to a factory on the CPU raises.

    Source: aten/src/ATen/core/Generator.h, `check_generator`.
    """
    generator = torch.Generator(device=device)
    with raises(RuntimeError, _wanted("cpu", "cuda")):
        torch.randn(2, generator=generator)
    with raises(RuntimeError, _wanted("cpu", "cuda")):
        torch.zeros(2).normal_(generator=generator)


def permutations_look_at_the_generator(device: torch.device) -> None:
    """`randperm` takes the generator of its own device only. A generator takes part in the choice
    of the kernel, so CUDA's is chosen also for the CPU; it draws numbers there, which is refused
    with the message of every random function, and makes nothing of none.

    Source: aten/src/ATen/core/dispatch/DispatchKeyExtractor.h; aten/src/ATen/native/cuda/
    Randperm.cu, `randperm_out_cuda`; aten/src/ATen/core/Generator.h, `check_generator`.
    """
    generator = torch.Generator(device=device)
    with raises(RuntimeError, _wanted("cpu", "cuda")):
        torch.randperm(4, generator=generator)
    placed(HOST, torch.randperm(0, generator=generator))
    with raises(RuntimeError, _wanted("cuda", "cpu")):
        torch.randperm(4, generator=torch.Generator(), device=device)
    order = torch.randperm(4, generator=generator, device=device)
    placed(device, order)
    assert sorted(order.tolist()) == [0, 1, 2, 3]


def drawing_in_place_looks_at_the_generator(device: torch.device) -> None:
    """`normal_`, `uniform_`, `bernoulli` and `multinomial` want a generator of their tensor's
    device.

    Source: aten/src/ATen/core/Generator.h, `check_generator`.
    """
    here, generator = torch.full((2,), 0.5, device=device), torch.Generator()
    for draw in (
        lambda: here.normal_(generator=generator),
        lambda: here.uniform_(generator=generator),
        lambda: torch.bernoulli(here, generator=generator),
        lambda: torch.multinomial(here, 1, generator=generator),
        lambda: torch.normal(here, here, generator=generator),
    ):
        with raises(RuntimeError, _wanted("cuda", "cpu")):
            draw()


def a_generator_knows_its_device(device: torch.device) -> None:
    """``torch.Generator(device)`` says which device it serves.

    Source: torch docs, `torch.Generator.device`.
    """
    assert torch.Generator(device=device).device == device
    assert torch.Generator(device="cuda").device.type == "cuda"
    assert torch.Generator().device == HOST


def a_seeded_generator_repeats_itself(device: torch.device) -> None:
    """`manual_seed` of a device generator repeats its numbers; `initial_seed` returns the seed.

    Source: torch docs, `torch.Generator.manual_seed`.
    """
    generator = torch.Generator(device=device)
    assert generator.manual_seed(7) is generator
    first = torch.randn(4, generator=generator, device=device)
    second = torch.randn(4, generator=generator, device=device)
    again = torch.randn(4, generator=generator.manual_seed(7), device=device)
    same(again, first)
    assert not torch.equal(first, second)
    assert generator.initial_seed() == 7


def the_state_of_a_generator_is_a_host_tensor(device: torch.device) -> None:
    """`get_state` gives bytes on the CPU, and `set_state` takes them back.

    Source: torch docs, `torch.Generator.get_state`; aten/src/ATen/cuda/CUDAGeneratorImpl.cpp.
    """
    generator = torch.Generator(device=device).manual_seed(3)
    state = generator.get_state()
    placed(HOST, state)
    assert state.dtype is torch.uint8
    first = torch.rand(3, generator=generator, device=device)
    generator.set_state(state)
    same(torch.rand(3, generator=generator, device=device), first)


def the_global_seed_covers_the_device(device: torch.device) -> None:
    """`torch.manual_seed` seeds the device as well as the CPU.

    Source: torch/random.py, `manual_seed` calls `torch.cuda.manual_seed_all`.
    """
    draws = []
    for _ in range(2):
        torch.manual_seed(5)
        draws.append((torch.rand(3, device=device), torch.rand(3)))
    same(draws[0][0], draws[1][0])
    same(draws[0][1], draws[1][1])


def the_state_of_the_device_can_be_kept(device: torch.device) -> None:
    """`torch.cuda.get_rng_state` gives bytes on the CPU; `set_rng_state` repeats the numbers.

    Source: torch/cuda/random.py; test/test_cuda_multigpu.py, `test_get_set_rng_state_all`.
    """
    state = torch.cuda.get_rng_state(device)
    placed(HOST, state)
    assert state.dtype is torch.uint8
    first = torch.rand(3, device=device)
    torch.cuda.set_rng_state(state, device)
    same(torch.rand(3, device=device), first)
    assert len(torch.cuda.get_rng_state_all()) == torch.cuda.device_count()


def random_numbers_can_be_forked(device: torch.device) -> None:
    """Inside `torch.random.fork_rng` draws on the device do not change the global state.

    Source: torch/random.py, `fork_rng`.
    """
    torch.manual_seed(1)
    expected = torch.rand(2, device=device)
    torch.manual_seed(1)
    with torch.random.fork_rng(devices=[device.index]):
        torch.rand(5, device=device)
    same(torch.rand(2, device=device), expected)


def a_generator_of_another_device_is_refused(device: torch.device) -> None:
    """Two devices of the same kind have generators of their own; permutations on the CPU take
    neither.

    Source: aten/src/ATen/native/cuda/Randperm.cu, `randperm_out_cuda`.
    """
    other = another(device)
    generator = torch.Generator(device=other)
    assert generator.device == other
    with raises(RuntimeError, _wanted("cpu", "cuda")):
        torch.randperm(4, generator=generator)


def distributions_draw_where_their_parameters_are(device: torch.device) -> None:
    """`torch.distributions` samples on the device of its parameters.

    Source: torch/distributions/utils.py, `broadcast_all`, `_standard_normal`.
    """
    normal = torch.distributions.Normal(torch.zeros(2, device=device), torch.ones(2, device=device))
    placed(device, normal.sample(), normal.rsample((3,)), normal.log_prob(normal.mean))
    choice = torch.distributions.Categorical(logits=torch.zeros(3, device=device))
    placed(device, choice.sample(), choice.entropy())


def the_seed_of_the_device_is_its_own(device: torch.device) -> None:
    """`torch.cuda.manual_seed` is told by `torch.cuda.initial_seed` and leaves the CPU's alone;
    `torch.manual_seed` sets both.

    Source: torch/cuda/random.py, `manual_seed`, `initial_seed`; torch/random.py, `manual_seed`.
    """
    torch.manual_seed(11)
    assert torch.cuda.initial_seed() == torch.initial_seed() == 11
    torch.cuda.manual_seed(5)
    assert (torch.cuda.initial_seed(), torch.initial_seed()) == (5, 11)
    torch.cuda.manual_seed_all(6)
    assert [one.initial_seed() for one in torch.cuda.default_generators] == [
        6
    ] * torch.cuda.device_count()


def every_device_has_a_default_generator(device: torch.device) -> None:
    """`torch.cuda.default_generators` has a generator for each device; it can be handed over.

    Source: torch/csrc/cuda/Module.cpp, `THCPModule_initExtension` ("default_generators").
    """
    generators = torch.cuda.default_generators
    assert len(generators) == torch.cuda.device_count()
    assert [one.device.index for one in generators] == list(range(len(generators)))
    assert isinstance(generators[0], torch.Generator)
    placed(device, torch.rand(2, device=device, generator=generators[device.index]))
    assert generators[0].manual_seed(9).initial_seed() == torch.cuda.initial_seed() == 9


def a_state_is_a_seed_and_an_offset(device: torch.device) -> None:
    """The state of a generator of the device is 16 bytes, that of the CPU 5,056; the first eight
    are the seed. Another size is refused.

    Source: aten/src/ATen/cuda/CUDAGeneratorImpl.cpp, `get_state`, `set_state`: "RNG state is wrong
    size".
    """
    generator = torch.Generator(device=device).manual_seed(258)
    for state in (generator.get_state(), torch.cuda.get_rng_state()):
        assert (state.numel(), state.dtype, state.device) == (16, torch.uint8, HOST)
    assert generator.get_state()[:3].tolist() == [2, 1, 0]
    with raises(RuntimeError, "RNG state is wrong size"):
        torch.cuda.set_rng_state(torch.get_rng_state())
    other = torch.Generator(device=device)
    other.set_state(generator.get_state())
    first = torch.rand(3, device=device, generator=generator)
    same(torch.rand(3, device=device, generator=other), first)
