"""Prepares models for FSDP2 and tensor parallelism, and loads them: each rank reads only its own part."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import nn
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor._utils import compute_local_shape_and_global_offset

from ..layers.experts import GroupedLinear4bit, make_stacks_parameters
from ..layers.factors import local_of
from ..layers.inspection import has_hooks, is_bitsandbytes_linear
from ..layers.linear import Linear4bit
from ..layers.over_weight import OverWeight
from ..layers.packed_linear import PackedLinear
from ..weight.form import FLOAT_DTYPES
from ..weight.tensor import Weight4bitTensor
from .names import name_in_files
from .reading import Part, Reader, reading
from .saving import cover_saving


@dataclass
class ShardableReport:
    """What shardable() and as_stored() did. True if any 4-bit layer can be sharded."""

    layers: list[str] = field(default_factory=list)  # names of modules whose weights can be sharded
    left: dict[str, str] = field(default_factory=dict)  # reason by name of each module that stays whole on every rank

    def __bool__(self) -> bool:
        return bool(self.layers)

    def __str__(self) -> str:
        lines = [f"{len(self.layers)} layers have 4-bit weights that can be shared out"]
        return "\n".join([*lines, *(f"{name} stays whole on each rank: {why}" for name, why in self.left.items())])


def shardable(model: nn.Module) -> ShardableReport:
    """Makes the 4-bit weights of a loaded model parameters that FSDP2 and ColwiseLinear4bit can shard.

        qfuse.distributed.shardable(model)                       # after from_pretrained and get_peft_model
        for layer in model.layers:
            fully_shard(layer, mesh=mesh)
        fully_shard(model, mesh=mesh)

    Each bitsandbytes Linear4bit, with or without a peft adapter on it, becomes a qfuse.nn.Linear4bit on the same
    memory. The weights of Linear4bitLoRA, of Experts4bit and of modules that quantize_experts() has quantized become
    parameters. A layer whose rows are not whole blocks stays unchanged, and the report says so. Call it before
    parallelize_module and fully_shard; after fully_shard it raises ValueError.
    """
    if any(isinstance(module, FSDPModule) for module in model.modules()):
        raise ValueError("the model is shared out already: call shardable before fully_shard")
    cover_saving()
    report = ShardableReport()
    made: dict[int, Linear4bit] = {}  # by id of the original, because a layer may have several names
    for name, module in list(model.named_modules(remove_duplicate=False)):
        try:
            if is_bitsandbytes_linear(module):
                if id(module) not in made:
                    made[id(module)] = _of_bitsandbytes(module)
                model.set_submodule(name, made[id(module)], strict=True)
            elif isinstance(module, OverWeight):
                module.make_base_a_parameter()
            elif isinstance(module, PackedLinear) or make_stacks_parameters(module):
                pass
            elif _has_bytes(module):
                report.left[name] = f"a {type(module).__name__} has bytes that mean nothing without their scales"
                continue
            elif not isinstance(module, Linear4bit):
                continue
        except (TypeError, ValueError) as error:
            report.left[name] = str(error)
        else:
            report.layers.append(name)
    return report


def _of_bitsandbytes(module: Any) -> Linear4bit:
    if has_hooks(module) or "forward" in vars(module):
        raise ValueError("it has hooks, or a forward that was replaced, as accelerate's where layers are offloaded")
    made = Linear4bit(module)
    made.train(module.training)
    weight = module.weight
    if getattr(weight, "module", None) is module:
        weight.module = None  # breaks a reference cycle that would keep the whole weight until garbage collection
    return made


def _has_bytes(module: nn.Module) -> bool:
    """Whether an unsupported module, such as an embedding or a user's subclass, has quantized weights."""
    weights = (p for p in module._parameters.values() if p is not None and not isinstance(p, Weight4bitTensor))
    return any(hasattr(weight, "quant_state") or weight.dtype in (torch.uint8, torch.int8) for weight in weights)


def as_stored(model: nn.Module, path: Any, prefix: str = "") -> ShardableReport:
    """Replaces linear layers of a model on the meta device by Linear4bit where the checkpoint has 4-bit weights. Reads
    only the files' headers.

        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
        qfuse.distributed.as_stored(model, path)
        ...                                                       # adapters, parallelize_module, fully_shard
        qfuse.distributed.load(model, path, device)

    prefix: text that the files' names have before the model's. Raises ValueError for a layer whose shape differs in the
    files, for a weight whose rows are not whole blocks, and if no linear layer has a 4-bit weight.
    """
    cover_saving()
    report = ShardableReport()
    with reading(path) as reader:
        for name, module in list(model.named_modules()):
            key = f"{prefix}{name}.weight"
            if not isinstance(module, nn.Linear) or key not in reader.tensors or not reader.is_4bit(key):
                continue
            form = reader.form(key)
            if tuple(form.shape) != tuple(module.weight.shape):
                raise ValueError(
                    f"{key} is {tuple(form.shape)} in the files, {tuple(module.weight.shape)} in the model"
                )
            made = Linear4bit(form, bias=module.bias)
            model.set_submodule(name, made.train(module.training), strict=True)
            report.layers.append(name)
    if not report:
        raise ValueError(
            f"{path} has no 4-bit weight for a linear layer of {type(model).__name__}: is a prefix missing?"
        )
    return report


