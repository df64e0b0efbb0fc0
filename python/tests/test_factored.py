"""The order "factored": what is refused, which of bitsandbytes' products use it, and on a GPU its values."""

import functools

import pytest
import torch
from conftest import NO_GPU, make_weight, same_bits
from test_matmul import keywords
from torch._subclasses.fake_tensor import FakeTensorMode

import qfuse
import qfuse.integrations.bitsandbytes as integration

OP, MANY = torch.ops.qfuse.matmul_4bit.default, torch.ops.qfuse.matmul_4bit_many.default
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU)
needs_none = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
NO_GRADIENT = r"requires a gradient, .*'factored' does not have: multiply under torch.no_grad\(\), or in another order"


def values(*shape, device="cpu", dtype=torch.bfloat16, **leaf):
    given = torch.randn(shape, generator=torch.Generator().manual_seed(3)).to(device, dtype)
    return given.requires_grad_(**leaf) if leaf else given


def of_several(weight):
    """Returns tensors and keywords of matmul_4bit_many for the weight twice."""
    kind = keywords(weight)
    return weight.tensors * 2, {"rows": [kind.pop("shape")[0]] * 2, **kind}


def products(weight):
    """Every way to ask for the order, as functions of x and a bias."""
    tensors, kind = of_several(weight)
    return {
        "matmul_4bit": lambda x, b: [qfuse.matmul_4bit(x, weight, bias=b, order="factored")],
        "matmul_4bit_many": lambda x, b: qfuse.matmul_4bit_many(x, [weight] * 2, biases=[b] * 2, order="factored"),
        "ops.matmul_4bit": lambda x, b: [
            qfuse.ops.matmul_4bit(x, weight.tensors, b, **keywords(weight), order="factored")
        ],
        "ops.matmul_4bit_many": lambda x, b: qfuse.ops.matmul_4bit_many(x, tensors, [b] * 2, **kind, order="factored"),
        "op": lambda x, b: [OP(x, weight.tensors, b, **keywords(weight), order="factored")],
        "op of many": lambda x, b: MANY(x, tensors, [b] * 2, **kind, order="factored"),
    }


WAYS = list(products(make_weight("cpu").weight))


# ---- refusals


@pytest.mark.parametrize("way", WAYS)
def test_a_cpu_refuses(way):
    product = products(make_weight("cpu").weight)[way]
    with pytest.raises(RuntimeError, match="order is 'factored', which CUDA alone has"):
        product(values(2, 192), values(64))
    with pytest.raises(RuntimeError, match="order is 'factored', which QFUSE_FLOAT32 does not have"):
        product(values(2, 192, dtype=torch.float32), values(64, dtype=torch.float32))


def test_what_the_order_does_not_have(device):
    weight, x = make_weight(device).weight, values(2, 192, device=device)
    with pytest.raises(RuntimeError, match="which QFUSE_FORWARD alone has"):
        OP(x[:, :64], weight.tensors, None, **keywords(weight), direction="backward", order="factored")
    lora_a, lora_b = values(8, 192, device=device), values(64, 8, device=device)
    with pytest.raises(RuntimeError, match="which has no LoRA"):
        qfuse.matmul_4bit_lora(x, weight, lora_a, lora_b, order="factored")
    with pytest.raises(RuntimeError, match="needs cols that are a multiple of 64, not 96"):
        qfuse.matmul_4bit(x[:, :96], make_weight(device, cols=96).weight, order="factored")
    small = qfuse.ops.quantize_4bit(values(64, 192, device=device), 32, "nf4")
    with pytest.raises(RuntimeError, match="needs blocks of 64 or more, not 32"):
        qfuse.matmul_4bit(x, qfuse.Weight4bit(small, (64, 192), torch.bfloat16, "nf4", 32), order="factored")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("leaf", ["x", "bias"])
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_gradients_are_refused(device, way, leaf, compiled):
    product = products(make_weight(device).weight)[way]
    errors = ValueError
    if compiled:  # torch wraps an error raised during tracing in its own
        errors = ValueError, RuntimeError
        torch._dynamo.reset()
        product = torch.compile(product, backend="aot_eager", fullgraph=True)
    x, bias = values(2, 192, device=device), values(64, device=device)
    (x if leaf == "x" else bias).requires_grad_()
    with pytest.raises(errors, match=NO_GRADIENT):
        product(x, bias)
    with torch.no_grad():
        if device == "cpu":
            with pytest.raises(RuntimeError, match="which CUDA alone has"):
                product(x, bias)
        else:
            assert not product(x, bias)[0].requires_grad


