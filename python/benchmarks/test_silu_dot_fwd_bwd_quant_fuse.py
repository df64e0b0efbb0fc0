#!/usr/bin/env python3
"""Compares silu_dot_fwd_bwd_quant_fuse with the operator written in plain PyTorch.

    python python/benchmarks/test_silu_dot_fwd_bwd_quant_fuse.py [--json FILE] [--commit HASH] [--without-compile]
    python python/benchmarks/test_silu_dot_fwd_bwd_quant_fuse.py --device cpu --small      # everything without a GPU

First compares every output of each shape with eager PyTorch's. Exit status 1 if a byte differs. The tests compare odd
values and shapes, which are in tests/cases/swiglu.h. (On a CPU, qfuse's exp is not torch's, and a byte that differs for
that reason counts too.) Then times eager PyTorch, torch.compile of the same code (which takes a minute or two) and the
op on the 12 published shapes, with cold caches. Needs the installed package.
"""

import statistics
import sys
from collections.abc import Callable, Sequence
from typing import Any

import measure
import torch
from torch import Tensor

from qfuse.ops import silu_dot_fwd_bwd_quant_fuse

Device = torch.device | str
Pair = tuple[Tensor, Tensor]
Outputs = tuple[Tensor, Tensor, Tensor, Tensor]
Layer = tuple[int, int, int]  # experts, tokens per expert, channels

GROUP_SIZE = 128
NAMES = ("grad_input_q", "grad_input_s", "y_q_t", "y_s_t")
LAYERS = [(experts, tokens, h) for h in (2560, 4096) for experts in (8, 16, 32) for tokens in (128, 256)]
SMALL_LAYERS = [(2, 128, 256), (1, 300, 384)]
POISON = 0xA5
FLUSHED_BYTES = 256_000_000  # written between runs, so that no cache holds data of the next run
RUNS = 20


# ---- the operator in PyTorch ----


def quantized(groups: Tensor) -> Pair:
    """Quantizes bf16 values [..., group] and returns payload and scales."""
    values = groups.float()
    absmax = values.abs().amax(dim=-1, keepdim=True)
    # The published division by 127, which CUDA computes as a product. On a CPU torch would divide.
    scales = (absmax / 127.0 if absmax.is_cuda else absmax * torch.tensor(1.0 / 127.0)).clamp(min=1e-10)
    return (values / scales).clamp(-127, 127).to(torch.int8), scales.squeeze(-1)


