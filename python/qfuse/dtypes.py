"""The names of dtypes: the command's own, and torch's and numpy's for the same. No torch is needed."""

NAMES = {"fp32": 0, "fp16": 1, "bf16": 2}  # as qfuse_dtype
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
    """The name in NAMES of a torch.dtype, a numpy.dtype or a name; any other's own."""
    name = str(dtype).removeprefix("torch.").lower()
    return _OTHERS.get(name, name)
