"""swiglu and the published operator that it extends, with types and documentation."""

import re
from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor

Recipe = Literal["int8", "deepseek", "transformer_engine", "torchao", "mx"]
ScaleRule = Literal["power_of_two", "torchao"]
ZeroRule = Literal["floor", "one", "least"]
Quantized = tuple[Tensor, Tensor]  # payloads, and the scales of their groups


def expert_columns(m: int, experts: int) -> int:
    """Returns the columns that the transposed outputs of swiglu need for m tokens: an upper bound for any split of the
    tokens among the experts, each of which is padded to a multiple of 128."""
    return (m + 127 * experts) // 128 * 128


# In errors, an output of torch.ops.qfuse.swiglu appears as two arguments.
_PIECE = re.compile(r"\b(y|y_t|grad_input|grad_input_t)_([qs])\b")
_PUBLISHED = {"y_t": "y_{}_t", "grad_input": "grad_input_{}", "grad_input_t": "grad_input_{}_t"}


def _call_swiglu(op: Callable[..., None], piece: Callable[[str, str], str], *arguments: Any, **keywords: Any) -> None:
    """piece: maps an output's name and "q" (payloads) or "s" (scales) to the caller's name of that argument."""
    if torch.compiler.is_compiling():  # the compiler would have to trace the error path, too
        return op(*arguments, **keywords)
    try:
        op(*arguments, **keywords)
    except RuntimeError as error:
        if type(error) is not RuntimeError:  # torch's own errors, such as out of memory
            raise
        said = _PIECE.sub(lambda found: piece(found[1], found[2]), str(error)).replace("NULL", "None")
        raise RuntimeError(said) from None


def _pieces(name: str, output: Quantized | None) -> Quantized | tuple[None, None]:
    if output is None:
        return None, None
    if not isinstance(output, (tuple, list)) or len(output) != 2:
        raise TypeError(f"{name} is a {type(output).__name__}, it must be a pair of tensors, payloads and scales")
    payload, scales = output
    # In torch's compiler, an op cannot write to float8_e8m0fnu (2.15: "auto_functionalized_v2 was not removed").
    return payload, scales.view(torch.uint8) if scales.dtype == torch.float8_e8m0fnu else scales


