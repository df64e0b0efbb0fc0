"""Loads gpt-oss with the experts of its checkpoint packed in MXFP4: a quantizer in transformers' registry.

transformers' own Mxfp4HfQuantizer needs kernels from the Hub, has no gradients, and decodes to 16 bits without them.
"""

import re
from collections.abc import Sequence
from typing import Any

import torch
import transformers
from torch import Tensor
from torch.nn import Parameter
from transformers.core_model_loading import ConversionOps, WeightConverter
from transformers.quantizers.auto import AUTO_QUANTIZER_MAPPING, register_quantizer
from transformers.quantizers.quantizers_utils import should_convert_module
from transformers.utils.quantization_config import QuantizationMethod

from ..layers.experts import name_of, stack_names
from ..layers.packed_stack import Mxfp4Stack, in_blocks
from ..weight.state_dict import BLOCKS, BYTES_OF_BLOCK, SCALES
from . import transformers_experts
from .compressed_arrays import Array, read_arrays
from .transformers_packed import PackedQuantizer, decode_stacks, dtype_of, put_stacks

__all__ = ["Mxfp4Config"]

_METHOD = "qfuse_mxfp4"
_DTYPES = {BLOCKS: ("U8",), SCALES: ("U8", "F8_E8M0")}  # in safetensors' spelling


class Mxfp4Config(transformers.Mxfp4Config):  # type: ignore[misc]  # the same name, which from_pretrained compares
    """For from_pretrained of a checkpoint whose config.json has "quant_method": "mxfp4", such as gpt-oss:

        model = AutoModelForCausalLM.from_pretrained("openai/gpt-oss-20b", quantization_config=Mxfp4Config())

    The experts keep the bytes of the files. Their codes are a frozen uint8 parameter [experts, rows, columns / 2] under
    the 16-bit parameter's name. qfuse.matmul_4bit_grouped multiplies by them, with gradients, on a CPU or a GPU, in the
    dtype of from_pretrained. peft's LoRA works over them with target_parameters, in the same shapes as over the 16-bit
    parameters. save_pretrained writes the model as it was read. Everything else is transformers' own.

    from_pretrained raises ValueError for a checkpoint without MXFP4, for files in which a stack is missing or has
    another shape or dtype, and for a distributed_config.
    """

    def __init__(self) -> None:
        super().__init__()
        self.quant_method = _METHOD

    def get_loading_attributes(self) -> dict[str, Any]:
        """Returns what from_pretrained sets in the checkpoint's config, by which it then selects the quantizer."""
        return {"quant_method": _METHOD}


class _Quantizer(PackedQuantizer):
    method = QuantizationMethod.MXFP4
    unpacked = "and quantize its experts by qfuse.quantize_experts(model)"
    shared_out = ", then call qfuse.distributed.shardable(model) and fully_shard"

    def put_in_place(self, model: Any, files: list[str], use_kernels: bool = False, **_: Any) -> None:
        if use_kernels:
            raise ValueError("use_kernels would multiply gpt-oss' experts by kernels for 16 bits: leave it out")
        skipped = self.quantization_config.modules_to_not_convert
        found = {
            name: module
            for name, module in transformers_experts.find_experts(model)
            if should_convert_module(name, skipped)
        }
        if not found:
            raise ValueError(f"{type(model).__name__} has no experts as gpt-oss has them: qfuse knows no other MXFP4")
        for module in found.values():
            put_stacks(module, {name: _packed(module, name) for name in stack_names(module)})
        _check_files(found, files)

    def get_weight_conversions(self) -> list[Any]:
        """Returns two conversions per name, because transformers 5.20 has no many-to-many conversions. The lookahead,
        which matters only in saving, excludes biases."""
        names = ("gate_up_proj", "up_proj", "down_proj")
        codes = [WeightConverter([name + BLOCKS], [rf"{name}(?!\w)"], [_ToRows(self)]) for name in names]
        scales = [WeightConverter([name + SCALES], [f"{name_of(name)}.scales"], [_ToBytes(self)]) for name in names]
        return codes + scales

    def _dequantize(self, model: Any, dtype: torch.dtype | None = None) -> Any:
        """Implements model.dequantize(), which converts the model to an ordinary one."""
        decode_stacks(model, dtype)
        conversions = getattr(model, "_weight_conversions", None) or []
        others = [each for each in conversions if not any(isinstance(op, _View) for op in _operations_of(each))]
        model._weight_conversions = others
        return model


