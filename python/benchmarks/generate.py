#!/usr/bin/env python3
"""Generates tokens with a 4-bit Llama, one by one: in bf16, with bitsandbytes, and with qfuse's products.

    generate.py                                     # a tiny model: on a CPU in seconds
    generate.py --size 8b --tokens 128              # layers as wide as Llama-3.1-8B's, for a GPU
    generate.py --size 8b --batch 8 --context 4096  # 8 sequences side by side, each after 4096 tokens
    generate.py --size 8b --compile                 # each layer by torch.compile, as whoever wants speed runs it
    generate.py --size 8b --prefill 512 2048        # and prompts of so many tokens
    generate.py --size 8b --torchao                 # beside torchao's int4 as well
    generate.py --size 8b --factored                # and beside qfuse's order for few rows of inference

What it does, without a network:

  1. It makes the layers of a Llama with random weights, quantizes all but the embedding and the last layer to NF4 with
     double quantization, and makes three models of the same codes: decoded to bf16; bitsandbytes' Linear4bit; and the
     same inside of qfuse.integrations.bitsandbytes.enabled(matmul=True), but for q, k and v, and gate and up, which are
     one qfuse.matmul_4bit_many each.
  2. It feeds all of them the same sequences, token by token, with caches of keys and values that begin empty, and
     compares their logits with those of the decoded model in float64. qfuse's error may be twice that of bf16, which
     sums the same terms of the same weights in another order. bitsandbytes' is only told: on some CPUs it rounds scales
     to bf16.
  3. It lets each model generate greedily, in turns, after a context of random keys and values: each step, a token of
     every sequence, is a CUDA graph on a GPU and runs eagerly on a CPU. With --compile, layers are compiled in 2 to 4.
  4. With --prefill, it feeds a whole prompt of one sequence at once, in each model and in a graph as in 3. The logits
     after it are compared as in 2.

With --torchao, a fourth model has the decoded weights quantized anew, to int4 in groups of 64, as torchao does it. Each
of its products is checked against bf16 first; the error of its logits, of another quantization, is only told. With
--factored, a further one is qfuse's with the order "factored" for few rows on a GPU, whose weights are not rounded to
bf16; its logits are checked as in 2.

Needs torch and bitsandbytes beside qfuse. Exit status: 0 qfuse's logits are right, 1 they are not, qfuse multiplied
nothing or torchao's products are wrong, 2 wrong usage.
"""

import argparse
import copy
import json
import math
import os
import statistics
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Literal

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler, which counts the calls, need not say so

import bitsandbytes
import measure
import torch
import torchao_int4
from llamas import SIZES, Cache, Size, attend_to_cache, turn
from torch import Tensor, nn
from torch.nn import functional

import qfuse.integrations.bitsandbytes

Multiply = Callable[[Tensor, Sequence[nn.Module]], Sequence[Tensor]]

SEED = 1
CHECKED = 8  # tokens whose logits are compared
FEW = 16  # rows that --factored is for
WAYS: dict[str, Literal[True, "factored"]] = {"qfuse": True, "qfuse, factored": "factored"}


# ---- the model ----


def linear(inputs: int, outputs: int, device: str) -> nn.Module:
    """A Linear4bit with random weights, quantized."""
    layer = bitsandbytes.nn.Linear4bit(
        inputs, outputs, bias=False, compute_dtype=torch.bfloat16, quant_type="nf4", device="meta"
    )
    weight = torch.randn(outputs, inputs, dtype=torch.bfloat16, device=device) * inputs**-0.5
    layer.weight = bitsandbytes.nn.Params4bit(weight, requires_grad=False, quant_type="nf4")
    moved: nn.Module = layer.to(device)
    return moved


def one_by_one(x: Tensor, layers: Sequence[nn.Module]) -> Sequence[Tensor]:
    return [layer(x) for layer in layers]


def many_factored(x: Tensor, layers: Sequence[nn.Module]) -> Sequence[Tensor]:
    return qfuse.matmul_4bit_many(x, layers, order="factored" if x.is_cuda and len(x) <= FEW else None)


