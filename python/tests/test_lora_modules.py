"""qfuse.nn.Linear4bitLoRA with a part that does more than its weight says: the part is called, not bypassed."""

import copy

import pytest
import torch
import torch.nn.utils.prune as prune
from conftest import Calls, same_bits
from test_lora import SCALING, adapter, by_torch, dense_of, few_integers
from test_matmul import exact_weight

import qfuse

RANK = 4


@pytest.fixture(params=[torch.float32, torch.bfloat16])
def module(request, device):
    layer = qfuse.nn.Linear4bitLoRA(exact_weight(device, request.param), RANK, SCALING * RANK)
    with torch.no_grad():
        for part, values in zip((layer.lora_A, layer.lora_B), adapter(device, rank=RANK), strict=True):
            part.weight.copy_(values)
    return layer


def input_of(module, device):
    dtype = module.base.dtype
    return few_integers(6, module.in_features, device=device, dtype=dtype).requires_grad_()


def expected_of(module, x, factor_a=1.0, factor_b=1.0):
    """Returns the output computed in float64, with A and B multiplied by their factors."""
    a, b = (part.weight.detach().double() for part in (module.lora_A, module.lora_B))
    return by_torch(x.double(), dense_of(module.base).double(), factor_a * a, factor_b * b).to(x.dtype)


class Twice(torch.nn.Module):
    def forward(self, weight):
        return 2 * weight


class Doubling(torch.nn.Linear):
    def forward(self, x):
        return 2 * super().forward(x)


def parametrized(part):
    torch.nn.utils.parametrize.register_parametrization(part, "weight", Twice())


def with_other_forward(part):
    plain = part.forward
    part.forward = lambda x: 2 * plain(x)


def of_another_class(part):
    part.__class__ = Doubling


CHANGES = {
    "a hook": lambda part: part.register_forward_hook(lambda module, inputs, output: 2 * output),
    "a pre-hook": lambda part: part.register_forward_pre_hook(lambda module, inputs: 2 * inputs[0]),
    "another forward": with_other_forward,
    "another class": of_another_class,
    "a parametrization": parametrized,
}


@pytest.mark.parametrize("part", ["lora_A", "lora_B", "dropout"])
@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_is_called(module, device, change, part):
    x = input_of(module, device)
    twice = expected_of(module, x, **{"factor_b" if part == "lora_B" else "factor_a": 2.0})
    assert same_bits(module(x), expected_of(module, x))
    if part == "dropout" and change in ("another class", "a parametrization"):
        pytest.skip("of a linear layer")
    CHANGES[change](getattr(module, part))
    assert same_bits(module(x), twice)
    module(x).sum().backward()
    assert x.grad is not None and all(parameter.grad is not None for parameter in module.parameters())


def test_a_hook_for_all_modules(module, device):
    x, seen = input_of(module, device), []
    handle = torch.nn.modules.module.register_module_forward_hook(lambda module, *args: seen.append(module))
    module(x)
    handle.remove()
    assert module.lora_A in seen and module.lora_B in seen


def test_a_backward_hook_sees_its_gradients(module, device):
    seen = []
    module.lora_A.register_full_backward_hook(lambda module, inputs, outputs: seen.append((inputs, outputs)))
    module(input_of(module, device)).sum().backward()
    assert len(seen) == 1


def test_a_pruned_part_and_one_with_weight_norm(module, device):
    """Pruning and weight norm recompute the weight before each call."""
    x = input_of(module, device)
    expected = expected_of(module, x)
    torch.nn.utils.parametrizations.weight_norm(module.lora_B)
    assert torch.allclose(module(x).double(), expected.double(), rtol=0.02, atol=0.1)
    prune.random_unstructured(module.lora_A, "weight", amount=0.5)
    with torch.no_grad():
        module.lora_A.weight_orig.zero_()
    assert same_bits(module(x), expected_of(module, x, 0.0))


def test_another_module_in_its_place(module, device):
    x = input_of(module, device)
    inner = module.lora_A
    module.lora_A = torch.nn.Sequential(inner, torch.nn.Identity())
    expected = dense_of(module.base).double(), inner.weight.double(), module.lora_B.weight.double()
    assert same_bits(module(x), by_torch(x.double(), *expected).to(x.dtype))


def test_offloaded_by_accelerate(module, device):
    """accelerate's hooks load the weights for each call, and remove them after it."""
    accelerate = pytest.importorskip("accelerate")
    x, expected = input_of(module, device), expected_of(module, input_of(module, device))
    accelerate.cpu_offload(module, execution_device=device)
    assert module.lora_A.weight.is_meta
    with torch.no_grad():
        assert same_bits(module(x), expected)


def test_one_that_nothing_was_done_to_is_one_product(module, device):
    x = input_of(module, device)
    with Calls("aten::linear") as calls:
        copied = copy.deepcopy(module)(x)
    assert same_bits(copied, module(x))
    assert calls.count == 0 or device == "cuda"
