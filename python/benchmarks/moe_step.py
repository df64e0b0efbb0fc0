"""QLoRA of a MoE model, one training step: bf16 stacks, stacks decoded in every pass, and qfuse's products.

    python python/benchmarks/moe_step.py --graph --json moe-step.json
    python python/benchmarks/moe_step.py --generate --json moe-generate.json
    python python/benchmarks/moe_step.py --model gpt-oss-20b --weights mxfp4 --graph --json moe-step-gpt-oss.json
    python python/benchmarks/moe_step.py --device cpu --small

The model has a few layers with the shapes of Qwen3-30B-A3B, or of gpt-oss without biases and clamps, and a
vocabulary reduced in proportion. Its random weights are the same in all ways; the 4 bits are NF4 or what --weights
says. Everything but the experts is frozen in bf16. Each expert has an adapter of rank 16 over its gate and up, and one
over its down. A step has one sequence, with checkpointed activations. bf16 multiplies by torch._grouped_mm; decode does
too, after decoding the stack for each product; qfuse is matmul_4bit_grouped_lora in its default order. If unsloth_zoo
is installed, "unsloth" multiplies by MXFP4 experts with its kernels, and by the adapters as bf16 does.

Before timing, it runs a few steps with torch's deterministic operations. These must be equal bit for bit: the losses of
bf16 and decode; those of two runs of qfuse under set_batch_invariant(True); and the first loss of qfuse, when B is
still zero, and of qfuse.matmul_4bit_lora expert by expert in the plain order. qfuse and decode round the adapter's sums
in different places, so their losses may differ by 1 %; unsloth's from decode's, too.

--graph also times steps as a CUDA graph, and tokens/s are then those of the graph. Peak memory is that of a step
without a graph. Adapters are counted with gradients and AdamW's state.

--generate instead times one token of each of 1, 8 or 64 sequences through the layers only, without adapters, in a CUDA
graph. The time of all layers is scaled from those measured by their number. The error from bf16 is printed but not
checked, because a router may choose another expert.

Exit status: 0 if all that must be equal is equal, 1 if not.
"""

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # otherwise cuBLAS may sum in another order in every run

import measure
import mixtures
import mxfp4_of_unsloth
import torch
from llamas import WEIGHTS, Cache
from mixtures import GENERATING, MULTIPLY, SHAPES, Model, Shape, Stack
from torch import Tensor

import qfuse

CHECKED_STEPS, WARM_UP = 4, 3
CONTEXT = 512
TRAINING = ("bf16", "decode", "qfuse")
DIFFERENCE = 0.01  # relative, of two losses


# ---- training ----


def ways_of(arguments: argparse.Namespace) -> tuple[str, ...]:
    return (*TRAINING, "unsloth") if mxfp4_of_unsloth.takes(arguments.weights, arguments.device) else TRAINING


def make(way: str, shape: Shape, arguments: argparse.Namespace) -> Model:
    kinds = ["bf16"] if way == "bf16" else ["4-bit"]
    return Model(shape, arguments.layers, arguments.device, kinds, arguments.weights).multiplying(MULTIPLY[way])


def random_tokens(count: int, shape: Shape, device: str) -> Tensor:
    generator = torch.Generator().manual_seed(mixtures.SEED)
    return torch.randint(shape.vocabulary, (count,), generator=generator).to(device)


def stepper(model: Model, tokens: Tensor) -> Callable[[], Tensor]:
    """Returns a function that does a training step and returns its loss; a CUDA graph can capture it."""
    on_gpu = tokens.is_cuda
    optimizer = torch.optim.AdamW(model.adapters(), lr=1e-3, fused=on_gpu, capturable=on_gpu)

    def step() -> Tensor:
        optimizer.zero_grad()
        loss = model.loss(tokens)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


# ---- comparing ----


def first_losses(way: str, shape: Shape, tokens: Tensor, arguments: argparse.Namespace) -> list[float]:
    step = stepper(make(way, shape, arguments), tokens)
    return [step().item() for _ in range(CHECKED_STEPS)]