class Layer(nn.Module):
    def __init__(self, size: Size, device: str) -> None:
        super().__init__()
        width = size.hidden // size.heads
        self.width = width
        self.multiply: Multiply = one_by_one
        self.norms = nn.ModuleList(
            nn.RMSNorm(size.hidden, eps=1e-5, dtype=torch.bfloat16, device=device) for _ in range(2)
        )
        self.q = linear(size.hidden, size.hidden, device)
        self.k, self.v = (linear(size.hidden, size.kv_heads * width, device) for _ in range(2))
        self.o = linear(size.hidden, size.hidden, device)
        self.gate, self.up = (linear(size.hidden, size.intermediate, device) for _ in range(2))
        self.down = linear(size.intermediate, size.hidden, device)

    def forward(self, x: Tensor, position: Tensor, cache: Cache) -> Tensor:
        """[batch * tokens, hidden] at the positions [tokens]: one token a sequence, or prompts, which begin at 0."""
        attended = self.norms[0](x)
        q, k, v = (
            y.view(len(x) // len(position), len(position), -1, self.width).transpose(1, 2)
            for y in self.multiply(attended, (self.q, self.k, self.v))
        )
        q, k = turn(q, position), turn(k, position)
        cache.add(position, k, v)
        if len(position) == 1:
            mixed = attend_to_cache(q, position, cache)
        else:
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        mixed = mixed.transpose(1, 2)
        x = x + self.o(mixed.reshape(len(x), -1))
        fed = self.norms[1](x)
        gate, up = self.multiply(fed, (self.gate, self.up))
        return x + self.down(functional.silu(gate) * up)


class Llama(nn.Module):
    def __init__(self, size: Size, device: str) -> None:
        super().__init__()
        self.size = size
        self.embedding = nn.Embedding(size.vocabulary, size.hidden, dtype=torch.bfloat16, device=device)
        self.layers = nn.ModuleList(Layer(size, device) for _ in range(size.layers))
        self.norm = nn.RMSNorm(size.hidden, eps=1e-5, dtype=torch.bfloat16, device=device)
        self.head = nn.Linear(size.hidden, size.vocabulary, bias=False, dtype=torch.bfloat16, device=device)

    def forward(self, token: Tensor, position: Tensor, caches: list[Cache]) -> Tensor:
        """The logits [batch, vocabulary] after the last of the tokens [batch * tokens] at the positions [tokens]."""
        x = self.embedding(token)
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, position, cache)
        last = x.view(-1, len(position), x.shape[-1])[:, -1]
        logits: Tensor = self.head(self.norm(last))
        return logits

    def caches(self, batch: int, tokens: int, context: int = 0) -> list[Cache]:
        """With room for the tokens after the context."""
        weight = self.head.weight
        shape = (batch, self.size.kv_heads, context + tokens, self.size.hidden // self.size.heads)
        return [Cache(shape, context, weight.device.type, weight.dtype) for _ in self.layers]


def decoded(model: Llama) -> Llama:
    """The same with plain linear layers, whose weights are what the codes decode to."""
    plain = copy.deepcopy(model)
    for layer in plain.layers:
        for name, child in list(layer.named_children()):
            if isinstance(child, bitsandbytes.nn.Linear4bit):
                weight = nn.Parameter(qfuse.dequantize_4bit(child).to(torch.bfloat16), requires_grad=False)
                replacement = nn.Linear(weight.shape[1], weight.shape[0], bias=False, device="meta")
                replacement.weight = weight
                setattr(layer, name, replacement)
    return plain


def compile_layers(model: Llama) -> None:
    """One graph for all layers, without breaks; each model and each shape has another, and all count as one's."""
    torch._dynamo.config.recompile_limit = 64
    for layer in model.layers:
        layer.compile(fullgraph=True, dynamic=False)


def in_float64(model: Llama) -> Llama:
    """A copy that computes in float64. Between calls its layers lie in bf16: the same weights in less memory."""

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
    # In eval mode bitsandbytes repacks weights on some CPUs, for its own kernels: it gets its way, and qfuse the codes.
    models = {"bf16": decoded(quantized), "bitsandbytes": copy.deepcopy(quantized).eval(), "qfuse": quantized.train()}
    if factored:
        models["qfuse, factored"] = multiplying(copy.deepcopy(quantized), many_factored)
    multiplying(quantized, qfuse.matmul_4bit_many)
    if torchao:
        models["torchao int4"] = copy.deepcopy(models["bf16"])
        torchao_int4.quantize(models["torchao int4"].layers, device)
    return models


def multiplying(model: Llama, multiply: Multiply) -> Llama:
    """The same, whose layers multiply so by q, k and v, and by gate and up."""
    for layer in model.layers:
        assert isinstance(layer, Layer)
        layer.multiply = multiply
    return model


def way_of(name: str) -> AbstractContextManager[Any]:
    return qfuse.integrations.bitsandbytes.enabled(matmul=WAYS[name]) if name in WAYS else nullcontext()


# ---- comparing ----


def logits_of(model: Llama, tokens: Tensor) -> Tensor:
    """[tokens, batch, vocabulary] in float64, of tokens [tokens, batch], one after the other."""
    caches = model.caches(tokens.shape[1], len(tokens))
    positions = torch.arange(len(tokens), device=tokens.device).split(1)
    return torch.stack([model(token, at, caches) for token, at in zip(tokens, positions, strict=True)]).double()


def logits_after(model: Llama, prompt: Tensor) -> Tensor:
    """[1, vocabulary] in float64, after a prompt [tokens] that is fed at once."""
    positions = torch.arange(len(prompt), device=prompt.device)
    return model(prompt, positions, model.caches(1, len(prompt))).double()


def random_tokens(vocabulary: int, shape: tuple[int, ...], device: str) -> Tensor:
    return torch.randint(vocabulary, shape, generator=torch.Generator().manual_seed(SEED)).to(device)


def relative_errors(models: dict[str, Llama], exact: Llama, logits: Callable[[Llama], Tensor]) -> dict[str, float]:
    """Of all logits, against those of the exact model."""
    expected = logits(exact)
    errors = {}
    for name, model in models.items():
        with way_of(name):
            errors[name] = float((logits(model) - expected).norm() / expected.norm())
    return errors


def find_faults(errors: dict[str, float], after: str) -> list[str]:
    faults = [
        f"{name}'s logits after {after} are not finite" for name, error in errors.items() if not math.isfinite(error)
    ]
    for name in WAYS:
        if name in errors and not errors[name] <= 2 * errors["bf16"]:
            found = f"{errors[name]:.2e}, those of bf16 {errors['bf16']:.2e}"
            faults.append(f"{name}'s logits have an error of {found}, after {after}")
    return faults


def count_calls(model: Llama, device: str) -> dict[str, int]:
    """How often qfuse's ops are called for one token."""
    token, position = (torch.zeros(1, dtype=torch.long, device=device) for _ in range(2))
    with way_of("qfuse"), torch.profiler.profile(acc_events=True) as profile:
        model(token, position, model.caches(1, 1))
    counts = {event.key: event.count for event in profile.key_averages()}
    return {name: counts.get(f"qfuse::{name}", 0) for name in ("matmul_4bit", "matmul_4bit_many")}


# ---- generating ----


class Generator:
    """A model that generates greedily, in memory that stays where it is, as a CUDA graph wants it.

    Sequence i begins with token i, at the position after the context. Generators may share caches: each writes what
    follows the context before it reads it.
    """

    def __init__(self, model: Llama, way: str, caches: list[Cache], context: int, device: str) -> None:
        self.model, self.way, self.caches, self.context, self.device = model, way, caches, context, device
        self.first = torch.arange(len(caches[0].keys), device=device) % model.size.vocabulary
        self.token, self.position = self.first.clone(), torch.full((1,), context, device=device)
        self.step: Callable[[], None] = self.eager_step
        if device == "cuda":
            self.capture()

    def eager_step(self) -> None:
        self.token.copy_(self.model(self.token, self.position, self.caches).argmax(-1))
        self.position += 1

    def capture(self) -> None:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())  # which fills the caches
        with way_of(self.way):
            with torch.cuda.stream(stream):
                self.eager_step()  # what is made at the first call
            torch.cuda.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.eager_step()
        self.step = self.graph.replay

    def generate(self, tokens: int) -> tuple[list[list[int]], float]:
        """The tokens [batch, tokens], and the seconds that they took."""
        self.token.copy_(self.first)
        self.position.fill_(self.context)
        out = torch.zeros(tokens, len(self.token), dtype=torch.long, device=self.device)
        with way_of(self.way):
            begin = measure.now(self.device)
            for i in range(tokens):
                self.step()
                out[i] = self.token
            seconds = measure.now(self.device) - begin
        return out.t().tolist(), seconds


