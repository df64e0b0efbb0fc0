"""Where torch has a GPU but qfuse has none, e.g. with a driver too old for its CUDA, bitsandbytes computes there."""

import warnings

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from qfuse.native import devices, library
from qfuse.weight import quant_state


def arguments(device):
    packed = torch.zeros(32 * 64 // 2, 1, dtype=torch.uint8, device=device)
    return packed, [torch.ones(32, device=device), (32, 64), torch.bfloat16, 64, None, "nf4"]


@pytest.fixture
def leave_without_gpu(monkeypatch):
    """Yields a function after whose call torch has a GPU, and libqfuse has none and says why."""

    def describe(device):
        raise RuntimeError("there is no GPU here: CUDA: the NVIDIA driver is for CUDA 12.4")

    def leave():
        devices._look_for_gpu.cache_clear()
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(library, "device_count", lambda kind: 0)
        monkeypatch.setattr(library, "describe_device", describe)

    yield leave
    devices._look_for_gpu.cache_clear()


def test_weights_on_gpus_are_left_with_one_warning_and_those_on_cpus_are_not(leave_without_gpu):
    with FakeTensorMode():
        on_gpu, on_cpu = arguments("cuda"), arguments("cpu")
        leave_without_gpu()
        with pytest.warns(UserWarning, match="leaves weights on GPUs to the original: .* for CUDA 12.4") as warned:
            assert quant_state.decodable_weight(*on_gpu) is None
        assert len(warned) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert quant_state.decodable_weight(*on_gpu) is None
            assert quant_state.decodable_weight(*on_cpu) is not None
