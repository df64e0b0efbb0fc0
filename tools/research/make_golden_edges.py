"""Makes tests/golden/bnb_edges.{safetensors,json}: odd weights, and their encoding by bitsandbytes on CUDA.

Covers NaN, infinities, subnormals, overflowing reciprocals and ties, which are rare in the other golden files. Needs a
GPU, torch, safetensors and bitsandbytes; run as: python tools/research/make_golden_edges.py OUT_DIRECTORY
"""

import json
import sys

import bitsandbytes as bnb
import torch
from bitsandbytes import functional as F
from safetensors.torch import save_file

FINFO = torch.finfo(torch.float32)


def trained(n, generator):
    return torch.randn(n, generator=generator) * 0.02


def specials(n, generator):
    """About one in 50 elements is NaN, infinite, a zero of either sign or an extreme of fp32."""
    values = torch.tensor(
        [float("nan"), float("inf"), -float("inf"), -0.0, FINFO.max, -FINFO.max, FINFO.tiny, -FINFO.tiny]
    )
    x = trained(n, generator)
    chosen = torch.rand(n, generator=generator) < 0.02
    x[chosen] = values[torch.randint(0, len(values), (int(chosen.sum()),), generator=generator)]
    return x


def nan_blocks(n, generator):
    """Every other block of 64 is all NaN. n leaves a short last block of NaN."""
    x = trained(n, generator)
    x[(torch.arange(n) // 64) % 2 == 0] = float("nan")
    return x


def subnormal(n, generator):
    exponent = torch.randint(-150, -115, (n,), generator=generator).double()
    return (trained(n, generator).double() * 2.0**exponent).float()


def subnormal_among_normal(n, generator):
    """absmax is just above 2^-126: elements below it are subnormal, and its reciprocal is large."""
    x = subnormal(n, generator)
    x[::64] = 2.0**-125
    return x


def huge(n, generator):
    return trained(n, generator) * 2.0**132


def tiny_beside_large(n, generator):
    """Scaled values underflow, and FP4's sign is taken after flushing."""
    x = (trained(n, generator).double() * 2.0**-110).float()
    x[::64] = 2.0**20
    return x


def zeros(n, generator):
    x = torch.zeros(n)
    x[::3] = -0.0
    return x


KINDS = [trained, specials, nan_blocks, subnormal, subnormal_among_normal, huge, tiny_beside_large, zeros]
COUNT = 64 * 40 + 11  # odd, with a short last block


def main(out):
    generator = torch.Generator().manual_seed(20261120)
    tensors, cases = {}, []
    for kind in KINDS:
        for quant_type in ("nf4", "fp4"):
            for dtype in (torch.bfloat16, torch.float16, torch.float32):
                for nested in (False, True):
                    name = f"edge{len(cases):03d}"
                    x = kind(COUNT, generator).to(dtype)
                    packed, state = F.quantize_4bit(
                        x.cuda(), blocksize=64, quant_type=quant_type, compress_statistics=nested
                    )
                    tensors[f"{name}.input"] = x
                    tensors[f"{name}.weight"] = packed.cpu()
                    for key, value in state.as_dict(packed=True).items():
                        tensors[f"{name}.weight.{key}"] = value.cpu()
                    cases.append(
                        {
                            "name": name,
                            "kind": kind.__name__,
                            "quant_type": quant_type,
                            "nested": nested,
                            "dtype": str(dtype).removeprefix("torch."),
                            "blocksize": 64,
                        }
                    )
    save_file(
        tensors,
        f"{out}/bnb_edges.safetensors",
        metadata={"bitsandbytes": bnb.__version__, "torch": torch.__version__, "device": torch.cuda.get_device_name()},
    )
    with open(f"{out}/bnb_edges.json", "w", encoding="utf-8") as file:
        json.dump(cases, file, indent=1)
    print(len(cases), "cases with bitsandbytes", bnb.__version__, "on", torch.cuda.get_device_name())


if __name__ == "__main__":
    main(sys.argv[1])
