"""Computes peft's LoRA layers over a 4-bit linear layer by qfuse: decides which layers are covered, and has their
forward."""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ..layers.factors import bias_of, factor_of
from ..layers.inspection import (
    has_global_hooks,
    is_bare,
    is_bare_linear,
    is_bitsandbytes_linear,
    is_dropping,
    is_hooked,
    is_plain,
)
from ..layers.linear import Linear4bit
from ..layers.packed_linear import PackedLinear
from ..ops import rotated_products
from ..ops.functional import multiply_with_lora, scaled
from ..ops.gradients import is_autocast, needs_gradient
from ..ops.orders import int8_order, is_slower_than_bitsandbytes
from ..patching.patch import Patches
from ..weight.form import FLOAT_DTYPES
from ..weight.quant_state import decodable_weight, is_repacked, read_weight, refuse_cast, unpacked_weight
from ..weight.tensor import Weight4bitTensor
from ..weight.weight_4bit import Weight4bit

in_int8 = Patches()  # replaces nothing: a flag that multiplies_in_int8 reads
IN_INT8 = "int8", "int8_kept"
_PRODUCTS = "_qfuse_products"  # attribute of a layer that overrides in_int8
MERGED = "_qfuse_merged"  # attribute of a layer that multiplies by its merged weight (peft_merge_aware.py)


def is_base(module: Any) -> bool:
    return type(module) in (Linear4bit, PackedLinear) or is_bitsandbytes_linear(module)


class _Covered(NamedTuple):
    adapters: list[str]
    weight: Weight4bit


def examine(layer: Any, x: Tensor | None = None) -> _Covered | str:
    """Returns a peft layer's active adapters and weight, or why peft computes it now. x: the input, if in a call."""
    if layer.disable_adapters:
        return "its adapters are disabled"
    if layer.merged_adapters:
        return "an adapter is merged into it"
    modules = layer._modules  # faster than attribute access through nn.Module.__getattr__
    base, a_of, b_of = modules["base_layer"], modules["lora_A"]._modules, modules["lora_B"]._modules
    if not is_base(base):
        return f"its base layer is a {type(base).__module__}.{type(base).__name__}"
    active = [name for name in layer.active_adapters if name in a_of]
    if not active:
        return "none of its adapters is active"
    for name in active:
        dropout = modules["lora_dropout"]._modules[name]
        reason = why_not_factors(layer, (a_of[name], b_of[name]), dropout, name, len(active), in_forward=x is not None)
        if reason:
            return reason
    if is_hooked(base):
        return "its base layer has hooks, or a forward that was replaced"
    if x is not None and not base.compute_type_is_set:  # like Linear4bit's own forward
        base.set_compute_type(x)
        base.compute_type_is_set = True
    if base.compute_dtype is torch.float32 and not is_autocast(base.weight.device.type):
        return "it computes in float32"
    weight = weight_of(base, layer, x)
    return "its weight is not one that qfuse decodes" if weight is None else _Covered(active, weight)


def why_not_factors(
    layer: Any, factors: tuple[Any, Any], dropout: Any, name: str, count: int, in_forward: bool
) -> str | None:
    if name in getattr(layer, "lora_variant", ()) or getattr(layer, "use_dora", {}).get(name):
        return "its adapter is more than A and B, as that of DoRA"
    if not all(is_bare_linear(factor, in_forward) for factor in factors):
        return "its adapter has a bias, hooks, a parametrization, or layers of another kind"
    if not is_bare(dropout, nn.Identity, nn.Dropout) or getattr(dropout, "inplace", False):
        return f"its dropout is {dropout}, or has hooks"
    if count > 1 and is_dropping(dropout):
        return f"{count} of its adapters are active, each with a dropout of its own"
    return None


def weight_of(base: Any, layer: Any, x: Tensor | None) -> Weight4bit | None:
    if isinstance(base, PackedLinear):
        return base.weight_4bit if x is None or is_plain(base.weight_packed) else None
    weight = base._parameters.get("weight")
    part = getattr(weight, "_local_tensor", None)
    if x is None and part is not None:  # sharded by FSDP, which gathers the weight in each forward
        is_own = isinstance(part, Weight4bitTensor)
        return part.whole_form(weight.shape) if is_own else read_weight(part, base.quant_state)
    if isinstance(weight, Weight4bitTensor):
        return weight.quant_state
    if weight is None or not is_plain(weight):
        return None
    state = getattr(weight, "quant_state", None)
    if state is None:
        state = base.quant_state
        if state is None:
            return None
        if x is not None:
            weight = _with_state(base)
    if is_repacked(state):  # bitsandbytes' CPU kernel for a repacked weight has no gradient
        is_trained = torch.is_grad_enabled() if x is None else needs_gradient(x, *layer.parameters())
        return unpacked_weight(weight, state) if is_trained else None
    refuse_cast(weight, state, base)
    found = decodable_weight(weight, state)
    return found if found is not None and len(found.shape) == 2 else None


