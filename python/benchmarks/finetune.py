#!/usr/bin/env python3
"""Fine-tunes a 4-bit Llama with LoRA, with and without qfuse, and compares the bits, the time and the memory.

    finetune.py                               # a tiny model: half a minute on a CPU
    finetune.py --size 8b --tokens 1024       # layers as wide as Llama-3.1-8B's, for a GPU
    finetune.py --size 8b --graph             # each step is a CUDA graph: measures the GPU without the host
    finetune.py --size 8b --graph --nondeterministic    # the same with the kernels that people train with

transformers loads a Llama with random weights in nested NF4, and peft adds LoRA to every linear layer. The adapter is
trained in turn in three ways: with bitsandbytes only; with qfuse decoding the weights; and with qfuse computing whole
layers, LoRA included. Every run starts from the same adapter and sees the same data.

Every loss, the trained adapter and the last gradients are compared bit for bit: the first two ways with each other, and
the third, which rounds differently, with its own other runs. Also prints how far its losses are from the first way's.

Needs torch, transformers, accelerate, peft and bitsandbytes besides qfuse. Exit status: 0 all required bits are equal,
1 something differs or qfuse computed nothing, 2 wrong usage.
"""

import argparse
import math
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # silences the profiler, which counts the calls
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # else cuBLAS may sum in a different order in every run

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
WARM_UP = 3  # steps at the start of each run that are compared but not timed; calls are counted in the last
UNMASKED = "sdpa_without_mask"  # name under which the attention is registered


class Way(NamedTuple):
    """How a run computes the layers."""

    label: str
    integrations: tuple[Any, ...]  # integrations to enable
    computes: tuple[str, ...]  # qfuse ops, at least one of which must have been called
    same_bits_as: str  # label of the way whose first run must have the same bits


DECODE, MULTIPLY = "qfuse::dequantize_4bit", "qfuse::matmul_4bit"
BOTH = (qfuse.integrations.bitsandbytes, qfuse.integrations.peft)
WAYS = (
    Way("bitsandbytes", (), (), "bitsandbytes"),
    Way("qfuse decodes", BOTH[:1], (DECODE,), "bitsandbytes"),
    Way("qfuse, LoRA too", BOTH, (DECODE, MULTIPLY), "qfuse, LoRA too"),
)


@dataclass
class Run:
    """Results of one training run. The tensors are on the CPU, so that every run finds the same memory on a GPU."""

    way: Way
    losses: list[float] = field(default_factory=list)  # one per step; floats hold float32 exactly
    step_ms: list[float] = field(default_factory=list)  # one per step after the warm-up
    peak_bytes: int | None = None  # allocated on the GPU, including the base; None on a CPU
    calls: dict[str, int] = field(default_factory=dict)  # of each bitsandbytes and qfuse op, in one step
    reports: list[str] = field(default_factory=list)  # of the integrations: what they replaced
    uncovered: dict[str, str] = field(default_factory=dict)  # layers with LoRA that peft computes, and why
    adapter: dict[str, Tensor] = field(default_factory=dict)
    gradients: dict[str, Tensor] = field(default_factory=dict)


# ---- the model ----


def random_llama(size: Size, device: str) -> Any:
    torch.manual_seed(SEED)
    config = LlamaConfig(
        hidden_size=size.hidden,
        intermediate_size=size.intermediate,
        vocab_size=size.vocabulary,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.kv_heads,
    )
    with torch.device(device):  # drawing a billion random numbers is slow on a CPU
        return LlamaForCausalLM(config).to(torch.bfloat16)


def load_base(size: Size, device: str) -> Any:
    """Loads the base with transformers' sdpa attention under another name, for which transformers makes no mask.

    For sdpa, transformers waits in every step for the GPU to tell whether sequences are packed. While a graph is
    captured it cannot ask, and makes a mask, with which attention uses other kernels.
    """
    nf4 = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
    AttentionInterface.register(UNMASKED, sdpa_attention_forward)
    options: dict[str, Any] = dict(device_map=device, dtype=torch.bfloat16, attn_implementation=UNMASKED)
    with tempfile.TemporaryDirectory(prefix="qfuse-finetune-") as folder:
        random_llama(size, device).save_pretrained(folder)
        return AutoModelForCausalLM.from_pretrained(folder, quantization_config=nf4, **options)


def add_lora(model: Any, rank: int, gradient_checkpointing: bool) -> Any:
    model.config.use_cache = False
    if gradient_checkpointing:
        # Layers draw no random numbers. Their generator's state could not be restored while a graph is captured.
        how = {"use_reentrant": False, "preserve_rng_state": False}
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=how)
    torch.manual_seed(SEED)
    lora = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM")
    return get_peft_model(model, lora).train()  # in eval mode, bitsandbytes repacks weights on some CPUs


