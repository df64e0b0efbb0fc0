#!/usr/bin/env python3
"""Fine-tunes a 4-bit Llama with LoRA, without qfuse and with it: the bits, the time and the memory of each.

    finetune.py                               # a tiny model: on a CPU in half a minute
    finetune.py --size 8b --tokens 1024       # layers as wide as Llama-3.1-8B's, for a GPU
    finetune.py --size 8b --graph             # a step is a CUDA graph: the GPU's time, and not the host's
    finetune.py --size 8b --graph --nondeterministic    # the same by the kernels that people train with
    finetune.py --text README.md docs/*.md --steps 200 --rounds 1 --json losses.json

What it does, without a network:

  1. It makes a Llama with random weights. transformers quantizes it to NF4 with double quantization, saves it, and
     loads it back: the kind of base that QLoRA starts from.
  2. peft adds LoRA to every linear layer.
  3. It trains the adapter several times: in turns with bitsandbytes alone; inside of
     qfuse.integrations.bitsandbytes.enabled(), where qfuse decodes the weights; and inside of
     qfuse.integrations.peft.enabled() too, where it computes whole layers, LoRA included. Nothing else is different:
     every run starts from the same adapter and sees the same data.
  4. It compares every loss, the trained adapter and the last gradients, bit for bit: of the first two ways with each
     other, and of the third, which rounds elsewhere, with its own other runs. Of this one it prints how far its losses
     are from the first way's.

Needs torch, transformers, accelerate, peft and bitsandbytes beside qfuse. Exit status: 0 all is equal that must be, 1
something differs or qfuse computed nothing, 2 wrong usage, 130 interrupted.
"""

import argparse
import json
import math
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler, which counts the calls, need not say so
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # else cuBLAS may sum in another order in every run

import measure
import torch
import transformers
from llamas import SIZES, Size
from peft import LoraConfig, get_peft_model
from torch import Tensor
from transformers import AttentionInterface, AutoModelForCausalLM, BitsAndBytesConfig, LlamaConfig, LlamaForCausalLM
from transformers.integrations.sdpa_attention import sdpa_attention_forward

import qfuse.integrations.bitsandbytes
import qfuse.integrations.peft

SEED = 1
WARM_UP = 3  # steps at the start of each run that are compared, but not timed; in the last, calls are counted
UNMASKED = "sdpa_without_mask"  # the attention's name
SLOWEST = 16  # kernels that the figures name


class Way(NamedTuple):
    """How a run computes the layers."""

    label: str
    integrations: tuple[Any, ...]  # that are enabled
    computes: tuple[str, ...]  # the ops of qfuse's of which one at least must have been called
    same_bits_as: str  # the label of the way whose first run has the bits that this one must have


DECODE, MULTIPLY = "qfuse::dequantize_4bit", "qfuse::matmul_4bit"
WAYS = (
    Way("bitsandbytes", (), (), "bitsandbytes"),
    Way("qfuse decodes", (qfuse.integrations.bitsandbytes,), (DECODE,), "bitsandbytes"),
    Way(
        "qfuse, LoRA too",
        (qfuse.integrations.bitsandbytes, qfuse.integrations.peft),
        (DECODE, MULTIPLY),
        "qfuse, LoRA too",
    ),
)


class Kernel(NamedTuple):
    launches: int
    ms: float  # of all of them


@dataclass
class Run:
    """What one training gave. Its tensors lie on the CPU, so that every run finds the same memory on a GPU."""

    way: Way
    losses: list[float] = field(default_factory=list)  # of every step; floats hold float32 exactly
    step_ms: list[float] = field(default_factory=list)  # of every step after the warm-up
    peak_bytes: int | None = None  # allocated on the GPU, the base included; None on a CPU
    calls: dict[str, int] = field(default_factory=dict)  # of each op of bitsandbytes and qfuse, in one step
    kernels: dict[str, Kernel] = field(default_factory=dict)  # that a GPU ran in one step, by name; of a CPU none
    reports: list[str] = field(default_factory=list)  # the integrations': what they replaced
    uncovered: dict[str, str] = field(default_factory=dict)  # layers with LoRA that are peft's own, and why
    adapter: dict[str, Tensor] = field(default_factory=dict)
    gradients: dict[str, Tensor] = field(default_factory=dict)


# ---- the model ----


def random_llama(size: Size, layers: int, device: str) -> Any:
    torch.manual_seed(SEED)
    config = LlamaConfig(
        hidden_size=size.hidden,
        intermediate_size=size.intermediate,
        vocab_size=size.vocabulary,
        num_hidden_layers=layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.kv_heads,
    )
    with torch.device(device):  # a CPU takes long to draw a billion random numbers
        return LlamaForCausalLM(config).to(torch.bfloat16)


