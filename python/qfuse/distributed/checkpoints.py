"""Training checkpoints by torch.distributed.checkpoint (DCP), which can be loaded on another number of ranks.

They have the trained parameters and the optimizer's state, because the base model is the checkpoint it was loaded from.
With base=True, its codes and scales are saved as plain uint8 and float32 tensors with bitsandbytes' names in files.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.checkpoint import state_dict_loader, state_dict_saver
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict, set_optimizer_state_dict
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor, Shard

from ..layers.experts import GroupedLinear4bit
from ..layers.linear import Linear4bit
from ..layers.over_weight import OverWeight
from ..layers.packed_stack import PackedStack, in_blocks
from ..weight.form import QUANT_TYPES
from ..weight.state_dict import BLOCKS, SCALES, STATE, to_state_dict
from ..weight.tensor import Weight4bitTensor
from ..weight.weight_4bit import Weight4bit
from .names import PEFT, name_in_base, without_wrappers

_MODEL, _OPTIMIZER = "model", "optimizer"
# Parameters of a peft model, whose names include the adapter's, or of a qfuse.nn.Linear4bitLoRA.
_FACTOR = re.compile(
    r"(.+\.(?:lora_A|lora_B|lora_embedding_A|lora_embedding_B|lora_magnitude_vector|trainable_tokens_delta))"
    r"(?:\.([^.]+))??(\.weight|\.bias)?"
)
_COPY = re.compile(r"(.+)\.modules_to_save\.([^.]+)(\..+)")  # a base layer that is trained as a whole
_COMPANIONS = ("*.json", "*.model", "*.txt", "*.jinja", "*.tiktoken")  # files of a model directory without tensors


def save(
    model: nn.Module,
    path: str | os.PathLike[str],
    *,
    optimizer: torch.optim.Optimizer | None = None,
    base: bool = False,
    extra: dict[str, Any] | None = None,
) -> None:
    """Writes the trained parameters and the optimizer's state to a directory; each rank writes its own part.

    base: also writes all other parameters, such as the 4-bit weights. extra: numbers and texts, such as the step, which
    restore returns. The directory appears under its name, or replaces an older one, when it is complete. A killed rank
    leaves a `.partial` directory beside it, which the next save removes. All ranks must call it; on several hosts, the
    path must be on a shared file system.

    Raises ValueError if the base is cut by tensor parallelism and sharded by FSDP at once, or has experts that
    transformers has joined from those of a compressed-tensors checkpoint.
    """
    final = Path(path)
    partial = final.with_name(f"{final.name}.partial")
    state = _state(model, optimizer)
    if base:
        _refuse_joined(model)
        state[_MODEL] |= dict(_base(model))
    state["extra"] = extra or {}
    _on_the_first_rank(lambda: _begin(partial, model, list(state[_MODEL])))
    state_dict_saver.save(state, checkpoint_id=partial)
    _on_the_first_rank(lambda: _replace(partial, final))


def _refuse_joined(model: nn.Module) -> None:
    for name, module in model.named_modules():
        if type(module) is PackedStack:
            owner = name_in_base(without_wrappers(name)).rpartition(".")[0]
            raise ValueError(
                f"'{owner}' has stacks of experts that the model's files have one by one: save without base, and keep "
                "those files"
            )


def restore(
    model: nn.Module, path: str | os.PathLike[str], *, optimizer: torch.optim.Optimizer | None = None
) -> dict[str, Any]:
    """Reads what save() wrote into the model and the optimizer, on any number of ranks, and returns `extra`.

    It does not read the base: load() does, from its original files or from those of consolidate(). All ranks must call
    it. Raises FileNotFoundError if the directory is not complete.
    """
    path = _complete(path)
    state, saved = _state(model, optimizer), _saved(path)
    _check_names(path, saved, model, state[_MODEL])
    state["extra"] = {key.removeprefix("extra."): None for key in saved if key.startswith("extra.")}
    state_dict_loader.load(state, checkpoint_id=path)
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
    """Converts what save() wrote to files that peft, transformers, bitsandbytes and qfuse read. Returns their names.

    An adapter becomes adapter_model.safetensors, and adapter_config.json if the model was peft's. A saved base becomes
    model-*.safetensors with an index; config.json, tokenizer and such are copied from the directory `like`. One process
    calls it and holds one file's tensors at a time, at most max_shard_size bytes of the base's.
    """
    from safetensors.torch import save_file

    path = _complete(path)
    saved = _saved(path)
    sizes = {key.removeprefix(f"{_MODEL}."): each for key, each in saved.items() if key.startswith(f"{_MODEL}.")}
    adapters, base = _in_files(list(sizes))
    final = Path(out)
    partial = final.with_name(f"{final.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for source in ([Path(like)] if like is not None else []) + [Path(path)]:
        for pattern in _COMPANIONS:
            for file in source.glob(pattern):
                if not file.name.endswith(".index.json"):
                    shutil.copyfile(file, partial / file.name)
    for adapter, names in adapters.items():
        folder = _folder_of(adapter, adapters)
        (partial / folder).mkdir(exist_ok=True)
        config = Path(path, folder, "adapter_config.json")
        if config.is_file():
            shutil.copyfile(config, partial / folder / config.name)
        save_file(_read(path, sizes, names), partial / folder / "adapter_model.safetensors", metadata={"format": "pt"})
    groups = list(_groups(sizes, base, max_shard_size))
    index: dict[str, str] = {}
    for number, names in enumerate(groups, 1):
        file_name = f"model-{number:05}-of-{len(groups):05}.safetensors"
        tensors = {name: _as_in_a_file(name, tensor, base) for name, tensor in _read(path, sizes, names).items()}
        save_file(tensors, partial / file_name, metadata={"format": "pt"})
        index |= dict.fromkeys(names, file_name)
    if index:
        total = sum(_bytes(sizes[base[name]]) for name in index)
        text = json.dumps({"metadata": {"total_size": total}, "weight_map": index}, indent=2)
        (partial / "model.safetensors.index.json").write_text(text)
    _replace(partial, final)
    return sorted(str(file.relative_to(final)) for file in final.rglob("*") if file.is_file())


def _in_files(saved: list[str]) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Returns, per adapter and for the base, a map from tensor names in files to the names they were saved under."""
    adapters: dict[str, dict[str, str]] = {}
    base: dict[str, str] = {}
    others: list[str] = []  # base parameters trained beside an adapter, such as biases or norms
    for name in saved:
        found = _of_an_adapter(name)
        if found is not None:
            adapter, in_file = found
            adapters.setdefault(adapter, {})[in_file] = name
        elif name.startswith(PEFT):
            others.append(name)
        else:
            base[name] = name
    if base:  # the base is not complete without them
        base |= {name_in_base(name): name for name in others}
    if others:
        adapter = "default" if "default" in adapters or not adapters else next(iter(adapters))
        adapters.setdefault(adapter, {}).update({name: name for name in others})
    return adapters, base


