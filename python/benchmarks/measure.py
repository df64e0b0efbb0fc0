"""Shared by the benchmarks: arguments, clocks, CUDA graphs, statistics, and output of results."""

import argparse
import gc
import json
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

ROTATED_BYTES = 400_000_000  # bytes that a graph rotates through at least: more than the caches hold
LAUNCHES = 24  # in a graph, so that its start is negligible
WARM_UPS, REPLAYS = 3, 15
PARTS = ("median", "min", "max", "p10", "p90")  # of a spread
LIBRARIES = ("qfuse", "torch", "bitsandbytes", "transformers", "peft", "accelerate", "torchao", "unsloth")
# Environment variables that force another plan or another GPU's kernels. They are recorded.
VARIABLES = [f"QFUSE_{name}" for name in ("PLAN", "COMPUTE_CAPABILITY", "MULTIPROCESSORS", "L2_BYTES", "SHARED_BYTES")]

Run = Callable[[], Any]
Layer = TypeVar("Layer")


# ---- arguments ----


def argument_parser(description: str | None, for_gpu: bool = True) -> argparse.ArgumentParser:
    """Returns a parser of the common arguments. for_gpu: without --small, the shapes are meant for a GPU."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = "cuda" if for_gpu else "cuda where torch sees a GPU, else cpu"
    parser.add_argument(
        "--device", choices=("cuda", "cpu"), default="cuda" if for_gpu else None, help=f"default: {usual}"
    )
    if for_gpu:
        parser.add_argument("--small", action="store_true", help="small shapes, for a CPU or a quick look")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where every figure goes")
    parser.add_argument("--commit", default="", metavar="HASH", help="what is measured, noted with the figures")
    return parser


def parse(parser: argparse.ArgumentParser, argv: Sequence[str] | None = None) -> argparse.Namespace:
    arguments = parser.parse_args(argv)
    arguments.device = arguments.device or ("cuda" if torch.cuda.is_available() else "cpu")
    if arguments.device == "cuda" and not torch.cuda.is_available():
        parser.error("torch sees no GPU; --device cpu runs what needs none, with small shapes if there is --small")
    if arguments.device == "cpu" and getattr(arguments, "graph", False):
        parser.error("--graph is for a GPU, and this run is on a CPU: leave it out, or run where torch sees a GPU")
    if arguments.json and not arguments.json.absolute().parent.is_dir():
        parser.error(f"{arguments.json} cannot be made: {arguments.json.absolute().parent} is no directory")
    return arguments


def count(text: str) -> int:
    """Parses an argument that is at least 1."""
    if int(text) < 1:
        raise ValueError
    return int(text)


def counts(text: str) -> list[int]:
    """Parses several counts, separated by commas."""
    return [count(each) for each in text.split(",")]


# ---- results ----


def processor() -> str:
    """Returns the CPU's name on Linux, elsewhere only the architecture."""
    file = Path("/proc/cpuinfo")
    names = [line for line in file.read_text().splitlines() if line.startswith("model name")] if file.exists() else []
    model = names[0].partition(": ")[2] if names else platform.machine()
    return f"{model} CPU, {torch.backends.cpu.get_cpu_capability()}, {torch.get_num_threads()} threads"


def circumstances(arguments: argparse.Namespace) -> dict[str, Any]:
    """Returns the facts needed to interpret a result."""
    on_gpu = arguments.device.startswith("cuda")
    return {
        "device": torch.cuda.get_device_name() if on_gpu else processor(),
        "date": time.strftime("%FT%TZ", time.gmtime()),
        "commit": arguments.commit,
        "command": sys.argv,
        "environment": {name: os.environ[name] for name in VARIABLES if name in os.environ},
        "versions": {name: sys.modules[name].__version__ for name in LIBRARIES if name in sys.modules},
        "cuda": torch.version.cuda,
        "small": getattr(arguments, "small", False),
    }


def heading(result: dict[str, Any]) -> str:
    commit = f", commit {result['commit']}" if result["commit"] else ""
    shapes = ", small shapes" if result["small"] else ""
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    return f"{result['device']}, {versions}, {result['date'][:10]}{commit}{shapes}:"


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def finish(arguments: argparse.Namespace, result: dict[str, Any], *tables: str) -> int:
    """Prints the tables and the faults, writes the JSON file if requested, and returns the exit status."""
    faults = "\n".join(result.get("faults", []))
    print("\n\n".join(filter(None, [heading(result), *tables, faults])))
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return int(bool(faults))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def table_of(rows: Sequence[Any], columns: Mapping[str, Callable[[Any], object]]) -> str:
    """Returns a table with one line per row and one cell per column function."""
    return table(list(columns), [[str(cell(row)) for cell in columns.values()] for row in rows])


def gigabytes(size: int | None) -> str:
    return "" if size is None else f"{size / 1e9:.2f}"


# ---- comparing ----


