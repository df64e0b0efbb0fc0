"""merged_weights(): each tensor's name and bits are those of the file that `qfuse merge` writes for the same model."""

import copy
import weakref

import pytest
import torch
from conftest import same_bits
from safetensors.torch import load_file

import qfuse
from qfuse import versions

peft = pytest.importorskip("peft")
bnb = pytest.importorskip("bitsandbytes")
transformers = pytest.importorskip("transformers", versions.OLDEST["transformers"])
from experts_models import decoded, gpt_oss, mixtral, published_gpt_oss  # noqa: E402

from qfuse.integrations.transformers import Mxfp4Config  # noqa: E402

LINEAR = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
STACKS = ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"]
SIZES = dict(hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, vocab_size=96)
NF4 = dict(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True)
BASES = {
    "nf4": NF4,
    "fp4": dict(load_in_4bit=True, bnb_4bit_quant_type="fp4"),
    "int8": dict(load_in_8bit=True),
    "plain": None,
}


@pytest.fixture(scope="module", params=[False, True], ids=["untied", "tied"])
def full(request, tmp_path_factory):
    """A Llama in bfloat16, with biases of attention."""
    return write_llama(tmp_path_factory.mktemp("full"), request.param)


def write_llama(folder, tied=False, dtype=torch.bfloat16):
    torch.manual_seed(0)
    config = transformers.LlamaConfig(**SIZES, attention_bias=True, tie_word_embeddings=tied)
    model = transformers.LlamaForCausalLM(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    model.to(dtype).save_pretrained(folder)
    return folder


def load(folder, kind="nf4", dtype=torch.bfloat16, **more):
    """kind: plain loads what config.json says, which may be 4 bits."""
    if BASES[kind]:
        more["quantization_config"] = transformers.BitsAndBytesConfig(**BASES[kind])
    return transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, device_map={"": "cpu"}, **more)


def randomize(model):
    """Changes everything that is trained."""
    torch.manual_seed(5)
    for name, parameter in sorted(model.named_parameters()):
        if parameter.requires_grad:
            with torch.no_grad():
                parameter.add_(torch.randn_like(parameter) * 0.05)
    return model


def adapted(base, *more, **settings):
    """Returns a peft model with an adapter named default and further ones, all active."""
    config = dict(r=3, lora_alpha=7, target_modules=LINEAR) | settings
    model = peft.get_peft_model(base, peft.LoraConfig(**config))
    names = [f"more{i}" for i in range(len(more))]
    for name, each in zip(names, more, strict=True):
        model.add_adapter(name, peft.LoraConfig(**config | each))
    model.base_model.set_adapter(["default", *names])
    return randomize(model)


def merged_by_file(base, model, tmp_path, **options):
    """Returns the tensors that `qfuse merge` writes for the model's active adapters, in their order."""
    model.save_pretrained(tmp_path / "adapters")
    folders = [tmp_path / "adapters" / ("" if name == "default" else name) for name in model.active_adapters]
    qfuse.merge(base, folders, tmp_path / "out", **options)
    return load_file(tmp_path / "out" / "model.safetensors")


def check(model, expected, **options):
    before = {name: tensor.clone() for name, tensor in model.state_dict().items() if isinstance(tensor, torch.Tensor)}
    found = list(qfuse.merged_weights(model, **options))
    names = [name for name, _ in found]
    assert sorted(names) == sorted(expected)
    for name, tensor in found:
        assert tensor.is_contiguous() and not tensor.requires_grad and same_bits(tensor, expected[name]), name
    after = model.state_dict()
    assert all(same_bits(after[name], tensor) for name, tensor in before.items())


@pytest.mark.parametrize("kind", BASES)
def test_each_kind_of_base(full, tmp_path, kind):
    model = load(full, kind)
    model.save_pretrained(tmp_path / "base")
    model = adapted(model)
    check(model, merged_by_file(tmp_path / "base", model, tmp_path))


