"""GPTQ and AWQ checkpoints of whole models: transformers loads every decoded tensor, and torch's arithmetic on the
packed words gives the same bits. tests/golden/gptq has what gptqmodel, AutoGPTQ and AutoAWQ decode."""

import json

import torch
import transformers
from families import make
from libraries import ALL, Judged, main, run_qfuse
from models import load, same_bits
from safetensors.torch import load_file, save_file

FAMILIES = [
    "LlamaForCausalLM",
    "GPT2LMHeadModel",
    "Qwen3MoeForCausalLM",
    "OPTForCausalLM",
    "DeepseekV3ForCausalLM",
    "GemmaForCausalLM",
    "Qwen2ForCausalLM",
]
PACKED_ROWS = [0, 2, 4, 6, 1, 3, 5, 7]  # order of the rows in AWQ's words
GROUP = 8
CONFIGS = {
    "gptq": {"quant_method": "gptq", "bits": 4, "group_size": GROUP, "desc_act": True},
    "gptq_v2": {"quant_method": "gptq", "bits": 4, "group_size": GROUP, "checkpoint_format": "gptq_v2"},
    "awq": {"quant_method": "awq", "bits": 4, "group_size": GROUP, "version": "gemm"},
}


def packed(numbers, dim):
    """Packs each eight numbers along `dim` into a word, the first one in the lowest bits."""
    parts = numbers.to(torch.int64).movedim(dim, -1).unflatten(-1, (-1, 8))
    words = (parts << torch.arange(0, 32, 4)).sum(-1)
    return words.to(torch.uint32).view(torch.int32).movedim(-1, dim).contiguous()


def in_words_of_awq(numbers):
    """Reorders the last dimension as in AWQ's words."""
    return numbers.unflatten(-1, (-1, 8))[..., PACKED_ROWS].flatten(-2)


def quantized(kind, rows, columns):
    """Returns random codes as tensors of that kind, and their decoded values."""
    groups = columns // GROUP
    codes, zeros = torch.randint(16, (columns, rows)), torch.randint(1, 16, (groups, rows))
    scales = (torch.rand(groups, rows) / 100).half()
    g_idx = torch.arange(columns, dtype=torch.int32) // GROUP
    if kind == "awq":
        parts = {"qweight": packed(in_words_of_awq(codes), 1), "qzeros": packed(in_words_of_awq(zeros), 1)}
    else:
        if CONFIGS[kind].get("desc_act"):
            g_idx = g_idx[torch.randperm(columns)]
        stored = zeros - 1 if kind == "gptq" else zeros
        parts = {"qweight": packed(codes, 0), "qzeros": packed(stored, 1), "g_idx": g_idx}
    values = (codes - zeros[g_idx]).half() * scales[g_idx]
    return parts | {"scales": scales}, values.T.contiguous()


class Gptq(Judged):
    def quantized_model(self, name, kind):
        """Returns the quantized model's directory, and the tensors expected after decoding."""
        plain, path = self.directory / f"{name}-{kind}-plain", self.directory / f"{name}-{kind}"
        make(name, plain)
        tensors, expected = {}, {}
        for key, tensor in load_file(plain / "model.safetensors").items():
            expected[key] = tensor
            shape = tensor.shape[::-1] if ".c_" in key else tensor.shape  # GPT-2 has [in, out]
            is_linear = tensor.ndim == 2 and not any(word in key for word in ("emb", "wte", "wpe", "gate.weight"))
            if is_linear and not shape[0] % 8 and not shape[1] % GROUP and key.endswith(".weight"):
                parts, values = quantized(kind, *shape)
                tensors |= {key.removesuffix("weight") + part: value for part, value in parts.items()}
                expected[key] = values.T.contiguous() if ".c_" in key else values
            else:
                tensors[key] = tensor
        path.mkdir()
        save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
        config = json.loads((plain / "config.json").read_text()) | {"dtype": "float16"}
        (path / "config.json").write_text(json.dumps(config | {"quantization_config": CONFIGS[kind]}))
        (path / "quantize_config.json").write_text(json.dumps(CONFIGS[kind]))
        return path, expected

    def test_families(self):
        for number, name in enumerate(FAMILIES if ALL else FAMILIES[:4]):
            for kind in CONFIGS if ALL else list(CONFIGS)[number % 3 :][:1]:
                with self.subTest(name, kind=kind):
                    torch.manual_seed(number)
                    path, expected = self.quantized_model(name, kind)
                    out = self.convert("dequantize", path, "--check", to=f"{name}-{kind}-out")
                    self.assertFalse((out / "quantize_config.json").exists())
                    self.assertNotIn("quantization_config", (out / "config.json").read_text())
                    load(getattr(transformers, name), out)
                    tensors = load_file(out / "model.safetensors")
                    self.assertEqual(tensors.keys(), expected.keys())
                    changed = 0
                    for key, tensor in tensors.items():
                        self.assertTrue(same_bits(tensor, expected[key]), key)
                        changed += tensor.dtype is torch.float16
                    self.assertGreater(changed, 3)
                    run_qfuse("compare", path, out)

    def test_every_code_and_zero_point(self):
        """Decodes to fp16, bf16 and fp32, with scales of each type."""
        rows, columns = 256, 16
        codes = torch.arange(16)[:, None].expand(columns, rows)
        for kind, config in CONFIGS.items():
            least = 1 if kind == "gptq" else 0  # version 1 stores the zero point minus one
            zeros = (torch.arange(rows) % (16 - least) + least).repeat(2, 1)
            ordered = in_words_of_awq if kind == "awq" else torch.clone
            tensors = {"w.qweight": packed(ordered(codes), 1 if kind == "awq" else 0)}
            tensors["w.qzeros"] = packed(ordered(zeros - least), 1)
            for scale_type in (torch.float16, torch.bfloat16, torch.float32):
                tensors["w.scales"] = torch.randn(2, rows).to(scale_type)
                path = self.directory / f"{kind}-{str(scale_type).removeprefix('torch.')}"
                path.mkdir()
                save_file(tensors, path / "model.safetensors")
                record = config | {"desc_act": False}
                (path / "config.json").write_text(json.dumps({"quantization_config": record}))
                wide = tensors["w.scales"].float().repeat_interleave(GROUP, 0)
                values = ((codes - zeros.repeat_interleave(GROUP, 0)) * wide).T
                for name, dtype in {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}.items():
                    out = self.convert("dequantize", path, "--dtype", name, to=f"{path.name}-{name}")
                    found = load_file(out / "model.safetensors")["w.weight"]
                    self.assertTrue(same_bits(found, values.to(dtype).contiguous()), (path.name, name))


if __name__ == "__main__":
    main()