def differing_bytes(actual: Tensor, expected: Tensor) -> int:
    """Returns the number of differing bytes. Raises if shapes or dtypes differ."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        raise AssertionError(
            f"a result is {actual.dtype} {tuple(actual.shape)}, expected {expected.dtype} {tuple(expected.shape)}"
        )
    as_bytes = (tensor.contiguous().view(torch.uint8) for tensor in (actual, expected))
    return int(torch.ne(*as_bytes).sum())


def relative_error(found: Tensor, expected: Tensor) -> float:
    """Returns the norm of the difference, relative to the norm of `expected`."""
    return float((found.double() - expected.double()).norm() / expected.double().norm())


def require(name: str, error: float, most: float) -> float:
    """Returns the error. Raises if it is larger than `most`, or NaN."""
    if not error <= most:
        raise AssertionError(f"{name}: a relative error of {error:.3g}, at most {most:.3g}")
    return error


@contextmanager
def deterministic() -> Iterator[None]:
    """Uses torch's deterministic operations and its slow attention: the backward of its other kernels adds in any
    order, even in this mode."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        with sdpa_kernel(SDPBackend.MATH):
            yield
    finally:
        torch.use_deterministic_algorithms(False)


# ---- statistics and clocks ----


def spread(values: Sequence[float]) -> dict[str, float]:
    exact = torch.tensor(values, dtype=torch.float64)
    found = exact.quantile(torch.tensor([0.5, 0.0, 1.0, 0.1, 0.9], dtype=torch.float64)).tolist()
    return dict(zip(PARTS, found, strict=True))


def text_of(times: Mapping[str, float], digits: int = 1) -> str:
    return f"{times['median']:.{digits}f} ({times['min']:.{digits}f} to {times['max']:.{digits}f})"


def synchronizer(device: str) -> Run:
    return torch.cuda.synchronize if device.startswith("cuda") else lambda: None


def now(device: str) -> float:
    """Returns the time in seconds, after a GPU has finished all its work."""
    synchronizer(device)()
    return time.perf_counter()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Disables garbage collection while a clock runs."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Stopwatch:
    """Times a run on its device in microseconds. On a GPU it uses two events, created in advance."""

    def __init__(self, device: str) -> None:
        self._events = None
        if device == "cuda":
            self._events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def microseconds(self, run: Run) -> float:
        if self._events is None:
            begun = time.perf_counter_ns()
            run()
            return (time.perf_counter_ns() - begun) / 1e3
        begin, end = self._events
        begin.record()
        run()
        end.record()
        end.synchronize()
        milliseconds: float = begin.elapsed_time(end)
        return milliseconds * 1e3


def in_turns(
    runs: Mapping[str, Run],
    device: str,
    rounds: int | None = None,
    warm_ups: int | None = None,
    around: Callable[[str], AbstractContextManager[Any]] = nullcontext,
) -> dict[str, list[float]]:
    """Returns the microseconds of each run. Every round times all runs one after the other, so that disturbances affect
    all. Enters around(name) before the clock starts."""
    untimed = WARM_UPS if warm_ups is None else warm_ups
    watch = Stopwatch(device)
    times: dict[str, list[float]] = {name: [] for name in runs}
    with undisturbed():
        for _ in range(untimed + (rounds or REPLAYS)):
            for name, run in runs.items():
                with around(name):
                    times[name].append(watch.microseconds(run))
    return {name: found[untimed:] for name, found in times.items()}


@contextmanager
def side_stream(device: str) -> Iterator[None]:
    """Runs the body on a side stream, where operations that have run before can be captured, unlike on the default."""
    if device == "cpu":
        yield
        return
    stream, usual = torch.cuda.Stream(), torch.cuda.current_stream()
    stream.wait_stream(usual)  # which has prepared the inputs
    with torch.cuda.stream(stream):
        yield
    usual.wait_stream(stream)


def captured(run: Run) -> Run:
    """Captures run(), which must have run before, as a CUDA graph. Replays return results in the same memory."""
    torch.cuda.synchronize()
    graph, current = torch.cuda.CUDAGraph(), torch.cuda.current_stream()
    own = None if current == torch.cuda.default_stream() else current
    with torch.cuda.graph(graph, stream=own):
        result = run()

    def replay() -> Any:
        graph.replay()
        return result

    return replay


def replayed_us(run: Run, calls: int, device: str) -> list[float]:
    """Returns the microseconds per call of run(), which makes `calls` calls, for each graph replay or CPU run.

    run()'s results are kept as long as the graph, so that they share no memory.
    """
    run()
    again = captured(run) if device == "cuda" else run
    return [us / calls for us in in_turns({"": again}, device)[""]]


def copies_for(size: int) -> int:
    """Returns how many copies of that size keep the caches cold for each copy's next use."""
    return min(LAUNCHES, max(2, math.ceil(ROTATED_BYTES / size)))


def time_round(way: Callable[[Layer], Any], layers: Sequence[Layer], device: str) -> dict[str, float]:
    """Returns the microseconds of way(layer), called for the layers in rotation."""
    runs = [partial(way, layers[i % len(layers)]) for i in range(LAUNCHES)]
    return spread(replayed_us(lambda: [run() for run in runs], len(runs), device))


@undisturbed()
def host_us(calls: Mapping[str, Run], device: str, rounds: int = 20, block: int = 100) -> dict[str, dict[str, float]]:
    """Returns the microseconds until a call returns, as means of blocks of calls. The GPU's queue is empty before a
    block and must not fill up during it. All calls take turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            call()
            synchronizer(device)()
            begin = time.perf_counter()
            for _ in range(block):
                call()
            times[name].append((time.perf_counter() - begin) * 1e6 / block)
    return {name: spread(blocks) for name, blocks in times.items()}


def host_table(times: Mapping[str, Mapping[str, float]]) -> str:
    return table(["a call on the host", "µs (least to most)"], [[name, text_of(t, 2)] for name, t in times.items()])
