"""4-bit weights on several ranks, each of which runs distributed_cases.py: CPU processes with gloo or, with
QFUSE_RANKS_DEVICE=cuda, processes with NCCL and a GPU each."""

import ast
import gc
import itertools
import os
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from distributed_models import DEVICE, Model, Plain, batch, experts, mxfp4, train_with, weight

import qfuse

pytest.importorskip("torch.distributed.fsdp")
if not torch.distributed.is_gloo_available():
    pytest.skip("this torch has no gloo", allow_module_level=True)
pytest.importorskip("safetensors")

from safetensors.torch import save_file
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.tensor import Replicate, Shard

import qfuse.distributed as qd
from qfuse.distributed.checkpoints import _in_files
from qfuse.distributed.reading import reading
from qfuse.layers.inspection import is_hooked
from qfuse.nn import Linear4bit
from qfuse.weight import Weight4bitTensor, to_state_dict

CASES = Path(__file__).with_name("distributed_cases.py")
MOST_RANKS = 4 if DEVICE == "cpu" else torch.cuda.device_count()
MODULES = [CASES.with_name(f"distributed_{name}.py") for name in ("fsdp", "reading", "parallel", "checkpoints")]
NAMES = [
    node.name for module in MODULES for node in ast.parse(module.read_text()).body if isinstance(node, ast.FunctionDef)
]


def _run(folder: Path, numbers: list[int]) -> dict[str, tuple[str, str]]:
    """Runs the cases on each number of ranks. Returns each case's state over all ranks and the reason for a skip."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    if DEVICE == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""  # else a mesh uses a GPU by default
    command = [sys.executable, "-W", "ignore", str(CASES), str(folder), ",".join(map(str, numbers))]
    subprocess.run(command, env=environment, check=True)
    found: dict[str, tuple[str, str]] = {}
    for file in (folder / f"{ranks}.{rank}.txt" for ranks in numbers for rank in range(ranks)):
        lines = [line.split(" ", 2) for line in file.read_text().splitlines()]
        cases = (line for line in lines if line[0].startswith("case_"))
        own = {name: (state, "".join(why)) for name, state, *why in cases}
        for name, each in own.items():
            found[name] = max(each, found.get(name, each), key=lambda each: _STATES.index(each[0]))
    return found


_STATES = ("passed", "skipped", "began", "failed")  # of a case on a rank; over all ranks, the last of these counts


class Runs:
    """Runs the cases once for all tests of this file: on two ranks, then on four, which restore what the two saved."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._found = _run(folder, [ranks for ranks in (2, 4) if ranks <= MOST_RANKS])

    def check(self, case: str) -> None:
        ranks = case.split("_")[1]
        if int(ranks) > MOST_RANKS:
            pytest.skip("there are not so many devices")
        state, why = self._found.get(case, ("never began", ""))
        if state == "skipped":
            pytest.skip(why)
        logs = "".join(path.read_text() for path in sorted(self.folder.glob(f"{ranks}.*.txt")))
        assert state == "passed", logs[-6000:]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("ranks"))


@pytest.mark.parametrize("case", [name for name in NAMES if name.startswith("case_")])
def test_on_ranks(runs: Runs, case: str) -> None:
    runs.check(case)


def test_one_process_restores_what_two_have_saved(runs: Runs) -> None:
    model = Model()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    assert qd.restore(model, runs.folder / "step2", optimizer=optimizer) == {"step": 2}
    assert train_with(model, optimizer, batch(), 2) == torch.load(runs.folder / "next.pt")


def test_a_save_that_ends_between_two_names_is_restored(tmp_path: Path) -> None:
    model = Model()
    qd.save(model, tmp_path / "saved", extra={"step": 1})
    (tmp_path / "saved").rename(tmp_path / "saved.old")
    assert qd.restore(model, tmp_path / "saved") == {"step": 1}
    qd.save(model, tmp_path / "saved", extra={"step": 2})
    assert qd.restore(model, tmp_path / "saved") == {"step": 2} and not (tmp_path / "saved.old").exists()


