"""Loads quantized checkpoints as tensors in memory-mapped files."""

import mmap
import os
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor

from .weight.checkpoint_files import encoded, identity, inspect_files, raw_form, scaled_form, weight_form
from .weight.form import QUANT_TYPES
from .weight.weight_4bit import Weight4bit

_MAP_NORESERVE = 0x4000  # Linux's value; Python has the name since 3.13


def load_checkpoint(
    path: str | os.PathLike[str],
    device: torch.device | str | int = "cpu",
    *,
    mesh: Any = None,
    plan: Mapping[str, Any] | None = None,
) -> dict[str, Tensor | Weight4bit]:
    """Loads the tensors of a .safetensors file or a model directory, by name; 4-bit weights become Weight4bit.

    path: a local path; for a model on the Hub, huggingface_hub.snapshot_download(id) returns it. Nothing is fetched.

    dequantize_4bit and matmul_4bit take a Weight4bit. Weights in MXFP4, NVFP4 and INT4 become one, too, under the name
    that they have when decoded, if a product takes them: without zero points, and in groups of a power of two. gpt-oss'
    stacks then have the shape [experts, outputs, inputs]. Everything else is returned as stored, including LLM.int8's
    weight, SCB and weight_format. Names and shapes in the files decide what is in bitsandbytes' formats, not
    config.json. Shards are checked against their index, and the arrays of a weight may be in different shards.

    On the CPU nothing is read before it is used, and nothing is copied: every tensor is a view of its file, which is
    mapped once, privately, so that writes to a tensor never reach the file. Only an array that is not aligned to its
    element size is copied. For another device, arrays are copied from the mapping to it, and the files are closed.

    mesh, plan: each rank of a torch.distributed DeviceMesh reads only its part of every tensor, and maps no file.
    plan maps patterns of names to placements, such as {"*.q_proj.weight": Shard(0), "*.o_proj.weight": Shard(1)}, one
    per mesh dimension; the first match applies. A tensor without a match is whole on each rank. Tensors are cut like
    DTensor cuts them, 4-bit weights only between blocks: see qfuse.distributed.shard_plan. Weights that are not
    bitsandbytes' are then read as stored.

    Truncating a file while it is mapped kills the process (SIGBUS), as with safetensors' own loader; writing to it may
    change the tensors. To replace a checkpoint, write a new file or directory and rename it. If that happens during the
    load, ValueError says so.

    Raises ValueError for files that are invalid, have a dtype that torch lacks or are pickles, and for a plan that
    names no tensor or cuts through a block; OSError for files that cannot be read. The message names file, tensor and
    values.
    """
    if (mesh is None) != (plan is None):
        raise TypeError("mesh and plan go together: a plan says how the mesh shares tensors out")
    if mesh is not None and plan is not None:
        from .distributed.reading import load_shards  # torch.distributed takes a while to import

        return load_shards(path, device, mesh, plan)
    inventory = inspect_files(path)
    files = _Files(torch.device(device), sorted({array["path"] for tensor in inventory for array in tensor["arrays"]}))
    # inspect_files opened the files itself, and they may have been replaced before they were mapped. They were not if a
    # second inspection is equal and each path still leads to the mapped inode, which no other file can reuse.
    if inspect_files(path) != inventory or not files.are_in_place():
        raise ValueError(f"{os.fsdecode(path)}: was replaced while it was being loaded; load it again")
    loaded: dict[str, Tensor | Weight4bit] = {}
    for tensor in inventory:
        if tensor["format"] in QUANT_TYPES:
            loaded[tensor["name"]] = weight_form(tensor, files.tensor)
        elif (weight := scaled_form(tensor, files.tensor)) is not None:
            loaded[tensor["name"]] = weight
        else:
            loaded.update((array["name"], files.tensor(array)) for array in tensor["arrays"])
    return loaded


class _Files:
    """The files of a checkpoint, each mapped once, for as long as a tensor uses it."""

    def __init__(self, device: torch.device, paths: Iterable[str]) -> None:
        self.device = device
        self._mapped: dict[str, mmap.mmap] = {}
        self._identities: dict[str, tuple[int, ...]] = {}
        for path in paths:
            # Writable, because torch has no read-only tensors, but without reserving memory for writes, because a file
            # may be larger than memory.
            with open(encoded(path), "rb") as file:
                self._identities[path] = identity(os.fstat(file.fileno()))
                self._mapped[path] = mmap.mmap(
                    file.fileno(), 0, mmap.MAP_PRIVATE | _MAP_NORESERVE, mmap.PROT_READ | mmap.PROT_WRITE
                )

    def are_in_place(self) -> bool:
        """Whether each path still leads to the mapped file, with unchanged size and time."""
        return all(identity(os.stat(encoded(path))) == was for path, was in self._identities.items())

    def tensor(self, array: Any) -> Tensor:
        """Returns one array of the inventory with its own storage, so that saving it does not save the whole file."""
        (dtype, shape), size = raw_form(array), array["bytes"]
        if size == 0:
            return torch.empty(shape, dtype=dtype, device=self.device)
        raw = torch.frombuffer(self._mapped[array["path"]], dtype=torch.uint8, count=size, offset=array["offset"])
        raw = raw.to(self.device)
        if raw.data_ptr() % dtype.itemsize != 0:
            raw = raw.clone()
        return raw.view(dtype).view(shape)
