"""The tensors of a model with LoRA adapters, as its 16-bit checkpoint would have them: planned by names, made later."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from .. import ops
from ..layers.experts import GroupedLinear4bit, Stack4bit, stack_of
from ..layers.inspection import is_bitsandbytes_linear, is_plain
from ..layers.linear import Linear4bit
from ..layers.linear_lora import Linear4bitLoRA
from ..layers.over_weight import OverWeight
from ..layers.packed_stack import Mxfp4Stack
from ..ops.functional import dequantize_int8
from ..weight.form import FLOAT_DTYPES
from ..weight.quant_state import read_weight
from ..weight.tensor import Weight4bitTensor
from ..weight.weight_4bit import Weight4bit, decode_in_shape, plain_weight

_WRAPPERS = ("_orig_mod", "_checkpoint_wrapped_module")  # of torch.compile and checkpoints, not in a file's names


class Addend(NamedTuple):
    """scale * (b @ a), for a weight [..., rows, cols]: a [..., rank, cols], b [..., rows, rank].

    magnitude: DoRA's, the length of each row of the sum or, if of_columns, of each column.
    """

    a: Tensor
    b: Tensor
    scale: float
    magnitude: Tensor | None = None
    of_columns: bool = False


@dataclass
class Change:
    """What adapters do to a tensor: rows that replace those of the base, then addends in their order."""

    rows: list[tuple[list[int], Tensor]] = field(default_factory=list)
    addends: list[Addend] = field(default_factory=list)

    def equals(self, other: "Change") -> bool:
        if [rows for rows, _ in self.rows] != [rows for rows, _ in other.rows]:
            return False
        if [addend.scale for addend in self.addends] != [addend.scale for addend in other.addends]:
            return False
        return all(_same(one, its) for one, its in zip(self._tensors(), other._tensors(), strict=True))

    def _tensors(self) -> list[Tensor | None]:
        return [values for _, values in self.rows] + [
            tensor for a, b, _, magnitude, _ in self.addends for tensor in (a, b, magnitude)
        ]


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return one is other or (one.shape == other.shape and torch.equal(whole(one), whole(other)))


@dataclass
class Planned:
    """A tensor of the checkpoint. base: its value without adapters, as the file would have it, maybe in more bits.

    identity: the base's parameter, which several names share if they are tied. dtype: that base decodes to, None of a
    tensor that is not quantized. frozen: the parameter as it was loaded, if it is not quantized. is_buffer: of torch.
    is_replaced: by a trained copy.
    """

    name: str
    base: Callable[[], Tensor]
    identity: Tensor | None
    dtype: torch.dtype | None = None
    change: Change = field(default_factory=Change)
    turned: bool = False
    frozen: Tensor | None = None
    is_buffer: bool = False
    is_replaced: bool = False

    @property
    def is_changed(self) -> bool:
        return self.is_replaced or bool(self.change.rows or self.change.addends)

    def has_own_dtype(self, dtype: torch.dtype) -> bool:
        """Whether the file has this tensor in another dtype than most, `dtype`. A parameter in float32 is so only if
        `dtype` cannot hold its values, because peft's prepare_model_for_kbit_training casts all of them to float32."""
        value = self.frozen
        if value is None or value.dtype is dtype:
            return False
        if value.dtype is not torch.float32 or self.is_buffer:
            return True
        value = whole(value)
        return not torch.equal(value.to(dtype).to(value.dtype), value)

    def make(self, dtype: torch.dtype | None) -> Tensor:
        """Adds in float32, rounds once to `dtype`, by default that of the base."""
        made = self.base()
        dtype = dtype or made.dtype
        for rows, values in self.change.rows:
            made = made.index_copy(0, torch.tensor(rows, device=made.device), whole(values).to(made))
        if not made.is_floating_point():
            return made
        addends = self.change.addends
        is_ours = self.dtype is not None or bool(self.change.rows)  # decoded or copied, not the parameter itself
        for addend in addends[:-1]:
            made, is_ours = _added(made, addend, torch.float32, is_ours), True
        made = _added(made, addends[-1], dtype, is_ours) if addends else made.to(dtype)
        return made.mT.contiguous() if self.turned else made


