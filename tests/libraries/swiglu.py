"""The forward and backward of SwiGLU with INT8 or e4m3 outputs in plain torch operations, as qfuse.h has them.

Eagerly, torch rounds after every operation and fuses none, on the CPU and on a GPU.
"""

import functools
import math
from typing import NamedTuple

import torch

GROUP = 128
LEAST_SCALE = 1e-10
LEAST_ABSMAX = 1e-4  # in e4m3

# One input of each kind that the contract distinguishes: a name, and what a normal distribution is multiplied by.
FACTORS = {"normal": 1.0, "saturated": 20.0, "small": 1e-3, "underflow": 1e-20, "overflow": 1e15, "zeros": 0.0}


def inputs(m, h, factor, generator, kept=1.0):
    """x [m, 2h] and grad_y [m, h] in bf16; of all elements, the share `kept` is not zero."""
    made = []
    for columns in (2 * h, h):
        values = torch.randn(m, columns, generator=generator) * factor
        values[torch.rand(m, columns, generator=generator) >= kept] = 0.0
        made.append(values.bfloat16())
    return made


def in_groups(z):
    """Groups along the last dimension, the last one filled up with zeros."""
    count = z.shape[-1]
    groups = -(-count // GROUP)
    return torch.nn.functional.pad(z.float(), (0, groups * GROUP - count)).unflatten(-1, (groups, GROUP))


def quantize_e4m3(z):
    """Payload and scales as DeepGEMM and TileKernels make powers of two: 2 to the ceiling of log2(a / 448)."""
    count, z = z.shape[-1], in_groups(z)
    absmax = z.abs().amax(-1).clamp(min=LEAST_ABSMAX)
    mantissa, exponent = torch.frexp(absmax.double() / 448.0)
    scale = torch.ldexp(torch.ones_like(mantissa), torch.where(mantissa == 0.5, exponent - 1, exponent)).float()
    scale = torch.where(absmax.isfinite(), scale, torch.nan)
    q = (z / scale.unsqueeze(-1)).clamp(-448.0, 448.0).to(torch.float8_e4m3fn)
    return q.flatten(-2)[..., :count].contiguous(), scale


def quantize(z):
    """Groups along the last dimension, the last one short: payload and scales."""
    count, z = z.shape[-1], in_groups(z)
    absmax = z.abs().amax(-1)
    scale = (absmax * torch.tensor(1.0 / 127.0, dtype=torch.float32, device=z.device)).clamp(min=LEAST_SCALE)
    quotient = (z / scale.unsqueeze(-1)).clamp(-127.0, 127.0)
    q = quotient.nan_to_num(nan=0.0).to(torch.int8)
    return q.flatten(-2)[..., :count].contiguous(), scale


class Extras(NamedTuple):
    """What a call has beside x and grad_y; weights are [m] float32."""

    weights: torch.Tensor | None = None
    limit: float = math.inf
    alpha: float = 1.0
    up_offset: float = 0.0


class Results(NamedTuple):
    """In bfloat16, before they are quantized, and the gradient of weights that are given or 1."""

    y: torch.Tensor
    grad_input: torch.Tensor
    grad_weights: torch.Tensor


def sum_of_channels(products):
    """[m, h] float32 to [m]: of each 128 every eight neighbours one after another, of these 16 sums by halves, then the
    results one after another. torch's own sum has an order of its own."""
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
    """grad_input_q, grad_input_s, y_t_q, y_t_s, grad_input_t_q, grad_input_t_s, y_q, y_s, and grad_weights."""
    y, grad_input, grad_weights = differentiate(x, grad_y, exp, extras)
    by_columns = (*quantize(y.t().contiguous()), *quantize(grad_input.t().contiguous()))
    return *quantize(grad_input), *by_columns, *quantize(y), grad_weights
