"""A linear layer over a 4-bit weight that is a parameter."""

from typing import Any

import torch
from torch import Tensor, nn

from ..ops.functional import matmul_4bit
from ..weight.quant_state import read_weight
from ..weight.state_dict import from_state_dict, to_state_dict
from ..weight.tensor import Weight4bitTensor, is_one_tensor, parameter_of
from .factors import bias_of


class Linear4bit(nn.Linear):
    """A linear layer [n, k] whose weight is a frozen parameter in 4 bits, a Weight4bitTensor: what FSDP2 can share out
    and tensor parallelism cut, which it can do with no weight of bitsandbytes'.

        model.q_proj = qfuse.nn.Linear4bit(model.q_proj)            # of a Linear4bit of bitsandbytes
        head = qfuse.nn.Linear4bit(weights["lm_head.weight"])       # of qfuse.load_checkpoint

    weight and quant_state: those of qfuse.dequantize_4bit; they are not copied. bias [n]: by default that of a layer
    that is given. compute_dtype: of the product; by default that of the layer that is given, or of its input.

    Its state_dict has bitsandbytes' names: weight, weight.absmax and so on. A change of dtype, as by module.half(), is
    one of what the weight decodes to.

    Raises what qfuse.dequantize_4bit does, and ValueError for a weight whose rows are not whole blocks.
    """

    compute_type_is_set = True  # which peft's layer over it would else set, as over one of bitsandbytes'

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
        """x [..., k] to [..., n] in x's dtype: the product of qfuse.matmul_4bit in compute_dtype."""
        bias = bias_of(self)
        if self.compute_dtype is None or self.compute_dtype is x.dtype:
            return matmul_4bit(x, self.weight, bias=bias)
        return matmul_4bit(x.to(self.compute_dtype), self.weight, bias=bias).to(x.dtype)

    def extra_repr(self) -> str:
        """What print(model) says."""
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
