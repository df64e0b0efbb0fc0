"""Makes tests/golden/gptq: layers that gptqmodel, AutoGPTQ and AutoAWQ packed in 4 bits, and their decoded values.

    python3 tests/libraries/make_gptq.py <directory of packages> <output directory>

The first directory holds the packages' sources, because pip install would build them for a GPU: `pip download
--no-deps` of gptqmodel==7.7.0, autoawq==0.2.9 and auto-gptq==0.7.1, unpacked as gptqmodel, autoawq and auto_gptq. The
Python that runs this needs torch, transformers, and what gptqmodel imports. The files depend only on seeds.
"""

import importlib
import json
import sys
import types
from pathlib import Path

import torch
from safetensors.torch import save_file

PACKAGES, OUT = Path(sys.argv[1]), Path(sys.argv[2])


def import_alone(package, folder, name):
    """Imports a module without its package's __init__, which needs older libraries than the installed ones."""
    parts = name.split(".")
    for end in range(1, len(parts)):
        parent = ".".join(parts[:end])
        module = types.ModuleType(parent)
        module.__path__ = [str(PACKAGES / package / folder / "/".join(parts[1:end]))]
        sys.modules.setdefault(parent, module)
    for helper in ("awq.utils", "awq.modules"):
        module = types.ModuleType(helper)
        module.__path__ = [str(PACKAGES / "autoawq" / helper.replace(".", "/"))]
        sys.modules.setdefault(helper, module)
    return importlib.import_module(name)


sys.path.insert(0, str(PACKAGES / "gptqmodel"))
from gptqmodel.nn_modules.qlinear.torch import TorchLinear  # noqa: E402
from gptqmodel.utils.model import convert_gptq_v1_to_v2_format_module, convert_gptq_v2_to_v1_format_module  # noqa: E402

auto_gptq = import_alone("auto_gptq", "auto_gptq", "auto_gptq.nn_modules.qlinear.qlinear_cuda_old")
awq = import_alone("autoawq", "awq", "awq.modules.linear.gemm")
awq_packing = importlib.import_module("awq.utils.packing_utils")


def layer(rows, columns, bias):
    return torch.nn.Linear(columns, rows, bias=bias).half()


def scales_and_zeros(linear, groups, symmetric):
    """Returns scales and zero points, [rows, groups] each, as the quantizers do. `groups`: the columns of each."""
    scales, zeros = [], []
    for columns in groups:
        weight = linear.weight.data[:, columns].float()
        low, high = weight.amin(1).clamp(max=0), weight.amax(1).clamp(min=0)
        if symmetric:
            scale = 2 * torch.maximum(-low, high) / 15
            zeros.append(torch.full_like(scale, 8))
        else:
            scale = (high - low) / 15
            zeros.append(torch.round(-low / scale))
        scales.append(scale)
    return torch.stack(scales, 1), torch.stack(zeros, 1)


def groups_of(columns, size, order):
    return [order[begin : begin + size] for begin in range(0, columns, size)]


def parts(module, name, linear):
    names = ("qweight", "qzeros", "scales", "g_idx", "bias")
    tensors = {f"{name}.{part}": getattr(module, part) for part in names if getattr(module, part, None) is not None}
    if linear.bias is None:
        tensors.pop(f"{name}.bias", None)
    return {key: value.clone().contiguous() for key, value in tensors.items()}


