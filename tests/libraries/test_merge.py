"""`qfuse merge` gives, bit for bit, what its contract says (merge_models.py), and what peft's own merge gives.

peft adds a delta to bf16 weights with one rounding, as the contract does, but sums products in the order of a BLAS. So
at most one element of 10,000 may differ, by one step. In a few places peft rounds more often (TWICE); there its result
is compared with the exact sum, and with an fp32 base, where no rounding counts, with the command's.
QFUSE_TEST_ALL=OFF leaves out what only repeats a row with other numbers.
"""

import itertools
import json
import os
import shutil
import subprocess
from fractions import Fraction

import numpy
import torch
from families import all_families, make
from libraries import QFUSE, Judged, file_bytes, main, run_qfuse, weight_files
from merge_models import (
    ALPHA,
    LINEAR,
    PREFIX,
    RANK,
    Adapter,
    Contract,
    adapt,
    config_of,
    contract,
    fmaf,
    half_step,
    load_base,
    make_base,
    merged_by_peft,
    model_class,
    ordered,
    state_of,
    with_adapters,
)
from models import decoded, load, quantize_by_transformers, same_bits
from safetensors.torch import load_file, save_file
from test_families import QUICK
from transformers import BitsAndBytesConfig

ALL = os.environ.get("QFUSE_TEST_ALL") != "OFF"
SHARE = 1e-4  # of elements that may differ from peft's

# Families whose all linear layers are merged with QFUSE_TEST_ALL=OFF.
FEW_FAMILIES = ["aria", "bart", "bloom", "deepseek_v3", "gemma3", "llava", "olmoe", "phimoe", "qwen3_vl_moe", "t5"]
# Where transformers calls a layer otherwise than its file does, in a way that the command does not know: refused.
RENAMED = {"jina_embeddings_v3", "nomic_bert", "phimoe", "vit"}
NOT_OF_PEFT = {"mamba", "nemotron_h"}  # which will not adapt all linear layers of these

