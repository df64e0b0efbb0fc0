"""Maps torch's and numpy's names of dtypes to those of the qfuse command. Does not need torch."""

NAMES = {"fp32": 0, "fp16": 1, "bf16": 2}  # the command's names, with the values of qfuse_dtype
_OTHERS = {
    "float32": "fp32",
    "float": "fp32",
    "f32": "fp32",
    "float16": "fp16",
    "half": "fp16",
    "f16": "fp16",
    "bfloat16": "bf16",
}


def canonical(dtype: object) -> str:
    """Returns the name in NAMES for a torch.dtype, a numpy.dtype or a name, or an unknown name in lower case."""
    name = str(dtype).removeprefix("torch.").lower()
    return _OTHERS.get(name, name)
