"""Reads parts of a checkpoint's tensors: each rank reads only its own bytes, and maps no file."""

import ctypes
import fnmatch
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Placement

from ..weight.checkpoint_files import encoded, identity, inspect_files, raw_form, weight_form
from ..weight.form import NESTED_BLOCKSIZE, QUANT_TYPES
from ..weight.tensor import Weight4bitTensor
from ..weight.weight_4bit import Weight4bit
from .shards import Runs, ShardPlan, assembled, cut_of, shard, shard_plan

# On a cold cache, several concurrent reads are faster than one after another, because the disk is never idle between.
_THREADS, _PIECE = 4, 8 << 20
Part = tuple[Placement, int, int]  # placement over one mesh dimension, this rank in it, and its number of ranks
Plan = Mapping[str, Placement | Sequence[Placement]]


class Reader:
    """Reads a checkpoint's tensors by name."""

    def __init__(self, path: Any, files: ExitStack) -> None:
        self._path, self._files = path, files
        self._inventory = inspect_files(path)
        self.tensors = {tensor["name"]: tensor for tensor in self._named()}
        self._open: dict[tuple[str, bool], tuple[int, tuple[int, ...]]] = {}
        self._threads = files.enter_context(ThreadPoolExecutor(_THREADS))

    def _named(self) -> Iterator[Any]:
        """The 4-bit tensors, and each array of other tensors, such as LLM.int8's, by itself."""
        for tensor in self._inventory:
            if tensor["format"] in QUANT_TYPES:
                yield tensor
            else:
                yield from (tensor | {"name": each["name"], "arrays": [each]} for each in tensor["arrays"])

    def is_4bit(self, name: str) -> bool:
        return self.tensors[name]["format"] in QUANT_TYPES

    def form(self, name: str) -> Weight4bit:
        """A 4-bit weight with its tensors on the meta device."""
        return weight_form(self.tensors[name], self._empty)

    def nested_form(self, name: str, device: Any) -> Weight4bit:
        """A 4-bit weight with its nested arrays, but with empty codes and absmax."""
        tensor = self.tensors[name]
        parts = (name, f"{name}.absmax")
        form = weight_form(tensor, lambda each: torch.empty(0) if each["name"] in parts else self._whole(each))
        return form.to(device)

    def shape(self, name: str) -> tuple[int, ...]:
        tensor = self.tensors[name]
        return tuple(tensor["shape"] if tensor["format"] in QUANT_TYPES else raw_form(tensor["arrays"][0])[1])

    def read(self, name: str, parts: Sequence[Part] = (), device: Any = "cpu") -> Tensor | Weight4bit:
        """Reads a tensor, or what `parts`, one after another, leave of it. Only the first cut limits the bytes read."""
        parts = [part for part in parts if cut_of(part[0]) is not None and part[2] > 1]
        tensor = self.tensors[name]
        with self._telling(name):
            is_4bit = tensor["format"] in QUANT_TYPES
            return self._read_weight(tensor, parts, device) if is_4bit else self._read_dense(name, parts, device)

    def read_rows(self, name: str, part: Part, rank: int, ranks: int, device: Any) -> Weight4bitTensor:
        """Reads the rows that FSDP gives this rank of a 4-bit weight's part, with the nested arrays of all its rows."""
        tensor = self.tensors[name]
        with self._telling(name):
            plan = self._plan(tensor, part)
            if plan.shape[0] % ranks != 0:
                raise ValueError(f"{plan.shape[0]} rows cannot be shared out to {ranks} ranks alike")
            pieces = {"": plan.packed().part(rank, ranks), ".absmax": plan.absmax().part(rank, ranks)}
            packed, absmax, *nested = self._assembled(tensor, plan, pieces, device).tensors
        *rows, cols = plan.shape[0] // ranks, *plan.shape[1:]
        packed, absmax = packed.view(torch.uint8).view(*rows, cols // 2), absmax.view(*rows, cols // plan.blocksize)
        nested_blocksize = plan.nested_blocksize or plan.whole_nested_blocksize
        form = self.form(name).form._replace(nested_blocksize=nested_blocksize)
        return Weight4bitTensor((packed, absmax, *nested), form, is_part=ranks > 1)

    def read_block(self, name: str, shape: Sequence[int], offset: Sequence[int], device: Any) -> Tensor:
        """Reads a block of a tensor that is not 4-bit. If several dimensions are cut, only the first cut limits the
        bytes read."""
        array = self.tensors[name]["arrays"][0]
        dtype, whole = raw_form(array)
        if 0 in shape:
            return torch.empty(tuple(shape), dtype=dtype, device=device)
        cut = [dim for dim, size in enumerate(whole) if shape[dim] != size]
        if not cut:
            return self._whole(array).to(device)
        first = cut[0]
        inner = math.prod(whole[first + 1 :]) * dtype.itemsize
        runs = Runs(offset[first] * inner, shape[first] * inner, whole[first] * inner, math.prod(whole[:first]))
        found = self._flat(array, runs).view(*whole[:first], shape[first], *whole[first + 1 :])
        for dim in cut[1:]:
            found = found.narrow(dim, offset[dim], shape[dim])
        return found.contiguous().to(device)

    @contextmanager
    def _telling(self, name: str) -> Iterator[None]:
        """Adds the checkpoint's path and the tensor's name to a ValueError."""
        try:
            yield
        except ValueError as error:
            raise ValueError(f"{os.fsdecode(self._path)}: tensor '{name}': {error}") from error

    def check(self) -> None:
        """Raises ValueError if a file was replaced or written to while it was read."""
        in_place = all(
            identity(os.stat(encoded(path))) == identity(os.fstat(file)) == was
            for (path, _), (file, was) in self._open.items()
        )
        if not in_place or inspect_files(self._path) != self._inventory:
            raise ValueError(f"{os.fsdecode(self._path)}: was replaced while it was being loaded; load it again")

    def _read_weight(self, tensor: Any, parts: Sequence[Part], device: Any) -> Weight4bit:
        if not parts:
            return weight_form(tensor, self._whole).to(device)
        first, *others = parts
        plan = self._plan(tensor, first)
        found = self._assembled(tensor, plan, {"": plan.packed(), ".absmax": plan.absmax()}, device)
        for part in others:
            found = shard(found, *part)
        return found

    def _plan(self, tensor: Any, part: Part) -> ShardPlan:
        nested_blocksize = tensor["nested_blocksize"] or NESTED_BLOCKSIZE
        scalars = tensor["shape"], tensor["blocksize"], tensor["nested"]
        return shard_plan(*scalars, *part, nested_blocksize=nested_blocksize)

    def _assembled(self, tensor: Any, plan: ShardPlan, pieces: dict[str, Runs], device: Any) -> Weight4bit:
        """Makes a shard from the pieces of codes and absmax, which it reads."""
        suffix = len(tensor["name"])
        form = weight_form(tensor, lambda array: self._flat(array, pieces.get(array["name"][suffix:]))).to(device)
        packed, absmax, *nested = form.tensors
        return assembled(form, plan, packed, absmax, nested)

    def _read_dense(self, name: str, parts: Sequence[Part], device: Any) -> Tensor:
        shape = list(self.shape(name))
        offset = [0] * len(shape)
        for placement, rank, ranks in parts:
            dim = cut_of(placement) or 0
            begin = min(rank * -(-shape[dim] // ranks), shape[dim])
            shape[dim] = min(-(-shape[dim] // ranks), shape[dim] - begin)
            offset[dim] += begin
        return self.read_block(name, shape, offset, device)

    def _empty(self, array: Any) -> Tensor:
        dtype, shape = raw_form(array)
        return torch.empty(shape, dtype=dtype, device="meta")

    def _whole(self, array: Any) -> Tensor:
        return self._flat(array, None).view(raw_form(array)[1])

    def _flat(self, array: Any, runs: Runs | None) -> Tensor:
        return self._bytes(array, runs).view(raw_form(array)[0])

    def _bytes(self, array: Any, runs: Runs | None) -> Tensor:
        runs = Runs(0, array["bytes"], array["bytes"], 1) if runs is None else runs
        found = torch.empty(runs.size * runs.count, dtype=torch.uint8)
        if found.numel() == 0:
            return found
        memory = memoryview((ctypes.c_ubyte * found.numel()).from_address(found.data_ptr())).cast("B")
        file = self._file(array["path"], reads_ahead=runs.count > 1 or runs.size == array["bytes"])
        reads = [self._threads.submit(_read_runs, file, *part) for part in _in_pieces(memory, array["offset"], runs)]
        for read in reads:
            read.result()
        return found

    def _file(self, path: str, reads_ahead: bool) -> int:
        """reads_ahead: lets the system read ahead: fast, but wasteful if the bytes that follow are other ranks'."""
        key = path, reads_ahead
        if key not in self._open:
            file = os.open(encoded(path), os.O_RDONLY | os.O_CLOEXEC)
            self._files.callback(os.close, file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_NORMAL if reads_ahead else os.POSIX_FADV_RANDOM)
            self._open[key] = file, identity(os.fstat(file))
        return self._open[key][0]


def _in_pieces(memory: memoryview, offset: int, runs: Runs) -> Iterator[tuple[memoryview, int, Runs]]:
    """Yields what one thread reads at a time: a part of a single run, or several of many runs."""
    if runs.count == 1:
        for begin in range(0, runs.size, _PIECE):
            size = min(_PIECE, runs.size - begin)
            yield memory[begin : begin + size], offset, Runs(runs.begin + begin, size, size, 1)
        return
    count = max(_PIECE // runs.size, 1)
    for first in range(0, runs.count, count):
        some = runs._replace(begin=runs.begin + first * runs.stride, count=min(count, runs.count - first))
        yield memory[first * runs.size : (first + some.count) * runs.size], offset, some


def _read_runs(file: int, memory: memoryview, offset: int, runs: Runs) -> None:
    for i in range(runs.count):
        _read(file, memory[i * runs.size : (i + 1) * runs.size], offset + runs.begin + i * runs.stride)


def _read(file: int, memory: memoryview, offset: int) -> None:
    while len(memory) > 0:
        count = os.preadv(file, [memory], offset)
        if count == 0:
            raise ValueError("the file ends before its last tensor does: it was cut off while it was being loaded")
        memory, offset = memory[count:], offset + count


@contextmanager
def reading(path: Any) -> Iterator[Reader]:
    """A Reader whose files are checked for changes after the last read."""
    with ExitStack() as files:
        reader = Reader(path, files)
        yield reader
        reader.check()


def load_shards(path: Any, device: Any, mesh: DeviceMesh, plan: Plan) -> dict[str, Tensor | Weight4bit]:
    """Implements load_checkpoint with a mesh: reads this rank's part of each tensor."""
    with reading(path) as reader:
        found = {name: _placements(name, plan, mesh) for name in reader.tensors}
        unused = [pattern for pattern in plan if not any(fnmatch.fnmatchcase(name, pattern) for name in found)]
        if unused:
            raise ValueError(
                f"{os.fsdecode(path)}: no tensor is named {', '.join(unused)}, as the plan says; "
                f"there is {next(iter(found), 'none')} and others"
            )
        coordinate = mesh.get_coordinate()
        if coordinate is None:
            raise ValueError(f"rank {torch.distributed.get_rank()} is not in {mesh}, over which tensors are shared out")
        of_mesh = list(zip(coordinate, mesh.shape, strict=True))
        return {
            name: reader.read(name, [(how, *which) for how, which in zip(placements, of_mesh, strict=False)], device)
            for name, placements in found.items()
        }


def _placements(name: str, plan: Plan, mesh: DeviceMesh) -> Sequence[Placement]:
    """Returns the placements of the first pattern that matches, or none."""
    for pattern, placement in plan.items():
        if fnmatch.fnmatchcase(name, pattern):
            placements = [placement] if isinstance(placement, Placement) else list(placement)
            if len(placements) != mesh.ndim:
                raise ValueError(f"{pattern} has {len(placements)} placements, the mesh {mesh.ndim} dimensions")
            return placements
    return []
