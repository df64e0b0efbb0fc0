"""The SwiGLU backward with INT8 or e4m3 outputs in plain torch operations, as its manual in qfuse.h has them.

Eagerly, torch rounds after every operation and fuses none, on the CPU and on a GPU.
"""

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


def swiglu_backward(x, grad_y, exp=torch.exp, quantize=quantize):
    """grad_input_q, grad_input_s, y_q_t, y_s_t, grad_input_q_t, grad_input_s_t."""
    g, u = x.float().chunk(2, dim=-1)
    dy = grad_y.float()
    s = 1.0 / (1.0 + exp(-g))
    silu = g * s
    y = (silu * u).bfloat16()
    d_up = (dy * silu).bfloat16()
    d_gate = (((dy * u) * s) * (1.0 + g * (1.0 - s))).bfloat16()
    grad_input = torch.cat([d_gate, d_up], dim=-1)
    return *quantize(grad_input), *quantize(y.t().contiguous()), *quantize(grad_input.t().contiguous())
