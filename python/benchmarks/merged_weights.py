"""Times qfuse.merged_weights() of a Llama-3.1-8B in nested NF4 with LoRA on every linear layer, as trainers push it to
an engine before each generation, beside other ways:

    python python/benchmarks/merged_weights.py --layers 32 --json FILE
    python python/benchmarks/merged_weights.py --layers 32 --with-trl --json FILE

decode and add: what bitsandbytes and peft can do without changing the model: decode each layer, and add the adapter's
product, which peft rounds to 16 bits. trl's way: merge_adapter(), which quantizes each sum again, all parameters as
they are, and unmerge_adapter(). It does not give weights in 16 bits, changes the model's codes, and is slow, because
peft 0.21 moves each weight to the CPU and back: it is run once, after the others. The bits of the first layer are
checked: bitsandbytes decodes it, and a CPU adds the adapter.
"""

import sys
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import bitsandbytes as bnb
import measure
import peft
import torch
import transformers
from llamas import SIZES
from measure import gigabytes, table_of, text_of
from torch import Tensor, nn

import qfuse
from qfuse import ops

RANK, VOCABULARY = 16, 128256
Named = Iterator[tuple[str, Tensor]]


def make_model(size: str, layers: int, vocabulary: int, device: str) -> Any:
    """Returns a peft model with random weights and adapters; norms, embedding and head in bfloat16."""
    hidden, intermediate, heads, kv_heads, *_ = SIZES[size]
    config = transformers.LlamaConfig(
        hidden_size=hidden,
        intermediate_size=intermediate,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        vocab_size=vocabulary,
        dtype=torch.bfloat16,
    )
    with torch.device("meta"):
        model = transformers.LlamaForCausalLM(config)
    for name, layer in list(model.named_modules()):
        if isinstance(layer, nn.Linear) and name != "lm_head":
            model.set_submodule(name, quantized(layer.out_features, layer.in_features, device))
    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False):
            if parameter.is_meta:
                values = torch.randn(parameter.shape, dtype=torch.bfloat16, device=device) * 0.02
                setattr(module, name, nn.Parameter(values, requires_grad=False))
    model.is_loaded_in_4bit = True
    settings = peft.LoraConfig(r=RANK, lora_alpha=2 * RANK, target_modules="all-linear")
    adapted = peft.get_peft_model(model, settings)
    for name, parameter in adapted.named_parameters():
        if "lora_B" in name:
            nn.init.normal_(parameter, std=0.02)
    return adapted


def quantized(rows: int, cols: int, device: str) -> nn.Module:
    kind = {"compute_dtype": torch.bfloat16, "quant_type": "nf4", "device": "meta"}
    layer: nn.Module = bnb.nn.Linear4bit(cols, rows, bias=False, **kind)
    dense = torch.randn(rows, cols, dtype=torch.bfloat16, device=device) * cols**-0.5
    layer.weight = bnb.nn.Params4bit(dense, requires_grad=False, quant_type="nf4", module=layer).to(device)
    return layer


# ---- ways


def decode_and_add(model: Any) -> Named:
    for name, module in model.get_base_model().named_modules():
        if isinstance(module, peft.tuners.lora.LoraLayer):
            weight = module.get_base_layer().weight
            decoded = bnb.functional.dequantize_4bit(weight.data, weight.quant_state)
            yield name, decoded + module.get_delta_weight("default").to(decoded.dtype)


def trls_way(model: Any) -> Named:
    model.merge_adapter()
    for name, parameter in model.named_parameters():
        if model.prefix not in name:
            yield name, parameter.data
    model.unmerge_adapter()


WAYS = {"qfuse.merged_weights": qfuse.merged_weights, "decode and add": decode_and_add}


# ---- checks


def first_layer(model: Any) -> dict[str, Any]:
    return {
        f"{name}.weight": layer
        for name, layer in model.get_base_model().named_modules()
        if name.startswith("model.layers.0.") and isinstance(layer, peft.tuners.lora.LoraLayer)
    }


