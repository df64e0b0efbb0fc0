"""torch rotates, rounds and multiplies in INT8 as qfuse.h defines it, and qfuse gives the same bytes. The products are
near those with the weight that bitsandbytes decodes."""

import ctypes
import math
import sys
import unittest

import torch
from bitsandbytes.functional import get_4bit_type

LIBRARY = ctypes.CDLL(sys.argv[1])
DTYPES = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2}
SHAPES = [(1, 64), (67, 128), (64, 576), (128, 896), (192, 1536), (64, 2880)]
BLOCKSIZE = 64
FORWARD, BACKWARD = 0, 1


def fields(**types):
    named = {"pointer": ctypes.c_void_p, "count": ctypes.c_int64, "enum": ctypes.c_int32, "size": ctypes.c_size_t}
    return [(name, named[kind]) for kind, names in types.items() for name in names.split()]


class Weight(ctypes.Structure):
    _fields_ = fields(size="struct_size", count="rows cols blocksize", enum="quant_type", pointer="packed absmax")


class Inputs(ctypes.Structure):
    _fields_ = fields(size="struct_size", count="rows cols", enum="in_dtype", pointer="x q scale")


class Scales(ctypes.Structure):
    _fields_ = fields(size="struct_size", pointer="weight", enum="direction") + fields(pointer="scale")


class Codes(ctypes.Structure):
    _fields_ = Scales._fields_ + fields(pointer="q")


class Product(ctypes.Structure):
    _fields_ = (
        fields(size="struct_size", count="m n k", enum="dtype")
        + fields(pointer="in_q in_scale weight_q weight_scale out", count="out_stride")
        + fields(pointer="bias", enum="direction", count="lora_rank")
        + fields(pointer="lora_in lora_weight addend")
    )


def call(function, params):
    error = ctypes.create_string_buffer(4 + 512)
    params.struct_size = ctypes.sizeof(params)
    assert function(ctypes.byref(params), None, error) == 0, error.raw[4:].rstrip(b"\0")


def empty(*shape, dtype=torch.int8):
    return torch.full(shape, 99, dtype=dtype)


# ---- in torch ----


def quantized(values):
    """Returns q and scale of float32 rows."""
    block = 128 if values.shape[1] % 128 == 0 else 64
    v = values
    for d in (1 << i for i in range(block.bit_length() - 1)):
        lower, upper = v.unflatten(1, (-1, 2, d)).unbind(2)
        v = torch.stack((lower + upper, lower - upper), 2).flatten(1)
    root = torch.tensor(block, dtype=torch.float64).rsqrt().float()
    largest = v.abs().amax(1)
    scale = largest.clamp(min=2.0**-100) * torch.tensor(1 / 127, dtype=torch.float32) * root
    scale = torch.where(largest == 0, 0.0, torch.where(largest.isfinite(), scale, math.nan))
    q = (v.double() * (root / scale).double()[:, None]).round()  # the exact product, rounded to nearest even
    return torch.where((scale > 0)[:, None], q, 0).to(torch.int8), scale


def product(x, w, lora_in, lora_weight, bias, addend):
    """x and w: (q, scale). lora_weight: [n, r]. fp64 holds each fused step, except for what rounds away anyway."""
    y = (x[0].double() @ w[0].double().T).to(torch.int64).float() * x[1][:, None] * w[1]
    for j in range(lora_in.shape[1]):
        y = (lora_in[:, j, None].double() * lora_weight[:, j].double() + y.double()).float()
    return (y + bias.float() + addend.float()).to(bias.dtype)


# ---- in qfuse ----


def our_inputs(x):
    q, scale = empty(*x.shape), empty(x.shape[0], dtype=torch.float32)
    pointers = {"x": x.data_ptr(), "q": q.data_ptr(), "scale": scale.data_ptr()}
    call(LIBRARY.qfuse_rotated_int8_quantize, Inputs(0, *x.shape, DTYPES[x.dtype], **pointers))
    return q, scale


def our_weight(packed, absmax, rows, cols, quant_type, direction):
    w = Weight(ctypes.sizeof(Weight), rows, cols, BLOCKSIZE, quant_type, packed.data_ptr(), absmax.data_ptr())
    q, scale = (
        (empty(rows, cols), empty(rows, dtype=torch.float32))
        if direction == FORWARD
        else (empty(cols, rows), empty(cols, dtype=torch.float32))
    )
    common = {"weight": ctypes.addressof(w), "direction": direction, "scale": scale.data_ptr()}
    call(LIBRARY.qfuse_rotated_int8_weight_scales, Scales(**common))
    call(LIBRARY.qfuse_rotated_int8_weight, Codes(**common, q=q.data_ptr()))
    return q, scale


