"""A mixture's experts in 4 bits: the 3-D parameters of transformers 5, which bitsandbytes leaves as they are.

quantize_experts() makes codes of the stacks gate_up_proj or up_proj, and down_proj. A stack's codes are a uint8
parameter under its name, [experts, rows, columns / 2]; its scales are buffers of a Stack4bit, a module beside it, which
no change of dtype reaches. Their names in a state_dict are those of bitsandbytes: gate_up_proj.absmax and so on.

experts_forward, which transformers knows as the experts_implementation "qfuse", is its grouped_mm over such stacks.
"""

import functools
import json
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import Parameter

from .. import functional, ops, versions
from ..modules import is_plain
from ..parameter import Weight4bitTensor, parameter_of
from ..quant_state import FLOAT_DTYPES, NESTED_BLOCKSIZE, QUANT_TYPES, STATE, Weight4bit
from .hook import Registered
from .patch import Patches

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
_SUFFIX = "_4bit"  # of a Stack4bit's name, behind its parameter's
_SCALES = ("absmax", "nested_absmax", "nested_quant_map", "nested_offset")
_BLOCKSIZES = (32, 64, 128, 256, 512, 1024, 2048, 4096)


@dataclass
class ExpertsReport:
    """What quantize_experts() did. True where something was quantized; as text, a line for each of its parts."""

    quantized: list[str] = field(default_factory=list)  # names of modules
    left: dict[str, str] = field(default_factory=dict)  # names of those that stay as they are, and why
    bytes_before: int = 0  # of the stacks that were quantized
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


class Stack4bit(nn.Module):
    """All of a stack but its codes, which are its owner's parameter. Moved with its owner, but never cast."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    absmax: Tensor

    def __init__(self, weight: Weight4bit) -> None:
        super().__init__()
        self._set(weight)

    def _set(self, weight: Weight4bit) -> None:
        self.shape, self.dtype = tuple(weight.shape), weight.dtype
        self.quant_type, self.blocksize = weight.quant_type, weight.blocksize
        # For state_dicts, which then need not wait for a GPU.
        self.offset = None if weight.nested_offset is None else float(weight.nested_offset)
        scales = [*weight.tensors[1:], None, None, None]
        for name, tensor in zip(_SCALES, scales, strict=False):
            self.register_buffer(name, tensor, persistent=False)

    def weight(self, codes: Tensor) -> Weight4bit:
        """codes: the owner's parameter."""
        if isinstance(codes, Weight4bitTensor):
            return codes.quant_state
        _refuse_cast(codes)
        scales = tuple(tensor for tensor in self._buffers.values() if tensor is not None)
        return Weight4bit((codes, *scales), self.shape, self.dtype, self.quant_type, self.blocksize, NESTED_BLOCKSIZE)

    @property
    def has_scales(self) -> bool:
        """Else the parameter has them: see make_stacks_parameters."""
        return self._buffers["absmax"] is not None

    def give_up_scales(self) -> None:
        self._buffers = dict.fromkeys(self._buffers)

    def extra_repr(self) -> str:
        nested = self.offset is not None
        return f"{self.shape}, {self.dtype}, quant_type={self.quant_type}, blocksize={self.blocksize}, nested={nested}"

    def _apply(self, fn: Any, recurse: bool = True) -> "Stack4bit":
        """Of to(), cuda(), half() and their like. Bytes have no dtype to be changed."""
        for name, tensor in self._buffers.items():
            if tensor is not None:
                moved = fn(tensor.reshape(-1).view(torch.uint8))
                _refuse_cast(moved)
                self._buffers[name] = moved.view(tensor.dtype).view(tensor.shape)
        dtype = fn(torch.empty(0, dtype=self.dtype)).dtype
        self.dtype = dtype if dtype in FLOAT_DTYPES else self.dtype
        return self

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        if not self.has_scales:
            return
        outer = _outer(prefix)
        for name in _SCALES[:3]:  # the offset is in the quant_state
            if self._buffers[name] is not None:
                destination[outer + name] = self._buffers[name]
        destination[f"{outer}quant_map"] = _values(self.quant_type, self.absmax.device)
        destination[f"{outer}{STATE}{self.quant_type}"] = self._state()

    def _state(self) -> Tensor:
        """bitsandbytes' quant_state, as its JSON in bytes."""
        state: dict[str, Any] = {
            "quant_type": self.quant_type,
            "blocksize": self.blocksize,
            "dtype": str(self.dtype).removeprefix("torch."),
            "shape": list(self.shape),
        }
        if self.offset is not None:
            state |= {"nested_blocksize": NESTED_BLOCKSIZE, "nested_dtype": "float32", "nested_offset": self.offset}
        return torch.tensor(list(json.dumps(state).encode()), dtype=torch.uint8, device=self.absmax.device)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        found = {key.removeprefix(prefix): value for key, value in state_dict.items() if key.startswith(prefix)}
        if not self.has_scales:
            unexpected_keys += [_outer(prefix) + key for key in found]
            return
        blob = next((value for key, value in found.items() if key.startswith(STATE)), None)
        nested = found.get("absmax", self.absmax).dtype is torch.uint8
        needed = _SCALES[:3] if nested else _SCALES[:1]
        unexpected_keys += [
            _outer(prefix) + key for key in found if key not in (*_SCALES, "quant_map") and not key.startswith(STATE)
        ]
        missing = [name for name in needed if name not in found] + [f"{STATE}{self.quant_type}"] * (blob is None)
        if blob is None or missing:
            missing_keys += [_outer(prefix) + name for name in missing]
            return
        state = json.loads(bytes(blob.tolist()))
        if tuple(state["shape"]) != self.shape:
            error_msgs.append(f"{_outer(prefix)[:-1]} has shape {tuple(state['shape'])}, the model {self.shape}")
            return
        scales = [found[name] for name in needed]
        if "nested_offset" in state:
            scales.append(torch.tensor(state["nested_offset"], dtype=torch.float32))
        device, dtype = self.absmax.device, getattr(torch, state["dtype"])
        self._set(Weight4bit((blob, *scales), self.shape, dtype, state["quant_type"], state["blocksize"]))
        for name, tensor in self._buffers.items():
            self._buffers[name] = None if tensor is None else tensor.detach().to(device, copy=True)

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        _prepare()  # a whole model may be unpickled where nothing else has


