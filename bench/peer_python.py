#!/usr/bin/env python3
"""Times bitsandbytes' own dequantize_4bit through torch on a GPU, each call captured into a CUDA graph.

    bench/peer_python.py

The peer as its users call it, beside qfuse-bench's --peer, which calls its C library. Buffers rotate so that the L2 cache
holds none of them. Prints the median device time a call and one line of JSON; needs torch and bitsandbytes.
"""

import json
import statistics

import bitsandbytes
import torch
from bitsandbytes.functional import dequantize_4bit, quantize_4bit

SHAPES = [(1024, 4096, torch.bfloat16), (2048, 8192, torch.float16), (4096, 14336, torch.bfloat16),
          (8192, 28672, torch.bfloat16)]
ROTATED_BYTES = 400_000_000
RUNS = 15


def microseconds(rows, columns, dtype):
    sets = max(2, ROTATED_BYTES // (rows * columns * 5 // 2))
    weights = [quantize_4bit(torch.randn(rows, columns, dtype=dtype, device="cuda"), quant_type="nf4",
                             compress_statistics=True) for _ in range(sets)]
    outputs = [torch.empty(rows, columns, dtype=dtype, device="cuda") for _ in range(sets)]

    def all_of_them():
        for (packed, state), out in zip(weights, outputs):
            dequantize_4bit(packed, state, out=out)

    all_of_them()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        all_of_them()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    for _ in range(RUNS + 2):
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / sets)
    return times[2:]


def main():
    results = {}
    for rows, columns, dtype in SHAPES:
        times = microseconds(rows, columns, dtype)
        name = f"{rows} x {columns} {str(dtype).removeprefix('torch.')}"
        results[name] = times
        print(f"{name}: {statistics.median(times):.2f} us ({min(times):.2f} to {max(times):.2f})")
    print(json.dumps({"device": torch.cuda.get_device_name(), "bitsandbytes": bitsandbytes.__version__,
                      "torch": torch.__version__, "microseconds": results}))


if __name__ == "__main__":
    main()
