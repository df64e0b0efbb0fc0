"""Loads compressed-tensors checkpoints with their 4-bit weights packed: a quantizer in transformers' registry.

transformers' own quantizer decodes the weights to 16 bits, while it loads them or at the first forward.
"""

import warnings
from typing import Any

import torch
import transformers
from torch import nn
from transformers.conversion_mapping import get_model_conversion_mapping
from transformers.core_model_loading import WeightConverter, WeightRenaming, rename_source_key
from transformers.quantizers.auto import AUTO_QUANTIZATION_CONFIG_MAPPING, AUTO_QUANTIZER_MAPPING, register_quantizer
from transformers.utils import is_compressed_tensors_available
from transformers.utils.quantization_config import QuantizationMethod

from ..layers.packed_linear import PACKED, PackedLinear
from ..layers.packed_stack import PackedStack
from . import compressed_stacks
from .compressed_arrays import BY_TRANSFORMERS, OF_ACTIVATIONS, Arrays, activation_bits, form_of, read_modules
from .transformers_packed import PackedQuantizer, decode_stacks, dtype_of

__all__ = ["CompressedTensorsConfig"]

_METHOD = "qfuse_compressed_tensors"


class CompressedTensorsConfig(transformers.CompressedTensorsConfig):  # type: ignore[misc]  # with its name, see there
    """For from_pretrained of a checkpoint whose config.json has "quant_method": "compressed-tensors", in 4 bits:

        config = CompressedTensorsConfig()
        model = AutoModelForCausalLM.from_pretrained("RedHatAI/Llama-3.1-8B-NVFP4A16", quantization_config=config)

    Linear layers become PackedLinear over the bytes of the files, in INT4 without zero points (groups of 32 to 4096),
    NVFP4 and MXFP4. qfuse.matmul_4bit multiplies by them, with gradients, and peft's LoRA works over them. Experts that
    transformers joins to stacks become packed stacks, as by Mxfp4Config. save_pretrained writes the model as it was
    read. compressed-tensors need not be installed.

    If the checkpoint says that activations are quantized, too, a warning says that they are not: rounding has no
    gradient.

    from_pretrained raises ValueError for a checkpoint without packed weights or with other ones, for files that
    disagree with the model, and for a distributed_config.
    """

    def __init__(self) -> None:
        self.quant_method = _METHOD
        self.quantization_config = None
        self.dequantize = self.use_optimized_inference = False

    def get_loading_attributes(self) -> dict[str, Any]:
        """Returns what from_pretrained sets in the checkpoint's config, by which it then selects the quantizer."""
        return {"quant_method": _METHOD}

    def to_diff_dict(self) -> dict[str, Any]:
        """Returns to_dict(), without the defaults of compressed-tensors, which may be missing."""
        found: dict[str, Any] = self.to_dict()
        return found


class _Stored(CompressedTensorsConfig):
    """The quantization_config of a config.json, where transformers' own class lacks compressed-tensors to read it."""

    def __init__(self, **stored: Any) -> None:
        super().__init__()
        self.quant_method = stored["quant_method"]
        self.stored = stored

    def to_dict(self) -> dict[str, Any]:
        return dict(self.stored)


_Stored.__name__ = CompressedTensorsConfig.__name__


class _Quantizer(PackedQuantizer):
    method = QuantizationMethod.COMPRESSED_TENSORS
    unpacked = "with a BitsAndBytesConfig to quantize it"
    _stacks: dict[str, compressed_stacks.Sides]  # of put_in_place

    def put_in_place(self, model: Any, files: list[str], **_: Any) -> None:
        bits = activation_bits(self.quantization_config.to_dict())
        modules = read_modules(files)
        if not any(PACKED in arrays for arrays in modules.values()):
            raise ValueError(
                f"the files have no {PACKED}, so that nothing packed is there to be kept: load the model by "
                "transformers itself, without this CompressedTensorsConfig"
            )
        self._stacks = _put_in_place(model, modules)
        compressed_stacks.put_in_place(model, self._stacks)
        _check_names(model, modules, self)
        if bits is not None:
            warnings.warn(
                f"this checkpoint is meant for activations in {bits} bits; here they keep the model's dtype, because "
                "rounding has no gradient, so that a server that quantizes them computes less exactly than this model",
                stacklevel=2,
            )

    def update_weight_conversions(self, weight_conversions: list[Any], model: Any = None) -> list[Any]:
        return compressed_stacks.conversions(weight_conversions, self._stacks)

    def _process_model_after_weight_loading(self, model: Any, **_: Any) -> None:
        for name, stack in model.named_modules():
            if isinstance(stack, PackedStack) and not stack.has_one_divisor():
                raise ValueError(
                    f"gate and up of an expert in {name} have two values of weight_global_scale, for which there is no "
                    f"product: {BY_TRANSFORMERS}"
                )

    def _dequantize(self, model: Any, dtype: torch.dtype | None = None) -> Any:
        """Implements model.dequantize(), which makes an ordinary model of it."""
        for name, layer in list(model.named_modules()):
            if isinstance(layer, PackedLinear):
                model.set_submodule(name, _decoded(layer, dtype))
        if decode_stacks(model, dtype):
            model._weight_conversions = None  # transformers then splits the stacks as in a model that it has made
        return model


