"""compressed-tensors' checkpoints in 4 bits as published, packed under the real transformers and peft, compared with
the same weights decoded."""

import copy
import importlib.util

import pytest
import torch
from conftest import GOLDEN, same_bits
from safetensors.torch import load_file

import qfuse
from qfuse import versions

peft = pytest.importorskip("peft")
transformers = pytest.importorskip("transformers", versions.OLDEST["transformers"])
from experts_models import change_config, close, logits, tokens  # noqa: E402
from packed_models import (  # noqa: E402
    FILE,
    KINDS,
    decoded,
    plain_model,
    published,
    quantization_config,
    reconfigure,
    rewrite,
    same_arrays,
    tiny_llama,
)
from test_experts_peft import near, randomize, same, step  # noqa: E402

import qfuse.integrations.peft as integration  # noqa: E402
from qfuse.integrations.transformers import CompressedTensorsConfig  # noqa: E402
from qfuse.layers.packed_linear import PackedLinear  # noqa: E402

Q_PROJ = "model.layers.1.self_attn.q_proj"


@pytest.fixture(scope="module", params=KINDS)
def checkpoint(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    published(folder, KINDS[request.param])
    return folder


@pytest.fixture
def own(tmp_path):
    """A copy that a test may modify, in NVFP4."""
    published(tmp_path / "own", KINDS["nvfp4"])
    return tmp_path / "own"


def load(folder, dtype=torch.float32, **more):
    settings = dict(dtype=dtype, quantization_config=CompressedTensorsConfig())
    return transformers.AutoModelForCausalLM.from_pretrained(folder, **settings | more)


def packed_layers(model):
    return {name: module for name, module in model.named_modules() if isinstance(module, PackedLinear)}


def config(**more):
    settings = dict(r=3, lora_alpha=5, target_modules="all-linear")
    return peft.LoraConfig(**settings | more)


def pair(folder, device="cpu", dtype=torch.float32, **more):
    models = load(folder, dtype).to(device), plain_model(folder, dtype).to(device)
    return [randomize(peft.get_peft_model(model, config(**more))) for model in models]


# Loading


def test_bytes_are_those_of_the_files(checkpoint, device):
    model, arrays = load(checkpoint, torch.bfloat16, device_map=device), load_file(checkpoint / FILE)
    layers = packed_layers(model)
    assert len(layers) == 2 * 7 and same_arrays(model.state_dict(), arrays)
    for name, layer in layers.items():
        stored = {key.removeprefix(f"{name}."): array for key, array in arrays.items() if key.startswith(f"{name}.")}
        assert same_bits(layer.weight.dequantize(), decoded(stored, torch.bfloat16))
        assert same_bits(qfuse.dequantize_4bit(layer, dtype=torch.float32), decoded(stored, torch.float32))
        assert not layer.weight_packed.requires_grad and layer.weight_packed.device.type == device
    assert model.hf_quantizer.is_trainable


@pytest.mark.parametrize("name", ["nvfp4", "mxfp4"])
def test_golden_files_of_compressed_tensors(name):
    folder = GOLDEN / "scaled_4bit" / name
    model, expected = load(folder, "auto"), load_file(folder / "decoded.safetensors")
    layers = packed_layers(model)
    assert len(layers) == 7 and same_arrays(model.state_dict(), load_file(folder / FILE))
    for module, layer in layers.items():
        assert same_bits(layer.weight.dequantize(), expected[f"{module}.weight"])


@pytest.mark.skipif(importlib.util.find_spec("compressed_tensors") is None, reason="needs compressed-tensors")
def test_transformers_own_decoding(checkpoint):
    """compressed-tensors decodes to bfloat16, to which it rounds like qfuse."""
    theirs = load(checkpoint, torch.bfloat16, quantization_config=transformers.CompressedTensorsConfig(dequantize=True))
    for name, layer in packed_layers(load(checkpoint, torch.bfloat16)).items():
        assert same_bits(layer.weight.dequantize(), theirs.get_submodule(name).weight)


# Saving


# Training


@pytest.fixture
def enabled():
    with integration.enabled():
        yield


def test_the_fused_product_computes_the_layers(checkpoint, device, enabled):
    """In bfloat16, over a float64 twin: the error is at most twice that of peft's own over the decoded weights, in
    which t, B·t and their sum with the base product are rounded one by one, plus 1 % for a near-zero gradient."""
    model, twin = pair(checkpoint, device, torch.bfloat16)
    assert integration.uncovered(model) == {} and len(integration.report(model).replaced) == 2 * 7
    exact_model = copy.deepcopy(twin).double()
    found, naive, exact = (step(each) for each in (model, twin, exact_model))
    assert found.keys() == naive.keys() == exact.keys()
    for name in found:
        error, own = ((each[name].double() - exact[name]).norm() for each in (found, naive))
        assert error <= 2 * own + 0.01 * exact[name].norm(), name


def test_layers_that_register_makes(checkpoint):
    model = peft.get_peft_model(load(checkpoint, torch.bfloat16), integration.register(config()))
    assert set(integration.report(model).replaced.values()) == {"hook"}
    expected = peft.get_peft_model(load(checkpoint, torch.bfloat16), config())
    found = step(randomize(model))
    with integration.enabled():
        assert same(found, step(randomize(expected)))


@pytest.mark.parametrize(
    "more", [{"use_rslora": True, "r": 8}, {"target_modules": ["q_proj", "down_proj"]}, {"lora_dropout": 0.5}]
)
def test_settings_are_those_of_peft(checkpoint, more):
    model, twin = pair(checkpoint, **more)
    found = []
    for each in (model.train(), twin.train()):
        torch.manual_seed(9)  # for dropouts
        found.append(step(each))
    assert near(*found)


def test_prepared_for_training(checkpoint):
    """peft casts what is in 16 bits, and only that."""
    model = peft.prepare_model_for_kbit_training(load(checkpoint, torch.bfloat16))
    kept = {name: array for name, array in model.state_dict().items() if ".weight_" in name}
    stored = load_file(checkpoint / FILE)
    assert same_arrays(kept, {name: stored[name] for name in kept}) and len(kept) >= 2 * 2 * 7
    assert model.lm_head.weight.dtype is torch.float32


def test_losses_of_a_training(checkpoint, device, enabled):
    """AdamW divides a gradient by its own size, so that it moves a weight whose gradient is rounding noise as far as
    any other: the losses of two models that differ by roundings drift apart with each step. Here each differs from a
    float64 twin's by at most 2**-8, bfloat16's rounding, per step and layer."""
    model, twin = pair(checkpoint, device, torch.bfloat16)
    exact = copy.deepcopy(twin).double()
    losses = [_losses(each.train(), steps=4) for each in (model, exact)]
    assert losses[1][-1] < losses[1][0] - 0.05
    for step_number, (found, expected) in enumerate(zip(*losses, strict=True)):
        assert abs(found - expected) <= 2**-8 * 2 * (step_number + 1) * expected


def _losses(model, steps):
    optimizer = torch.optim.AdamW([each for each in model.parameters() if each.requires_grad], lr=2e-3)
    found = []
    for _ in range(steps):
        loss = model(input_ids=tokens(model), labels=tokens(model)).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        found.append(loss.item())
    return found


def test_merging_into_codes_is_refused(checkpoint):
    model, _ = pair(checkpoint)
    before = model.base_model.model.state_dict()
    with pytest.raises(
        NotImplementedError, match="peft's LoRA cannot be merged into it: save the adapter, and merge it"
    ):
        model.merge_and_unload()
    assert same_arrays(before, model.base_model.model.state_dict()) and len(packed_layers(model.unload())) == 14


def test_methods_that_compute_with_the_weight_are_refused(own):
    with pytest.raises(NotImplementedError, match="peft's DoRA"):
        peft.get_peft_model(load(own), config(use_dora=True))


# Activations


def test_quantized_activations_are_left_out_and_kept(own, tmp_path):
    published(own, KINDS["nvfp4"], activations=True)
    rewrite(own, lambda arrays: arrays.update({"model.layers.0.self_attn.k_scale": torch.tensor([0.25])}))
    with pytest.warns(UserWarning, match="meant for activations in 4 bits; here they keep the model's dtype"):
        model = load(own, "auto")
    assert close(logits(load(own)), logits(plain_model(own, torch.float32)))
    model.save_pretrained(tmp_path / "saved")
    assert same_arrays(load_file(tmp_path / "saved" / FILE), load_file(own / FILE))


# Refusals


def refused(folder, *words, **more):
    with pytest.raises(ValueError) as raised:
        load(folder, **more)
    assert all(word in str(raised.value) for word in words), raised.value


def put(name, array):
    return lambda arrays: arrays.update({name: array})


def drop(name):
    return lambda arrays: arrays.pop(name)


def packing(module):
    def change(arrays):
        for leaf in ("packed", "scale", "global_scale"):
            arrays[f"{module}.weight_{leaf}"] = arrays[f"{Q_PROJ}.weight_{leaf}"].clone()
        del arrays[f"{module}.weight"]

    return change


@pytest.mark.parametrize(
    "change, words",
    [
        (put(f"{Q_PROJ}.weight_zero_point", torch.zeros(16, 8, dtype=torch.int32)), ["zero points", "`qfuse"]),
        (put(f"{Q_PROJ}.weight_g_idx", torch.zeros(128, dtype=torch.int32)), ["act-order", "dequantize=True"]),
        (put(f"{Q_PROJ}.weight_other", torch.zeros(1)), ["weight_other"]),
        (drop(f"{Q_PROJ}.weight_scale"), ["weight_scale missing", "download"]),
        (drop(f"{Q_PROJ}.weight_global_scale"), ["weight_global_scale missing"]),
        (drop(f"{Q_PROJ}.weight_packed"), ["q_proj.weight_scale without weight_packed"]),
        (drop(f"{Q_PROJ}.bias"), [f"no {Q_PROJ}.bias"]),
        (put(f"{Q_PROJ}.weight_packed", torch.zeros(128, 96, dtype=torch.uint8)), ["[128, 96]", "[128, 64]"]),
        (put(f"{Q_PROJ}.weight_scale", torch.zeros(128, 4).to(torch.float8_e4m3fn)), ["4 scales in a row of 128"]),
        (put(f"{Q_PROJ}.weight_global_scale", torch.ones(2)), ["neither INT4 nor NVFP4"]),
        (put("model.layers.1.other.weight_packed", torch.zeros(1)), []),
    ],
)  # fmt: skip
def test_other_files_are_refused(own, change, words):
    rewrite(own, change)
    if not words:  # what the model does not have is transformers' own affair
        load(own)
        return
    refused(own, Q_PROJ.rpartition(".")[2], *words)


def test_other_groups_and_shapes_are_refused(tmp_path):
    published(tmp_path, KINDS["int4_32"])
    stored = load_file(tmp_path / FILE)
    for leaf, array, words in (
        ("weight_scale", torch.zeros(128, 8, dtype=torch.bfloat16), ["8 scales in a row of 128", "power of two"]),
        ("weight_scale", torch.zeros(128, 0, dtype=torch.bfloat16), ["0 scales in a row of 128"]),
        ("weight_scale", torch.zeros(128, dtype=torch.bfloat16), ["weight_scale [128]"]),
        ("weight_packed", torch.zeros(128, 32, dtype=torch.int32), ["weight_packed [128, 32]", "[128, 16]"]),
        ("weight_shape", torch.tensor([128, 120]), ["weight_shape is [128, 120]", "[128, 128]"]),
    ):
        rewrite(tmp_path, lambda arrays, leaf=leaf, array=array: arrays.update(stored | {f"{Q_PROJ}.{leaf}": array}))
        refused(tmp_path, Q_PROJ, *words)


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"format": "marlin-24"}, ['format "marlin-24"', "dequantize=True"]),
        ({"transform_config": {"config_groups": {"R1": {}}}}, ["transforms (R1)", "dequantize=True"]),
        ({"sparsity_config": {"format": "sparse-24-bitmask"}}, ["sparse-24-bitmask"]),
    ],
)
def test_other_formats_are_refused(own, fields, words):
    if importlib.util.find_spec("compressed_tensors") is not None:
        pytest.skip("compressed-tensors reads config.json, and checks it first")
    reconfigure(own, **fields)
    refused(own, *words)


