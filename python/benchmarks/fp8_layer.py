"""An expert layer in FP8, and in bf16 or fp32: its quantizations, products and SwiGLU, by qfuse and by torch.

moe_fp8.py compares the ways and lists the products.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from measure import relative_error
from torch import Tensor
from torch.nn import functional

import qfuse

GROUP = 128  # numbers that share a scale, and both sides of a weight's blocks
E4M3, E4M3_MAX, LEAST_ABSMAX = torch.float8_e4m3fn, 448.0, 1e-4


class Quantized(NamedTuple):
    """A matrix [rows, k] of payloads with scales [rows, k/128] or, for blocks, [rows/128, k/128 and up to 3 more]."""

    payload: Tensor
    scales: Tensor
    blocks: bool = False


class Shares(NamedTuple):
    """How a batch's rows are split among the experts."""

    rows: list[int]  # per expert
    columns: list[int]  # rows per expert, rounded up to whole groups: the columns in a transposed matrix
    ends: Tensor  # index past each expert's last row, on the device
    places: Tensor  # the column of each row


Matrices = Sequence[Tensor]  # one per expert
Both = tuple[Matrices, Matrices]  # W1 and W2
Multiply = Callable[[Quantized, Quantized, torch.dtype], Tensor]
Backward = tuple[Quantized, Quantized, Quantized, Tensor]  # result of Swiglu's backward


