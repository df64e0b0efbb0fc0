"""4-bit weights: as tensors with their form, as one tensor, and in the forms of bitsandbytes and of files."""

from .form import FLOAT_DTYPES, NESTED_BLOCKSIZE, QUANT_TYPES, Form, QuantType
from .quant_state import decodable_weight, read_weight
from .state_dict import from_state_dict, to_state_dict
from .tensor import Weight4bitTensor, parameter_of
from .weight_4bit import Weight4bit, float_dtype, plain_weight

__all__ = [
    "FLOAT_DTYPES",
    "NESTED_BLOCKSIZE",
    "QUANT_TYPES",
    "Form",
    "QuantType",
    "Weight4bit",
    "Weight4bitTensor",
    "decodable_weight",
    "float_dtype",
    "from_state_dict",
    "parameter_of",
    "plain_weight",
    "read_weight",
    "to_state_dict",
]
