"""QLoRA of a mixture of experts, a step of training: bf16 stacks, stacks decoded in every pass, and qfuse's products.

    python python/benchmarks/moe_step.py --graph --json moe-step.json
    python python/benchmarks/moe_step.py --generate --json moe-generate.json
    python python/benchmarks/moe_step.py --device cpu --small

A few layers shaped as those of Qwen3-30B-A3B, and its vocabulary cut alike, with random weights, the same in all ways.
Attention, router, embedding and head are frozen in bf16; each expert has an adapter of rank 16 over its gate and up,
and over its down. A step is of one sequence, with checkpointed activations: forward, the same again, backward, AdamW.

  bf16     torch._grouped_mm on stacks in bf16, the adapter's two products likewise, and their sum rounded
  decode   the same, but that a stack is decoded from its codes whenever a product needs it: forward, and again in the
           recomputed forward, which keeps it for the gradient
  qfuse    qfuse.matmul_4bit_grouped_lora, in its default order

Before the clock, a few steps by torch's deterministic operations. Of these must be equal bit for bit: the losses of
bf16 and decode, since the codes decode to those stacks; of two runs of qfuse under set_batch_invariant(True); and the
first loss of qfuse, when B is still zero, and of qfuse.matmul_4bit_lora expert by expert in the plain order. Between
qfuse and decode, which round the adapter's sums elsewhere, the largest relative difference of losses is told, and each
layer's results with an adapter that is not zero may be twice as far from float64 as those of decode.

--graph times steps as a CUDA graph, too: the GPU's time, and not the host's; tokens/s are then of that. Peak memory is
that of a step without a graph; of the experts, what their weights take, their adapters with gradients and AdamW's
state, and what one layer's experts need beside that, forward and backward.

--generate instead times a token of each of 1, 8 or 64 sequences through the layers alone, without adapters, in a CUDA
graph: in bf16, and in qfuse's orders for few rows. The time of 48 layers is that of those measured, times 48 over their
number; the roof is that of a copy of as many bytes as a step has to touch, times the same. How far the results are from
those in bf16 is told and not judged: a router may choose another expert.

Exit status: 0 all is equal that must be, 1 it is not.
"""

import argparse
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # else cuBLAS may sum in another order in every run

import measure
import mixtures
import torch
from llamas import Cache
from measure import table
from moe_model import GENERATING, MULTIPLY, QWEN3, TINY, Experts, Model, Shape, Stack, exact, touched_bytes
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

import qfuse

CHECKED_STEPS, WARM_UP = 4, 3
LAYERS_IN_ALL, CONTEXT = 48, 512
TRAINING = ("bf16", "decode", "qfuse")


# ---- training ----


def make(way: str, shape: Shape, arguments: argparse.Namespace) -> Model:
    kinds = ["bf16"] if way == "bf16" else ["4-bit"]
    return Model(shape, arguments.layers, arguments.device, kinds).multiplying(MULTIPLY[way])


def random_tokens(count: int, shape: Shape, device: str) -> Tensor:
    generator = torch.Generator().manual_seed(mixtures.SEED)
    return torch.randint(shape.vocabulary, (count,), generator=generator).to(device)


def stepper(model: Model, tokens: Tensor) -> Callable[[], Tensor]:
    """A step of training, which gives its loss; a graph can have it, too."""
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


