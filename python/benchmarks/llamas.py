"""The Llamas that the benchmarks make, with random weights."""

from typing import NamedTuple


class Size(NamedTuple):
    """The kv_heads divide the heads, and these the hidden width. Every width is whole blocks of 64: elsewhere
    bitsandbytes itself decodes wrong on some CPUs."""

    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    layers: int
    vocabulary: int  # cut as the layers are, so that the last layer has the share in a step that it really has


SIZES = {
    "tiny": Size(128, 256, 4, 2, layers=2, vocabulary=512),
    "1b": Size(2048, 8192, 32, 8, layers=4, vocabulary=128256 * 4 // 16),  # Llama-3.2-1B, which has 16 layers
    "8b": Size(4096, 14336, 32, 8, layers=4, vocabulary=128256 * 4 // 32),  # Llama-3.1-8B, which has 32
}
