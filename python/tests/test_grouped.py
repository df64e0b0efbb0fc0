"""qfuse.matmul_4bit_grouped and its op: the bits of single products, gradients, other parts of torch, and refusals."""

import itertools

import pytest
import torch
from conftest import DTYPES, Calls, same_bits
from test_matmul import check_compiled, check_slopes, integers, keywords
from test_matmul import leave_nothing_behind as leave_nothing_behind

import qfuse

OP = torch.ops.qfuse.matmul_4bit_grouped.default
NESTED = ["plain", "stack", "each"]
UNEVEN = (3, 3, 4, 20, 20, 26)  # experts 1 and 4 are empty, and expert 2 has one row


def values(*shape, device, dtype=torch.float32, seed=1):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(device, dtype)


def stack_of(device, shape, nested="plain", quant_type="nf4", dtype=torch.float32, blocksize=64):
    """Returns a stack whose experts all differ, and its experts one by one, for qfuse.matmul_4bit."""
    original = values(*shape, device=device) * torch.arange(1.0, shape[0] + 1, device=device)[:, None, None]
    scalars = dtype, quant_type, blocksize
    singles = [_quantized(expert, nested == "each", scalars) for expert in original]
    if nested == "plain" or not singles:
        packed, absmax = (torch.cat([w.tensors[i].flatten() for w in singles]) for i in (0, 1))
        return qfuse.Weight4bit((packed, absmax), tuple(shape), *scalars), singles
    if nested == "stack":
        stack = _quantized(original, True, scalars)
        packed, codes, nested_absmax, nested_map, offset = stack.tensors
        absmax = qfuse.ops.dequantize_blockwise(codes, nested_absmax, nested_map, 256, torch.float32) + offset
        parts = zip(packed.chunk(shape[0]), absmax.chunk(shape[0]), strict=True)
        return stack, [qfuse.Weight4bit(part, tuple(shape[1:]), *scalars) for part in parts]
    packed, codes = (torch.cat([w.tensors[i].flatten() for w in singles]) for i in (0, 1))
    nested_absmax, offset = (torch.stack([w.tensors[i] for w in singles]) for i in (2, 4))
    tensors = packed, codes, nested_absmax, singles[0].tensors[3], offset
    return qfuse.Weight4bit(tensors, tuple(shape), *scalars), singles


def _quantized(original, nested, scalars):
    _, quant_type, blocksize = scalars
    op = qfuse.ops.quantize_4bit_nested if nested else qfuse.ops.quantize_4bit
    return qfuse.Weight4bit(op(original.contiguous(), blocksize, quant_type), tuple(original.shape), *scalars)


def slices_of(ends):
    return list(itertools.starmap(slice, itertools.pairwise((0, *ends))))


def one_by_one(x, singles, ends, biases=None, order=None, direction="forward"):
    """Multiplies the rows of each expert by its matrix; rows that belong to no expert are left out."""
    products = [
        qfuse.ops.matmul_4bit(
            x[rows],
            single.tensors,
            None if biases is None else biases[expert],
            **keywords(single),
            direction=direction,
            order=order,
        )
        for expert, (single, rows) in enumerate(zip(singles, slices_of(ends), strict=True))
    ]
    return torch.cat(products)


def ends_of(ends, device, dtype=torch.int32):
    return torch.tensor(ends, dtype=dtype, device=device)


CASES = {
    "uneven": ((6, 24, 128), UNEVEN),
    "45 blocks, an odd n": ((3, 33, 2880), (2, 2, 9)),
    "no rows": ((3, 8, 64), (0, 0, 0)),
}


