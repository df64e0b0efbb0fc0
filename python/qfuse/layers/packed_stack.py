"""A stack of experts in the arrays of a compressed-tensors checkpoint, which transformers joins from its experts'."""

from collections.abc import Mapping

from torch import Tensor, nn

from ..weight.form import Form
from ..weight.tensor import Weight4bitTensor
from ..weight.weight_4bit import Weight4bit
from .experts import Stack4bit
from .packed_linear import DIVISOR, SCALE


class PackedStack(Stack4bit):
    """What the checkpoint has for a stack but its codes, each array with a dimension for the experts before its own, as
    buffers under the names of the files. The codes are a parameter of its owner, like those of any Stack4bit.

    form: of the stack [experts, rows, columns]. If the rows are those of gate and up, both are next to each other in
    each array, and an expert's two global scales must be equal.
    """

    def __init__(self, form: Form, arrays: Mapping[str, Tensor]) -> None:
        nn.Module.__init__(self)
        self.shape, self.dtype = form.shape, form.dtype
        self.quant_type, self.blocksize, self.offset = form.quant_type, form.blocksize, None
        for name, array in arrays.items():
            self.register_buffer(name, array)  # persistent, because transformers reallocates every other buffer

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
