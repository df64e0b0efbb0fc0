"""What the benchmarks share: their arguments, statistics, clocks, the count of kernels, and how results are written."""

import argparse
import gc
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

ROTATED_BYTES = 400_000_000  # what a graph goes round at least: more than the caches hold
LAUNCHES = 24  # in a graph at least: starting it is not what is timed
COPIED_BYTES, COPIES = 1_000_000_000, 4
WARM_UPS = 3
REPLAYS = 15

Run = Callable[[], Any]


def argument_parser(description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--small", action="store_true", help="small shapes, for a CPU or a quick look")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where every figure goes")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="where the tables go that are printed")
    parser.add_argument("--commit", default="", metavar="HASH", help="what is measured, noted with the figures")
    return parser


def parse(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> argparse.Namespace:
    arguments = parser.parse_args(argv)
    if arguments.device == "cuda" and not torch.cuda.is_available():
        parser.error("torch sees no GPU; --device cpu --small runs what needs none")
    return arguments


def count(text: str) -> int:
    """An argument that begins at 1."""
    if int(text) < 1:
        raise ValueError
    return int(text)


def add_device(parser: argparse.ArgumentParser) -> None:
    """For a script that runs on either; settle_device chooses."""
    parser.add_argument("--device", choices=("cpu", "cuda"), help="default: cuda where torch sees a GPU, else cpu")


def settle_device(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    arguments.device = arguments.device or ("cuda" if torch.cuda.is_available() else "cpu")
    if arguments.device == "cuda" and not torch.cuda.is_available():
        parser.error("--device cuda: torch sees no GPU")


def processor() -> str:
    """As Linux names it; elsewhere the architecture alone."""
    file = Path("/proc/cpuinfo")
    names = [line for line in file.read_text().splitlines() if line.startswith("model name")] if file.exists() else []
    model = names[0].partition(": ")[2] if names else platform.machine()
    return f"{model} CPU, {torch.backends.cpu.get_cpu_capability()}, {torch.get_num_threads()} threads"


def device_name(device: str) -> str:
    return torch.cuda.get_device_name() if device == "cuda" else processor()


def date() -> str:
    return time.strftime("%FT%TZ", time.gmtime())


def circumstances(arguments: argparse.Namespace) -> dict[str, Any]:
    """What a figure is nothing without."""
    return {
        "device": device_name(arguments.device),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "commit": arguments.commit,
        "date": date(),
        "small": arguments.small,
    }


def heading(result: dict[str, Any]) -> str:
    commit = f", commit {result['commit']}" if result["commit"] else ""
    shapes = ", small shapes" if result["small"] else ""
    return f"{result['device']}, torch {result['torch']}, {result['date'][:10]}{commit}{shapes}:"


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def finish(arguments: argparse.Namespace, result: dict[str, Any], markdown: str) -> None:
    """Prints the tables, and writes what was asked for."""
    print(markdown)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if arguments.markdown:
        arguments.markdown.write_text(markdown + "\n", encoding="utf-8")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


# ---- bits ----


def differing_bytes(actual: torch.Tensor, expected: torch.Tensor) -> int:
    """How many bytes are not the same; raises where it is not the same kind of tensor at all."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        raise AssertionError(
            f"a result is {actual.dtype} {tuple(actual.shape)}, expected {expected.dtype} {tuple(expected.shape)}"
        )
    as_bytes = (tensor.contiguous().view(torch.uint8) for tensor in (actual, expected))
    return int(torch.ne(*as_bytes).sum())


# ---- statistics and clocks ----


def spread(values: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def synchronizer(device: str) -> Run:
    return torch.cuda.synchronize if device == "cuda" else lambda: None


def now(device: str) -> float:
    """Seconds, once a GPU has done all that it was given."""
    synchronizer(device)()
    return time.perf_counter()


@contextmanager
def undisturbed() -> Iterator[None]:
    """No collection of garbage while a clock runs."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Stopwatch:
    """Microseconds of a run on its device: between two events on a GPU, whose creation is not timed."""

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


def replayed_us(run: Run, calls: int, device: str) -> list[float]:
    """Microseconds of one of the `calls` calls in run(), of each replay of them as a CUDA graph; on a CPU, of run().

    What run() returns is kept while the graph lives, so that results share no memory.
    """
    run()
    again, kept = run, None
    if device == "cuda":
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = run()
        again = graph.replay
    watch = Stopwatch(device)
    with undisturbed():
        times = [watch.microseconds(again) / calls for _ in range(WARM_UPS + REPLAYS)]
    del kept
    return times[WARM_UPS:]


def copied_bytes_per_second(device: str, small: bool) -> float:
    """What memory does in this run: bytes read and written by copies of what no cache holds."""
    size = COPIED_BYTES if not small else 1_000_000
    source, target = (torch.zeros(size, dtype=torch.uint8, device=device) for _ in range(2))
    times = replayed_us(lambda: [target.copy_(source) for _ in range(COPIES)], COPIES, device)
    return 2 * size / statistics.median(times) * 1e6


# ---- the profiler ----


@undisturbed()
def host_us(calls: Mapping[str, Run], synchronize: Run, rounds: int = 40, block: int = 50) -> dict[str, list[float]]:
    """Microseconds until a call returns, a mean of each block of them: the GPU's queue is empty before a block, and
    must not fill within. All calls take turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            call()
            synchronize()
            begin = time.perf_counter()
            for _ in range(block):
                call()
            times[name].append((time.perf_counter() - begin) * 1e6 / block)
    return times


def launches(run: Run) -> list[tuple[str, float]]:
    """Name and microseconds of each kernel, copy and fill that run() starts on the GPU, as torch.profiler saw them."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    for _ in range(2):  # the first profile of a process may miss what comes before its tracer is up
        with torch.profiler.profile(activities=activities) as profile:
            run()
            torch.cuda.synchronize()
    on_gpu = torch.autograd.DeviceType.CUDA  # type: ignore[attr-defined]
    return [(event.name, event.time_range.elapsed_us()) for event in profile.events() if event.device_type == on_gpu]