@contextmanager
def deterministic() -> Iterator[None]:
    """And in qfuse's plain order, whatever the number of rows. Attention is torch's slow one: others are not so."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    qfuse.set_batch_invariant(True)
    try:
        with sdpa_kernel(SDPBackend.MATH):
            yield
    finally:
        torch.use_deterministic_algorithms(False)
        qfuse.set_batch_invariant(False)


def first_losses(way: str, shape: Shape, tokens: Tensor, arguments: argparse.Namespace) -> list[float]:
    step = stepper(make(way, shape, arguments), tokens)
    return [step().item() for _ in range(CHECKED_STEPS)]


def relative_errors(layer: Stack, x: Tensor, ends: Tensor) -> dict[str, float]:
    expected = exact(x, layer, ends)
    results = {way: MULTIPLY[way](x, layer, ends).double() for way in ("decode", "qfuse")}
    return {way: float((found - expected).norm() / expected.norm()) for way, found in results.items()}


@torch.no_grad()
def errors_of_layers(model: Model, tokens: int) -> list[dict[str, Any]]:
    """Of random rows, through adapters that count."""
    found = []
    for number, experts in enumerate(model.experts()):
        x = torch.randn(tokens, experts.size.hidden, device=model.embedding.device).bfloat16()
        order, _, ends = experts.route(x)
        counts = mixtures.counts_of(ends)
        for name in ("gate_up", "down"):
            layer: Stack = getattr(experts, name)
            layer.lora_b.normal_(std=0.1)
            rows = torch.randn(len(order), layer.lora_a.shape[-1], device=x.device).bfloat16()
            errors = relative_errors(layer, rows, ends)
            found.append({"layer": number, "stack": name, "largest": max(counts), "errors": errors})
    return found


def compare(shape: Shape, arguments: argparse.Namespace) -> dict[str, Any]:
    tokens = random_tokens(arguments.tokens[0], shape, arguments.device)
    with deterministic():
        losses = {way: first_losses(way, shape, tokens, arguments) for way in TRAINING}
        losses["qfuse, again"] = first_losses("qfuse", shape, tokens, arguments)
        model = make("one by one", shape, arguments)
        with torch.no_grad():
            losses["one by one"] = [model.loss(tokens).item()]
        return {"losses": losses, "layers": errors_of_layers(model, len(tokens))}


def largest_difference(losses: dict[str, list[float]]) -> float:
    return max(abs(a - b) / abs(b) for a, b in zip(losses["qfuse"], losses["decode"], strict=True))


def find_faults(compared: dict[str, Any]) -> list[str]:
    losses = compared["losses"]
    pairs = [("bf16", "decode"), ("qfuse", "qfuse, again"), ("qfuse", "one by one")]
    faults = [
        f"the losses of {one} and {other} differ: {losses[one]}, {losses[other]}"
        for one, other in pairs
        if losses[one][: len(losses[other])] != losses[other]
    ]
    for found in compared["layers"]:
        errors = found["errors"]
        if not errors["qfuse"] <= 2 * errors["decode"]:
            faults.append(f"{found['stack']} of layer {found['layer']} has the errors {errors}")
    return faults


# ---- timing ----


def captured(step: Callable[[], Tensor]) -> Callable[[], None]:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.current_stream()):
        step()
    return graph.replay


def step_times(step: Callable[[], Any], arguments: argparse.Namespace) -> dict[str, float]:
    """Milliseconds."""
    times = []
    with measure.undisturbed():
        for _ in range(arguments.steps):
            begin = measure.now(arguments.device)
            step()
            times.append((measure.now(arguments.device) - begin) * 1e3)
    return measure.spread(times)


def working_bytes(experts: Experts, tokens: int) -> int:
    """What a layer's experts take beside what lies there, forward and backward, gradients of its adapters included."""
    x = torch.randn(tokens, experts.size.hidden, device="cuda").bfloat16().requires_grad_()
    for parameter in experts.parameters():
        parameter.grad = None
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    y = experts(x)
    y.backward(torch.ones_like(y))
    return torch.cuda.max_memory_allocated() - before


def time_way(way: str, count: int, shape: Shape, arguments: argparse.Namespace) -> dict[str, Any]:
    measure.progress(f"{count} tokens, {way}")
    gc.collect()  # the model before, which would count as this one's memory
    model = make(way, shape, arguments)
    step = stepper(model, random_tokens(count, shape, arguments.device))
    for _ in range(WARM_UP):
        step()
    on_gpu = arguments.device == "cuda"
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    found: dict[str, Any] = {"tokens": count, "way": way, "step_ms": step_times(step, arguments)}
    stacks = [module for module in model.modules() if isinstance(module, Stack)]
    found["experts"] = {
        "weights": sum(stack.stored_bytes(way == "bf16") for stack in stacks),
        "adapters": 4 * sum(parameter.nbytes for parameter in model.adapters()),  # a gradient and two moments
    }
    if on_gpu:
        found["peak_bytes"] = torch.cuda.max_memory_allocated()
        found["experts"]["working"] = working_bytes(model.experts()[0], count)
    if arguments.graph:
        model.zero_grad()  # so that the graph has gradients of its own, in its memory
        found["graph_ms"] = step_times(captured(step), arguments)
    fastest = found.get("graph_ms", found["step_ms"])
    return found | {"tokens_per_second": count / fastest["median"] * 1e3}


@contextmanager
def side_stream(device: str) -> Iterator[None]:
    """Where graphs can be captured, which the default stream is not."""
    if device == "cpu":
        yield
        return
    with torch.cuda.stream(torch.cuda.Stream()):
        yield


# ---- generating ----