ADAPTERS = {
    "rslora": dict(use_rslora=True),
    "dora": dict(use_dora=True),
    "biases of LoRA": dict(lora_bias=True, target_modules=["q_proj", "o_proj"]),
    "trained biases": dict(bias="all"),
    "patterns": dict(rank_pattern={"q_proj": 5}, alpha_pattern={"down_proj": 2}),
    "embedding": dict(target_modules=["embed_tokens", "q_proj"]),
    "embedding with dora": dict(target_modules=["embed_tokens"], use_dora=True),
    "head": dict(target_modules=["lm_head", "q_proj"]),
    "saved head": dict(modules_to_save=["lm_head"]),
    "saved norms and embedding": dict(modules_to_save=["norm", "embed_tokens"]),
    "tokens": dict(trainable_token_indices=[7, 3, 90]),
    "tied together": dict(target_modules=["embed_tokens", "lm_head"], ensure_weight_tying=True),
}


@pytest.mark.parametrize("name", ADAPTERS)
def test_each_kind_of_adapter(full, tmp_path, name):
    model = load(full)
    model.save_pretrained(tmp_path / "base")
    model = adapted(model, **ADAPTERS[name])
    check(model, merged_by_file(tmp_path / "base", model, tmp_path))


def test_several_adapters(full, tmp_path):
    """In the order of their activation, or as named."""
    model = load(full)
    model.save_pretrained(tmp_path / "base")
    more = dict(r=5, target_modules=["q_proj", "up_proj"]), dict(r=2, use_rslora=True, target_modules=["up_proj"])
    model = adapted(model, *more)
    check(model, merged_by_file(tmp_path / "base", model, tmp_path / "all"))
    model.base_model.set_adapter(["more1", "default"])
    expected = merged_by_file(tmp_path / "base", model, tmp_path / "some")
    check(model, expected)
    model.base_model.set_adapter("default")
    check(model, expected, adapters=["more1", "default"])
    decoded_base = qfuse.checkpoint.dequantize(tmp_path / "base", tmp_path / "decoded") and load_file(
        tmp_path / "decoded" / "model.safetensors"
    )
    check(model, decoded_base, adapters=[])
    with model.disable_adapter():
        check(model, decoded_base)


@pytest.mark.parametrize("dtype", ["fp32", "fp16"])
def test_dtypes(full, tmp_path, dtype):
    model = load(full)
    model.save_pretrained(tmp_path / "base")
    model = adapted(model)
    check(model, merged_by_file(tmp_path / "base", model, tmp_path, to=dtype), dtype=dtype)


def test_prepared_for_training(full, tmp_path):
    """Norms, embedding and head are cast to float32 for training, which is not how the checkpoint has them. Its dtype
    is that of its quantized weights, whatever a config says."""
    model = load(full)
    model.save_pretrained(tmp_path / "base")
    model.config.dtype = torch.float16
    model = adapted(peft.prepare_model_for_kbit_training(model, False))
    assert model.get_base_model().model.norm.weight.dtype is torch.float32
    check(model, merged_by_file(tmp_path / "base", model, tmp_path))


@pytest.mark.parametrize("to", ["auto", "fp16"])
def test_tensors_in_more_bits_than_most(tmp_path, to):
    """Norms in float32; the trained one loses it if a dtype is asked for."""
    model = load(write_llama(tmp_path / "full"), "plain")
    for name in ("model.norm", "model.layers.0.input_layernorm"):
        model.get_submodule(name).weight = torch.nn.Parameter(torch.randn(64), requires_grad=False)
    model.save_pretrained(tmp_path / "base")
    model = adapted(model, modules_to_save=["input_layernorm"])
    expected = merged_by_file(tmp_path / "base", model, tmp_path, to=to)
    assert expected["model.norm.weight"].dtype is torch.float32
    check(model, expected, **{} if to == "auto" else {"dtype": to})


