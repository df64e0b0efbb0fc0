#!/usr/bin/env python3
"""Times layers of one input under LoRA adapters: one call for all of them, and one call each, as JSON.

    bench/lora_shared.py [--commit COMMIT] > FILE

q, k, v and gate, up of Llama-3.1-8B: NF4 nested, bf16, adapters of rank 16 in float32. Each figure is of a CUDA graph,
of the forward alone and of the forward with the gradients of x, A and B; the ways take turns, and beside them stand the
products of the same shapes with bf16 weights and no adapter. Results are compared before anything is timed. For a GPU.
"""

import argparse
import json
import statistics
import sys
from datetime import datetime, timezone

import torch

import qfuse

GROUPS = {"q, k, v": (4096, (4096, 1024, 1024)), "gate, up": (4096, (14336, 14336))}
TOKENS = (64, 256, 512, 1024, 2048, 4096, 8192)
RANK, SCALING = 16, 2.0
ROUNDS = 21


def make_weight(rows, cols):
    dense = torch.randn(rows, cols, device="cuda", dtype=torch.bfloat16) * 0.02
    return qfuse.Weight4bit(qfuse.ops.quantize_4bit_nested(dense, 64, "nf4"), (rows, cols), torch.bfloat16)


class Layers:
    def __init__(self, cols, widths, tokens):
        self.weights = [make_weight(rows, cols) for rows in widths]
        self.dense = [qfuse.dequantize_4bit(weight) for weight in self.weights]
        self.x = torch.randn(tokens, cols, device="cuda", dtype=torch.bfloat16, requires_grad=True)
        self.a = [(torch.randn(RANK, cols, device="cuda") * cols**-0.5).requires_grad_() for _ in widths]
        self.b = [(torch.randn(rows, RANK, device="cuda") * 0.1).requires_grad_() for rows in widths]
        self.grads = [torch.randn(tokens, rows, device="cuda", dtype=torch.bfloat16) for rows in widths]

    def shared(self):
        return qfuse.matmul_4bit_lora_shared(self.x, self.weights, self.a, self.b, SCALING)

    def single(self):
        layers = zip(self.weights, self.a, self.b, strict=True)
        return [qfuse.matmul_4bit_lora(self.x, weight, a, b, SCALING) for weight, a, b in layers]

    def bare(self):
        return [torch.nn.functional.linear(self.x, dense) for dense in self.dense]

    def exact(self):
        x, *factors = (leaf.double() for leaf in (self.x, *self.a, *self.b))
        layers = zip(self.dense, factors[: len(self.a)], factors[len(self.a) :], strict=True)
        return [x @ dense.double().t() + SCALING * (x @ a.t()) @ b.t() for dense, a, b in layers]

    def leaves(self, way):
        return [self.x] if way == "bare" else [self.x, *self.a, *self.b]

    def gradients(self, way):
        return torch.autograd.grad(getattr(self, way)(), self.leaves(way), self.grads)

    def results(self, way):
        products = getattr(self, way)()
        grads = [grad.to(y.dtype) for grad, y in zip(self.grads, products, strict=True)]
        return [*products, *torch.autograd.grad(products, self.leaves(way), grads)]


def compare(layers):
    """Against sums in float64. The ways round parts of x's gradient in another order: neither is always the nearer."""
    for shared, single, exact in zip(*(layers.results(way) for way in ("shared", "single", "exact")), strict=True):
        error, other = ((found.double() - exact).norm() / exact.norm() for found in (shared, single))
        if not (max(error, other) < 0.005 and error < 1.2 * other):
            sys.exit(f"errors of {error} and {other} of the norm")


def capture(run):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph


def time_in_turns(graphs):
    """Microseconds of each round of each graph."""
    times = {name: [] for name in graphs}
    for _ in range(ROUNDS):
        for name, graph in graphs.items():
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for _ in range(5):
                graph.replay()
            end.record()
            end.synchronize()
            times[name].append(start.elapsed_time(end) * 1000 / 5)
    return times


def measure(name, cols, widths, tokens):
    layers = Layers(cols, widths, tokens)
    compare(layers)
    directions = {"forward": lambda way: getattr(layers, way)(), "forward and backward": layers.gradients}
    for direction, run in directions.items():
        graphs = {way: capture(lambda way=way, run=run: run(way)) for way in ("shared", "single", "bare")}
        row = {"layers": name, "k": cols, "n": widths, "tokens": tokens, "direction": direction}
        for way, times in time_in_turns(graphs).items():
            row[way] = {"median_us": statistics.median(times), "least_us": min(times), "most_us": max(times)}
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", default="", help="the commit to name in the result")
    options = parser.parse_args()
    torch.manual_seed(0)
    rows = [row for name, group in GROUPS.items() for tokens in TOKENS for row in measure(name, *group, tokens)]
    run = {
        "command": "bench/lora_shared.py",
        "commit": options.commit,
        "date": datetime.now(timezone.utc).isoformat(),
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "rounds": ROUNDS,
        "rows": rows,
    }
    print(json.dumps(run, indent=1))


if __name__ == "__main__":
    main()
