"""Experts whose linear layers compressed-tensors has packed in 4 bits, as packed stacks under transformers and peft,
compared with the same weights decoded."""

import pytest
import torch
from safetensors.torch import load_file, save_file

import qfuse
from qfuse import versions

peft = pytest.importorskip("peft")
transformers = pytest.importorskip("transformers", versions.OLDEST["transformers"])
from experts_models import change_config, close, logits, stacks, tokens  # noqa: E402
from packed_models import FILE, KINDS, LargestFloats, published_deepseek, rewrite, same_arrays  # noqa: E402
from test_experts_peft import near, randomize, step  # noqa: E402

from qfuse.integrations.transformers import CompressedTensorsConfig  # noqa: E402

EXPERT = "model.layers.1.mlp.experts.2"
NAMES = ["int4_32", "nvfp4", "mxfp4"]


@pytest.fixture(scope="module", params=NAMES)
def checkpoint(request, tmp_path_factory):
    """A directory with the packed model, and one inside with the decoded model."""
    folder = tmp_path_factory.mktemp(request.param)
    plain = published_deepseek(folder, KINDS[request.param])
    (folder / "plain").mkdir()
    (folder / "plain" / "config.json").write_text((folder / "config.json").read_text())
    change_config(folder / "plain", quantization_config=None)
    save_file(plain, folder / "plain" / FILE, metadata={"format": "pt"})
    return folder


@pytest.fixture
def own(tmp_path):
    published_deepseek(tmp_path / "own", KINDS["nvfp4"])
    return tmp_path / "own"


def load(folder, dtype=torch.float32):
    config = CompressedTensorsConfig()
    return transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, quantization_config=config)


def plain(checkpoint, dtype=torch.float32):
    """In float32, the values that bfloat16 has: all codes times scales of the other formats are exact in it."""
    return transformers.AutoModelForCausalLM.from_pretrained(checkpoint / "plain", dtype=dtype)


def arrays_of(folder):
    """Without the router's, which some versions of transformers save in float32."""
    return {name: array for name, array in load_file(folder / FILE).items() if ".mlp.gate." not in name}


def test_stacks_have_the_values_of_the_experts(checkpoint):
    model, twin = load(checkpoint, torch.bfloat16), plain(checkpoint, torch.bfloat16)
    found = list(stacks(model))
    assert len(found) == 2
    for module, name, stack in found:
        assert not module._parameters[name].requires_grad and module._parameters[name].dtype != torch.bfloat16
        decoded = stack.weight(module._parameters[name]).dequantize()
        assert torch.equal(decoded, twin.model.layers[1].mlp.experts.get_parameter(name))
    assert close(logits(model.dequantize()), logits(twin))


def test_no_stack_is_decoded_in_loading(checkpoint, monkeypatch):
    monkeypatch.setenv("HF_DEACTIVATE_ASYNC_LOAD", "1")  # a dispatch mode sees only one thread
    with LargestFloats() as largest:
        load(checkpoint)
    assert largest.found <= 128 * 64 < 4 * 64 * 64  # of the embedding, and of a stack


def test_saving_writes_what_was_read(checkpoint, tmp_path):
    load(checkpoint, "auto").save_pretrained(tmp_path)
    assert same_arrays(arrays_of(tmp_path), arrays_of(checkpoint))
    assert torch.equal(logits(load(tmp_path)), logits(load(checkpoint)))


def test_dequantize_saves_an_ordinary_model(checkpoint, tmp_path):
    model = load(checkpoint, torch.bfloat16)
    model.dequantize()
    model.save_pretrained(tmp_path)
    assert same_arrays(arrays_of(tmp_path), arrays_of(checkpoint / "plain"))


def test_steps_are_those_of_peft_over_the_decoded_model(checkpoint, device):
    both = []
    for model in (load(checkpoint), load(checkpoint)):
        both.append(model.to(device))
    both[1].dequantize()
    names = ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"]
    config = peft.LoraConfig(r=3, lora_alpha=5, target_modules=["o_proj"], target_parameters=names)
    model, twin = (randomize(peft.get_peft_model(each, config)) for each in both)
    found = step(model)
    assert near(found, step(twin)) and sum("experts" in name for name in found) == 2 * 2
    assert torch.equal(tokens(model), tokens(twin))


def refused(folder, *words):
    with pytest.raises(ValueError) as raised:
        load(folder)
    assert all(word in str(raised.value) for word in words), raised.value


def test_other_experts_are_refused(own):
    stored = load_file(own / FILE)

    def without(name):
        def change(arrays):
            arrays.update(stored)
            arrays.pop(name)

        return change

    def with_array(name, array):
        return lambda arrays: arrays.update(stored | {name: array})

    wide = torch.zeros(64, 32, dtype=torch.uint8)
    for change, words in (
        (with_array(f"{EXPERT}.gate_proj.weight_global_scale", torch.ones(1)), ["two values of weight_global_scale"]),
        (with_array(f"{EXPERT}.up_proj.weight_packed", wide), [f"{EXPERT}.up_proj", "[64, 32]", "[32, 32]"]),
        (with_array(f"{EXPERT}.up_proj.input_global_scale", torch.ones(1)), ["[4, 4] experts", "2 forms"]),
        (without(f"{EXPERT}.up_proj.weight_scale"), ["weight_scale missing"]),
    ):
        rewrite(own, change)
        refused(own, *words)


def test_missing_experts_are_refused(own):
    def change(arrays):
        for leaf in ("packed", "scale", "global_scale"):
            del arrays[f"{EXPERT}.up_proj.weight_{leaf}"]

    rewrite(own, change)
    refused(own, "[4, 3] experts for model.layers.1.mlp.experts.gate_up_proj")


def test_experts_of_which_some_are_packed_are_refused(own):
    def change(arrays):
        for name in [name for name in arrays if "down_proj.weight_" in name and ".experts." in name]:
            array = arrays.pop(name)
            if name.endswith("packed"):
                rows, half = array.shape
                arrays[name.removesuffix("_packed")] = torch.zeros(rows, 2 * half, dtype=torch.bfloat16)

    rewrite(own, change)
    refused(own, "experts stay packed if all of a model's are", "down_proj is not", "dequantize=True")


def test_quantizing_them_again_leaves_them(own):
    with pytest.warns(UserWarning, match="it is in 4 bits already"):
        assert not qfuse.quantize_experts(load(own))
