"""qfuse.dequantize_4bit and matmul_4bit with every form in which bitsandbytes keeps a weight and its state."""
import pytest
import torch
from conftest import golden_weights, same_bits

import qfuse

bitsandbytes = pytest.importorskip("bitsandbytes")
from bitsandbytes.functional import QuantState  # noqa: E402

CASES = [c for c in golden_weights("bnb_cases") if torch.bfloat16 in c.decoded and len(c.args[4]) == 2]


def state_of(case, device, dtype=torch.bfloat16, offset_dtype=torch.float32):
    packed, absmax, blocksize, quant_type, shape, dtype, *nested = case.arguments(dtype, device)
    state2 = offset = None
    if nested:
        state2 = QuantState(absmax=nested[0], code=nested[1], blocksize=256, dtype=torch.float32)
        offset = nested[2].to(offset_dtype)
    return packed, QuantState(absmax=absmax, shape=torch.Size(shape), dtype=dtype, blocksize=blocksize,
                              quant_type=quant_type, offset=offset, state2=state2)


def legacy_list(state):
    compressed = state.state2 and [state.offset, [state.state2.absmax, state.state2.code, state.state2.blocksize, True,
                                                  state.state2.dtype, None, None]]
    return [state.absmax, state.shape, state.dtype, state.blocksize, compressed, state.quant_type, state.code]


def linear_of(packed, state):
    layer = bitsandbytes.nn.Linear4bit(state.shape[1], state.shape[0], bias=False, device="meta")
    layer.weight = bitsandbytes.nn.Params4bit(packed, quant_state=state, bnb_quantized=True)
    return layer


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_form_of_a_weight(case, device):
    packed, state = state_of(case, device)
    layer = linear_of(packed, state)
    for arguments in [(packed, state), (packed, legacy_list(state)), (layer.weight,), (layer,)]:
        found = qfuse.dequantize_4bit(*arguments)
        assert same_bits(found, case.decoded[torch.bfloat16]) and not found.requires_grad


def test_codes_that_lie_in_a_row_come_back_transposed(device):
    packed, state = state_of(CASES[0], device)
    expected = CASES[0].decoded[torch.bfloat16].t()
    assert same_bits(qfuse.dequantize_4bit(packed.t(), state), expected)
    out = torch.empty(state.shape, dtype=state.dtype, device=device)
    assert same_bits(qfuse.dequantize_4bit(packed.t(), state, out), expected)
    assert same_bits(out.t(), expected)


def test_an_offset_in_another_default_dtype(device):
    case = next(c for c in CASES if c.nested)
    packed, state = state_of(case, device, offset_dtype=torch.bfloat16)
    rounded = case._replace(nested=(*case.nested[:2], case.nested[2].bfloat16().float()))
    assert same_bits(qfuse.dequantize_4bit(packed, state),
                     qfuse.ops.dequantize_4bit(*rounded.arguments(torch.bfloat16, device)))


def test_what_is_no_weight():
    packed, state = state_of(CASES[0], "cpu")
    with pytest.raises(TypeError, match="no quant_state"):
        qfuse.dequantize_4bit(packed)
    with pytest.raises(TypeError, match="weight is a list"):
        qfuse.dequantize_4bit([1], state)
    with pytest.raises(TypeError, match="weight is a NoneType"):
        qfuse.dequantize_4bit(torch.nn.ReLU(), state)
    with pytest.raises(ValueError, match="has 2 entries"):
        qfuse.dequantize_4bit(packed, [1, 2])
    state.shape = None
    with pytest.raises(ValueError, match="no shape"):
        qfuse.dequantize_4bit(packed, state)
    state.packing_format_for_cpu = True
    with pytest.raises(ValueError, match="packing_format_for_cpu"):
        qfuse.dequantize_4bit(packed, state)
    nested = next(c for c in CASES if c.nested)
    packed, state = state_of(nested, "cpu")
    state.state2.dtype = torch.float16
    with pytest.raises(ValueError, match="torch.float16"):
        qfuse.dequantize_4bit(packed, state)


@pytest.mark.parametrize("case", CASES[:4], ids=lambda case: case.name)
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_a_product_to_train_through(case, device, compiled, backend):
    layer = linear_of(*state_of(case, device, torch.float32))
    rows, cols = layer.weight.quant_state.shape
    dense = qfuse.dequantize_4bit(layer)
    x = torch.randn(3, 5, cols, device=device)
    bias = torch.randn(rows, device=device)
    results = []
    product = qfuse.matmul_4bit
    if compiled:
        torch._dynamo.reset()
        product = torch.compile(qfuse.matmul_4bit, fullgraph=True, backend=backend)
    for y in (lambda x, b: product(x, layer.weight, layer.weight.quant_state, b),
              lambda x, b: torch.nn.functional.linear(x, dense) + b):
        leaves = (x.clone().requires_grad_(), bias.clone().requires_grad_())
        out = y(*leaves)
        out.square().sum().backward()
        results.append((out.detach(), *(leaf.grad for leaf in leaves)))
    for found, expected in zip(*results, strict=True):
        torch.testing.assert_close(found, expected)


def test_a_product_keeps_the_packed_weight_alone(device):
    layer = linear_of(*state_of(CASES[0], device))
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        qfuse.matmul_4bit(torch.ones(2, layer.in_features, device=device, requires_grad=True), layer)
    assert kept == []  # the decoded weight would be here


def test_a_product_that_does_not_fit(device):
    layer = linear_of(*state_of(CASES[0], device))
    with pytest.raises(ValueError, match=r"x has shape \(2, 3\), the weight \(64, 64\)"):
        qfuse.matmul_4bit(torch.ones(2, 3, device=device), layer)
