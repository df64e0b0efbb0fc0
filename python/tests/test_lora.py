"""qfuse.matmul_4bit_lora: values and gradients, against exact sums, sums in fp64, and torch's autograd."""

import functools

import pytest
import torch
from conftest import DTYPES, Calls, make_weight, same_bits
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from test_matmul import COLS, ROWS, check_compiled, check_slopes, exact_weight, first_rows, integers, keywords
from test_matmul import leave_nothing_behind as leave_nothing_behind
from torch._dynamo.backends.common import aot_autograd
from torch.utils.checkpoint import checkpoint

import qfuse
from qfuse.native.torch_ops import Call
from qfuse.ops import functional
from qfuse.ops.gradients import needs_gradient
from qfuse.ops.lora import matmul_4bit_lora

OP = torch.ops.qfuse.matmul_4bit.default
linear = torch.nn.functional.linear
RANK = 5  # not a multiple of 8
SCALING = 2.0


def adapter(device, dtype=torch.float32, rank=RANK):
    return (
        integers(rank, COLS, device=device, dtype=dtype, seed=11),
        integers(ROWS, rank, device=device, dtype=dtype, seed=12),
    )


def dense_of(weight, dtype=None):
    return qfuse.dequantize_4bit(weight, dtype=dtype)


def few_integers(*shape, device, dtype, seed=6):
    """Mostly zeros, so that intermediate results are exact in 16 bits."""
    generator = torch.Generator().manual_seed(seed)
    values = torch.randint(-1, 2, shape, generator=generator) * (torch.rand(shape, generator=generator) < 0.05)
    return values.to(device, dtype)


