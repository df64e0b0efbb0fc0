"""Each op in torch: its schema, fake implementation, compilation, and errors."""

import pytest
import torch
from conftest import DTYPES, golden_weights, make_weight, replaced, same_bits
from swiglu_outputs import expert_outputs, in_pieces, silu_arguments, swiglu_outputs, transposed_outputs

import qfuse

OPS = torch.ops.qfuse


def int8_arguments(device, rows=5, cols=7, dtype=torch.float16):
    codes = torch.arange(rows * cols, device=device).sub(rows * cols // 2).to(torch.int8).reshape(rows, cols)
    return codes, torch.arange(1, rows + 1, device=device) / 3, dtype


def rotated_int8_calls(made):
    x, weight = made.original, made.weight
    scale = qfuse.ops.rotated_int8_weight_scales(weight.tensors, weight.shape)
    q = qfuse.ops.rotated_int8_weight(weight.tensors, scale, weight.shape)
    terms = (x[0, :64].contiguous(), x[:, :8].contiguous(), x[:, 8:16].contiguous())  # a bias and the LoRA terms
    return [
        (OPS.rotated_int8_quantize.default, (x[:, :128],), {}),
        (OPS.rotated_int8_weight_scales.default, (weight.tensors, weight.shape), {"direction": "backward"}),
        (OPS.rotated_int8_weight.default, (weight.tensors, scale, weight.shape), {}),
        (OPS.rotated_int8_matmul.default, (*qfuse.ops.rotated_int8_quantize(x), q, scale, x.dtype, *terms), {}),
        (
            OPS.rotated_int8_matmul.default,
            (*qfuse.ops.rotated_int8_quantize(x), q, scale, x.dtype, *terms),
            {"addend": x @ x.T},
        ),
        (
            OPS.matmul_4bit_rotated_int8.default,
            (x, weight.tensors, *terms, *qfuse.ops.rotated_int8_quantize(x), x @ x.T),
            {
                "shape": weight.shape,
                "quant_type": weight.quant_type,
                "blocksize": weight.blocksize,
                "nested_blocksize": weight.nested_blocksize,
                "direction": "forward",
            },
        ),
        (OPS.rotated_int8_swiglu.default, tuple(x.bfloat16().chunk(3, -1)), {}),
        (OPS.rotated_int8_swiglu.default, tuple(x.bfloat16()[:, :128].chunk(2, -1)), {}),
    ]


def calls(device):
    """One call of every overload: (overload, arguments, keywords)."""
    made = make_weight(device)
    weight = made.weight
    codes, absmax = qfuse.ops.quantize_blockwise(made.original, 256)
    out = torch.empty(weight.shape, dtype=torch.bfloat16, device=device)
    plain = weight._replace(tensors=(weight.packed, made.plain), dtype=torch.float16)
    blockwise = (codes, absmax, weight.nested_quant_map, 256, torch.bfloat16)
    adapter = made.original[:5].contiguous(), made.original[:, :5].contiguous()
    return [
        (OPS.dequantize_4bit.default, weight, {}),
        (OPS.dequantize_4bit.default, plain, {}),
        (OPS.dequantize_4bit.default, plain[:3], {}),
        (OPS.dequantize_4bit.out, weight, {"out": out}),
        (OPS.quantize_4bit.default, (made.original, 64, "nf4"), {}),
        (OPS.quantize_4bit.default, (made.original, 64, "fp4"), {"importance": made.original[0].square()}),
        (OPS.quantize_4bit.nested, (made.original.half(), 128, "fp4"), {"nested_blocksize": 256}),
        (OPS.quantize_4bit.kept, (made.original.half(), weight.tensors), {}),
        (OPS.quantize_4bit.kept, (made.original, (weight.packed, made.plain)), {}),
        (OPS.quantize_blockwise.default, (made.original, 256, 0.5), {}),
        (OPS.dequantize_blockwise.default, blockwise, {}),
        (OPS.dequantize_blockwise.out, blockwise, {"out": out.clone()}),
        (OPS.dequantize_int8.default, int8_arguments(device), {}),
        (
            OPS.matmul_4bit.default,
            (made.original[:3], weight.tensors, made.original[0, :64]),
            {"shape": weight.shape, "order": "split"},
        ),
        (
            OPS.matmul_4bit.default,
            (made.original[:, :64], plain.tensors, None),
            {"shape": weight.shape, "direction": "backward"},
        ),
        (
            OPS.matmul_4bit_grouped.default,
            (
                made.original[:3],
                weight.tensors,
                torch.tensor([1, 1, 3, 3], device=device),
                made.original[:4, :16].contiguous(),
            ),
            {"shape": (4, 16, 192), "order": "split"},
        ),
        (
            OPS.matmul_4bit_many.default,
            (made.original[:3], weight.tensors * 2, (made.original[0, :64],) * 2),
            {"rows": weight.shape[:1] * 2},
        ),
        (
            OPS.matmul_4bit_many.default,
            (made.original, plain.tensors, []),
            {"rows": weight.shape[:1], "order": "split"},
        ),
        *rotated_int8_calls(made),
        (
            OPS.dequantize_4bit_rows.default,
            (codes, made.original[:, :12].contiguous(), 384, "e2m1", 32, torch.half),
            {"global_scale": absmax[:1]},
        ),
        (OPS.lora_merge.default, (made.original, *adapter, 2.0, torch.half), {}),
        (OPS.lora_merge.out, (made.original, *adapter, 2.0), {"out": torch.empty_like(made.original)}),
        (
            OPS.lora_merge_4bit.default,
            ((made.original.half(),), *adapter, 2.0, made.original.shape, torch.half),
            {"to": "fp4", "to_blocksize": 32},
        ),
        (
            OPS.lora_merge_4bit.default,
            (weight.tensors, *adapter, 2.0, weight.shape, torch.half),
            {"to_nested_blocksize": 256},
        ),
        (
            OPS.lora_merge_4bit.default,
            (weight.tensors, *adapter, 2.0, weight.shape, torch.half),
            {"to_nested_blocksize": 256, "keep_absmax": True},
        ),
        (OPS.dequantize_fp8.default, (codes & 0xFE, made.original[:4, :2].contiguous(), 16, 96, torch.half), {}),
        (OPS.silu_dot_fwd_bwd_quant_fuse.default, silu_arguments(device), {}),
        (OPS.silu_dot_fwd_bwd_quant_fuse.default, (*silu_arguments(device)[:4], None, None), {}),
        (OPS.silu_dot_fwd_bwd_quant_fuse.default, silu_arguments(device), transposed_outputs(device)),
        (
            OPS.silu_dot_fwd_bwd_quant_fuse.default,
            (*silu_arguments(device)[:2], *expert_outputs(device, 200, 256, 2)),
            {"expert_ends": torch.tensor([50, 200], device=device)},
        ),
        (OPS.swiglu.default, silu_arguments(device)[:1], in_pieces(swiglu_outputs(device)[0]) | {"limit": 7.0}),
        (
            OPS.swiglu.default,
            silu_arguments(device)[:1],
            in_pieces(swiglu_outputs(device)[1])
            | {"grad_y": silu_arguments(device)[1], "weights": torch.rand(200, device=device)},
        ),
    ]


CALLS = range(len(calls("cpu")))


def test_every_op_is_called_here():
    registered = {name for name in torch._C._dispatch_get_all_op_names() if name.startswith("qfuse::")}
    assert registered == {call[0].name() for call in calls("cpu")}


@pytest.mark.parametrize("index", CALLS)
def test_opcheck(index, device):
    op, args, kwargs = calls(device)[index]
    torch.library.opcheck(op, tuple(args), kwargs)


def test_what_is_left_out_is_bitsandbytes_own():
    """The schemas' defaults, which qfuse.ops may omit, are those of Weight4bit."""
    weight = make_weight("cpu").weight
    for op in (OPS.dequantize_4bit.default, OPS.dequantize_4bit.out, OPS.matmul_4bit.default):
        defaults = {argument.name: argument.default_value for argument in op._schema.arguments}
        assert {name: defaults[name] for name in weight._fields[3:]} == weight._field_defaults
    assert weight._field_defaults == {"quant_type": "nf4", "blocksize": 64, "nested_blocksize": 256}


@pytest.mark.parametrize("index", CALLS)
def test_compiles_into_one_graph_with_the_same_result(index, device):
    op, args, kwargs = calls(device)[index]

    def call(*args, **kwargs):
        result = op(*args, **kwargs)
        tensors = [t for t in (*args, *kwargs.values()) if isinstance(t, torch.Tensor)]
        return result if result is not None else [t.clone() for t in tensors]  # the written tensors

    expected = call(*args, **kwargs)
    torch._dynamo.reset()
    found = torch.compile(call, fullgraph=True, backend="aot_eager")(*args, **kwargs)
    found, expected = ([r] if isinstance(r, torch.Tensor) else list(r) for r in (found, expected))
    assert all(same_bits(a, b) for a, b in zip(found, expected, strict=True))


def test_compiles_where_every_argument_is_named(made, backend):
    torch._dynamo.reset()
    found = torch.compile(OPS.dequantize_4bit.default, fullgraph=True, backend=backend)(**keywords(made.weight))
    assert same_bits(found, OPS.dequantize_4bit(**keywords(made.weight)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_out_gets_what_is_returned(made, device, dtype):
    weight = made.weight._replace(dtype=dtype)
    expected = qfuse.ops.dequantize_4bit(*weight)
    out = torch.full(weight.shape, torch.nan, dtype=dtype, device=device)
    assert qfuse.ops.dequantize_4bit_out(*weight, out=out) is out
    assert same_bits(out, expected)
    assert (expected.float() - made.original).abs().max() < 0.6


@pytest.mark.parametrize("storage", [torch.bfloat16, torch.float16, torch.float32, torch.int8])
def test_a_storage_dtype_is_bits(made, storage):
    other = replaced(made.weight, 0, made.weight.packed.view(-1).view(storage).view(-1, 1))
    assert same_bits(qfuse.ops.dequantize_4bit(*other), qfuse.ops.dequantize_4bit(*made.weight))


def test_an_empty_weight(device):
    empty = torch.empty(0, device=device)
    assert qfuse.ops.dequantize_4bit((empty.to(torch.uint8), empty), (0, 5), torch.float16).shape == (0, 5)
    packed, absmax = qfuse.ops.quantize_4bit(empty, 64, "nf4")
    assert packed.shape == (0, 1) and absmax.shape == (0,)
    nested = qfuse.Weight4bit(qfuse.ops.quantize_4bit_nested(empty, 64, "nf4"), (0, 5), torch.float16)
    assert qfuse.ops.dequantize_4bit(*nested).shape == (0, 5)
    assert [tuple(tensor.shape) for tensor in nested.tensors] == [(0, 1), (0,), (0,), (256,), ()]
    assert nested.nested_offset.item() == 0
    assert same_bits(nested.nested_quant_map, qfuse.ops.quantize_4bit_nested(empty.new_ones(64), 64, "nf4")[3])
    given = empty.new_full((1,), 0.25)
    assert qfuse.ops.quantize_4bit_nested(empty, 64, "nf4", given_offset=given)[4].item() == 0.25
    codes, absmax = qfuse.ops.quantize_blockwise(empty, 256)
    quant_map = torch.zeros(256, device=device)
    assert qfuse.ops.dequantize_blockwise(codes, absmax, quant_map, 256, torch.float32).numel() == 0
    qfuse.ops.silu_dot_fwd_bwd_quant_fuse(*silu_arguments(device, m=0))


@pytest.mark.parametrize("shape", [(64 * 192,), (4, 16, 192), (1, 64, 192, 1)])
def test_a_weight_of_any_shape(made, shape):
    found = qfuse.ops.dequantize_4bit(*made.weight._replace(shape=shape))
    assert same_bits(found, qfuse.ops.dequantize_4bit(*made.weight).view(shape))


def test_the_nested_map_is_bitsandbytes_own(made):
    (case, *_) = (case for case in golden_weights("bnb_cases") if case.weight.nested)
    assert same_bits(made.weight.nested_quant_map, case.weight.nested_quant_map)


def test_threads_do_not_change_a_bit(made):
    threads = torch.get_num_threads()
    results = []
    for count in (1, 2, threads):
        torch.set_num_threads(count)
        results.append(qfuse.ops.dequantize_4bit(*made.weight))
    assert all(same_bits(result, results[0]) for result in results)


# ---- refusals: (what is changed, a word of the message that names it and both values)

NAMES = ("packed", "absmax", "nested_absmax", "nested_quant_map", "nested_offset")
REFUSED = {
    "absmax in float16": ({"absmax": lambda m: m.plain.half()}, "absmax is float16, it must be float32"),
    "float32 absmax with a nested state": ({"absmax": lambda m: m.plain}, "absmax is float32, nested_absmax"),
    "uint8 absmax without a nested state": (
        {"tensors": lambda m: m.weight.tensors[:2]},
        "absmax is uint8, so nested_absmax",
    ),
    "no offset": ({"tensors": lambda m: m.weight.tensors[:4]}, "weight has 4 tensors, it must have 2, .* or 5"),
    "a nested map in bfloat16": (
        {"nested_quant_map": lambda m: m.weight.nested_quant_map.bfloat16()},
        "nested_quant_map is bfloat16, it must be float32",
    ),
    "a map that is too short": (
        {"nested_quant_map": lambda m: m.weight.nested_quant_map[:255]},
        "nested_quant_map has 255 elements, it must have 256",
    ),
    "nested absmax in float64": (
        {"nested_absmax": lambda m: m.weight.nested_absmax.double()},
        "nested_absmax is float64, it must be float32",
    ),
    "two offsets": (
        {"nested_offset": lambda m: m.weight.nested_offset.repeat(2)},
        "nested_offset has 2 elements, it must have 1",
    ),
    "too few codes": ({"packed": lambda m: m.weight.packed[:-1]}, "packed has 6143 bytes, 12288 4-bit codes need 6144"),
    "too many codes": ({"packed": lambda m: m.weight.packed.new_zeros(6145, 1)}, "packed has 6145 bytes"),
    "every second code": ({"packed": lambda m: m.weight.packed.repeat(2, 1)[::2]}, "packed has shape .* and strides"),
    "too few absmax": (
        {"absmax": lambda m: m.weight.absmax[:-1]},
        "absmax has 191 elements, 12288 values in blocks of 64 need 192",
    ),
    "a strided absmax": ({"absmax": lambda m: m.weight.absmax.repeat(2)[::2]}, "absmax has shape .* and strides"),
    "a block size of zero": ({"blocksize": lambda m: 0}, "blocksize is 0"),
    "a block size that is no power of two": (
        {"blocksize": lambda m: 96, "absmax": lambda m: m.weight.absmax[:128]},
        "96",
    ),
    "a nested block size of zero": ({"nested_blocksize": lambda m: 0}, "nested_blocksize is 0"),
    "an unknown code": ({"quant_type": lambda m: "int3"}, "quant_type is 'int3', it can be 'nf4', 'fp4', 'int4', "),
    "a dtype that is none": ({"dtype": lambda m: torch.int8}, "dtype is int8"),
    "a negative shape": ({"shape": lambda m: (-64, 192)}, r"shape is \(-64, 192\)"),
    "a shape beyond counting": ({"shape": lambda m: (2**40, 2**40)}, "more than 2"),
    "another shape": ({"shape": lambda m: (64, 191)}, "need 6112"),
}


def keywords(weight):
    names = [argument.name for argument in OPS.dequantize_4bit.default._schema.arguments]
    return dict(zip(names, weight, strict=True))


@pytest.mark.parametrize("what", REFUSED)
def test_refuses(what, made):
    changes, message = REFUSED[what]
    weight = made.weight
    for name, change in changes.items():
        if name in NAMES:
            weight = replaced(weight, NAMES.index(name), change(made))
        else:
            weight = weight._replace(**{name: change(made)})
    for call in (lambda: qfuse.ops.dequantize_4bit(*weight), lambda: OPS.dequantize_4bit(**keywords(weight))):
        with pytest.raises(RuntimeError, match=message):
            call()


def test_refuses_an_out_that_does_not_fit(made, device):
    def decode(out):
        qfuse.ops.dequantize_4bit_out(*made.weight, out=out)

    new = torch.empty
    for out, message in [
        (new(64, 191, dtype=torch.bfloat16, device=device), r"out has shape \(64, 191\).*\(64, 192\)"),
        (new(64, 192, device=device), "out is float32, it must be bfloat16"),
        (new(192, 64, dtype=torch.bfloat16, device=device).t(), "out has shape .* and strides"),
    ]:
        with pytest.raises(RuntimeError, match=message):
            decode(out)
    memory = new(64 * 192 * 2, dtype=torch.uint8, device=device)
    overlapping = replaced(made.weight, 0, memory[:6144])
    with pytest.raises(RuntimeError, match="overlap"):
        qfuse.ops.dequantize_4bit_out(*overlapping, out=memory.view(torch.bfloat16).view(64, 192))


def test_refuses_other_layouts_and_no_tensors(made):
    for index, error in [(0, NotImplementedError), (1, (RuntimeError, NotImplementedError))]:
        with pytest.raises(error):
            qfuse.ops.dequantize_4bit(*replaced(made.weight, index, made.weight.tensors[index].to_sparse()))
    with pytest.raises((RuntimeError, NotImplementedError)):
        qfuse.ops.dequantize_4bit(*made.weight._replace(tensors=()))


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("quant_type", ["nf4", "fp4"])
def test_kept_absmax_give_the_nearest_values_of_bitsandbytes_table(device, quant_type, nested):
    bnb = pytest.importorskip("bitsandbytes")
    given, x = (torch.randn(64, 192, generator=torch.Generator().manual_seed(seed)).to(device) for seed in (1, 2))
    encode = qfuse.ops.quantize_4bit_nested if nested else qfuse.ops.quantize_4bit
    tensors = encode(given, 64, quant_type)
    absmax = tensors[1]
    if nested:
        _, codes, scales, table, offset = (tensor.cpu() for tensor in tensors)
        absmax = bnb.functional.dequantize_blockwise(codes, absmax=scales, code=table, blocksize=256) + offset
    v = x.cpu().double().view(-1, 64) / absmax.cpu().double()[:, None]
    table = bnb.functional.get_4bit_type(quant_type, "cpu").double()
    nearest, next_one = (v[..., None] - table.unique()).abs().sort(-1)[0][..., :2].unbind(-1)
    packed = qfuse.ops.quantize_4bit_kept(x, tensors, quant_type).cpu()
    found = table[torch.cat((packed >> 4, packed & 15), 1).flatten().long()].view_as(v)
    is_tie = next_one - nearest < 1e-5
    assert (((found - v).abs() == nearest) | is_tie).all() and is_tie.sum() < 10 and (v.abs() > 1.2).any()


def test_refuses_inputs_of_the_other_ops(made, device):
    x = made.original
    codes, absmax = qfuse.ops.quantize_blockwise(x, 256)
    for call, message in [
        (lambda: qfuse.ops.quantize_4bit(x.long(), 64, "nf4"), "input is int64"),
        (lambda: qfuse.ops.quantize_4bit(x.t(), 64, "nf4"), "input has shape .* and strides"),
        (lambda: qfuse.ops.quantize_4bit(x, 48, "nf4"), "blocksize is 48, it must be a power of two"),
        (lambda: qfuse.ops.quantize_4bit(x, 64, "nf4", importance=x.new_ones(7)), "importance .*7"),
        (lambda: qfuse.ops.quantize_4bit(x, 64, "nf4", importance=x[0].double()), "importance is float64"),
        (lambda: qfuse.ops.quantize_4bit(x.sum(), 64, "nf4", importance=x[0]), "it must have columns"),
        (lambda: qfuse.ops.quantize_4bit(x, 64, "nf4", "fast"), "reciprocal is 'fast'"),
        (lambda: qfuse.ops.quantize_4bit_nested(x, 64, "nf4", 0), "nested_blocksize is 0"),
        (lambda: qfuse.ops.quantize_4bit_kept(x, made.weight.tensors, blocksize=128), "absmax has 192 elements"),
        (lambda: qfuse.ops.quantize_4bit_kept(x, made.weight.tensors, "mxfp4"), "mxfp4"),
        (lambda: qfuse.ops.quantize_4bit_nested(x, 64, "nf4", given_offset=x), "given_offset has 12288 elements"),
        (lambda: qfuse.ops.quantize_blockwise(x, -1), "blocksize is -1"),
        (lambda: qfuse.ops.dequantize_blockwise(codes, absmax[1:], x[0], 256, x.dtype), "absmax has 47 elements"),
        (lambda: qfuse.ops.dequantize_blockwise(codes, absmax, x[0], 256, x.dtype), "quant_map has 192 elements"),
        (lambda: qfuse.ops.dequantize_blockwise(x, absmax, x[0], 256, x.dtype), "codes is float32"),
    ]:
        with pytest.raises(RuntimeError, match=message):
            call()
    if device == "cpu":
        with pytest.raises(RuntimeError, match=r"'approx'"):
            qfuse.ops.quantize_4bit(x, 64, "nf4", "approx")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_int8_as_bitsandbytes_decodes_it(device, dtype):
    functional = pytest.importorskip("bitsandbytes.functional")
    codes, scb, _ = int8_arguments(device, 16, 33)
    expected = functional.int8_vectorwise_dequant(codes, scb).to(dtype)
    assert same_bits(qfuse.ops.dequantize_int8(codes, scb, dtype), expected)
    assert qfuse.ops.dequantize_int8(codes[:0], scb[:0], dtype).shape == (0, 33)


def test_int8_refuses(device):
    codes, scb, dtype = int8_arguments(device)
    for message, arguments in {
        "codes has 1 dimensions": (codes[0], scb, dtype),
        "codes is uint8, it must be int8": (codes.view(torch.uint8), scb, dtype),
        "scb has 4 elements, it must have 5": (codes, scb[:4], dtype),
        "codes is None, it must be a tensor": (None, scb, dtype),
        "scb is None, it must be a tensor": (codes, None, dtype),
        "scb is float16": (codes, scb.half(), dtype),
        "dtype is float64": (codes, scb, torch.float64),
    }.items():
        with pytest.raises(RuntimeError, match=message):
            qfuse.ops.dequantize_int8(*arguments)


def test_rotated_int8_is_near_the_product(made):
    weight = made.weight
    decoded = weight.dequantize(torch.float32)
    for direction, matrix in (("forward", decoded), ("backward", decoded.T)):
        x = torch.randn(2, 3, matrix.shape[1], device=matrix.device)
        x_q, x_scale = qfuse.rotated_int8_quantize(x)
        scale = qfuse.rotated_int8_weight_scales(weight, direction=direction)
        q = qfuse.rotated_int8_weight(weight, scale, direction=direction)
        assert (x_q.dtype, x_q.shape, x_scale.shape) == (torch.int8, x.shape, (2, 3))
        assert (q.dtype, q.shape, scale.shape) == (torch.int8, matrix.shape, matrix.shape[:1])
        found = qfuse.rotated_int8_matmul(x_q, x_scale, q, scale, torch.float32)
        expected = x @ matrix.T
        assert (found - expected).norm() < 0.02 * expected.norm()


def test_rotated_int8_refuses(made):
    x, (packed, *_) = made.original, made.weight.tensors
    good = rotated_int8_calls(made)[3][1]

    def refuse(message, op, *arguments, **keywords):
        with pytest.raises(RuntimeError, match=message):
            op(*arguments, **keywords)

    refuse("cols is 100, it must be a multiple of 64", qfuse.rotated_int8_quantize, x[:, :100])
    refuse("x is float64", qfuse.rotated_int8_quantize, x.double())
    refuse("packed has", qfuse.ops.rotated_int8_weight_scales, (packed[1:], made.plain), (64, 192))
    refuse("direction is 'up'", qfuse.ops.rotated_int8_weight_scales, (packed, made.plain), (64, 192), direction="up")
    refuse("scale has 64 elements", qfuse.rotated_int8_weight, made.weight, good[3], direction="backward")
    refuse("x_q has shape", qfuse.rotated_int8_matmul, good[0][:, :64].contiguous(), *good[1:])
    refuse("weight_scale has 63 elements", qfuse.rotated_int8_matmul, *good[:3], good[3][1:], *good[4:])
    refuse("together", qfuse.rotated_int8_matmul, *good[:-1])
    refuse("addend has 64 elements", qfuse.rotated_int8_matmul, *good, good[5])
    gate, up, _ = x.bfloat16().chunk(3, -1)
    refuse("up is float32, it must be bfloat16", qfuse.ops.rotated_int8_swiglu, gate, up.float())
    refuse(r"grad_y has shape .63, 64., it must be .64, 64.", qfuse.ops.rotated_int8_swiglu, gate, up, gate[1:])
    refuse("h is 60, it must be a multiple of 64", qfuse.ops.rotated_int8_swiglu, gate[:, :60], up[:, :60])


def test_rotated_int8_swiglu_is_near_torchs(device):
    gate, up, grad = torch.randn(3, 2, 5, 192, generator=torch.Generator().manual_seed(1)).to(device, torch.bfloat16)
    leaves = gate.float().requires_grad_(), up.float().requires_grad_()
    y = torch.nn.functional.silu(leaves[0]) * leaves[1]
    found, q, scale = qfuse.ops.rotated_int8_swiglu(gate, up)
    torch.testing.assert_close(found, y.to(torch.bfloat16), rtol=2**-7, atol=1e-6)
    assert all(map(same_bits, (q, scale), qfuse.ops.rotated_int8_quantize(found)))
    found, q, scale = qfuse.ops.rotated_int8_swiglu(gate, up, grad)
    expected = torch.stack(torch.autograd.grad(y, leaves, grad.float())).to(torch.bfloat16)
    torch.testing.assert_close(found, expected, rtol=2**-7, atol=1e-6)
    assert all(map(same_bits, (q, scale), qfuse.ops.rotated_int8_quantize(found)))
    apart = [torch.cat([each, each], -1)[..., :192] for each in (gate, up, grad)]
    strange = [each.transpose(0, 1).contiguous().transpose(0, 1) for each in (gate, up, grad)]
    for given in (apart, strange):
        assert all(map(same_bits, (found, q, scale), qfuse.ops.rotated_int8_swiglu(*given)))
