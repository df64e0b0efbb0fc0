"""Fixtures and helpers that the tests share: golden weights, devices, the command, and bitwise equality."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"  # inductor's caches ignore a changed op schema

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # each worker of a pool would import torch again

import pytest
import torch
from safetensors.torch import load_file
from torch.profiler import ProfilerActivity, profile

import qfuse

GOLDEN = Path(os.environ.get("QFUSE_GOLDEN_DIR", Path(__file__).parents[2] / "tests" / "golden"))
TINY = GOLDEN / "tiny_llama"
DTYPES = (torch.float32, torch.float16, torch.bfloat16)
for folder in ("python/benchmarks", "tools/models"):  # for imports of scripts that tests run
    sys.path.insert(0, str(Path(__file__).parents[2] / folder))
NO_GPU = "NOT TESTED ON A GPU: torch sees none here"
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU))]

if "QFUSE_REQUIRE_GPU" in os.environ and not torch.cuda.is_available():
    pytest.exit("QFUSE_REQUIRE_GPU is set, and torch sees no GPU", returncode=1)


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def bitsandbytes_as_it_was() -> Iterator[None]:
    """Checks that nothing of bitsandbytes stays replaced after a test."""
    from layers_of_bitsandbytes import all_are_original  # not at the top: bitsandbytes may be missing

    import qfuse.integrations.bitsandbytes as integration

    yield
    integration.disable()
    assert all_are_original()


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Returns a list that records the `order` of each product call."""
    found: list[str | None] = []
    ours = qfuse.ops.gradients.by_dispatcher

    def called(call):
        found.append(call.order)
        return ours(call)

    monkeypatch.setattr(qfuse.ops.gradients, "by_dispatcher", called)
    monkeypatch.setattr(qfuse.native.torch_ops, "_multiply", None)
    return found


class Golden(NamedTuple):
    """A weight that bitsandbytes encoded on an H100, with the values that it decoded there."""

    name: str
    weight: qfuse.Weight4bit  # on() sets its dtype
    input: torch.Tensor | None
    decoded: dict[torch.dtype, torch.Tensor]

    def on(self, device: str, dtype: torch.dtype = torch.bfloat16) -> qfuse.Weight4bit:
        return self.weight._replace(dtype=dtype).to(device)


def golden_weights(stem: str) -> Iterator[Golden]:
    stored = load_file(GOLDEN / f"{stem}.safetensors")
    for case in json.loads((GOLDEN / f"{stem}.json").read_text()):
        yield _golden(stored, case["name"])


def _golden(stored: dict[str, torch.Tensor], name: str) -> Golden:
    prefix = f"{name}.weight"
    blob = next(key for key in stored if key.startswith(f"{prefix}.quant_state."))
    state = json.loads(bytes(stored[blob].tolist()))
    tensors = [stored[prefix], stored[f"{prefix}.absmax"]]
    if "nested_offset" in state:
        offset = torch.tensor(state["nested_offset"], dtype=torch.float32)
        tensors += [stored[f"{prefix}.nested_absmax"], stored[f"{prefix}.nested_quant_map"], offset]
    scalars = state["quant_type"], state["blocksize"]
    weight = qfuse.Weight4bit(tuple(tensors), tuple(state["shape"]), torch.bfloat16, *scalars)
    decoded = {
        dtype: stored[f"{name}.dequant.{str(dtype).removeprefix('torch.')}"]
        for dtype in DTYPES
        if f"{name}.dequant.{str(dtype).removeprefix('torch.')}" in stored
    }
    return Golden(name, weight, stored.get(f"{name}.input"), decoded)


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether the tensors are bitwise equal; any NaN equals any other NaN."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    a, b = a.contiguous().cpu(), b.contiguous().cpu()
    if a.dtype.is_floating_point:
        nan = a.isnan()
        if not torch.equal(nan, b.isnan()):
            return False
        a, b = a.masked_fill(nan, 0), b.masked_fill(nan, 0)
    return torch.equal(a.reshape(-1).view(torch.uint8), b.reshape(-1).view(torch.uint8))


def same_state(a: object, b: object) -> bool:
    """Whether two QuantStates are equal in every field and bit and are on the same device."""
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.device == b.device and same_bits(a, b)
    if type(a) is not type(b) or not hasattr(a, "quant_type"):
        return type(a) is type(b) and a == b
    return vars(a).keys() == vars(b).keys() and all(same_state(vars(a)[name], vars(b)[name]) for name in vars(a))


def command(*arguments: object) -> str:
    """Returns what `qfuse` prints, started as its script starts it: `python -m qfuse` would import torch each time."""
    script = [sys.executable, "-c", "import qfuse_command; qfuse_command.main()"]
    return subprocess.run([*script, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


class Calls:
    """Counts the calls of the named ops, including those made inside other libraries' ops."""

    def __init__(self, *names: str) -> None:
        self._names, self._profile = names, profile(activities=[ProfilerActivity.CPU])

    def __enter__(self) -> "Calls":
        self._profile.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._profile.stop()
        called = [event.name for event in self._profile.events()]
        self.counts = tuple(map(called.count, self._names))
        self.count = sum(self.counts)


SUMMARY = [] if torch.cuda.is_available() else ["Not judged: the torch ops on a GPU (torch sees none here)"]


@pytest.fixture(scope="session")
def inductor() -> str:
    """Returns "inductor", or skips the test where inductor cannot build."""
    try:
        assert torch.compile(lambda x: x * 2 + 1)(torch.ones(64)).sum() == 192
    except Exception as error:  # no compiler or no Python headers
        SUMMARY.append(f"Not judged: the torch ops under inductor, which cannot build here ({type(error).__name__})")
        pytest.skip("inductor cannot build here")
    return "inductor"


@pytest.fixture(params=["aot_eager", pytest.param("inductor", marks=pytest.mark.slow)])
def backend(request: pytest.FixtureRequest) -> str:
    """inductor compiles the graphs that aot_eager runs, which takes seconds; test_inductor.py compiles each op."""
    return request.getfixturevalue("inductor") if request.param == "inductor" else request.param


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in SUMMARY:  # tools/test repeats these at its end
        terminalreporter.write_line(line)


class Made(NamedTuple):
    """A nested NF4 weight that qfuse encoded, the original it was made from, and its absmax without nesting."""

    weight: qfuse.Weight4bit
    original: torch.Tensor
    plain: torch.Tensor


@pytest.fixture
def made(device: str) -> Made:
    return make_weight(device)


def make_weight(device: str, rows: int = 64, cols: int = 192) -> Made:
    generator = torch.Generator().manual_seed(7)
    original = torch.randn(rows, cols, generator=generator).to(device)
    tensors = qfuse.ops.quantize_4bit_nested(original, 64, "nf4")
    plain = qfuse.ops.quantize_4bit(original, 64, "nf4")[1]
    return Made(qfuse.Weight4bit(tensors, (rows, cols), torch.bfloat16), original, plain)


def replaced(weight: qfuse.Weight4bit, index: int, tensor: torch.Tensor) -> qfuse.Weight4bit:
    """Returns the weight with the tensor at `index` of its list replaced."""
    return weight._replace(tensors=(*weight.tensors[:index], tensor, *weight.tensors[index + 1 :]))