def test_a_base_in_float16(tmp_path):
    model = load(write_llama(tmp_path / "full", dtype=torch.float16), dtype=torch.float16)
    model.save_pretrained(tmp_path / "base")
    model = adapted(model)
    check(model, merged_by_file(tmp_path / "base", model, tmp_path))


def test_layers_of_qfuse(full, tmp_path):
    """Linear4bit under peft, and Linear4bitLoRA with the same A and B."""
    model = load(full)
    model.save_pretrained(tmp_path / "base")
    for name, layer in list(model.named_modules()):
        if isinstance(layer, bnb.nn.Linear4bit):
            model.set_submodule(name, qfuse.nn.Linear4bit(layer))
    own = copy.deepcopy(model)
    model = adapted(model)
    expected = merged_by_file(tmp_path / "base", model, tmp_path)
    check(model, expected)
    for name, layer in list(model.get_base_model().named_modules()):
        if name.endswith(tuple(LINEAR)):
            mine = qfuse.nn.Linear4bitLoRA(own.get_submodule(name), layer.r["default"], layer.lora_alpha["default"])
            mine.lora_A.weight, mine.lora_B.weight = layer.lora_A["default"].weight, layer.lora_B["default"].weight
            own.set_submodule(name, mine)
    found = dict(qfuse.merged_weights(own))
    assert found.keys() == expected.keys() and all(same_bits(found[name], expected[name]) for name in found)


# ---- experts


@pytest.mark.parametrize("make", [mixtral, gpt_oss])
@pytest.mark.parametrize("kind", ["stacks", "16 bits"])
def test_experts_in_stacks(tmp_path, make, kind):
    """Mixtral's file has its experts one by one, gpt-oss' has [experts, in, out]."""
    model = make(torch.bfloat16)
    if kind == "stacks":
        qfuse.quantize_experts(model)
    twin = decoded(model)
    vars(twin).pop("_weight_conversions", None)
    twin.save_pretrained(tmp_path / "base")
    router = "mlp.router.weight" if make is gpt_oss else "mlp.gate.weight"
    model = adapted(model, target_modules=["q_proj"], target_parameters=[*STACKS, router])
    check(model, merged_by_file(tmp_path / "base", model, tmp_path))


def test_experts_beside_layers_of_bitsandbytes(tmp_path):
    """As a QLoRA of a mixture is loaded; transformers' conversions are those of its quantizer too."""
    mixtral(torch.bfloat16).save_pretrained(tmp_path / "full")
    model = load(tmp_path / "full")
    model.save_pretrained(tmp_path / "four")
    qfuse.checkpoint.dequantize(tmp_path / "four", tmp_path / "base")
    for each in (model, load(tmp_path / "four", "plain")):
        each = adapted(each, target_modules=["q_proj"], target_parameters=STACKS)
        check(each, merged_by_file(tmp_path / "base", each, tmp_path, force=True))


@pytest.mark.parametrize("targets", [STACKS, STACKS[1:]])
def test_experts_in_mxfp4(tmp_path, targets):
    published_gpt_oss(tmp_path / "base")
    model = transformers.AutoModelForCausalLM.from_pretrained(
        tmp_path / "base", dtype=torch.bfloat16, quantization_config=Mxfp4Config()
    )
    model = adapted(model, target_modules=["q_proj", "o_proj"], target_parameters=targets)
    expected = merged_by_file(tmp_path / "base", model, tmp_path)
    assert expected["model.layers.0.mlp.experts.gate_up_proj"].shape == (4, 64, 192)
    check(model, expected)


