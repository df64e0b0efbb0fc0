"""The integration with the real peft and bitsandbytes: what it covers, what it leaves to peft, and its accuracy."""

import copy
import importlib
import io

import pytest
import torch
from conftest import Calls, same_bits
from peft_models import (
    ALPHA,
    LAYER,
    ORIGINAL,
    RANK,
    SETTINGS,
    Net,
    bnb,
    checkpointed_step,
    distance,
    inputs,
    make,
    peft,
    randomize,
    step,
    two_adapters,
)

import qfuse
import qfuse.integrations.bitsandbytes
import qfuse.integrations.peft as integration
from qfuse.integrations import peft_forward


@pytest.fixture(autouse=True)
def leave_nothing_behind():
    yield
    integration.disable()
    assert LAYER.forward is ORIGINAL


def in_float64(model, dropout=lambda x: x):
    """The same model with its weights decoded and everything in fp64."""
    layers = {}
    for name in ("up", "down"):
        layer = getattr(model.base_model.model, name)
        base = layer.base_layer
        lora_a, lora_b = (part["default"].weight.detach().double() for part in (layer.lora_A, layer.lora_B))
        bias = None if base.bias is None else base.bias.detach().double()
        layers[name] = qfuse.dequantize_4bit(base).double(), bias, lora_a.requires_grad_(), lora_b.requires_grad_()

    def run(x):
        def linear(name, x):
            weight, bias, lora_a, lora_b = layers[name]
            return torch.nn.functional.linear(x, weight, bias) + ALPHA / RANK * (dropout(x) @ lora_a.t()) @ lora_b.t()

        leaf = x.double().requires_grad_()
        y = linear("down", torch.nn.functional.silu(linear("up", leaf)))
        y.square().mean().backward()
        parts = {
            f"base_model.model.{name}.lora_{part}.default.weight": layers[name][2 + i].grad
            for name in layers
            for i, part in enumerate("AB")
        }
        return {"y": y.detach(), "x": leaf.grad, **parts}

    return run


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_gradients_are_as_near_to_float64_as_those_of_peft_under_autocast(device, dtype):
    model, x = make(device, dtype), inputs(device, dtype)
    expected = in_float64(model)(x)
    with torch.autocast(device, dtype):
        peft_found = step(model, x)
    with integration.enabled(), Calls("qfuse::matmul_4bit") as calls:
        found = step(model, x)
    assert found.keys() == expected.keys() == peft_found.keys()
    assert calls.count == 4 or device == "cuda"
    assert integration.uncovered(model) == {}
    for name, value in expected.items():
        ours, theirs = distance(found[name], value), distance(peft_found[name], value)
        assert found[name].dtype == (dtype if name in ("x", "y") else torch.float32)
        assert ours <= theirs + 1e-6, (name, ours, theirs)


def test_gradients_are_those_of_checkpointing_and_of_a_second_step(device):
    model, x = make(device), inputs(device)
    with integration.enabled():
        expected = step(model, x)
        again = step(model, x)
        checkpointed = checkpointed_step(model, x)
    for name, value in expected.items():
        assert same_bits(again[name], value) and same_bits(checkpointed[name], value), name


def test_dropout_has_one_mask_in_both_directions(device, monkeypatch):
    """The dropout mask is known, and the adapter's output is as large as its base's."""
    model, x = make(device, lora_dropout=0.5), inputs(device)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.mul_(10)

    def masked(input, p=0.5, training=True, inplace=False):
        generator = torch.Generator().manual_seed(input.shape[-1])
        mask = torch.rand(input.shape, generator=generator) < 0.5
        return input * mask.to(input) * 2 if training else input

    monkeypatch.setattr(torch.nn.functional, "dropout", masked)
    expected = in_float64(model, masked)(x)
    with integration.enabled(), Calls("qfuse::matmul_4bit") as calls:
        found = step(model, x)
    assert calls.count == 4 or device == "cuda"
    for name, value in expected.items():
        assert distance(found[name], value) < 0.02, name
    with integration.enabled():
        model.eval()
        still = step(model, x)["y"]
    assert distance(still, in_float64(model)(x)["y"]) < 0.02 < distance(found["y"], still)


@pytest.mark.parametrize("given", [torch.float16, torch.bfloat16, torch.float32])
def test_results_under_autocast_have_the_dtype_of_peft(device, given, monkeypatch):
    model, x = make(device, given), inputs(device, given)
    enabled = torch.is_autocast_enabled
    if device == "cpu":  # peft asks for CUDA's autocast, wherever its tensors are
        monkeypatch.setattr(torch, "is_autocast_enabled", lambda *kind: enabled(*kind) if kind else True)
    with torch.autocast(device, torch.bfloat16):
        expected = step(model, x)
        with integration.enabled():
            found = step(model, x)
    assert {name: it.dtype for name, it in found.items()} == {name: it.dtype for name, it in expected.items()}
    assert distance(found["y"], expected["y"]) < 0.02


