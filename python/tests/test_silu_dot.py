"""swiglu and the published operator silu_dot_fwd_bwd_quant_fuse: torch's bytes, layouts, experts, and errors."""

import sys
from pathlib import Path

import pytest
import torch
from swiglu_outputs import expert_outputs, silu_arguments, swiglu_outputs, transposed_outputs

import qfuse

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "libraries"))
import swiglu as formulas


def in_e4m3(args, kwargs):
    def turn(tensor):
        return tensor.to(torch.float8_e4m3fn) if tensor.dtype == torch.int8 else tensor.clone()

    return tuple(map(turn, args)), {name: turn(tensor) for name, tensor in kwargs.items()}


@pytest.mark.parametrize("dtype", [torch.int8, torch.float8_e4m3fn])
@pytest.mark.parametrize("extras", ["plain", "weights", "gpt-oss"])
def test_swiglu_has_torchs_bytes(device, dtype, extras):
    """All payloads on a GPU; nearly all on a CPU, which has another exp."""
    m, h = 1000, 640
    x, grad_y = silu_arguments(device, m, h)[:2]
    weights = None if extras == "plain" else torch.randn(m, device=device)
    options = {"limit": 0.7, "alpha": 1.702, "up_offset": 1.0} if extras == "gpt-oss" else {}
    forward, backward = swiglu_outputs(device, dtype, m, h)
    qfuse.ops.swiglu(x, weights=weights, **forward, **options)
    qfuse.ops.swiglu(x, grad_y=grad_y, weights=weights, **backward, **options)
    quantize = formulas.quantize if dtype == torch.int8 else formulas.quantize_e4m3
    expected = formulas.swiglu(x, grad_y, quantize=quantize, extras=formulas.Extras(weights, **options))
    pairs = [*backward["grad_input"], *backward["y_t"], *backward["grad_input_t"], *forward["y"]]
    assert all(map(torch.equal, forward["y_t"], backward["y_t"]))
    for one, other in zip(pairs, expected, strict=False):
        differing = (one.view(torch.uint8) != other.view(torch.uint8)).float().mean()
        assert differing <= (0 if device == "cuda" else 0.01)
    torch.testing.assert_close(
        backward["grad_weights"], expected[-1], **({"rtol": 0, "atol": 0} if device == "cuda" else {})
    )


def test_swiglu_refuses(device):
    x, grad_y = silu_arguments(device)[:2]
    forward, backward = swiglu_outputs(device)

    def refuse(message, **keywords):
        with pytest.raises(RuntimeError, match=message):
            qfuse.ops.swiglu(x, **keywords)

    refuse("y is given together with a gradient", y=forward["y"], grad_y=grad_y, **backward)
    refuse("grad_weights is given, but neither", y=forward["y"], grad_weights=backward["grad_weights"])
    refuse("limit is 0", limit=0.0, **forward)
    refuse("limit is -1.* or None", limit=-1.0, **forward)
    refuse("limit is 1e-50", limit=1e-50, **forward)
    refuse("limit is inf", limit=float("inf"), **forward)
    refuse("alpha is 1e-50", alpha=1e-50, **forward)
    refuse("alpha is 0", alpha=0.0, **forward)
    refuse("weights has 3 elements", weights=torch.rand(3, device=device), **forward)
    refuse(r"y\[1\] has shape", y=(forward["y"][0], forward["y"][1][:1]))
    refuse("are all None", grad_y=grad_y)


@pytest.mark.parametrize("dtype", [torch.int8, torch.float8_e4m3fn])
def test_silu_dot_has_the_bytes_of_swiglu(device, dtype):
    x, grad_y = silu_arguments(device)[:2]
    expected, found = (swiglu_outputs(device, dtype)[1] for _ in range(2))
    qfuse.ops.swiglu(x, grad_y=grad_y, **expected)
    names = ("grad_input", "y_t", "grad_input_t")
    qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, grad_y, *(tensor for name in names for tensor in found[name]))
    for name in names:
        for one, other in zip(found[name], expected[name], strict=True):
            assert torch.equal(one.view(torch.uint8), other.view(torch.uint8)), name


