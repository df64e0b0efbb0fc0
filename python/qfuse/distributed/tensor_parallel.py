"""Tensor parallelism for 4-bit layers and their adapters: styles for torch's parallelize_module.

    from torch.distributed.tensor.parallel import parallelize_module
    parallelize_module(model, mesh["tp"], {
        "layers.*.self_attn.[qkv]_proj": ColwiseLinear4bit(),
        "layers.*.self_attn.o_proj": RowwiseLinear4bit(),
    })

A layer is a qfuse.nn.Linear4bit, a qfuse.nn.Linear4bitLoRA, or peft's LoRA layer over a Linear4bit. Each rank
multiplies by its part of the codes. An adapter is cut with its layer, so that both are in one sum over ranks:

    colwise, W_r are rows of W:     y_r = x·W_rᵀ + s·(x·Aᵀ)·B_rᵀ                 A whole, rows of B; dx and dA are sums
    rowwise, W_r are columns of W:  y = Σ_r (x_r·W_rᵀ + s·(x_r·A_rᵀ)·Bᵀ) + bias   columns of A, B whole; dB is a sum

A colwise output has the bits of one GPU. A rowwise output is a sum over ranks, in their order, of partial results that
are each rounded to x's dtype: see collectives.py.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ParallelStyle

from ..layers.collectives import collected, copied, gathered, once, scattered_sum, summed
from ..layers.experts import Experts4bit, GroupedLinear4bit
from ..layers.factors import Factor
from ..layers.linear import Linear4bit
from ..layers.over_weight import OverWeight
from ..weight.tensor import Weight4bitTensor, parameter_of
from ..weight.weight_4bit import Weight4bit
from .shards import shard

_TOKENS = -2  # dimension of activations that sequence parallelism cuts


@dataclass(frozen=True)
class Cut:
    """Describes the whole weight that a module has a part of: attribute `cut` of a module that a style has cut."""

    mesh: DeviceMesh
    dim: int
    whole: Weight4bit  # its codes and absmax are empty; its nested arrays are complete

    @property
    def rank(self) -> int:
        return self.mesh.get_local_rank()

    @property
    def ranks(self) -> int:
        return self.mesh.size()


def cut_module(module: nn.Module, mesh: DeviceMesh, dim: int) -> None:
    """Replaces the weight of a Linear4bit or OverWeight by this rank's part."""
    name = "base" if isinstance(module, OverWeight) else "weight"
    held: Any = getattr(module, name)
    if not isinstance(held, (Weight4bit, Weight4bitTensor)):
        raise ValueError(f"{name} is a {type(held).__name__}: cut a layer once, and before FSDP shares it out")
    if "cut" in vars(module):
        raise ValueError("the layer is cut already")
    weight = held if isinstance(held, Weight4bit) else held.quant_state
    ranks = mesh.size()
    if weight.shape[dim] % ranks != 0:
        raise ValueError(f"dimension {dim} of {tuple(weight.shape)} cannot be cut into {ranks} equal parts")
    part = shard(weight, Shard(dim), mesh.get_local_rank(), ranks)
    whole = weight._replace(tensors=(*(each.new_empty(0) for each in weight.tensors[:2]), *weight.tensors[2:]))
    if isinstance(held, Weight4bit):
        setattr(module, name, part)
    else:
        module._parameters[name] = parameter_of(part)
    vars(module)["cut"] = Cut(mesh, dim, whole)


Factors = list[tuple[nn.Module, nn.Module]]  # A and B of each adapter


def _find_layer(module: nn.Module) -> tuple[nn.Module, Factors] | None:
    """Returns the module with the weight, and its adapters; None if it is not a 4-bit layer that can be cut."""
    if isinstance(module, Linear4bit):
        return module, []
    if isinstance(module, OverWeight) and not isinstance(module, GroupedLinear4bit):
        lora_a: Any = module.lora_A
        lora_b: Any = module.lora_B
        return module, [(lora_a, lora_b)]
    base = module._modules.get("base_layer")
    if isinstance(base, Linear4bit) and "lora_A" in module._modules:
        lora_as: Any = module.lora_A
        lora_bs: Any = module.lora_B
        return base, [(lora_as[name], lora_bs[name]) for name in lora_as]
    return None


