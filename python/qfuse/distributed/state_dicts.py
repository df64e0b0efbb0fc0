"""Makes torch's get_model_state_dict and set_model_state_dict work for models with 4-bit parameters.

torch.distributed.checkpoint.state_dict treats a parameter as one tensor of its shape and dtype, and receives it into an
empty tensor of that kind. A 4-bit weight has the shape and dtype that it decodes to, but its bytes are different
arrays. Four private functions of that module are therefore replaced, permanently, when qfuse.distributed is imported or
a 4-bit weight is sharded. They send and cut 4-bit weights array by array, and leave everything else to torch.

The first rank announces what all ranks must agree on before it sends data, so a state dict that does not fit is an
error on all ranks and none waits.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any, cast

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint import state_dict as of_torch
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor
from torch.distributed.tensor._utils import compute_local_shape_and_global_offset

from ..weight.state_dict import from_state_dict
from ..weight.tensor import Weight4bitTensor, as_one_tensor
from ..weight.weight_4bit import Weight4bit

State = dict[str, Any]


def cover() -> None:
    """Replaces the four functions of torch. A second call does nothing."""
    for name, ours in (
        ("_get_model_state_dict", _get),
        ("_load_model_state_dict", _load),
        ("_broadcast_state_dict", _broadcast),
        ("_distribute_state_dict", _distribute),
    ):
        original = getattr(of_torch, name, None)
        if original is not None and not hasattr(original, _MARK):
            replacement = functools.wraps(original)(functools.partial(ours, original))
            setattr(replacement, _MARK, True)
            setattr(of_torch, name, replacement)


_MARK = "_is_of_qfuse"


def _get(original: Callable[..., State], model: nn.Module, info: Any) -> State:
    """Makes a state dict with one entry per 4-bit weight, its parameter, as torch requires."""
    if not info.ignore_frozen_params:
        _refuse_cut(model)
    with as_one_tensor():
        return original(model, info)


def _load(original: Callable[..., Any], model: nn.Module, state_dict: State, info: Any) -> Any:
    """Reshards first, because after a forward without a backward, gathered tensors replace the parameters, and torch
    cannot load into those."""
    if any(map(_is_4bit, model.parameters())):
        for module in model.modules():
            if isinstance(module, FSDPModule):
                module.reshard()
    return original(model, state_dict, info)


def _refuse_cut(model: nn.Module) -> None:
    for name, module in model.named_modules():
        if "cut" in vars(module) and any(_is_4bit(parameter) for parameter in module._parameters.values()):
            raise ValueError(
                f"'{name}' is cut by tensor parallelism, of which a state dict of torch's would have one rank's part: "
                "take ignore_frozen_params=True, or qfuse.distributed.save(base=True)"
            )


def _broadcast(
    original: Callable[..., None], full: State, local: State, device: Any, pg: Any = None, *args: Any, **kwargs: Any
) -> None:
    """Sends the first rank's state dict to all ranks."""
    own = _of_4bit(local)
    if not own:
        return original(full, local, device, pg, *args, **kwargs)
    is_first = dist.get_rank() == 0
    wholes: dict[str, Weight4bitTensor] = {}
    said: list[Any] = [None]
    if is_first:
        try:
            wholes = _take(full, own)
            said = [{key: _forms(whole) for key, whole in wholes.items()}]
        except (KeyError, TypeError, ValueError) as error:
            said = [str(error)]
    dist.broadcast_object_list(said, src=0, group=pg)
    if isinstance(said[0], str):
        raise ValueError(f"the first rank's state dict does not fit: {said[0]}")
    place = _sending_device(device, pg)
    placed: State = {}
    for key, (form, arrays) in said[0].items():
        inner = wholes.pop(key).inner if is_first else ()
        received = [torch.empty(size, dtype=dtype, device=place) for size, dtype in ([] if is_first else arrays)]
        sent = [array.to(place).contiguous() for array in inner] or received
        for array in sent:
            dist.broadcast(array, 0, group=pg)
        placed[key] = _placed(Weight4bitTensor([array.to(device) for array in sent], form), own[key])
        if kwargs.get("cpu_offload"):
            placed[key] = placed[key].cpu()
    is_strict = bool(kwargs.get("strict"))  # then load_state_dict itself reports missing keys
    missing = {key: value for key, value in own.items() if key not in placed and not is_strict}
    others = {key: value for key, value in local.items() if key not in own}
    original(full, others, device, pg, *args, **kwargs)
    local.clear()
    local.update(others | placed | missing)
    return None


