"""qfuse.matmul_4bit_lora_shared: one x, several weights; against exact sums, torch's autograd and single calls."""

import pytest
import torch
from conftest import DTYPES, Calls, same_bits
from test_lora import SCALING, by_torch, dense_of, few_integers
from test_matmul import COLS, check_slopes, exact_weight, first_rows, integers

import qfuse

SHARES = (96, 40, 8)  # rows of each weight
RANKS = (5, 8, 16)


def weights_of(device, dtype=torch.float32):
    """Returns weights from different places of one weight, so that no two are alike."""
    whole = exact_weight(device, dtype)
    weights, first = [], 0
    for rows in SHARES:
        packed, absmax = (
            tensor.roll(-first * COLS // each) for tensor, each in zip(whole.tensors, (2, 64), strict=True)
        )
        tensors = (packed[: rows * COLS // 2].clone(), absmax[: rows * COLS // 64].clone())
        weights.append(whole._replace(tensors=tensors, shape=(rows, COLS)))
        first += 8
    return weights


def adapters(device):
    lora_as = [few_integers(rank, COLS, device=device, dtype=torch.float32, seed=20 + rank) for rank in RANKS]
    lora_bs = [
        few_integers(rows, rank, device=device, dtype=torch.float32, seed=40 + rank)
        for rows, rank in zip(SHARES, RANKS, strict=True)
    ]
    return lora_as, lora_bs


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["plain", None])
@pytest.mark.parametrize("dropped", [False, True])
def test_exact_values_and_gradients_are_those_of_torch(device, dtype, order, dropped):
    weights = weights_of(device, dtype)
    dense = [dense_of(weight).double() for weight in weights]
    for shape in [(2, 3, COLS), (COLS,), (0, COLS)]:
        leaves = [
            few_integers(*shape, device=device, dtype=dtype),
            few_integers(*shape, device=device, dtype=dtype, seed=8),
            *(integers(rows, device=device, dtype=dtype, seed=rows) for rows in SHARES[:2]),
            *(factor for factors in adapters(device) for factor in factors),
        ]
        grads = [few_integers(*shape[:-1], rows, device=device, dtype=dtype, seed=rows) for rows in SHARES]

        def run(product, convert, leaves=leaves, grads=grads):
            leaves = [convert(leaf).clone().requires_grad_() for leaf in leaves]
            x, lora_x, first, second, *factors = leaves
            products = product(x, lora_x if dropped else None, (first, second, None), factors[:3], factors[3:])
            torch.autograd.backward(products, [convert(grad) for grad in grads])
            return [*(y.detach() for y in products), *(leaf.grad for leaf in leaves if leaf.grad is not None)]

        expected = run(
            lambda x, lora_x, biases, lora_as, lora_bs: [
                by_torch(x, *each[:3], bias=each[3], lora_x=lora_x)
                for each in zip(dense, lora_as, lora_bs, biases, strict=True)
            ],
            torch.Tensor.double,
        )
        found = run(
            lambda x, lora_x, biases, lora_as, lora_bs: qfuse.matmul_4bit_lora_shared(
                x, weights, lora_as, lora_bs, SCALING, biases=biases, lora_x=lora_x, order=order
            ),
            lambda leaf: leaf,
        )
        # Adding 0 turns -0 into 0: a sum of one term may be -0.
        assert all(same_bits(a + 0, b.to(a.dtype) + 0) for a, b in zip(found, expected, strict=True))


@pytest.mark.filterwarnings("ignore:.*not a double precision")
@pytest.mark.parametrize("dropped", [False, True])
def test_gradients_are_slopes(device, dropped):
    shares, whole = (8, 12), exact_weight(device, cols=64)
    other = whole._replace(tensors=tuple(tensor.roll(tensor.numel() // 2) for tensor in whole.tensors))
    weights = [first_rows(each, rows) for each, rows in zip((whole, other), shares, strict=True)]
    x, lora_x = (integers(2, 64, device=device, seed=seed).requires_grad_() for seed in (6, 8))
    lora_as = [integers(2, 64, device=device, seed=seed).requires_grad_() for seed in (11, 12)]
    lora_bs = [integers(rows, 2, device=device, seed=rows).requires_grad_() for rows in shares]

    def products(x, lora_x, *factors):
        return qfuse.matmul_4bit_lora_shared(
            x, weights, factors[:2], factors[2:], SCALING, lora_x=lora_x if dropped else None
        )

    grads = tuple(integers(2, rows, device=device, seed=rows).requires_grad_() for rows in shares)
    check_slopes(products, (x, lora_x, *lora_as, *lora_bs), grads)


def test_an_output_that_is_not_used_adds_nothing(device):
    weights, (lora_as, lora_bs) = weights_of(device), adapters(device)
    x = integers(3, COLS, device=device).requires_grad_()
    lora_as = [lora_a.requires_grad_() for lora_a in lora_as]
    qfuse.matmul_4bit_lora_shared(x, weights, lora_as, lora_bs, SCALING)[1].sum().backward()
    expected = (dense_of(weights[1]) + SCALING * lora_bs[1] @ lora_as[1]).sum(0)
    assert torch.equal(x.grad, expected.expand(3, COLS))
    assert not lora_as[0].grad.any() and lora_as[1].grad.any() and not lora_as[2].grad.any()


@pytest.mark.parametrize("frozen", ["x", "lora_as", "lora_bs"])
def test_what_is_frozen_has_no_gradient(device, frozen):
    weights, (lora_as, lora_bs) = weights_of(device), adapters(device)
    leaves = {"x": [integers(3, COLS, device=device)], "lora_as": lora_as, "lora_bs": lora_bs}
    for name, tensors in leaves.items():
        for tensor in tensors:
            tensor.requires_grad_(name != frozen)
    sum(y.sum() for y in qfuse.matmul_4bit_lora_shared(leaves["x"][0], weights, lora_as, lora_bs)).backward()
    for name, tensors in leaves.items():
        assert all((tensor.grad is None) == (name == frozen) for tensor in tensors)


def test_adapters_that_are_not_trained_keep_nothing_but_themselves(device):
    weights, (lora_as, lora_bs) = weights_of(device), adapters(device)
    x = few_integers(3, COLS, device=device, dtype=torch.float32).requires_grad_()
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        products = qfuse.matmul_4bit_lora_shared(x, weights, lora_as, lora_bs, SCALING)
    assert len(kept) == 1 + 3 * len(lora_bs) and not any(len(tensor) == len(x) for tensor in kept)  # no x, no x @ A.T
    sum(y.sum() for y in products).backward()
    expected = sum((dense_of(w) + SCALING * b @ a).sum(0) for w, a, b in zip(weights, lora_as, lora_bs, strict=True))
    assert torch.equal(x.grad, expected.expand(3, COLS))


def test_without_gradients_the_values_are_the_same(device):
    weights, (lora_as, lora_bs) = weights_of(device), adapters(device)
    x = integers(3, COLS, device=device)
    found = qfuse.matmul_4bit_lora_shared(x, weights, lora_as, lora_bs, SCALING)
    watched = qfuse.matmul_4bit_lora_shared(x.clone().requires_grad_(), weights, lora_as, lora_bs, SCALING)
    assert all(same_bits(a, b) for a, b in zip(found, watched, strict=True)) and not found[0].requires_grad


def test_x_is_multiplied_by_all_factors_at_once(device):
    """One product gives all x @ A.T, and one the adapters' part of x's gradient; each weight has its own product."""
    weights, (lora_as, lora_bs) = weights_of(device), adapters(device)
    x = integers(3, COLS, device=device).requires_grad_()
    with Calls("aten::addmm") as down:
        products = qfuse.matmul_4bit_lora_shared(x, weights, lora_as, lora_bs, SCALING, order="plain")
    assert down.count == 1
    with Calls("qfuse::matmul_4bit") as calls:
        torch.autograd.backward(products, [torch.ones_like(y) for y in products])
    assert calls.count <= len(weights)


def test_compiles_and_is_transformed(device):
    weights, (lora_as, lora_bs) = weights_of(device), adapters(device)
    x = integers(4, COLS, device=device)

    def product(x):
        return qfuse.matmul_4bit_lora_shared(x, weights, lora_as, lora_bs, SCALING)

    torch._dynamo.reset()
    expected = product(x)
    for found in (torch.compile(product, fullgraph=True, backend="aot_eager")(x), torch.func.vmap(product)(x)):
        assert all(same_bits(a, b) for a, b in zip(found, expected, strict=True))


def test_refuses(device):
    weights, (lora_as, lora_bs) = weights_of(device), adapters(device)
    x = integers(3, COLS, device=device)
    with pytest.raises(ValueError, match="there are 3 weights, 2 lora_as, 3 lora_bs and 3 biases"):
        qfuse.matmul_4bit_lora_shared(x, weights, lora_as[:2], lora_bs)
    with pytest.raises(ValueError, match="at least one"):
        qfuse.matmul_4bit_lora_shared(x, [], [], [])
    with pytest.raises(TypeError, match="must be of one dtype"):
        qfuse.matmul_4bit_lora_shared(x, weights, [lora_as[0].half(), *lora_as[1:]], lora_bs)
    with pytest.raises(ValueError, match=rf"they must be \[rank, {COLS}\] and \[{SHARES[1]}, rank\]"):
        qfuse.matmul_4bit_lora_shared(x, weights, lora_as, [lora_bs[0], lora_bs[0], lora_bs[2]])
    with pytest.raises(ValueError, match="lora_x has shape"):
        qfuse.matmul_4bit_lora_shared(x, weights, lora_as, lora_bs, lora_x=x[:1])