def by_torch(x, dense, lora_a, lora_b, bias=None, lora_x=None):
    return linear(x, dense, bias) + SCALING * linear(linear(x if lora_x is None else lora_x, lora_a), lora_b)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_few_rows_without_a_gradient_take_their_own_kernel(device, dtype, monkeypatch):
    weight = make_weight(device, 128, 256).weight
    x, other = (few_integers(2, 3, 256, device=device, dtype=dtype, seed=seed) for seed in (6, 7))
    a, b = torch.randn(RANK, 256, device=device), torch.randn(128, RANK, device=device, requires_grad=True)
    bias = integers(128, device=device, dtype=dtype)
    if device == "cpu":  # does as a GPU with a kernel for few rows
        monkeypatch.setattr(functional, "_adds_adapter_after", lambda x, weight, *given: not needs_gradient(x, *given))
    with torch.no_grad():
        base = qfuse.matmul_4bit(x, weight, bias=bias, order="split")
        for given in (None, other):
            found = qfuse.matmul_4bit_lora(x, weight, a, b, SCALING, bias=bias, lora_x=given)
            low = torch.float32 if dtype == torch.float16 else dtype
            t = SCALING * linear((x if given is None else given).to(low), a.to(low))
            assert (found - base).float().norm() > 0
            expected = base + linear(t.double(), b.double())
            assert (found - expected).abs().max() <= 8 * torch.finfo(dtype).eps * expected.abs().max()
    trained = qfuse.matmul_4bit_lora(x, weight, a, b, SCALING, bias=bias)
    assert same_bits(trained.detach(), qfuse.matmul_4bit_lora(x, weight, a, b, SCALING, bias=bias, order="plain"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["plain", None, "default"])
def test_exact_sums_are_those_of_torch(device, dtype, order):
    weight = exact_weight(device, dtype)
    dense = dense_of(weight).double()
    lora_a, lora_b = adapter(device)
    bias = integers(ROWS, device=device, dtype=dtype)
    for shape in [(COLS,), (1, COLS), (2, 3, COLS), (0, COLS), (2, 0, COLS), (300, COLS)]:
        x = few_integers(*shape, device=device, dtype=dtype)
        for given in (None, bias):
            more = {} if order == "default" else {"order": order}
            found = qfuse.matmul_4bit_lora(x, weight, lora_a, lora_b, SCALING, bias=given, **more)
            expected = by_torch(
                x.double(), dense, lora_a.double(), lora_b.double(), None if given is None else given.double()
            )
            assert same_bits(found, expected.to(dtype)) and found.is_contiguous()


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_exact_gradients_are_those_of_torch(device, dtype, dropped):
    weight = exact_weight(device, dtype)
    lora_a, lora_b = adapter(device)
    leaves = [
        few_integers(2, 3, COLS, device=device, dtype=dtype),
        few_integers(2, 3, COLS, device=device, dtype=dtype, seed=8),
        integers(ROWS, device=device, dtype=dtype),
        lora_a,
        lora_b,
    ]
    grad = few_integers(2, 3, ROWS, device=device, dtype=dtype, seed=7)

    def gradients(product, convert):
        x, lora_x, bias, a, b = (convert(leaf).clone().requires_grad_() for leaf in leaves)
        product(x, a, b, bias, lora_x if dropped else None).backward(convert(grad))
        return [leaf.grad for leaf in ((x, lora_x) if dropped else (x,))] + [bias.grad, a.grad, b.grad]

    dense = dense_of(weight).double()
    expected = gradients(lambda x, a, b, bias, lora_x: by_torch(x, dense, a, b, bias, lora_x), torch.Tensor.double)
    for order in ("plain", None):
        found = gradients(
            lambda x, a, b, bias, lora_x, order=order: qfuse.matmul_4bit_lora(
                x, weight, a, b, SCALING, bias=bias, lora_x=lora_x, order=order
            ),
            lambda leaf: leaf,
        )
        assert found[-1].dtype == torch.float32
        assert all(same_bits(a, b.to(a.dtype)) for a, b in zip(found, expected, strict=True))


@pytest.mark.filterwarnings("ignore:.*not a double precision")
@pytest.mark.parametrize("dropped", [False, True])
def test_gradients_are_slopes(device, dropped):
    weight = first_rows(exact_weight(device, cols=128), 16)
    x, lora_x, a = (integers(2, 128, device=device, seed=seed).requires_grad_() for seed in (6, 8, 11))
    b = integers(16, 2, device=device, seed=12).requires_grad_()

    def product(x, lora_x, a, b):
        return qfuse.matmul_4bit_lora(x, weight, a, b, SCALING, lora_x=lora_x if dropped else None)

    check_slopes(product, (x, lora_x, a, b), (integers(2, 16, device=device).requires_grad_(),))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_errors_are_those_of_the_roundings(device, dtype):
    """Errors against fp64 are those of rounding x times lora_a once and the sum once, and of fp32 sums."""
    weight = exact_weight(device, dtype)
    generator = torch.Generator().manual_seed(3)
    x, a, b = (torch.randn(shape, generator=generator).to(device) for shape in [(40, COLS), (16, COLS), (ROWS, 16)])
    x, scaling = x.to(dtype), 0.3
    found = qfuse.matmul_4bit_lora(x, weight, a, b, scaling, order="plain")
    a, b, x = a.to(dtype).double(), b.to(dtype).double(), x.double()
    down = scaling * x @ a.t()
    expected = x @ dense_of(weight).double().t() + down @ b.t()
    half_unit, terms = torch.finfo(dtype).eps / 2, COLS + 16
    magnitudes = x.abs() @ dense_of(weight).double().abs().t() + down.abs() @ b.abs().t()
    bound = half_unit * (expected.abs() + 1.01 * down.abs() @ b.abs().t()) + terms * 2**-23 * 2 * magnitudes
    assert ((found.double() - expected).abs() <= bound).all()


def arguments(device, dtype, **leaf):
    x, bias = (torch.randn(shape, device=device, dtype=dtype, **leaf) for shape in [(2, 3, COLS), (ROWS,)])
    low, b = (torch.randn(shape, device=device, dtype=dtype, **leaf) for shape in [(2, 3, RANK), (ROWS, RANK)])
    return x, exact_weight(device).tensors, bias, low, b


@pytest.mark.parametrize("dtype", DTYPES)
def test_opcheck(device, dtype):
    scalars = keywords(exact_weight(device))
    for leaf in ({}, {"requires_grad": True}):
        torch.library.opcheck(OP, arguments(device, dtype, **leaf), scalars)
    _, weight, _, low, _ = arguments(device, dtype)
    grad = torch.randn(2, 3, ROWS, device=device, dtype=dtype, requires_grad=True)
    a = torch.randn(RANK, COLS, device=device, dtype=dtype)
    torch.library.opcheck(OP, (grad, weight, None, low, a), {**scalars, "direction": "backward"})


@pytest.mark.parametrize("dtype", DTYPES)
def test_compiles_with_its_gradients_into_one_graph(device, backend, dtype):
    weight = exact_weight(device)
    a, b = adapter(device)

    def step(product):
        leaves = [leaf.clone().requires_grad_() for leaf in (arguments(device, dtype)[0].fill_(0.5), a, b)]
        y = product(leaves[0], weight, leaves[1], leaves[2], 0.5)
        y.float().square().sum().backward()
        return [y.detach()] + [leaf.grad for leaf in leaves]

    check_compiled(qfuse.matmul_4bit_lora, backend, step, near=True)


def test_a_compiled_block_keeps_no_decoded_weight_for_its_gradient(device):
    """Forward and backward decode the weight from the same tensors, so a compiler might keep one result for both."""
    gate, up, down = (make_weight(device, *shape).weight for shape in [(512, 256), (512, 256), (256, 512)])
    factors = [torch.ones(shape, device=device) / 64 for shape in [(8, 256), (512, 8)] * 2 + [(8, 512), (256, 8)]]
    leaves = [torch.ones(700, 256, device=device, dtype=torch.bfloat16), *factors]
    leaves = [leaf.requires_grad_() for leaf in leaves]

    def block(x, *factors):
        def product(x, weight, at):
            return matmul_4bit_lora(Call(x, weight, None, order=None), None, *factors[at : at + 2], 1.0)

        hidden = torch.nn.functional.silu(product(x, gate, 0)) * product(x, up, 2)
        return x + product(hidden, down, 4)

    def as_it_is(graph, _):
        return make_boxed_func(graph.forward)

    def kept(tensor):
        shapes.append(tuple(tensor.shape))
        return tensor

    shapes = []
    inductors = functools.partial(min_cut_rematerialization_partition, compiler="inductor")
    backend = aot_autograd(fw_compiler=as_it_is, bw_compiler=as_it_is, partition_fn=inductors)
    torch._dynamo.reset()
    with torch.autograd.graph.saved_tensors_hooks(kept, lambda tensor: tensor):
        found = torch.compile(block, fullgraph=True, backend=backend)(*leaves)
    assert (700, 256) in shapes and not {(512, 256), (256, 512)} & set(shapes), shapes
    gradients = torch.autograd.grad(found.float().sum(), leaves)
    expected = torch.autograd.grad(block(*leaves).float().sum(), leaves)
    for own, other in zip(gradients, expected, strict=True):
        torch.testing.assert_close(own, other, rtol=0.02, atol=0.02)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast(device, dtype):
    weight = exact_weight(device, dtype)
    x = few_integers(3, COLS, device=device, dtype=torch.float32).requires_grad_()
    a, b = (leaf.requires_grad_() for leaf in adapter(device))
    with torch.autocast(device, dtype):
        y = qfuse.matmul_4bit_lora(x, weight, a, b, SCALING)
        assert y.dtype == dtype
        y.float().sum().backward()
    assert x.grad.dtype == a.grad.dtype == torch.float32
    expected = (dense_of(weight).double() + SCALING * b.double() @ a.double()).sum(0)
    assert torch.allclose(x.grad.double(), expected.expand(3, COLS), rtol=0.02, atol=1)


def test_function_transforms(device):
    func = torch.func
    weight = exact_weight(device)
    dense, x = dense_of(weight), integers(4, COLS, device=device)
    a, b = adapter(device)

    def product(x, a, b):
        return qfuse.matmul_4bit_lora(x, weight, a, b, SCALING)

    expected = by_torch(x, dense, a, b)
    assert same_bits(func.vmap(product, in_dims=(0, None, None))(x, a, b), expected)
    adapters = torch.stack([a, a.flip(0)]), torch.stack([b, b.flip(0)])
    found = func.vmap(product, in_dims=(None, 0, 0))(x, *adapters)
    assert same_bits(found[1], by_torch(x, dense, adapters[0][1], adapters[1][1]))

    def loss(x, a, b):
        return product(x, a, b).sum()

    ones = torch.ones(ROWS, device=device)
    found = func.vmap(func.grad(loss, argnums=(0, 1, 2)), in_dims=(0, None, None))(x, a, b)
    assert same_bits(found[0], (ones @ dense + SCALING * (ones @ b) @ a).expand(4, COLS))
    assert torch.equal(found[1], SCALING * (ones @ b)[None, :, None] * x[:, None, :])
    assert torch.equal(found[2], (SCALING * x @ a.t())[:, None, :].expand(4, ROWS, RANK))


@pytest.fixture(params=[False, True], ids=["alone", "shared"])
def product(request):
    """matmul_4bit_lora, or matmul_4bit_lora_shared with one weight."""

    def shared(x, weight, a, b, scaling=SCALING):
        return qfuse.matmul_4bit_lora_shared(x, [weight], [a], [b], scaling)[0]

    def alone(x, weight, a, b, scaling=SCALING):
        return qfuse.matmul_4bit_lora(x, weight, a, b, scaling)

    return shared if request.param else alone


def kept_of(call):
    """Returns the result, and the tensors that hooks for saved tensors see, such as those that offload activations."""
    kept = {}
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.setdefault(t.data_ptr(), t) is None or t, lambda t: t):
        result = call()
    return result, kept


