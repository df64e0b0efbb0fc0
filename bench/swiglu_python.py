#!/usr/bin/env python3
"""silu_dot_fwd_bwd_quant_fuse of the library against the operator written in plain PyTorch, on a GPU.

    bench/swiglu_python.py [--json FILE] [--markdown FILE] [--commit HASH] [--without-compile]

First every output of every case is compared with eager PyTorch's: no byte may differ, and the exit status is 1 where
one does. Then eager PyTorch, torch.compile of the same (which takes a minute or two to compile) and the library are
timed on the 12 published shapes, cold. Needs torch with a GPU, and libqfuse.so.0 where the dynamic linker finds it
(bench/qfuse_swiglu.py).
"""

import argparse
import json
import statistics
import sys
import time

import torch
from qfuse_swiglu import GROUP_SIZE, empty_outputs, silu_dot_fwd_bwd_quant_fuse

NAMES = ("grad_input_q", "grad_input_s", "y_q_t", "y_s_t")
LAYERS = [(experts, tokens, h) for h in (2560, 4096) for experts in (8, 16, 32) for tokens in (128, 256)]
POISON = 0xa5
FLUSHED_BYTES = 256_000_000  # written between runs, so that no cache holds anything of the next one's
ROTATED_BYTES = 400_000_000
LAUNCHES = 24  # in a graph at least: starting it is not what is timed
RUNS = 20
WARM_UPS = 3
REPLAYS = 15


# ---- the operator in PyTorch ----

def quantized(groups):
    """bf16 values [..., group] to their payload and scales."""
    values = groups.float()
    scales = (values.abs().amax(dim=-1, keepdim=True) / 127.0).clamp(min=1e-10)
    return (values / scales).clamp(-127, 127).to(torch.int8), scales.squeeze(-1)


