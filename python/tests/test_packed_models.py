"""What holds for both kinds of packed checkpoints, gpt-oss' experts and compressed-tensors' layers, under the real
transformers and peft, compared with the same weights decoded. LoRA over them is that over experts which
qfuse.quantize_experts has quantized, too."""

import copy
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from conftest import same_bits
from safetensors.torch import load_file

import qfuse
from qfuse import versions

peft = pytest.importorskip("peft")
transformers = pytest.importorskip("transformers", versions.OLDEST["transformers"])
import test_experts_mxfp4 as experts  # noqa: E402
import test_packed as layers  # noqa: E402
from experts_models import close, decoded, gpt_oss, logits, mixtral, published_gpt_oss, tokens  # noqa: E402
from packed_models import FILE, KINDS, LargestFloats, plain_model, published, same_arrays  # noqa: E402
from test_experts_peft import adapter, near, randomize, same, step  # noqa: E402


class Packed(NamedTuple):
    """load, decoded: give the model of a directory, or of what makes a plain one, in a dtype, by default float32.
    by_command: decoded, but with the values that `qfuse dequantize` gives. config: gives a LoraConfig with this number
    of factors. elements: of the largest weight."""

    load: Callable
    decoded: Callable
    by_command: Callable
    config: Callable
    factors: int
    elements: int
    folder: Path | Callable | None = None

    def pair(self, device="cpu", **more):
        """Returns the packed and the decoded model, with the same adapter."""
        models = self.load(self.folder).to(device), self.decoded(self.folder).to(device)
        return [randomize(peft.get_peft_model(model, self.config(**more))) for model in models]


OF_EXPERTS = Packed(experts.load, experts.decoded, experts.decoded, experts.config, 2 * 2 * 3, 4 * 64 * 192)
OF_LAYERS = Packed(
    layers.load,
    plain_model,
    lambda folder: plain_model(folder, decoded_to=torch.bfloat16),
    layers.config,
    2 * 2 * 7,
    256 * 128,
)


def quantized(make):
    model = make()
    qfuse.quantize_experts(model)
    return model


IN_MEMORY = {
    f"quantized {make.__name__}": OF_EXPERTS._replace(
        load=quantized, decoded=lambda make: decoded(quantized(make)), folder=make
    )
    for make in (mixtral, gpt_oss)
}
FILES = ["gpt_oss", *KINDS]
of_lora = pytest.mark.parametrize("packed", [*FILES, *IN_MEMORY], indirect=True)


@pytest.fixture(scope="module", params=FILES)
def packed(request, tmp_path_factory):
    if request.param in IN_MEMORY:
        return IN_MEMORY[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "gpt_oss":
        published_gpt_oss(folder)
        return OF_EXPERTS._replace(folder=folder)
    published(folder, KINDS[request.param])
    return OF_LAYERS._replace(folder=folder)


def packed_arrays(model):
    """Returns those that no cast may change."""
    kept = model.state_dict().items()
    return {name: array.clone() for name, array in kept if ".weight_" in name or array.dtype is torch.uint8}


def dtypes(model):
    """Returns the dtypes to which the weights decode."""
    stacks = {stack.dtype for _, _, stack in experts.stacks(model)}
    return stacks | {layer.weight.dtype for layer in layers.packed_layers(model).values()}


# Loading


def test_no_weight_is_decoded_in_loading(packed, monkeypatch):
    monkeypatch.setenv("HF_DEACTIVATE_ASYNC_LOAD", "1")  # a dispatch mode sees only one thread
    with LargestFloats() as of_decoding:
        packed.decoded(packed.folder)
    with LargestFloats() as largest:
        packed.load(packed.folder)
    assert largest.found < packed.elements <= of_decoding.found


def test_outputs_are_those_of_the_decoded_model(packed, device):
    model, twin = (make(packed.folder).to(device) for make in (packed.load, packed.decoded))
    assert close(logits(model), logits(twin))
    found, expected = (
        each.generate(tokens(each), max_new_tokens=16, do_sample=False, pad_token_id=0) for each in (model, twin)
    )
    assert torch.equal(found, expected)


@pytest.mark.parametrize("dtype", ["auto", torch.float16, None])
def test_dtypes(packed, dtype):
    model = packed.load(packed.folder, dtype)
    expected = torch.float16 if dtype is torch.float16 else torch.bfloat16
    assert dtypes(model) == {model.dtype} == {expected}
    assert logits(model).dtype is expected


def test_a_change_of_dtype_leaves_the_bytes(packed):
    model = packed.load(packed.folder, torch.bfloat16)
    before = packed_arrays(model)
    model.to(torch.float32)
    assert dtypes(model) == {torch.float32} and same_arrays(packed_arrays(model), before)
    assert close(logits(model), logits(packed.load(packed.folder)))
    with pytest.raises(ValueError, match=r"cast to torch\.float16"):
        model.type(torch.float16)


def test_layers_on_disk(packed, tmp_path):
    """accelerate loads these layers for each forward."""
    pytest.importorskip("accelerate")
    places = {"model.embed_tokens": "cpu", "model.layers.0": "cpu", "model.layers.1": "disk", "model.norm": "cpu"}
    places |= {"model.rotary_emb": "cpu", "lm_head": "cpu"}
    model = packed.load(packed.folder, device_map=places, offload_folder=tmp_path / "offload")
    assert all(parameter.is_meta for parameter in model.model.layers[1].mlp.parameters())
    expected = logits(packed.load(packed.folder))
    assert same_bits(logits(model), expected)
    model.save_pretrained(tmp_path / "saved")
    assert same_bits(logits(packed.load(tmp_path / "saved")), expected)


# Saving


@pytest.mark.parametrize("shards", ["10GB", "40KB"])
def test_saving_writes_what_was_read(packed, tmp_path, shards):
    packed.load(packed.folder, "auto").save_pretrained(tmp_path, max_shard_size=shards)
    files = list(tmp_path.glob("*.safetensors"))
    assert (len(files) == 1) == (shards == "10GB")
    found = {name: array for file in files for name, array in load_file(file).items()}
    assert same_arrays(found, load_file(packed.folder / FILE))
    stored, published = (
        json.loads((folder / "config.json").read_text())["quantization_config"] for folder in (tmp_path, packed.folder)
    )
    if importlib.util.find_spec("compressed_tensors") is None or "config_groups" not in published:
        assert stored == published
    else:  # which adds its defaults
        weights, expected = (each["config_groups"]["group_0"]["weights"].items() for each in (stored, published))
        assert weights >= expected
    assert "qfuse" not in (tmp_path / "config.json").read_text()
    assert same_bits(logits(packed.load(tmp_path)), logits(packed.load(packed.folder)))


def test_state_dicts_of_torch(packed):
    model, other = packed.load(packed.folder), packed.load(packed.folder)
    state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    for tensor in other.state_dict().values():
        tensor.zero_()
    other.load_state_dict(state)
    assert same_bits(logits(other), logits(model)) and same_bits(logits(copy.deepcopy(other)), logits(model))


def test_dequantize_makes_a_model_of_transformers_own(packed, tmp_path):
    """For users who want to merge in memory."""
    model, expected = (make(packed.folder, torch.bfloat16) for make in (packed.load, packed.decoded))
    model.dequantize()
    assert same(model.state_dict(), expected.state_dict()) and not dtypes(model)
    model.save_pretrained(tmp_path)
    plain = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.bfloat16)
    assert same(plain.state_dict(), expected.state_dict())
    adapted = randomize(peft.get_peft_model(model, packed.config()))
    before = logits(adapted)
    assert (logits(adapted.merge_and_unload()) - before).norm() < 0.02 * before.norm()


