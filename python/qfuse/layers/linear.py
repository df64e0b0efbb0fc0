"""A linear layer whose 4-bit weight is a parameter."""

from typing import Any

import torch
from torch import Tensor, nn

from ..ops.functional import matmul_4bit
from ..weight.quant_state import read_weight
from ..weight.state_dict import from_state_dict, to_state_dict
from ..weight.tensor import Weight4bitTensor, is_one_tensor, parameter_of
from .factors import bias_of


class Linear4bit(nn.Linear):
    """A linear layer [n, k] whose weight is a frozen 4-bit parameter, a Weight4bitTensor. FSDP2 can shard it and tensor
    parallelism can cut it, which is impossible with bitsandbytes' weights.

        model.q_proj = qfuse.nn.Linear4bit(model.q_proj)            # from a bitsandbytes Linear4bit
        head = qfuse.nn.Linear4bit(weights["lm_head.weight"])       # from qfuse.load_checkpoint

    weight and quant_state: as for qfuse.dequantize_4bit; they are not copied. bias [n]: default: that of the layer, if
    `weight` is one. compute_dtype: dtype of the product; default: that of the layer, otherwise the input's.

    Its state_dict has bitsandbytes' names: weight, weight.absmax and so on. Changing the module's dtype, such as by
    module.half(), changes only the dtype that the weight decodes to.

    Raises the errors of qfuse.dequantize_4bit, and ValueError for a weight whose rows are not whole blocks.
    """

    compute_type_is_set = True  # keeps peft's layer from setting compute_dtype, as it does for bitsandbytes

    def __init__(
        self,
        weight: Any,
        *,
        quant_state: Any = None,
        bias: Tensor | None = None,
        compute_dtype: torch.dtype | None = None,
    ) -> None:
        nn.Module.__init__(self)
        found = read_weight(weight, quant_state)
        if len(found.shape) != 2:
            raise ValueError(f"the weight has shape {tuple(found.shape)}, it must be a matrix")
        self.out_features, self.in_features = found.shape
        self.weight = parameter_of(found)
        if isinstance(weight, nn.Module):
            bias = getattr(weight, "bias", None) if bias is None else bias
            compute_dtype = getattr(weight, "compute_dtype", None) if compute_dtype is None else compute_dtype
        self.compute_dtype = compute_dtype
        self.register_parameter("bias", bias if bias is None or isinstance(bias, nn.Parameter) else nn.Parameter(bias))

    def forward(self, x: Tensor) -> Tensor:
        """Maps x [..., k] to [..., n] in x's dtype, by qfuse.matmul_4bit in compute_dtype."""
        bias = bias_of(self)
        if self.compute_dtype is None or self.compute_dtype is x.dtype:
            return matmul_4bit(x, self.weight, bias=bias)
        return matmul_4bit(x.to(self.compute_dtype), self.weight, bias=bias).to(x.dtype)

    def extra_repr(self) -> str:
        """Text for print(model)."""
        return f"{super().extra_repr()}, weight={getattr(self.weight, '_local_tensor', self.weight)!r}"

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        if isinstance(self.weight, Weight4bitTensor) and not is_one_tensor():
            destination |= to_state_dict(self.weight.quant_state, f"{prefix}weight")

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        name = f"{prefix}weight"
        parts = [key for key in state_dict if key.startswith(f"{name}.")]
        if parts and name in state_dict:
            try:
                state_dict[name] = Weight4bitTensor.of(from_state_dict(state_dict, name))
            except KeyError as error:
                missing: list[str] = args[2]
                missing.append(error.args[0])
                return
            for key in parts:
                del state_dict[key]
        super()._load_from_state_dict(state_dict, prefix, *args)
