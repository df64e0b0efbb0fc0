"""The encoders of the libraries that write each format, for bench/survival.py.

An encoder is a function of a matrix in bf16. It returns what the library decodes from the codes and the scales that the
library itself chooses for this matrix. Those of compressed-tensors are llm-compressor's when it only rounds ("RTN").
"""

import torch
from transformers import FineGrainedFP8Config
from transformers.integrations.finegrained_fp8 import Fp8Dequantize, Fp8Quantize


class Quantizer:
    """What Fp8Quantize reads of a quantizer. The real one requires a GPU."""

    quantization_config = FineGrainedFP8Config(weight_block_size=(128, 128))


def bitsandbytes_nf4(weight):
    from bitsandbytes.functional import dequantize_4bit, quantize_4bit

    return dequantize_4bit(*quantize_4bit(weight, blocksize=64, compress_statistics=True, quant_type="nf4"))


def triton_mxfp4(weight):
    """Uses the package's code for torch alone, which it compares its kernels with."""
    from triton_kernels.numerics_details.mxfp import downcast_to_mxfp_torch, upcast_from_mxfp_torch

    codes, scales = downcast_to_mxfp_torch(weight, torch.uint8, 1)
    return upcast_from_mxfp_torch(codes, scales, torch.bfloat16, 1)


def modelopt_mxfp4(weight):
    from modelopt.torch.quantization.qtensor import MXFP4QTensor

    tensor, scales = MXFP4QTensor.quantize(weight, 32)
    return tensor.dequantize(torch.bfloat16, scale=scales, block_sizes={-1: 32})


def modelopt_nvfp4(weight):
    from modelopt.torch.quantization.qtensor import NVFP4QTensor

    tensor, scales, factor = NVFP4QTensor.quantize(weight, 16)
    return tensor.dequantize(torch.bfloat16, scale=scales, double_scale=factor, block_sizes={-1: 16})


def transformers_fp8(weight):
    codes, scales = Fp8Quantize(Quantizer())._quantize_one("w", weight).values()
    return Fp8Dequantize(None)._dequantize_one(codes, scales, output_dtype=torch.bfloat16)


def compressed(layout, group, **options):
    """Returns compressed-tensors' encoder, with scales from each group's smallest and largest value."""

    def encode(weight):
        from compressed_tensors.compressors import BaseCompressor
        from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
        from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam

        args = QuantizationArgs(num_bits=4, symmetric=True, group_size=group, **options)
        scheme = QuantizationScheme(targets=["Linear"], weights=args)
        state = {"weight": weight}
        if args.strategy == "tensor_group":
            state["weight_global_scale"] = generate_gparam(weight.float().min(), weight.float().max())
        least, most = weight.float().unflatten(-1, (-1, group)).aminmax(dim=-1)
        scales, _ = calculate_qparams(least, most, args, state.get("weight_global_scale"))
        state["weight_scale"] = scales.to(weight.dtype) if args.type == "int" else scales
        compressor = BaseCompressor.get_value_from_registry(layout)
        return compressor.decompress(compressor.compress(state, scheme), scheme)["weight"]

    return encode


MXFP4 = {"type": "float", "strategy": "group", "scale_dtype": torch.uint8}
NVFP4 = {"type": "float", "strategy": "tensor_group", "scale_dtype": torch.float8_e4m3fn}
# By format: the library's name, and its encoder.
ENCODERS = {
    "nf4": [("bitsandbytes", bitsandbytes_nf4)],
    "mxfp4": [
        ("triton_kernels", triton_mxfp4),
        ("compressed-tensors", compressed("mxfp4-pack-quantized", 32, **MXFP4)),
        ("modelopt", modelopt_mxfp4),
    ],
    "nvfp4": [("compressed-tensors", compressed("nvfp4-pack-quantized", 16, **NVFP4)), ("modelopt", modelopt_nvfp4)],
    "fp8": [("transformers", transformers_fp8)],
    "int4": [("compressed-tensors", compressed("pack-quantized", 128, type="int", strategy="group"))],
}