def _refuse_cast(codes: Tensor) -> None:
    if codes.dtype is not torch.uint8:
        raise ValueError(f"the 4-bit codes of experts have been cast to {codes.dtype}, which makes other codes of them")


def _outer(prefix: str) -> str:
    """What the keys of a Stack4bit in a state_dict begin with: its parameter's name in place of its own."""
    return prefix.removesuffix(f"{_SUFFIX}.") + "."


def _before_load(module: Any, state_dict: dict[str, Any], prefix: str, *_: Any) -> None:
    """Hands scales on to the Stack4bit, under whose own name torch looks for them. Codes may lie as in a file of
    bitsandbytes, [bytes, 1]."""
    for name in stack_names(module):
        outer = f"{prefix}{name}."
        codes, own = state_dict.get(f"{prefix}{name}"), module._parameters[name]
        if codes is not None and own.dtype is torch.uint8 and codes.shape == (own.numel(), 1):
            state_dict[f"{prefix}{name}"] = codes.view(own.shape)
        for key in [key for key in state_dict if key.startswith(outer)]:
            state_dict[f"{prefix}{name}{_SUFFIX}.{key.removeprefix(outer)}"] = state_dict.pop(key)


@functools.cache
def _values_on_cpu(quant_type: ops.QuantType) -> Tensor:
    codes = torch.tensor([16 * 2 * i + 2 * i + 1 for i in range(8)], dtype=torch.uint8)
    return ops.dequantize_4bit((codes, torch.ones(1)), (16,), torch.float32, quant_type, 32)


def _values(quant_type: ops.QuantType, device: torch.device) -> Tensor:
    """bitsandbytes' quant_map: what the codes 0 to 15 stand for."""
    return _values_on_cpu(quant_type).to(device, copy=True)


def stack_names(module: Any) -> tuple[str, str]:
    return "gate_up_proj" if module.has_gate else "up_proj", "down_proj"


def stack_of(module: nn.Module, name: str) -> Stack4bit | None:
    """That of a parameter, or None where it is not quantized."""
    found = module._modules.get(name + _SUFFIX)
    return found if isinstance(found, Stack4bit) else None


