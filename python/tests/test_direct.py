"""Calls past torch's dispatcher: the op's bits and errors, and none where a mode or transform must see the op."""

import threading
import time

import pytest
import torch
from conftest import DTYPES, Calls, golden_weights, replaced, same_bits
from test_matmul import keywords
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import qfuse
from qfuse.native import torch_ops

if torch_ops._decode is None:
    pytest.skip("built for a Python that it cannot be had for", allow_module_level=True)

OP = torch.ops.qfuse.dequantize_4bit.default
CASES = [*golden_weights("bnb_cases"), *golden_weights("bnb_extra")]


def direct(weight):
    """Returns the weight decoded by the extension module, or None if the module leaves it to torch."""
    return torch_ops._decode(*weight, False)


class Seen:
    """Takes the op's place and counts its calls."""

    def __init__(self, monkeypatch):
        self.count = 0
        monkeypatch.setattr(torch_ops, "_dequantize_4bit", self)

    def __call__(self, *args):
        self.count += 1
        return OP(*args)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gives_the_ops_bits(case, device):
    for dtype in DTYPES:
        weight = case.on(device, dtype)
        assert same_bits(direct(weight), OP(*weight)), dtype


def test_is_how_the_decode_is_called(made, monkeypatch):
    seen = Seen(monkeypatch)
    assert same_bits(qfuse.ops.dequantize_4bit(*made.weight), OP(*made.weight))
    assert same_bits(qfuse.dequantize_4bit(made.weight), OP(*made.weight))
    assert seen.count == 0


class Functions(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


class Dispatches(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


WATCHERS = {
    "function mode": Functions,
    "dispatch mode": Dispatches,
    "device": lambda: torch.device("cpu"),
    "profiler": lambda: torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]),
    "autograd profiler": torch.autograd.profiler.profile,
}


@pytest.mark.parametrize("name", WATCHERS)
def test_whoever_watches_sees_the_op(name, made, monkeypatch):
    seen = Seen(monkeypatch)
    with WATCHERS[name]():
        found = qfuse.dequantize_4bit(made.weight)
    assert seen.count == 1 and same_bits(found, OP(*made.weight))


def test_the_profiler_names_the_op(made):
    with Calls("qfuse::dequantize_4bit") as decodes:
        qfuse.dequantize_4bit(made.weight)
    assert decodes.count == 1


def test_a_transform_sees_the_op(made, monkeypatch):
    seen = Seen(monkeypatch)
    x = torch.ones(2, device=made.weight.packed.device)
    found = torch.vmap(lambda scale: qfuse.dequantize_4bit(made.weight) * scale)(x)
    assert seen.count == 1 and same_bits(found[1], OP(*made.weight))


def test_traces_hold_the_op(made):
    from torch.fx.experimental.proxy_tensor import make_fx

    packed, *others = made.weight.tensors

    def decode(packed):
        return qfuse.ops.dequantize_4bit((packed, *others), *made.weight[1:])

    graph = make_fx(decode)(packed)
    assert any(node.target is OP for node in graph.graph.nodes)
    traced = torch.jit.trace(decode, packed)
    assert "qfuse::dequantize_4bit" in str(traced.graph)
    other = packed.bitwise_not()
    expected = OP((other, *others), *made.weight[1:])
    assert same_bits(graph(other), expected) and same_bits(traced(other), expected)
    assert same_bits(torch.compile(decode, fullgraph=True, backend="aot_eager")(other), expected)


class Watched(torch.Tensor):
    """A subclass with memory of its own that sees every op on it."""

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


def test_leaves_to_torch_what_is_not_plain(made):
    weight = made.weight
    assert direct(replaced(weight, 1, torch.Tensor._make_subclass(Watched, weight.absmax))) is None
    negative = torch._neg_view(-weight.tensors[2])
    assert torch.equal(negative, weight.tensors[2]) and negative.is_neg()
    assert direct(replaced(weight, 2, negative)) is None
    assert same_bits(qfuse.ops.dequantize_4bit(*replaced(weight, 2, negative)), OP(*weight))
    assert direct(replaced(weight, 0, weight.packed.to("meta"))) is None
    assert direct(replaced(weight, 1, weight.absmax.to_sparse())) is None
    assert direct(replaced(weight, 2, torch._efficientzerotensor(weight.tensors[2].shape))) is None
    assert direct(replaced(weight, 2, torch._to_functional_tensor(weight.tensors[2]))) is None
    assert direct(replaced(weight, 2, torch.complex(weight.tensors[2], weight.tensors[2]).conj())) is None
    assert direct(weight._replace(tensors=list(weight.tensors))) is None
    assert direct(weight._replace(tensors=())) is None
    assert direct(weight._replace(tensors=(*weight.tensors[:4], 0.5))) is None
    assert direct(weight._replace(shape=list(weight.shape))) is None
    assert direct(weight._replace(shape=(2**70, 1))) is None
    assert direct(weight._replace(shape=(1.5, 2))) is None
    assert direct(weight._replace(quant_type=b"nf4")) is None
    assert direct(weight._replace(blocksize=None)) is None
    with torch._subclasses.FakeTensorMode() as mode:
        fakes = tuple(mode.from_tensor(tensor) for tensor in weight.tensors)
    assert direct(weight._replace(tensors=fakes)) is None  # also after the mode has ended
    with pytest.raises(TypeError, match="7 arguments are needed"):
        torch_ops._decode(weight.tensors)


