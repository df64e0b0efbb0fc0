"""integrations/transformers_loss.py: a model's loss without its logits, and true logits for every reader."""

import copy
import io
import pickle

import pytest
import torch
from training_models import VOCABULARY, add_adapters, make, make_base, make_batch, peft, transformers

from qfuse.integrations.transformers_loss import DeferredLogits, defer, why_not

FAMILIES = {
    "llama": {},
    "gemma2": dict(final_logit_softcapping=7.0),
    "gemma3_text": dict(final_logit_softcapping=3.0),
    "granite": dict(logits_scaling=6.0),
    "cohere": dict(logit_scale=0.3),
}


def make_twins(family="llama", **more):
    plain = make(family, **more)
    deferred = copy.deepcopy(plain)
    base = deferred.get_base_model()
    assert why_not(base) is None
    return plain, deferred, defer(base)


def base_of(model):
    return model.get_base_model()


def gradients(model):
    return {name: each.grad for name, each in model.named_parameters() if each.grad is not None}


def assert_trained_equally(plain, deferred, batch, **more):
    losses = [model(**batch, **more).loss for model in (plain, deferred)]
    torch.testing.assert_close(losses[1], losses[0], equal_nan=True)
    for model, loss in zip((plain, deferred), losses, strict=True):
        model.zero_grad()
        loss.backward()
    expected, found = gradients(plain), gradients(deferred)
    assert expected.keys() == found.keys()
    for name, gradient in expected.items():
        torch.testing.assert_close(found[name], gradient, rtol=1e-4, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_families_do_to_logits_stays_deferred(family):
    plain, deferred, _ = make_twins(family, **FAMILIES[family])
    batch = make_batch(20, "right")
    outputs = deferred(**batch)
    assert type(outputs.logits) is DeferredLogits and outputs.logits.computed is None
    torch.testing.assert_close(outputs.logits + 0, plain(**batch).logits)
    assert_trained_equally(plain, deferred, batch)


def test_floats_of_other_dtypes_stay_deferred():
    plain, deferred, _ = make_twins()
    batch = make_batch(20)
    with torch.autocast("cpu", torch.bfloat16):
        outputs, expected = deferred(**batch), plain(**batch)
    assert outputs.logits.dtype == expected.logits.dtype == torch.bfloat16
    floats = outputs.logits.float()
    assert type(floats) is DeferredLogits and floats.dtype == torch.float32
    # computed after autocast has ended, as it would have been within it
    assert torch.equal(floats + 0, expected.logits.float())
    assert torch.equal(outputs.logits + 0, expected.logits)
    torch.testing.assert_close(outputs.loss, expected.loss, rtol=1e-5, atol=0)
    losses = [
        base_of(model).loss_function(model(**batch).logits, batch["labels"], VOCABULARY)
        for model in map(under_autocast, (plain, deferred))
    ]
    torch.testing.assert_close(*losses, rtol=1e-5, atol=0)


def under_autocast(model):
    """Puts only the model's forward under autocast, as accelerate does."""
    model.forward = torch.autocast("cpu", torch.bfloat16)(model.forward)
    return model


CHANGES = {
    "none": lambda z: z,
    "factors": lambda z: z / 2 * 3 / 0.5,
    "a cap": lambda z: torch.tanh(z / 3) * 3,
    "a cap below zero": lambda z: torch.tanh(z / -3) * -3,
    "a cap of one": lambda z: z.tanh() * 1.0 * 2,
    "another factor": lambda z: 2 * torch.tanh(z * 3),
    "two factors behind it": lambda z: torch.tanh(z) * 2 * 5,
    "a quotient behind it": lambda z: torch.tanh(z) / 2,
    "a cap over another": lambda z: torch.tanh(torch.tanh(z) * 3) * 4,
    "a tensor": lambda z: z * torch.tensor(2.0),
    "zero": lambda z: z * 0,
    "floats between": lambda z: (torch.tanh(z.float() / 3) * 3).float(),
    "a sum": lambda z: (z + 1) * 2,
    "a rounded quotient": lambda z: torch.div(z, 0.5, rounding_mode="floor"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_loss_is_that_of_changed_logits(change):
    plain, deferred, _ = make_twins()
    batch = make_batch(6)
    losses = []
    for model in (plain, deferred):
        logits = model(**batch | dict(labels=None)).logits
        losses.append(base_of(model).loss_function(change(logits), batch["labels"], VOCABULARY))
    torch.testing.assert_close(*losses)


BATCHES = {
    "a number of tokens": dict(num_items_in_batch=torch.tensor(300)),
    "as an integer": dict(num_items_in_batch=300),
    "as a float": dict(num_items_in_batch=300.0),
    "options of cross_entropy": dict(label_smoothing=0.3),
    "some of the logits": dict(logits_to_keep=20),
}


@pytest.mark.parametrize("more", BATCHES.values(), ids=BATCHES)
def test_arguments_of_the_loss(more):
    plain, deferred, _ = make_twins()
    assert_trained_equally(plain, deferred, make_batch(20, "hole"), **more)


def test_labels():
    plain, deferred, _ = make_twins()
    batch = make_batch(20, "hole")
    labels = batch.pop("labels")
    assert_trained_equally(plain, deferred, batch, labels=labels, shift_labels=labels.roll(3, 1))
    assert_trained_equally(plain, deferred, batch, labels=torch.full_like(labels, -100))
    assert_trained_equally(plain, deferred, batch, labels=labels.where(labels != -100, 7), ignore_index=7)
    assert_trained_equally(plain, deferred, batch, labels=labels, ignore_index=-100)
    assert_trained_equally(plain, deferred, batch, labels=labels.view(1, -1))
    assert deferred(**batch).loss is None
    assert deferred(**batch, return_dict=False, labels=labels)[0].requires_grad


def true_logits():
    plain, deferred, _ = make_twins()
    batch = make_batch(6)
    return plain(**batch).logits, deferred(**batch).logits


READERS = {
    "argmax": lambda z: z.argmax(-1),
    "slice": lambda z: z[..., :-1, :],
    "one": lambda z: z[0, 0, 5],
    "detach": lambda z: z.detach(),
    "cpu": lambda z: z.cpu(),
    "softmax": lambda z: z.softmax(-1),
    "log_softmax": lambda z: torch.nn.functional.log_softmax(z, -1),
    "greater": lambda z: z > 0,
    "numpy": lambda z: torch.from_numpy(z.detach().numpy()),
    "list": lambda z: torch.tensor(z.tolist()),
    "iteration": lambda z: torch.stack(list(z)),
    "data": lambda z: z.data.clone(),
    "cat": lambda z: torch.cat([z, z]),
    "operator from the right": lambda z: 1.0 - z,
    "product with a tensor": lambda z: z * torch.arange(float(VOCABULARY)),
    "product from the right": lambda z: 3 * z + 0,
    "quotients": lambda z: (z / 2 / 3).tanh() * 2 * 5 + 0,
    "caps one over the other": lambda z: (torch.tanh(torch.tanh(z) * 3) * 4).float() + 0,
    "rounded quotient": lambda z: torch.div(z, 0.5, rounding_mode="floor"),
    "inverse": lambda z: 2 / z,
    "negated cap": lambda z: torch.tanh(z / -3) * -3 + 0,
    "zero": lambda z: z * 0 + 1,
    "in place": lambda z: z.mul_(2).add_(1),
    "einsum": lambda z: torch.einsum("btv->v", z),
    "save": lambda z: saved(z),
    "pickle": lambda z: pickle.loads(pickle.dumps(z.detach())),
    "dlpack": lambda z: torch.from_dlpack(z.detach()),
    "view": lambda z: z.view(-1, VOCABULARY).contiguous(),
    "new": lambda z: z.new_tensor([1.0]) + z,
    "where": lambda z: torch.where(torch.ones((), dtype=torch.bool), z, 0.0),
    "out": lambda z: torch.add(z, 1, out=torch.empty(0)) if not z.requires_grad else z + 1,
    "no gradients": lambda z: no_gradients(z),
}


def saved(z):
    file = io.BytesIO()
    torch.save(z, file)
    file.seek(0)
    return torch.load(file)


def no_gradients(z):
    with torch.no_grad():
        (z * 2).argmax(-1)
    return z.log_softmax(-1)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_readers_get_the_true_logits(read):
    expected, found = true_logits()
    assert type(found) is DeferredLogits
    assert found.shape == expected.shape and found.requires_grad and len(found) == len(expected)
    expected, found = read(expected), read(found)
    assert type(found) is torch.Tensor and found.requires_grad == expected.requires_grad
    torch.testing.assert_close(found, expected)


def test_logits_as_text():
    expected, found = true_logits()
    numbers = f"{expected.detach()}".removesuffix(")")
    assert numbers in repr(found) and numbers in f"{found}"
    assert f"{expected[0, 0, 0]:.3f}" == f"{found[0, 0, 0]:.3f}"


def test_changes_in_place_stay():
    """Later readers of the logits see changes in place."""
    expected, found = true_logits()
    for z in (expected, found):
        with torch.no_grad():
            z[..., 3] = -100.0
            z[..., 4:].div_(2)
    torch.testing.assert_close(found + 0, expected)
    torch.testing.assert_close(found * 2, expected * 2)
    torch.testing.assert_close(found.float(), expected.float())


def test_logits_that_were_read_and_changed_are_those_of_the_loss():
    plain, deferred, _ = make_twins()
    batch = make_batch(6)
    losses = []
    for model in (plain, deferred):
        logits = model(**batch | dict(labels=None)).logits
        logits[..., 3] = 2.0
        for each in (logits, logits.float(), 2 * logits, logits / 2):
            losses.append(base_of(model).loss_function(each, batch["labels"], VOCABULARY))
    torch.testing.assert_close(losses[4:], losses[:4])


class Squares(torch.autograd.Function):
    """torch passes a Function its arguments without asking a tensor's __torch_function__."""

    @staticmethod
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return (z * z).sum()

    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.saved_tensors[0] * grad


def test_gradients_through_logits():
    plain, deferred, _ = make_twins("gemma2", final_logit_softcapping=7.0)
    for reduce in (Squares.apply, lambda z: z.logsumexp(-1).mean(), lambda z: z[:, -1].sum()):
        found = []
        for model in (plain, deferred):
            model.zero_grad()
            outputs = model(**make_batch(6))
            (outputs.loss + 0.1 * reduce(outputs.logits)).backward()
            found.append(gradients(model))
        for name, gradient in found[0].items():
            torch.testing.assert_close(found[1][name], gradient, rtol=1e-4, atol=1e-5)


def test_gradients_of_logits_are_refused():
    _, found = true_logits()
    for ask in (found.retain_grad, lambda: found.register_hook(print)):
        with pytest.raises(RuntimeError, match="speed_up_training"):
            ask()
    _, deferred, _ = make_twins()
    outputs = deferred(**make_batch(6))
    with pytest.raises(RuntimeError, match="not have been used"):
        torch.autograd.grad(outputs.loss, outputs.logits)


def test_who_goes_past_torch_finds_nan():
    _, found = true_logits()
    with torch._C.DisableTorchFunctionSubclass():
        assert found.isnan().all()


@pytest.mark.parametrize("kind", ["eval", "no_grad", "inference", "generate"])
def test_logits_that_are_not_deferred(kind):
    plain, deferred, _ = make_twins()
    batch = make_batch(6)
    if kind == "generate":
        found = [model.generate(batch["input_ids"], max_new_tokens=4, do_sample=False) for model in (plain, deferred)]
        assert torch.equal(*found)
        return
    if kind == "eval":
        plain.eval()
        deferred.eval()
    with {"eval": torch.enable_grad, "no_grad": torch.no_grad, "inference": torch.inference_mode}[kind]():
        expected, found = plain(**batch), deferred(**batch)
    assert type(found.logits) is torch.Tensor
    assert torch.equal(found.logits, expected.logits) and torch.equal(found.loss, expected.loss)


@pytest.mark.parametrize("place", ["forward", "forward_pre", "full_backward", "full_backward_pre"])
def test_hooks_of_the_head_are_called(place):
    plain, deferred, _ = make_twins()
    called = []
    for model in (plain, deferred):
        getattr(base_of(model).lm_head, f"register_{place}_hook")(lambda *each: called.append(each[-1]))
    assert_trained_equally(plain, deferred, make_batch(6))
    expected, found = called
    for a, b in zip(expected, found, strict=True):
        torch.testing.assert_close(b + 0, a)


def test_label_smoothing_of_a_trainer():
    plain, deferred, _ = make_twins()
    batch = make_batch(12, "hole")
    smoother = transformers.trainer_pt_utils.LabelSmoother(epsilon=0.1)
    labels = batch.pop("labels")
    losses = []
    for model in (plain, deferred):
        losses.append(smoother(model(**batch), labels, shift_labels=True))
        losses[-1].backward()
    torch.testing.assert_close(*losses)
    for name, gradient in gradients(plain).items():
        torch.testing.assert_close(gradients(deferred)[name], gradient, rtol=1e-4, atol=1e-6)


def with_bias():
    base = add_adapters(make_base()).get_base_model()
    base.lm_head = torch.nn.Linear(32, VOCABULARY).requires_grad_(False)
    return base


def with_own_forward():
    base = add_adapters(make_base()).get_base_model()
    base.lm_head.forward = lambda hidden: 2 * torch.nn.functional.linear(hidden, base.lm_head.weight)
    return base


def with_own_loss():
    base = add_adapters(make_base()).get_base_model()
    base.loss_function = lambda logits, labels, vocab_size, **kwargs: logits.sum()
    return base


LEFT = {
    "its head has a bias": with_bias,
    "its head is trained": lambda: make_base(tie_word_embeddings=True),
    "its head is a ModulesToSaveWrapper": lambda: base_of(make(adapters=dict(modules_to_save=["lm_head"]))),
    "its head is a Linear": lambda: base_of(add_adapters(make_base(), ("q_proj", "lm_head"))),
    "its head has a forward of its own": with_own_forward,
    "its loss is not that of a causal language model": with_own_loss,
    "it has no head": lambda: make_base().model,
}


@pytest.mark.parametrize("reason", LEFT)
def test_what_is_left(reason):
    assert why_not(LEFT[reason]()) == reason


def test_tied_embeddings_that_are_not_trained():
    plain, deferred, _ = make_twins(tie_word_embeddings=True)
    assert_trained_equally(plain, deferred, make_batch(12))


@pytest.mark.parametrize("change", ["trained", "lora", "saved", "loss", "bias"])
def test_what_happens_to_the_model_later(change):
    """Logits and loss are those of the changed model."""
    plain, deferred, _ = make_twins()
    for model in (plain, deferred):
        base = base_of(model)
        torch.manual_seed(4)
        if change == "trained":
            base.lm_head.weight.requires_grad_()
        elif change == "loss":
            base.loss_function = lambda logits, labels, vocab_size, **kwargs: logits.square().mean()
        elif change == "bias":
            base.lm_head.bias = torch.nn.Parameter(torch.randn(VOCABULARY))
        else:
            more = dict(modules_to_save=["lm_head"]) if change == "saved" else {}
            targets = ["q_proj"] if change == "saved" else ["lm_head"]
            model.add_adapter("other", peft.LoraConfig(r=2, target_modules=targets, init_lora_weights=False, **more))
            model.set_adapter("other")
    assert_trained_equally(plain, deferred, make_batch(12))
    for model in (plain, deferred):
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.data.add_(0.1)
    assert_trained_equally(plain, deferred, make_batch(12))


def test_copies_have_their_own_head():
    _, deferred, _ = make_twins()
    batch = make_batch(12)
    expected = deferred(**batch).loss
    for copied in (copy.deepcopy(deferred), pickle.loads(pickle.dumps(deferred))):
        torch.testing.assert_close(copied(**batch).loss, expected)
        base_of(copied).lm_head.weight.data.zero_()
        torch.testing.assert_close(copied(**batch).loss, torch.tensor(float(VOCABULARY)).log())
    torch.testing.assert_close(deferred(**batch).loss, expected)


def test_undo():
    plain, deferred, undo = make_twins()
    undo()
    base = base_of(deferred)
    assert "forward" not in vars(base.lm_head) and "_loss_function" not in vars(base)
    assert type(deferred(**make_batch(6)).logits) is torch.Tensor
    assert_trained_equally(plain, deferred, make_batch(6))
    undo = defer(base)
    base.loss_function = own = lambda logits, labels, vocab_size, **kwargs: logits.sum()
    undo()
    assert base.loss_function is own
