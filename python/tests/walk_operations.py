"""The operations of a random walk on a model.

OPERATIONS has each by its name. They are independent: an operation without its decorator is switched off. All of them
draw their choices from a generator that has the same seed for both copies of the model.
"""

import copy as copying
import io
from contextlib import contextmanager
from functools import partial

import pytest
import torch
import walk_models
from torch import nn
from torch.nn.modules import module as global_hooks
from torch.nn.utils import parametrizations, parametrize, prune
from walk_models import CALLS

accelerate = pytest.importorskip("accelerate")
OPERATIONS = {}
PEFT, BOTH = {"none", "matmul", "peft", "both"}, set(walk_models.MODES)


def operation(modes=BOTH):
    def register(function):
        OPERATIONS[function.__name__] = (function, modes)
        return function

    return register


# ---- the parts that operations change


def is_peft(copy):
    return copy.spec.mode != "module"


def _pick(copy, draw, parts=("lora_A", "lora_B", "lora_dropout", "base_layer", "itself")):
    """Returns the name and the module of a random part of a random layer, of one adapter if there are several."""
    layer, part = draw.choice(copy.layers()), draw.choice(parts)
    if part == "itself" or (part == "base_layer" and not is_peft(copy)):
        return part, layer
    found = getattr(layer, part if is_peft(copy) else part.replace("lora_dropout", "dropout"))
    return part, found[draw.choice(sorted(found))] if isinstance(found, nn.ModuleDict) else found


def _pick_factor(copy, draw):
    return _pick(copy, draw, ("lora_A", "lora_B"))[1]


def _each_factor(copy):
    for name, module in copy.model.named_modules():
        if name.rsplit("lora_", 1)[-1].partition(".")[0] in ("A", "B") and hasattr(module, "weight"):
            yield module


class Factor:
    """A hook that multiplies one of its arguments, or each element of a tuple; it can be copied and pickled."""

    def __init__(self, name, position, factor):
        self.name, self.position, self.factor = name, position, factor

    def __call__(self, *args):
        CALLS[self.name] += 1
        return _scaled(args[self.position], self.factor)


def _scaled(given, factor):
    if isinstance(given, tuple):
        return tuple(None if each is None else each * factor for each in given)
    return given * factor


# ---- modes, and which parameters are trained


@operation()
def train_or_eval(copy, draw):
    copy.model.train(draw.random() < 0.5)


@operation()
def freeze(copy, draw):
    kinds = {"lora_A", "lora_B", "bias", "shift"}
    chosen, is_trained = draw.choice([*sorted(kinds), "lora_"]), draw.random() < 0.4
    for name, parameter in copy.model.named_parameters():
        if chosen in name and parameter.is_leaf and parameter.is_floating_point():
            parameter.requires_grad_(is_trained)


@operation()
def new_values(copy, draw):
    walk_models.randomize(copy)


@operation()
def untrained_adapter(copy, draw):
    layer = _pick(copy, draw, ("lora_B",))[1]
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()


# ---- hooks

_KINDS = {  # how a hook is registered, and the position of the argument that it multiplies
    "register_forward_hook": 2,
    "register_forward_pre_hook": 1,
    "register_full_backward_hook": 1,
    "register_full_backward_pre_hook": 1,
}


@operation()
def hook_part(copy, draw):
    part, module = _pick(copy, draw)
    kind = draw.choice(sorted(_KINDS))
    copy.undo.append(getattr(module, kind)(Factor(f"{kind} {part}", _KINDS[kind], 0.5)).remove)


@operation()
def hook_gradient(copy, draw):
    """Hooks the gradient of a weight."""
    weight = _pick_factor(copy, draw).weight
    if weight.requires_grad:
        copy.undo.append(weight.register_hook(Factor("gradient", 0, 0.5)).remove)


@operation()
def hook_accumulated_gradient(copy, draw):
    weight = _pick_factor(copy, draw).weight
    if weight.requires_grad and weight.is_leaf:
        copy.undo.append(weight.register_post_accumulate_grad_hook(_halve_gradient).remove)


def _halve_gradient(parameter):
    CALLS["accumulated"] += 1
    parameter.grad.mul_(0.5)


@operation()
def hook_all_modules(copy, draw):
    kind = draw.choice(["forward_hook", "forward_pre_hook", "full_backward_hook"])
    position = 2 if kind == "forward_hook" else 1

    @contextmanager
    def hooked():
        handle = getattr(global_hooks, f"register_module_{kind}")(Factor(kind, position, 0.75))
        try:
            yield
        finally:
            handle.remove()

    copy.around.append(hooked)


@operation()
def remove_hooks(copy, draw):
    for undo in copy.undo:
        undo()
    copy.undo.clear()
    copy.around.clear()


# ---- a forward that is replaced


