#!/usr/bin/env python3
"""Generates tokens one by one with a 4-bit Llama: in bf16, with bitsandbytes, and with qfuse's products.

    generate.py                                     # a tiny model: seconds on a CPU
    generate.py --size 8b --batch 8 --context 4096  # 8 sequences side by side, each after 4096 tokens
    generate.py --size 8b --compile                 # layers compiled with torch.compile, the fastest usual setup
    generate.py --size 8b --prefill 512 2048        # also prompts of 512 and 2048 tokens
    generate.py --size 8b --torchao --factored      # also torchao's int4, and qfuse's order for few rows

Three models have the same random weights, in nested NF4 except for the embedding and the last layer: decoded to bf16;
bitsandbytes' Linear4bit; and Linear4bit inside qfuse.integrations.bitsandbytes.enabled(matmul=True), where q, k and v
are one qfuse.matmul_4bit_many, and so are gate and up. --torchao adds int4 in groups of 64, whose products are checked
first. --factored adds qfuse's order "factored" on a GPU, which does not round weights to bf16.

First the logits of a few tokens and of each prompt are compared with those of the decoded model in float64. qfuse's
error may be twice that of bf16, which sums in another order. Errors of the others are only printed: bitsandbytes rounds
scales to bf16 on some CPUs. Then the models generate greedily, in turn, after a context of random keys and values. Each
step, one token per sequence, is a CUDA graph on a GPU and eager on a CPU, and so is a whole prompt.

Needs torch and bitsandbytes besides qfuse. Exit status: 0 qfuse's logits are right, 1 they are wrong, qfuse multiplied
nothing or torchao's products are wrong, 2 wrong usage.
"""

import argparse
import copy
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Literal

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # silences the profiler, which counts the calls

import bitsandbytes
import measure
import torch
import torchao_int4
from llamas import SIZES, Attention, Cache, Multiply, Size, norm, one_by_one
from torch import Tensor, nn
from torch.nn import functional

import qfuse.integrations.bitsandbytes

SEED = 1
CHECKED = 8  # tokens whose logits are compared
FEW = 16  # most rows that --factored applies to
WAYS: dict[str, Literal[True, "factored"]] = {"qfuse": True, "qfuse, factored": "factored"}


# ---- the model ----


def linear(inputs: int, outputs: int, device: str) -> nn.Module:
    """Returns a quantized Linear4bit with random weights."""
    layer = bitsandbytes.nn.Linear4bit(
        inputs, outputs, bias=False, compute_dtype=torch.bfloat16, quant_type="nf4", device="meta"
    )
    weight = torch.randn(outputs, inputs, dtype=torch.bfloat16, device=device) * inputs**-0.5
    layer.weight = bitsandbytes.nn.Params4bit(weight, requires_grad=False, quant_type="nf4")
    moved: nn.Module = layer.to(device)
    return moved


def many_factored(x: Tensor, layers: Sequence[nn.Module]) -> Sequence[Tensor]:
    return qfuse.matmul_4bit_many(x, layers, order="factored" if x.is_cuda and len(x) <= FEW else None)


class Layer(nn.Module):
    def __init__(self, size: Size, device: str) -> None:
        super().__init__()
        self.norms = nn.ModuleList(norm(size.hidden, device) for _ in range(2))
        width = size.hidden // size.heads
        make = partial(linear, device=device)
        self.attention = Attention(size.hidden, size.heads, size.kv_heads, width, make)
        self.gate, self.up = (make(size.hidden, size.intermediate) for _ in range(2))
        self.down = make(size.intermediate, size.hidden)
        self.multiply: Multiply = one_by_one

    def forward(self, x: Tensor, position: Tensor, cache: Cache) -> Tensor:
        x = x + self.attention(self.norms[0](x), position, cache)
        gate, up = self.multiply(self.norms[1](x), (self.gate, self.up))
        return x + self.down(functional.silu(gate) * up)


