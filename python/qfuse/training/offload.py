"""Keeps the inputs of checkpointed layers in host memory until the backward pass.

A checkpoint saves the input of its layer. The input is copied to the host while the next layer is computed, and back
during the backward pass of the layer after it, so that about two inputs are on the GPU at any time.
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

Event = Any  # a torch.cuda.Event


class Copies(Protocol):
    """Copies between a GPU and the host, on a separate stream."""

    device: torch.device
    is_captured: bool  # whether a graph is being captured now

    def allocate(self, size: int) -> Tensor:
        """Allocates `size` bytes of pinned host memory."""
        ...

    def copy(self, to: Tensor, source: Tensor) -> Event:
        """Enqueues a copy that begins after all work enqueued on the current stream so far."""
        ...

    def wait(self, event: Event) -> None:
        """Makes work enqueued on the current stream from now on wait for that copy."""
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
    """A layer's input, kept until its backward pass."""

    there: Tensor  # in host memory
    before: "_Kept | None"  # input of the layer before
    coming: tuple[Tensor, Event] | None = None


@dataclass
class _Going:
    """An input that is being copied to the host. The version shows whether it was modified during the copy."""

    tensor: Tensor
    version: int
    event: Event


class Offload:
    """Offloads the layers on one device. Host memory is reused once its content is no longer needed."""

    def __init__(self, copies: Copies) -> None:
        self._copies = copies
        self._free: dict[int, list[Tensor]] = {}  # unused host memory, by size
        self._captured: dict[tuple[int, int], Tensor] = {}  # memory by layer and size, shared by all graphs
        self._begin()

    def _begin(self) -> None:
        self._going: _Going | None = None
        self._last: _Kept | None = None
        self._layers = 0

    @contextmanager
    def forward(self) -> Iterator[None]:
        """Context for the forward pass of a model's layers."""
        self._begin()
        try:
            yield
            self._let_go()
        finally:
            self._begin()

    def hooks(self) -> AbstractContextManager[Any]:
        """Context for the forward pass of one checkpointed layer."""
        return saved_tensors_hooks(self._pack, self._unpack)

    def _pack(self, tensor: Tensor) -> Any:
        is_input = tensor.is_floating_point() and tensor.dim() > 2 and tensor.device == self._copies.device
        if not is_input or not tensor.is_contiguous():
            return tensor
        self._let_go()
        size = tensor.numel() * tensor.element_size()
        memory, is_shared = self._memory(1 << max(size - 1, 0).bit_length())  # powers of two, which many lengths share
        self._layers += 1
        there = memory[:size].view(tensor.dtype).view(tensor.shape)
        self._going = _Going(tensor, tensor._version, self._copies.copy(there, tensor))
        self._last = _Kept(there, self._last)
        if not is_shared:
            finalize(self._last, self._free[len(memory)].append, memory).atexit = False
        return self._last

    def _let_go(self) -> None:
        """Waits for the last copy and releases its input."""
        going, self._going = self._going, None
        if going is not None:
            self._copies.wait(going.event)
            if going.tensor._version != going.version:
                raise RuntimeError("a checkpointed layer changes its input: train it without offload=True")

    def _memory(self, size: int) -> tuple[Tensor, bool]:
        """Returns host memory, and whether it is shared: graphs share it, of which only one is in use at a time."""
        free = self._free.setdefault(size, [])
        if not self._copies.is_captured:
            return free.pop() if free else self._copies.allocate(size), False
        place = self._layers, size
        if place not in self._captured:
            self._captured[place] = free.pop() if free else self._allocated_elsewhere(size)
        return self._captured[place], True

    def _allocated_elsewhere(self, size: int) -> Tensor:
        """Allocates in another thread, because a thread that captures a graph must not allocate."""
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
