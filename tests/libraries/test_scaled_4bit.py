"""4-bit checkpoints of libraries other than bitsandbytes. Golden models of compressed-tensors and modelopt have what
those libraries decode (made by tools/research/make_golden_4bit.py). gpt-oss in MXFP4 and DeepSeek-V4's experts are
compared with transformers, which dequantizes them on a CPU."""

import importlib.util
import json

import peft
import torch
from families import make
from libraries import GOLDEN, Judged, main, run_qfuse
from models import load, same_bits
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, CompressedTensorsConfig, FineGrainedFP8Config, Mxfp4Config
from transformers.integrations.finegrained_fp8 import Fp8Dequantize
from transformers.integrations.mxfp4 import convert_moe_packed_tensors
from transformers.models.gpt_oss import GptOssConfig, GptOssForCausalLM

MADE = GOLDEN / "scaled_4bit"
IDS = torch.arange(3, 27).reshape(2, 12)
RANK, ALPHA = 3, 6
NEAR = 1e-5  # tolerance for fp32 weights, which are sums of a few products below 1


def read(path):
    return load_file(path / "model.safetensors")


def packed(rows, columns):
    """Returns random codes, which include every code, and scales near 2^-7."""
    codes = torch.randint(0, 256, (*rows, columns // 2), dtype=torch.uint8)
    return codes, torch.randint(116, 124, (*rows, columns // 32), dtype=torch.uint8)


class Scaled4bit(Judged):
    def test_what_the_libraries_wrote(self):
        names = sorted(path.name for path in MADE.iterdir())
        self.assertEqual(len(names), 7)
        for name in names:
            with self.subTest(name):
                out = self.convert("dequantize", MADE / name, "--check", to=name)
                made, expected = read(out), load_file(MADE / name / "decoded.safetensors")
                self.assertEqual(made.keys(), expected.keys())
                for key, tensor in expected.items():
                    self.assertTrue(same_bits(made[key], tensor), key)
                files = {path.name for path in out.iterdir()}
                self.assertEqual(files, {"config.json", "model.safetensors"})
                self.assertNotIn("quantization_config", (out / "config.json").read_text())
                load(AutoModelForCausalLM, out)
                run_qfuse("compare", MADE / name, out)
                run_qfuse("check", MADE / name)
                run_qfuse("check", out)

    def test_what_transformers_makes_of_them(self):
        if importlib.util.find_spec("compressed_tensors") is None:
            self.skipTest("compressed-tensors is not installed")
        for name in ("int4", "int4_asymmetric", "int4_channel", "mxfp4", "nvfp4"):
            with self.subTest(name):
                config = CompressedTensorsConfig(dequantize=True)
                theirs = AutoModelForCausalLM.from_pretrained(MADE / name, quantization_config=config, dtype="auto")
                ours = load(AutoModelForCausalLM, self.convert("dequantize", MADE / name, to=f"theirs-{name}"))
                self.same_models(ours, theirs)

    def same_models(self, ours, theirs):
        state = theirs.state_dict()
        for key, tensor in ours.state_dict().items():
            self.assertTrue(same_bits(tensor, state.pop(key)), key)
        self.assertEqual(state, {})
        with torch.no_grad():
            self.assertTrue(torch.equal(ours(IDS).logits, theirs(IDS).logits))

    def gpt_oss(self):
        """Writes a tiny gpt-oss in the published format. Returns its path and its tensors."""
        torch.manual_seed(0)
        sizes = {"hidden_size": 64, "intermediate_size": 96, "num_local_experts": 3, "num_experts_per_tok": 2}
        heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 32, "num_hidden_layers": 2}
        model = GptOssForCausalLM(GptOssConfig(vocab_size=96, **sizes, **heads)).to(torch.bfloat16)
        path = self.directory / "gpt-oss"
        model.save_pretrained(path)
        tensors = read(path)
        for key in [key for key in tensors if key.endswith(("gate_up_proj", "down_proj"))]:
            experts, inputs, outputs = tensors.pop(key).shape
            codes, scales = packed((experts, outputs), inputs)
            tensors |= {f"{key}_blocks": codes.reshape(experts, outputs, -1, 16), f"{key}_scales": scales}
        save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
        config = json.loads((path / "config.json").read_text())
        plain = ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]
        config["quantization_config"] = {"quant_method": "mxfp4", "modules_to_not_convert": plain}
        (path / "config.json").write_text(json.dumps(config, indent=2))
        return path, tensors

    def test_gpt_oss(self):
        path, tensors = self.gpt_oss()
        out = self.convert("dequantize", path, "--check", to="gpt-oss-out")
        made = read(out)
        stacks = [key.removesuffix("_blocks") for key in tensors if key.endswith("_blocks")]
        self.assertEqual(len(stacks), 4)
        for key in stacks:
            expected = convert_moe_packed_tensors(tensors[f"{key}_blocks"], tensors[f"{key}_scales"])
            self.assertTrue(same_bits(made[key], expected), key)
        config = Mxfp4Config(dequantize=True)
        theirs = AutoModelForCausalLM.from_pretrained(path, quantization_config=config, dtype=torch.bfloat16)
        self.same_models(load(AutoModelForCausalLM, out), theirs)
        run_qfuse("compare", path, out)
        run_qfuse("check", path)
        run_qfuse("check", out)

    def test_adapters_of_gpt_oss(self):
        """An adapter for attention and experts, made by peft for what transformers dequantizes."""
        path, _ = self.gpt_oss()
        base = AutoModelForCausalLM.from_pretrained(
            path, quantization_config=Mxfp4Config(dequantize=True), dtype=torch.float32
        )
        parameters = [f"{layer}.mlp.experts.{stack}" for layer in (0, 1) for stack in ("gate_up_proj", "down_proj")]
        config = peft.LoraConfig(
            r=RANK, lora_alpha=ALPHA, target_modules=["q_proj", "o_proj"], target_parameters=parameters
        )
        adapted = peft.get_peft_model(base, config)
        with torch.no_grad():
            for name, parameter in adapted.named_parameters():
                if "lora_B" in name:
                    parameter.normal_(std=0.1)
        adapter = self.directory / "gpt-oss-adapter"
        adapted.save_pretrained(adapter)
        out = self.directory / "gpt-oss-merged"
        run_qfuse("merge", path, adapter, "-o", out, "--dtype", "fp32", "--quiet")
        ours, theirs = load(AutoModelForCausalLM, out), adapted.merge_and_unload()
        plain = read(self.convert("dequantize", path, "--dtype", "fp32", to="gpt-oss-plain"))
        state = theirs.state_dict()
        for key, tensor in ours.state_dict().items():
            self.assertLess((tensor - state.pop(key)).abs().max(), NEAR, key)
            changed = key.endswith(("q_proj.weight", "o_proj.weight", "gate_up_proj", "down_proj"))
            self.assertEqual(torch.equal(tensor, plain[key].float()), not changed, key)
        self.assertEqual(state, {})
        run_qfuse("compare", path, out, "--adapter", adapter)

    def test_deepseek_v4(self):
        """Experts in 4 bits and other layers in FP8 blocks, both with scales that are powers of two."""
        torch.manual_seed(0)
        path = self.directory / "deepseek"
        make("DeepseekV4ForCausalLM", path)
        tensors = {}
        for key, tensor in read(path).items():
            module = key.removesuffix(".weight")
            if ".experts." in key:
                codes, scales = packed(tensor.shape[:1], tensor.shape[1])
                tensors |= {key: codes.view(torch.int8), f"{module}.scale": scales.view(torch.float8_e8m0fnu)}
            elif ".attn.w" in key or ".shared_experts." in key:
                blocks = [-(-size // 128) for size in tensor.shape]
                scales = torch.randint(116, 124, blocks, dtype=torch.uint8).view(torch.float8_e8m0fnu)
                tensors |= {key: (tensor * 100).to(torch.float8_e4m3fn), f"{module}.scale": scales}
            else:
                tensors[key] = tensor
        save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
        config = json.loads((path / "config.json").read_text())
        record = {"weight_block_size": [128, 128], "scale_fmt": "ue8m0", "expert_dtype": "fp4"}
        config["quantization_config"] = {"quant_method": "fp8"} | record
        (path / "config.json").write_text(json.dumps(config))
        out = self.convert("dequantize", path, "--check", to="deepseek-out")
        made, op = read(out), Fp8Dequantize(type("Quantizer", (), {"quantization_config": FineGrainedFP8Config()})())
        self.assertEqual(made.keys(), {key for key in tensors if not key.endswith(".scale")})
        formats = set()
        for key, tensor in made.items():
            expected, scales = tensors[key], tensors.get(f"{key.removesuffix('.weight')}.scale")
            if scales is not None:
                expected = op._dequantize_one(expected, scales, torch.bfloat16)
                formats.add(tensors[key].dtype)
            self.assertTrue(same_bits(tensor, expected), key)
        self.assertEqual(formats, {torch.int8, torch.float8_e4m3fn})
        load(AutoModelForCausalLM, out)
        run_qfuse("compare", path, out)
        run_qfuse("check", path)


if __name__ == "__main__":
    main()
