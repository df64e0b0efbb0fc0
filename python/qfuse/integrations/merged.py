"""merged_weights(): a quantized model's weights with its adapters merged in, for an engine that generates from them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from ..weight.form import FLOAT_DTYPES
from ..weight.weight_4bit import float_dtype
from .merged_tensors import Chosen, Planned, holds_codes, is_peft, walk

_METHODS = ("bitsandbytes", "bitsandbytes_4bit", "bitsandbytes_8bit", "mxfp4")  # what the walk decodes


def merged_weights(
    model: nn.Module,
    *,
    dtype: torch.dtype | str | None = None,
    adapters: Sequence[str] | None = None,
    device: torch.device | str | int | None = None,
) -> Iterator[tuple[str, Tensor]]:
    """Iterates over the tensors that `qfuse merge` would write for a model and its LoRA adapters: names of the base's
    16-bit checkpoint, which vLLM's load_weights takes, and merged values, with the same bits.

        for name, tensor in qfuse.merged_weights(model):   # a peft model over 4-bit layers, in training
            ...

    Each tensor is made when it is asked for, straight from codes and adapters, on its parameter's device: a kernel
    decodes a layer, another adds its adapter in float32 and rounds once. The model and its adapters stay as they are.
    Memory: twice the largest layer or stack in 16 bits. DoRA's norms are summed in float64 in torch's order, which may
    change a last bit.

    model: of transformers, with or without peft, or any module. Its weights may be bitsandbytes' Linear4bit and
    Linear8bitLt, qfuse.nn's layers, experts in stacks (qfuse.quantize_experts, qfuse.nn.Experts4bit, gpt-oss' MXFP4 by
    qfuse's Mxfp4Config: they become gate_up_proj and down_proj), and plain tensors. LoRA's variants rslora and DoRA,
    biases, embeddings, target_parameters, modules_to_save and trainable_token_indices are merged as MERGE.md says. A
    tied tensor comes once if its names are changed alike, otherwise under each name. FSDP2's shards of qfuse's layers
    are gathered one by one: all ranks must iterate.

    dtype: of the result, float32, float16 or bfloat16; default: that of most quantized weights, or of the config. A
    tensor in float32 whose values need it stays so; with a dtype, only if no adapter changes it. adapters: names, in
    the order in which they are added; default: those that are active, as in peft's merge_and_unload(). device: default:
    where each parameter is.

    Raises ValueError, before the first tensor, for what it cannot merge: adapters other than LoRA, LoRA over
    convolutions and nn.MultiheadAttention, adapters that are merged already, weights quantized by other libraries,
    offloaded or sharded otherwise; TypeError for layers of bitsandbytes that are not quantized yet.
    """
    names = None if adapters is None else (adapters,) if isinstance(adapters, str) else tuple(adapters)
    root = _root_of(model, names)
    own = _own_dtype(root)
    planned = _without_ties(root, list(walk(root, "", Chosen(names, own))))
    own = _most(each.dtype for each in planned) or own
    to = None if dtype is None else float_dtype(dtype)
    if to not in (None, *FLOAT_DTYPES):
        raise ValueError(f"dtype is {dtype}, it can be float32, float16 or bfloat16")
    return _iterate(root, planned, own, to, device)


@torch.no_grad()
def _iterate(
    root: Any, planned: list[Planned], own: torch.dtype, to: torch.dtype | None, device: Any
) -> Iterator[tuple[str, Tensor]]:
    """own: the checkpoint's dtype. to: the requested one."""
    names = _Names(root)
    for group in names.groups(planned):
        made = {}
        for each in group:
            stays = (to is None or not each.is_changed) and each.has_own_dtype(own)
            tensor = each.make(None if stays else to or own)
            made[each.name] = tensor if device is None else tensor.to(device)
            del tensor
        converted = names.in_file(made)
        del made
        for name in list(converted):
            yield name, converted.pop(name)


def _root_of(model: Any, adapters: Sequence[str] | None) -> Any:
    """Returns the model without the wrappers of peft and torch. Refuses adapters that are not layers of LoRA's."""
    while isinstance(model, nn.parallel.DistributedDataParallel) or hasattr(model, "_orig_mod"):
        model = getattr(model, "_orig_mod", None) or model.module
    configs = getattr(model, "peft_config", {})
    if unknown := [name for name in adapters or () if name not in configs]:
        raise ValueError(f"the model has no adapters {', '.join(unknown)}; it has {', '.join(configs) or 'none'}")
    if is_peft(model, "PeftModel") or is_peft(model, "PeftMixedModel"):
        for name in model.active_adapters if adapters is None else adapters:
            kind = getattr(configs[name].peft_type, "value", configs[name].peft_type)
            if kind != "LORA":
                raise ValueError(f"the adapter '{name}' is {kind}, and only LORA adapters can be merged here")
        model = model.base_model.model
    method = getattr(getattr(model, "hf_quantizer", None), "quantization_config", None)
    method = getattr(method, "quant_method", None)
    method = getattr(method, "value", method)
    if method is not None and method not in _METHODS:
        raise ValueError(f"the model is quantized by {method}, which cannot be decoded here")
    return model


