"""peft on qfuse: computes a LoRA adapter over a bitsandbytes Linear4bit, forward and backward, in few kernels.

peft multiplies by the base weight in the layer's compute_dtype. It casts the input to the adapter's dtype, float32 by
default, multiplies by A, B and the scale in that dtype, casts the result and adds it. qfuse rounds the adapter to the
compute_dtype and adds its product to the base weight's sums before they are rounded, or, on a GPU, to the base product
of few rows without a gradient or of more than 256. qfuse.matmul_4bit_lora documents what is rounded where; results
differ from peft's by such roundings.

register(config) uses peft's own hook: layers that peft makes from this LoraConfig are qfuse's, and nothing is patched.
enable() replaces the forward of peft's classes, for adapters that are already attached and for code that makes its own
LoraConfig.

A call without a gradient goes to peft's code where bitsandbytes' product is faster, or may be: on GPUs other than
Hopper some of more than 128 rows. A layer that qfuse does not cover goes to peft's unchanged code; uncovered(model)
says which and why. So does a float32 layer, which would gain nothing and differ by roundings.

enable(products="int8"), or set_products() for one model or some of its layers, multiplies by the frozen weights in
rotated INT8: faster, with an error of about 1 % of a product's norm (docs/ACCURACY.md). LoRA's own products stay in
bf16, and products of few rows do not change.

For experts quantized by qfuse.quantize_experts, peft's own code would use the uint8 codes as a weight. cover_stacks(),
which quantize_experts calls, gives the adapter the weight's shapes and computes the product by
qfuse.matmul_4bit_grouped_lora. There is no alternative to choose, so enable() and disable() do not affect it."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Literal, TypeVar

from torch import nn

from .. import versions
from ..ops.merged import Merged
from ..ops.rotated_products import MULTIPLE
from ..patching import patch
from ..patching.hook import Way
from ..patching.patch import Patch, Patches, Report
from . import peft_forward, peft_stacks
from .peft_forward import examine, forward_of_any, forward_of_bnb, is_base

__all__ = ["disable", "enable", "enabled", "merge_aware", "register", "report", "set_products", "uncovered"]

Config = TypeVar("Config")


def _layers(model: nn.Module) -> Iterator[tuple[str, Any]]:
    """Yields peft's LoRA layers over a Linear4bit: generic Linear ones if the model lacks is_loaded_in_4bit."""
    from peft.tuners.lora.bnb import Linear4bit
    from peft.tuners.lora.layer import Linear

    for name, module in model.named_modules():
        if isinstance(module, Linear4bit) or (isinstance(module, Linear) and is_base(module.get_base_layer())):
            yield name, module


def uncovered(model: nn.Module) -> dict[str, str]:
    """Returns the LoRA layers over a Linear4bit that currently run peft's own code, with the reason. If the model has
    no such layer, the only key is the model's class."""
    found = {name: examine(layer) for name, layer in _layers(model)}
    if not found and not any(peft_stacks.is_stack(module) for module in model.modules()):
        in_4bit = any(is_base(module) for module in model.modules())
        reason = "no adapter of LoRA's is over a layer in 4 bits" if in_4bit else "no layer of this model is in 4 bits"
        return {type(model).__name__: reason}
    return {name: reason for name, reason in found.items() if isinstance(reason, str)}


_patches = Patches(
    Patch("peft.tuners.lora.bnb", "Linear4bit.forward", forward_of_bnb),
    Patch("peft.tuners.lora.layer", "Linear.forward", forward_of_any),
    library="peft",
)
Products = Literal["int8"] | None


def _patches_of(products: Products) -> list[Patches]:
    if products not in (None, "int8"):
        raise ValueError(f"products is {products!r}, it can be None or 'int8'")
    return [_patches] + [peft_forward.in_int8] * (products == "int8")


def enable(products: Products = None) -> Report:
    """Replaces the functions that can be replaced until disable(); reports, with a warning, why others could not be.

    A second call covers modules imported since the first.

    products: "int8" computes products with frozen weights in the order "rotated_int8" of qfuse.matmul_4bit, forward and
    for x's gradient, if there are more rows than the fused product is used for. set_products() overrides it per layer.
    """
    return patch.enable(_patches_of(products))


def disable() -> None:
    """Restores all originals, even inside enabled(). Does nothing if nothing is enabled."""
    for patches in (peft_forward.in_int8, _patches):
        patches.disable()


def enabled(products: Products = None) -> AbstractContextManager[Report]:
    """enable() as a context manager. The last of several to exit restores the originals; a plain enable() persists."""
    return patch.enabled(_patches_of(products))