def make_base(size: Size, layers: int, device: str, folder: Path) -> None:
    """Writes folder/base, a checkpoint as transformers saves it with bitsandbytes."""
    nf4 = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
    with tempfile.TemporaryDirectory(dir=folder) as unquantized:
        random_llama(size, layers, device).save_pretrained(unquantized)
        load(unquantized, device, quantization_config=nf4).save_pretrained(folder / "base")


def load(path: str | Path, device: str, **options: Any) -> Any:
    """With transformers' own attention, sdpa, under a name for which it makes no mask.

    For sdpa it waits in every step for the GPU to say that no sequence is packed. While a graph is captured it cannot
    ask, and makes a mask, with which attention takes other kernels.
    """
    AttentionInterface.register(UNMASKED, sdpa_attention_forward)
    return AutoModelForCausalLM.from_pretrained(
        path, device_map=device, dtype=torch.bfloat16, attn_implementation=UNMASKED, **options
    )


def add_lora(model: Any, rank: int, gradient_checkpointing: bool) -> Any:
    model.config.use_cache = False
    if gradient_checkpointing:
        # No layer draws random numbers, whose state could not be put back while a graph is captured.
        how = {"use_reentrant": False, "preserve_rng_state": False}
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=how)
    torch.manual_seed(SEED)
    lora = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM")
    return get_peft_model(model, lora).train()  # in eval mode, bitsandbytes repacks weights on some CPUs


def trainable(model: Any) -> dict[str, torch.nn.Parameter]:
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}


# ---- training ----


def read_text(paths: list[Path]) -> Tensor:
    """A token for each byte."""
    return torch.frombuffer(bytearray(b"".join(path.read_bytes() for path in paths)), dtype=torch.uint8).long()


def make_data(steps: int, batch: int, tokens: int, device: str, text: Tensor | None) -> list[Tensor]:
    """For each step, token ids [batch, tokens]: pieces of a text, or sequences that count round a circle of 64, each
    with its stride."""
    generator = torch.Generator().manual_seed(SEED)
    if text is not None:
        begins = torch.randint(len(text) - tokens + 1, (steps, batch, 1), generator=generator)
        return list(text[begins + torch.arange(tokens)].to(device))
    starts = [torch.randint(1, 64, (2, batch, 1), generator=generator) for _ in range(steps)]
    return [((first + stride * torch.arange(tokens)) % 64).to(device) for first, stride in starts]


def train_step(model: Any, optimizer: torch.optim.Optimizer, autocast: bool, tokens: Tensor) -> Tensor:
    """The loss. The gradients stay until the next step. Nothing in it may wait for a GPU."""
    optimizer.zero_grad()
    # A step casts each weight once, and a graph must not find what was cast before it.
    with torch.autocast(tokens.device.type, torch.bfloat16, enabled=autocast, cache_enabled=False):
        loss: Tensor = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    return loss.detach()


def capture(step: Callable[[Tensor], Tensor], tokens: Tensor) -> Callable[[Tensor], Tensor]:
    """The step as one CUDA graph, which is not run yet, for tokens of the same shape.

    Its loss and the gradients lie in the graph's memory: the next step overwrites them.
    """
    given = tokens.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.current_stream()):
        loss = step(given)

    def replay(tokens: Tensor) -> Tensor:
        given.copy_(tokens)
        graph.replay()
        return loss

    return replay


def train(model: Any, start: dict[str, Tensor], data: list[Tensor], arguments: argparse.Namespace, run: Run) -> None:
    """Trains the adapter from `start` and fills in `run`."""
    device = arguments.device
    parameters = trainable(model)
    for name, parameter in parameters.items():
        parameter.data.copy_(start[name])
        parameter.grad = None
    on_gpu = device == "cuda"
    optimizer = torch.optim.AdamW(parameters.values(), lr=1e-3, fused=on_gpu, capturable=arguments.graph)
    step: Callable[[Tensor], Tensor] = partial(train_step, model, optimizer, not arguments.no_autocast)
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    for number, tokens in enumerate(data):
        if arguments.graph and number == WARM_UP:
            optimizer.zero_grad()  # so that the graph has gradients of its own, in its memory
            step = capture(step, tokens)
        begin = measure.now(device)
        with count_calls(run, device) if number == WARM_UP - 1 else nullcontext():
            loss = step(tokens)
        if number >= WARM_UP:
            run.step_ms.append((measure.now(device) - begin) * 1e3)
        run.losses.append(loss.item())
    run.peak_bytes = torch.cuda.max_memory_allocated() if on_gpu else None
    run.adapter = {name: parameter.detach().to("cpu", copy=True) for name, parameter in parameters.items()}
    gradients = {name: parameter.grad for name, parameter in parameters.items() if parameter.grad is not None}
    run.gradients = {name: gradient.to("cpu", copy=True) for name, gradient in gradients.items()}


