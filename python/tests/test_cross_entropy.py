"""training/cross_entropy.py: the loss and its gradient, against torch's with logits in float32 and in float64."""

import pytest
import torch
from conftest import DTYPES, NO_GPU, same_bits

import qfuse.training.cross_entropy as module
from qfuse.training.cross_entropy import UNCHANGED, Logits, linear_cross_entropy

cross_entropy = torch.nn.functional.cross_entropy
VOCABULARY, WIDTH = 101, 32
CHANGES = [UNCHANGED, Logits(0.5), Logits(1.0, 30.0), Logits(2.0, 5.0), Logits(-0.25, 3.0)]


def make(device, dtype=torch.float32, shape=(3, 70), vocabulary=VOCABULARY, seed=0):
    generator = torch.Generator().manual_seed(seed)
    hidden = torch.randn(*shape, WIDTH, generator=generator).to(device, dtype)
    weight = torch.randn(vocabulary, WIDTH, generator=generator).to(device, dtype)
    labels = torch.randint(vocabulary, shape, generator=generator)
    labels.view(-1)[::7] = -100
    return hidden.requires_grad_(), weight, labels.to(device)


def changed(z, changes):
    z = z * changes.scale
    return torch.tanh(z / changes.softcap) * changes.softcap if changes.softcap else z


def naive(hidden, weight, labels, changes=UNCHANGED, up=torch.float32, ignore_index=-100):
    z = changed((hidden @ weight.T).to(up), changes)
    return cross_entropy(z.flatten(0, -2), labels.flatten(), ignore_index=ignore_index, reduction="sum")


def with_gradient(function, hidden, *arguments, factor=1.0, **more):
    leaf = hidden.detach().requires_grad_()
    loss = function(leaf, *arguments, **more)
    (loss * factor).backward()
    return loss.detach(), leaf.grad


