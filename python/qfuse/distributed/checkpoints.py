"""Checkpoints of training by torch.distributed.checkpoint (DCP): saved on some number of ranks, loaded on another one.

What is saved is what is trained, and the optimizer's state: the base is the checkpoint that it was loaded from. Where the
base is asked for, its codes and scales are plain uint8 and float32 tensors under bitsandbytes' names, as in a file.
"""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict, set_optimizer_state_dict
from torch.distributed.tensor import DTensor, Shard

from ..base import OverWeight
from ..parameter import Weight4bitTensor
from ..quant_state import STATE, Weight4bit, to_state_dict

__all__ = ["consolidate", "restore", "save"]

_WRAPPERS = ("_checkpoint_wrapped_module.", "_orig_mod.", "_fsdp_wrapped_module.")
_MODEL, _OPTIMIZER = "model", "optimizer"
_COMPANIONS = ("*.json", "*.model", "*.txt", "*.jinja", "*.tiktoken")  # of a model directory: what is no tensor


def save(
    model: nn.Module,
    path: str | os.PathLike[str],
    *,
    optimizer: torch.optim.Optimizer | None = None,
    base: bool = False,
    extra: dict[str, Any] | None = None,
) -> None:
    """Writes the trained parameters and the optimizer's state, each rank its own part, into a directory.

    base: all other parameters, too, the 4-bit weights among them. extra: numbers and texts, as a step's, for restore.
    The directory appears under its name when it is complete, in place of one that was there: a rank that is killed
    leaves a `.partial` one beside it, which the next save removes. All ranks call it; on several hosts, the path is on
    a file system that they share.

    Raises ValueError where the base is cut by tensor parallelism and shared out by FSDP at once.
    """
    final = Path(path)
    partial = final.with_name(f"{final.name}.partial")
    state = _state(model, optimizer)
    if base:
        state[_MODEL] |= dict(_base(model))
    state["extra"] = extra or {}
    if _is_first():
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for config in getattr(model, "peft_config", {}).values():
            config.save_pretrained(str(partial))
    _wait()
    dcp.save(state, checkpoint_id=partial)
    if _is_first():
        _replace(partial, final)
    _wait()


def restore(
    model: nn.Module, path: str | os.PathLike[str], *, optimizer: torch.optim.Optimizer | None = None
) -> dict[str, Any]:
    """Reads what save() wrote into the model and the optimizer, on any number of ranks, and gives `extra`.

    The base is not read: load() does that, of the files it came from or of those that consolidate() writes. All ranks
    call it. Raises FileNotFoundError where the directory is not complete.
    """
    reader = _reader(path)
    state = _state(model, optimizer)
    saved = reader.read_metadata().state_dict_metadata
    missing = [key for key in state[_MODEL] if f"{_MODEL}.{key}" not in saved]
    if missing:
        raise ValueError(f"{os.fsdecode(path)}: has no '{missing[0]}', which the model trains: is it another adapter's?")
    state["extra"] = {key.removeprefix("extra."): None for key in saved if key.startswith("extra.")}
    dcp.load(state, checkpoint_id=Path(path))
    if optimizer is not None:
        set_optimizer_state_dict(model, optimizer, state[_OPTIMIZER])
    extra: dict[str, Any] = state["extra"]
    return extra