def test_autocast_and_inputs_in_float32(device):
    model, x = make(device), inputs(device, torch.float32)
    expected = in_float64(model)(x)
    with integration.enabled(), torch.autocast(device, torch.bfloat16):
        found = step(model, x)
    assert found["y"].dtype == found["x"].dtype == torch.float32  # as from bitsandbytes' own layer
    for name, value in expected.items():
        assert distance(found[name], value) < 0.02, name


def test_prepared_for_kbit_training(device):
    torch.manual_seed(3)
    net = peft.prepare_model_for_kbit_training(Net().to(torch.bfloat16).to(device).train(), False)
    model = peft.get_peft_model(net, peft.LoraConfig(**SETTINGS))
    randomize(model)
    x = inputs(device, torch.float32)
    with integration.enabled(), Calls("qfuse::matmul_4bit") as calls:
        found = step(model, x)
    assert calls.count > 0
    for name, value in step(model, x).items():
        assert distance(found[name], value) < 0.02, name


def test_prepared_by_accelerate(device):
    accelerate = pytest.importorskip("accelerate")
    model, x = make(device), inputs(device)
    with integration.enabled(), torch.autocast(device, torch.bfloat16):
        expected = step(model, x)
    accelerate.state.AcceleratorState._reset_state(reset_partial_state=True)  # else the first test's device stays
    prepared = accelerate.Accelerator(cpu=device == "cpu", mixed_precision="bf16").prepare(model)
    assert integration.uncovered(prepared) == {}
    with integration.enabled():
        found = step(prepared, x)
    assert all(same_bits(found[name], value) for name, value in expected.items() if name != "y")


def test_compiles(device):
    model, x = make(device), inputs(device)
    with integration.enabled():
        expected = step(model, x)
        torch._dynamo.reset()
        compiled = torch.compile(model, backend="aot_eager")
        found = step(compiled, x)
    for name, value in expected.items():
        assert (
            distance(found[name.replace("base_model", "_orig_mod.base_model")], value) < 1e-2
            if "lora" in name
            else (distance(found[name], value) < 1e-2)
        ), name


def check_near_peft(model, x):
    """Checks that qfuse covers the model, and that its step is near peft's under autocast; returns the step."""
    with torch.autocast(x.device.type, torch.bfloat16):
        expected = step(model, x)
    with integration.enabled(), Calls("qfuse::matmul_4bit") as calls:
        assert integration.uncovered(model) == {}
        found = step(model, x)
    assert calls.count == 4 or x.device.type == "cuda"
    assert found.keys() == expected.keys()
    assert all(distance(found[name], value) < 2e-2 for name, value in expected.items())
    return found


def test_a_model_that_was_quantized_by_hand(device):
    """Without is_loaded_in_4bit, peft puts its generic layer over a Linear4bit."""
    net = Net().to(torch.bfloat16).to(device).train()
    net.is_loaded_in_4bit = False
    model, x = peft.get_peft_model(net, peft.LoraConfig(**SETTINGS)), inputs(device)
    randomize(model)
    assert type(model.base_model.model.up) is importlib.import_module("peft.tuners.lora.layer").Linear
    check_near_peft(model, x)
    model.base_model.disable_adapter_layers()
    assert set(integration.uncovered(model)) == {"base_model.model.up", "base_model.model.down"}


def test_several_adapters_are_one_of_more_ranks(device):
    model, x = make(device), inputs(device)
    two_adapters(model)
    model.eval()
    assert any("second" in name for name in check_near_peft(model, x))


def test_a_scaling_that_is_trained(device):
    model, x = make(device), inputs(device)
    scaling = torch.nn.Parameter(torch.tensor(ALPHA / RANK, device=device))
    model.base_model.model.up.scaling["default"] = scaling
    step(model, x)
    expected, scaling.grad = scaling.grad, None
    with integration.enabled():
        assert integration.uncovered(model) == {}
        step(model, x)
    assert distance(scaling.grad, expected) < 2e-2


def test_a_merge_in_inference_mode_leaves_a_model_that_trains(device):
    """Merge, generate, unmerge, train on, as reinforcement learning does (trl#2983)."""
    model, x = make(device), inputs(device)
    with integration.enabled(), qfuse.integrations.bitsandbytes.enabled(matmul=True):
        with torch.inference_mode():
            model.merge_adapter()
            model(x)
            model.unmerge_adapter()
        assert model.base_model.model.up.base_layer.weight.is_inference()
        found = step(model, x)
    assert all(value.abs().sum() > 0 for value in found.values()) and len(found) == 6