def _distribute(original: Callable[..., None], full: State, local: State, device: Any, pg: Any = None) -> None:
    """Takes each rank's part of a full state dict that every rank has."""
    own = _of_4bit(local)
    wholes = _take(full, own) if own else {}
    placed = {key: _placed(cast(Weight4bitTensor, whole.to(device)), own[key]) for key, whole in wholes.items()}
    others = {key: value for key, value in local.items() if key not in wholes}
    original(full, others, device, pg)
    local.update(others | placed)


def _of_4bit(local: State) -> State:
    return {key: value for key, value in local.items() if _is_4bit(value)}


def _is_4bit(value: Any) -> bool:
    return isinstance(getattr(value, "_local_tensor", value), Weight4bitTensor)


def _take(full: State, own: State) -> dict[str, Weight4bitTensor]:
    """Removes the 4-bit weights from a full state dict, in which torch would misread their arrays, and returns them."""
    taken: dict[str, Weight4bitTensor] = {}
    for key in [key for key in own if key in full]:
        found = from_state_dict(full, key) if f"{key}.absmax" in full else full[key]
        if isinstance(found, Weight4bit):
            found = Weight4bitTensor.of(found)
        _check(key, found, own[key])
        taken[key] = found
    for key in taken:
        for name in list(_names_of(full, key)):
            del full[name]
    return taken


def _names_of(full: State, key: str) -> Iterator[str]:
    """Yields the weight's own key and bitsandbytes' keys of its other arrays."""
    return (name for name in full if name == key or name.startswith(f"{key}."))


def _check(key: str, found: Any, parameter: Any) -> None:
    if not isinstance(found, Weight4bitTensor):
        kind = f"{type(found).__name__} of {found.dtype}" if isinstance(found, torch.Tensor) else type(found).__name__
        raise TypeError(f"'{key}' is a {kind}, and in the model a weight in 4 bits: quantize the state dict's first")
    if found.is_part:
        raise ValueError(f"'{key}' is one rank's part: take full_state_dict=True where the state dict is made, too")
    if tuple(found.shape) != tuple(parameter.shape):
        raise ValueError(f"'{key}' has the shape {tuple(found.shape)}, and in the model {tuple(parameter.shape)}")
    there, here = (_bytes_of(each) for each in (found, getattr(parameter, "_local_tensor", parameter)))
    if there != here:
        raise ValueError(f"'{key}' is {there}, and in the model {here}")


def _bytes_of(weight: Weight4bitTensor) -> str:
    nested = "nested" if len(weight.inner) > 2 else "not nested"
    return f"{weight.form.quant_type} in blocks of {weight.form.blocksize}, {nested}"


def _forms(weight: Weight4bitTensor) -> tuple[Any, list[tuple[Any, Any]]]:
    return weight.form, [(tuple(array.shape), array.dtype) for array in weight.inner]


def _sending_device(device: torch.device, pg: Any) -> torch.device:
    """Chooses the device to send from as torch does: the parameters' device if the group supports it."""
    group = dist.distributed_c10d._get_default_group() if pg is None else pg
    kinds = list(group._device_types)
    return device if device.type in {kind.type for kind in kinds} else kinds[0]


def _placed(whole: Weight4bitTensor, parameter: Any) -> Any:
    """Writes this rank's rows of a weight into the parameter, or returns a new one if it is on the meta device."""
    local = getattr(parameter, "_local_tensor", parameter)
    rows = whole
    if isinstance(parameter, DTensor):
        shape, offset = compute_local_shape_and_global_offset(
            parameter.shape, parameter.device_mesh, parameter.placements
        )
        rows = cast(Weight4bitTensor, whole[offset[0] : offset[0] + shape[0]])
    if not local.is_meta:
        local.copy_(rows)
        return parameter
    form = local.form._replace(nested_blocksize=whole.form.nested_blocksize)
    made = Weight4bitTensor([array.clone() for array in rows.inner], form, rows.is_part)
    if not isinstance(parameter, DTensor):
        return made
    spec = parameter.device_mesh, parameter.placements
    return DTensor.from_local(made, *spec, run_check=False, shape=parameter.shape, stride=parameter.stride())
