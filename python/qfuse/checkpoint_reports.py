"""What functions of checkpoint.py tell and return. In a line, reports leave out their lists, of an entry a tensor."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "CheckProblem",
    "CheckReport",
    "CompareReport",
    "ConversionReport",
    "FinishReport",
    "Inventory",
    "KeptTensors",
    "MergeReport",
    "MergedTensor",
    "Progress",
    "StoredArray",
    "TensorComparison",
    "TensorInfo",
]


def _show_conversion(report: Any) -> str:
    return _converted(report, f"{report.converted} of {report.tensors} tensors converted")


def _show_merge(report: Any) -> str:
    return _converted(report, f"{len(report.merged)} of {report.tensors} tensors merged")


def _show_inventory(found: Any) -> str:
    stored = f"{_count(len(found.tensors), 'tensor')} in {_count(found.files, 'file')}"
    return f"Inventory({stored}, {_size(found.bytes)}, decoded {_size(found.decoded_bytes)}{_noted(found.notes)})"


def _show_comparison(report: Any) -> str:
    tensors = _count(len(report.tensors), "tensor")
    snr = "" if report.snr_db is None else f", signal-to-noise ratio {report.snr_db:.2f} dB"
    return f"CompareReport({'equal, ' if report.equal else f'{report.different} of '}{tensors}{snr})"


def _converted(report: Any, done: str) -> str:
    written = f"{_size(report.bytes_written)} in {_count(report.files, 'file')}"
    return f"{type(report).__name__}({done}, {written}{_noted(report.notes)})"


def _size(count: int) -> str:
    """As the command says it."""
    size, unit = next(
        ((size, unit) for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")) if count >= size), (1, "B")
    )
    return f"{count / size:.3g} {unit}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _noted(notes: Sequence[str]) -> str:
    return f", {_count(len(notes), 'note')}" if notes else ""


@dataclass(frozen=True)
class Progress:
    """tensor: being worked on. bytes_done: of output (dequantize, merge, finish), of input (quantize), of values
    (compare). Where merge measures what an adapter changes, it first counts elements, and then begins anew."""

    tensor: str
    bytes_done: int
    bytes_total: int


@dataclass(frozen=True)
class KeptTensors:
    """What a conversion to 4 bits leaves as it is. kind: "experts", "embeddings", "output heads", "routers", "vision
    and audio towers", "others" (norms, biases and such), or "excluded"."""

    kind: str
    tensors: int
    bytes: int


@dataclass(frozen=True)
class ConversionReport:
    """Of a shard, its part alone. Bytes are those of tensors. kept: of quantize, and of merge from 16 bits to 4; most
    bytes first. notes: what the caller should know of the output."""

    tensors: int
    converted: int
    files: int
    bytes_read: int
    bytes_written: int
    kept: tuple[KeptTensors, ...]
    notes: tuple[str, ...]
    __repr__ = _show_conversion


@dataclass(frozen=True)
class MergedTensor:
    """A tensor that adapters change. rule: "lora", "dora", "replaced", "rows", and several with " + ".

    rank: of the last adapter that adds to it, 0 if none does. scale: alpha / rank, or alpha / sqrt(rank), times the
    adapter's weight. added_rms, weight_rms: root mean square of what is added, and of the base. survival: the share of
    what is added that is left when the sum is encoded to 4 bits and decoded again. The last three are None where they
    were not measured: a dry run measures, and so does a merge to 4 bits.
    """

    name: str
    shape: tuple[int, ...]
    rule: str
    rank: int
    scale: float
    added_rms: float | None
    weight_rms: float | None
    survival: float | None


@dataclass(frozen=True)
class MergeReport(ConversionReport):
    """merged: the tensors that adapters change, by name. converted: they, and those only decoded or encoded."""

    merged: tuple[MergedTensor, ...]
    __repr__ = _show_merge


@dataclass(frozen=True)
class FinishReport:
    """shards: 0 where it is not known any more. bytes: of tensors."""

    shards: int
    files: int
    tensors: int
    bytes: int


@dataclass(frozen=True)
class StoredArray:
    """An array as a file has it. offset: of its first byte in the file. dtype: as safetensors spells it."""

    name: str
    path: str
    offset: int
    bytes: int
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class TensorInfo:
    """A tensor of the decoded model. format: "nf4", "fp4", "int8", or its dtype. dtype: what it decodes to, or is.

    bytes: stored, all parts together. blocksize and nested_blocksize are 0 where there are no blocks.
    """

    name: str
    file: str
    format: str
    shape: tuple[int, ...]
    dtype: str
    blocksize: int
    nested: bool
    bytes: int
    decoded_bytes: int
    nested_blocksize: int
    nested_offset: float
    arrays: tuple[StoredArray, ...]


@dataclass(frozen=True)
class Inventory:
    """tensors: by name. bytes: of tensors, stored and decoded. notes: that another method quantized it, or that it is
    an adapter."""

    files: int
    bytes: int
    decoded_bytes: int
    notes: tuple[str, ...]
    tensors: tuple[TensorInfo, ...]
    __repr__ = _show_inventory


@dataclass(frozen=True)
class CheckProblem:
    """kind: "missing" from the files, "unexpected" in them, "mismatched" in shape, "tokenizer" with tokens that have no
    row, or of which files contradict each other, "quantization" that config.json does not say, "config" or "content"
    that is no model's, "refused" by transformers. tensor: its name, or ""."""

    kind: str
    tensor: str
    message: str


@dataclass(frozen=True)
class CheckReport:
    """notes: what could not be compared, and what is unusual and does no harm. cannot_tell: something could not be
    compared."""

    files: int
    tensors: int
    problems: tuple[CheckProblem, ...]
    notes: tuple[str, ...]
    cannot_tell: bool = False


@dataclass(frozen=True)
class TensorComparison:
    """difference: "equal", "values", "dtype", "shape", "only in A" or "only in B"; note has the two dtypes or shapes.

    differing: elements whose bits differ. The distances are None for dtypes that are no floats, and where they are not
    finite: snr_db of equal tensors is infinite.
    """

    name: str
    difference: str
    note: str
    elements: int
    differing: int
    max_abs: float | None
    max_rel: float | None
    rmse: float | None
    snr_db: float | None
    first_differing: int
    first_a: float | None
    first_b: float | None


@dataclass(frozen=True)
class CompareReport:
    """different: how many tensors are. snr_db, relative_error: of all tensors whose values differ, as if they were one;
    snr_db is None where none do."""

    equal: bool
    different: int
    snr_db: float | None
    relative_error: float | None
    tensors: tuple[TensorComparison, ...]
    __repr__ = _show_comparison
