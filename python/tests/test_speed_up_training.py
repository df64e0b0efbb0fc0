"""integrations/transformers_training.py: Trainer and trl's SFTTrainer log the same losses with it as without."""

import contextlib
import copy
import functools
import pickle
import sys
import types
import warnings

import pytest
import torch
from training_models import (
    VOCABULARY,
    leave_nothing_behind,  # noqa: F401
    make,
    make_base,
    make_batch,
    peft,
    recorded,  # noqa: F401
    some_slow,
    transformers,
)

import qfuse
import qfuse.integrations.bitsandbytes
import qfuse.integrations.peft
from qfuse.integrations import transformers_regions, transformers_training
from qfuse.integrations.transformers_training import SpeedUpTraining, report, restore_training, speed_up_training
from qfuse.versions import OLDEST

pytestmark = pytest.mark.usefixtures("recorded")
GRAPHS = "CUDA graphs on a GPU, from the second batch on"
LOSS = "a chunk of tokens at a time, without logits in memory"


class Tokens(torch.utils.data.Dataset):
    """Sequences of two lengths, which alternate by batches of two; the last one is a batch by itself."""

    def __init__(self, count=7):
        self.rows = [
            {name: each[0] for name, each in make_batch(100 if at // 2 % 2 else 64, "none", at, rows=1).items()}
            for at in range(count)
        ]
        for row in self.rows:
            row["labels"][:5] = -100

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class InOrder(transformers.Trainer):
    def _get_train_sampler(self, *args):
        return None


SETTINGS = dict(max_steps=8, per_device_train_batch_size=2, logging_steps=1, learning_rate=0.02, optim="sgd")
SETTINGS |= dict(report_to="none", use_cpu=True, save_strategy="no", disable_tqdm=True)


def arguments(folder, **more):
    return transformers.TrainingArguments(str(folder), **SETTINGS | more)


def losses_of(trainer, **more):
    with contextlib.redirect_stdout(None):
        trainer.train(**more)
    return [entry.get("loss", entry.get("eval_loss")) for entry in trainer.state.log_history[:-1]]


def run(folder, is_sped_up, resume=None, **more):
    model = make(num_hidden_layers=1)
    if is_sped_up:
        speed_up_training(model, layers=False)
    trainer = InOrder(model, arguments(folder, **more), train_dataset=Tokens(), eval_dataset=Tokens(2))
    found = losses_of(trainer, resume_from_checkpoint=resume)
    state = {name: each for name, each in model.named_parameters() if each.requires_grad}
    return found, state, model


def assert_equal(expected, found, tolerance=1e-4):
    assert len(found) == len(expected) and len(set(found)) > 3
    torch.testing.assert_close(torch.tensor(found), torch.tensor(expected), rtol=tolerance, atol=0)


OPTIONS = {
    "accumulated": dict(gradient_accumulation_steps=3, max_grad_norm=0.1),
    "unclipped, adamw": dict(max_grad_norm=0.0, optim="adamw_torch", lr_scheduler_type="cosine", warmup_steps=2),
    "evaluated": dict(eval_strategy="steps", eval_steps=2),
    "autocast": dict(bf16=True),
    "checkpointed": dict(gradient_checkpointing=True),
    "smoothed": dict(label_smoothing_factor=0.1),
}


@pytest.mark.parametrize("kind", some_slow(OPTIONS, "smoothed", "checkpointed", "unclipped, adamw"))
def test_trainer_logs_the_same_losses(kind, tmp_path):
    options = OPTIONS[kind]
    expected, weights, _ = run(tmp_path, False, **options)
    found, own, model = run(tmp_path, True, **options)
    assert_equal(expected, found, 1e-2 if "bf16" in options else 1e-4)
    for name, weight in weights.items():
        error = (own[name] - weight).norm()
        assert error <= (5e-2 if "bf16" in options else 1e-3) * weight.norm() + 1e-6, name
    assert "batches replayed from 3 CUDA graphs" in str(report(model)), report(model)


def test_training_goes_on_from_a_checkpoint(tmp_path):
    saving = dict(save_strategy="steps", save_steps=3, max_steps=5, optim="adamw_torch")
    expected, _, _ = run(tmp_path / "a", False, **saving)
    assert_equal(expected, run(tmp_path / "b", True, **saving)[0])
    for at, is_sped_up in (("a", True), ("b", False)):
        resumed, _, _ = run(tmp_path / at, is_sped_up, resume=str(tmp_path / at / "checkpoint-3"), **saving)
        assert_equal(expected, resumed)


def test_says_which_layers_stay_pefts(monkeypatch):
    model = make(num_hidden_layers=1)
    assert speed_up_training(model).left["peft's LlamaForCausalLM"] == "no layer of this model is in 4 bits"
    restore_training(model)
    left = {"up": "DoRA", "down": "dropout", "gate": "DoRA"}
    monkeypatch.setattr(qfuse.integrations.peft, "uncovered", lambda _: left)
    found = speed_up_training(model).left
    assert (found["peft's up, the first of 2,"], found["peft's down"]) == ("DoRA", "dropout")


def by_trl(folder, is_sped_up, rows, **more):
    trl, datasets = pytest.importorskip("trl"), pytest.importorskip("datasets")
    config = trl.SFTConfig(str(folder), **SETTINGS | dict(max_length=128, bf16=False) | more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = trl.SFTTrainer(
            make_base(num_hidden_layers=1),
            config,
            train_dataset=datasets.Dataset.from_list(rows),
            processing_class=tokenizer(),
            peft_config=peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False),
            callbacks=[SpeedUpTraining(layers=False)] if is_sped_up else [],
        )
    return losses_of(trainer), trainer.model


def tokenizer():
    tokenizers = pytest.importorskip("tokenizers")
    words = {f"w{at}": at for at in range(VOCABULARY)}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="w3"))
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, pad_token="w0", eos_token="w2", unk_token="w3")