def trainable(model: Any) -> dict[str, torch.nn.Parameter]:
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}


# ---- training ----


def make_data(steps: int, batch: int, tokens: int, device: str) -> list[Tensor]:
    """Returns token ids [batch, tokens] per step: each sequence counts modulo 64 with its own start and stride."""
    generator = torch.Generator().manual_seed(SEED)
    starts = [torch.randint(1, 64, (2, batch, 1), generator=generator) for _ in range(steps)]
    return [((first + stride * torch.arange(tokens)) % 64).to(device) for first, stride in starts]


def train_step(model: Any, optimizer: torch.optim.Optimizer, autocast: bool, tokens: Tensor) -> Tensor:
    """Runs a step and returns the loss. The gradients stay until the next step. Nothing in it may wait for a GPU."""
    optimizer.zero_grad()
    # A step casts each weight only once, and a graph must not use a cast that was cached before its capture.
    with torch.autocast(tokens.device.type, torch.bfloat16, enabled=autocast, cache_enabled=False):
        loss: Tensor = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    return loss.detach()


def captured(step: Callable[[Tensor], Tensor], tokens: Tensor) -> Callable[[Tensor], Tensor]:
    """Captures the step as a CUDA graph for tokens of this shape, and returns a function that replays it.

    The loss and the gradients are in the graph's memory, and the next step overwrites them.
    """
    given = tokens.clone()
    replay = measure.captured(partial(step, given))

    def run(tokens: Tensor) -> Tensor:
        given.copy_(tokens)
        loss: Tensor = replay()
        return loss

    return run


def on_cpu(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().to("cpu", copy=True) for name, tensor in tensors.items()}


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
            optimizer.zero_grad()  # gives the graph its own gradients, in its memory
            step = captured(step, tokens)
        begin = measure.now(device)
        with count_calls(run) if number == WARM_UP - 1 else nullcontext():
            loss = step(tokens)
        if number >= WARM_UP:
            run.step_ms.append((measure.now(device) - begin) * 1e3)
        run.losses.append(loss.item())
    run.peak_bytes = torch.cuda.max_memory_allocated() if on_gpu else None
    gradients = {name: parameter.grad for name, parameter in parameters.items() if parameter.grad is not None}
    run.adapter, run.gradients = on_cpu(parameters), on_cpu(gradients)


@contextmanager
def count_calls(run: Run) -> Iterator[None]:
    """Counts op calls by name, nested ones included: a dispatch mode would not see an op that another op calls."""
    # Without acc_events, some versions warn about a second use, which never happens.
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], acc_events=True) as profile:
        yield
    for event in profile.key_averages():
        if event.key.startswith(("bitsandbytes::", "qfuse::")):
            run.calls[event.key] = event.count


def train_in_turns(model: Any, arguments: argparse.Namespace) -> list[Run]:
    data = make_data(WARM_UP + arguments.steps, arguments.batch, arguments.tokens, arguments.device)
    start = {name: parameter.detach().clone() for name, parameter in trainable(model).items()}
    runs = [Run(way) for _ in range(arguments.rounds) for way in WAYS]
    for number, run in enumerate(runs, 1):
        measure.progress(f"Run {number} of {len(runs)}, {run.way.label}")
        with ExitStack() as stack:
            run.reports = [str(stack.enter_context(module.enabled())) for module in run.way.integrations]
            if qfuse.integrations.peft in run.way.integrations:
                run.uncovered = qfuse.integrations.peft.uncovered(model)
            train(model, start, data, arguments, run)
    return runs


# ---- comparing ----


def same_bits(a: Tensor, b: Tensor) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(a.view(torch.uint8), b.view(torch.uint8))


def count_differing(run: Run, first: Run) -> dict[str, int]:
    """Counts the losses, adapter tensors and gradient tensors that differ from those of the run `first`."""
    return {
        "losses": sum(a != b for a, b in zip(run.losses, first.losses, strict=True)),
        "adapter weights": sum(not same_bits(run.adapter[name], first.adapter[name]) for name in first.adapter),
        "gradients": sum(not same_bits(run.gradients[name], first.gradients[name]) for name in first.gradients),
    }


def model_of(run: Run, runs: list[Run]) -> int:
    """Returns the index of the run whose bits this one must have."""
    return next(number for number, other in enumerate(runs) if other.way.label == run.way.same_bits_as)


def find_faults(runs: list[Run], deterministic: bool) -> list[str]:
    """Returns one line per violated requirement."""
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


def distance(run: Run, first: Run) -> float:
    """Returns the largest difference between the losses of the two runs in the same step."""
    return max(abs(a - b) for a, b in zip(run.losses, first.losses, strict=True))


