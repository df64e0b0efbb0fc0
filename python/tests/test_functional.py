"""qfuse.dequantize_4bit and matmul_4bit with every form in which bitsandbytes keeps a weight and its state."""

import copy

import pytest
import torch
from conftest import Calls, golden_weights, make_weight, replaced, same_bits

import qfuse
from qfuse.weight import Weight4bitTensor

bitsandbytes = pytest.importorskip("bitsandbytes")
from bitsandbytes.functional import QuantState  # noqa: E402

CASES = [c for c in golden_weights("bnb_cases") if torch.bfloat16 in c.decoded and len(c.weight.shape) == 2]


def state_of(case, device, dtype=torch.bfloat16, offset_dtype=torch.float32):
    weight = case.on(device, dtype)
    state2 = offset = None
    if weight.nested:
        state2 = QuantState(
            absmax=weight.nested_absmax, code=weight.nested_quant_map, blocksize=256, dtype=torch.float32
        )
        offset = weight.nested_offset.to(offset_dtype)
    return weight.packed, QuantState(
        absmax=weight.absmax,
        shape=torch.Size(weight.shape),
        dtype=dtype,
        blocksize=weight.blocksize,
        quant_type=weight.quant_type,
        offset=offset,
        state2=state2,
    )


def legacy_list(state):
    compressed = state.state2 and [
        state.offset,
        [state.state2.absmax, state.state2.code, state.state2.blocksize, True, state.state2.dtype, None, None],
    ]
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


def test_what_is_replaced_in_a_weight_is_noticed(device):
    """A layer decodes to its current values, whatever qfuse may keep of it between calls."""
    case = next(c for c in CASES if c.weight.nested)
    layer = linear_of(*state_of(case, device))
    state, first = layer.weight.quant_state, qfuse.dequantize_4bit(layer)

    def decoded_anew():
        fields = {name: getattr(state, name) for name in ("shape", "dtype", "quant_type", "blocksize")}
        tensors = (layer.weight.data, state.absmax, state.state2.absmax, state.state2.code, state.offset)
        return qfuse.ops.dequantize_4bit(tensors, **fields)

    changes = {
        "codes": lambda: setattr(layer.weight, "data", layer.weight.data.flip(0)),
        "codes in place": lambda: layer.weight.data.zero_(),
        "absmax": lambda: setattr(state, "absmax", state.absmax.flip(0)),
        "absmax in place": lambda: state.absmax.fill_(200),
        "offset": lambda: setattr(state, "offset", state.offset + 1),
        "offset of another dtype": lambda: setattr(state, "offset", state.offset.bfloat16().float().double()),
        "nested absmax": lambda: setattr(state.state2, "absmax", state.state2.absmax * 2),
        "nested map": lambda: setattr(state.state2, "code", state.state2.code.flip(0)),
        "quant_type": lambda: setattr(state, "quant_type", "fp4" if state.quant_type == "nf4" else "nf4"),
        "dtype": lambda: setattr(state, "dtype", torch.float32),
        "shape": lambda: setattr(state, "shape", torch.Size((state.shape.numel(),))),
        "state": lambda: setattr(layer.weight, "quant_state", copy.deepcopy(state)),
    }
    for what, change in changes.items():
        change()
        found = qfuse.dequantize_4bit(layer)
        state = layer.weight.quant_state
        state.offset = state.offset.float()
        assert same_bits(found, decoded_anew()), what
        if what != "state":
            assert not (found.shape == first.shape and same_bits(found, first)), what
    layer.weight = linear_of(*state_of(case, device)).weight
    assert same_bits(qfuse.dequantize_4bit(layer), first)


def test_codes_that_lie_in_a_row_come_back_transposed(device):
    packed, state = state_of(CASES[0], device)
    expected = CASES[0].decoded[torch.bfloat16].t()
    assert same_bits(qfuse.dequantize_4bit(packed.t(), state), expected)
    out = torch.empty(state.shape, dtype=state.dtype, device=device)
    assert same_bits(qfuse.dequantize_4bit(packed.t(), state, out), expected)
    assert same_bits(out.t(), expected)


@pytest.mark.parametrize("shape", [(1, 128), (1, 2, 64)])
def test_a_row_of_a_parameter_is_no_transpose(device, shape):
    weight = make_weight(device, 1, 128).weight._replace(shape=shape)
    tensor = Weight4bitTensor.of(weight)
    layers = [qfuse.nn.Linear4bit(weight)] if len(shape) == 2 else []
    for form in (tensor, torch.nn.Parameter(tensor, requires_grad=False), *layers):
        assert same_bits(qfuse.dequantize_4bit(form, dtype=torch.float32), weight.dequantize(torch.float32))