@pytest.mark.parametrize("transform", [torch.func.grad, torch.func.jacrev])
def test_gradients_of_transforms_are_refused(device, transform):
    """They are refused even if an inner transform sees no gradient."""
    weight, x = make_weight(device).weight, values(2, 192, device=device)

    def product(row):
        return qfuse.matmul_4bit(row, weight, order="factored").float().sum()

    with FakeTensorMode() as mode:  # fakes of a CPU do not refuse the product
        weight = weight._replace(tensors=tuple(mode.from_tensor(tensor) for tensor in weight.tensors))
        x = mode.from_tensor(x)
        with pytest.raises(ValueError, match=NO_GRADIENT):
            transform(product)(x[0])
        with pytest.raises(ValueError, match=NO_GRADIENT):
            transform(lambda x: torch.func.vmap(product)(x).sum())(x)


# ---- fakes and compilation


@pytest.mark.parametrize("way", [way for way in WAYS if way.startswith("op")])
def test_fakes_have_the_shapes(way):
    product = products(make_weight("cpu").weight.to("meta"))[way]
    for y in product(values(2, 3, 192, device="meta", dtype=torch.float16), values(64, device="meta").half()):
        assert (y.shape, y.dtype, y.device.type) == ((2, 3, 64), torch.float16, "meta")


@pytest.mark.parametrize("way", WAYS)
def test_compiles_into_one_op(device, way):
    product, seen = products(make_weight(device).weight)[way], []

    def look(graph, _):
        seen.extend(node for node in graph.graph.nodes if node.target in (OP, MANY))
        return graph

    torch._dynamo.reset()
    compiled = torch.compile(product, fullgraph=True, backend=look)
    x, bias = values(2, 192, device=device), values(64, device=device)
    if device == "cpu":
        with pytest.raises(RuntimeError, match="which CUDA alone has"):
            compiled(x, bias)
    else:
        assert all(map(same_bits, compiled(x, bias), product(x, bias)))
    (node,) = seen
    assert node.kwargs["order"] == "factored"
    found = node.meta["example_value"]
    assert all(y.shape == (2, 64) for y in ([found] if node.target is OP else found))


# ---- bitsandbytes' products


@pytest.fixture
def orders(monkeypatch):
    """Returns a list that records the order of each product; nothing is computed."""
    found = []

    def called(call):
        found.append(call.order)
        return call.x.new_empty(*call.x.shape[:-1], call.weight.shape[0])

    monkeypatch.setattr(qfuse.ops.gradients, "by_dispatcher", called)
    monkeypatch.setattr(qfuse.native.torch_ops, "_multiply", None)
    yield found
    qfuse.set_batch_invariant(False)


@pytest.fixture
def multiply(bitsandbytes_as_it_was):
    """bitsandbytes' product of x and a weight, looked up at each call."""
    bitsandbytes = pytest.importorskip("bitsandbytes")

    def product(x, weight, bias=None):
        state = [weight.absmax, torch.Size(weight.shape), torch.bfloat16, weight.blocksize, None, "nf4"]
        return bitsandbytes.matmul_4bit(x, weight.packed, state, bias=bias)

    return product


LEFT = "bitsandbytes'"