@pytest.mark.parametrize("saved", ["step2", "cut"])
def test_files_of_what_was_saved(runs: Runs, saved: str, tmp_path: Path) -> None:
    """Files of FSDP's row shards and tensor-parallel column shards have the weights' bits under bitsandbytes' names."""
    files = qd.consolidate(runs.folder / saved, tmp_path / "out")
    assert {"adapter_model.safetensors", "model.safetensors.index.json"} <= set(files)
    written = tmp_path / "out" / "model-00001-of-00001.safetensors"
    found = qfuse.load_checkpoint(written)
    tensors = {name: each.detach() for name, each in Model().named_parameters() if "norm" in name}
    for name, module in Model().named_modules():
        if hasattr(module, "base"):
            stored: Any = found[f"{name}.weight"]
            assert stored.packed.shape == (stored.packed.numel(), 1)
            for own, tensor in zip(stored.tensors, module.base.tensors, strict=True):
                assert torch.equal(own.view(-1), tensor.cpu().view(-1)), name
            tensors |= to_state_dict(module.base, f"{name}.weight")
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, tmp_path / "as_it_was.safetensors")
    compared = qfuse.checkpoint.compare(tmp_path / "as_it_was.safetensors", written)
    assert compared.equal and len(compared.tensors) == 6


def test_a_rank_that_is_killed_leaves_no_checkpoint(tmp_path: Path) -> None:
    """The second rank is killed during a save, so the first rank's save fails."""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", str(Path(__file__).with_name("distributed_killed.py")), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    assert (tmp_path / "saved.partial").is_dir() and not (tmp_path / "saved").exists()
    with pytest.raises(FileNotFoundError, match="no complete checkpoint"):
        qd.restore(Model(), tmp_path / "saved.partial")
    model = Model()
    qd.save(model, tmp_path / "saved")
    assert qd.restore(model, tmp_path / "saved") == {} and not (tmp_path / "saved.partial").exists()


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    stored = to_state_dict(weight(128, 256, 0), "w")

    def read(change: Any) -> None:
        save_file(stored, path)
        with reading(path) as reader:
            reader.read("w", [(Shard(0), 0, 2)])
            change()
            reader.read("w", [(Shard(0), 1, 2)])

    read(lambda: None)
    with pytest.raises(ValueError, match=r"model\.safetensors: was replaced while it was being loaded"):
        read(lambda: save_file(stored, tmp_path / "other") or (tmp_path / "other").rename(path))
    with pytest.raises(ValueError, match="'w': the file ends before its last tensor does"):
        read(lambda: os.truncate(path, 4096))


def test_a_mesh_and_a_plan_go_together(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="mesh and plan go together"):
        qfuse.load_checkpoint(tmp_path, plan={"*": Shard(0)})


def test_a_plan_of_transformers() -> None:
    class Net(nn.Module):
        tp_plan: ClassVar = {"layers.*.up": "colwise", "layers.*.down": "rowwise", "head": "colwise_gather_output"}

        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList([checkpoint_wrapper(Plain()), Plain()])
            self.head = nn.Linear(8, 8)

    found = {name: type(style) for name, style in qd.tensor_parallel_plan(Net()).items()}
    first = "layers.0._checkpoint_wrapped_module"
    names = {f"{layer}.{name}" for layer in (first, "layers.1") for name in ("up", "down")}
    assert found.keys() == names and found[f"{first}.down"] is qd.RowwiseLinear4bit
    net = Net()
    net.layers = nn.ModuleList()
    with pytest.raises(ValueError, match="Net has no 4-bit layer that its tp_plan names"):
        qd.tensor_parallel_plan(net)
    with pytest.raises(ValueError, match="Linear has no tp_plan"):
        qd.tensor_parallel_plan(net.head)


