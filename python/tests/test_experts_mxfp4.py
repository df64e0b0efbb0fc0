"""gpt-oss as published, with experts that stay in MXFP4 under the real transformers and peft, compared with the same
files decoded to 16 bits by transformers itself and by the qfuse command."""

import copy
import json

import pytest
import torch
from conftest import same_bits
from safetensors.torch import load_file, save_file
from torch.utils._python_dispatch import TorchDispatchMode

import qfuse
from qfuse import versions

peft = pytest.importorskip("peft")
transformers = pytest.importorskip("transformers", versions.OLDEST["transformers"])
from experts_models import change_config, mixtral, published_gpt_oss, stacks, tokens  # noqa: E402
from test_experts_peft import adapter, choosing, config, near, randomize, same, step  # noqa: E402

from qfuse.integrations import peft_stacks  # noqa: E402
from qfuse.integrations import transformers_experts as experts  # noqa: E402
from qfuse.integrations.transformers import Mxfp4Config  # noqa: E402
from qfuse.nn import Experts4bit, clamped_swiglu  # noqa: E402

FILE = "model.safetensors"
EXPERTS = "model.layers.1.mlp.experts"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    published_gpt_oss(folder)
    return folder


@pytest.fixture
def own(tmp_path):
    """A copy that a test may modify."""
    published_gpt_oss(tmp_path / "own")
    return tmp_path / "own"


def load(folder, dtype=torch.float32, quantization_config=None, **more):
    settings = dict(dtype=dtype, quantization_config=quantization_config or Mxfp4Config())
    return transformers.AutoModelForCausalLM.from_pretrained(folder, **settings | more)


def decoded(folder, dtype=torch.float32):
    """Loads the model decoded by transformers, in 16 or 32 bits."""
    settings = transformers.Mxfp4Config(dequantize=True)
    return load(folder, dtype, settings, experts_implementation="eager").to(dtype)  # 5.20 decodes only to bfloat16


def pair(folder, device="cpu", dtype=torch.float32, **more):
    models = load(folder, dtype).to(device), decoded(folder, dtype).to(device)
    return [randomize(peft.get_peft_model(model, config(**more))) for model in models]


def logits(model):
    with torch.no_grad():
        return model(tokens(model)).logits


def close(found, expected):
    """Compares in float32 with a tolerance, because sums have another order."""
    return (found - expected).abs().max() <= 2e-5 * expected.abs().max()


def rewrite(folder, change):
    """Rewrites the file after `change` has modified its arrays."""
    arrays = load_file(folder / FILE)
    change(arrays)
    save_file(arrays, folder / FILE, metadata={"format": "pt"})


# Loading


def test_bytes_are_those_of_the_files(published, device):
    model, arrays = load(published, torch.bfloat16, device_map=device), load_file(published / FILE)
    assert len(list(stacks(model))) == 4
    for name, parameter in model.named_parameters():
        if f"{name}_blocks" not in arrays:
            assert same_bits(parameter, arrays[name]) and parameter.requires_grad
            continue
        blocks, scales = arrays[f"{name}_blocks"], arrays[f"{name}_scales"]
        module, _, leaf = name.rpartition(".")
        stack = experts.stack_of(model.get_submodule(module), leaf)
        assert same_bits(parameter, blocks.flatten(-2)) and not parameter.requires_grad
        assert same_bits(stack.scales, scales) and stack.scales.device == parameter.device
        weight = stack.weight(parameter)
        assert weight.shape == (*scales.shape[:2], 32 * scales.shape[2]) and weight.dtype is torch.bfloat16
        assert stack.shape == (weight.shape[0], weight.shape[2], weight.shape[1])
        theirs = transformers.integrations.mxfp4.convert_moe_packed_tensors(blocks, scales)
        assert same_bits(weight.dequantize(), theirs.mT.contiguous())
    assert model.config._experts_implementation == "qfuse" and model.hf_quantizer.is_trainable


class LargestFloats(TorchDispatchMode):
    """Elements of the largest floating point tensor that any operation makes in memory."""

    found = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **kwargs or {})
        for tensor in made if isinstance(made, (list, tuple)) else [made]:
            if isinstance(tensor, torch.Tensor) and tensor.is_floating_point() and not tensor.is_meta:
                self.found = max(self.found, tensor.numel())
        return made