def set_products(
    model: nn.Module, products: Literal["int8", "int8_kept", "bf16"] | None, layers: Iterable[str] | None = None
) -> dict[str, str]:
    """Sets how layers covered by enable() or register() multiply, regardless of enable()'s products: "int8" in the
    order "rotated_int8", "bf16" in the dtype of x as without "int8". None: follows enable() again. "int8_kept": as
    "int8", with the same bits, but a weight's INT8 codes are kept from their first use until the weight is freed: 2
    bytes per element, for layers of bitsandbytes outside FSDP.

    layers: only layers whose names end with one of these, such as "down_proj" or "layers.0.mlp.up_proj"; default: all.
    Returns the layers among these that cannot multiply in INT8, with the reason.
    """
    if products not in (*peft_forward.IN_INT8, "bf16", None):
        raise ValueError(f"products is {products!r}, it can be 'int8', 'int8_kept', 'bf16' or None")
    ends = None if layers is None else tuple(f".{name}" for name in ([layers] if isinstance(layers, str) else layers))
    left = {}
    for name, layer in _layers(model):
        if ends is not None and not f".{name}".endswith(ends):
            continue
        shape = layer.out_features, layer.in_features
        if products in peft_forward.IN_INT8 and any(size % MULTIPLE for size in shape):
            left[name] = f"its weight is of {shape[0]} x {shape[1]}: products in INT8 need multiples of {MULTIPLE}"
            continue
        peft_forward.set_products(layer, products)
    return left


def register(config: Config) -> Config:
    """Makes a LoraConfig create qfuse's layers over a Linear4bit, and returns the config.

        model = peft.get_peft_model(model, register(peft.LoraConfig(r=16, target_modules="all-linear")))
        model = peft.PeftModel.from_pretrained(model, path, config=register(peft.LoraConfig.from_pretrained(path)))

    Checkpoints that peft saves do not record it. It relies on a private method of peft that is marked experimental.
    """
    versions.require("peft")
    from .peft_layers import LAYERS

    config._register_custom_module(LAYERS)  # type: ignore[attr-defined]
    return config


def merge_aware(
    model: nn.Module,
    to: Merged | None = "nf4",
    *,
    from_step: int = 0,
    blocksize: int = 64,
    double_quant: bool = True,
    layers: Iterable[str] | None = None,
    keep_scales: bool = False,
) -> dict[str, str]:
    """Trains a model's adapter for the merge: its layers multiply by the weight that `qfuse merge ADAPTER --to` writes,
    bit for bit, in training and evaluation, with the gradients of LoRA (qfuse.fake_quantize). Without it, a merge into
    4 bits rounds most of a small adapter away. It does not depend on enable().

    to: "nf4" or "fp4", or for a 16-bit base "fp8" too; a 4-bit base keeps its own, which for compressed-tensors' may be
    "mxfp4". None: undoes it. from_step: number of optimizer steps over the adapter before. blocksize, double_quant: as
    for `qfuse merge`, for a 16-bit base.
    layers: as for set_products, for a 16-bit base whose merge leaves out the others by --exclude.
    keep_scales: as for `qfuse merge`, for a 4-bit base: absmax or scales stay the base's, and only codes change.

    Returns the adapter's layers that the merge leaves in 16 bits, with the reason. They are computed as before. The
    active adapter's config says what it was trained for: `qfuse merge` then does not ask how much of it survives.

    Raises ValueError if a layer cannot multiply by its merged weight: several active adapters, DoRA, lora_dropout, a
    trained base weight, or hooks.
    """
    from . import peft_merge_aware

    return peft_merge_aware.merge_aware(model, to, from_step, blocksize, double_quant, layers, keep_scales)


def report(model: nn.Module | None = None) -> Report:
    """Reports what is replaced now or, for a model, how each LoRA layer over a Linear4bit is currently computed."""
    if model is None:
        return _patches.report() + peft_stacks.report()
    left = uncovered(model)
    ways = {name: way for name, layer in _layers(model) if (way := _way_of(layer))}
    why = "another forward has replaced qfuse's" if _patches.is_enabled else "enable() has not been called"
    left |= {name: why for name, layer in _layers(model) if name not in left | ways}
    return Report({name: way for name, way in ways.items() if name not in left}, left)


def _way_of(layer: nn.Module) -> Way | None:
    if type(layer).__module__ in (f"{__package__}.peft_layers", f"{__package__}.peft_merge_aware"):
        return "hook"
    owner = next(each for each in type(layer).__mro__ if "forward" in vars(each))
    place = f"{owner.__module__}.{owner.__qualname__}.forward"
    return "patch" if any(each.split(",")[0] == place for each in _patches.report().replaced) else None