class _Names:
    """The names that transformers gives to the arrays of files when it loads them into a model."""

    def __init__(self, model: Any, quantizer: _Quantizer | None = None) -> None:
        conversions = get_model_conversion_mapping(model, None, quantizer)
        self._renamings = [each for each in conversions if isinstance(each, WeightRenaming)]
        self._converters = [each for each in conversions if isinstance(each, WeightConverter)]
        self._prefix, self._state = model.base_model_prefix, model.state_dict()

    def find(self, key: str) -> tuple[str, str | None]:
        """Returns the name, and the pattern of the conversion that joins several arrays to it, if any."""
        found: tuple[str, str | None]
        found = rename_source_key(key, self._renamings, self._converters, self._prefix, self._state)
        if found[0] not in self._state and key in self._state:  # as convert_and_load_state_dict_in_model does
            found = rename_source_key(key, [], [], self._prefix, self._state)
        return found

    def __contains__(self, name: str) -> bool:
        return name in self._state


def _put_in_place(model: Any, modules: dict[str, Arrays]) -> dict[str, compressed_stacks.Sides]:
    """Replaces the linear layers that the files have packed, and adds scales of activations, which are only kept.
    Returns what the files have packed for stacks. The model is on the device meta."""
    names, layers = _Names(model), dict(model.named_modules())
    stacks: dict[str, compressed_stacks.Sides] = {}
    for module, arrays in modules.items():
        name, pattern = names.find(f"{module}.weight")
        path = name.rpartition(".")[0]
        if PACKED not in arrays:
            _keep_scales(layers, names, module, arrays)
        elif pattern is not None:
            stacks.setdefault(name, {}).setdefault(pattern, {})[module] = arrays
        elif name in names and type(layers[path]) is nn.Linear:
            if name in model.all_tied_weights_keys:
                raise ValueError(f"{module} is packed, though config.json ties it to the embedding")
            model.set_submodule(path, _packed(layers[path], module, arrays))
    return stacks


def _keep_scales(layers: dict[str, nn.Module], names: _Names, module: str, arrays: Arrays) -> None:
    for of_activations in arrays.keys() & set(OF_ACTIVATIONS):
        path, _, leaf = names.find(f"{module}.{of_activations}")[0].rpartition(".")
        owner = layers.get(path)
        if owner is not None and not hasattr(owner, leaf):
            owner.register_buffer(leaf, arrays[of_activations].empty("meta"))


def _packed(linear: Any, module: str, arrays: Arrays) -> PackedLinear:
    dense = linear.weight
    form = form_of(module, arrays, tuple(dense.shape), dtype_of(dense))
    kept = {leaf: array.empty(dense.device) for leaf, array in arrays.items() if leaf != "bias"}
    made = PackedLinear(kept, form, linear.bias)
    made._is_hf_initialized = True  # type: ignore[assignment]  # else transformers draws a weight for it
    return made.train(linear.training)


def _check_names(model: Any, modules: dict[str, Arrays], quantizer: _Quantizer) -> None:
    """Raises ValueError for an array of a packed layer that will not be loaded, and for a packed weight without a layer
    in a model that lacks a weight: transformers itself would only warn, and draw values."""
    names = _Names(model, quantizer)
    found = {names.find(f"{module}.{leaf}")[0] for module, arrays in modules.items() for leaf in arrays}
    missing = [name for name in model.state_dict() if name not in found and name not in model.all_tied_weights_keys]
    layers = dict(model.named_modules())
    for name in missing:
        if isinstance(layers[name.rpartition(".")[0]], (PackedLinear, PackedStack)):
            raise ValueError(f"the files have no {name}, which its packed weight needs: download them again")
    packed = [module for module, arrays in modules.items() if PACKED in arrays]
    lost = next((module for module in packed if names.find(f"{module}.{PACKED}")[0] not in names), None)
    if missing and lost is not None:
        raise ValueError(
            f"the files have {lost} in 4 bits, which is no linear layer of {type(model).__name__}, and the model has "
            f"{missing[0]}, which is in no file: weights stay packed in linear layers; {BY_TRANSFORMERS}"
        )


def _decoded(layer: PackedLinear, dtype: torch.dtype | None) -> nn.Linear:
    weight = layer.weight_4bit.dequantize(dtype)
    with torch.device("meta"):
        made = nn.Linear(layer.in_features, layer.out_features, layer.bias is not None)
    made.weight, made.bias = nn.Parameter(weight), layer.bias
    return made.train(layer.training)


if _METHOD not in AUTO_QUANTIZER_MAPPING:  # already registered if this module is reloaded
    register_quantizer(_METHOD)(_Quantizer)
if not is_compressed_tensors_available():
    AUTO_QUANTIZATION_CONFIG_MAPPING[QuantizationMethod.COMPRESSED_TENSORS.value] = _Stored