def share_out(rows: list[int], device: torch.device | str) -> Shares:
    columns = [(count + GROUP - 1) // GROUP * GROUP for count in rows]
    begins = torch.tensor([0, *columns[:-1]]).cumsum(0) - torch.tensor([0, *rows[:-1]]).cumsum(0)
    places = torch.arange(sum(rows)) + begins.repeat_interleave(torch.tensor(rows))
    ends = torch.tensor(rows).cumsum(0).int()
    return Shares(rows, columns, ends.to(device), places.to(device))


# ---- quantizing, in torch ----


def scales_of(absmax: Tensor) -> Tensor:
    """Returns the smallest powers of two that scale the magnitudes to at most 448."""
    least = absmax.float().clamp(min=LEAST_ABSMAX) / E4M3_MAX
    return ((least.view(torch.int32) + 0x7FFFFF) & 0x7F800000).view(torch.float32)  # rounds the mantissa up


def cast_rows(z: Tensor) -> Quantized:
    groups = z.unflatten(1, (-1, GROUP))
    scales = scales_of(groups.abs().amax(2))
    return Quantized((groups / scales[:, :, None]).to(E4M3).flatten(1), scales)


def cast_columns(z: Tensor, shares: Shares) -> Quantized:
    """Quantizes the transpose in groups of tokens, none of which mixes two experts."""
    padded = z.new_zeros(sum(shares.columns), z.shape[1]).index_copy(0, shares.places, z)
    groups = padded.unflatten(0, (-1, GROUP))
    scales = scales_of(groups.abs().amax(1))
    return Quantized((groups / scales[:, None]).to(E4M3).flatten(0, 1).t().contiguous(), scales.t())


def cast_blocks(weight: Tensor) -> tuple[Quantized, Quantized]:
    """Quantizes the matrix and its transpose, which share their blocks."""
    blocks = weight.float().unflatten(1, (-1, GROUP)).unflatten(0, (-1, GROUP))
    scales = scales_of(blocks.abs().amax((1, 3)))
    payload = (blocks / scales[:, None, :, None]).to(E4M3).flatten(2).flatten(0, 1)
    both = ((payload, scales), (payload.t().contiguous(), scales.t()))
    # Makes scales contiguous, because functional.pad may keep the strides if it adds nothing.
    forward, backward = (Quantized(p, functional.pad(s, (0, -s.shape[1] % 4)).contiguous(), True) for p, s in both)
    return forward, backward


def decode(q: Quantized) -> Tensor:
    scales = q.scales.repeat_interleave(GROUP, 0) if q.blocks else q.scales
    k = q.payload.shape[1]
    return q.payload.float() * scales[:, : k // GROUP].repeat_interleave(GROUP, 1)


# ---- products ----


def multiply_emulated(a: Quantized, b: Quantized, dtype: torch.dtype) -> Tensor:
    """Multiplies a by the transpose of b, like the other multiply functions."""
    return (decode(a) @ decode(b).t()).to(dtype)


def multiply_scaled_mm(a: Quantized, b: Quantized, dtype: torch.dtype) -> Tensor:
    kinds = functional.ScalingType
    return functional.scaled_mm(
        a.payload,
        b.payload.t(),
        outer_major(a.scales),
        kinds.BlockWise1x128,
        b.scales.t() if b.blocks else outer_major(b.scales),
        kinds.BlockWise128x128 if b.blocks else kinds.BlockWise1x128,
        output_dtype=dtype,
    )


def outer_major(scales: Tensor) -> Tensor:
    """Returns scales with the strides (1, rows) that torch requires, even if there is only one group."""
    rows = len(scales)
    if scales.stride() == (1, rows):
        return scales
    return torch.empty_strided(scales.shape, (1, rows), device=scales.device).copy_(scales)


def multiply_rows(multiply: Multiply, a: Quantized, b: Sequence[Quantized], shares: Shares) -> Tensor:
    """Multiplies each expert's rows by the transpose of its matrix."""
    parts = zip(a.payload.split(shares.rows), a.scales.split(shares.rows), b, strict=True)
    return torch.cat([multiply(Quantized(q, s), matrix, torch.bfloat16) for q, s, matrix in parts if len(q)])


def multiply_columns(
    multiply: Multiply, a: Quantized, b: Quantized, shares: Shares, dtype: torch.dtype
) -> list[Tensor]:
    """Returns each expert's products, summed over its tokens; zero for an expert without tokens."""
    groups = [columns // GROUP for columns in shares.columns]
    parts = (map(Quantized, q.payload.split(shares.columns, 1), q.scales.split(groups, 1)) for q in (a, b))
    return [
        multiply(one, other, dtype)
        if one.scales.numel()
        else one.scales.new_zeros(len(a.payload), len(b.payload), dtype=dtype)
        for one, other in zip(*parts, strict=True)
    ]


def distance(found: Matrices, expected: Matrices) -> float:
    """Returns the norm of the difference, relative to the norm of `expected`."""
    return relative_error(*(torch.cat([matrix.flatten() for matrix in each]) for each in (found, expected)))


# ---- SwiGLU, quantized ----


class Swiglu(NamedTuple):
    """Functions of a quantized SwiGLU. forward returns y by rows. backward returns the gradient of gate and up by rows
    and transposed, y transposed, and the gradient of the router weights."""

    forward: Callable[[Tensor, Tensor, Shares], Quantized]
    backward: Callable[[Tensor, Tensor, Tensor, Shares], Backward]


def torch_forward(a: Tensor, weights: Tensor, shares: Shares) -> Quantized:
    gate, up = a.float().chunk(2, 1)
    return cast_rows((gate * (1 / (1 + torch.exp(-gate))) * up * weights[:, None]).bfloat16())


def torch_backward(a: Tensor, grad_y: Tensor, weights: Tensor, shares: Shares) -> Backward:
    gate, up = a.float().chunk(2, 1)
    sigmoid = 1 / (1 + torch.exp(-gate))
    silu, weight = gate * sigmoid, weights[:, None]
    grad = grad_y * weight
    grad_gate = grad * up * sigmoid * (1 + gate * (1 - sigmoid))
    grad_a = torch.cat([grad_gate, grad * silu], 1).bfloat16()
    product = silu * up
    y = cast_columns((product * weight).bfloat16(), shares)
    return cast_rows(grad_a), cast_columns(grad_a, shares), y, (grad_y * product).sum(1)


def empty(rows: int, columns: int, device: torch.device) -> Quantized:
    """Allocates payload and scales. Scales are group by group, the layout torch wants for any expert's columns."""
    scales = torch.empty_strided((rows, columns // GROUP), (1, (rows + 3) // 4 * 4), device=device)
    return Quantized(torch.empty(rows, columns, dtype=E4M3, device=device), scales)


def qfuse_forward(a: Tensor, weights: Tensor, shares: Shares) -> Quantized:
    y = empty(len(a), a.shape[1] // 2, a.device)
    qfuse.ops.swiglu(a, y=y[:2], weights=weights, expert_ends=shares.ends)
    return y


def qfuse_backward(a: Tensor, grad_y: Tensor, weights: Tensor, shares: Shares) -> Backward:
    (m, two_h), device = a.shape, a.device
    columns = qfuse.ops.expert_columns(m, len(shares.rows))  # upper bound for any split among experts
    grad_a, grad_weights = empty(m, two_h, device), torch.empty_like(weights)
    grad_a_t, y_t = empty(two_h, columns, device), empty(two_h // 2, columns, device)
    qfuse.ops.swiglu(
        a,
        grad_y=grad_y,
        grad_input=grad_a[:2],
        grad_input_t=grad_a_t[:2],
        y_t=y_t[:2],
        weights=weights,
        grad_weights=grad_weights,
        expert_ends=shares.ends,
    )
    used = sum(shares.columns)
    grad_a_t, y_t = (Quantized(q.payload[:, :used], q.scales[:, : used // GROUP]) for q in (grad_a_t, y_t))
    return grad_a, grad_a_t, y_t, grad_weights


QFUSE, TORCH = Swiglu(qfuse_forward, qfuse_backward), Swiglu(torch_forward, torch_backward)


# ---- the layer ----


class Fp8(NamedTuple):
    """A way of computing the layer in FP8."""

    swiglu: Swiglu
    multiply: Multiply
    cast_rows: Callable[[Tensor], Quantized] = cast_rows
    cast_columns: Callable[[Tensor, Shares], Quantized] = cast_columns

    @torch.no_grad()
    def prepare(self, both: Both) -> list[tuple[Quantized, ...]]:
        """Returns W1, its transposes, W2 and its transposes, each as one matrix per expert."""
        return [forms for matrices in both for forms in zip(*map(cast_blocks, matrices), strict=True)]

    def layer(self, prepared: Any, shares: Shares, weights: Tensor, x: Tensor, both: Both) -> Tensor:
        out: Tensor = Fp8Layer.apply(self, prepared, shares, weights, x, *both[0], *both[1])
        return out

    def swiglu_alone(self, a: Tensor, grad_y: Tensor, weights: Tensor, shares: Shares) -> None:
        self.swiglu.forward(a, weights, shares)
        self.swiglu.backward(a, grad_y, weights, shares)


class Fp8Layer(torch.autograd.Function):
    """The layer. Takes W1 and W2 as last arguments, unread, only so that they get gradients, in their dtype."""

    @staticmethod
    def forward(ctx: Any, way: Fp8, prepared: Any, shares: Shares, weights: Tensor, x: Tensor, *both: Tensor) -> Tensor:
        first, ctx.first_t, second, ctx.second_t = prepared
        ctx.way, ctx.shares, ctx.dtype = way, shares, both[0].dtype
        a = multiply_rows(way.multiply, way.cast_rows(x), first, shares)
        ctx.save_for_backward(a, weights, *way.cast_columns(x, shares)[:2])
        return multiply_rows(way.multiply, way.swiglu.forward(a, weights, shares), second, shares)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        way, shares = ctx.way, ctx.shares
        a, weights, *x_t = ctx.saved_tensors
        grad_y = multiply_rows(way.multiply, way.cast_rows(grad), ctx.second_t, shares)
        grad_a, grad_a_t, y_t, grad_weights = way.swiglu.backward(a, grad_y, weights, shares)
        grad_x = multiply_rows(way.multiply, grad_a, ctx.first_t, shares)
        grad_first = multiply_columns(way.multiply, grad_a_t, Quantized(*x_t), shares, ctx.dtype)
        grad_second = multiply_columns(way.multiply, way.cast_columns(grad, shares), y_t, shares, ctx.dtype)
        return None, None, None, grad_weights, grad_x, *grad_first, *grad_second


def plain_swiglu(a: Tensor, weights: Tensor) -> Tensor:
    gate, up = a.chunk(2, 1)
    return functional.silu(gate) * up * weights[:, None].to(a.dtype)


class Plain(NamedTuple):
    """A way of computing the layer in bf16 or fp32, with torch's autograd."""

    dtype: torch.dtype
    swiglu: Callable[[Tensor, Tensor], Tensor] = plain_swiglu

    def prepare(self, both: Both) -> None:
        return None

    def layer(self, prepared: Any, shares: Shares, weights: Tensor, x: Tensor, both: Both) -> Tensor:
        def multiply(rows: Tensor, matrices: Matrices) -> Tensor:
            parts = zip(rows.split(shares.rows), matrices, strict=True)
            return torch.cat([part @ matrix.to(self.dtype).t() for part, matrix in parts])

        return multiply(self.swiglu(multiply(x.to(self.dtype), both[0]), weights), both[1])

    def swiglu_alone(self, a: Tensor, grad_y: Tensor, weights: Tensor, shares: Shares) -> None:
        inputs = [a.detach().requires_grad_(), weights.detach().requires_grad_()]
        torch.autograd.grad(self.swiglu(*inputs), inputs, grad_y)


Way = Fp8 | Plain
