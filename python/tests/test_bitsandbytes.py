"""The integration under the real bitsandbytes, transformers and peft.

On a CPU, bitsandbytes' own decode is exact only where rows are whole blocks, so only there can both be compared.
"""
import sys
import types

import pytest
import torch
from conftest import GOLDEN, make_weight, same_bits
from safetensors.torch import load_file
from torch.utils._python_dispatch import TorchDispatchMode

import qfuse
import qfuse.integrations.bitsandbytes as integration
from qfuse.integrations.patch import Patch

bnb = pytest.importorskip("bitsandbytes")
ORIGINAL = bnb.functional.dequantize_4bit
TINY = GOLDEN / "tiny_llama"


class Decodes(TorchDispatchMode):
    """Counts the calls of qfuse's decode."""

    count = 0

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        self.count += op.name().startswith("qfuse::dequantize_4bit")
        return op(*args, **(kwargs or {}))


@pytest.fixture(autouse=True)
def leave_nothing_behind():
    yield
    integration.disable()
    assert bnb.functional.dequantize_4bit is ORIGINAL


def make_layer(device, nested=False, quant_type="nf4", dtype=torch.bfloat16):
    torch.manual_seed(3)
    layer = bnb.nn.Linear4bit(128, 64, compute_dtype=dtype, compress_statistics=nested, quant_type=quant_type)
    if device == "cpu":
        layer.train()  # else bitsandbytes repacks the weight for its own CPU kernels
    return layer.to(dtype).to(device)


def step(layer, device):
    """Output and gradients of a training step, and how many decodes it took from qfuse."""
    torch.manual_seed(4)
    x = torch.randn(4, 128, device=device, dtype=torch.bfloat16, requires_grad=True)
    layer.bias.grad = None
    with Decodes() as decodes:
        y = layer(x)
        y.float().square().sum().backward()
    return (y.detach(), x.grad, layer.bias.grad), decodes.count


@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
@pytest.mark.parametrize("quant_type", ["nf4", "fp4"])
def test_a_layer_trains_to_the_same_bits(device, nested, quant_type):
    layer = make_layer(device, nested, quant_type)
    layer.bias.requires_grad_()
    without, decodes = step(layer, device)
    assert decodes == 0
    with integration.enabled():
        found, decodes = step(layer, device)
    assert decodes > 0
    assert all(same_bits(a, b) for a, b in zip(found, without, strict=True))


def test_says_what_it_replaced_everywhere_and_puts_it_back():
    by_name = types.ModuleType("holds_it_by_name")
    by_name.dequantize_4bit = ORIGINAL
    sys.modules["holds_it_by_name"] = by_name
    try:
        report = integration.enable()
        assert report and {"bitsandbytes.functional.dequantize_4bit", "holds_it_by_name.dequantize_4bit"} <= set(
            report.replaced)
        assert "qfuse replaced bitsandbytes.functional.dequantize_4bit" in str(report)
        assert by_name.dequantize_4bit is bnb.functional.dequantize_4bit is not ORIGINAL
        late = types.ModuleType("imported_late")
        late.dequantize_4bit = bnb.functional.dequantize_4bit
        sys.modules["imported_late"] = late
        assert "imported_late.dequantize_4bit" in integration.enable().replaced
        integration.disable()
        assert by_name.dequantize_4bit is late.dequantize_4bit is ORIGINAL
    finally:
        sys.modules.pop("holds_it_by_name")
        sys.modules.pop("imported_late", None)


def test_a_context_inside_of_another_ends_nothing():
    with integration.enabled():
        replacement = bnb.functional.dequantize_4bit
        with integration.enabled():
            pass
        assert bnb.functional.dequantize_4bit is replacement
    assert bnb.functional.dequantize_4bit is ORIGINAL


def test_says_why_it_could_not():
    with pytest.warns(UserWarning, match="replaced nothing of no_such_library: .*No module named 'no_such_library'"):
        report = Patch("no_such_library.functional", "f", lambda original: original).enable()
    assert not report


def test_keeps_the_signature_and_what_it_cannot_decode(device):
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


def test_compiles_into_one_graph(device, backend):
    weight = make_weight(device)
    state2 = bnb.functional.QuantState(weight["nested_absmax"], code=weight["nested_quant_map"], blocksize=256,
                                       dtype=torch.float32)
    state = bnb.functional.QuantState(weight["absmax"], torch.Size(weight["shape"]), None, 64, "nf4", torch.bfloat16,
                                      weight["nested_offset"], state2)
    with integration.enabled():
        torch._dynamo.reset()
        found = torch.compile(lambda p: bnb.functional.dequantize_4bit(p, state), fullgraph=True,
                              backend=backend)(weight["packed"])
    assert same_bits(found, qfuse.dequantize_4bit(weight["packed"], state))


def test_transformers_gets_the_bits_of_cuda(device):
    """model.dequantize() of a model whose rows are no whole blocks, which bitsandbytes decodes wrong on some CPUs."""
    transformers = pytest.importorskip("transformers")
    model = transformers.AutoModelForCausalLM.from_pretrained(TINY / "bnb4", device_map=device)
    with integration.enabled(), Decodes() as decodes:
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
        with Decodes() as decodes:
            if enabled:
                with integration.enabled():
                    model.merge_adapter()
            else:
                model.merge_adapter()
        assert bool(decodes.count) == enabled
        return model.base_model.model.proj.base_layer.weight.data

    assert same_bits(merged(True), merged(False))
