"""qfuse.matmul_4bit and its op: values, gradients, other parts of torch, and refusals."""

import pytest
import torch
from conftest import DTYPES, Calls, Made, make_weight, same_bits

import qfuse

OP = torch.ops.qfuse.matmul_4bit.default
linear = torch.nn.functional.linear
ROWS, COLS = 96, 320


@pytest.fixture(autouse=True)
def leave_nothing_behind():
    yield
    qfuse.set_batch_invariant(False)


def keywords(weight: qfuse.Weight4bit) -> dict:
    names = ("shape", "quant_type", "blocksize", "nested_blocksize")
    return {name: getattr(weight, name) for name in names}


def first_rows(weight, rows):
    """Returns the first rows of an unnested weight whose rows are whole blocks: few enough for gradcheck."""
    packed, absmax = weight.tensors
    n = rows * weight.shape[1]
    tensors = packed[: n // 2].clone(), absmax[: n // weight.blocksize].clone()
    return weight._replace(tensors=tensors, shape=(rows, weight.shape[1]))


def exact_weight(device, dtype=torch.float32, cols=COLS):
    """A weight of -1, 0 and 1 times powers of two: its products with small integers sum exactly in any order."""
    generator = torch.Generator().manual_seed(5)
    codes = torch.tensor([0, 7, 15], dtype=torch.uint8)[torch.randint(3, (ROWS * cols,), generator=generator)]
    absmax = torch.randint(3, (ROWS * cols // 64,), generator=generator).float().exp2()
    packed = codes[::2] << 4 | codes[1::2]
    return qfuse.Weight4bit((packed.to(device), absmax.to(device)), (ROWS, cols), dtype)


def integers(*shape, device, dtype=torch.float32, seed=6):
    return torch.randint(-3, 4, shape, generator=torch.Generator().manual_seed(seed)).to(device, dtype)


def check_slopes(product, leaves, grads):
    """Checks first and second derivatives of a function that is linear in each of its arguments. With integers a step
    of 1 is exact."""
    steps = dict(eps=1.0, atol=0.0, rtol=0.0)
    torch.autograd.gradcheck(product, leaves, **steps)
    torch.autograd.gradgradcheck(product, leaves, grads, **steps)


def check_compiled(function, backend, step, near=False):
    """step: returns what function gives, and gradients. near: they need not have the same bits."""
    torch._dynamo.reset()
    found = step(torch.compile(function, fullgraph=True, backend=backend))
    for one, other in zip(found, step(function), strict=True):
        assert same_bits(one, other) if not near else torch.testing.assert_close(one, other) is None


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["plain", "split", None])
def test_exact_sums_are_those_of_linear(device, dtype, order):
    weight = exact_weight(device, dtype)
    dense = qfuse.dequantize_4bit(weight)
    bias = integers(ROWS, device=device, dtype=dtype)
    for shape in [(COLS,), (1, COLS), (7, COLS), (2, 3, COLS), (0, COLS), (2, 0, COLS), (300, COLS)]:
        x = integers(*shape, device=device, dtype=dtype)
        for given in (None, bias):
            found = qfuse.matmul_4bit(x, weight, bias=given, order=order)
            assert same_bits(found, linear(x, dense, given)) and found.is_contiguous()


@pytest.mark.parametrize("dtype", DTYPES)
def test_exact_gradients_are_those_of_linear(device, dtype):
    weight = exact_weight(device, dtype)
    dense = qfuse.dequantize_4bit(weight)
    leaves = integers(2, 3, COLS, device=device, dtype=dtype), integers(ROWS, device=device, dtype=dtype)
    grad = integers(2, 3, ROWS, device=device, dtype=dtype, seed=7)

    def gradients(product):
        x, bias = (leaf.clone().requires_grad_() for leaf in leaves)
        product(x, bias).backward(grad)
        return x.grad, bias.grad

    expected = gradients(lambda x, bias: linear(x, dense, bias))
    for product in (
        lambda x, bias: qfuse.matmul_4bit(x, weight, bias=bias),
        lambda x, bias: OP(x, weight.tensors, bias, **keywords(weight)),
    ):
        assert all(same_bits(a, b) for a, b in zip(gradients(product), expected, strict=True))


def test_a_bias_of_either_direction(device):
    weight = exact_weight(device)
    dense = qfuse.dequantize_4bit(weight)
    x, bias = integers(3, ROWS, device=device).requires_grad_(), integers(COLS, device=device).requires_grad_()
    found = qfuse.ops.matmul_4bit(x, weight.tensors, bias, **keywords(weight), direction="backward")
    assert same_bits(found, x @ dense + bias)
    found.sum().backward()
    assert same_bits(x.grad, dense.sum(1).expand(3, ROWS)) and same_bits(bias.grad, torch.full_like(bias, 3))


@pytest.mark.filterwarnings("ignore:.*not a double precision")
def test_gradients_are_slopes(device):
    weight = first_rows(exact_weight(device, cols=128), 16)
    x = integers(2, 128, device=device).requires_grad_()
    bias = integers(16, device=device).requires_grad_()

    def product(x, bias):
        return qfuse.matmul_4bit(x, weight, bias=bias)

    check_slopes(product, (x, bias), (integers(2, 16, device=device).requires_grad_(),))


def test_a_strided_x_is_copied_only_where_its_rows_do_not_lie_apart(device):
    weight = exact_weight(device)
    dense = qfuse.dequantize_4bit(weight)
    memory = integers(4, 5, COLS + 9, device=device)
    rows_apart = [memory[..., :COLS], memory[..., 3 : COLS + 3], memory[:, 0, :COLS], memory[1:2, ::2, :COLS]]
    copied = [
        memory[:, 1:4, :COLS],
        memory[0, 0, :COLS].expand(3, COLS),
        integers(COLS, 4, device=device).t(),
        memory[..., :COLS].transpose(0, 1),
    ]
    for xs, copies in ((rows_apart, 0), (copied, 1)):
        for x in xs:
            with Calls("aten::clone") as clones:
                found = OP(x, weight.tensors, None, **keywords(weight))
            assert clones.count == copies and same_bits(found, linear(x, dense))


def test_an_expanded_gradient(device):
    weight = exact_weight(device)
    x = integers(3, COLS, device=device).requires_grad_()
    qfuse.matmul_4bit(x, weight).sum().backward()
    assert same_bits(x.grad, qfuse.dequantize_4bit(weight).sum(0).expand(3, COLS))


def test_weights_of_no_rows_or_columns(device):
    packed, absmax = torch.empty(0, dtype=torch.uint8, device=device), torch.empty(0, device=device)
    bias = integers(5, device=device)
    no_columns = qfuse.Weight4bit((packed, absmax), (5, 0), torch.float32)
    assert same_bits(qfuse.matmul_4bit(bias.new_empty(2, 0), no_columns, bias=bias), bias.expand(2, 5))
    assert same_bits(qfuse.matmul_4bit(bias.new_empty(2, 0), no_columns), bias.new_zeros(2, 5))
    no_rows = qfuse.Weight4bit((packed, absmax), (0, 5), torch.float32)
    x = bias.clone().requires_grad_()
    found = qfuse.matmul_4bit(x, no_rows)
    found.sum().backward()
    assert found.shape == (0,) and same_bits(x.grad, bias.new_zeros(5))


def test_the_weight_is_decoded_in_neither_direction(made):
    x = torch.randn(4, 192, device=made.original.device, requires_grad=True)
    for name, count in [("qfuse::dequantize_4bit", 0), ("qfuse::matmul_4bit", 2)]:
        with Calls(name) as calls:
            qfuse.matmul_4bit(x, made.weight, order="plain").sum().backward()
        assert calls.count == count


def test_a_bias_of_another_dtype_is_converted(device):
    weight = exact_weight(device)
    x = integers(3, COLS, device=device, dtype=torch.bfloat16)
    bias = integers(ROWS, device=device).requires_grad_()
    found = qfuse.matmul_4bit(x, weight, bias=bias)
    assert same_bits(found, linear(x, qfuse.dequantize_4bit(weight, dtype=torch.bfloat16), bias.bfloat16()))
    found.sum().backward()
    assert same_bits(bias.grad, torch.full_like(bias, 3))


# ---- the order of additions


def advice(device, rows, cols):
    index = 0 if device == "cuda" else None
    return qfuse.ops.orders._find_advice(index, torch.bfloat16, rows, cols, 64)


@pytest.fixture
def few_rows(device, monkeypatch):
    """Returns the most rows for which "split" is the default, as with AMX on a CPU or a large weight on a GPU."""
    if device == "cuda" and advice(device, 4096, 4096)[0] == 0:
        pytest.skip("NOT TESTED ON THIS GPU: it has no split_k")
    found = (4, 2**63 - 1) if device == "cpu" else (16, 256)

    def find(*_):
        return found

    find._dynamo_marked_constant = True
    monkeypatch.setattr(qfuse.ops.orders, "_find_advice", find)
    return found[0]


def test_the_default_order(device, orders, few_rows):
    cols = 256
    weight = exact_weight(device, cols=cols)
    few, some, many = (
        torch.ones(count, cols, dtype=torch.bfloat16, device=device) for count in (few_rows, few_rows + 1, 257)
    )
    calls = {
        "few rows": (lambda: qfuse.matmul_4bit(few, weight), "split"),
        "few rows of few": (lambda: qfuse.matmul_4bit(few.view(2, -1, cols), weight), "split"),
        "more rows": (lambda: qfuse.matmul_4bit(some, weight), "plain"),
        "many rows": (lambda: qfuse.matmul_4bit(many, weight), "plain" if device == "cpu" else None),
        "a gradient": (lambda: qfuse.matmul_4bit(few[:1].clone().requires_grad_(), weight), "plain"),
        "a gradient of the bias": (
            lambda: qfuse.matmul_4bit(
                few[:1], weight, bias=torch.ones(ROWS, dtype=few.dtype, device=device, requires_grad=True)
            ),
            "plain",
        ),
        "what is asked for": (lambda: qfuse.matmul_4bit(many, weight, order="split"), "split"),
    }
    for what, (call, order) in calls.items():
        call()
        assert orders.pop() == order, what
    with torch.no_grad():
        qfuse.matmul_4bit(few[:1].clone().requires_grad_(), weight)
    assert orders.pop() == "split"
    assert not qfuse.batch_invariant()
    qfuse.set_batch_invariant(True)
    assert qfuse.batch_invariant()
    for what, (call, order) in calls.items():
        call()
        assert orders.pop() == ("split" if what == "what is asked for" else "plain"), what


def test_the_default_order_of_sums_of_many_terms(device, orders):
    """Includes numbers of terms (K) that are not multiples of 256, the length of a chain of "split"."""
    for terms in (8192, 8448, 8256):
        weight = make_weight(device, rows=8, cols=terms).weight
        few_rows, fused_rows = advice(device, 8, terms)
        for rows in (1, 8, 9, 64, 65):
            qfuse.matmul_4bit(torch.ones(rows, terms, dtype=torch.bfloat16, device=device), weight)
            assert orders.pop() == ("split" if rows <= few_rows else None if rows > fused_rows else "plain")


def test_a_product_and_its_gradient_have_their_own_orders(device, monkeypatch):
    """Decoding one direction changes neither results nor gradients, also with LoRA, whose product adds to them."""
    weight, x = exact_weight(device, torch.bfloat16), integers(5, COLS, device=device, dtype=torch.bfloat16)
    a, b = (integers(*shape, device=device, dtype=x.dtype) for shape in [(8, COLS), (ROWS, 8)])
    functions = [
        lambda x: qfuse.matmul_4bit(x, weight),
        lambda x: qfuse.matmul_4bit_lora(x, weight, 0 * a, b),
        lambda x: qfuse.matmul_4bit_lora_shared(x, [weight] * 2, [0 * a] * 2, [b] * 2)[1],
    ]
    run, found = qfuse.ops.gradients._call, []
    monkeypatch.setattr(qfuse.native.torch_ops, "_multiply", None)
    monkeypatch.setattr(
        qfuse.ops.gradients, "_call", lambda call: found.append((call.direction, call.order)) or run(call)
    )
    dense = qfuse.dequantize_4bit(weight)
    for orders in [("plain", None), (None, "plain")]:
        monkeypatch.setattr(qfuse.ops.functional, "default_orders", lambda *_, orders=orders: orders)
        monkeypatch.setattr(qfuse.ops.functional, "orders_of_training", lambda *_, orders=orders: orders)
        for function in functions:
            found.clear()
            leaf = x.clone().requires_grad_()
            y = function(leaf)
            y.backward(torch.ones_like(y))
            assert set(found) == {("forward", orders[0]), ("backward", orders[1])}
            assert same_bits(y.detach(), linear(x, dense)) and same_bits(leaf.grad, torch.ones_like(y) @ dense)


def test_compiled_code_notices_that_the_order_has_changed(device, few_rows):
    weight, x = exact_weight(device, cols=256), torch.ones(2, 256, dtype=torch.bfloat16, device=device)
    found = []

    def look(graph, inputs):
        found.extend(node.kwargs["order"] for node in graph.graph.nodes if node.target is OP)
        return graph.forward

    torch._dynamo.reset()
    product = torch.compile(lambda x: qfuse.matmul_4bit(x, weight), backend=look, fullgraph=True)
    for enabled in (False, True, False):
        qfuse.set_batch_invariant(enabled)
        product(x)
    assert found == ["split", "plain"]


class Product(torch.nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def forward(self, x):
        return qfuse.matmul_4bit(x, self.weight)


@pytest.mark.parametrize("gradients", [False, True])
@pytest.mark.parametrize("strict", [False, True])
def test_is_exported_for_any_number_of_rows(device, gradients, strict):
    """The exported program has no order that is only for few rows."""
    weight = exact_weight(device)
    rows = torch.export.Dim("rows", min=2, max=1024)
    few, many = (integers(count, COLS, device=device, dtype=torch.bfloat16) for count in (5, 300))
    with torch.set_grad_enabled(gradients):
        program = torch.export.export(Product(weight), (few,), dynamic_shapes=({0: rows},), strict=strict)
        for x in (few, many):
            assert same_bits(
                program.module()(x), torch.nn.functional.linear(x, qfuse.dequantize_4bit(weight, dtype=x.dtype))
            )


# ---- other parts of torch: opcheck, compilation, autocast, transforms


def arguments(made: Made, dtype=torch.float32, **leaf):
    device = made.original.device
    x, bias = (torch.randn(shape, device=device, dtype=dtype, **leaf) for shape in [(2, 3, 192), (64,)])
    return x, made.weight.tensors, bias


@pytest.mark.parametrize("dtype", DTYPES)
def test_opcheck(made, dtype):
    for leaf in ({}, {"requires_grad": True}):
        torch.library.opcheck(OP, arguments(made, dtype, **leaf), keywords(made.weight))
    grad = torch.randn(5, 64, device=made.original.device, dtype=dtype, requires_grad=True)
    backward = {**keywords(made.weight), "direction": "backward"}
    torch.library.opcheck(OP, (grad, made.weight.tensors, None), backward)


@pytest.mark.parametrize("dtype", DTYPES)
def test_compiles_with_its_gradients_into_one_graph(made, backend, dtype):
    def step(product):
        x, _, bias = arguments(made, dtype)
        leaves = x.fill_(0.5).requires_grad_(), bias.fill_(0.25).requires_grad_()
        y = product(leaves[0], made.weight, bias=leaves[1])
        y.float().square().sum().backward()
        return y.detach(), leaves[0].grad, leaves[1].grad

    check_compiled(qfuse.matmul_4bit, backend, step)


def test_compiles_for_weights_of_any_shape(device):
    """torch makes sizes that differ between calls dynamic, but the advice on orders stays constant."""
    torch._dynamo.reset()
    product = torch.compile(qfuse.matmul_4bit, fullgraph=True, backend="eager")
    for rows, cols in [(64, 128), (128, 64), (72, 192), (8, 8256)]:
        weight = make_weight(device, rows=rows, cols=cols).weight
        x = torch.ones(9, cols, dtype=torch.bfloat16, device=device)
        assert torch.equal(product(x, weight), qfuse.matmul_4bit(x, weight))


def test_compiles_for_any_number_of_rows(made, backend):
    torch._dynamo.reset()
    product = torch.compile(qfuse.matmul_4bit, fullgraph=True, backend=backend, dynamic=True)
    for rows in (2, 3, 40, 300):
        x = torch.randn(rows, 192, device=made.original.device)
        assert same_bits(product(x, made.weight), qfuse.matmul_4bit(x, made.weight))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_autocast_is_that_of_linear(device, dtype, compiled):
    weight = exact_weight(device, dtype)
    dense = qfuse.dequantize_4bit(weight, dtype=torch.float32)
    leaves = integers(3, COLS, device=device), integers(ROWS, device=device)
    torch._dynamo.reset()
    product = torch.compile(qfuse.matmul_4bit, fullgraph=True, backend="aot_eager") if compiled else qfuse.matmul_4bit

    def step(product):
        x, bias = (leaf.clone().requires_grad_() for leaf in leaves)
        with torch.autocast(device, dtype):
            y = product(x, bias)
        y.float().sum().backward()
        return y.detach(), x.grad, bias.grad

    found, expected = step(lambda x, b: product(x, weight, bias=b)), step(lambda x, b: linear(x, dense, b))
    assert found[0].dtype == dtype
    assert all(same_bits(a, b) for a, b in zip(found, expected, strict=True))


def test_function_transforms(device):
    """vmap over any argument, gradients of batches, batches of gradients, and gradients of gradients."""
    func = torch.func
    weight = exact_weight(device)
    dense = qfuse.dequantize_4bit(weight)
    x, biases = integers(4, COLS, device=device), integers(4, ROWS, device=device)

    def product(x, bias=None, packed=weight.packed):
        return qfuse.matmul_4bit(x, weight._replace(tensors=(packed, weight.absmax)), bias=bias)

    assert same_bits(func.vmap(product)(x), linear(x, dense))
    assert same_bits(func.vmap(product, in_dims=1, out_dims=1)(x.t()), linear(x, dense).t())
    assert same_bits(func.vmap(product)(x, biases), linear(x, dense) + biases)
    assert same_bits(func.vmap(product, in_dims=(None, 0))(x, biases), linear(x, dense) + biases[:, None])
    packed = torch.stack([weight.packed, weight.packed.flip(0)])
    found = func.vmap(product, in_dims=(None, None, 0))(x, None, packed)
    assert same_bits(found[0], linear(x, dense)) and same_bits(found[1], product(x, None, packed[1]))

    def loss(x, bias):
        return product(x, bias).square().sum()

    y = linear(x, dense) + biases
    found = func.vmap(func.grad(loss, argnums=(0, 1)))(x, biases)
    assert all(same_bits(a, b) for a, b in zip(found, (2 * y @ dense, 2 * y), strict=True))
    leaf = x.clone().requires_grad_()
    func.vmap(loss)(leaf, biases).sum().backward()
    assert same_bits(leaf.grad, 2 * y @ dense)
    raw = func.vmap(lambda row: OP(row, weight.tensors, None, **keywords(weight)))
    assert same_bits(raw(x), linear(x, dense))
    with pytest.raises(RuntimeError):  # torch's own error; the gradient is not silently lost
        func.grad(lambda x: raw(x).sum())(x)
    assert same_bits(func.jacrev(func.jacrev(loss))(x[0], biases[0]), 2 * dense.t() @ dense)


# ---- refusals


@pytest.mark.parametrize("dtype", [torch.int64, torch.float64, torch.float8_e4m3fn, torch.complex64])
def test_refuses_other_dtypes(made, dtype):
    x = torch.ones(2, 192, device=made.original.device).to(dtype)
    with pytest.raises(TypeError, match=f"x is {dtype}, it must be float32, float16 or bfloat16"):
        qfuse.matmul_4bit(x, made.weight)


REFUSED = {
    "x of another width": (dict(x=lambda x: x[:, :100]), r"x has shape \(3, 100\), its last dimension must be 192"),
    "x of no dimension": (dict(x=lambda x: x.new_ones(())), r"x has shape \(\), its last dimension must be 192"),
    "x in float64": (dict(x=lambda x: x.double()), "x is float64, it can be float32, float16 or bfloat16"),
    "x in int8": (dict(x=lambda x: x.char()), "x is int8, it can be"),
    "a bias in another dtype": (dict(bias=lambda x: x[0, :64].half()), "bias is float16, it must be float32"),
    "a short bias": (dict(bias=lambda x: x[0, :63]), "bias has 63 elements, it must have 64"),
    "a strided bias": (dict(bias=lambda x: x[0, :128:2]), "bias has shape .* and strides"),
    "a forward bias backward": (
        dict(x=lambda x: x[:, :64], bias=lambda x: x[0, :64], direction=lambda x: "backward"),
        "bias has 64 elements, it must have 192",
    ),
    "no such direction": (dict(direction=lambda x: "sideways"), "direction is 'sideways', it can be 'forward' or"),
    "no such order": (dict(order=lambda x: "fast"), "order is 'fast', it can be 'plain', 'split' or 'factored'"),
    "a weight of one dimension": (dict(shape=lambda x: (64 * 192,)), r"shape is \(12288\), it must be \[rows, cols\]"),
    "too few tensors": (dict(weight=lambda x: [x]), "weight has 1 tensors, it must have 2"),
    "too many tensors": (dict(weight=lambda x: [x] * 6), "weight has 6 tensors, it must have 2"),
    "absmax in float16": (dict(weight=lambda x: [x.byte(), x.half()]), "packed has 576 bytes, 12288 .* need 6144"),
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("leaf", [False, True], ids=["", "for a gradient"])
def test_refuses(what, leaf, made):
    changes, message = REFUSED[what]
    x = torch.ones(3, 192, device=made.original.device)
    given = dict(x=x, weight=made.weight.tensors, bias=None, **keywords(made.weight))
    given |= {name: change(x) for name, change in changes.items()}
    if leaf and given["x"].is_floating_point():
        given["x"].requires_grad_()
    for call in (OP, qfuse.ops.matmul_4bit):
        with pytest.raises(RuntimeError, match=message):
            call(**given)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="NOT TESTED ON A GPU: torch sees none here")
def test_refuses_two_devices():
    weight = make_weight("cuda").weight
    with pytest.raises(RuntimeError, match="packed lies on cuda:0, x on the CPU: all must be on one device"):
        qfuse.matmul_4bit(torch.ones(2, 192), weight)
