"""The integration with the real bitsandbytes: what it replaces, and decoding and encoding with it.

On a CPU, bitsandbytes decodes exactly only if rows are whole blocks, so only such weights are compared there.
"""

import copy
import functools
import sys
import types
from inspect import signature
from unittest import mock

import pytest
import torch
from conftest import Calls, make_weight, same_bits, same_state
from layers_of_bitsandbytes import MANY, ORIGINALS, all_are_original, bnb, decodes_a_layer, make_layer
from torch._subclasses.fake_tensor import FakeTensorMode

import qfuse
import qfuse.integrations.bitsandbytes as integration
from qfuse.patching.patch import Patch, Patches

pytestmark = pytest.mark.usefixtures("bitsandbytes_as_it_was")


def step(layer, device, tokens):
    """Returns the output and gradients of a training step, and how many decodes qfuse did."""
    torch.manual_seed(4)
    x = torch.randn(tokens, 128, device=device, dtype=torch.bfloat16, requires_grad=True)
    layer.bias.grad = None
    with Calls("qfuse::dequantize_4bit") as decodes:
        y = layer(x)
        y.float().square().sum().backward()
    return (y.detach(), x.grad, layer.bias.grad), decodes.count


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
    assert decodes == decodes_a_layer(device, tokens)
    assert all(same_bits(a, b) for a, b in zip(found, without, strict=True))


def test_says_what_it_replaced_everywhere_and_puts_it_back():
    by_name = types.ModuleType("holds_them_by_name")
    vars(by_name).update(ORIGINALS)
    sys.modules["holds_them_by_name"] = by_name
    try:
        report = integration.enable()
        for name, original in ORIGINALS.items():
            assert report and {f"bitsandbytes.functional.{name}", f"holds_them_by_name.{name}"} <= set(report.replaced)
            assert f"qfuse replaced bitsandbytes.functional.{name} (patch)\n" in str(report)
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
    """Contexts of two threads overlap so: the first to enter may be the first to leave."""
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
    assert (
        report.replaced == {"bitsandbytes.functional.quantize_4bit": "patch"}
        and bnb.functional.quantize_4bit() == "ours"
    )
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
        with pytest.raises(ValueError, match="absmax and out"):  # bitsandbytes' own message
            decode(packed)
        state.dtype = torch.float64
        with pytest.raises(ValueError, match="only supports 16/32-bit floats"):
            decode(packed, state)


def test_leaves_codes_that_the_storage_has_cut_off(monkeypatch):
    """bitsandbytes reads missing codes from beyond the storage; qfuse refuses and says what is missing."""
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
    """Reading an attribute of a Params4bit takes a microsecond, for __torch_function__; a small decode takes seven."""
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
    """bitsandbytes decodes a repacked weight as if it were not repacked. Neither train() nor eval() restores it."""
    layer = make_layer("cpu", nested)
    expected = qfuse.dequantize_4bit(layer)
    layer.eval()(torch.ones(2, 128, dtype=torch.bfloat16))
    layer.train()
    wrong = bnb.functional.dequantize_4bit(layer.weight, layer.weight.quant_state) != expected
    assert wrong.float().mean() > 0.9  # if this fails, bitsandbytes decodes repacked weights, and qfuse need not refuse
    for packed in (layer.weight, layer.weight.data.t()):
        with integration.enabled(), pytest.raises(ValueError, match=r"repacked .*; load the model again"):
            bnb.functional.dequantize_4bit(packed, layer.weight.quant_state)


def test_leaves_what_is_encoded_on_a_cpu():
    """On a CPU, bitsandbytes encodes to other bytes than on CUDA."""
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
    """Fake tensors that claim to be on a GPU, for checks where there is none."""
    monkeypatch.setattr(integration, "_made", {})  # fake maps made here must not be kept
    monkeypatch.setattr(integration, "is_plain", lambda tensor: True)
    monkeypatch.setattr(bnb.functional, "name2qmap", {})
    monkeypatch.setattr(bnb.functional, "create_dynamic_map", lambda: torch.empty(256))  # the real one reads values
    with FakeTensorMode():
        yield


def outline(value):
    """Describes a result of quantize_4bit except for the values of its tensors."""
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
                    context.setattr(torch.ops.bitsandbytes, "quantize_4bit", None)  # the original would call it
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
    """The map cached for an earlier weight is not a tensor of this fake mode."""
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
        assert encode(weight[:5, :13], quant_storage=torch.bfloat16) == "the original"  # 33 bytes; the storage keeps 32


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


# ---- wrappers and kept references of what was replaced


def kept_and_wrapped(wrap):
    """Enables the integration and, as other code might, wraps the replacement. Returns the replacement."""
    integration.enable()
    replacement = bnb.functional.dequantize_4bit
    bnb.functional.dequantize_4bit = wrap(replacement)
    return replacement


