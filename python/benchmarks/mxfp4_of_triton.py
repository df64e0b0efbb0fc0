"""MXFP4 experts multiplied by triton_kernels, with layouts and calls as in transformers' gpt-oss.

The package is in Triton's repository, and in vLLM's wheels as vllm/third_party/triton_kernels. It needs a version with
the module matmul_ogs. The package of that name on PyPI is empty.
"""

import importlib.util
from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor

import qfuse


def is_there() -> bool:
    return importlib.util.find_spec("triton_kernels") is not None


class Stack(NamedTuple):
    codes: Any  # [experts, k, n], swizzled for the GPU
    precision: Any  # which holds the scales, [experts, k / 32, n]

    @classmethod
    def of(cls, stack: qfuse.Weight4bit) -> "Stack":
        """Copies the codes of an MXFP4 stack [experts, n, k] and shares its scales. Both packages store the element
        of the lower k in the low nibble."""
        from triton_kernels.matmul_ogs import PrecisionConfig
        from triton_kernels.tensor import FP4, convert_layout, wrap_torch_tensor
        from triton_kernels.tensor_details.layout import StridedLayout, make_default_matmul_mxfp4_w_layout

        experts, n, _ = stack.shape
        codes, scales = (
            wrap_torch_tensor(array.view(experts, n, -1).mT, dtype)
            for array, dtype in zip(stack.tensors, (FP4, None), strict=True)
        )
        layout, options = make_default_matmul_mxfp4_w_layout(mx_axis=1)
        precision = PrecisionConfig(weight_scale=convert_layout(scales, StridedLayout))
        return cls(convert_layout(codes, layout, **options), precision)


def product_of(x: Tensor, ends: Tensor) -> Callable[[Stack], Tensor]:
    """Returns x·Wᵀ as a function of the stack, for rows x [rows, k] sorted by expert. Synchronizes a GPU, which the
    function does not."""
    from triton_kernels.matmul_ogs import matmul_ogs
    from triton_kernels.routing import RoutingData, compute_expt_data_torch

    counts = ends.diff(prepend=ends.new_zeros(1))
    tiles = compute_expt_data_torch(counts, len(counts), len(x))
    routing = RoutingData(None, counts, len(counts), 1, tiles)
    return lambda stack: matmul_ogs(x, stack.codes, None, routing, precision_config=stack.precision)
