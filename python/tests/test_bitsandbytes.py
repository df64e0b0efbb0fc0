"""The integration under the real bitsandbytes, transformers and peft.

On a CPU, bitsandbytes' own decode is exact only where rows are whole blocks, so only there can both be compared.
"""

import ast
import copy
import sys
import types
import warnings
from inspect import signature
from pathlib import Path

import pytest
import torch
from conftest import GOLDEN, Calls, golden_weights, make_weight, same_bits, same_state
from safetensors.torch import load_file
from torch._subclasses.fake_tensor import FakeTensorMode

import qfuse
import qfuse.integrations.bitsandbytes as integration
from qfuse.integrations.patch import Patch, Patches

bnb = pytest.importorskip("bitsandbytes")
ORIGINALS = {name: getattr(bnb.functional, name) for name in ("dequantize_4bit", "quantize_4bit")}
PRODUCT = bnb.matmul_4bit
CUDA_OPS = "bitsandbytes.backends.cuda.ops"
FALLBACK = f"{CUDA_OPS}._dequant_linear_fallback"
TINY = GOLDEN / "tiny_llama"
MATRICES = [case for case in golden_weights("bnb_cases") if len(case.weight.shape) == 2]
MANY = 2048  # tokens: bitsandbytes decodes a weight for more than 1536 on every GPU


def all_are_original():
    products = bnb.matmul_4bit, bnb.autograd._functions.matmul_4bit
    return all(product is PRODUCT for product in products) and all(
        getattr(bnb.functional, name) is original for name, original in ORIGINALS.items()
    )


@pytest.fixture(autouse=True)
def leave_nothing_behind():
    yield
    integration.disable()
    assert all_are_original()


def make_layer(device, nested=False, quant_type="nf4", dtype=torch.bfloat16):
    torch.manual_seed(3)
    layer = bnb.nn.Linear4bit(128, 64, compute_dtype=dtype, compress_statistics=nested, quant_type=quant_type)
    if device == "cpu":
        layer.train()  # else bitsandbytes repacks the weight for its own CPU kernels
    return layer.to(dtype).to(device)


def step(layer, device, tokens):
    """Output and gradients of a training step, and how many decodes it took from qfuse."""
    torch.manual_seed(4)
    x = torch.randn(tokens, 128, device=device, dtype=torch.bfloat16, requires_grad=True)
    layer.bias.grad = None
    with Calls("qfuse::dequantize_4bit") as decodes:
        y = layer(x)
        y.float().square().sum().backward()
    return (y.detach(), x.grad, layer.bias.grad), decodes.count


def decodes_a_layer(device):
    """Of a training step with many tokens: for the gradient, and where a GPU does, for the product."""
    return 2 if device == "cuda" else 1


@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
@pytest.mark.parametrize("quant_type", ["nf4", "fp4"])
@pytest.mark.parametrize("tokens", [4, MANY])
def test_a_layer_trains_to_the_same_bits(device, nested, quant_type, tokens):
    layer = make_layer(device, nested, quant_type)
    layer.bias.requires_grad_()
    without, decodes = step(layer, device, tokens)
    assert decodes == 0
    with integration.enabled():
        found, decodes = step(layer, device, tokens)
    assert decodes == (decodes_a_layer(device) if tokens == MANY else 1)
    assert all(same_bits(a, b) for a, b in zip(found, without, strict=True))


def test_says_what_it_replaced_everywhere_and_puts_it_back():
    by_name = types.ModuleType("holds_them_by_name")
    vars(by_name).update(ORIGINALS)
    sys.modules["holds_them_by_name"] = by_name
    try:
        report = integration.enable()
        for name, original in ORIGINALS.items():
            assert report and {f"bitsandbytes.functional.{name}", f"holds_them_by_name.{name}"} <= set(report.replaced)
            assert f"qfuse replaced bitsandbytes.functional.{name}\n" in str(report)
            assert getattr(by_name, name) is getattr(bnb.functional, name) is not original
        late = types.ModuleType("imported_late")
        late.dequantize_4bit = bnb.functional.dequantize_4bit
        sys.modules["imported_late"] = late
        assert "imported_late.dequantize_4bit" in integration.enable().replaced
        integration.disable()
        assert late.dequantize_4bit is ORIGINALS["dequantize_4bit"] and all_are_original()
        assert all(getattr(by_name, name) is original for name, original in ORIGINALS.items())
    finally:
        sys.modules.pop("holds_them_by_name")
        sys.modules.pop("imported_late", None)