def make_stacks_parameters(module: nn.Module) -> bool:
    """Makes parameters of a module's stacks that are weights with their scales, which FSDP can share out. Whether it
    has any. Raises ValueError where one's rows are not whole blocks."""
    children = module._modules.items()
    stacks = [(name.removesuffix(_SUFFIX), each) for name, each in children if isinstance(each, Stack4bit)]
    made = [(name, each, parameter_of(each.weight(_own(module, name)))) for name, each in stacks if each.has_scales]
    for name, each, parameter in made:
        module._parameters[name] = parameter
        each.give_up_scales()
    return bool(stacks)


def _own(module: nn.Module, name: str) -> Tensor:
    parameters: dict[str, Any] = module._parameters
    codes: Tensor = parameters[name]
    return codes


def quantize_experts(
    model: nn.Module,
    *,
    quant_type: ops.QuantType = "nf4",
    blocksize: int = 64,
    nested: bool = True,
    names: Callable[[str], bool] | None = None,
) -> ExpertsReport:
    """Quantizes the experts of a loaded model of transformers 5 to 4 bits, in place and where they lie.

        model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.bfloat16, quantization_config=bnb_4bit)
        print(qfuse.quantize_experts(model))

    It finds every module of transformers' experts interface by its fields. Its stacks, one after another, become frozen
    codes; each frees its memory. On a GPU the bits are those of bitsandbytes' quantize_4bit of a whole stack. The
    module's config gets the experts_implementation "qfuse". nested: quantize the scales too (bitsandbytes'
    "double quantization"). names: whether a module, by its name in the model, is to be quantized; by default each is.

    peft's LoRA over them, with target_parameters, then works as over any parameter, before or after: A and B have
    peft's shapes, and the product is qfuse.matmul_4bit_grouped_lora.

    A module is left as it is, with a warning and a reason in the report, where a stack is not of 16 or 32 bits, is on
    the meta device (offloaded) or another one than CPU and CUDA, is parametrized, distributed or expert-parallel, or
    where an expert is no whole number of blocks.

    Raises ValueError for a quant_type or blocksize that bitsandbytes lacks, and for a model without such a module;
    ImportError where that is because transformers is too old.
    """
    if quant_type not in QUANT_TYPES or blocksize not in _BLOCKSIZES:
        raise ValueError(
            f"quant_type is {quant_type!r} and blocksize {blocksize}, "
            f"they must be among {QUANT_TYPES} and {_BLOCKSIZES}"
        )
    found = list(_find(model))
    if not found:
        versions.require("transformers")  # of an older one the fields are others
        raise ValueError(
            f"{type(model).__name__} has no experts as transformers 5.23 has them, 3-D parameters behind its experts "
            "interface; experts that are linear layers are bitsandbytes' own affair"
        )
    _prepare()
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
    """save_pretrained() would split stacks into the checkpoint's matrices, and scales among them, which it cannot."""
    for part in model.modules():
        if hasattr(part, "_can_set_experts_implementation"):  # a PreTrainedModel
            vars(part)["_weight_conversions"] = []


def _find(model: nn.Module) -> Iterator[tuple[str, Any]]:
    """By fields of its own: a wrapper of peft's has all that its module has."""
    for name, module in model.named_modules():
        if vars(module).keys() >= _FIELDS:
            yield name, module


def _not_quantized(module: Any) -> list[str]:
    """Names of its stacks; of one where a call ended halfway, as for want of memory."""
    return [name for name in stack_names(module) if stack_of(module, name) is None]