def test_a_block_of_columns_is_all_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dense = torch.arange(64 * 96, dtype=torch.int32).view(4, 16, 96)
    save_file({"w": dense}, tmp_path / "dense.safetensors")
    counts: list[int] = []
    preadv = os.preadv
    monkeypatch.setattr(os, "preadv", lambda *args: counts.append(preadv(*args)) or counts[-1])
    with reading(tmp_path / "dense.safetensors") as reader:
        found = reader.read("w", [(Shard(2), 1, 3)])
        assert torch.equal(found, dense.chunk(3, 2)[1]) and sum(counts) == dense.nbytes // 3
        found = reader.read("w", [(Shard(1), 1, 2), (Shard(2), 2, 5), (Shard(0), 3, 4)])
        assert torch.equal(found, dense.chunk(2, 1)[1].chunk(5, 2)[2][3:4])
        assert reader.read("w", [(Shard(0), 4, 5)]).shape == (0, 16, 96)


SHAPES = [(64, 512), (96, 1024), (6, 4096), (10, 64), (4, 16, 256)]


@pytest.mark.parametrize("blocksize", [32, 64, 128, 256, 512, 1024, 2048, 4096])
@pytest.mark.parametrize("nested", [False, True])
def test_shards_decode_to_the_bits_of_the_whole(blocksize: int, nested: bool) -> None:
    for shape in SHAPES:
        n, k = torch.Size(shape[:-1]).numel(), shape[-1]
        one = weight(n, k, n, nested, blocksize)._replace(shape=shape)
        decoded = one.dequantize()
        for dim in range(len(shape)):
            for ranks in (1, 2, 3, 4):
                for rank in range(ranks):
                    _check_shard(one, decoded, dim, rank, ranks)
        assert torch.equal(qd.shard(one, Replicate(), 0, 3).dequantize(), decoded)


def test_shards_of_mxfp4_decode_to_the_bits_of_the_whole() -> None:
    for shape in SHAPES:
        one = mxfp4(0, *shape)
        decoded = one.dequantize()
        for dim, ranks in itertools.product(range(len(shape)), (1, 2, 3, 4)):
            for rank in range(ranks):
                _check_shard(one, decoded, dim, rank, ranks)