@pytest.mark.parametrize(
    "change",
    [
        dict(shape=(64, 193)),
        dict(shape=(-64, 192)),
        dict(shape=(2**62, 4)),
        dict(quant_type="nf3"),
        dict(blocksize=0),
        dict(blocksize=48),
        dict(nested_blocksize=0),
        dict(nested_blocksize=-1),
    ],
    ids=str,
)
def test_refuses_with_the_ops_words(change, made):
    weight = made.weight._replace(**change)
    with pytest.raises(RuntimeError) as expected:
        OP(*weight)
    with pytest.raises(RuntimeError) as found:
        direct(weight)
    assert str(found.value) == str(expected.value)


STORAGES = [torch.uint8, torch.int8, torch.float8_e4m3fn, torch.float8_e8m0fnu, torch.uint4, torch.bits8]


@pytest.mark.parametrize("storage", [*STORAGES, torch.bfloat16, torch.float32], ids=str)
def test_any_storage_holds_codes(storage, made):
    """Torch's stable interface has no name for some dtypes, and DLPack mistakes some for others."""
    stored = replaced(made.weight, 0, made.weight.packed.view(-1).view(storage))
    expected = OP(*made.weight)
    assert same_bits(OP(*stored), expected) and same_bits(qfuse.ops.dequantize_4bit(*stored), expected)


def test_no_storage_but_bytes_holds_nested_absmax(made):
    for storage in (torch.int8, torch.uint4, torch.int4, torch.bits8):
        other = replaced(made.weight, 1, made.weight.absmax.view(storage))
        with pytest.raises(RuntimeError, match=r"^absmax is "):
            OP(*other)
        with pytest.raises(RuntimeError, match=r"^absmax is "):
            qfuse.ops.dequantize_4bit(*other)