@pytest.fixture
def mesh(tmp_path):
    """A device mesh of only this process."""
    distributed = torch.distributed
    distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    yield distributed.device_mesh.init_device_mesh("cpu", (1,))
    distributed.destroy_process_group()


@pytest.mark.parametrize("storage", [torch.uint8, torch.bfloat16])
@pytest.mark.parametrize("each", [False, True], ids=["a model", "each layer"])
def test_under_fsdp(mesh, storage, each):
    """FSDP makes the weight a plain tensor; its quant_state stays with the layer."""
    from torch.distributed.fsdp import fully_shard

    net = Net().train()
    for layer in (net.up, net.down):
        layer.quant_storage = layer.weight.quant_storage = storage
    model = peft.get_peft_model(net.to(torch.bfloat16).to("cpu"), peft.LoraConfig(**SETTINGS))
    randomize(model)
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data = parameter.data.bfloat16()  # FSDP needs one dtype for all trained parameters
    try:
        for layer in (model.base_model.model.up, model.base_model.model.down) if each else ():
            fully_shard(layer, mesh=mesh)
        fully_shard(model, mesh=mesh)
        x = inputs("cpu")
        expected = step(model, x)
    except (RuntimeError, ValueError) as error:
        pytest.skip(f"this torch does not shard such a weight: {error}")
    assert type(model.base_model.model.up.base_layer.weight) is not bnb.nn.Params4bit
    with integration.enabled(), Calls("qfuse::matmul_4bit") as calls:
        found = step(model, x)
    assert calls.count == 4 and found.keys() == expected.keys()
    local = [{name: getattr(t, "to_local", lambda t=t: t)() for name, t in each.items()} for each in (found, expected)]
    assert all(distance(local[0][name], value) < 2e-2 for name, value in local[1].items())


def test_a_copy_of_a_loaded_model_can_be_merged_after_a_step(device):
    """Loading and copying turn a Params4bit into a plain parameter, which bitsandbytes' forward repairs."""
    model, x = make(device), inputs(device)
    expected = step(model, x)["y"]
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    model = copy.deepcopy(torch.load(file, weights_only=False))
    with integration.enabled():
        step(model, x)
        again = copy.deepcopy(model)
        again.base_model.model.up.merge()
    assert distance(step(again, x)["y"], expected) < 0.2  # a merge rounds to four bits


def test_over_a_repacked_weight():
    """bitsandbytes' own product of a repacked weight has no gradients (bitsandbytes#2078)."""
    model, x = make("cpu"), inputs("cpu")
    base = model.base_model.model.down.base_layer
    base.weight.data, _ = bnb.functional._convert_weight_packed_for_cpu(base.weight.data, base.weight.quant_state)
    with integration.enabled(), pytest.warns(UserWarning, match="has repacked a weight"):
        found = step(model, x)
    assert len(found) == 6 and all(value.abs().sum() > 0 for value in found.values())


# ---- what is left to peft


def hooked(model):
    model.base_model.model.up.lora_A["default"].register_forward_hook(lambda *args: None)


def moved_forward(model):
    base = model.base_model.model.up.base_layer
    base.forward = base.forward


class Louder(bnb.nn.Linear4bit):
    """A layer class of the user's own."""

    def forward(self, x):
        return 2 * super().forward(x)


def other_class(model):
    model.base_model.model.up.base_layer.__class__ = Louder


def over_another_adapter(model):
    up = model.base_model.model.up
    config = peft.IA3Config(target_modules=["up"], feedforward_modules=[])
    inner = peft.get_peft_model(Net().to(torch.bfloat16).to(up.base_layer.weight.device).train(), config)
    up.base_layer = inner.base_model.model.up


def dropout_in_place(model):
    model.base_model.model.up.lora_dropout["default"] = torch.nn.Dropout(0.0, inplace=True)


def in_float32(model):
    model.base_model.model.up.base_layer.compute_dtype = torch.float32


class Twice(torch.nn.Module):
    def forward(self, weight):
        return 2 * weight


def parametrized(model):
    torch.nn.utils.parametrize.register_parametrization(model.base_model.model.up.lora_A["default"], "weight", Twice())


LEFT = {
    "disabled": (lambda model: model.base_model.disable_adapter_layers(), {}, "disabled"),
    "merged": (lambda model: model.base_model.model.up.merge(), {}, "merged"),
    "two of them with dropouts": (two_adapters, dict(lora_dropout=0.1), "2 of its adapters are active"),
    "DoRA": (lambda model: None, dict(use_dora=True), "DoRA"),
    "a bias": (lambda model: None, dict(lora_bias=True), "bias"),
    "a hook": (hooked, {}, "hooks"),
    "another forward": (moved_forward, {}, "hooks"),
    "another class": (other_class, {}, "its base layer is a test_peft.Louder"),
    "another adapter below": (over_another_adapter, {}, "its base layer is a peft"),
    "float32": (in_float32, {}, "it computes in float32"),
    "a parametrization": (parametrized, {}, "parametrization"),
    "a dropout in place": (dropout_in_place, {}, "its dropout is Dropout(p=0.0, inplace=True)"),
}


