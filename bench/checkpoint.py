#!/usr/bin/env python3
"""Times whole conversions of synthetic checkpoints against a `cp` of their output, and samples their memory.

    bench/checkpoint.py QFUSE [--gigabytes 4] [--runs 5] [--directory DIR] [--python PYTHON]
    bench/checkpoint.py QFUSE --format mxfp4 [...]

Makes a model whose bf16 form has that many gigabytes, in NF4 or another format, in shards of 5 GB, and an adapter of
rank 16 over every weight. Runs `qfuse dequantize` and `cp --reflink=never OUT COPY && sync COPY` in turn, likewise
`qfuse merge`, also back to NF4, FP8, MXFP4, NVFP4 or INT4 (`--to`), and for NF4 `qfuse quantize` on the output of
`qfuse dequantize`, with double quantization, without, and with `--importance`. Prints medians, their ratio, the peak of
RssAnon + RssShmem, and one line of JSON.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from conversions import timed, write_safetensors
from formats import CONFIGS, FORMATS

ROWS, COLUMNS = 14336, 4096
RANK = 16
BACK_TO = ("nf4", "fp8", "mxfp4", "nvfp4", "int4")  # formats that `qfuse merge --to` writes
# Without the codes of FP8 that are NaN or large.
NOISE = bytes(byte & 0x3F for byte in os.urandom(1 << 20))


def make_model(directory, gigabytes, of_format):
    directory.mkdir()
    count = int(gigabytes * 1e9) // 2 // (ROWS * COLUMNS)
    modules = [f"model.layers.{i}.mlp.up_proj" for i in range(count)]
    per_shard = 32
    shards = [modules[i : i + per_shard] for i in range(0, len(modules), per_shard)]
    index = {}
    for number, shard in enumerate(shards, 1):
        name = f"model-{number:05}-of-{len(shards):05}.safetensors"
        tensors = [tensor for module in shard for tensor in of_format(module, ROWS, COLUMNS)]
        write_safetensors(directory / name, tensors, NOISE)
        index.update({tensor[0]: name for tensor in tensors})
    (directory / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
    config = {"model_type": "llama", "torch_dtype": "bfloat16"}
    if CONFIGS[of_format]:
        config["quantization_config"] = CONFIGS[of_format]
    (directory / "config.json").write_text(json.dumps(config))
    return modules


def make_adapter(directory, modules):
    """Writes an adapter of peft's over all modules, whose A and B are 2^-9."""
    directory.mkdir()
    small = b"\x00\x3b"  # bf16
    tensors = []
    for module in modules:
        for side, shape in (("A", [RANK, COLUMNS]), ("B", [ROWS, RANK])):
            name = f"base_model.model.{module}.lora_{side}.weight"
            tensors.append((name, "BF16", shape, small * (shape[0] * shape[1])))
    write_safetensors(directory / "adapter_model.safetensors", tensors)
    config = {"peft_type": "LORA", "r": RANK, "lora_alpha": RANK, "target_modules": ["up_proj"], "bias": "none"}
    (directory / "adapter_config.json").write_text(json.dumps(config))


def make_importance(path, modules):
    """Writes the mean square of each input of all modules: 1."""
    one = b"\x00\x00\x80\x3f"  # fp32
    write_safetensors(path, [(f"{module}.weight", "F32", [COLUMNS], one * COLUMNS) for module in modules])
    return path


def in_turn(way, options, words, target, copy):
    """Runs `qfuse WORDS` and the copy of its output in turn and returns the results of both. Leaves the output."""
    ours, theirs, peak = [], [], 0
    for _ in range(options.runs):
        for old in (target, copy):
            shutil.rmtree(old, ignore_errors=True)
        subprocess.run(["sync"], check=True)
        seconds, _, memory, _ = timed([options.qfuse, *words, "-o", target, "--quiet", "--device", options.device])
        ours.append(seconds)
        peak = max(peak, memory)
        theirs.append(timed(["sh", "-c", f"cp -r --reflink=never '{target}' '{copy}' && sync '{copy}'/* '{copy}'"])[0])
    shutil.rmtree(copy)
    written = sum(file.stat().st_size for file in target.iterdir())
    result = {
        "way": way,
        "output_bytes": written,
        "seconds": ours,
        "cp_seconds": theirs,
        "ratio_of_medians": statistics.median(ours) / statistics.median(theirs),
        "peak_rss_mib": peak,
    }
    print(
        f"{way}: {written / 1e9:.2f} GB written in {statistics.median(ours):.2f} s, cp and sync of it "
        f"{statistics.median(theirs):.2f} s, ratio {result['ratio_of_medians']:.2f}, peak memory {peak:.0f} MiB"
    )
    return result


def python_way(way, options, source, target):
    command = [options.python, str(Path(__file__).with_name("python_way.py")), way, str(source), str(target)]
    subprocess.run(["sync"], check=True)
    seconds, _, peak, _ = timed(command)
    shutil.rmtree(target)
    print(f"{way} the Python way: {seconds:.2f} s, peak memory {peak:.0f} MiB")
    return {"seconds": seconds, "peak_rss_mib": peak}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qfuse")
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--python", help="an interpreter that has bitsandbytes: also times bench/python_way.py, of nf4")
    parser.add_argument("--format", choices=FORMATS, default="nf4", help="default: nf4")
    parser.add_argument("--device", default="cpu", help="default: cpu")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="qfuse-bench-", dir=options.directory))
    base, adapter, plain = work / "in", work / "adapter", work / "plain"
    try:
        modules = make_model(base, options.gigabytes, FORMATS[options.format])
        make_adapter(adapter, modules)
        ways = [("dequantize", ["dequantize", base], plain), ("merge", ["merge", base, adapter], work / "merged")]
        if options.format in BACK_TO:
            to = ["--to", options.format, "--fail-below", "0"]
            ways.append((f"merge --to {options.format}", ["merge", base, adapter, *to], work / "back"))
        if options.format == "nf4":
            single = ["quantize", plain, "--no-double-quant"]
            importance = ["--importance", make_importance(work / "importance.safetensors", modules)]
            ways += [
                ("quantize", ["quantize", plain], work / "again"),
                ("quantize --no-double-quant", single, work / "single"),
                ("quantize --importance", [*single, *importance], work / "important"),
            ]
        results = []
        for way, words, target in ways:
            results.append(in_turn(way, options, words, target, work / "copy"))
            if options.python and way in ("dequantize", "quantize") and options.format == "nf4":
                results[-1]["python"] = python_way(way, options, words[1], work / "python")
            if target != plain:
                shutil.rmtree(target)
        print(json.dumps({"format": options.format, "gigabytes": options.gigabytes, "results": results}))
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