def test_a_context_inside_of_another_ends_nothing():
    with integration.enabled():
        replacement = bnb.functional.dequantize_4bit
        with integration.enabled():
            pass
        assert bnb.functional.dequantize_4bit is replacement
    assert all_are_original()


def test_contexts_that_overlap_end_together():
    """As those of two threads do: the first to enter may be the first to leave."""
    one, other = integration.enabled(), integration.enabled()
    one.__enter__()
    other.__enter__()
    replacement = bnb.functional.dequantize_4bit
    one.__exit__(None, None, None)
    assert bnb.functional.dequantize_4bit is replacement is not ORIGINALS["dequantize_4bit"]
    other.__exit__(None, None, None)


def test_what_is_enabled_by_itself_stays_until_it_is_disabled():
    with integration.enabled():
        integration.enable()
        replacement = bnb.functional.dequantize_4bit
    assert bnb.functional.dequantize_4bit is replacement is not ORIGINALS["dequantize_4bit"]
    with integration.enabled():
        integration.disable()
        assert all_are_original()
    with integration.enabled():
        assert not all_are_original()


def test_says_why_it_could_not():
    patches = Patches(
        Patch("no_such_library.functional", "f", print),
        Patch("bitsandbytes.functional", "quantize_4bit", lambda *args, **kwargs: "ours"),
    )
    with pytest.warns(UserWarning, match="qfuse left no_such_library.functional.f .*No module named 'no_such_library'"):
        report = patches.enable()
    assert report.replaced == ["bitsandbytes.functional.quantize_4bit"] and bnb.functional.quantize_4bit() == "ours"
    patches.disable()
    with pytest.warns(UserWarning):
        assert not Patches(Patch("no_such_library.functional", "f", print)).enable()


def test_tells_of_a_module_that_keeps_the_original(monkeypatch):
    class Stubborn(types.ModuleType):
        def __setattr__(self, name, value):
            raise AttributeError("stubborn")

    module = Stubborn("stubborn")
    vars(module).update(ORIGINALS)
    monkeypatch.setitem(sys.modules, "stubborn", module)
    with pytest.warns(UserWarning, match="AttributeError: stubborn"):
        report = integration.enable()
    assert {f"bitsandbytes.functional.{name}" for name in ORIGINALS} <= {*report.left} & {*report.replaced}
    assert module.quantize_4bit is ORIGINALS["quantize_4bit"]
    integration.disable()
    assert all_are_original()


def test_keeps_the_signatures():
    with integration.enabled():
        for name, original in ORIGINALS.items():
            replacement = getattr(bnb.functional, name)
            assert replacement is not original and signature(replacement) == signature(original)


def test_decodes_and_keeps_what_it_cannot(device):
    layer = make_layer(device, nested=True)
    packed, state = layer.weight.data, layer.weight.quant_state
    expected = qfuse.dequantize_4bit(packed, state)
    with integration.enabled():
        decode = bnb.functional.dequantize_4bit
        assert same_bits(decode(A=packed, quant_state=state), expected)
        assert same_bits(decode(packed.t(), state), expected.t())
        assert same_bits(decode(packed, state, None, torch.empty_like(expected)), expected)
        with pytest.raises(ValueError, match="absmax and out"):  # bitsandbytes' own words
            decode(packed)
        state.dtype = torch.float64
        with pytest.raises(ValueError, match="only supports 16/32-bit floats"):
            decode(packed, state)


