"""A linear layer over a 4-bit weight in the arrays of a compressed-tensors checkpoint, under the names of its files."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from ..ops.functional import matmul_4bit
from ..weight.form import FLOAT_DTYPES, Form
from ..weight.tensor import Weight4bitTensor
from ..weight.weight_4bit import Weight4bit
from .factors import bias_of

PACKED, SCALE, DIVISOR = "weight_packed", "weight_scale", "weight_global_scale"


class PackedLinear(nn.Linear):
    """A linear layer [n, k] over a frozen 4-bit weight in the formats "pack-quantized" (INT4 without zero points),
    "nvfp4-pack-quantized" and "mxfp4-pack-quantized".

    arrays: what the checkpoint has for the layer, by name, without its bias. weight_packed becomes a parameter without
    a gradient, every other array a buffer; weight_scale and, in NVFP4, weight_global_scale decode the codes, the rest
    is only kept. state_dict has the bytes and names of the files: a change of dtype, such as by module.half(), changes
    only the dtype that `weight` decodes to. bias: [n], a parameter or None.

    weight is a Weight4bitTensor over these arrays, which all functions of qfuse accept.
    """

    compute_dtype = None  # it multiplies in the dtype of the input
    compute_type_is_set = True  # as for Linear4bit
    weight_packed: nn.Parameter
    weight_scale: Tensor

    def __init__(self, arrays: Mapping[str, Tensor], form: Form, bias: nn.Parameter | None = None) -> None:
        nn.Module.__init__(self)
        self.out_features, self.in_features = form.shape
        self.form = form
        for name, array in arrays.items():
            if name == PACKED:
                self.weight_packed = nn.Parameter(array, requires_grad=False)
            else:
                self.register_buffer(name, array)
        self.register_parameter("bias", bias)

    @property
    def weight_4bit(self) -> Weight4bit:
        """The weight without a copy. If FSDP shards its codes, it is available only in the module's forward."""
        divisor = self._buffers.get(DIVISOR)
        tensors = (self.weight_packed, self.weight_scale) + (() if divisor is None else (divisor,))
        return Weight4bit(tensors, *self.form)

    @property
    def weight(self) -> Weight4bitTensor:  # type: ignore[override]
        return Weight4bitTensor.of(self.weight_4bit)

    def forward(self, x: Tensor) -> Tensor:
        """Maps x [..., k] to [..., n] in x's dtype, by qfuse.matmul_4bit."""
        return matmul_4bit(x, self.weight_4bit, bias=bias_of(self))

    def extra_repr(self) -> str:
        """Text for print(model)."""
        return f"{super().extra_repr()}, quant_type={self.form.quant_type}, blocksize={self.form.blocksize}"

    def _apply(self, fn: Any, recurse: bool = True) -> "PackedLinear":
        """Implements to(), cuda(), half() and so on. Buffers are moved as bytes, so that no dtype changes."""
        buffers = {id(each) for each in self._buffers.values()}

        def moved(tensor: Tensor) -> Tensor:
            found: Tensor = fn(tensor.reshape(-1).view(torch.uint8)) if id(tensor) in buffers else fn(tensor)
            if id(tensor) in buffers or tensor is self.weight_packed:
                _refuse_cast(found)
            return found.view(tensor.dtype).view(tensor.shape) if id(tensor) in buffers else found

        super()._apply(moved, recurse)
        dtype = fn(torch.empty(0, dtype=self.form.dtype)).dtype
        self.form = self.form._replace(dtype=dtype if dtype in FLOAT_DTYPES else self.form.dtype)
        return self


def _refuse_cast(codes: Tensor) -> None:
    if codes.is_floating_point():
        raise ValueError(f"4-bit codes and their scales would be cast to {codes.dtype}, which makes others of them")
