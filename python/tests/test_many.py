"""qfuse.matmul_4bit_many and its op: the bits of single calls, and when it is one op."""

import functools

import pytest
import torch
from conftest import DTYPES, Calls, make_weight, same_bits

import qfuse

OP = torch.ops.qfuse.matmul_4bit_many.default
ROWS, COLS = (64, 24, 40), 192


def weights_of(device, nested=True):
    """Returns weights of which no two are alike."""
    weights = []
    for seed, rows in enumerate(ROWS):
        original = torch.randn(rows, COLS, generator=torch.Generator().manual_seed(seed)).to(device)
        tensors = (
            qfuse.ops.quantize_4bit_nested(original, 64, "nf4")
            if nested
            else qfuse.ops.quantize_4bit(original, 64, "nf4")
        )
        weights.append(qfuse.Weight4bit(tensors, (rows, COLS), torch.bfloat16))
    return weights


def values(*shape, device, dtype=torch.bfloat16, seed=9):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(device, dtype)


def biases_of(device, dtype=torch.bfloat16):
    return [values(rows, device=device, dtype=dtype, seed=rows) for rows in ROWS]


def all_same_bits(found, expected):
    return all(same_bits(a, b) for a, b in zip(found, expected, strict=True))


def singles(x, weights, biases=(None, None, None), order=None):
    return [qfuse.matmul_4bit(x, w, bias=b, order=order) for w, b in zip(weights, biases, strict=True)]


def count_of(product):
    """Returns how often a product calls the op."""
    with Calls("qfuse::matmul_4bit_many") as calls:
        product()
    return calls.count


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["plain", "split", None])
@pytest.mark.parametrize("nested", [False, True])
def test_has_the_bits_of_single_products(device, dtype, order, nested):
    weights, biases = weights_of(device, nested), biases_of(device, dtype)
    for shape in [(COLS,), (1, COLS), (2, 3, COLS), (0, COLS), (300, COLS)]:
        x = values(*shape, device=device, dtype=dtype)
        for given in (None, biases, [None, *biases[1:]]):
            found = qfuse.matmul_4bit_many(x, weights, biases=given, order=order)
            assert all_same_bits(found, singles(x, weights, given or [None] * 3, order))
    apart = values(4, COLS + 8, device=device, dtype=dtype)
    for x in (apart[:, :COLS], values(COLS, 4, device=device, dtype=dtype).t()):
        assert all_same_bits(qfuse.matmul_4bit_many(x, weights), singles(x, weights))


def test_of_no_weight_and_of_one(device):
    x, weights = values(2, COLS, device=device), weights_of(device)
    assert qfuse.matmul_4bit_many(x, []) == ()
    assert all_same_bits(qfuse.matmul_4bit_many(x, weights[:1]), singles(x, weights[:1], [None]))
    assert OP(x, [], [], rows=[]) == []


def test_takes_what_matmul_4bit_takes(device):
    bitsandbytes = pytest.importorskip("bitsandbytes")
    layer = bitsandbytes.nn.Linear4bit(COLS, 40, bias=True, compute_dtype=torch.bfloat16, quant_type="nf4").to(device)
    weights, states = [layer, layer.weight.data], [None, layer.weight.quant_state]
    x = values(2, COLS, device=device)
    found = qfuse.matmul_4bit_many(x, weights, states)
    assert count_of(lambda: qfuse.matmul_4bit_many(x, weights, states)) == 1
    assert all_same_bits(found, [qfuse.matmul_4bit(x, layer)] * 2)


def test_is_one_op_where_the_weights_are_alike(device):
    x, weights, biases = values(2, COLS, device=device), weights_of(device), biases_of(device)
    leaf = x.clone().requires_grad_()
    other = weights[0]._replace(quant_type="fp4")
    assert count_of(lambda: qfuse.matmul_4bit_many(x, weights, biases=biases)) == 1
    others = {
        "another quant_type": (x, [*weights, other], None),
        "one not nested": (x, [*weights, weights_of(device, False)[0]], None),
        "one bias": (x, weights, [None, *biases[1:]]),
        "a gradient": (leaf, weights, None),
        "a gradient of one bias": (x, weights, [*biases[:2], biases[2].clone().requires_grad_()]),
    }
    for what, (given, those, bias) in others.items():
        found = qfuse.matmul_4bit_many(given, those, biases=bias)
        assert count_of(functools.partial(qfuse.matmul_4bit_many, given, those, biases=bias)) == 0, what
        assert all_same_bits(found, singles(given, those, bias or [None] * len(those))), what