def _of_an_adapter(name: str) -> tuple[str, str] | None:
    """Returns a parameter's adapter and its name in peft's files, which leave out the adapter's name, or None."""
    factor, copy = _FACTOR.fullmatch(name), _COPY.fullmatch(name)
    if factor is not None:
        in_file, adapter, suffix = factor.groups()
        if suffix is not None and not in_file.endswith(".lora_magnitude_vector"):
            in_file += suffix
    elif copy is not None:
        in_file, adapter = copy[1] + copy[3], copy[2]
    else:
        return None
    return adapter or "default", in_file if in_file.startswith(PEFT) else f"{PEFT}{in_file}"


def _folder_of(adapter: str, adapters: Any) -> str:
    """Returns peft's folder for an adapter: one adapter is in the directory itself, others are below."""
    return "" if adapter == "default" or len(adapters) == 1 else adapter


def _begin(partial: Path, model: nn.Module, names: list[str]) -> None:
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    adapters, _ = _in_files(names)
    for adapter, config in getattr(model, "peft_config", {}).items():
        if adapter in adapters:
            config.save_pretrained(str(partial / _folder_of(adapter, adapters)))


def _check_names(path: Any, saved: Any, model: nn.Module, trained: dict[str, Any]) -> None:
    """Raises ValueError for another adapter's checkpoint: DCP reads only what is asked for and ignores the rest."""
    missing = [name for name in trained if f"{_MODEL}.{name}" not in saved]
    if missing:
        raise ValueError(
            f"{os.fsdecode(path)}: has no '{missing[0]}', which the model trains: is it another adapter's?"
        )
    known = {without_wrappers(name) for name, _ in model.named_parameters(remove_duplicate=False)}
    names = (key.removeprefix(f"{_MODEL}.") for key in saved if key.startswith(f"{_MODEL}."))
    unknown = [name for name in names if _of_an_adapter(name) and name not in known]
    if unknown:
        raise ValueError(f"{os.fsdecode(path)}: has '{unknown[0]}', which the model has not: is it another adapter's?")


