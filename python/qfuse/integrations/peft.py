"""peft on qfuse: a LoRA adapter over a Linear4bit of bitsandbytes, forward and backward, in few kernels.

peft multiplies by the base weight in the layer's compute_dtype, casts the input to the adapter's dtype, float32 by
default, multiplies by A, by B and by the scale there, casts what comes of it and adds it. Here the adapter is rounded
to the compute_dtype, and its share is added to the sums of the base weight before they are rounded, or, on a GPU where
there are more than 256 rows, to the product: see qfuse.matmul_4bit_lora, which says what is rounded where. Results
differ from peft's by such roundings.

register(config) is peft's own hook: the layers that peft makes by this LoraConfig are qfuse's, and nothing is replaced.
enable() replaces the forward of peft's classes, for adapters that are attached already and for code that makes its own
LoraConfig.

A call that needs no gradient goes to peft's own code where bitsandbytes' product is the faster one: on GPUs other than
Hopper, of more than few rows.

A layer that qfuse does not cover goes to peft's own code, which is unchanged: uncovered(model) says which, and why. So
does float32, where the two would differ by roundings for nothing.

enable(products="int8"), or set_products() for one model or some of its layers, multiplies by the frozen weights in
INT8, rotated: faster, with an error of about 1 % of a product's norm (docs/ACCURACY.md). LoRA's own products stay in
bf16, and a product of few rows is as ever.

Over experts that qfuse.quantize_experts has quantized, peft's own code would take uint8 codes for a weight. There
cover_stacks(), which quantize_experts calls, makes the adapter's shapes those of the weight, and the product
qfuse.matmul_4bit_grouped_lora. It is no choice that could be wrong or slow elsewhere, so enable() and disable() have
nothing to do with it.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Literal, TypeVar

from torch import nn

from .. import versions
from ..ops.rotated_products import MULTIPLE
from ..patching.hook import Way
from ..patching.patch import Patch, Patches, Report
from . import peft_forward, peft_stacks
from .peft_forward import examine, forward_of_any, forward_of_bnb, is_base

__all__ = ["disable", "enable", "enabled", "register", "report", "set_products", "uncovered"]

Config = TypeVar("Config")


def _layers(model: nn.Module) -> Iterator[tuple[str, Any]]:
    """Those over a Linear4bit; peft's generic kind where the model does not say is_loaded_in_4bit."""
    from peft.tuners.lora.bnb import Linear4bit
    from peft.tuners.lora.layer import Linear

    for name, module in model.named_modules():
        if isinstance(module, Linear4bit) or (isinstance(module, Linear) and is_base(module.get_base_layer())):
            yield name, module


def uncovered(model: nn.Module) -> dict[str, str]:
    """The layers of a model with LoRA over a Linear4bit that go to peft's own code, and why, as they are now. A model
    without such a layer is named by its class."""
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
    """Replaces what can be replaced and says why the rest could not: with a warning too.

    It stays so until disable(). A second call finds modules imported since the first.

    products: "int8", the products with frozen weights have the order "rotated_int8" of qfuse.matmul_4bit, forward and
    for x's gradient, where there are more rows than a fused product
    would take. A layer of which set_products() says otherwise is as it says.
    """
    report = Report()
    for patches in _patches_of(products):
        report += patches.enable(stacklevel=3)
    return report


def disable() -> None:
    """Puts every original back, inside of enabled() too; without enable(), does nothing."""
    for patches in (peft_forward.in_int8, _patches):
        patches.disable()


@contextmanager
def enabled(products: Products = None) -> Iterator[Report]:
    """enable() for a with statement. The last of several to end puts back; what enable() did by itself stays."""
    with ExitStack() as contexts:
        report = Report()
        for patches in _patches_of(products):
            report += contexts.enter_context(patches.enabled())
        yield report


def set_products(
    model: nn.Module, products: Literal["int8", "bf16"] | None, layers: Iterable[str] | None = None
) -> dict[str, str]:
    """Of a model's layers that enable() or register() covers, how they multiply from now on, whatever enable() says of
    products: "int8", in the order "rotated_int8", or "bf16", in the dtype of x as ever. None: as enable() says again.

    layers: those whose names end with one of these, as "down_proj" or "layers.0.mlp.up_proj"; by default all. Returns
    the layers of these names that cannot multiply in INT8, and why.
    """
    if products not in ("int8", "bf16", None):
        raise ValueError(f"products is {products!r}, it can be 'int8', 'bf16' or None")
    ends = None if layers is None else tuple(f".{name}" for name in ([layers] if isinstance(layers, str) else layers))
    left = {}
    for name, layer in _layers(model):
        if ends is not None and not f".{name}".endswith(ends):
            continue
        shape = layer.out_features, layer.in_features
        if products == "int8" and any(size % MULTIPLE for size in shape):
            left[name] = f"its weight is of {shape[0]} x {shape[1]}: products in INT8 need multiples of {MULTIPLE}"
            continue
        peft_forward.set_products(layer, products)
    return left


def register(config: Config) -> Config:
    """Has a LoraConfig make qfuse's layers over a Linear4bit, and gives it back.

        model = peft.get_peft_model(model, register(peft.LoraConfig(r=16, target_modules="all-linear")))
        model = peft.PeftModel.from_pretrained(model, path, config=register(peft.LoraConfig.from_pretrained(path)))

    What peft saves does not say so. It is a private method of peft's that takes them, which calls itself experimental.
    """
    versions.require("peft")
    from .peft_layers import LAYERS

    config._register_custom_module(LAYERS)  # type: ignore[attr-defined]
    return config


def report(model: nn.Module | None = None) -> Report:
    """What is replaced now; of a model, which way each layer with LoRA over a Linear4bit goes, as it is now."""
    if model is None:
        return _patches.report() + peft_stacks.report()
    left = uncovered(model)
    ways = {name: way for name, layer in _layers(model) if (way := _way_of(layer))}
    why = "another forward has replaced qfuse's" if _patches.is_enabled else "enable() has not been called"
    left |= {name: why for name, layer in _layers(model) if name not in left | ways}
    return Report({name: way for name, way in ways.items() if name not in left}, left)


def _way_of(layer: nn.Module) -> Way | None:
    if type(layer).__module__ == f"{__package__}.peft_layers":
        return "hook"
    owner = next(each for each in type(layer).__mro__ if "forward" in vars(each))
    place = f"{owner.__module__}.{owner.__qualname__}.forward"
    return "patch" if any(each.split(",")[0] == place for each in _patches.report().replaced) else None