def whole_texts():
    return [dict(input_ids=row["input_ids"].tolist()) for row in Tokens(8).rows]


def completions():
    return [row | dict(completion_mask=[0] * 10 + [1] * (len(row["input_ids"]) - 10)) for row in whole_texts()]


OF_TRL = {
    "texts": (whole_texts, dict(gradient_accumulation_steps=2, gradient_checkpointing=False)),
    "completions": (completions, dict(completion_only_loss=True, gradient_accumulation_steps=2)),
    "packed": (whole_texts, dict(packing=True)),
    "padding-free": (whole_texts, dict(padding_free=True, max_length=None)),
}


@pytest.mark.parametrize("kind", some_slow(OF_TRL, "texts", "packed", "completions"))
def test_trl_logs_the_same_losses(kind, tmp_path):
    rows, options = OF_TRL[kind]
    torch.manual_seed(0)
    expected, _ = by_trl(tmp_path, False, rows(), **options)
    torch.manual_seed(0)
    found, model = by_trl(tmp_path, True, rows(), **options)
    assert_equal(expected, found)
    assert "batches replayed from" in str(report(model)) and "0 batches replayed" not in str(report(model))


def test_callback_prints_what_was_done(tmp_path, capsys):
    trainer = InOrder(
        make(), arguments(tmp_path), train_dataset=Tokens(), callbacks=[SpeedUpTraining(layers=False, products=False)]
    )
    trainer.train()
    printed = capsys.readouterr().out
    assert "qfuse speeds up the loss: a chunk of tokens at a time, without logits in memory\n" in printed
    assert f"qfuse speeds up the layers: {GRAPHS}\n" in printed
    assert "qfuse speeds up the layers: 6 batches replayed from 3 CUDA graphs\n" in printed
    assert "qfuse left the layers of some batches as it is: it was the first of its kind (2)\n" in printed


def test_report_has_a_line_for_each_part():
    model = make_base()
    assert str(report(model)) == "qfuse left the model as it is: speed_up_training() has not been called"
    found = speed_up_training(model)
    assert speed_up_training(model) is found and found.done["the layers"] == GRAPHS
    assert found.left["the loss"] == "its head is trained"
    with contextlib.suppress(ImportError):
        import liger_kernel  # noqa: F401

        return
    assert 'pip install "qfuse[train]" has liger-kernel' in found.left["norms, RoPE and activations"]


def test_every_reason_is_in_the_report():
    model = make()
    speed_up_training(model, products=False, layers=False)
    model(**make_batch(64)).loss.backward()
    with torch.autograd.graph.save_on_cpu():
        model(**make_batch(64)).loss.backward()
    reasons = "it was the first of its kind (1), what it keeps for the backward pass goes to hooks (1)"
    assert report(model).left["the layers of some batches"] == reasons


def test_everything_is_restored():
    model = make()
    before = str(vars(model.get_base_model()).keys()), str(vars(model.get_base_model().model).keys())
    assert "checkpoints" in speed_up_training(model, products=False, layers=False, offload=True).done
    restore_training(model)
    assert (str(vars(model.get_base_model()).keys()), str(vars(model.get_base_model().model).keys())) == before
    assert "speed_up_training() has not been called" in str(report(model))
    restore_training(model)


