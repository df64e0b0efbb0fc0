"""What the ops and the conversions can run on here. No torch is needed."""

from dataclasses import dataclass

from . import library


@dataclass(frozen=True)
class Device:
    """name: as qfuse.checkpoint takes it. description: model, cores and memory, for people. targets: a CPU's SIMD
    targets that can run here, best first."""

    name: str
    description: str
    targets: tuple[str, ...] = ()


def devices() -> list[Device]:
    """The CPU, every GPU that can run the ops here and now, and OpenCL's devices, of which some may be of no use, as
    their descriptions then say."""
    found = [Device("cpu", library.describe_device(library.Device(library.CPU, 0)), tuple(library.cpu_targets()))]
    for name, kind in (("cuda", library.CUDA), ("opencl", library.OPENCL)):
        for index in range(library.device_count(kind)):
            found.append(Device(f"{name}:{index}", library.describe_device(library.Device(kind, index))))
    return found


def build_info() -> dict[str, str]:
    """What this build holds: version, compiler, parallel, cuda (nvcc's version, "HIP" or "none"), the architectures
    of these (cuda_architectures, hip_architectures), and opencl (its headers' version, or "none")."""
    return dict(line.split(": ", 1) for line in library.build_info().splitlines())