def compare(shape: Shape, arguments: argparse.Namespace) -> dict[str, list[float]]:
    """Returns the losses, with qfuse in its plain order for any number of rows."""
    tokens = random_tokens(arguments.tokens[0], shape, arguments.device)
    qfuse.set_batch_invariant(True)
    try:
        with measure.deterministic():
            losses = {way: first_losses(way, shape, tokens, arguments) for way in ways_of(arguments)}
            losses["qfuse, again"] = first_losses("qfuse", shape, tokens, arguments)
            with torch.no_grad():
                losses["one by one"] = [make("one by one", shape, arguments).loss(tokens).item()]
    finally:
        qfuse.set_batch_invariant(False)
    return losses


def largest_difference(losses: dict[str, list[float]], way: str = "qfuse") -> float:
    return max(abs(a - b) / abs(b) for a, b in zip(losses[way], losses["decode"], strict=True))


def find_faults(losses: dict[str, list[float]]) -> list[str]:
    pairs = [("bf16", "decode"), ("qfuse", "qfuse, again"), ("qfuse", "one by one")]
    faults = [
        f"the losses of {one} and {other} differ: {losses[one]}, {losses[other]}"
        for one, other in pairs
        if losses[one][: len(losses[other])] != losses[other]
    ]
    faults += [
        f"the losses of {way} and decode are not alike: {losses[way]}, {losses['decode']}"
        for way in ("qfuse", "unsloth")
        if way in losses and not largest_difference(losses, way) <= DIFFERENCE
    ]
    return faults


# ---- timing ----


def step_times(step: Callable[[], Any], arguments: argparse.Namespace) -> dict[str, float]:
    """Milliseconds."""
    times = []
    with measure.undisturbed():
        for _ in range(arguments.steps):
            begin = measure.now(arguments.device)
            step()
            times.append((measure.now(arguments.device) - begin) * 1e3)
    return measure.spread(times)


def time_way(way: str, count: int, shape: Shape, arguments: argparse.Namespace) -> dict[str, Any]:
    measure.progress(f"{count} tokens, {way}")
    gc.collect()  # frees the previous model, which would count as this one's memory
    model = make(way, shape, arguments)
    step = stepper(model, random_tokens(count, shape, arguments.device))
    for _ in range(WARM_UP):
        step()
    on_gpu = arguments.device == "cuda"
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    found: dict[str, Any] = {"tokens": count, "way": way, "step_ms": step_times(step, arguments)}
    found["peak_bytes"] = torch.cuda.max_memory_allocated() if on_gpu else None
    found["experts"] = {
        "weights": sum(module.stored_bytes() for module in model.modules() if isinstance(module, Stack)),
        "adapters": 4 * sum(parameter.nbytes for parameter in model.adapters()),  # with a gradient and two moments
    }
    if arguments.graph:
        model.zero_grad()  # so that the graph allocates its own gradients
        found["graph_ms"] = step_times(measure.captured(step), arguments)
    fastest = found.get("graph_ms", found["step_ms"])
    return found | {"tokens_per_second": count / fastest["median"] * 1e3}


# ---- generating ----


