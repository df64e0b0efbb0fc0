#!/usr/bin/env python3
"""Lets transformers judge what qfuse writes: it must load without a missing or unexpected key, and compute the same.

    tools/judge_transformers.py QFUSE tests/golden/tiny_llama

Needs a GPU, torch, transformers, safetensors and bitsandbytes. Exits with 1 at the first judgement that fails.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import bitsandbytes
import torch
import transformers
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

IDS = torch.arange(3, 67).reshape(2, 32)


def judge(what, passed):
    print(f"{'yes' if passed else 'NO '}  {what}")
    if not passed:
        sys.exit(1)


def load(path, **options):
    model, info = AutoModelForCausalLM.from_pretrained(
        path, device_map="cuda:0", dtype=torch.bfloat16, output_loading_info=True, **options)
    judge(f"{path.name}: no missing, unexpected or mismatched key",
          not info["missing_keys"] and not info["unexpected_keys"] and not info["mismatched_keys"])
    return model.eval()


@torch.no_grad()
def logits(model):
    return model(IDS.cuda()).logits


def quantized_by_transformers(path, quant_type, nested):
    config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=quant_type, bnb_4bit_use_double_quant=nested,
                                bnb_4bit_compute_dtype=torch.bfloat16)
    return load(path, quantization_config=config)


def main(qfuse, golden):
    print(f"transformers {transformers.__version__}, bitsandbytes {bitsandbytes.__version__}, torch {torch.__version__}, "
          f"{torch.cuda.get_device_name()}")
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        theirs = logits(quantized_by_transformers(golden / "full", "nf4", False))
        for name, options in {"plain": ["--no-double-quant"], "nested": [], "fp4": ["--type", "fp4"]}.items():
            subprocess.run([qfuse, "quantize", golden / "full", "-o", work / name, "--quiet", *options], check=True)
            model = load(work / name)
            judge(f"{name}: every linear layer but lm_head is 4-bit",
                  sum(isinstance(m, bitsandbytes.nn.Linear4bit) for m in model.modules()) == 14)
            ours = logits(model)
            judge(f"{name}: logits are finite", bool(torch.isfinite(ours).all()))
            if name == "plain":
                judge("plain: logits equal, bit for bit, those of the model that transformers quantized itself",
                      torch.equal(ours, theirs))
            if name == "nested":
                reference = logits(quantized_by_transformers(golden / "full", "nf4", True))
                print(f"     nested: largest difference of a logit from transformers' own: "
                      f"{(ours - reference).abs().max().item():.3g} (the offset may differ in its last bit)")
        subprocess.run([qfuse, "dequantize", golden / "bnb4", "-o", work / "bf16", "--quiet"], check=True)
        model = load(work / "bf16")
        expected = load_file(golden / "dequant_expected.safetensors", device="cuda:0")
        state = model.state_dict()
        judge("bf16: every decoded weight has the bits that bitsandbytes decodes",
              all(torch.equal(state[key].view(torch.int16), value.view(torch.int16)) for key, value in expected.items()))
        before = logits(load(golden / "bnb4"))
        print(f"     bf16: largest difference of a logit from the 4-bit model: "
              f"{(logits(model) - before).abs().max().item():.3g} (other matrix kernels)")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
