"""The libraries of the package, called through ctypes: checkpoints, devices and versions. No torch is needed here."""

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

AnyPath = str | os.PathLike[str]

# Where the libraries lie: in the package, but for an editable installation, whose sources lie elsewhere.
_SEARCHED = [Path(place) for place in sys.modules["qfuse"].__path__]
FOLDER = next((place for place in _SEARCHED if (place / "libqfuse.so.0").is_file()), _SEARCHED[0])

Report = Callable[[str, int, int], bool]
_Take = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
_ReportProgress = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.c_int64, ctypes.c_int64)

# Of qfuse_status; anything else is a ValueError.
_ERRORS: dict[int, type[Exception]] = {4: OSError, 5: MemoryError, 7: RuntimeError, 8: RuntimeError}
_CANCELLED = 6


class Cancelled(Exception):
    """A progress callback returned False."""


class Conversion(ctypes.Structure):
    """struct qfuse_python_conversion of python/csrc/checkpoint.cpp."""

    _fields_ = [
        ("input", ctypes.c_char_p),
        ("output", ctypes.c_char_p),
        ("quantize", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
        ("max_shard_size", ctypes.c_int64),
        ("shard_index", ctypes.c_int64),
        ("shard_count", ctypes.c_int64),
        ("force", ctypes.c_int32),
        ("dry_run", ctypes.c_int32),
        ("allow_other_names", ctypes.c_int32),
        ("component_count", ctypes.c_int32),
        ("components", ctypes.POINTER(ctypes.c_char_p)),
        ("device_type", ctypes.c_int32),
        ("device_index", ctypes.c_int32),
        ("threads", ctypes.c_int32),
        ("quant_type", ctypes.c_int32),
        ("double_quant", ctypes.c_int32),
        ("blocksize", ctypes.c_int64),
        ("experts", ctypes.c_int32),
        ("include_count", ctypes.c_int32),
        ("exclude_count", ctypes.c_int32),
        ("include", ctypes.POINTER(ctypes.c_char_p)),
        ("exclude", ctypes.POINTER(ctypes.c_char_p)),
    ]


class Merge(ctypes.Structure):
    """struct qfuse_python_merge."""

    _fields_ = [
        ("adapter_count", ctypes.c_int64),
        ("adapters", ctypes.POINTER(ctypes.c_char_p)),
        ("weights", ctypes.POINTER(ctypes.c_double)),
        ("to_4bit", ctypes.c_int32),
        ("base_as", ctypes.c_int32),
        ("fail_below", ctypes.c_double),
        ("allow_nonfinite", ctypes.c_int32),
        ("head", ctypes.c_int32),
        ("lora_b_layout", ctypes.c_int32),
        ("prefix", ctypes.c_char_p),
    ]


def strings(texts: Sequence[str]) -> Any:
    return (ctypes.c_char_p * max(len(texts), 1))(*(text.encode("utf-8", "surrogateescape") for text in texts))


def path_bytes(path: AnyPath) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("a path holds a null character")
    return encoded


def load(name: str) -> ctypes.CDLL:
    path = FOLDER / name
    if not path.is_file():
        raise ImportError(f"{path} is not there: install qfuse with pip, its sources alone cannot be imported")
    return ctypes.CDLL(str(path))


class _Call:
    """One call of a function that takes texts and reports progress. What Python raises meanwhile, an interrupt too,
    stops it, and is raised behind it."""

    def __init__(self, report: Report | None) -> None:
        self._report = report
        self._raised: BaseException | None = None
        self.texts: list[str] = []
        self.take = _Take(self._take)
        self.report = _ReportProgress(self._go_on)

    def _take(self, text: bytes) -> None:
        try:
            self.texts.append(text.decode("utf-8", "surrogateescape"))
        except BaseException as error:  # an interrupt comes here as well as anywhere
            self._raised = error

    def _go_on(self, tensor: bytes, done: int, total: int) -> int:
        try:
            return int(self._report is None or self._report(tensor.decode("utf-8", "replace"), done, total))
        except BaseException as error:
            self._raised = error
            return 0

    def finish(self, status: int) -> list[str]:
        if self._raised is not None:
            raise self._raised
        if status == _CANCELLED:
            raise Cancelled("cancelled")
        if status != 0:
            raise _ERRORS.get(status, ValueError)(self.texts[-1])
        return self.texts


def convert(conversion: Conversion, report: Report | None) -> tuple[list[int], str, list[str]]:
    """The numbers of a conversion's report, what was kept as JSON, and its notes."""
    call, numbers = _Call(report), (ctypes.c_int64 * 5)()
    status = load("libqfuse_python.so").qfuse_python_convert(ctypes.byref(conversion), call.report, numbers, call.take)
    kept, *notes = call.finish(status)
    return list(numbers), kept, notes


def merge(conversion: Conversion, what: Merge, report: Report | None) -> tuple[list[int], str, str, list[str]]:
    """The numbers of a merge's report, the merged tensors and what was kept as JSON, and the notes."""
    call, numbers = _Call(report), (ctypes.c_int64 * 5)()
    function = load("libqfuse_python.so").qfuse_python_merge_adapters
    status = function(ctypes.byref(conversion), ctypes.byref(what), call.report, numbers, call.take)
    merged, kept, *notes = call.finish(status)
    return list(numbers), merged, kept, notes


def finish(out: AnyPath, force: bool, report: Report | None) -> list[int]:
    call, numbers = _Call(report), (ctypes.c_int64 * 4)()
    function = load("libqfuse_python.so").qfuse_python_finish
    call.finish(function(path_bytes(out), ctypes.c_int32(force), call.report, numbers, call.take))
    return list(numbers)


def inspect(path: AnyPath) -> str:
    """The inventory of a checkpoint as JSON."""
    call = _Call(None)
    (text,) = call.finish(load("libqfuse_python.so").qfuse_python_inspect(path_bytes(path), call.take))
    return text


def check(path: AnyPath) -> str:
    """What keeps a model from loading, as JSON."""
    call = _Call(None)
    (text,) = call.finish(load("libqfuse_python.so").qfuse_python_check(path_bytes(path), call.take))
    return text


def compare(a: AnyPath, b: AnyPath, threads: int, report: Report | None) -> str:
    """A comparison as JSON."""
    call = _Call(report)
    function = load("libqfuse_python.so").qfuse_python_compare
    (text,) = call.finish(function(path_bytes(a), path_bytes(b), ctypes.c_int32(threads), call.report, call.take))
    return text


def shard_plan(
    shape: Sequence[int], dim: int, rank: int, ranks: int, blocksize: int, nested_blocksize: int
) -> list[int]:
    """The fields of qfuse::checkpoint::WeightShard, in their order; `nested_blocksize` is 0 of a plain weight."""
    call, numbers = _Call(None), (ctypes.c_int64 * 8)()
    sizes = (ctypes.c_int64 * len(shape))(*shape)
    counts = (ctypes.c_int64(count) for count in (rank, ranks, blocksize, nested_blocksize))
    function = load("libqfuse_python.so").qfuse_python_shard_plan
    call.finish(function(sizes, ctypes.c_int32(len(shape)), ctypes.c_int32(dim), *counts, numbers, call.take))
    return list(numbers)


class Device(ctypes.Structure):
    """qfuse_device."""

    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int32), ("message", ctypes.c_char * 512)]


