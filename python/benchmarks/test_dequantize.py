#!/usr/bin/env python3
"""The test that unsloth published for NF4 decoders: qfuse beside unsloth's launches, bitsandbytes and peft.

    python python/benchmarks/test_dequantize.py [--rounds 1000] [--json FILE] [--markdown FILE] [--commit HASH]
    python python/benchmarks/test_dequantize.py --unsloth         # unsloth itself takes part, where it is installed
    python python/benchmarks/test_dequantize.py --device cpu --small --rounds 2      # all that needs no GPU

Three MLPs of Linear4bit are checked; then their matrices are decoded one by one, each waited for, by all contenders in
turn, and the seconds of the three MLPs added up. Beside that: what a call takes that decodes nothing, the device's own
time, the host's own time, and how many kernels a call launches. The test's rubric comes last, with verdicts from what
was measured. The exit status is 1 where a bit differs or a product is not close.

Needs the installed package, torch and bitsandbytes; another contender that cannot be had is left out, and it says why.
"""

import copy
import ctypes
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import bitsandbytes
import measure
import torch
from measure import LAUNCHES, ROTATED_BYTES, differing_bytes, spread
from published_report import BACKENDS, PEER, TODAY, US, failures, judge, markdown, published_table
from torch import Tensor
from torch.nn.functional import silu

import qfuse
from qfuse.weight import Weight4bit, read_weight

REPEATS = 5  # of everything that is timed, in turn
WARM_UPS = 2  # rounds
PROFILED_ROUNDS = 10
HOST_CALLS, HOST_BLOCK = 2000, 100  # in blocks, so that the GPU's queue never fills

Decode = Callable[[Any], Tensor]  # of a Linear4bit


# ---- the MLPs ----


class Configuration(NamedTuple):
    batch: int
    tokens: int
    hidden: int
    intermediate: int
    seed: int
    dtype: torch.dtype

    def small(self) -> "Configuration":
        """Matrices with a sixteenth of each side: rows are still whole blocks, and there are several nested blocks.

        Of the tokens half: with fewer, bitsandbytes multiplies on some GPUs by a kernel that rounds in another order.
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
    return layer.to(dtype).to(device)  # where it is quantized


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
    """up, gate and down in the test's order, each waited for before the next."""
    up = decode(mlp.up_proj)
    wait()
    gate = decode(mlp.gate_proj)
    wait()
    down = decode(mlp.down_proj)
    wait()
    return up, gate, down


def product(x: Tensor, up: Tensor, gate: Tensor, down: Tensor) -> Tensor:
    """MLP.forward with decoded weights."""
    return (silu(x @ gate.t()) * (x @ up.t())) @ down.t()


# ---- the contenders ----