def side_stream(graph: bool) -> AbstractContextManager[Any]:
    """Where graphs can be captured, which the default stream is not. All runs share it, and with it the memory that
    cuBLAS keeps for a stream."""
    if not graph:
        return nullcontext()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())  # which has made the model
    return torch.cuda.stream(stream)


@contextmanager
def count_calls(run: Run, device: str) -> Iterator[None]:
    """Counts by name, whoever calls: a dispatch mode would not see the ops that another op calls."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    # acc_events, or some versions warn of a second use that never comes.
    with torch.profiler.profile(activities=activities, acc_events=True) as profile:
        yield
    for event in profile.key_averages():
        if event.key.startswith(("bitsandbytes::", "qfuse::")):
            run.calls[event.key] = event.count
    for event in profile.events():
        is_kernel = event.device_type.name == "CUDA" and not event.is_user_annotation
        if is_kernel and not event.name.startswith(("Memcpy", "Memset")):
            launches, ms = run.kernels.get(event.name, Kernel(0, 0.0))
            run.kernels[event.name] = Kernel(launches + 1, ms + event.time_range.elapsed_us() / 1e3)


def train_in_turns(model: Any, arguments: argparse.Namespace) -> list[Run]:
    text = read_text(arguments.text) if arguments.text else None
    data = make_data(WARM_UP + arguments.steps, arguments.batch, arguments.tokens, arguments.device, text)
    start = {name: parameter.detach().clone() for name, parameter in trainable(model).items()}
    runs = [Run(way) for _ in range(arguments.rounds) for way in WAYS]
    for number, run in enumerate(runs, 1):
        print(f"Run {number} of {len(runs)}, {run.way.label}: ", end="", flush=True)
        begin = time.perf_counter()
        with ExitStack() as stack:
            run.reports = [str(stack.enter_context(module.enabled())) for module in run.way.integrations]
            if qfuse.integrations.peft in run.way.integrations:
                run.uncovered = qfuse.integrations.peft.uncovered(model)
            train(model, start, data, arguments, run)
        print(f"{len(data)} steps in {time.perf_counter() - begin:.1f} s")
    return runs


# ---- comparing ----


def same_bits(a: Tensor, b: Tensor) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(a.view(torch.uint8), b.view(torch.uint8))


def count_differing(run: Run, first: Run) -> dict[str, int]:
    """How many losses differ from another run's, and how many tensors of the adapter and of its gradients."""
    return {
        "losses": sum(a != b for a, b in zip(run.losses, first.losses, strict=True)),
        "adapter weights": sum(not same_bits(run.adapter[name], first.adapter[name]) for name in first.adapter),
        "gradients": sum(not same_bits(run.gradients[name], first.gradients[name]) for name in first.gradients),
    }


def model_of(run: Run, runs: list[Run]) -> int:
    """The number, from 0, of the run whose bits this one must have."""
    return next(number for number, other in enumerate(runs) if other.way.label == run.way.same_bits_as)


def find_faults(runs: list[Run], deterministic: bool) -> list[str]:
    """A line for whatever is not as it must be."""
    faults = []
    if not all(math.isfinite(loss) for run in runs for loss in run.losses):
        faults.append("A loss is not finite, so that equality says nothing")
    for number, run in enumerate(runs, 1):
        what = f"Run {number}, {run.way.label}"
        if run.way.computes and not any(run.calls.get(op) for op in run.way.computes):
            faults.append(f"{what}: qfuse computed nothing ({'; '.join(run.reports)})")
        faults += [f"{what}: {layer} is left to peft: {reason}" for layer, reason in run.uncovered.items()]
        if not deterministic:
            continue
        first = model_of(run, runs)
        faults += [
            f"{what}: {count} {which} differ from those of run {first + 1}"
            for which, count in count_differing(run, runs[first]).items()
            if count
        ]
    return faults


# ---- the report ----


def spread(step_ms: list[float]) -> list[float]:
    """The 10th, 50th and 90th percentile."""
    return torch.tensor(step_ms, dtype=torch.float64).quantile(torch.tensor([0.1, 0.5, 0.9]).double()).tolist()


def spreads(runs: list[Run]) -> list[list[float]]:
    """Of all steps of each way."""
    return [spread([ms for run in runs if run.way is way for ms in run.step_ms]) for way in WAYS]


