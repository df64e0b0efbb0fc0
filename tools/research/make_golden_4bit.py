"""Makes tests/golden/scaled_4bit: a tiny Llama in the 4-bit formats of compressed-tensors and modelopt, each written
and decoded by the library itself on a CPU.

    pip install --target libraries --no-deps compressed-tensors==0.20.0 nvidia-modelopt==0.47.0 loguru pydantic \
        pydantic-core annotated-types typing-inspection
    PYTHONPATH=libraries python3 make_golden_4bit.py tests/golden/scaled_4bit

with torch and transformers. A directory has model.safetensors and config.json as they are published, and
decoded.safetensors: what the library's own decoder makes of the weights.
"""

import json
import sys
from pathlib import Path

import torch
from compressed_tensors.compressors import ModelCompressor
from compressed_tensors.quantization import QuantizationConfig, apply_quantization_config
from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam
from safetensors.torch import load_file, save_file
from transformers.models.llama import LlamaConfig, LlamaForCausalLM

SIZES = {"vocab_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 2}
# Of hidden and intermediate states: in the second no row is whole words.
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
    """Scales, and zero points, of the weight's own smallest and largest values."""
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
    from modelopt.torch.quantization.qtensor import NVFP4QTensor

    model = tiny_llama(WHOLE)
    tensors, decoded = {}, {}
    for key, weight in model.state_dict().items():
        tensors[key] = decoded[key] = weight.contiguous()
        if not key.endswith("_proj.weight"):
            continue
        module = key.removesuffix(".weight")
        made, scale, scale_2 = NVFP4QTensor.quantize(weight, 16)
        tensors |= {key: made._quantized_data, f"{key}_scale": scale, f"{key}_scale_2": scale_2}
        tensors[f"{module}.input_scale"] = torch.tensor(0.5)
        if module.endswith(("k_proj", "v_proj")):
            tensors[f"{module}.{module[-6]}_scale"] = torch.tensor(0.25)
        decoded[key] = made.dequantize(torch.bfloat16, scale=scale, double_scale=scale_2, block_sizes={-1: 16})
    model.config.save_pretrained(path)
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    quantization = {
        "quant_algo": "NVFP4",
        "kv_cache_quant_algo": "FP8",
        "group_size": 16,
        "exclude_modules": ["lm_head"],
    }
    record = {"producer": {"name": "modelopt", "version": "0.47.0"}, "quantization": quantization}
    (path / "hf_quant_config.json").write_text(json.dumps(record, indent=2) + "\n")
    config = json.loads((path / "config.json").read_text())
    weights = {"dynamic": False, "num_bits": 4, "type": "float", "group_size": 16}
    config["quantization_config"] = {
        "config_groups": {"group_0": {"input_activations": weights, "weights": weights, "targets": ["Linear"]}},
        "ignore": ["lm_head"],
        "quant_algo": "NVFP4",
        "quant_method": "modelopt",
    }
    (path / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    return decoded


def main():
    for name, (sizes, groups) in (CASES | {"modelopt": (WHOLE, None)}).items():
        path = Path(sys.argv[1]) / name
        path.mkdir(parents=True, exist_ok=True)
        decoded = by_modelopt(path) if groups is None else by_compressed_tensors(path, sizes, groups)
        save_file({key: tensor.contiguous() for key, tensor in decoded.items()}, path / "decoded.safetensors")
        (path / "generation_config.json").unlink(missing_ok=True)
        print(
            name,
            {
                k: (str(t.dtype), list(t.shape))
                for k, t in load_file(path / "model.safetensors").items()
                if "0.mlp.down" in k
            },
        )


main()
