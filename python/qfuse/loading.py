"""Checkpoints of bitsandbytes as tensors that lie in their mapped files."""

import mmap
import os
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor

from .weight.checkpoint_files import encoded, identity, inspect_files, raw_form, weight_form
from .weight.form import QUANT_TYPES
from .weight.weight_4bit import Weight4bit

_MAP_NORESERVE = 0x4000  # Linux's; Python names it from 3.13 on


def load_checkpoint(
    path: str | os.PathLike[str],
    device: torch.device | str | int = "cpu",
    *,
    mesh: Any = None,
    plan: Mapping[str, Any] | None = None,
) -> dict[str, Tensor | Weight4bit]:
    """The tensors of a .safetensors file or a model directory, by name; its 4-bit weights as Weight4bit.

    path: on this machine; of a model on the Hub, huggingface_hub.snapshot_download(id) gives one. Nothing is fetched.

    A Weight4bit is what dequantize_4bit and matmul_4bit take. What is not quantized to 4 bits is a tensor as it is
    stored, LLM.int8's weight, SCB and weight_format among them. Quantized is what the names in the files say is, not
    config.json. Shards and their index are checked against each other, and a weight's parts may lie in different ones.

    On the CPU nothing is read until it is used, and nothing is copied: every tensor is a view of its file, which is
    mapped once, privately, so that a write to a tensor never gets to the file. Only an array that is not aligned to its
    elements is copied. Elsewhere, arrays go from the mapping to `device`, and the files are closed.

    mesh, plan: each rank of a torch.distributed DeviceMesh reads its part of every tensor and no more, straight from
    the files. plan: placements by pattern, as {"*.q_proj.weight": Shard(0), "*.o_proj.weight": Shard(1)}, of which the
    first that fits a name counts; of a mesh of several dimensions, a placement for each. What fits none is whole on
    each rank. A part is cut as DTensor cuts, and a 4-bit weight between blocks: see qfuse.distributed.shard_plan.

    Who truncates a file while it is mapped kills the process (SIGBUS), as with safetensors' own loader; who writes to
    it may change the tensors. To replace a checkpoint, write a new file and rename it, or a directory. Where that
    happens while it is being loaded, ValueError says so.

    Raises ValueError for files that are not as they must be, hold a dtype that torch lacks or are pickles, for a plan
    that names no tensor or cuts through a block, OSError for those that cannot be read; the message names file, tensor
    and values.
    """
    if (mesh is None) != (plan is None):
        raise TypeError("mesh and plan go together: a plan says how the mesh shares tensors out")
    if mesh is not None and plan is not None:
        from .distributed.reading import load_shards  # torch.distributed takes a while to import

        return load_shards(path, device, mesh, plan)
    inventory = inspect_files(path)
    files = _Files(torch.device(device), sorted({array["path"] for tensor in inventory for array in tensor["arrays"]}))
    # The reader has opened the files for itself, and they may be others by now. It says the same again of those that
    # are mapped if their paths lead to them before and after; an inode that is mapped cannot become another file's.
    if inspect_files(path) != inventory or not files.are_in_place():
        raise ValueError(f"{os.fsdecode(path)}: was replaced while it was being loaded; load it again")
    loaded: dict[str, Tensor | Weight4bit] = {}
    for tensor in inventory:
        if tensor["format"] in QUANT_TYPES:
            loaded[tensor["name"]] = weight_form(tensor, files.tensor)
        else:
            loaded.update((array["name"], files.tensor(array)) for array in tensor["arrays"])
    return loaded


class _Files:
    """The files of a checkpoint, each mapped once, and for as long as a tensor lies in it."""

    def __init__(self, device: torch.device, paths: Iterable[str]) -> None:
        self.device = device
        self._mapped: dict[str, mmap.mmap] = {}
        self._identities: dict[str, tuple[int, ...]] = {}
        for path in paths:
            # Writable, since torch knows no read-only tensors, but with no memory set aside for writes that hardly ever
            # come: a file may be larger than memory.
            with open(encoded(path), "rb") as file:
                self._identities[path] = identity(os.fstat(file.fileno()))
                self._mapped[path] = mmap.mmap(
                    file.fileno(), 0, mmap.MAP_PRIVATE | _MAP_NORESERVE, mmap.PROT_READ | mmap.PROT_WRITE
                )

    def are_in_place(self) -> bool:
        """Whether each path still leads to the file that is mapped, with the size and time it had."""
        return all(identity(os.stat(encoded(path))) == was for path, was in self._identities.items())

    def tensor(self, array: Any) -> Tensor:
        """One array of the inventory, with a storage of its own: saving one tensor does not save the whole file."""
        (dtype, shape), size = raw_form(array), array["bytes"]
        if size == 0:
            return torch.empty(shape, dtype=dtype, device=self.device)
        raw = torch.frombuffer(self._mapped[array["path"]], dtype=torch.uint8, count=size, offset=array["offset"])
        raw = raw.to(self.device)
        if raw.data_ptr() % dtype.itemsize != 0:
            raw = raw.clone()
        return raw.view(dtype).view(shape)