def by_functools(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


WRAPPERS = {
    "functools.wraps": by_functools,
    "a closure": lambda function: lambda *args, **kwargs: function(*args, **kwargs),
    "functools.partial": functools.partial,
}


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
def test_disable_ends_what_somebody_keeps_or_has_wrapped(device, wrap):
    original = bnb.functional.dequantize_4bit
    layer = make_layer(device)
    packed, state = layer.weight, layer.weight.quant_state
    try:
        kept = kept_and_wrapped(wrap)
        wrapper = bnb.functional.dequantize_4bit

        def count():
            with Calls("qfuse::dequantize_4bit") as calls:
                for decode in (kept, wrapper):
                    decode(packed, state)
            return calls.count

        assert count() == 2
        integration.disable()
        assert count() == 0 and bnb.functional.dequantize_4bit is wrapper
        report = integration.enable()
        assert count() == 2 and bnb.functional.dequantize_4bit is wrapper and report
        integration.disable()
        assert count() == 0
    finally:
        bnb.functional.dequantize_4bit = original


def test_a_wrapper_of_the_original_is_wrapped_in_turn(device):
    original = bnb.functional.dequantize_4bit
    layer = make_layer(device)
    with integration.enabled():
        pass
    try:
        bnb.functional.dequantize_4bit = by_functools(original)
        with integration.enabled(), Calls("qfuse::dequantize_4bit") as calls:
            bnb.functional.dequantize_4bit(layer.weight, layer.weight.quant_state)
        assert calls.count == 1
    finally:
        bnb.functional.dequantize_4bit = original


def test_something_that_makes_callables_without_end_is_no_wrapper(monkeypatch):
    monkeypatch.setattr(bnb.functional, "dequantize_4bit", mock.Mock())
    for _ in range(2):
        with integration.enabled() as report:
            assert "bitsandbytes.functional.dequantize_4bit" in report.replaced


def test_compiled_code_notices_that_it_was_disabled(device):
    layer = make_layer(device)
    packed, state = layer.weight, layer.weight.quant_state
    with integration.enabled():
        kept = bnb.functional.dequantize_4bit
        torch._dynamo.reset()
        compiled = torch.compile(lambda: kept(packed, state), backend="eager")
        with Calls("qfuse::dequantize_4bit") as calls:
            compiled()
    with Calls("qfuse::dequantize_4bit") as later:
        compiled()
    assert calls.count > 0 and later.count == 0


# ---- codes that were cast, and repacked codes


@pytest.mark.parametrize("storage", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("cast", [torch.bfloat16, torch.float16, torch.float32])
def test_codes_that_were_cast_are_refused(device, storage, cast):
    layer = make_layer(device, quant_storage=storage)
    assert layer.weight.dtype == storage
    expected = qfuse.dequantize_4bit(layer)
    layer.to(cast)
    x = torch.randn(3, layer.in_features, device=device)
    calls = [
        lambda: qfuse.dequantize_4bit(layer),
        lambda: qfuse.dequantize_4bit(layer.weight),
        lambda: qfuse.dequantize_4bit(layer.weight, layer.weight.quant_state),
        lambda: bnb.functional.dequantize_4bit(layer.weight, layer.weight.quant_state),
        lambda: qfuse.matmul_4bit(x, layer),
        lambda: bnb.matmul_4bit(x, layer.weight, layer.weight.quant_state),
    ]
    with integration.enabled(matmul=True):
        if layer.weight.dtype == storage:
            assert same_bits(qfuse.dequantize_4bit(layer), expected)
            return
        for call in calls:
            with pytest.raises(ValueError, match="have been cast to"):
                call()
    with integration.enabled() as report:  # products stay bitsandbytes' own
        assert not any("matmul_4bit" in place for place in report.replaced)
        for needs_gradient in (False, True):
            with pytest.raises(ValueError, match="have been cast to"):
                layer(x.clone().requires_grad_(needs_gradient))


def test_codes_of_a_plain_tensor_that_were_cast_are_refused(device):
    """FSDP's mixed precision casts codes in this way."""
    layer = make_layer(device, quant_storage=torch.bfloat16)
    state, layer.weight = layer.weight.quant_state, torch.nn.Parameter(layer.weight.data.half(), requires_grad=False)
    layer.quant_state = state
    with pytest.raises(ValueError, match="have been cast to"):
        qfuse.dequantize_4bit(layer)


def test_a_repacked_weight_has_its_gradient():
    """bitsandbytes#2078: its own product of a repacked weight has no gradient."""
    layer = make_layer("cpu").eval()
    layer.weight.data, _ = bnb.functional._convert_weight_packed_for_cpu(layer.weight.data, layer.weight.quant_state)
    state = layer.weight.quant_state
    assert state.packing_format_for_cpu
    codes, restored = bnb.functional._convert_weight_packed_for_cpu_inverse(layer.weight.data, copy.copy(state))
    restored.absmax = state.absmax.T.reshape(-1).float()
    dense = qfuse.dequantize_4bit(codes, restored).float()
    x = torch.randn(3, layer.in_features, dtype=torch.bfloat16, requires_grad=True)
    with integration.enabled(matmul=True), pytest.warns(UserWarning, match="has repacked a weight"):
        y = layer.train()(x)
    y.float().sum().backward()
    assert torch.allclose(x.grad.float(), dense.sum(0).expand_as(x), rtol=0.02, atol=0.02)
    assert torch.allclose(
        y.float(), torch.nn.functional.linear(x.float(), dense, layer.bias.float()), rtol=0.02, atol=0.05
    )


def test_a_weight_whose_absmax_stayed_repacked_is_refused():
    """For a state_dict, bitsandbytes restores the codes, but absmax only if it is nested."""
    layer = make_layer("cpu")
    layer.weight.data, _ = bnb.functional._convert_weight_packed_for_cpu(layer.weight.data, layer.weight.quant_state)
    layer.state_dict()
    assert not layer.weight.quant_state.packing_format_for_cpu
    with integration.enabled():
        for decode in (
            qfuse.dequantize_4bit,
            lambda layer: bnb.functional.dequantize_4bit(layer.weight, layer.weight.quant_state),
        ):
            with pytest.raises(ValueError, match="but not its absmax"):
                decode(layer)


def test_codes_loaded_into_a_layer_made_for_another_storage_are_not_refused(device):
    layer = make_layer(device, quant_storage=torch.bfloat16)
    expected = qfuse.dequantize_4bit(layer)
    layer.weight.data = layer.weight.data.view(torch.uint8)
    assert layer.weight.quant_storage == torch.bfloat16 and same_bits(qfuse.dequantize_4bit(layer), expected)