def check(model: Any) -> float:
    """Checks all bits of the first layer; returns the relative error of decode_and_add's weights there, the largest of
    all matrices."""
    layers = first_layer(model)
    found = {name: tensor for name, tensor in qfuse.merged_weights(model) if name in layers}
    theirs = {f"{name}.weight": tensor for name, tensor in decode_and_add(model) if f"{name}.weight" in layers}
    if not found.keys() == theirs.keys() == layers.keys():
        raise AssertionError(f"names differ: {sorted(found)}")
    error = 0.0
    for name, layer in layers.items():
        weight = layer.get_base_layer().weight
        decoded = bnb.functional.dequantize_4bit(weight.data, weight.quant_state).cpu()
        a, b = (each["default"].weight.detach().float().cpu() for each in (layer.lora_A, layer.lora_B))
        expected = ops.lora_merge(decoded, a, b, layer.scaling["default"], torch.bfloat16)
        if differing := measure.differing_bytes(found[name].cpu(), expected):
            raise AssertionError(f"{name}: {differing} differing bytes")
        error = max(error, measure.relative_error(theirs[name].cpu(), expected))
    return error


def time_trl(model: Any, device: str) -> tuple[dict[str, Any], float]:
    """Runs trl's way once. Returns its row, and the share of the first layer's bytes of codes that it changes."""
    before = [layer.get_base_layer().weight.data.clone() for layer in first_layer(model).values()]
    us: list[float] = []
    watch = measure.Stopwatch(device)
    run: measure.Run = partial(deque, trls_way(model), 0)
    most = peak(lambda: us.append(watch.microseconds(run)), device)
    after = [layer.get_base_layer().weight.data for layer in first_layer(model).values()]
    changed = sum(measure.differing_bytes(one, other) for one, other in zip(before, after, strict=True))
    row = {"way": "trl's way", "us": measure.spread(us), "peak": most}
    return row, changed / sum(each.numel() for each in before)


def peak(run: measure.Run, device: str) -> int | None:
    """Runs it. Returns the bytes of GPU memory that it needs beyond what the model occupies, and None on a CPU."""
    if device == "cpu":
        run()
        return None
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    run()
    return torch.cuda.max_memory_allocated() - before


def main(argv: Sequence[str] | None = None) -> int:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--layers", type=measure.count, default=8, help="of 32; default: 8")
    parser.add_argument("--rounds", type=measure.count, default=5)
    parser.add_argument("--with-trl", action="store_true", help="times trl's way once, too")
    arguments = measure.parse(parser, argv)
    device, is_small = arguments.device, arguments.small
    torch.manual_seed(0)
    layers, vocabulary = (2, 512) if is_small else (arguments.layers, VOCABULARY)
    with torch.no_grad():
        model = make_model("tiny" if is_small else "8b", layers, vocabulary, device)
        measure.progress("checking")
        checked = {"error": check(model)}
        runs = {name: partial(lambda way: deque(way(model), maxlen=0), way) for name, way in WAYS.items()}
        measure.progress("timing")
        times = measure.in_turns(runs, device, rounds=arguments.rounds, warm_ups=1)
        peaks = {name: peak(run, device) for name, run in runs.items()}
        rows = [{"way": name, "us": measure.spread(times[name]), "peak": peaks[name]} for name in runs]
        if arguments.with_trl:
            measure.progress("timing trl's way")
            row, checked["changed"] = time_trl(model, device)
            rows.append(row)
    table = table_of(
        rows,
        {
            f"{layers} layers, rank {RANK}": lambda row: row["way"],
            "ms (least to most)": lambda row: text_of({part: us / 1e3 for part, us in row["us"].items()}, 2),
            "GB beyond the model": lambda row: gigabytes(row["peak"]),
        },
    )
    notes = f"The first layer's bits are right; decode and add is {checked['error']:.2e} away from them."
    if arguments.with_trl:
        notes += f" trl's way changed {checked['changed']:.1%} of its codes' bytes."
    result = measure.circumstances(arguments) | {"layers": layers, "rows": rows, "checked": checked}
    return measure.finish(arguments, result, table, notes)


if __name__ == "__main__":
    sys.exit(main())