def test_what_is_kept_for_the_gradients(device, product):
    """x, x @ A.T, A, B and rounded A and B are kept; no weight, nothing of the size of y, and no x in fp32."""
    weight = exact_weight(device)
    x = few_integers(64, COLS, device=device, dtype=torch.bfloat16).requires_grad_()
    a, b = (leaf.requires_grad_() for leaf in adapter(device, rank=8))
    _, kept = kept_of(lambda: product(x, weight, a, b))
    own = {tensor.data_ptr() for tensor in (x, a, b)}
    assert own <= kept.keys() and not {tensor.data_ptr() for tensor in weight.tensors} & kept.keys()
    assert {tuple(t.shape) for pointer, t in kept.items() if pointer not in own} == {(64, 8), a.shape, b.shape}


def test_factors_that_were_changed_since_have_no_gradients_of_gradients(device, product):
    weight = exact_weight(device)
    x = few_integers(6, COLS, device=device, dtype=torch.bfloat16).requires_grad_()
    a, b = (leaf.requires_grad_() for leaf in adapter(device, rank=8))
    y = product(x, weight, a, b)
    with torch.no_grad():
        a.mul_(3)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(y.sum(), (x, a, b), create_graph=True)


def test_a_product_keeps_nothing(device):
    x = few_integers(64, COLS, device=device, dtype=torch.bfloat16).requires_grad_()
    y, kept = kept_of(lambda: qfuse.matmul_4bit(x, exact_weight(device)))
    assert not kept
    y.sum().backward()
    assert x.grad is not None