def quantized_rows(z):
    """[rows, columns] in groups of 128 columns; the last one may be short."""
    whole = z.shape[1] // GROUP_SIZE * GROUP_SIZE
    payload, scales = quantized(z[:, :whole].reshape(z.shape[0], whole // GROUP_SIZE, GROUP_SIZE))
    payload = payload.reshape(z.shape[0], whole)
    if whole == z.shape[1]:
        return payload, scales
    short_payload, short_scales = quantized(z[:, None, whole:])
    return torch.cat([payload, short_payload[:, 0]], dim=1), torch.cat([scales, short_scales], dim=1)


def reference(x, grad_y):
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

def normal(m, h, seed=0):
    generator = torch.Generator(device="cuda").manual_seed(seed)
    return (torch.randn(m, 2 * h, generator=generator, device="cuda").to(torch.bfloat16),
            torch.randn(m, h, generator=generator, device="cuda").to(torch.bfloat16))


def scaled(factor, m=1024, h=2560):
    return tuple((tensor.float() * factor).to(torch.bfloat16) for tensor in normal(m, h))


def zeros(m=256, h=256):
    return tuple(torch.zeros_like(tensor) for tensor in normal(m, h))


def mostly_zeros(m=1024, h=2560):
    tensors = normal(m, h)
    generator = torch.Generator(device="cuda").manual_seed(1)
    return tuple(t * (torch.rand(t.shape, generator=generator, device="cuda") < 0.01) for t in tensors)


def one_huge_element(m=512, h=512):
    """In each group of channels and each of tokens: along the diagonal of each tile."""
    x, grad_y = normal(m, h)
    tokens, channels = torch.arange(m, device="cuda")[:, None], torch.arange(h, device="cuda")[None, :]
    huge = tokens % GROUP_SIZE == channels % GROUP_SIZE
    x[:, h:] = torch.where(huge, 1e8, x[:, h:].float()).to(torch.bfloat16)
    return x, torch.where(huge, 1e8, grad_y.float()).to(torch.bfloat16)


def alternating(m=512, h=512):
    x, grad_y = (tensor.abs() for tensor in normal(m, h))
    signs = [1 - 2 * ((torch.arange(t.shape[0], device="cuda")[:, None] + torch.arange(t.shape[1], device="cuda")) % 2)
             for t in (x, grad_y)]
    return x * signs[0], grad_y * signs[1]


def equal(m=512, h=512):
    """Every group has one value; each value of a tile another."""
    tiles_m, tiles_h = m // GROUP_SIZE, h // GROUP_SIZE
    return tuple(t.repeat_interleave(GROUP_SIZE, 0).repeat_interleave(GROUP_SIZE, 1) for t in normal(tiles_m, tiles_h))


def subnormal(m=256, h=256):
    """bf16 subnormals of random bits."""
    generator = torch.Generator(device="cuda").manual_seed(2)

    def bits(*shape):
        magnitude = torch.randint(0, 0x80, shape, generator=generator, device="cuda", dtype=torch.int32)
        sign = torch.randint(-1, 1, shape, generator=generator, device="cuda", dtype=torch.int32)
        return (magnitude + sign * 0x8000).to(torch.int16).view(torch.bfloat16)
    return bits(m, 2 * h), bits(m, h)


def subnormal_gradient(m=256, h=256):
    return normal(m, h)[0], subnormal(m, h)[1]


def strided(m=300, h=384):
    """Rows that lie further apart than they are long; x at an odd stride, so that vectors cannot be loaded whole."""
    x, grad_y = normal(m, h)
    wide_x = torch.full((m, 2 * h + 9), float("nan"), dtype=torch.bfloat16, device="cuda")
    wide_grad_y = torch.full((m, h + 8), float("nan"), dtype=torch.bfloat16, device="cuda")
    wide_x[:, :2 * h] = x
    wide_grad_y[:, :h] = grad_y
    return wide_x[:, :2 * h], wide_grad_y[:, :h]


def cases():
    """Names and makers, so that one case at a time is in memory."""
    for experts, tokens, h in LAYERS:
        yield f"{experts} x {tokens} tokens, H {h}", lambda m=experts * tokens, h=h: normal(m, h, seed=m + h)
    for factor in (20.0, 1e-3, 1e-20, 1e15):
        yield f"times {factor:g}", lambda factor=factor: scaled(factor)
    yield from (("zeros", zeros), ("99 % zeros", mostly_zeros), ("one huge element a group", one_huge_element),
                ("alternating signs", alternating), ("all-equal groups", equal), ("subnormal", subnormal),
                ("subnormal gradient", subnormal_gradient), ("strided", strided))
    for m, h in ((1024, 128), (1, 2560), (1000, 2560), (129, 2560), (127, 128)):
        yield f"{m} x {h}", lambda m=m, h=h: normal(m, h)


# ---- comparing ----

def poisoned(m, h, device="cuda"):
    outputs = empty_outputs(m, h, device)
    for output in outputs:
        output.view(torch.uint8).fill_(POISON)
    return outputs


def run_library(x, grad_y, gradients=True, y=True):
    """All four outputs, those that are left out still poisoned."""
    outputs = poisoned(x.shape[0], x.shape[1] // 2, x.device)
    asked = tuple(output if wanted else None for output, wanted in zip(outputs, (gradients, gradients, y, y)))
    silu_dot_fwd_bwd_quant_fuse(x, grad_y if gradients else None, asked)
    return outputs


def bytes_of(tensor):
    return tensor.contiguous().view(torch.uint8)


def differing(actual, expected):
    """Bytes of each output that differ, by name; empty: none."""
    counts = {}
    for name, a, e in zip(NAMES, actual, expected):
        if a.shape != e.shape or a.dtype != e.dtype:
            raise AssertionError(f"{name} is {a.dtype} {tuple(a.shape)}, expected {e.dtype} {tuple(e.shape)}")
        count = int((bytes_of(a) != bytes_of(e)).sum())
        if count:
            counts[name] = count
    return counts


def compare_all():
    """Each case whole, and with each pair of outputs left out."""
    results = {}
    for name, make in cases():
        x, grad_y = make()
        expected = reference(x, grad_y)
        untouched = poisoned(x.shape[0], x.shape[1] // 2)
        results[name] = differing(run_library(x, grad_y), expected)
        results[f"{name}, no y"] = differing(run_library(x, grad_y, y=False), expected[:2] + untouched[2:])
        results[f"{name}, no gradients"] = differing(run_library(x, grad_y, gradients=False),
                                                     untouched[:2] + expected[2:])
        print(f"{name}: differing bytes: {results[name] or 'none'}", flush=True)
    return results


def compare_cpu():
    """How far the CPU's bytes are from the GPU's: its exp is another."""
    results = {}
    for m, h in ((1024, 2560), (1024, 4096)):
        x, grad_y = normal(m, h)
        on_cpu = run_library(x.cpu(), grad_y.cpu())
        results[f"{m} x {h}"] = differing([output.cpu() for output in run_library(x, grad_y)], on_cpu)
        print(f"the CPU's bytes that are not the GPU's, {m} x {h}: {results[f'{m} x {h}'] or 'none'}", flush=True)
    return results


# ---- timing ----

def events():
    return tuple(torch.cuda.Event(enable_timing=True) for _ in range(2))


def time_calls(call, flushed):
    """Median microseconds of one call as a user makes it: launches and allocations included, caches flushed."""
    begin, end = events()
    times = []
    for _ in range(WARM_UPS + RUNS):
        flushed.fill_(1)
        torch.cuda.synchronize()
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return statistics.median(times[WARM_UPS:])


def time_graph(m, h):
    """Median microseconds of the library, as a CUDA graph that goes round more buffers than the caches hold."""
    count = max(2, ROTATED_BYTES // (9 * m * h) + 1)
    sets = [(*normal(m, h, seed), empty_outputs(m, h, "cuda")) for seed in range(count)]

    rounds = -(-LAUNCHES // count)

    def all_of_them():
        for one in sets * rounds:
            silu_dot_fwd_bwd_quant_fuse(*one)
    all_of_them()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        all_of_them()
    begin, end = events()
    times = []
    for _ in range(WARM_UPS + REPLAYS):
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / (count * rounds))
    return statistics.median(times[WARM_UPS:])


def time_compiled(x, grad_y, flushed):
    """Of torch.compile of the reference; why there is nothing where its compiler lacks what it needs."""
    torch.compiler.reset()  # its cache takes only so many shapes
    try:
        compiled = torch.compile(reference, dynamic=False)
        return {"compiled_differing": differing(compiled(x, grad_y), reference(x, grad_y)),
                "compiled_us": time_calls(lambda: compiled(x, grad_y), flushed)}
    except Exception as error:  # whatever its layers raise, the other figures are good without it
        return {"compile_refused": f"{type(error).__name__}: {error}"[:200]}


def time_layer(experts, tokens, h, flushed, compiles):
    m = experts * tokens
    x, grad_y = normal(m, h)
    outputs = empty_outputs(m, h, "cuda")
    row = {"experts": experts, "tokens": tokens, "rows": m, "cols": h,
           "eager_us": time_calls(lambda: reference(x, grad_y), flushed)}
    if compiles:
        row.update(time_compiled(x, grad_y, flushed))
    row["qfuse_call_us"] = time_calls(lambda: silu_dot_fwd_bwd_quant_fuse(x, grad_y, outputs), flushed)
    row["qfuse_us"] = time_graph(m, h)
    row["speed_up"] = row["eager_us"] / row["qfuse_us"]
    row["speed_up_of_call"] = row["eager_us"] / row["qfuse_call_us"]
    torch.cuda.empty_cache()
    return row


def time_all(compiles):
    flushed = torch.empty(FLUSHED_BYTES, dtype=torch.uint8, device="cuda")
    rows = []
    for layer in LAYERS:
        rows.append(time_layer(*layer, flushed, compiles))
        print(json.dumps(rows[-1]), flush=True)
    return {"rows": rows, "mean_speed_up": statistics.fmean(row["speed_up"] for row in rows),
            "mean_speed_up_of_call": statistics.fmean(row["speed_up_of_call"] for row in rows)}


# ---- the report ----

def markdown(timing):
    lines = ["| experts × tokens | M | H | eager µs | torch.compile µs | its differing bytes | qfuse µs | "
             "× eager | qfuse, one call from Python µs | × eager |", "|---|---|---|---|---|---|---|---|---|---|"]
    for row in timing["rows"]:
        compiled = " | "
        if "compiled_us" in row:
            compiled = f"{row['compiled_us']:.1f} | {sum(row['compiled_differing'].values())}"
        lines.append(f"| {row['experts']} × {row['tokens']} | {row['rows']} | {row['cols']} | {row['eager_us']:.1f} | "
                     f"{compiled} | {row['qfuse_us']:.2f} | **{row['speed_up']:.1f}** | {row['qfuse_call_us']:.2f} | "
                     f"{row['speed_up_of_call']:.1f} |")
    mean = f"Mean over the {len(timing['rows'])} shapes: **{timing['mean_speed_up']:.2f}** times as fast as eager"
    return "\n".join([*lines, "", f"{mean}, one call from Python {timing['mean_speed_up_of_call']:.2f} times.", ""])


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    parser.add_argument("--commit", default="")
    parser.add_argument("--without-compile", action="store_true")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    begin = time.gmtime()
    compared = compare_all()
    wrong = {name: counts for name, counts in compared.items() if counts}
    print(f"Ran {len(compared)} comparisons with eager PyTorch, {len(wrong)} with differing bytes")
    for name, counts in wrong.items():
        print(f"FAILED {name}: {counts}")
    result = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
              "date": time.strftime("%FT%TZ", begin), "commit": arguments.commit, "compared": compared,
              "cpu_differing": compare_cpu(), **time_all(not arguments.without_compile)}
    print(markdown(result))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")
    if arguments.markdown:
        with open(arguments.markdown, "w", encoding="utf-8") as file:
            file.write(markdown(result))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
