"""gpt-oss as published, with experts that stay in MXFP4 under the real transformers and peft, compared with the same
files decoded to 16 bits by transformers itself and by the qfuse command."""

import copy

import pytest
import torch
from conftest import same_bits
from safetensors.torch import load_file

import qfuse
from qfuse import versions

peft = pytest.importorskip("peft")
transformers = pytest.importorskip("transformers", versions.OLDEST["transformers"])
from experts_models import change_config, close, logits, mixtral, published_gpt_oss, stacks  # noqa: E402
from packed_models import FILE, rewrite  # noqa: E402
from test_experts_peft import choosing, config, near, randomize, same, step  # noqa: E402

from qfuse.integrations import peft_stacks  # noqa: E402
from qfuse.integrations import transformers_experts as experts  # noqa: E402
from qfuse.integrations.transformers import Mxfp4Config  # noqa: E402
from qfuse.nn import Experts4bit, clamped_swiglu  # noqa: E402

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


def test_outputs_are_those_of_what_the_command_decodes(published, tmp_path):
    model = load(published)
    qfuse.checkpoint.dequantize(published, tmp_path / "out", dtype="float32")
    by_command = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "out", dtype=torch.float32)
    assert close(logits(model), logits(by_command))


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


# Saving


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


def test_peft_knows_of_it_behind_loading(published, monkeypatch):
    monkeypatch.setattr(experts, "_is_prepared", False)
    peft_stacks._stacks.disable()
    load(published)
    assert experts._is_prepared and peft_stacks.report().replaced


@pytest.mark.parametrize(
    "more",
    [
        {"target_parameters": ["mlp.experts.down_proj"]},
        {"target_parameters": ["mlp.experts.gate_up_proj", "mlp.router.weight"]},
        {"target_modules": "all-linear"},
        {"use_rslora": True, "r": 8},
        {"modules_to_save": ["router"]},
    ],
)
def test_settings_are_those_of_peft(published, more):
    model, twin = pair(published, **more)
    assert near(step(model), step(twin))


def test_an_adapter_beside_that_of_the_experts(published):
    """peft allows adapters with other target_parameters only if these have none."""
    both = pair(published)
    for model in both:
        model.add_adapter("other", config(target_modules=["o_proj"], target_parameters=None))
        randomize(model)
    for chosen in (["other"], ["default", "other"], ["default"]):
        for model in both:
            model.base_model.set_adapter(chosen)
        assert near(step(both[0]), step(both[1]))


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


def test_merging_into_codes_is_refused(published):
    model, _ = pair(published)
    with pytest.raises(ValueError, match="is in 4 bits, into which no adapter can be merged"):
        model.merge_and_unload()
    assert len(list(stacks(model.unload()))) == 4


def test_quantizing_it_again_leaves_it(published):
    with pytest.warns(UserWarning, match="it is in 4 bits already"):
        assert not qfuse.quantize_experts(load(published))


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
