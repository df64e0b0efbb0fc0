"""Functions of the qfuse command, which convert whole checkpoints file to file. They do not need torch.

    import qfuse.checkpoint
    report = qfuse.checkpoint.dequantize("Llama-3-8B-bnb-4bit", "Llama-3-8B-bf16")

A checkpoint is one .safetensors file, a model directory, a diffusers pipeline, or the name of a model on the Hub
("org/name") that is in the Hub's cache on this machine. Every function raises ValueError for invalid files and
arguments, OSError for errors of the operating system, MemoryError, RuntimeError for errors of a GPU, and Cancelled if
`progress` returned False. Messages name the file, the tensor and its values, and arguments in backquotes. Ctrl-C
cancels, too. The output appears under its name only when it is complete; the input is never modified.
"""

import importlib.util
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, SupportsFloat, TypeAlias, TypeVar

from . import dtypes
from .native import library
from .native.library import AnyPath, Cancelled

if TYPE_CHECKING:
    import torch

__all__ = [
    "Cancelled",
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
    "check",
    "compare",
    "dequantize",
    "finish",
    "inspect",
    "merge",
    "quantize",
]

# ---- reports and progress: their one-line repr leaves out lists with an entry per tensor


def _size(count: int) -> str:
    """Formats a byte count like the command does."""
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
    """tensor: the current one. bytes_done: bytes of output (dequantize, merge, finish), of input (quantize) or of
    values (compare). If merge measures what an adapter changes, it first counts elements, then restarts at 0."""

    tensor: str
    bytes_done: int
    bytes_total: int


@dataclass(frozen=True)
class KeptTensors:
    """Tensors of one kind that a conversion to 4 bits copies unchanged. kind: "experts", "embeddings", "output heads",
    "routers", "vision and audio towers", "others" (norms, biases and such), or "excluded"."""

    kind: str
    tensors: int
    bytes: int


@dataclass(frozen=True)
class ConversionReport:
    """Report of a conversion, or of one shard's part. Bytes count tensor data only. kept: filled by quantize and by
    merge from 16 to 4 bits, largest first. notes: what the caller should know about the output."""

    tensors: int
    converted: int
    files: int
    bytes_read: int
    bytes_written: int
    kept: tuple[KeptTensors, ...]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return self._show(f"{self.converted} of {self.tensors} tensors converted")

    def _show(self, done: str) -> str:
        written = f"{_size(self.bytes_written)} in {_count(self.files, 'file')}"
        return f"{type(self).__name__}({done}, {written}{_noted(self.notes)})"


@dataclass(frozen=True)
class MergedTensor:
    """A tensor that adapters change. rule: "lora", "dora", "replaced" or "rows"; several are joined by " + ".

    rank: rank of the last adapter that adds to the tensor, 0 if none does. scale: alpha / rank or alpha / sqrt(rank),
    times the adapter's weight. added_rms, weight_rms: root mean square of the added values and of the base. survival:
    share of the added values that remains after the sum is encoded to 4 bits and decoded. The last three are None
    unless measured, which a dry run and a merge to 4 bits do.
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
    """merged: the tensors that adapters change, by name. converted: these and those only decoded or encoded."""

    merged: tuple[MergedTensor, ...]

    def __repr__(self) -> str:
        return self._show(f"{len(self.merged)} of {self.tensors} tensors merged")


@dataclass(frozen=True)
class FinishReport:
    """shards: 0 if no longer known, because an earlier run finished all but the cleanup. bytes: of tensor data."""

    shards: int
    files: int
    tensors: int
    bytes: int


@dataclass(frozen=True)
class StoredArray:
    """An array as stored in a file. offset: of its first byte in the file. dtype: in safetensors' spelling."""

    name: str
    path: str
    offset: int
    bytes: int
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class TensorInfo:
    """A tensor of the decoded model. format: "nf4", "fp4", "int8", "fp8", "int4", "mxfp4", "nvfp4", "gptq", "awq", its
    dtype if it is not quantized, or "activation_scale" (absent from the decoded model). dtype: the dtype that it
    decodes to or has. block: the rows and columns that share a scale; scale_dtype: the scale's type. Both are empty for
    bitsandbytes' formats. bytes: stored bytes of all parts. blocksize, nested_blocksize: 0 if it has no such blocks.
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
    block: tuple[int, ...]
    scale_dtype: str
    arrays: tuple[StoredArray, ...]


@dataclass(frozen=True)
class Inventory:
    """tensors: sorted by name. bytes, decoded_bytes: of tensor data, stored and decoded. notes: such as that another
    method quantized the model or that it is an adapter."""

    files: int
    bytes: int
    decoded_bytes: int
    notes: tuple[str, ...]
    tensors: tuple[TensorInfo, ...]

    def __repr__(self) -> str:
        stored = f"{_count(len(self.tensors), 'tensor')} in {_count(self.files, 'file')}"
        return f"Inventory({stored}, {_size(self.bytes)}, decoded {_size(self.decoded_bytes)}{_noted(self.notes)})"


@dataclass(frozen=True)
class CheckProblem:
    """kind: "missing" from the files, "unexpected" in the files, "mismatched" shape, "tokenizer" (a token without a
    row, or files that contradict each other), "quantization" (differs from config.json), "config" or "content" (not a
    model of transformers), or "refused" by transformers. tensor: the tensor's name, or ""."""

    kind: str
    tensor: str
    message: str


