#!/usr/bin/env python3
"""Times `qfuse dequantize`, or `qfuse merge`, beside the way of a format's own library, on the same files, and compares
their memory.

    bench/peers.py QFUSE --format fp8 [--merge] [--gigabytes 0.9] [--runs 3] [--directory DIR]  # with the libraries
    bench/peers.py --load IN OUT [ADAPTER]                                              # the library's way itself

Makes a Llama as wide as Llama 8B, 0.44 GB per layer in bf16, or a gpt-oss with 8 experts per layer, 0.5 GB. The
library's way is transformers' from_pretrained with dequantize=True on the CPU, then safetensors' save_file, because
save_pretrained writes FP8 as FP8 again: transformers itself for fp8 and gpt_oss, compressed-tensors for mxfp4, nvfp4
and int4. To merge an adapter of rank 16 over all linear layers, peft's merge_and_unload comes between. Both ways run in
turn, and must write the same tensors. Prints medians of times and of the largest resident sets, and of what importing
torch and transformers takes, because a process may have done so before.

AWQ and GPTQ are converted from file to file, without a model, because transformers keeps their weights packed. AWQ's
are converted by compressed-tensors' AutoAWQConverter, decompressed to fp16 one by one and saved: gptqmodel permutes its
rows (docs/FORMAT.md). GPTQ's are converted by gptqmodel 7.7, which is all Python.
"""

import argparse
import json
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from conversions import timed, write_safetensors
from formats import CONFIGS, FORMATS

NOISE = bytes(byte & 0x3F for byte in range(256)) * 4096  # without the codes of FP8 that are NaN or large
LAYER_GIGABYTES = 0.44  # in 16 bits
WIDE, INNER, HEADS, VOCABULARY = 4096, 14336, 32, 256
EXPERTS, EXPERT_WIDTH = 8, 2880
RANK = 16
LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": WIDE,
    "intermediate_size": INNER,
    "num_attention_heads": HEADS,
    "num_key_value_heads": 8,
    "vocab_size": VOCABULARY,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
GPT_OSS = {
    "model_type": "gpt_oss",
    "architectures": ["GptOssForCausalLM"],
    "hidden_size": EXPERT_WIDTH,
    "intermediate_size": EXPERT_WIDTH,
    "num_local_experts": EXPERTS,
    "num_experts_per_tok": 4,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "vocab_size": VOCABULARY,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "quantization_config": {
        "quant_method": "mxfp4",
        "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router", "lm_head"],
    },
}


def plain(name, *shape):
    return (name, "BF16", list(shape), 2 * math.prod(shape))


