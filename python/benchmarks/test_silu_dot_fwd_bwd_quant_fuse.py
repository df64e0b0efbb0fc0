#!/usr/bin/env python3
"""silu_dot_fwd_bwd_quant_fuse against the operator written in plain PyTorch.

    python python/benchmarks/test_silu_dot_fwd_bwd_quant_fuse.py [--json FILE] [--markdown FILE] [--commit HASH]
                                                                 [--without-compile]
    python python/benchmarks/test_silu_dot_fwd_bwd_quant_fuse.py --device cpu --small      # all that needs no GPU

First every output of every case is compared with eager PyTorch's: no byte may differ, and the exit status is 1 where
one does. (On a CPU, qfuse's exp is not torch's; a byte that this changes would count.) Then eager PyTorch,
torch.compile of the same (which takes a minute or two) and the op are timed on the 12 published shapes, cold. Needs the
installed package.
"""

import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import measure
import torch
from measure import LAUNCHES, ROTATED_BYTES, WARM_UPS, differing_bytes, table
from torch import Tensor

from qfuse.ops import silu_dot_fwd_bwd_quant_fuse

Device = torch.device | str
Pair = tuple[Tensor, Tensor]
Outputs = tuple[Tensor, Tensor, Tensor, Tensor]
Layer = tuple[int, int, int]  # experts, tokens of each, channels

GROUP_SIZE = 128
NAMES = ("grad_input_q", "grad_input_s", "y_q_t", "y_s_t")
LAYERS = [(experts, tokens, h) for h in (2560, 4096) for experts in (8, 16, 32) for tokens in (128, 256)]
SMALL_LAYERS = [(2, 128, 256), (1, 300, 384)]
POISON = 0xA5
FLUSHED_BYTES = 256_000_000  # written between runs, so that no cache holds anything of the next one's
RUNS = 20


# ---- the operator in PyTorch ----


def quantized(groups: Tensor) -> Pair:
    """bf16 values [..., group] to their payload and scales."""
    values = groups.float()
    absmax = values.abs().amax(dim=-1, keepdim=True)
    # The published division by 127, which CUDA does as a product; torch on a CPU would divide.
    scales = (absmax / 127.0 if absmax.is_cuda else absmax * torch.tensor(1.0 / 127.0)).clamp(min=1e-10)
    return (values / scales).clamp(-127, 127).to(torch.int8), scales.squeeze(-1)


