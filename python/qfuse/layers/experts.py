"""The experts of a MoE layer over stacks of 4-bit weights: as a module, and as parts of transformers' own modules,
where a parameter holds a stack's codes, with a Stack4bit beside it."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from .. import ops
from ..ops.functional import matmul_4bit_grouped, matmul_4bit_grouped_lora
from ..weight.form import FLOAT_DTYPES, NESTED_BLOCKSIZE, TENSORS, Form, QuantType
from ..weight.quant_state import read_weight
from ..weight.state_dict import BLOCKS, STATE, decoded_form, from_blocks, from_state_dict, to_blocks, to_state_dict
from ..weight.tensor import Weight4bitTensor, parameter_of
from ..weight.weight_4bit import Weight4bit, given, plain_weight, unnested
from .factors import local_of
from .over_weight import OverWeight

Activation = Callable[[Tensor, Tensor], Tensor]
_SUFFIX = "_4bit"  # of a Stack4bit's name, after its parameter's
_SCALES = TENSORS[1:]
Adapter = tuple[Tensor, Tensor, float]  # A [experts, rank, k], B [experts, n, rank] and the scaling
on_unpickling: list[Callable[[], None]] = []  # called when a whole model is unpickled

_STACKS = ("gate_up_proj", "down_proj")  # transformers' names


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """silu(gate) * up"""
    return nn.functional.silu(gate) * up


def clamped_swiglu(gate: Tensor, up: Tensor, alpha: float = 1.702, limit: float = 7.0) -> Tensor:
    """gpt-oss' activation: gate * sigmoid(alpha * gate) * (up + 1), gates clamped to limit, ups to -limit to limit."""
    gate, up = gate.clamp(max=limit), up.clamp(-limit, limit)
    return (up + 1) * (gate * torch.sigmoid(gate * alpha))


