"""MoE experts in 4 bits: the 3-D parameters of transformers 5, which bitsandbytes leaves unquantized.

quantize_experts() replaces the stacks gate_up_proj or up_proj, and down_proj, by codes. A stack's codes are a uint8
parameter under its name, [experts, rows, columns / 2]. Its scales are buffers of a Stack4bit, a module beside it that
casts do not change. Their names in a state dict are those of bitsandbytes: gate_up_proj.absmax and so on.

experts_forward, registered in transformers as the experts_implementation "qfuse", is its grouped_mm for such stacks.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import Parameter

from .. import versions
from ..layers.experts import (
    Adapter,
    Stack4bit,
    before_load,
    encoded_stack,
    make_stacks_parameters,
    mixed,
    name_of,
    on_unpickling,
    stack_names,
    stack_of,
)
from ..layers.inspection import is_plain
from ..ops import functional
from ..patching.hook import Registered
from ..patching.patch import Patches
from ..weight.form import BLOCKSIZES, FLOAT_DTYPES, QUANT_TYPES, QuantType
from . import peft_stacks

__all__ = [
    "ExpertsReport",
    "Stack4bit",
    "experts_forward",
    "make_stacks_parameters",
    "quantize_experts",
    "register",
    "stack_of",
]

_FIELDS = {"has_gate", "has_bias", "has_post_expert_norm", "is_transposed", "_is_expert_parallel", "config"}


@dataclass
class ExpertsReport:
    """What quantize_experts() did. True if anything was quantized; str() lists the result and each module left."""

    quantized: list[str] = field(default_factory=list)  # names of modules
    left: dict[str, str] = field(default_factory=dict)  # names of modules left unchanged, and why
    bytes_before: int = 0  # of the quantized stacks
    bytes_after: int = 0

    def __bool__(self) -> bool:
        return bool(self.quantized)

    def __str__(self) -> str:
        sizes = f"{self.bytes_before / 2**20:.1f} MiB are {self.bytes_after / 2**20:.1f} MiB"
        return "\n".join(
            [
                f"qfuse quantized the experts of {len(self.quantized)} modules: {sizes}",
                *(f"qfuse left {name} as it is: {reason}" for name, reason in self.left.items()),
            ]
        )


def quantize_experts(
    model: nn.Module,
    *,
    quant_type: QuantType = "nf4",
    blocksize: int = 64,
    nested: bool = True,
    names: Callable[[str], bool] | None = None,
) -> ExpertsReport:
    """Quantizes the experts of a loaded model of transformers 5 to 4 bits, in place and on their device.

        model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.bfloat16, quantization_config=bnb_4bit)
        print(qfuse.quantize_experts(model))

    It finds the modules of transformers' experts interface by their attributes. Their stacks become frozen codes one
    after another, and each then frees its memory. On a GPU the bits are those of bitsandbytes' quantize_4bit of a whole
    stack. The modules' configs get the experts_implementation "qfuse". nested: also quantizes the scales (bitsandbytes'
    "double quantization"). names: whether to quantize a module, by its name in the model; by default all are quantized.

    peft's LoRA with target_parameters works over the stacks as over any parameter, whether added before or after: A and
    B have peft's shapes, and the product is qfuse.matmul_4bit_grouped_lora.

    A module is left unchanged, with a warning and a reason in the report, if a stack is not of 16 or 32 bits, is on the
    meta device (offloaded) or on one other than CPU and CUDA, is parametrized, distributed or expert-parallel, or if an
    expert does not fill whole blocks.

    Raises ValueError for a quant_type or blocksize that bitsandbytes lacks, and for a model without such modules, or
    ImportError if it has none because transformers is too old.
    """
    if quant_type not in QUANT_TYPES or blocksize not in BLOCKSIZES:
        raise ValueError(
            f"quant_type is {quant_type!r} and blocksize {blocksize}, they must be among {QUANT_TYPES} and {BLOCKSIZES}"
        )
    found = list(find_experts(model))
    if not found:
        versions.require("transformers")  # older ones have other attributes
        raise ValueError(
            f"{type(model).__name__} has no experts as transformers 5.23 has them, 3-D parameters behind its experts "
            "interface; experts that are linear layers are bitsandbytes' own affair"
        )
    prepare()
    report = ExpertsReport()
    for name, module in found:
        if names is not None and not names(name):
            continue
        reason = _why_not(module, blocksize)
        if reason is None:
            _quantize(module, report, quant_type, blocksize, nested)
            report.quantized.append(name)
        else:
            report.left[name] = reason
    if report:
        _save_as_they_are(model)
    if report.left:
        warnings.warn(str(report), stacklevel=2)
    return report


def _save_as_they_are(model: nn.Module) -> None:
    """Keeps save_pretrained() from splitting stacks, with their scales, into the checkpoint's matrices, which fails."""
    for part in model.modules():
        if hasattr(part, "_can_set_experts_implementation"):  # a PreTrainedModel
            vars(part)["_weight_conversions"] = []


def find_experts(model: nn.Module) -> Iterator[tuple[str, Any]]:
    """Finds modules by their own attributes, because a wrapper of peft's exposes all attributes of its module."""
    for name, module in model.named_modules():
        if vars(module).keys() >= _FIELDS:
            yield name, module