@torch.no_grad()
def time_generating(shape: Shape, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    device, found = arguments.device, []
    model = Model(shape, arguments.layers, device, ["4-bit", "bf16"])
    position = torch.tensor([CONTEXT], device=device)
    ways = [name for name in GENERATING if device == "cuda" or "factored" not in name]
    bytes_per_second = measure.copied_bytes_per_second(device, arguments.small)
    for batch in arguments.batch:
        kept = batch, shape.kv_heads, CONTEXT + 1, shape.width
        caches = [Cache(kept, CONTEXT, device, torch.bfloat16) for _ in model.layers]
        x = model.embedding[torch.arange(batch, device=device) % shape.vocabulary]
        expected = model.multiplying(GENERATING["bf16"]).through_layers(x, position, caches).float()
        run = partial(model.through_layers, x, position, caches)
        for name in ways:
            measure.progress(f"{batch} sequence(s), {name}")
            touched = touched_bytes(model, name, run, caches)
            distance = float((run().float() - expected).norm() / expected.norm())
            times = [us / 1e3 * LAYERS_IN_ALL / arguments.layers for us in measure.replayed_us(run, 1, device)]
            roof = touched / bytes_per_second * 1e3 * LAYERS_IN_ALL / arguments.layers
            row = {
                "batch": batch,
                "way": name,
                "from_bf16": distance,
                "roof_ms": roof,
                "token_ms": measure.spread(times),
            }
            found.append(row | {"tokens_per_second": batch / row["token_ms"]["median"] * 1e3})
    return found


# ---- the command ----


def training_table(rows: Sequence[dict[str, Any]]) -> str:
    def in_gb(count: int | None) -> str:
        return "" if count is None else f"{count / 1e9:.2f}"

    head = ["tokens", "way", "step, ms", "least", "graph, ms", "tokens/s", "peak, GB"]
    lines = [
        [
            str(row["tokens"]),
            row["way"],
            f"{row['step_ms']['median']:.2f}",
            f"{row['step_ms']['min']:.2f}",
            f"{row['graph_ms']['median']:.2f}" if "graph_ms" in row else "",
            f"{row['tokens_per_second']:.0f}",
            in_gb(row.get("peak_bytes")),
            *(in_gb(row["experts"].get(part)) for part in ("weights", "adapters", "working")),
        ]
        for row in rows
    ]
    return table([*head, "experts: weights", "adapters", "a layer's work"], lines)


def comparison_text(compared: dict[str, Any]) -> str:
    worst = {way: max(found["errors"][way] for found in compared["layers"]) for way in compared["layers"][0]["errors"]}
    return (
        f"Losses of {CHECKED_STEPS} steps: qfuse is at most {largest_difference(compared['losses']):.1e} from decode. "
        f"Largest errors of a layer: qfuse {worst['qfuse']:.2e}, decode {worst['decode']:.2e}. "
        f"Most rows of an expert: {max(found['largest'] for found in compared['layers'])}."
    )


def generating_table(rows: Sequence[dict[str, Any]]) -> str:
    lines = [
        [
            str(row["batch"]),
            row["way"],
            *(f"{row['token_ms'][what]:.3f}" for what in ("median", "min")),
            f"{row['roof_ms']:.3f}",
            f"{row['tokens_per_second']:.0f}",
            f"{row['from_bf16']:.1e}",
        ]
        for row in rows
    ]
    return table(
        ["sequences", "way", f"ms a token, {LAYERS_IN_ALL} layers", "least", "roof", "tokens/s", "from bf16"], lines
    )


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--layers", type=measure.count, default=4, metavar="N", help="default 4")
    parser.add_argument("--tokens", type=measure.count, nargs="+", metavar="N", help="of a step; default 2048 4096")
    parser.add_argument("--steps", type=measure.count, default=10, metavar="N", help="to time, default 10")
    parser.add_argument("--graph", action="store_true", help="times CUDA graphs of steps, too; for a GPU")
    parser.add_argument("--generate", action="store_true", help="times tokens in place of steps")
    parser.add_argument("--batch", type=measure.count, nargs="+", default=[1, 8, 64], metavar="N", help="to generate")
    arguments = measure.parse(parser, argv)
    if arguments.graph and arguments.device == "cpu":
        parser.error("--graph is for a GPU, and this run is on a CPU: leave it out")
    arguments.tokens = arguments.tokens or ([64] if arguments.small else [2048, 4096])
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    shape = TINY if arguments.small else QWEN3
    result: dict[str, Any] = measure.circumstances(arguments)
    result |= {"shape": shape._asdict() | {"size": shape.size._asdict()}, "layers": arguments.layers, "faults": []}
    if arguments.generate:
        result["generating"] = time_generating(shape, arguments)
        text = generating_table(result["generating"])
    else:
        with side_stream(arguments.device):
            result["compared"] = compare(shape, arguments)
            result["faults"] = find_faults(result["compared"])
            result["training"] = [
                time_way(way, count, shape, arguments) for count in arguments.tokens for way in TRAINING
            ]
        text = f"{comparison_text(result['compared'])}\n\n{training_table(result['training'])}"
    measure.finish(arguments, result, "\n\n".join([measure.heading(result), text, *result["faults"]]))
    return 1 if result["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
