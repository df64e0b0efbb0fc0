"""What the quantizers of Mxfp4Config and CompressedTensorsConfig in transformers' registry have in common."""

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch.nn import Parameter
from transformers.quantizers import HfQuantizer
from transformers.utils.quantization_config import QuantizationMethod

from ..layers.experts import name_of, stack_names, stack_of
from ..layers.packed_stack import Mxfp4Stack, PackedStack
from ..weight.form import FLOAT_DTYPES
from . import transformers_experts


class PackedQuantizer(HfQuantizer):  # type: ignore[misc]
    """Loads a checkpoint whose weights are packed, and keeps them so.

    method: the value in a saved config.json. unpacked: what to do with a checkpoint of another kind. shared_out: how to
    share out the loaded model instead of by a distributed_config.
    """

    method: QuantizationMethod
    unpacked: str
    shared_out = ""
    is_trainable = True

    def __init__(self, quantization_config: Any, **kwargs: Any) -> None:
        super().__init__(quantization_config, **kwargs)
        quantization_config.quant_method = self.method

    def validate_environment(self, *args: Any, **kwargs: Any) -> None:
        if not self.pre_quantized:
            raise ValueError(
                f'config.json does not say "quant_method": "{self.method.value}", so that nothing packed is there to '
                f"be kept: load it without this {type(self.quantization_config).__name__}, {self.unpacked}"
            )

    def _process_model_before_weight_loading(
        self, model: Any, checkpoint_files: Iterable[str] | None = None, **settings: Any
    ) -> None:
        if getattr(model.config, "distributed_config", None) is not None:
            raise ValueError(
                f"a distributed_config cannot share out packed weights: load the model without it{self.shared_out}"
            )
        self.put_in_place(model, [str(file) for file in checkpoint_files or ()], **settings)

    def put_in_place(self, model: Any, files: list[str], **settings: Any) -> None:
        """Makes packed weights without values of the model's, which is on the device meta. Raises ValueError for files
        that do not have them."""
        raise NotImplementedError

    def is_serializable(self) -> bool:
        return True


def dtype_of(dense: Any) -> torch.dtype:
    """Returns the dtype to which a packed weight decodes in place of this one."""
    return dense.dtype if dense.dtype in FLOAT_DTYPES else torch.bfloat16


def put_stacks(module: Any, stacks: Mapping[str, tuple[PackedStack, Parameter]]) -> None:
    """stacks: of a module of experts, each with its codes, by the names of the parameters that they replace."""
    for name, (stack, codes) in stacks.items():
        codes._is_hf_initialized = True  # type: ignore[attr-defined]  # else transformers draws values for it
        module._parameters[name] = codes
        module.add_module(name_of(name), stack)
    transformers_experts.set_implementation(module)
    transformers_experts.prepare()


@torch.no_grad()
def decode_stacks(model: Any, dtype: torch.dtype | None) -> bool:
    """Makes the packed stacks of a model ordinary ones. Returns whether there were any."""
    decoded = False
    for _, module in transformers_experts.find_experts(model):
        for name in stack_names(module):
            stack = stack_of(module, name)
            if isinstance(stack, PackedStack):
                turned = isinstance(stack, Mxfp4Stack) and module.is_transposed
                dense = stack.weight(module._parameters[name]).dequantize(dtype)
                module._parameters[name] = Parameter(dense.mT.contiguous() if turned else dense)
                del module._modules[name_of(name)]
                decoded = True
    return decoded
