"""FP8 weights with block scales: the bits of torch and of transformers, and what is refused."""

import pytest
import torch
from conftest import DTYPES, same_bits

import qfuse

E4M3, E8M0 = torch.float8_e4m3fn, torch.float8_e8m0fnu
SCALES = [torch.float32, torch.bfloat16, torch.float16, E8M0, torch.uint8]


def all_codes(rows, cols):
    """Returns codes; a row of at least 256 columns has all 256 codes, NaN among them."""
    return torch.arange(rows * cols).mul(7).to(torch.uint8).view(E4M3).view(rows, cols)


def random_scales(kind, *shape):
    """Scales of random bits: subnormal, huge, infinite, NaN, of either sign."""
    size = torch.empty((), dtype=kind).element_size()
    bits = torch.randint(256, (*shape, size), dtype=torch.uint8, generator=torch.Generator().manual_seed(3))
    return bits.view(kind).squeeze(-1)


def as_torch_has_it(codes, scales, blocks, dtype):
    values = (scales.view(E8M0) if scales.dtype == torch.uint8 else scales).float()
    for dim, block in enumerate(blocks):
        values = values.repeat_interleave(block, dim).narrow(dim, 0, codes.shape[dim])
    return (codes.view(E4M3).float() * values).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", SCALES)
@pytest.mark.parametrize(
    "shape, blocks", [((576, 264), (128, 128)), ((37, 333), (8, 64)), ((5, 256), (1, 256)), ((3, 40), (3, 40))]
)
def test_as_torch_decodes_it(device, shape, blocks, kind, dtype):
    codes = all_codes(*shape)
    scales = random_scales(kind, *(-(-length // block) for length, block in zip(shape, blocks, strict=True)))
    expected = as_torch_has_it(codes, scales, blocks, dtype)
    found = qfuse.ops.dequantize_fp8(codes.to(device), scales.to(device), dtype, blocks)
    assert same_bits(found, expected)
    assert same_bits(
        qfuse.ops.dequantize_fp8(codes.view(torch.uint8).to(device), scales.to(device), dtype, blocks), expected
    )


def test_every_code_by_every_power_of_two(device):
    codes = torch.arange(256).to(torch.uint8).expand(256, 256).contiguous()
    scales = torch.arange(256).to(torch.uint8).view(256, 1)
    for dtype in DTYPES:
        found = qfuse.ops.dequantize_fp8(codes.to(device), scales.to(device), dtype, (1, 256))
        assert same_bits(found, as_torch_has_it(codes, scales, (1, 256), dtype))


@pytest.mark.parametrize("kind", SCALES)
def test_as_transformers_decodes_it(kind):
    finegrained_fp8 = pytest.importorskip("transformers.integrations.finegrained_fp8")
    if not hasattr(finegrained_fp8, "Fp8Dequantize"):
        pytest.skip("this transformers has no Fp8Dequantize")
    codes, scales = all_codes(256, 384), random_scales(kind, 2, 3)
    for dtype in DTYPES:
        expected = finegrained_fp8.Fp8Dequantize(None)._dequantize_one(codes, scales, dtype)
        assert same_bits(qfuse.ops.dequantize_fp8(codes, scales, dtype), expected)


def test_scales_of_one_row_or_column_may_be_flat(device):
    codes = all_codes(64, 48).to(device)
    for blocks, shapes in {(64, 48): [(), (1,), (1, 1)], (1, 48): [(64,), (64, 1)], (64, 16): [(3,), (1, 3)]}.items():
        scales = torch.rand(-(-64 // blocks[0]) * -(-48 // blocks[1]), device=device)
        found = [qfuse.ops.dequantize_fp8(codes, scales.view(shape), torch.float32, blocks) for shape in shapes]
        assert all(torch.equal(found[0].nan_to_num(), one.nan_to_num()) for one in found)


def test_of_no_elements(device):
    codes = torch.empty(0, 48, dtype=E4M3, device=device)
    assert qfuse.ops.dequantize_fp8(codes, torch.empty(0, 1, device=device), torch.float16).shape == (0, 48)


def test_codes_of_float8_are_seen_by_torchs_compiler(device):
    numbers = all_codes(20, 300).view(torch.uint8) & 0xFE  # none is NaN, which does not equal itself
    codes, scales = numbers.view(E4M3).to(device), torch.rand(3, 10, device=device)
    op = torch.ops.qfuse.dequantize_fp8.default
    utils = ("test_faketensor", "test_aot_dispatch_dynamic")  # test_schema multiplies inputs, which float8 cannot
    torch.library.opcheck(op, (codes, scales, 8, 32, torch.bfloat16), test_utils=utils)
    torch._dynamo.reset()
    found = torch.compile(op, fullgraph=True, backend="aot_eager")(codes, scales, 8, 32, torch.bfloat16)
    assert torch.equal(found, op(codes, scales, 8, 32, torch.bfloat16))


def test_refuses(device):
    codes, scales = all_codes(200, 300).to(device), torch.ones(2, 3, device=device)
    for message, arguments in {
        "codes has 1 dimensions": (codes[0], scales),
        "codes is int8, it must be float8_e4m3fn": (codes.view(torch.int8), scales),
        "codes is float8_e5m2": (codes.view(torch.float8_e5m2), scales),
        "codes is None, it must be a tensor": (None, scales),
        "codes has shape .* and strides": (codes.view(torch.uint8).t(), scales),
        "scales is None, it must be a tensor": (codes, None),
        "scales is float64, it can be": (codes, scales.double()),
        r"scales has shape \(3, 2\), these blocks need \(2, 3\)": (codes, scales.t().contiguous()),
        r"scales has shape \(2, 2\)": (codes, scales[:, :2].contiguous()),
        r"scales has shape \(6\)": (codes, scales.flatten()),
        "block_rows is 0, it must be positive": (codes, scales, torch.float32, (0, 128)),
        "block_cols is -1": (codes, scales, torch.float32, (128, -1)),
        "dtype is float64": (codes, scales, torch.float64),
    }.items():
        with pytest.raises(RuntimeError, match=message):
            qfuse.ops.dequantize_fp8(*(*arguments, torch.float32)[: max(3, len(arguments))])
