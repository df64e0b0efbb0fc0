"""Forward and backward of SwiGLU with INT8 or e4m3 outputs in plain torch operations, as qfuse.h defines them.

In eager mode torch rounds after every operation and fuses none, on the CPU and on a GPU.
"""

import functools
import math
from typing import NamedTuple

import torch

GROUP = 128
LEAST_SCALE = 1e-10
LEAST_ABSMAX = 1e-4  # for e4m3

# Each kind of input that the contract distinguishes -> factor for a normal distribution.
FACTORS = {"normal": 1.0, "saturated": 20.0, "small": 1e-3, "underflow": 1e-20, "overflow": 1e15, "zeros": 0.0}


def inputs(m, h, factor, generator, kept=1.0):
    """Returns x [m, 2h] and grad_y [m, h] in bf16. The fraction `kept` of the elements is nonzero."""
    made = []
    for columns in (2 * h, h):
        values = torch.randn(m, columns, generator=generator) * factor
        values[torch.rand(m, columns, generator=generator) >= kept] = 0.0
        made.append(values.bfloat16())
    return made


def in_groups(z):
    """Splits the last dimension into groups. The last group is zero-padded."""
    count = z.shape[-1]
    groups = -(-count // GROUP)
    return torch.nn.functional.pad(z.float(), (0, groups * GROUP - count)).unflatten(-1, (groups, GROUP))


def quantize_e4m3(z):
    """Returns payload and scales, which are powers of two as in DeepGEMM and TileKernels: 2 ^ ceil(log2(a / 448))."""
    count, z = z.shape[-1], in_groups(z)
    absmax = z.abs().amax(-1).clamp(min=LEAST_ABSMAX)
    mantissa, exponent = torch.frexp(absmax.double() / 448.0)
    scale = torch.ldexp(torch.ones_like(mantissa), torch.where(mantissa == 0.5, exponent - 1, exponent)).float()
    scale = torch.where(absmax.isfinite(), scale, torch.nan)
    q = (z / scale.unsqueeze(-1)).clamp(-448.0, 448.0).to(torch.float8_e4m3fn)
    return q.flatten(-2)[..., :count].contiguous(), scale


def quantize(z):
    """Returns payload and scales for groups along the last dimension, of which the last may be short."""
    count, z = z.shape[-1], in_groups(z)
    absmax = z.abs().amax(-1)
    scale = (absmax * torch.tensor(1.0 / 127.0, dtype=torch.float32, device=z.device)).clamp(min=LEAST_SCALE)
    quotient = (z / scale.unsqueeze(-1)).clamp(-127.0, 127.0)
    q = quotient.nan_to_num(nan=0.0).to(torch.int8)
    return q.flatten(-2)[..., :count].contiguous(), scale


class Extras(NamedTuple):
    """Arguments besides x and grad_y. weights: [m] in float32."""

    weights: torch.Tensor | None = None
    limit: float = math.inf
    alpha: float = 1.0
    up_offset: float = 0.0


class Results(NamedTuple):
    """Outputs in bfloat16 before they are quantized, and the gradient of the weights, which default to 1."""

    y: torch.Tensor
    grad_input: torch.Tensor
    grad_weights: torch.Tensor


def sum_of_channels(products):
    """Reduces [m, h] float32 to [m]. In each group of 128, adds eight neighbors in order, then these 16 sums by halves.
    Adds the groups' sums in order. torch's own sum uses another order."""
    groups = products.unflatten(-1, (-1, 16, 8))
    sums = functools.reduce(torch.add, groups.unbind(-1))
    while sums.shape[-1] > 1:
        half = sums.shape[-1] // 2
        sums = sums[..., :half] + sums[..., half:]
    return functools.reduce(torch.add, sums.squeeze(-1).unbind(-1))


def differentiate(x, grad_y, exp=torch.exp, extras=Extras()):  # noqa: B008, a tuple
    g, u = x.float().chunk(2, dim=-1)
    dy = grad_y.float()
    gate_is_limited, up_is_limited = g > extras.limit, u.abs() > extras.limit
    g, u = g.clamp(max=extras.limit), u.clamp(-extras.limit, extras.limit)
    u = u + extras.up_offset if extras.up_offset != 0 else u
    a = extras.alpha * g if extras.alpha != 1 else g
    s = 1.0 / (1.0 + exp(-a))
    silu = g * s
    y = silu * u
    grad_weights = sum_of_channels(dy * y)
    if extras.weights is not None:
        weights = extras.weights.unsqueeze(-1)
        y, dy = y * weights, dy * weights
    d_up = (dy * silu).masked_fill(up_is_limited, 0.0).bfloat16()
    d_gate = (((dy * u) * s) * (1.0 + a * (1.0 - s))).masked_fill(gate_is_limited, 0.0).bfloat16()
    return Results(y.bfloat16(), torch.cat([d_gate, d_up], dim=-1), grad_weights)


def swiglu(x, grad_y, exp=torch.exp, quantize=quantize, extras=Extras()):  # noqa: B008, a tuple
    """Returns grad_input_q, grad_input_s, y_t_q, y_t_s, grad_input_t_q, grad_input_t_s, y_q, y_s, and grad_weights."""
    y, grad_input, grad_weights = differentiate(x, grad_y, exp, extras)
    by_columns = (*quantize(y.t().contiguous()), *quantize(grad_input.t().contiguous()))
    return *quantize(grad_input), *by_columns, *quantize(y), grad_weights