def test_an_offset_in_another_default_dtype(device):
    case = next(c for c in CASES if c.weight.nested)
    packed, state = state_of(case, device, offset_dtype=torch.bfloat16)
    rounded = replaced(case.on(device), 4, case.weight.nested_offset.bfloat16().float().to(device))
    assert same_bits(qfuse.dequantize_4bit(packed, state), qfuse.ops.dequantize_4bit(*rounded))


def test_what_is_no_weight():
    packed, state = state_of(CASES[0], "cpu")
    with pytest.raises(TypeError, match="no quant_state"):
        qfuse.dequantize_4bit(packed)
    with pytest.raises(TypeError, match="weight is a list"):
        qfuse.dequantize_4bit([1], state)
    with pytest.raises(TypeError, match="quant_state is a dict"):
        qfuse.dequantize_4bit(packed, {"shape": (1, 2)})
    with pytest.raises(TypeError, match="weight is a NoneType"):
        qfuse.dequantize_4bit(torch.nn.ReLU(), state)
    with pytest.raises(ValueError, match="has 2 entries"):
        qfuse.dequantize_4bit(packed, [1, 2])
    state.shape = None
    with pytest.raises(ValueError, match="no shape"):
        qfuse.dequantize_4bit(packed, state)
    state.packing_format_for_cpu = True
    with pytest.raises(ValueError, match=r"packing_format_for_cpu.*load the model again"):
        qfuse.dequantize_4bit(packed, state)
    nested = next(c for c in CASES if c.weight.nested)
    packed, state = state_of(nested, "cpu")
    state.state2.dtype = torch.float16
    with pytest.raises(ValueError, match="float16"):
        qfuse.dequantize_4bit(packed, state)


def test_what_is_missing_is_named():
    packed, state = state_of(CASES[0], "cpu")
    state.absmax = None
    with pytest.raises(TypeError, match="absmax is a NoneType"):
        qfuse.dequantize_4bit(packed, state)


def test_int8_layers(device):
    codes = torch.randint(-127, 128, (8, 16), dtype=torch.int8, device=device)
    scb = torch.rand(8, device=device)
    layer = bitsandbytes.nn.Linear8bitLt(16, 8, bias=False, has_fp16_weights=False)
    layer.weight = bitsandbytes.nn.Int8Params(codes, SCB=scb, requires_grad=False)
    expected = qfuse.ops.dequantize_int8(codes, scb, torch.bfloat16)
    for weight in (layer, layer.weight):
        assert same_bits(qfuse.dequantize_int8(weight), expected)
    layer.weight.SCB, layer.state.SCB = None, scb
    assert same_bits(qfuse.dequantize_int8(layer), expected)
    assert qfuse.dequantize_int8(codes, scb, torch.float16).dtype == torch.float16
    assert qfuse.dequantize_int8(codes, scb, "fp32").dtype == torch.float32
    with pytest.raises(TypeError, match="a Tensor has no SCB"):
        qfuse.dequantize_int8(codes)
    with pytest.raises(TypeError, match=r"qfuse\.dequantize_int8 decodes it"):
        qfuse.dequantize_4bit(layer)


def test_another_dtype_than_the_states(device):
    packed, state = state_of(CASES[0], device)
    weight = CASES[0].on(device)
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        other = copy.copy(state)
        other.dtype = dtype
        expected = qfuse.dequantize_4bit(packed, other)
        assert expected.dtype == dtype
        assert same_bits(qfuse.dequantize_4bit(packed, state, dtype=dtype), expected)
        assert same_bits(qfuse.dequantize_4bit(weight, dtype=dtype), expected)
        assert same_bits(weight.dequantize(dtype), expected)
        names = {
            torch.float32: ("float32", "fp32"),
            torch.float16: ("half", "fp16"),
            torch.bfloat16: ("bfloat16", "BF16"),
        }
        for name in names[dtype]:
            assert same_bits(qfuse.dequantize_4bit(packed, state, dtype=name), expected)
            assert same_bits(weight.dequantize(name), expected)
    with pytest.raises(ValueError, match="dtype is 'int8', it can be float32, float16 or bfloat16"):
        qfuse.dequantize_4bit(packed, state, dtype="int8")
    assert weight.device == packed.device
    assert same_bits(weight.dequantize(), qfuse.dequantize_4bit(weight))