def test_leaves_codes_that_the_storage_has_cut_off(monkeypatch):
    """bitsandbytes reads them from beyond the storage; qfuse does not, and says what is missing."""
    monkeypatch.setattr(bnb.functional, "dequantize_4bit", lambda *args, **kwargs: "the original")
    packed, absmax = qfuse.ops.quantize_4bit(torch.randn(13, 5), 64, "nf4")  # 33 bytes
    state = bnb.functional.QuantState(absmax, torch.Size((13, 5)), None, 64, "nf4", torch.float32)
    for storage, kept in [(torch.bfloat16, 32), (torch.float32, 32)]:
        stored = packed.view(-1)[:kept].view(storage).view(-1, 1)
        with integration.enabled():
            assert bnb.functional.dequantize_4bit(stored, state) == "the original"
        with pytest.raises(RuntimeError, match=f"has {kept} bytes, 65 4-bit codes need 33: .* was lost when"):
            qfuse.dequantize_4bit(stored, state)
    for other in (packed[:32], packed[:28].view(-1).view(torch.float32).view(-1, 1)):
        with integration.enabled(), pytest.raises(RuntimeError, match="codes need 33"):
            bnb.functional.dequantize_4bit(other, state)


def test_asks_a_parameter_nothing(monkeypatch):
    """Each attribute of a Params4bit takes its __torch_function__ a microsecond, and a small decode takes seven."""
    layer = make_layer("cpu")
    asked = []
    monkeypatch.setattr(
        bnb.nn.Params4bit, "__torch_function__", classmethod(lambda cls, function, *args: asked.append(function))
    )
    with integration.enabled():
        found = bnb.functional.dequantize_4bit(layer.weight, layer.weight.quant_state)
    monkeypatch.undo()
    assert asked == [] and same_bits(found, qfuse.dequantize_4bit(layer))


@pytest.mark.skipif(
    not bnb.functional.has_avx512bf16(),
    reason="NOT TESTED: this CPU has no AVX512-BF16, for which bitsandbytes repacks weights",
)
@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
def test_refuses_a_weight_that_is_repacked(nested):
    """Which bitsandbytes decodes as if it were not. No mode of the layer brings it back."""
    layer = make_layer("cpu", nested)
    expected = qfuse.dequantize_4bit(layer)
    layer.eval()(torch.ones(2, 128, dtype=torch.bfloat16))
    layer.train()
    wrong = bnb.functional.dequantize_4bit(layer.weight, layer.weight.quant_state) != expected
    assert wrong.float().mean() > 0.9  # if this fails, bitsandbytes has learned it, and there is nothing to refuse
    for packed in (layer.weight, layer.weight.data.t()):
        with integration.enabled(), pytest.raises(ValueError, match=r"repacked .*; load the model again"):
            bnb.functional.dequantize_4bit(packed, layer.weight.quant_state)


def test_leaves_what_is_encoded_on_a_cpu():
    """There, bitsandbytes' bytes are others than on CUDA."""
    weight = torch.randn(64, 96)
    expected = bnb.functional.quantize_4bit(weight, compress_statistics=True, quant_type="nf4")
    with integration.enabled(), Calls("qfuse::quantize_4bit") as encodes:
        found = bnb.functional.quantize_4bit(weight, compress_statistics=True, quant_type="nf4")
        with pytest.raises(ValueError, match="invalid blocksize 48"):
            bnb.functional.quantize_4bit(weight, blocksize=48)
    assert encodes.count == 0
    assert same_bits(found[0], expected[0]) and same_state(found[1], expected[1])


@pytest.fixture
def pretended_gpu(monkeypatch):
    """Tensors without memory, that say they are on a GPU: for what can be judged of them where there is none."""
    monkeypatch.setattr(integration, "_made", {})  # what is made in here is good for nothing else
    monkeypatch.setattr(integration, "_is_plain", lambda tensor: True)
    monkeypatch.setattr(bnb.functional, "name2qmap", {})
    monkeypatch.setattr(bnb.functional, "create_dynamic_map", lambda: torch.empty(256))  # it reads what it has made
    with FakeTensorMode():
        yield


def outline(value):
    """Everything of what quantize_4bit returns, but for what tensors hold."""
    if isinstance(value, torch.Tensor):
        return value.shape, value.stride(), value.dtype, value.device, value.storage_offset()
    if isinstance(value, bnb.functional.QuantState):
        return {name: outline(field) for name, field in vars(value).items()}
    return type(value), value


