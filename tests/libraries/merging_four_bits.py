"""Bases in 4 and 8 bits, and merging to 4 bits. test_merge.py runs these tests with its own."""

import json
import shutil

import numpy
import peft
import torch
import transformers
from families import make
from libraries import ALL, run_qfuse
from merge_models import LINEAR, config_of, contract, merged_by_peft, model_class, state_of
from merging import Merging, merge
from models import decoded, load, quantize_by_transformers
from transformers import BitsAndBytesConfig, LlavaForConditionalGeneration

# Classes whose layers BitsAndBytesConfig quantizes: class, further config fields, and layers with an adapter.
TRAINED = [
    ("LlamaForCausalLM", {"tie_word_embeddings": False}, ["q_proj"]),
    ("LlamaForCausalLM", {"tie_word_embeddings": True}, ["q_proj"]),
    ("LlavaForConditionalGeneration", {}, ["down_proj"]),
    ("T5ForConditionalGeneration", {}, ["q"]),
]
MORE_TRAINED = [
    ("Qwen2VLForConditionalGeneration", {}, ["q_proj"]),
    ("BartForConditionalGeneration", {}, ["q_proj"]),
    ("T5ForConditionalGeneration", {"tie_word_embeddings": False}, ["q"]),
    ("MixtralForCausalLM", {}, ["q_proj"]),
    ("WhisperForConditionalGeneration", {}, ["q_proj"]),
    ("BertForMaskedLM", {}, ["query"]),
    ("BertForSequenceClassification", {}, ["query"]),
    ("Gemma3ForConditionalGeneration", {}, ["q_proj"]),
    ("Qwen3MoeForCausalLM", {}, ["q_proj"]),
]