def _scaled_forward(forward, factor, *args, **kwargs):
    CALLS["replaced"] += 1
    return _scaled(forward(*args, **kwargs), factor)


@operation()
def replace_forward(copy, draw):
    if any(parameter.is_meta for parameter in copy.model.parameters()):
        return  # offloaded: accelerate's hooks are the forward that would be replaced
    module = _pick(copy, draw)[1]
    module.forward = partial(_scaled_forward, module.forward, 0.5)


@operation()
def restore_forward(copy, draw):
    module = _pick(copy, draw)[1]
    if getattr(module.__dict__.get("forward"), "func", None) is _scaled_forward:  # not accelerate's
        del module.forward


class _HalvingHook(accelerate.hooks.ModelHook):
    def post_forward(self, module, output):
        CALLS["accelerate"] += 1
        return _scaled(output, 0.5)


@operation()
def accelerate_hook(copy, draw):
    accelerate.hooks.add_hook_to_module(_pick(copy, draw)[1], _HalvingHook(), append=True)


@operation()
def accelerate_offload(copy, draw):
    """Offloads a factor unless the peers would read unwritten memory past accelerate's hooks: they make a weight from
    weight_g, and unmerge an adapter."""
    module = _pick_factor(copy, draw)
    if not hasattr(module, "weight_g") and not any(getattr(layer, "merged", False) for layer in copy.layers()):
        accelerate.cpu_offload(module, execution_device=torch.device(copy.spec.device))


@operation()
def accelerate_remove(copy, draw):
    accelerate.hooks.remove_hook_from_module(copy.model, recurse=True)


# ---- weights that are computed from other tensors


def _pick_here(copy, draw):
    """Returns a factor that is not offloaded, else a dummy: the peers, too, would read unwritten memory."""
    module = _pick_factor(copy, draw)
    return nn.Linear(1, 1) if any(parameter.is_meta for parameter in module.parameters()) else module


class _Halved(nn.Module):
    def forward(self, weight):
        return weight * 0.5


@operation()
def parametrize_weight(copy, draw):
    parametrize.register_parametrization(_pick_here(copy, draw), "weight", _Halved())


@operation()
def parametrize_remove(copy, draw):
    module, keep = _pick_here(copy, draw), draw.random() < 0.5
    if parametrize.is_parametrized(module, "weight"):
        parametrize.remove_parametrizations(module, "weight", leave_parametrized=keep)


@operation()
def weight_norm(copy, draw):
    parametrizations.weight_norm(_pick_here(copy, draw))


@operation()
def weight_norm_by_hook(copy, draw):
    module = _pick_here(copy, draw)
    if "weight" in module._parameters:
        torch.nn.utils.weight_norm(module)


@operation()
def prune_weight(copy, draw):
    module = _pick_here(copy, draw)
    if "weight" in module._parameters or "weight_orig" in module._parameters:
        prune.l1_unstructured(module, "weight", 0.5)


@operation()
def prune_remove(copy, draw):
    module = _pick_here(copy, draw)
    if "weight_orig" in module._parameters:
        prune.remove(module, "weight")


# ---- other tensors and modules in the same places


@operation()
def cast_adapter(copy, draw):
    dtype = draw.choice([torch.float32, torch.bfloat16, torch.float16])
    for module in _each_factor(copy):
        module.to(dtype)


@operation()
def cast_model(copy, draw):
    """Biases stay in compute_dtype, to which bitsandbytes casts them in place when it is called; qfuse casts a copy."""
    copy.model.to(draw.choice([torch.float32, torch.bfloat16]))
    if is_peft(copy):
        _cast_biases(copy)


def _cast_biases(copy):
    for layer in copy.layers():
        base = layer.get_base_layer()
        if base.bias is not None and base.compute_dtype is not None:
            base.bias.data = base.bias.data.to(base.compute_dtype)


@operation()
def weight_by_columns(copy, draw):
    """Makes a weight column-major, so that it is not contiguous."""
    module = _pick_here(copy, draw)
    if isinstance(module._parameters.get("weight"), nn.Parameter):
        weight = module.weight
        module.weight = nn.Parameter(weight.detach().t().contiguous().t(), weight.requires_grad)


class _HalvedLinear(nn.Linear):
    def forward(self, x):
        return super().forward(x) * 0.5


@operation()
def factor_of_another_class(copy, draw):
    module = _pick_here(copy, draw)
    if type(module) is nn.Linear:
        module.__class__ = _HalvedLinear


@operation(PEFT)
def base_under_inference_mode(copy, draw):
    """Only base weights: the peers cannot train an adapter made in inference mode, and qfuse can."""
    with torch.inference_mode():
        _replace_base(copy, draw)