def _why_not(module: Any, blocksize: int) -> str | None:
    """Why it cannot be quantized."""
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
def _quantize(module: Any, report: ExpertsReport, quant_type: ops.QuantType, blocksize: int, nested: bool) -> None:
    module.register_load_state_dict_pre_hook(_before_load)
    for name in _not_quantized(module):
        stack = module._parameters[name]
        codes, *scales = _encode(stack.detach().contiguous(), quant_type, blocksize, nested)
        codes = codes.view(*stack.shape[:-1], stack.shape[-1] // 2)
        weight = Weight4bit((codes, *scales), stack.shape, stack.dtype, quant_type, blocksize)
        report.bytes_before += stack.nbytes
        report.bytes_after += sum(tensor.nbytes for tensor in weight.tensors)
        module._parameters[name] = Parameter(codes, requires_grad=False)
        module.add_module(name + _SUFFIX, Stack4bit(weight))
    module.config._experts_implementation = {"": "qfuse"}  # of this config alone


def _encode(stack: Tensor, quant_type: ops.QuantType, blocksize: int, nested: bool) -> tuple[Tensor, ...]:
    """On a GPU bitsandbytes' bits, for which the offset is torch's mean."""
    reciprocal: ops.Reciprocal = "approx" if stack.is_cuda and torch.version.hip is None else "ieee"
    offset = None
    if not nested or reciprocal == "approx":
        codes, absmax = ops.quantize_4bit(stack, blocksize, quant_type, reciprocal)
        if not nested:
            return codes, absmax
        del codes
        offset = absmax.mean()
    return ops.quantize_4bit_nested(stack, blocksize, quant_type, NESTED_BLOCKSIZE, offset, reciprocal)


Adapter = tuple[Tensor, Tensor, float]  # A [experts, rank, k], B [experts, n, rank] and the scaling


def experts_forward(
    self: Any,
    hidden_states: Tensor,
    top_k_index: Tensor,
    top_k_weights: Tensor,
    qfuse_lora: dict[str, Adapter] | None = None,
) -> Tensor:
    """transformers' experts_implementation "qfuse": its grouped_mm, step for step, over stacks in 4 bits.

    A module that is not quantized goes to grouped_mm: a config may speak for modules of both kinds, and what cannot be
    quantized must still run. qfuse_lora: an adapter for each stack that has one, by its name.
    """
    up_name, down_name = stack_names(self)
    stack = stack_of(self, up_name)
    if stack is None:
        from transformers.integrations.moe import grouped_mm_experts_forward

        plain: Tensor = grouped_mm_experts_forward(self, hidden_states, top_k_index, top_k_weights)
        return plain

    top_k = top_k_index.size(-1)
    ids, order = top_k_index.reshape(-1).sort()
    experts = torch.arange(stack.shape[0], device=ids.device)
    ends = torch.searchsorted(ids, experts, right=True, out_int32=True)
    # Under expert parallelism, rows of other processes' experts are behind the last end, and never written.
    others = (ids >= stack.shape[0]).unsqueeze(-1) if self._is_expert_parallel else None

    x = hidden_states[order // top_k].to(stack.dtype)
    if others is not None:
        x = x.masked_fill(others, 0)  # and the gradient, which is not written either
    up = _multiply(self, up_name, x, ends, qfuse_lora)
    inner = self._apply_gate(up) if self.has_gate else self.act_fn(up)
    y = _multiply(self, down_name, inner, ends, qfuse_lora)
    if others is not None:
        y = y.masked_fill(others, 0)
    if self.has_post_expert_norm:
        y = self.post_expert_norm(y)
    weighted = y * top_k_weights.reshape(-1)[order].unsqueeze(-1)

    place = torch.empty_like(order)
    place[order] = torch.arange(order.numel(), device=order.device)
    return weighted[place].view(-1, top_k, y.size(-1)).sum(1).to(hidden_states.dtype)


def _multiply(module: Any, name: str, x: Tensor, ends: Tensor, adapters: dict[str, Adapter] | None) -> Tensor:
    weight = module._modules[name + _SUFFIX].weight(module._parameters[name])
    bias = module._parameters[f"{name}_bias"] if module.has_bias else None
    adapter = adapters.get(name) if adapters else None
    turned = module.is_transposed
    if adapter is None:
        return functional.matmul_4bit_grouped(x, weight, ends, bias=bias, is_transposed=turned)
    return functional.matmul_4bit_grouped_lora(x, weight, ends, *adapter, bias=bias, is_transposed=turned)


_interface = Patches(
    Registered("transformers.integrations.moe", "ALL_EXPERTS_FUNCTIONS", "qfuse", experts_forward),
    library="transformers",
)


def register() -> None:
    """Makes transformers know "qfuse", for good."""
    _interface.enable()


def _prepare() -> None:
    """register(), and peft, where it is installed, knows that codes are no weight."""
    global _is_prepared
    if _is_prepared:
        return
    register()
    if find_spec("peft") is None:
        return
    from .peft import cover_stacks

    try:
        _is_prepared = not cover_stacks().left
    except ImportError as error:  # which is nothing to who wants no LoRA
        warnings.warn(f"no LoRA over these experts: {error}", stacklevel=3)


_is_prepared = False
