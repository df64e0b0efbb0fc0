"""Fused quantization kernels for large language models, as PyTorch ops: see qfuse.ops. Needs no GPU to be imported."""
from importlib.metadata import version as _version

from . import ops

__all__ = ["ops"]
__version__ = _version("qfuse")