@pytest.mark.parametrize("trained", ["", "a", "b"])
def test_of_an_adapter_that_is_partly_frozen_only_what_counts_is_kept(device, trained, product):
    """x is kept for A's gradient, x @ A.T for B's (LoRA-FA trains only B)."""
    weight = exact_weight(device)
    x = few_integers(64, COLS, device=device, dtype=torch.bfloat16).requires_grad_()
    a, b = adapter(device, rank=8)
    a.requires_grad_("a" in trained)
    b.requires_grad_("b" in trained)
    y, kept = kept_of(lambda: product(x, weight, a, b))
    assert (x.data_ptr() in kept) == ("a" in trained)
    assert any(tensor.shape == (64, 8) for tensor in kept.values()) == ("b" in trained)
    y.float().sum().backward()
    expected = (dense_of(weight).double() + SCALING * b.double() @ a.double()).sum(0)
    assert torch.allclose(x.grad.double(), expected.expand(64, COLS), rtol=0.02, atol=1)
    assert (a.grad is not None, b.grad is not None) == ("a" in trained, "b" in trained)


def test_a_gradient_of_a_frozen_adapters_other_half_has_gradients(device):
    """B's gradient depends on x through x @ A.T, although x is not kept."""
    weight, (a, b) = exact_weight(device, torch.float32), adapter(device, rank=8)
    b.requires_grad_()
    x = few_integers(6, COLS, device=device, dtype=torch.float32).requires_grad_()

    def second(product):
        (grad_b,) = torch.autograd.grad(product().square().sum(), b, create_graph=True)
        return torch.autograd.grad(grad_b.sum(), (x, b))

    found = second(lambda: qfuse.matmul_4bit_lora(x, weight, a, b, SCALING))
    expected = second(lambda: by_torch(x, dense_of(weight), a, b))
    assert all(torch.allclose(*pair, rtol=1e-4, atol=1e-2) for pair in zip(found, expected, strict=True))


