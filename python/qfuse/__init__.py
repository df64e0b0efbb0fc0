"""Converts, decodes and multiplies bitsandbytes' 4-bit weights and checkpoints on CPUs and NVIDIA GPUs.

    import qfuse
    w = qfuse.dequantize_4bit(layer)            # decodes a bitsandbytes Linear4bit to its original dtype

    weights = qfuse.load_checkpoint(path)       # memory-maps a bnb-4bit directory

    qfuse.checkpoint.dequantize(path, out)      # file to file, like the qfuse command
    qfuse.merge(base, adapter, out)             # merges LoRA adapters into a checkpoint, file to file

    for name, tensor in qfuse.merged_weights(model): ...    # a model in training, with its adapters, for an engine

    qfuse.quantize_experts(model)               # quantizes MoE experts, which bitsandbytes leaves in 16 bits

    import qfuse.integrations.bitsandbytes
    qfuse.integrations.bitsandbytes.enable()    # calls of bitsandbytes' own functions run qfuse's

qfuse.ops documents every op. qfuse.checkpoint, merge, devices and the qfuse command work without torch; everything else
needs torch 2.10 or later: pip install "qfuse[torch]". Importing qfuse needs no GPU.
"""

from importlib.metadata import version as _version
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING

from . import checkpoint
from .checkpoint import merge
from .native.hardware import Device, build_info, devices


def _import_distributed() -> None:
    """Imports qfuse.distributed, which FSDP's state dicts need: late, because torch.distributed imports slowly."""
    import torch.distributed

    if torch.distributed.is_available():
        from . import distributed  # noqa: F401


if TYPE_CHECKING or _find_spec("torch") is not None:
    try:  # imported eagerly so that `import qfuse` registers torch.ops.qfuse
        from . import former_names, nn, ops  # noqa: F401
        from .integrations.merged import merged_weights
        from .integrations.transformers_experts import quantize_experts
        from .loading import load_checkpoint
        from .ops.functional import (
            batch_invariant,
            dequantize_4bit,
            dequantize_int8,
            matmul_4bit,
            matmul_4bit_grouped,
            matmul_4bit_grouped_lora,
            matmul_4bit_lora,
            matmul_4bit_lora_shared,
            matmul_4bit_many,
            rotated_int8_matmul,
            rotated_int8_quantize,
            rotated_int8_weight,
            rotated_int8_weight_scales,
            set_batch_invariant,
        )
        from .ops.merged import fake_quantize
        from .weight import Weight4bit
        from .weight.tensor import on_split as _on_split
    except (ImportError, OSError) as error:  # torch is too old or lacks a library
        _reason: Exception | None = error
    else:
        _reason = None
        _on_split.append(_import_distributed)
else:
    _reason = ImportError('this part of qfuse needs torch 2.10 or later: pip install "qfuse[torch]"')

__all__ = [
    "Device",
    "Weight4bit",
    "batch_invariant",
    "build_info",
    "checkpoint",
    "dequantize_4bit",
    "dequantize_int8",
    "devices",
    "fake_quantize",
    "load_checkpoint",
    "matmul_4bit",
    "matmul_4bit_grouped",
    "matmul_4bit_grouped_lora",
    "matmul_4bit_lora",
    "matmul_4bit_lora_shared",
    "matmul_4bit_many",
    "merge",
    "merged_weights",
    "nn",
    "ops",
    "quantize_experts",
    "rotated_int8_matmul",
    "rotated_int8_quantize",
    "rotated_int8_weight",
    "rotated_int8_weight_scales",
    "set_batch_invariant",
]
__version__ = _version("qfuse")


def __getattr__(name: str) -> object:
    if name in __all__ and _reason is not None:
        raise ImportError(str(_reason)) from _reason
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