@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
def test_what_is_encoded_looks_the_same(pretended_gpu, monkeypatch, nested):
    for shape in [(64, 96), (13, 5), (7,), (2, 3, 4)]:
        for storage in (torch.uint8, torch.bfloat16, torch.float32) if shape != (13, 5) else (torch.uint8,):
            for dtype in (torch.float32, torch.float16, torch.bfloat16):
                weight = torch.empty(shape, dtype=dtype, device="cuda")
                arguments = dict(blocksize=128, compress_statistics=nested, quant_type="nf4", quant_storage=storage)
                expected = ORIGINALS["quantize_4bit"](weight, **arguments)
                with integration.enabled(), monkeypatch.context() as context:
                    context.setattr(torch.ops.bitsandbytes, "quantize_4bit", None)  # the original would need it
                    found = bnb.functional.quantize_4bit(weight, **arguments)
                assert [*map(outline, found)] == [*map(outline, expected)]


def test_makes_the_nested_map_only_where_it_is_needed_and_once(pretended_gpu, monkeypatch):
    made = []
    monkeypatch.setattr(bnb.functional, "create_dynamic_map", lambda: (made.append(1), torch.empty(256))[1])
    weight = torch.empty(64, 96, device="cuda")
    with integration.enabled():
        bnb.functional.quantize_4bit(weight)
        assert made == []
        for _ in range(2):
            bnb.functional.quantize_4bit(weight, compress_statistics=True)
    assert made == [1]


def test_a_fake_weight_is_left_to_the_original(monkeypatch):
    """A map that an earlier weight has left is no tensor of the mode."""
    key = "fp4", torch.device("cuda:0"), torch.float32
    monkeypatch.setattr(integration, "_made", {key: torch.empty(16)})
    with FakeTensorMode():
        weight = torch.empty(64, 96, device="cuda")
        expected = ORIGINALS["quantize_4bit"](weight)
        with integration.enabled():
            found = bnb.functional.quantize_4bit(weight)
    assert [*map(outline, found)] == [*map(outline, expected)]


def test_a_map_that_is_made_in_a_graph_is_not_kept(monkeypatch):
    monkeypatch.setattr(integration, "_made", {})
    device = torch.device("cpu")
    torch._dynamo.reset()
    compiled = torch.compile(lambda: integration._map("nf4", device) + 0, backend="eager", fullgraph=True)()
    with FakeTensorMode():
        integration._map("nf4", device)
    assert integration._made == {}
    assert same_bits(integration._map("nf4", device), compiled) and len(integration._made) == 1


def test_what_of_a_gpu_is_left_to_the_original(pretended_gpu, monkeypatch):
    monkeypatch.setattr(bnb.functional, "quantize_4bit", lambda *args, **kwargs: "the original")
    weight = torch.empty(64, 96, device="cuda")
    with integration.enabled():
        encode = bnb.functional.quantize_4bit
        for unusual in [
            dict(A=weight.double()),
            dict(A=weight.cpu()),
            dict(blocksize=48),
            dict(quant_type="int4"),
            dict(absmax=weight),
            dict(out=weight),
            dict(of_a_later_version=1),
        ]:
            assert encode(**dict(dict(A=weight), **unusual)) == "the original"
        assert encode(weight) != "the original"
        assert encode(weight[:5, :13], quant_storage=torch.uint8) != "the original"
        assert encode(weight[:5, :13], quant_storage=torch.bfloat16) == "the original"  # 33 bytes, of which 32 are kept


def stand_in(monkeypatch, fallback):
    """A CUDA backend of bitsandbytes that has nothing but its private function."""
    module = types.ModuleType(CUDA_OPS)
    module._dequant_linear_fallback = fallback
    monkeypatch.setitem(sys.modules, CUDA_OPS, module)
    return module


def _dequant_linear_fallback(
    A, B, shapeB, absmax, blocksize, quant_type, bias=None, absmax_8bit=None, absmax_code=None, absmax_offset=None
):
    return "the original"


def test_the_stand_in_is_like_the_function_of_this_version():
    """Read, not imported: that needs a GPU."""
    tree = ast.parse((Path(bnb.__file__).parent / "backends" / "cuda" / "ops.py").read_text())
    (real,) = (node for node in ast.walk(tree) if getattr(node, "name", None) == _dequant_linear_fallback.__name__)
    assert [argument.arg for argument in real.args.args] == list(signature(_dequant_linear_fallback).parameters)