# What is asked of the merge: the feature, whether it is supported, and the test that says so.
FEATURES = [
    ("`nn.Linear`, any rank and alpha", "yes", "test_linear"),
    ("rslora (`use_rslora`)", "yes", "test_rslora"),
    ("`rank_pattern`, `alpha_pattern`, regular expressions included", "yes", "test_patterns"),
    ("GPT-2's `Conv1D` (`fan_in_fan_out`), square ones too", "yes", "test_conv1d"),
    ("`Conv2d`", "yes", "test_conv2d"),
    ("`lora_bias`", "yes", "test_lora_bias"),
    ('`bias="all"` and `bias="lora_only"`', "yes", "test_trained_biases"),
    ("DoRA (`use_dora`) of linear layers, of `Conv1D` and of embeddings", "yes", "test_dora"),
    ("LoRA on embeddings and on the head", "yes", "test_embeddings"),
    ("`modules_to_save`", "yes", "test_modules_to_save"),
    ("`trainable_token_indices`, a list or by module", "yes", "test_tokens"),
    ("a vocabulary that was resized", "yes", "test_resized_vocabulary"),
    ("LoRA on one side of a tied pair: untied, unless `--tie`", "yes", "test_tied_head"),
    ("`ensure_weight_tying`", "yes", "test_tied_together"),
    ("trained tokens and saved modules of a tied pair", "yes", "test_tied_replacements"),
    ("several adapters, each with a weight", "yes", "test_several_adapters"),
    ("adapters stored in bf16 or fp16", "yes", "test_adapters_of_16_bits"),
    ("a base in fp32, fp16 or bf16", "yes", "test_dtypes_of_the_base"),
    ("all linear layers of 70 of the 76 families that `test_families.py` has in QUICK", "yes", "test_every_family"),
    (
        "layers that transformers 5 renames as it loads: jina_embeddings_v3, nomic_bert, phimoe's router, "
        "vit and others",
        "refused",
        "test_every_family",
    ),
    ("adapters of `AutoModel`, whose names lack `model.`", "yes", "test_adapter_of_the_inner_model"),
    ("bases in several files, `--max-shard-size`, `--threads`", "yes", "test_shards"),
    ("a base in NF4 or FP4, merged to 16 bits", "yes", "test_four_bit_base"),
    ("a base in int8, merged to 16 bits", "yes", "test_int8_base"),
    ("`--to nf4` from a base of 16 bits", "yes", "test_to_four_bits"),
    ("`--to nf4` from a 4-bit base, unless too little survives (`--fail-below`)", "yes", "test_what_survives"),
    ("figures of what was added, and of what survives", "yes", "test_figures"),
    ("`--base-as nf4`", "yes", "test_base_as_four_bits"),
    ("experts fused on disk (gpt-oss, llama4), square ones too", "yes", "test_fused_experts"),
    ("experts one by one on disk, fused in the adapter (mixtral, qwen3-moe)", "yes", "test_split_experts"),
    ("adapters older than fused experts", "yes", "test_experts_one_by_one"),
    (
        "experts of peft 0.17 and 0.18, and in the order of unsloth (`lora_B_layout`)",
        "yes",
        "test_experts_of_peft_0_18",
    ),
    ("routers, and linear layers as `target_parameters`", "yes", "test_other_parameters"),
    ("an adapter for another model", "refused", "test_refuses_another_model"),
    ("shapes or ranks that do not fit", "refused", "test_refuses_shapes"),
    ("tensors of the adapter that nothing uses", "refused", "test_refuses_what_is_not_used"),
    ("NaN or infinity, unless `--allow-nonfinite`", "refused", "test_refuses_nonfinite"),
    ("`init_lora_weights` pissa, olora, corda, loftq, lora_ga", "refused", "test_refuses_changed_bases"),
    (
        "`use_qalora`, `use_bdlora`, `layer_replication`, `alora_invocation_tokens`, `arrow_config`, `kasa_config`, "
        "`monteclora_config`",
        "refused",
        "test_refuses_variants",
    ),
    ("`peft_type` other than LORA", "refused", "test_refuses_other_types"),
    ("DoRA, and then an adapter of another kind on the same layers", "yes", "test_dora_before_another"),
    (
        "DoRA on what another adapter has changed; two that replace the same",
        "refused",
        "test_refuses_several_that_do_not_add_up",
    ),
    (
        "`--to nf4` and `--base-as` of GPT-2's `Conv1D`; `--base-as` of a quantized base, and NF4 to FP4",
        "refused",
        "test_refuses_what_cannot_be_quantized_at_once",
    ),
    (
        "names that fit two tensors, experts that no `target_parameters` names",
        "refused",
        "test_refuses_what_fits_twice",
    ),
    ("a classifier's head that the base has not", "refused", "test_refuses_a_head_that_the_base_has_not"),
    ("fields of `adapter_config.json` that are not known", "refused", "test_refuses_unknown_fields"),
    ("adapters in pickle files only", "refused", "test_refuses_pickle"),
    ("adapters without tensors, without a config, or with a tensor twice", "refused", "test_refuses_broken_adapters"),
]


