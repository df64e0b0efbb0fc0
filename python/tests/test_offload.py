"""training/offload.py without a GPU: copies are made only when they are waited for."""

import copy
import gc

import pytest
import torch
from recorded_operations import OperationsRecorder, Recording
from torch.utils._python_dispatch import _get_current_dispatch_mode
from torch.utils.checkpoint import checkpoint
from training_models import Twins, make, make_batch, transformers_training

from qfuse.integrations import transformers_offload
from qfuse.training.offload import Offload


class LazyCopies:
    """Copies as late as a GPU may: an early read finds NaN, and a copy sees later changes of its source."""

    def __init__(self, device="cpu"):
        self.device = torch.device(device)
        self.allocated, self.copied = [], 0

    @property
    def is_captured(self):
        return isinstance(_get_current_dispatch_mode(), Recording)

    def allocate(self, size):
        assert not self.is_captured
        self.allocated.append(size)
        return torch.full((size // 4,), torch.nan).view(torch.uint8)

    def copy(self, to, source):
        self.copied += 1
        with torch.no_grad():
            to.fill_(torch.nan)
        return lambda: to.copy_(source.detach())

    def wait(self, event):
        with torch.no_grad():
            event()


class Offloaded(Twins):
    """A model with offloaded checkpoints, beside one whose checkpoints stay."""

    def __init__(self, reentrant=False, is_graphed=False):
        self.copies = []
        model = make()
        kwargs = dict(use_reentrant=reentrant)
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=kwargs)
        model.enable_input_require_grads()
        self.plain, self.sped_up, self.tolerance = model, copy.deepcopy(model), 2e-5
        base = self.sped_up.get_base_model()
        self.undo = transformers_offload.offload(base.get_decoder(), self._made)
        if is_graphed:
            self.graphed = transformers_training.GraphedBackbone(base.get_decoder(), OperationsRecorder)
            self.graphed.install(base)

    def _made(self, device):
        self.copies.append(LazyCopies(device))
        return self.copies[-1]


@pytest.mark.parametrize("reentrant", [False, True])
def test_gradients_are_the_same_and_memory_is_used_again(reentrant):
    twins = Offloaded(reentrant)
    twins.walk([make_batch(40, seed=seed) for seed in range(4)])
    (copies,) = twins.copies
    assert copies.copied == 4 * 2 * 2  # 4 steps, 2 layers, there and back
    assert copies.allocated == [2 * 64 * 32 * 4] * 2, "two layers' inputs, rounded up to a power of two"
    twins.undo()
    twins.walk([make_batch(40)])
    assert copies.copied == 16


def test_two_batches_before_their_backward_passes():
    twins = Offloaded()
    found = []
    for model in twins.both:
        first, second = (model(**make_batch(40, seed=seed)).loss for seed in range(2))
        second.backward()
        first.backward()
        found.append([each.grad for each in model.parameters() if each.requires_grad])
    for expected, gradient in zip(*found, strict=True):
        torch.testing.assert_close(gradient, expected)
    assert len(twins.copies[0].allocated) == 4


def test_batches_that_nobody_goes_back_from_leave_their_memory():
    twins = Offloaded()
    for seed in range(3):
        twins.sped_up(**make_batch(40, seed=seed))
        gc.collect()
    assert len(twins.copies[0].allocated) == 2


def test_graphs_share_memory():
    twins = Offloaded(is_graphed=True)
    twins.walk([make_batch(tokens, seed=tokens) for tokens in (40, 100, 40, 100, 40, 100, 64)])
    assert twins.graphed.graphs == 2 and twins.graphed.replayed == 5, twins.graphed.left
    assert sorted(twins.copies[0].allocated) == [2 * 64 * 32 * 4] * 2 + [2 * 128 * 32 * 4] * 2


def test_evaluation_and_what_is_not_checkpointed_copy_nothing():
    twins = Offloaded()
    twins.sped_up.eval()
    twins.sped_up(**make_batch(40))
    twins.sped_up.train()
    with torch.no_grad():
        twins.sped_up(**make_batch(40))
    twins.sped_up.gradient_checkpointing_disable()
    twins.sped_up(**make_batch(40)).loss.backward()
    assert not twins.copies


def test_an_input_that_a_layer_changes_is_refused():
    offload = Offload(LazyCopies())
    x = torch.randn(2, 3, 4, requires_grad=True)

    def layer(hidden):
        return hidden.exp_()

    with pytest.raises(RuntimeError, match="offload=True"), offload.forward(), offload.hooks():
        checkpoint(layer, x * 1, use_reentrant=False)


def test_what_is_no_input_of_a_layer_stays():
    copies = LazyCopies()
    offload = Offload(copies)
    weight = torch.randn(4, 4, requires_grad=True)
    x = torch.randn(2, 3, 4, requires_grad=True)
    mask = torch.ones(3, dtype=torch.bool)
    with offload.forward(), offload.hooks():
        found = checkpoint(lambda a, b, c: a @ b * c.sum(), x, weight, mask, use_reentrant=False)
    assert copies.copied == 1
    found.sum().backward()
    torch.testing.assert_close(x.grad, (3 * weight.sum(1)).expand(2, 3, 4))


def test_the_layer_before_comes_back_ahead():
    copies = LazyCopies()
    offload = Offload(copies)
    with offload.forward():
        kept = [offload._pack(torch.full((1, 2, 3), float(at))) for at in range(3)]
    assert copies.copied == 3
    for at, copied in ((2, 5), (1, 6), (0, 6)):
        assert offload._unpack(kept[at]).eq(at).all() and copies.copied == copied
