"""Each of peft's methods over 4-bit layers. After qfuse.distributed.shardable, its results are those over decoded
weights, or the error names the method; over bitsandbytes' layers, enable() changes only roundings."""

import inspect

import pytest
import torch
from distributed_models import weight
from torch import nn

import qfuse.integrations.bitsandbytes
import qfuse.integrations.peft as integration

bnb = pytest.importorskip("bitsandbytes")
peft = pytest.importorskip("peft")
from peft.mapping import PEFT_TYPE_TO_CONFIG_MAPPING  # noqa: E402

qd = pytest.importorskip("qfuse.distributed")

WIDTH = 64
OPTIONS = {
    "ADALORA": dict(total_step=10),
    "BOFT": dict(boft_block_size=4),
    "C3A": dict(block_size=16),
    "IA3": dict(feedforward_modules=[]),
    "OFT": dict(r=4, oft_block_size=0),
    "OSF": dict(effective_rank=4),
    "VBLORA": dict(vector_length=16, num_vectors=8),
}
LORA = {
    "DoRA": dict(use_dora=True),
    "OLoRA": dict(init_lora_weights="olora"),
    "PiSSA": dict(init_lora_weights="pissa"),
    "orthogonal": dict(init_lora_weights="orthogonal"),
    "LoRA with target_parameters": dict(target_modules=[], target_parameters=["0.weight"]),
    "rslora": dict(use_rslora=True),
}
# Methods that adapt no layer, such as prompts, and methods that need a missing library or a transformers model.
OTHERS = {"ADAMSS", "ADAPTION_PROMPT", "LN_TUNING", "POLY", "SHADOW", "TRAINABLE_TOKENS", "XLORA"}


def _methods():
    for kind, config in PEFT_TYPE_TO_CONFIG_MAPPING.items():
        name = str(kind).rpartition(".")[2]
        if name not in OTHERS and "target_modules" in inspect.signature(config).parameters:
            yield pytest.param(config, {"target_modules": ["0"]} | OPTIONS.get(name, {}), id=name)
    for name, options in LORA.items():
        yield pytest.param(peft.LoraConfig, {"target_modules": ["0"], "r": 4} | options, id=name)


METHODS = list(_methods())


def over_bitsandbytes():
    def layer(seed):
        made = bnb.nn.Linear4bit(WIDTH, WIDTH, bias=False, compute_dtype=torch.float32)
        made.weight = weight(WIDTH, WIDTH, seed)._replace(dtype=torch.float32).params4bit(made)
        return made

    return nn.Sequential(layer(0), nn.GELU(), layer(1)).train()


def shared_out():
    model = over_bitsandbytes()
    assert qd.shardable(model)
    return model


def decoded():
    def layer(seed):
        made = nn.Linear(WIDTH, WIDTH, bias=False)
        made.weight = nn.Parameter(weight(WIDTH, WIDTH, seed).dequantize(torch.float32), requires_grad=False)
        return made

    return nn.Sequential(layer(0), nn.GELU(), layer(1)).train()


def attempt(base, config, options):
    """Returns a model with the output and gradients of a step, or None and the error."""
    try:
        torch.manual_seed(1)
        model = peft.get_peft_model(base, config(**options))
        with torch.no_grad():
            for _, parameter in sorted(model.named_parameters()):
                if parameter.requires_grad:
                    parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(2)) * 0.02)
        torch.manual_seed(3)
        y = model(torch.randn(5, WIDTH, generator=torch.Generator().manual_seed(4)))
        y.square().sum().backward()
    except Exception as error:
        return None, error
    gradients = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    return model, {"y": y.detach()} | gradients


def check_near(found, expected):
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        assert (found[name] - tensor).norm() <= 1e-4 * tensor.norm() + 1e-7, name


@pytest.mark.parametrize("config, options", METHODS)
def test_behind_shardable_it_is_right_or_refused_by_name(config, options, request):
    model, found = attempt(shared_out(), config, options)
    if model is None:
        name = request.node.callspec.id
        assert (
            isinstance(found, ImportError)
            or "not a plain torch.nn.Linear" in str(found)
            or (isinstance(found, NotImplementedError) and f"peft's {name.lower()}" in str(found).lower())
        ), found
        assert not isinstance(found, NotImplementedError) or "without qfuse.distributed.shardable" in str(found)
        return
    _, expected = attempt(decoded(), config, options)
    check_near(found, expected)
    before = model.eval()(torch.ones(2, WIDTH))
    with pytest.raises((NotImplementedError, ValueError)) as raised:  # Lily and BEFT raise their own errors
        model.merge_adapter()
    words = ("save the adapter, and merge it by `qfuse merge`", "not supported for Lily", "has no bias")
    assert any(each in str(raised.value) for each in words)
    assert torch.equal(model(torch.ones(2, WIDTH)), before)


@pytest.mark.parametrize("config, options", METHODS)
def test_enable_changes_nothing_but_roundings(config, options):
    model, expected = attempt(over_bitsandbytes(), config, options)
    with qfuse.integrations.bitsandbytes.enabled(matmul=True), integration.enabled():
        other, found = attempt(over_bitsandbytes(), config, options)
    if model is None:
        assert other is None and type(found) is type(expected), (found, expected)
        return
    check_near(found, expected)
