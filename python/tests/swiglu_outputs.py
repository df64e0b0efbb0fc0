"""Poisoned outputs for swiglu to write, and functions that compare them."""

import torch

import qfuse

H = 512
POISON = 99
E4M3, E5M2, E8M0 = torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e8m0fnu


def new_scales(device, rows, groups, kind):
    """Returns poisoned scales. kind: their dtype, or "mn_major" for column-major float32."""
    padded, words = -(-rows // 4) * 4, -(-groups // 4)
    if kind == "mn_major":
        return torch.full((groups, padded), -1.0, device=device).t()[:rows]
    if kind == torch.int32:
        return torch.full((words, padded), -1, dtype=torch.int32, device=device).t()[:rows]
    if kind == torch.float32:
        return torch.full((rows, groups), -1.0, device=device)
    return torch.full((rows, groups), 77, dtype=torch.uint8, device=device).view(kind)


def new_output(device, rows, columns, dtype, kind=torch.float32, group_size=128, apart=False):
    payload = torch.full((rows, columns), POISON, dtype=torch.uint8, device=device).view(dtype)
    scales = new_scales(device, rows, -(-columns // group_size), kind)
    return (payload.flatten(), scales.flatten() if scales.is_contiguous() else scales) if apart else (payload, scales)


# Name: (whether the output is transposed, its channels in multiples of h).
OUTPUTS = {"y": (False, 1), "y_t": (True, 1), "grad_input": (False, 2), "grad_input_t": (True, 2)}


def new_outputs(device, m, dtype, names=tuple(OUTPUTS), columns=None, apart=False, h=H, **how):
    """Returns poisoned outputs. columns: those of transposed outputs with experts; apart: transposed ones are 1-D."""
    made = {}
    for name in names:
        transposed, halves = OUTPUTS[name]
        rows, cols = (halves * h, m if columns is None else columns) if transposed else (m, halves * h)
        made[name] = new_output(device, rows, cols, dtype, apart=apart and transposed, **how)
    return made


def swiglu_outputs(device, dtype=torch.int8, m=200, h=256):
    """Returns poisoned outputs for a forward and a backward call that together write every output of swiglu."""
    forward = new_outputs(device, m, dtype, ("y", "y_t"), h=h)
    backward = new_outputs(device, m, dtype, ("y_t", "grad_input", "grad_input_t"), h=h)
    return forward, backward | {"grad_weights": torch.empty(m, device=device)}


def silu_arguments(device, m=200, h=256):
    x = torch.randn(m, 2 * h, device=device).bfloat16()
    grad_y = torch.randn(m, h, device=device).bfloat16()
    return (
        x,
        grad_y,
        torch.empty(m, 2 * h, dtype=torch.int8, device=device),
        torch.empty(m, 2 * h // 128, device=device),
        torch.empty(h, m, dtype=torch.int8, device=device),
        torch.empty(h, -(-m // 128), device=device),
    )


def transposed_outputs(device, m=200, h=256):
    return {
        "grad_input_q_t": torch.empty(2 * h, m, dtype=torch.int8, device=device),
        "grad_input_s_t": torch.empty(2 * h, -(-m // 128), device=device),
    }


def expert_outputs(device, m, h, experts, apart=False):
    columns = qfuse.ops.expert_columns(m, experts)

    def shaped(tensor):
        return tensor.flatten() if apart else tensor

    return [
        torch.full((m, 2 * h), 99, dtype=torch.int8, device=device),
        torch.full((m, 2 * h // 128), -1.0, device=device),
        *(
            shaped(tensor)
            for rows in (h, 2 * h)
            for tensor in (
                torch.full((rows, columns), 99, dtype=torch.int8, device=device),
                torch.full((rows, columns // 128), -1.0, device=device),
            )
        ),
    ]


def in_pieces(keywords):
    """Converts keywords of qfuse.ops.swiglu to those of the op: each output is split into NAME_q and NAME_s."""
    pieces = {}
    for name, value in keywords.items():
        pieces |= {f"{name}_q": value[0], f"{name}_s": value[1]} if name in OUTPUTS else {name: value}
    return pieces


def check_bytes(found, expected, where):
    found, expected = (t.clone(memory_format=torch.contiguous_format).view(torch.uint8) for t in (found, expected))
    differing = (found != expected).nonzero()
    assert differing.numel() == 0, f"{where}: {len(differing)} bytes differ, the first at {differing[0].tolist()}"


def check(found, expected, where):
    for part, one, other in zip(("payload", "scales"), found, expected, strict=True):
        check_bytes(one, other, f"{where}, {part}")


def is_poison(payload):
    return (payload.contiguous().view(torch.uint8) == POISON).all()