@pytest.mark.parametrize("case", MATRICES, ids=lambda case: case.name)
def test_multiplies_by_what_it_decodes(device, monkeypatch, case):
    module = stand_in(monkeypatch, _dequant_linear_fallback)
    weight = case.on(device)
    dense = qfuse.ops.dequantize_4bit(*weight)
    x, bias = (torch.randn(*s, device=device).bfloat16() for s in [(2, 3, weight.shape[1]), (weight.shape[0],)])
    absmax, statistics = weight.absmax, {}
    if weight.nested:
        absmax = weight.nested_absmax
        statistics = dict(
            absmax_8bit=weight.absmax, absmax_code=weight.nested_quant_map, absmax_offset=weight.nested_offset
        )
    arguments = (weight.packed, torch.Size(weight.shape), absmax, weight.blocksize, weight.quant_type)
    with integration.enabled() as report:
        assert FALLBACK in report.replaced
        for given in (None, bias):
            found = module._dequant_linear_fallback(x, *arguments, given, **statistics)
            assert same_bits(found, torch.nn.functional.linear(x, dense, given))
        assert module._dequant_linear_fallback(x.double(), *arguments, **statistics) == "the original"
    assert module._dequant_linear_fallback is _dequant_linear_fallback


def test_a_product_with_one_byte_of_weights(device, monkeypatch):
    """Which looks as if it were transposed."""
    module = stand_in(monkeypatch, _dequant_linear_fallback)
    weight, x = torch.tensor([[1.0], [-0.5]], device=device), torch.ones(3, 1, device=device)
    packed, absmax = qfuse.ops.quantize_4bit(weight, 64, "nf4")
    with integration.enabled():
        found = module._dequant_linear_fallback(x, packed, (2, 1), absmax, 64, "nf4")
    assert same_bits(found, x @ qfuse.ops.dequantize_4bit((packed, absmax), (2, 1), torch.float32).t())


def test_says_without_a_warning_why_a_private_function_stays(monkeypatch):
    def of_another_version(A, B):
        pass

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module = stand_in(monkeypatch, of_another_version)
        known = ", ".join(signature(_dequant_linear_fallback).parameters)
        assert integration.enable().left == {FALLBACK: f"TypeError: its parameters are A, B; known are {known}"}
        assert module._dequant_linear_fallback is of_another_version
        del module._dequant_linear_fallback
        assert integration.enable().left == {FALLBACK: "LookupError: there is none here"}
        monkeypatch.delitem(sys.modules, CUDA_OPS)
        report = integration.enable()
    assert report and f"qfuse left {FALLBACK} as it is: LookupError: {CUDA_OPS} is not loaded here" in str(report)


def test_compiles_into_one_graph(device, backend):
    weight = make_weight(device).weight
    state = weight.params4bit().quant_state
    with integration.enabled():
        torch._dynamo.reset()
        decode = torch.compile(lambda p: bnb.functional.dequantize_4bit(p, state), fullgraph=True, backend=backend)
        decode(weight.packed)
        with Calls("qfuse::dequantize_4bit") as decodes:
            found = decode(weight.packed)
    assert decodes.count == 1
    assert same_bits(found, qfuse.dequantize_4bit(weight.packed, state))


