"""Checks a small random model of each transformers family that has the experts interface."""

import sys
import tempfile
from pathlib import Path

import peft
import torch
from conftest import same_bits
from experts_models import decoded, distance, in_float64, stacks

import qfuse.integrations.transformers

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "libraries"))
from small_experts import build, run


def step(model):
    """Returns the output and the gradients of embedding and adapters; others, as of scales, are sums that cancel."""
    model.zero_grad()
    y = run(model)
    torch.manual_seed(2)
    (y * torch.randn(y.shape).to(y.dtype)).sum().backward()
    adapters = {name: parameter.grad for name, parameter in model.named_parameters() if "lora_" in name}
    grads = {"embedding": model.get_input_embeddings().weight.grad} | adapters
    return {"y": y.detach()} | {name: grad for name, grad in grads.items() if grad is not None}


def trained(model):
    """Returns the model with a nonzero adapter on each of its stacks and a trainable embedding."""
    names = sorted({name for module in model.modules() for name in module._parameters if name.endswith("_proj")})
    config = peft.LoraConfig(r=2, target_modules=[], target_parameters=names)
    model = peft.get_peft_model(model, config)
    model.get_input_embeddings().weight.requires_grad_()
    torch.manual_seed(3)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            if "lora_B" in name:
                parameter.copy_(torch.randn(parameter.shape) * 0.02)
    return model


def judge(family):
    """Checks a family's codes after loading, and its outputs and gradients, also with adapters."""
    model = build(family)
    count = sum(hasattr(module, "_apply_gate") for module in model.modules())
    loaded = load(model)
    reports = [qfuse.quantize_experts(each) for each in (model, loaded)]
    assert all(len(report.quantized) == count and not report.left for report in reports)
    pairs = zip(stacks(model), stacks(loaded), strict=True)
    assert all(same_bits(one._parameters[name], two._parameters[name]) for (one, name, _), (two, _, _) in pairs)
    kinds = sorted({stack for _, stack, _ in stacks(model)}, reverse=True)
    models = [model, decoded(model, "eager"), decoded(model, "batched_mm"), in_float64(model)]
    assert near(*map(step, models))
    found = [step(trained(each)) for each in models]
    assert near(*found)
    assert sum("lora_" in name for name in found[0]) >= 2 * len(
        kinds
    )  # at least: other experts, such as those for images, may have adapters too


def load(model):
    """Saves the model and loads it with transformers' from_pretrained."""
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        return type(model).from_pretrained(folder, experts_implementation="qfuse", dtype=torch.float32)


def near(found, eager, batched, exact):
    """Checks errors against float64 experts: at most twice those of transformers' eager or batched_mm, plus four
    float32 eps of the largest element, because an adapter's share is added to the product and not to the weight."""
    assert found.keys() == eager.keys() == exact.keys() >= {"y", "embedding"}
    for name, largest in ((name, exact[name].abs().max().item()) for name in found):
        error, *own = (distance(each[name], exact[name]) for each in (found, eager, batched))
        bound = 2 * max(own) + 4 * torch.finfo(torch.float32).eps * largest
        assert error <= bound, f"{name}: {error}, transformers' own: {own}, largest: {largest}"
    return True