def test_a_model_without_4_bits_is_named(device):
    """A model whose 4-bit layers have no adapter is named, too; else its report would name no layers at all."""
    dense = torch.nn.Sequential(torch.nn.Linear(8, 8))
    adapted = peft.get_peft_model(dense, peft.LoraConfig(r=2, target_modules=["0"]))
    assert integration.uncovered(adapted) == {"PeftModel": "no layer of this model is in 4 bits"}
    assert "no layer of this model is in 4 bits" in str(integration.report(adapted))
    bare = make(device).unload()
    assert list(integration.uncovered(bare).values()) == ["no adapter of LoRA's is over a layer in 4 bits"]


@pytest.mark.filterwarnings("ignore:Merge lora module")
@pytest.mark.parametrize("what", LEFT)
def test_what_is_not_covered_goes_to_peft_unchanged(what, device):
    change, settings, reason = LEFT[what]
    model, x = make(device, **settings), inputs(device)
    change(model)
    expected = step(model, x) if what != "disabled" else {"y": model(x)}
    left = integration.uncovered(model)
    assert "base_model.model.up" in left and reason in left["base_model.model.up"]
    with integration.enabled():
        found = step(model, x) if what != "disabled" else {"y": model(x)}
        layer = model.base_model.model.up
        torch.manual_seed(6)
        y = layer(x)
    torch.manual_seed(6)
    assert same_bits(y, layer(x))
    if set(left) == {"base_model.model.up", "base_model.model.down"}:
        assert all(same_bits(found[name], value) for name, value in expected.items())


def test_a_forward_that_was_replaced_in_its_class_is_called(device, monkeypatch):
    model, x = make(device), inputs(device)
    forward = bnb.nn.Linear4bit.forward
    monkeypatch.setattr(bnb.nn.Linear4bit, "forward", lambda self, x: 2 * forward(self, x))
    expected = step(model, x)
    with integration.enabled():
        found = step(model, x)
    assert integration.uncovered(model).keys() == {"base_model.model.up", "base_model.model.down"}
    assert all(same_bits(found[name], value) for name, value in expected.items())


def test_a_float32_layer_follows_autocast(device):
    model, x = make(device, torch.float32), inputs(device, torch.float32)
    seen = []
    multiply = peft_forward.multiply_with_lora
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(peft_forward, "multiply_with_lora", lambda x, *more: seen.append(x.dtype) or multiply(x, *more))
        with integration.enabled(), torch.autocast(device, torch.bfloat16):
            assert step(model, x)["y"].dtype == torch.float32
    assert seen == [torch.bfloat16] * 2


def test_a_call_for_which_bitsandbytes_is_faster_goes_to_peft(device, monkeypatch):
    """Only a call that needs no gradient goes to peft."""
    model, x = make(device), inputs(device)
    model.eval()
    multiply, calls = peft_forward.multiply_with_lora, []
    monkeypatch.setattr(peft_forward, "multiply_with_lora", lambda *all: calls.append(all) or multiply(*all))
    monkeypatch.setattr(peft_forward, "is_slower_than_bitsandbytes", lambda *call: True)
    with torch.no_grad():
        expected = model(x)
        with integration.enabled():
            assert same_bits(model(x), expected) and not calls
    with integration.enabled():
        model(x)
    assert len(calls) == 2


def test_mixed_batches_go_to_peft(device):
    model, x = make(device), inputs(device)
    model.eval()
    layer = model.base_model.model.up
    expected = layer(x, adapter_names=["default", "__base__"])
    with integration.enabled():
        assert same_bits(layer(x, adapter_names=["default", "__base__"]), expected)


# ---- the integration itself


def test_enable_reports_and_disable_puts_back(device):
    report = integration.enable()
    assert report.replaced == dict.fromkeys(
        ["peft.tuners.lora.bnb.Linear4bit.forward", "peft.tuners.lora.layer.Linear.forward"], "patch"
    )
    assert not report.left
    assert LAYER.forward is not ORIGINAL
    integration.disable()
    assert LAYER.forward is ORIGINAL
    with integration.enabled() as report:
        assert report and LAYER.forward is not ORIGINAL
    assert LAYER.forward is ORIGINAL


def test_without_the_adapter_the_bits_are_those_of_the_base(device):
    """B is zero before the first step: nothing is added."""
    model, x = make(device), inputs(device)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.zero_()
    base = copy.deepcopy(model).unload()
    with integration.enabled(), qfuse.integrations.bitsandbytes.enabled(matmul=True):
        assert same_bits(step(model, x)["y"], step(base, x)["y"])