def quantized_rows(z: Tensor) -> Pair:
    """[rows, columns] in groups of 128 columns; the last one may be short."""
    whole = z.shape[1] // GROUP_SIZE * GROUP_SIZE
    payload, scales = quantized(z[:, :whole].reshape(z.shape[0], whole // GROUP_SIZE, GROUP_SIZE))
    payload = payload.reshape(z.shape[0], whole)
    if whole == z.shape[1]:
        return payload, scales
    short_payload, short_scales = quantized(z[:, None, whole:])
    return torch.cat([payload, short_payload[:, 0]], dim=1), torch.cat([scales, short_scales], dim=1)


def reference(x: Tensor, grad_y: Tensor) -> Outputs:
    """The four outputs, by the operator's published formulas."""
    gate, up = x.float().chunk(2, dim=-1)
    dy = grad_y.float()
    s = 1 / (1 + torch.exp(-gate))
    silu = gate * s
    y = (silu * up).to(torch.bfloat16)
    d_up = (dy * silu).to(torch.bfloat16)
    d_gate = (((dy * up) * s) * (1 + gate * (1 - s))).to(torch.bfloat16)
    return *quantized_rows(torch.cat([d_gate, d_up], dim=-1)), *quantized_rows(y.t().contiguous())


# ---- cases ----


def normal(device: Device, m: int, h: int, seed: int = 0) -> Pair:
    generator = torch.Generator(device).manual_seed(seed)
    return (
        torch.randn(m, 2 * h, generator=generator, device=device).to(torch.bfloat16),
        torch.randn(m, h, generator=generator, device=device).to(torch.bfloat16),
    )


def scaled(device: Device, factor: float, m: int = 1024, h: int = 2560) -> Pair:
    x, grad_y = ((tensor.float() * factor).to(torch.bfloat16) for tensor in normal(device, m, h))
    return x, grad_y


def zeros(device: Device, m: int = 256, h: int = 256) -> Pair:
    x, grad_y = map(torch.zeros_like, normal(device, m, h))
    return x, grad_y


def mostly_zeros(device: Device, m: int = 1024, h: int = 2560) -> Pair:
    tensors = normal(device, m, h)
    generator = torch.Generator(device).manual_seed(1)
    x, grad_y = (t * (torch.rand(t.shape, generator=generator, device=device) < 0.01) for t in tensors)
    return x, grad_y


def one_huge_element(device: Device, m: int = 512, h: int = 512) -> Pair:
    """In each group of channels and each of tokens: along the diagonal of each tile."""
    x, grad_y = normal(device, m, h)
    tokens, channels = torch.arange(m, device=device)[:, None], torch.arange(h, device=device)[None, :]
    huge = tokens % GROUP_SIZE == channels % GROUP_SIZE
    x[:, h:] = torch.where(huge, 1e8, x[:, h:].float()).to(torch.bfloat16)
    return x, torch.where(huge, 1e8, grad_y.float()).to(torch.bfloat16)


def alternating(device: Device, m: int = 512, h: int = 512) -> Pair:
    x, grad_y = (tensor.abs() for tensor in normal(device, m, h))
    rows, columns = torch.arange(m, device=device)[:, None], torch.arange(2 * h, device=device)
    signs = 1 - 2 * ((rows + columns) % 2)
    return x * signs, grad_y * signs[:, :h]


def equal(device: Device, m: int = 512, h: int = 512) -> Pair:
    """Every group has one value; each value of a tile another."""
    tiles_m, tiles_h = m // GROUP_SIZE, h // GROUP_SIZE
    tiles = normal(device, tiles_m, tiles_h)
    x, grad_y = (t.repeat_interleave(GROUP_SIZE, 0).repeat_interleave(GROUP_SIZE, 1) for t in tiles)
    return x, grad_y


def subnormal(device: Device, m: int = 256, h: int = 256) -> Pair:
    """bf16 subnormals of random bits."""
    generator = torch.Generator(device).manual_seed(2)

    def bits(*shape: int) -> Tensor:
        magnitude = torch.randint(0, 0x80, shape, generator=generator, device=device, dtype=torch.int32)
        sign = torch.randint(-1, 1, shape, generator=generator, device=device, dtype=torch.int32)
        return (magnitude + sign * 0x8000).to(torch.int16).view(torch.bfloat16)

    return bits(m, 2 * h), bits(m, h)


def subnormal_gradient(device: Device, m: int = 256, h: int = 256) -> Pair:
    return normal(device, m, h)[0], subnormal(device, m, h)[1]


def strided(device: Device, m: int = 300, h: int = 384) -> Pair:
    """Rows that lie further apart than they are long; x at an odd stride, so that vectors cannot be loaded whole."""
    x, grad_y = normal(device, m, h)
    wide_x = torch.full((m, 2 * h + 9), float("nan"), dtype=torch.bfloat16, device=device)
    wide_grad_y = torch.full((m, h + 8), float("nan"), dtype=torch.bfloat16, device=device)
    wide_x[:, : 2 * h] = x
    wide_grad_y[:, :h] = grad_y
    return wide_x[:, : 2 * h], wide_grad_y[:, :h]


def cases(layers: list[Layer]) -> Iterator[tuple[str, Callable[[Device], Pair]]]:
    """Names and makers on a device, so that one case at a time is in memory."""
    for experts, tokens, h in layers:
        m = experts * tokens
        yield f"{experts} x {tokens} tokens, H {h}", partial(normal, m=m, h=h, seed=m + h)
    for factor in (20.0, 1e-3, 1e-20, 1e15):
        yield f"times {factor:g}", partial(scaled, factor=factor)
    yield from (
        ("zeros", zeros),
        ("99 % zeros", mostly_zeros),
        ("one huge element a group", one_huge_element),
        ("alternating signs", alternating),
        ("all-equal groups", equal),
        ("subnormal", subnormal),
        ("subnormal gradient", subnormal_gradient),
        ("strided", strided),
    )
    for m, h in ((1024, 128), (1, 2560), (1000, 2560), (129, 2560), (127, 128)):
        yield f"{m} x {h}", partial(normal, m=m, h=h)


# ---- comparing ----


def empty_outputs(m: int, h: int, device: Device) -> Outputs:
    """The four outputs of [m, h], in the op's order."""
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
    """All four outputs, those that are left out still poisoned."""
    outputs = poisoned(x.shape[0], x.shape[1] // 2, x.device)
    asked = (output if wanted else None for output, wanted in zip(outputs, (gradients, gradients, y, y), strict=True))
    silu_dot_fwd_bwd_quant_fuse(x, grad_y if gradients else None, *asked)
    return outputs


def differing(actual: Sequence[Tensor], expected: Sequence[Tensor]) -> dict[str, int]:
    """Bytes of each output that differ, by name; empty: none."""
    counts = {name: differing_bytes(a, e) for name, a, e in zip(NAMES, actual, expected, strict=True)}
    return {name: count for name, count in counts.items() if count}


def compare_all(layers: list[Layer], device: str) -> dict[str, dict[str, int]]:
    """Each case whole, and with each pair of outputs left out: differing bytes by name."""
    results: dict[str, dict[str, int]] = {}
    for name, make in cases(layers):
        x, grad_y = make(device)
        expected = reference(x, grad_y)
        untouched = poisoned(x.shape[0], x.shape[1] // 2, device)
        results[name] = differing(run_op(x, grad_y), expected)
        results[f"{name}, no y"] = differing(run_op(x, grad_y, y=False), expected[:2] + untouched[2:])
        results[f"{name}, no gradients"] = differing(run_op(x, grad_y, gradients=False), untouched[:2] + expected[2:])
        measure.progress(f"{name}: differing bytes: {results[name] or 'none'}")
    return results


def compare_cpu() -> dict[str, dict[str, int]]:
    """How far the CPU's bytes are from the GPU's: its exp is another."""
    results: dict[str, dict[str, int]] = {}
    for m, h in ((1024, 2560), (1024, 4096)):
        x, grad_y = normal("cuda", m, h)
        on_cpu = run_op(x.cpu(), grad_y.cpu())
        results[f"{m} x {h}"] = differing([output.cpu() for output in run_op(x, grad_y)], on_cpu)
        measure.progress(f"the CPU's bytes that are not the GPU's, {m} x {h}: {results[f'{m} x {h}'] or 'none'}")
    return results


# ---- timing ----


def time_calls(call: measure.Run, flushed: Tensor, device: str) -> float:
    """Median microseconds of one call as a user makes it: launches and allocations included, caches flushed."""
    watch, times = measure.Stopwatch(device), []
    with measure.undisturbed():
        for _ in range(WARM_UPS + RUNS):
            flushed.fill_(1)
            measure.synchronizer(device)()
            times.append(watch.microseconds(call))
    return statistics.median(times[WARM_UPS:])


def time_graph(m: int, h: int, rotated: int, device: str) -> float:
    """Median microseconds of the op, as a CUDA graph that goes round buffers of `rotated` bytes in all."""
    count = max(2, rotated // (9 * m * h) + 1)
    sets = [(*normal(device, m, h, seed), *empty_outputs(m, h, device)) for seed in range(count)]
    sets *= -(-LAUNCHES // count)

    def all_of_them() -> None:
        for one in sets:
            silu_dot_fwd_bwd_quant_fuse(*one)

    return statistics.median(measure.replayed_us(all_of_them, len(sets), device))


def time_compiled(x: Tensor, grad_y: Tensor, flushed: Tensor) -> dict[str, Any]:
    """Of torch.compile of the reference; why there is nothing where its compiler lacks what it needs."""
    torch.compiler.reset()  # its cache takes only so many shapes
    try:
        compiled = torch.compile(reference, dynamic=False)
        return {
            "compiled_differing": differing(compiled(x, grad_y), reference(x, grad_y)),
            "compiled_us": time_calls(lambda: compiled(x, grad_y), flushed, x.device.type),
        }
    except Exception as error:  # whatever its layers raise, the other figures are good without it
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
    row["qfuse_us"] = time_graph(m, h, 0 if arguments.small else ROTATED_BYTES, device)
    row["speed_up"] = row["eager_us"] / row["qfuse_us"]
    row["speed_up_of_call"] = row["eager_us"] / row["qfuse_call_us"]
    measure.progress(str(row))
    if device == "cuda":
        torch.cuda.empty_cache()
    return row


def time_all(layers: list[Layer], arguments: Any) -> dict[str, Any]:
    flushed = torch.empty(0 if arguments.small else FLUSHED_BYTES, dtype=torch.uint8, device=arguments.device)
    rows = [time_layer(layer, flushed, arguments) for layer in layers]
    return {
        "rows": rows,
        "mean_speed_up": statistics.fmean(row["speed_up"] for row in rows),
        "mean_speed_up_of_call": statistics.fmean(row["speed_up_of_call"] for row in rows),
    }


# ---- the report ----


def markdown(result: dict[str, Any]) -> str:
    rows = []
    for row in result["rows"]:
        compiled = ["", ""]
        if "compiled_us" in row:
            compiled = [f"{row['compiled_us']:.1f}", str(sum(row["compiled_differing"].values()))]
        rows.append(
            [
                f"{row['experts']} × {row['tokens']}",
                str(row["rows"]),
                str(row["cols"]),
                f"{row['eager_us']:.1f}",
                *compiled,
                f"{row['qfuse_us']:.2f}",
                f"**{row['speed_up']:.1f}**",
                f"{row['qfuse_call_us']:.2f}",
                f"{row['speed_up_of_call']:.1f}",
            ]
        )
    head = [
        "experts × tokens",
        "M",
        "H",
        "eager µs",
        "torch.compile µs",
        "its differing bytes",
        "qfuse µs",
        "× eager",
        "qfuse, one call from Python µs",
        "× eager",
    ]
    mean = f"Mean over the {len(rows)} shapes: **{result['mean_speed_up']:.2f}** times as fast as eager"
    return "\n\n".join(
        [
            measure.heading(result),
            table(head, rows),
            f"{mean}, one call from Python {result['mean_speed_up_of_call']:.2f} times.",
        ]
    )


# ---- main ----


def main(argv: Sequence[str] | None = None) -> int:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--without-compile", action="store_true")
    arguments = measure.parse(parser, argv)
    layers = SMALL_LAYERS if arguments.small else LAYERS
    compared = compare_all(layers, arguments.device)
    wrong = {name: counts for name, counts in compared.items() if counts}
    result = measure.circumstances(arguments) | {
        "compared": compared,
        "cpu_differing": compare_cpu() if arguments.device == "cuda" else None,
        **time_all(layers, arguments),
    }
    measure.finish(arguments, result, markdown(result))
    print(f"Ran {len(compared)} comparisons with eager PyTorch, {len(wrong)} with differing bytes")
    for name, counts in wrong.items():
        print(f"FAILED {name}: {counts}")
    return 1 if wrong else 0


def test_small() -> None:
    """For pytest."""
    assert main(["--small", "--device", "cuda" if torch.cuda.is_available() else "cpu"]) == 0


if __name__ == "__main__":
    sys.exit(main())