# ---- the command ----


def ways_table(runs: list[Run], times: dict[str, dict[str, float]], tokens: int) -> str:
    columns: dict[str, Callable[[Run], object]] = {
        "": lambda run: run.way.label,
        "step, ms (p10 to p90)": lambda run: "{median:.2f} ({p10:.2f} to {p90:.2f})".format(**times[run.way.label]),
        "tokens/s": lambda run: f"{tokens / times[run.way.label]['median'] * 1e3:.0f}",
        "peak, GB": lambda run: measure.gigabytes(run.peak_bytes),
        "losses": lambda run: f"{run.losses[0]:.9g} to {run.losses[-1]:.9g}",  # nine digits distinguish all float32
        "largest distance of one from the first's": lambda run: f"{distance(run, runs[0]):.3g}",
    }
    return measure.table_of(runs[: len(WAYS)], columns)


def verdict(runs: list[Run], deterministic: bool) -> str:
    if not deterministic:
        return "Bits were not compared: kernels may have added in another order each time"
    first = runs[0]
    what = f"{len(first.losses)} losses, {len(first.adapter)} adapter weights, {len(first.gradients)} gradients"
    lines = []
    for label in dict.fromkeys(way.same_bits_as for way in WAYS):
        same = [run.way.label for run in runs if run.way.same_bits_as == label]
        labels = " and ".join(f'"{name}"' for name in dict.fromkeys(same))
        lines.append(f"Equal bit for bit in {len(same)} runs of {labels}: {what}")
    return "\n".join(lines)


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = measure.argument_parser(__doc__, for_gpu=False)
    parser.add_argument(
        "--size",
        choices=SIZES,
        default="tiny",
        help="of the model: tiny, the default, or a few layers as wide as those of Llama-3.2-1B or "
        "Llama-3.1-8B, with a vocabulary cut alike",
    )
    for name, default, what in (
        ("layers", None, "default: 2 where tiny, else 4"),
        ("rank", 16, "of the adapter, default 16"),
        ("batch", 2, "sequences in a step, default 2"),
        ("tokens", 128, "in a sequence, default 128"),
        ("steps", 10, f"to time in each run, default 10; {WARM_UP} come before them"),
        ("rounds", 2, "of a run of each way, default 2"),
    ):
        parser.add_argument(f"--{name}", type=measure.count, default=default, metavar="N", help=what)
    for name, what in (
        ("no-autocast", "without torch.autocast, where peft multiplies by the adapter in float32"),
        ("gradient-checkpointing", "saves memory, and computes, and so decodes, once more in every step"),
        ("graph", "makes the steps that are timed replays of one CUDA graph: the GPU's time, and not the host's"),
        (
            "nondeterministic",
            "lets torch take its fastest kernels, which may add in another order each time, as it "
            "does unless it is told otherwise; no bits are compared then",
        ),
    ):
        parser.add_argument(f"--{name}", action="store_true", help=what)
    return measure.parse(parser, argv)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    deterministic = not arguments.nondeterministic
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    warnings.simplefilter("ignore", FutureWarning)  # peft and transformers warn about each other
    torch.use_deterministic_algorithms(deterministic)
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]  # would be timed
    size = SIZES[arguments.size]
    size = size._replace(layers=arguments.layers or size.layers)
    model = add_lora(load_base(size, arguments.device), arguments.rank, arguments.gradient_checkpointing)
    # All runs share a stream, so that they share the memory that cuBLAS keeps per stream.
    with measure.side_stream(arguments.device) if arguments.graph else nullcontext():
        runs = train_in_turns(model, arguments)
    times = {way.label: measure.spread([ms for run in runs if run.way is way for ms in run.step_ms]) for way in WAYS}
    options = ("batch", "tokens", "rank", "gradient_checkpointing", "no_autocast", "nondeterministic", "graph")
    result = measure.circumstances(arguments) | {name: getattr(arguments, name) for name in options}
    result |= {
        "model": size._asdict(),
        "warm_up": WARM_UP,
        "faults": find_faults(runs, deterministic),
        "step_ms": times,
        "runs": [
            {
                "label": run.way.label,
                "reports": run.reports,
                "calls": run.calls,
                "peak_bytes": run.peak_bytes,
                "losses": run.losses,
                "step_ms": run.step_ms,
                "differing": count_differing(run, runs[model_of(run, runs)]),
                "distance": distance(run, runs[0]),
            }
            for run in runs
        ],
    }
    said = "" if result["faults"] else verdict(runs, deterministic)
    return measure.finish(arguments, result, ways_table(runs, times, arguments.batch * arguments.tokens), said)


if __name__ == "__main__":
    sys.exit(main())
