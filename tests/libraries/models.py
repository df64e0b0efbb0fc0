"""Loads models with transformers and bitsandbytes' layers, on the CPU or on QFUSE_JUDGE_DEVICE (such as cuda:0)."""

import os

import torch
import transformers
from bitsandbytes.functional import dequantize_4bit
from bitsandbytes.nn import Linear4bit
from transformers import BitsAndBytesConfig

DEVICE = os.environ.get("QFUSE_JUDGE_DEVICE", "cpu")

# Ways to quantize: the options of `qfuse quantize`, and (quant_type, nested) for transformers.
VARIANTS = {
    "nf4": ([], ("nf4", True)),
    "nf4-plain": (["--no-double-quant"], ("nf4", False)),
    "fp4": (["--type", "fp4"], ("fp4", True)),
    "fp4-plain": (["--type", "fp4", "--no-double-quant"], ("fp4", False)),
}

transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


def load(auto, path, **options):
    """Loads the model of a directory; requires that transformers found exactly the expected keys."""
    model, info = auto.from_pretrained(path, device_map=DEVICE, output_loading_info=True, **options)
    complaints = {what: found for what, found in info.items() if found}
    assert not complaints, f"{path}: {complaints}"
    return model.eval()


def quantize_by_transformers(auto, path, quant_type, nested, dtype, skip=None):
    config = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type=quant_type,
        bnb_4bit_use_double_quant=nested,
        bnb_4bit_compute_dtype=dtype,
        llm_int8_skip_modules=skip,
    )
    return load(auto, path, dtype=dtype, quantization_config=config)


def decoded(model):
    """Returns the 4-bit weights as bitsandbytes decodes them. Call it before the model runs, which may repack them."""
    return {
        f"{name}.weight": dequantize_4bit(module.weight.data, module.weight.quant_state).cpu()
        for name, module in model.named_modules()
        if isinstance(module, Linear4bit)
    }


def same_bits(left, right):
    """Whether two tensors are equal byte for byte: -0 differs from +0, and a NaN equals only the same NaN."""
    return left.dtype == right.dtype and torch.equal(left.cpu().view(torch.uint8), right.cpu().view(torch.uint8))