def figures_of(tokens: list[list[int]], seconds: list[float]) -> dict[str, Any]:
    """Of the seconds of each round, in which every sequence got its tokens."""
    batch, steps = len(tokens), len(tokens[0])
    rounds = {
        "tokens_per_second": [batch * steps / taken for taken in seconds],
        "milliseconds_a_step": [1000 * taken / steps for taken in seconds],
    }
    median = {what: statistics.median(figures) for what, figures in rounds.items()}
    least = {what: min(figures) for what, figures in rounds.items()}
    return {"tokens": tokens, **rounds, "median": median, "least": least}


def generate_in_turns(models: dict[str, Llama], arguments: argparse.Namespace) -> dict[str, dict[str, Any]]:
    caches = models["bf16"].caches(arguments.batch, arguments.tokens, arguments.context)
    generators = {
        name: Generator(model, name, caches, arguments.context, arguments.device) for name, model in models.items()
    }
    tokens: dict[str, list[list[int]]] = {}
    seconds: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(1 + arguments.rounds):  # the first to warm up
        for name, generator in generators.items():
            tokens[name], taken = generator.generate(arguments.tokens)
            seconds[name].append(taken)
    return {name: figures_of(tokens[name], seconds[name][1:]) for name in models}


def time_prompt(models: dict[str, Llama], prompt: Tensor, device: str) -> dict[str, dict[str, float]]:
    """Milliseconds until the logits after a prompt of one sequence; on a GPU, of a CUDA graph."""
    positions = torch.arange(len(prompt), device=device)
    caches = models["bf16"].caches(1, len(prompt))
    found = {}
    for name, model in models.items():
        with way_of(name):
            times = measure.replayed_us(partial(model, prompt, positions, caches), 1, device)
        found[name] = measure.spread([us / 1000 for us in times])
    return found