@dataclass(frozen=True)
class CheckReport:
    """notes: what could not be compared, and what is unusual but harmless. cannot_tell: whether something could not be
    compared."""

    files: int
    tensors: int
    problems: tuple[CheckProblem, ...]
    notes: tuple[str, ...]
    cannot_tell: bool = False


@dataclass(frozen=True)
class TensorComparison:
    """difference: "equal", "values", "dtype", "shape", "only in A" or "only in B"; note has the two dtypes or shapes.

    differing: number of elements whose bits differ. max_abs to snr_db are None for dtypes other than floats and where
    they are not finite, like the infinite snr_db of equal tensors.
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
    """different: number of tensors that differ. snr_db, relative_error: over all tensors whose values differ, as if
    they were one tensor; snr_db is None if none differ."""

    equal: bool
    different: int
    snr_db: float | None
    relative_error: float | None
    tensors: tuple[TensorComparison, ...]

    def __repr__(self) -> str:
        tensors = _count(len(self.tensors), "tensor")
        snr = "" if self.snr_db is None else f", signal-to-noise ratio {self.snr_db:.2f} dB"
        return f"CompareReport({'equal, ' if self.equal else f'{self.different} of '}{tensors}{snr})"


# ---- the functions

DtypeName = Literal["auto", "bf16", "fp16", "fp32", "bfloat16", "float16", "float32"]
Dtype: TypeAlias = "DtypeName | torch.dtype"
_DTYPES = {"auto": -1} | dtypes.NAMES
_QUANT_TYPES = {"fp4": 1, "nf4": 2}
_BLOCK_FORMATS = {"fp8": 0, "mxfp4": 1, "nvfp4": 2, "int4": 3}
# Values of the options that are words, with their numbers in checkpoint.hpp.
_CHOICES = {
    "dtype": _DTYPES,
    "quant_type": _QUANT_TYPES,
    "to": _DTYPES | _QUANT_TYPES | _BLOCK_FORMATS,  # becomes dtype, to_4bit or to_blocks
    "to_blocks": _BLOCK_FORMATS,
    "to_4bit": _QUANT_TYPES,
    "base_as": _QUANT_TYPES,
    "head": {"as_trained": 0, "tie": 1, "untie": 2},
    "lora_b_layout": {"as_said": 0, "peft": 1, "grouped_by_expert": 2},
}
_SIZES = {"threads": 2**31, "blocksize": 2**31, "max_shard_size": 2**63}  # exclusive upper bounds
_LISTS = ("include", "exclude", "components")  # lists of names
_OPTIONAL = ("shard", "base_as", "importance")
_BY_NAMES = ("missing", "unexpected", "mismatched")

ProgressCallback = Callable[[Progress], bool | None]  # returning False cancels
_Report = TypeVar("_Report")


def dequantize(
    source: AnyPath,
    output: AnyPath,
    *,
    dtype: Dtype = "auto",
    device: str = "cpu",
    threads: int = 0,
    max_shard_size: int = 5_000_000_000,
    shard: tuple[int, int] | None = None,
    components: Sequence[str] = (),
    force: bool = False,
    allow_other_names: bool = False,
    dry_run: bool = False,
    progress: ProgressCallback | None = None,
) -> ConversionReport:
    """Writes the same model with unquantized weights, in the dtypes they had before quantization or in `dtype`.

    dtype: "bf16", "fp16" or "fp32", torch's names for these, a torch.dtype, or "auto".
    device: "cpu", "cuda", "cuda:N", "opencl" or "opencl:N" (in a build with OpenCL), or "auto": the first CUDA GPU that
    works, otherwise the CPU. The output bytes do not depend on the device. threads: maximum number of CPU threads; 0:
    one per core. max_shard_size: maximum bytes of tensor data per file of an output directory.
    shard: (i, n) writes part i of n, counted from 0; finish() joins the parts. components: folders of a diffusers
    pipeline to convert; empty: those that are quantized. force: replaces an existing output. dry_run: reports what
    would be done and writes nothing. allow_other_names: converts a quantized model even if a layer has, in place of a
    tensor that the other layers have, one that its class in transformers does not know.
    """
    return _convert("dequantize", **locals())


def quantize(
    source: AnyPath,
    output: AnyPath,
    *,
    quant_type: Literal["nf4", "fp4"] = "nf4",
    blocksize: int = 64,
    double_quant: bool = True,
    experts: bool = False,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    importance: AnyPath | None = None,
    dtype: Dtype = "auto",
    device: str = "cpu",
    threads: int = 0,
    max_shard_size: int = 5_000_000_000,
    shard: tuple[int, int] | None = None,
    components: Sequence[str] = (),
    force: bool = False,
    allow_other_names: bool = False,
    dry_run: bool = False,
    progress: ProgressCallback | None = None,
) -> ConversionReport:
    """Writes the same model with 4-bit weights, in the format that transformers saves with bitsandbytes.

    blocksize: a power of two, 32 to 4096. double_quant: nested absmax. experts: quantizes experts, too; transformers 4
    loads those stored one by one, and no version loads a layer's experts in one tensor (load_checkpoint does). include,
    exclude: shell patterns of tensor names to quantize besides the default ones, and to leave unchanged. dtype: the
    dtype that the weights decode to. importance: a .safetensors file with the mean square of each input of a weight,
    float32 [cols] under the weight's name, as qfuse.integrations.transformers.importance makes it; it chooses scales,
    some of them negative, and needs double_quant=False. components: empty means text encoders, transformers and UNets.
    The other arguments are those of dequantize.
    """
    return _convert("quantize", **locals())


def merge(
    base: AnyPath | None,
    adapters: AnyPath | Sequence[AnyPath | tuple[AnyPath, float]],
    output: AnyPath,
    *,
    to: Dtype | Literal["nf4", "fp4", "fp8", "mxfp4", "nvfp4", "int4"] = "auto",
    ue8m0: bool = False,
    keep_scales: bool = False,
    base_as: Literal["nf4", "fp4"] | None = None,
    blocksize: int = 64,
    double_quant: bool = True,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    fail_below: float = 0.5,
    allow_nonfinite: bool = False,
    head: Literal["as_trained", "tie", "untie"] = "as_trained",
    lora_b_layout: Literal["as_said", "peft", "grouped_by_expert"] = "as_said",
    prefix: str = "",
    device: str = "cpu",
    threads: int = 0,
    max_shard_size: int = 5_000_000_000,
    shard: tuple[int, int] | None = None,
    components: Sequence[str] = (),
    force: bool = False,
    allow_other_names: bool = False,
    dry_run: bool = False,
    progress: ProgressCallback | None = None,
) -> MergeReport:
    """Writes `base` with LoRA adapters merged into it: each weight base + scale * B @ A, summed in fp32, rounded once.

    base: None takes the base model that the first adapter's adapter_config.json names: a directory here or beside the
    adapter, or a model of the Hub in the Hub's cache on this machine. A note says which.
    adapters: one adapter, or several that are added in order. Each is a path or a pair (path, weight); the weight
    multiplies the adapter's scale. The path is a directory as peft saves it, or a LoRA file of diffusers or of kohya's
    scripts; for a pipeline, such a file changes every component that it names. If any tensor of an adapter fits
    nothing, ValueError names it before anything is written.

    to: format of merged and quantized weights. "auto": their own dtype, or the one they decode to; "nf4", "fp4": the
    result is quantized as by quantize(); "fp8", "mxfp4", "nvfp4", "int4": a base in that format stays in it and only
    merged weights are encoded again, and "fp8" quantizes a plain base in blocks of 128 x 128. ue8m0: "fp8" with scales
    that are powers of two. keep_scales: a quantized base keeps its absmax or scales, and only codes are made again, as
    with "nvfp4" always.
    base_as: quantizes and decodes a 16-bit or 32-bit base in this format before the merge, because a QLoRA adapter was
    trained on such weights. `to` and base_as share blocksize, double_quant and include, exclude: shell patterns of
    tensor names that are quantized besides the default ones, or are not. fail_below: refuses a weight that is quantized
    if less than this share of the added values survives, such as with a 4-bit base.
    allow_nonfinite: accepts adapters with NaN or infinities. head: an output head tied to the embedding stays tied if
    both were changed alike ("as_trained"), always ("tie": one tensor with the changes of both, as peft merges) or never
    ("untie"). lora_b_layout: order of lora_B's columns for a layer's experts if the adapter does not say it:
    `[rank][expert]` ("peft") or `[expert][rank]` ("grouped_by_expert", unsloth's until September 2026). It is required
    for such an adapter with signs of unsloth. prefix: the base's module that the adapters' names start from, such as
    "model.vision_tower", if they do not start from the whole model.

    components: the only folders of a diffusers pipeline to merge into; if there is one, it takes a LoRA file for a
    single component, whatever name the file uses. dry_run: also measures how much each adapter changes (`merged` of the
    report), and raises the error of fail_below that the merge would raise; fail_below=0 reports the figures without
    that error. The other arguments are those of dequantize."""
    return _merge(**locals())


def finish(output: AnyPath, *, force: bool = False, progress: ProgressCallback | None = None) -> FinishReport:
    """Joins the shards of a conversion, which are beside `output`, into it. The bytes equal those of one process."""
    options = [*_spelt("force", force)]
    numbers, _ = library.run("finish", output, options=options, report=_report(progress), number_count=4)
    return FinishReport(*numbers)


def inspect(path: AnyPath) -> Inventory:
    """Lists a checkpoint's content from its headers, and checks every size and relation that decoding relies on."""
    found = json.loads(library.inspect(path))
    for tensor in found["tensors"]:
        tensor["nested_offset"] = float(tensor["nested_offset"])
        tensor["arrays"] = [_made(StoredArray, array) for array in tensor["arrays"]]
    return _made(Inventory, found | {"tensors": [_made(TensorInfo, tensor) for tensor in found["tensors"]]})


def check(path: AnyPath, *, ask_transformers: bool | None = None) -> CheckReport:
    """Checks whether transformers would load this model with every weight in its place.

    By default this needs no other package: a table made from transformers has the names and shapes. ask_transformers:
    transformers builds the model's class without allocating or reading weights, and its findings on names and shapes
    replace the table's; None: if transformers can be imported. Code that comes with a model is never run.
    """
    _, (text,) = library.run("check", path)
    found = json.loads(text)
    problems = [_made(CheckProblem, problem) for problem in found["problems"]]
    asked = ask_transformers
    if asked is None:
        asked = importlib.util.find_spec("transformers") is not None and importlib.util.find_spec("torch") is not None
    if asked and (Path(os.fsdecode(path)) / "config.json").is_file():
        from .integrations import transformers

        judged = transformers.problems(Path(os.fsdecode(path)), lambda: inspect(path).tensors)
        if judged is not None:
            problems = [CheckProblem(*problem) for problem in judged] + [
                problem for problem in problems if problem.kind not in _BY_NAMES
            ]
    return _made(CheckReport, found | {"problems": problems})


def compare(a: AnyPath, b: AnyPath, *, threads: int = 0, progress: ProgressCallback | None = None) -> CompareReport:
    """Compares two checkpoints tensor by tensor. The scalar reference decodes quantized weights.

    threads: number of threads that read and compare; 0: one per core, up to 16.
    """
    _, (text,) = library.run("compare", a, b, options=[*_spelt("threads", threads)], report=_report(progress))
    found = json.loads(text)
    return _made(CompareReport, found | {"tensors": [_made(TensorComparison, tensor) for tensor in found["tensors"]]})


def _made(kind: type[_Report], found: dict[str, Any]) -> _Report:
    """Makes a report from JSON, which has the fields under their names. Lists become tuples."""
    values = (found[field.name] for field in fields(kind))  # type: ignore[arg-type]
    return kind(*(tuple(value) if isinstance(value, list) else value for value in values))


def _report(progress: ProgressCallback | None) -> library.Report | None:
    if progress is None:
        return None
    return lambda tensor, done, total: progress(Progress(tensor, done, total)) is not False


def _weighted(adapter: Any) -> tuple[AnyPath, float]:
    if isinstance(adapter, str | os.PathLike):
        return adapter, 1.0
    if not isinstance(adapter, tuple | list) or len(adapter) != 2 or not isinstance(adapter[1], SupportsFloat):
        raise TypeError(f"an adapter is {adapter!r}, it must be a path, or a pair of a path and a weight")
    return adapter[0], float(adapter[1])


def _convert(verb: str, source: AnyPath, output: AnyPath, progress: Any, **asked: Any) -> ConversionReport:
    """Runs dequantize or quantize. asked: their other arguments by name."""
    numbers, (kept, *notes) = _run(verb, source, output, progress, asked)
    values: list[Any] = [*numbers, _kept(kept), tuple(notes)]
    return ConversionReport(*values)


def _merge(base: AnyPath | None, output: AnyPath, progress: Any, **asked: Any) -> MergeReport:
    numbers, (found, kept, *notes) = _run("merge", base or "", output, progress, asked)
    merged = tuple(_made(MergedTensor, tensor) for tensor in json.loads(found))
    values: list[Any] = [*numbers, _kept(kept), tuple(notes), merged]
    return MergeReport(*values)


def _run(
    verb: str, source: AnyPath, output: AnyPath, progress: Any, asked: dict[str, Any]
) -> tuple[list[int], list[str]]:
    options = [option for name, value in asked.items() for option in _spelt(name, value)]
    return library.run(verb, source, output, options=options, report=_report(progress), number_count=5)


def _kept(found: str) -> tuple[KeptTensors, ...]:
    return tuple(_made(KeptTensors, kept) for kept in json.loads(found))


def _spelt(name: str, value: Any) -> Iterator[tuple[str, bytes]]:
    """Converts an argument to options of checkpoint.hpp, most of which have its name, with their values as text."""
    if value is None and name in _OPTIONAL:
        return
    if name == "adapters":
        for path, weight in map(_weighted, [value] if isinstance(value, str | os.PathLike) else value):
            yield from (("adapter", library.path_bytes(path)), ("weight", _text(weight)))
    elif name == "shard":
        index, count = value
        if count < 1:
            raise ValueError(f"shard is {value}, it must be (i, n) with i from 0 to n - 1")
        yield from (("shard_index", _text(index)), ("shard_count", _text(count)))
    elif name == "importance":
        yield name, library.path_bytes(value)
    elif name in _LISTS:
        if isinstance(value, str):
            raise TypeError(f"{name} is a str, it must be a list of them")
        yield from ((name, _text(each)) for each in value)
    elif name in _CHOICES:
        word = dtypes.canonical(value) if name in ("dtype", "to") else value
        if word not in _CHOICES[name]:
            raise ValueError(f"{name} is {value!r}, it can be {', '.join(map(repr, _CHOICES[name]))}")
        if name == "to":
            name = "to_4bit" if word in _QUANT_TYPES else "to_blocks" if word in _BLOCK_FORMATS else "dtype"
        if word != "auto":
            yield name, _text(_CHOICES[name][word])
    else:
        if name in _SIZES and not -_SIZES[name] <= value < _SIZES[name]:
            raise ValueError(f"{name} is {value}, out of range")
        yield name, _text(value)


def _text(value: Any) -> bytes:
    return str(int(value) if isinstance(value, bool) else value).encode("utf-8", "surrogateescape")
