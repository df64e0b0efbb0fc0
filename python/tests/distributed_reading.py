"""What each rank reads from files: see distributed_cases.py."""

import os
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from distributed_models import DEVICE, INNER, WIDTH, Model, batch, train, weight, whole
from distributed_support import FOLDER, mesh, refused, shared_out, tensor_parallel
from safetensors.torch import save_file
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard

import qfuse
import qfuse.distributed as qd
from qfuse.weight import to_state_dict


def _write(path: Path, model: Any) -> dict[str, torch.Tensor]:
    """Returns a model's weights, after the first rank has written them to a file."""
    tensors: dict[str, torch.Tensor] = {}
    for name, module in model.named_modules():
        if hasattr(module, "base"):
            tensors |= to_state_dict(module.base, f"{name}.weight")
    tensors |= {name: p.detach() for name, p in model.named_parameters() if "norm" in name}
    if dist.get_rank() == 0:
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, path)
    dist.barrier()
    return tensors


class _Meter:
    """Counts the bytes that os.preadv reads."""

    def __init__(self) -> None:
        self.bytes, self._preadv = 0, os.preadv

    def __enter__(self) -> "_Meter":
        os.preadv = self._count
        return self

    def __exit__(self, *_: Any) -> None:
        os.preadv = self._preadv

    def _count(self, *args: Any) -> int:
        count = self._preadv(*args)
        self.bytes += count
        return count


def _on_meta(model: Any) -> Any:
    model = model.to("meta")
    for module in model.modules():
        if hasattr(module, "base"):
            module.base = module.base.to("meta")
    return model


def case_2_load_reads_a_part() -> None:
    path, model = FOLDER / "model.safetensors", Model(depth=4)
    tensors = _write(path, model)
    expected = train(Model(depth=4), batch())
    model = shared_out(_on_meta(Model(depth=4)), mesh(2))
    torch.manual_seed(dist.get_rank())  # rank 0's seed initializes adapters on all ranks
    with _Meter() as meter:
        made = qd.load(model, path, DEVICE)
    alone = _on_meta(Model(depth=4))
    qd.load(alone, path, DEVICE)
    for name, parameter in alone.named_parameters():
        if "lora" in name:
            assert torch.equal(whole(dict(model.named_parameters())[name].detach()), parameter.detach()), name
    assert len(made) == 16 and all("lora" in name for name in made)
    read = sum(tensor.nbytes for name, tensor in tensors.items() if name.count(".") < 5)
    # Every rank reads the nested arrays whole, and so slightly more than half of the file.
    assert meter.bytes < 0.55 * read, (meter.bytes, read)
    for name, factor in Model(depth=4).named_parameters():
        if "lora" in name:
            parameter = dict(model.named_parameters())[name]
            parameter.data._local_tensor.copy_(factor.detach().chunk(2)[dist.get_rank()])
    assert train(model, batch()) == expected


def case_2_as_stored() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(WIDTH, INNER, bias=False), nn.Linear(INNER, WIDTH)

        def forward(self, x: Any) -> Any:
            return self.b(self.a(x))

    path = FOLDER / "net.safetensors"
    stored = weight(INNER, WIDTH, 5), weight(WIDTH, INNER, 6, nested=False), torch.arange(WIDTH).bfloat16().to(DEVICE)
    if dist.get_rank() == 0:
        save_file(
            to_state_dict(stored[0], "a.weight") | to_state_dict(stored[1], "b.weight") | {"b.bias": stored[2]}, path
        )
    dist.barrier()
    with torch.device("meta"):
        net = Net().bfloat16()
    assert qd.as_stored(net, path).layers == ["a", "b"]
    fully_shard(net, mesh=mesh(2))
    assert qd.load(net, path, DEVICE) == []
    hidden = qfuse.matmul_4bit(batch(), stored[0])
    assert torch.equal(net(batch()), qfuse.matmul_4bit(hidden, stored[1], bias=stored[2]))
    with torch.device("meta"):
        other = nn.Sequential(nn.Linear(8, 8))
    refused(lambda: qd.as_stored(other, path), "no 4-bit weight", "prefix")


def case_2_load_checkpoint_of_a_mesh() -> None:
    path, rank = FOLDER / "plan.safetensors", dist.get_rank()
    stored = {name: weight(128, 512, i, nested=i % 2 == 0) for i, name in enumerate(("a", "b", "c"))}
    dense = torch.arange(64 * 6, dtype=torch.int32).view(64, 6)
    if rank == 0:
        tensors: dict[str, torch.Tensor] = {"norm": dense}
        for name, each in stored.items():
            tensors |= to_state_dict(each, name)
        save_file(tensors, path)
    dist.barrier()
    plan = {"a": Shard(0), "b": Shard(1), "norm": Shard(1)}
    found = qfuse.load_checkpoint(path, DEVICE, mesh=mesh(2), plan=plan)
    decoded = {name: each.dequantize() for name, each in stored.items()}
    assert torch.equal(found["a"].dequantize(), decoded["a"].chunk(2, 0)[rank])
    assert torch.equal(found["b"].dequantize(), decoded["b"].chunk(2, 1)[rank])
    assert torch.equal(found["c"].dequantize(), decoded["c"])
    assert torch.equal(found["norm"].cpu(), dense.chunk(2, 1)[rank])
    refused(lambda: qfuse.load_checkpoint(path, mesh=mesh(2), plan={"*.q_proj": Shard(0)}), "*.q_proj", "no tensor")
    refused(lambda: qfuse.load_checkpoint(path, mesh=mesh(2), plan={"a": [Shard(0), Shard(1)]}), "2 placements")
    only_first = DeviceMesh(DEVICE, [0], mesh_dim_names=("dp",))
    if rank == 1:
        refused(lambda: qfuse.load_checkpoint(path, mesh=only_first, plan={"a": Shard(0)}), "rank 1 is not in")
    over_two = mesh(1, 2)
    found = qfuse.load_checkpoint(path, DEVICE, mesh=over_two, plan={"a": [Replicate(), Shard(1)]})
    assert torch.equal(found["a"].dequantize(), decoded["a"].chunk(2, 1)[rank])


def case_2_load_takes_no_bytes_for_values() -> None:
    path, layer = FOLDER / "bytes.safetensors", nn.Linear(8, 8, bias=False, device="meta")
    if dist.get_rank() == 0:
        save_file({"weight": torch.ones(8, 8, dtype=torch.int8)}, path)
    dist.barrier()
    refused(lambda: qd.load(layer, path, DEVICE), "weight is torch.int8 in the files")
    fully_shard(layer, mesh=mesh(2))
    refused(lambda: qd.load(layer, path, DEVICE), "weight is torch.int8 in the files")


def case_4_load_over_two_dimensions() -> None:
    over, path = mesh(2, 2), FOLDER / "two.safetensors"
    _write(path, Model())
    model = Model()
    for module in model.modules():
        if hasattr(module, "base"):
            module.base = module.base.to("meta")
    qd.shardable(model)
    tensor_parallel(model, over["tp"])
    shared_out(model, over["dp"])
    qd.load(model, path, DEVICE)
    expected = Model()
    qd.shardable(expected)
    tensor_parallel(expected, over["tp"])
    shared_out(expected, over["dp"])
    for (name, one), (_, other) in zip(model.named_parameters(), expected.named_parameters(), strict=True):
        if name.endswith("base"):
            for a, b in zip(one._local_tensor.inner, other._local_tensor.inner, strict=True):
                assert torch.equal(a, b), name
    assert train(model, batch()) == train(expected, batch())