def print_row(name: str, *values: object) -> None:
    print(f"{name:<43}" + "".join(f"{value:>24}" for value in values))


def sum_kernels(run: Run) -> Kernel:
    kernels = run.kernels.values()
    return Kernel(sum(kernel.launches for kernel in kernels), sum(kernel.ms for kernel in kernels))


def slowest(run: Run) -> dict[str, Kernel]:
    return dict(sorted(run.kernels.items(), key=lambda named: -named[1].ms)[:SLOWEST])


def distance(run: Run, first: Run) -> float:
    """The largest difference between their losses of one step."""
    return max(abs(a - b) for a, b in zip(run.losses, first.losses, strict=True))


def print_report(runs: list[Run], tokens: int) -> None:
    firsts = runs[: len(WAYS)]
    times = spreads(runs)
    print()
    print_row("", *(way.label for way in WAYS))
    steps = len(firsts[0].losses)
    for step in range(steps):
        if step < WARM_UP or step >= steps - WARM_UP:  # of many the first and the last ones
            # Nine digits tell all float32 apart.
            print_row(f"loss, step {step + 1}", *(f"{run.losses[step]:.9g}" for run in firsts))
    print_row("largest distance of a loss from the first's", *(f"{distance(run, firsts[0]):.3g}" for run in firsts))
    print_row("tokens a second", *(f"{tokens / median * 1e3:.0f}" for _, median, _ in times))
    print_row("time of a step, median", *(f"{median:.2f} ms" for _, median, _ in times))
    print_row("time of a step, p10 to p90", *(f"{p10:.2f} to {p90:.2f} ms" for p10, _, p90 in times))
    print_row(
        "peak memory on the GPU",
        *("not measured" if run.peak_bytes is None else f"{run.peak_bytes / 1e9:.3f} GB" for run in firsts),
    )
    if all(run.kernels for run in firsts):
        launches, kernel_ms = zip(*(sum_kernels(run) for run in firsts), strict=True)
        print_row("kernels on the GPU, a step", *launches)
        print_row("time of these alone", *(f"{ms:.2f} ms" for ms in kernel_ms))
    for op in sorted({op for run in firsts for op in run.calls}):
        print_row(f"{op}, a step", *(run.calls.get(op, 0) for run in firsts))
    print("\n" + "\n".join(dict.fromkeys(report for run in firsts for report in run.reports)))


def print_verdict(runs: list[Run], deterministic: bool, faults: list[str]) -> None:
    if faults:
        print("\n".join(faults))
    elif not deterministic:
        print("Bits were not compared: kernels may have added in another order each time")
    else:
        first = runs[0]
        what = f"{len(first.losses)} losses, {len(first.adapter)} adapter weights, {len(first.gradients)} gradients"
        for label in dict.fromkeys(way.same_bits_as for way in WAYS):
            same = [run.way.label for run in runs if run.way.same_bits_as == label]
            labels = " and ".join(f'"{name}"' for name in dict.fromkeys(same))
            print(f"Equal bit for bit in {len(same)} runs of {labels}: {what}")


def figures(arguments: argparse.Namespace, runs: list[Run], faults: list[str]) -> dict[str, object]:
    """All that was found, but for the tensors."""
    packages = ("qfuse", "torch", "bitsandbytes", "transformers", "peft")
    return {
        "device": measure.device_name(arguments.device),
        "date": measure.date(),
        "command": sys.argv,
        "versions": {package: sys.modules[package].__version__ for package in packages},
        "model": {**SIZES[arguments.size]._asdict(), "layers": arguments.layers},
        "batch": arguments.batch,
        "tokens": arguments.tokens,
        "rank": arguments.rank,
        "warm_up": WARM_UP,
        "gradient_checkpointing": arguments.gradient_checkpointing,
        "autocast": not arguments.no_autocast,
        "deterministic": not arguments.nondeterministic,
        "graph": arguments.graph,  # whether each step that is timed was the replay of a CUDA graph
        "text": [path.name for path in arguments.text],
        "faults": faults,
        "p10_median_p90_ms": dict(zip([way.label for way in WAYS], spreads(runs), strict=True)),
        "runs": [
            {
                "label": run.way.label,
                "reports": run.reports,
                "calls": run.calls,
                "kernels": sum_kernels(run)._asdict(),
                "slowest_kernels": {name: kernel._asdict() for name, kernel in slowest(run).items()},
                "peak_bytes": run.peak_bytes,
                "losses": run.losses,
                "step_ms": run.step_ms,
                "differing": count_differing(run, runs[model_of(run, runs)]),
                "distance": distance(run, runs[0]),
            }
            for run in runs
        ],
    }


