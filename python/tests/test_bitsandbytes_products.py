"""Products of 4-bit weights in the real bitsandbytes: its private function, and enabled(matmul=True)."""

import ast
import copy
import functools
import sys
import types
import warnings
from inspect import signature
from pathlib import Path

import pytest
import torch
from conftest import Calls, golden_weights, same_bits
from layers_of_bitsandbytes import PRODUCT, all_are_original, bnb, make_layer
from torch._subclasses.fake_tensor import FakeTensorMode

import qfuse
import qfuse.integrations.bitsandbytes as integration

pytestmark = pytest.mark.usefixtures("bitsandbytes_as_it_was")
CUDA_OPS = "bitsandbytes.backends.cuda.ops"
FALLBACK = f"{CUDA_OPS}._dequant_linear_fallback"
MATRICES = [case for case in golden_weights("bnb_cases") if len(case.weight.shape) == 2]

# ---- the private function


def stand_in(monkeypatch, fallback):
    """Installs a bitsandbytes CUDA backend that has only the private function."""
    module = types.ModuleType(CUDA_OPS)
    module._dequant_linear_fallback = fallback
    monkeypatch.setitem(sys.modules, CUDA_OPS, module)
    return module


def _dequant_linear_fallback(
    A, B, shapeB, absmax, blocksize, quant_type, bias=None, absmax_8bit=None, absmax_code=None, absmax_offset=None
):
    return "the original"


def test_the_stand_in_is_like_the_function_of_this_version():
    """The file is read, because importing it needs a GPU."""
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
    """A single byte of codes looks as if it were transposed."""
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
    reason = f"no device of this kind here: {CUDA_OPS} is not loaded"
    assert report and report.left[FALLBACK] == reason
    assert str(report).count(reason) == 1  # printed once for all patches of that device


# ---- the product, if enabled with matmul=True


def layers(device, nested, dtype):
    """Two layers; the rows of the second have 192 elements, not a multiple of 128."""
    torch.manual_seed(3)
    arguments = dict(compute_dtype=dtype, compress_statistics=nested, quant_type="nf4")
    first, second = bnb.nn.Linear4bit(128, 192, **arguments), bnb.nn.Linear4bit(192, 64, bias=False, **arguments)
    model = torch.nn.Sequential(first, torch.nn.GELU(), second).train().to(dtype).to(device)
    first.bias.requires_grad_()
    return model


def train(model, x):
    """Returns the output and gradients, and how many products and decodes of qfuse a step makes."""
    bias, leaf, counts = model.get_parameter("0.bias"), x.clone().requires_grad_(), []
    for name in ("qfuse::matmul_4bit", "qfuse::dequantize_4bit"):
        leaf.grad = bias.grad = None
        with Calls(name) as calls:
            y = model(leaf)
            y.float().square().sum().backward()
        counts.append(calls.count)
    return (y.detach(), leaf.grad, bias.grad), counts


def expect_near(found, expected):
    """Allows for rounding: both sides round each sum, and errors go through the next layer and both gradients."""
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
    with integration.enabled():  # only checks run before bitsandbytes' own product
        assert train(model, x)[1][0] == 0
    with integration.enabled(matmul=True) as report:
        assert {"bitsandbytes.matmul_4bit", "bitsandbytes.autograd._functions.matmul_4bit"} <= {*report.replaced}
        assert signature(bnb.matmul_4bit) == signature(PRODUCT)
        found, counts = train(model, x)
    if device == "cpu" or (dtype != torch.float32 and torch.cuda.get_device_capability() == (9, 0)):
        decoded = sum(
            qfuse.ops.orders.is_decoded(x, layer.weight.quant_state.shape, 64, direction)
            for layer in (model[0], model[2])
            for direction in ("forward", "backward")
        )
        assert counts == [4 - decoded, decoded]
    else:  # bitsandbytes' product, and qfuse's decode for its gradient
        assert counts[0] == 0 and counts[1] >= 2
    expect_near(found, expected)
    with torch.no_grad(), integration.enabled(matmul=True):
        expect_near([model(x)], expected[:1])