@pytest.fixture
def llama(tmp_path):
    """The directory of a small Llama that is not quantized, and whose rows are whole blocks."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        vocab_size=512,
        max_position_embeddings=256,
    )
    transformers.LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(tmp_path)
    return tmp_path


def load(path, device, **options):
    transformers = pytest.importorskip("transformers")
    return transformers.AutoModelForCausalLM.from_pretrained(
        path, device_map=device, dtype=torch.bfloat16, attn_implementation="eager", **options
    )


def load_quantized(path, device, quant_type="nf4"):
    transformers = pytest.importorskip("transformers")
    return load(
        path,
        device,
        quantization_config=transformers.BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type=quant_type,
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=torch.bfloat16,
        ),
    )


@pytest.mark.parametrize("quant_type", ["nf4", "fp4"])
def test_transformers_quantizes_to_the_same_bytes(device, llama, quant_type):
    expected = load_quantized(llama, device, quant_type).state_dict()
    with integration.enabled(), Calls("qfuse::quantize_4bit") as encodes:
        found = load_quantized(llama, device, quant_type).state_dict()
    assert encodes.count == (14 if device == "cuda" else 0)
    assert found.keys() == expected.keys() and sum("quant_state" in key for key in found) == 14
    assert all(same_bits(found[key], tensor) for key, tensor in expected.items())


def whole_step(model):
    """Logits, loss and every gradient of a whole model, and how many decodes it took from qfuse."""
    model.train().zero_grad()
    tokens = torch.arange(MANY, device=model.device).reshape(8, 256) * 7 % 512
    with Calls("qfuse::dequantize_4bit") as decodes:
        output = model(tokens, labels=tokens)
        output.loss.backward()
    gradients = [parameter.grad for parameter in model.parameters() if parameter.requires_grad]
    return [output.logits.detach(), output.loss.detach(), *gradients], decodes.count


def test_a_whole_model_trains_to_the_same_bits(device, llama):
    models = [load_quantized(llama, device)]
    if device == "cuda":
        models.append(load(TINY / "bnb4", device))  # its rows are no whole blocks
    for model in models:
        expected, decodes = whole_step(model)
        assert decodes == 0 and len(expected) > 6
        with integration.enabled():
            found, decodes = whole_step(model)
        assert decodes == 14 * decodes_a_layer(device)
        assert all(same_bits(a, b) for a, b in zip(found, expected, strict=True))


def test_transformers_gets_the_bits_of_cuda(device):
    """model.dequantize() of a model whose rows are no whole blocks, which bitsandbytes decodes wrong on some CPUs."""
    model = load(TINY / "bnb4", device)
    with integration.enabled(), Calls("qfuse::dequantize_4bit") as decodes:
        state = model.dequantize().state_dict()
    expected = load_file(TINY / "dequant_expected.safetensors")
    assert decodes.count >= len(expected) == 14
    assert all(same_bits(state[key].cpu(), weight) for key, weight in expected.items())


def test_peft_merges_to_the_same_bits(device):
    peft = pytest.importorskip("peft")

    def merged(enabled):
        block = torch.nn.Sequential()
        block.is_loaded_in_4bit = True  # as transformers says of a model that it has loaded so
        block.add_module("proj", make_layer(device, nested=True))
        model = peft.get_peft_model(block, peft.LoraConfig(target_modules=["proj"], r=4, init_lora_weights=False))
        adapter = torch.Generator().manual_seed(5)
        for name, parameter in model.named_parameters():
            if "lora_" in name:
                parameter.data = torch.randn(parameter.shape, generator=adapter).to(parameter) * 0.02
        with Calls("qfuse::dequantize_4bit") as decodes:
            if enabled:
                with integration.enabled():
                    model.merge_adapter()
            else:
                model.merge_adapter()
        assert bool(decodes.count) == enabled
        return model.base_model.model.proj.base_layer.weight.data

    assert same_bits(merged(True), merged(False))


# ---- the product, where it is asked for


def layers(device, nested, dtype):
    """Two layers, the second of whose rows are no whole blocks of anything."""
    torch.manual_seed(3)
    arguments = dict(compute_dtype=dtype, compress_statistics=nested, quant_type="nf4")
    first, second = bnb.nn.Linear4bit(128, 192, **arguments), bnb.nn.Linear4bit(192, 64, bias=False, **arguments)
    model = torch.nn.Sequential(first, torch.nn.GELU(), second).train().to(dtype).to(device)
    first.bias.requires_grad_()
    return model


def train(model, x):
    """Output and gradients, and how often the weights were multiplied by and decoded."""
    bias, leaf, counts = model.get_parameter("0.bias"), x.clone().requires_grad_(), []
    for name in ("qfuse::matmul_4bit", "qfuse::dequantize_4bit"):
        leaf.grad = bias.grad = None
        with Calls(name) as calls:
            y = model(leaf)
            y.float().square().sum().backward()
        counts.append(calls.count)
    return (y.detach(), leaf.grad, bias.grad), counts


def expect_near(found, expected):
    """Each sum is rounded to the dtype, here and there; then a layer follows, and the gradients of both."""
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        distance = (ours.double() - theirs.double()).abs().max()
        assert distance <= 8 * torch.finfo(ours.dtype).eps * theirs.double().abs().max()


@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("shape", [(3,), (2, 150)], ids=["few", "many"])
def test_multiplies_in_both_directions_where_asked_to(device, nested, dtype, shape):
    model, x = layers(device, nested, dtype), torch.randn(*shape, 128, device=device, dtype=dtype)
    expected, counts = train(model, x)
    assert counts == [0, 0]
    with integration.enabled():
        assert bnb.matmul_4bit is PRODUCT
    with integration.enabled(matmul=True) as report:
        assert {"bitsandbytes.matmul_4bit", "bitsandbytes.autograd._functions.matmul_4bit"} <= {*report.replaced}
        assert signature(bnb.matmul_4bit) == signature(PRODUCT)
        found, counts = train(model, x)
    is_decoded = device == "cuda" and (dtype == torch.float32 or x.numel() // 128 > 16)
    assert counts == ([0, 4] if is_decoded else [4, 0])
    expect_near(found, expected)
    with torch.no_grad(), integration.enabled(matmul=True):
        expect_near([model(x)], expected[:1])


def test_the_product_stays_until_it_is_disabled():
    assert "bitsandbytes.matmul_4bit" not in integration.enable().replaced and bnb.matmul_4bit is PRODUCT
    assert "bitsandbytes.matmul_4bit" in integration.enable(matmul=True).replaced
    integration.enable()
    with integration.enabled(matmul=True):
        pass
    assert bnb.matmul_4bit is not PRODUCT
    integration.disable()
    assert all_are_original()


def test_the_product_compiles_into_one_graph(device, backend):
    model, x = layers(device, True, torch.float32), torch.randn(5, 128, device=device)
    with integration.enabled(matmul=True):
        expected, _ = train(model, x)
        torch._dynamo.reset()
        model.compile(fullgraph=True, backend=backend)
        found, _ = train(model, x)
    expect_near(found, expected)


def test_casts_are_bitsandbytes_own(device):
    """x goes to the layer's compute_dtype and the result back, and autocast changes nothing of that."""
    layer = make_layer(device, dtype=torch.float32)
    x = torch.randn(3, 128, device=device).bfloat16()
    with integration.enabled(matmul=True):
        expected = qfuse.matmul_4bit(x.float(), layer, bias=layer.bias).bfloat16()
        assert same_bits(layer(x), expected)
        with torch.autocast(device, torch.bfloat16):
            assert same_bits(layer(x), expected)