def gptqmodel_layer(name, rows, columns, size, *, version, symmetric=True, ordered=True, bias=False):
    torch.manual_seed(len(name) + rows)
    linear = layer(rows, columns, bias)
    if name == "positive":  # some zero points are 0, stored as -1 in version 1
        linear.weight.data[::3] = linear.weight.data[::3].abs()
    order = torch.arange(columns) if ordered else torch.randperm(columns)
    groups = groups_of(columns, size if size > 0 else columns, order)
    scales, zeros = scales_and_zeros(linear, groups, symmetric)
    g_idx = torch.empty(columns, dtype=torch.int32)
    for number, members in enumerate(groups):
        g_idx[members] = number
    options = {"group_size": size, "sym": symmetric, "desc_act": not ordered}
    module = TorchLinear(bits=4, in_features=columns, out_features=rows, bias=bias, **options)
    module.pack_original(linear, scales, zeros, g_idx)
    module.eval()
    module.post_init()
    values = module.dequantize_weight().T.contiguous()
    assert values.dtype is torch.float16
    if version == 1:
        convert_gptq_v2_to_v1_format_module(module, types.SimpleNamespace(bits=4, pack_dtype=torch.int32))
        tensors = parts(module, name, linear)
        convert_gptq_v1_to_v2_format_module(module, 4, torch.int32)
        assert torch.equal(module.dequantize_weight().T, values)
    else:
        tensors = parts(module, name, linear)
    return tensors, {f"{name}.weight": values}


def auto_gptq_layer(name, rows, columns, size):
    """Gets the decoded weights by multiplying with the identity matrix, because only `forward` decodes them."""
    torch.manual_seed(len(name) + rows)
    linear = layer(rows, columns, False)
    scales, zeros = scales_and_zeros(linear, groups_of(columns, size, torch.arange(columns)), False)
    module = auto_gptq.QuantLinear(4, size, columns, rows, False)
    module.pack(linear, scales, zeros.clamp(min=1), None)
    values = module(torch.eye(columns, dtype=torch.float16)).T.contiguous()
    return parts(module, name, linear), {f"{name}.weight": values}


def awq_layer(name, rows, columns, size, bias=False):
    torch.manual_seed(len(name) + rows)
    linear = layer(rows, columns, bias)
    scales, zeros = scales_and_zeros(linear, groups_of(columns, size, torch.arange(columns)), False)
    args = {"scales": scales.T.contiguous(), "zeros": zeros.T.contiguous()}
    module = awq.WQLinear_GEMM.from_linear(linear, 4, size, **args)
    values = awq_packing.dequantize_gemm(module.qweight, module.qzeros, module.scales, 4, size).T.contiguous()
    return parts(module, name, linear), {f"{name}.weight": values}


def write(name, config, layers):
    """Writes the model's tensors, and to another file their values as the library that packed them decodes them."""
    tensors, expected = {"norm.weight": torch.ones(4, dtype=torch.float16)}, {}
    for stored, values in layers:
        tensors |= stored
        expected |= values
    directory = OUT / name
    directory.mkdir(parents=True, exist_ok=True)
    save_file(tensors, directory / "model.safetensors", metadata={"format": "pt"})
    save_file(expected, OUT / f"{name}_expected.safetensors")
    for file in (directory / "model.safetensors", OUT / f"{name}_expected.safetensors"):
        file.chmod(0o644)
    record = {"bits": 4, "group_size": 32} | config
    text = {"torch_dtype": "float16", "quantization_config": record}
    (directory / "config.json").write_text(json.dumps(text, indent=2) + "\n")


torch.set_grad_enabled(False)
GPTQ = {"quant_method": "gptq", "lm_head": False}
for version, name in ((1, "gptq"), (2, "gptq_v2")):
    write(
        name,
        GPTQ | {"checkpoint_format": name, "desc_act": True},
        [
            gptqmodel_layer("symmetric", 32, 64, 32, version=version, bias=True),
            gptqmodel_layer("asymmetric", 40, 96, 32, version=version, symmetric=False),
            gptqmodel_layer("ordered", 64, 96, 32, version=version, symmetric=False, ordered=False),
            gptqmodel_layer("whole", 32, 64, -1, version=version, symmetric=False),
            gptqmodel_layer("positive", 32, 64, 32, version=version, symmetric=False),
        ],
    )
write("auto_gptq", {**GPTQ, "desc_act": False}, [auto_gptq_layer("old", 32, 96, 32)])
write(
    "awq",
    {"quant_method": "awq", "version": "gemm", "zero_point": True, "modules_to_not_convert": None},
    [awq_layer("with_bias", 32, 64, 32, bias=True), awq_layer("plain", 64, 96, 32)],
)
