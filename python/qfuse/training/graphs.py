"""Captures a function of tensors, forward and backward, as two CUDA graphs that are replayed from then on.

A graph contains the addresses that its kernels read and write. Inputs are therefore copied to fixed tensors, and
outputs copied from them. Parameters are read, and their gradients accumulated, in place.
"""

import gc
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.utils import _pytree as pytree

Generators = Sequence[torch.Generator]


class Graph(Protocol):
    """Captured work; replay() runs it again."""

    def replay(self) -> None: ...


class Recorder(Protocol):
    """Captures GPU work. All graphs of a recorder share their memory: a replay overwrites what another graph left
    there, such as a forward pass's tensors for its backward pass."""

    def capture_forward(self, function: Callable[[], Any], generators: Generators = ()) -> tuple[Graph, Any]:
        """Calls the function once. Returns the graph and the result, which a replay overwrites in place. generators:
        those that it may use besides the default one."""
        ...

    def capture_backward(self, outputs: list[Tensor], gradients: list[Tensor], generators: Generators = ()) -> Graph:
        """Captures the backward pass of the last result of capture_forward."""
        ...


class CudaRecorder:
    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._pool = torch.cuda.graph_pool_handle()
        self._stream = torch.cuda.Stream(device)
        # Replays draw random numbers, such as dropout's, from a separate generator, because a failed capture would
        # leave torch's own in a state in which it cannot be used.
        self._random = torch.Generator(device)
        self._random.manual_seed(_seed())

    def capture_forward(self, function: Callable[[], Any], generators: Generators = ()) -> tuple[Graph, Any]:
        graph = torch.cuda.CUDAGraph()
        for each in generators:
            graph.register_generator_state(each)
        stream = torch.cuda.current_stream(self._device)
        generator = torch.cuda.default_generators[stream.device_index]
        random = generator.graphsafe_get_state()
        generator.graphsafe_set_state(self._random)
        try:
            # "thread_local" lets other threads, such as those that load data, use CUDA during the capture.
            capture = torch.cuda.graph(graph, self._pool, self._stream, capture_error_mode="thread_local")
            with _without_garbage(), _workspaces_of_its_own(), capture:
                result = function()
        except BaseException:
            with suppress(RuntimeError):
                torch._C._cuda_endAllocateToPool(stream.device_index, self._pool)
            torch.cuda.set_stream(stream)
            raise
        finally:
            generator.graphsafe_set_state(random)
        return graph, result

    def capture_backward(self, outputs: list[Tensor], gradients: list[Tensor], generators: Generators = ()) -> Graph:
        return self.capture_forward(lambda: torch.autograd.backward(outputs, gradients), generators)[0]


def _seed() -> int:
    """Returns a seed that torch.manual_seed() determines."""
    return int(torch.randint(1 << 62, ()))


class RandomOfLayers:
    """Random numbers of layers that a captured backward pass recomputes in another order: each layer draws them from
    its own generator, and in the recomputation from a twin of it."""

    def __init__(self, device: torch.device, layers: int) -> None:
        self.first = [torch.Generator(device) for _ in range(layers)]
        self.again = [torch.Generator(device) for _ in range(layers)]
        for pair in zip(self.first, self.again, strict=True):
            seed = _seed()
            for each in pair:
                each.manual_seed(seed)

    def contexts(self, layer: int) -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
        """Returns what context_fn() of torch.utils.checkpoint must return."""
        return _drawing_from(self.first[layer]), _drawing_from(self.again[layer])

    def offsets(self) -> list[int]:
        """Returns the generators' offsets. Call it before a forward pass."""
        return [each.get_offset() for each in self.first]

    def go_to(self, offsets: list[int]) -> None:
        """Sets the twins' offsets. Call it before the backward pass of that forward pass."""
        for each, offset in zip(self.again, offsets, strict=True):
            each.set_offset(offset)


@contextmanager
def _drawing_from(generator: torch.Generator) -> Iterator[None]:
    default = torch.cuda.default_generators[generator.device.index]
    before = default.graphsafe_get_state()
    default.graphsafe_set_state(generator)
    try:
        yield
    finally:
        default.graphsafe_set_state(before)