def test_silu_dot_with_mn_major_scales(device):
    def mn_major(scales):
        rows, groups = scales.shape
        return torch.full((groups, -(-rows // 4) * 4), -1.0, device=device).t()[:rows]

    args, kwargs = in_e4m3(silu_arguments(device, m=259), transposed_outputs(device, m=259))
    outputs = [*args[2:], *kwargs.values()]
    others = [mn_major(t) if t.dtype == torch.float32 else torch.empty_like(t) for t in outputs]
    qfuse.ops.silu_dot_fwd_bwd_quant_fuse(*args[:2], *outputs)
    qfuse.ops.silu_dot_fwd_bwd_quant_fuse(*args[:2], *others)
    for one, other in zip(outputs, others, strict=True):
        assert torch.equal(one.view(torch.uint8), other.contiguous().view(torch.uint8))
    assert (others[1].as_strided((1, 4), (1, 260), 259) == -1).all()  # beyond the rows
    with pytest.raises(RuntimeError, match="the scales must all be contiguous, or all have the strides"):
        qfuse.ops.silu_dot_fwd_bwd_quant_fuse(*args[:2], *outputs[:3], others[3])


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("apart", [False, True])
def test_silu_dot_of_experts(device, apart, dtype):
    """Experts with whole groups of rows have the bytes of one without experts; elements of no expert are unchanged."""
    m, h, ends = 384, 256, [128, 384]
    x, grad_y = silu_arguments(device, m, h)[:2]
    dense = [*silu_arguments(device, m, h)[2:], *transposed_outputs(device, m, h).values()]
    qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, grad_y, *dense)
    outputs, expected = (expert_outputs(device, m, h, len(ends), apart) for _ in range(2))
    given = torch.tensor(ends, dtype=dtype, device=device)
    qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, grad_y, *outputs, expert_ends=given)
    for whole, into in zip(dense, expected, strict=True):
        if into.dim() == 1:  # all columns of one expert, then those of the next
            parts = whole.tensor_split([whole.shape[1] // 3], 1)
            into[: whole.numel()] = torch.cat([part.flatten() for part in parts])
        else:
            into[:, : whole.shape[1]] = whole
    assert all(map(torch.equal, outputs, expected))


def test_silu_dot_of_experts_refuses(device):
    x, grad_y = silu_arguments(device, 300)[:2]
    ends = torch.tensor([130, 300], device=device)
    outputs = expert_outputs(device, 300, 256, 2)
    apart = expert_outputs(device, 300, 256, 2, apart=True)

    def refuse(message, outputs=outputs, ends=ends):
        with pytest.raises(RuntimeError, match=message):
            qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, grad_y, *outputs, expert_ends=ends)

    refuse("expert_ends is float32, it must be int32 or int64", ends=ends.float())
    refuse(r"it must be \[experts\]", ends=ends[:0])
    refuse("y_q_t has shape", ends=ends[1:])
    refuse("y_q_t and grad_input_q_t must have 2 dimensions", outputs=apart, ends=None)
    refuse("must both have 1 dimension", outputs=[*outputs[:2], *apart[2:4], *outputs[4:]])
    if device == "cpu":
        refuse(r"expert_ends\[1\] is 20, it must be at least 130", ends=torch.tensor([130, 20]))
    else:
        refuse("expert_ends lies on", ends=ends.cpu())


def test_silu_dot_refuses(device):
    good = silu_arguments(device)

    def refuse(message, **changes):
        names = ("x", "grad_y", "grad_input_q", "grad_input_s", "y_q_t", "y_s_t")
        with pytest.raises(RuntimeError, match=message):
            torch.ops.qfuse.silu_dot_fwd_bwd_quant_fuse(**(dict(zip(names, good, strict=True)) | changes))

    refuse("x is float32, it must be bfloat16", x=good[0].float())
    refuse("x has 1 dimensions", x=good[0][0])
    refuse("grad_y has shape", grad_y=good[1][:, :128])
    refuse("grad_y is None", grad_y=None)
    refuse("x is None, it must be a tensor", x=None)
    refuse(r"grad_input\.s", grad_input_s=None)
    refuse("y_t_s has shape", y_s_t=good[5][:, :1])
    refuse("grad_input_t_q has shape", **transposed_outputs(device) | {"grad_input_q_t": good[4]})
    refuse(r"grad_input_t\.s", grad_input_q_t=transposed_outputs(device)["grad_input_q_t"])
    refuse("grad_input_q is int8, it must be float8_e4m3fn", y_q_t=good[4].to(torch.float8_e4m3fn))
    refuse("rows of 512 must not overlap", x=good[0][:1].expand(200, 512))
    refuse("its rows must be contiguous", x=good[0].t().contiguous().t())
    refuse("overlap", y_q_t=good[2].view(-1)[: 256 * 200].view(256, 200))
