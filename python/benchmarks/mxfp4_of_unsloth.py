"""MXFP4 experts multiplied by unsloth_zoo, as it trains gpt-oss whose experts stay packed.

As in its moe_utils (2026.10.9), for bf16 on a GPU: below a mean of 192 rows an expert its Triton kernel, which decodes
as it multiplies, in both directions; from there on its decoder and torch._grouped_mm. The decoded stack is kept from a
checkpoint's second forward to the backward, as there.

Loads those modules of the package alone: importing the package itself patches torch, transformers and peft.
"""

import importlib
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

import qfuse

PACKAGE = "unsloth_zoo"
FUSED_ROWS = 192  # an expert, on average


def takes(weights: str, device: str, dtype: torch.dtype = torch.bfloat16) -> bool:
    """Returns whether the package is there, and has kernels for such weights and rows of that dtype."""
    is_there = importlib.util.find_spec(PACKAGE) is not None
    return is_there and weights == "mxfp4" and device.startswith("cuda") and dtype == torch.bfloat16


def module(name: str) -> Any:
    if PACKAGE not in sys.modules:
        spec = importlib.util.find_spec(PACKAGE)
        assert spec is not None
        sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)  # without running it
    return importlib.import_module(f"{PACKAGE}.{name}")


def product_of(
    x: Tensor, ends: Tensor, direction: qfuse.ops.Direction = "forward"
) -> Callable[[qfuse.Weight4bit], Tensor]:
    """Returns x·Wᵀ, or x·W backward, as a function of the stack [experts, n, k], for rows x sorted by expert."""
    decode, multiply = module("mxfp4_dequant").mxfp4_dequantize, module("mxfp4_gemm").mxfp4_expert_grouped_mm
    counts, is_forward = ends.diff(prepend=ends.new_zeros(1)), direction == "forward"

    def product(stack: qfuse.Weight4bit) -> Tensor:
        experts, n, k = stack.shape
        codes, scales = (array.view(experts, n, k // 32, -1) for array in stack.tensors)
        scales = scales.squeeze(-1)
        if len(x) < FUSED_ROWS * experts:
            fused: Tensor = multiply(x, codes, scales, counts, transpose_b=is_forward)
            return fused
        dense = decode(codes, scales, x.dtype, transpose=is_forward, token_counts=counts)
        return torch._grouped_mm(x, dense, offs=ends)

    return product