def quantized_rows(z: Tensor) -> Pair:
    """Quantizes [rows, columns] in groups of 128 columns. The last group may be short."""
    whole = z.shape[1] // GROUP_SIZE * GROUP_SIZE
    payload, scales = quantized(z[:, :whole].reshape(z.shape[0], whole // GROUP_SIZE, GROUP_SIZE))
    payload = payload.reshape(z.shape[0], whole)
    if whole == z.shape[1]:
        return payload, scales
    short_payload, short_scales = quantized(z[:, None, whole:])
    return torch.cat([payload, short_payload[:, 0]], dim=1), torch.cat([scales, short_scales], dim=1)


def reference(x: Tensor, grad_y: Tensor) -> Outputs:
    """Returns the four outputs by the operator's published formulas."""
    gate, up = x.float().chunk(2, dim=-1)
    dy = grad_y.float()
    s = 1 / (1 + torch.exp(-gate))
    silu = gate * s
    y = (silu * up).to(torch.bfloat16)
    d_up = (dy * silu).to(torch.bfloat16)
    d_gate = (((dy * up) * s) * (1 + gate * (1 - s))).to(torch.bfloat16)
    return *quantized_rows(torch.cat([d_gate, d_up], dim=-1)), *quantized_rows(y.t().contiguous())


def normal(device: Device, m: int, h: int, seed: int = 0) -> Pair:
    generator = torch.Generator(device).manual_seed(seed)
    return (
        torch.randn(m, 2 * h, generator=generator, device=device).to(torch.bfloat16),
        torch.randn(m, h, generator=generator, device=device).to(torch.bfloat16),
    )


# ---- comparing ----


def empty_outputs(m: int, h: int, device: Device) -> Outputs:
    """Returns the four empty outputs for [m, h], in the op's order."""
    return (
        torch.empty(m, 2 * h, dtype=torch.int8, device=device),
        torch.empty(m, 2 * h // GROUP_SIZE, dtype=torch.float32, device=device),
        torch.empty(h, m, dtype=torch.int8, device=device),
        torch.empty(h, -(-m // GROUP_SIZE), dtype=torch.float32, device=device),
    )


def poisoned(m: int, h: int, device: Device) -> Outputs:
    outputs = empty_outputs(m, h, device)
    for output in outputs:
        output.view(torch.uint8).fill_(POISON)
    return outputs


def run_op(x: Tensor, grad_y: Tensor, gradients: bool = True, y: bool = True) -> Outputs:
    """Runs the op and returns all four outputs. Outputs not requested keep their poison."""
    outputs = poisoned(x.shape[0], x.shape[1] // 2, x.device)
    asked = (output if wanted else None for output, wanted in zip(outputs, (gradients, gradients, y, y), strict=True))
    silu_dot_fwd_bwd_quant_fuse(x, grad_y if gradients else None, *asked)
    return outputs


def differing(actual: Sequence[Tensor], expected: Sequence[Tensor]) -> dict[str, int]:
    """Returns the number of differing bytes of each output that differs, by name."""
    counts = {name: measure.differing_bytes(a, e) for name, a, e in zip(NAMES, actual, expected, strict=True)}
    return {name: count for name, count in counts.items() if count}


def compare(layer: Layer, device: str) -> dict[str, dict[str, int]]:
    """Compares a layer with all outputs, and without each pair of outputs. Returns differing bytes by name."""
    experts, tokens, h = layer
    m, name = experts * tokens, f"{experts} x {tokens} tokens, H {h}"
    x, grad_y = normal(device, m, h, seed=m + h)
    expected, untouched = reference(x, grad_y), poisoned(m, h, x.device)
    found = {
        name: differing(run_op(x, grad_y), expected),
        f"{name}, no y": differing(run_op(x, grad_y, y=False), expected[:2] + untouched[2:]),
        f"{name}, no gradients": differing(run_op(x, grad_y, gradients=False), untouched[:2] + expected[2:]),
    }
    measure.progress(f"{name}: differing bytes: {found[name] or 'none'}")
    return found


# ---- timing ----


def time_calls(call: measure.Run, flushed: Tensor, device: str) -> float:
    """Returns the median microseconds of one user call, launches and allocations included, with flushed caches."""
    watch, times = measure.Stopwatch(device), []
    with measure.undisturbed():
        for _ in range(measure.WARM_UPS + RUNS):
            flushed.fill_(1)
            measure.synchronizer(device)()
            times.append(watch.microseconds(call))
    return statistics.median(times[measure.WARM_UPS :])


def time_graph(m: int, h: int, device: str) -> float:
    """Returns the op's median microseconds, as a CUDA graph that rotates through more buffers than the caches hold."""
    count = measure.copies_for(9 * m * h) if device == "cuda" else 2
    sets = [(*normal(device, m, h, seed), *empty_outputs(m, h, device)) for seed in range(count)]
    return measure.time_round(lambda one: silu_dot_fwd_bwd_quant_fuse(*one), sets, device)["median"]


def time_compiled(x: Tensor, grad_y: Tensor, flushed: Tensor) -> dict[str, Any]:
    """Times torch.compile of the reference. Returns the error if compiling fails."""
    torch.compiler.reset()  # its cache holds only a few shapes
    try:
        compiled = torch.compile(reference, dynamic=False)
        return {
            "compiled_differing": differing(compiled(x, grad_y), reference(x, grad_y)),
            "compiled_us": time_calls(lambda: compiled(x, grad_y), flushed, x.device.type),
        }
    except Exception as error:  # the other results do not need it, whatever it raises
        return {"compile_refused": f"{type(error).__name__}: {error}"[:200]}


def time_layer(layer: Layer, flushed: Tensor, arguments: Any) -> dict[str, Any]:
    experts, tokens, h = layer
    m, device = experts * tokens, arguments.device
    x, grad_y = normal(device, m, h)
    outputs = empty_outputs(m, h, device)
    row = {
        "experts": experts,
        "tokens": tokens,
        "rows": m,
        "cols": h,
        "eager_us": time_calls(lambda: reference(x, grad_y), flushed, device),
    }
    if not arguments.without_compile:
        row.update(time_compiled(x, grad_y, flushed))
    row["qfuse_call_us"] = time_calls(lambda: silu_dot_fwd_bwd_quant_fuse(x, grad_y, *outputs), flushed, device)
    row["qfuse_us"] = time_graph(m, h, device)
    row["speed_up"] = row["eager_us"] / row["qfuse_us"]
    row["speed_up_of_call"] = row["eager_us"] / row["qfuse_call_us"]
    measure.progress(str(row))
    if device == "cuda":
        torch.cuda.empty_cache()
    return row


# ---- the command ----


COLUMNS: dict[str, Callable[[dict[str, Any]], object]] = {
    "experts × tokens": lambda row: f"{row['experts']} × {row['tokens']}",
    "M × H": lambda row: f"{row['rows']} × {row['cols']}",
    "eager µs": lambda row: f"{row['eager_us']:.1f}",
    "torch.compile µs": lambda row: f"{row['compiled_us']:.1f}" if "compiled_us" in row else "",
    "its differing bytes": lambda row: sum(row.get("compiled_differing", {}).values()),
    "qfuse µs": lambda row: f"{row['qfuse_us']:.2f}",
    "× eager": lambda row: f"**{row['speed_up']:.1f}**",
    "one call from Python µs": lambda row: f"{row['qfuse_call_us']:.2f}",
    "that × eager": lambda row: f"{row['speed_up_of_call']:.1f}",
}


def main(argv: Sequence[str] | None = None) -> int:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--without-compile", action="store_true")
    arguments = measure.parse(parser, argv)
    layers = SMALL_LAYERS if arguments.small else LAYERS
    compared = {name: counts for layer in layers for name, counts in compare(layer, arguments.device).items()}
    flushed = torch.empty(0 if arguments.small else FLUSHED_BYTES, dtype=torch.uint8, device=arguments.device)
    rows = [time_layer(layer, flushed, arguments) for layer in layers]
    means = [statistics.fmean(row[which] for row in rows) for which in ("speed_up", "speed_up_of_call")]
    result = measure.circumstances(arguments) | {
        "compared": compared,
        "rows": rows,
        "mean_speed_up": means[0],
        "mean_speed_up_of_call": means[1],
        "faults": [f"FAILED {name}: {counts}" for name, counts in compared.items() if counts],
    }
    mean = f"Mean over the {len(rows)} shapes: **{means[0]:.2f}** times as fast as eager"
    done = f"Ran {len(compared)} comparisons with eager PyTorch, {len(result['faults'])} with differing bytes"
    return measure.finish(
        arguments, result, measure.table_of(rows, COLUMNS), f"{mean}, one call from Python {means[1]:.2f} times.", done
    )


if __name__ == "__main__":
    sys.exit(main())
