"""`qfuse merge` matches its contract (merge_models.py) bit for bit, and peft's own merge as nearly as merging.py says.
test_merge_output.py tests numbers, pieces and files, test_merge_refusals.py what is refused. QFUSE_TEST_ALL=OFF skips
what only repeats a row with other numbers.
"""

import json
import re
from fractions import Fraction
from pathlib import Path

import numpy
import test_merge_output
import test_merge_refusals
import torch
from families import all_families, make
from libraries import ALL, main, run_qfuse
from merge_models import (
    ALPHA,
    LINEAR,
    PREFIX,
    RANK,
    adapt,
    config_of,
    contract,
    fmaf,
    half_step,
    merged_by_peft,
    state_of,
)
from merging import Merging, merge
from merging_experts import Experts
from merging_four_bits import FourBits
from merging_names import Names
from models import same_bits
from safetensors.torch import load_file, save_file
from test_families import QUICK

DOCUMENT = Path(__file__).parents[2] / "docs" / "MERGE.md"  # its table of features names a test for each

# Families whose linear layers are all merged with QFUSE_TEST_ALL=OFF.
FEW_FAMILIES = ["aria", "bart", "bloom", "deepseek_v3", "gemma3", "llava", "olmoe", "phimoe", "qwen3_vl_moe", "t5"]
# Refused: transformers renames layers of these on loading, in a way that the command does not know.
RENAMED = {"jina_embeddings_v3", "nomic_bert", "phimoe", "vit"}
NOT_OF_PEFT = {"mamba", "nemotron_h"}  # peft does not adapt all linear layers of these


class Contracts(Merging):
    """Tests of the reference itself."""

    def test_each_feature_of_the_document_names_its_test(self):
        tests = {name for kind in KINDS for name in dir(kind) if name.startswith("test_")}
        rows = re.findall(r"(?m)^\| .+ \| (?:yes|refused) \| (`test_.+`) \|$", DOCUMENT.read_text(encoding="utf-8"))
        named = re.findall(r"`(test_\w+)`", " ".join(rows))
        self.assertEqual((len(rows), len(named)), (28, 57))
        self.assertEqual(set(named) - tests, set())

    def test_fmaf_rounds_once(self):
        generator = numpy.random.default_rng(5)
        x, y, z = (generator.standard_normal(4000).astype(numpy.float32) for _ in range(3))
        # sums so close to the middle between two fp32 numbers that fp64 cannot hold the difference
        near = slice(0, 2000)
        k = generator.integers(1, 2**8, 2000)
        x[near] = (1 + k * 2.0**-23).astype(numpy.float32)
        y[near] = ((1 - k * 2.0**-23) * 2.0**-24).astype(numpy.float32) * generator.choice([-1, 1], 2000)
        z[near] = (1 + generator.integers(0, 2**23, 2000) * 2.0**-23).astype(numpy.float32)
        y[near], z[near] = y[near].astype(numpy.float32), z[near] * generator.choice([-1, 1], 2000)
        twice = 0
        for a, b, c, found in zip(x, y, z, fmaf(x, y, z), strict=True):
            exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
            twice += numpy.float32(float(a) * float(b) + float(c)) != found
            others = [numpy.nextafter(found, numpy.float32(end)) for end in (-numpy.inf, numpy.inf)]
            distance = abs(Fraction(float(found)) - exact)
            for other in others:
                away = abs(Fraction(float(other)) - exact)
                even = int(found.view(numpy.int32)) % 2 == 0
                self.assertTrue(distance < away or (distance == away and even), (a, b, c))
        self.assertGreater(twice, 0)


