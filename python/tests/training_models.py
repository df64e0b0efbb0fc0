"""Shared by the tests of speed_up_training(): tiny transformers models with adapters, their batches, and steps of a
model beside its untouched twin."""

import copy

import pytest
import torch
from recorded_operations import OperationsRecorder

transformers = pytest.importorskip("transformers")
peft = pytest.importorskip("peft")

from qfuse.integrations import bitsandbytes, transformers_graphs, transformers_training  # noqa: E402
from qfuse.integrations import peft as peft_integration  # noqa: E402

VOCABULARY = 131
SIZES = dict(
    hidden_size=32,
    intermediate_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=8,
    vocab_size=VOCABULARY,
    max_position_embeddings=512,
    pad_token_id=0,
    bos_token_id=1,
    eos_token_id=2,
    use_cache=False,
    attention_dropout=0.0,
)
EXPERTS = dict(num_experts=4, num_experts_per_tok=2, moe_intermediate_size=24)
OF_FAMILY = {
    "llama": {},
    "qwen2": {},
    "qwen3": {},
    "mistral": dict(sliding_window=24),
    "gemma2": dict(sliding_window=24),
    "gemma3_text": dict(sliding_window=24),
    "phi3": {},
    "qwen3_moe": EXPERTS,
    "gpt_oss": dict(num_local_experts=4, num_experts_per_tok=2, sliding_window=24),
}


@pytest.fixture(autouse=True)
def leave_nothing_behind():
    yield
    peft_integration.disable()
    bitsandbytes.disable()


def some_slow(cases, *slow):
    """Returns the cases as parameters; those in `slow` run only in make test-all."""
    return [pytest.param(each, marks=pytest.mark.slow if each in slow else ()) for each in cases]


def make_base(family="llama", **more):
    torch.manual_seed(1)
    config = transformers.AutoConfig.for_model(family, **SIZES | OF_FAMILY.get(family, {}) | more)
    implementation = "eager" if family in ("gemma2", "gpt_oss") else "sdpa"
    return transformers.AutoModelForCausalLM.from_config(config, attn_implementation=implementation).train()


def add_adapters(base, targets=("q_proj", "v_proj", "down_proj"), **more):
    if base.config.model_type == "phi3":
        targets = ("qkv_proj", "down_proj")
    if base.config.model_type in ("qwen3_moe", "gpt_oss"):
        targets = ("q_proj", "v_proj")
    config = peft.LoraConfig(r=4, target_modules=list(targets), task_type="CAUSAL_LM", **more)
    model = peft.get_peft_model(base, config)
    randomize(model)
    return model.train()


def randomize(model, seed=2, std=0.3):
    torch.manual_seed(seed)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=std)


def make(family="llama", adapters=None, **more):
    return add_adapters(make_base(family, **more), **adapters or {})


KINDS = ("none", "right", "hole", "packed")


def make_batch(tokens, kind="none", seed=0, rows=2):
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(3, VOCABULARY, (rows, tokens), generator=generator)
    labels, batch = ids.clone(), dict(input_ids=ids)
    if kind in ("right", "hole", "left"):
        third = tokens // 3
        mask = torch.ones_like(ids)
        mask[0, {"right": slice(-third, None), "hole": slice(third, 2 * third), "left": slice(third)}[kind]] = 0
        batch["attention_mask"], labels[mask == 0] = mask, -100
    if kind == "packed":
        half = tokens // 2
        batch["position_ids"] = torch.cat([torch.arange(half), torch.arange(tokens - half)]).expand(rows, -1).clone()
    return batch | dict(labels=labels)


@pytest.fixture
def recorded(monkeypatch):
    """Makes speed_up_training() record with OperationsRecorder, which needs no GPU."""

    def graphed(backbone):
        return transformers_graphs.GraphedBackbone(backbone, OperationsRecorder)

    monkeypatch.setattr(transformers_training, "GraphedBackbone", graphed)


class Twins:
    """A model, and a copy of it whose backbone is graphed."""

    def __init__(self, model, tolerance=2e-5):
        self.plain, self.sped_up = model, copy.deepcopy(model)
        base = self.sped_up.get_base_model() if hasattr(self.sped_up, "get_base_model") else self.sped_up
        self.graphed = transformers_graphs.GraphedBackbone(base.get_decoder(), OperationsRecorder)
        self.undo = self.graphed.install(base)
        self.tolerance = tolerance

    @property
    def both(self):
        return self.plain, self.sped_up

    def each(self, do):
        for model in self.both:
            torch.manual_seed(6)
            do(model)

    def losses(self, batch, **more):
        """Returns both models' losses of the batch, which must be equal."""
        losses = []
        for model in self.both:
            torch.manual_seed(5)
            losses.append(model(**batch, **more).loss)
        torch.testing.assert_close(losses[1], losses[0], rtol=self.tolerance, atol=0)
        return losses

    def step(self, batch, **more):
        for loss in self.losses(batch, **more):
            loss.backward()
        self.compare()

    def compare(self):
        expected = dict(self.plain.named_parameters())
        found = dict(self.sped_up.named_parameters())
        assert expected.keys() == found.keys()
        for name, parameter in expected.items():
            assert (parameter.grad is None) == (found[name].grad is None), name
            if parameter.grad is not None:
                largest = parameter.grad.abs().max()
                error = (parameter.grad - found[name].grad).abs().max()
                assert error <= self.tolerance * largest, (name, error, largest)

    def update(self, rate=0.5, set_to_none=True):
        for model in self.both:
            trained = [each for each in model.parameters() if each.grad is not None]
            optimizer = torch.optim.SGD(trained, rate)
            optimizer.step()
            optimizer.zero_grad(set_to_none)
        # Else roundings, which depend on the lengths that a CPU's kernels see, would grow from step to step.
        with torch.no_grad():
            for mine, its in zip(self.sped_up.parameters(), self.plain.parameters(), strict=True):
                mine.copy_(its)

    def walk(self, batches, **more):
        for batch in batches:
            self.step(batch, **more)
            self.update()
