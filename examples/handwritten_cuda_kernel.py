# A kernel written in CUDA C++. It can only run on a CUDA device, and no rewriting changes that.
# CPU: says so and exits with status 1. GPU: compiles the kernel (needs nvcc) and prints the result.
import sys

import torch
from torch.utils.cpp_extension import load_inline

DECLARATION = "torch::Tensor soft_threshold(torch::Tensor values, double limit);"

KERNEL = r"""
__global__ void soft_threshold_kernel(const float* in, float* out, float limit, long count) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < count) {
        float size = fabsf(in[i]) - limit;
        out[i] = size > 0.0f ? copysignf(size, in[i]) : 0.0f;
    }
}

torch::Tensor soft_threshold(torch::Tensor values, double limit) {
    auto result = torch::empty_like(values);
    long count = values.numel();
    soft_threshold_kernel<<<(count + 255) / 256, 256>>>(
        values.data_ptr<float>(), result.data_ptr<float>(), (float)limit, count);
    return result;
}
"""


def build_kernel():
    """Compile the kernel; done on first use, because it takes a minute."""
    return load_inline(
        name="soft_threshold_extension",
        cpp_sources=DECLARATION,
        cuda_sources=KERNEL,
        functions=["soft_threshold"],
    )


def main() -> None:
    if not torch.cuda.is_available():
        sys.exit("handwritten_cuda_kernel.py needs CUDA: its kernel is written in CUDA C++")
    torch.manual_seed(14)
    signal = torch.randn(100_000).cuda()
    sparse = build_kernel().soft_threshold(signal, 1.5)
    print(f"kept {(sparse != 0).float().mean().item():.4f} of the coefficients")
    print(f"energy left {(sparse.pow(2).sum() / signal.pow(2).sum()).item():.4f}")


if __name__ == "__main__":
    main()