class GroupedLinear4bit(OverWeight):
    """A linear layer of all experts over a stack of frozen 4-bit weights: x [m, k] sorted by expert to [m, n].

    weight: see Experts4bit. Its parameters and its state_dict are only those of an adapter, lora_A [experts, rank, k]
    and lora_B [experts, n, rank], or nothing if rank is 0; OverWeight documents how the weight is moved and saved.
    """

    lora_A: nn.Parameter | None
    lora_B: nn.Parameter | None
    bias: Tensor | None

    def __init__(
        self,
        weight: Weight4bit,
        bias: Tensor | None = None,
        is_transposed: bool = False,
        rank: int = 0,
        alpha: float | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        if len(weight.shape) != 3:
            raise ValueError(f"the weight has shape {tuple(weight.shape)}, it must be a stack of matrices")
        if rank < 0:
            raise ValueError(f"rank is {rank}, it must be 0 or more")
        self.base, self.is_transposed, self.rank = weight, is_transposed, rank
        self.num_experts, rows, cols = weight.shape
        self.in_features, self.out_features = (rows, cols) if is_transposed else (cols, rows)
        self.scaling = (rank if alpha is None else alpha) / max(rank, 1)
        self.register_buffer("bias", None if bias is None else bias.detach(), persistent=False)
        self.lora_A = self.lora_B = None
        if rank > 0:
            place: dict[str, Any] = {"device": weight.device, "dtype": dtype}
            self.lora_A = nn.Parameter(torch.empty(self.num_experts, rank, self.in_features, **place))
            self.lora_B = nn.Parameter(torch.empty(self.num_experts, self.out_features, rank, **place))
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initializes the adapter so that it changes nothing."""
        if self.lora_A is not None and self.lora_B is not None:
            nn.init.uniform_(self.lora_A, -(self.in_features**-0.5), self.in_features**-0.5)  # like nn.Linear's weight
            nn.init.zeros_(self.lora_B)

    def forward(self, x: Tensor, expert_ends: Tensor) -> Tensor:
        options: dict[str, Any] = {"bias": self.bias, "is_transposed": self.is_transposed}
        if self.lora_A is None or self.lora_B is None:
            return matmul_4bit_grouped(x, self.base, expert_ends, **options)
        factors = local_of(self.lora_A), local_of(self.lora_B)
        return matmul_4bit_grouped_lora(x, self.base, expert_ends, *factors, self.scaling, **options)

    def extra_repr(self) -> str:
        """The layer's text in print(model)."""
        base = f"{self.num_experts}, in_features={self.in_features}, out_features={self.out_features}"
        return f"{base}, bias={self.bias is not None}, quant_type={self.quant_type}, rank={self.rank}"


class Experts4bit(nn.Module):
    """The experts of a MoE layer over stacks of 4-bit weights. Replaces a module of transformers that has gate_up_proj
    and down_proj: forward has its arguments and result.

        weights = qfuse.load_checkpoint(path)
        name = "model.layers.0.mlp.experts"
        experts = qfuse.nn.Experts4bit(weights[f"{name}.gate_up_proj"], weights[f"{name}.down_proj"], rank=16)
        layer.mlp.experts = qfuse.nn.Experts4bit.from_module(layer.mlp.experts)   # quantizes it

    gate_up, down: stacks [experts, 2 * intermediate, hidden] and [experts, hidden, intermediate] or, if is_transposed,
    as in gpt-oss, [experts, inputs, outputs]. Each is a weight that qfuse.matmul_4bit_grouped accepts, or a float
    tensor, which is quantized (quant_type, blocksize, nested). Quantized weights are not copied and never change.
    gate_up_bias, down_bias: [experts, outputs]; they are not trained. activation: a function of gates and ups, by
    default silu(gate) * up; clamped_swiglu is gpt-oss'. is_concatenated: the outputs of gate_up are all gates, then all
    ups; otherwise gates and ups alternate.

    rank: of an adapter over each stack; 0: no adapter. Its parameters are gate_up_proj.lora_A, gate_up_proj.lora_B and
    those of down_proj, [experts, rank, inputs] and [experts, outputs, rank]; untrained, it changes nothing. Its output
    is multiplied by alpha / rank; alpha is the rank by default. dtype: of the adapter's parameters.

    state_dict has only the adapter; to_state_dict has the stacks. Raises ValueError for stacks that do not fit.
    """

    def __init__(
        self,
        gate_up: Any,
        down: Any,
        *,
        gate_up_bias: Tensor | None = None,
        down_bias: Tensor | None = None,
        activation: Activation = swiglu,
        is_transposed: bool = False,
        is_concatenated: bool = True,
        rank: int = 0,
        alpha: float | None = None,
        dtype: torch.dtype = torch.float32,
        quant_type: QuantType = "nf4",
        blocksize: int = 64,
        nested: bool = True,
    ) -> None:
        super().__init__()
        stacks = [_stack(weight, quant_type, blocksize, nested) for weight in (gate_up, down)]
        adapter = is_transposed, rank, alpha, dtype
        self.gate_up_proj = GroupedLinear4bit(stacks[0], gate_up_bias, *adapter)
        self.down_proj = GroupedLinear4bit(stacks[1], down_bias, *adapter)
        self.activation, self.is_transposed, self.is_concatenated = activation, is_transposed, is_concatenated
        self.num_experts, self.hidden_size = self.gate_up_proj.num_experts, self.gate_up_proj.in_features
        expected = self.num_experts, self.gate_up_proj.out_features // 2, self.hidden_size
        found = self.down_proj.num_experts, self.down_proj.in_features, self.down_proj.out_features
        if found != expected or self.gate_up_proj.out_features % 2 != 0:
            raise ValueError(
                f"gate_up and down have the shapes {tuple(stacks[0].shape)} and {tuple(stacks[1].shape)}, they must be "
                "[experts, 2 * intermediate, hidden] and [experts, hidden, intermediate], or both transposed"
            )
        for stack in (self.gate_up_proj, self.down_proj):
            if stack.bias is not None and stack.bias.shape != (self.num_experts, stack.out_features):
                shape = tuple(stack.bias.shape)
                raise ValueError(f"a bias has shape {shape}, it must be [{self.num_experts}, {stack.out_features}]")

    @classmethod
    def from_module(cls, module: nn.Module, *, activation: Activation | None = None, **options: Any) -> "Experts4bit":
        """Takes stacks, biases and layout from a module of transformers, and quantizes stacks that are not quantized.

        activation: by default act_fn(gate) * up, or gpt-oss' for its module; required for a module with another one.
        """
        if activation is None:
            activation = _activation_of(module)
        stored = stack_of(module, _STACKS[0])
        if stored is not None:
            options.setdefault("is_transposed", stored.is_transposed(module))
        for name in ("is_transposed", "is_concatenated"):
            options.setdefault(name, getattr(module, name, name == "is_concatenated"))
        options |= {f"{kind}_bias": getattr(module, f"{kind}_proj_bias", None) for kind in ("gate_up", "down")}
        gate_up, down = (_stored(module, name) for name in _STACKS)
        return cls(gate_up, down, activation=activation, **options)

    @classmethod
    def from_state_dict(cls, state: Mapping[str, Tensor], prefix: str = "", **options: Any) -> "Experts4bit":
        """Reads what to_state_dict returns or a checkpoint of bitsandbytes or gpt-oss has, under names that begin with
        the prefix."""
        gate_up, down = (_from_state_dict(state, f"{prefix}{name}") for name in _STACKS)
        options |= {f"{kind}_bias": state.get(f"{prefix}{kind}_proj_bias") for kind in ("gate_up", "down")}
        return cls(gate_up, down, **options)

    def to_state_dict(self, prefix: str = "") -> dict[str, Tensor]:
        """Returns the stacks and biases, without the adapter, under the names of bitsandbytes and transformers:
        gate_up_proj, gate_up_proj.absmax and so on. bitsandbytes has no form for a stack whose experts are each nested
        by themselves: such a stack gets plain absmax of the same values. Stacks in MXFP4 get gpt-oss' names and shapes,
        gate_up_proj_blocks and gate_up_proj_scales. Raises ValueError for INT4 and NVFP4, which no stack has in
        files."""
        found: dict[str, Tensor] = {}
        for name in _STACKS:
            stack: GroupedLinear4bit = getattr(self, name)
            weight = stack.weight_4bit
            write = to_blocks if weight.quant_type == "mxfp4" else to_state_dict
            found |= write(unnested(weight), f"{prefix}{name}")
            if stack.bias is not None:
                found[f"{prefix}{name}_bias"] = stack.bias
        return found

    def forward(self, hidden_states: Tensor, top_k_index: Tensor, top_k_weights: Tensor) -> Tensor:
        """Sends each row of hidden_states [tokens, hidden] to its experts in top_k_index [tokens, k] and sums their
        results with the weights top_k_weights [tokens, k], in the wider of both dtypes. Returns [tokens, hidden] in
        hidden_states' dtype. A GPU is not synchronized. An index of num_experts or more belongs to no expert, as in a
        process with a part of the experts, and adds nothing."""
        return mixed(hidden_states, top_k_index, top_k_weights, self.num_experts, self._forward_sorted)

    def _forward_sorted(self, x: Tensor, ends: Tensor) -> Tensor:
        y: Tensor = self.down_proj(self.activation(*self._split(self.gate_up_proj(x, ends))), ends)
        return y

    def _split(self, gate_up: Tensor) -> tuple[Tensor, Tensor]:
        if self.is_concatenated:
            gate, up = gate_up.chunk(2, -1)
            return gate, up
        return gate_up[..., ::2], gate_up[..., 1::2]


def mixed(
    hidden_states: Tensor,
    top_k_index: Tensor,
    top_k_weights: Tensor,
    num_experts: int,
    layer: Callable[[Tensor, Tensor], Tensor],
    norm: Callable[[Tensor], Tensor] | None = None,
    may_lack_experts: bool = True,
) -> Tensor:
    """Implements the forward of a MoE layer's experts: see Experts4bit. layer: maps rows sorted by expert, and the
    experts' ends, to the same number of rows. norm: is applied to these. may_lack_experts: whether an index may belong
    to no expert, as in a process with a part of the experts."""
    k = top_k_index.shape[-1]
    experts, order = torch.sort(top_k_index.reshape(-1), stable=True)
    every = torch.arange(num_experts, dtype=experts.dtype, device=experts.device)
    ends = torch.searchsorted(experts, every, right=True, out_int32=True)
    y = layer(hidden_states[order // k], ends)
    if may_lack_experts:  # rows of no expert are uninitialized: NaN times a weight of 0 is NaN
        y = y.masked_fill((experts >= num_experts)[:, None], 0)
    if norm is not None:
        y = norm(y)
    shares = y * top_k_weights.reshape(-1)[order, None]
    places = torch.empty_like(order)
    places[order] = torch.arange(order.numel(), device=order.device)
    # A single sum with a deterministic order, unlike index_add_ on a GPU.
    found: Tensor = shares[places].view(-1, k, y.shape[-1]).sum(1).to(hidden_states.dtype)
    return found


def _from_state_dict(state: Mapping[str, Tensor], name: str) -> Weight4bit:
    return (from_blocks if name + BLOCKS in state else from_state_dict)(state, name)


def _stack(weight: Any, quant_type: QuantType, blocksize: int, nested: bool) -> Weight4bit:
    is_dense = isinstance(weight, Tensor) and weight.dtype in FLOAT_DTYPES and not hasattr(weight, "quant_state")
    if not is_dense:
        return plain_weight(read_weight(weight))
    if weight.dim() != 3:
        raise ValueError(f"the weight has shape {tuple(weight.shape)}, it must be a stack of matrices")
    return encoded_stack(weight, quant_type, blocksize, nested)


def encoded_stack(
    stack: Tensor, quant_type: QuantType, blocksize: int, nested: bool, reciprocal: ops.Reciprocal = "ieee"
) -> Weight4bit:
    """reciprocal: "approx" gives the bits of bitsandbytes on a GPU, where the nested offset is torch's mean."""
    dense = stack.detach().contiguous()
    tensors: tuple[Tensor, ...]
    if nested:
        offset = (
            ops.quantize_4bit(dense, blocksize, quant_type, reciprocal)[1].mean() if reciprocal == "approx" else None
        )
        tensors = ops.quantize_4bit_nested(dense, blocksize, quant_type, NESTED_BLOCKSIZE, offset, reciprocal)
    else:
        tensors = ops.quantize_4bit(dense, blocksize, quant_type, reciprocal)
    return Weight4bit(tensors, tuple(dense.shape), dense.dtype, quant_type, blocksize)


def _activation_of(module: Any) -> Activation:
    """Returns a function that does not refer to the module, because that would keep its weights alive."""
    if type(module).__name__ == "GptOssExperts":
        return functools.partial(clamped_swiglu, alpha=module.alpha, limit=module.limit)
    gate = getattr(type(module), "_apply_gate", None)
    has_own_gate = gate is not None and gate.__module__ != "transformers.integrations.moe"
    act_fn = getattr(module, "act_fn", None)
    if act_fn is None or has_own_gate:
        raise ValueError(f"a {type(module).__name__} has an activation of its own: pass it as activation")
    return lambda gate, up: act_fn(gate) * up


def _stored(module: nn.Module, name: str) -> Any:
    """Returns a module's stack, which may be in 4 bits or parametrized by bitsandbytes to be decoded at each access."""
    stack = stack_of(module, name)
    if stack is not None:
        return stack.weight(_own(module, name))
    if name not in getattr(module, "parametrizations", {}):
        return getattr(module, name)
    parametrized: Any = module.parametrizations[name]  # type: ignore[index]
    state = getattr(parametrized[0], "quant_state", None)
    return parametrized.original if state is None else read_weight(parametrized.original, state)


# ---- stacks in transformers' modules


def name_of(parameter: str) -> str:
    """Returns the name of the Stack4bit beside a parameter."""
    return parameter + _SUFFIX


class Stack4bit(nn.Module):
    """All of a stack but its codes, which are a parameter of its owner. It moves with its owner but is never cast."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    absmax: Tensor
    keeps_scales = False  # if FSDP shards the codes

    def __init__(self, weight: Weight4bit) -> None:
        super().__init__()
        self._set(weight)

    def _set(self, weight: Weight4bit) -> None:
        self.shape, self.dtype = tuple(weight.shape), weight.dtype
        self.quant_type, self.blocksize = weight.quant_type, weight.blocksize
        # For state dicts, which then need no GPU synchronization.
        self.offset = None if weight.nested_offset is None else float(weight.nested_offset)
        scales = [*weight.tensors[1:], None, None, None]
        for name, tensor in zip(_SCALES, scales, strict=False):
            self.register_buffer(name, tensor, persistent=False)

    def weight(self, codes: Tensor) -> Weight4bit:
        """codes: the owner's parameter."""
        if isinstance(codes, Weight4bitTensor):
            return codes.quant_state
        _refuse_cast(codes)
        scales = given(*self._buffers.values())
        return Weight4bit((codes, *scales), *self.form)

    @property
    def form(self) -> Form:
        return Form(self.shape, self.dtype, self.quant_type, self.blocksize)

    @property
    def has_scales(self) -> bool:
        """False if the parameter has them: see make_stacks_parameters."""
        return any(tensor is not None for tensor in self._buffers.values())

    def is_transposed(self, owner: Any) -> bool:
        """Whether rows of the weight are inputs: the weight has the layout of the parameter that it replaces."""
        transposed: bool = owner.is_transposed
        return transposed

    def give_up_scales(self) -> None:
        self._buffers = dict.fromkeys(self._buffers)

    def extra_repr(self) -> str:
        nested = self.offset is not None
        return f"{self.shape}, {self.dtype}, quant_type={self.quant_type}, blocksize={self.blocksize}, nested={nested}"

    def _apply(self, fn: Any, recurse: bool = True) -> "Stack4bit":
        """Implements to(), cuda(), half() and so on. Bytes are moved, but not cast."""
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
        absmax, name = self.absmax, _outer(prefix).removesuffix(".")
        scales = Weight4bit((absmax, *given(*self._buffers.values())), *self.form)
        _, *others = to_state_dict(scales, name, self.offset).items()  # drops the codes, for which absmax was passed
        destination |= {key: tensor.to(absmax.device) for key, tensor in others}

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
        form, offset = decoded_form(blob)
        if form.shape != self.shape:
            error_msgs.append(f"{_outer(prefix)[:-1]} has shape {form.shape}, the model {self.shape}")
            return
        scales = given(*(found[name] for name in needed), offset)
        device = self.absmax.device
        self._set(Weight4bit((blob, *scales), *form))
        for name, tensor in self._buffers.items():
            self._buffers[name] = None if tensor is None else tensor.detach().to(device, copy=True)

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        for prepare in on_unpickling:
            prepare()


def _refuse_cast(codes: Tensor) -> None:
    if codes.dtype is not torch.uint8:
        raise ValueError(f"the 4-bit codes of experts have been cast to {codes.dtype}, which makes other codes of them")


def _outer(prefix: str) -> str:
    """Returns the prefix of a Stack4bit's keys in a state dict: its parameter's name instead of its own."""
    return prefix.removesuffix(f"{_SUFFIX}.") + "."


def before_load(module: Any, state_dict: dict[str, Any], prefix: str, *_: Any) -> None:
    """Renames scales' keys to the Stack4bit's own name, where torch looks for them, and reshapes codes in bitsandbytes'
    file layout, [bytes, 1]."""
    for name in stack_names(module):
        outer = f"{prefix}{name}."
        codes, own = state_dict.get(f"{prefix}{name}"), module._parameters[name]
        if codes is not None and own.dtype is torch.uint8 and codes.shape == (own.numel(), 1):
            state_dict[f"{prefix}{name}"] = codes.view(own.shape)
        for key in [key for key in state_dict if key.startswith(outer)]:
            state_dict[f"{prefix}{name}{_SUFFIX}.{key.removeprefix(outer)}"] = state_dict.pop(key)


def stack_names(module: Any) -> tuple[str, str]:
    return "gate_up_proj" if module.has_gate else "up_proj", "down_proj"


def stack_of(module: nn.Module, name: str) -> Stack4bit | None:
    """Returns the Stack4bit beside a parameter, or None if the parameter is not quantized."""
    found = module._modules.get(name + _SUFFIX)
    return found if isinstance(found, Stack4bit) else None


def make_stacks_parameters(module: nn.Module) -> bool:
    """Makes each stack of a module one parameter, codes and scales, which FSDP can shard. Returns whether the module
    has stacks. Raises ValueError if a stack's rows are not whole blocks."""
    children = module._modules.items()
    stacks = [(name.removesuffix(_SUFFIX), each) for name, each in children if isinstance(each, Stack4bit)]
    cut = [(name, each) for name, each in stacks if each.has_scales and not each.keeps_scales]
    made = [(name, each, parameter_of(each.weight(_own(module, name)))) for name, each in cut]
    for name, each, parameter in made:
        module._parameters[name] = parameter
        each.give_up_scales()
    return bool(stacks)


def _own(module: nn.Module, name: str) -> Tensor:
    parameters: dict[str, Any] = module._parameters
    codes: Tensor = parameters[name]
    return codes