@pytest.fixture
def hopper(monkeypatch):
    """Replaces the advice by Hopper's, on any machine; tests/cuda/matmul_plan_test.cpp checks it."""

    def find(device, dtype, rows, cols, blocksize, direction):
        has_pipeline = dtype != torch.float32 and cols % 64 == 0 and blocksize >= 64
        few_rows = 0 if not has_pipeline or blocksize != 64 else 16 if cols <= 8192 else 8
        return few_rows, 256 if has_pipeline else -1

    find._dynamo_marked_constant = True
    monkeypatch.setattr(qfuse.ops.orders, "_find_advice", find)


def on_a_gpu(rows=64, cols=256, blocksize=64, dtype=torch.bfloat16, tokens=2):
    """Returns x and a weight without values; as fake tensors, they need no GPU."""
    packed = torch.empty(rows * cols // 2, 1, dtype=torch.uint8, device="cuda")
    absmax = torch.empty(-(-rows * cols // blocksize), device="cuda")
    weight = qfuse.Weight4bit((packed, absmax), (rows, cols), torch.bfloat16, "nf4", blocksize)
    return torch.empty(tokens, cols, dtype=dtype, device="cuda"), weight


# Arguments of on_a_gpu(), the usual order, and the order if "factored" is asked for. None: the weight is decoded to
# memory. LEFT: bitsandbytes' kernel is faster.
FEW = [
    pytest.param({}, "split", "factored", id="few rows"),
    pytest.param(dict(dtype=torch.float16, tokens=16), "split", "factored", id="16 rows"),
    pytest.param(dict(cols=8448, tokens=8), "split", "factored", id="8 rows of many terms"),
    pytest.param(dict(cols=192), "split", "factored", id="no whole chains"),
    pytest.param(dict(blocksize=128), "plain", "plain", id="larger blocks"),
    pytest.param(dict(blocksize=128, tokens=1), "plain", "plain", id="one row of small K"),
    pytest.param(dict(cols=576, blocksize=128, tokens=1), LEFT, LEFT, id="one row of larger blocks"),
    pytest.param(dict(cols=96), LEFT, LEFT, id="other columns"),
    pytest.param(dict(blocksize=32), LEFT, LEFT, id="smaller blocks"),
    pytest.param(dict(cols=8448, tokens=9), "plain", "plain", id="9 rows of many terms"),
    pytest.param(dict(tokens=300), None, None, id="many rows"),
    pytest.param(dict(dtype=torch.float32), LEFT, LEFT, id="float32"),
]


@needs_none
@pytest.mark.parametrize("change, usual, expected", FEW)
def test_products_of_few_rows_take_it_where_asked_to(hopper, orders, multiply, change, usual, expected):
    import bitsandbytes as bnb

    def original(*args, **more):
        return LEFT

    with FakeTensorMode(), pytest.MonkeyPatch.context() as patch:
        for module in (bnb, bnb.autograd._functions):
            patch.setattr(module, "matmul_4bit", original)
        x, weight = on_a_gpu(**change)
        for matmul, order in [("factored", expected), (True, usual)]:
            with integration.enabled(matmul=matmul):
                found = multiply(x, weight)
            assert (LEFT if found is LEFT else orders.pop()) == order


@needs_none
def test_gradients_and_one_order_for_all_count_before_it(hopper, orders, multiply):
    with FakeTensorMode(), integration.enabled(matmul="factored"):
        x, weight = on_a_gpu()
        leaf, bias = x.clone().requires_grad_(), torch.empty(64, dtype=x.dtype, device="cuda", requires_grad=True)
        multiply(leaf, weight)
        multiply(x, weight, bias)
        assert orders == ["plain", "plain"]
        with torch.no_grad():
            multiply(leaf, weight, bias)
        assert orders.pop() == "factored"
        torch.func.vmap(lambda row: multiply(row, weight))(x)
        assert orders.pop() == "split"
        qfuse.set_batch_invariant(True)
        multiply(x, weight)
        assert orders.pop() == "plain"


# Advice on products and on their gradients, rows, whether x has a gradient, and the order of the product, with LoRA,
# and of x's gradient.
WAYS = [
    ((16, 32), (0, 64), 16, False, "split", None),
    ((16, 32), (0, 64), 32, False, "plain", None),
    ((16, 32), (0, 64), 33, False, None, None),
    ((16, 32), (0, 64), 16, True, "plain", "plain"),
    ((16, 32), (0, 64), 33, True, None, "plain"),
    ((16, 32), (0, 64), 65, True, None, None),
    ((16, 128), (0, -1), 1, True, "plain", None),
    ((16, 128), (0, -1), 128, True, "plain", None),
    ((32, -1), (0, -1), 32, False, "split", None),  # "split" is faster than decoding, "plain" is not
    ((32, -1), (0, 64), 32, True, None, "plain"),
    ((32, -1), (0, -1), 33, False, None, None),
]


@needs_none
@pytest.mark.parametrize("forward, backward, tokens, needs, order, of_gradient", WAYS)
def test_each_direction_takes_its_fastest_way(monkeypatch, forward, backward, tokens, needs, order, of_gradient):
    found = []

    def called(call, *_):
        found.append(call.orders)
        return call.x.new_empty(*call.x.shape[:-1], call.weight.shape[0])

    monkeypatch.setattr(
        qfuse.ops.orders, "_find_advice", lambda *call: {"forward": forward, "backward": backward}[call[-1]]
    )
    monkeypatch.setattr(qfuse.native.torch_ops, "_multiply", None)
    monkeypatch.setattr(qfuse.ops.gradients, "by_dispatcher", called)
    monkeypatch.setattr(qfuse.ops.lora, "matmul_4bit_lora", called)
    with FakeTensorMode():
        x, weight = on_a_gpu(tokens=tokens)
        x.requires_grad_(needs)
        qfuse.matmul_4bit(x, weight)
        qfuse.matmul_4bit_lora(x, weight, x.new_empty(8, 256), x.new_empty(64, 8))
    assert [own for own, _ in found] == [order, order]
    assert not needs or [turned for _, turned in found] == [of_gradient] * 2


@needs_none
def test_compiled_code_notices_that_it_is_asked_for(hopper, multiply):
    seen = []

    def look(graph, _):
        seen.extend(node.kwargs["order"] for node in graph.graph.nodes if node.target is OP)
        return graph

    torch._dynamo.reset()
    with FakeTensorMode():
        x, weight = on_a_gpu()
        product = torch.compile(lambda x: multiply(x, weight), fullgraph=True, backend=look)
        for matmul in (True, "factored", True):
            with integration.enabled(matmul=matmul):
                assert product(x).shape == (2, 64)
    assert seen == ["split", "factored"]


@pytest.mark.parametrize(
    "dtype, capability, has",
    [
        ("float16", (7, 0), False),
        ("float16", (7, 5), True),
        ("bfloat16", (7, 5), False),
        ("bfloat16", (8, 0), True),
        ("bfloat16", (12, 0), True),
        ("float32", (12, 0), False),
    ],
)
def test_of_gpus_without_the_instructions(monkeypatch, dtype, capability, has):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    read = functools.partial(qfuse.native.devices._read_tensor_cores.__wrapped__, 0, getattr(torch, dtype))
    assert read() == has
    monkeypatch.setattr(torch.version, "hip", "7.0")
    assert not read()


def test_it_lasts_as_long_as_somebody_wants_it(hopper, orders, multiply):
    def order():
        with FakeTensorMode():
            multiply(*on_a_gpu())
        return orders.pop()

    with integration.enabled(matmul=True), integration.enabled(matmul="factored"):
        assert order() == "factored"
        integration.disable()
    with integration.enabled(matmul="factored"):
        with integration.enabled(matmul="factored"), integration.enabled(matmul=True):
            assert order() == "factored"
        assert order() == "factored"
    assert "bitsandbytes.matmul_4bit" in integration.enable(matmul=True).replaced
    assert order() == "split"
    assert "bitsandbytes.matmul_4bit" in integration.enable(matmul="factored").replaced
    integration.enable()
    assert order() == "factored"
    integration.disable()
    with integration.enabled(matmul=True):
        assert order() == "split"


@pytest.mark.parametrize("wrong", ["plain", None, 2])
def test_other_values_are_refused(bitsandbytes_as_it_was, wrong):
    with pytest.raises(ValueError, match=f"matmul is {wrong!r}, it can be False, True or 'factored'"):
        integration.enable(matmul=wrong)
    with pytest.raises(ValueError, match="matmul is"), integration.enabled(matmul=wrong):
        pass


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_cpu_has_the_usual_bits(multiply, dtype):
    made = make_weight("cpu")
    weight = made.weight._replace(tensors=(made.weight.packed, made.plain))

    def found(matmul):
        x, bias = values(3, 192, dtype=dtype, requires_grad=True), values(64, dtype=dtype)
        with integration.enabled(matmul=matmul):
            with torch.no_grad():
                few = multiply(x, weight, bias)
            multiply(x, weight, bias).sum().backward()
        return few, x.grad

    assert all(map(same_bits, found("factored"), found(True)))


# ---- on a GPU


@needs_gpu
@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("cols", [192, 4096])
def test_values_and_rows(nested, dtype, cols):
    """Each row has the same bits in any batch, and is near the product with the unrounded weight."""
    made = make_weight("cuda", rows=96, cols=cols)
    weight = made.weight if nested else made.weight._replace(tensors=(made.weight.packed, made.plain))
    dense = qfuse.dequantize_4bit(weight, dtype=torch.float32).double()
    x, bias = values(17, cols, device="cuda", dtype=dtype), values(96, device="cuda", dtype=dtype)
    singles = [qfuse.matmul_4bit(row, weight, bias=bias, order="factored") for row in x]
    for count in range(1, 18):
        for product in products(weight).values():
            for found in product(x[:count], bias):
                assert same_bits(found, torch.stack(singles[:count]))
    expected = torch.nn.functional.linear(x.double(), dense, bias.double())
    size = torch.nn.functional.linear(x.double().abs(), dense.abs(), bias.double().abs())
    # NF4 values in fp16 have a relative error of at most 2^-11; fp32 sums lose at most 2^-23 of the size per term.
    bound = size * (2**-11 + cols * 2**-23) + expected.abs() * torch.finfo(dtype).eps
    assert ((torch.stack(singles).double() - expected).abs() <= bound).all()


@needs_gpu
def test_linear4bit_takes_it(multiply):
    weight = make_weight("cuda", rows=192, cols=576).weight
    plain = weight._replace(tensors=qfuse.ops.quantize_4bit(values(192, 576, device="cuda"), 64, "nf4"))
    x = values(3, 576, device="cuda")
    with integration.enabled(matmul="factored"):
        assert same_bits(multiply(x, plain), qfuse.matmul_4bit(x, plain, order="factored"))
        leaf = x.clone().requires_grad_()
        assert same_bits(multiply(leaf, plain), qfuse.matmul_4bit(x, plain, order="plain"))


@needs_gpu
def test_a_graph_captures_it():
    weight, x = make_weight("cuda", rows=96, cols=4096).weight, values(4, 4096, device="cuda")
    product = products(weight)["matmul_4bit_many"]
    bias = values(96, device="cuda")
    product(x, bias)  # the first such call loads the kernel
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = product(x, bias)
    for factor in (1, -3, 0.25):
        x.mul_(factor)
        graph.replay()
        assert all(map(same_bits, found, product(x, bias)))
