"""Whole checkpoints, file to file: what the qfuse command does, as functions. No torch is needed.

    import qfuse.checkpoint
    report = qfuse.checkpoint.dequantize("Llama-3-8B-bnb-4bit", "Llama-3-8B-bf16")

A checkpoint is one .safetensors file, a model directory, or a diffusers pipeline; or the name of a model on the Hub
("org/name") that lies in its cache on this machine. Every function raises ValueError for
what a file holds and for what it is asked, OSError for what the system refuses, MemoryError, RuntimeError for what a
GPU refuses, and Cancelled where `progress` returned False; the message names file, tensor and values, and arguments of
the function in backquotes. Ctrl-C stops it like that, too. An output appears under its name only when it is complete,
and the input is never written to.
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

# ---- what functions tell and return: in a line, reports leave out their lists, of an entry a tensor


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

    def __repr__(self) -> str:
        return self._show(f"{self.converted} of {self.tensors} tensors converted")

    def _show(self, done: str) -> str:
        written = f"{_size(self.bytes_written)} in {_count(self.files, 'file')}"
        return f"{type(self).__name__}({done}, {written}{_noted(self.notes)})"


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

    def __repr__(self) -> str:
        return self._show(f"{len(self.merged)} of {self.tensors} tensors merged")


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
    """A tensor of the decoded model. format: "nf4", "fp4", "int8", "fp8", "int4", "mxfp4", "nvfp4", "gptq", "awq", its
    dtype, or "activation_scale", which the decoded model has not. dtype: what it decodes to, or is. block: the rows and
    columns that share a scale, scale_dtype: its type; both empty of bitsandbytes' formats. bytes: stored, all parts.
    blocksize, nested_blocksize: 0 where no blocks are.
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
    """tensors: by name. bytes: of tensors, stored and decoded. notes: that another method quantized it, or that it is
    an adapter."""

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

    def __repr__(self) -> str:
        tensors = _count(len(self.tensors), "tensor")
        snr = "" if self.snr_db is None else f", signal-to-noise ratio {self.snr_db:.2f} dB"
        return f"CompareReport({'equal, ' if self.equal else f'{self.different} of '}{tensors}{snr})"


# ---- the functions

DtypeName = Literal["auto", "bf16", "fp16", "fp32", "bfloat16", "float16", "float32"]
Dtype: TypeAlias = "DtypeName | torch.dtype"
_DTYPES = {"auto": -1} | dtypes.NAMES
_QUANT_TYPES = {"fp4": 1, "nf4": 2}
_BLOCK_FORMATS = {"fp8": 0, "mxfp4": 1, "nvfp4": 2}
# What options that are words can be, and the numbers that checkpoint.hpp has for them.
_CHOICES = {
    "dtype": _DTYPES,
    "quant_type": _QUANT_TYPES,
    "to": _DTYPES | _QUANT_TYPES | _BLOCK_FORMATS,  # which is one of dtype, to_4bit and to_blocks
    "to_blocks": _BLOCK_FORMATS,
    "to_4bit": _QUANT_TYPES,
    "base_as": _QUANT_TYPES,
    "head": {"as_trained": 0, "tie": 1, "untie": 2},
    "lora_b_layout": {"as_said": 0, "peft": 1, "grouped_by_expert": 2},
}
_SIZES = {"threads": 2**31, "blocksize": 2**31, "max_shard_size": 2**63}  # and what they must be below
_LISTS = ("include", "exclude", "components")  # of names
_OPTIONAL = ("shard", "base_as")
_BY_NAMES = ("missing", "unexpected", "mismatched")