def _packed(module: Any, name: str) -> tuple[Mxfp4Stack, Parameter]:
    dense = module._parameters[name]
    stack = Mxfp4Stack(tuple(dense.shape), dtype_of(dense), module.is_transposed, dense.device)
    codes = torch.empty(stack.codes_shape, dtype=torch.uint8, device=dense.device)
    return stack, Parameter(codes, requires_grad=False)


def _operations_of(conversion: Any) -> Sequence[Any]:
    found: Sequence[Any] = getattr(conversion, "operations", ())
    return found


def _check_files(modules: dict[str, Any], files: list[str]) -> None:
    """Reads only the headers. Names in files may have another prefix than in the model, but agree from the layer's
    number on."""
    arrays = dict(read_arrays(file for file in files if file.endswith(".safetensors")))
    if not arrays:
        return
    for module_name, module in modules.items():
        for name in stack_names(module):
            *experts, rows, bytes_of_row = module._parameters[name].shape
            grid = (*experts, rows, bytes_of_row // BYTES_OF_BLOCK)
            for suffix, shape in ((BLOCKS, (*grid, BYTES_OF_BLOCK)), (SCALES, grid)):
                _check_array(f"{module_name}.{name}{suffix}", arrays, shape, _DTYPES[suffix])


def _check_array(name: str, arrays: dict[str, Array], shape: tuple[int, ...], dtypes: tuple[str, ...]) -> None:
    numbered = re.fullmatch(r".*?\.(\d+\..+)", name)
    tail = numbered[1] if numbered else name
    found = next((found for key, found in arrays.items() if key == tail or key.endswith(f".{tail}")), None)
    if found is None:
        raise ValueError(
            f"the files have no {name}, though config.json says that they are in MXFP4: download them again, or, if "
            'these experts are in 16 bits, remove "quantization_config" from config.json'
        )
    if found.shape != shape or found.dtype not in dtypes:
        wanted = f"{' or '.join(dtypes)} {[*shape]}"
        raise ValueError(f"{name} is {found.dtype} {[*found.shape]} in the files, by config.json it must be {wanted}")


class _View(ConversionOps):  # type: ignore[misc]
    """A conversion that copies no bytes."""

    def __init__(self, quantizer: _Quantizer | None = None) -> None:
        self.hf_quantizer = quantizer  # tells transformers that this operation handles dtypes itself

    def convert(
        self, input_dict: dict[str, Any], source_patterns: list[str], target_patterns: list[str], **_: Any
    ) -> Any:
        (found,) = input_dict.values()
        return {target_patterns[0]: self.of(found[0] if isinstance(found, list) else found)}

    def of(self, array: Tensor) -> Tensor:
        return array

    @property
    def reverse_op(self) -> "_View":
        return _View()


class _ToRows(_View):
    def of(self, array: Tensor) -> Tensor:
        return array.flatten(-2)

    @property
    def reverse_op(self) -> _View:
        return _ToBlocks()


class _ToBlocks(_View):
    def of(self, array: Tensor) -> Tensor:
        return in_blocks(array)


class _ToBytes(_View):
    def of(self, array: Tensor) -> Tensor:
        return array.view(torch.uint8)


if _METHOD not in AUTO_QUANTIZER_MAPPING:  # already registered if this module is reloaded
    register_quantizer(_METHOD)(_Quantizer)