def consolidate(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    like: str | os.PathLike[str] | None = None,
    max_shard_size: int = 4 << 30,
) -> list[str]:
    """Makes of what save() wrote the files that peft, transformers, bitsandbytes and qfuse read, and gives their names.

    An adapter is adapter_model.safetensors, with peft's names and the adapter_config.json of a model of peft's. Where
    the base was saved, model-*.safetensors and their index, with config.json, tokenizer and the rest of the directory
    `like`. One process calls it; it holds one file's tensors at a time, max_shard_size bytes of the base's.
    """
    from safetensors.torch import save_file

    saved = _reader(path).read_metadata().state_dict_metadata
    sizes = {key.removeprefix(f"{_MODEL}."): each for key, each in saved.items() if key.startswith(f"{_MODEL}.")}
    adapters = [name for name in sizes if "lora_" in name]
    final = Path(out)
    partial = final.with_name(f"{final.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for source in [Path(path)] + ([Path(like)] if like is not None else []):
        for pattern in _COMPANIONS:
            for file in source.glob(pattern):
                if not file.name.endswith(".index.json"):
                    shutil.copyfile(file, partial / file.name)
    if adapters:
        tensors = {_name_of_peft(name): tensor for name, tensor in _read(path, sizes, adapters)}
        save_file(tensors, partial / "adapter_model.safetensors", metadata={"format": "pt"})
    groups = list(_groups(sizes, [name for name in sizes if name not in adapters], max_shard_size))
    index: dict[str, str] = {}
    for number, names in enumerate(groups, 1):
        file_name = f"model-{number:05}-of-{len(groups):05}.safetensors"
        tensors = {name: _as_in_a_file(name, tensor, sizes) for name, tensor in _read(path, sizes, names)}
        save_file(tensors, partial / file_name, metadata={"format": "pt"})
        index |= dict.fromkeys(names, file_name)
    if index:
        total = sum(_bytes(sizes[name]) for name in index)
        text = json.dumps({"metadata": {"total_size": total}, "weight_map": index}, indent=2)
        (partial / "model.safetensors.index.json").write_text(text)
    _replace(partial, final)
    return sorted(file.name for file in final.iterdir())


def _reader(path: Any) -> Any:
    if not (Path(path) / ".metadata").is_file():
        raise FileNotFoundError(f"{os.fsdecode(path)}: is no complete checkpoint of qfuse.distributed.save")
    return dcp.FileSystemReader(path)


def _state(model: nn.Module, optimizer: torch.optim.Optimizer | None) -> dict[str, Any]:
    trained = {_plain(name): parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
    state: dict[str, Any] = {_MODEL: {name: parameter.detach() for name, parameter in trained.items()}}
    if optimizer is not None:
        state[_OPTIMIZER] = get_optimizer_state_dict(model, optimizer)
    return state


def _plain(name: str) -> str:
    for wrapper in _WRAPPERS:
        name = name.replace(wrapper, "")
    return name


def _base(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """What is not trained, under the names that it has in files."""
    for owner, module in model.named_modules():
        prefix = f"{_plain(owner)}.".removeprefix("base_model.model.").replace("base_layer.", "") if owner else ""
        if isinstance(module, OverWeight) and isinstance(module.base, Weight4bit):
            yield from _arrays(module, f"{prefix}weight", Weight4bitTensor.of(module.base))
        for name, parameter in module._parameters.items():
            if parameter is None or parameter.requires_grad:
                continue
            if isinstance(getattr(parameter, "_local_tensor", parameter), Weight4bitTensor):
                yield from _arrays(module, f"{prefix}{'weight' if name == 'base' else name}", parameter)
            else:
                yield f"{prefix}{name}", parameter.detach()


def _arrays(module: nn.Module, name: str, parameter: Any) -> Iterator[tuple[str, Tensor]]:
    """A 4-bit weight as bitsandbytes' arrays, of which each rank has its part."""
    local: Weight4bitTensor = getattr(parameter, "_local_tensor", parameter)
    cut = vars(module).get("cut")
    mesh, placements = None, ()
    if isinstance(parameter, DTensor):
        mesh, placements = parameter.device_mesh, parameter.placements
    if cut is not None:
        if mesh is not None:
            raise ValueError(
                f"'{name}' is cut by tensor parallelism and shared out by FSDP at once: save the adapter alone, the base "
                "is the checkpoint that it was loaded from"
            )
        mesh, placements = cut.mesh, (Shard(cut.dim),)
    shape = tuple(parameter.shape) if cut is None else tuple(cut.whole.shape)
    whole = cut.whole if cut is not None else local.whole_form(shape)
    for key, tensor in to_state_dict(whole, name).items():
        if key not in (name, f"{name}.absmax"):
            yield key, tensor
        elif mesh is None:
            yield key, local.packed if key == name else local.absmax
        else:
            own = local.packed if key == name else local.absmax
            size = (*shape[:-1], shape[-1] // (local.shape[-1] // own.shape[-1]))
            stride = tuple(torch.empty(size, device="meta").stride())
            yield key, DTensor.from_local(own, mesh, placements, run_check=False, shape=size, stride=stride)


def _bytes(saved: Any) -> int:
    return int(saved.size.numel() * saved.properties.dtype.itemsize)


def _groups(sizes: dict[str, Any], names: list[str], limit: int) -> Iterator[list[str]]:
    group: list[str] = []
    held = 0
    for name in names:
        if group and held + _bytes(sizes[name]) > limit:
            yield group
            group, held = [], 0
        group.append(name)
        held += _bytes(sizes[name])
    if group:
        yield group


def _read(path: Any, sizes: dict[str, Any], names: list[str]) -> Iterator[tuple[str, Tensor]]:
    state = {f"{_MODEL}.{name}": torch.empty(sizes[name].size, dtype=sizes[name].properties.dtype) for name in names}
    dcp.load(state, checkpoint_id=Path(path), no_dist=True)
    for name in names:
        yield name, state[f"{_MODEL}.{name}"]


def _as_in_a_file(name: str, tensor: Tensor, sizes: dict[str, Any]) -> Tensor:
    """bitsandbytes' codes are a column."""
    is_codes = any(other.startswith(f"{name}.{STATE}") for other in sizes)
    return tensor.reshape(-1, 1) if is_codes else tensor


def _name_of_peft(name: str) -> str:
    """peft's files have no name of the adapter, and a prefix."""
    for factor in ("lora_A", "lora_B", "lora_embedding_A", "lora_embedding_B"):
        before, found, behind = name.partition(f".{factor}.")
        if found:
            name = f"{before}{found}{behind.rpartition('.')[2]}"
    return name if name.startswith("base_model.model.") else f"base_model.model.{name}"


def _replace(partial: Path, final: Path) -> None:
    """By renaming: at no time is there a half-written directory under the name."""
    old = final.with_name(f"{final.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if final.exists():
        final.rename(old)
    partial.rename(final)
    shutil.rmtree(old, ignore_errors=True)


def _is_first() -> bool:
    return not dist.is_initialized() or dist.get_rank() == 0


def _wait() -> None:
    if dist.is_initialized():
        dist.barrier()
