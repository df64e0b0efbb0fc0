"""What torch's inductor builds of each op and of a training step, which takes seconds. test_swiglu_calls.py has this
for swiglu's formats. Elsewhere, products and layers are compiled with aot_eager, whose graphs are inductor's, and by
`make test-all` with inductor, too."""

import pytest
import test_grouped as grouped
import test_grouped_lora as grouped_lora
import test_lora as lora
import test_ops as ops
import torch
from conftest import make_weight, same_bits
from torch.utils._pytree import tree_leaves, tree_map

import qfuse


def tensors_of(tree):
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def copied(tree):
    return tree_map(lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else leaf, tree)


def compiled(function, inductor, **options):
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend=inductor, **options)


@pytest.mark.parametrize("index", ops.CALLS)
def test_an_op(inductor, device, index):
    """Compares what the op returns, or what it writes into its arguments."""
    op, *given = ops.calls(device)[index]

    def run(args, kwargs):
        result = op(*args, **kwargs)
        return result if result is not None else [tensor.clone() for tensor in tensors_of([args, kwargs])]

    found, expected = compiled(run, inductor)(*copied(given)), run(*copied(given))
    pairs = zip(tensors_of(found), tensors_of(expected), strict=True)
    assert all(same_bits(*pair) for pair in pairs)


def test_a_step_of_products(inductor, device):
    """Forward and backward; other steps consist of the same parts."""
    weight = make_weight(device).weight._replace(dtype=torch.float32)
    stack = grouped_lora.exact_stack(device, torch.float32)
    ends = grouped.ends_of(grouped.UNEVEN, device)
    leaves = [
        torch.full((2, 3, 192), 0.5, device=device),
        torch.full((64,), 0.25, device=device),
        lora.few_integers(26, grouped_lora.K, device=device, dtype=torch.float32),
        *grouped_lora.adapter(device),
    ]

    def forward(x, bias, x_grouped, stack_a, stack_b):
        return [
            qfuse.matmul_4bit(x, weight, bias=bias),
            qfuse.matmul_4bit_grouped_lora(x_grouped, stack, ends, stack_a, stack_b, 0.5),
        ]

    def step(function):
        own = [leaf.detach().clone().requires_grad_() for leaf in leaves]
        found = function(*own)
        sum(y.square().sum() for y in found).backward()
        return [y.detach() for y in found] + [leaf.grad for leaf in own]

    for one, other in zip(step(compiled(forward, inductor)), step(forward), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-3 * float(other.abs().max()))


def test_any_number_of_rows(inductor, device):
    weight = make_weight(device).weight
    product = compiled(qfuse.matmul_4bit, inductor, dynamic=True)
    for rows in (2, 3, 40, 300):
        x = torch.randn(rows, 192, device=device)
        assert same_bits(product(x, weight), qfuse.matmul_4bit(x, weight))