def _not_quantized(module: Any) -> list[str]:
    """Returns the names of its stacks that are not quantized: only one, if an earlier call ran out of memory."""
    return [name for name in stack_names(module) if stack_of(module, name) is None]


def _why_not(module: Any, blocksize: int) -> str | None:
    """Returns why the module cannot be quantized, or None."""
    if module._is_expert_parallel:
        return "it is expert-parallel: each process has a part of its experts"
    names = _not_quantized(module)
    if not names:
        return "it is in 4 bits already"
    reasons = ((name, _why_not_stack(module._parameters.get(name), blocksize)) for name in names)
    return next((f"{name} {reason}" for name, reason in reasons if reason), None)


def _why_not_stack(stack: Tensor | None, blocksize: int) -> str | None:
    if stack is None:
        return "is no parameter of its own, but parametrized or gone"
    if not is_plain(stack):
        return f"is a {type(stack).__name__}, as of FSDP or tensor parallelism"
    if stack.dtype not in FLOAT_DTYPES:
        return f"is {stack.dtype}, it must be float32, float16 or bfloat16"
    if stack.device.type not in ("cpu", "cuda"):
        offloaded = ", where it has no values: load the model without offloading" if stack.is_meta else ""
        return f"is on {stack.device}{offloaded}"
    if stack.dim() != 3:
        return f"has shape {tuple(stack.shape)}, it must have three dimensions"
    elements = math.prod(stack.shape[1:])
    if elements % blocksize or stack.shape[-1] % 2:
        return f"has {elements} elements an expert in rows of {stack.shape[-1]}: no whole blocks of {blocksize}"
    return None


@torch.no_grad()
def _quantize(module: Any, report: ExpertsReport, quant_type: QuantType, blocksize: int, nested: bool) -> None:
    module.register_load_state_dict_pre_hook(before_load)
    for name in _not_quantized(module):
        stack = module._parameters[name]
        on_nvidia = stack.is_cuda and torch.version.hip is None
        weight = encoded_stack(stack, quant_type, blocksize, nested, "approx" if on_nvidia else "ieee")
        codes = weight.packed.view(*stack.shape[:-1], stack.shape[-1] // 2)
        report.bytes_before += stack.nbytes
        report.bytes_after += sum(tensor.nbytes for tensor in weight.tensors)
        module._parameters[name] = Parameter(codes, requires_grad=False)
        module.add_module(name_of(name), Stack4bit(weight))
    set_implementation(module)


def set_implementation(module: Any) -> None:
    """Sets the implementation for this config only."""
    module.config._experts_implementation = {"": "qfuse"}


def experts_forward(
    self: Any,
    hidden_states: Tensor,
    top_k_index: Tensor,
    top_k_weights: Tensor,
    qfuse_lora: dict[str, Adapter] | None = None,
) -> Tensor:
    """transformers' experts_implementation "qfuse": the same steps as its grouped_mm, over stacks in 4 bits.

    A module that is not quantized is passed to grouped_mm, because one config may apply to modules of both kinds, and
    what cannot be quantized must still run. qfuse_lora: the adapters, by the names of their stacks.
    """
    up_name, down_name = stack_names(self)
    stack = stack_of(self, up_name)
    if stack is None:
        from transformers.integrations.moe import grouped_mm_experts_forward

        plain: Tensor = grouped_mm_experts_forward(self, hidden_states, top_k_index, top_k_weights)
        return plain

    def layer(x: Tensor, ends: Tensor) -> Tensor:
        up = _multiply(self, up_name, x.to(stack.dtype), ends, qfuse_lora)
        inner = self._apply_gate(up) if self.has_gate else self.act_fn(up)
        return _multiply(self, down_name, inner, ends, qfuse_lora)

    norm = self.post_expert_norm if self.has_post_expert_norm else None
    experts = stack.shape[0]
    return mixed(hidden_states, top_k_index, top_k_weights, experts, layer, norm, self._is_expert_parallel)


def _multiply(module: Any, name: str, x: Tensor, ends: Tensor, adapters: dict[str, Adapter] | None) -> Tensor:
    stack = module._modules[name_of(name)]
    weight, turned = stack.weight(module._parameters[name]), stack.is_transposed(module)
    bias = module._parameters[f"{name}_bias"] if module.has_bias else None
    adapter = adapters.get(name) if adapters else None
    if adapter is None:
        return functional.matmul_4bit_grouped(x, weight, ends, bias=bias, is_transposed=turned)
    return functional.matmul_4bit_grouped_lora(x, weight, ends, *adapter, bias=bias, is_transposed=turned)


_interface = Patches(
    Registered("transformers.integrations.moe", "ALL_EXPERTS_FUNCTIONS", "qfuse", experts_forward),
    library="transformers",
)


def register() -> None:
    """Registers "qfuse" in transformers permanently."""
    _interface.enable()


def prepare() -> None:
    """Calls register() and, if peft is installed, patches its LoRA for stacks of codes."""
    global _is_prepared
    if _is_prepared:
        return
    register()
    if find_spec("peft") is None:
        return
    try:
        _is_prepared = not peft_stacks.cover_stacks().left
    except ImportError as error:  # without LoRA, this does not matter
        warnings.warn(f"no LoRA over these experts: {error}", stacklevel=3)


_is_prepared = False
on_unpickling.append(prepare)
