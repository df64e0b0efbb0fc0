"""The devices that ops and conversions can run on here. Does not need torch."""

from dataclasses import dataclass

from . import library


@dataclass(frozen=True)
class Device:
    """name: as qfuse.checkpoint takes it. description: human-readable model, cores and memory. targets: a CPU's SIMD
    targets that can run here, best first."""

    name: str
    description: str
    targets: tuple[str, ...] = ()


def devices() -> list[Device]:
    """Lists the CPU, every GPU that can run the ops now, and all OpenCL devices. If an OpenCL device cannot be used,
    its description says so."""
    found = [Device("cpu", library.describe_device(library.Device(library.CPU, 0)), tuple(library.cpu_targets()))]
    for name, kind in (("cuda", library.CUDA), ("opencl", library.OPENCL)):
        for index in range(library.device_count(kind)):
            found.append(Device(f"{name}:{index}", library.describe_device(library.Device(kind, index))))
    return found


def build_info() -> dict[str, str]:
    """Describes this build: version, compiler, parallel, cuda (nvcc's version, "HIP" or "none"), their architectures
    (cuda_architectures, hip_architectures), and opencl (version of its headers, or "none")."""
    return dict(line.split(": ", 1) for line in library.build_info().splitlines())
