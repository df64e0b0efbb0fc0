"""Calls and training steps on a CPU leave nothing behind in memory, however many there are."""

import ctypes
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from conftest import make_weight

import qfuse

ROUNDS, CALLS, STEPS = 3, 2000, 50
LIBC = ctypes.CDLL(None)
BLOCK = 16  # bytes, the smallest block of Python's own allocator

pytestmark = pytest.mark.skipif(
    not hasattr(LIBC, "mallinfo2"), reason="this system does not say how much memory a process holds"
)


@pytest.fixture(scope="module")
def growths() -> dict[str, float]:
    """Bytes lost per call or step, by measurement, in a process whose memory no other test has used."""
    command = [sys.executable, "-c", "import test_memory; test_memory.measure()"]
    environment = os.environ | {"OMP_WAIT_POLICY": "passive"}  # else torch's waiting threads take TBB's cores
    found = subprocess.run(
        command, cwd=Path(__file__).parent, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(found.stdout)


def test_of_calls(growths):
    assert growths["calls"] < 10  # less than the smallest block of an allocator


def test_of_training_with_an_adapter(growths):
    assert growths["training with an adapter"] < 4096  # a page, which torch itself leaves at times


def test_of_training_under_bitsandbytes(growths):
    pytest.importorskip("bitsandbytes")
    assert growths["training under bitsandbytes"] < 4096


# ---- run in the measuring process


class Allocated(ctypes.Structure):
    """struct mallinfo2"""

    _names = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    _fields_ = tuple((name, ctypes.c_size_t) for name in _names)


def held() -> int:
    """Returns the bytes that malloc and Python's own allocator have allocated and not freed."""
    LIBC.mallinfo2.restype = Allocated
    now = LIBC.mallinfo2()
    return now.uordblks + now.hblkhd + BLOCK * sys.getallocatedblocks()


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(count: int, call: Callable[[], object]) -> float:
    """Returns bytes lost per call, held or resident, whichever are more. The first round fills the caches of torch and
    TBB and does not count; the lowest of the others does, because a leak in each call shows in each round."""
    found = []
    for _ in range(ROUNDS + 1):
        before = held(), resident()
        for _ in range(count):
            call()
        found.append([(now - then) / count for now, then in zip((held(), resident()), before, strict=True)])
    return max(map(min, zip(*found[1:], strict=True)))


def of_calls() -> float:
    """Growth per decode and product, each slightly larger than what one thread computes by itself."""
    large, small = make_weight("cpu", 140, 1024).weight, make_weight("cpu", 256, 64).weight
    x = torch.randn(1, 64, dtype=torch.bfloat16)

    def call() -> None:
        qfuse.dequantize_4bit(large)
        qfuse.matmul_4bit(x, small)

    return growth(CALLS, call)


def steps(layer: Callable[[], torch.nn.Module]) -> float:
    """Growth per step of two such layers [256, 256], each after a plain layer, so that gradients flow through both."""
    plain = [torch.nn.Linear(256, 256) for _ in range(2)]
    model = torch.nn.Sequential(plain[0], layer(), plain[1], layer())
    x = torch.randn(8, 256)
    optimizer = torch.optim.SGD([weight for weight in model.parameters() if weight.requires_grad])

    def step() -> None:
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    return growth(STEPS, step)


def of_training_with_an_adapter() -> float:
    weight = make_weight("cpu", 256, 256).weight
    return steps(lambda: qfuse.nn.Linear4bitLoRA(weight, 4))


def of_training_under_bitsandbytes() -> float:
    import bitsandbytes as bnb

    import qfuse.integrations.bitsandbytes as integration

    def layer() -> torch.nn.Module:
        made = bnb.nn.Linear4bit(256, 256, compute_dtype=torch.float32, quant_type="nf4")
        return made.train().to("cpu")  # in training, bitsandbytes keeps the weight's own layout

    with integration.enabled(matmul=True):
        return steps(layer)


def measure() -> None:
    torch.set_num_threads(2)
    found = {"calls": of_calls(), "training with an adapter": of_training_with_an_adapter()}
    if importlib.util.find_spec("bitsandbytes") is not None:
        found["training under bitsandbytes"] = of_training_under_bitsandbytes()
    print(json.dumps(found))
