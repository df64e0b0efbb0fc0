"""peft's own hook: a registered config makes peft create qfuse's layers, with the real peft and bitsandbytes."""

import copy
import io

import pytest
import torch
from conftest import Calls, same_bits
from peft_models import LAYER, ORIGINAL, RANK, SETTINGS, Net, bnb, distance, inputs, make, peft, step, two_adapters

import qfuse
import qfuse.integrations.peft as integration


@pytest.fixture(autouse=True)
def nothing_is_replaced():
    yield
    places = integration.report().replaced  # experts stay replaced if a test has quantized some
    integration.disable()
    assert LAYER.forward is ORIGINAL and not any("Linear4bit" in place for place in places)


def registered(**more):
    return integration.register(peft.LoraConfig(**SETTINGS | more))


@pytest.mark.parametrize("in_4bit", [True, False], ids=["loaded in 4 bits", "quantized by hand"])
def test_registered_layers_have_the_bits_of_replaced_forwards(device, in_4bit, monkeypatch):
    monkeypatch.setattr(Net, "is_loaded_in_4bit", in_4bit)
    x, theirs, model = inputs(device), make(device), make(device, config=registered())
    expected_of_peft = step(theirs, x)
    with integration.enabled():
        expected = step(theirs, x)
    with Calls("qfuse::matmul_4bit") as calls:
        found = step(model, x)
    assert calls.count == 4 or device == "cuda"
    assert found.keys() == expected.keys() and all(same_bits(found[name], value) for name, value in expected.items())
    assert theirs.state_dict().keys() == model.state_dict().keys()
    layers = ["base_model.model.up", "base_model.model.down"]
    assert integration.report(model).replaced == dict.fromkeys(layers, "hook") and integration.uncovered(model) == {}
    # The other model of this process runs peft's forward again.
    again = step(theirs, x)
    assert all(same_bits(again[name], value) for name, value in expected_of_peft.items())
    assert integration.report(theirs).left == dict.fromkeys(layers, "enable() has not been called")
    with integration.enabled(), pytest.MonkeyPatch.context() as patched:
        for each in ("bnb.Linear4bit", "layer.Linear"):
            patched.setattr(f"peft.tuners.lora.{each}.forward", lambda self, x: x)
        assert integration.report(theirs).left == dict.fromkeys(layers, "another forward has replaced qfuse's")
    with integration.enabled():
        assert integration.report(theirs).replaced == dict.fromkeys(layers, "patch")
        assert same_bits(step(model, x)["y"], expected["y"])


def test_a_registered_adapter_is_saved_and_loaded_as_any(device, tmp_path):
    model, x = make(device, config=registered()), inputs(device)
    expected = step(model, x)["y"]
    model.save_pretrained(tmp_path / "adapter")
    plain = peft.PeftModel.from_pretrained(base_of(device), tmp_path / "adapter")
    assert type(plain.base_model.model.up) is LAYER
    config = integration.register(peft.LoraConfig.from_pretrained(tmp_path / "adapter"))
    found = peft.PeftModel.from_pretrained(base_of(device), tmp_path / "adapter", config=config)
    assert same_bits(step(found, x)["y"], expected)
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    assert same_bits(step(copy.deepcopy(torch.load(file, weights_only=False)), x)["y"], expected)


def base_of(device):
    torch.manual_seed(3)
    return Net().to(torch.bfloat16).to(device).train()


@pytest.mark.filterwarnings("ignore:Merge lora module")
def test_a_registered_adapter_is_merged_as_any(device):
    models, x = [make(device), make(device, config=registered())], inputs(device)
    expected, found = ([model.merge_adapter(), step(model, x)["y"]][1] for model in models)
    assert same_bits(found, expected)
    for model in models:
        model.unmerge_adapter()
    weights = [model.base_model.model.up.base_layer.weight.data for model in models]
    assert same_bits(*weights)
    merged = [model.merge_and_unload() for model in models]
    assert same_bits(merged[0].up.weight.data, merged[1].up.weight.data) and type(merged[1].up) is bnb.nn.Linear4bit


def test_a_registered_adapter_compiles_and_takes_a_second_one(device):
    model, x = make(device, config=registered()), inputs(device)
    expected = step(model, x)
    torch._dynamo.reset()
    with Calls("qfuse::matmul_4bit") as calls:
        found = step(torch.compile(model, backend="aot_eager"), x)
    assert calls.count > 0 and distance(found["y"], expected["y"]) < 1e-2
    two_adapters(model)
    model.eval()
    with Calls("qfuse::matmul_4bit") as calls:
        step(model, x)
    assert calls.count == 4 or device == "cuda"


@pytest.mark.parametrize("more", [dict(use_dora=True), dict(lora_bias=True)], ids=str)
def test_what_registered_layers_leave_is_pefts(device, more):
    theirs, model, x = make(device, **more), make(device, config=registered(**more)), inputs(device)
    expected, found = step(theirs, x), step(model, x)
    assert all(same_bits(found[name], value) for name, value in expected.items())
    report = integration.report(model)
    assert not report and set(report.left) == {"base_model.model.up", "base_model.model.down"}


def test_over_a_linear_of_qfuse(device):
    """The weight of a qfuse.nn.Linear4bit is its parameter."""
    net = Net().to(torch.bfloat16).to(device).train()
    for name in ("up", "down"):
        setattr(net, name, qfuse.nn.Linear4bit(getattr(net, name)))
    theirs = peft.get_peft_model(copy.deepcopy(net), peft.LoraConfig(**SETTINGS | dict(lora_alpha=RANK)))
    model = peft.get_peft_model(net, registered(lora_alpha=RANK))
    assert integration.report(model).replaced == dict.fromkeys(["base_model.model.up", "base_model.model.down"], "hook")
    assert theirs.state_dict().keys() == model.state_dict().keys()
    assert len(step(model, inputs(device))) == 4 + 2  # 4 gradients of factors, y and x


@pytest.mark.parametrize("how", ["by a patch", "by a hook"])
def test_in_float32_dora_that_does_nothing_is_lora(device, how):
    """To 1e-5, as peft's own tests want it: in float32, peft itself computes both LoRA and DoRA."""
    x, outputs = inputs(device, torch.float32), []
    for use_dora in (False, True):
        config = peft.LoraConfig(**SETTINGS, use_dora=use_dora)
        torch.manual_seed(3)
        net = Net(torch.float32).to(device).train()
        model = peft.get_peft_model(net, integration.register(config) if how == "by a hook" else config)
        with integration.enabled(), torch.no_grad():
            outputs.append(model(x))
    assert torch.allclose(*outputs, rtol=1e-5, atol=1e-8)