def _added(base: Tensor, addend: Addend, dtype: torch.dtype, over_base: bool) -> Tensor:
    """The steps of src/checkpoint/merge: merged.cpp, and dora.cpp, which sums squares in float64 in another order.

    over_base: the sum may overwrite the base, which spares memory and, for what the L2 cache holds, its bandwidth.
    """
    a, b = (whole(factor).to(base.device, torch.float32).contiguous() for factor in (addend.a, addend.b))
    matrix = base.contiguous() if base.dim() > 1 else base.contiguous().view(-1, 1)
    if addend.magnitude is None:
        out = matrix if over_base and dtype is matrix.dtype else torch.empty_like(matrix, dtype=dtype)
        return ops.lora_merge_out(matrix, a, b, addend.scale, out=out).view(base.shape)
    sums = ops.lora_merge(matrix, a, b, addend.scale, torch.float32)
    norms = torch.linalg.vector_norm(sums, dim=0 if addend.of_columns else 1, keepdim=True, dtype=torch.float64)
    lengths = whole(addend.magnitude).to(norms).view(norms.shape)
    return sums.mul_((lengths / norms).float()).to(dtype)


def whole(tensor: Tensor) -> Tensor:
    """Gathers a tensor that FSDP2 shards: a collective operation, in which every rank takes part."""
    if not hasattr(tensor, "full_tensor"):
        return tensor.detach()
    gathered: Tensor = tensor.full_tensor()
    return gathered.detach()


# ---- the walk


class Chosen(NamedTuple):
    """names: of adapters to merge; None: those that are active. int8: the dtype that LLM.int8 weights decode to."""

    names: tuple[str, ...] | None
    int8: torch.dtype

    def of(self, layer: Any, known: Iterable[str]) -> list[str]:
        """Returns the adapters of a layer of peft's to merge, in order. known: those that the layer has."""
        if self.names is None and layer.disable_adapters:
            return []
        names = layer.active_adapters if self.names is None else self.names
        return [name for name in names if name in known]


def is_peft(module: Any, name: str) -> bool:
    """Whether a module is of peft's class of that name, or derived from it; without importing peft."""
    kind: Any = type(module)
    return name in _peft_kinds(kind)


@functools.cache
def _peft_kinds(kind: Any) -> frozenset[str]:
    return frozenset(each.__name__ for each in kind.__mro__ if each.__module__.startswith("peft."))


def walk(module: Any, prefix: str, chosen: Chosen, changes: Mapping[str, Change] | None = None) -> Iterator[Planned]:
    """Yields the tensors below a module. prefix: its name, with a dot. changes: of its own tensors, by their names."""
    changes = changes or {}
    if is_peft(module, "ModulesToSaveWrapper"):
        names = chosen.of(module, module.modules_to_save)
        if len(names) > 1:
            raise ValueError(f"{prefix[:-1]}: several adapters have a copy of this module: {', '.join(names)}")
        frozen = {each.name: each for each in walk(module.original_module, prefix, chosen, changes)}
        if not names:
            yield from frozen.values()
            return
        for each in walk(module.modules_to_save[names[0]], prefix, chosen, changes):
            yield replace(each, frozen=frozen[each.name].frozen, is_replaced=True)
    elif is_peft(module, "TrainableTokensWrapper"):
        yield from walk(module.token_adapter.base_layer, prefix, chosen, _with_tokens(module, prefix, chosen, changes))
    elif is_peft(module, "ParamWrapper"):
        yield from walk(module.base_layer, prefix, chosen, _with_parameter(module, prefix, chosen, changes))
    elif is_peft(module, "LoraLayer"):
        yield from walk(module.base_layer, prefix, chosen, _with_layer(module, prefix, chosen, changes))
    elif is_peft(module, "BaseTunerLayer"):
        raise ValueError(f"{prefix[:-1]}: is a {type(module).__name__} of peft's; only LoRA can be merged here")
    elif is_peft(module, "PeftModel") or is_peft(module, "BaseTuner"):
        raise ValueError(f"{prefix[:-1]}: is a model of peft's within another: pass it itself")
    elif type(module).__name__ == "FullyShardedDataParallel":
        raise ValueError(f"{prefix[:-1] or 'the model'}: is sharded by FSDP1; FSDP2 (fully_shard) can be gathered")
    elif isinstance(module, OverWeight):
        yield from _of_own(module, prefix)
    else:
        yield from _of_module(module, prefix, chosen, changes)


