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

import ctypes
import importlib.util
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, SupportsFloat, TypeAlias

from . import dtypes
from .checkpoint_reports import (
    CheckProblem,
    CheckReport,
    CompareReport,
    ConversionReport,
    FinishReport,
    Inventory,
    KeptTensors,
    MergedTensor,
    MergeReport,
    Progress,
    StoredArray,
    TensorComparison,
    TensorInfo,
)
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

DtypeName = Literal["auto", "bf16", "fp16", "fp32", "bfloat16", "float16", "float32"]
Dtype: TypeAlias = "DtypeName | torch.dtype"
_DTYPES = {"auto": -1} | dtypes.NAMES
_QUANT_TYPES = {"fp4": 1, "nf4": 2}
_HEADS = {"as_trained": 0, "tie": 1, "untie": 2}  # as checkpoint::Head
_LORA_B_LAYOUTS = {"as_said": 0, "peft": 1, "grouped_by_expert": 2}  # as checkpoint::LoraBLayout
_BY_NAMES = ("missing", "unexpected", "mismatched")
_LISTS = ("include", "exclude", "components")  # of names


ProgressCallback = Callable[[Progress], bool | None]  # False stops


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
    return _convert(locals())


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
    return _convert(locals())


def merge(
    base: AnyPath | None,
    adapters: AnyPath | Sequence[AnyPath | tuple[AnyPath, float]],
    output: AnyPath,
    *,
    to: Dtype | Literal["nf4", "fp4"] = "auto",
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
    quantize() makes of the result. base_as: of a base in 16 or 32 bits, take its weights as a QLoRA adapter saw them in
    training, quantized so and decoded. blocksize, double_quant: of both. include, exclude: of both, shell patterns of
    tensor names that are 4-bit beside the default, and that are not. fail_below: of what becomes 4-bit, refuse where
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
    return _merge(locals())


def finish(output: AnyPath, *, force: bool = False, progress: ProgressCallback | None = None) -> FinishReport:
    """Makes `output` of what the shards of a conversion left beside it: the bytes that one process would write."""
    return FinishReport(*library.finish(output, force, _report(progress)))


def inspect(path: AnyPath) -> Inventory:
    """What a checkpoint holds, from its headers alone; every size and relation that decoding relies on is checked."""
    found = json.loads(library.inspect(path))
    tensors = tuple(
        TensorInfo(
            **tensor
            | {
                "shape": tuple(tensor["shape"]),
                "nested_offset": float(tensor["nested_offset"]),
                "arrays": tuple(StoredArray(**array | {"shape": tuple(array["shape"])}) for array in tensor["arrays"]),
            }
        )
        for tensor in found["tensors"]
    )
    return Inventory(found["files"], found["bytes"], found["decoded_bytes"], tuple(found["notes"]), tensors)


def check(path: AnyPath, *, ask_transformers: bool | None = None) -> CheckReport:
    """Would transformers load this model with every weight in its place?

    Without Python packages, by a table of names and shapes that was made from transformers. ask_transformers: also let
    transformers itself build the model's class and compare, without memory for it or reading its data, and take what it
    says of names and shapes instead; None: where it can be imported. Code that a model brings along is never run.
    """
    found = json.loads(library.check(path))
    problems = [CheckProblem(**problem) for problem in found["problems"]]
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
    return CheckReport(found["files"], found["tensors"], tuple(problems), tuple(found["notes"]), found["cannot_tell"])


def compare(a: AnyPath, b: AnyPath, *, threads: int = 0, progress: ProgressCallback | None = None) -> CompareReport:
    """Compares two checkpoints tensor by tensor; quantized weights are decoded by the scalar reference.

    threads: that read and compare; 0: one per core, up to 16.
    """
    found = json.loads(library.compare(a, b, threads, _report(progress)))
    tensors = tuple(TensorComparison(**tensor) for tensor in found["tensors"])
    return CompareReport(found["equal"], found["different"], found["snr_db"], found["relative_error"], tensors)


def _report(progress: ProgressCallback | None) -> library.Report | None:
    if progress is None:
        return None
    return lambda tensor, done, total: progress(Progress(tensor, done, total)) is not False


def _choice(name: str, value: str, choices: dict[str, int]) -> int:
    if value not in choices:
        raise ValueError(f"{name} is {value!r}, it can be {', '.join(map(repr, choices))}")
    return choices[value]


def _dtype(name: str, value: object, choices: dict[str, int]) -> int:
    found = dtypes.canonical(value)
    if found not in choices:
        raise ValueError(f"{name} is {value!r}, it can be {', '.join(map(repr, choices))}")
    return choices[found]


def _weighted(adapter: Any) -> tuple[AnyPath, float]:
    if isinstance(adapter, str | os.PathLike):
        return adapter, 1.0
    if not isinstance(adapter, tuple | list) or len(adapter) != 2 or not isinstance(adapter[1], SupportsFloat):
        raise TypeError(f"an adapter is {adapter!r}, it must be a path, or a pair of a path and a weight")
    return adapter[0], float(adapter[1])


def _merge(asked: dict[str, Any]) -> MergeReport:
    """`asked`: the arguments of merge by name."""
    to, adapters = dtypes.canonical(asked["to"]), asked["adapters"]
    _dtype("to", asked["to"], _DTYPES | _QUANT_TYPES)
    pairs = [_weighted(one) for one in ([adapters] if isinstance(adapters, str | os.PathLike) else adapters)]
    what = library.Merge(
        adapter_count=len(pairs),
        adapters=(ctypes.c_char_p * len(pairs))(*(library.path_bytes(path) for path, _ in pairs)),
        weights=(ctypes.c_double * len(pairs))(*(weight for _, weight in pairs)),
        to_4bit=_QUANT_TYPES.get(to, 0),
        base_as=0 if asked["base_as"] is None else _choice("base_as", asked["base_as"], _QUANT_TYPES),
        fail_below=asked["fail_below"],
        allow_nonfinite=asked["allow_nonfinite"],
        head=_choice("head", asked["head"], _HEADS),
        lora_b_layout=_choice("lora_b_layout", asked["lora_b_layout"], _LORA_B_LAYOUTS),
        prefix=asked["prefix"].encode(),
    )
    conversion = _conversion(asked | {"source": asked["base"] or "", "dtype": to if to in _DTYPES else "auto"})
    numbers, found, kept, notes = library.merge(conversion, what, _report(asked["progress"]))
    merged = tuple(MergedTensor(**tensor | {"shape": tuple(tensor["shape"])}) for tensor in json.loads(found))
    fields: list[Any] = [*numbers, _kept(kept), tuple(notes), merged]
    return MergeReport(*fields)


def _convert(asked: dict[str, Any]) -> ConversionReport:
    """`asked`: the arguments of dequantize or quantize by name."""
    numbers, kept, notes = library.convert(_conversion(asked), _report(asked["progress"]))
    fields: list[Any] = [*numbers, _kept(kept), tuple(notes)]
    return ConversionReport(*fields)


def _kept(found: str) -> tuple[KeptTensors, ...]:
    return tuple(KeptTensors(**kept) for kept in json.loads(found))


def _conversion(asked: dict[str, Any]) -> library.Conversion:
    """`asked`: what all conversions take, and what quantize does, by name."""
    for name in _LISTS:
        if isinstance(asked.get(name), str):
            raise TypeError(f"{name} is a str, it must be a list of them")
    for name in ("threads", "max_shard_size", "blocksize"):
        if not -(2**31) <= asked.get(name, 0) < (2**63 if name == "max_shard_size" else 2**31):
            raise ValueError(f"{name} is {asked[name]}, out of range")
    include, exclude, components = (library.strings(tuple(asked.get(name, ()))) for name in _LISTS)
    shard_index, shard_count = asked["shard"] or (0, 0)
    if asked["shard"] is not None and shard_count < 1:
        raise ValueError(f"shard is {asked['shard']}, it must be (i, n) with i from 0 to n - 1")
    device = library.Device(-1, 0) if asked["device"] == "auto" else library.parse_device(asked["device"])
    return library.Conversion(
        input=library.path_bytes(asked["source"]),
        output=library.path_bytes(asked["output"]),
        quantize="quant_type" in asked,
        dtype=_dtype("dtype", asked["dtype"], _DTYPES),
        max_shard_size=asked["max_shard_size"],
        shard_index=shard_index,
        shard_count=shard_count,
        force=asked["force"],
        dry_run=asked["dry_run"],
        allow_other_names=asked.get("allow_other_names", False),
        component_count=len(asked.get("components", ())),
        components=ctypes.cast(components, ctypes.POINTER(ctypes.c_char_p)),
        device_type=device.type,
        device_index=device.index,
        threads=asked["threads"],
        quant_type=_choice("quant_type", asked.get("quant_type", "nf4"), _QUANT_TYPES),
        double_quant=asked.get("double_quant", True),
        blocksize=asked.get("blocksize", 64),
        experts=asked.get("experts", False),
        include_count=len(asked.get("include", ())),
        exclude_count=len(asked.get("exclude", ())),
        include=ctypes.cast(include, ctypes.POINTER(ctypes.c_char_p)),
        exclude=ctypes.cast(exclude, ctypes.POINTER(ctypes.c_char_p)),
    )