def our_product(x, w, lora_in, lora_weight, bias, addend, direction):
    (m, k), n = x[0].shape, w[0].shape[0]
    out = empty(m, n, dtype=bias.dtype)
    arrays = {
        "in_q": x[0], "in_scale": x[1], "weight_q": w[0], "weight_scale": w[1], "out": out, "bias": bias,
        "lora_in": lora_in, "lora_weight": lora_weight, "addend": addend,
    }  # fmt: skip
    pointers = {name: array.data_ptr() for name, array in arrays.items()}
    sizes = {"m": m, "n": n, "k": k, "dtype": DTYPES[bias.dtype], "lora_rank": lora_in.shape[1]}
    call(LIBRARY.qfuse_rotated_int8_matmul, Product(direction=direction, **sizes, **pointers))
    return out


class RotatedInt8(unittest.TestCase):
    def setUp(self):
        self.generator = torch.Generator().manual_seed(20261129)

    def normal(self, *shape, dtype=torch.float32):
        return torch.randn(*shape, generator=self.generator).to(dtype)

    def expect_same(self, expected, actual):
        for e, a in zip(expected, actual, strict=True):
            self.assertTrue(torch.equal(e.nan_to_num(77.0), a.nan_to_num(77.0)))

    def with_outliers(self, rows, cols, dtype=torch.float32):
        x = self.normal(rows, cols)
        x[:, ::61] *= 30.0
        return x.to(dtype)

    def weight(self, rows, cols, kind):
        """Returns codes, absmax and the decoded values in float32."""
        packed = torch.randint(0, 256, (rows * cols // 2,), generator=self.generator, dtype=torch.uint8)
        absmax = self.normal(rows * cols // BLOCKSIZE).abs() * 0.02
        codes = torch.stack((packed >> 4, packed & 15), 1).flatten().long()
        values = get_4bit_type(kind, device="cpu")[codes].unflatten(0, (-1, BLOCKSIZE)) * absmax[:, None]
        return packed, absmax, values.reshape(rows, cols)

    def test_inputs_have_torchs_bytes(self):
        for rows, cols in SHAPES:
            for dtype in DTYPES:
                x = self.with_outliers(rows, cols, dtype)
                if rows > 4:
                    x[1] = 0.0
                    x[2, 7], x[3, 1] = math.inf, math.nan
                    x[4] *= 2.0**-120
                with self.subTest(shape=(rows, cols), dtype=dtype):
                    self.expect_same(quantized(x.float()), our_inputs(x))

    def test_weights_have_torchs_bytes(self):
        for rows, cols in SHAPES:
            for kind, quant_type in (("fp4", 1), ("nf4", 2)):
                packed, absmax, values = self.weight(rows, cols, kind)
                with self.subTest(shape=(rows, cols), kind=kind):
                    self.expect_same(quantized(values), our_weight(packed, absmax, rows, cols, quant_type, FORWARD))
                    if rows % 64 == 0:
                        ours = our_weight(packed, absmax, rows, cols, quant_type, BACKWARD)
                        self.expect_same(quantized(values.T.contiguous()), ours)

    def test_products_have_torchs_bytes_and_are_near_the_exact_ones(self):
        rows, cols, tokens, rank = 576, 1536, 33, 16
        packed, absmax, values = self.weight(rows, cols, "nf4")
        for dtype in DTYPES:
            for direction, w in ((FORWARD, values), (BACKWARD, values.T)):
                n, k = w.shape
                x = self.with_outliers(tokens, k, dtype)
                lora_in, lora_weight = self.normal(tokens, rank, dtype=dtype), self.normal(n, rank, dtype=dtype) * 0.1
                bias, addend = self.normal(n, dtype=dtype), self.normal(tokens, n, dtype=dtype)
                x_int8, w_int8 = our_inputs(x), our_weight(packed, absmax, rows, cols, 2, direction)
                lies = lora_weight if direction == FORWARD else lora_weight.T.contiguous()
                ours = our_product(x_int8, w_int8, lora_in, lies, bias, addend, direction)
                with self.subTest(dtype=dtype, direction=direction):
                    if dtype != torch.float32:  # fp64 cannot hold fused steps of fp32
                        self.expect_same([product(x_int8, w_int8, lora_in, lora_weight, bias, addend)], [ours])
                    nothing = torch.zeros(n), torch.zeros(tokens, n)
                    base = our_product(x_int8, w_int8, lora_in[:, :0], lies, *nothing, direction)
                    exact = x.double() @ w.double().T
                    error = float((base - exact).norm() / exact.norm())
                    print(f"{dtype}, {'dy * W' if direction else 'x * W^T'}: an error of {100 * error:.2f} %")
                    self.assertLess(error, 0.02)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
