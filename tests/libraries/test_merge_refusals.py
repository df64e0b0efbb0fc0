"""`qfuse merge` refuses what it cannot merge: it exits with 1, writes nothing, and names what is wrong. This tests each
row of docs/MERGE.md with an adapter that peft wrote; tests/checkpoint has every variant of a row, and the messages.
"""

import json
import shutil

import torch
from families import make
from libraries import file_bytes, main, run_qfuse
from merge_models import PREFIX, RANK, adapt, make_base, state_of
from merging import Merging, merge
from safetensors.torch import load_file, save_file


class Refusals(Merging):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.good = cls.directory / "good"
        make_base("llama", cls.directory / "base-llama-bfloat16")
        adapt("llama", cls.directory / "base-llama-bfloat16", cls.good, target_modules=["q_proj", "down_proj"])

    def altered(self, fields=None, tensors=None):
        """Returns a copy of the good adapter with other config fields, and with tensors changed by a function."""
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

    def test_refuses_shapes(self):
        def cut(key, rows, columns):
            def change(tensors):
                tensors[key] = tensors[key][:rows, :columns].clone()

            return change

        self.refused(self.altered(tensors=cut(self.A, RANK, 128)), self.NAME)
        self.refused(self.altered(tensors=cut(self.A, RANK - 1, 256)), self.NAME)
        self.refused(self.altered({"rank_pattern": {"q_proj": 3}}), "q_proj")

        def replaced(tensors):
            tensors[f"{PREFIX}model.layers.0.self_attn.v_proj.weight"] = torch.ones(64, 256)

        self.refused(self.altered({"modules_to_save": ["v_proj"]}, replaced), "model.layers.0.self_attn.v_proj")

    def test_refuses_what_is_not_used(self):
        def extra(name, shape=(4,)):
            def change(tensors):
                tensors[name] = torch.ones(shape)

            return change

        for name in (
            f"{PREFIX}{self.NAME}.lora_A.other.weight",
            f"{PREFIX}something.weight",
            "something",
            f"{PREFIX}{self.NAME}.lora_B.bias",  # the layer has no bias
        ):
            with self.subTest(name):
                tensors = extra(name, (256,) if name.endswith("bias") else (4,))
                self.refused(self.altered(tensors=tensors), name.removeprefix(PREFIX))

        tokens = extra(f"{PREFIX}model.embed_tokens.token_adapter.trainable_tokens_delta", (2, 256))
        self.refused(self.altered(tensors=tokens), "trainable_tokens_delta")
        self.refused(self.altered({"trainable_token_indices": [1, 320]}, tokens), "320")

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
        """Two adapters that replace the same tensor, a replacement with a weight, and DoRA on a weight that another
        adapter changed: DoRA's norm and factor apply only to the base with its own delta. (peft's merge multiplies the
        whole sum by the factor, which is not what its model computes.)"""
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
        """Matrices that are stored transposed, and a base that is quantized already, perhaps in another format."""
        adapter = self.adapter("gpt2", target_modules=["c_attn"], fan_in_fan_out=True)
        for options in (["--to", "nf4"], ["--base-as", "nf4"]):
            self.refused(adapter, "c_attn", base=self.base("gpt2"), options=options)
        quantized = self.place("quantized")
        run_qfuse("quantize", self.base("llama"), "-o", quantized, "--quiet")
        self.refused(self.good, "--base-as", base=quantized, options=["--base-as", "nf4"])
        self.refused(self.good, "nf4", base=quantized, options=["--to", "fp4"])
        self.refused(self.good, "adapter", base=self.good)  # the base is an adapter

    def test_refuses_what_fits_twice(self):
        """A name that is the end of two tensors' names, and experts whose parameters the config does not list."""
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
        """An adapter of a classifier contains such a head."""

        def score(tensors):
            tensors[f"{PREFIX}score.weight"] = torch.ones(2, 256)

        self.refused(self.altered({"modules_to_save": ["score"]}, score), "score.weight")

    def test_refuses_other_types(self):
        for value in ("LOHA", "ADALORA", "IA3", "PROMPT_TUNING", "lora", None, 1):
            with self.subTest(value):
                self.refused(self.altered({"peft_type": value}), "type")

    def test_refuses_unknown_fields(self):
        self.refuses_fields(frobnication=3, use_frobnication=True, frobnicate=["q_proj"])

    def test_refuses_pickle(self):
        adapter = self.altered()
        (adapter / "adapter_model.safetensors").rename(adapter / "adapter_model.bin")
        self.refused(adapter, "adapter_model.bin")

    def test_refuses_broken_adapters(self):
        self.refused(self.altered(tensors=dict.clear), "adapter_model.safetensors")
        adapter = self.altered()
        (adapter / "adapter_config.json").unlink()
        self.refused(adapter, "adapter_config.json")

        adapter = self.altered()
        entry = f'"{self.A}":{{"dtype":"F32","shape":[{RANK},256],"data_offsets":[0,{RANK * 1024}]}}'
        data = bytes(RANK * 1024)
        (adapter / "adapter_model.safetensors").write_bytes(file_bytes(f"{{{entry},{entry}}}", data))
        self.refused(adapter, self.A)

        def two_spellings(tensors):
            tensors[self.A.replace("lora_A.weight", "lora_A.default.weight")] = tensors[self.A].clone()

        self.refused(self.altered(tensors=two_spellings), self.NAME)

    def test_command_line(self):
        out = self.place("refused")
        for arguments in (
            [self.base("llama")],
            [self.base("llama"), self.good, "-o", out, "--tie", "--untie"],
            [self.base("llama"), self.good, "-o", out, "--to", "int3"],
            [self.base("llama"), self.good, "-o", out, "--base-as", "bf16"],
            [self.base("llama"), self.good],
        ):
            with self.subTest(arguments=arguments[2:]):
                merge(*arguments, code=2)
                self.assertFalse(out.exists())


if __name__ == "__main__":
    main()
