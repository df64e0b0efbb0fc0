"""Stacks of experts in the arrays of compressed-tensors' and gpt-oss' checkpoints."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from ..weight.form import Form
from ..weight.state_dict import BYTES_OF_BLOCK
from ..weight.tensor import Weight4bitTensor
from ..weight.weight_4bit import Weight4bit
from .experts import Stack4bit
from .packed_linear import DIVISOR, SCALE

BLOCK = 2 * BYTES_OF_BLOCK  # elements of a row of MXFP4 that share a scale, a power of two in a byte


class PackedStack(Stack4bit):
    """What the checkpoint has for a stack but its codes, each array with a dimension for the experts before its own, as
    buffers under the names of the files. The codes are a parameter of its owner, like those of any Stack4bit. Each row
    of the weight gives one output of an expert. transformers joins the arrays from those of single experts.

    form: of the stack [experts, rows, columns]. If the rows are those of gate and up, both are next to each other in
    each array, and an expert's two global scales must be equal.
    """

    def __init__(self, form: Form, arrays: Mapping[str, Tensor]) -> None:
        nn.Module.__init__(self)
        self.shape, self.dtype = form.shape, form.dtype
        self.quant_type, self.blocksize, self.offset = form.quant_type, form.blocksize, None
        for name, array in arrays.items():
            self.register_buffer(name, array)  # persistent, because transformers reallocates every other buffer
        self.keeps_scales = DIVISOR in arrays  # no part of a weight can have several global scales

    def weight(self, codes: Tensor) -> Weight4bit:
        """codes: the owner's parameter."""
        if isinstance(codes, Weight4bitTensor):
            return codes.quant_state
        divisors = self._buffers.get(DIVISOR)
        scales = self.get_buffer(SCALE)
        tensors = (codes, scales) if divisors is None else (codes, scales, divisors[:, 0].contiguous())
        return Weight4bit(tensors, *self.form)

    def has_one_divisor(self) -> bool:
        """Whether gate and up of each expert have one global scale."""
        divisors = self._buffers.get(DIVISOR)
        return divisors is None or divisors.is_meta or bool((divisors == divisors[:, :1]).all())

    def is_transposed(self, owner: nn.Module) -> bool:
        return False

    _save_to_state_dict = nn.Module._save_to_state_dict
    _load_from_state_dict = nn.Module._load_from_state_dict


class Mxfp4Stack(PackedStack):
    """The scales of a stack of gpt-oss, [experts, rows, columns / 32], for codes [experts, rows, columns / 2].

    shape: of the 16-bit parameter that it replaces. is_transposed: whether inputs come before outputs in that shape.
    """

    scales: Tensor
    weight = Stack4bit.weight

    def __init__(
        self, shape: tuple[int, int, int], dtype: torch.dtype, is_transposed: bool, device: torch.device | str
    ) -> None:
        experts, *sides = shape
        rows, cols = reversed(sides) if is_transposed else sides
        if cols % BLOCK != 0:
            raise ValueError(f"a row of {cols} elements is no whole number of MXFP4's blocks of {BLOCK}")
        scales = torch.empty(experts, rows, cols // BLOCK, dtype=torch.uint8, device=device)
        super().__init__(Form(tuple(shape), dtype, "mxfp4", BLOCK), {"scales": scales})
        self.codes_shape = experts, rows, cols // 2

    @property
    def form(self) -> Form:
        experts, rows, half = self.codes_shape
        return Form((experts, rows, 2 * half), self.dtype, self.quant_type, self.blocksize)


def in_blocks(codes: Tensor) -> Tensor:
    """Returns a view of codes in the shape of gpt-oss' files, [experts, rows, blocks, bytes per block]."""
    blocks: Tensor = codes.unflatten(-1, (-1, BYTES_OF_BLOCK))
    return blocks
