"""Calls that need CUDA or name it, and what they become on any device."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from devicefix.torch_api.rows import words

_EXACT: Final = words(
    """
    torch.load torch.Generator torch.set_default_tensor_type torch.nn.DataParallel
    torch.nn.parallel.DistributedDataParallel torch.nn.parallel.data_parallel
    torch.nn.parallel.gather torch.nn.parallel.parallel_apply torch.nn.parallel.replicate
    torch.nn.parallel.scatter torch.amp.autocast torch.amp.GradScaler
    torch.distributed.init_process_group
    torch.hub.load_state_dict_from_url torch.utils.model_zoo.load_url torch.jit.load
    """
)


def runs_on_cuda(name: str) -> bool:
    """Whether the callable of this canonical name needs CUDA, names it, or may bring it back.

    https://docs.pytorch.org/docs/stable/cuda.html
    """
    return name in _EXACT or name.startswith("torch.cuda.")


AMP: Final[Mapping[str, str]] = MappingProxyType(
    {
        "torch.cuda.amp.autocast": "torch.amp.autocast",
        "torch.cuda.amp.GradScaler": "torch.amp.GradScaler",
        "torch.cuda.amp.custom_fwd": "torch.amp.custom_fwd",
        "torch.cuda.amp.custom_bwd": "torch.amp.custom_bwd",
    }
)
"""Mixed precision for CUDA, and what does the same for the device that it is told.
https://docs.pytorch.org/docs/stable/amp.html
"""

NEEDS_CUDA: Final = words(
    """
    torch.cuda.CUDAGraph torch.cuda.Event torch.cuda.Stream torch.cuda.caching_allocator_alloc
    torch.cuda.can_device_access_peer torch.cuda.comm.broadcast torch.cuda.comm.broadcast_coalesced
    torch.cuda.comm.gather torch.cuda.comm.reduce_add torch.cuda.comm.reduce_add_coalesced
    torch.cuda.comm.scatter torch.cuda.cudart torch.cuda.current_blas_handle
    torch.cuda.current_device torch.cuda.current_stream torch.cuda.default_stream
    torch.cuda.get_device_capability torch.cuda.get_device_name torch.cuda.get_device_properties
    torch.cuda.get_rng_state torch.cuda.get_sync_debug_mode torch.cuda.init
    torch.cuda.initial_seed torch.cuda.ipc_collect torch.cuda.mem_get_info
    torch.cuda.memory_snapshot torch.cuda.memory_summary torch.cuda.memory_usage
    torch.cuda.nvtx.mark torch.cuda.nvtx.range torch.cuda.nvtx.range_pop torch.cuda.nvtx.range_push
    torch.cuda.profiler.profile torch.cuda.profiler.start torch.cuda.profiler.stop
    torch.cuda.reset_accumulated_memory_stats torch.cuda.reset_max_memory_allocated
    torch.cuda.reset_max_memory_cached torch.cuda.reset_peak_memory_stats torch.cuda.set_device
    torch.cuda.set_per_process_memory_fraction torch.cuda.set_sync_debug_mode
    torch.cuda.synchronize torch.cuda.temperature torch.cuda.utilization
    """
)
"""Calls that raise where there is no CUDA. Many others do not: ``manual_seed`` waits for CUDA to be
initialised, ``empty_cache`` and ``memory_allocated`` ask whether it is, ``device_count`` is 0.
https://docs.pytorch.org/docs/stable/cuda.html
"""

ASKS_FOR_CUDA: Final = words(
    """
    torch.cuda.device_count torch.cuda.is_available torch.cuda.is_initialized
    torch.accelerator.is_available torch.accelerator.device_count
    """
)
"""What a condition calls to find out whether there is an accelerator."""

QUESTIONS: Final = ASKS_FOR_CUDA | words(
    """
    torch.backends.cuda.is_built torch.cuda.get_arch_list torch.cuda.get_gencode_flags
    torch.cuda.is_bf16_supported torch.cuda.is_tf32_supported torch.has_cuda
    torch.utils.cpp_extension.CUDA_HOME torch.version.cuda
    """
)
"""What tells a program of CUDA, and gives False, None or nothing where there is none."""

MEMORY: Final = words(
    """
    torch.cuda.host_memory_stats torch.cuda.max_memory_allocated torch.cuda.max_memory_cached
    torch.cuda.max_memory_reserved torch.cuda.memory_allocated torch.cuda.memory_cached
    torch.cuda.memory_reserved torch.cuda.memory_stats torch.cuda.memory_stats_as_nested_dict
    """
)
"""What tells how much memory of CUDA is in use, and gives 0 or nothing where there is none.
https://docs.pytorch.org/docs/stable/torch_cuda_memory.html
"""

HARMLESS: Final = MEMORY | words(
    """
    torch.amp.GradScaler torch.amp.autocast torch.amp.custom_bwd torch.amp.custom_fwd
    torch.cuda.CudaError torch.cuda.OutOfMemoryError
    torch.cuda.amp.GradScaler torch.cuda.amp.autocast
    torch.cuda.amp.custom_bwd torch.cuda.amp.custom_fwd torch.cuda.default_generators
    torch.cuda.device_of torch.cuda.empty_cache torch.cuda.get_rng_state_all
    torch.cuda.manual_seed torch.cuda.manual_seed_all torch.cuda.seed
    torch.cuda.seed_all torch.cuda.set_rng_state torch.cuda.set_rng_state_all
    torch.cuda.stream torch.profiler.ProfilerActivity.CUDA
    """
)
"""What does nothing or gives 0 where there is no CUDA, whatever it is given: tried with torch 2.13
for the CPU. https://docs.pytorch.org/docs/stable/cuda.html
"""

CUDA_LIBRARIES: Final = words(
    """
    causal_conv1d cupy diff_gaussian_rasterization diff_surfel_rasterization flash_attn gsplat
    knn_cuda mamba_ssm neural_renderer numba.cuda nvdiffrast pointnet2_ops pycuda pynvrtc simple_knn
    tensorrt tinycudann torch2trt triton
    """
)
"""Modules of other libraries whose code runs on CUDA only, or hardly anywhere else.

