"""Makes tests/golden/scaled_4bit: a tiny Llama in the 4-bit formats of compressed-tensors and modelopt, each written
and decoded by the library itself on a CPU.

    pip install --target libraries --no-deps compressed-tensors==0.20.0 nvidia-modelopt==0.47.0 loguru pydantic \
        pydantic-core annotated-types typing-inspection omegaconf antlr4-python3-runtime==4.9.3 pulp rich scipy
    PYTHONPATH=libraries python3 make_golden_4bit.py tests/golden/scaled_4bit

with torch and transformers. A directory has model.safetensors and config.json in the published form, and
decoded.safetensors, the weights as the library's own decoder returns them.
"""

import sys
from pathlib import Path

import modelopt.torch.quantization as mtq
import torch
from compressed_tensors.compressors import ModelCompressor
from compressed_tensors.quantization import QuantizationConfig, apply_quantization_config
from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam
from modelopt.torch.export import export_hf_checkpoint
from modelopt.torch.quantization.qtensor import NVFP4QTensor
from modelopt.torch.quantization.utils import update_quant_cfg_with_kv_cache_quant
from safetensors.torch import load_file, save_file
from transformers.models.llama import LlamaConfig, LlamaForCausalLM

SIZES = {"vocab_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 2}
# Hidden and intermediate sizes. In RAGGED no row is a whole number of words.
WHOLE, RAGGED = {"hidden_size": 32, "intermediate_size": 64}, {"hidden_size": 36, "intermediate_size": 44}
INT4 = {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "group", "group_size": 16}
FP4 = {"num_bits": 4, "type": "float", "symmetric": True}
NVFP4 = FP4 | {"strategy": "tensor_group", "group_size": 16, "scale_dtype": "torch.float8_e4m3fn"}
MXFP4 = FP4 | {"strategy": "group", "group_size": 32, "scale_dtype": "torch.uint8"}
STATIC = {"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16, "dynamic": "local"}
LINEAR = {"targets": ["Linear"]}
CASES = {
    "int4": (WHOLE, {"group_0": LINEAR | {"weights": INT4}}),
    "int4_asymmetric": (WHOLE, {"group_0": LINEAR | {"weights": INT4 | {"symmetric": False}}}),
    "int4_channel": (RAGGED, {"group_0": LINEAR | {"weights": INT4 | {"strategy": "channel", "group_size": None}}}),
    "mxfp4": (WHOLE, {"group_0": LINEAR | {"weights": MXFP4}}),
    "nvfp4": (WHOLE, {"group_0": LINEAR | {"weights": NVFP4, "input_activations": STATIC}}),
    "mixed": (
        WHOLE,
        {
            "group_0": {"targets": ["re:.*self_attn.*"], "weights": NVFP4},
            "group_1": {"targets": ["re:.*(gate|up)_proj"], "weights": INT4 | {"group_size": 32}},
            "group_2": {"targets": ["re:.*down_proj"], "weights": INT4 | {"symmetric": False}},
        },
    ),
}


def tiny_llama(sizes):
    torch.manual_seed(0)
    model = LlamaForCausalLM(LlamaConfig(**SIZES, **sizes, architectures=["LlamaForCausalLM"])).to(torch.bfloat16)
    model.config.dtype = torch.bfloat16
    return model


def calibrate(module):
    """Sets scales and zero points from the weight's own smallest and largest values."""
    weight, args = module.weight.data, module.quantization_scheme.weights
    size = args.group_size or weight.shape[1]
    groups = weight.reshape(weight.shape[0], -1, size)
    least, most = groups.amin(-1), groups.amax(-1)
    global_scale = None
    if args.strategy == "tensor_group":
        global_scale = generate_gparam(weight.min(), weight.max()).reshape(1)
        module.weight_global_scale.data = global_scale
    scale, zero_point = calculate_qparams(least, most, args, global_scale=global_scale)
    module.weight_scale.data = scale
    if not args.symmetric:
        module.weight_zero_point.data = zero_point
    if hasattr(module, "input_global_scale"):
        module.input_global_scale.data.fill_(3.0)


def by_compressed_tensors(path, sizes, groups):
    model = tiny_llama(sizes)
    apply_quantization_config(model, QuantizationConfig(config_groups=groups, ignore=["lm_head"]))
    for module in model.modules():
        if getattr(getattr(module, "quantization_scheme", None), "weights", None) is not None:
            calibrate(module)
    compressor = ModelCompressor.from_pretrained_model(model)
    compressor.compress_model(model)
    model.config.save_pretrained(path)
    save_file(
        {key: tensor.contiguous() for key, tensor in model.state_dict().items()},
        path / "model.safetensors",
        metadata={"format": "pt"},
    )
    compressor.update_config(path)
    compressor.decompress_model(model)
    return {key: tensor for key, tensor in model.state_dict().items() if key.endswith(".weight")}


def by_modelopt(path):
    """Exports with modelopt, keys and values in FP8. Decodes the exported files with modelopt's own tensor class."""
    model = tiny_llama(WHOLE)
    shapes = {key: tensor.shape for key, tensor in model.state_dict().items()}
    scheme = update_quant_cfg_with_kv_cache_quant(mtq.NVFP4_DEFAULT_CFG, mtq.FP8_KV_CFG["quant_cfg"])
    model = mtq.quantize(model, scheme, lambda calibrated: calibrated(torch.arange(32).reshape(2, 16)))
    export_hf_checkpoint(model, export_dir=path)
    tensors, decoded = load_file(path / "model.safetensors"), {}
    for key, shape in shapes.items():
        decoded[key] = tensors[key]
        if f"{key}_scale" in tensors:
            made = NVFP4QTensor(shape, torch.bfloat16, tensors[key])
            scales = {"scale": tensors[f"{key}_scale"], "double_scale": tensors[f"{key}_scale_2"]}
            decoded[key] = made.dequantize(torch.bfloat16, **scales, block_sizes={-1: 16})
    return decoded


def main():
    for name, (sizes, groups) in (CASES | {"modelopt": (WHOLE, None)}).items():
        path = Path(sys.argv[1]) / name
        path.mkdir(parents=True, exist_ok=True)
        decoded = by_modelopt(path) if groups is None else by_compressed_tensors(path, sizes, groups)
        save_file({key: tensor.contiguous() for key, tensor in decoded.items()}, path / "decoded.safetensors")
        (path / "generation_config.json").unlink(missing_ok=True)


main()
