"""Products by weights in INT4, MXFP4 and NVFP4: exact sums, gradients, torch's compiler, and errors."""

import functools

import pytest
import torch
from conftest import DTYPES, same_bits

import qfuse
from qfuse.weight import parameter_of, to_state_dict

E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
ENDS = (3, 3, 8)
BLOCKS = {"int4": 32, "mxfp4": 32, "nvfp4": 16, "nvfp4_divisor": 16}
FORMATS = pytest.mark.parametrize("quant_type", BLOCKS)


def drawn(*shape, low, high, seed=5):
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(seed))


def scales_of(exponents, quant_type):
    """Returns powers of two in the format's type of scales."""
    if quant_type == "mxfp4":
        return (exponents + 127).byte()
    return exponents.double().exp2().to(torch.bfloat16 if quant_type == "int4" else torch.float8_e4m3fn)


def weight_of(device, *shape, dtype=torch.bfloat16, quant_type="mxfp4", globals_each=False):
    """Returns a weight with scales of 1/2 to 2, and its values in fp64, decoded by torch."""
    packed = drawn(*shape[:-1], shape[-1] // 2, low=0, high=256).byte()
    block = BLOCKS[quant_type]
    exponents = drawn(*shape[:-1], shape[-1] // block, low=-1, high=2)
    codes = torch.stack((packed & 15, packed >> 4), -1).flatten(-2)
    values = codes.double() - 8 if quant_type == "int4" else E2M1[codes.long()].double()
    values = values * exponents.double().exp2().repeat_interleave(block, -1)
    tensors = [packed, scales_of(exponents, quant_type)]
    if quant_type.startswith("nvfp4"):
        tensors.append(torch.tensor([2.0, 0.5, 4.0][: shape[0] if globals_each else 1]))
        factors = 1 / tensors[2] if quant_type == "nvfp4_divisor" else tensors[2]
        values = values * factors.double().view(-1, *[1] * (len(shape) - 1))
    weight = qfuse.Weight4bit(tuple(t.to(device) for t in tensors), tuple(shape), dtype, quant_type, block)
    return weight, values.to(device)


def integers(*shape, device, dtype, seed=7):
    """Returns integers so small that their products with such weights have exact sums in bfloat16, in any order."""
    return drawn(*shape, low=-2, high=3, seed=seed).to(device, dtype)


def exact(product, dtype):
    return product.to(torch.float32).to(dtype)


@FORMATS
@pytest.mark.parametrize("dtype", DTYPES)
def test_products_are_exact(device, dtype, quant_type):
    weight, dense = weight_of(device, 24, 160, quant_type=quant_type)
    x, dy = integers(5, 160, device=device, dtype=dtype), integers(5, 24, device=device, dtype=dtype)
    assert same_bits(weight.dequantize(dtype), dense.to(dtype))
    for order in ("plain", "split", None):
        assert same_bits(qfuse.matmul_4bit(x, weight, order=order), exact(x.double() @ dense.mT, dtype))
    form = dict(shape=weight.shape, quant_type=quant_type, blocksize=weight.blocksize)
    back = qfuse.ops.matmul_4bit(dy, weight.tensors, None, **form, direction="backward")
    assert same_bits(back, exact(dy.double() @ dense, dtype))
    for one in qfuse.matmul_4bit_many(x, [weight, weight]):
        assert same_bits(one, exact(x.double() @ dense.mT, dtype))


@FORMATS
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bits_of_weights_are_those_of_dequantize_4bit_rows(device, dtype, quant_type):
    """A row of the identity selects a column of W, or a row, without rounding."""
    rows, cols, block = 32, 192, BLOCKS[quant_type]
    packed = drawn(rows, cols // 2, low=0, high=256).byte().to(device)
    scales = (torch.rand(rows, cols // block, generator=torch.Generator().manual_seed(3)) + 0.3).to(device)
    scales = (
        (scales.log2() + 127).byte() if quant_type == "mxfp4" else scales.to(scales_of(packed[:0], quant_type).dtype)
    )
    by = {"nvfp4": "global_scale", "nvfp4_divisor": "global_divisor"}.get(quant_type)
    globals_ = {by: torch.tensor([0.7], device=device)} if by else {}
    codes = "int4" if quant_type == "int4" else "e2m1"
    expected = qfuse.ops.dequantize_4bit_rows(packed, scales, cols, codes, block, dtype, **globals_)
    weight = qfuse.Weight4bit((packed, scales, *globals_.values()), (rows, cols), dtype, quant_type, block)
    assert same_bits(weight.dequantize(), expected)
    form = dict(shape=weight.shape, quant_type=quant_type, blocksize=block)
    multiply = functools.partial(qfuse.ops.matmul_4bit, weight=weight.tensors, bias=None, **form)
    for order in ("plain", "split"):
        found = multiply(torch.eye(cols, dtype=dtype, device=device), order=order)
        assert same_bits(found, expected.mT.contiguous() + 0)  # a sum that begins as +0 has no -0
    found = multiply(torch.eye(rows, dtype=dtype, device=device), direction="backward")
    assert same_bits(found, expected + 0)


@FORMATS
def test_gradients_are_exact(device, quant_type):
    weight, dense = weight_of(device, 24, 160, dtype=torch.float32, quant_type=quant_type)
    x, bias = (integers(*s, device=device, dtype=torch.float32).requires_grad_() for s in ((5, 160), (24,)))
    product = qfuse.matmul_4bit(x, weight, bias=bias)
    assert same_bits(product.detach(), exact(x.detach().double() @ dense.mT + bias.detach(), torch.float32))
    dy = integers(5, 24, device=device, dtype=torch.float32, seed=8)
    product.backward(dy)
    assert same_bits(x.grad, exact(dy.double() @ dense, torch.float32)) and same_bits(bias.grad, dy.sum(0))
    (per_row,) = torch.func.vmap(torch.func.grad(lambda row: qfuse.matmul_4bit(row, weight).sum()))(x[None].detach())
    assert same_bits(per_row, dense.sum(0).float().expand(5, 160))


@FORMATS
@pytest.mark.parametrize("is_transposed", [False, True])
def test_experts_and_their_adapters(device, is_transposed, quant_type):
    """gpt-oss has 90 blocks of 32 in a row."""
    weight, dense = weight_of(device, 3, 32, 2880, dtype=torch.float32, quant_type=quant_type, globals_each=True)
    assert same_bits(weight.dequantize(), dense.float())
    dense = dense if is_transposed else dense.mT
    k, n = dense.shape[1:]
    ends = torch.tensor(ENDS, device=device)
    x, bias = integers(8, k, device=device, dtype=torch.float32), integers(3, n, device=device, dtype=torch.float32)
    low, up = (
        integers(3, 4, k, device=device, dtype=torch.float32),
        integers(3, n, 4, device=device, dtype=torch.float32),
    )
    rows = [slice(0, 3), slice(3, 3), slice(3, 8)]
    base = torch.cat([x[own].double() @ dense[e] + bias[e] for e, own in enumerate(rows)])
    found = qfuse.matmul_4bit_grouped(x, weight, ends, bias=bias, is_transposed=is_transposed)
    assert same_bits(found, exact(base, torch.float32))
    adapted = qfuse.matmul_4bit_grouped_lora(x, weight, ends, low, up, bias=bias, is_transposed=is_transposed)
    shares = torch.cat([x[own].double() @ low[e].mT.double() @ up[e].mT.double() for e, own in enumerate(rows)])
    assert same_bits(adapted, exact(base + shares, torch.float32))
    x.requires_grad_()
    qfuse.matmul_4bit_grouped(x, weight, ends, is_transposed=is_transposed).sum().backward()
    expected = torch.cat(
        [torch.ones(len(x[own]), n, device=device).double() @ dense[e].mT for e, own in enumerate(rows)]
    )
    assert same_bits(x.grad, exact(expected, torch.float32))


def test_subnormal_scales_are_zeros_and_NaN_stays(device):
    weight, _ = weight_of(device, 2, 64, dtype=torch.float32)
    packed = torch.full_like(weight.packed, 0x22)
    scales = torch.tensor([[0, 0], [0, 255]], dtype=torch.uint8, device=device)
    weight = weight._replace(tensors=(packed, scales))
    # "plain", because in float32 a GPU decodes to memory by default, which flushes nothing.
    first, second = qfuse.matmul_4bit(torch.ones(1, 64, device=device), weight, order="plain")[0].tolist()
    assert first == 0 and second != second
    assert weight.dequantize()[0, 0] == 2.0**-127


@FORMATS
def test_as_one_tensor(device, quant_type):
    weight, dense = weight_of(device, 3, 8, 64, quant_type=quant_type)
    parameter = parameter_of(weight)
    stored = torch.bfloat16 if quant_type == "int4" else torch.uint8
    assert "nested=False" in repr(parameter.data) and parameter.absmax.dtype is stored
    assert same_bits(parameter.data.dequantize(), dense.to(torch.bfloat16))
    copy = parameter.detach().clone().to(torch.float32)
    assert same_bits(copy.quant_state.dequantize(), dense.float()) and len(copy.inner) == len(weight.tensors)
    names, context = copy.__tensor_flatten__()
    again = type(copy).__tensor_unflatten__({name: getattr(copy, name) for name in names}, context, copy.shape, None)
    assert same_bits(again.quant_state.dequantize(), dense.float())


@FORMATS
def test_compiled(device, backend, quant_type):
    torch.compiler.reset()  # all parameters share the lambda's code, and would exceed the limit of recompilations
    weight, dense = weight_of(device, 24, 160, dtype=torch.float32, quant_type=quant_type)
    x = integers(5, 160, device=device, dtype=torch.float32).requires_grad_()
    torch.compile(lambda y: qfuse.matmul_4bit(y, weight).sum(), backend=backend, fullgraph=True)(x).backward()
    assert same_bits(x.grad, dense.sum(0).float().expand(5, 160))


def test_what_is_refused(device):
    weight, _ = weight_of(device, 4, 64)
    packed, scales = weight.tensors
    x = torch.ones(1, 64, dtype=torch.bfloat16, device=device)

    def refused(message, error=RuntimeError, **changed):
        with pytest.raises(error, match=message):
            qfuse.matmul_4bit(x, weight._replace(**changed), order="plain")

    refused("blocksize is 64, of 'mxfp4' it is 32", blocksize=64)
    refused("scales has 4 elements, 256 values in blocks of 32 need 8", tensors=(packed, scales[:, :1].contiguous()))
    refused("scales is float32, it must be uint8 or float8_e8m0fnu", tensors=(packed, scales.float()))
    refused("weight has 5 tensors, of 'mxfp4' it must have 2", tensors=(packed, scales, x, x, x))
    refused("quant_type is 'mxfp8', it can be 'nf4', 'fp4', 'int4', 'mxfp4', 'nvfp4' or 'nvfp4_div", quant_type="mxfp8")
    refused("weight has 3 tensors, of 'mxfp4' it must have 2", tensors=(packed, scales, x))
    refused("weight has 3 tensors, of 'nf4' it must have 2 or 5", tensors=(packed, scales, x), quant_type="nf4")
    refused("scales is uint8, of 'int4' it must be float32, float16 or bfloat16", quant_type="int4")
    refused("blocksize is 32, of 'nvfp4' it is 16", quant_type="nvfp4")
    tiny = dict(quant_type="nvfp4", blocksize=16)
    refused("scales is float32, it must be uint8 or float8_e4m3fn", tensors=(packed, scales.float()), **tiny)
    of_16 = scales.repeat_interleave(2, -1)
    refused("global_scale has 2 elements, it must have 1", tensors=(packed, of_16, torch.ones(2)), **tiny)
    refused("global_scale is bfloat16, it must be float32", tensors=(packed, of_16, x[0, :1]), **tiny)
    int4 = dict(quant_type="int4", tensors=(packed, torch.ones(4, 4, device=device)), blocksize=16)
    refused("blocksize is 16, it must be a power of two from 32 to 4096 in products with 'int4': decode", **int4)
    with pytest.raises(RuntimeError, match="order is 'factored', which needs a weight with absmax, not 'e2m1'"):
        qfuse.matmul_4bit(x, weight, order="factored")
    with pytest.raises(
        RuntimeError, match="a row of the weight has 48 elements, of 'mxfp4' it must be a multiple of 32"
    ):
        qfuse.ops.dequantize_4bit((packed[:, :24].contiguous(), scales), (4, 48), torch.float32, "mxfp4", 32)
    with pytest.raises(RuntimeError, match="quant_type is 'e2m1', which this op does not take"):
        qfuse.ops.rotated_int8_weight_scales(weight.tensors, weight.shape, "mxfp4", 32)
    with pytest.raises(RuntimeError, match="quant_type is 'mxfp4', it can be 'nf4' or 'fp4'"):
        qfuse.ops.quantize_4bit(x, 32, "mxfp4")
    for stored in (lambda: to_state_dict(weight, "w"), weight.params4bit):
        with pytest.raises(ValueError, match="'mxfp4'"):
            stored()
