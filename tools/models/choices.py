"""Ways to round a weight [N, K] to 4 or 8 bits and back, in torch. choices() lists what experiment.py compares.

NF4 and FP4 have bitsandbytes' tables and its rule of codes: x * (1/scale), then the nearest value by midpoints. A way
returns fp32 as decoded, before the last rounding to the model's dtype."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import torch
from torch import Tensor

NF4 = (-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334)
NF4 = (*NF4, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634)
NF4 = (*NF4, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0)
POSITIVE_FP4 = (0.0052083334885537624, 0.1666666716337204, 0.25, 0.3333333432674408, 0.5, 0.6666666865348816, 1.0)
POSITIVE_E2M1 = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
BLOCK, NESTED_BLOCK = 64, 256
OUTLIER = 6.0  # LLM.int8's threshold
SEARCHED = (1.0, 0.96, 0.92, 0.88, 0.84, 0.80, 1.04, 1.08, 1.12)  # absmax first: it wins ties
UNSHRUNK = (1.0, 0.95, 0.97, 1.03, 1.06, 1.09, 1.12)
SIGNED = (1.0, -1.0, 0.95, -0.95, 0.9, -0.9)
DAMPING = 0.01  # of the mean square of an input, as in GPTQ

Scales = Callable[[Tensor, Tensor | None], Tensor]  # (blocks [B, block], importance alike) -> scales [B, 1]


@dataclass(frozen=True)
class Choice:
    """A way to round: back(weight, hessian), where hessian [K, K] is the mean of x x^T over calibration inputs x."""

    name: str
    bits: float  # per weight, scales included
    back: Callable[[Tensor, Tensor], Tensor]
    beside: str = "NF4"  # the choice of as many bytes that it is compared with
    is_nf4: bool = True  # bytes that every loader of NF4 reads
    inputs: Callable[[Tensor], Tensor] | None = None  # rounds the inputs of products


# ---- tables ----


@cache
def table_of(kind: str, device: torch.device) -> tuple[Tensor, Tensor]:
    """Returns a format's values in ascending order, and the midpoints between them."""
    positive = {"fp4": POSITIVE_FP4, "e2m1": POSITIVE_E2M1}.get(kind)
    values = NF4 if positive is None else (*(-value for value in reversed(positive)), 0.0, *positive)
    table = torch.tensor(values, dtype=torch.float32, device=device)
    return table, (table[1:] + table[:-1]) / 2


def nearest(blocks: Tensor, scales: Tensor, kind: str = "nf4") -> Tensor:
    """Returns the table's values that are nearest to blocks / scales. A scale of zero gives zeros."""
    table, midpoints = table_of(kind, blocks.device)
    return table[torch.bucketize(blocks * torch.where(scales == 0, scales, 1 / scales), midpoints)]


@cache
def dynamic_map(device: torch.device) -> Tensor:
    """Returns the 256 values of bitsandbytes' signed dynamic code, which nested absmax use."""
    values = [0.0, 1.0]
    for exponent in range(7):
        points = torch.linspace(0.1, 1, 2**exponent + 1, dtype=torch.float32)
        magnitudes = 10.0 ** (exponent - 6) * ((points[:-1] + points[1:]) / 2)
        values += [*magnitudes.tolist(), *(-magnitudes).tolist()]
    return torch.tensor(sorted(values), dtype=torch.float32, device=device)


# ---- scales ----


def absmax(blocks: Tensor, importance: Tensor | None = None) -> Tensor:
    return blocks.abs().amax(1, keepdim=True)


def search(blocks: Tensor, importance: Tensor | None = None, factors: Sequence[float] = SEARCHED) -> Tensor:
    """Returns absmax times the factor with the least squared error, weighted by importance if given."""
    largest = absmax(blocks)
    best, least = largest, torch.full_like(largest, math.inf)
    for factor in factors:
        scales = largest * factor
        errors = (nearest(blocks, scales) * scales - blocks).square()
        error = (errors if importance is None else errors * importance).sum(1, keepdim=True)
        best, least = torch.where(error < least, scales, best), torch.minimum(error, least)
    return best


def nested(scales: Tensor) -> Tensor:
    """Returns scales [B, 1] after bitsandbytes' nested quantization and back."""
    offset, values = scales.mean(), dynamic_map(scales.device)
    flat = torch.nn.functional.pad((scales - offset).flatten(), (0, -len(scales) % NESTED_BLOCK)).view(-1, NESTED_BLOCK)
    largest = flat.abs().amax(1, keepdim=True).clamp(min=1e-38)
    codes = torch.bucketize(flat * (1 / largest), (values[1:] + values[:-1]) / 2)
    return (values[codes] * largest).flatten()[: len(scales), None] + offset


# ---- ways ----


def by_blocks(
    weight: Tensor, hessian: Tensor, scales_of: Scales = absmax, block: int = BLOCK, weighted: bool = False,
    nest: str = "",
) -> Tensor:  # fmt: skip
    """nest: "" for fp32 scales, "stored" for codes chosen by the scale before nesting, "decoded" for after."""
    blocks = weight.reshape(-1, block)
    importance = hessian.diagonal().expand(weight.shape).reshape(-1, block) if weighted else None
    scales = scales_of(blocks, importance)
    decoded = nested(scales) if nest else scales
    return (nearest(blocks, decoded if nest == "decoded" else scales) * decoded).view(weight.shape)


def fp4(weight: Tensor, hessian: Tensor) -> Tensor:
    blocks = weight.reshape(-1, BLOCK)
    return (nearest(blocks, absmax(blocks), "fp4") * absmax(blocks)).view(weight.shape)


