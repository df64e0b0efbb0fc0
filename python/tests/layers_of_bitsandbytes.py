"""Shared by the tests of the bitsandbytes integration: the original functions, and a layer."""

import pytest
import torch

bnb = pytest.importorskip("bitsandbytes")
ORIGINALS = {name: getattr(bnb.functional, name) for name in ("dequantize_4bit", "quantize_4bit")}
PRODUCT = bnb.matmul_4bit
MANY = 2048  # tokens: bitsandbytes decodes a weight for more than 1536 on every GPU


def all_are_original():
    products = bnb.matmul_4bit, bnb.autograd._functions.matmul_4bit
    return all(product is PRODUCT for product in products) and all(
        getattr(bnb.functional, name) is original for name, original in ORIGINALS.items()
    )


def make_layer(device, nested=False, quant_type="nf4", dtype=torch.bfloat16, **more):
    torch.manual_seed(3)
    layer = bnb.nn.Linear4bit(128, 64, compute_dtype=dtype, compress_statistics=nested, quant_type=quant_type, **more)
    if device == "cpu":
        layer.train()  # else bitsandbytes repacks the weight for its own CPU kernels
    return layer.to(dtype).to(device)


def decodes_a_layer(device, tokens):
    """Decodes per layer in a training step: one for the gradient, one for the product on a CPU or of many tokens."""
    return 2 if device == "cpu" or tokens == MANY else 1