def relative(found, expected):
    return ((found.double() - expected).norm() / expected.norm()).item()


@pytest.mark.parametrize("scaling", [2.0**-10, 2.0**-5, 1.0, 48.0, 2.0**10])
@pytest.mark.parametrize("size_of_b", [1e-5, 1e-3, 1e-1])
def test_float16_is_as_near_to_float64_as_an_adapter_in_float32(device, scaling, size_of_b, product):
    """Gradients go down to 1e-7 without loss scaling; in float16, dy @ B would underflow and x @ A.T overflow."""
    weight = exact_weight(device, torch.float16)
    generator = torch.Generator().manual_seed(5)
    made = [torch.randn(*shape, generator=generator) for shape in [(32, COLS), (8, COLS), (ROWS, 8), (32, ROWS)]]
    for size in (1.0, 1e-3, 1e-5, 1e-7):
        x, a, b, grad = (tensor.to(device) for tensor in made)
        x, a, b, grad = x.half(), a / 16, b * size_of_b, (grad * size).half()

        def step(product, convert, x=x, a=a, b=b, grad=grad):
            leaves = [convert(leaf).clone().requires_grad_() for leaf in (x, a, b)]
            y = product(*leaves)
            y.backward(grad.to(y.dtype))
            return [y.detach(), *(leaf.grad for leaf in leaves)]

        def by_qfuse(x, a, b):
            return product(x, weight, a, b, scaling)

        def by_peft(x, a, b):
            dense = dense_of(weight).to(x.dtype)
            return linear(x, dense) + (linear(linear(x.to(a.dtype), a), b) * scaling).to(x.dtype)

        expected = step(by_peft, torch.Tensor.double)
        found, peft = step(by_qfuse, torch.Tensor.clone), step(by_peft, torch.Tensor.clone)
        for name, ours, theirs, right in zip("yxab", found, peft, expected, strict=True):
            assert relative(ours, right) <= 1.3 * relative(theirs, right) + 2e-4, (name, size)


def test_a_scaling_that_is_trained_has_a_gradient(device, product):
    weight, (a, b) = exact_weight(device, torch.float32), adapter(device)
    x = few_integers(6, COLS, device=device, dtype=torch.float32)
    scaling = torch.nn.Parameter(torch.tensor(SCALING, device=device))
    (found,) = torch.autograd.grad(product(x, weight, a, b, scaling).sum(), scaling)
    assert found == linear(linear(x, a), b).sum()