class Llama(nn.Module):
    def __init__(self, size: Size, device: str) -> None:
        super().__init__()
        self.size = size
        self.embedding = nn.Embedding(size.vocabulary, size.hidden, dtype=torch.bfloat16, device=device)
        self.layers = nn.ModuleList(Layer(size, device) for _ in range(size.layers))
        self.norm = norm(size.hidden, device)
        self.head = nn.Linear(size.hidden, size.vocabulary, bias=False, dtype=torch.bfloat16, device=device)

    def forward(self, token: Tensor, position: Tensor, caches: list[Cache]) -> Tensor:
        """Returns the logits [batch, vocabulary] after the last of tokens [batch * tokens] at positions [tokens]."""
        x = self.embedding(token)
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, position, cache)
        last = x.view(-1, len(position), x.shape[-1])[:, -1]
        logits: Tensor = self.head(self.norm(last))
        return logits

    def caches(self, batch: int, tokens: int, context: int = 0) -> list[Cache]:
        """Returns caches with room for the tokens after the context."""
        weight = self.head.weight
        shape = (batch, self.size.kv_heads, context + tokens, self.size.hidden // self.size.heads)
        return [Cache(shape, context, weight.device.type, weight.dtype) for _ in self.layers]

    def multiplying(self, multiply: Multiply) -> "Llama":
        """Sets `multiply` for the products with q, k and v, and with gate and up. Returns the model itself."""
        for module in self.modules():
            if isinstance(module, (Attention, Layer)):
                module.multiply = multiply
        return self


def decoded(model: Llama) -> Llama:
    """Returns a copy with plain linear layers, whose weights are the decoded codes."""
    plain = copy.deepcopy(model)
    for parent in list(plain.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, bitsandbytes.nn.Linear4bit):
                weight = nn.Parameter(qfuse.dequantize_4bit(child).to(torch.bfloat16), requires_grad=False)
                replacement = nn.Linear(weight.shape[1], weight.shape[0], bias=False, device="meta")
                replacement.weight = weight
                setattr(parent, name, replacement)
    return plain


def in_float64(model: Llama) -> Llama:
    """Returns a copy that computes in float64. Between calls its layers are in bf16, to save memory."""

    def widen(layer: nn.Module, _: Any) -> None:
        layer.double()

    def narrow(layer: nn.Module, _: Any, __: Any) -> None:
        layer.bfloat16()

    exact = copy.deepcopy(model)
    for part in (exact.embedding, exact.norm, exact.head):
        part.double()
    for layer in exact.layers:
        layer.register_forward_pre_hook(widen)
        layer.register_forward_hook(narrow)
    return exact


def make_models(size: Size, device: str, torchao: bool = False, factored: bool = False) -> dict[str, Llama]:
    torch.manual_seed(SEED)
    quantized = Llama(size, device)
    # In eval mode bitsandbytes repacks weights on some CPUs for its kernels. Its model may do so; qfuse's keeps codes.
    models = {"bf16": decoded(quantized), "bitsandbytes": copy.deepcopy(quantized).eval(), "qfuse": quantized.train()}
    if factored:
        models["qfuse, factored"] = copy.deepcopy(quantized).multiplying(many_factored)
    quantized.multiplying(qfuse.matmul_4bit_many)
    if torchao:
        models["torchao int4"] = copy.deepcopy(models["bf16"])
        torchao_int4.quantize(models["torchao int4"].layers, device)
    return models


def way_of(name: str) -> AbstractContextManager[Any]:
    return qfuse.integrations.bitsandbytes.enabled(matmul=WAYS[name]) if name in WAYS else nullcontext()


def compile_layers(models: dict[str, Llama]) -> None:
    """Compiles each model's layers without graph breaks. All layers and shapes count toward one recompile limit."""
    torch._dynamo.config.recompile_limit = 64
    for name, model in models.items():
        with way_of(name):
            for layer in model.layers:
                layer.compile(fullgraph=True, dynamic=False)


# ---- comparing ----


def logits_of(model: Llama, tokens: Tensor) -> Tensor:
    """Returns [tokens, batch, vocabulary] in float64 for tokens [tokens, batch], fed one after the other."""
    caches = model.caches(tokens.shape[1], len(tokens))
    positions = torch.arange(len(tokens), device=tokens.device).split(1)
    return torch.stack([model(token, at, caches) for token, at in zip(tokens, positions, strict=True)]).double()


def logits_after(model: Llama, prompt: Tensor) -> Tensor:
    """Returns [1, vocabulary] in float64, after a prompt [tokens] fed at once."""
    positions = torch.arange(len(prompt), device=prompt.device)
    return model(prompt, positions, model.caches(1, len(prompt))).double()


def random_tokens(vocabulary: int, shape: tuple[int, ...], device: str) -> Tensor:
    return torch.randint(vocabulary, shape, generator=torch.Generator().manual_seed(SEED)).to(device)


def relative_errors(models: dict[str, Llama], exact: Llama, logits: Callable[[Llama], Tensor]) -> dict[str, float]:
    """Returns each model's relative error over all logits, against those of the exact model."""
    expected, errors = logits(exact), {}
    for name, model in models.items():
        with way_of(name):
            errors[name] = measure.relative_error(logits(model), expected)
    return errors


def find_faults(errors: dict[str, float], after: str) -> list[str]:
    return [
        f"{name}'s logits have an error of {error:.2e}, those of bf16 {errors['bf16']:.2e}, after {after}"
        for name, error in errors.items()
        if not error <= (2 * errors["bf16"] if name in WAYS else sys.float_info.max)  # NaN is a fault in all
    ]


def count_calls(model: Llama, device: str) -> dict[str, int]:
    """Returns how often each of qfuse's ops is called for one token."""
    token, position = (torch.zeros(1, dtype=torch.long, device=device) for _ in range(2))
    with way_of("qfuse"), torch.profiler.profile(acc_events=True) as profile:
        model(token, position, model.caches(1, 1))
    counts = {event.key: event.count for event in profile.key_averages()}
    return {name: counts.get(f"qfuse::{name}", 0) for name in ("matmul_4bit", "matmul_4bit_many")}


# ---- timing ----


def generator(name: str, model: Llama, caches: list[Cache], context: int, tokens: int, device: str) -> measure.Run:
    """Returns a function that generates `tokens` tokens per sequence, greedily, in fixed memory, as a CUDA graph needs.

    Sequence i begins with token i, at the position after the context. Several generators may share caches, because each
    writes the entries after the context before it reads them.
    """
    first = torch.arange(len(caches[0].keys), device=device) % model.size.vocabulary
    token, position = first.clone(), torch.full((1,), context, device=device)

    def step() -> None:
        token.copy_(model(token, position, caches).argmax(-1))
        position.add_(1)

    with way_of(name), measure.side_stream(device):
        step()  # creates what only a first call creates
        one = measure.captured(step) if device == "cuda" else step

    def generate() -> Tensor:
        token.copy_(first)
        position.fill_(context)
        for _ in range(tokens):
            one()
        return token

    return generate


def time_generating(models: dict[str, Llama], arguments: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Returns the milliseconds of a step, which is one token for every sequence."""
    context, tokens, device = arguments.context, arguments.tokens, arguments.device
    caches = models["bf16"].caches(arguments.batch, tokens, context)
    runs = {name: generator(name, model, caches, context, tokens, device) for name, model in models.items()}
    times = measure.in_turns(runs, device, arguments.rounds, warm_ups=1, around=way_of)
    return {name: measure.spread([us / tokens / 1e3 for us in found]) for name, found in times.items()}


def time_prompt(models: dict[str, Llama], prompt: Tensor, device: str) -> dict[str, dict[str, float]]:
    """Returns the milliseconds until the logits after a prompt of one sequence; on a GPU, as a CUDA graph."""
    positions = torch.arange(len(prompt), device=device)
    caches = models["bf16"].caches(1, len(prompt))
    found = {}
    for name, model in models.items():
        with way_of(name):
            times = measure.replayed_us(partial(model, prompt, positions, caches), 1, device)
        found[name] = measure.spread([us / 1e3 for us in times])
    return found


# ---- the command ----


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = measure.argument_parser(__doc__, for_gpu=False)
    parser.add_argument("--size", choices=SIZES, default="tiny", help="of the model, default tiny")
    parser.add_argument("--layers", type=measure.count, metavar="N", help="default: 2 where tiny, else 4")
    parser.add_argument("--batch", type=measure.count, default=1, metavar="N", help="sequences, default 1")
    parser.add_argument("--context", type=int, default=0, metavar="N", help="tokens before the first, default 0")
    parser.add_argument("--tokens", type=measure.count, default=32, metavar="N", help="a sequence, default 32")
    parser.add_argument("--rounds", type=measure.count, default=5, metavar="N", help="of all models, default 5")
    parser.add_argument("--compile", action="store_true", help="the layers, by torch.compile")
    parser.add_argument("--prefill", type=measure.count, nargs="+", default=(), metavar="N", help="tokens of prompts")
    parser.add_argument("--factored", action="store_true", help="a model with qfuse's order of that name, too")
    parser.add_argument("--torchao", action="store_true", help="a model with torchao's int4, too")
    arguments = measure.parse(parser, argv)
    if arguments.context < 0:
        parser.error("--context begins at 0")
    if arguments.torchao and not torchao_int4.is_there():
        parser.error("--torchao: it is not installed")
    return arguments


def times_table(batch: int, result: dict[str, Any]) -> str:
    """Returns a table with one row per model: the times of a step and of each prompt."""
    rows = []
    for name, error in result["errors"].items():
        ms = result["step_ms"][name]
        cells = [name, measure.text_of(ms, 3), f"{batch / ms['median'] * 1e3:.1f}", f"{error:.2e}"]
        for prompt in result["prompts"].values():
            cells += [measure.text_of(prompt["ms"][name], 3), f"{prompt['errors'][name]:.2e}"]
        rows.append(cells)
    heads = [head for tokens in result["prompts"] for head in (f"{tokens} tokens, ms", "its error")]
    return measure.table(["", "ms a step", "tokens/s", "error of logits", *heads], rows)


@torch.no_grad()
def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    device, size = arguments.device, SIZES[arguments.size]
    size = size._replace(layers=arguments.layers or size.layers)
    measure.progress(f"a Llama of {size.layers} layers {size.hidden} wide, {arguments.batch} sequence(s)")
    models = make_models(size, device, arguments.torchao, arguments.factored)
    calls = count_calls(models["qfuse"], device)
    faults = [f"qfuse.{name} multiplied nothing" for name, count in calls.items() if not count]
    if arguments.torchao:
        faults += torchao_int4.find_faults(models["bf16"].layers, models["torchao int4"].layers)
    exact = in_float64(models["bf16"])
    if arguments.compile:
        compile_layers(models)
    tokens = random_tokens(size.vocabulary, (CHECKED, arguments.batch), device)
    errors = relative_errors(models, exact, partial(logits_of, tokens=tokens))
    faults += find_faults(errors, "single tokens")
    fed = {n: random_tokens(size.vocabulary, (n,), device) for n in arguments.prefill}
    prompts: dict[int, dict[str, Any]] = {}
    for n, prompt in fed.items():
        prompts[n] = {"errors": relative_errors(models, exact, partial(logits_after, prompt=prompt))}
        faults += find_faults(prompts[n]["errors"], f"a prompt of {n} tokens")
    del exact
    result = measure.circumstances(arguments) | {
        "model": size._asdict(),
        "batch": arguments.batch,
        "context": arguments.context,
        "compiled": arguments.compile,
        "calls_of_qfuse_a_token": calls,
        "faults": faults,
        "errors": errors,
        "prompts": prompts,
    }
    if faults:
        return measure.finish(arguments, result)
    result["step_ms"] = time_generating(models, arguments)
    for n, prompt in fed.items():
        prompts[n]["ms"] = time_prompt(models, prompt, device)
    return measure.finish(arguments, result, times_table(arguments.batch, result))


if __name__ == "__main__":
    sys.exit(main())