def is_layer(module: nn.Module) -> bool:
    """Whether a module is a 4-bit layer that can be cut."""
    return _find_layer(module) is not None


def _layer_of(module: nn.Module) -> tuple[nn.Module, Factors]:
    found = _find_layer(module)
    if found is None:
        kind = f"{type(module).__module__}.{type(module).__name__}"
        raise ValueError(
            f"a {kind} is no 4-bit layer that can be cut: it can be a qfuse.nn.Linear4bit, which "
            "qfuse.distributed.shardable makes of bitsandbytes', peft's LoRA over one, or a qfuse.nn.Linear4bitLoRA"
        )
    return found


def _make_factor(linear: nn.Module, mesh: DeviceMesh, placement: Any) -> None:
    if type(linear) is not nn.Linear or linear.bias is not None:
        raise ValueError(f"an adapter's {linear} is no plain linear layer without a bias, so that it cannot be cut")
    _place(linear, "weight", mesh, placement)
    linear.__class__ = Factor


def _place(module: nn.Module, name: str, mesh: DeviceMesh, placement: Any) -> None:
    """Makes a parameter a DTensor, which records the part that each rank has."""
    parameter: Any = getattr(module, name)
    placed = distribute_tensor(parameter.detach(), mesh, [placement])
    setattr(module, name, nn.Parameter(placed, requires_grad=parameter.requires_grad))


def _refuse_later_adapters(layer: nn.Module) -> None:
    """Refuses adapters added after the cut: they are whole on each rank, and their gradients would differ by rank."""
    adapters = layer._modules.get("lora_A")
    if isinstance(adapters, nn.ModuleDict):
        for name, lora_a in adapters.items():
            if type(lora_a) is not Factor:
                raise RuntimeError(
                    f"the adapter '{name}' was added to a layer that is cut: add adapters first, then cut"
                )


class _Style(ParallelStyle):
    _dim: int  # dimension of the weight that is cut
    _placements: tuple[Any, Any]  # placements of A and B

    def __init__(self, *, sequence_parallel: bool = False) -> None:
        super().__init__()
        self.sequence_parallel = sequence_parallel

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        if device_mesh.ndim != 1:
            raise ValueError(f'a layer is cut over one dimension of a mesh, as mesh["tp"], not over {device_mesh}')
        holder, adapters = _layer_of(module)
        cut_module(holder, device_mesh, self._dim)
        self._place_bias(holder, device_mesh)
        for lora_a, lora_b in adapters:
            for linear, placement in zip((lora_a, lora_b), self._placements, strict=True):
                _make_factor(linear, device_mesh, placement)
        for changed in {module, holder}:
            vars(changed)["out_features" if self._dim == 0 else "in_features"] //= device_mesh.size()
        self._hook(module, device_mesh.get_group())
        return module

    def _place_bias(self, holder: Any, mesh: DeviceMesh) -> None:
        raise NotImplementedError

    def _hook(self, module: nn.Module, group: Any) -> None:
        raise NotImplementedError


class ColwiseLinear4bit(_Style):
    """Each rank has rows of the weight and computes columns of the output: for q, k, v, gate and up.

    The input is the same on all ranks or, with sequence_parallel, each rank has a part of its tokens (dimension -2).
    gather_output: each rank returns the whole output, which all ranks must use alike; otherwise only its own columns.
    """

    _dim, _placements = 0, (Replicate(), Shard(0))

    def __init__(self, *, sequence_parallel: bool = False, gather_output: bool = False) -> None:
        super().__init__(sequence_parallel=sequence_parallel)
        self.gather_output = gather_output

    def _place_bias(self, holder: Any, mesh: DeviceMesh) -> None:
        if isinstance(holder.bias, nn.Parameter):
            _place(holder, "bias", mesh, Shard(0))
        elif isinstance(holder.bias, Tensor):
            holder.bias = holder.bias.chunk(mesh.size())[mesh.get_local_rank()].clone()

    def _hook(self, module: nn.Module, group: Any) -> None:
        def before(layer: nn.Module, args: tuple[Any, ...]) -> tuple[Any, ...]:
            _refuse_later_adapters(layer)
            x, *others = args
            x = once(gathered, x, group, _TOKENS) if self.sequence_parallel else once(copied, x, group)
            return x, *others

        module.register_forward_pre_hook(before)
        if self.gather_output:
            module.register_forward_hook(lambda _, args, y: collected(y, group, -1))