def test_an_output_has_no_gradient():
    packed, state = state_of(CASES[0], "cpu")
    out = torch.empty(state.shape, dtype=state.dtype, requires_grad=True)
    with pytest.raises(ValueError, match="out requires a gradient"):
        qfuse.dequantize_4bit(packed, state, out=out)


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8, torch.complex64])
def test_a_product_with_what_is_no_float(dtype):
    layer = linear_of(*state_of(CASES[0], "cpu"))
    with pytest.raises(TypeError, match=f"x is {dtype}, it must be float32, float16 or bfloat16"):
        qfuse.matmul_4bit(torch.ones(2, 64).to(dtype), layer)


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
    for y in (
        lambda x, b: product(x, layer.weight, layer.weight.quant_state, b),
        lambda x, b: torch.nn.functional.linear(x, dense) + b,
    ):
        leaves = (x.clone().requires_grad_(), bias.clone().requires_grad_())
        out = y(*leaves)
        out.square().sum().backward()
        results.append((out.detach(), *(leaf.grad for leaf in leaves)))
    for found, expected in zip(*results, strict=True):
        torch.testing.assert_close(found, expected)


def test_a_product_saves_nothing_and_decodes_nothing_to_memory(device):
    """The autograd graph holds no tensor; the packed weight belongs to its layer."""
    packed, state = state_of(CASES[0], device)
    x = torch.ones(2, state.shape[1], dtype=torch.bfloat16, device=device, requires_grad=True)
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        y = qfuse.matmul_4bit(x, packed, state)
    assert kept + [t for t in vars(y.grad_fn).values() if isinstance(t, torch.Tensor)] == []
    with Calls("qfuse::dequantize_4bit") as decodes:
        y.sum().backward()
    assert decodes.count == 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_product_with_every_form_of_a_weight(case, device):
    packed, state = state_of(case, device)
    layer = linear_of(packed, state)
    x = torch.randn(7, layer.in_features, device=device).bfloat16()
    bias = torch.randn(layer.out_features, device=device)
    expected = qfuse.matmul_4bit(x, case.on(device), bias=bias)
    for weight in [(packed, state), (packed.t(), state), (packed, legacy_list(state)), (layer.weight,), (layer,)]:
        assert same_bits(qfuse.matmul_4bit(x, *weight, bias=bias), expected)
    dense, given = case.decoded[torch.bfloat16].to(device).double(), bias.bfloat16().double()
    distance = (expected.double() - torch.nn.functional.linear(x.double(), dense, given)).abs()
    magnitudes = torch.nn.functional.linear(x.double().abs(), dense.abs(), given.abs())
    known = magnitudes.isfinite()  # one of the weights has infinities and NaN
    assert (distance <= magnitudes * torch.finfo(torch.bfloat16).eps)[known].all()
    rows, row = (qfuse.matmul_4bit(it, layer, bias=bias, order="plain") for it in (x, x[0]))
    assert same_bits(row, rows[0])


def test_a_product_under_function_transforms(device):
    layer = linear_of(*state_of(CASES[0], device, torch.float32))
    x, bias = torch.randn(4, layer.in_features, device=device), torch.randn(layer.out_features, device=device)

    def loss(x, b):
        return qfuse.matmul_4bit(x, layer, bias=b).square().sum()

    dense = qfuse.dequantize_4bit(layer)
    y = torch.nn.functional.linear(x, dense, bias)
    grad_x, grad_bias = torch.func.grad(loss, argnums=(0, 1))(x, bias)
    torch.testing.assert_close(grad_x, 2 * y @ dense)
    torch.testing.assert_close(grad_bias, 2 * y.sum(0))
    torch.testing.assert_close(torch.func.vmap(lambda row: qfuse.matmul_4bit(row, layer, bias=bias))(x), y)


def test_a_changed_weight_has_no_gradient_of_the_old_one(device):
    packed, state = state_of(CASES[0], device)
    packed = packed.clone()
    y = qfuse.matmul_4bit(torch.ones(2, state.shape[1], device=device, requires_grad=True), packed, state)
    packed.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_decoded_weight_requires_no_gradient(device):
    original = torch.randn(64, 64, device=device, requires_grad=True)
    packed, absmax = qfuse.ops.quantize_4bit(original, 64, "nf4")
    state = [absmax.requires_grad_(), (64, 64), torch.float32, 64, None, "nf4"]
    assert not qfuse.dequantize_4bit(packed, state).requires_grad


def test_a_product_that_does_not_fit(device):
    layer = linear_of(*state_of(CASES[0], device))
    with pytest.raises(ValueError, match=r"x has shape \(2, 3\), the weight \(64, 64\)"):
        qfuse.matmul_4bit(torch.ones(2, 3, device=device), layer)
    with pytest.raises(ValueError, match=r"the weight \(64, 64\)"):
        qfuse.matmul_4bit(torch.ones((), device=device), layer)
    for shape in ((1,), (3, 1, 64)):
        with pytest.raises(ValueError, match=r"bias has shape .*, it must be \(64,\)"):
            qfuse.matmul_4bit(torch.ones(2, 64, device=device), layer, bias=torch.ones(shape, device=device))
