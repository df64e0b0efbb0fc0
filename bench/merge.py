#!/usr/bin/env python3
"""Times qfuse merge beside cp of the same bytes and beside peft, on a random model with Llama-3-8B's layers.

bench/merge.py build/release/bin/qfuse SCRATCH [--layers 8] [--rank 16] [--rounds 3] [--peft PYTHON] [--ways]

SCRATCH needs room for two copies of the model, or four with --ways: 5.6 GB each with 8 layers, 16.1 GB with 32.
On a tmpfs no disk is involved. The memory printed is the largest resident set, including the pages of mapped files.
"""

import argparse
import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

from conversions import NOISE, timed, write_safetensors

HIDDEN, INNER, KEYS, VOCABULARY = 4096, 14336, 1024, 128256
LINEAR = {
    "self_attn.q_proj": (HIDDEN, HIDDEN),
    "self_attn.k_proj": (KEYS, HIDDEN),
    "self_attn.v_proj": (KEYS, HIDDEN),
    "self_attn.o_proj": (HIDDEN, HIDDEN),
    "mlp.gate_proj": (INNER, HIDDEN),
    "mlp.up_proj": (INNER, HIDDEN),
    "mlp.down_proj": (HIDDEN, INNER),
}
BY_PEFT = """
import sys, torch
from peft import PeftModel
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.bfloat16)
PeftModel.from_pretrained(model, sys.argv[2]).merge_and_unload().save_pretrained(sys.argv[3])
"""


def weights(layers):
    """Yields the names and shapes of a model's tensors."""
    yield "model.embed_tokens.weight", (VOCABULARY, HIDDEN)
    for layer in range(layers):
        for name, shape in LINEAR.items():
            yield f"model.layers.{layer}.{name}.weight", shape
        yield f"model.layers.{layer}.input_layernorm.weight", (HIDDEN,)
        yield f"model.layers.{layer}.post_attention_layernorm.weight", (HIDDEN,)
    yield "model.norm.weight", (HIDDEN,)
    yield "lm_head.weight", (VOCABULARY, HIDDEN)


def factors(layers, rank):
    for layer in range(layers):
        for name, (rows, columns) in LINEAR.items():
            module = f"base_model.model.model.layers.{layer}.{name}"
            yield f"{module}.lora_A.weight", (rank, columns)
            yield f"{module}.lora_B.weight", (rows, rank)


def write(path, tensors, dtype, size):
    """Writes a file of random numbers near 0.01: random bits, but with a fixed exponent and a random sign."""
    noise = bytearray(NOISE)
    noise[size - 1 :: size] = bytes(0x3C if byte & 1 else 0xBC for byte in noise[size - 1 :: size])
    write_safetensors(path, [(name, dtype, shape, size * math.prod(shape)) for name, shape in tensors], noise)


def make(folder, layers, rank):
    base, adapter = folder / "base", folder / "adapter"
    base.mkdir(), adapter.mkdir()
    write(base / "model.safetensors", weights(layers), "BF16", 2)
    write(adapter / "adapter_model.safetensors", factors(layers, rank), "F32", 4)
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": VOCABULARY}
    config |= {"hidden_size": HIDDEN, "intermediate_size": INNER, "num_hidden_layers": layers}
    config |= {"num_attention_heads": 32, "num_key_value_heads": 8, "tie_word_embeddings": False}
    (base / "config.json").write_text(json.dumps(config))
    lora = {"peft_type": "LORA", "r": rank, "lora_alpha": 2 * rank, "task_type": "CAUSAL_LM"}
    lora["target_modules"] = [name.split(".")[1] for name in LINEAR]
    (adapter / "adapter_config.json").write_text(json.dumps(lora))
    return base, adapter


def run(name, command, out=None):
    """Runs the command, prints its time and memory, and removes its output."""
    seconds, (user, system), _, resident = timed(command)
    print(f"{name:<36} {seconds:7.2f} s, processor {user:.2f} s and {system:.2f} s in the system, {resident:.0f} MiB",
          flush=True)  # fmt: skip
    if out:
        shutil.rmtree(out)


def assert_same_files(one, other):
    """Checks that the same files have the same bytes, except README.md, which names the command and may differ."""
    command = ["diff", "-r", "--brief", "--exclude=README.md", one, other]
    subprocess.run(command, check=True)


def run_ways(qfuse, folder, base, adapter):
    """Runs the same merge in other ways and compares each with one that must give the same bytes."""
    plain, other, quantized = folder / "plain", folder / "other", folder / "quantized"
    merge = [qfuse, "merge", base, adapter, "--quiet"]
    run("merge", [*merge, "-o", plain])
    for shard in range(4):
        run(f"--shard {shard}/4", [*merge, "-o", other, "--shard", f"{shard}/4"])
    run("finish", [qfuse, "finish", other, "--quiet"])
    assert_same_files(plain, other)
    shutil.rmtree(other)
    to_nf4 = [*merge, "--to", "nf4"]
    run("--to nf4", [*to_nf4, "-o", other])
    run("quantize the merged model", [qfuse, "quantize", plain, "-o", quantized, "--quiet"])
    shutil.rmtree(plain)
    subprocess.run([qfuse, "compare", other, quantized, "--quiet"], check=True)
    shutil.rmtree(other), shutil.rmtree(quantized)
    run("quantize the base", [qfuse, "quantize", base, "-o", quantized, "--quiet"])
    onto_nf4 = [qfuse, "merge", quantized, adapter, "--quiet"]
    run("merge onto the 4-bit base", [*onto_nf4, "-o", other])
    base_as_nf4 = [*merge, "--base-as", "nf4"]
    run("--base-as nf4", [*base_as_nf4, "-o", plain])
    subprocess.run([qfuse, "compare", plain, other, "--quiet"], check=True)
    shutil.rmtree(plain), shutil.rmtree(other), shutil.rmtree(quantized)
    print("All are equal where they must be.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qfuse")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", action="store_true", help="as shards, onto 4 bits and to 4 bits, with their bytes")
    parser.add_argument("--peft", help="a Python that has peft, transformers and torch")
    args = parser.parse_args()
    folder = args.scratch / "qfuse-bench-merge"
    folder.mkdir()
    try:
        base, adapter = make(folder, args.layers, args.rank)
        out = folder / "out"
        merge = [args.qfuse, "merge", base, adapter, "-o", out, "--quiet"]
        subprocess.run(merge, check=True)
        subprocess.run([args.qfuse, "compare", base, out, "--adapter", adapter, "--quiet"], check=True)
        shutil.rmtree(out)
        for _ in range(args.rounds):
            run("merge, one thread", [*merge, "--threads", "1"], out)
            run("merge", merge, out)
            run("cp and sync", ["sh", "-c", 'cp -r "$0" "$1" && sync -f "$1"', base, out], out)
        if args.ways:
            run_ways(args.qfuse, folder, base, adapter)
        if args.peft:
            run("peft", [args.peft, "-c", BY_PEFT, base, adapter, out], out)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
