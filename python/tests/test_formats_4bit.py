"""E2M1 and INT4 codes with scales for blocks along rows: the bits of torch and transformers, and what is refused."""

import pytest
import torch
from conftest import DTYPES, same_bits

import qfuse

E4M3, E8M0 = torch.float8_e4m3fn, torch.float8_e8m0fnu
SCALES = [E4M3, E8M0, torch.uint8, torch.float32, torch.bfloat16, torch.float16]
E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def any_bytes(*shape):
    return torch.randint(256, shape, dtype=torch.uint8, generator=torch.Generator().manual_seed(3))


def any_scales(kind, *shape):
    """Scales of random bits: subnormal, huge, infinite, NaN, of either sign."""
    return any_bytes(*shape, torch.empty((), dtype=kind).element_size()).view(kind).squeeze(-1)


def as_torch_has_it(packed, scales, cols, quant_type, blocksize, dtype, factor=None, divisor=None, zero_points=None):
    nibbles = torch.stack((packed & 15, packed >> 4), -1).flatten(1)[:, :cols]
    each = (scales.view(E8M0) if scales.dtype == torch.uint8 else scales).float()
    each = each * factor if factor is not None else each / divisor if divisor is not None else each
    each = each.repeat_interleave(min(blocksize, cols), 1)[:, :cols]
    if quant_type == "e2m1":
        return (E2M1[nibbles.long()] * each).to(dtype)
    zeros = torch.full(scales.shape, 8) if zero_points is None else zero_points
    return ((nibbles.float() - zeros.float().repeat_interleave(min(blocksize, cols), 1)[:, :cols]) * each).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", SCALES)
@pytest.mark.parametrize(
    "rows, cols, blocksize", [(64, 256, 16), (37, 333, 32), (9, 200, 128), (5, 71, 71), (3, 1, 16)]
)
def test_as_torch_decodes_it(device, rows, cols, blocksize, kind, dtype):
    packed, scales = any_bytes(rows, -(-cols // 2)), any_scales(kind, rows, -(-cols // blocksize))
    one, zeros = torch.tensor([0.0117]), any_bytes(*scales.shape) % 17
    for quant_type, options in (
        ("e2m1", {}),
        ("e2m1", {"global_scale": one}),
        ("e2m1", {"global_divisor": one}),
        ("int4", {}),
        ("int4", {"zero_points": zeros, "global_scale": one}),
    ):
        named = {name.replace("global_scale", "factor").replace("global_", ""): one for name, one in options.items()}
        expected = as_torch_has_it(packed, scales, cols, quant_type, blocksize, dtype, **named)
        there = {name: tensor.to(device) for name, tensor in options.items()}
        arguments = (packed.to(device), scales.to(device), cols, quant_type, blocksize, dtype)
        assert same_bits(qfuse.ops.dequantize_4bit_rows(*arguments, **there), expected)


def test_every_byte_by_every_scale_as_transformers_has_mxfp4():
    """All bytes and scales except the scale byte of NaN, which transformers decodes as 2^128."""
    mxfp4 = pytest.importorskip("transformers.integrations.mxfp4")
    packed = torch.arange(256, dtype=torch.uint8).repeat(256, 1)  # 16 blocks per row, all of one scale
    scales = torch.arange(256, dtype=torch.uint8)[:, None].expand(256, 16).contiguous()
    for dtype in (torch.float32, torch.bfloat16):
        theirs = mxfp4.convert_moe_packed_tensors(packed.view(1, 256, 16, 16), scales[None], dtype=dtype)[0].t()
        ours = qfuse.ops.dequantize_4bit_rows(packed, scales, 512, "e2m1", 32, dtype)
        assert same_bits(ours[:255], theirs[:255].contiguous())
        assert ours[255].isnan().all()


def test_of_no_elements(device):
    packed = torch.empty(0, 24, dtype=torch.uint8, device=device)
    scales = torch.empty(0, 3, device=device)
    assert qfuse.ops.dequantize_4bit_rows(packed, scales, 48, "int4", 16, torch.float16).shape == (0, 48)


def test_refuses(device):
    packed, scales = any_bytes(20, 40).to(device), torch.ones(20, 5, device=device)
    one, zeros = torch.ones(1, device=device), any_bytes(20, 5).to(device)
    for message, changed in {
        "packed has 1 dimensions": {"packed": packed[0]},
        "packed is int32, it must be uint8": {"packed": packed.view(torch.int32)},
        r"packed has shape \(20, 40\), this weight needs \(20, 41\)": {"cols": 81},
        "cols is -1, it must not be negative": {"cols": -1},
        r"scales has shape \(5, 20\), this weight needs \(20, 5\)": {"scales": scales.t().contiguous()},
        r"scales has shape \(20\)": {"scales": scales[:, 0].contiguous()},
        "scales is float64, it can be": {"scales": scales.double()},
        "quant_type is 'nf4', it can be 'e2m1' or 'int4'": {"quant_type": "nf4"},
        "blocksize is 0, it must be positive": {"blocksize": 0},
        "blocksize is 20, it must be a multiple of 16": {"blocksize": 20, "scales": scales[:, :4].contiguous()},
        "dtype is float64": {"dtype": torch.float64},
        "global_scale and global_divisor are both given": {"global_scale": one, "global_divisor": one},
        "global_scale has 2 elements": {"global_scale": torch.ones(2, device=device)},
        r"zero_points has shape \(5, 20\)": {"zero_points": zeros.t().contiguous()},
        "zero_points is given, but quant_type is 'e2m1'": {"zero_points": zeros, "quant_type": "e2m1"},
    }.items():
        arguments = {"packed": packed, "scales": scales, "cols": 80, "quant_type": "int4", "blocksize": 16}
        with pytest.raises(RuntimeError, match=message):
            qfuse.ops.dequantize_4bit_rows(**{**arguments, "dtype": torch.float32, **changed})
