#!/usr/bin/env python3
"""unsloth's published test for NF4 decoders: compares qfuse, unsloth's launches at that time, bitsandbytes and peft.

    python python/benchmarks/test_dequantize.py [--rounds 1000] [--json FILE] [--commit HASH]
    python python/benchmarks/test_dequantize.py --unsloth         # also today's unsloth, if it is installed
    python python/benchmarks/test_dequantize.py --device cpu --small --rounds 2      # everything that needs no GPU

First checks three MLPs of Linear4bit. Then every contender in turn decodes their matrices one by one, synchronizing
after each. The seconds of the three MLPs are added up. Last, measures the host's own time per call. Exit status 1 if a
bit differs or a product is not close.

Needs the installed package, torch and bitsandbytes. Skips other contenders that cannot be imported, and prints why.
"""

import ctypes
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import bitsandbytes
import measure
import torch
from torch import Tensor
from torch.nn.functional import silu

import qfuse

REPEATS = 5  # of all timings, contenders in turn
WARM_UPS = 2  # rounds
US, PEER, TODAY = "qfuse", "unsloth's launches", "unsloth itself"

Decode = Callable[[Any], Tensor]  # decodes a Linear4bit


# ---- the MLPs ----


class Configuration(NamedTuple):
    batch: int
    tokens: int
    hidden: int
    intermediate: int
    seed: int
    dtype: torch.dtype

    def small(self) -> "Configuration":
        """Returns matrices with 1/16 of each side: rows are still whole blocks, with several nested blocks.

        Halves the tokens. With fewer, bitsandbytes on some GPUs multiplies with a kernel that rounds in another order.
        """
        return self._replace(tokens=self.tokens // 2, hidden=self.hidden // 16, intermediate=self.intermediate // 16)

    def __str__(self) -> str:
        return f"{self.hidden} × {self.intermediate} {str(self.dtype).removeprefix('torch.')}"


CONFIGURATIONS = (
    Configuration(2, 3333, 2048, 8192, 3407, torch.float16),
    Configuration(5, 777, 1024, 4096, 3409, torch.bfloat16),
    Configuration(3, 2048, 4096, 14336, 3408, torch.bfloat16),
)


def linear_4bit(columns: int, rows: int, dtype: torch.dtype, device: str) -> Any:
    layer = bitsandbytes.nn.Linear4bit(
        columns, rows, bias=False, compute_dtype=dtype, compress_statistics=True, quant_type="nf4"
    )
    return layer.to(dtype).to(device)  # to(device) quantizes it


class MLP(torch.nn.Module):
    def __init__(self, c: Configuration, device: str) -> None:
        super().__init__()
        torch.manual_seed(c.seed)
        self.gate_proj = linear_4bit(c.hidden, c.intermediate, c.dtype, device)
        self.up_proj = linear_4bit(c.hidden, c.intermediate, c.dtype, device)
        self.down_proj = linear_4bit(c.intermediate, c.hidden, c.dtype, device)
        self.x = torch.randn(c.batch, c.tokens, c.hidden, dtype=c.dtype, device=device)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(silu(self.gate_proj(x)) * self.up_proj(x))


def decoded(mlp: MLP, decode: Decode, wait: measure.Run = lambda: None) -> tuple[Tensor, Tensor, Tensor]:
    """Decodes up, gate and down in the test's order and waits after each."""
    up = decode(mlp.up_proj)
    wait()
    gate = decode(mlp.gate_proj)
    wait()
    down = decode(mlp.down_proj)
    wait()
    return up, gate, down


def product(x: Tensor, up: Tensor, gate: Tensor, down: Tensor) -> Tensor:
    """Computes MLP.forward with decoded weights."""
    return (silu(x @ gate.t()) * (x @ up.t())) @ down.t()


# ---- the contenders ----


class Unsloth:
    """Makes the three launches of unsloth's fast_dequantize through bitsandbytes' C interface, like unsloth's host code
    at the time of the published test.

    Looks functions up once and uses the stream current at construction. The global buffer is off, as in the published
    test. Returns out.t() if the packed codes are one row.
    """

    def __init__(self, device: str) -> None:
        if device == "cpu":
            raise ValueError("its kernels are a GPU's alone")
        library = bitsandbytes.cextension.lib
        self._stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self._absmax = library.cdequantize_blockwise_fp32
        self._codes = {
            torch.float16: library.cdequantize_blockwise_fp16_nf4,
            torch.bfloat16: library.cdequantize_blockwise_bf16_nf4,
        }

    @torch.inference_mode()
    def dequantize(self, packed: Tensor, state: Any) -> Tensor:
        out = torch.empty(state.shape, dtype=state.dtype, device=packed.device)
        count, state2 = state.absmax.numel(), state.state2
        absmax = torch.empty(count, dtype=torch.float32, device=packed.device)
        at = ctypes.c_void_p(absmax.data_ptr())
        self._absmax(
            ctypes.c_void_p(state2.code.data_ptr()),
            ctypes.c_void_p(state.absmax.data_ptr()),
            ctypes.c_void_p(state2.absmax.data_ptr()),
            at,
            ctypes.c_int(state2.blocksize),
            ctypes.c_int(count),
            self._stream,
        )
        absmax += state.offset
        self._codes[state.dtype](
            ctypes.c_void_p(None),
            ctypes.c_void_p(packed.data_ptr()),
            at,
            ctypes.c_void_p(out.data_ptr()),
            ctypes.c_int(state.blocksize),
            ctypes.c_int(out.numel()),
            self._stream,
        )
        return out.t() if packed.shape[0] == 1 else out

    def __call__(self, layer: Any) -> Tensor:
        return self.dequantize(layer.weight, layer.weight.quant_state)


def decode_of_bitsandbytes(layer: Any) -> Tensor:
    decoded: Tensor = bitsandbytes.functional.dequantize_4bit(layer.weight.data, layer.weight.quant_state)
    return decoded


def make_unsloth() -> Decode:
    """Returns today's unsloth decode, one launch of its own kernel."""
    from unsloth.kernels.utils import fast_dequantize

    return lambda layer: fast_dequantize(layer.weight, layer.weight.quant_state, use_global_buffer=False)


def make_peft() -> Decode:
    from peft.utils.integrations import dequantize_module_weight

    return dequantize_module_weight


def find_contenders(device: str) -> tuple[dict[str, Decode], dict[str, str]]:
    """Returns the contenders available here, and the reasons why others are not."""
    makers: dict[str, Callable[[], Decode]] = {
        US: lambda: qfuse.dequantize_4bit,
        PEER: lambda: Unsloth(device),
        "bitsandbytes": lambda: decode_of_bitsandbytes,
        "peft": make_peft,
    }
    if "unsloth" in sys.modules:  # requested with --unsloth
        makers[TODAY] = make_unsloth
    found, missing = {}, {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except Exception as error:  # a library that cannot be imported, for any reason, is missing
            missing[name] = f"{type(error).__name__}: {error}".rstrip(".")
    return found, missing


# ---- correctness ----


def check_state(layer: Any, dtype: torch.dtype) -> None:
    """Checks what the published test asserts of each weight before decoding it."""
    state = layer.weight.quant_state
    dtypes = (state.dtype, state.absmax.dtype, state.code.dtype, state.offset.dtype)
    found = {
        "blocksize": state.blocksize,
        "nested blocksize": state.state2.blocksize,
        "dtypes": (*dtypes, state.state2.absmax.dtype, state.state2.code.dtype),
    }
    expected = {"blocksize": 64, "nested blocksize": 256, "dtypes": (dtype, torch.uint8, *[torch.float32] * 4)}
    if found != expected:
        raise AssertionError(f"the weight has {found}, the test is of {expected}")


def not_close(found: Tensor, expected: Tensor) -> str:
    """Compares a product as the published test does, with torch. Returns an error text, empty if close."""
    try:
        torch.testing.assert_close(found, expected)
    except AssertionError as error:
        return " ".join(str(error).split())
    return ""


def check(mlp: MLP, c: Configuration, contenders: dict[str, Decode]) -> list[str]:
    """Compares each contender's matrices with bitsandbytes' bit for bit, and the product with them with the MLP."""
    for layer in (mlp.gate_proj, mlp.up_proj, mlp.down_proj):
        check_state(layer, c.dtype)
    weights, y = decoded(mlp, decode_of_bitsandbytes), mlp(mlp.x)
    faults = []
    for name, decode in contenders.items():
        found = decoded(mlp, decode)
        if differing := sum(map(measure.differing_bytes, found, weights)):
            faults.append(f"{name}, {c}: {differing} differing bytes")
        if wrong := not_close(product(mlp.x, *found), y):
            faults.append(f"{name}, {c}: the product with its weights: {wrong}")
    return faults


# ---- timing ----


def seconds_of(mlp: MLP, decode: Decode, rounds: int, synchronize: measure.Run) -> float:
    for _ in range(WARM_UPS):
        decoded(mlp, decode, synchronize)
    begin = time.perf_counter()
    for _ in range(rounds):
        decoded(mlp, decode, synchronize)
    return time.perf_counter() - begin


@measure.undisturbed()
def time_published(
    mlps: list[MLP], contenders: dict[str, Decode], rounds: int, synchronize: measure.Run
) -> dict[str, Any]:
    """Returns spreads over the repeats, which take turns, of the seconds of all rounds, in total and per MLP."""
    parts: dict[str, list[list[float]]] = {name: [] for name in contenders}
    for _ in range(REPEATS):
        for name, decode in contenders.items():
            parts[name].append([seconds_of(mlp, decode, rounds, synchronize) for mlp in mlps])
    return {
        name: {
            "seconds": measure.spread(list(map(sum, repeats))),
            "parts": list(map(measure.spread, zip(*repeats, strict=True))),
        }
        for name, repeats in parts.items()
    }


def time_host(contenders: dict[str, Decode], device: str) -> dict[str, dict[str, float]]:
    """Returns microseconds until a call returns, for a weight so small that the GPU always keeps up."""
    layer = linear_4bit(64, 64, torch.bfloat16, device)
    calls = {name: partial(decode, layer) for name, decode in contenders.items()}
    return measure.host_us(calls, device)


# ---- the command ----


def published_table(result: dict[str, Any]) -> str:
    ours = result["published"][US]["seconds"]["median"]
    rows = [
        [
            name,
            measure.text_of(times["seconds"], 3),
            f"{times['seconds']['median'] / ours:.2f}",
            *(f"{part['median']:.3f}" for part in times["parts"]),
        ]
        for name, times in result["published"].items()
    ]
    seconds = f"seconds per {result['rounds']} rounds (least to most)"
    return measure.table(["", seconds, f"× {US}", *result["configurations"]], rows)


def main(argv: Sequence[str] | None = None) -> int:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--rounds", type=measure.count, default=1000)
    parser.add_argument(
        "--unsloth",
        action="store_true",
        help="import unsloth first, which patches the other libraries, and measure it too",
    )
    arguments = measure.parse(parser, argv)
    if arguments.unsloth:
        import unsloth  # noqa: F401
    device, faults = arguments.device, []
    configurations = [c.small() if arguments.small else c for c in CONFIGURATIONS]
    contenders, missing = find_contenders(device)
    mlps = []
    for c in configurations:
        measure.progress(f"checking {c}")
        mlps.append(MLP(c, device))
        with torch.no_grad():
            faults += check(mlps[-1], c, contenders)
    result = measure.circumstances(arguments) | {
        "rounds": arguments.rounds,
        "configurations": list(map(str, configurations)),
        "missing": missing,
        "faults": faults,
    }
    measure.progress(f"timing {arguments.rounds} rounds, {REPEATS} times")
    result["published"] = time_published(mlps, contenders, arguments.rounds, measure.synchronizer(device))
    result["host_us"] = time_host(contenders, device)
    without = [f"Without {name}: {reason}." for name, reason in missing.items()]
    return measure.finish(arguments, result, *without, published_table(result), measure.host_table(result["host_us"]))


if __name__ == "__main__":
    sys.exit(main())
