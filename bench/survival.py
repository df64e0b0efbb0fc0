"""Measures how much of an adapter survives a merge that writes the base model's own quantized format, and how far the
result is from a merge to 16 bits: the tables of docs/MERGE.md. Weights are Gaussian, quantized as each format's library
does it. The adapter has rank 16. In formats whose library has rules for it, what qfuse writes must be the bytes that
these rules make of the merge to 16 bits: else the script fails. The second table has the libraries themselves, which
encode the same merge to 16 bits; it leaves out a library that cannot be imported, and says why.

    tools/install_judges --where      # a Python that has torch, safetensors and transformers, in its bin/
    python3 bench/survival.py build/release/bin/qfuse
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from encoders import ENCODERS, Quantizer
from formats import CONFIGS, FORMATS, GROUP
from safetensors.torch import load_file, save_file
from transformers.integrations.finegrained_fp8 import Fp8Quantize

ROWS, COLUMNS, RANK = 2048, 4096, 16
NAME = "model.layers.0.mlp.up_proj"
SHARES = [0.005, 0.01, 0.02, 0.05, 0.1]
E2M1 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
KEEP = ["--keep-scales"]
WAYS = [
    ("NF4, blocks of 64", "nf4", []),
    ("NF4, `--keep-scales`", "nf4", KEEP),
    ("MXFP4", "mxfp4", []),
    ("MXFP4, `--keep-scales`", "mxfp4", KEEP),
    ("NVFP4", "nvfp4", []),
    ("FP8, blocks of 128 x 128", "fp8", []),
    ("FP8, `--keep-scales`", "fp8", KEEP),
    ("INT4, groups of 128", "int4", []),
    ("INT4, `--keep-scales`", "int4", KEEP),
]


def by_library(to, merged, base):
    """Returns the codes and scales that a format's library makes of a merged weight, or nothing for NF4."""
    if to == "fp8":
        return Fp8Quantize(Quantizer())._quantize_one(f"{NAME}.weight", merged)
    if to == "mxfp4":
        return mxfp4(merged.float())
    if to == "int4":
        return int4(merged)
    if to == "nvfp4":
        scales = base[f"{NAME}.weight_scale"].float() / base[f"{NAME}.weight_global_scale"]
        return {f"{NAME}.weight_packed": fp4(merged.float().unflatten(-1, (-1, 16)) / scales.unsqueeze(-1), "even")}
    return {}


def fp4(blocks, ties):
    """Returns the nearest e2m1 codes of a matrix in blocks, two per byte. A tie goes up, or to the even code."""
    low, high = (torch.bucketize(blocks.abs(), (E2M1[1:] + E2M1[:-1]) / 2, right=right) for right in (False, True))
    codes = high if ties == "up" else low + low % 2 * (high - low)
    codes = (codes | (torch.signbit(blocks) if ties == "up" else blocks < 0).long() << 3).flatten(-2)
    return (codes[..., ::2] | codes[..., 1::2] << 4).to(torch.uint8)


def mxfp4(weight):
    """Uses DeepSeek-V4's tensor names, which a single layer can have; scales and codes are as in gpt-oss."""
    blocks = weight.unflatten(-1, (-1, 32))
    exponents = torch.ceil(torch.log2(blocks.abs().amax(-1) / 6))
    codes = fp4(blocks / torch.exp2(exponents).unsqueeze(-1), "up")
    return {
        f"{NAME}.weight": codes.view(torch.int8),
        f"{NAME}.scale": (exponents + 127).to(torch.uint8).view(torch.float8_e8m0fnu),
    }


def nvfp4(weight):
    blocks = weight.unflatten(-1, (-1, 16))
    divisor = 448 * 6 / weight.abs().max()
    scales = (blocks.abs().amax(-1) / 6 * divisor).to(torch.float8_e4m3fn)
    codes = fp4(blocks / (scales.float() / divisor).unsqueeze(-1), "even")
    return {
        f"{NAME}.weight_packed": codes,
        f"{NAME}.weight_scale": scales,
        f"{NAME}.weight_global_scale": divisor.reshape(1),
    }


def fp8(weight):
    blocks = weight.reshape(ROWS // 128, 128, COLUMNS // 128, 128)
    scales = blocks.abs().amax((1, 3)) / 448
    codes = (blocks / scales[:, None, :, None]).reshape(weight.shape).to(torch.float8_e4m3fn)
    return {f"{NAME}.weight": codes, f"{NAME}.weight_scale_inv": scales}


def int4(weight):
    """compressed-tensors' rule, in bf16."""
    blocks = weight.bfloat16().unflatten(-1, (-1, GROUP))
    scales = blocks.abs().amax(-1) / 7.5
    codes = ((blocks / scales.unsqueeze(-1)).clamp(-8, 7).round() + 8).byte().flatten(-2)
    return {
        f"{NAME}.weight_packed": (codes[..., ::2] | codes[..., 1::2] << 4).view(torch.int32),
        f"{NAME}.weight_scale": scales,
        f"{NAME}.weight_shape": torch.tensor(weight.shape),
    }


def write(path, tensors, config):
    path.mkdir()
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, path / "model.safetensors")
    (path / "config.json").write_text(json.dumps({"model_type": "llama", "torch_dtype": "bfloat16"} | config))
    return path


