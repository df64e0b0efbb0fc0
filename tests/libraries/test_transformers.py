"""transformers loads what qfuse writes, and computes the same with it."""

import torch
import transformers
from families import make
from libraries import TINY, Judged, main
from models import DEVICE, VARIANTS, decoded, load, quantize_by_transformers, same_bits
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

LINEAR_LAYERS = 14  # of both models, without lm_head
IDS = torch.arange(3, 67).reshape(2, 32)


@torch.no_grad()
def logits(model):
    return model(IDS.to(DEVICE)).logits


class Transformers(Judged):
    def make(self, dtype):
        """Saves a small Llama of rows of whole blocks: only then does bitsandbytes find the right scales on a CPU."""
        torch.manual_seed(1)
        config = LlamaConfig(
            hidden_size=128,
            intermediate_size=256,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            vocab_size=512,
            max_position_embeddings=256,
        )
        path = self.directory / f"made-{dtype}"
        LlamaForCausalLM(config).to(dtype).save_pretrained(path)
        return path

    def test_loads_what_quantize_wrote(self):
        for name, (options, _) in VARIANTS.items():
            for more in ([], ["--block-size", "128"], ["--max-shard-size", "100KB"], ["--dtype", "fp16"]):
                with self.subTest(name, options=more):
                    model = load(
                        AutoModelForCausalLM, self.convert("quantize", TINY / "full", *options, *more, to=name)
                    )
                    self.assertEqual(len(decoded(model)), LINEAR_LAYERS)

    def test_loads_what_was_excluded(self):
        out = self.convert("quantize", TINY / "full", "--exclude", "*.self_attn.*", to="excluded")
        self.assertEqual(len(decoded(load(AutoModelForCausalLM, out))), LINEAR_LAYERS - 8)

    def test_computes_the_same_as_what_it_quantized_itself(self):
        """NF4, not nested: only there are bitsandbytes' codes the same on the CPU and on CUDA, and equal to ours."""
        sources = [(self.make(dtype), dtype) for dtype in (torch.bfloat16, torch.float16, torch.float32)]
        if DEVICE != "cpu":
            sources.append((TINY / "full", torch.bfloat16))  # not all of its rows are whole blocks
        options, asked = VARIANTS["nf4-plain"]
        for source, dtype in sources:
            with self.subTest(source.name):
                ours = load(AutoModelForCausalLM, self.convert("quantize", source, *options, to="plain"), dtype=dtype)
                theirs = quantize_by_transformers(AutoModelForCausalLM, source, *asked, dtype)
                found = logits(ours)
                self.assertTrue(torch.isfinite(found).all())
                self.assertTrue(same_bits(found, logits(theirs)))

    def test_decodes_what_quantize_wrote_as_dequantize_does(self):
        for name, (options, _) in VARIANTS.items():
            for dtype in (torch.bfloat16, torch.float16, torch.float32):
                with self.subTest(name, dtype=dtype):
                    out = self.convert("quantize", self.make(dtype), *options, to=name)
                    theirs = decoded(load(AutoModelForCausalLM, out, dtype=dtype))
                    ours = load_file(self.convert("dequantize", out, to="back") / "model.safetensors")
                    self.assertEqual(len(theirs), LINEAR_LAYERS)
                    for key, weight in theirs.items():  # as numbers: on a CPU, FP4's code 8 may be +0
                        self.assertTrue(torch.equal(ours[key], weight), key)

    def test_experts_one_by_one_load_once_they_are_dequantized(self):
        """transformers 5 joins the experts of a layer when it loads them, and cannot join quantized ones."""
        make("MixtralForCausalLM", self.directory / "mixtral")
        quantized = self.convert("quantize", self.directory / "mixtral", "--experts", to="mixtral-4bit")
        with self.assertRaises(RuntimeError):
            load(AutoModelForCausalLM, quantized)
        model = load(AutoModelForCausalLM, self.convert("dequantize", quantized, to="mixtral-back"))
        self.assertTrue(torch.isfinite(logits(model)).all())

    def test_what_transformers_saves_itself(self):
        """transformers saves no model loaded in 4 bits. From 5.24 on it saves a dequantized one, with our names."""
        model = load(AutoModelForCausalLM, TINY / "bnb4")
        with self.assertRaises(NotImplementedError):
            model.save_pretrained(self.directory / "again")
        decoded = model.dequantize(dtype=torch.bfloat16)
        if tuple(int(part) for part in transformers.__version__.split(".")[:2]) < (5, 24):
            with self.assertRaises(NotImplementedError):
                decoded.save_pretrained(self.directory / "theirs")
            return
        decoded.save_pretrained(self.directory / "theirs")
        ours = load_file(self.convert("dequantize", TINY / "bnb4", to="ours") / "model.safetensors")
        self.assertEqual(load_file(self.directory / "theirs" / "model.safetensors").keys(), ours.keys())

    def test_loads_what_dequantize_wrote(self):
        """The loaded weights have every bit that bitsandbytes decodes on CUDA."""
        expected = load_file(TINY / "dequant_expected.safetensors")
        self.assertEqual(len(expected), LINEAR_LAYERS)
        for source in ("bnb4", "bnb4_scattered"):
            model = load(AutoModelForCausalLM, self.convert("dequantize", TINY / source, to="full"))
            self.assertTrue(torch.isfinite(logits(model)).all())
            state = model.state_dict()
            for key, weight in expected.items():
                self.assertTrue(same_bits(state[key], weight), key)


if __name__ == "__main__":
    main()
