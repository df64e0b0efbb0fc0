"""A linear layer with a 4-bit weight and a LoRA adapter."""

from typing import Any

import torch
from torch import Tensor, nn

from ..ops.functional import matmul_4bit, matmul_4bit_lora
from ..ops.gradients import is_autocast
from ..weight.quant_state import read_weight
from ..weight.weight_4bit import plain_weight
from .factors import factor_of
from .inspection import has_global_hooks, is_bare, is_bare_linear, is_dropping
from .over_weight import OverWeight


class Linear4bitLoRA(OverWeight):
    """A 4-bit linear layer [n, k] with a trainable LoRA adapter, computed by qfuse.matmul_4bit_lora, without peft.

        model.q_proj = qfuse.nn.Linear4bitLoRA(model.q_proj, rank=16, alpha=32, dropout=0.05)
        down = qfuse.nn.Linear4bitLoRA(qfuse.load_checkpoint(path)["model.layers.0.mlp.down_proj.weight"])

    weight and quant_state: as for qfuse.dequantize_4bit; they are neither copied nor modified. bias [n]: not trained;
    default: that of the layer, if `weight` is one. rank: of A [rank, k] and B [n, rank], which are lora_A.weight and
    lora_B.weight, with peft's names and initial values, so that an untrained adapter has no effect. alpha: the
    adapter's product is multiplied by alpha / rank; default: rank. dropout: probability of zeroing an element of the
    adapter's input in training. dtype: of A and B.

    Parameters and state_dict contain only the adapter; OverWeight documents how the weight is handled.

    Raises the errors of qfuse.dequantize_4bit, and ValueError for a weight that is no matrix or a rank below 1.
    """

    def __init__(
        self,
        weight: Any,
        rank: int = 16,
        alpha: float | None = None,
        *,
        quant_state: Any = None,
        bias: Tensor | None = None,
        dropout: float = 0.0,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        self.base = plain_weight(read_weight(weight, quant_state))
        if len(self.base.shape) != 2:
            raise ValueError(f"the weight has shape {tuple(self.base.shape)}, it must be a matrix")
        if rank < 1:
            raise ValueError(f"rank is {rank}, it must be 1 or more")
        if bias is None and isinstance(weight, nn.Module):
            bias = getattr(weight, "bias", None)
        self.register_buffer("bias", None if bias is None else bias.detach(), persistent=False)
        self.bias: Tensor | None
        self.out_features, self.in_features = self.base.shape
        self.rank, self.scaling = rank, (rank if alpha is None else alpha) / rank
        self.dropout = nn.Dropout(dropout)
        self.lora_A = nn.Linear(self.in_features, rank, bias=False, device=self.base.device, dtype=dtype)
        self.lora_B = nn.Linear(rank, self.out_features, bias=False, device=self.base.device, dtype=dtype)
        nn.init.zeros_(self.lora_B.weight)

    def reset_parameters(self) -> None:
        """Initializes the adapter so that it has no effect."""
        nn.init.kaiming_uniform_(self.lora_A.weight, 5**0.5)
        nn.init.zeros_(self.lora_B.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Maps x [..., k] to [..., n], in x's dtype or, under torch.autocast, that of torch.nn.functional.linear.

        If lora_A, lora_B or dropout has hooks or a parametrization, or was replaced by another module, the three are
        called as modules, one after another, in A's dtype.
        """
        if not self._is_bare():
            return self._forward_by_modules(x)
        return matmul_4bit_lora(
            x,
            self.base,
            factor_of(self.lora_A),
            factor_of(self.lora_B),
            self.scaling,
            bias=self.bias,
            lora_x=self.dropout(x) if is_dropping(self.dropout) else None,
        )

    def _is_bare(self) -> bool:
        return (
            is_bare_linear(self.lora_A)
            and is_bare_linear(self.lora_B)
            and is_bare(self.dropout, nn.Dropout, nn.Identity)
            and not getattr(self.dropout, "inplace", False)
            and not has_global_hooks()
        )

    def _forward_by_modules(self, x: Tensor) -> Tensor:
        product = matmul_4bit(x, self.base, bias=self.bias)
        dtype = next((p.dtype for p in self.lora_A.parameters() if p.is_floating_point()), x.dtype)
        low = self.lora_A(self.dropout(x if is_autocast(x.device.type) else x.to(dtype)))
        share: Tensor = self.lora_B(low) * self.scaling
        return product + share.to(product.dtype)

    def extra_repr(self) -> str:
        """Text for print(model), besides the submodules."""
        base = f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        return f"{base}, quant_type={self.quant_type}, scaling={self.scaling}"
