"""SwiGLU forward and backward in torch, with INT8 and e4m3 outputs, against qfuse: all bytes are equal with qfuse's own
exp in torch operations, and all but a few with torch's exp, which rounds differently."""

import ctypes
import math
import sys
import unittest

import torch
from swiglu import FACTORS, GROUP, Extras, inputs, quantize, quantize_e4m3, swiglu

LIBRARY = ctypes.CDLL(sys.argv[1])
PAYLOADS = {torch.int8: 0, torch.float8_e4m3fn: 1}
SHAPES = [(1, 128), (127, 256), (129, 384), (1000, 640)]


class Quantized(ctypes.Structure):
    _fields_ = [("q", ctypes.c_void_p), ("s", ctypes.c_void_p)]


class GroupFormat(ctypes.Structure):
    _fields_ = [
        ("group_size", ctypes.c_int64),
        ("payload_type", ctypes.c_int32),
        ("scale_type", ctypes.c_int32),
        ("scale_rule", ctypes.c_int32),
        ("zero_rule", ctypes.c_int32),
        ("amax_floor", ctypes.c_float),
        ("scale_layout", ctypes.c_int32),
    ]


class Experts(ctypes.Structure):
    _fields_ = [
        ("ends", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("ends_type", ctypes.c_int32),
        ("layout", ctypes.c_int32),
    ]


class Params(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("m", ctypes.c_int64),
        ("h", ctypes.c_int64),
        ("x", ctypes.c_void_p),
        ("x_stride", ctypes.c_int64),
        ("grad_y", ctypes.c_void_p),
        ("grad_y_stride", ctypes.c_int64),
        ("format", GroupFormat),
        ("y", Quantized),
        ("y_t", Quantized),
        ("grad_input", Quantized),
        ("grad_input_t", Quantized),
        ("experts", Experts),
        ("weights", ctypes.c_void_p),
        ("grad_weights", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p),
        ("workspace_size", ctypes.c_int64),
        ("limit", ctypes.c_float),
        ("alpha", ctypes.c_float),
        ("up_offset", ctypes.c_float),
    ]


def call(**fields):
    params = Params(ctypes.sizeof(Params), **fields)
    error = ctypes.create_string_buffer(4 + 512)
    status = LIBRARY.qfuse_swiglu(ctypes.byref(params), None, error)
    assert status == 0, error.raw[4:].rstrip(b"\0")


def ours(x, grad_y, dtype=torch.int8, extras=Extras()):  # noqa: B008, a tuple
    """Returns the same as swiglu(), by two calls, because only a forward call gives y by rows."""
    m, h = grad_y.shape
    groups = -(-m // GROUP)
    shapes = [(m, 2 * h, 2 * h // GROUP), (h, m, groups), (2 * h, m, groups), (m, h, h // GROUP)]
    outputs = [
        output
        for rows, columns, count in shapes
        for output in (torch.full((rows, columns), 99, dtype=dtype), torch.full((rows, count), 99.0))
    ]
    grad_weights, workspace = torch.full((m,), 99.0), torch.empty(m * h // GROUP)
    grad_input, y_t, grad_input_t, y = (
        Quantized(q.data_ptr(), s.data_ptr()) for q, s in zip(outputs[::2], outputs[1::2], strict=True)
    )
    common = {
        "m": m,
        "h": h,
        "x": x.data_ptr(),
        "format": GroupFormat(group_size=GROUP, payload_type=PAYLOADS[dtype]),
        "weights": None if extras.weights is None else extras.weights.data_ptr(),
        "limit": 0.0 if extras.limit == math.inf else extras.limit,
        "alpha": extras.alpha,
        "up_offset": extras.up_offset,
    }
    call(
        **common,
        grad_y=grad_y.data_ptr(),
        grad_input=grad_input,
        y_t=y_t,
        grad_input_t=grad_input_t,
        grad_weights=grad_weights.data_ptr(),
        workspace=workspace.data_ptr(),
        workspace_size=workspace.nbytes,
    )
    call(**common, y=y)
    return *outputs, grad_weights


def our_exp(x):
    """src/format/exponential.h in torch operations."""
    x = torch.where(x > 89.0, 89.0, x)
    x = torch.where(x < -104.0, -104.0, x)
    magic = 12582912.0 + 254.0
    total = x * float.fromhex("0x1.715476p+0") + magic
    n = total - magic
    r = (x - n * float.fromhex("0x1.63p-1")) - n * float.fromhex("-0x1.bd0106p-13")
    p = torch.full_like(r, float.fromhex("0x1.6b6e42p-10"))
    for coefficient in ("0x1.122f88p-7", "0x1.555688p-5", "0x1.5554a4p-3", "0x1p-1"):
        p = p * r + float.fromhex(coefficient)
    e = 1.0 + (r + p * (r * r))
    exponent = total.view(torch.int32)
    half = exponent >> 1
    return (e * (half << 23).view(torch.float32)) * ((exponent - half) << 23).view(torch.float32)


def differing(expected, actual):
    """Counts elements whose bytes differ. Any NaN equals any NaN."""
    if expected.dtype == torch.float8_e4m3fn:  # its bytes distinguish both zeros and both NaNs
        nan = expected.float().isnan() & actual.float().isnan()
        return int((~nan & (expected.view(torch.uint8) != actual.view(torch.uint8))).sum())
    same = (expected == actual) | ((expected != expected) & (actual != actual))
    return int((~same).sum())


class Swiglu(unittest.TestCase):
    def each_case(self):
        generator = torch.Generator().manual_seed(20261121)
        for m, h in SHAPES:
            for name, factor in FACTORS.items():
                yield (m, h, name), *inputs(m, h, factor, generator)
            yield (m, h, "sparse"), *inputs(m, h, 1.0, generator, kept=0.01)
            bits = torch.randint(-(1 << 15), 1 << 15, (m, 3 * h), generator=generator, dtype=torch.int16)
            yield (
                (m, h, "any bits"),
                bits[:, : 2 * h].contiguous().view(torch.bfloat16),
                bits[:, 2 * h :].contiguous().view(torch.bfloat16),
            )

    def expect_torchs_bytes(self, quantize, dtype, extras_of=lambda m: Extras()):
        for case, x, grad_y in self.each_case():
            extras = extras_of(x.shape[0])
            with self.subTest(case):
                for expected, actual in zip(
                    swiglu(x, grad_y, our_exp, quantize, extras), ours(x, grad_y, dtype, extras), strict=True
                ):
                    self.assertEqual(differing(expected, actual), 0)

    def test_equals_torch_to_the_byte_with_the_same_exp(self):
        self.expect_torchs_bytes(quantize, torch.int8)

    def test_e4m3_equals_torch_to_the_byte_with_the_same_exp(self):
        self.expect_torchs_bytes(quantize_e4m3, torch.float8_e4m3fn)

    def test_router_weights_equal_torch_to_the_byte(self):
        self.expect_torchs_bytes(quantize_e4m3, torch.float8_e4m3fn, lambda m: Extras(torch.randn(m)))

    def test_gpt_oss_activation_equals_torch_to_the_byte(self):
        self.expect_torchs_bytes(quantize, torch.int8, lambda m: Extras(torch.rand(m), 0.7, 1.702, 1.0))

    # An exp that differs by one fp32 ulp changes the value rounded to bf16 (16 bits less) about once in a hundred
    # thousand, and the payload less often. If the value is a group's absmax, the group's other elements may change.
    def test_is_torchs_own_but_for_the_rounding_of_exp(self):
        payload, changed, scales, changed_scales = 0, 0, 0, 0
        for case, x, grad_y in self.each_case():
            results = list(zip(swiglu(x, grad_y)[:-1], ours(x, grad_y)[:-1], strict=True))
            for expected, actual in results[0::2]:
                payload += expected.numel()
                changed += differing(expected, actual)
                self.assertLessEqual(int((expected.int() - actual.int()).abs().max()), 1, case)
            for expected, actual in results[1::2]:
                scales += expected.numel()
                changed_scales += differing(expected, actual)
        print(f"with torch's exp: {changed} of {payload} payload bytes and {changed_scales} of {scales} scales differ")
        self.assertLess(changed, payload // 10000)
        self.assertLess(changed_scales, scales // 1000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