def test_copies_are_not_sped_up_with_it():
    model = make()
    speed_up_training(model, products=False, layers=False, offload=True)
    for seed in range(3):
        loss = model(**make_batch(64, seed=seed)).loss
        loss.backward()
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert "speed_up_training() has not been called" in str(report(copied))
        speed_up_training(copied, products=False, layers=False)
        for _ in range(3):
            copied.zero_grad()
            found = copied(**make_batch(64, seed=2)).loss
            found.backward()
        torch.testing.assert_close(found, loss)
        assert report(copied).done["the layers"] == "2 batches replayed from 1 CUDA graphs"
    assert report(model).done["the layers"] == "2 batches replayed from 1 CUDA graphs"


def test_options():
    model = make()
    found = speed_up_training(model, products=False, loss=False, layers=False, graphs=False)
    assert str(found) == "" and "forward" not in vars(model.get_base_model().lm_head)


def test_experts_in_4_bits_are_not_liger_kernels(monkeypatch):
    """liger-kernel's activation would replace an expert's forward, and multiply by 4-bit codes."""
    pytest.importorskip("transformers", OLDEST["transformers"])
    patched = []
    names = {"MODEL_TYPE_TO_APPLY_LIGER_FN": {"qwen3_moe": None}}
    names["_apply_liger_kernel_to_instance"] = lambda model, **parts: patched.append(parts)
    fake = types.SimpleNamespace(monkey_patch=types.SimpleNamespace(**names))
    monkeypatch.setitem(sys.modules, "liger_kernel", types.SimpleNamespace(transformers=fake))
    monkeypatch.setitem(sys.modules, "liger_kernel.transformers", fake)
    monkeypatch.setattr(transformers_training, "version", lambda name: "0.8")
    model = make_base("qwen3_moe", moe_intermediate_size=64, hidden_size=64)
    monkeypatch.setattr(type(model), "device", torch.device("cuda"))
    for is_quantized in (False, True):
        if is_quantized:
            assert qfuse.quantize_experts(model)
        found = transformers_training.TrainingReport()
        transformers_training._layers(model, found)
        assert ("swiglu" in patched[-1]) == is_quantized and not patched[-1].get("swiglu")
        assert ("experts are in 4 bits" in str(found)) == is_quantized


def test_layers_as_regions(monkeypatch):
    """Regions of torch.compile replace liger-kernel's parts and graphs."""
    compile_ = functools.partialmethod(torch.nn.Module.compile, backend="aot_eager")
    monkeypatch.setattr(torch.nn.Module, "compile", compile_)
    plain, model = make(), make()
    found = speed_up_training(model, products=False, regions=True)
    assert found.done == {"the loss": LOSS, "the layers": "torch.compile, 2 regions"} and not found.left
    for tokens in (64, 40, 64):
        for each in (plain, model):
            each(**make_batch(tokens, "right", seed=tokens)).loss.backward()
    for own, other in zip(model.parameters(), plain.parameters(), strict=True):
        if other.grad is not None:
            torch.testing.assert_close(own.grad, other.grad, rtol=1e-4, atol=1e-6)
    layers = model.get_base_model().model.layers
    assert all(layer._compiled_call_impl is not None for layer in layers)
    restore_training(model)
    assert all(layer._compiled_call_impl is None for layer in layers)


def test_regions_are_for_several_processes_of_gpus_without_experts(monkeypatch):
    monkeypatch.setattr(transformers_regions, "several_processes", lambda: True)
    assert speed_up_training(make(), products=False, loss=False).done["the layers"] == GRAPHS
    mixture, dense = make_base("qwen3_moe").model, make_base().model
    assert transformers_regions.why_not(mixture) == "experts choose their tokens in each batch anew"
    assert transformers_regions.why_not(dense) is None
    assert transformers_regions.why_not(torch.nn.Linear(2, 2)) == "it has no layers that transformers can checkpoint"
    found = speed_up_training(make(), products=False, loss=False, layers=False, graphs=False, regions=False)
    assert str(found) == ""


def test_a_backbone_without_a_head():
    model = make_base().model
    found = speed_up_training(model, products=False, layers=False)
    assert found.left == {"the loss": "it has no head"} and found.done == {"the layers": GRAPHS}
    whole = make_base("bert")
    found = speed_up_training(whole, products=False, layers=False)
    assert found.left["the loss"] == "its head is trained"


def test_wrapped_models_are_looked_into():
    model = make()
    wrapped = torch.nn.Module()
    wrapped.module = torch.compile(model, backend="eager")
    found = speed_up_training(wrapped, products=False, layers=False)
    assert speed_up_training(model) is found
    with pytest.raises(TypeError, match="takes a model of transformers, not a Linear"):
        speed_up_training(torch.nn.Linear(2, 2))