def mxfp4(weight: Tensor, hessian: Tensor, up: bool) -> Tensor:
    """Scales are powers of two: up takes the least that reaches absmax with 6, else OCP's rule, which may clip."""
    blocks = weight.reshape(-1, 32)
    fraction, exponent = torch.frexp(absmax(blocks) / (6 if up else 4))
    scales = torch.ldexp(torch.ones_like(fraction), exponent - (fraction == 0.5).int() if up else exponent - 1)
    return (nearest(blocks, scales, "e2m1") * scales).view(weight.shape)


def int8_rows(weight: Tensor, hessian: Tensor) -> Tensor:
    largest = absmax(weight)
    return (weight * (127 / largest)).round() * largest / 127


def int8_inputs(x: Tensor) -> Tensor:
    """Rounds x [..., T, K] as LLM.int8 does: by rows, except for columns with an outlier."""
    outliers = x.abs() >= OUTLIER
    largest = x.masked_fill(outliers, 0).abs().amax(-1, keepdim=True).clamp(min=1e-30)
    return torch.where(outliers.any(-2, keepdim=True), x, (x * (127 / largest)).round() * largest / 127)


def damped(hessian: Tensor) -> Tensor:
    mean = hessian.diagonal().mean()
    return hessian + torch.eye(len(hessian), device=hessian.device) * DAMPING * mean


def fitted_rows(weight: Tensor, hessian: Tensor, rounds: int = 2) -> Tensor:
    """Refits all scales of a row together, by least squares of the row's products with the calibration inputs, and
    chooses the codes anew in between."""
    rows = len(weight)
    hessian = damped(hessian)
    scales = absmax(weight.reshape(-1, BLOCK))
    for _ in range(rounds):
        codes = nearest(weight.reshape(-1, BLOCK), scales).view(weight.shape)
        normal = torch.stack(
            [
                ((part @ line) * codes).view(rows, -1, BLOCK).sum(2)
                for part, line in zip(codes.split(BLOCK, 1), hessian.split(BLOCK, 0), strict=True)
            ],
            1,
        )
        right = ((weight @ hessian) * codes).view(rows, -1, BLOCK).sum(2)
        scales = torch.linalg.solve(normal.double(), right.double()[:, :, None]).float().reshape(-1, 1)
    return (codes.view(-1, BLOCK) * scales).view(weight.shape)


def gptq(weight: Tensor, hessian: Tensor, scales_of: Scales = absmax, weighted: bool = False) -> Tensor:
    """Rounds column by column and moves each error to the columns after it (Frantar et al., 2022). A block's scale is
    chosen when its turn comes."""
    whole = torch.cholesky_inverse(torch.linalg.cholesky(damped(hessian).double()))
    inverse = torch.linalg.cholesky(whole, upper=True).float()
    left, result = weight.clone(), torch.empty_like(weight)
    for begin in range(0, weight.shape[1], BLOCK):
        end = begin + BLOCK
        block, corner = left[:, begin:end].clone(), inverse[begin:end, begin:end]
        importance = hessian.diagonal()[begin:end].expand(block.shape) if weighted else None
        scales, errors = scales_of(block, importance), torch.empty_like(block)
        for column in range(BLOCK):
            exact = block[:, column : column + 1]
            rounded = nearest(exact, scales) * scales
            result[:, begin + column] = rounded[:, 0]
            errors[:, column] = ((exact - rounded) / corner[column, column])[:, 0]
            block[:, column:] -= errors[:, column : column + 1] * corner[column, column:]
        left[:, end:] -= errors @ inverse[begin:end, end:]
    return result


def choices() -> list[Choice]:
    nested_bits = 4 + 8 / BLOCK + 32 / (BLOCK * NESTED_BLOCK)
    plain, beside = 4 + 32 / BLOCK, "NF4, nested"
    unshrunk, signed = partial(search, factors=UNSHRUNK), partial(search, factors=SIGNED)
    return [
        Choice("NF4", plain, by_blocks),
        Choice("NF4, nested", nested_bits, partial(by_blocks, nest="stored")),
        Choice("NF4, blocks of 32", 5, partial(by_blocks, block=32)),
        Choice("NF4, blocks of 32, nested", 4.25 + 1 / 256, partial(by_blocks, block=32, nest="stored")),
        Choice("search of 9", plain, partial(by_blocks, scales_of=search)),
        Choice("search of 6, signed", plain, partial(by_blocks, scales_of=signed)),
        Choice("search of 7, never below 0.95", plain, partial(by_blocks, scales_of=unshrunk)),
        Choice("search of 9, weighted", plain, partial(by_blocks, scales_of=search, weighted=True)),
        Choice("search of 6, signed, weighted", plain, partial(by_blocks, scales_of=signed, weighted=True)),
        Choice("nested, codes for the decoded scale", nested_bits, partial(by_blocks, nest="decoded"), beside),
        Choice("nested, search of 9, codes likewise", nested_bits, partial(by_blocks, scales_of=search, nest="decoded"),
               beside),
        Choice("nested, weighted search of 9, codes likewise", nested_bits,
               partial(by_blocks, scales_of=search, weighted=True, nest="decoded"), beside),
        Choice("scales fitted to rows", plain, fitted_rows),
        Choice("GPTQ", plain, gptq),
        Choice("GPTQ, search of 9", plain, partial(gptq, scales_of=search)),
        Choice("GPTQ, weighted search of 9", plain, partial(gptq, scales_of=search, weighted=True)),
        Choice("MXFP4, scales up", 4.25, partial(mxfp4, up=True), is_nf4=False),
        Choice("MXFP4, scales down", 4.25, partial(mxfp4, up=False), is_nf4=False),
        Choice("FP4", plain, fp4, is_nf4=False),
        Choice("LLM.int8", 8, int8_rows, is_nf4=False, inputs=int8_inputs),
    ]  # fmt: skip
