"""What reports of checkpoint.py print as in a line: their lists have an entry a tensor."""

from collections.abc import Sequence
from typing import Any

__all__ = ["comparison", "conversion", "inventory", "merge"]


def conversion(report: Any) -> str:
    return _converted(report, f"{report.converted} of {report.tensors} tensors converted")


def merge(report: Any) -> str:
    return _converted(report, f"{len(report.merged)} of {report.tensors} tensors merged")


def inventory(found: Any) -> str:
    stored = f"{_count(len(found.tensors), 'tensor')} in {_count(found.files, 'file')}"
    return f"Inventory({stored}, {_size(found.bytes)}, decoded {_size(found.decoded_bytes)}{_noted(found.notes)})"


def comparison(report: Any) -> str:
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