class Interrupted(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise KeyboardInterrupt


def test_asks_no_torch_function(made):
    """The __torch_function__ of Params4bit would take longer than the call."""
    stored = made.weight.packed.view(-1).view(torch.float32)
    weight = replaced(made.weight, 0, torch.Tensor._make_subclass(Interrupted, stored))
    assert same_bits(direct(weight), OP(*made.weight))


def test_an_interrupt_is_not_taken_for_a_refusal(made):
    with pytest.raises(KeyboardInterrupt):
        direct(replaced(made.weight, 1, torch.Tensor._make_subclass(Interrupted, made.weight.absmax)))


def test_turns_the_result_where_the_codes_were_turned(made):
    packed = made.weight.packed
    decoded = OP(*made.weight)
    for codes, transposes, expected in (
        (packed.view(-1, 1), True, decoded),
        (packed.view(1, -1), False, decoded),
        (packed.view(1, -1), True, decoded.t()),
    ):
        found = torch_ops.dequantize_4bit_directly(replaced(made.weight, 0, codes), transposes)
        assert same_bits(found, expected) and found.stride() == expected.stride()


def test_the_result_is_a_tensor_like_any_other(made):
    weight = made.weight
    counts = [tensor._use_count() for tensor in weight.tensors]
    found, expected = direct(weight), OP(*weight)
    assert type(found) is torch.Tensor and found.is_leaf and not found.requires_grad and found._version == 0
    assert found.stride() == expected.stride() and found.device == expected.device
    assert found._use_count() == expected._use_count()  # nothing else holds a reference
    assert [tensor._use_count() for tensor in weight.tensors] == counts
    with torch.inference_mode():
        assert direct(weight).is_inference()


def test_other_threads_run_meanwhile():
    n = 1 << 26
    weight = qfuse.Weight4bit((torch.zeros(n // 2, dtype=torch.uint8), torch.ones(n // 64)), (n,), torch.float32)
    for _ in range(10):  # a busy machine may fail some tries; a held GIL fails all
        took: list[float] = []

        def decode(took=took):
            begin = time.perf_counter()
            direct(weight)
            took.append(time.perf_counter() - begin)

        thread = threading.Thread(target=decode)
        longest, last = 0.0, time.perf_counter()
        thread.start()
        while not took:
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
        thread.join()
        if longest < took[0] / 2:
            return
    pytest.fail(f"for {longest:.3f} of {took[0]:.3f} s nothing else ran")


# ---- products


MULTIPLY = torch.ops.qfuse.matmul_4bit.default


def multiply(x, weight, bias=None, lora=(None, None), direction="forward", order="plain", **changes):
    """Returns the product by the extension module, or None if the module leaves it to torch."""
    scalars = {**keywords(weight), **changes}.values()
    return torch_ops._multiply(x, weight.tensors, bias, *lora, *scalars, direction, order)


def by_op(x, weight, bias=None, lora=(None, None), direction="forward", order="plain", **changes):
    scalars = {**keywords(weight), **changes}
    return MULTIPLY(x, weight.tensors, bias, *lora, **scalars, direction=direction, order=order)


@pytest.fixture
def operands(made):
    def randn(*shape, dtype):
        return torch.randn(shape, generator=torch.Generator().manual_seed(3)).to(made.original.device, dtype)

    return lambda dtype: (randn(2, 3, 192, dtype=dtype), randn(64, dtype=dtype), randn(2, 3, 5, dtype=dtype)), randn


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_have_the_ops_bits(made, operands, dtype):
    make, randn = operands
    x, bias, low = make(dtype)
    lora = low, randn(64, 5, dtype=dtype)
    for order in ("plain", "split"):
        for more in ({}, {"bias": bias}, {"bias": bias, "lora": lora}):
            assert same_bits(multiply(x, made.weight, order=order, **more), by_op(x, made.weight, order=order, **more))
    grad, up = randn(4, 64, dtype=dtype), (randn(4, 5, dtype=dtype), randn(5, 192, dtype=dtype))
    for more in ({}, {"lora": up}):
        more["direction"] = "backward"
        assert same_bits(multiply(grad, made.weight, **more), by_op(grad, made.weight, **more))
    apart = torch.cat([x, x], -1)[..., :192]
    assert same_bits(multiply(apart, made.weight), by_op(x, made.weight))


def test_is_how_products_are_called(made, operands, monkeypatch):
    x, bias, _ = operands[0](torch.bfloat16)
    expected = by_op(x, made.weight, bias)
    expected_grad = by_op(torch.ones_like(expected), made.weight, direction="backward")
    monkeypatch.setattr(qfuse.ops.gradients, "_call", None)
    assert same_bits(qfuse.matmul_4bit(x, made.weight, bias=bias, order="plain"), expected)
    assert same_bits(qfuse.ops.matmul_4bit(x, made.weight.tensors, bias, **keywords(made.weight)), expected)
    leaf = x.clone().requires_grad_()
    qfuse.matmul_4bit(leaf, made.weight, order="plain").backward(torch.ones_like(expected))
    assert same_bits(leaf.grad, expected_grad)


@pytest.mark.parametrize("name", WATCHERS)
def test_whoever_watches_sees_the_product(name, made, operands, monkeypatch):
    x, _, _ = operands[0](torch.bfloat16)
    expected, seen = by_op(x, made.weight), []
    call = qfuse.ops.gradients._call
    monkeypatch.setattr(qfuse.ops.gradients, "_call", lambda *args: seen.append(1) or call(*args))
    with WATCHERS[name]():
        found = qfuse.matmul_4bit(x, made.weight, order="plain")
    assert seen == [1] and same_bits(found, expected)


def test_a_refused_product_is_tried_once(made, operands, monkeypatch):
    x, bias, _ = operands[0](torch.bfloat16)
    tries: list[int] = []
    monkeypatch.setattr(torch_ops, "_multiply", lambda *args: tries.append(1))
    qfuse.matmul_4bit(x, made.weight, bias=bias, order="plain")
    assert tries == [1]
    qfuse.ops.matmul_4bit(x, made.weight.tensors, bias, **keywords(made.weight))
    assert tries == [1, 1]


def test_leaves_products_to_torch_that_are_not_plain(made, operands):
    x, bias, _ = operands[0](torch.bfloat16)
    assert multiply(x.transpose(0, 1), made.weight) is None  # needs a copy
    assert multiply(x[..., :1].expand(2, 3, 192), made.weight) is None
    assert multiply(torch.Tensor._make_subclass(Watched, x), made.weight) is None
    assert multiply(x.as_subclass(Plain), made.weight) is None
    assert (
        type(qfuse.ops.matmul_4bit(x.as_subclass(Plain), made.weight.tensors, None, **keywords(made.weight))) is Plain
    )
    assert multiply(x, made.weight, bias.as_subclass(Plain)) is None
    assert multiply(x, made.weight, direction=b"forward") is None
    assert multiply(x, made.weight._replace(tensors=())) is None
    with pytest.raises(TypeError, match="11 arguments are needed"):
        torch_ops._multiply(x, made.weight.tensors)


# ---- several products


def multiply_many(x, weights, biases=(), order="plain"):
    """Returns the products by the extension module, or None if the module leaves them to torch."""
    tensors = tuple(tensor for weight in weights for tensor in weight.tensors)
    rows = tuple(weight.shape[0] for weight in weights)
    return torch_ops._multiply_many(x, tensors, biases, rows, "nf4", 64, 256, order)


@pytest.mark.parametrize("dtype", DTYPES)
def test_several_products_have_the_ops_bits(made, operands, dtype):
    x, bias, _ = operands[0](dtype)
    other = replaced(made.weight, 0, made.weight.packed.flip(0))
    for order in ("plain", "split"):
        for biases in ((), (bias, -bias)):
            found = multiply_many(x, (made.weight, other), biases, order)
            given = zip((made.weight, other), biases or (None, None), strict=True)
            expected = [by_op(x, weight, bias, order=order) for weight, bias in given]
            assert isinstance(found, tuple) and all(same_bits(a, b) for a, b in zip(found, expected, strict=True))


def test_is_how_several_products_are_called(made, operands, monkeypatch):
    x, bias, _ = operands[0](torch.bfloat16)
    monkeypatch.setattr(qfuse.ops.gradients, "_call_many", None)
    found = qfuse.matmul_4bit_many(x, [made.weight] * 2, biases=[bias] * 2, order="plain")
    assert all(same_bits(y, by_op(x, made.weight, bias)) for y in found)


@pytest.mark.parametrize("name", WATCHERS)
def test_whoever_watches_sees_several_products(name, made, operands, monkeypatch):
    x, _, _ = operands[0](torch.bfloat16)
    expected, seen = by_op(x, made.weight), []
    for ours in ("_call_many", "_call"):  # under a transform, single products are called
        call = getattr(qfuse.ops.gradients, ours)
        monkeypatch.setattr(qfuse.ops.gradients, ours, lambda *args, call=call: seen.append(1) or call(*args))
    with WATCHERS[name]():
        found = qfuse.matmul_4bit_many(x, [made.weight] * 2, order="plain")
    assert seen and all(same_bits(y, expected) for y in found)


def test_leaves_several_products_to_torch_that_are_not_plain(made, operands):
    x, bias, _ = operands[0](torch.bfloat16)
    weights = (made.weight,) * 2
    assert multiply_many(x.transpose(0, 1), weights) is None
    assert multiply_many(x.as_subclass(Plain), weights) is None
    assert multiply_many(x, weights, (bias, bias.as_subclass(Plain))) is None
    assert multiply_many(x, weights, [bias] * 2) is None
    assert multiply_many(x, ()) is None
    with pytest.raises(RuntimeError, match=r"products\[1\]: bias has 63 elements, it must have 64"):
        multiply_many(x, weights, (bias, bias[:63]))
    with pytest.raises(TypeError, match="8 arguments are needed"):
        torch_ops._multiply_many(x)


class Plain(torch.Tensor):
    """A subclass without __torch_dispatch__; torch's results keep its type."""


@pytest.mark.parametrize(
    "change",
    [
        dict(shape=(64, 100)),
        dict(shape=(64 * 192,)),
        dict(quant_type="nf3"),
        dict(blocksize=48),
        dict(direction="sideways"),
        dict(order="fast"),
        dict(bias=torch.ones(3)),
        dict(lora=(torch.ones(2, 3, 4), None)),
        dict(lora=(torch.ones(2, 3, 4), torch.ones(4, 64))),
    ],
    ids=str,
)
def test_refuses_products_with_the_ops_words(change, made, operands):
    x, _, _ = operands[0](torch.float32)
    change = {name: value.to(x.device) if isinstance(value, torch.Tensor) else value for name, value in change.items()}
    if "lora" in change:
        change["lora"] = tuple(None if tensor is None else tensor.to(x.device) for tensor in change["lora"])
    with pytest.raises(RuntimeError) as expected:
        by_op(x, made.weight, **change)
    with pytest.raises(RuntimeError) as found:
        multiply(x, made.weight, **change)
    assert str(found.value) == str(expected.value)


def test_a_product_is_a_tensor_like_any_other(made, operands):
    x, _, _ = operands[0](torch.bfloat16)
    found, expected = multiply(x, made.weight), by_op(x, made.weight)
    assert type(found) is torch.Tensor and found.is_leaf and not found.requires_grad and found._version == 0
    assert found.stride() == expected.stride() and found._use_count() == expected._use_count()
    with torch.inference_mode():
        assert multiply(x, made.weight).is_inference()