def _of_module(module: Any, prefix: str, chosen: Chosen, changes: Mapping[str, Change]) -> Iterator[Planned]:
    names = [name for name, parameter in module._parameters.items() if parameter is not None]
    parametrized = list(getattr(module, "parametrizations", {}))
    stacks = {name: stack for name in names if (stack := stack_of(module, name)) is not None}
    for name in names + parametrized:
        yield replace(_plan(module, name, prefix, chosen.int8, stacks.get(name)), change=changes.get(name, Change()))
    if lacking := changes.keys() - {*names, *parametrized}:
        raise ValueError(f"{prefix}{min(lacking)}: is changed by an adapter, and the layer has none")
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._non_persistent_buffers_set:
            _check_plain(f"{prefix}{name}", buffer)
            yield Planned(f"{prefix}{name}", buffer.detach, None, frozen=buffer, is_buffer=True)
    for name, child in module._modules.items():
        if child is None or child in stacks.values() or name == "parametrizations":
            continue
        yield from walk(child, prefix if name in _WRAPPERS else f"{prefix}{name}.", chosen)


def _plan(module: Any, name: str, prefix: str, int8: torch.dtype, stack: Any) -> Planned:
    full = f"{prefix}{name}"
    if name not in module._parameters:
        return _plan_parametrized(module, name, full)
    parameter = module._parameters[name]
    if parameter.is_meta or (parameter.numel() == 0 and hasattr(parameter, "ds_id")):
        raise ValueError(f"{full}: has no values here (offloaded, or DeepSpeed's ZeRO-3): load the model onto a device")
    _check_shards(full, parameter)
    if stack is not None:
        turned = isinstance(stack, Mxfp4Stack) and module.is_transposed
        return Planned(
            full, lambda: _decoded(stack.weight(_gathered(parameter))), parameter, stack.dtype, turned=turned
        )
    if name == "weight" and type(module).__name__ == "Linear8bitLt" and parameter.dtype is torch.int8:
        _refuse_conv1d(module, full)
        return Planned(full, lambda: dequantize_int8(module, dtype=int8), parameter, int8)
    if name == "weight" and (isinstance(module, Linear4bit) or is_bitsandbytes_linear(module)):
        _refuse_conv1d(module, full)
        local = getattr(parameter, "_local_tensor", parameter)
        dtype = local.form.dtype if isinstance(local, Weight4bitTensor) else read_weight(module).dtype
        return Planned(full, lambda: _decoded(_weight_4bit(module, parameter)), parameter, dtype)
    _check_plain(full, parameter)
    frozen = None if parameter.requires_grad else parameter
    return Planned(full, lambda: whole(parameter), parameter, frozen=frozen)


def _plan_parametrized(module: Any, name: str, full: str) -> Planned:
    """bitsandbytes' own form of a parameter in 4 bits: decoded at each access."""
    parametrized = module.parametrizations[name]
    state = getattr(parametrized[0], "quant_state", None)
    if state is None or len(parametrized) > 1:
        raise ValueError(f"{full}: is parametrized by a {type(parametrized[0]).__name__}: remove that first")
    weight = read_weight(parametrized.original, state)
    return Planned(full, lambda: _decoded(weight), parametrized.original, weight.dtype)