# ---- the command ----


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    measure.add_device(parser)
    parser.add_argument(
        "--size",
        choices=SIZES,
        default="tiny",
        help="of the model: tiny, the default, or a few layers as wide as those of Llama-3.2-1B or "
        "Llama-3.1-8B, with a vocabulary cut alike",
    )
    parser.add_argument("--layers", type=measure.count, metavar="N", help="default: 2 where tiny, else 4")
    parser.add_argument("--rank", type=measure.count, default=16, metavar="N", help="of the adapter, default 16")
    parser.add_argument("--batch", type=measure.count, default=2, metavar="N", help="sequences in a step, default 2")
    parser.add_argument("--tokens", type=measure.count, default=128, metavar="N", help="in a sequence, default 128")
    parser.add_argument(
        "--steps",
        type=measure.count,
        default=10,
        metavar="N",
        help=f"to time in each run, default 10; {WARM_UP} come before them",
    )
    parser.add_argument("--rounds", type=measure.count, default=2, metavar="N", help="of a run of each way, default 2")
    parser.add_argument(
        "--text",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="to learn from, a token for each byte; default: sequences that count",
    )
    parser.add_argument(
        "--no-autocast",
        action="store_true",
        help="without torch.autocast, where peft multiplies by the adapter in float32",
    )
    parser.add_argument(
        "--gradient-checkpointing",
        action="store_true",
        help="saves memory, and computes, and so decodes, once more in every step",
    )
    parser.add_argument(
        "--graph",
        action="store_true",
        help="makes the steps that are timed replays of one CUDA graph, so that their time is the GPU's and not the "
        "host's; for a GPU",
    )
    parser.add_argument(
        "--nondeterministic",
        action="store_true",
        help="lets torch take its fastest kernels, which may add in another order each time, as it does unless it is "
        "told otherwise; no bits are compared then",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="gets all figures, each step's loss and time too")
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="a new directory that gets the 4-bit checkpoint, base, and the trained adapter, adapter",
    )
    arguments = parser.parse_args()
    measure.settle_device(parser, arguments)
    arguments.layers = arguments.layers or SIZES[arguments.size].layers
    if arguments.graph and arguments.device == "cpu":
        parser.error("--graph is for a GPU, and this run is on a CPU: leave it out, or run where torch sees a GPU")
    if arguments.keep and arguments.keep.exists():
        parser.error(f"--keep {arguments.keep} is there already")
    for path in arguments.text:
        if not path.is_file():
            parser.error(f"--text {path} is no file")
    if arguments.text and sum(path.stat().st_size for path in arguments.text) < arguments.tokens:
        parser.error(f"--text has fewer than the {arguments.tokens} bytes of a sequence")
    for path in (arguments.keep, arguments.json):
        if path and not path.absolute().parent.is_dir():
            parser.error(f"{path} cannot be made: {path.absolute().parent} is no directory")
    return arguments


@contextmanager
def workplace(keep: Path | None) -> Iterator[Path]:
    """A folder for the base: `keep`, or a temporary one. What breaks off, by Ctrl-C too, leaves neither."""
    if keep:
        keep.mkdir()
    folder = keep or Path(tempfile.mkdtemp(prefix="qfuse-finetune-"))
    whole = False
    try:
        yield folder
        whole = True
    finally:
        if not (whole and keep):
            shutil.rmtree(folder)


def main() -> int:
    arguments = parse_arguments()
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    warnings.simplefilter("ignore", FutureWarning)  # of peft and transformers about each other
    torch.use_deterministic_algorithms(not arguments.nondeterministic)
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]  # it would be timed
    size = SIZES[arguments.size]
    print(
        f"{measure.device_name(arguments.device)}: a Llama of {arguments.layers} layers {size.hidden} wide, "
        f"steps of {arguments.batch} x {arguments.tokens} tokens",
        flush=True,
    )
    with workplace(arguments.keep) as folder:
        make_base(size, arguments.layers, arguments.device, folder)
        model = add_lora(load(folder / "base", arguments.device), arguments.rank, arguments.gradient_checkpointing)
        with side_stream(arguments.graph):
            runs = train_in_turns(model, arguments)
        if arguments.keep:
            model.save_pretrained(folder / "adapter")
    faults = find_faults(runs, not arguments.nondeterministic)
    print_report(runs, arguments.batch * arguments.tokens)
    print_verdict(runs, not arguments.nondeterministic, faults)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures(arguments, runs, faults), indent=1) + "\n", encoding="utf-8")
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nInterrupted", file=sys.stderr)
        sys.exit(130)