def test_no_stack_is_ever_decoded(published, monkeypatch):
    monkeypatch.setenv("HF_DEACTIVATE_ASYNC_LOAD", "1")  # a dispatch mode sees only one thread
    with LargestFloats() as of_decoding:
        decoded(published)
    with LargestFloats() as largest:
        load(published)
    stack = 4 * 64 * 192
    assert largest.found < stack <= of_decoding.found


def test_outputs_are_those_of_the_decoded_model(published, tmp_path):
    model = load(published)
    assert close(logits(model), logits(decoded(published)))
    qfuse.checkpoint.dequantize(published, tmp_path / "out", dtype="float32")
    by_command = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "out", dtype=torch.float32)
    assert close(logits(model), logits(by_command))


def test_generates_the_same_tokens(published, device):
    both = [make(published).to(device) for make in (load, decoded)]
    found, expected = (
        model.generate(tokens(model), max_new_tokens=16, do_sample=False, pad_token_id=0) for model in both
    )
    assert torch.equal(found, expected)


@pytest.mark.parametrize("dtype", ["auto", torch.float16, None])
def test_dtypes(published, dtype):
    model = load(published, dtype)
    expected = torch.float16 if dtype is torch.float16 else torch.bfloat16
    assert {stack.dtype for _, _, stack in stacks(model)} == {model.dtype} == {expected}
    assert logits(model).dtype is expected


def test_a_change_of_dtype_leaves_the_bytes(published):
    model = load(published, torch.bfloat16)
    before = {name: parameter.clone() for name, parameter in model.named_parameters() if "experts" in name}
    model.to(torch.float32)
    assert all(stack.dtype is torch.float32 and stack.scales.dtype is torch.uint8 for _, _, stack in stacks(model))
    assert close(logits(model), logits(decoded(published)))
    assert all(same_bits(model.get_parameter(name).to(old.dtype), old) for name, old in before.items())


def test_scales_of_their_own_dtype(own):
    expected = logits(load(own))

    def change(arrays):
        for name in arrays:
            if name.endswith("_scales"):
                arrays[name] = arrays[name].view(torch.float8_e8m0fnu)

    rewrite(own, change)
    model = load(own, torch.bfloat16).to(torch.float32)  # which would cast the scales if it could
    assert all(stack.scales.dtype is torch.uint8 for _, _, stack in stacks(model))
    assert same_bits(logits(model), expected)


def test_a_model_without_its_head(published):
    base = transformers.AutoModel.from_pretrained(published, quantization_config=Mxfp4Config(), dtype=torch.float32)
    found, expected = (
        {name: tensor for name, tensor in model.state_dict().items() if tensor.dtype is torch.uint8}
        for model in (base, load(published).model)
    )
    assert len(found) == 8 and same(found, expected)


def test_layers_on_disk(published, tmp_path):
    """accelerate loads these layers for each forward."""
    pytest.importorskip("accelerate")
    places = {"model.embed_tokens": "cpu", "model.layers.0": "cpu", "model.layers.1": "disk", "model.norm": "cpu"}
    places |= {"model.rotary_emb": "cpu", "lm_head": "cpu"}
    model = load(published, device_map=places, offload_folder=tmp_path / "offload")
    assert model.model.layers[1].mlp.experts.down_proj.is_meta
    assert same_bits(logits(model), logits(load(published)))
    model.save_pretrained(tmp_path / "saved")
    assert same_bits(logits(load(tmp_path / "saved")), logits(load(published)))


# Saving


@pytest.mark.parametrize("shards", ["10GB", "40KB"])
def test_saving_writes_what_was_read(published, tmp_path, shards):
    load(published, "auto").save_pretrained(tmp_path, max_shard_size=shards)
    files = list(tmp_path.glob("*.safetensors"))
    assert (len(files) == 1) == (shards == "10GB")
    found = {name: array for file in files for name, array in load_file(file).items()}
    assert same(found, load_file(published / FILE))
    configs = [json.loads((folder / "config.json").read_text()) for folder in (tmp_path, published)]
    assert configs[0]["quantization_config"] == configs[1]["quantization_config"]
    assert "qfuse" not in (tmp_path / "config.json").read_text()
    assert same_bits(logits(load(tmp_path)), logits(load(published)))


