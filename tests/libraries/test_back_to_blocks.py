"""Merges back into the format of a checkpoint. The output must have the bits that the format's own library makes of the
merge to 16 bits, and tensors that no adapter changes must equal the base's. If a library is not installed, its rule as
written here is used."""

import importlib.util
import json
import shutil

import peft
import torch
from libraries import GOLDEN, Judged, main, run_qfuse
from models import load, same_bits
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, FineGrainedFP8Config, Mxfp4Config
from transformers.integrations.finegrained_fp8 import Fp8Quantize
from transformers.models.gpt_oss import GptOssConfig, GptOssForCausalLM
from transformers.models.llama import LlamaConfig, LlamaForCausalLM

CODES = torch.float8_e4m3fn
E2M1 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
MIDDLES = (E2M1[1:] + E2M1[:-1]) / 2
RANK, ALPHA = 4, 8
FEW = {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 96}


class Quantizer:
    """The attributes of a quantizer that transformers' Fp8Quantize reads. The real quantizer requires a GPU."""

    def __init__(self, **options):
        self.quantization_config = FineGrainedFP8Config(**options)


def fp8_by_transformers(block, scale_fmt="float"):
    return Fp8Quantize(Quantizer(weight_block_size=block, scale_fmt=scale_fmt))._quantize_one


def in_ragged_blocks(block):
    """Like fp8_by_transformers, for matrices with partial blocks: zero padding changes no block's largest value."""

    def quantize(key, tensor):
        rows, columns = tensor.shape
        padded = torch.nn.functional.pad(tensor, (0, -columns % block[1], 0, -rows % block[0]))
        made = fp8_by_transformers(block)(key, padded)
        return {key: made[key][:rows, :columns].contiguous(), f"{key}_scale_inv": made[f"{key}_scale_inv"]}

    return quantize


def packed(codes):
    return (codes[..., ::2] | codes[..., 1::2] << 4).to(torch.uint8)


def e2m1_codes(values, ties):
    """Returns the nearest codes, by distances in fp64. `ties`: "up", or "even", which also encodes -0 as 0."""
    magnitude = values.double().abs()
    low = (magnitude.unsqueeze(-1) > MIDDLES.double()).sum(-1)
    tied = (magnitude.unsqueeze(-1) == MIDDLES.double()).any(-1)
    codes = low + (tied & ((low % 2 == 1) | (ties == "up")))
    return codes | (torch.signbit(values) if ties == "up" else values < 0).long() << 3


def mxfp4(tensor, rule="up"):
    """Encodes [..., columns] as code pairs and exponents by triton_kernels' rule or compressed-tensors' ("nearest")."""
    blocks = tensor.float().unflatten(-1, (-1, 32))
    most = blocks.abs().amax(-1)
    mantissa, exponent = torch.frexp(most / 6 if rule == "up" else most)
    if rule == "up":
        exponent = torch.where(mantissa == 0.5, exponent - 1, exponent).clamp(-126)  # a power of two is not rounded up
    else:
        exponent = (exponent - 1 - 2 + (mantissa >= 0.875)).clamp(-127)
    exponent = torch.where(most == 0, torch.tensor(-127), exponent)
    codes = e2m1_codes(blocks * torch.exp2(-exponent.float()).unsqueeze(-1), "up" if rule == "up" else "even")
    return packed(codes.flatten(-2)), (exponent + 127).to(torch.uint8)


def nvfp4(tensor, scales, factor):
    """Encodes with the given scales; `factor` converts them, as fp32 values of e4m3, to the blocks' scales."""
    blocks = tensor.float().unflatten(-1, (-1, 16))
    wide = factor(scales.float()).unsqueeze(-1)
    return packed(e2m1_codes(torch.where(wide == 0, blocks * 0 + 0.0, blocks / wide), "even").flatten(-2))


def in_stack(key, tensor):
    """Encodes decoded matrices [experts, in, out] in gpt-oss' packed form."""
    codes, scales = mxfp4(tensor.transpose(-1, -2))
    return {f"{key}_blocks": codes.unflatten(-1, (-1, 16)), f"{key}_scales": scales}


def ct_codes(tensor, scales, divisor, group):
    from compressed_tensors.compressors.nvfp4.helpers import quantize_and_pack_fp4

    return quantize_and_pack_fp4(tensor, scales, global_scale=divisor, group_size=group)