# ---- the command ----


def common_start(a: list[int], b: list[int]) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y), len(a))


def print_report(found: dict[str, dict[str, Any]], errors: dict[str, float]) -> None:
    print(f"\n{'':<16}{'tokens/s':>12}{'slowest':>10}{'ms a step':>12}{'fastest':>10}", end="")
    print(f"{'error of logits':>18}{'tokens as in bf16':>20}")
    for name, result in found.items():
        speed, step = (
            f"{result['median'][what]:>12.{digits}f}{result['least'][what]:>10.{digits}f}"
            for what, digits in (("tokens_per_second", 1), ("milliseconds_a_step", 3))
        )
        same = sum(map(common_start, result["tokens"], found["bf16"]["tokens"]))
        share = f"{same} of {sum(map(len, result['tokens']))}"
        print(f"{name:<16}{speed}{step}{errors[name]:>18.2e}{share:>20}")


def print_prompt(tokens: int, times: dict[str, dict[str, float]], errors: dict[str, float]) -> None:
    print(f"\n{f'{tokens} tokens':<16}{'ms':>12}{'least':>10}{'error of logits':>18}")
    for name, found in times.items():
        print(f"{name:<16}{found['median']:>12.3f}{found['min']:>10.3f}{errors[name]:>18.2e}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    measure.add_device(parser)
    parser.add_argument("--size", choices=SIZES, default="tiny", help="of the model, default tiny")
    parser.add_argument("--layers", type=int, metavar="N", help="default: 2 where tiny, else 4")
    parser.add_argument("--batch", type=int, default=1, metavar="N", help="sequences side by side, default 1")
    parser.add_argument("--context", type=int, default=0, metavar="N", help="tokens before the first, default 0")
    parser.add_argument("--tokens", type=int, default=32, metavar="N", help="to generate a sequence, default 32")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="of all models in turn, default 5")
    parser.add_argument("--compile", action="store_true", help="the layers, by torch.compile")
    parser.add_argument("--prefill", type=measure.count, nargs="+", default=(), metavar="N", help="tokens of prompts")
    parser.add_argument("--factored", action="store_true", help="a model with qfuse's order of that name, too")
    parser.add_argument("--torchao", action="store_true", help="a model with torchao's int4, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="gets all figures")
    arguments = parser.parse_args()
    measure.settle_device(parser, arguments)
    if min(arguments.batch, arguments.tokens, arguments.rounds, arguments.layers or 1, arguments.context + 1) < 1:
        parser.error("--layers, --batch, --tokens and --rounds begin at 1, --context at 0")
    if arguments.torchao and not torchao_int4.is_there():
        parser.error("--torchao: it is not installed")
    return arguments


@torch.no_grad()
def main() -> int:
    arguments = parse_arguments()
    size = SIZES[arguments.size]
    size = size._replace(layers=arguments.layers or size.layers)
    print(f"{measure.device_name(arguments.device)}: a Llama of {size.layers} layers {size.hidden} wide")
    print(f"{arguments.batch} sequence(s) of {arguments.tokens} tokens after {arguments.context}", flush=True)
    models = make_models(size, arguments.device, arguments.torchao, arguments.factored)
    calls = count_calls(models["qfuse"], arguments.device)
    faults = [f"qfuse.{name} multiplied nothing" for name, count in calls.items() if not count]
    if arguments.torchao:
        faults += torchao_int4.find_faults(models["bf16"].layers, models["torchao int4"].layers)
    exact = in_float64(models["bf16"])
    if arguments.compile:
        for name, model in models.items():
            with way_of(name):
                compile_layers(model)
    tokens = random_tokens(size.vocabulary, (CHECKED, arguments.batch), arguments.device)
    errors = relative_errors(models, exact, partial(logits_of, tokens=tokens))
    faults += find_faults(errors, "single tokens")
    prompts = {n: random_tokens(size.vocabulary, (n,), arguments.device) for n in arguments.prefill}
    prompt_errors = {}
    for n, prompt in prompts.items():
        prompt_errors[n] = relative_errors(models, exact, partial(logits_after, prompt=prompt))
        faults += find_faults(prompt_errors[n], f"a prompt of {n} tokens")
    del exact
    found = {} if faults else generate_in_turns(models, arguments)
    prompt_times = {} if faults else {n: time_prompt(models, prompt, arguments.device) for n, prompt in prompts.items()}
    print("\n".join(faults)) if faults else print_report(found, errors)
    for n, times in prompt_times.items():
        print_prompt(n, times, prompt_errors[n])
    if arguments.json:
        libraries = ["qfuse", "torch", "bitsandbytes"] + ["torchao"] * arguments.torchao
        figures = {
            "device": measure.device_name(arguments.device),
            "date": measure.date(),
            "versions": {name: sys.modules[name].__version__ for name in libraries},
            "model": size._asdict(),
            "batch": arguments.batch,
            "context": arguments.context,
            "compiled": arguments.compile,
            "checked_tokens": CHECKED,
            "relative_errors": errors,
            "calls_of_qfuse_a_token": calls,
            "faults": faults,
            "ways": found,
            "prompts": {n: {"relative_errors": prompt_errors[n], "milliseconds": t} for n, t in prompt_times.items()},
        }
        arguments.json.write_text(json.dumps(figures) + "\n", encoding="utf-8")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