def _of_own(module: Any, prefix: str) -> Iterator[Planned]:
    """Yields the tensors of qfuse's own layers with an adapter, Linear4bitLoRA and the stacks of Experts4bit."""
    of_experts = isinstance(module, GroupedLinear4bit)
    name, bias = (prefix[:-1], f"{prefix[:-1]}_bias") if of_experts else (f"{prefix}weight", f"{prefix}bias")
    if not of_experts and type(module) is not Linear4bitLoRA:
        raise ValueError(f"{prefix[:-1]}: is a {type(module).__name__}, which cannot be merged here")
    base = module.base
    _check_shards(name, base)
    local = getattr(base, "_local_tensor", base)
    dtype = (local if isinstance(local, Weight4bit) else local.form).dtype
    addends = []
    if module.lora_A is not None:
        a, b = (getattr(factor, "weight", factor) for factor in (module.lora_A, module.lora_B))
        turned = of_experts and module.is_transposed
        addends.append(Addend(b.mT, a.mT, module.scaling) if turned else Addend(a, b, module.scaling))
    yield Planned(name, lambda: _decoded(_weight_of(_gathered(base))), None, dtype, Change(addends=addends))
    if module.bias is not None:
        yield Planned(bias, lambda: whole(module.bias), None)


def _weight_of(held: Any) -> Weight4bit:
    weight: Weight4bit = held if isinstance(held, Weight4bit) else held.quant_state
    return weight


def _weight_4bit(module: Any, parameter: Any) -> Weight4bit:
    held = _gathered(parameter)
    return held.quant_state if isinstance(held, Weight4bitTensor) else read_weight(module)


def _decoded(weight: Weight4bit) -> Tensor:
    return decode_in_shape(plain_weight(weight))


def _gathered(parameter: Any) -> Any:
    return parameter.full_tensor() if hasattr(parameter, "full_tensor") else parameter


def _check_shards(name: str, parameter: Any) -> None:
    """Raises ValueError for what _gathered() cannot gather."""
    if not hasattr(parameter, "full_tensor"):
        return
    by_rows = all(placement.is_replicate() or placement.is_shard(0) for placement in parameter.placements)
    local = parameter._local_tensor
    if not by_rows or not (isinstance(local, Weight4bitTensor) or local.dtype in FLOAT_DTYPES):
        raise ValueError(
            f"{name}: is sharded as {parameter.placements}, which cannot be gathered; FSDP2 over qfuse.nn.Linear4bit "
            "can (qfuse.distributed.shardable makes these)"
        )


def _check_plain(name: str, tensor: Tensor) -> None:
    local = getattr(tensor, "_local_tensor", tensor)
    if not is_plain(local) or (isinstance(tensor, nn.Parameter) and tensor.dtype not in (*FLOAT_DTYPES, torch.float64)):
        raise ValueError(
            f"{name}: is a {type(local).__name__} of {tensor.dtype}, quantized by something that cannot be decoded here"
        )


def _refuse_conv1d(module: Any, name: str) -> None:
    if getattr(module, "source_cls", nn.Linear).__name__ == "Conv1D":
        raise ValueError(f"{name}: is the transpose of its file's tensor, a Conv1D: load this model in 16 bits")


def holds_codes(module: Any) -> bool:
    """Whether a module holds a quantized weight of a kind that walk() decodes."""
    own = isinstance(module, (OverWeight, Linear4bit, Stack4bit))
    return own or type(module).__name__ in ("Linear8bitLt", "Bnb4bitParametrization") or is_bitsandbytes_linear(module)


# ---- peft's layers


def _with_tokens(wrapper: Any, prefix: str, chosen: Chosen, changes: Mapping[str, Change]) -> Mapping[str, Change]:
    tokens = wrapper.token_adapter
    _refuse_merged(tokens, prefix)
    rows = [
        (tokens.token_indices[name], tokens.trainable_tokens_delta[name])
        for name in chosen.of(tokens, tokens.trainable_tokens_delta)
    ]
    return _joined(prefix, changes, {"weight": Change(rows=rows)} if rows else {})