def test_leaves_products_of_other_kinds_to_the_original(device, monkeypatch):
    monkeypatch.setattr(bnb.autograd._functions, "matmul_4bit", lambda *args, **more: "the original")
    monkeypatch.setattr(bnb, "matmul_4bit", bnb.autograd._functions.matmul_4bit)
    layer = make_layer(device)
    packed, state = layer.weight.data, layer.weight.quant_state
    x, bias = torch.ones(2, 128, device=device).bfloat16(), layer.bias.data
    repacked = copy.copy(state)
    repacked.packing_format_for_cpu = True
    with integration.enabled(matmul=True):
        multiply = bnb.matmul_4bit
        for arguments in [
            dict(A=x.double()),
            dict(A=x[:, :64]),  # as wide as the weight is high
            dict(A=x.to("meta")),
            dict(out=torch.empty(2, 64, device=device).bfloat16()),
            dict(bias=bias.float()),
            dict(bias=bias[:1]),
            dict(quant_state=None),
            dict(quant_state=repacked),
            dict(B=packed.to("meta")),
            dict(of_a_later_version=1),
        ]:
            assert multiply(**dict(A=x, B=packed, quant_state=state) | arguments) == "the original"
        expected = qfuse.matmul_4bit(x, layer, bias=bias)
        assert same_bits(multiply(x, packed, state, bias=bias), expected)
        assert same_bits(multiply(x, packed.t(), quant_state=state, bias=bias), expected)
        assert multiply(x[:0], packed, state).shape == (0, 64)


def test_leaves_the_product_of_an_older_bitsandbytes(monkeypatch):
    monkeypatch.setattr(torch.ops, "bitsandbytes", types.SimpleNamespace())
    with pytest.warns(UserWarning, match="matmul_4bit as it is: Unneeded: before 0.50"):
        report = integration.enable(matmul=True)
    assert bnb.matmul_4bit is PRODUCT and "bitsandbytes.functional.dequantize_4bit" in report.replaced