def test_gradients_are_those_of_single_products(device):
    weights = weights_of(device)

    def gradients(product):
        x = values(3, COLS, device=device).requires_grad_()
        biases = [bias.requires_grad_() for bias in biases_of(device)]
        torch.cat(product(x, biases), -1).square().sum().backward()
        return [leaf.grad for leaf in (x, *biases)]

    expected = gradients(lambda x, biases: singles(x, weights, biases, "plain"))
    tensors = [tensor for weight in weights for tensor in weight.tensors]
    for product in (
        lambda x, biases: qfuse.matmul_4bit_many(x, weights, biases=biases),
        lambda x, biases: OP(x, tensors, biases, rows=ROWS),
        torch.compile(
            lambda x, biases: qfuse.matmul_4bit_many(x, weights, biases=biases), fullgraph=True, backend="aot_eager"
        ),
    ):
        torch._dynamo.reset()
        assert all_same_bits(gradients(product), expected)


def test_compiles_to_one_op(device, backend):
    weights, x = weights_of(device), values(2, COLS, device=device)
    seen = []

    def look(graph, _):
        seen.extend(str(node.target) for node in graph.graph.nodes if "qfuse" in str(node.target))
        return graph

    for compiler in (look, backend):
        torch._dynamo.reset()
        found = torch.compile(lambda x: qfuse.matmul_4bit_many(x, weights), fullgraph=True, backend=compiler)(x)
        assert all_same_bits(found, singles(x, weights))
    assert seen == ["qfuse.matmul_4bit_many.default"]


def test_is_transformed(device):
    weights, x = weights_of(device), values(4, COLS, device=device, dtype=torch.float32)

    def product(x):
        return qfuse.matmul_4bit_many(x, weights, order="plain")

    assert all_same_bits(torch.func.vmap(product)(x), product(x))
    expected = x.clone().requires_grad_()
    singles(expected, weights, order="plain")[1].square().sum().backward()
    assert same_bits(torch.func.grad(lambda x: product(x)[1].square().sum())(x), expected.grad)


def test_a_fake_has_the_shapes(device):
    tensors = [tensor.to("meta") for weight in weights_of(device) for tensor in weight.tensors]
    found = OP(torch.empty(2, 3, COLS, dtype=torch.float16, device="meta"), tensors, [], rows=ROWS)
    assert [tuple(y.shape) for y in found] == [(2, 3, rows) for rows in ROWS]
    assert all(y.dtype == torch.float16 and y.is_meta for y in found)


def test_autocast_is_that_of_single_products(device):
    weights, x = weights_of(device), values(2, COLS, device=device, dtype=torch.float32)
    with torch.autocast(device, dtype=torch.bfloat16):
        found, expected = qfuse.matmul_4bit_many(x, weights), singles(x, weights)
    assert found[0].dtype == torch.bfloat16 and all_same_bits(found, expected)


def test_refuses(device):
    weights, x = weights_of(device), values(2, COLS, device=device)
    narrow = make_weight(device, cols=128).weight
    with pytest.raises(ValueError, match=r"x has shape \(2, 192\), the weight .*64, 128"):
        qfuse.matmul_4bit_many(x, [*weights, narrow])
    with pytest.raises(ValueError, match="there are 3 weights, 2 quant_states and 3 biases, they must be as many"):
        qfuse.matmul_4bit_many(x, weights, [None] * 2)
    with pytest.raises(ValueError, match="there are 3 weights, 3 quant_states and 1 biases"):
        qfuse.matmul_4bit_many(x, weights, biases=[None])
    with pytest.raises(RuntimeError, match="order is 'fast'"):
        qfuse.matmul_4bit_many(x, weights, order="fast")


REFUSED = {
    "too few tensors": (dict(rows=(64, 24)), r"weights has 5 tensors, rows 2 entries: there must be as many"),
    "no rows": (dict(rows=()), "weights has 5 tensors, rows 0 entries"),
    "other rows": (dict(rows=(63,)), r"products\[0\]: packed has 6144 bytes, 12096 4-bit codes need 6048"),
    "too many biases": (dict(biases=2), "biases has 2 tensors, it must have 1, or none"),
    "x of no dimension": (dict(x=()), r"x has shape \[?\(?\)?\]?, it must be"),
    "x of another width": (dict(x=(2, 100)), r"products\[0\]: packed has 6144 bytes"),
    "no such order": (dict(order="fast"), "order is 'fast', it can be 'plain', 'split' or 'factored'"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_op_refuses(device, what):
    changes, message = REFUSED[what]
    weight = weights_of(device)[0]
    x = values(*changes.get("x", (2, COLS)), device=device)
    biases = biases_of(device)[: changes.get("biases", 0)]
    more = {name: change for name, change in changes.items() if name in ("rows", "order")}
    with pytest.raises(RuntimeError, match=message):
        qfuse.ops.matmul_4bit_many(x, weight.tensors, biases, **{"rows": weight.shape[:1], **more})