@pytest.mark.parametrize("make", [mixtral, gpt_oss])
def test_experts_modules(make):
    """qfuse.nn.Experts4bit with the A and B that peft has over the same stacks; its names are the stacks'."""
    model = make(torch.bfloat16)
    qfuse.quantize_experts(model)
    own = copy.deepcopy(model)
    model = adapted(model, target_modules=["q_proj"], target_parameters=STACKS)
    for layer, theirs in zip(own.model.layers, model.get_base_model().model.layers, strict=True):
        experts = qfuse.nn.Experts4bit.from_module(layer.mlp.experts, rank=3, alpha=7)
        for name, wrapper in (("down_proj", theirs.mlp.experts), ("gate_up_proj", theirs.mlp.experts.base_layer)):
            a, b = wrapper.lora_A["default"].weight, wrapper.lora_B["default"].weight
            part = getattr(experts, name)
            part.lora_A.data = a.detach().view(4, 3, -1)
            part.lora_B.data = b.detach().view(-1, 3, 4).permute(2, 0, 1)
        layer.mlp.experts = experts
    vars(model.get_base_model())["_weight_conversions"] = vars(own)["_weight_conversions"] = [None]
    found, expected = {}, {}
    for tensors, each in ((found, own), (expected, model)):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(qfuse.integrations.merged._Names, "_read", lambda self, root: None)
            tensors |= {name: it for name, it in qfuse.merged_weights(each) if "experts" in name}
    assert found.keys() == expected.keys() and len(found) == (8 if make is gpt_oss else 4)
    assert all(same_bits(found[name], expected[name]) for name in found)


# ---- the op


def test_lora_merge(device):
    """A stack of experts gives what each gives; sums are those of float64 but for roundings."""
    torch.manual_seed(7)
    weight, a, b = (torch.randn(size, device=device) for size in ((3, 5, 70), (3, 2, 70), (3, 5, 2)))
    found = qfuse.ops.lora_merge(weight, a, b, 0.3, torch.float32)
    torch.testing.assert_close(found.double(), weight.double() + 0.3 * (b.double() @ a.double()), rtol=0, atol=1e-6)
    for dtype in (torch.float16, torch.bfloat16):
        each = [qfuse.ops.lora_merge(*factors, 0.3, dtype) for factors in zip(weight, a, b, strict=True)]
        assert same_bits(qfuse.ops.lora_merge(weight, a, b, 0.3, dtype), torch.stack(each))
        assert same_bits(torch.stack(each), found.to(dtype))
        both = weight.to(dtype)
        expected = qfuse.ops.lora_merge(both, a, b, 0.3, dtype)
        qfuse.ops.lora_merge_out(both, a, b, 0.3, out=both)
        assert same_bits(both, expected)
    assert same_bits(qfuse.ops.lora_merge(weight, a[:, :0], b[:, :, :0].contiguous(), 1.0, torch.float32), weight)
    assert qfuse.ops.lora_merge(weight[:0], a[:0], b[:0], 1.0, torch.float16).shape == (0, 5, 70)
    assert qfuse.ops.lora_merge(weight[0, :0], a[0], b[0, :0], 1.0, torch.float16).shape == (0, 70)


def test_lora_merge_refuses(device):
    weight, a, b = (torch.ones(size, device=device) for size in ((2, 5, 7), (2, 3, 7), (2, 5, 3)))
    for message, arguments in {
        "weight has 1 dimensions": (weight[0, 0], a, b),
        r"a has shape \(3, 7\), it must have 3 dimensions": (weight, a[0], b),
        r"a has shape \(2, 3, 6\), this weight needs \(3, 7\) for each of 2 experts": (weight, a[:, :, :6], b),
        r"b has shape \(2, 5, 2\), this weight needs \(5, 3\)": (weight, a, b[:, :, :2]),
        r"b has shape \(1, 5, 3\), this weight needs": (weight, a, b[:1]),
        "a is float16, it must be float32": (weight, a.half(), b),
        "b has shape .* and strides": (weight, a, torch.ones(2, 3, 5, device=device).mT),
        "weight is int32": (weight.int(), a, b),
        "weight has shape .* and strides": (torch.ones(2, 7, 5, device=device).mT, a, b),
        "dtype is float64": (weight, a, b, torch.float64),
    }.items():
        with pytest.raises(RuntimeError, match=message):
            qfuse.ops.lora_merge(*arguments[:3], 1.0, *(*arguments, torch.float32)[3:4])