class BackToBlocks(Judged):
    def write(self, name, tensors, config, record):
        path = self.directory / name
        path.mkdir()
        save_file({key: tensor.contiguous() for key, tensor in tensors.items()}, path / "model.safetensors")
        (path / "config.json").write_text(json.dumps(config | {"quantization_config": record}, indent=2))
        return path

    def llama(self, name, **sizes):
        """Returns the plain tensors and the config of a small Llama."""
        torch.manual_seed(0)
        model = LlamaForCausalLM(LlamaConfig(**FEW, **sizes)).to(torch.bfloat16)
        model.save_pretrained(self.directory / f"{name}-plain")
        tensors = load_file(self.directory / f"{name}-plain/model.safetensors")
        return tensors, json.loads((self.directory / f"{name}-plain/config.json").read_text())

    def adapter(self, name, targets, size=0.1):
        """Writes an adapter of layers, {name: shape}, and of stacks [experts, in, out]."""
        path, tensors = self.directory / name, {}
        path.mkdir()
        torch.manual_seed(1)
        for module, shape in targets.items():
            experts = shape[0] if len(shape) == 3 else 1
            rows, columns = shape[-2:]
            tensors[f"base_model.model.{module}.lora_A.weight"] = torch.randn(RANK * experts, columns)
            tensors[f"base_model.model.{module}.lora_B.weight"] = torch.randn(rows, RANK * experts) * size / RANK
        save_file(tensors, path / "adapter_model.safetensors")
        config = {"peft_type": "LORA", "r": RANK, "lora_alpha": ALPHA, "peft_version": "0.21.2"}
        config["target_modules"] = sorted({module.rsplit(".", 1)[-1] for module in targets})
        (path / "adapter_config.json").write_text(json.dumps(config))
        return path

    def merged(self, base, adapter, to, *options, size=None):
        """Merges to 16 bits and back, and checks the output. Returns the tensors of both, and the output's path."""
        plain, out = self.directory / f"{base.name}-16", self.directory / f"{base.name}-{to}"
        for path, arguments in ((plain, []), (out, ["--to", to, "--fail-below", "0", *options])):
            shutil.rmtree(path, ignore_errors=True)
            run_qfuse("merge", base, adapter, "-o", path, "--quiet", *arguments)
        run_qfuse("check", out)
        config, theirs = (json.loads((path / "config.json").read_text()) for path in (out, base))
        self.assertEqual(config, theirs)
        return load_file(plain / "model.safetensors"), load_file(out / "model.safetensors"), out

    def judge(self, base, plain, out, quantize, changed):
        """Expects `quantize` of the merge for the changed tensors, and the base's for all others."""
        expected = load_file(base / "model.safetensors")
        before = dict(expected)
        for key in changed:
            expected |= quantize(key, plain[key])
        self.assertEqual(out.keys(), expected.keys())
        for key, tensor in expected.items():
            self.assertEqual((out[key].dtype, out[key].shape), (tensor.dtype, tensor.shape), key)
            self.assertTrue(same_bits(out[key].reshape(-1), tensor.reshape(-1)), key)
        differ = [key for key in before if not same_bits(before[key].reshape(-1), out[key].reshape(-1))]
        self.assertGreaterEqual(len(differ), len(changed))

    # ---- FP8 ----

    def fp8(self, name, quantize, record, **sizes):
        tensors, config = self.llama(name, **sizes)
        made = {}
        for key, tensor in tensors.items():
            made |= quantize(key, tensor) if key.endswith("_proj.weight") else {key: tensor}
        adapter = self.adapter(
            f"{name}-adapter",
            {
                key.removesuffix(".weight"): tensor.shape
                for key, tensor in tensors.items()
                if key.endswith(("q_proj.weight", "0.mlp.down_proj.weight", "lm_head.weight"))
            },
        )
        changed = [key for key in tensors if key.endswith(("q_proj.weight", "0.mlp.down_proj.weight"))]
        base = self.write(name, made, config, record)
        plain, out, path = self.merged(base, adapter, "fp8")
        self.judge(
            base,
            plain,
            out,
            lambda key, it: quantize(key, it) if key != "lm_head.weight" else {key: it},
            [*changed, "lm_head.weight"],
        )
        return path, plain

    def test_fp8(self):
        sizes = {"hidden_size": 128, "intermediate_size": 160, "head_dim": 32}
        for scale_fmt in ("float", "ue8m0"):
            with self.subTest(scale_fmt):
                record = FineGrainedFP8Config(weight_block_size=(32, 32), scale_fmt=scale_fmt).to_dict()
                path, _ = self.fp8(f"fp8-{scale_fmt}", fp8_by_transformers((32, 32), scale_fmt), record, **sizes)
                model = load(AutoModelForCausalLM, path, dtype=torch.bfloat16)  # dequantized, as there is no GPU
                self.assertTrue(torch.isfinite(model(torch.arange(3, 35).reshape(2, 16)).logits).all())

    def test_ragged_fp8(self):
        record = FineGrainedFP8Config(weight_block_size=(32, 48)).to_dict()
        sizes = {"hidden_size": 72, "intermediate_size": 200, "head_dim": 20}
        self.fp8("ragged", in_ragged_blocks((32, 48)), record, **sizes)

    def test_fp8_of_rows(self):
        """compressed-tensors' channels: all in the model's dtype, and a scale that is rounded before it divides."""
        weights = {"num_bits": 8, "type": "float", "strategy": "channel", "symmetric": True}
        groups = {"group_0": {"targets": ["Linear"], "weights": weights}}
        record = {"quant_method": "compressed-tensors", "format": "float-quantized", "config_groups": groups}

        def quantize(key, tensor):
            scales = tensor.abs().amax(-1, keepdim=True) / 448
            codes = (tensor / scales).clamp(-448, 448).to(CODES)
            if importlib.util.find_spec("compressed_tensors"):
                from compressed_tensors.quantization import QuantizationArgs
                from compressed_tensors.quantization.lifecycle import forward

                theirs = forward.quantize(tensor, scales, None, QuantizationArgs(**weights), dtype=CODES)
                self.assertTrue(same_bits(codes, theirs))
            return {key: codes, f"{key}_scale": scales}

        sizes = {"hidden_size": 72, "intermediate_size": 200, "head_dim": 20}
        self.fp8("rows", quantize, record | {"ignore": ["lm_head"]}, **sizes)

    def test_fp8_of_a_plain_base(self):
        """Expects Fp8Quantize of the merged model. k_proj and v_proj are not whole blocks, so they stay unquantized."""
        tensors, _ = self.llama("whole", hidden_size=128, intermediate_size=256, head_dim=32)
        base = self.directory / "whole-plain"
        adapter = self.adapter("whole-adapter", {"model.layers.0.self_attn.q_proj": (128, 128), "lm_head": (96, 128)})
        plain = self.directory / "whole-16"
        run_qfuse("merge", base, adapter, "-o", plain, "--quiet")
        merged = load_file(plain / "model.safetensors")
        self.assertFalse(same_bits(merged["lm_head.weight"], tensors["lm_head.weight"]))
        for scale_fmt, options in {"float": [], "ue8m0": ["--ue8m0"]}.items():
            with self.subTest(scale_fmt):
                path = self.directory / f"whole-{scale_fmt}"
                said = run_qfuse("merge", base, adapter, "-o", path, "--to", "fp8", *options)
                self.assertIn("is left in fp8", said)
                expected = {}
                for key, tensor in merged.items():
                    is_linear = key.endswith("_proj.weight") and "k_proj" not in key and "v_proj" not in key
                    quantize = fp8_by_transformers((128, 128), scale_fmt)
                    expected |= quantize(key, tensor) if is_linear else {key: tensor}
                out = load_file(path / "model.safetensors")
                self.assertEqual(out.keys(), expected.keys())
                for key, tensor in expected.items():
                    self.assertTrue(same_bits(out[key], tensor), key)
                model = load(AutoModelForCausalLM, path, dtype=torch.bfloat16)
                decoded = load_file(
                    self.convert("dequantize", path, to=f"whole-{scale_fmt}-again") / "model.safetensors"
                )
                for key, tensor in model.state_dict().items():
                    self.assertTrue(same_bits(tensor, decoded[key]), key)
                run_qfuse("check", path)

    # ---- 4 bits ----

    def test_gpt_oss(self):
        """Adapts experts by peft's target_parameters, in the file's order, and attention's unquantized layers."""
        torch.manual_seed(0)
        sizes = {"hidden_size": 64, "intermediate_size": 96, "num_local_experts": 3, "head_dim": 32}
        model = GptOssForCausalLM(GptOssConfig(**FEW, **sizes, num_experts_per_tok=2)).to(torch.bfloat16)
        model.save_pretrained(self.directory / "gpt-oss-plain")
        tensors = load_file(self.directory / "gpt-oss-plain/model.safetensors")
        stacks = [key for key in tensors if key.endswith(("gate_up_proj", "down_proj"))]
        for key in stacks:
            tensors |= in_stack(key, tensors.pop(key))
        config = json.loads((self.directory / "gpt-oss-plain/config.json").read_text())
        kept = ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]
        record = {"quant_method": "mxfp4", "modules_to_not_convert": kept}
        base = self.write("gpt-oss", tensors, config, record)
        parameters = [f"0.mlp.experts.{stack}" for stack in ("gate_up_proj", "down_proj")]
        adapted = peft.get_peft_model(
            model, peft.LoraConfig(r=RANK, target_modules=["q_proj"], target_parameters=parameters)
        )
        for name, parameter in adapted.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(parameter, std=0.05)
        adapted.save_pretrained(self.directory / "gpt-oss-adapter")
        plain, out, path = self.merged(base, self.directory / "gpt-oss-adapter", "mxfp4")
        changed = [key for key in stacks if ".0." in key]
        queries = [key for key in tensors if key.endswith("q_proj.weight")]
        self.assertEqual((len(changed), len(queries)), (2, 2))
        self.judge(
            base, plain, out, lambda key, it: {key: it} if key in queries else in_stack(key, it), changed + queries
        )
        dequantize = Mxfp4Config(dequantize=True)
        ours = AutoModelForCausalLM.from_pretrained(path, quantization_config=dequantize, dtype=torch.bfloat16)
        decoded = load_file(self.convert("dequantize", path, to="gpt-oss-again") / "model.safetensors")
        for key in changed:
            self.assertTrue(same_bits(ours.state_dict()[key], decoded[key]), key)

    def test_what_other_libraries_wrote(self):
        """The golden Llamas of compressed-tensors and modelopt. In NVFP4 they keep their scales."""
        for name, quantize in {
            "mxfp4": self.packed_mxfp4,
            "nvfp4": self.packed_nvfp4,
            "modelopt": self.modelopt,
            "int4": self.packed_int4,
        }.items():
            with self.subTest(name):
                base = self.directory / name
                shutil.copytree(GOLDEN / "scaled_4bit" / name, base)
                decoded = load_file(base / "decoded.safetensors")
                (base / "decoded.safetensors").unlink()
                changed = [key for key in decoded if key.endswith(("q_proj.weight", "down_proj.weight"))]
                shapes = {key.removesuffix(".weight"): decoded[key].shape for key in changed}
                adapter = self.adapter(f"{name}-adapter", shapes)
                plain, out, _ = self.merged(base, adapter, "nvfp4" if name == "modelopt" else name)
                self.judge(base, plain, out, quantize(load_file(base / "model.safetensors")), changed)

    def packed_mxfp4(self, _):
        def quantize(key, tensor):
            codes, scales = mxfp4(tensor, "nearest")
            if importlib.util.find_spec("compressed_tensors"):
                self.assertTrue(torch.equal(codes, ct_codes(tensor, torch.exp2(scales.float() - 127), None, 32)))
            return {f"{key}_packed": codes, f"{key}_scale": scales}

        return quantize

    def packed_nvfp4(self, before):
        def quantize(key, tensor):
            scales, divisor = before[f"{key}_scale"], before[f"{key}_global_scale"]
            codes = nvfp4(tensor, scales, lambda scale: scale / divisor)
            if importlib.util.find_spec("compressed_tensors"):
                self.assertTrue(torch.equal(codes, ct_codes(tensor, scales.float(), divisor, 16)))
            return {f"{key}_packed": codes}

        return quantize

    def packed_int4(self, before):
        """Symmetric groups: the largest magnitude is 7.5 steps; all in the model's dtype."""

        def quantize(key, tensor):
            blocks = tensor.unflatten(-1, (before[f"{key}_scale"].shape[1], -1))
            scales = blocks.abs().amax(-1) / 7.5
            codes = (blocks / scales.unsqueeze(-1)).clamp(-8, 7).round().to(torch.int8).flatten(-2)
            words = packed(codes.int() + 8).view(torch.int32)
            if importlib.util.find_spec("compressed_tensors"):
                from compressed_tensors.compressors import BaseCompressor
                from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
                from compressed_tensors.quantization.utils import calculate_qparams

                weights = QuantizationArgs(num_bits=4, group_size=blocks.shape[-1], strategy="group")
                theirs, _ = calculate_qparams(blocks.amin(-1), blocks.amax(-1), weights)
                state = {"weight": tensor, "weight_scale": theirs}
                scheme = QuantizationScheme(targets=["Linear"], weights=weights)
                made = BaseCompressor.get_value_from_registry("pack-quantized").compress(state, scheme)
                self.assertTrue(same_bits(scales, theirs) and torch.equal(words, made["weight_packed"]))
            return {f"{key}_packed": words, f"{key}_scale": scales}

        return quantize

    def modelopt(self, before):
        def quantize(key, tensor):
            scales, factor = before[f"{key}_scale"], before[f"{key}_scale_2"]
            codes = nvfp4(tensor, scales, lambda scale: scale * factor)
            if importlib.util.find_spec("modelopt"):
                from modelopt.torch.quantization.qtensor import NVFP4QTensor

                made, *_ = NVFP4QTensor.quantize(tensor.clone(), 16, scales, factor)
                self.assertTrue(torch.equal(codes, made._quantized_data))
            return {key: codes}

        return quantize


if __name__ == "__main__":
    main()
