#!/usr/bin/env python3
"""One FP8 mixture-of-experts layer, forward and backward: qfuse.ops.swiglu writes the operands of the next products.

    moe_fp8.py    # on a GPU, or on a CPU if there is none

Rows of x are sorted by expert. The products here decode their FP8 operands, so that they run anywhere. On a Hopper GPU
torch.nn.functional.scaled_mm or DeepGEMM takes the same payloads and scales (see python/benchmarks/moe_fp8.py).
"""

import torch
from torch import Tensor

import qfuse

ROWS, WIDTH, HIDDEN = [100, 0, 156, 256], 256, 384  # tokens per expert; channels of the model and of an expert
GROUP = 128  # values per scale; each expert's columns begin at a multiple of it


def empty(rows: int, columns: int, device: str) -> tuple[Tensor, Tensor]:
    payload = torch.empty(rows, columns, dtype=torch.float8_e4m3fn, device=device)
    return payload, torch.empty(rows, columns // GROUP, device=device)


def decode(payload: Tensor, scales: Tensor) -> Tensor:
    return payload.float() * scales.repeat_interleave(GROUP, 1)


def multiply(x: Tensor, matrices: Tensor) -> Tensor:
    """Multiplies each expert's rows by the transpose of its matrix."""
    return torch.cat([rows @ matrix.t() for rows, matrix in zip(x.split(ROWS), matrices, strict=True)])


def sum_tokens(transposed: Tensor, x: Tensor) -> Tensor:
    """Multiplies each expert's columns by its rows, which gives the gradient of its matrix."""
    columns = transposed.split([-(-count // GROUP) * GROUP for count in ROWS], 1)
    return torch.stack([part[:, : len(rows)] @ rows for part, rows in zip(columns, x.split(ROWS), strict=True)])


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    m, experts = sum(ROWS), len(ROWS)
    x, grad_out = torch.randn(m, WIDTH, device=device), torch.randn(m, WIDTH, device=device)
    w1 = torch.randn(experts, 2 * HIDDEN, WIDTH, device=device) / WIDTH**0.5
    w2 = torch.randn(experts, WIDTH, HIDDEN, device=device) / HIDDEN**0.5
    router = torch.rand(m, device=device)
    ends = torch.tensor(ROWS, device=device).cumsum(0).int()

    a, y = multiply(x, w1).bfloat16(), empty(m, HIDDEN, device)
    qfuse.ops.swiglu(a, y=y, weights=router, expert_ends=ends)
    out = multiply(decode(*y), w2)

    columns = qfuse.ops.expert_columns(m, experts)  # upper bound for any split, so some stay unwritten
    grad_a, grad_a_t = empty(m, 2 * HIDDEN, device), empty(2 * HIDDEN, columns, device)
    y_t, grad_router = empty(HIDDEN, columns, device), torch.empty_like(router)
    grad_y = multiply(grad_out, w2.transpose(1, 2)).bfloat16()
    qfuse.ops.swiglu(
        a,
        grad_y=grad_y,
        grad_input=grad_a,
        grad_input_t=grad_a_t,
        y_t=y_t,
        weights=router,
        grad_weights=grad_router,
        expert_ends=ends,
    )
    used = sum(-(-count // GROUP) * GROUP for count in ROWS)
    grad_w1 = sum_tokens(decode(*grad_a_t)[:, :used], x)
    grad_w2 = sum_tokens(decode(*y_t)[:, :used], grad_out).transpose(1, 2)
    grad_x = multiply(decode(*grad_a), w1.transpose(1, 2))

    inputs = [tensor.requires_grad_() for tensor in (x, w1, w2, router)]  # the same computation with torch in fp32
    gate, up = multiply(x, w1).chunk(2, 1)
    exact = multiply(torch.nn.functional.silu(gate) * up * router[:, None], w2)
    expected = (exact, *torch.autograd.grad(exact, inputs, grad_out))
    names = ("output", "gradient of x", "gradient of W1", "gradient of W2", "gradient of the router weights")
    for name, ours, theirs in zip(names, (out, grad_x, grad_w1, grad_w2, grad_router), expected, strict=True):
        print(f"{name}: relative error {((ours - theirs).norm() / theirs.norm()).item():.3f}")


if __name__ == "__main__":
    main()
