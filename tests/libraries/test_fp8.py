"""FP8 checkpoints, against transformers, which dequantizes them if there is no GPU, and against torch's arithmetic
where transformers fails: blocks that do not divide a matrix, like DeepSeek's 576 x 7168."""

import json

import torch
import transformers
from families import make
from libraries import ALL, Judged, main, run_qfuse
from models import load, same_bits
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, FineGrainedFP8Config
from transformers.integrations.finegrained_fp8 import Fp8Quantize
from transformers.models.llama import LlamaConfig, LlamaForCausalLM

FAMILIES = [
    "DeepseekV3ForCausalLM",
    "Qwen3MoeForCausalLM",
    "DeepseekV4ForCausalLM",
    "Glm4MoeForCausalLM",
    "GptOssForCausalLM",
    "Llama4ForCausalLM",
    "MiniMaxM2ForCausalLM",
    "Qwen3NextForCausalLM",
]
CODES, RAGGED = torch.float8_e4m3fn, (72, 200)
IDS = torch.arange(3, 35).reshape(2, 16)
# Sizes of a Llama whose matrices are whole blocks of 32 (True), and of one without such matrices (False).
SIZES = {
    True: {"hidden_size": 128, "intermediate_size": 160, "head_dim": 32},
    False: {"hidden_size": 72, "intermediate_size": 200, "head_dim": 20},
}


class Quantizer:
    """What transformers' Fp8Quantize needs of its quantizer, which itself requires a GPU."""

    def __init__(self, **options):
        self.quantization_config = FineGrainedFP8Config(**options)


