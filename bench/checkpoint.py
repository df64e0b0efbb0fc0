#!/usr/bin/env python3
"""Times whole conversions of synthetic checkpoints against a `cp` of their output, and samples their memory.

    bench/checkpoint.py QFUSE [--gigabytes 4] [--runs 5] [--directory DIR] [--python PYTHON]

Makes a bnb-4bit model whose bf16 form has that many gigabytes, in shards of 5 GB. Then runs `qfuse dequantize` and
`cp --reflink=never OUT COPY && sync COPY` in turn, and likewise `qfuse quantize` on the output of `qfuse dequantize`.
Prints medians, their ratio and the peak of RssAnon + RssShmem, and one line of JSON.
"""

import argparse
import json
import shutil
import statistics
import struct
import subprocess
import tempfile
from pathlib import Path

from conversions import timed, write_safetensors

BLOCKSIZE, NESTED_BLOCKSIZE = 64, 256
ROWS, COLUMNS = 14336, 4096


def weight(name, rows, columns):
    """Returns the tensors of one NF4 weight, each as (name, dtype, shape, content bytes or number of noise bytes)."""
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
    return [
        (f"{name}.nested_absmax", "F32", [scales], struct.pack("<f", 0.01) * scales),
        (f"{name}.nested_quant_map", "F32", [256], struct.pack("<256f", *[(i - 127) / 128 for i in range(256)])),
        (f"{name}.quant_map", "F32", [16], bytes(64)),
        (name, "U8", [rows * columns // 2, 1], rows * columns // 2),
        (f"{name}.absmax", "U8", [blocks], blocks),
        (f"{name}.quant_state.bitsandbytes__nf4", "U8", [len(state)], state),
    ]


def make_model(directory, gigabytes):
    directory.mkdir()
    count = int(gigabytes * 1e9) // 2 // (ROWS * COLUMNS)
    weights = [(f"model.layers.{i}.mlp.up_proj.weight", ROWS, COLUMNS) for i in range(count)]
    per_shard = 32
    shards = [weights[i : i + per_shard] for i in range(0, len(weights), per_shard)]
    index = {}
    for number, shard in enumerate(shards, 1):
        name = f"model-{number:05}-of-{len(shards):05}.safetensors"
        tensors = [tensor for w in shard for tensor in weight(*w)]
        write_safetensors(directory / name, tensors)
        index.update({tensor[0]: name for tensor in tensors})
    (directory / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
    (directory / "config.json").write_text('{"model_type": "llama"}\n')


def in_turn(way, options, source, target, copy):
    """Runs the conversion and the copy of its output in turn and returns the results of both. Leaves the output."""
    ours, theirs, peak = [], [], 0
    for _ in range(options.runs):
        for old in (target, copy):
            shutil.rmtree(old, ignore_errors=True)
        subprocess.run(["sync"], check=True)
        seconds, _, memory, _ = timed([options.qfuse, way, source, "-o", target, "--quiet", "--device", "cpu"])
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
    parser.add_argument("--python", help="an interpreter that has bitsandbytes: also times bench/python_way.py")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="qfuse-bench-", dir=options.directory))
    try:
        make_model(work / "in", options.gigabytes)
        results = []
        for way, source, target in (
            ("dequantize", work / "in", work / "plain"),
            ("quantize", work / "plain", work / "again"),
        ):
            results.append(in_turn(way, options, source, target, work / "copy"))
            if options.python:
                results[-1]["python"] = python_way(way, options, source, work / "python")
        print(json.dumps({"gigabytes": options.gigabytes, "results": results}))
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