LINEAR = {
    "self_attn.q_proj": (WIDE, WIDE),
    "self_attn.k_proj": (WIDE // 4, WIDE),
    "self_attn.v_proj": (WIDE // 4, WIDE),
    "self_attn.o_proj": (WIDE, WIDE),
    "mlp.gate_proj": (INNER, WIDE),
    "mlp.up_proj": (INNER, WIDE),
    "mlp.down_proj": (WIDE, INNER),
}


def llama_layer(prefix, of_format):
    for module, shape in LINEAR.items():
        yield from of_format(f"{prefix}.{module}", *shape)


def make_adapter(path, layers):
    """Writes an adapter whose values are 2^-9, so that sums are exact in any order."""
    path.mkdir()
    tensors = []
    for i in range(layers):
        for module, (rows, columns) in LINEAR.items():
            name = f"base_model.model.model.layers.{i}.{module}"
            for side, shape in (("A", [RANK, columns]), ("B", [rows, RANK])):
                tensors.append((f"{name}.lora_{side}.weight", "BF16", shape, b"\x00\x3b" * math.prod(shape)))
    write_safetensors(path / "adapter_model.safetensors", tensors)
    targets = [module.split(".")[1] for module in LINEAR]
    config = {"peft_type": "LORA", "r": RANK, "lora_alpha": RANK, "target_modules": targets, "task_type": "CAUSAL_LM"}
    (path / "adapter_config.json").write_text(json.dumps(config))


def gpt_oss_layer(prefix):
    width, query = EXPERT_WIDTH, 64 * 64
    for module, rows, columns in [("q", query, width), ("k", 512, width), ("v", 512, width), ("o", width, query)]:
        yield plain(f"{prefix}.self_attn.{module}_proj.weight", rows, columns)
        yield plain(f"{prefix}.self_attn.{module}_proj.bias", rows)
    yield plain(f"{prefix}.self_attn.sinks", 64)
    yield plain(f"{prefix}.mlp.router.weight", EXPERTS, width)
    yield plain(f"{prefix}.mlp.router.bias", EXPERTS)
    for stack, rows in (("gate_up_proj", 2 * width), ("down_proj", width)):
        blocks = width // 32
        name = f"{prefix}.mlp.experts.{stack}"
        yield (f"{name}_blocks", "U8", [EXPERTS, rows, blocks, 16], EXPERTS * rows * blocks * 16)
        yield (f"{name}_scales", "U8", [EXPERTS, rows, blocks], b"\x78" * (EXPERTS * rows * blocks))
        yield plain(f"{name}_bias", EXPERTS, rows)


def make_model(path, name, layers):
    is_gpt_oss = name == "gpt_oss"
    config = {**(GPT_OSS if is_gpt_oss else LLAMA), "num_hidden_layers": layers}
    if not is_gpt_oss:
        config["quantization_config"] = CONFIGS[FORMATS[name]]
    width = config["hidden_size"]
    tensors = [plain("model.embed_tokens.weight", VOCABULARY, width), plain("lm_head.weight", VOCABULARY, width)]
    tensors.append(plain("model.norm.weight", width))
    for i in range(layers):
        prefix = f"model.layers.{i}"
        tensors += [plain(f"{prefix}.{norm}.weight", width) for norm in ("input_layernorm", "post_attention_layernorm")]
        tensors += gpt_oss_layer(prefix) if is_gpt_oss else llama_layer(prefix, FORMATS[name])
    path.mkdir()
    write_safetensors(path / "model.safetensors", tensors, NOISE)
    (path / "config.json").write_text(json.dumps(config))


def decompress_awq(source):
    """Returns the tensors of an AWQ checkpoint with weights of fp16, as compressed-tensors makes them."""
    from compressed_tensors.compressors import BaseCompressor
    from compressed_tensors.entrypoints.convert.converters import AutoAWQConverter
    from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
    from safetensors.torch import load_file

    converter = AutoAWQConverter.from_pretrained(source)
    tensors = converter.process(load_file(Path(source) / "model.safetensors"))
    weights = QuantizationArgs(num_bits=4, group_size=converter.group_size, strategy="group", symmetric=False)
    scheme = QuantizationScheme(targets=["Linear"], weights=weights)
    compressor = BaseCompressor.get_value_from_registry("pack-quantized")
    parts = ("weight_packed", "weight_scale", "weight_shape", "weight_zero_point")
    for name in [name for name in tensors if name.endswith(".weight_packed")]:
        module = name.removesuffix(".weight_packed")
        state = {part: tensors.pop(f"{module}.{part}") for part in parts}
        tensors[f"{module}.weight"] = compressor.decompress(state, scheme)["weight"].contiguous()
    return tensors


def load(source, target, adapter=None):
    """Converts as the library does, merges an adapter as peft does, and writes the seconds of imports to `target`."""
    config = json.loads((Path(source) / "config.json").read_text())["quantization_config"]
    method = config["quant_method"]
    begin = time.monotonic()
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, CompressedTensorsConfig, FineGrainedFP8Config, Mxfp4Config

    if method == "gptq":
        from gptqmodel.utils.model_dequant import convert_gptq_file
    seconds = time.monotonic() - begin
    if method == "gptq":
        tensors = convert_gptq_file(Path(source) / "model.safetensors", torch.bfloat16, config, "cpu")
    elif method == "awq":
        tensors = decompress_awq(source)
    else:
        kinds = {"fp8": FineGrainedFP8Config, "mxfp4": Mxfp4Config, "compressed-tensors": CompressedTensorsConfig}
        model = AutoModelForCausalLM.from_pretrained(
            source, quantization_config=kinds[method](dequantize=True), dtype=torch.bfloat16
        )
        if adapter:
            from peft import PeftModel

            model = PeftModel.from_pretrained(model, adapter).merge_and_unload()
        tensors = model.state_dict()
    Path(target).mkdir()
    save_file(tensors, Path(target) / "model.safetensors")
    (Path(target) / "imports").write_text(str(seconds))


def differing(ours, theirs):
    """Returns the names of the tensors that are not the same in both directories."""
    import torch
    from safetensors import safe_open

    with safe_open(ours / "model.safetensors", "pt") as a, safe_open(theirs / "model.safetensors", "pt") as b:
        return [name for name in a.keys() if not torch.equal(a.get_tensor(name), b.get_tensor(name))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qfuse")
    parser.add_argument("--format", choices=["fp8", "gpt_oss", "mxfp4", "nvfp4", "int4", "awq", "gptq"], required=True)
    parser.add_argument("--merge", action="store_true", help="an adapter; not of gpt_oss, awq or gptq")
    parser.add_argument("--gigabytes", type=float, default=2 * LAYER_GIGABYTES, help="in 16 bits; default: 0.9")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    if options.merge and options.format in ("gpt_oss", "awq", "gptq"):
        parser.error(f"--merge has no adapter for {options.format}")
    layers = max(1, round(options.gigabytes / LAYER_GIGABYTES))
    work = Path(tempfile.mkdtemp(prefix="qfuse-peers-", dir=options.directory))
    source, ours, theirs = work / "in", work / "ours", work / "theirs"
    adapter = [work / "adapter"] if options.merge else []
    words = ["merge" if options.merge else "dequantize", source, *adapter, "-o", ours, "--quiet", "--device", "cpu"]
    if options.format == "awq":
        words += ["--dtype", "fp16"]
    ways = {
        "qfuse": (ours, [options.qfuse, *words]),
        "library": (theirs, [sys.executable, __file__, "--load", source, theirs, *adapter]),
    }
    rows, imports = {way: [] for way in ways}, []
    try:
        make_model(source, options.format, layers)
        if options.merge:
            make_adapter(work / "adapter", layers)
        for _ in range(options.runs):
            for way, (target, command) in ways.items():
                shutil.rmtree(target, ignore_errors=True)
                subprocess.run(["sync"], check=True)
                seconds, processor, _, resident = timed(command)
                rows[way].append({"seconds": seconds, "processor": sum(processor), "resident_mib": resident})
            imports.append(float((theirs / "imports").read_text()))
        if names := differing(ours, theirs):
            sys.exit(f"not the same in both: {', '.join(names)}")
        written = sum(file.stat().st_size for file in ours.iterdir())
    finally:
        shutil.rmtree(work)
    for way, runs in rows.items():
        middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        print(
            f"{options.format}, {written / 1e9:.2f} GB, {way}: {middle['seconds']:.2f} s, processor time "
            f"{middle['processor']:.2f} s, largest resident set {middle['resident_mib']:.0f} MiB"
        )
    print(f"of the library's seconds, imports: {statistics.median(imports):.2f}")
    print(json.dumps({"format": options.format, "layers": layers, **rows, "imports": imports}))


if __name__ == "__main__":
    load(*sys.argv[2:5]) if sys.argv[1:2] == ["--load"] else main()
