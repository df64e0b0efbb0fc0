"""swiglu in the formats of other libraries, byte for byte, against each library's published formula.

With a gate of 128, the sigmoid is 1 in float32 for any exp, so that torch computes every value that is quantized
exactly, on a CPU and on a GPU:
    y = (128 * up) * weight      d_up = (grad_y * weight) * 128      d_gate = (grad_y * weight) * up
"""

import itertools

import pytest
import torch
from swiglu_outputs import E4M3, E8M0, H, check, new_outputs

import qfuse

GATE = 128.0
LARGEST = {E4M3: 448.0}
LARGEST_BFLOAT16 = torch.finfo(torch.bfloat16).max


# ---- the published formulas: from float32 groups z [..., groups, size], their absmax a, and the largest number `most`
# of the payload's type, they compute the scales and the values to be rounded to that type


def bits(scale):
    return scale.view(torch.int32)


def from_bits(scale):
    return scale.to(torch.int32).view(torch.float32)


def quotient(a, b):
    """Divides with one rounding. By a number, torch multiplies by a reciprocal: 448 / a anywhere, a / 448 on a GPU."""
    tensor = a if isinstance(a, torch.Tensor) else b
    return torch.div(*(x if isinstance(x, torch.Tensor) else torch.full_like(tensor, x) for x in (a, b)))


def times(z, factor):
    return z * factor.unsqueeze(-1)


def powers_of_two(z, a, most):
    """TileKernels (round_sf) and DeepGEMM (ceil_to_ue8m0). Only in qfuse, a group that is not all finite is all NaN."""
    exponent = ((bits(quotient(a.clamp(min=1e-4), most)) - 1) >> 23) + 1
    scale = torch.where(a.isfinite(), from_bits(exponent << 23), torch.nan)
    return scale, times(z, 1.0 / scale)


def torchao(z, a, most):
    """torchao's blockwise_fp8_training: 448 / a in float64, rounded to float32; the scale is its reciprocal."""
    factor = quotient(most, a.double().clamp(min=1e-12)).float()
    return 1.0 / factor, times(z, factor)


def transformer_engine_factor(a, most):
    """compute_scale_from_amax with epsilon 0. The kernels that call it ignore NaN in a; here a is NaN then."""
    factor = quotient(most, a)
    factor = torch.where(factor.isinf(), LARGEST_BFLOAT16, factor)
    return torch.where((a == 0) | ~a.isfinite(), 1.0, factor)


def transformer_engine(z, a, most):
    """Keeps only the factor's sign and exponent; the scale is its reciprocal."""
    factor = from_bits(bits(transformer_engine_factor(a, most)) & -0x800000)
    return 1.0 / factor, times(z, factor)


def transformer_engine_float32(z, a, most):
    """TransformerEngine with NVTE_FP8_BLOCK_SCALING_FP32_SCALES=1."""
    factor = transformer_engine_factor(a, most)
    return 1.0 / factor, times(z, factor)


def mx(z, a, most):
    """TransformerEngine's float_to_e8m0: a / 448, computed as a product, with its exponent rounded up, at most 254.

    TransformerEngine multiplies a group whose byte is 0 by 1, and one with an infinity by 0. Here q = z / scale.
    """
    v = a * torch.tensor(1.0 / most, dtype=torch.float32, device=a.device)
    exponent, fraction = bits(v) >> 23, bits(v) & 0x7FFFFF
    stays = (fraction == 0) | (exponent == 254) | ((exponent == 0) & (fraction <= 0x400000))
    exponent = torch.where(stays, exponent, exponent + 1)
    exponent = torch.where(a.isinf(), 254, torch.where(a.isnan(), 255, exponent))
    scale = torch.where(exponent == 0, 2.0**-127, from_bits(exponent << 23))
    scale = torch.where(a.isnan(), torch.nan, scale)
    return scale, z / scale.unsqueeze(-1)