class Unsloth:
    """The three launches of unsloth's fast_dequantize, as its host code made them when it published the test: through
    bitsandbytes' C interface.

    Functions are looked up once, and the stream is the one that is current now; the global buffer is off, as in the
    published test. Returns out.t() for packed codes that lie in one row.
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
    return bitsandbytes.functional.dequantize_4bit(layer.weight.data, layer.weight.quant_state)


def make_unsloth(into_buffer: bool = False) -> Decode:
    """What unsloth does today, which is one launch of a kernel of its own."""
    from unsloth.kernels.utils import fast_dequantize

    return lambda layer: fast_dequantize(layer.weight, layer.weight.quant_state, use_global_buffer=into_buffer)


def make_peft(device: str) -> Decode:
    from peft.utils.integrations import dequantize_module_weight

    return dequantize_module_weight


# Made anew where a CUDA graph is captured, for the sake of the one that keeps a stream.
MAKERS: dict[str, Callable[[str], Decode]] = {
    US: lambda device: qfuse.dequantize_4bit,
    PEER: Unsloth,
    "bitsandbytes": lambda device: decode_of_bitsandbytes,
    "peft": make_peft,
    TODAY: lambda device: make_unsloth(),
}


def find_contenders(device: str) -> tuple[dict[str, Decode], dict[str, str]]:
    """Those that can be had here, and why the others cannot."""
    found, missing = {}, {}
    for name, make in MAKERS.items():
        if name == TODAY and "unsloth" not in sys.modules:
            continue  # it was not asked for
        try:
            found[name] = make(device)
        except Exception as error:  # whatever keeps another library from being imported is its own affair
            missing[name] = f"{type(error).__name__}: {error}".rstrip(".")
    return found, missing


# ---- correctness ----


def check_state(layer: Any, dtype: torch.dtype) -> None:
    """What the published test asserts of each weight before it decodes it."""
    state = layer.weight.quant_state
    found = {
        "dtype": state.dtype,
        "absmax": state.absmax.dtype,
        "code": state.code.dtype,
        "offset": state.offset.dtype,
        "blocksize": state.blocksize,
        "nested absmax": state.state2.absmax.dtype,
        "nested code": state.state2.code.dtype,
        "nested blocksize": state.state2.blocksize,
    }
    expected = {
        "dtype": dtype,
        "absmax": torch.uint8,
        "code": torch.float32,
        "offset": torch.float32,
        "blocksize": 64,
        "nested absmax": torch.float32,
        "nested code": torch.float32,
        "nested blocksize": 256,
    }
    if found != expected:
        raise AssertionError(f"the weight has {found}, the test is of {expected}")


def not_close(found: Tensor, expected: Tensor) -> str:
    """The published test's judgement of a product, torch's: empty, or what is wrong."""
    try:
        torch.testing.assert_close(found, expected)
    except AssertionError as error:
        return " ".join(str(error).split())
    return ""


def check(mlp: MLP, c: Configuration, contenders: dict[str, Decode]) -> dict[str, Any]:
    """Each contender's matrices against bitsandbytes' own, bit for bit, and the product with them against the MLP."""
    for layer in (mlp.gate_proj, mlp.up_proj, mlp.down_proj):
        check_state(layer, c.dtype)
    weights, y = decoded(mlp, decode_of_bitsandbytes), mlp(mlp.x)
    results = {}
    for name, decode in contenders.items():
        found = decoded(mlp, decode)
        results[name] = {
            "differing_bytes": sum(map(differing_bytes, found, weights)),
            "product": not_close(product(mlp.x, *found), y),
        }
    return results


def check_compiled(mlp: MLP) -> dict[str, Any]:
    """The MLP with qfuse's decode in one compiled graph, against the same eagerly; bytes that differ.

    aot_eager runs the eager kernels, so its product has the same bits too. inductor rounds silu(gate) * up once where
    the eager kernels round twice, so of its product only the weights in it are judged.
    """

    def run(x: Tensor) -> tuple[Tensor, ...]:
        weights = decoded(mlp, qfuse.dequantize_4bit)
        return product(x, *weights), *weights

    expected = run(mlp.x)
    results: dict[str, Any] = {}
    for backend in BACKENDS:
        torch.compiler.reset()
        try:
            found = torch.compile(run, fullgraph=True, dynamic=False, backend=backend)(mlp.x)
        except Exception as error:  # no compiler here, or a break in the graph: the rubric tells them apart
            results[backend] = {"refused": f"{type(error).__name__}: {error}"[:300]}
            continue
        differing = list(map(differing_bytes, found, expected))
        results[backend] = {"product": differing[0], "weights": sum(differing[1:])}
    return results


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
    """Seconds of all rounds, and of each MLP's; of the repeats, which take turns."""
    parts: dict[str, list[list[float]]] = {name: [] for name in contenders}
    for _ in range(REPEATS):
        for name, decode in contenders.items():
            parts[name].append([seconds_of(mlp, decode, rounds, synchronize) for mlp in mlps])
    return {
        name: {"seconds": spread(list(map(sum, repeats))), "parts": list(map(spread, zip(*repeats, strict=True)))}
        for name, repeats in parts.items()
    }


def weight_of_nothing(device: str) -> Weight4bit:
    codes, numbers = (torch.empty(0, dtype=dtype, device=device) for dtype in (torch.uint8, torch.float32))
    nested_map, offset = torch.zeros(256, device=device), torch.zeros((), device=device)
    return Weight4bit((codes, codes, numbers, nested_map, offset), (0, 64), torch.bfloat16)


@measure.undisturbed()
def time_floors(device: str, calls: int, synchronize: measure.Run) -> dict[str, Any]:
    """Microseconds of a call that decodes nothing, with the synchronization after it: two ops on no element, which
    launch nothing, torch's and qfuse's, and a kernel that does nothing."""
    ways = {
        "an empty op": partial(torch.empty(0, device=device).add_, 1),
        "a decode of no elements": partial(qfuse.dequantize_4bit, weight_of_nothing(device)),
    }
    if device == "cuda":
        ways["an empty kernel"] = partial(torch.cuda._sleep, 0)
    floors: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(REPEATS):
        for name, call in ways.items():
            begin = time.perf_counter()
            for _ in range(calls):
                call()
                synchronize()
            floors[name].append((time.perf_counter() - begin) * 1e6 / calls)
    return {name: spread(times) for name, times in floors.items()}