ProgressCallback = Callable[[Progress], bool | None]  # False stops
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
    """Writes the same model with plain weights, each what it was before it was quantized, or `dtype`.

    dtype: "bf16", "fp16" or "fp32", as torch spells it or a torch.dtype, or "auto".
    device: "cpu", "cuda", "cuda:N", in a build with OpenCL "opencl" and "opencl:N", or "auto", CUDA's first GPU that
    works, else the CPU; the bytes are the same. threads: of the CPU at most so many; 0: one per core. max_shard_size:
    bytes that a file of an output directory may hold.
    shard: (i, n) makes part i of n, from 0, which finish() puts together. components: of a diffusers pipeline, the
    folders to convert; none: those that are quantized. force: replace an output that exists. dry_run: write nothing,
    and report what would be. allow_other_names: convert a quantized model also where a layer lacks a tensor that the
    other layers have, and has one instead that its class in transformers has not.
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
    """Writes the same model with 4-bit weights, as transformers saves it with bitsandbytes.

    blocksize: a power of two, 32 to 4096. double_quant: nested absmax. experts: also experts, of which transformers 4
    loads those that are stored one by one, and none those that are one tensor (load_checkpoint does). include, exclude:
    shell patterns of tensor names to quantize beside the default, and to leave as they are. dtype: what the weights
    will decode to. components: none means text encoders, transformers and UNets. The other arguments are those of
    dequantize.
    """
    return _convert("quantize", **locals())


def merge(
    base: AnyPath | None,
    adapters: AnyPath | Sequence[AnyPath | tuple[AnyPath, float]],
    output: AnyPath,
    *,
    to: Dtype | Literal["nf4", "fp4", "fp8", "mxfp4", "nvfp4"] = "auto",
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

    base: None takes the one that the first adapter names in its adapter_config.json: a directory here or beside the
    adapter, or a model of the Hub in its cache on this machine; a note says which.
    adapters: one, or several, which are added in order; each a path, or a pair of the path and a weight that its
    scale is multiplied by. The path is that of a directory as peft saves it, or of a LoRA file of diffusers or of
    kohya's scripts; onto a pipeline, such a file changes each of the components that it names. Every tensor of an
    adapter is used, or ValueError says which fits nothing, before anything is written.

    to: what merged and quantized weights become; "auto" is what they were, or decode to; "nf4" and "fp4" give what
    quantize() makes of the result; "fp8", "mxfp4" and "nvfp4" leave a base in that format as it is and encode anew what
    is merged, and "fp8" makes blocks of 128 x 128 of a plain base. ue8m0: of "fp8", scales that are powers of two.
    keep_scales: of these three, make only codes anew, as of "nvfp4" in any case.
    base_as: of a base in 16 or 32 bits, take its weights as a QLoRA adapter saw them in training, quantized so and
    decoded. blocksize, double_quant: of nf4 and fp4. include, exclude: shell patterns of tensor names that are
    quantized beside the default, and that are not, by `to` or base_as. fail_below: of what is quantized, refuse where
    less than this share of what is added survives, as from a 4-bit base. allow_nonfinite: merge adapters with NaN or
    infinities too. head: an output head tied to the embedding stays so if both were changed alike ("as_trained"),
    always ("tie": one tensor with what either got, as peft merges), or never ("untie"). lora_b_layout: how lora_B of a
    layer's experts is ordered, if the adapter does not say it: `[rank][expert]` ("peft"), or `[expert][rank]`
    ("grouped_by_expert"), as unsloth had it until September 2026; needed where such an adapter has a sign of unsloth.
    prefix: the module of the base in which the adapters' names lie, such as "model.vision_tower", where they are not
    those of the whole model.

    components: of a diffusers pipeline, the only folders to merge into; a single one takes a LoRA file for one
    component, whatever name that has. dry_run: also measures, for `merged` of the report, how much each adapter
    changes; raises what the merge would raise by fail_below, of which 0 shows the figures all the same. The other
    arguments are those of dequantize.
    """
    return _merge(**locals())


def finish(output: AnyPath, *, force: bool = False, progress: ProgressCallback | None = None) -> FinishReport:
    """Makes `output` of what the shards of a conversion left beside it: the bytes that one process would write."""
    options = [*_spelt("force", force)]
    numbers, _ = library.run("finish", output, options=options, report=_report(progress), number_count=4)
    return FinishReport(*numbers)


def inspect(path: AnyPath) -> Inventory:
    """What a checkpoint holds, from its headers alone; every size and relation that decoding relies on is checked."""
    found = json.loads(library.inspect(path))
    for tensor in found["tensors"]:
        tensor["nested_offset"] = float(tensor["nested_offset"])
        tensor["arrays"] = [_made(StoredArray, array) for array in tensor["arrays"]]
    return _made(Inventory, found | {"tensors": [_made(TensorInfo, tensor) for tensor in found["tensors"]]})


def check(path: AnyPath, *, ask_transformers: bool | None = None) -> CheckReport:
    """Would transformers load this model with every weight in its place?

    Without Python packages, by a table of names and shapes that was made from transformers. ask_transformers: also let
    transformers itself build the model's class and compare, without memory for it or reading its data, and take what it
    says of names and shapes instead; None: where it can be imported. Code that a model brings along is never run.
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
    """Compares two checkpoints tensor by tensor; quantized weights are decoded by the scalar reference.

    threads: that read and compare; 0: one per core, up to 16.
    """
    _, (text,) = library.run("compare", a, b, options=[*_spelt("threads", threads)], report=_report(progress))
    found = json.loads(text)
    return _made(CompareReport, found | {"tensors": [_made(TensorComparison, tensor) for tensor in found["tensors"]]})


def _made(kind: type[_Report], found: dict[str, Any]) -> _Report:
    """Of JSON, which has the fields under their names; lists become tuples."""
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
    """asked: the other arguments of dequantize or quantize by name."""
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
    """An argument as options of checkpoint.hpp, where most have its name, and their values as text."""
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