def int8(z, a, most):
    """The published operator's formula; NaN quotients are stored as 0."""
    scale = (a * torch.tensor(1.0 / 127.0, dtype=torch.float32, device=a.device)).clamp(min=1e-10)
    return scale, torch.trunc(z / scale.unsqueeze(-1)).clamp(-127.0, 127.0).nan_to_num(nan=0.0)


FORMATS = {
    "int8": (int8, {}),
    "recipe int8": (int8, {"recipe": "int8"}),
    "e4m3": (powers_of_two, {}),
    "deepseek": (powers_of_two, {"recipe": "deepseek"}),
    "transformer_engine": (transformer_engine, {"recipe": "transformer_engine"}),
    "transformer_engine, float32": (transformer_engine_float32, {"scale_rule": "torchao", "zero_rule": "one"}),
    "torchao": (torchao, {"recipe": "torchao"}),
    "mx": (mx, {"recipe": "mx"}),
}


def quantize(z, formula, dtype, group_size):
    """Returns payload and float32 scales of groups along the last dimension, of which the last may be short."""
    count = z.shape[-1]
    groups = torch.nn.functional.pad(z.float(), (0, -count % group_size)).unflatten(-1, (-1, group_size))
    most = LARGEST.get(dtype, 127.0)
    scale, q = formula(groups, groups.abs().amax(-1), most)
    q = q.flatten(-2)[..., :count].clamp(-most, most)
    payload = q.to(dtype).view(torch.uint8).masked_fill(q.isnan(), 0x7F).view(dtype)  # NaN of either sign
    return payload.contiguous(), from_bits(bits(scale.contiguous()).masked_fill(scale.isnan(), 0x7FFFFFFF))


# ---- inputs


def spread(shape, factor):
    return torch.randn(shape) * factor


def borders(shape):
    """Values at and next to those where a scale's exponent changes."""
    beside = torch.tensor([446.0, 448.0, 450.0])[torch.randint(3, shape)]
    return beside * 2.0 ** torch.randint(-40, 40, (1,)) * torch.tensor([-1.0, 1.0])[torch.randint(2, shape)]


def with_some(value):
    return lambda shape: torch.where(torch.rand(shape) < 0.004, value, torch.randn(shape))


KINDS = [
    *(lambda shape, factor=factor: spread(shape, factor) for factor in (1.0, 1e-3, 1e4, 1e-7, 1e-20, 3e-38, 1e32, 0.0)),
    lambda shape: torch.full(shape, 3.14),
    borders,
    with_some(torch.nan),
    with_some(torch.inf),
    with_some(-torch.inf),
    lambda shape: torch.where(torch.rand(shape) < 0.01, -5e-5, 0.0),
]