@contextmanager
def _workspaces_of_its_own() -> Iterator[None]:
    """Frees cuBLAS' workspaces, 32 MiB per stream and thread, before and after a capture: those allocated before would
    be idle, and those of the capture are in the graphs' memory, for the next capture to use."""
    torch._C._cuda_clearCublasWorkspaces()
    try:
        yield
    finally:
        torch._C._cuda_clearCublasWorkspaces()


@contextmanager
def _without_garbage() -> Iterator[None]:
    """Disables garbage collection, which may destroy another model's graphs and thereby fail this capture."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


Place = tuple[dict[str, Any], str]  # where a tensor is: a module's dict of parameters, and the name in it


class Gradients:
    """One fixed tensor per parameter's gradient, which all graphs of a model accumulate into."""

    def __init__(self, trained: Callable[[], Sequence[Place]]) -> None:
        self._trained = trained
        self._indices: dict[int, int] = {}  # index in the lists below, by the parameter's id
        self._parameters: list[Tensor] = []
        self._kept: list[Tensor] = []
        self._given: list[Tensor | None] = []  # tensor set as .grad, which shares the memory of _kept

    @contextmanager
    def captured(self) -> Iterator[list[Tensor]]:
        """Replaces the parameters during a capture by twins that share their memory and whose gradients are the fixed
        tensors. The parameters themselves may have autograd nodes of another stream, as long as a loss is kept, and a
        capture cannot wait for that stream."""
        places = self._trained()
        before = [part[name] for part, name in places]
        twins = {}
        for parameter in {id(each): each for each in before}.values():
            twins[id(parameter)] = twin = torch.nn.Parameter(parameter.detach())
            twin.grad = self._kept_of(parameter)
        try:
            for (part, name), parameter in zip(places, before, strict=True):
                part[name] = twins[id(parameter)]
            yield self._kept
        finally:
            for (part, name), parameter in zip(places, before, strict=True):
                part[name] = parameter

    def _kept_of(self, parameter: Tensor) -> Tensor:
        if id(parameter) not in self._indices:
            self._indices[id(parameter)] = len(self._kept)
            self._parameters.append(parameter)
            self._kept.append(torch.zeros_like(parameter))
            self._given.append(None)
        return self._kept[self._indices[id(parameter)]]

    @contextmanager
    def added_to(self, indices: Sequence[int]) -> Iterator[None]:
        """Context in which a graph accumulates gradients of these parameters. If .grad is another tensor, which other
        code may hold, the graph's gradient is added to it afterwards."""
        zeros, others, own = [], [], []
        for index in indices:
            parameter, kept = self._parameters[index], self._kept[index]
            gradient = parameter.grad
            if gradient is not None and gradient.data_ptr() == kept.data_ptr():
                continue
            self._leave_to_its_holder(index)
            zeros.append(kept)
            if gradient is None:
                parameter.grad = self._given[index] = kept.detach()
            else:
                others.append(gradient)
                own.append(kept)
        if zeros:
            torch._foreach_zero_(zeros)
        yield
        if others:
            torch._foreach_add_(others, own)

    def _leave_to_its_holder(self, index: int) -> None:
        """If other code still holds a gradient that was removed from its parameter, gives it memory of its own."""
        given = self._given[index]
        self._given[index] = None
        if given is not None and sys.getrefcount(given) > _references_to_a_local():
            given.data = given.clone()


def _references_to_a_local() -> int:
    it = object()
    return sys.getrefcount(it)


class Turn:
    """Tracks whose forward pass is in a recorder's memory: no other graph may be replayed before its backward pass."""

    def __init__(self) -> None:
        self._taken: weakref.ref[Any] | None = None

    @property
    def is_taken(self) -> bool:
        """True until the backward pass is done or can no longer be requested."""
        return self._taken is not None and self._taken() is not None

    def take(self) -> object:
        ticket = _Ticket()
        self._taken = weakref.ref(ticket)
        return ticket

    def give_back(self, ticket: object) -> None:
        if ticket is None or self._taken is None or self._taken() is not ticket:
            raise RuntimeError(
                "the backward pass of a captured step was asked for a second time; its memory has been used again. "
                "Call backward once a step, or train without graphs"
            )
        self._taken = None