@pytest.mark.parametrize("changes", CHANGES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_errors_are_at_most_twice_those_of_logits_in_memory(device, dtype, changes, monkeypatch):
    """Errors against float64, with 210 tokens in chunks of 64; roundings are added, as the naive error may be 0."""
    monkeypatch.setattr(module, "CHUNK_BYTES", 1)
    hidden, weight, labels = make(device, dtype)
    exact_loss, exact = with_gradient(naive, hidden.double(), weight.double(), labels, changes, up=torch.float64)
    naive_loss, naive_gradient = with_gradient(naive, hidden, weight, labels, changes)
    loss, gradient = with_gradient(linear_cross_entropy, hidden, weight, labels, logits=changes)
    assert loss.dtype == torch.float32 and gradient.dtype == dtype
    one_rounding = torch.finfo(torch.float32).eps * exact_loss.abs()
    assert (loss - exact_loss).abs() <= 2 * (naive_loss - exact_loss).abs() + one_rounding * 4
    # Triton's exp is ex2.approx; PTX bounds its relative error by 2^-22.5.
    of_exponent = 2.0**-22 * exact.norm() if device == "cuda" else 0.0
    assert (gradient - exact).norm() <= 2 * (naive_gradient - exact).norm() + of_exponent


@pytest.mark.parametrize("dtype", DTYPES)
def test_chunks_make_no_difference(device, dtype, monkeypatch):
    """Chunks change nothing but the order of sums in a product of fewer rows."""
    hidden, weight, labels = make(device, dtype, shape=(201,))
    found = []
    for size in (1, 128 * VOCABULARY * hidden.element_size(), 1 << 27):
        monkeypatch.setattr(module, "CHUNK_BYTES", size)
        found.append(with_gradient(linear_cross_entropy, hidden, weight, labels))
    for loss, gradient in found[1:]:
        torch.testing.assert_close(loss, found[0][0], rtol=1e-6 if dtype == torch.float32 else 1e-3, atol=0)
        torch.testing.assert_close(gradient, found[0][1], rtol=1e-3, atol=2 * torch.finfo(dtype).eps)


def test_rows_of_a_chunk(monkeypatch):
    assert module.rows_of_a_chunk(128256, 2) == 512
    assert module.rows_of_a_chunk(1 << 40, 4) == 64
    assert module.rows_of_a_chunk(1000, 4) % 64 == 0


def test_large_vocabularies(device):
    """The vocabulary spans several blocks of the kernel, the last one partial."""
    hidden, weight, labels = make(device, shape=(5,), vocabulary=3 * 8192 + 17)
    labels[-1] = len(weight) - 1
    expected = with_gradient(naive, hidden, weight, labels)
    for a, b in zip(with_gradient(linear_cross_entropy, hidden, weight, labels), expected, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("ignore_index", [-100, 0, 5])
def test_ignored_labels(device, ignore_index):
    hidden, weight, labels = make(device)
    labels[labels == -100] = ignore_index
    expected = with_gradient(naive, hidden, weight, labels, ignore_index=ignore_index)
    found = with_gradient(linear_cross_entropy, hidden, weight, labels, ignore_index)
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b)
    assert (found[1][labels == ignore_index] == 0).all()
    loss, gradient = with_gradient(
        linear_cross_entropy, hidden, weight, torch.full_like(labels, ignore_index), ignore_index
    )
    assert loss == 0 and (gradient == 0).all()


def test_ignored_tokens_may_be_anything(device):
    """Hidden states of padding may be infinite."""
    hidden, weight, labels = make(device)
    with torch.no_grad():
        hidden[labels == -100] = torch.inf
    loss, gradient = with_gradient(linear_cross_entropy, hidden, weight, labels)
    expected, _ = with_gradient(naive, hidden[labels != -100], weight, labels[labels != -100])
    torch.testing.assert_close(loss, expected)
    assert (gradient[labels == -100] == 0).all() and gradient.isfinite().all()


@pytest.mark.parametrize("wrong", [-1, -101, VOCABULARY, 1 << 40])
def test_labels_out_of_range_make_it_nan(device, wrong):
    hidden, weight, labels = make(device)
    labels[1, 3] = wrong
    loss, gradient = with_gradient(linear_cross_entropy, hidden, weight, labels)
    assert loss.isnan() and gradient.shape == hidden.shape


def test_no_tokens(device):
    hidden, weight, labels = make(device, shape=(2, 0))
    loss, gradient = with_gradient(linear_cross_entropy, hidden, weight, labels)
    assert loss == 0 and gradient.shape == (2, 0, WIDTH)


@pytest.mark.parametrize("kept", DTYPES)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast(device, dtype, kept):
    hidden, weight, labels = make(device)
    weight = weight.to(kept)
    expected = with_gradient(linear_cross_entropy, hidden.to(dtype), weight.to(dtype), labels)
    with torch.autocast(device, dtype):
        found = with_gradient(linear_cross_entropy, hidden, weight, labels)
    assert found[1].dtype == torch.float32
    assert same_bits(found[0], expected[0]) and same_bits(found[1], expected[1].float())


def test_gradient_of_what_comes_behind(device):
    hidden, weight, labels = make(device)
    loss, once = with_gradient(linear_cross_entropy, hidden, weight, labels)
    _, scaled = with_gradient(linear_cross_entropy, hidden, weight, labels, factor=0.25)
    assert same_bits(scaled, once * 0.25)
    with torch.no_grad():
        assert same_bits(linear_cross_entropy(hidden, weight, labels), loss)
    assert not linear_cross_entropy(hidden.detach(), weight, labels).requires_grad
    with pytest.raises(RuntimeError, match="once_differentiable"):
        (gradient,) = torch.autograd.grad(linear_cross_entropy(hidden, weight, labels) ** 2, hidden, create_graph=True)
        gradient.sum().backward()


def test_arguments_of_any_strides(device):
    hidden, weight, labels = make(device, shape=(8, 64))
    expected = with_gradient(linear_cross_entropy, hidden, weight, labels)
    turned = hidden.detach().transpose(0, 1).contiguous().transpose(0, 1)
    every_second = torch.stack([labels, torch.full_like(labels, 3)], -1).view(8, -1)[:, ::2]
    found = with_gradient(linear_cross_entropy, turned, weight.T.contiguous().T, every_second)
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b)
    one_row = with_gradient(linear_cross_entropy, hidden[0], weight, every_second[0])
    torch.testing.assert_close(one_row[0], naive(hidden[0], weight, labels[0]).detach())


def test_what_is_refused(device):
    hidden, weight, labels = make(device)
    with pytest.raises(ValueError, match="no gradient of the weight"):
        linear_cross_entropy(hidden, weight.clone().requires_grad_(), labels)
    with pytest.raises(ValueError, match=r"labels have shape \[3, 69\], hidden of \[3, 70, 32\]"):
        linear_cross_entropy(hidden, weight, labels[:, 1:])


@pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU)
def test_the_kernel_is_there():
    assert module.kernels is not None