def write_adapter(path, weight, share):
    a, b = torch.randn(RANK, COLUMNS), torch.randn(ROWS, RANK)
    b *= share * weight.square().mean().sqrt() / (b @ a).square().mean().sqrt()
    path.mkdir()
    factors = {"lora_A": a, "lora_B": b}
    save_file(
        {f"base_model.model.{NAME}.{key}.weight": it for key, it in factors.items()}, path / "adapter_model.safetensors"
    )
    config = {"peft_type": "LORA", "r": RANK, "lora_alpha": RANK, "target_modules": ["up_proj"]}
    (path / "adapter_config.json").write_text(json.dumps(config))
    return path


class Command:
    def __init__(self, qfuse, place):
        self.qfuse, self.out, self.plain = qfuse, place / "out", place / "decoded"

    def merged(self, base, adapter, *options):
        """Returns the share that survives (None for a merge to 16 bits) and the written values in fp32."""
        command = ["merge", base, adapter, "-o", self.out, "--force", "--json", "--fail-below", "0", *options]
        (change,) = json.loads(self(*command))["changes"]
        if options:
            self("dequantize", self.out, "-o", self.plain, "--force", "--quiet")
        return change["survival"], load_file((self.plain if options else self.out) / "model.safetensors")[
            f"{NAME}.weight"
        ].float()

    def __call__(self, *arguments):
        return subprocess.run([self.qfuse, *arguments], check=True, capture_output=True, text=True).stdout


def cell(qfuse, base, adapter, to, options):
    share, values = qfuse.merged(base, adapter, "--to", to, *options)
    written = load_file(qfuse.out / "model.safetensors")
    _, expected = qfuse.merged(base, adapter)
    theirs = {} if options else by_library(to, expected.bfloat16(), load_file(base / "model.safetensors"))
    for name, tensor in theirs.items():
        if not torch.equal(written[name].view(torch.uint8), tensor.view(torch.uint8)):
            sys.exit(f"{name}: is not what the library of {to} makes of the merge to 16 bits")
    error = (values - expected).square().mean().sqrt() / expected.square().mean().sqrt()
    return f"{100 * share:.0f}, {100 * error:.1f}"


def cell_by_library(encode, base, sums):
    """Measures as qfuse does: `base` are the decoded values before, `sums` those with the adapter, not rounded."""
    merged, change = sums.bfloat16(), sums - base
    values = encode(merged).float()
    share = ((values - base) * change).double().sum() / change.double().square().sum()
    error = (values - merged.float()).square().mean().sqrt() / merged.float().square().mean().sqrt()
    return f"{100 * share:.0f}, {100 * error:.1f}"


def rows_by_libraries(qfuse, weight, bases, adapters):
    for to, encoders in ENCODERS.items():
        for library, encode in encoders:
            try:
                encode(weight.bfloat16())
            except ImportError as error:
                print(f"without {library}: {error}", file=sys.stderr)
                continue
            qfuse("dequantize", bases[to], "-o", qfuse.plain, "--force", "--quiet")
            before = load_file(qfuse.plain / "model.safetensors")[f"{NAME}.weight"].float()
            cells = [cell_by_library(encode, before, before + product(adapter)) for adapter in adapters]
            yield f"| {to.upper()}, {library} | {' | '.join(cells)} |"


def product(adapter):
    """Returns what an adapter adds: its scale is 1."""
    a, b = (load_file(adapter / "adapter_model.safetensors")[f"base_model.model.{NAME}.lora_{x}.weight"] for x in "AB")
    return b @ a


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qfuse", type=Path)
    qfuse = parser.parse_args().qfuse.resolve()
    torch.manual_seed(0)
    weight = torch.randn(ROWS, COLUMNS) * 0.02
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        plain = write(place / "plain", {f"{NAME}.weight": weight.bfloat16()}, {})
        command = Command(qfuse, place)
        bases = {"nf4": place / "nf4"}
        command("quantize", plain, "-o", bases["nf4"], "--quiet")
        for make in (mxfp4, nvfp4, fp8, int4):
            config = {"quantization_config": CONFIGS[FORMATS["int4"]]} if make is int4 else {}
            bases[make.__name__] = write(place / make.__name__, make(weight), config)
        adapters = [write_adapter(place / f"adapter-{share}", weight, share) for share in SHARES]
        print(f"| merged back to | {' | '.join(f'{100 * share:g} %' for share in SHARES)} |")
        print(f"|---{'|---' * len(SHARES)}|")
        for title, to, options in WAYS:
            cells = [cell(command, bases[to], adapter, to, options) for adapter in adapters]
            print(f"| {title} | {' | '.join(cells)} |", flush=True)
        print()
        for row in rows_by_libraries(command, weight, bases, adapters):
            print(row, flush=True)


if __name__ == "__main__":
    main()
