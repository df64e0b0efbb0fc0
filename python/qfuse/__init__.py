"""Fused quantization kernels for large language models, as PyTorch ops.

    import qfuse
    w = qfuse.dequantize_4bit(layer)            # a Linear4bit of bitsandbytes, to its original dtype

    weights = qfuse.load_checkpoint(path)       # a bnb-4bit directory, mapped into memory

    import qfuse.integrations.bitsandbytes
    qfuse.integrations.bitsandbytes.enable()    # whatever calls bitsandbytes' own function gets that

qfuse.ops has every op with its manual, docs/PYTORCH.md is where to start. No GPU is needed to import it.
"""

from importlib.metadata import version as _version

from . import ops
from .checkpoint import load_checkpoint
from .functional import dequantize_4bit, matmul_4bit
from .quant_state import Weight4bit

__all__ = ["Weight4bit", "dequantize_4bit", "load_checkpoint", "matmul_4bit", "ops"]
__version__ = _version("qfuse")