def test_a_product_for_which_bitsandbytes_is_faster_stays_its_own(device, monkeypatch):
    model, x = layers(device, True, torch.bfloat16), torch.randn(3, 128, device=device, dtype=torch.bfloat16)
    with integration.enabled():
        (expected, *_), _ = train(model, x)
    asked = []
    monkeypatch.setattr(integration, "is_slower_than_bitsandbytes", lambda x, *weight: asked.append(weight) or True)
    with integration.enabled(matmul=True):
        (found, *_), counts = train(model, x)
    assert counts[0] == 0 and same_bits(found, expected)
    assert {((192, 128), 64), ((64, 192), 64)} == {(tuple(shape), blocksize) for shape, blocksize in asked}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    "advice, of_large, outputs, least, most",
    [
        ((16, 256), 512, 64, 1, 0),  # on Hopper
        ((16, 128), 512, 64, 1, 0),  # likewise, of a size that decodes from fewer rows on
        ((0, 256), 512, 64, 1, 1),  # on Hopper, without split_k
        ((16, 128), 128, 4096, 129, 1536),  # slow memory
        ((16, 32), 128, 4096, 1, 0),  # fast memory: decoding is faster than bitsandbytes' kernel
        ((32, -1), 128, 64, 1, 0),  # few outputs
        ((0, 64), 128, 4096, 1, 1536),  # without split_k
        ((0, -1), -1, 4096, 1, 1536),
    ],
)
def test_which_products_bitsandbytes_is_faster_for(monkeypatch, advice, of_large, outputs, least, most, dtype):
    """On a fake GPU, bitsandbytes is faster from `least` to `most` rows. If x requires a gradient, which "split" does
    not have, also for one row where the GPU is not Hopper."""
    if dtype == torch.float32:  # every float32 kernel decodes first
        advice, of_large, least, most = (0, -1), -1, 1, 1536

    def find(device, dtype, rows, *others):
        return advice if rows == outputs else (advice[0], of_large)

    monkeypatch.setattr(qfuse.ops.orders, "_find_advice", find)
    is_slower = functools.partial(qfuse.ops.orders.is_slower_than_bitsandbytes, shape=(outputs, 576), blocksize=64)
    with FakeTensorMode():
        for rows in (1, 2, 16, 17, 32, 33, 128, 129, 1536, 1537):
            x = torch.empty(rows, 576, device="cuda", dtype=dtype)
            assert is_slower(x) == (least <= rows <= most)
            is_single = rows == 1 and of_large <= 128
            assert is_slower(x.clone().requires_grad_()) == (is_single or least <= rows <= most)
            assert not is_slower(x.cpu())
            qfuse.set_batch_invariant(True)
            assert not is_slower(x)
            qfuse.set_batch_invariant(False)
            if of_large > 128:  # on Hopper "plain" is fast for a small K
                assert not is_slower(x[:, :256], shape=(outputs, 256))


def test_the_product_stays_until_it_is_disabled():
    assert "bitsandbytes.matmul_4bit" not in integration.enable().replaced
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
    """x is cast to the layer's compute_dtype and the result back; autocast does not change this."""
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
    monkeypatch.setattr(integration, "is_slower_than_bitsandbytes", lambda *call: False)
    layer = make_layer(device)
    packed, state = layer.weight.data, layer.weight.quant_state
    x, bias = torch.ones(2, 128, device=device).bfloat16(), layer.bias.data
    repacked = copy.copy(state)
    repacked.packing_format_for_cpu = True
    with integration.enabled(matmul=True):
        multiply = bnb.matmul_4bit
        for arguments in [
            dict(A=x.double()),
            dict(A=x[:, :64]),  # as many columns as the weight has rows
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
    assert "bitsandbytes.matmul_4bit" not in report.replaced
    assert "bitsandbytes.functional.dequantize_4bit" in report.replaced


def test_a_module_with_lora_takes_the_place_of_a_layer(device):
    layer = make_layer(device, nested=True)
    module = qfuse.nn.Linear4bitLoRA(layer, rank=8)
    x = torch.randn(3, 128, device=device, dtype=torch.bfloat16)
    expected = qfuse.matmul_4bit(x, layer, bias=layer.bias, order="plain")
    assert torch.equal(module(x), expected) and len(module.state_dict()) == 2
    assert torch.equal(module.to(device)(x), expected) and torch.equal(copy.deepcopy(module)(x), expected)
    assert type(module.base.packed) is torch.Tensor
