"""The output of `qfuse merge` for all sizes of tensors, pieces and shards, dtypes and further files; and that the
merged model computes the same as base and adapter. test_merge.py tests the adapters of each kind.
"""

import itertools
import json
import os
import shutil
import unittest.mock
from pathlib import Path

import huggingface_hub
import torch
from libraries import main, run_qfuse, weight_files
from merge_models import (
    LINEAR,
    PREFIX,
    Adapter,
    Contract,
    contract,
    half_step,
    load_base,
    model_class,
    state_of,
    with_adapters,
)
from merging import Merging, merge
from models import same_bits
from safetensors.torch import save_file


class Output(Merging):
    def test_small_and_large_deltas(self):
        for size in (1e-3, 1.0, 30.0):
            self.row("llama", target_modules=["q_proj", "down_proj"], size=size, seed=int(size * 1000))

    def test_odd_sizes_and_small_numbers(self):
        """Shapes at the edges of vectors and tiles, and subnormal numbers, which some processor settings treat as zero.
        The base is one file, without a config."""
        generator = torch.Generator().manual_seed(11)
        base, adapter, ranks = {}, {}, {}
        shapes = [(1, 1, 1), (3, 130, 2), (77, 31, 7), (129, 257, 17), (16, 64, 300), (33, 1, 4), (1, 4099, 3)]
        dtypes = (torch.bfloat16, torch.float16, torch.float32)
        for (rows, columns, rank), dtype, exponent in itertools.product(shapes, dtypes, (0, 66, 74)):

            def random(*shape, size=2.0**-exponent):
                return torch.randn(shape, generator=generator) * size

            name = f"m{len(base)}"
            weight = random(rows, columns) * 2.0**-exponent
            weight.view(-1)[0] = -0.0
            base[f"{name}.weight"] = weight.to(dtype)
            adapter[f"{PREFIX}{name}.lora_A.weight"] = random(rank, columns)
            adapter[f"{PREFIX}{name}.lora_B.weight"] = random(rows, rank)
            adapter[f"{PREFIX}{name}.lora_B.weight"][0] = 0.0
            ranks[name] = rank
        file, path = self.place("odd"), self.place("adapter")
        file = file.with_suffix(".safetensors")
        save_file(base, file)
        path.mkdir()
        save_file(adapter, path / "adapter_model.safetensors", {"format": "pt"})
        config = {"peft_type": "LORA", "r": 5, "lora_alpha": -3.7, "rank_pattern": ranks, "use_rslora": True}
        (path / "adapter_config.json").write_text(json.dumps(config))
        out = self.place("merged").with_suffix(".safetensors")
        merge(file, path, "-o", out, "--quiet")
        expected = Contract(base, {"model_type": ""})
        expected.apply(Adapter(path, 1.0))
        self.require_same(state_of(out), expected.result())
        merge(file, path, "-o", out, "--quiet", "--force", "--threads", "1")
        self.require_same(state_of(out), expected.result())

    def test_tensors_of_many_pieces(self):
        """Tensors are made piece by piece, although DoRA's norms cover whole rows, or whole columns of an embedding."""
        generator = torch.Generator().manual_seed(12)

        def random(*shape):
            return torch.randn(shape, generator=generator)

        rank = 4
        for dtype in (torch.bfloat16, torch.float32):
            base = {
                "model.wide.weight": random(301, 9001).to(dtype),
                "model.embed_tokens.weight": random(9001, 301).to(dtype),
            }
            adapter = {
                "model.wide.lora_A.weight": random(rank, 9001),
                "model.wide.lora_B.weight": random(301, rank),
                "model.wide.lora_magnitude_vector": random(301).abs() * 90,
                "model.embed_tokens.lora_embedding_A": random(rank, 9001),
                "model.embed_tokens.lora_embedding_B": random(301, rank),
                "model.embed_tokens.lora_magnitude_vector": random(301).abs() * 90,
            }
            for dora in (True, False):
                file, path, out = (
                    self.place("big").with_suffix(".safetensors"),
                    self.place("adapter"),
                    self.place("out"),
                )
                save_file(base, file)
                path.mkdir()
                tensors = {PREFIX + key: one for key, one in adapter.items() if dora or "magnitude" not in key}
                save_file(tensors, path / "adapter_model.safetensors", {"format": "pt"})
                config = {"peft_type": "LORA", "r": rank, "lora_alpha": 0.3, "use_dora": dora}
                (path / "adapter_config.json").write_text(json.dumps(config))
                out = out.with_suffix(".safetensors")
                merge(file, path, "-o", out, "--tie", "--quiet")  # no config says whether there is a head
                expected = Contract(base, {"model_type": ""})
                expected.apply(Adapter(path, 1.0))
                self.require_same(state_of(out), expected.result())

    def test_to_other_dtypes(self):
        """Sums are rounded from fp32 to the requested dtype, and not to the base's dtype before."""
        base, adapter = self.base("llama"), self.adapter("llama", target_modules=LINEAR)
        sums = contract(base, [adapter]).sums
        for option, dtype in (("fp32", torch.float32), ("fp16", torch.float16), ("bf16", torch.bfloat16)):
            found = state_of(self.merged(base, adapter, "--to", option))
            for name, into in sums.items():
                into.dtype = dtype
                self.assertTrue(same_bits(found[name], into.out()), f"{name} to {option}")
        whole = self.base("llama", torch.float32)
        found = state_of(self.merged(whole, adapter, "--to", "bf16"))
        for name, into in contract(whole, [adapter]).sums.items():
            into.dtype = torch.bfloat16
            self.assertTrue(same_bits(found[name], into.out()), name)

    def test_shards(self):
        base, adapter = self.base("llama"), self.adapter("llama", target_modules=LINEAR)
        whole = self.merged(base, adapter)
        shards = self.place("shards")
        load_base("llama", base).save_pretrained(shards, max_shard_size="300KB")
        self.assertGreater(len(weight_files(shards)), 3)
        for of, options in ((shards, []), (base, ["--max-shard-size", "300KB"]), (base, ["--threads", "1"])):
            out = self.merged(of, adapter, *options)
            self.require_same(state_of(out), state_of(whole))
            model_class("llama").from_pretrained(out)
            if options and options[0] == "--max-shard-size":
                self.assertGreater(len(weight_files(out)), 3)
                index = json.loads((out / "model.safetensors.index.json").read_text())
                self.assertEqual(sorted(index["weight_map"]), sorted(state_of(whole)))
        parts = self.place("parts")
        for part in range(3):
            merge(shards, adapter, "-o", parts, "--quiet", "--shard", f"{part}/3")
        run_qfuse("finish", parts, "--quiet")
        self.require_same(state_of(parts), state_of(whole))
        file = self.merged(base / "model.safetensors", adapter)
        self.require_same(state_of(file), state_of(whole))

    def download(self, base, revision, commit, card):
        """Puts a model into a cache of the Hub, as a download does, and returns the snapshot that huggingface_hub
        finds."""
        cache = self.place("cache")
        snapshot = cache / "models--org--base" / "snapshots" / commit
        blobs, references = (snapshot.parents[1] / name for name in ("blobs", "refs"))
        for folder in (snapshot, blobs, references):
            folder.mkdir(parents=True)
        (references / revision).write_text(commit)
        for file in base.iterdir():
            shutil.copy(file, blobs / file.name)
            (snapshot / file.name).symlink_to(f"../../blobs/{file.name}")
        (snapshot / "README.md").write_text(card)
        self.enterContext(unittest.mock.patch.dict(os.environ, HF_HUB_CACHE=str(cache)))
        return huggingface_hub.snapshot_download(
            "org/base", revision=revision, cache_dir=cache, local_files_only=True, token=False
        )

    def test_the_base_that_the_adapter_names(self):
        """The base is in the Hub's cache, where huggingface_hub finds it, and the card has what the Hub reads."""
        base, adapter = self.base("llama"), self.adapter("llama", target_modules=["q_proj"])
        config = json.loads((adapter / "adapter_config.json").read_text())
        config |= {"base_model_name_or_path": "org/base", "revision": "v2"}
        (adapter / "adapter_config.json").write_text(json.dumps(config))
        card = "---\nlicense: apache-2.0\nlanguage: [en, de]\npipeline_tag: text-generation\ntags: [chat]\n---\nText.\n"
        snapshot = self.download(base, "v2", "0123456789abcdef0123456789abcdef01234567", card)
        out = self.place("merged")
        self.assertIn(f"{snapshot}", merge(adapter, "-o", out))
        self.require_same(state_of(out), state_of(self.merged(base, adapter)))
        made = huggingface_hub.ModelCard.load(out / "README.md").data.to_dict()
        self.assertEqual(made.pop("tags"), ["lora", "qfuse"])
        self.assertEqual(
            made,
            {
                "base_model": "org/base",
                "language": ["en", "de"],
                "library_name": "transformers",
                "license": "apache-2.0",
                "pipeline_tag": "text-generation",
            },
        )
        self.assertEqual((out / "original_README.md").read_text(), card)

    def test_cards_of_other_conversions(self):
        card = "---\nlicense: apache-2.0\ntags:\n- chat\n---\nText.\n"
        snapshot = self.download(self.base("llama"), "main", "0123456789abcdef0123456789abcdef01234567", card)
        quantized, plain = self.place("quantized"), self.place("plain")
        run_qfuse("quantize", "org/base", "-o", quantized)
        run_qfuse("dequantize", quantized, "-o", plain)
        made = huggingface_hub.ModelCard.load(quantized / "README.md")
        self.assertEqual(
            made.data.to_dict(),
            {
                "base_model": "org/base",
                "base_model_relation": "quantized",
                "library_name": "transformers",
                "license": "apache-2.0",
                "tags": ["chat", "4-bit", "bitsandbytes", "qfuse"],
            },
        )
        self.assertEqual(made.text.strip(), "Text.")
        self.assertEqual(huggingface_hub.ModelCard.load(plain / "README.md").data.tags, ["chat", "qfuse"])
        self.assertEqual(state_of(plain).keys(), state_of(Path(snapshot)).keys())

    def test_logits(self):
        """The merged model computes the same as base and adapter, except that its weights are rounded to bf16, each by
        up to half a step. With independent errors, a logit's error has the standard deviation sqrt(sum of (its
        derivative * half a step)^2 / 3). The error must be below eight of these. A lost delta exceeds that."""
        rows = [
            ("llama", {"target_modules": LINEAR}),
            ("llama", {"target_modules": LINEAR, "use_dora": True}),
            ("llama-tied", {"target_modules": ["lm_head", "q_proj"]}),
            ("llama-tied", {"target_modules": ["embed_tokens", "q_proj"]}),
            ("llama-tied", {"target_modules": ["q_proj"], "trainable_token_indices": [4, 6, 9]}),
            ("gpt2", {"target_modules": ["c_attn", "c_proj", "c_fc"], "fan_in_fan_out": True}),
            ("mixtral", {"target_modules": [], "target_parameters": ["experts.gate_up_proj", "experts.down_proj"]}),
            ("gpt_oss", {"target_modules": [], "target_parameters": ["experts.gate_up_proj", "experts.down_proj"]}),
        ]
        ids = torch.arange(3, 19).reshape(1, 16)
        for name, config in rows:
            with self.subTest(name, config=config):
                base, adapter = self.base(name), self.adapter(name, **config)
                out = self.merged(base, adapter)
                merged = load_base(name, out, torch.float32)
                found = merged(input_ids=ids).logits[0]
                with torch.no_grad():
                    expected = with_adapters(name, base, [adapter], dtype=torch.float32)(input_ids=ids).logits[0]
                    plain = load_base(name, base, torch.float32)(input_ids=ids).logits[0]
                changed = set(contract(base, [adapter]).sums)
                worst, seen = 0.0, 0.0
                for place, token in ((0, 5), (3, 17), (9, 200), (15, 33)):
                    merged.zero_grad()
                    found[place, token].backward(retain_graph=True)
                    variance = 0.0
                    for parameter in merged.parameters():
                        if parameter.grad is not None:
                            steps = torch.from_numpy(half_step(parameter.detach().double().numpy(), torch.bfloat16))
                            variance += ((parameter.grad.double() * steps) ** 2).sum().item() / 3
                    bound = 8 * variance**0.5
                    worst = max(worst, abs(found[place, token] - expected[place, token]).item() / bound)
                    seen = max(seen, abs(plain[place, token] - expected[place, token]).item() / bound)
                self.assertTrue(changed)
                self.assertLess(worst, 1)
                self.assertGreater(seen, 1, "the adapter's effect is too small to be seen")


if __name__ == "__main__":
    main()
