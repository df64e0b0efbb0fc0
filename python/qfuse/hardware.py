"""What the ops and the conversions can run on here. No torch is needed."""

from dataclasses import dataclass

from . import library

__all__ = ["Device", "build_info", "devices"]

_CPU, _CUDA = 0, 1  # of qfuse_device_type


@dataclass(frozen=True)
class Device:
    """name: as qfuse.checkpoint takes it. description: model, cores and memory, for people. targets: a CPU's SIMD
    targets that can run here, best first."""

    name: str
    description: str
    targets: tuple[str, ...] = ()


def devices() -> list[Device]:
    """The CPU, and every GPU that can run the ops here and now."""
    found = [Device("cpu", library.describe_device(library.Device(_CPU, 0)), tuple(library.cpu_targets()))]
    for index in range(library.device_count(_CUDA)):
        found.append(Device(f"cuda:{index}", library.describe_device(library.Device(_CUDA, index))))
    return found


def build_info() -> dict[str, str]:
    """What this build holds: version, compiler, parallel, cuda (nvcc's version, or "none"), and cuda_architectures."""
    return dict(line.split(": ", 1) for line in library.build_info().splitlines())
