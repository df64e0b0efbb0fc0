"""The tensors of synthetic weights in each format that qfuse reads, for bench/checkpoint.py.

A format is a function of (name, rows, columns), the name of a module. It returns a weight's tensors, each as (name,
dtype, shape, content bytes or number of noise bytes). CONFIGS has the quantization_config that says so in config.json.
"""

import json
import struct

BLOCKSIZE, NESTED_BLOCKSIZE = 64, 256
GROUP = 128  # elements per scale of INT4, GPTQ and AWQ


def nf4(name, rows, columns):
    blocks = rows * columns // BLOCKSIZE
    state = json.dumps(
        {
            "quant_type": "nf4",
            "blocksize": BLOCKSIZE,
            "dtype": "bfloat16",
            "shape": [rows, columns],
            "nested_blocksize": NESTED_BLOCKSIZE,
            "nested_dtype": "float32",
            "nested_offset": 0.0625,
        }
    ).encode()
    scales = (blocks + NESTED_BLOCKSIZE - 1) // NESTED_BLOCKSIZE
    name += ".weight"
    return [
        (f"{name}.nested_absmax", "F32", [scales], struct.pack("<f", 0.01) * scales),
        (f"{name}.nested_quant_map", "F32", [256], struct.pack("<256f", *[(i - 127) / 128 for i in range(256)])),
        (f"{name}.quant_map", "F32", [16], bytes(64)),
        (name, "U8", [rows * columns // 2, 1], rows * columns // 2),
        (f"{name}.absmax", "U8", [blocks], blocks),
        (f"{name}.quant_state.bitsandbytes__nf4", "U8", [len(state)], state),
    ]


def fp8(name, rows, columns):
    scales = [rows // 128, columns // 128]
    return [
        (f"{name}.weight", "F8_E4M3", [rows, columns], rows * columns),
        (f"{name}.weight_scale_inv", "F32", scales, struct.pack("<f", 2e-4) * (scales[0] * scales[1])),
    ]


def mxfp4(name, rows, columns):
    scales = [rows, columns // 32]
    return [
        (f"{name}.weight_packed", "U8", [rows, columns // 2], rows * columns // 2),
        (f"{name}.weight_scale", "U8", scales, b"\x78" * (scales[0] * scales[1])),
    ]


def nvfp4(name, rows, columns):
    scales = [rows, columns // 16]
    return [
        (f"{name}.weight_packed", "U8", [rows, columns // 2], rows * columns // 2),
        (f"{name}.weight_scale", "F8_E4M3", scales, b"\x38" * (scales[0] * scales[1])),
        (f"{name}.weight_global_scale", "F32", [1], struct.pack("<f", 7000.0)),
    ]


def int4(name, rows, columns):
    scales = [rows, columns // GROUP]
    return [
        (f"{name}.weight_packed", "I32", [rows, columns // 8], rows * columns // 2),
        (f"{name}.weight_scale", "BF16", scales, b"\x00\x3c" * (scales[0] * scales[1])),
        (f"{name}.weight_shape", "I64", [2], struct.pack("<2q", rows, columns)),
    ]


def _with_zeros(name, codes, rows, columns):
    groups = columns // GROUP
    return [
        (f"{name}.qweight", "I32", codes, rows * columns // 2),
        (f"{name}.qzeros", "I32", [groups, rows // 8], b"\x77" * (groups * rows // 2)),
        (f"{name}.scales", "F16", [groups, rows], struct.pack("<e", 0.01) * (groups * rows)),
    ]


def gptq(name, rows, columns):
    order = struct.pack(f"<{columns}i", *[column // GROUP for column in range(columns)])
    return [*_with_zeros(name, [columns // 8, rows], rows, columns), (f"{name}.g_idx", "I32", [columns], order)]


def awq(name, rows, columns):
    return _with_zeros(name, [columns, rows // 8], rows, columns)


def _compressed_tensors(layout, group, **weights):
    strategy = "tensor_group" if layout.startswith("nvfp4") else "group"
    scheme = dict(num_bits=4, symmetric=True, group_size=group, strategy=strategy, **weights)
    groups = {"group_0": {"targets": ["Linear"], "weights": scheme}}
    return {"quant_method": "compressed-tensors", "format": layout, "ignore": ["lm_head"], "config_groups": groups}


CONFIGS = {
    nf4: None,
    fp8: {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [128, 128]},
    mxfp4: _compressed_tensors("mxfp4-pack-quantized", 32, type="float"),
    nvfp4: _compressed_tensors("nvfp4-pack-quantized", 16, type="float"),
    int4: _compressed_tensors("pack-quantized", GROUP, type="int"),
    gptq: {"quant_method": "gptq", "bits": 4, "group_size": GROUP, "desc_act": False, "sym": True},
    awq: {"quant_method": "awq", "bits": 4, "group_size": GROUP, "zero_point": True, "version": "gemm"},
}
FORMATS = {function.__name__: function for function in CONFIGS}