def test_state_dicts_of_torch(published):
    model, other = load(published), load(published)
    state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    for name, tensor in other.state_dict().items():
        tensor.zero_()
        assert name in state
    other.load_state_dict(state)
    assert same_bits(logits(other), logits(model)) and same_bits(logits(copy.deepcopy(other)), logits(model))


def test_dequantize_makes_a_model_of_transformers_own(published, tmp_path):
    """For users who want to merge in memory."""
    model, expected = load(published, torch.bfloat16), decoded(published, torch.bfloat16)
    model.dequantize()
    assert same(model.state_dict(), expected.state_dict()) and not list(stacks(model))
    model.save_pretrained(tmp_path)
    plain = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.bfloat16)
    assert same(plain.state_dict(), expected.state_dict())
    adapted = randomize(peft.get_peft_model(model, config()))
    before = logits(adapted)
    assert (logits(adapted.merge_and_unload()) - before).norm() < 0.02 * before.norm()


@pytest.mark.parametrize("read", ["load_checkpoint", "from_state_dict"])
def test_the_module_over_the_files(published, read, device):
    """Without transformers' module, its activation and layout are the caller's to give."""
    stored = load_file(published / FILE)
    layout = dict(activation=clamped_swiglu, is_concatenated=False)
    if read == "load_checkpoint":
        weights = qfuse.load_checkpoint(published, device)
        names = [f"{EXPERTS}.{stack}" for stack in ("gate_up_proj", "down_proj")]
        biases = [weights[f"{name}_bias"] for name in names]
        stack, down = (weights[name] for name in names)
        assert stack.shape == (4, 192, 64) and down.shape == (4, 64, 96) and stack.quant_type == "mxfp4"
        made = Experts4bit(stack, down, gate_up_bias=biases[0], down_bias=biases[1], **layout)
    else:
        made = Experts4bit.from_state_dict(stored, f"{EXPERTS}.", **layout).to(device)
    own = load(published, torch.bfloat16).to(device).get_submodule(EXPERTS)
    hidden = torch.randn(5, 64, device=device, dtype=torch.bfloat16, generator=torch.Generator(device).manual_seed(3))
    index, shares = torch.tensor([[0, 3]] * 5, device=device), torch.full((5, 2), 0.5, device=device)
    with torch.no_grad():
        assert same_bits(made(hidden, index, shares), own(hidden, index, shares))
    state = made.to_state_dict(f"{EXPERTS}.")
    assert same(state, {name: stored[name].to(device) for name in stored if name.startswith(EXPERTS)})


def test_blocks_and_scales_that_disagree_are_refused(published):
    stored = load_file(published / FILE)
    with pytest.raises(KeyError, match=f"{EXPERTS}.down_proj_scales"):
        Experts4bit.from_state_dict(
            {name: stored[name] for name in stored if "down_proj_scales" not in name}, f"{EXPERTS}."
        )
    name = f"{EXPERTS}.down_proj_scales"
    with pytest.raises(ValueError, match=r"down_proj_blocks is \[4, 64, 3, 16\], it must be \[4, 64, 2, 16\]"):
        Experts4bit.from_state_dict(stored | {name: stored[name][..., :2]}, f"{EXPERTS}.")


# Training


def test_steps_are_those_of_peft_over_the_decoded_model(published, device):
    model, twin = pair(published, device)
    found = step(model)
    assert near(found, step(twin)) and sum("experts" in name for name in found) == 2 * 2 * 2
    assert {name: parameter.shape for name, parameter in model.named_parameters() if "lora" in name} == {
        name: parameter.shape for name, parameter in twin.named_parameters() if "lora" in name
    }


def test_peft_knows_of_it_behind_loading(published, monkeypatch):
    monkeypatch.setattr(experts, "_is_prepared", False)
    peft_stacks._stacks.disable()
    load(published)
    assert experts._is_prepared and peft_stacks.report().replaced


@pytest.mark.parametrize(
    "more",
    [{"target_parameters": ["mlp.experts.down_proj"]}, {"use_rslora": True, "r": 8}, {"modules_to_save": ["router"]}],
)
def test_settings_are_those_of_peft(published, more):
    model, twin = pair(published, **more)
    assert near(step(model), step(twin))