def test_many_gradients_at_once(device):
    """Gradients in batches: with is_grads_batched, and in jacobian(vectorize=True)."""
    weight, (a, b) = exact_weight(device, torch.float32), adapter(device)
    bias = integers(ROWS, device=device, dtype=torch.float32)
    x = few_integers(2, 3, COLS, device=device, dtype=torch.float32)
    leaves = [leaf.requires_grad_() for leaf in (x, a, b, bias)]
    grads = few_integers(4, 2, 3, ROWS, device=device, dtype=torch.float32)
    dense = dense_of(weight)
    expected = torch.autograd.grad(by_torch(x, dense, a, b, bias), leaves, grads, is_grads_batched=True)
    for y in (
        qfuse.matmul_4bit_lora(x, weight, a, b, SCALING, bias=bias),
        qfuse.matmul_4bit_lora_shared(x, [weight], [a], [b], SCALING, biases=[bias])[0],
    ):
        found = torch.autograd.grad(y, leaves, grads, is_grads_batched=True)
        assert all(same_bits(*pair) for pair in zip(found, expected, strict=True))
    row = x[0, 0].detach()
    jacobian = torch.autograd.functional.jacobian(lambda row: qfuse.matmul_4bit(row, weight), row, vectorize=True)
    assert same_bits(jacobian, dense)


def run_twice(leaves, weights, how):
    """Runs two layers of two products, each layer as how(layer, x). Returns the numbers of products forward and
    backward, and the gradients."""
    x, *factors = leaves
    first, second = weights
    calls = []
    ours = qfuse.ops.lora.without_gradient

    def counted(call):
        calls.append(call)
        return ours(call)

    def layer(x):
        inner = qfuse.matmul_4bit_lora(x, first, *factors[:2], SCALING)
        return x + qfuse.matmul_4bit_lora(torch.nn.functional.silu(inner), second, *factors[2:], SCALING)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(qfuse.ops.lora, "without_gradient", counted)
        y = how(layer, how(layer, x))
        forward = len(calls)
        gradients = torch.autograd.grad(y.float().square().sum(), leaves)
    return (forward, len(calls) - forward), gradients


def test_a_checkpoint_computes_all_but_a_layers_last_product_again(device):
    """The gradients have the bits of a layer that has no checkpoint."""
    weights = make_weight(device, 128, 64).weight, make_weight(device, 64, 128).weight
    torch.manual_seed(0)
    shapes = (6, 64), (RANK, 64), (128, RANK), (RANK, 128), (64, RANK)
    leaves = [(torch.randn(shape) / 8).to(device) for shape in shapes]
    leaves[0] = leaves[0].bfloat16()
    leaves = [leaf.requires_grad_() for leaf in leaves]

    def checkpointed(layer, x):
        return checkpoint(layer, x, use_reentrant=False)

    def kept_elsewhere(layer, x):
        with torch.autograd.graph.save_on_cpu():
            return layer(x)

    plain, expected = run_twice(leaves, weights, lambda layer, x: layer(x))
    for how, again in ((checkpointed, 2), (kept_elsewhere, 0)):
        counts, found = run_twice(leaves, weights, how)
        assert counts == (4, plain[1] + again)
        assert all(same_bits(a, b) for a, b in zip(found, expected, strict=True))

    def of_gradients(how):
        x, a, b, *_ = leaves
        y = how(lambda x: qfuse.matmul_4bit_lora(x, weights[0], a, b, SCALING), x)
        once = torch.autograd.grad(y.float().square().sum(), (x, a, b), create_graph=True)
        return torch.autograd.grad(sum(each.float().square().sum() for each in once), (a, b))

    for a, b in zip(of_gradients(checkpointed), of_gradients(lambda layer, x: layer(x)), strict=True):
        assert same_bits(a, b)