@pytest.mark.parametrize("nested", NESTED)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", CASES)
def test_has_the_bits_of_single_products(device, case, dtype, nested):
    (experts, n, k), ends = CASES[case]
    stack, singles = stack_of(device, (experts, n, k), nested, dtype=dtype)
    for is_transposed, order in itertools.product((False, True), ("plain", "split")):
        terms, outputs, direction = (n, k, "backward") if is_transposed else (k, n, "forward")
        x = values(ends[-1] + 3, terms, device=device, dtype=dtype, seed=2)
        bias = values(experts, outputs, device=device, dtype=dtype, seed=3)
        for given, index_type in ((None, torch.int32), (bias, torch.int64)):
            found = qfuse.matmul_4bit_grouped(
                x, stack, ends_of(ends, device, index_type), bias=given, is_transposed=is_transposed, order=order
            )
            expected = one_by_one(x, singles, ends, given, order, direction)
            assert found.shape == (len(x), outputs) and same_bits(found[: ends[-1]], expected)


@pytest.mark.parametrize("quant_type", ["nf4", "fp4"])
@pytest.mark.parametrize("nested", NESTED)
def test_a_stack_decodes_to_its_experts(device, nested, quant_type):
    """Experts whose blocks are not whole nested blocks decode correctly, in both quant_types."""
    stack, singles = stack_of(device, (3, 33, 2880), nested, quant_type)
    expected = torch.stack([qfuse.dequantize_4bit(single) for single in singles])
    assert same_bits(qfuse.dequantize_4bit(stack), expected)
    out = torch.empty_like(expected)
    assert stack.dequantize(out=out) is out and same_bits(out, expected)
    x, ends = values(9, 2880, device=device), (2, 2, 9)
    found = qfuse.matmul_4bit_grouped(x, stack, ends_of(ends, device), order="plain")
    assert same_bits(found, one_by_one(x, singles, ends, order="plain"))