CPU, CUDA, OPENCL = 0, 1, 3  # of qfuse_device_type


def parse_device(name: str) -> Device:
    device, error = Device(), _Error()
    if load("libqfuse.so.0").qfuse_device_parse(name.encode(), ctypes.byref(device), ctypes.byref(error)) != 0:
        raise ValueError(error.message.decode("utf-8", "replace"))
    return device


def device_count(kind: int) -> int:
    return int(load("libqfuse.so.0").qfuse_device_count(kind))


def describe_device(device: Device) -> str:
    text, error = ctypes.create_string_buffer(512), _Error()
    size = ctypes.c_size_t(len(text))
    if load("libqfuse.so.0").qfuse_device_describe(device, text, size, ctypes.byref(error)) != 0:
        raise RuntimeError(error.message.decode("utf-8", "replace"))
    return text.value.decode("utf-8", "replace")


def matmul_4bit_advice(device: Device, dtype: int, rows: int, cols: int, blocksize: int) -> tuple[int, int]:
    """few_rows and fused_rows of qfuse_matmul_4bit_advice."""
    few, few_rows, fused_rows, error = ctypes.c_int32(), ctypes.c_int64(), ctypes.c_int64(), _Error()
    function = load("libqfuse.so.0").qfuse_matmul_4bit_advice
    sizes = (ctypes.c_int64(size) for size in (rows, cols, blocksize))
    found = (ctypes.byref(it) for it in (few, few_rows, fused_rows, error))
    if function(device, dtype, *sizes, *found) != 0:
        raise RuntimeError(error.message.decode("utf-8", "replace"))
    return few_rows.value, fused_rows.value


def cpu_targets() -> list[str]:
    function = load("libqfuse.so.0").qfuse_cpu_target_name
    function.restype = ctypes.c_char_p
    names: list[str] = []
    while (name := function(len(names))) is not None:
        names.append(name.decode())
    return names


def build_info() -> str:
    function = load("libqfuse.so.0").qfuse_build_info
    function.restype = ctypes.c_char_p
    text: bytes = function()
    return text.decode()
