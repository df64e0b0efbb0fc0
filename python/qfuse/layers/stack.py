"""A stack of experts' weights as transformers has it, a parameter, with the scales of its 4-bit codes beside it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from ..weight.form import FLOAT_DTYPES, TENSORS, Form
from ..weight.state_dict import STATE, decoded_form, encoded_form, quant_map
from ..weight.tensor import Weight4bitTensor, parameter_of
from ..weight.weight_4bit import Weight4bit, given

__all__ = [
    "Adapter",
    "Stack4bit",
    "before_load",
    "make_stacks_parameters",
    "name_of",
    "on_unpickling",
    "stack_names",
    "stack_of",
]

_SUFFIX = "_4bit"  # of a Stack4bit's name, behind its parameter's
_SCALES = TENSORS[1:]
Adapter = tuple[Tensor, Tensor, float]  # A [experts, rank, k], B [experts, n, rank] and the scaling
on_unpickling: list[Callable[[], None]] = []  # what a whole model needs that is unpickled where nothing else was done


def name_of(parameter: str) -> str:
    """That of the Stack4bit beside a parameter."""
    return parameter + _SUFFIX


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
        scales = given(*self._buffers.values())
        return Weight4bit((codes, *scales), *self.form)

    @property
    def form(self) -> Form:
        return Form(self.shape, self.dtype, self.quant_type, self.blocksize)

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
        destination[f"{outer}quant_map"] = quant_map(self.quant_type, self.absmax.device)
        blob = encoded_form(self.form, self.offset).to(self.absmax.device)
        destination[f"{outer}{STATE}{self.quant_type}"] = blob

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
    """What the keys of a Stack4bit in a state_dict begin with: its parameter's name in place of its own."""
    return prefix.removesuffix(f"{_SUFFIX}.") + "."


def before_load(module: Any, state_dict: dict[str, Any], prefix: str, *_: Any) -> None:
    """Hands scales on to the Stack4bit, under whose own name torch looks for them. Codes may lie as in a file of
    bitsandbytes, [bytes, 1]."""
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