def _complete(path: Any) -> Path:
    """Returns the directory, or the `.old` one that it was to replace if save was killed between its two renames."""
    found = Path(path)
    old = _old(found)
    if not found.exists() and old.exists():
        found = old
    if not (found / ".metadata").is_file():
        raise FileNotFoundError(f"{os.fsdecode(path)}: is no complete checkpoint of qfuse.distributed.save")
    return found


def _saved(path: Path) -> dict[str, Any]:
    """Returns the metadata of each saved tensor, by name."""
    found: dict[str, Any] = FileSystemReader(path).read_metadata().state_dict_metadata
    return found


def _old(path: Path) -> Path:
    return path.with_name(f"{path.name}.old")


def _state(model: nn.Module, optimizer: torch.optim.Optimizer | None) -> dict[str, Any]:
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()  # without a backward, a forward leaves the gathered weights as parameters
    trained = ((name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad)
    state: dict[str, Any] = {_MODEL: {without_wrappers(name): parameter.detach() for name, parameter in trained}}
    if optimizer is not None:
        state[_OPTIMIZER] = get_optimizer_state_dict(model, optimizer)
    return state


def _base(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Yields what is not trained, under the names in files. Tied parameters appear under the first of their names."""
    seen: set[int] = set()
    for owner, module in model.named_modules():
        prefix = f"{without_wrappers(owner)}." if owner else ""
        if isinstance(module, (Linear4bit, OverWeight)):
            yield from _of_4bit_layer(module, name_in_base(prefix))
            continue
        if vars(module).get("quant_state") is not None and isinstance(module._parameters.get("weight"), DTensor):
            raise ValueError(
                f"'{owner}' is bitsandbytes' and was shared out as bytes: call shardable before fully_shard"
            )
        own: dict[str, Tensor] = {}
        module._save_to_state_dict(own, prefix, False)
        for name, tensor in own.items():
            parameter = module._parameters.get(name.removeprefix(prefix))
            if parameter is not None and (parameter.requires_grad or id(parameter) in seen):
                continue
            seen.add(id(parameter))
            if isinstance(getattr(parameter, "_local_tensor", parameter), Weight4bitTensor):  # transformers' experts
                yield from _arrays(module, name_in_base(name), parameter)
                continue
            yield (name if _of_an_adapter(name) else name_in_base(name)), tensor


def _of_4bit_layer(module: nn.Module, prefix: str) -> Iterator[tuple[str, Tensor]]:
    weight, bias = f"{prefix}weight", f"{prefix}bias"
    if isinstance(module, GroupedLinear4bit):  # in files, its stack is a parameter of its owner
        weight, bias = prefix.removesuffix("."), f"{prefix.removesuffix('.')}_bias"
    held: Any = module.base if isinstance(module, OverWeight) else module.weight
    yield from _arrays(module, weight, Weight4bitTensor.of(held) if isinstance(held, Weight4bit) else held)
    own: Any = module.bias
    if own is None or own.requires_grad:
        return
    cut = vars(module).get("cut")
    if cut is not None and cut.dim == 0 and not isinstance(own, DTensor):
        own = DTensor.from_local(own.detach(), cut.mesh, [Shard(0)], run_check=False)
    yield bias, own.detach()


def _arrays(module: nn.Module, name: str, parameter: Any) -> Iterator[tuple[str, Tensor]]:
    """Yields a 4-bit weight as bitsandbytes' arrays, or as the two of gpt-oss' MXFP4; each rank yields its own part."""
    local: Weight4bitTensor = getattr(parameter, "_local_tensor", parameter)
    cut = vars(module).get("cut")
    mesh: Any = None
    placements: Any = ()
    if isinstance(parameter, DTensor):
        mesh, placements = parameter.device_mesh, parameter.placements
    if cut is not None:
        if mesh is not None:
            raise ValueError(
                f"'{name}' is cut by tensor parallelism and shared out by FSDP at once: save the adapter alone, the "
                "base is the checkpoint that it was loaded from"
            )
        mesh, placements = cut.mesh, (Shard(cut.dim),)
    shape = tuple(parameter.shape) if cut is None else tuple(cut.whole.shape)
    whole = cut.whole if cut is not None else local.whole_form(shape)
    if whole.quant_type == "mxfp4":
        codes, scales = name + BLOCKS, name + SCALES
        arrays = {codes: whole.packed, scales: whole.absmax}
    else:
        codes, scales = name, f"{name}.absmax"
        arrays = to_state_dict(whole, name)
    for key, tensor in arrays.items():
        own = local.packed if key == codes else local.absmax
        if key not in (codes, scales):
            yield key, tensor
        elif mesh is None:
            yield key, own
        else:
            size = (*shape[:-1], shape[-1] // (local.shape[-1] // own.shape[-1]))
            stride = tuple(torch.empty(size, device="meta").stride())
            yield key, DTensor.from_local(own, mesh, placements, run_check=False, shape=torch.Size(size), stride=stride)


def _bytes(saved: Any) -> int:
    return int(saved.size.numel() * saved.properties.dtype.itemsize)


def _groups(sizes: dict[str, Any], names: dict[str, str], limit: int) -> Iterator[dict[str, str]]:
    group: dict[str, str] = {}
    held = 0
    for name, saved in names.items():
        if group and held + _bytes(sizes[saved]) > limit:
            yield group
            group, held = {}, 0
        group[name] = saved
        held += _bytes(sizes[saved])
    if group:
        yield group


def _read(path: Any, sizes: dict[str, Any], names: dict[str, str]) -> dict[str, Tensor]:
    """names: as in the result of _in_files."""
    forms = {saved: sizes[saved] for saved in names.values()}
    state = {f"{_MODEL}.{saved}": torch.empty(each.size, dtype=each.properties.dtype) for saved, each in forms.items()}
    state_dict_loader.load(state, checkpoint_id=Path(path), no_dist=True)
    return {name: state[f"{_MODEL}.{saved}"] for name, saved in names.items()}


def _as_in_a_file(name: str, tensor: Tensor, names: dict[str, str]) -> Tensor:
    """Reshapes codes for files: bitsandbytes' are a column, those of gpt-oss' experts have a dimension for blocks."""
    is_codes = any(f"{name}.{STATE}{kind}" in names for kind in QUANT_TYPES)
    if name.endswith(BLOCKS):
        return in_blocks(tensor)
    return tensor.reshape(-1, 1) if is_codes else tensor


def _replace(partial: Path, final: Path) -> None:
    """Renames, so that a half-written directory never has the final name."""
    old = _old(final)
    if final.exists():  # otherwise an `.old` one, left by a kill between the renames, is the only copy
        shutil.rmtree(old, ignore_errors=True)
        final.rename(old)
    partial.rename(final)
    shutil.rmtree(old, ignore_errors=True)


def _on_the_first_rank(act: Callable[[], None]) -> None:
    """Runs act on the first rank only. Raises its failure on all ranks, so that none waits for it."""
    failed: list[str | None] = [None]
    if not dist.is_initialized():
        return act()
    if dist.get_rank() == 0:
        try:
            act()
        except Exception as error:
            failed = [repr(error)]
            dist.broadcast_object_list(failed)
            raise
    dist.broadcast_object_list(failed)
    if failed[0] is not None:
        raise RuntimeError(f"the first rank could not save: {failed[0]}")
    return None