def load(
    model: nn.Module,
    path: Any,
    device: Any,
    prefix: str = "",
    rename: Callable[[str], str] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[str]:
    """Reads the parameters of a model that are on the meta device: of each, only this rank's part.

    FSDP2, tensor parallelism and expert parallelism decide which part of a parameter a rank has. rename: maps a
    parameter's name in the model to its name in the files; by default it removes what peft and checkpoint_wrapper add
    to names. prefix is put before the result. progress: called before each parameter with its name, the number of
    parameters read, and their total number. Buffers on the meta device are read, too.

    Returns the names of parameters that the files do not have, which only adapters may lack: they are on `device` now,
    with the initial values of their modules' reset_parameters or peft's reset_lora_parameters.

    Raises ValueError if shapes differ, another tensor is missing, or a file changed during the load.
    """
    rename = name_in_files if rename is None else rename
    tied: dict[int, list[str]] = {}  # all names of a parameter, by its id
    todo: list[Any] = []
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if parameter.is_meta:
            if id(parameter) not in tied:
                todo.append(parameter)
            tied.setdefault(id(parameter), []).append(name)
    made: list[str] = []
    seed = _shared_seed()
    with reading(path) as reader:
        owners = dict(model.named_modules(remove_duplicate=False))
        for index, parameter in enumerate(todo):
            names = tied[id(parameter)]
            if progress is not None:
                progress(names[0], index, len(todo))
            places = [name.rpartition(".")[::2] for name in names]
            keys = {
                name: prefix + _stored_name(rename(name), last, owners[owner])
                for name, (owner, last) in zip(names, places, strict=True)
            }
            stored = next((name for name in names if keys[name] in reader.tensors), None)
            if stored is not None:
                value = _read(reader, keys[stored], owners[stored.rpartition(".")[0]], parameter, device)
            else:
                value = _empty(parameter, device)
                made.append(names[0])
            _assign([(owners[owner], last) for owner, last in places], value, parameter)
        _read_buffers(reader, model, prefix, rename, device)
    _reset(model, made, seed)
    return made


def _stored_name(name: str, last: str, module: nn.Module) -> str:
    """Name in files: Linear4bitLoRA's weight is its `base`, and a stack of Experts4bit is its owner's parameter."""
    if isinstance(module, GroupedLinear4bit) and last in ("base", "bias"):
        return name.removesuffix(f".{last}") + ("_bias" if last == "bias" else "")
    return f"{name.removesuffix('base')}weight" if last == "base" and isinstance(module, OverWeight) else name


def part_of(module: nn.Module) -> Part:
    """Returns the part of a module's weight that tensor parallelism left on this rank."""
    cut = vars(module).get("cut")
    return (Replicate(), 0, 1) if cut is None else (Shard(cut.dim), cut.rank, cut.ranks)


def _read(reader: Reader, key: str, module: nn.Module, parameter: Any, device: Any) -> Any:
    local = getattr(parameter, "_local_tensor", parameter)
    if isinstance(local, Weight4bitTensor) != reader.is_4bit(key):
        raise ValueError(f"{key} is in 4 bits in one of files and model alone: as_stored makes them alike")
    value: Any
    if isinstance(local, Weight4bitTensor):
        value = reader.read_rows(key, part_of(module), *_rows_of(parameter), device)
        if "cut" in vars(module):  # the nested arrays of cut.whole are still on the meta device
            vars(module)["cut"] = replace(vars(module)["cut"], whole=reader.nested_form(key, device))
    elif isinstance(parameter, DTensor):
        if tuple(reader.shape(key)) != tuple(parameter.shape):
            raise ValueError(f"{key} is {reader.shape(key)} in the files, {tuple(parameter.shape)} in the model")
        spec = parameter.shape, parameter.device_mesh, parameter.placements
        value = _cast(key, reader.read_block(key, *compute_local_shape_and_global_offset(*spec), device), local.dtype)
    else:
        is_cut = key.endswith(".bias") and part_of(module)[0] == Shard(0)
        value = _cast(key, reader.read(key, [part_of(module)] if is_cut else [], device), local.dtype)
    if tuple(value.shape) != tuple(local.shape):
        raise ValueError(f"{key} is {tuple(value.shape)} in the files, {tuple(local.shape)} in the model, on this rank")
    return value


def _cast(key: str, value: Any, dtype: torch.dtype) -> Any:
    """Casts between float dtypes only, because other dtypes hold the bytes of another quantization."""
    if value.dtype is not dtype and not {value.dtype, dtype} <= {*FLOAT_DTYPES, torch.float64}:
        raise ValueError(f"{key} is {value.dtype} in the files, {dtype} in the model")
    return value.to(dtype)


def _rows_of(parameter: Any) -> tuple[int, int]:
    """Returns (rank, ranks): which part of the rows FSDP gives this rank, and the number of parts."""
    if not isinstance(parameter, DTensor):
        return 0, 1
    mesh, places = parameter.device_mesh, parameter.placements
    dims = [dim for dim, how in enumerate(places) if how.is_shard()]  # HSDP's other dimension replicates
    if len(dims) != 1:
        raise ValueError(
            f"a 4-bit parameter is placed as {places}: FSDP shares out its rows over one dimension of a mesh"
        )
    return mesh.get_local_rank(dims[0]), mesh.size(dims[0])


def _empty(parameter: Any, device: Any) -> Any:
    local = getattr(parameter, "_local_tensor", parameter)
    if isinstance(local, Weight4bitTensor):
        raise ValueError("the files lack a 4-bit weight that the model has: is a prefix missing?")
    return torch.empty_like(local, device=device)


def _assign(places: list[tuple[nn.Module, str]], value: Any, parameter: Any) -> None:
    """Assigns one parameter object to all places, so that tied parameters stay tied."""
    if isinstance(parameter, DTensor):
        spec = parameter.device_mesh, parameter.placements
        value = DTensor.from_local(value, *spec, run_check=False, shape=parameter.shape, stride=parameter.stride())
    made = nn.Parameter(value, parameter.requires_grad)
    for module, name in places:
        module.load_state_dict({name: made}, strict=False, assign=True)


def _read_buffers(reader: Reader, model: nn.Module, prefix: str, rename: Callable[[str], str], device: Any) -> None:
    for name, buffer in list(model.named_buffers()):
        if buffer is None or not buffer.is_meta:
            continue
        owner, _, last = name.rpartition(".")
        module = model.get_submodule(owner)
        key = prefix + _stored_name(rename(name), last, module)
        if key not in reader.tensors:
            raise ValueError(
                f"buffer '{name}' is on the meta device and the files lack it, as one that is computed: build the "
                "model with its buffers, as accelerate.init_empty_weights does"
            )
        is_cut = last == "bias" and part_of(module)[0] == Shard(0)
        value = _cast(key, reader.read(key, [part_of(module)] if is_cut else [], device), buffer.dtype)
        if value.shape != buffer.shape:
            raise ValueError(
                f"{key} is {tuple(value.shape)} in the files, {tuple(buffer.shape)} in the model, on this rank"
            )
        module._buffers[last] = value


def _shared_seed() -> int:
    """Broadcasts the first rank's seed, before the first read, so that a rank whose read fails blocks no other."""
    seeds = [torch.initial_seed()]
    if torch.distributed.is_initialized():
        torch.distributed.broadcast_object_list(seeds)
    return seeds[0]


def _reset(model: nn.Module, names: list[str], seed: int) -> None:
    """Initializes adapters, which the files lack, with values that do not depend on the number of ranks."""
    owners: dict[int, tuple[nn.Module, set[int]]] = {}
    for name in names:
        owner = _adapter_of(model, name)
        owners.setdefault(id(owner), (owner, set()))[1].add(id(model.get_parameter(name)))
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for owner, own in owners.values():
            _reset_whole(owner, own)


def _adapter_of(model: nn.Module, name: str) -> nn.Module:
    """Returns the layer to whose adapter a parameter belongs."""
    path = name.split(".")
    for depth in range(len(path) - 1, 0, -1):
        module = model.get_submodule(".".join(path[:depth]))
        if isinstance(module, OverWeight) or hasattr(module, "reset_lora_parameters"):
            return module
    raise ValueError(f"the files lack '{name}', which is no adapter's: is a prefix missing, or model.tie_weights()?")


def _reset_whole(layer: Any, own: set[int]) -> None:
    """Initializes whole parameters, of which each rank then keeps its part. own: ids of the parameters to set."""
    held: list[tuple[Any, str, Any]] = []
    for path, module in layer.named_modules():
        for name, parameter in module._parameters.items():
            if parameter is not None and name != "base" and not f"{path}.".startswith("base_layer."):
                held.append((module, name, parameter))
                module._parameters[name] = nn.Parameter(torch.full(parameter.shape, torch.nan, dtype=parameter.dtype))
    is_own = isinstance(layer, OverWeight)
    if is_own:
        layer.reset_parameters()
    else:
        for adapter in layer.r:  # has the adapters of lora_A and of lora_embedding_A
            layer.reset_lora_parameters(adapter, True)
    for module, name, parameter in held:
        whole, module._parameters[name] = module._parameters[name].detach(), parameter
        if id(parameter) not in own:
            continue
        if whole.isnan().any():
            raise ValueError(f"the files lack '{name}' of a {type(layer).__name__}, which has no first value for it")
        local_of(parameter.detach()).copy_(_own_block(whole, parameter))


def _own_block(whole: torch.Tensor, parameter: Any) -> torch.Tensor:
    if not isinstance(parameter, DTensor):
        return whole
    shape, offset = compute_local_shape_and_global_offset(whole.shape, parameter.device_mesh, parameter.placements)
    for dim, (size, begin) in enumerate(zip(shape, offset, strict=True)):
        whole = whole.narrow(dim, begin, size)
    return whole