class Rows(Merging):
    def test_linear(self):
        out, _ = self.row("llama", target_modules=LINEAR)
        self.assertNotIn("quantization_config", config_of(out))
        self.assertIn("base-llama", (out / "README.md").read_text())

    def test_rslora(self):
        self.row("llama", target_modules=LINEAR, use_rslora=True, lora_alpha=7.5)

    def test_patterns(self):
        self.row(
            "llama",
            target_modules=LINEAR,
            use_rslora=True,
            rank_pattern={r".*\.v_proj": 2, "down_proj": 3, r"layers\.1\.self_attn\.[qkv]_proj": 5, "proj": 9},
            alpha_pattern={
                "^model.layers.1.mlp.(gate|up)_proj": 2.5,
                r"layers\.\d+\.mlp\.up_proj": 3,
                "layers.1": 99,
                r"model\.layers\.0\..*": 4,
                "o_proj|k_proj": 6,
            },
        )

    def test_patterns_in_the_order_of_the_file(self):
        """peft sorts the patterns when it writes them, and takes the first match when it reads them. Files written by
        hand or by other programs have any order."""
        base, adapter = self.base("llama"), self.adapter("llama", target_modules=LINEAR)
        config = json.loads((adapter / "adapter_config.json").read_text())
        config["alpha_pattern"] = {"q_proj": 4, ".*proj": 2, "a.*_proj": 3}
        (adapter / "adapter_config.json").write_text(json.dumps(config))
        expected = contract(base, [adapter])
        found = state_of(self.merged(base, adapter))
        self.require_same(found, expected.result())
        self.require_near(found, merged_by_peft("llama", base, [adapter], self.place("theirs")), expected)

    def test_conv1d(self):
        self.row("gpt2", target_modules=["c_attn", "c_proj", "c_fc"], fan_in_fan_out=True)

    def test_conv2d(self):
        self.row("vit", target_modules=["projection"])

    def test_lora_bias(self):
        self.row("llama-bias", target_modules=["q_proj", "down_proj"], lora_bias=True)

    def test_trained_biases(self):
        self.row("llama-bias", target_modules=["q_proj", "down_proj"], bias="all")
        self.row("llama-bias", target_modules=["q_proj"], bias="lora_only")
        self.row("gpt2", target_modules=["c_attn"], fan_in_fan_out=True, bias="all")

    def test_dora(self):
        self.row("llama", target_modules=LINEAR, use_dora=True)
        self.row("llama", target_modules=["lm_head", "q_proj"], use_dora=True, use_rslora=True)
        self.row("gpt2", target_modules=["c_attn", "c_proj"], fan_in_fan_out=True, use_dora=True)
        self.row("llama", target_modules=["embed_tokens", "lm_head"], use_dora=True)

    def test_dora_before_another(self):
        base = self.base("llama", torch.float32)
        dora = self.adapter("llama", base, target_modules=LINEAR, use_dora=True)
        other = self.adapter("llama", base, seed=2, target_modules=["q_proj", "up_proj"])
        expected = contract(base, [dora, other])
        found = state_of(self.merged(base, dora, other))
        self.require_same(found, expected.result())
        theirs = merged_by_peft("llama", base, [dora, other], self.place("theirs"))
        self.require_near(found, theirs, expected)

    def test_embeddings(self):
        targets = ["embed_tokens", "lm_head", "q_proj"]
        self.row("llama", target_modules=targets, twice=True)
        self.row("llama", base=self.base("llama", torch.float32), target_modules=targets)

    def test_modules_to_save(self):
        self.row("llama", target_modules=["q_proj"], modules_to_save=["lm_head", "embed_tokens"])
        self.row("llama", target_modules=["q_proj"], modules_to_save=["norm"])

    def test_tokens(self):
        self.row("llama", target_modules=["q_proj"], trainable_token_indices=[5, 1, 300])
        self.row("llama", target_modules=["q_proj"], trainable_token_indices={"embed_tokens": [7, 5], "lm_head": [2]})

    def test_resized_vocabulary(self):
        def grow(model):
            model.resize_token_embeddings(328)

        def shrink(model):
            model.resize_token_embeddings(304)

        self.row("llama", change=grow, target_modules=["q_proj"])
        self.row("llama", change=shrink, target_modules=["q_proj"])
        self.row("llama", change=grow, target_modules=["q_proj"], trainable_token_indices=[321, 327])
        self.row("llama", change=grow, target_modules=["q_proj", "embed_tokens", "lm_head"], twice=True)
        self.row("llama-tied", change=grow, target_modules=["q_proj"])
        self.row("llama-tied", change=grow, target_modules=["q_proj"], trainable_token_indices=[321, 327])

    def test_new_tokens(self):
        """peft stores a resized embedding or head twice, and also the untrained copy."""

        def grow(model):
            model.resize_token_embeddings(328)

        for name in ("llama", "llama-tied"):
            for saved in (["embed_tokens", "lm_head"], ["embed_tokens"], ["lm_head"]):
                with self.subTest(name=name, saved=saved):
                    self.row(name, change=grow, target_modules=["q_proj"], modules_to_save=saved)

    def test_tied_head(self):
        """peft adds the delta to the one shared tensor, which changes what the model computes."""
        for target in ("lm_head", "embed_tokens"):
            for tie, tensors in ((None, 2), ("--untie", 2), ("--tie", 1)):
                with self.subTest(target, tie=tie):
                    peft_too = tie == "--tie"
                    out, found = self.row(
                        "llama-tied", target_modules=[target, "q_proj"], tie=tie, theirs=peft_too, twice=True
                    )
                    self.assertEqual(len({"lm_head.weight", "model.embed_tokens.weight"} & set(found)), tensors)
                    self.assertEqual(config_of(out)["tie_word_embeddings"], tensors == 1)
        self.row("llama-tied", target_modules=["lm_head", "embed_tokens"], theirs=False)
        self.row("gpt2", target_modules=["lm_head", "c_attn"], fan_in_fan_out=True, theirs=False)
        base, adapter = self.place("quantized"), self.adapter("llama-tied", target_modules=["lm_head", "q_proj"])
        run_qfuse("quantize", self.base("llama-tied"), "-o", base, "--quiet")
        plain = self.place("plain")
        run_qfuse("dequantize", base, "-o", plain, "--quiet")
        for tie in ([], ["--tie"]):
            self.require_same(state_of(self.merged(base, adapter, *tie)), contract(plain, [adapter], *tie).result())
        # A pair without changes stays tied, or is untied on request.
        out, _ = self.row("llama-tied", target_modules=["q_proj"])
        self.assertTrue(config_of(out)["tie_word_embeddings"])
        out, found = self.row("llama-tied", target_modules=["q_proj"], tie="--untie", theirs=False)
        self.assertFalse(config_of(out)["tie_word_embeddings"])
        self.assertTrue(same_bits(found["lm_head.weight"], found["model.embed_tokens.weight"]))

    def test_tied_together(self):
        """The adapter has the same delta twice, once transposed. peft 0.21.2 adds it twice."""
        for tie in (None, "--tie"):
            out, found = self.row(
                "llama-tied",
                target_modules=["lm_head", "embed_tokens", "q_proj"],
                ensure_weight_tying=True,
                theirs=False,
                tie=tie,
            )
            self.assertNotIn("lm_head.weight", set(found))
            self.assertTrue(config_of(out)["tie_word_embeddings"])
        self.row("llama-tied", target_modules=["q_proj"], modules_to_save=["embed_tokens"], ensure_weight_tying=True)

        # Trained in fp32 beside a bf16 base, the copies diverge in peft 0.21.2. Then both are deltas, and are added.
        base = self.base("llama-tied")
        adapter = self.adapter(
            "llama-tied", target_modules=["lm_head", "embed_tokens", "q_proj"], ensure_weight_tying=True
        )
        tensors = load_file(adapter / "adapter_model.safetensors")
        tensors[f"{PREFIX}lm_head.lora_A.weight"] *= 1.5
        save_file(tensors, adapter / "adapter_model.safetensors", {"format": "pt"})
        out = self.merged(base, adapter)
        self.require_same(state_of(out), contract(base, [adapter]).result())
        self.assertFalse(config_of(out)["tie_word_embeddings"])

    def test_tied_replacements(self):
        for modules in (["lm_head"], ["embed_tokens"], ["lm_head", "embed_tokens"]):
            out, found = self.row("llama-tied", target_modules=["q_proj"], modules_to_save=modules)
            self.assertIn("lm_head.weight", set(found))
            self.assertFalse(config_of(out)["tie_word_embeddings"])
        self.row("llama-tied", target_modules=["q_proj"], trainable_token_indices=[5, 1, 300])
        both = {"embed_tokens": [5, 9], "lm_head": [5, 9]}
        self.row("llama-tied", target_modules=["q_proj"], trainable_token_indices=both)

    def test_several_adapters(self):
        for dtype, twice in ((torch.float32, False), (torch.bfloat16, True)):
            base = self.base("llama", dtype)
            one = self.adapter("llama", base, seed=1, target_modules=LINEAR)
            two = self.adapter("llama", base, seed=2, target_modules=["q_proj", "down_proj"], r=3, use_rslora=True)
            weights = [0.7, -1.3]
            out = state_of(self.merged(base, f"{one}@0.7", f"{two}@-1.3"))
            expected = contract(base, list(zip([one, two], weights, strict=True)))
            self.require_same(out, expected.result())
            self.require_exact(out, expected)
            theirs = merged_by_peft("llama", base, [one, two], self.place("theirs"), weights)
            self.require_near(out, theirs, expected, twice)
        # In fp32 the order changes last bits. The contract requires the given order.
        base = self.base("llama", torch.float32)
        turned = state_of(self.merged(base, f"{two}@-1.3", f"{one}@0.7"))
        self.require_same(turned, contract(base, [(two, -1.3), (one, 0.7)]).result())

    def test_adapters_of_16_bits(self):
        for dtype in (torch.bfloat16, torch.float16):
            self.row("llama", target_modules=LINEAR, dtype=dtype)

    def test_dtypes_of_the_base(self):
        for dtype in (torch.float16, torch.float32):
            self.row("llama", base=self.base("llama", dtype), target_modules=LINEAR)
            self.row("llama", base=self.base("llama", dtype), target_modules=["q_proj", "up_proj"], use_dora=True)


