"""Calls the package's libraries through ctypes: checkpoints, devices and versions. Does not need torch."""

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

AnyPath = str | os.PathLike[str]

# The package's folder with the libraries. An editable installation has a second folder, with the sources.
_SEARCHED = [Path(place) for place in sys.modules["qfuse"].__path__]
FOLDER = next((place for place in _SEARCHED if (place / "libqfuse.so.0").is_file()), _SEARCHED[0])

Report = Callable[[str, int, int], bool]
_Take = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
_ReportProgress = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.c_int64, ctypes.c_int64)

# Exceptions by qfuse_status; any other error is a ValueError.
_ERRORS: dict[int, type[Exception]] = {4: OSError, 5: MemoryError, 7: RuntimeError, 8: RuntimeError}
_CANCELLED = 6


class Cancelled(Exception):
    """A progress callback returned False."""


class _Option(ctypes.Structure):
    """Mirrors struct qfuse_python_option of python/csrc/checkpoint.cpp."""

    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


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
    """One call of a function that passes texts to a callback and reports progress. An exception in a callback,
    including an interrupt, cancels the call and is raised again after it."""

    def __init__(self, report: Report | None) -> None:
        self._report = report
        self._raised: BaseException | None = None
        self.texts: list[str] = []
        self.take = _Take(self._take)
        self.report = _ReportProgress(self._go_on)

    def _take(self, text: bytes) -> None:
        try:
            self.texts.append(text.decode("utf-8", "surrogateescape"))
        except BaseException as error:  # also an interrupt, which may arrive during the callback
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


def run(
    verb: str,
    *paths: AnyPath,
    options: Sequence[tuple[str, bytes]] = (),
    report: Report | None = None,
    number_count: int = 0,
) -> tuple[list[int], list[str]]:
    """Calls a function of checkpoint.hpp with one path or two and with options by their names there. Returns the
    numbers and texts that qfuse_python_run documents."""
    call, numbers = _Call(report), (ctypes.c_int64 * number_count)()
    first, second = (*map(path_bytes, paths), b"")[:2]
    given = (_Option * len(options))(*(_Option(name.encode(), value) for name, value in options))
    function = load("libqfuse_python.so").qfuse_python_run
    count = ctypes.c_int64(len(options))
    texts = call.finish(function(verb.encode(), first, second, given, count, call.report, numbers, call.take))
    return list(numbers), texts


def inspect(path: AnyPath) -> str:
    """Returns the inventory of a checkpoint as JSON."""
    _, (text,) = run("inspect", path)
    return text


def shard_plan(
    shape: Sequence[int], dim: int, rank: int, ranks: int, blocksize: int, nested_blocksize: int
) -> list[int]:
    """Returns the fields of qfuse::checkpoint::WeightShard, in order; `nested_blocksize` is 0 for a plain weight."""
    call, numbers = _Call(None), (ctypes.c_int64 * 8)()
    sizes = (ctypes.c_int64 * len(shape))(*shape)
    counts = (ctypes.c_int64(count) for count in (rank, ranks, blocksize, nested_blocksize))
    function = load("libqfuse_python.so").qfuse_python_shard_plan
    call.finish(function(sizes, ctypes.c_int32(len(shape)), ctypes.c_int32(dim), *counts, numbers, call.take))
    return list(numbers)


class Device(ctypes.Structure):
    """Mirrors qfuse_device."""

    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int32), ("message", ctypes.c_char * 512)]


CPU, CUDA, OPENCL = 0, 1, 3  # values of qfuse_device_type


def device_count(kind: int) -> int:
    return int(load("libqfuse.so.0").qfuse_device_count(kind))


def describe_device(device: Device) -> str:
    text, error = ctypes.create_string_buffer(512), _Error()
    size = ctypes.c_size_t(len(text))
    if load("libqfuse.so.0").qfuse_device_describe(device, text, size, ctypes.byref(error)) != 0:
        raise RuntimeError(error.message.decode("utf-8", "replace"))
    return text.value.decode("utf-8", "replace")


def matmul_4bit_advice(
    device: Device, dtype: int, direction: int, rows: int, cols: int, blocksize: int
) -> tuple[int, int]:
    """Returns few_rows and fused_rows of qfuse_matmul_4bit_advice."""
    few, few_rows, fused_rows, error = ctypes.c_int32(), ctypes.c_int64(), ctypes.c_int64(), _Error()
    function = load("libqfuse.so.0").qfuse_matmul_4bit_advice
    sizes = (ctypes.c_int64(size) for size in (rows, cols, blocksize))
    found = (ctypes.byref(it) for it in (few, few_rows, fused_rows, error))
    if function(device, dtype, direction, *sizes, *found) != 0:
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
