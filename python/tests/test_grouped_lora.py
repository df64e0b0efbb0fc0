"""qfuse.matmul_4bit_grouped_lora: values and gradients, against single products and against sums in fp64."""

import itertools

import pytest
import torch
from conftest import DTYPES, same_bits
from test_grouped import UNEVEN, dense_layer, ends_of, gradients, keywords, slices_of, stack_of, values
from test_lora import few_integers
from test_matmul import check_compiled, check_slopes, integers
from test_matmul import leave_nothing_behind as leave_nothing_behind

import qfuse

EXPERTS, N, K, RANK, M = 6, 40, 64, 5, 29  # RANK is not a multiple of 8; the last 3 of M rows belong to no expert
SCALING = 2.0


def exact_stack(device, dtype, is_transposed=False):
    """A stack of -1, 0 and 1 times powers of two: its products with small integers sum exactly in any order."""
    shape = (EXPERTS, K, N) if is_transposed else (EXPERTS, N, K)
    generator = torch.Generator().manual_seed(5)
    codes = torch.tensor([0, 7, 15], dtype=torch.uint8)[torch.randint(3, (EXPERTS * N * K,), generator=generator)]
    absmax = torch.randint(3, (EXPERTS * N * K // 64,), generator=generator).float().exp2()
    return qfuse.Weight4bit(((codes[::2] << 4 | codes[1::2]).to(device), absmax.to(device)), shape, dtype)


def adapter(device, dtype=torch.float32):
    return (
        integers(EXPERTS, RANK, K, device=device, dtype=dtype, seed=11),
        integers(EXPERTS, N, RANK, device=device, dtype=dtype, seed=12),
    )


def by_torch(x, dense, a, b, bias, lora_x, is_transposed, scaling=SCALING):
    low = scaling * dense_layer(lora_x, a, UNEVEN)
    return dense_layer(x, dense, UNEVEN, bias, is_transposed) + dense_layer(low, b, UNEVEN)


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_exact_sums_and_gradients_are_those_of_torch(device, dtype, dropped, is_transposed):
    stack = exact_stack(device, dtype, is_transposed)
    dense = qfuse.dequantize_4bit(stack).double()
    leaves = [
        few_integers(M, K, device=device, dtype=dtype),
        few_integers(M, K, device=device, dtype=dtype, seed=8),
        integers(EXPERTS, N, device=device, dtype=dtype),
        *adapter(device),
    ]
    grad = few_integers(M, N, device=device, dtype=dtype, seed=7)

    def layer(x, lora_x, bias, a, b, order="plain"):
        own = {"lora_x": lora_x} if dropped else {}
        found = qfuse.matmul_4bit_grouped_lora(
            x, stack, ends, a, b, SCALING, bias=bias, is_transposed=is_transposed, order=order, **own
        )
        return found if dropped else found + lora_x.sum() * 0  # so that lora_x has a gradient, too

    def expected_layer(x, lora_x, bias, a, b):
        return by_torch(x, dense, a, b, bias, lora_x if dropped else x + lora_x.sum() * 0, is_transposed)

    expected, expected_gradients = gradients(expected_layer, [leaf.double() for leaf in leaves], grad.double(), UNEVEN)
    for index_type in (torch.int32, torch.int64):
        ends = ends_of(UNEVEN, device, index_type)
        found, found_gradients = gradients(layer, leaves, grad, UNEVEN)
        assert same_bits(found, expected.to(dtype))
        assert found_gradients[-1].dtype == torch.float32
        for one, other in zip(found_gradients, expected_gradients, strict=True):
            assert same_bits(one + 0, other.to(one.dtype) + 0)  # + 0 drops the sign of zeros


@pytest.mark.parametrize("dtype", DTYPES)
def test_has_the_bits_of_single_layers_of_what_is_exact(device, dtype):
    stack, singles = stack_of(device, (EXPERTS, N, K), "each", dtype=dtype)
    x = few_integers(M, K, device=device, dtype=dtype)
    a, b = adapter(device)
    found = qfuse.matmul_4bit_grouped_lora(x, stack, ends_of(UNEVEN, device), a, b, SCALING)
    for rows, single, own_a, own_b in zip(slices_of(UNEVEN), singles, a, b, strict=True):
        expected = qfuse.matmul_4bit_lora(x[rows], single, own_a, own_b, SCALING, order="plain")
        assert same_bits(found[rows], expected)


@pytest.mark.filterwarnings("ignore:.*not a double precision")
@pytest.mark.parametrize("is_transposed", [False, True])
def test_gradients_are_slopes(device, is_transposed):
    codes = torch.tensor([0, 7, 15], dtype=torch.uint8)[torch.arange(2 * 4 * 32) % 7 % 3]
    tensors = (codes[::2] << 4 | codes[1::2]).to(device), torch.arange(1.0, 9.0, device=device)
    stack = qfuse.Weight4bit(tensors, (2, 4, 32), torch.float32, "nf4", 32)
    n, k = (32, 4) if is_transposed else (4, 32)
    ends = ends_of((1, 3), device)
    x, a, b, grad = (
        integers(*shape, device=device, seed=seed).requires_grad_()
        for seed, shape in enumerate([(3, k), (2, 2, k), (2, n, 2), (3, n)])
    )

    def product(x, a, b):
        return qfuse.matmul_4bit_grouped_lora(x, stack, ends, a, b, SCALING, is_transposed=is_transposed)

    check_slopes(product, (x, a, b), (grad,))


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("scaling", [0.3, 64.0])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_errors_are_those_of_the_roundings(device, dtype, scaling, is_transposed):
    """Errors are those of rounding x times lora_a once, or twice with a scaling, the sum once, and of fp32 sums."""
    stack = exact_stack(device, dtype, is_transposed)
    x, a, b = (
        values(*shape, device=device, seed=seed)
        for seed, shape in enumerate([(M, K), (EXPERTS, 16, K), (EXPERTS, N, 16)])
    )
    x = x.to(dtype)
    ends = ends_of(UNEVEN, device)
    found = qfuse.matmul_4bit_grouped_lora(x, stack, ends, a, b, scaling, is_transposed=is_transposed, order="plain")
    low = torch.float32 if dtype == torch.float16 else dtype
    a, b, x = a.to(low).double(), b.to(low).double(), x.double()
    dense = qfuse.dequantize_4bit(stack).double()
    expected = by_torch(x, dense, a, b, None, x, is_transposed, scaling)
    sizes = by_torch(x.abs(), dense.abs(), a.abs(), b.abs(), None, x.abs(), is_transposed, scaling)
    low_sizes = dense_layer((scaling * dense_layer(x, a, UNEVEN)).abs(), b.abs(), UNEVEN)
    half_unit = torch.finfo(dtype).eps / 2
    bound = half_unit * (expected.abs() + 2.02 * low_sizes) + (K + 16) * 2**-23 * 2 * sizes
    assert ((found.double() - expected).abs() <= bound)[: UNEVEN[-1]].all()


def test_without_an_order_the_stack_is_decoded(device):
    stack = exact_stack(device, torch.float32)
    x, low, bias = (integers(*shape, device=device).requires_grad_() for shape in ((M, K), (M, RANK), (EXPERTS, N)))
    _, b = adapter(device)
    ends, results = ends_of(UNEVEN, device), []
    for order in (None, "plain"):
        found = qfuse.ops.matmul_4bit_grouped(x, stack.tensors, ends, bias, low, b, **keywords(stack), order=order)
        found = found[: UNEVEN[-1]]
        results.append([found, *torch.autograd.grad(found.sum(), (x, low, bias))])
    assert all(itertools.starmap(same_bits, zip(*results, strict=True)))


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_compiles_with_its_gradients_into_one_graph(device, backend, dtype, is_transposed):
    stack = exact_stack(device, dtype, is_transposed)
    a, b = adapter(device)
    ends = ends_of(UNEVEN, device)

    def step(product):
        leaves = [leaf.clone().requires_grad_() for leaf in (few_integers(26, K, device=device, dtype=dtype), a, b)]
        y = product(leaves[0], stack, ends, *leaves[1:], 0.5, is_transposed=is_transposed)
        y.float().mul(0.5).sum().backward()
        return [y.detach()] + [leaf.grad for leaf in leaves]

    check_compiled(qfuse.matmul_4bit_grouped_lora, backend, step, near=True)


def test_compiles_torchs_kernels(device, backend, monkeypatch):
    """A CPU has torch's kernels, too; here they replace the tiles."""
    monkeypatch.setattr(qfuse.ops.grouped_products, "has_kernel", lambda *_: True)
    stack = exact_stack(device, torch.bfloat16)
    leaves = [few_integers(26, K, device=device, dtype=torch.bfloat16), *adapter(device)]
    ends = ends_of(UNEVEN, device)

    def step(product):
        own = [leaf.clone().requires_grad_() for leaf in leaves]
        found = product(own[0], stack, ends, *own[1:], SCALING)
        return [found, *torch.autograd.grad(found, own, torch.ones_like(found))]

    check_compiled(qfuse.matmul_4bit_grouped_lora, backend, step)


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_function_transforms(device):
    stack = exact_stack(device, torch.float32)
    x, (a, b) = integers(26, K, device=device), adapter(device)
    ends = ends_of(UNEVEN, device)

    def loss(x, a, b):
        return qfuse.matmul_4bit_grouped_lora(x, stack, ends, a, b, SCALING).sum()

    leaves = [leaf.clone().requires_grad_() for leaf in (x, a, b)]
    loss(*leaves).backward()
    found = torch.func.grad(loss, argnums=(0, 1, 2))(x, a, b)
    assert all(same_bits(one, leaf.grad) for one, leaf in zip(found, leaves, strict=True))
    batched = torch.func.vmap(torch.func.grad(loss, argnums=(0, 1, 2)))(
        *(torch.stack([leaf, -leaf]) for leaf in (x, a, b))
    )
    assert all(same_bits(one[0], other) for one, other in zip(batched, found, strict=True))


def test_a_frozen_adapter_and_a_scaling_that_is_trained(device):
    stack = exact_stack(device, torch.float32)
    x, (a, b) = integers(26, K, device=device), adapter(device)
    ends, scaling = ends_of(UNEVEN, device), torch.tensor(2.0, device=device, requires_grad=True)
    found = qfuse.matmul_4bit_grouped_lora(x, stack, ends, a, b, scaling)
    found.sum().backward()
    low = dense_layer(x, a, UNEVEN)
    assert torch.equal(scaling.grad, dense_layer(low, b, UNEVEN).sum())
    b.requires_grad_()
    qfuse.matmul_4bit_grouped_lora(x, stack, ends, a, b).sum().backward()
    expected = torch.stack([low[rows].sum(0) for rows in slices_of(UNEVEN)])
    assert torch.equal(b.grad, expected[:, None].expand_as(b))


@pytest.mark.parametrize("m", [0, 3])
def test_no_rows_at_all(device, m):
    stack = exact_stack(device, torch.bfloat16)
    x = values(m, K, device=device, dtype=torch.bfloat16).requires_grad_()
    leaves = [leaf.requires_grad_() for leaf in adapter(device)]
    found = qfuse.matmul_4bit_grouped_lora(x, stack, ends_of((0,) * EXPERTS, device), *leaves)
    found.backward(torch.ones_like(found))
    assert found.shape == (m, N)
    assert all((leaf.grad == 0).all() for leaf in (x, *leaves))


def test_refuses(device):
    stack = exact_stack(device, torch.float32)
    x, (a, b), ends = integers(M, K, device=device), adapter(device), ends_of(UNEVEN, device)

    def refuse(error, message, a=a, b=b, ends=ends, **more):
        with pytest.raises(error, match=message):
            qfuse.matmul_4bit_grouped_lora(x, stack, ends, a, b, **more)

    shapes = r"they must be \[6, rank, 64\] and \[6, 40, rank\]"
    refuse(ValueError, shapes, a=a[0])
    refuse(ValueError, shapes, b=b[:3])
    refuse(ValueError, shapes, b=b[:, :, :2])
    refuse(TypeError, "must be floating point", a=a.int())
    refuse(ValueError, "lora_x has shape", lora_x=x[:2])
    refuse(RuntimeError, "lora_a lies on meta", a=a.to("meta"))
    refuse(RuntimeError, "expert_ends lies on meta", ends=ends.to("meta"))


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("with_lora", [False, True])
def test_many_gradients_at_once(device, with_lora, is_transposed):
    """Gradients in batches: with is_grads_batched, and in jacobian(vectorize=True)."""
    stack, ends = exact_stack(device, torch.float32, is_transposed), ends_of(UNEVEN, device)
    x = few_integers(M, K, device=device, dtype=torch.float32)
    bias = integers(EXPERTS, N, device=device, dtype=torch.float32)
    leaves = [leaf.requires_grad_() for leaf in (x, bias, *(adapter(device) if with_lora else ()))]
    somebodys = torch.arange(M, device=device)[:, None] < sum(UNEVEN)

    def layer(x, bias, *factors):
        product = qfuse.matmul_4bit_grouped_lora if with_lora else qfuse.matmul_4bit_grouped
        found = product(x, stack, ends, *factors, bias=bias, is_transposed=is_transposed)
        return torch.where(somebodys, found, 0)

    grads = few_integers(3, M, N, device=device, dtype=torch.float32)
    found = torch.autograd.grad(layer(*leaves), leaves, grads, is_grads_batched=True)
    singles = [torch.autograd.grad(layer(*leaves), leaves, grad) for grad in grads]
    for one, each in zip(found, zip(*singles, strict=True), strict=True):
        assert same_bits(one + 0, torch.stack(each) + 0)  # + 0 drops the sign of zeros

    def row(x):
        return layer(x, *leaves[1:])[1]

    jacobians = [torch.autograd.functional.jacobian(row, x.detach(), vectorize=way) for way in (True, False)]
    assert same_bits(*(each + 0 for each in jacobians))