def test_training_the_router_and_biases(published):
    """Without peft: parameters that require gradients, beside adapters."""
    both = pair(published)
    for model in both:
        for name, parameter in model.named_parameters():
            if ".router." in name or name.endswith("_proj_bias"):
                parameter.requires_grad_()
    found = step(both[0])
    assert near(found, step(both[1])) and sum("router" in name or "_bias" in name for name in found) == 8


def test_autocast_and_bfloat16(published, device):
    """Like a Trainer with bf16=True. With the same choice of experts, the error from float64 is at most twice that of
    transformers' own, plus 1 %."""
    model, twin = pair(published, device, torch.bfloat16)
    exact_model = copy.deepcopy(twin).double()
    theirs = choosing(twin)
    with torch.autocast(device, torch.bfloat16):
        naive = step(twin)
    choosing(model, list(theirs))
    choosing(exact_model, list(theirs))
    exact = step(exact_model)
    with torch.autocast(device, torch.bfloat16):
        found = step(model)
    assert found.keys() == naive.keys() == exact.keys()
    for name in found:
        error, own = ((each[name].double() - exact[name]).norm() for each in (found, naive))
        assert error <= 2 * own + 0.01 * exact[name].norm(), name


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpointed_activations(published, reentrant):
    model, twin = pair(published)
    model.train().enable_input_require_grads()
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": reentrant})
    assert near(step(model), step(twin))


def test_several_adapters_and_none(published):
    both = pair(published)
    for model in both:
        model.add_adapter("other", config(r=2, lora_alpha=7))
        randomize(model)
    for chosen in (["other"], ["default", "other"]):
        for model in both:
            model.base_model.set_adapter(chosen)
        assert near(step(both[0]), step(both[1]))
    with both[0].disable_adapter():
        assert same_bits(logits(both[0]), logits(load(published)))


def test_an_adapter_goes_onto_either_model_and_back(published, tmp_path):
    model, _ = pair(published)
    model.save_pretrained(tmp_path / "packed")
    plain = peft.PeftModel.from_pretrained(decoded(published), tmp_path / "packed", is_trainable=True)
    assert same(adapter(plain), adapter(model))
    plain.save_pretrained(tmp_path / "plain")
    back = peft.PeftModel.from_pretrained(load(published), tmp_path / "plain", is_trainable=True)
    assert same(adapter(back), adapter(model)) and near(step(back), step(plain))
    loaded = load(published)
    loaded.load_adapter(tmp_path / "plain")  # transformers' own method
    assert same_bits(logits(loaded), logits(model))


def test_an_adapter_merged_by_the_command(published, tmp_path):
    """The files that `qfuse merge` makes of the published ones compute like the trained model."""
    model, _ = pair(published)
    model.save_pretrained(tmp_path / "adapter")
    qfuse.merge(published, tmp_path / "adapter", tmp_path / "merged", to="float32")
    merged = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "merged", dtype=torch.float32)
    assert close(logits(merged), logits(model))


def test_merging_into_codes_is_refused(published):
    model, _ = pair(published)
    with pytest.raises(ValueError, match="is in 4 bits, into which no adapter can be merged"):
        model.merge_and_unload()
    assert len(list(stacks(model.unload()))) == 4


def test_quantizing_it_again_leaves_it(published):
    with pytest.warns(UserWarning, match="it is in 4 bits already"):
        assert not qfuse.quantize_experts(load(published))


def test_a_trainer_takes_it(published, tmp_path):
    """Trainer refuses quantized models that cannot be trained. Steps change no byte of the base."""
    model = randomize(peft.get_peft_model(load(published, torch.bfloat16), config()))
    before = {name: parameter.clone() for name, parameter in model.named_parameters() if "lora" not in name}
    data = [{"input_ids": row, "labels": row} for row in tokens(model).tolist()] * 2
    settings = transformers.TrainingArguments(
        tmp_path, max_steps=2, per_device_train_batch_size=2, report_to=[], use_cpu=True, learning_rate=0.01
    )
    old = adapter(model)
    transformers.Trainer(model, settings, train_dataset=data).train()
    assert all(same_bits(parameter, before[name]) for name, parameter in model.named_parameters() if name in before)
    assert not any(same_bits(tensor, old[name]) for name, tensor in adapter(model).items())