def test_a_checkpoint_without_packed_weights_is_refused(tmp_path):
    tiny_llama().save_pretrained(tmp_path)
    refused(tmp_path, "nothing packed is there to be kept", "BitsAndBytesConfig")
    change_config(tmp_path, quantization_config=quantization_config(KINDS["nvfp4"]))
    refused(tmp_path, "the files have no weight_packed", "without this CompressedTensorsConfig")


def test_a_layer_that_is_not_linear_is_refused(own):
    """transformers would draw its weight."""
    rewrite(own, packing("model.embed_tokens"))
    refused(own, "the files have model.embed_tokens in 4 bits", "model.embed_tokens.weight, which is in no file")


def test_a_tied_head_is_refused(own):
    rewrite(own, packing("lm_head"))
    load(own)
    change_config(own, tie_word_embeddings=True)
    refused(own, "lm_head is packed, though config.json ties it")


def test_a_plan_for_several_ranks_is_refused(own):
    settings = transformers.AutoConfig.from_pretrained(own)
    settings.distributed_config = transformers.distributed.DistributedConfig()
    refused(own, "a distributed_config cannot share out packed weights", config=settings)


def test_the_config_can_be_printed(own):
    model = load(own)
    assert "compressed-tensors" in repr(CompressedTensorsConfig()) + repr(model.config.quantization_config)
    assert f"quant_type={KINDS['nvfp4'].quant_type}" in repr(model)


def test_transformers_own_config_is_left_alone(own):
    if importlib.util.find_spec("compressed_tensors") is None:
        with pytest.raises(ImportError, match="compressed_tensors"):
            transformers.AutoModelForCausalLM.from_pretrained(own)
        return
    assert not packed_layers(transformers.AutoModelForCausalLM.from_pretrained(own))