def test_a_weight_made_in_inference_mode_can_be_trained_through(device):
    """Such weights result from merging an adapter to generate and unmerging it; bitsandbytes can train then, too."""
    with torch.inference_mode():
        weight = exact_weight(device).to(device)
        weight = weight._replace(tensors=tuple(tensor.clone() for tensor in weight.tensors))
    assert weight.packed.is_inference()
    a, b = (leaf.requires_grad_() for leaf in adapter(device))
    x = few_integers(6, COLS, device=device, dtype=torch.bfloat16).requires_grad_()
    for product in (
        lambda: qfuse.matmul_4bit(x, weight),
        lambda: qfuse.matmul_4bit_lora(x, weight, a, b),
        lambda: qfuse.matmul_4bit_lora_shared(x, [weight], [a], [b])[0],
    ):
        x.grad = None
        product().sum().backward()
        assert x.grad is not None and x.grad.abs().sum() > 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_an_adapter_and_an_input_made_in_inference_mode(device, dtype, product):
    """torch's own operations cannot save such tensors."""
    weight = exact_weight(device)
    with torch.inference_mode():
        a, b = (torch.nn.Parameter(factor) for factor in adapter(device, dtype))
        x = few_integers(6, COLS, device=device, dtype=torch.bfloat16)
    found = torch.autograd.grad(product(x, weight, a, b).sum(), (a, b))
    normal = [leaf.detach().clone().requires_grad_() for leaf in (a, b)]
    y = qfuse.matmul_4bit_lora(x.clone(), weight, *normal, SCALING)
    assert all(same_bits(*pair) for pair in zip(found, torch.autograd.grad(y.sum(), normal), strict=True))


def test_rank_0_adds_nothing(device):
    weight, x = exact_weight(device), integers(3, COLS, device=device).requires_grad_()
    a, b = (leaf.requires_grad_() for leaf in adapter(device, rank=0))
    y = qfuse.matmul_4bit_lora(x, weight, a, b)
    y.sum().backward()
    assert same_bits(y, linear(x, dense_of(weight))) and a.grad.shape == (0, COLS) and b.grad.shape == (ROWS, 0)


def test_one_product_for_a_batch_of_inputs(device):
    weight, x, (a, b) = exact_weight(device), integers(40, COLS, device=device), adapter(device)
    product = torch.func.vmap(lambda x: qfuse.matmul_4bit_lora(x, weight, a, b, SCALING))
    with Calls("qfuse::matmul_4bit") as calls:
        found = product(x)
    assert calls.count <= 2 and same_bits(found, by_torch(x, dense_of(weight), a, b))


def test_a_transform_reads_no_memory_that_was_not_written(device):
    weight, x, (a, b) = exact_weight(device), integers(4, COLS, device=device), adapter(device)
    torch.use_deterministic_algorithms(True)  # fills empty tensors with NaN
    try:
        found = torch.func.vmap(lambda x: qfuse.matmul_4bit_lora(x, weight, a, b, SCALING))(x)
    finally:
        torch.use_deterministic_algorithms(False)
    assert same_bits(found, by_torch(x, dense_of(weight), a, b))


def test_forward_mode_is_refused(device):
    weight, x, (a, b) = exact_weight(device), integers(3, COLS, device=device), adapter(device)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
        for call in (lambda: qfuse.matmul_4bit_lora(dual, weight, a, b), lambda: qfuse.matmul_4bit(dual, weight)):
            with pytest.raises(RuntimeError, match=r"jvp|forward-mode"):
                call()


def test_refuses_whole_numbers(device):
    a, b = adapter(device)
    with pytest.raises(TypeError, match="they must be floating point"):
        qfuse.matmul_4bit_lora(integers(3, COLS, device=device), exact_weight(device), a.int(), b)


