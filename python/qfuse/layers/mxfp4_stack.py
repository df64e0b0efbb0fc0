"""A stack of experts in MXFP4, as in gpt-oss checkpoints: each row of a weight gives one output of an expert, in files
and here, whether or not the 16-bit parameter of transformers is transposed."""

import torch
from torch import Tensor, nn

from ..weight.form import Form
from ..weight.state_dict import BYTES_OF_BLOCK
from .experts import Stack4bit

BLOCK = 2 * BYTES_OF_BLOCK  # elements of a row that share a scale, a power of two in a byte


class Mxfp4Stack(Stack4bit):
    """The scales of a stack, [experts, rows, columns / 32], as a buffer under its own name in state dicts. The codes,
    [experts, rows, columns / 2], are a parameter of its owner, like those of any Stack4bit.

    shape: of the 16-bit parameter that it replaces. is_transposed: whether inputs come before outputs in that shape.
    """

    scales: Tensor

    def __init__(
        self, shape: tuple[int, int, int], dtype: torch.dtype, is_transposed: bool, device: torch.device | str
    ) -> None:
        nn.Module.__init__(self)
        experts, *sides = shape
        rows, cols = reversed(sides) if is_transposed else sides
        if cols % BLOCK != 0:
            raise ValueError(f"a row of {cols} elements is no whole number of MXFP4's blocks of {BLOCK}")
        self.shape, self.dtype = tuple(shape), dtype
        self.quant_type, self.blocksize, self.offset = "mxfp4", BLOCK, None
        self._rows_and_cols = rows, cols
        # Persistent, because transformers reallocates every other buffer after loading.
        self.register_buffer("scales", torch.empty(experts, rows, cols // BLOCK, dtype=torch.uint8, device=device))

    @property
    def form(self) -> Form:
        return Form((self.shape[0], *self._rows_and_cols), self.dtype, self.quant_type, self.blocksize)

    @property
    def codes_shape(self) -> tuple[int, int, int]:
        rows, cols = self._rows_and_cols
        return self.shape[0], rows, cols // 2

    def is_transposed(self, owner: nn.Module) -> bool:
        return False

    _save_to_state_dict = nn.Module._save_to_state_dict
    _load_from_state_dict = nn.Module._load_from_state_dict


def in_rows(blocks: Tensor) -> Tensor:
    """Returns a view of a file's [experts, rows, blocks, bytes per block] in the shape of the codes' parameter."""
    return blocks.flatten(-2)


def in_blocks(codes: Tensor) -> Tensor:
    """Reverses in_rows."""
    blocks: Tensor = codes.unflatten(-1, (-1, BYTES_OF_BLOCK))
    return blocks
