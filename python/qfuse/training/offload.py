"""What checkpointed layers keep for the backward pass, in the host's memory until then.

A checkpoint keeps the input of its layer. It is copied to the host while the next layer is computed, and back while the
layer behind it goes through its backward pass, so that a GPU has about two of them at any time.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import finalize

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

Event = Any  # of torch.cuda


class Copies(Protocol):
    """Between a GPU and the host, on a stream of their own."""

    device: torch.device
    is_captured: bool  # now

    def allocate(self, size: int) -> Tensor:
        """Bytes of the host that a GPU reads and writes by itself."""
        ...

    def copy(self, to: Tensor, source: Tensor) -> Event:
        """Begins once what the GPU has been given so far is done."""
        ...

    def wait(self, event: Event) -> None:
        """What the GPU is given from here on begins after that copy."""
        ...


class CudaCopies:
    def __init__(self, device: torch.device) -> None:
        self.device = device
        self._stream = torch.cuda.Stream(device)

    @property
    def is_captured(self) -> bool:
        return torch.cuda.is_current_stream_capturing()

    def allocate(self, size: int) -> Tensor:
        return torch.empty(size, dtype=torch.uint8, pin_memory=True)

    def copy(self, to: Tensor, source: Tensor) -> Event:
        self._stream.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(self._stream), torch.no_grad():
            to.copy_(source, non_blocking=True)
            return self._stream.record_event()

    def wait(self, event: Event) -> None:
        torch.cuda.current_stream(self.device).wait_event(event)


@dataclass(eq=False)
class _Kept:
    """A layer's input, until its backward pass."""

    there: Tensor  # the host's
    before: "_Kept | None"  # that of the layer before
    coming: tuple[Tensor, Event] | None = None


@dataclass
class _Going:
    """An input that is being copied to the host. Whoever changed it meanwhile would change the copy."""

    tensor: Tensor
    version: int
    event: Event


class Offload:
    """Of the layers on one device. Memory of the host is used again once nothing asks for what it holds."""

    def __init__(self, copies: Copies) -> None:
        self._copies = copies
        self._free: dict[int, list[Tensor]] = {}  # by size
        self._captured: dict[tuple[int, int], Tensor] = {}  # by the layer and the size: all graphs share it
        self._begin()

    def _begin(self) -> None:
        self._going: _Going | None = None
        self._last: _Kept | None = None
        self._layers = 0

    @contextmanager
    def forward(self) -> Iterator[None]:
        """While a model's layers are computed, one after another."""
        self._begin()
        try:
            yield
            self._let_go()
        finally:
            self._begin()

    def hooks(self) -> AbstractContextManager[Any]:
        """While a layer is computed that is a checkpoint."""
        return saved_tensors_hooks(self._pack, self._unpack)

    def _pack(self, tensor: Tensor) -> Any:
        is_input = tensor.is_floating_point() and tensor.dim() > 2 and tensor.device == self._copies.device
        if not is_input or not tensor.is_contiguous():
            return tensor
        self._let_go()
        size = tensor.numel() * tensor.element_size()
        memory, is_shared = self._memory(1 << max(size - 1, 0).bit_length())  # so that many lengths share it
        self._layers += 1
        there = memory[:size].view(tensor.dtype).view(tensor.shape)
        self._going = _Going(tensor, tensor._version, self._copies.copy(there, tensor))
        self._last = _Kept(there, self._last)
        if not is_shared:
            finalize(self._last, self._free[len(memory)].append, memory).atexit = False
        return self._last

    def _let_go(self) -> None:
        """Of the input that was copied last."""
        going, self._going = self._going, None
        if going is not None:
            self._copies.wait(going.event)
            if going.tensor._version != going.version:
                raise RuntimeError("a checkpointed layer changes its input: train it without offload=True")

    def _memory(self, size: int) -> tuple[Tensor, bool]:
        """And whether others have it as well: of graphs, only one is between its forward and its backward pass."""
        free = self._free.setdefault(size, [])
        if not self._copies.is_captured:
            return free.pop() if free else self._copies.allocate(size), False
        place = self._layers, size
        if place not in self._captured:
            self._captured[place] = free.pop() if free else self._allocated_elsewhere(size)
        return self._captured[place], True

    def _allocated_elsewhere(self, size: int) -> Tensor:
        """A thread that captures may not allocate."""
        with ThreadPoolExecutor(1) as other:
            return other.submit(self._copies.allocate, size).result()

    def _unpack(self, kept: Any) -> Tensor:
        if isinstance(kept, Tensor):
            return kept
        tensor, event = kept.coming or self._fetch(kept)
        kept.coming = None
        self._copies.wait(event)
        if kept.before is not None and kept.before.coming is None:
            kept.before.coming = self._fetch(kept.before)
        return tensor

    def _fetch(self, kept: _Kept) -> tuple[Tensor, Event]:
        tensor = torch.empty_like(kept.there, device=self._copies.device)
        return tensor, self._copies.copy(tensor, kept.there)