def merge(*arguments, code=0):
    """Runs `qfuse merge` and gives back what it said."""
    done = subprocess.run([QFUSE, "merge", *arguments], capture_output=True, text=True, timeout=120, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == code, f"qfuse merge {arguments}: exit code {done.returncode}: {said}"
    return said


class Merging(Judged):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.count = 0

    def place(self, name):
        """A path at which nothing is yet."""
        type(self).count += 1
        return self.directory / f"{name}-{self.count}"

    def base(self, name, dtype=torch.bfloat16):
        path = self.directory / f"base-{name}-{str(dtype).removeprefix('torch.')}"
        if not path.exists():
            make_base(name, path, dtype)
        return path

    def adapter(self, name, base=None, **options):
        path = self.place("adapter")
        adapt(name, base or self.base(name), path, **options)
        return path

    def merged(self, base, *arguments):
        out = self.place("merged")
        merge(base, *arguments, "-o", out, "--quiet")
        return out

    def require_same(self, found, expected):
        """The same tensors, bit for bit."""
        self.assertEqual(sorted(found), sorted(expected))
        for name, tensor in expected.items():
            self.assertEqual((found[name].dtype, found[name].shape), (tensor.dtype, tensor.shape), name)
            if not same_bits(found[name].reshape(-1), tensor.reshape(-1)):
                wrong = (ordered(found[name]) - ordered(tensor)).abs()
                share = (wrong != 0).double().mean().item()
                self.fail(f"{name}: {share:.3%} of {wrong.numel()} elements differ, by up to {wrong.max()} steps")

    def require_exact(self, found, of_contract):
        """Nothing is farther from the exact sum than one rounding at the end, and the roundings of fp32, explain."""
        for name, sums in of_contract.sums.items():
            if name not in found:
                continue
            result = found[name].double().numpy().reshape(sums.exact.shape)
            bound = half_step(numpy.maximum(abs(result), abs(sums.exact)), found[name].dtype) + sums.slack
            wrong = abs(result - sums.exact) > bound
            self.assertFalse(wrong.any(), f"{name}: {wrong.sum()} elements are farther from the exact sum")

    def require_near(self, found, theirs, of_contract, twice=False):
        """What peft made is the same but for what its order of summing and, if `twice`, its roundings explain."""
        self.assertEqual(sorted(found), sorted(theirs))
        for name, tensor in theirs.items():
            self.assertEqual((found[name].dtype, found[name].shape), (tensor.dtype, tensor.shape), name)
            if name not in of_contract.sums:
                self.assertTrue(same_bits(found[name], tensor), name)
                continue
            steps = (ordered(found[name]) - ordered(tensor)).abs()
            sums = of_contract.sums[name]
            if tensor.dtype != torch.float32 and not twice:
                allowed = max(1, int(SHARE * steps.numel()))
                self.assertLessEqual((steps != 0).sum().item(), allowed, name)
                self.assertLessEqual(steps.max().item(), 1, name)
                continue
            result = tensor.double().numpy().reshape(sums.exact.shape)
            bound = half_step(numpy.maximum(abs(result), abs(sums.exact)), tensor.dtype) + 2 * sums.slack
            if twice:
                largest = abs(sums.exact) + 2 * sum(abs(one) for one in sums.deltas)  # that any sum on the way was
                for one in sums.deltas:  # each was rounded, and so was the sum behind it
                    bound = bound + half_step(abs(one), tensor.dtype) + half_step(largest, tensor.dtype)
            wrong = abs(result - sums.exact) > bound
            self.assertFalse(wrong.any(), f"{name}: {wrong.sum()} elements are farther from the exact sum than peft's")

    def row(self, name, *, base=None, peft_base=None, twice=False, theirs=True, change=None, tie=None, **config):
        """One adapter of a model, merged by the command as the contract has it, and by peft as near as can be."""
        base = base or self.base(name)
        adapter = self.adapter(name, base, change=change, **config)
        out = self.merged(base, adapter, *([tie] if tie else []))
        expected = contract(base, [adapter], tie)
        found = state_of(out)
        self.require_same(found, expected.result())
        self.require_exact(found, expected)
        if theirs:
            to = self.place("theirs")
            by_peft = merged_by_peft(name, base, [adapter], to, change=change)
            self.require_near(found, by_peft, expected, twice)
            ours, peft = config_of(out), config_of(to)
            for field in ("tie_word_embeddings", "vocab_size"):
                self.assertEqual(ours.get(field), peft.get(field), field)
        model_class(name).from_pretrained(out)
        return out, found


class Contracts(Merging):
    """The judge itself."""

    def test_features_name_tests(self):
        tests = {
            name
            for kind in (Rows, FourBits, Experts, Families, Refusals)
            for name in dir(kind)
            if name.startswith("test_")
        }
        self.assertEqual({test for _, _, test in FEATURES} - tests, set())

    def test_fmaf_rounds_once(self):
        generator = numpy.random.default_rng(5)
        x, y, z = (generator.standard_normal(4000).astype(numpy.float32) for _ in range(3))
        # sums that lie beside the middle of two fp32, so near that fp64 has no digit for it
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
        """peft sorts the patterns as it writes them, and takes the first that fits as it reads. Another program's, or a
        hand's, are in any order."""
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

    def test_tied_head(self):
        """peft adds the delta to the one tensor that both share, which changes what the model computes."""
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
        # A pair that nothing touches stays as it is, or is untied on request.
        out, _ = self.row("llama-tied", target_modules=["q_proj"])
        self.assertTrue(config_of(out)["tie_word_embeddings"])
        out, found = self.row("llama-tied", target_modules=["q_proj"], tie="--untie", theirs=False)
        self.assertFalse(config_of(out)["tie_word_embeddings"])
        self.assertTrue(same_bits(found["lm_head.weight"], found["model.embed_tokens.weight"]))

    def test_tied_together(self):
        """The adapter has the one delta twice, once turned round. peft 0.21.2 adds it twice."""
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

        # Trained in fp32 beside a bf16 base, the two part in peft 0.21.2: then they are two deltas, and both count.
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
        # In fp32 the order shows in last bits; the contract says that it is the one given.
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

    def test_small_and_large_deltas(self):
        for size in (1e-3, 1.0, 30.0):
            self.row("llama", target_modules=["q_proj", "down_proj"], size=size, seed=int(size * 1000))

    def test_odd_sizes_and_small_numbers(self):
        """Shapes at the edges of vectors and tiles, and numbers below the normal ones, which some settings of a
        processor take for zero. The base is one file, without a config."""
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
        """Made piece by piece, though DoRA's norms are of whole rows, or of an embedding's whole columns."""
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
                merge(file, path, "-o", out, "--quiet")
                expected = Contract(base, {"model_type": ""})
                expected.apply(Adapter(path, 1.0))
                self.require_same(state_of(out), expected.result())

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
            other = self.place("other")
            shutil.copytree(adapter, other)
            tensors = load_file(adapter / "adapter_model.safetensors")
            renamed = {key.replace(f"{PREFIX}model.", PREFIX + prefix): one for key, one in tensors.items()}
            save_file(renamed, other / "adapter_model.safetensors", {"format": "pt"})
            found = state_of(self.merged(wrapped, other))
            self.require_same({key.removeprefix("language_model."): one for key, one in found.items()}, expected)

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
        inner = self.place("inner")
        shutil.copytree(adapter, inner)
        tensors = load_file(adapter / "adapter_model.safetensors")
        renamed = {key.replace(f"{PREFIX}model.", PREFIX): tensor for key, tensor in tensors.items()}
        save_file(renamed, inner / "adapter_model.safetensors", {"format": "pt"})
        self.require_same(state_of(self.merged(base, inner)), state_of(self.merged(base, adapter)))

    def test_to_other_dtypes(self):
        """Sums are rounded from fp32 to what is asked for, and not to the base's dtype before."""
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

    def test_files_beside_the_weights(self):
        base, adapter = self.place("base"), self.adapter("llama", target_modules=["q_proj"])
        shutil.copytree(self.base("llama"), base)
        (base / "tokenizer.json").write_text('{"of": "base"}')
        (base / "tokenizer_config.json").write_text('{"of": "base"}')
        (adapter / "tokenizer.json").write_text('{"of": "adapter"}')
        (adapter / "chat_template.jinja").write_text("of adapter")
        out = self.merged(base, adapter)
        self.assertEqual((out / "tokenizer.json").read_text(), '{"of": "adapter"}')
        self.assertEqual((out / "tokenizer_config.json").read_text(), '{"of": "base"}')
        self.assertEqual((out / "chat_template.jinja").read_text(), "of adapter")
        self.assertFalse((out / "adapter_config.json").exists())
        self.assertFalse((out / "adapter_model.safetensors").exists())
        readme = (out / "README.md").read_text()
        for named in (base.name, adapter.name):
            self.assertIn(named, readme)

    def test_dry_run_writes_nothing(self):
        base, adapter = self.base("llama"), self.adapter("llama", target_modules=["q_proj"])
        out = self.place("dry")
        said = merge(base, adapter, "-o", out, "--dry-run")
        self.assertIn("self_attn.q_proj", said)
        self.assertFalse(out.exists())
        done = subprocess.run(
            [QFUSE, "merge", base, adapter, "-o", out, "--dry-run", "--json"], capture_output=True, check=True
        )
        json.loads(done.stdout)
        self.assertFalse(out.exists())

    def test_logits(self):
        """The merged model computes what base and adapter do, but for the rounding of weights to bf16. Each is off by
        up to half a step, one way or the other: with independent errors a logit's own has the standard deviation
        sqrt(sum of (its derivative * half a step)^2 / 3). Eight of these are not exceeded; a lost delta does."""
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
        """Onto the decoded weights, as peft does it before it quantizes once more."""
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
        # a base of fp16, which its decoded weights have then
        base = self.quantized("llama", dtype=torch.float16)
        plain = self.dequantized(base)
        self.assertEqual({tensor.dtype for tensor in state_of(plain).values()}, {torch.float16})
        self.require_same(state_of(self.merged(base, adapter)), contract(plain, [adapter]).result())
        if ALL:
            self.row_of_dora(bases[0])

    def row_of_dora(self, base):
        adapter = self.adapter("llama", target_modules=LINEAR, use_dora=True)
        self.require_same(state_of(self.merged(base, adapter)), contract(self.dequantized(base), [adapter]).result())

    def test_what_no_adapter_touches(self):
        """Where an adapter is of some layers, the others become what they would without it."""
        adapter = self.adapter("llama", target_modules=["q_proj"], size=1.0)
        base = self.quantized("llama")
        plain = self.dequantized(base)
        self.require_same(state_of(self.merged(base, adapter)), contract(plain, [adapter]).result())
        self.require_same(
            state_of(self.merged(self.base("llama"), adapter, "--base-as", "nf4")), contract(plain, [adapter]).result()
        )
        # To 4 bits again: codes that nothing is added to stay, the others are those of the merged weights.
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
        """Codes of a 4-bit base swallow a small delta; a base of 16 bits lies between codes, and keeps it."""
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
        """How large a delta is, and how much of it is left behind the codes: its projection on what was added. (Nested
        scales, which the figures leave out, move it by less than one in a hundred.)"""
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
        """Onto what the adapter was trained against: the base as bitsandbytes decodes it."""
        adapter = self.adapter("llama", target_modules=LINEAR)
        for kind, options in (("nf4", []), ("fp4", ["--no-double-quant", "--block-size", "128"])):
            out = self.merged(self.base("llama"), adapter, "--base-as", kind, *options)
            through = self.dequantized(self.quantized("llama", "--type", kind, *options))
            self.require_same(state_of(out), state_of(self.merged(through, adapter)))
            self.require_same(state_of(out), contract(through, [adapter]).result())
            self.assertIn(kind, (out / "README.md").read_text().lower())


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
        # The names of transformers 4, which peft turns into patterns of parameters.
        self.row("mixtral", target_modules=["w1", "w2", "w3"], twice=True)
        self.row("qwen3_moe", target_modules="all-linear", twice=True)

    def test_experts_one_by_one(self):
        """As transformers 4 had them, each expert's layers with a LoRA of their own. peft fuses them as it loads."""
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
        """A copy of an adapter in which `change` made other factors of those of experts, given as [expert, rank, in]
        and [expert, out, rank]."""
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
        """It took every parameter for [expert, in, out], so that its factors are the transposes of today's."""

        def change(a, b):
            new_b = a.transpose(1, 2)  # [expert, out, rank]
            return b.transpose(1, 2).flatten(0, 1), new_b.permute(1, 2, 0).flatten(1)

        for name in ("qwen3_moe", "mixtral", "llama4", "llama4-square"):
            with self.subTest(name):
                experts = "feed_forward.experts" if name.startswith("llama4") else "mlp.experts"
                parameters = [f"{experts}.gate_up_proj", f"{experts}.down_proj"]
                if name == "qwen3_moe":  # gate_up_proj is square here, as OLMoE's: only the version tells
                    parameters.pop()
                adapter = self.adapter(name, target_modules=[], target_parameters=parameters)
                older = self.with_changed_factors(adapter, change, peft_version="0.18.1")
                expected = contract(self.base(name), [adapter]).result()
                self.require_same(state_of(self.merged(self.base(name), older)), expected)

    def test_unsloths_order_of_experts(self):
        """unsloth read the columns of lora_B as [expert][rank] until September 2026, and can say so in the config."""

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

    def test_other_parameters(self):
        self.row("mixtral", target_modules=[], target_parameters=["gate.weight"], twice=True)
        self.row("gpt_oss", target_modules=[], target_parameters=["router.weight"], twice=True)
        self.row("llama", target_modules=[], target_parameters=["q_proj.weight", "down_proj.weight"], twice=True)


class Families(Merging):
    def test_every_family(self):
        """All linear layers of a family's small model: each tensor that peft's merge changes is changed by as much."""
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
            # Each rounds at the end, and peft perhaps the delta too, which is no more than the two together.
            largest = torch.maximum(torch.maximum(one.abs(), other.abs()), start.abs()).reshape(-1).numpy()
            far = (one - other).abs().reshape(-1).numpy() > 4 * half_step(largest, found[name].dtype)
            self.assertFalse(far.any(), f"{name}: {far.sum()} elements are others than peft's")
        self.assertGreater(changed, 0)


class Refusals(Merging):
    """Exit code 1, nothing written, and what is wrong named."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.good = cls.directory / "good"
        make_base("llama", cls.directory / "base-llama-bfloat16")
        adapt("llama", cls.directory / "base-llama-bfloat16", cls.good, target_modules=["q_proj", "down_proj"])

    def altered(self, fields=None, tensors=None):
        """The good adapter with other fields in its config, and with tensors changed by a function."""
        path = self.place("altered")
        shutil.copytree(self.good, path)
        config = json.loads((path / "adapter_config.json").read_text())
        config.update(fields or {})
        (path / "adapter_config.json").write_text(json.dumps(config))
        if tensors:
            found = load_file(path / "adapter_model.safetensors")
            tensors(found)
            save_file(found, path / "adapter_model.safetensors", {"format": "pt"})
        return path

    def refused(self, adapter, *named, base=None, options=()):
        out = self.place("refused")
        said = merge(base or self.base("llama"), adapter, "-o", out, *options, code=1)
        self.assertFalse(out.exists(), "something was written")
        for name in named:
            self.assertIn(name, said)

    def refuses_fields(self, **fields):
        for field, value in fields.items():
            with self.subTest(field, value=value):
                self.refused(self.altered({field: value}), field)

    A = f"{PREFIX}model.layers.0.self_attn.q_proj.lora_A.weight"
    B = f"{PREFIX}model.layers.0.self_attn.q_proj.lora_B.weight"
    NAME = "model.layers.0.self_attn.q_proj"

    def test_the_good_one_is_taken(self):
        self.merged(self.base("llama"), self.altered())
        self.merged(self.base("llama"), self.altered({"frobnication": None}))
        taken = {
            "lora_dropout": 0.1,
            "task_type": "CAUSAL_LM",
            "inference_mode": False,
            "layers_to_transform": [0, 1],
            "layers_pattern": "layers",
            "init_lora_weights": "gaussian",
            "target_modules": ".*_proj",
            "exclude_modules": ["lm_head"],
            "base_model_name_or_path": "someone/elses",
            "revision": "main",
            "lora_alpha": 10.0,
        }
        self.merged(self.base("llama"), self.altered(taken))

    def test_refuses_another_model(self):
        adapter = self.adapter("gpt2", target_modules=["c_attn"], fan_in_fan_out=True)
        self.refused(adapter, "transformer.h.")
        self.refused(self.good, "model.layers.0.", base=self.base("gpt2"))

        def deeper(tensors):
            for key in (self.A, self.B):
                tensors[key.replace("layers.0", "layers.2")] = tensors[key].clone()

        self.refused(self.altered(tensors=deeper), "model.layers.2.self_attn.q_proj")

    def test_refuses_shapes(self):
        def cut(key, rows, columns):
            def change(tensors):
                tensors[key] = tensors[key][:rows, :columns].clone()

            return change

        self.refused(self.altered(tensors=cut(self.A, RANK, 128)), self.NAME)
        self.refused(self.altered(tensors=cut(self.B, 128, RANK)), self.NAME)
        self.refused(self.altered(tensors=cut(self.A, RANK - 1, 256)), self.NAME)

        def lower(tensors):
            cut(self.A, RANK - 1, 256)(tensors)
            cut(self.B, 256, RANK - 1)(tensors)

        self.refused(self.altered(tensors=lower), self.NAME)  # a rank that is not the config's
        self.refused(self.altered({"r": 3}), "lora_A")
        self.refused(self.altered({"rank_pattern": {"q_proj": 3}}), "q_proj")

        def replaced(tensors):
            tensors[f"{PREFIX}model.layers.0.self_attn.v_proj.weight"] = torch.ones(64, 256)

        self.refused(self.altered({"modules_to_save": ["v_proj"]}, replaced), "model.layers.0.self_attn.v_proj")

        def flat(tensors):
            tensors[self.A] = tensors[self.A].reshape(-1)

        self.refused(self.altered(tensors=flat), self.NAME)

        def whole_numbers(tensors):
            tensors[self.A] = tensors[self.A].to(torch.int32)

        self.refused(self.altered(tensors=whole_numbers), self.NAME)

    def test_refuses_what_is_not_used(self):
        def extra(name, shape=(4,)):
            def change(tensors):
                tensors[name] = torch.ones(shape)

            return change

        for name in (
            f"{PREFIX}{self.NAME}.lora_C.weight",
            f"{PREFIX}{self.NAME}.lora_A.other.weight",
            f"{PREFIX}something.weight",
            "something",
            f"{PREFIX}{self.NAME}.lora_magnitude_vector",  # the config does not say DoRA
            f"{PREFIX}{self.NAME}.lora_B.bias",  # the layer has no bias
        ):
            with self.subTest(name):
                shape = (256,) if name.endswith(("vector", "bias")) else (4,)
                self.refused(self.altered(tensors=extra(name, shape)), name.removeprefix(PREFIX))

        def without(key):
            return lambda tensors: tensors.pop(key)

        self.refused(self.altered(tensors=without(self.A)), self.NAME)
        self.refused(self.altered(tensors=without(self.B)), self.NAME)
        self.refused(self.altered({"use_dora": True}), "lora_magnitude_vector")

        def tokens(tensors):
            tensors[f"{PREFIX}model.embed_tokens.token_adapter.trainable_tokens_delta"] = torch.ones(2, 256)

        self.refused(self.altered(tensors=tokens), "trainable_tokens_delta")
        self.refused(self.altered({"trainable_token_indices": [1]}, tokens), "trainable_token")
        self.refused(self.altered({"trainable_token_indices": [1, 320]}, tokens), "320")
        self.refused(self.altered({"trainable_token_indices": [1, -1]}, tokens), "-1")
        self.refused(self.altered({"trainable_token_indices": [7, 7]}, tokens), "7")

        def replaced(tensors):
            tensors[f"{PREFIX}lm_head.weight"] = torch.ones(320, 128)

        self.refused(self.altered({"modules_to_save": ["lm_head"]}, replaced), "lm_head")

    def test_refuses_nonfinite(self):
        for value in (float("nan"), float("inf"), -float("inf")):
            for key in (self.A, self.B):

                def change(tensors, key=key, value=value):
                    tensors[key][1, 2] = value

                adapter = self.altered(tensors=change)
                with self.subTest(key, value=value):
                    self.refused(adapter, self.NAME)
                    self.merged(self.base("llama"), adapter, "--allow-nonfinite")

    def test_refuses_changed_bases(self):
        for value in ("pissa", "pissa_niter_16", "olora", "corda", "loftq", "lora_ga", "frobnicate"):
            with self.subTest(value):
                self.refused(self.altered({"init_lora_weights": value}), "init_lora_weights", value)

    def test_refuses_variants(self):
        self.refuses_fields(
            use_qalora=True,
            use_bdlora={"target_modules_bd_a": ["q_proj"], "target_modules_bd_b": [], "nblocks": 2},
            layer_replication=[[0, 2], [1, 2]],
            alora_invocation_tokens=[1, 2],
            arrow_config={"top_k": 3},
            kasa_config={"beta": 0.1},
            monteclora_config={"num_samples": 8},
        )

    def test_refuses_several_that_do_not_add_up(self):
        """Two that replace the same, a replacement of some weight, and DoRA on what another has changed: the norm is
        that of the base with DoRA's own delta, and the factor is for these alone. (peft's merge takes all there is
        times the factor, which is not what its model computes.)"""
        head = self.adapter("llama", target_modules=["q_proj"], modules_to_save=["lm_head"])
        dora = self.adapter("llama", target_modules=["q_proj"], use_dora=True)
        for adapters, named in (
            ([head, head], "lm_head"),
            ([f"{head}@0.5"], "lm_head"),
            ([dora, dora], "q_proj"),
            ([self.good, dora], "q_proj"),
        ):
            with self.subTest(adapters=adapters):
                self.refused(adapters[0], named, options=adapters[1:])

    def test_refuses_what_cannot_be_quantized_at_once(self):
        """Matrices that are stored turned, and a base that is quantized already or of another kind."""
        adapter = self.adapter("gpt2", target_modules=["c_attn"], fan_in_fan_out=True)
        for options in (["--to", "nf4"], ["--base-as", "nf4"]):
            self.refused(adapter, "c_attn", base=self.base("gpt2"), options=options)
        quantized = self.place("quantized")
        run_qfuse("quantize", self.base("llama"), "-o", quantized, "--quiet")
        self.refused(self.good, "--base-as", base=quantized, options=["--base-as", "nf4"])
        self.refused(self.good, "nf4", base=quantized, options=["--to", "fp4"])
        self.refused(self.good, "adapter", base=self.good)  # an adapter in the base's place

    def test_refuses_what_fits_twice(self):
        """A name that is the end of two tensors' names, and experts of which the config does not say which."""
        base = self.place("bart")
        make("BartForConditionalGeneration", base)
        tensors = {}
        for name in state_of(base):
            if name.endswith("encoder.layers.0.self_attn.q_proj.weight"):
                columns = state_of(base)[name].shape[1]
                module = f"{PREFIX}layers.0.self_attn.q_proj"
                tensors = {f"{module}.lora_A.weight": torch.ones(RANK, columns)}
                tensors[f"{module}.lora_B.weight"] = torch.ones(columns, RANK)
        adapter = self.altered()
        save_file(tensors, adapter / "adapter_model.safetensors", {"format": "pt"})
        self.refused(adapter, "layers.0.self_attn.q_proj", base=base)

        both = ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"]
        adapter = self.adapter("qwen3_moe", target_modules=[], target_parameters=both)
        config = json.loads((adapter / "adapter_config.json").read_text())
        for parameters in (None, [], both[:1], ["mlp.experts.other_proj"], [*both, "mlp.experts.gate_up_proj_bias"]):
            with self.subTest(parameters=parameters):
                text = json.dumps({**config, "target_parameters": parameters})
                (adapter / "adapter_config.json").write_text(text)
                self.refused(adapter, "mlp.experts", base=self.base("qwen3_moe"))

    def test_refuses_a_head_that_the_base_has_not(self):
        """As an adapter of a classifier brings it along."""

        def score(tensors):
            tensors[f"{PREFIX}score.weight"] = torch.ones(2, 256)

        self.refused(self.altered({"modules_to_save": ["score"]}, score), "score.weight")

    def test_refuses_other_types(self):
        for value in ("LOHA", "ADALORA", "IA3", "PROMPT_TUNING", "lora", None, 1):
            with self.subTest(value):
                self.refused(self.altered({"peft_type": value}), "type")

    def test_refuses_unknown_fields(self):
        self.refuses_fields(frobnication=3, use_frobnication=True, frobnicate=["q_proj"])
        self.refuses_fields(
            r=0,
            lora_alpha="much",
            use_rslora="yes",
            rank_pattern=[1],
            alpha_pattern={"q_proj": "much"},
            trainable_token_indices="all",
        )
        self.refused(self.altered({"rank_pattern": {"q_proj(": 6}}), "rank_pattern")

    def test_refuses_pickle(self):
        adapter = self.altered()
        (adapter / "adapter_model.safetensors").rename(adapter / "adapter_model.bin")
        self.refused(adapter, "adapter_model.bin")

    def test_refuses_broken_adapters(self):
        def nothing(tensors):
            tensors.clear()

        self.refused(self.altered(tensors=nothing), "adapter_model.safetensors")
        adapter = self.altered()
        (adapter / "adapter_config.json").unlink()
        self.refused(adapter, "adapter_config.json")
        adapter = self.altered()
        (adapter / "adapter_config.json").write_text('{"peft_type": "LORA", ')
        self.refused(adapter, "adapter_config.json")
        self.refused(self.place("missing"), "missing")

        adapter = self.altered()
        entry = f'"{self.A}":{{"dtype":"F32","shape":[{RANK},256],"data_offsets":[0,{RANK * 1024}]}}'
        data = bytes(RANK * 1024)
        (adapter / "adapter_model.safetensors").write_bytes(file_bytes(f"{{{entry},{entry}}}", data))
        self.refused(adapter, self.A)

        def two_spellings(tensors):
            tensors[self.A.replace("lora_A.weight", "lora_A.default.weight")] = tensors[self.A].clone()

        self.refused(self.altered(tensors=two_spellings), self.NAME)

    def test_refuses_an_output_that_exists(self):
        out = self.merged(self.base("llama"), self.good)
        before = state_of(out)
        merge(self.base("llama"), self.good, "-o", out, code=1)
        self.require_same(state_of(out), before)
        merge(self.base("llama"), self.good, "-o", out, "--force")

    def test_command_line(self):
        out = self.place("refused")
        for arguments in (
            [self.base("llama")],
            [self.base("llama"), self.good, "-o", out, "--tie", "--untie"],
            [self.base("llama"), self.good, "-o", out, "--to", "int3"],
            [self.base("llama"), self.good, "-o", out, "--base-as", "bf16"],
            [self.base("llama"), self.good],
            [self.base("llama"), f"{self.good}@nan", "-o", out],
        ):
            with self.subTest(arguments=arguments[2:]):
                merge(*arguments, code=2)
                self.assertFalse(out.exists())


assert ALPHA != RANK

if __name__ == "__main__":
    main()