def ceil(size, block):
    return -(-size // block)


def expanded(scales, block, shape):
    """Returns a scale for each element."""
    wide = scales.float().repeat_interleave(block[0], -2).repeat_interleave(block[1], -1)
    return wide[..., : shape[-2], : shape[-1]]


def decoded(codes, scales, block, dtype=torch.bfloat16):
    return (codes.float() * expanded(scales, block, codes.shape)).to(dtype)


def every_code(shape):
    """Returns all codes except NaN, repeated."""
    codes = torch.arange(256, dtype=torch.uint8)
    codes = codes[(codes & 0x7F) != 0x7F]
    size = torch.Size(shape).numel()
    return codes.repeat(ceil(size, len(codes)))[:size].reshape(shape).view(CODES)


def random_scales(shape, dtype):
    if dtype is torch.uint8:
        return torch.randint(110, 135, shape, dtype=torch.uint8)
    if dtype is torch.float8_e8m0fnu:
        return torch.randint(110, 135, shape, dtype=torch.uint8).view(dtype)
    return (torch.rand(shape) / 100).to(dtype)


def as_factors(scales):
    return (scales.float() - 127).exp2() if scales.dtype is torch.uint8 else scales.float()


class Fp8(Judged):
    def write(self, name, tensors, config):
        path = self.directory / name
        path.mkdir()
        save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
        (path / "config.json").write_text(json.dumps(config, indent=2))
        return path

    def quantized_llama(self, name, whole, quantize):
        """Writes a plain Llama, and the same in FP8 to another directory, which is returned with its tensors."""
        torch.manual_seed(0)
        fields = {"vocab_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
        model = LlamaForCausalLM(LlamaConfig(**fields, **SIZES[whole])).to(torch.bfloat16)
        model.save_pretrained(self.directory / f"{name}-plain")
        tensors = {}
        for key, tensor in load_file(self.directory / f"{name}-plain/model.safetensors").items():
            is_linear = key.endswith("_proj.weight")
            tensors |= quantize(key, tensor) if is_linear else {key: tensor}
        config = json.loads((self.directory / f"{name}-plain/config.json").read_text())
        config["quantization_config"] = FineGrainedFP8Config(weight_block_size=(32, 32)).to_dict()
        return self.write(name, tensors, config), tensors

    def test_transformers_decodes_the_same(self):
        """Blocks divide every matrix, and transformers' own op quantizes them."""
        for scale_fmt in ("float", "ue8m0"):
            with self.subTest(scale_fmt):
                op = Fp8Quantize(Quantizer(weight_block_size=(32, 32), scale_fmt=scale_fmt))
                path, tensors = self.quantized_llama(scale_fmt, True, op._quantize_one)
                self.assertEqual(sum(tensor.dtype is CODES for tensor in tensors.values()), 14)
                out = self.convert("dequantize", path, to=f"{scale_fmt}-out")
                self.assertNotIn("quantization_config", (out / "config.json").read_text())
                theirs = AutoModelForCausalLM.from_pretrained(path, dtype=torch.bfloat16, device_map="cpu")
                ours = load(AutoModelForCausalLM, out)
                self.assertEqual(ours.dtype, torch.bfloat16)
                state = theirs.state_dict()
                for key, tensor in ours.state_dict().items():
                    self.assertTrue(same_bits(tensor, state.pop(key)), key)
                self.assertEqual(state, {})
                with torch.no_grad():
                    self.assertTrue(torch.equal(ours(IDS).logits, theirs(IDS).logits))
                run_qfuse("compare", path, out)
                run_qfuse("check", path)
                run_qfuse("check", out)

    def test_ragged_blocks(self):
        """transformers refuses partial blocks. The output computes the same as a model that torch decoded."""

        def quantize(key, tensor):
            blocks = [ceil(size, 32) for size in tensor.shape]
            scales = torch.zeros(blocks)
            for i in range(blocks[0]):
                for j in range(blocks[1]):
                    block = tensor[32 * i : 32 * i + 32, 32 * j : 32 * j + 32]
                    scales[i, j] = block.float().abs().max() / 448
            codes = (tensor.float() / expanded(scales, (32, 32), tensor.shape)).clamp(-448, 448).to(CODES)
            return {key: codes, f"{key}_scale_inv": scales}

        path, tensors = self.quantized_llama("ragged", False, quantize)
        with self.assertRaisesRegex(RuntimeError, "automatic conversion of the weights"):
            AutoModelForCausalLM.from_pretrained(path, dtype=torch.bfloat16, device_map="cpu")
        out = self.convert("dequantize", path, to="ragged-out")
        expected = load(AutoModelForCausalLM, self.directory / "ragged-plain")
        for key, parameter in expected.named_parameters():
            if tensors[key].dtype is CODES:
                parameter.data = decoded(tensors[key], tensors[f"{key}_scale_inv"], (32, 32))
        ours = load(AutoModelForCausalLM, out)
        for key, tensor in ours.state_dict().items():
            self.assertTrue(same_bits(tensor, expected.state_dict()[key]), key)
        with torch.no_grad():
            self.assertTrue(torch.equal(ours(IDS).logits, expected(IDS).logits))
        run_qfuse("compare", path, out)

    def test_every_code_and_kind_of_scale(self):
        rows, columns = RAGGED
        kinds = {
            "deepseek": ("weight_scale_inv", (ceil(rows, 32), ceil(columns, 128)), (32, 128)),
            "v4": ("scale", (ceil(rows, 32), ceil(columns, 128)), (32, 128)),
            "rows": ("weight_scale", (rows, 1), (1, columns)),
            "tensor": ("weight_scale", (), (rows, columns)),
        }
        types = [torch.float32, torch.bfloat16, torch.float16, torch.uint8, torch.float8_e8m0fnu]
        tensors, blocks, factors = {}, {}, {}
        for kind, (ending, shape, block) in kinds.items():
            for dtype in types:
                module = f"{kind}.{str(dtype).removeprefix('torch.')}"
                scales = random_scales(shape, dtype)
                tensors |= {f"{module}.weight": every_code(RAGGED), f"{module}.{ending}": scales}
                tensors[f"{module}.input_scale"] = torch.ones(())
                blocks[f"{module}.weight"] = block
                factors[f"{module}.weight"] = as_factors(scales).reshape(shape or (1, 1))
        tensors |= {"experts.up_proj": every_code((3, *RAGGED)), "experts.up_proj_scale_inv": torch.rand(3, 3, 2)}
        blocks["experts.up_proj"], factors["experts.up_proj"] = (32, 128), tensors["experts.up_proj_scale_inv"]
        path = self.write("kinds", tensors, {"quantization_config": {"weight_block_size": [32, 128]}})
        for name, dtype in {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}.items():
            out = load_file(self.convert("dequantize", path, "--dtype", name, to=f"kinds-{name}") / "model.safetensors")
            self.assertEqual(out.keys(), blocks.keys())
            for key, tensor in out.items():
                self.assertTrue(same_bits(tensor, decoded(tensors[key], factors[key], blocks[key], dtype)), key)

    def test_families(self):
        """Experts one by one and stacked, in blocks that do not divide them. All keys are the plain model's."""
        for name in FAMILIES if ALL else FAMILIES[:2]:
            with self.subTest(name):
                make(name, self.directory / name)
                tensors = {}
                for key, tensor in load_file(self.directory / name / "model.safetensors").items():
                    tensors[key] = tensor
                    if tensor.ndim > 1 and ("_proj" in key or ".experts." in key) and not key.endswith("bias"):
                        grid = *tensor.shape[:-2], *(ceil(size, 48) for size in tensor.shape[-2:])
                        tensors |= {key: every_code(tensor.shape), f"{key}_scale_inv": torch.rand(grid)}
                config = json.loads((self.directory / name / "config.json").read_text())
                quantization = {"quant_method": "fp8", "weight_block_size": [48, 48]}
                path = self.write(f"{name}-fp8", tensors, config | {"quantization_config": quantization})
                run_qfuse("check", path)
                out = self.convert("dequantize", path, "--check", to=f"{name}-out")
                load(getattr(transformers, name), out)
                for key, tensor in load_file(out / "model.safetensors").items():
                    scales = tensors.get(f"{key}_scale_inv")
                    expected = tensors[key] if scales is None else decoded(tensors[key], scales, (48, 48))
                    self.assertTrue(same_bits(tensor, expected), key)

    def test_a_matrix_of_deepseek(self):
        """kv_a_proj_with_mqa: 5 rows of scales for 576 rows mean blocks of 128, although 576 // 5 is 115."""
        torch.manual_seed(1)
        codes, scales = every_code((576, 7168)), torch.rand(5, 56)
        path = self.write("deepseek", {"w.weight": codes, "w.weight_scale_inv": scales}, {"torch_dtype": "bfloat16"})
        out = load_file(self.convert("dequantize", path, to="deepseek-out") / "model.safetensors")
        self.assertTrue(same_bits(out["w.weight"], decoded(codes, scales, (128, 128))))

    def test_what_is_inspected(self):
        codes = {"w.weight": every_code(RAGGED), "w.weight_scale": torch.rand(72, 1, dtype=torch.bfloat16)}
        path = self.write("inspected", codes, {})
        (tensor,) = json.loads(run_qfuse("inspect", path, "--json"))["tensors"]
        found = {key: tensor[key] for key in ("format", "block", "scale_dtype", "dtype", "bytes", "decoded_bytes")}
        expected = {"format": "fp8", "block": [1, 200], "scale_dtype": "BF16", "dtype": "BF16"}
        self.assertEqual(found, expected | {"bytes": 72 * 200 + 72 * 2, "decoded_bytes": 72 * 200 * 2})
        self.assertIn("fp8 per row BF16 -> BF16", run_qfuse("inspect", path))


if __name__ == "__main__":
    main()
