"""speed_up_training() on a GPU, as its user calls it: each family in NF4 before the call and after it, against the same
weights in float32. On a CPU, a few families run the same tests with a stand-in for graphs."""

import copy
import re
import sys

import pytest
import torch
from conftest import NO_GPU
from training_models import (
    OF_FAMILY,
    add_adapters,
    leave_nothing_behind,  # noqa: F401
    make_base,
    make_batch,
    randomize,
    recorded,  # noqa: F401
    transformers,
)

import qfuse
import qfuse.integrations.bitsandbytes
import qfuse.integrations.peft
from qfuse.integrations.transformers_training import report, restore_training, speed_up_training
from qfuse.versions import OLDEST

pytest.importorskip("bitsandbytes")
SIZES = dict(hidden_size=256, intermediate_size=512, num_hidden_layers=3, num_attention_heads=8, head_dim=32)
# A token uses all four experts; with fewer, a rounding may select another one.
SIZES |= dict(vocab_size=1031, moe_intermediate_size=128, num_experts_per_tok=4)
UNIT = 2.0**-8  # upper bound of bf16's relative rounding error
FIRST = "it was the first of its kind"
# To make a mask for eager attention, or to find each expert's tokens, some versions of transformers read a number from
# the GPU.
MAY_FALL_BACK = ("gemma2", "gpt_oss", "qwen3_moe")
NEEDS_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU)
CASES = [pytest.param("llama", "cpu", marks=pytest.mark.slow)]
CASES += [pytest.param(family, "cuda", marks=NEEDS_GPU) for family in (*OF_FAMILY, "olmo2", "granite")]
IN_4_BITS = {f"{family}, experts in 4 bits": family for family in ("qwen3_moe", "gpt_oss")}
CASES += [pytest.param(each, "cpu", marks=pytest.mark.slow) for each in IN_4_BITS]
CASES += [pytest.param(each, "cuda", marks=NEEDS_GPU) for each in IN_4_BITS]


def make_in_nf4(family, folder, device):
    base = make_base(IN_4_BITS.get(family, family), **SIZES)
    base.save_pretrained(folder)
    quantized = transformers.BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
    )
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder,
        dtype=torch.bfloat16,
        device_map={"": device},
        quantization_config=quantized,
        attn_implementation=base.config._attn_implementation,
    )
    model.config.use_cache = False
    if family in IN_4_BITS:
        assert qfuse.quantize_experts(model)
    model = add_adapters(model)
    randomize(model, std=0.05)
    return model


def in_float32(model):
    exact = copy.deepcopy(model).float()
    for module in exact.modules():
        if hasattr(module, "compute_dtype"):  # bitsandbytes' layers
            module.compute_dtype = torch.float32
    return exact


def walk(model, batches, is_exact=False):
    """Yields the loss and the gradients by name of each batch."""
    for batch in batches:
        model.zero_grad()
        with torch.autocast(model.device.type, torch.bfloat16, enabled=not is_exact):
            loss = model(**batch).loss
        loss.backward()
        gradients = {name: each.grad.clone() for name, each in model.named_parameters() if each.grad is not None}
        yield float(loss.detach()), gradients


def errors_of(found, exact):
    """Returns squared errors relative to a batch's gradients, a row per batch and a column per parameter."""
    rows = []
    for (_, gradients), (_, expected) in zip(found, exact, strict=True):
        assert gradients.keys() == expected.keys()
        squares = torch.stack([(gradients[name] - each).square().sum() for name, each in expected.items()])
        rows.append(squares / sum(each.square().sum() for each in expected.values()))
    return torch.stack(rows)


def assert_rounded_no_more(found, before, exact, batches):
    """Losses are means over tokens with independent roundings. Errors of gradients are at most twice those before the
    call, for each batch, and for each parameter over all batches."""
    for (loss, _), (expected, _), batch in zip(found, exact, batches, strict=True):
        tokens = int((batch["labels"] != -100).sum())
        assert abs(loss - expected) <= UNIT * expected / tokens**0.5
    found, before = errors_of(found, exact), errors_of(before, exact)
    for over in (0, 1):
        ratios = (found.sum(over) / before.sum(over)).sqrt()
        assert (ratios <= 2).all(), ratios


def assert_reported(model, family, batches):
    """Each batch is replayed or left for a reason; layers are liger-kernel's, or the report says why they are not."""
    found = report(model)
    replayed = int(re.match(r"(\d+) batches replayed from \d+ CUDA graphs", found.done["the layers"])[1])
    reasons = dict(re.findall(r"(?:^|, )(.+?) \((\d+)\)(?=, |$)", found.left["the layers of some batches"]))
    assert FIRST in reasons and replayed + sum(map(int, reasons.values())) == batches, found
    if family not in MAY_FALL_BACK:
        assert reasons.keys() == {FIRST} and replayed >= batches // 2, found
    assert ("norms, RoPE and activations" in found.done) != ("norms, RoPE and activations" in found.left)
    return found


@pytest.mark.parametrize(("family", "device"), CASES)
def test_a_family_rounds_no_more_than_before(family, device, tmp_path, request, monkeypatch):
    if device == "cpu":
        request.getfixturevalue("recorded")
    if family in IN_4_BITS:
        pytest.importorskip("transformers", OLDEST["transformers"])
    model = make_in_nf4(family, tmp_path, device)
    module = sys.modules[type(model.get_base_model()).__module__]
    for name, value in list(vars(module).items()):  # undoes what liger-kernel puts there
        monkeypatch.setattr(module, name, value)
    kinds = [kind for kind in ("none", "right", "packed") for _ in range(3)]
    batches = [make_batch((128, 96, 150)[at % 3], kind, at) for at, kind in enumerate(kinds)]
    batches = [{name: each.to(device) for name, each in batch.items()} for batch in batches]
    exact = list(walk(in_float32(model), batches, is_exact=True))
    before = list(walk(model, batches))
    speed_up_training(model)
    assert_rounded_no_more(list(walk(model, batches)), before, exact, batches)
    print(assert_reported(model, family, len(batches)))
    restore_training(model)
    if device == "cuda":
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=dict(use_reentrant=False))
        assert "checkpoints" in speed_up_training(model, offload=True).done
        assert_rounded_no_more(list(walk(model, batches)), before, exact, batches)
        print(assert_reported(model, family, len(batches)))