def swiglu(
    x: Tensor,
    *,
    grad_y: Tensor | None = None,
    y: Quantized | None = None,
    y_t: Quantized | None = None,
    grad_input: Quantized | None = None,
    grad_input_t: Quantized | None = None,
    weights: Tensor | None = None,
    grad_weights: Tensor | None = None,
    expert_ends: Tensor | None = None,
    limit: float | None = None,
    alpha: float = 1.0,
    up_offset: float = 0.0,
    recipe: Recipe | None = None,
    group_size: int | None = None,
    scale_rule: ScaleRule | None = None,
    zero_rule: ZeroRule | None = None,
    amax_floor: float | None = None,
) -> None:
    """Computes y = silu(gate) * up in INT8 or FP8, forward or backward, in one pass. The outputs passed say which.

    x: [m, 2h] bfloat16, gate and up. grad_y: [m, h] bfloat16, needed for gradients. Both may have any stride between
    rows. h must be a multiple of 128.

    Outputs, each None or a pair of payloads and of scales of groups of 128:
      y: [m, h] and [m, h/128], groups of channels; only in the forward direction, without a gradient
      y_t: [h, m] and [h, ceil(m/128)], y transposed, in groups of tokens
      grad_input: [m, 2h] and [m, 2h/128], the gradients of gate and up
      grad_input_t: [2h, m] and [2h, ceil(m/128)], these transposed, in groups of tokens
    All are quantized from values rounded to bfloat16.

    Payloads are int8 or float8_e4m3fn. FP8 scales are powers of two unless scale_rule says otherwise: the smallest ones
    that bring a group's largest magnitude, or 1e-4 if that is larger, to at most 448.

    Scales are float32 or, for FP8, also UE8M0: float8_e8m0fnu or uint8, the exponent of two plus 127 as a byte, 255 for
    NaN. All scales of a call have one dtype. All float32 scales of a call may also be group-major, as DeepGEMM loads
    them: [rows, groups] with the strides (1, rows rounded up to a multiple of 4). int32 scales are UE8M0 packed for
    DeepGEMM, four groups of a row per word, the first in the lowest byte: [rows, ceil(groups/4)] with such strides.

    recipe: a named format. The arguments after it may change parts of it; payloads must be of the recipe's type.
      "int8": the format of the published operator, and the default for int8
      "deepseek": the default for float8_e4m3fn: powers of two as DeepGEMM and TileKernels compute them
      "transformer_engine": powers of two, zero_rule "one"
      "torchao": scale_rule "torchao", amax_floor 1e-12
      "mx": MXFP8, group_size 32, zero_rule "least"; its scales are UE8M0, but float32 is accepted as well
    group_size: 128 or 32; with 32, every "/128" of a scale above becomes "/32". h stays a multiple of 128.
    scale_rule, only FP8: "power_of_two", or "torchao": for a group's largest magnitude a in float32, scale
      1 / (448 / a), values times (448 / a)
    zero_rule, only FP8: "floor": a is at least amax_floor. "one": the scale of a group of zeros, or with an infinity or
      NaN, is 1, and values are multiplied by at most the largest bfloat16. "least", for powers of two: the scale of a
      group of zeros is 2^-127, with an infinity 2^127, with a NaN NaN.
    amax_floor, only FP8: 1e-30 to 1e30 instead of 1e-4; with zero_rule "one" the default is no floor, written as 0.
    int8 is truncated toward zero; FP8 is rounded to nearest, ties to even.

    weights: [m] float32, the router's, by which each token's y is multiplied before rounding. grad_weights: [m]
    float32, written backward: the sum over a token's channels of grad_y times the unweighted y, in an order that is the
    same on all devices; 0 for rows after the last expert's.

    limit: clamps gates to at most limit and ups to -limit to limit; a clamped value has gradient 0. alpha: y = gate *
    sigmoid(alpha * gate) * up. up_offset: is added to ups. gpt-oss uses 7, 1.702 and 1; its interleaved gates and ups
    must be separated first.

    expert_ends: [experts] int32 or int64 on x's device, ascending: the row after each expert's last one, if x has the
    rows of several experts, sorted by expert (offs in torch's grouped products). Rows from the last end on belong to no
    expert: they are not read, and of their outputs only grad_weights is written. No group of tokens spans two experts:
    transposed outputs are computed as if each expert's tokens were zero-padded to a multiple of 128, and have
    expert_columns(m, experts) columns instead of m. In y_t [h, columns] and grad_input_t [2h, columns] the experts'
    columns are side by side. If payloads are one-dimensional, [h * columns] and [2h * columns], the experts' matrices
    [h, its columns] follow one another, as in DeepGEMM's k-grouped products. So do their scales, [h * columns/128],
    unless they are passed group-major, [h, columns/128] with the strides (1, h). Elements after the last expert's
    columns keep their values. On a GPU, the host does not wait for the ends: ends that are not ascending or not within
    0 to m give wrong results, within the tensors. On a CPU they are an error.
    """
    (y_q, y_s), (y_t_q, y_t_s) = _pieces("y", y), _pieces("y_t", y_t)
    grad_input_q, grad_input_s = _pieces("grad_input", grad_input)
    grad_input_t_q, grad_input_t_s = _pieces("grad_input_t", grad_input_t)
    _call_swiglu(
        torch.ops.qfuse.swiglu.default,
        lambda output, part: f"{output}[{0 if part == 'q' else 1}]",
        x,
        grad_y=grad_y,
        y_q=y_q,
        y_s=y_s,
        y_t_q=y_t_q,
        y_t_s=y_t_s,
        grad_input_q=grad_input_q,
        grad_input_s=grad_input_s,
        grad_input_t_q=grad_input_t_q,
        grad_input_t_s=grad_input_t_s,
        weights=weights,
        grad_weights=grad_weights,
        expert_ends=expert_ends,
        limit=limit,
        alpha=alpha,
        up_offset=up_offset,
        recipe=recipe,
        group_size=group_size,
        scale_rule=scale_rule,
        zero_rule=zero_rule,
        amax_floor=amax_floor,
    )


def silu_dot_fwd_bwd_quant_fuse(
    x: Tensor,
    grad_y: Tensor | None,
    grad_input_q: Tensor | None,
    grad_input_s: Tensor | None,
    y_q_t: Tensor | None,
    y_s_t: Tensor | None,
    grad_input_q_t: Tensor | None = None,
    grad_input_s_t: Tensor | None = None,
    expert_ends: Tensor | None = None,
) -> None:
    """The backward direction of swiglu under the published operator's name, with its argument names and order. Outputs,
    each pair may be None: the gradients grad_input_q [m, 2h] with grad_input_s; y transposed, y_q_t [h, m] with y_s_t;
    and the gradients transposed, grad_input_q_t [2h, m] with grad_input_s_t.
    See swiglu."""
    _call_swiglu(
        torch.ops.qfuse.silu_dot_fwd_bwd_quant_fuse.default,
        lambda output, part: _PUBLISHED.get(output, output + "_{}").format(part),
        x,
        grad_y,
        grad_input_q,
        grad_input_s,
        y_q_t,
        y_s_t,
        grad_input_q_t,
        grad_input_s_t,
        expert_ends,
    )