class _Ticket:
    """Exists as long as the backward pass can be requested."""


@dataclass
class Memory:
    """State that all graphs of a model share."""

    recorder: Recorder
    gradients: Gradients
    turn: Turn = field(default_factory=Turn)


class Captured:
    """A function of tensors, captured for the shapes of its arguments.

    function(*inputs) returns tensors, in any nesting of tuples, lists and dictionaries. A call of Captured returns what
    function would return, and its backward pass accumulates gradients in the parameters that function used. random:
    generators for layers that are recomputed.
    """

    def __init__(
        self,
        memory: Memory,
        function: Callable[..., Any],
        inputs: Sequence[Tensor],
        random: RandomOfLayers | None = None,
    ) -> None:
        self._memory, self._random = memory, random
        first, again = (random.first, random.again) if random is not None else ((), ())
        self._inputs = [each.detach().clone().requires_grad_(each.requires_grad) for each in inputs]
        for each in self._inputs:
            each.grad = torch.zeros_like(each) if each.requires_grad else None
        with memory.gradients.captured() as kept:
            self._forward, result = memory.recorder.capture_forward(lambda: function(*self._inputs), first)
            leaves, self._structure = pytree.tree_flatten(result)
            tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
            outputs = [tensor for tensor in tensors if tensor.requires_grad]
            if not outputs:
                raise RuntimeError("nothing that the model gives has a gradient")
            self._of_outputs = [torch.zeros_like(output) for output in outputs]
            versions = [gradient._version for gradient in kept]
            self._backward = memory.recorder.capture_backward(outputs, self._of_outputs, again)
            self._used = [at for at, version in enumerate(versions) if kept[at]._version != version]
        self._others = {at: leaf for at, leaf in enumerate(leaves) if not isinstance(leaf, Tensor)}
        self._has_gradient = [tensor.requires_grad for tensor in tensors]
        self._outputs = [tensor.detach() for tensor in tensors]
        self._anchor = torch.zeros((), requires_grad=True)

    def __call__(self, inputs: Sequence[Tensor]) -> Any:
        tensors = iter(_Replay.apply(self, self._anchor, *inputs))
        count = self._structure.num_leaves
        leaves = [self._others[at] if at in self._others else next(tensors) for at in range(count)]
        return pytree.tree_unflatten(leaves, self._structure)

    def replay_forward(self, inputs: Sequence[Tensor]) -> tuple[object, list[Tensor]]:
        ticket = self._memory.turn.take()
        for kept, given in zip(self._inputs, inputs, strict=True):
            kept.data.copy_(given, non_blocking=True)
        self._offsets = self._random.offsets() if self._random is not None else []
        self._forward.replay()
        return ticket, [output.clone() for output in self._outputs]

    def replay_backward(self, ticket: object, gradients: Sequence[Tensor | None]) -> list[Tensor | None]:
        self._memory.turn.give_back(ticket)
        wanted = [each for each, has in zip(gradients, self._has_gradient, strict=True) if has]
        for kept, given in zip(self._of_outputs, wanted, strict=True):
            if given is None:
                kept.zero_()
            else:
                kept.copy_(given, non_blocking=True)
        for each in self._inputs:
            if each.grad is not None:
                each.grad.zero_()
        if self._random is not None:
            self._random.go_to(self._offsets)
        with self._memory.gradients.added_to(self._used):
            self._backward.replay()
        return [None if each.grad is None else each.grad.clone() for each in self._inputs]

    @property
    def has_gradient(self) -> list[bool]:
        return self._has_gradient


class _Replay(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, captured: Captured, anchor: Tensor, *inputs: Tensor) -> tuple[Tensor, ...]:
        ctx.captured = captured
        ctx.ticket, outputs = captured.replay_forward(inputs)
        has_gradient = zip(outputs, captured.has_gradient, strict=True)
        ctx.mark_non_differentiable(*(each for each, has in has_gradient if not has))
        ctx.set_materialize_grads(False)
        return tuple(outputs)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
        ticket, ctx.ticket = ctx.ticket, None
        return (None, None, *ctx.captured.replay_backward(ticket, gradients))