def test_refuses_shapes_that_do_not_fit(device):
    (a, b), x, weight = adapter(device), integers(3, COLS, device=device), exact_weight(device)
    for lora_a, lora_b in [(a[:, :-1], b), (a, b[:, :-1]), (a[0], b), (a, b[:-1])]:
        with pytest.raises(ValueError, match=rf"they must be \[rank, {COLS}\] and \[{ROWS}, rank\]"):
            qfuse.matmul_4bit_lora(x, weight, lora_a, lora_b)
    with pytest.raises(ValueError, match="lora_x has shape"):
        qfuse.matmul_4bit_lora(x, weight, a, b, lora_x=x[:1])


def test_the_op_refuses(device):
    weight = exact_weight(device)
    x, tensors, bias, low, b = arguments(device, torch.float32)
    for terms, message in [
        ((low, None), "given together"),
        ((low[:1], b), r"lora_in has 15 elements, it must have 30"),
        ((low, b.t()), r"lora_weight has shape \(5, 96\), it must be \(96, 5\)"),
        ((low.half(), b), "lora_in is float16, it must be float32"),
        ((low, b.half()), "lora_weight is float16, it must be float32"),
    ]:
        with pytest.raises(RuntimeError, match=message):
            OP(x, tensors, bias, *terms, **keywords(weight))


def layer_of(device, **options):
    """A module with an adapter of small integers."""
    layer = qfuse.nn.Linear4bitLoRA(exact_weight(device), RANK, SCALING * RANK, **options)
    with torch.no_grad():
        for parameter, values in zip(layer.parameters(), adapter(device), strict=True):
            parameter.copy_(values)
    return layer


def test_the_module_is_the_function(device):
    bias = integers(ROWS, device=device, seed=13)
    layer, x = layer_of(device, bias=bias), integers(3, COLS, device=device)
    a, b = adapter(device)
    y = layer(x)
    assert same_bits(y, by_torch(x, dense_of(layer.base), a, b, bias))
    y.sum().backward()
    assert torch.equal(layer.lora_A.weight.grad, SCALING * b.sum(0)[:, None] * x.sum(0))
    assert (
        list(layer.state_dict()) == [name for name, _ in layer.named_parameters()] == ["lora_A.weight", "lora_B.weight"]
    )
    assert "in_features" in repr(layer) and "quant_type=nf4" in repr(layer)


def test_an_untrained_module_is_its_weight(device):
    layer, x = qfuse.nn.Linear4bitLoRA(exact_weight(device)), integers(3, COLS, device=device)
    assert same_bits(layer(x), linear(x, dense_of(layer.base))) and layer.scaling == 1
    assert layer.lora_A.weight.shape == (16, COLS) and layer.lora_A.weight.count_nonzero() > 0


def test_the_module_drops_in_training_alone(device):
    layer, x = layer_of(device, dropout=0.5), integers(3, COLS, device=device)
    expected = by_torch(x, dense_of(layer.base), *adapter(device))
    assert not torch.equal(layer(x), expected)
    assert same_bits(layer.eval()(x), expected)


def test_a_module_of_another_dtype_keeps_its_scales(device):
    layer = layer_of(device, bias=integers(ROWS, device=device))
    scales = layer.base.absmax.clone()
    layer = layer.bfloat16()
    assert same_bits(layer.base.absmax, scales) and layer.lora_A.weight.dtype == layer.bias.dtype == torch.bfloat16
    assert layer(integers(3, COLS, device=device, dtype=torch.bfloat16)).dtype == torch.bfloat16
    if device == "cuda":
        assert layer.cpu().base.device.type == "cpu" == layer.lora_A.weight.device.type


def test_the_module_refuses(device):
    with pytest.raises(ValueError, match="rank is 0"):
        qfuse.nn.Linear4bitLoRA(exact_weight(device), 0)
    flat = exact_weight(device)._replace(shape=(ROWS * COLS,))
    with pytest.raises(ValueError, match="it must be a matrix"):
        qfuse.nn.Linear4bitLoRA(flat)