class RowwiseLinear4bit(_Style):
    """Each rank has columns of the weight and takes the same columns of the input: for o and down, after
    ColwiseLinear4bit. The output is the sum over ranks; each rank returns all of it or, with sequence_parallel, its
    part of the tokens (dimension -2). The first rank adds the bias.
    """

    _dim, _placements = 1, (Shard(1), Replicate())

    def _place_bias(self, holder: Any, mesh: DeviceMesh) -> None:
        if isinstance(holder.bias, nn.Parameter):
            _place(holder, "bias", mesh, Replicate())
        elif mesh.get_local_rank() != 0:
            holder.bias = None

    def _hook(self, module: nn.Module, group: Any) -> None:
        def behind(_: nn.Module, args: tuple[Any, ...], y: Tensor) -> Tensor:
            return scattered_sum(y, group, _TOKENS) if self.sequence_parallel else summed(y, group)

        module.register_forward_pre_hook(lambda layer, args: _refuse_later_adapters(layer))
        module.register_forward_hook(behind)


class ExpertParallel4bit(ParallelStyle):
    """Each rank has some of the experts of a qfuse.nn.Experts4bit, whole, with their adapters and biases.

    Tokens and their routing to experts are the same on all ranks or, with sequence_parallel, each rank has a part of
    the tokens (dimension 0). Every rank computes the tokens of its own experts; the result is the sum over ranks.
    """

    def __init__(self, *, sequence_parallel: bool = False) -> None:
        super().__init__()
        self.sequence_parallel = sequence_parallel

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        if not isinstance(module, Experts4bit):
            raise ValueError(f"a {type(module).__name__} is no qfuse.nn.Experts4bit, which makes one of its stacks")
        if device_mesh.ndim != 1:
            raise ValueError(f"experts are shared out over one dimension of a mesh, not over {device_mesh}")
        for stack in (module.gate_up_proj, module.down_proj):
            self._cut(stack, device_mesh)
        module.num_experts = module.gate_up_proj.num_experts
        self._hook(module, device_mesh.get_group())
        return module

    def _cut(self, stack: GroupedLinear4bit, mesh: DeviceMesh) -> None:
        cut_module(stack, mesh, 0)
        stack.num_experts //= mesh.size()
        if stack.bias is not None:
            stack.bias = stack.bias.chunk(mesh.size())[mesh.get_local_rank()].clone()
        for name in ("lora_A", "lora_B"):
            if getattr(stack, name) is not None:
                _place(stack, name, mesh, Shard(0))

    def _hook(self, module: Experts4bit, group: Any) -> None:
        first = module.num_experts * group.rank()

        def before(_: nn.Module, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            hidden, index, weights = args
            if self.sequence_parallel:
                hidden, weights = (gathered(each, group, 0) for each in (hidden, weights))
                index = collected(index, group, 0)
            else:
                hidden, weights = (copied(each, group) for each in (hidden, weights))
            own = index - first
            is_own = (own >= 0) & (own < module.num_experts)
            return hidden, torch.where(is_own, own, module.num_experts), weights

        def behind(_: nn.Module, args: tuple[Tensor, ...], y: Tensor) -> Tensor:
            return scattered_sum(y, group, 0) if self.sequence_parallel else summed(y, group)

        module.register_forward_pre_hook(before)
        module.register_forward_hook(behind)