# Training


@of_lora
def test_steps_are_those_of_peft_over_the_decoded_model(packed, device):
    model, twin = packed.pair(device)
    found = step(model)
    assert near(found, step(twin)) and sum("lora_" in name for name in found) == packed.factors
    shapes = [{name: each.shape for name, each in adapter(of).items()} for of in (model, twin)]
    assert shapes[0] == shapes[1]


@of_lora
@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpointed_activations(packed, reentrant):
    model, twin = packed.pair()
    model.train().enable_input_require_grads()
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": reentrant})
    assert near(step(model), step(twin))


@of_lora
def test_several_adapters_and_none(packed):
    both = packed.pair()
    for model in both:
        model.add_adapter("other", packed.config(r=2, lora_alpha=7))
        randomize(model)
    for chosen in (["other"], ["default", "other"]):
        for model in both:
            model.base_model.set_adapter(chosen)
        assert near(step(both[0]), step(both[1]))
    base = logits(packed.load(packed.folder))
    with both[0].disable_adapter():
        assert same_bits(logits(both[0]), base)
    assert not same_bits(logits(both[0]), base)
    for model in both:
        model.delete_adapter("default")
    assert near(step(both[0]), step(both[1]))


@of_lora
def test_an_adapter_goes_onto_either_model_and_back(packed, tmp_path):
    model, _ = packed.pair()
    model.save_pretrained(tmp_path / "packed")
    plain = peft.PeftModel.from_pretrained(packed.decoded(packed.folder), tmp_path / "packed", is_trainable=True)
    assert same(adapter(plain), adapter(model))
    plain.save_pretrained(tmp_path / "plain")
    back = peft.PeftModel.from_pretrained(packed.load(packed.folder), tmp_path / "plain", is_trainable=True)
    assert same(adapter(back), adapter(model)) and near(step(back), step(plain))
    loaded = packed.load(packed.folder)
    loaded.load_adapter(tmp_path / "plain")  # transformers' own method
    assert same_bits(logits(loaded), logits(model))


def test_an_adapter_merged_by_the_command(packed, tmp_path):
    """The files that `qfuse merge` makes of the published ones compute like the trained model."""
    model, _ = packed.pair()
    model.save_pretrained(tmp_path / "adapter")
    qfuse.merge(packed.folder, tmp_path / "adapter", tmp_path / "merged", to="float32")
    merged = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "merged", dtype=torch.float32)
    base = packed.by_command(packed.folder)
    assert close(logits(merged), logits(peft.PeftModel.from_pretrained(base, tmp_path / "adapter")))


def test_a_trainer_takes_it(packed, tmp_path):
    """Trainer refuses quantized models that cannot be trained. Steps change no byte of the base."""
    model = randomize(peft.get_peft_model(packed.load(packed.folder, torch.bfloat16), packed.config()))
    data = [{"input_ids": row, "labels": row} for row in tokens(model).tolist()] * 2
    settings = transformers.TrainingArguments(
        tmp_path, max_steps=2, per_device_train_batch_size=2, report_to=[], use_cpu=True, learning_rate=0.01
    )
    old = adapter(model)
    before = {name: array.clone() for name, array in model.state_dict().items() if "lora_" not in name}
    transformers.Trainer(model, settings, train_dataset=data).train()
    after = model.state_dict()
    assert same_arrays({name: after[name] for name in before}, before)
    assert not any(same_bits(tensor, old[name]) for name, tensor in adapter(model).items())