def is_quantized(model: nn.Module) -> bool:
    """Whether any of the weights that the model computes with is quantized, in a form that merged_weights() reads."""
    return any(map(holds_codes, model.modules()))


def _most(dtypes: Iterator[torch.dtype | None]) -> torch.dtype | None:
    found = Counter(dtype for dtype in dtypes if dtype is not None).most_common(1)
    return found[0][0] if found else None


def _own_dtype(root: nn.Module) -> torch.dtype:
    """The dtype of the config, which a cast to float32 for training does not change, or of most parameters."""
    dtype = getattr(getattr(root, "config", None), "dtype", None)
    dtype = getattr(torch, dtype, None) if isinstance(dtype, str) else dtype  # a name once save_pretrained() has run
    if isinstance(dtype, torch.dtype) and dtype in FLOAT_DTYPES:
        return dtype
    return _most(each.dtype for each in root.parameters() if each.dtype in FLOAT_DTYPES) or torch.bfloat16


def _without_ties(root: Any, planned: list[Planned]) -> list[Planned]:
    """Removes the further names of a tied tensor, unless adapters change it differently under them."""
    ignored = getattr(root, "_keys_to_ignore_on_save", None) or ()
    tied = {*getattr(root, "all_tied_weights_keys", {})}
    groups: dict[int, list[Planned]] = {}
    for each in planned:
        if each.name not in ignored:
            groups.setdefault(id(each if each.identity is None else each.identity), []).append(each)
    kept = set()
    for group in groups.values():
        one = sorted(group, key=lambda each: each.name in tied)[0]
        alike = all(each.change.equals(one.change) for each in group)
        kept |= {one.name} if alike else {each.name for each in group}
    return [each for each in planned if each.name in kept]


class _Names:
    """The names that transformers' save_pretrained would write, with the conversions of tensors that belong to them."""

    def __init__(self, root: Any) -> None:
        self._model: Any = None
        self._converters: list[Any] = []
        self._renamings: list[Any] = []
        if hasattr(root, "_can_set_experts_implementation"):  # a PreTrainedModel
            self._read(root)

    def _read(self, root: Any) -> None:
        from transformers import conversion_mapping
        from transformers.core_model_loading import PrefixChange, WeightConverter

        # A model loaded in 4 bits has quantizers' conversions too, and after quantize_experts() none.
        own = [each for each in vars(root).get("_weight_conversions") or () if not _is_of_quantizer(each)]
        if not own:
            every = conversion_mapping.get_model_conversion_mapping(root, add_legacy=False)
            own = [each for each in every if not isinstance(each, PrefixChange)]
        self._model = _Converted(root, own)
        for each in [conversion.reverse_transform() for conversion in own[::-1]]:
            (self._converters if isinstance(each, WeightConverter) else self._renamings).append(each)

    def groups(self, planned: list[Planned]) -> list[list[Planned]]:
        """Returns the tensors that must be converted together, in the order of the first of each group."""
        groups: dict[str, list[Planned]] = {}
        for each in planned:
            groups.setdefault(self._key_of(each.name)[0], []).append(each)
        return list(groups.values())

    def _key_of(self, name: str) -> tuple[str, bool]:
        for converter in self._converters:
            name, pattern = converter.rename_source_key(name)
            if pattern is not None:
                return name, True
        return name, False

    def in_file(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        if any(self._key_of(name)[1] for name in tensors):
            from transformers.core_model_loading import revert_weight_conversion

            converted: dict[str, Tensor] = revert_weight_conversion(self._model, tensors)
            return converted
        renamed = {}
        for name, tensor in tensors.items():
            for renaming in self._renamings:
                name, _ = renaming.rename_source_key(name)
            renamed[name] = tensor
        return renamed


class _Converted:
    """A model whose conversions are others: transformers reads them from it."""

    def __init__(self, model: Any, conversions: list[Any]) -> None:
        self._original, self._weight_conversions = model, conversions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


def _is_of_quantizer(conversion: Any) -> bool:
    return any(hasattr(operation, "hf_quantizer") for operation in getattr(conversion, "operations", ()))