class FourBits(Merging):
    def quantized(self, name, *options, dtype=torch.bfloat16):
        path = self.place("quantized")
        run_qfuse("quantize", self.base(name, dtype), "-o", path, "--quiet", *options)
        return path

    def dequantized(self, path):
        out = self.place("dequantized")
        run_qfuse("dequantize", path, "-o", out, "--quiet")
        return out

    def test_four_bit_base(self):
        """Merges onto the decoded weights, as peft does before it quantizes them again."""
        adapter = self.adapter("llama", target_modules=LINEAR)
        bases = [self.quantized("llama"), self.quantized("llama", "--type", "fp4", "--no-double-quant")]
        theirs = self.place("theirs")
        model = quantize_by_transformers(
            model_class("llama"), self.base("llama"), "nf4", True, torch.bfloat16, skip=["lm_head"]
        )
        model.save_pretrained(theirs)
        for base in [*bases, theirs]:
            out = self.merged(base, adapter)
            plain = model_class("llama").from_pretrained(base)
            tensors = {**state_of(self.base("llama")), **decoded(plain)}
            self.require_same(state_of(out), contract(self.base("llama"), [adapter], tensors=tensors).result())
            self.assertNotIn("quantization_config", config_of(out))
            model_class("llama").from_pretrained(out)
        # a base in fp16, so that its decoded weights are fp16
        base = self.quantized("llama", dtype=torch.float16)
        plain = self.dequantized(base)
        self.assertEqual({tensor.dtype for tensor in state_of(plain).values()}, {torch.float16})
        self.require_same(state_of(self.merged(base, adapter)), contract(plain, [adapter]).result())
        if ALL:
            self.row_of_dora(bases[0])

    def test_experts_of_one_tensor(self):
        """A 4-bit stack becomes what peft makes of the decoded stack."""
        parameters = ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"]
        adapter = self.adapter("gpt_oss", target_modules=["q_proj"], target_parameters=parameters)
        base = self.quantized("gpt_oss", "--experts")
        plain = self.dequantized(base)
        expected = contract(plain, [adapter])
        found = state_of(self.merged(base, adapter))
        self.require_same(found, expected.result())
        theirs = merged_by_peft("gpt_oss", plain, [adapter], self.place("theirs"))
        self.require_near(found, theirs, expected, twice=True)

    def row_of_dora(self, base):
        adapter = self.adapter("llama", target_modules=LINEAR, use_dora=True)
        self.require_same(state_of(self.merged(base, adapter)), contract(self.dequantized(base), [adapter]).result())

    def test_what_no_adapter_touches(self):
        """Layers without an adapter become what they would be without a merge."""
        adapter = self.adapter("llama", target_modules=["q_proj"], size=1.0)
        base = self.quantized("llama")
        plain = self.dequantized(base)
        self.require_same(state_of(self.merged(base, adapter)), contract(plain, [adapter]).result())
        self.require_same(
            state_of(self.merged(self.base("llama"), adapter, "--base-as", "nf4")), contract(plain, [adapter]).result()
        )
        # To 4 bits again: layers without a delta keep their codes, the others get the codes of the merged weights.
        found = state_of(self.merged(base, adapter, "--to", "nf4", "--fail-below", "0"))
        again = self.place("again")
        run_qfuse("quantize", self.merged(base, adapter), "-o", again, "--quiet")
        expected = {
            name: tensor if "q_proj" in name else state_of(base)[name] for name, tensor in state_of(again).items()
        }
        self.require_same(found, expected)
        found = state_of(self.merged(self.base("llama"), adapter, "--base-as", "nf4", "--to", "nf4"))
        self.require_same(found, state_of(again))

    def test_all_kinds_of_parts_on_four_bits(self):
        name = "llama-bias"
        adapter = self.adapter(
            name,
            target_modules=["q_proj", "down_proj"],
            bias="all",
            modules_to_save=["lm_head"],
            trainable_token_indices=[3, 1],
        )
        other = self.adapter(name, target_modules=["k_proj"], lora_bias=True)
        base = self.quantized(name)
        plain = self.dequantized(base)
        for one in (adapter, other):
            self.require_same(state_of(self.merged(base, one)), contract(plain, [one]).result())

    def test_int8_base(self):
        adapter = self.adapter("llama", target_modules=LINEAR)
        base = self.place("int8")
        config = BitsAndBytesConfig(load_in_8bit=True, llm_int8_skip_modules=["lm_head"])
        load(model_class("llama"), self.base("llama"), quantization_config=config).save_pretrained(base)
        self.require_same(state_of(self.merged(base, adapter)), contract(self.dequantized(base), [adapter]).result())

    def seen_in_training(self, class_name, base, skip=None):
        """Returns the base with the values that transformers' BitsAndBytesConfig gives its layers."""
        auto = getattr(transformers, class_name)
        weights = decoded(quantize_by_transformers(auto, base, "nf4", False, torch.bfloat16, skip))
        model = auto.from_pretrained(base, dtype="auto")
        for name, weight in weights.items():
            model.get_parameter(name).data.copy_(weight)
        out = self.place("seen")
        model.save_pretrained(out)
        return out

    def test_base_as_training_saw_it(self):
        """--base-as changes exactly the layers that BitsAndBytesConfig quantizes, whichever layers the adapter has."""
        options = ["--base-as", "nf4", "--no-double-quant"]
        for class_name, fields, targets in TRAINED + (MORE_TRAINED if ALL else []):
            with self.subTest(class_name, **fields):
                base, adapter = self.place("trained"), self.place("adapter")
                make(class_name, base, **fields)
                model = getattr(transformers, class_name).from_pretrained(base)
                config = peft.LoraConfig(r=4, target_modules=targets, init_lora_weights=False)
                peft.get_peft_model(model, config).save_pretrained(adapter)
                found = state_of(self.merged(base, adapter, *options))
                seen = self.seen_in_training(class_name, base)
                self.require_same(found, state_of(self.merged(seen, adapter)))

    def test_base_as_somebody_chose_it(self):
        """The layers are chosen by patterns, or as the base's own config records them."""
        base, adapter = self.base("llama"), self.adapter("llama", target_modules=LINEAR)
        options = ["--base-as", "nf4", "--no-double-quant"]
        seen = self.seen_in_training("LlamaForCausalLM", base, ["v_proj", "model.layers.0.mlp"])
        expected = state_of(self.merged(seen, adapter))
        chosen = ["--include", "lm_head.weight", "--exclude", "*.v_proj.*", "--exclude", "*.layers.0.mlp.*"]
        self.require_same(state_of(self.merged(base, adapter, *options, *chosen)), expected)
        recorded = self.place("recorded")
        shutil.copytree(base, recorded)
        config = config_of(base)
        config["quantization_config"] = {
            "quant_method": "bitsandbytes",
            "llm_int8_skip_modules": ["v_proj", "model.layers.0.mlp"],
        }
        (recorded / "config.json").write_text(json.dumps(config))
        self.require_same(state_of(self.merged(recorded, adapter, *options)), expected)
        self.assertIn("--base-as or --to", merge(base, adapter, "-o", self.place("out"), *chosen[:2], code=1))
        self.assertIn(
            "matches nothing", merge(base, adapter, "-o", self.place("out"), *options, "--include", "x", code=1)
        )

    def test_int8_dtype_of_a_part(self):
        """The top-level config has no dtype. The text model's counts, which older versions wrote as "torch.float16"."""
        plain, base, theirs = self.place("llava"), self.place("int8"), self.place("theirs")
        make("LlavaForConditionalGeneration", plain)
        model = load(
            LlavaForConditionalGeneration,
            plain,
            dtype=torch.float16,
            quantization_config=BitsAndBytesConfig(load_in_8bit=True, llm_int8_skip_modules=["lm_head"]),
        )
        model.save_pretrained(base)
        config = config_of(base)
        del config["dtype"]
        config["text_config"]["dtype"] = "torch.float16"
        config["vision_config"]["dtype"] = "float32"
        (base / "config.json").write_text(json.dumps(config))
        model.dequantize(dtype=torch.float16).save_pretrained(theirs)
        out = self.dequantized(base)
        self.require_same(state_of(out), state_of(theirs))
        found = config_of(out)
        self.assertEqual(
            [found["torch_dtype"], found["text_config"]["dtype"], found["vision_config"]["dtype"]],
            ["float16", "float16", "float32"],
        )

    def test_to_four_bits(self):
        base, adapter = self.base("llama"), self.adapter("llama", target_modules=LINEAR)
        plain = self.merged(base, adapter)
        for to, options, words in (
            ("nf4", [], []),
            ("fp4", ["--no-double-quant", "--block-size", "128"], ["--type", "fp4"]),
        ):
            out = self.merged(base, adapter, "--to", to, *options)
            expected = self.place("expected")
            run_qfuse("quantize", plain, "-o", expected, "--quiet", *words, *options)
            self.require_same(state_of(out), state_of(expected))
            self.assertEqual(config_of(out)["quantization_config"], config_of(expected)["quantization_config"])
            model_class("llama").from_pretrained(out)

    def test_what_survives(self):
        """The codes of a 4-bit base absorb a small delta. A 16-bit base has values between codes, and keeps it."""
        small = self.adapter("llama", target_modules=LINEAR, size=0.01)
        large = self.adapter("llama", target_modules=LINEAR, size=0.6)
        base = self.quantized("llama")
        out = self.place("refused")
        said = merge(base, small, "-o", out, "--to", "nf4", code=1)
        self.assertFalse(out.exists())
        self.assertIn("--fail-below", said)
        self.merged(base, small, "--to", "nf4", "--fail-below", "0")
        self.merged(base, large, "--to", "nf4")
        self.merged(self.base("llama"), small, "--to", "nf4")

    def test_figures(self):
        """Reports the size of a delta, and how much survives in the codes: the projection of the change on the delta.
        (Nested scales, which the figures ignore, change it by less than one in a hundred.)"""
        for size in (0.02, 0.3):
            adapter = self.adapter("llama", target_modules=LINEAR, size=size)
            for base in (self.base("llama"), self.quantized("llama")):
                plain = base if base == self.base("llama") else self.dequantized(base)
                start, sums = state_of(plain), contract(plain, [adapter]).sums
                words = ["--to", "nf4", "--fail-below", "0"]
                left = state_of(self.dequantized(self.merged(base, adapter, *words)))
                said = run_qfuse("merge", base, adapter, "-o", self.place("dry"), "--dry-run", "--json", *words)
                rows = json.loads(said)["changes"]
                self.assertEqual(sorted(row["name"] for row in rows), sorted(sums))
                for row in rows:
                    weight = start[row["name"]].double().numpy()
                    added = sums[row["name"]].sum.astype(numpy.float64) - weight
                    kept = ((left[row["name"]].double().numpy() - weight) * added).sum() / (added**2).sum()
                    for key, value in (("added_rms", added), ("weight_rms", weight)):
                        rms = numpy.sqrt((value**2).mean())
                        self.assertLess(abs(row[key] - rms), 1e-6 * rms)
                    self.assertLess(abs(row["survival"] - kept), 0.01 + 2e-4 / size, (size, row))

    def test_base_as_four_bits(self):
        """Merges onto what the adapter was trained with: the base as bitsandbytes decodes it."""
        adapter = self.adapter("llama", target_modules=LINEAR)
        for kind, options in (("nf4", []), ("fp4", ["--no-double-quant", "--block-size", "128"])):
            out = self.merged(self.base("llama"), adapter, "--base-as", kind, *options)
            through = self.dequantized(self.quantized("llama", "--type", kind, *options))
            self.require_same(state_of(out), state_of(self.merged(through, adapter)))
            self.require_same(state_of(out), contract(through, [adapter]).result())
            self.assertIn(kind, (out / "README.md").read_text().lower())