# ---- what is kept in memory, and what is refused


def test_one_tensor_at_a_time(full):
    model = adapted(load(full))
    alive = []
    for _, tensor in qfuse.merged_weights(model):
        assert sum(each() is not None for each in alive) <= 1  # the loop variable's former value
        alive.append(weakref.ref(tensor))
    assert len(alive) > 20


def test_values_are_those_of_the_moment(full):
    model = adapted(load(full))
    weights = qfuse.merged_weights(model)
    randomize(model)
    expected = dict(qfuse.merged_weights(model))
    assert all(same_bits(tensor, expected[name]) for name, tensor in weights)


def test_on_another_device(full):
    (_, tensor), *_ = qfuse.merged_weights(adapted(load(full)), device="meta")
    assert tensor.is_meta


def merged_in(model):
    model.merge_adapter()
    return model


def without_bias(model):
    model.get_base_model().model.layers[0].self_attn.q_proj.base_layer.bias = None
    return model


def nested(model):
    first, second = (layer.self_attn for layer in model.get_base_model().model.layers)
    first.q_proj.base_layer = second.q_proj
    return model


REFUSED = {
    "are merged into it: model.unmerge_adapter": lambda full: merged_in(adapted(load(full))),
    "'default' is IA3, and only LORA": lambda full: peft.get_peft_model(
        load(full, "plain"), peft.IA3Config(target_modules=["q_proj"], feedforward_modules=[])
    ),
    "'default' is PREFIX_TUNING": lambda full: peft.get_peft_model(
        load(full, "plain"), peft.PrefixTuningConfig(num_virtual_tokens=2, task_type="CAUSAL_LM")
    ),
    "is DoRA's and follows another": lambda full: adapted(load(full), dict(use_dora=True)),
    "has no values here": lambda full: load(full, "plain").to("meta"),
    "quantized by something that cannot be decoded here": lambda full: load(full, "plain").to(torch.float8_e4m3fn),
    "its adapter is ALoraLinearVariant, which": lambda full: adapted(
        load(full), alora_invocation_tokens=[1], task_type="CAUSAL_LM"
    ),
    "q_proj.weight: is changed by two layers of peft's": lambda full: nested(adapted(load(full))),
    "q_proj.bias: is changed by an adapter, and the layer has none": lambda full: without_bias(
        adapted(load(full), lora_bias=True, target_modules=["q_proj"])
    ),
    "a model of peft's within another": lambda full: torch.nn.Sequential(adapted(load(full))),
    "LoRA over a MultiheadAttention": lambda full: peft.get_peft_model(
        torch.nn.Sequential(torch.nn.MultiheadAttention(8, 2)), peft.LoraConfig(target_modules=["0"])
    ),
    "LoRA over a Conv2d": lambda full: peft.get_peft_model(
        torch.nn.Sequential(torch.nn.Conv2d(2, 3, 3)), peft.LoraConfig(target_modules=["0"])
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refuses(full, message):
    model = REFUSED[message](full)
    with pytest.raises(ValueError, match=message):
        qfuse.merged_weights(model)


def test_refuses_arguments(full):
    model = adapted(load(full))
    with pytest.raises(ValueError, match="has no adapters other, none; it has default"):
        qfuse.merged_weights(model, adapters=["other", "default", "none"])
    with pytest.raises(ValueError, match="dtype is 'int8', it can be"):
        qfuse.merged_weights(model, dtype="int8")
    with pytest.raises(ValueError, match=r"dtype is torch\.float64, it can be"):
        qfuse.merged_weights(model, dtype=torch.float64)
    conv1d = load(full)
    conv1d.model.layers[0].mlp.up_proj.source_cls = transformers.pytorch_utils.Conv1D
    with pytest.raises(ValueError, match=r"layers\.0\.mlp\.up_proj\.weight: is the transpose of its file's"):
        qfuse.merged_weights(conv1d)