def _with_parameter(wrapper: Any, prefix: str, chosen: Chosen, changes: Mapping[str, Change]) -> Mapping[str, Change]:
    """LoRA over a parameter: peft's A is [experts * rank, in], B [out, rank * experts], experts innermost."""
    _refuse_merged(wrapper, prefix)
    owner, parameter = wrapper.get_base_layer(), wrapper.parameter_name
    stack, experts = stack_of(owner, parameter), wrapper.num_experts
    inputs_last = wrapper._did_swap_in_out_features if stack is None else not stack.is_transposed(owner)
    addends = []
    for name in chosen.of(wrapper, wrapper.lora_A):
        a, b = wrapper.lora_A[name].weight, wrapper.lora_B[name].weight
        if len(getattr(stack, "shape", owner._parameters[parameter].shape)) == 3:
            a = a.view(experts, -1, a.shape[1])
            b = b.view(b.shape[0], -1, experts).permute(2, 0, 1)
            a, b = (a, b) if inputs_last else (b.mT, a.mT)
        addends.append(Addend(a, b, wrapper.scaling[name]))
    return _joined(prefix, changes, {parameter: Change(addends=addends)} if addends else {})


def _with_layer(layer: Any, prefix: str, chosen: Chosen, changes: Mapping[str, Change]) -> Mapping[str, Change]:
    """LoRA over a linear layer, a Conv1D or an embedding."""
    _refuse_merged(layer, prefix)
    weight, bias = Change(), Change()
    for name in chosen.of(layer, {**layer.lora_A, **layer.lora_embedding_A}):
        variant = type(getattr(layer, "lora_variant", {}).get(name)).__name__
        if variant != "NoneType" and not variant.startswith("Dora"):
            raise ValueError(f"{prefix[:-1]}: its adapter is {variant}, which cannot be merged here")
        addend = _addend_of(layer, name, prefix)
        if addend.magnitude is not None and weight.addends:
            raise ValueError(
                f"{prefix[:-1]}: its adapter '{name}' is DoRA's and follows another, whose sum it would rescale: "
                "give the DoRA adapter first"
            )
        weight.addends.append(addend)
        b_bias = getattr(layer.lora_B[name], "bias", None) if name in layer.lora_B else None
        if b_bias is not None:
            bias.addends.append(Addend(b_bias.new_ones(1, 1), b_bias.view(-1, 1), layer.scaling[name]))
    own = {name: change for name, change in (("weight", weight), ("bias", bias)) if change.addends}
    return _joined(prefix, changes, own)


def _joined(prefix: str, outer: Mapping[str, Change], own: Mapping[str, Change]) -> Mapping[str, Change]:
    if both := outer.keys() & own.keys():
        raise ValueError(f"{prefix}{min(both)}: is changed by two layers of peft's, one within the other")
    return {**outer, **own}


def _addend_of(layer: Any, name: str, prefix: str) -> Addend:
    is_embedding = name in layer.lora_embedding_A
    if is_embedding:
        a, b = layer.lora_embedding_A[name], layer.lora_embedding_B[name]
    else:
        a, b = layer.lora_A[name].weight, layer.lora_B[name].weight
    if a.dim() != 2 or is_peft(layer, "MultiheadAttention"):
        raise ValueError(
            f"{prefix[:-1]}: LoRA over a {type(layer.get_base_layer()).__name__} cannot be merged here; save the "
            "adapter, and merge file to file, by qfuse.merge"
        )
    turned = is_embedding or bool(getattr(layer, "fan_in_fan_out", False))
    magnitude = None
    if getattr(layer, "use_dora", {}).get(name):
        magnitude = layer.lora_magnitude_vector[name].weight
    return Addend(*((b.mT, a.mT) if turned else (a, b)), layer.scaling[name], magnitude, turned)


def _refuse_merged(layer: Any, prefix: str) -> None:
    if layer.merged_adapters:
        raise ValueError(
            f"{prefix[:-1]}: the adapters {', '.join(layer.merged_adapters)} are merged into it: "
            "model.unmerge_adapter() takes them out"
        )
