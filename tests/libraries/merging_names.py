"""Tensors that files and adapters call otherwise than transformers does now. test_merge.py runs these tests with its
own."""

import shutil

from merge_models import LINEAR, PREFIX, contract, state_of
from merging import Merging
from safetensors.torch import load_file, save_file


class Names(Merging):
    def renamed(self, adapter, *pairs):
        """A copy of an adapter in whose names each first text is the second."""
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
        """What transformers calls otherwise in memory than in files, and adapters that were saved without the
        prefix of peft's."""
        base, adapter = self.base("llama"), self.adapter("llama", target_modules=LINEAR)
        expected = state_of(self.merged(base, adapter))
        wrapped = self.place("wrapped")
        shutil.copytree(base, wrapped)
        tensors = load_file(base / "model.safetensors")
        save_file({f"language_model.{key}": one for key, one in tensors.items()}, wrapped / "model.safetensors")
        for prefix in ("", "model.language_model.", "language_model.model."):
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

    def test_adapter_of_the_inner_model(self):
        base = self.base("llama")
        adapter = self.adapter("llama", target_modules=LINEAR)
        inner = self.renamed(adapter, (f"{PREFIX}model.", PREFIX))
        self.require_same(state_of(self.merged(base, inner)), state_of(self.merged(base, adapter)))