def test_a_module_of_qfuse_s_own_has_its_bits(published):
    """Experts4bit shares the memory and has its own adapter; ExpertParallel4bit splits such a module."""
    module = load(published).get_submodule(EXPERTS)
    made = qfuse.nn.Experts4bit.from_module(module, rank=4)
    assert made.gate_up_proj.base.packed.data_ptr() == module.gate_up_proj.data_ptr() and not made.is_transposed
    torch.manual_seed(0)
    arguments = torch.randn(10, 64), torch.randint(4, (10, 2)), torch.rand(10, 2)
    with torch.no_grad():
        assert same_bits(made(*arguments), module(*arguments))


def test_a_step_is_compiled(published):
    model, twin = pair(published)
    layer = model.base_model.model.model.layers[0].mlp.experts
    layer.compile(backend="aot_eager", fullgraph=True)
    assert near(step(model), step(twin))


# What is refused


def taking(name):
    return lambda arrays: arrays.pop(f"{EXPERTS}.{name}")


def making(name, array):
    return lambda arrays: arrays.update({f"{EXPERTS}.{name}": array})


@pytest.mark.parametrize(
    "change, message",
    [
        (taking("down_proj_blocks"), "have no .*1.mlp.experts.down_proj_blocks, though config.json says"),
        (taking("gate_up_proj_scales"), "have no .*1.mlp.experts.gate_up_proj_scales, though"),
        (
            making("down_proj_scales", torch.zeros(4, 64, 2, dtype=torch.uint8)),
            r"down_proj_scales is U8 \[4, 64, 2\] in the files, by config.json it must be U8 or F8_E8M0 \[4, 64, 3\]",
        ),
        (making("down_proj_blocks", torch.zeros(4, 64, 48, dtype=torch.uint8)), r"must be U8 \[4, 64, 3, 16\]"),
        (making("down_proj_blocks", torch.zeros(4, 64, 3, 16, dtype=torch.int8)), r"is I8 .* must be U8 "),
        (making("down_proj_scales", torch.ones(4, 64, 3)), r"is F32 .* must be U8 or F8_E8M0 "),
    ],
)
def test_files_that_lie_are_refused(own, change, message):
    rewrite(own, change)
    with pytest.raises(ValueError, match=message):
        load(own)


def test_a_file_that_is_cut_is_refused(own):
    data = (own / FILE).read_bytes()
    (own / FILE).write_bytes(data[: len(data) // 2])
    with pytest.raises(Exception, match="header"):
        load(own)


def test_checkpoints_without_mxfp4_are_refused(own, tmp_path):
    change_config(own, quantization_config=None)
    with pytest.raises(ValueError, match=r"quantize its experts by qfuse.quantize_experts\(model\)"):
        load(own)
    change_config(own, quantization_config={"quant_method": "bitsandbytes", "load_in_4bit": True})
    with pytest.raises(ValueError, match="BitsAndBytesConfig"):
        load(own)
    mixtral(torch.bfloat16).save_pretrained(tmp_path / "mixtral")
    change_config(tmp_path / "mixtral", quantization_config={"quant_method": "mxfp4"})
    with pytest.raises(ValueError, match=r"though config.json says that they are in MXFP4"):
        load(tmp_path / "mixtral")


def test_rows_of_no_whole_blocks_are_refused(own):
    change_config(own, intermediate_size=80)
    with pytest.raises(ValueError, match="a row of 80 elements is no whole number of MXFP4's blocks of 32"):
        load(own)


def test_a_plan_for_several_ranks_is_refused(published):
    with pytest.raises(ValueError, match=r"qfuse.distributed.shardable\(model\)"):
        model_config = transformers.AutoConfig.from_pretrained(published)
        model_config.distributed_config = transformers.distributed.DistributedConfig()
        load(published, config=model_config)


def test_kernels_of_the_hub_are_refused(published):
    with pytest.raises(ValueError, match="leave it out"):
        load(published, use_kernels=True)


def test_transformers_own_config_is_left_alone(published):
    model = decoded(published)
    assert not list(stacks(model)) and model.model.layers[0].mlp.experts.down_proj.dtype is torch.float32