- https://github.com/graphdeco-inria/gaussian-splatting, https://github.com/NVlabs/nvdiffrast,
  https://github.com/NVlabs/tiny-cuda-nn, https://github.com/hbb1/2d-gaussian-splatting,
  https://github.com/unlimblue/KNN_CUDA: compiled for CUDA, with no other implementation
- https://github.com/erikwijmans/Pointnet2_PyTorch: its operations raise "CPU not supported"
- https://github.com/state-spaces/mamba, https://github.com/Dao-AILab/causal-conv1d,
  https://github.com/nerfstudio-project/gsplat: their requirements name an NVIDIA GPU
- https://github.com/daniilidis-group/neural_renderer: "the CPU version is not supported"
- https://docs.nvidia.com/deeplearning/tensorrt, https://github.com/NVIDIA-AI-IOT/torch2trt
"""

MAP_LOCATION: Final[Mapping[str, int]] = MappingProxyType(
    {
        # https://docs.pytorch.org/docs/stable/generated/torch.load.html
        "torch.load": 1,
        # https://docs.pytorch.org/docs/stable/generated/torch.jit.load.html
        "torch.jit.load": 1,
        # https://docs.pytorch.org/docs/stable/hub.html#torch.hub.load_state_dict_from_url
        "torch.hub.load_state_dict_from_url": 2,
    }
)
"""Functions that put what they load where it was saved, and the position of ``map_location``."""

PUBLISHED: Final = ("https://download.pytorch.org/", "https://s3.amazonaws.com/pytorch/")
"""Where torchvision's weights lie: torchvision itself loads them without ``map_location``.
https://docs.pytorch.org/vision/stable/models.html
"""

SETS_RANDOM_STATE: Final = words(
    """
    torch.set_rng_state torch.random.set_rng_state torch.cuda.set_rng_state
    torch.cuda.set_rng_state_all torch.mps.set_rng_state torch.xpu.set_rng_state
    torch.xpu.set_rng_state_all
    """
)
"""They take a ByteTensor of the host, whichever generator they set: ``RNG state must be a
torch.ByteTensor`` otherwise. https://docs.pytorch.org/docs/stable/random.html
"""
