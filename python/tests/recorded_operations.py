"""A stand-in without a GPU for the recorder of training/graphs.py: it replays torch's operations in the same memory.

Like a CUDA graph, a replay runs no Python: decisions made during capture are final, addresses stay, and reading a value
during capture raises. Before a replay, the memory of the recorder's other graphs is filled with NaN, because graphs of
one recorder share memory.
"""

from unittest.mock import patch

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode
from transformers.utils import import_utils


class Recording(TorchDispatchMode):
    """The recorded operations, and the tensors they made."""

    def __init__(self):
        super().__init__()
        self.steps, self.made = [], []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.ops.aten._local_scalar_dense.default:
            raise RuntimeError("operation not permitted when stream is capturing")
        kept = pytree.tree_map_only(torch.Tensor, torch.Tensor.detach, (args, kwargs))
        result = func(*args, **kwargs)
        places = {each.untyped_storage().data_ptr() for each in tensors_of((args, kwargs))}
        outputs = [each.detach() for each in tensors_of(result)]
        is_view = not func._schema.is_mutable and any(each.untyped_storage().data_ptr() in places for each in outputs)
        if not is_view:
            fresh = [] if func._schema.is_mutable else outputs
            self.steps.append((func, *kept, fresh))
            self.made += fresh
        return result

    def replay(self):
        for func, args, kwargs, outputs in self.steps:
            found = tensors_of(func(*args, **kwargs))[: len(outputs)]
            for kept, computed in zip(outputs, found, strict=True):
                kept.copy_(computed)

    def spoil(self):
        for each in self.made:
            if each.numel():
                each.fill_(torch.nan if each.is_floating_point() or each.is_complex() else 1)


def tensors_of(tree):
    return [each for each in pytree.tree_leaves(tree) if isinstance(each, torch.Tensor)]


class Graph:
    def __init__(self, recorder, recording, forward=None):
        self.recorder, self.recording, self.forward = recorder, recording, forward

    @torch.no_grad()
    def replay(self):
        for other in self.recorder.recordings:
            if other is not self.forward:
                other.spoil()
        with torch.autocast("cpu", enabled=False):
            self.recording.replay()


class OperationsRecorder:
    """Takes the place of CudaRecorder as a recorder factory: OperationsRecorder(device)."""

    def __init__(self, device):
        self.recordings = []

    def capture_forward(self, function, generators=()):
        return self._captured(function)

    def capture_backward(self, outputs, gradients, generators=()):
        forward = self.recordings[-1]
        graph, _ = self._captured(lambda: torch.autograd.backward(outputs, gradients))
        graph.forward = forward
        forward.spoil()  # as in a CUDA graph, a capture computes nothing
        return graph

    def _captured(self, function):
        recording, random = Recording(), torch.get_rng_state()
        with recording, patch.object(import_utils, "is_cuda_stream_capturing", lambda: True):
            result = function()
        torch.set_rng_state(random)
        self.recordings.append(recording)
        return Graph(self, recording), result
