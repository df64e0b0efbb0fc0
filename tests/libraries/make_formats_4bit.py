"""Makes tests/golden/formats_4bit.safetensors: MXFP4, NVFP4 and INT4 weights as compressed-tensors and modelopt decode
them. Usage, in a Python that has torch 2.15.0, transformers 5.23.0, compressed-tensors 0.20.0 and nvidia-modelopt
0.47.0: python3 make_formats_4bit.py

Each weight `<name>` has .packed and .scales, some also .global and .zero_points, as dequantize_4bit takes them, and
.expected. FP4 weights have every code with every 8-bit scale, including NaN."""

from pathlib import Path

import compressed_tensors
import modelopt
import torch
from compressed_tensors.compressors.mxfp4.base import MXFP4PackedCompressor
from compressed_tensors.compressors.nvfp4.base import NVFP4PackedCompressor
from compressed_tensors.compressors.pack_quantized.base import PackedQuantizationCompressor
from compressed_tensors.compressors.pack_quantized.helpers import pack_to_int32
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
from modelopt.torch.quantization.qtensor.nvfp4_tensor import NVFP4QTensor
from safetensors.torch import save_file

OUT = Path(__file__).parent.parent / "golden/formats_4bit.safetensors"
GLOBALS = {"usual": 2688 / 0.37, "large": 3.1e38, "small": 2.7e-39}  # 448 * 6 / amax is usual
made: dict[str, torch.Tensor] = {}


def keep(name, packed, scales, expected, global_scale=None, zero_points=None):
    parts = {"packed": packed, "scales": scales, "expected": expected}
    parts |= {"global": global_scale, "zero_points": zero_points}
    for part, tensor in parts.items():
        if tensor is not None:
            made[f"{name}.{part}"] = tensor.detach().contiguous().clone()


def scheme(**options):
    return QuantizationScheme(targets=["Linear"], weights=QuantizationArgs(num_bits=4, **options))


def random_bytes(*shape):
    return torch.randint(256, shape, dtype=torch.uint8)


def all_codes(rows, cols):
    """Returns bytes whose nibbles cycle through all codes. Each row begins with another code than the row before."""
    nibbles = (torch.arange(cols)[None] + 3 * torch.arange(rows)[:, None]) % 16
    return (nibbles[:, ::2] | nibbles[:, 1::2] << 4).to(torch.uint8)


def of_compressed_tensors(compressor, packed, scales, args, **more):
    state = {"weight_packed": packed, "weight_scale": scales, **more}
    return compressor.decompress(state, args)["weight"]


def make_mxfp4():
    packed, scales = all_codes(256, 32), torch.arange(256, dtype=torch.uint8).view(256, 1)
    args = scheme(type="float", strategy="group", group_size=32, symmetric=True)
    keep("mxfp4_ct", packed, scales, of_compressed_tensors(MXFP4PackedCompressor, packed, scales, args))


def make_nvfp4():
    packed = all_codes(128, 32)
    scales = torch.arange(256, dtype=torch.uint8).view(128, 2).view(torch.float8_e4m3fn)
    args = scheme(type="float", strategy="tensor_group", group_size=16, symmetric=True)
    for name, value in GLOBALS.items():
        divisor = torch.tensor([value])
        theirs = of_compressed_tensors(NVFP4PackedCompressor, packed, scales, args, weight_global_scale=divisor)
        keep(f"nvfp4_ct_{name}", packed, scales, theirs, divisor)
        factor = torch.tensor([1 / value])
        for dtype in (torch.float32, torch.bfloat16):
            tensor = NVFP4QTensor((128, 32), dtype, packed)
            theirs = tensor.dequantize(dtype, scale=scales, double_scale=factor, block_sizes={-1: 16})
            keep(f"nvfp4_modelopt_{name}_{str(dtype)[6:]}", packed, scales, theirs, factor)


def make_int4():
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        for strategy, cols, blocks in (("group", 96, 3), ("channel", 101, 1)):
            for symmetric in (True, False):
                options = {"group_size": 32} if strategy == "group" else {}
                args = scheme(type="int", strategy=strategy, symmetric=symmetric, **options)
                values = torch.randint(-8, 8, (24, cols), dtype=torch.int8)
                scales = (torch.randn(24, blocks) * 0.02).to(dtype)
                scales[:4, 0] = torch.tensor([float("inf"), float("nan"), 6e-8, 6e4]).to(dtype)
                shape = torch.tensor(values.shape)
                packed, more, zero_points = pack_to_int32(values, 4), {"weight_shape": shape}, None
                if not symmetric:
                    zeros = torch.randint(-8, 8, scales.shape, dtype=torch.int8)
                    more["weight_zero_point"] = pack_to_int32(zeros, 4, packed_dim=0)
                    zero_points = (zeros + 8).to(torch.uint8)
                theirs = of_compressed_tensors(PackedQuantizationCompressor, packed, scales, args, **more)
                name = f"int4_{strategy}_{'symmetric' if symmetric else 'asymmetric'}_{str(dtype)[6:]}"
                used = packed.view(torch.uint8)[:, : (cols + 1) // 2]
                keep(name, used, scales, theirs, None, zero_points)


torch.manual_seed(0)
make_mxfp4()
make_nvfp4()
make_int4()
versions = {"compressed_tensors": compressed_tensors.__version__, "modelopt": modelopt.__version__}
save_file(made, OUT, metadata={**versions, "torch": torch.__version__})
print(f"{len(made)} tensors, {OUT.stat().st_size} bytes in {OUT}")
