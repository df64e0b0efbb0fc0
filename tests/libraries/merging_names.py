"""Tensors whose names in files and adapters differ from those in current transformers. test_merge.py runs these tests
with its own."""

import re
import shutil

import numpy
import peft
import torch
from libraries import run_qfuse
from merge_models import ALPHA, LINEAR, PREFIX, RANK, Contract, Sums, contract, fill, fp32, state_of, with_adapters
from merging import Merging, merge
from safetensors.torch import load_file, save_file


class Attention(torch.nn.Module):
    """Attention as in open_clip's towers, and a head with a bias."""

    def __init__(self):
        super().__init__()
        self.attn = torch.nn.MultiheadAttention(64, 4, batch_first=True)
        self.score = torch.nn.Linear(64, 5)

    def forward(self, x):
        return self.score(self.attn(x, x, x)[0])


def called(tensors, name):
    """Returns the tensors with the adapter's name "0" replaced by `name`."""
    return {re.sub(r"(lora_\w+|modules_to_save)\.0\b", rf"\1.{name}", key): one for key, one in tensors.items()}


class Names(Merging):
    def renamed(self, adapter, *pairs):
        """Copies an adapter, and replaces the first text of each pair by the second in its tensor names."""
        other = self.place("renamed")
        shutil.copytree(adapter, other)
        tensors = load_file(adapter / "adapter_model.safetensors")
        for before, after in pairs:
            changed = {key.replace(before, after): tensor for key, tensor in tensors.items()}
            self.assertNotEqual(set(changed), set(tensors))
            tensors = changed
        save_file(tensors, other / "adapter_model.safetensors", {"format": "pt"})
        return other

    def test_other_prefixes(self):
        """Names that differ between memory and files in transformers, and adapters that were saved without peft's
        prefix."""
        base, adapter = self.base("llama"), self.adapter("llama", target_modules=LINEAR)
        expected = state_of(self.merged(base, adapter))
        wrapped = self.place("wrapped")
        shutil.copytree(base, wrapped)
        tensors = load_file(base / "model.safetensors")
        save_file({f"language_model.{key}": one for key, one in tensors.items()}, wrapped / "model.safetensors")
        for prefix in ("", "model.language_model.", "language_model.model.", "model._checkpoint_wrapped_module."):
            other = self.renamed(adapter, (f"{PREFIX}model.", PREFIX + prefix))
            found = state_of(self.merged(wrapped, other))
            self.require_same({key.removeprefix("language_model."): one for key, one in found.items()}, expected)

    def test_older_spellings(self):
        base = self.base("llama")
        adapter = self.adapter(
            "llama", target_modules=["q_proj"], modules_to_save=["lm_head", "embed_tokens"], use_dora=True
        )
        expected = state_of(self.merged(base, adapter))
        for between in (".modules_to_save", ".modules_to_save.default"):
            older = self.renamed(
                adapter,
                ("lm_head.weight", f"lm_head{between}.weight"),
                ("embed_tokens.weight", f"embed_tokens{between}.weight"),
                ("lora_magnitude_vector", "lora_magnitude_vector.weight"),
            )
            self.require_same(state_of(self.merged(base, older)), expected)

    def test_base_without_the_models_prefix(self):
        """GPT-2's published files have "h.0", where transformers has "transformer.h.0"."""
        adapter = self.adapter("gpt2", target_modules=["c_attn", "c_proj"], fan_in_fan_out=True)
        base = self.place("bare")
        shutil.copytree(self.base("gpt2"), base)
        tensors = state_of(base)
        save_file(
            {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()},
            base / "model.safetensors",
            {"format": "pt"},
        )
        found = state_of(self.merged(base, adapter))
        expected = contract(self.base("gpt2"), [adapter]).result()
        self.require_same({f"transformer.{name}": tensor for name, tensor in found.items()}, expected)

    def with_tensors(self, adapter, tensors):
        """Returns a copy of an adapter with these tensors."""
        other = self.place("other")
        shutil.copytree(adapter, other)
        save_file({key: one.clone().contiguous() for key, one in tensors.items()}, other / "adapter_model.safetensors")
        return other

    def refused(self, base, *arguments):
        out = self.place("refused")
        said = merge(base, *arguments, "-o", out, code=1)
        self.assertFalse(out.exists())
        return said

    def test_names_of_a_state_dict(self):
        """The state dict of a PeftModel: names contain the adapter's name, and all tensors of the base are included."""
        base = self.base("llama-bias")
        adapter = self.adapter("llama-bias", target_modules=["q_proj", "embed_tokens"], modules_to_save=["lm_head"])
        expected = state_of(self.merged(base, adapter))
        all_tensors = with_adapters("llama-bias", base, [adapter]).state_dict()
        trained = {key: one for key, one in all_tensors.items() if ".lora_" in key or ".modules_to_save." in key}
        self.assertIn(f"{PREFIX}model.layers.0.self_attn.q_proj.lora_A.0.weight", trained)
        for tensors in (trained, all_tensors, called(trained, "default"), called(trained, "mine")):
            self.require_same(state_of(self.merged(base, self.with_tensors(adapter, tensors))), expected)
        changed = f"{PREFIX}model.layers.0.self_attn.q_proj.base_layer.weight"
        other = self.with_tensors(adapter, all_tensors | {changed: all_tensors[changed] * 2})
        self.assertIn("q_proj.base_layer.weight': was not trained, by its name, but differs", self.refused(base, other))
        second = called(trained, "second")
        said = self.refused(base, self.with_tensors(adapter, trained | second))
        self.assertIn("'0'", said)
        self.assertIn("'second'", said)

    def test_trained_biases_in_a_state_dict(self):
        base = self.base("llama-bias")
        adapter = self.adapter("llama-bias", target_modules=["q_proj"], bias="all")
        tensors = with_adapters("llama-bias", base, [adapter]).state_dict()
        self.require_same(
            state_of(self.merged(base, self.with_tensors(adapter, tensors))), state_of(self.merged(base, adapter))
        )

    def test_multihead_attention(self):
        """peft adds the delta to out_proj twice, in training and in merging."""
        torch.manual_seed(3)
        model = Attention()
        base, path = self.place("attention"), self.place("adapter")
        base.mkdir()
        tensors = {key: one.clone() for key, one in model.state_dict().items()}
        save_file(tensors, base / "model.safetensors")
        config = peft.LoraConfig(
            r=RANK,
            lora_alpha=ALPHA,
            target_modules=["attn", "score"],
            rank_pattern={"attn": 4},
            init_lora_weights=False,
        )
        model = peft.get_peft_model(model, config)
        fill(model, 1, 0.1)
        model.save_pretrained(path)
        x = torch.randn(2, 5, 64)
        trained = model.eval()(x)
        theirs = model.merge_and_unload().state_dict()
        found = state_of(self.merged(base, path))
        model = Attention()
        model.load_state_dict(found)
        self.assertLess((model.eval()(x) - trained).abs().max(), 1e-5)
        expected = Contract(tensors, {"model_type": ""})
        saved = load_file(path / "adapter_model.safetensors")
        for module, name, scale in (
            ("attn", "attn.in_proj_weight", ALPHA / 4),
            ("attn.base_layer.out_proj", "attn.out_proj.weight", 2 * ALPHA / 4),
            ("score", "score.weight", ALPHA / RANK),
        ):
            expected.sums[name] = Sums(tensors[name])
            b, a = (fp32(saved[f"{PREFIX}{module}.lora_{part}.weight"]) for part in "BA")
            expected.sums[name].add(b, a, numpy.float32(scale))
        self.require_same(found, expected.result())
        self.require_near(found, theirs, expected, twice=True)

    def test_heads_with_a_bias(self):
        for config in (
            {"target_modules": ["query"], "modules_to_save": ["classifier"]},
            {"target_modules": ["query", "classifier"]},
            {"target_modules": ["query", "classifier"], "bias": "all"},
            {"target_modules": ["classifier"], "lora_bias": True},
        ):
            with self.subTest(config):
                _, found = self.row("bert", **config)
                names = ["classifier.weight", "classifier.bias"]
                changed = [name for name in names if not found[name].equal(state_of(self.base("bert"))[name])]
                self.assertEqual(changed, names[: 1 if set(config) == {"target_modules"} else 2])

    def test_prefix(self):
        """An adapter for one of two towers whose tensors have the same names."""
        base, of_text = self.base("clip"), self.base("clip-text")
        adapter = self.adapter("clip-text", target_modules=["q_proj", "fc1"])
        self.assertIn("--prefix says", self.refused(base, adapter))
        self.assertIn("no tensor under 'tower'", self.refused(base, adapter, "--prefix", "tower"))
        alone = self.place("alone")  # the text tower of the same base as a model
        shutil.copytree(of_text, alone)
        tower = {key.removeprefix("text_model."): one for key, one in state_of(base).items() if "text_model." in key}
        save_file(tower, alone / "model.safetensors", {"format": "pt"})
        expected = state_of(self.merged(alone, adapter))
        for prefix in ("text_model", "text_model."):
            out = self.merged(base, adapter, "--prefix", prefix)
            found = state_of(out)
            self.require_same({key: found[f"text_model.{key}"] for key in expected}, expected)
            others = {key: one for key, one in state_of(base).items() if not key.startswith("text_model.")}
            self.require_same({key: found[key] for key in others}, others)
        run_qfuse("compare", base, out, "--adapter", adapter, "--prefix", "text_model", "--quiet")
        vision = state_of(self.merged(base, adapter, "--prefix", "vision_model"))
        self.require_same(
            {key: one for key, one in vision.items() if "text_model." in key},
            {key: one for key, one in state_of(base).items() if "text_model." in key},
        )

    def test_a_tower_does_not_fit_another_model(self):
        adapter = self.renamed(self.adapter("clip-text", target_modules=["q_proj"]), (PREFIX, f"{PREFIX}vision_tower."))
        self.assertIn("vision_tower.", self.refused(self.base("clip-text"), adapter))

    def test_adapter_of_the_inner_model(self):
        base = self.base("llama")
        adapter = self.adapter("llama", target_modules=LINEAR)
        inner = self.renamed(adapter, (f"{PREFIX}model.", PREFIX))
        self.require_same(state_of(self.merged(base, inner)), state_of(self.merged(base, adapter)))