def test_rows_that_lie_apart_and_larger_blocks(device):
    stack, singles = stack_of(device, (6, 16, 128), blocksize=128)
    memory = values(26, 200, device=device)
    for x in (memory[:, :128], memory[:, 3:131], values(128, 26, device=device).t()):
        found = qfuse.matmul_4bit_grouped(x, stack, ends_of(UNEVEN, device), order="plain")
        assert same_bits(found, one_by_one(x.contiguous(), singles, UNEVEN, order="plain"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_without_an_order_the_stack_is_decoded(device, dtype):
    """Products by torch's kernel or by tiles are near those in the order "plain"."""
    stack, _ = stack_of(device, (6, 24, 128), "each", dtype=dtype)
    x, bias = (values(*shape, device=device, dtype=dtype) for shape in ((30, 128), (6, 24)))
    ends = ends_of(UNEVEN, device)
    scalars = keywords(stack)
    found, expected = (
        qfuse.ops.matmul_4bit_grouped(x, stack.tensors, ends, bias, **scalars, order=order)[:26]
        for order in (None, "plain")
    )
    torch.testing.assert_close(found, expected, rtol=4 * torch.finfo(dtype).eps, atol=500 * torch.finfo(dtype).eps)


# ---- products with dense factors


@pytest.mark.parametrize("index_type", [torch.int32, torch.int64])
def test_torchs_kernels_and_tiles_agree(device, monkeypatch, index_type):
    """The operands are integers in bfloat16, so that sums are exact; torch has these products on a CPU, too."""
    dtype, ends = torch.bfloat16, ends_of(UNEVEN, device, index_type)
    memory, factors = integers(30, 80, device=device, dtype=dtype), integers(6, 64, 24, device=device, dtype=dtype)
    right = integers(30, 24, device=device, dtype=dtype, seed=8)
    xs = [
        memory[:, :64],
        memory[:, 3:67],
        integers(64, 30, device=device, dtype=dtype).t(),
        memory[:1, :64].expand(30, 64),
    ]

    def results(x):
        yield from (
            qfuse.ops.grouped_products.product(x, given, ends, 2.0)[:26]
            for given in (factors, factors.mT.contiguous().mT)
        )
        yield from (qfuse.ops.grouped_products.outer(x, right, ends), qfuse.ops.grouped_products.outer(right, x, ends))
        yield qfuse.ops.grouped_products.sums(x, ends)

    for x in xs:
        found = []
        for has_kernel in (True, False):
            monkeypatch.setattr(qfuse.ops.grouped_products, "has_kernel", lambda *_, answer=has_kernel: answer)
            found.append(list(results(x)))
        assert all(itertools.starmap(same_bits, zip(*found, strict=True)))
        dense = torch.cat([2 * x[rows] @ factor for factor, rows in zip(factors, slices_of(UNEVEN), strict=True)])
        assert same_bits(found[0][0], dense) and (found[0][2][[1, 4]] == 0).all()


def test_more_rows_than_a_tile_has(device):
    """Tiles add in their own order, but sums of integers are exact."""
    ends = (0, 31, 32, 96, 200, 333)
    x, right, factors = (integers(*shape, device=device) for shape in ((340, 24), (340, 8), (6, 24, 16)))
    x[333:] = float("nan")
    found = qfuse.ops.grouped_products.product(x, factors, ends_of(ends, device))
    outer = qfuse.ops.grouped_products.outer(x, right, ends_of(ends, device))
    for expert, rows in enumerate(slices_of(ends)):
        assert torch.equal(found[rows], x[rows] @ factors[expert])
        assert torch.equal(outer[expert], x[rows].t() @ right[rows])


@pytest.mark.parametrize("ends", [(5, 2, 99, 20), (-3, 40, 1, 60), (60, 60, 60, 60)])
def test_tiles_of_ends_that_are_none_stay_within_the_tensors(device, ends):
    x, factors = values(40, 24, device=device), values(4, 24, 16, device=device)
    given = ends_of(ends, device)
    found = (
        qfuse.ops.grouped_products.product(x, factors, given),
        qfuse.ops.grouped_products.outer(x, x, given),
        qfuse.ops.grouped_products.sums(x, given),
    )
    assert all(tensor.isfinite().all() for tensor in found)


# ---- the order of additions


def test_the_default_order(device, orders, monkeypatch):
    """On a GPU, the advice is replaced by that for large weights."""
    stack, _ = stack_of(device, (4, 24, 256))
    find = qfuse.ops.orders._find_advice
    most_split = 4 * find(None, torch.bfloat16, 24, 256, 64)[0] if device == "cpu" else 3
    if device == "cuda":
        if find(0, torch.bfloat16, 4096, 4096, 64)[0] == 0:
            pytest.skip("NOT TESTED ON THIS GPU: it has no split_k")
        monkeypatch.setattr(qfuse.ops.orders, "_find_advice", lambda *_: (16, 256))
    few, some, many = (
        torch.ones(count, 256, dtype=torch.bfloat16, device=device)
        for count in (most_split, most_split + 1, 4 * 4 * 256 + 1)
    )
    for x, leaf, order in [
        (few[:1], False, "split"),
        (few, False, "split"),
        (few, True, "plain"),
        (some, False, "plain"),
        (many, False, "plain" if device == "cpu" else None),
    ]:
        ends = ends_of((0, 1, 1, len(x)), device)
        given = x.clone().requires_grad_() if leaf else x
        qfuse.matmul_4bit_grouped(given, stack, ends)
        assert orders.pop() == order
        qfuse.set_batch_invariant(True)
        qfuse.matmul_4bit_grouped(given, stack, ends)
        qfuse.set_batch_invariant(False)
        assert orders.pop() == "plain"
        qfuse.matmul_4bit_grouped(given, stack, ends, order="split")
        assert orders.pop() == "split"


# ---- gradients


def dense_layer(x, dense, ends, bias=None, is_transposed=False):
    """Computes the layer in torch's operations. dense: [experts, n, k], or [experts, k, n] if transposed."""
    matrices = dense if is_transposed else dense.mT
    products = [x[rows] @ matrix for matrix, rows in zip(matrices, slices_of(ends), strict=True)]
    if bias is not None:
        products = [product + own for product, own in zip(products, bias, strict=True)]
    return torch.cat([*products, x.new_zeros(len(x) - ends[-1], matrices.shape[-1])])


def gradients(product, leaves, grad, ends):
    leaves = [leaf.detach().clone().requires_grad_() for leaf in leaves]
    found = product(*leaves)[: ends[-1]]
    return found.detach(), torch.autograd.grad(found, leaves, grad[: ends[-1]])


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients_are_those_of_the_decoded_stack(device, dtype, is_transposed):
    stack, _ = stack_of(device, (6, 40, 64), "each", dtype=dtype)
    ends = ends_of(UNEVEN, device)
    terms, outputs = (40, 64) if is_transposed else (64, 40)
    x, bias = (values(*s, device=device, dtype=dtype, seed=4) for s in ((29, terms), (6, outputs)))
    grad = values(29, outputs, device=device, dtype=dtype, seed=5)
    dense = qfuse.dequantize_4bit(stack).double()
    _, expected = gradients(
        lambda x, b: dense_layer(x, dense, UNEVEN, b, is_transposed), (x.double(), bias.double()), grad.double(), UNEVEN
    )
    for layer in (
        lambda x, b: qfuse.matmul_4bit_grouped(x, stack, ends, bias=b, is_transposed=is_transposed),
        lambda x, b: OP(
            x, stack.tensors, ends, b, **keywords(stack), direction="backward" if is_transposed else "forward"
        ),
    ):
        _, found = gradients(layer, (x, bias), grad, UNEVEN)
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == dtype and one.isfinite().all()
            bound = 2 * torch.finfo(dtype).eps * (other.abs() + 64 * 6 * 2**-8 * (dtype == torch.float32))
            assert ((one.double() - other).abs() <= bound + 1e-3 * (dtype == torch.float32)).all()
        assert (found[0][26:] == 0).all()  # rows of no expert
        assert (found[1][[1, 4]] == 0).all()  # experts without rows


def test_a_gradient_of_x_has_the_bits_of_single_products(device):
    stack, singles = stack_of(device, (6, 40, 64), dtype=torch.bfloat16)
    x, grad = (values(29, count, device=device, dtype=torch.bfloat16) for count in (64, 40))
    x.requires_grad_()
    qfuse.matmul_4bit_grouped(x, stack, ends_of(UNEVEN, device)).backward(grad)
    expected = one_by_one(grad, singles, UNEVEN, order="plain", direction="backward")
    assert same_bits(x.grad[:26], expected) and (x.grad[26:] == 0).all()


@pytest.mark.filterwarnings("ignore:.*not a double precision")
@pytest.mark.parametrize("is_transposed", [False, True])
def test_gradients_are_slopes(device, is_transposed):
    codes = torch.tensor([0, 7, 15], dtype=torch.uint8)[torch.arange(3 * 4 * 64) % 7 % 3]
    tensors = (codes[::2] << 4 | codes[1::2]).to(device), torch.arange(1.0, 13.0, device=device)
    stack = qfuse.Weight4bit(tensors, (3, 4, 64), torch.float32)
    terms, outputs = (4, 64) if is_transposed else (64, 4)
    ends = ends_of((1, 1, 3), device)
    x, bias, grad = (
        torch.randint(-3, 4, shape, generator=torch.Generator().manual_seed(9)).float().to(device).requires_grad_()
        for shape in ((3, terms), (3, outputs), (3, outputs))
    )

    def product(x, bias):
        return qfuse.matmul_4bit_grouped(x, stack, ends, bias=bias, is_transposed=is_transposed)

    check_slopes(product, (x, bias), (grad,))


def test_a_step_is_the_same_each_time(device):
    stack, _ = stack_of(device, (6, 40, 64))
    x, bias = values(300, 64, device=device), values(6, 40, device=device)
    ends = ends_of((100, 100, 101, 200, 220, 300), device)

    def step():
        leaves = [leaf.clone().requires_grad_() for leaf in (x, bias)]
        qfuse.matmul_4bit_grouped(leaves[0], stack, ends, bias=leaves[1]).square().sum().backward()
        return [leaf.grad for leaf in leaves]

    first = step()
    for _ in range(3):
        assert all(same_bits(a, b) for a, b in zip(step(), first, strict=True))


def test_a_nan_stays_with_its_expert(device):
    stack, _ = stack_of(device, (3, 40, 64))
    x = values(9, 64, device=device)
    x[2] = float("nan")
    bias = torch.zeros(3, 40, device=device, requires_grad=True)
    y = qfuse.matmul_4bit_grouped(x, stack, ends_of((3, 6, 9), device), bias=bias)
    assert y[2].isnan().all() and y[[0, 1, 3, 8]].isfinite().all()
    y.backward(y.detach())
    assert bias.grad[0].isnan().all() and bias.grad[1:].isfinite().all()


# ---- other parts of torch: opcheck, compilation, autocast, transforms, graphs


@pytest.mark.parametrize("dtype", DTYPES)
def test_opcheck(device, dtype):
    stack, _ = stack_of(device, (4, 24, 64), "each")
    ends = ends_of((2, 2, 3, 7), device)
    x, bias, low, b = (
        values(*shape, device=device, dtype=dtype, seed=7) for shape in ((7, 64), (4, 24), (7, 8), (4, 24, 8))
    )
    for has_gradients in (False, True):
        leaves = [leaf.clone().requires_grad_(has_gradients) for leaf in (x, bias, low, b)]
        torch.library.opcheck(OP, (leaves[0], stack.tensors, ends, *leaves[1:]), keywords(stack))
    backward = (values(7, 24, device=device, dtype=dtype).requires_grad_(), stack.tensors, ends)
    torch.library.opcheck(OP, backward, {**keywords(stack), "direction": "backward"})


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_compiles_with_its_gradients_into_one_graph(device, backend, dtype, is_transposed):
    stack, _ = stack_of(device, (4, 64, 64), "each", dtype=dtype)
    x, bias = values(40, 64, device=device, dtype=dtype), values(4, 64, device=device, dtype=dtype)
    ends = ends_of((5, 5, 38, 40), device)

    def step(product):
        leaves = [leaf.clone().requires_grad_() for leaf in (x, bias)]
        y = product(leaves[0], stack, ends, bias=leaves[1], is_transposed=is_transposed)
        (y.float() * 0.5).sum().backward()
        return y.detach(), leaves[0].grad, leaves[1].grad

    check_compiled(qfuse.matmul_4bit_grouped, backend, step, near=True)


def test_compiles_for_any_number_of_rows(device, backend):
    stack, _ = stack_of(device, (4, 24, 64))
    torch._dynamo.reset()
    product = torch.compile(qfuse.matmul_4bit_grouped, fullgraph=True, backend=backend, dynamic=True)
    for rows in (8, 9, 40, 3000):
        x, ends = values(rows, 64, device=device), ends_of((3, 3, 4, rows), device)
        assert same_bits(product(x, stack, ends), qfuse.matmul_4bit_grouped(x, stack, ends))


def test_autocast(device):
    stack, _ = stack_of(device, (4, 24, 64))
    x, bias = values(7, 64, device=device).requires_grad_(), values(4, 24, device=device)
    ends = ends_of((2, 2, 3, 7), device)
    with torch.autocast(device, torch.bfloat16):
        found = qfuse.matmul_4bit_grouped(x, stack, ends, bias=bias)
    expected = qfuse.matmul_4bit_grouped(x.bfloat16(), stack, ends, bias=bias.bfloat16())
    assert same_bits(found, expected)
    found.float().sum().backward()
    assert x.grad.dtype == torch.float32


def test_function_transforms(device):
    func = torch.func
    stack, _ = stack_of(device, (4, 24, 64))
    xs = values(3, 7, 64, device=device)
    ends = torch.stack([ends_of(each, device) for each in ((2, 2, 3, 7), (0, 7, 7, 7), (1, 2, 3, 7))])

    def loss(x, ends):
        return qfuse.matmul_4bit_grouped(x, stack, ends, order="plain").square().sum()

    found = func.vmap(func.grad(loss))(xs, ends)
    for x, own, grad in zip(xs, ends, found, strict=True):
        leaf = x.clone().requires_grad_()
        loss(leaf, own).backward()
        assert same_bits(grad, leaf.grad)


def test_the_stack_is_decoded_in_neither_direction(device):
    stack, _ = stack_of(device, (4, 24, 64), "each")
    x = values(7, 64, device=device).requires_grad_()
    for name, count in [("qfuse::dequantize_4bit", 0), ("qfuse::matmul_4bit_grouped", 2)]:
        with Calls(name) as calls:
            qfuse.matmul_4bit_grouped(x, stack, ends_of((2, 2, 3, 7), device), order="plain").sum().backward()
        assert calls.count == count


def test_a_fake_has_the_shape(device):
    stack, _ = stack_of(device, (4, 24, 64), "each")
    tensors = [tensor.to("meta") for tensor in stack.tensors]
    ends = torch.empty(4, dtype=torch.int32, device="meta")
    for direction, terms, outputs in (("forward", 64, 24), ("backward", 24, 64)):
        x = torch.empty(9, terms, dtype=torch.float16, device="meta")
        found = OP(x, tensors, ends, **keywords(stack), direction=direction)
        assert found.shape == (9, outputs) and found.dtype == torch.float16 and found.is_meta


@pytest.mark.skipif(not torch.cuda.is_available(), reason="NOT TESTED ON A GPU: torch sees none here")
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_captured_graph_finds_other_ends_each_time(dtype):
    stack, singles = stack_of("cuda", (4, 24, 64), dtype=dtype)
    x, ends = values(64, 64, device="cuda", dtype=dtype), ends_of((0, 0, 0, 64), "cuda")
    bias = torch.zeros(4, 24, device="cuda", dtype=dtype, requires_grad=True)

    def step():
        y = qfuse.matmul_4bit_grouped(x, stack, ends, bias=bias, order="plain")
        return y, *torch.autograd.grad(y, bias, torch.ones_like(y))

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        step()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y, grad = step()
    for own in ((3, 3, 30, 64), (64, 64, 64, 64), (1, 2, 3, 64)):
        ends.copy_(ends_of(own, "cuda"))
        graph.replay()
        assert same_bits(y, one_by_one(x, singles, own, order="plain"))
        counts = torch.tensor([rows.stop - rows.start for rows in slices_of(own)], device="cuda")
        assert torch.equal(grad, counts[:, None].expand(4, 24).to(dtype))


# ---- refusals

REFUSED = {
    "a matrix": (dict(shape=lambda g: (96, 64)), r"shape is \(96, 64\), it must be \[experts, rows, cols\]"),
    "x of three dimensions": (dict(x=lambda g: g["x"][None]), r"x has shape \(1, 7, 64\), it must have 2 dimensions"),
    "x of another width": (dict(x=lambda g: g["x"][:, :32]), r"x has shape \(7, 32\), its last dimension must be 64"),
    "x in float64": (dict(x=lambda g: g["x"].double()), "x is float64, it can be float32, float16 or bfloat16"),
    "ends in float32": (dict(expert_ends=lambda g: g["expert_ends"].float()), "expert_ends is float32, it must be"),
    "too few ends": (
        dict(expert_ends=lambda g: g["expert_ends"][1:]),
        r"expert_ends has 3 elements, shape \(4, 24, 64\) is of 4 experts",
    ),
    "ends of two dimensions": (
        dict(expert_ends=lambda g: g["expert_ends"][None]),
        r"expert_ends has shape \(1, 4\), it must be \[experts\]",
    ),
    "strided ends": (
        dict(expert_ends=lambda g: g["expert_ends"].repeat(2)[::2]),
        "expert_ends has shape .* and strides",
    ),
    "a bias for one": (dict(bias=lambda g: g["x"][0, :24]), "bias has 24 elements, it must have 96"),
    "lora_in alone": (dict(lora_in=lambda g: g["x"]), "lora_in and lora_weight are given together"),
    "a lora_weight for one": (
        dict(lora_in=lambda g: g["x"][:, :8].contiguous(), lora_weight=lambda g: g["x"].new_zeros(24, 8)),
        r"lora_weight has shape \(24, 8\), it must be \(4, 24, 8\)",
    ),
    "two offsets": (
        dict(weight=lambda g: [*g["weight"][:4], g["weight"][4][:2]]),
        "nested_offset has 2 elements, it must have 1, or 4, one for each expert",
    ),
    "nested absmax of the stack": (
        dict(weight=lambda g: [*g["weight"][:2], g["weight"][2][:1], *g["weight"][3:]]),
        "nested_absmax has 1 elements, it must have 4",
    ),
    "no such order": (dict(order=lambda g: "fast"), "order is 'fast'"),
    "parts of blocks": (dict(blocksize=lambda g: 4096), "absmax has 96 elements|not whole blocks"),
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("leaf", [False, True], ids=["", "for a gradient"])
def test_the_op_refuses(device, what, leaf):
    changes, message = REFUSED[what]
    stack, _ = stack_of(device, (4, 24, 64), "each")
    given = dict(x=values(7, 64, device=device), weight=stack.tensors, expert_ends=ends_of((2, 2, 3, 7), device))
    given |= keywords(stack)
    given |= {name: change(given) for name, change in changes.items()}
    if leaf:
        given["x"] = given["x"].requires_grad_()
    for call in (OP, qfuse.ops.matmul_4bit_grouped):
        with pytest.raises(RuntimeError, match=message):
            call(**given)


def test_refuses_ends_that_run_backwards_or_beyond(device):
    if device == "cuda":
        pytest.skip("a GPU cannot refuse them")
    stack, _ = stack_of(device, (4, 24, 64))
    for ends, message in [((2, 1, 3, 7), r"expert_ends\[1\] is 1"), ((2, 2, 3, 8), r"expert_ends\[3\] is 8")]:
        with pytest.raises(RuntimeError, match=message):
            qfuse.matmul_4bit_grouped(values(7, 64, device=device), stack, ends_of(ends, device))


def test_refuses(device):
    stack, singles = stack_of(device, (4, 24, 64))
    x, ends = values(7, 64, device=device), ends_of((2, 2, 3, 7), device)

    def refuse(error, message, x=x, weight=stack, ends=ends, **more):
        with pytest.raises(error, match=message):
            qfuse.matmul_4bit_grouped(x, weight, ends, **more)

    refuse(ValueError, r"the weight has shape \(24, 64\), it must be \[experts, n, k\]", weight=singles[0])
    refuse(ValueError, r"x has shape \(7, 64\), it must be \[m, 24\]", is_transposed=True)
    refuse(ValueError, r"x has shape \(1, 7, 64\), it must be \[m, 64\]", x=x[None])
    refuse(TypeError, "x is torch.int64", x=x.long())
    refuse(TypeError, "expert_ends is torch.float32, it must be int32 or int64", ends=ends.float())
    refuse(ValueError, r"expert_ends has shape \(3,\), it must be \[4\]", ends=ends[1:])
    refuse(ValueError, r"bias has shape \(24,\), it must be \[4, 24\]", bias=x[0, :24])
    refuse(RuntimeError, "expert_ends lies on meta, x on", ends=ends.to("meta"))
    refuse(ValueError, "the order 'factored' does not have", x=x.clone().requires_grad_(), order="factored")
