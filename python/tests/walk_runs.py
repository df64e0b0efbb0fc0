"""How a random walk computes with a model: RUNS has each run by name; it returns what to compare, by name."""

from functools import partial

import torch
from torch.utils.checkpoint import checkpoint
from walk_models import CALLS, HIDDEN
from walk_operations import is_peft

RUNS = {}


def run(function):
    RUNS[function.__name__] = function
    return function


_SHAPES = (
    (5, HIDDEN),
    (5, HIDDEN),
    (2, 3, HIDDEN),
    (1, HIDDEN),
    (HIDDEN,),
    (0, HIDDEN),
    (2, 1, 4, HIDDEN),
    (33, HIDDEN),
)


# Without rows, bitsandbytes has no second derivatives.
_WITH_ROWS = tuple(shape for shape in _SHAPES if shape[0] > 0)


def _input(copy, draw, is_leaf=None, shapes=_SHAPES):
    """An input in the layers' dtype, or in another one, which they cast."""
    shape, spec = draw.choice(shapes), copy.spec
    dtypes = [spec.dtype] * 4
    if is_peft(copy):
        dtypes.append(torch.float32)
        if all(layer.get_base_layer().compute_dtype is not None for layer in copy.layers()):
            dtypes.append(torch.float64)  # else bitsandbytes would multiply in float64, which on a CPU is wrong
    dtype = draw.choice(dtypes)
    x = torch.randn(shape).to(spec.device, dtype)
    if draw.random() < 0.2 and len(shape) > 1:
        x = x.transpose(0, -1).contiguous().transpose(0, -1)
    needs_gradient = draw.random() < 0.6
    return x.requires_grad_(needs_gradient if is_leaf is None else is_leaf)


def _gradients(copy, x):
    return {"x.grad": x.grad, **{f"{name}.grad": parameter.grad for name, parameter in copy.parameters().items()}}


def _loss(y):
    return (y.float() * torch.randn(y.shape).to(y.device)).sum()


def _train(copy, x, forward):
    """Takes a training step. The calls of hooks are part of the result."""
    for parameter in copy.parameters().values():
        parameter.grad = None
    y = forward(x)
    if y.requires_grad:
        _loss(y).backward()
    return {"y": y.detach(), "y.requires_grad": y.requires_grad, "calls": dict(CALLS), **_gradients(copy, x)}


@run
def train(copy, draw):
    return _train(copy, _input(copy, draw), copy.model)


@run
def train_under_autocast(copy, draw):
    with torch.autocast(copy.spec.device, torch.bfloat16):
        return _train(copy, _input(copy, draw), copy.model)


@run
def no_grad(copy, draw):
    with torch.no_grad():
        y = copy.model(_input(copy, draw))
    return {"y": y, "y.requires_grad": y.requires_grad, "calls": dict(CALLS)}


@run
def inference_mode(copy, draw):
    with torch.inference_mode():
        y = copy.model(_input(copy, draw, False))
    return {"y": y.clone(), "is_inference": y.is_inference(), "calls": dict(CALLS)}


@run
def no_grad_under_autocast(copy, draw):
    with torch.autocast(copy.spec.device, torch.bfloat16):
        return no_grad(copy, draw)


@run
def input_of_inference_mode(copy, draw):
    with torch.inference_mode():
        x = _input(copy, draw, False)
    with torch.no_grad():
        return {"y": copy.model(x), "calls": dict(CALLS)}


@run
def checkpointed(copy, draw):
    """Without the calls of hooks: torch recomputes until it has what was saved, which differs between the copies."""
    result = _train(copy, _input(copy, draw), partial(checkpoint, copy.model, use_reentrant=False))
    result.pop("calls")
    return result


@run
def checkpointed_reentrant(copy, draw):
    return _train(copy, _input(copy, draw), partial(checkpoint, copy.model, use_reentrant=True))


@run
def saved_on_cpu(copy, draw):
    with torch.autograd.graph.save_on_cpu():
        return _train(copy, _input(copy, draw), copy.model)


@run
def backward_twice(copy, draw):
    """Two backward passes through one graph."""
    x = _input(copy, draw)

    def forward(x):
        y = copy.model(x)
        if y.requires_grad:
            _loss(y).backward(retain_graph=True)
        return y

    return _train(copy, x, forward)


def _leaves(copy, x):
    leaves = {"x": x, **copy.parameters()}
    return {name: leaf for name, leaf in leaves.items() if leaf.requires_grad}


@run
def second_derivatives(copy, draw):
    x = _input(copy, draw, True, _WITH_ROWS)
    for parameter in copy.parameters().values():
        parameter.grad = None
    leaves = _leaves(copy, x)
    first = torch.autograd.grad(_loss(copy.model(x)), [*leaves.values()], create_graph=True, allow_unused=True)
    penalty = sum(each.float().square().mean() / 100 for each in first if each is not None and each.numel())
    if isinstance(penalty, torch.Tensor) and penalty.requires_grad:
        penalty.backward()
    return {**dict(zip(leaves, first, strict=True)), **_gradients(copy, x), "calls": dict(CALLS)}


@run
def gradients_batched(copy, draw):
    """The peers compute gradients one by one, as the reference; their hooks run more often, and do not count."""
    x = _input(copy, draw)
    y, leaves = copy.model(x), _leaves(copy, x)
    if not y.requires_grad:
        return {"y": y}
    rows = torch.randn(3, *y.shape).to(y.device, y.dtype)
    gradient = partial(torch.autograd.grad, y, [*leaves.values()], allow_unused=True)
    if copy.is_peer:
        single = [gradient(row, retain_graph=True) for row in rows]
        found = [None if each[0] is None else torch.stack(each) for each in zip(*single, strict=True)]
    else:
        found = gradient(rows, is_grads_batched=True)
    return {"y": y.detach(), **dict(zip(leaves, found, strict=True))}
