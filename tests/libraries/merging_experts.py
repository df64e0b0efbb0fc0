"""Adapters of experts, and of other parameters by name. test_merge.py runs these tests with its own."""

import json
import shutil

import torch
from merge_models import PREFIX, RANK, contract, merged_by_peft, state_of
from merging import Merging, merge
from safetensors.torch import load_file, save_file


class Experts(Merging):
    def experts(self, name, which, **options):
        container = "feed_forward.experts" if name.startswith("llama4") else "mlp.experts"
        parameters = [f"{container}.{one}" for one in which]
        self.row(name, target_modules=["q_proj"], target_parameters=parameters, **options)

    def each(self, names):
        for name in names:
            for which in (["gate_up_proj", "down_proj"], ["down_proj"], ["gate_up_proj"]):
                with self.subTest(name, which=which):
                    self.experts(name, which, twice=True)
            with self.subTest(name, dtype=torch.float32):
                self.experts(name, ["down_proj", "gate_up_proj"], base=self.base(name, torch.float32))

    def test_fused_experts(self):
        self.each(["gpt_oss", "gpt_oss-square", "llama4", "llama4-square"])
        with self.subTest("biases"):
            self.experts("gpt_oss", ["gate_up_proj", "gate_up_proj_bias", "down_proj"], twice=True)
        with self.subTest("patterns"):
            self.experts(
                "gpt_oss",
                ["gate_up_proj", "down_proj"],
                rank_pattern={r".*\.gate_up_proj": 4},
                alpha_pattern={"experts.down_proj": 3},
                twice=True,
            )

    def test_split_experts(self):
        self.each(["mixtral", "qwen3_moe"])
        # Module names of transformers 4, which peft converts to parameter patterns.
        self.row("mixtral", target_modules=["w1", "w2", "w3"], twice=True)
        self.row("qwen3_moe", target_modules="all-linear", twice=True)

    def test_experts_one_by_one(self):
        """Each expert's layers have their own LoRA, as in transformers 4. peft fuses them on loading."""
        for name, layers in (("mixtral", ["w1", "w2", "w3"]), ("qwen3_moe", ["gate_proj", "up_proj", "down_proj"])):
            base = self.base(name)
            adapter = self.adapter(name, target_modules=["q_proj"])
            generator = torch.Generator().manual_seed(3)
            tensors = load_file(adapter / "adapter_model.safetensors")
            for key, tensor in state_of(base).items():
                if ".experts." in key:
                    module = PREFIX + key.removesuffix(".weight")
                    out_of, into = tensor.shape
                    tensors[f"{module}.lora_A.weight"] = torch.randn(RANK, into, generator=generator)
                    tensors[f"{module}.lora_B.weight"] = 0.001 * torch.randn(out_of, RANK, generator=generator)
            save_file(tensors, adapter / "adapter_model.safetensors", {"format": "pt"})
            config = json.loads((adapter / "adapter_config.json").read_text())
            config.update(target_modules=["q_proj", *layers], peft_version="0.17.1")
            (adapter / "adapter_config.json").write_text(json.dumps(config))
            found = state_of(self.merged(base, adapter))
            expected = contract(base, [adapter])
            self.require_same(found, expected.result())
            theirs = merged_by_peft(name, base, [adapter], self.place("theirs"))
            self.require_near(found, theirs, expected, twice=True)

    def with_changed_factors(self, adapter, change, **fields):
        """Copies an adapter and replaces the factors of experts, [expert, rank, in] and [expert, out, rank], by those
        that `change` returns."""
        other = self.place("other")
        shutil.copytree(adapter, other)
        tensors = load_file(adapter / "adapter_model.safetensors")
        for key in [key for key in tensors if ".experts." in key and "lora_A" in key]:
            to = key.replace("lora_A", "lora_B")
            a = tensors[key].reshape(-1, RANK, tensors[key].shape[1])
            b = tensors[to].reshape(len(tensors[to]), RANK, -1).permute(2, 0, 1)
            tensors[key], tensors[to] = (one.contiguous() for one in change(a, b))
        save_file(tensors, other / "adapter_model.safetensors", {"format": "pt"})
        config = json.loads((adapter / "adapter_config.json").read_text())
        (other / "adapter_config.json").write_text(json.dumps({**config, **fields}))
        return other

    def test_experts_of_peft_0_18(self):
        """peft 0.18 treated every parameter as [expert, in, out], so that its factors are the transposes of today's."""

        def change(a, b):
            new_b = a.transpose(1, 2)  # [expert, out, rank]
            return b.transpose(1, 2).flatten(0, 1), new_b.permute(1, 2, 0).flatten(1)

        for name in ("qwen3_moe", "mixtral", "llama4", "llama4-square"):
            with self.subTest(name):
                experts = "feed_forward.experts" if name.startswith("llama4") else "mlp.experts"
                parameters = [f"{experts}.gate_up_proj", f"{experts}.down_proj"]
                if name == "qwen3_moe":  # gate_up_proj is square here, like OLMoE's: only the version tells
                    parameters.pop()
                adapter = self.adapter(name, target_modules=[], target_parameters=parameters)
                older = self.with_changed_factors(adapter, change, peft_version="0.18.1")
                expected = contract(self.base(name), [adapter]).result()
                self.require_same(state_of(self.merged(self.base(name), older)), expected)

    def test_unsloths_order_of_experts(self):
        """Until September 2026 unsloth read the columns of lora_B as [expert][rank]. The config can record that."""

        def change(a, b):
            return a.flatten(0, 1), b.permute(1, 0, 2).flatten(1)

        for name in ("qwen3_moe", "gpt_oss"):
            parameters = ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"]
            adapter = self.adapter(name, target_modules=[], target_parameters=parameters)
            grouped = self.with_changed_factors(adapter, change, lora_B_layout="grouped_by_expert")
            expected = contract(self.base(name), [adapter]).result()
            self.require_same(state_of(self.merged(self.base(name), grouped)), expected)
            same = self.with_changed_factors(
                adapter, lambda a, b: (a.flatten(0, 1), b.permute(1, 2, 0).flatten(1)), lora_B_layout="rank_major"
            )
            self.require_same(state_of(self.merged(self.base(name), same)), expected)
            # Older adapters of unsloth do not record it, and neither do peft's.
            signed = {"auto_mapping": {"base_model_class": "X", "unsloth_fixed": True}}
            unmarked = self.with_changed_factors(adapter, change, **signed)
            said = merge(self.base(name), unmarked, "-o", self.place("refused"), code=1)
            for words in ("[rank][expert]", "[expert][rank]", "--lora-b-layout", "auto_mapping.unsloth_fixed"):
                self.assertIn(words, said)
            asked = self.merged(self.base(name), unmarked, "--lora-b-layout", "grouped_by_expert")
            self.require_same(state_of(asked), expected)

    def test_other_parameters(self):
        self.row("mixtral", target_modules=[], target_parameters=["gate.weight"], twice=True)
        self.row("gpt_oss", target_modules=[], target_parameters=["router.weight"], twice=True)
        self.row("llama", target_modules=[], target_parameters=["q_proj.weight", "down_proj.weight"], twice=True)