def _with_state(base: Any) -> Tensor:
    """Restores the quant_state of a weight that became a plain tensor, under FSDP or in a copy of a loaded model. Like
    bitsandbytes' forward, it does so in place, because later merges or copies of the model need it."""
    from bitsandbytes.nn.modules import fix_4bit_weight_quant_state_from_module

    fix_4bit_weight_quant_state_from_module(base)
    mended: Tensor = base._parameters["weight"]
    return mended


def _forward(self: Any, x: Tensor, *args: Any, **kwargs: Any) -> Tensor | None:
    # peft's other arguments select adapters per sample.
    if args or any(value is not None for value in kwargs.values()) or has_global_hooks():
        return None
    covered = examine(self, x)
    if isinstance(covered, str):
        return None
    weight, base = covered.weight, self._modules["base_layer"]
    dtype = compute_dtype_of(base, x)
    if dtype is None or x.device != weight.device or x.shape[-1:] != weight.shape[1:]:
        return None
    given = x.to(dtype)
    order = int8_order(given, weight.shape, weight.blocksize) if multiplies_in_int8(self) else None
    if order is not None:
        keep_scales(base, vars(self).get(_PRODUCTS))
    elif not needs_gradient(x, *self.parameters()):
        is_slower = is_slower_than_bitsandbytes(given, weight.shape, weight.blocksize)
        if is_slower and is_bitsandbytes_linear(base):
            return None
    bias = bias_of(base)
    bias = None if bias is None else bias.to(dtype)
    return multiply_with_lora(given, weight, bias, *_adapter(self, covered.adapters, given), order).to(x.dtype)


def multiplies_in_int8(layer: Any) -> bool:
    own = vars(layer).get(_PRODUCTS)
    if vars(layer).get(MERGED) is not None:
        return False
    return in_int8.is_enabled if own is None else own in IN_INT8


def set_products(layer: Any, products: str | None) -> None:
    setattr(layer, _PRODUCTS, products)
    if products in IN_INT8:
        keep_scales(layer.get_base_layer(), products)


def keep_scales(base: Any, products: str | None) -> None:
    """Caches INT8 scales, and for "int8_kept" codes, only for bitsandbytes' own parameter, whose memory FSDP does not
    rewrite unnoticed."""
    weight = base._parameters.get("weight")
    if hasattr(weight, "bnb_quantized") and not torch.compiler.is_compiling():
        rotated_products.keep_scales(weight, codes=products == "int8_kept")


def compute_dtype_of(base: Any, x: Tensor) -> torch.dtype | None:
    """Returns the dtype to multiply in, or None if peft computes the layer."""
    dtype = x.dtype if base.compute_dtype is None else base.compute_dtype
    if dtype is torch.float32:
        kind = x.device.type
        dtype = torch.get_autocast_dtype(kind) if is_autocast(kind) else None
    return dtype if dtype in FLOAT_DTYPES else None


def _adapter(layer: Any, names: list[str], x: Tensor) -> tuple[Tensor, Tensor, float, Tensor | None]:
    """Returns A, B, the scale, and A's input if that is not x. Several adapters become one, whose rank is their sum."""
    modules, scaling = layer._modules, layer.scaling
    a_of, b_of = modules["lora_A"]._modules, modules["lora_B"]._modules
    if len(names) > 1:
        lora_a = torch.cat([factor_of(a_of[name]) for name in names])
        return lora_a, torch.cat([factor_of(b_of[name]) * scaling[name] for name in names], 1), 1.0, None
    (name,) = names
    dropout = modules["lora_dropout"]._modules[name]
    lora_b, factor = scaled(factor_of(b_of[name]), scaling[name])
    return factor_of(a_of[name]), lora_b, factor, dropout(x) if is_dropping(dropout) else None


def forward_of_any(self: Any, x: Tensor, *args: Any, **kwargs: Any) -> Tensor | None:
    """Forward of peft's generic LoRA Linear, of which most are over a plain nn.Linear: returns None for those."""
    return _forward(self, x, *args, **kwargs) if is_base(self._modules["base_layer"]) else None


def forward_of_bnb(self: Any, x: Tensor, *args: Any, **kwargs: Any) -> Tensor | None:
    """Forward of peft's Linear4bit. Returns the dtype of peft's sum; under autocast, its two addends are promoted."""
    y = _forward(self, x, *args, **kwargs)
    if y is None or not torch.is_autocast_enabled():  # CUDA's autocast, which peft checks on any device
        return y
    return y.to(torch.promote_types(y.dtype, torch.get_autocast_dtype(x.device.type)))