def values(m, tile, shift):
    """Returns [m, H] values, with another kind of numbers in each square of `tile`; no group crosses squares."""
    kinds = itertools.islice(itertools.cycle(KINDS), shift, None)
    rows = [torch.cat([next(kinds)((tile, tile)) for _ in range(H // tile)], dim=1) for _ in range(-(-m // tile))]
    return torch.cat(rows)[:m]


def tokens_weights(m):
    """Powers of two down to those that make values subnormal, numbers next to 1, and random numbers."""
    some = torch.tensor([1.0, 2.0**-7, 2.0**-20, -3.0, 1.0 + 2.0**-23, 1.0 - 2.0**-24])
    return torch.cat([some, torch.randn(m)])[:m] if m < 6 else torch.cat([some.repeat(m // 12), torch.randn(m)])[:m]


class Case:
    """What a call reads, and the float32 values that it quantizes."""

    def __init__(self, device, m, tile=128, shift=0):
        torch.manual_seed(m + tile + shift)
        self.m = m
        wanted, weights = values(m, tile, shift), tokens_weights(m)
        self.weights = weights.to(device)
        gates = torch.full((m, H), GATE)
        self.forward_x = torch.cat([gates, wanted / GATE], dim=1).bfloat16().to(device)
        self.x = torch.cat([gates, torch.randn(m, H)], dim=1).bfloat16().to(device)
        self.grad_y = wanted.bfloat16().to(device)
        token = self.weights.unsqueeze(1)
        self.y = (GATE * self.forward_x[:, H:].float()) * token
        grad = self.grad_y.float() * token
        self.grad_input = torch.cat([grad * self.x[:, H:].float(), grad * GATE], dim=1)
        self.backward_y = (GATE * self.x[:, H:].float()) * token


# ---- bytes


@pytest.mark.parametrize("m", [1, 127, 128, 129, 300])
@pytest.mark.parametrize("group_size", [128, 32])
@pytest.mark.parametrize("name", FORMATS)
def test_bytes_are_the_published_formulas(device, name, group_size, m):
    formula, options = FORMATS[name]
    dtype = torch.int8 if "int8" in name else E4M3
    for shift in range(0, len(KINDS), 4) if m == 1 else (m % 7,):
        case = Case(device, m, group_size, shift)
        made = new_outputs(device, m, dtype, group_size=group_size)
        gradients = {key: made[key] for key in ("grad_input", "grad_input_t")}
        forward = {key: made[key] for key in ("y", "y_t")}
        common = {"weights": case.weights, "group_size": group_size, **options}
        qfuse.ops.swiglu(case.forward_x, **forward, **common)
        qfuse.ops.swiglu(case.x, grad_y=case.grad_y, **gradients, **common)
        for key, output in made.items():
            z = (case.grad_input if key.startswith("grad") else case.y).bfloat16()
            z = z.t() if key.endswith("_t") else z
            check(output, quantize(z, formula, dtype, group_size), key)


# ---- scales in UE8M0


def ue8m0(scale):
    """Returns float32 powers of two as bytes: their exponents, 255 for NaN."""
    return (bits(scale) >> 23 & 0xFF).to(torch.uint8)


def packed(bytes_):
    """The layout of deep_gemm.utils.layout: groups are zero-padded to a multiple of four, four are a little-endian
    word, and words are stored group by group with the rows rounded up to 16 bytes."""
    rows, groups = bytes_.shape
    room = bytes_.new_zeros(-(-rows // 4) * 4, -(-groups // 4) * 4)
    room[:rows, :groups] = bytes_
    return room.view(torch.int32).t().contiguous().t()[:rows]


@pytest.mark.parametrize("m", [1, 129, 300, 1030])
@pytest.mark.parametrize("group_size", [128, 32])
@pytest.mark.parametrize("name", ["e4m3", "deepseek", "transformer_engine", "mx"])
def test_scales_in_ue8m0(device, name, group_size, m):
    """Scales in each UE8M0 form equal those in float32, and the payloads are the same."""
    case = Case(device, m, group_size, 2)
    common = {"weights": case.weights, "group_size": group_size, **FORMATS[name][1]}
    for names in (("y", "y_t"), ("grad_input", "grad_input_t", "y_t")):
        x, grad_y = (case.forward_x, None) if "y" in names else (case.x, case.grad_y)

        def call(kind, names=names, x=x, grad_y=grad_y):
            made = new_outputs(device, m, E4M3, names=names, kind=kind, group_size=group_size)
            qfuse.ops.swiglu(x, grad_y=grad_y, **made, **common)
            return made

        expected = call(torch.float32)
        for kind in (torch.uint8, E8M0, torch.int32):
            for key, (payload, scales) in call(kind).items():
                stored = ue8m0(expected[key][1])
                stored = packed(stored) if kind == torch.int32 else stored.view(kind)
                assert scales.stride() == stored.stride() or scales.numel() <= scales.shape[0]
                check((payload, scales), (expected[key][0], stored), f"{key} in {kind}")


def test_words_of_ue8m0_leave_what_is_beyond_the_rows(device):
    case = Case(device, 129)
    (y,) = new_outputs(device, 129, E4M3, names=("y",), kind=torch.int32).values()
    qfuse.ops.swiglu(case.x, y=y)
    assert (y[1].as_strided((1, 3), (132, 1), 129) == -1).all()
    assert (y[1] != -1).all()