@operation(PEFT)
def base_of_another_kind(copy, draw):
    _replace_base(
        copy,
        draw,
        quant_type=draw.choice(["nf4", "fp4"]),
        compress_statistics=draw.random() < 0.5,
        quant_storage=draw.choice([torch.uint8, torch.bfloat16]),
    )


def _replace_base(copy, draw, **kinds):
    layer = draw.choice(copy.layers())
    if not layer.merged:
        base = layer.get_base_layer()
        other = walk_models.make_base(copy.spec, base.in_features, base.out_features, **kinds)
        base.weight, base.quant_state, base.quant_storage = other.weight, other.quant_state, other.quant_storage


@operation(PEFT)
def compute_dtype(copy, draw):
    dtype = draw.choice([torch.float32, torch.bfloat16, torch.float16])
    for layer in copy.layers():
        layer.get_base_layer().compute_dtype = dtype
    _cast_biases(copy)


@operation(PEFT)
def compute_dtype_by_input(copy, draw):
    for layer in copy.layers():
        base = layer.get_base_layer()
        if base.bias is None:
            base.compute_dtype, base.compute_type_is_set = None, False


@operation()
def dropout_probability(copy, draw):
    module, p = _pick(copy, draw, ("lora_dropout",))[1], draw.choice([0.0, 0.5])
    if isinstance(module, nn.Dropout) and (copy.spec.device == "cpu" or copy.spec.dtype == torch.float32):
        module.p = p


# ---- copies and files


def _forget(copy):
    """Drops the handles of modules that are gone."""
    copy.undo.clear()


@operation()
def deepcopy(copy, draw):
    copy.model = copying.deepcopy(copy.model)
    _forget(copy)


@operation()
def pickle(copy, draw):
    file = io.BytesIO()
    torch.save(copy.model, file)
    file.seek(0)
    copy.model = torch.load(file, weights_only=False)
    _forget(copy)


@operation()
def state_dict(copy, draw):
    state = {name: tensor.clone() for name, tensor in copy.model.state_dict().items() if "lora_" in name}
    walk_models.randomize(copy)
    copy.model.load_state_dict(state, strict=False, assign=draw.random() < 0.5)


# ---- peft's own


def _tuner(copy):
    return getattr(copy.model, "base_model", None)  # None if it was injected


@operation(PEFT)
def merge(copy, draw):
    if any(parameter.is_meta for parameter in copy.model.parameters()):
        return  # offloaded: the peers would add unwritten memory
    for layer in copy.layers():
        layer.merge()


@operation(PEFT)
def unmerge(copy, draw):
    if any(parameter.is_meta for parameter in copy.model.parameters()):
        return
    for layer in copy.layers():
        layer.unmerge()


@operation(PEFT)
def disable_adapters(copy, draw):
    for layer in copy.layers():
        layer.enable_adapters(False)


@operation(PEFT)
def enable_adapters(copy, draw):
    for layer in copy.layers():
        layer.enable_adapters(True)


@operation(PEFT)
def add_adapter(copy, draw):
    rank, dora = draw.choice([4, 8]), draw.random() < 0.2
    if _tuner(copy) is not None and "second" not in copy.layers()[0].lora_A:
        copy.model.add_adapter("second", walk_models.config(copy.spec, r=rank, use_dora=dora, lora_bias=False))
        walk_models.randomize(copy)


@operation(PEFT)
def set_adapter(copy, draw):
    chosen = draw.choice([["default"], ["second"], ["default", "second"], ["second", "default"]])
    for layer in copy.layers():
        layer.set_adapter([name for name in chosen if name in layer.lora_A] or ["default"])


@operation(PEFT)
def delete_adapter(copy, draw):
    if _tuner(copy) is not None and "second" in copy.layers()[0].lora_A:
        copy.model.set_adapter("default")
        copy.model.delete_adapter("second")


@operation(PEFT)
def set_scale(copy, draw):
    draw.choice(copy.layers()).set_scale("default", draw.choice([0.0, 0.5, 2]))


@operation(PEFT)
def scale_layer(copy, draw):
    layer, is_scaled = draw.choice(copy.layers()), draw.random() < 0.5
    layer.scale_layer(2.0) if is_scaled else layer.unscale_layer(2)


def _set_scaling(copy, layer, value):
    if is_peft(copy):
        layer.scaling["default"] = value
    else:
        del layer.scaling  # a parameter cannot take a plain attribute's place, nor the reverse
        layer.scaling = value


@operation()
def scaling_as_tensor(copy, draw):
    _set_scaling(copy, draw.choice(copy.layers()), torch.tensor(0.75, device=copy.spec.device))


@operation()
def scaling_as_parameter(copy, draw):
    _set_scaling(copy, draw.choice(copy.layers()), nn.Parameter(torch.tensor(0.75, device=copy.spec.device)))