def time_device(layer: Any, contenders: dict[str, Decode], rotated: int, device: str) -> dict[str, Any]:
    """Microseconds to decode a matrix, cold: a CUDA graph that goes round copies of `rotated` bytes in all."""
    weight = read_weight(layer)
    layers = [copy.deepcopy(layer) for _ in range(max(2, -(-rotated // (weight.packed.numel() * 5))))]
    layers *= -(-LAUNCHES // len(layers))

    def run(name: str) -> list[Tensor]:
        decode = MAKERS[name](device)
        return [decode(one) for one in layers]

    return {name: spread(measure.replayed_us(partial(run, name), len(layers), device)) for name in contenders}


def profile(mlp: MLP, contenders: dict[str, Decode], synchronize: measure.Run) -> dict[str, Any]:
    """What a call launches in the test itself, and the microseconds of that: counted by torch's profiler."""
    results = {}
    for name, decode in contenders.items():

        def rounds(decode: Decode = decode) -> None:
            for _ in range(PROFILED_ROUNDS):
                decoded(mlp, decode, synchronize)

        seen, calls = measure.launches(rounds), 3 * PROFILED_ROUNDS
        results[name] = {
            "launches": len(seen) / calls,
            "us": sum(us for _, us in seen) / calls,
            "kernels": sorted({kernel for kernel, _ in seen}),
        }
    return results


def time_host(contenders: dict[str, Decode], device: str, synchronize: measure.Run) -> dict[str, Any]:
    """Microseconds until a call returns, of a weight so small that the GPU is never behind."""
    layer = linear_4bit(64, 64, torch.bfloat16, device)
    weight = read_weight(layer)
    out = torch.empty(weight.shape, dtype=weight.dtype, device=device)
    nothing = weight_of_nothing(device)
    op = torch.ops.qfuse.dequantize_4bit
    calls = {
        "torch.ops.qfuse.dequantize_4bit.out": partial(op.out, *weight, out=out),
        "the same of no elements, which launches nothing": partial(op.out, *nothing, out=out[:0]),
        "torch.ops.qfuse.dequantize_4bit, which allocates its result": partial(op.default, *weight),
        "qfuse.ops.dequantize_4bit, past the dispatcher": partial(qfuse.ops.dequantize_4bit, *weight),
        **{name: partial(decode, layer) for name, decode in contenders.items()},
    }
    if device == "cuda":
        calls["torch.cuda._sleep(0), which only launches"] = partial(torch.cuda._sleep, 0)
    if TODAY in contenders:
        calls[f"{TODAY}, into the buffer that its next call overwrites"] = partial(make_unsloth(True), layer)
    times = measure.host_us(calls, synchronize, HOST_CALLS // HOST_BLOCK, HOST_BLOCK)
    return {name: spread(blocks) for name, blocks in times.items()}


# ---- main ----


def versions() -> dict[str, str]:
    found = {"bitsandbytes": bitsandbytes.__version__}
    return found | {name: sys.modules[name].__version__ for name in ("peft", "unsloth") if name in sys.modules}


def l2_bytes(device: str) -> int:
    """0 for a CPU, which no kernel here asks."""
    return torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size if device == "cuda" else 0


def run(arguments: Any) -> dict[str, Any]:
    device, synchronize = arguments.device, measure.synchronizer(arguments.device)
    configurations = [c.small() if arguments.small else c for c in CONFIGURATIONS]
    contenders, missing = find_contenders(device)
    calls = 9 * arguments.rounds
    measure.progress(f"the floors, {calls} calls each")
    result = measure.circumstances(arguments) | {
        "rounds": arguments.rounds,
        "configurations": list(map(str, configurations)),
        "peers": versions(),
        "missing": missing,
        "l2_bytes": l2_bytes(device),
        "floors_us": time_floors(device, calls, synchronize),
        "checks": [],
        "compiled": [],
    }
    mlps = []
    for c in configurations:
        measure.progress(f"checking {c}")
        mlps.append(MLP(c, device))
        with torch.no_grad():
            result["checks"].append({"configuration": str(c), "contenders": check(mlps[-1], c, contenders)})
            result["compiled"].append(check_compiled(mlps[-1]))
    measure.progress(f"timing {arguments.rounds} rounds, {REPEATS} times")
    result["published"] = time_published(mlps, contenders, arguments.rounds, synchronize)
    measure.progress(published_table(result) + "\ntiming the host and the device alone")
    result["host_us"] = time_host(contenders, device, synchronize)
    rotated = 0 if arguments.small else ROTATED_BYTES
    result["device_us"] = [time_device(mlp.gate_proj, contenders, rotated, device) for mlp in mlps]
    result["profiles"] = [profile(mlp, contenders, synchronize) for mlp in mlps] if device == "cuda" else []
    result["rubric"] = judge(result)
    return result


def main(argv: Sequence[str] | None = None) -> int:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument(
        "--unsloth",
        action="store_true",
        help="import unsloth first, which patches the other libraries, and measure it too",
    )
    arguments = measure.parse(parser, argv)
    if arguments.unsloth:
        import unsloth  # noqa: F401
    result = run(arguments)
    measure.finish(arguments, result, markdown(result))
    wrong = failures(result)
    compared = sum(len(one["contenders"]) for one in result["checks"])
    print(f"Ran {compared} comparisons of three matrices and a product, {len(wrong)} failures")
    for failure in wrong:
        print(f"FAILED {failure}")
    return 1 if wrong else 0


def test_small() -> None:
    """For pytest."""
    assert main(["--small", "--rounds", "3", "--device", "cuda" if torch.cuda.is_available() else "cpu"]) == 0


if __name__ == "__main__":
    sys.exit(main())