class Families(Merging):
    def test_every_family(self):
        """Merges all linear layers of a family's small model. Each tensor must change as much as with peft's merge."""
        classes = all_families()
        for family in QUICK if ALL else FEW_FAMILIES:
            with self.subTest(family):
                self.require_family(family, classes[family])

    def require_family(self, family, class_name):
        base, adapter, out = self.place(family), self.place("adapter"), self.place("merged")
        make(class_name, base)
        try:
            adapt(class_name, base, adapter, target_modules="all-linear")
        except ValueError as error:
            self.assertIn(family, NOT_OF_PEFT, error)
            return
        if family in RENAMED:
            said = merge(base, adapter, "-o", out, code=1)
            for part in ("adapter_model.safetensors", "transformers renames the layer", "merge with peft"):
                self.assertIn(part, said)
            return
        merge(base, adapter, "-o", out, "--quiet")
        before, found = state_of(base), state_of(out)
        theirs = merged_by_peft(class_name, base, [adapter], self.place("theirs"))
        self.assertEqual(sorted(found), sorted(theirs))
        changed = 0
        for name, tensor in theirs.items():
            self.assertEqual(found[name].dtype, before[name].dtype, name)
            self.assertEqual(found[name].shape, tensor.shape, name)
            one, other, start = (each.double() for each in (found[name], tensor, before[name]))
            if same_bits(found[name].reshape(-1), before[name].reshape(-1)):
                self.assertTrue(torch.equal(other.to(found[name].dtype).double(), one), name)
                continue
            changed += 1
            # Both results round at the end. peft may round the delta too, which is at most result and start together.
            largest = torch.maximum(torch.maximum(one.abs(), other.abs()), start.abs()).reshape(-1).numpy()
            far = (one - other).abs().reshape(-1).numpy() > 4 * half_step(largest, found[name].dtype)
            self.assertFalse(far.any(), f"{name}: {far.sum()} elements are others than peft's")
        self.assertGreater(changed, 0)


KINDS = (Rows, Names, FourBits, Experts, Families, test_merge_output.Output, test_merge_refusals.Refusals)

assert ALPHA != RANK

if __name__ == "__main__":
    main()
