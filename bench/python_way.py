#!/usr/bin/env python3
"""The Python equivalent of qfuse's conversions: safetensors and bitsandbytes on the CPU, file by file.

    bench/python_way.py dequantize|quantize IN OUT

IN and OUT hold .safetensors files. bench/checkpoint.py times this. Needs torch, safetensors and bitsandbytes.
"""

import sys
from pathlib import Path

import torch
from bitsandbytes.functional import QuantState, dequantize_4bit, quantize_4bit
from safetensors import safe_open
from safetensors.torch import save_file

PARTS = (".absmax", ".nested_absmax", ".nested_quant_map", ".quant_map")


def dequantized(file):
    names = set(file.keys())
    for name in sorted(names):
        state = f"{name}.quant_state.bitsandbytes__nf4"
        if state in names:
            parts = [state, *(name + part for part in PARTS if name + part in names)]
            quant_state = QuantState.from_dict({part: file.get_tensor(part) for part in parts}, torch.device("cpu"))
            yield name, dequantize_4bit(file.get_tensor(name), quant_state)


def quantized(file):
    for name in file.keys():
        weight, state = quantize_4bit(file.get_tensor(name), quant_type="nf4", compress_statistics=True)
        yield name, weight
        for part, tensor in state.as_dict(packed=True).items():
            yield f"{name}.{part}", tensor


def main(way, source, target):
    convert = {"dequantize": dequantized, "quantize": quantized}[way]
    target.mkdir()
    for path in sorted(source.glob("*.safetensors")):
        with safe_open(path, "pt") as file:
            save_file({name: tensor.contiguous() for name, tensor in convert(file)}, target / path.name)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