@torch.no_grad()
def time_generating(shape: Shape, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    device, found = arguments.device, []
    model = Model(shape, arguments.layers, device, ["4-bit", "bf16"], arguments.weights)
    position = torch.tensor([CONTEXT], device=device)
    has_factored = device == "cuda" and arguments.weights == "nf4"
    ways = [name for name in GENERATING if has_factored or "factored" not in name]
    for batch in arguments.batch:
        kept = batch, shape.kv_heads, CONTEXT + 1, shape.width
        caches = [Cache(kept, CONTEXT, device, torch.bfloat16) for _ in model.layers]
        x = model.embedding[torch.arange(batch, device=device) % shape.vocabulary]
        expected = model.multiplying(GENERATING["bf16"]).through_layers(x, position, caches)
        run = partial(model.through_layers, x, position, caches)
        for name in ways:
            measure.progress(f"{batch} sequence(s), {name}")
            model.multiplying(GENERATING[name])
            row: dict[str, Any] = {"batch": batch, "way": name, "from_bf16": measure.relative_error(run(), expected)}
            times = [us / 1e3 * shape.layers / arguments.layers for us in measure.replayed_us(run, 1, device)]
            row["token_ms"] = measure.spread(times)
            found.append(row | {"tokens_per_second": batch / row["token_ms"]["median"] * 1e3})
    return found


# ---- the command ----


TRAINING_COLUMNS: dict[str, Callable[[dict[str, Any]], object]] = {
    "tokens": lambda row: row["tokens"],
    "way": lambda row: row["way"],
    "step, ms": lambda row: measure.text_of(row["step_ms"], 2),
    "graph, ms": lambda row: measure.text_of(row["graph_ms"], 2) if "graph_ms" in row else "",
    "tokens/s": lambda row: f"{row['tokens_per_second']:.0f}",
    "peak, GB": lambda row: measure.gigabytes(row["peak_bytes"]),
    "experts: weights": lambda row: measure.gigabytes(row["experts"]["weights"]),
    "adapters": lambda row: measure.gigabytes(row["experts"]["adapters"]),
}
GENERATING_COLUMNS: dict[str, Callable[[dict[str, Any]], object]] = {
    "sequences": lambda row: row["batch"],
    "way": lambda row: row["way"],
    "ms a token, all layers": lambda row: measure.text_of(row["token_ms"], 3),
    "tokens/s": lambda row: f"{row['tokens_per_second']:.0f}",
    "from bf16": lambda row: f"{row['from_bf16']:.1e}",
}


def main(argv: Sequence[str] | None = None) -> int:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--model", choices=SHAPES, default="qwen3-30b-a3b", help="whose shape, default qwen3-30b-a3b")
    parser.add_argument("--weights", choices=WEIGHTS, default="nf4", help="the experts' 4 bits, default nf4")
    parser.add_argument("--layers", type=measure.count, default=4, metavar="N", help="default 4")
    parser.add_argument("--tokens", type=measure.count, nargs="+", metavar="N", help="of a step; default 2048 4096")
    parser.add_argument("--steps", type=measure.count, default=10, metavar="N", help="to time, default 10")
    parser.add_argument("--graph", action="store_true", help="times CUDA graphs of steps, too; for a GPU")
    parser.add_argument("--generate", action="store_true", help="times tokens in place of steps")
    parser.add_argument("--batch", type=measure.count, nargs="+", default=[1, 8, 64], metavar="N", help="to generate")
    arguments = measure.parse(parser, argv)
    arguments.tokens = arguments.tokens or ([64] if arguments.small else [2048, 4096])
    shape = SHAPES["tiny" if arguments.small else arguments.model]
    result: dict[str, Any] = measure.circumstances(arguments)
    result |= {"shape": shape._asdict() | {"size": shape.size._asdict()}, "layers": arguments.layers}
    result["weights"] = arguments.weights
    if arguments.generate:
        result["generating"] = time_generating(shape, arguments)
        return measure.finish(arguments, result, measure.table_of(result["generating"], GENERATING_COLUMNS))
    with measure.side_stream(arguments.device):
        losses = result["losses"] = compare(shape, arguments)
        result["faults"] = find_faults(losses)
        rows = result["training"] = [
            time_way(way, count, shape, arguments) for count in arguments.tokens for way in ways_of(arguments)
        ]
    difference = f"Losses of {CHECKED_STEPS} steps: qfuse is at most {largest_difference(losses):.1e} from decode."
    return measure.finish(arguments, result, difference, measure.table_of(rows, TRAINING_COLUMNS))


if __name__ == "__main__":
    sys.exit(main())