def _fits(one: Any, dim: int, ranks: int) -> bool:
    """Whether all shard boundaries are block boundaries."""
    outer, size, inner = one.shape[:dim], one.shape[dim], torch.Size(one.shape[dim + 1 :]).numel()
    if ranks == 1 or (torch.Size(outer).numel() > 1 and size * inner % one.blocksize != 0):
        return ranks == 1
    chunk = -(-size // ranks)
    return all(min(rank * chunk, size) * inner % one.blocksize == 0 for rank in range(1, ranks) if rank * chunk < size)


def _check_shard(one: Any, decoded: torch.Tensor, dim: int, rank: int, ranks: int) -> None:
    if not _fits(one, dim, ranks):
        with pytest.raises(ValueError, match=f"block.* of {one.blocksize}"):
            qd.shard(one, Shard(dim), rank, ranks)
        return
    part = qd.shard(one, Shard(dim), rank, ranks)
    pieces = decoded.chunk(ranks, dim)
    own = pieces[rank] if rank < len(pieces) else decoded.narrow(dim, 0, 0)
    assert tuple(part.shape) == tuple(own.shape)
    assert torch.equal(part.dequantize(), own)


def test_a_shard_of_a_70b_model_costs_4_13_bits_a_weight() -> None:
    for shape, dim in (((28672, 8192), 0), ((8192, 28672), 1), ((8192, 8192), 0), ((8192, 8192), 1)):
        for ranks in (2, 4, 8):
            plan = qd.shard_plan(shape, 64, True, Shard(dim), ranks - 1, ranks)
            packed, absmax = plan.packed(), plan.absmax()
            held = packed.size * packed.count + absmax.size * absmax.count + 4 * plan.nested_blocks
            bits = 8 * held / (shape[0] * shape[1] / ranks)
            assert bits < (4.13 if dim == 0 else 4.20)


def test_a_shard_of_a_mapped_weight_is_its_own_memory() -> None:
    one = weight(64, 256, 0)
    part = qd.shard(one, Shard(0), 1, 2)
    one.packed.zero_()
    assert part.packed.any() and part.packed.untyped_storage().nbytes() == 64 * 256 // 4


def test_a_stack_that_cannot_be_cut_stays_as_it_is() -> None:
    model = experts()
    stack = model.gate_up_proj
    held = stack.base._replace(tensors=(*stack.base.tensors[:4], stack.base.tensors[4].repeat(4)))
    stack.base = held
    report = qd.shardable(model)
    assert list(report.left) == ["gate_up_proj"] and report.layers == ["down_proj"] and stack.base is held


def test_shardable_leaves_nothing_of_a_layer_that_it_replaces() -> None:
    """A replaced layer and its weight refer to each other. FSDP frees other ranks' parts only if both are gone."""
    bnb: Any = pytest.importorskip("bitsandbytes")
    model = nn.Sequential(bnb.nn.Linear4bit(128, 64, bias=False)).to(DEVICE)
    old = weakref.ref(model[0].weight)
    collects = gc.isenabled()
    gc.disable()
    try:
        assert qd.shardable(model) and old() is None
    finally:
        if collects:
            gc.enable()


def test_shardable_of_bitsandbytes() -> None:
    """One layer has two names, one has a hook, which a copy would lose, and one is of a subclass."""
    bitsandbytes: Any = pytest.importorskip("bitsandbytes")

    class Other(bitsandbytes.nn.Linear4bit):  # type: ignore[misc]
        pass

    def layer(kind: Any) -> Any:
        made = kind(64, 64, bias=False, compute_dtype=torch.float32)
        made.weight = weight(64, 64, 0).params4bit(made)
        return made

    plain, hooked, other = layer(bitsandbytes.nn.Linear4bit), layer(bitsandbytes.nn.Linear4bit), layer(Other)
    hooked.register_forward_hook(lambda module, args, y: y)
    model = nn.ModuleDict({"a": plain, "b": plain, "hooked": hooked, "other": other})
    report = qd.shardable(model)
    assert type(model["a"]) is Linear4bit and model["a"] is model["b"]
    assert list(report.left) == ["hooked", "other"] and model["hooked"] is hooked
    assert not is_hooked(model["a"])  # otherwise qfuse would not replace peft's layer over it


def test_a_4bit_parameter_is_set_copied_and_loaded(tmp_path: Path) -> None:
    one, other = (Weight4bitTensor.of(weight(64, 64, seed)) for seed in (0, 1))
    plain = Weight4bitTensor.of(weight(64, 64, 2, nested=False))
    before = plain.dequantize()
    with pytest.raises(TypeError, match="its bytes mean something else"):
        plain.copy_(one)
    assert torch.equal(plain.dequantize(), before)
    one.data = other.data.to(torch.float16)
    assert one.dtype is torch.float16 and torch.equal(one.packed, other.packed)
    assert torch.equal(one.dequantize(), other.to(torch.float16).dequantize())
    torch.save(one, tmp_path / "one.pt")
    assert torch.equal(torch.load(tmp_path / "one.pt").dequantize(), one.dequantize())


def test_names_in_files() -> None:
    """Names are those of peft's get_peft_model_state_dict. A parameter trained beside an adapter is in both files."""
    saved = [
        "base_model.model.q.lora_A.default.weight",
        "base_model.model.q.lora_B.second.weight",
        "base_model.model.q.lora_B.default.bias",
        "base_model.model.q.lora_magnitude_vector.default.weight",
        "base_model.model.e.lora_embedding_A.default",
        "base_model.model.e.token_adapter.trainable_tokens_delta.default",
        "base_model.model.head.modules_to_save.default.weight",
        "base_model.model.q.base_layer.bias",
        "q.weight",
    ]
    adapters, base = _in_files(saved)
    assert list(adapters["second"]) == ["base_model.model.q.lora_B.weight"]
    assert {name.removeprefix("base_model.model.") for name in adapters["default"]} == {
        "q.lora_A.weight",
        "q.lora_B.bias",
        "q.lora_magnitude_vector",
        "e.lora_embedding_A",
        "e.token_adapter.trainable_tokens_delta",
        "head.weight",
        "q.base_layer.bias",
    }
    assert base == {"q.weight": "q.weight", "q.bias": "base_model.model.q.base_layer.bias"}
    adapters, base = _in_files(["layers.0.lora_A.weight"])
    assert adapters == {"default": {"base_model.model.layers.0.lora_A.weight": "layers.0.lora_A.weight"}} and not base
