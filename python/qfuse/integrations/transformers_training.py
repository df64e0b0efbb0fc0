"""Makes the training of a transformers model take less time and memory, with a Trainer, trl or a loop.

    model = peft.get_peft_model(model, config)
    print(speed_up_training(model))

In a QLoRA step, the work around the products takes longer than the products: logits in float32, small kernels of norms
and activations, and launching these one by one. Therefore the loss is computed in chunks of tokens, liger-kernel (if
installed) computes norms, RoPE and SwiGLU, qfuse computes LoRA's products, and the layers are replayed from CUDA graphs
(transformers_graphs.py) or, with several processes, compiled (transformers_regions.py). A part that a model or a batch
does not support stays unchanged, and the report says so.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from torch import nn
from transformers import TrainerCallback

from ..layers.experts import Stack4bit
from . import bitsandbytes, peft, transformers_int8, transformers_loss, transformers_offload, transformers_regions
from .transformers_graphs import GraphedBackbone


@dataclass
class TrainingReport:
    """What speed_up_training() did. str() has one line per part."""

    done: dict[str, str] = field(default_factory=dict)  # how, by part
    left: dict[str, str] = field(default_factory=dict)  # why not, by part

    def __str__(self) -> str:
        return "\n".join(
            [
                *(f"qfuse speeds up {part}: {how}" for part, how in self.done.items()),
                *(f"qfuse left {part} as it is: {reason}" for part, reason in self.left.items()),
            ]
        )


@dataclass
class _SpedUp:
    """State of a sped-up model, stored as its attribute."""

    report: TrainingReport
    undo: list[Callable[[], object]]
    backbone: GraphedBackbone | None = None

    def __reduce__(self) -> Any:  # a copy of the model is not sped up: it gets None
        return type(None), ()


_AT = "_qfuse_training"


def speed_up_training(
    model: Any,
    *,
    products: bool | Literal["int8", "int8_kept"] = True,
    loss: bool = True,
    layers: bool = True,
    graphs: bool = True,
    offload: bool = False,
    regions: bool | None = None,
) -> TrainingReport:
    """Speeds up a model's training. Call it before training, once the model has its adapters; under FSDP2 before or
    after fully_shard. A second call changes nothing.

    products: calls integrations.bitsandbytes.enable() and integrations.peft.enable(). "int8" also multiplies by frozen
    weights in INT8 (integrations.peft.set_products); with `layers`, these products share rotated inputs. "int8_kept"
    also keeps these weights in INT8: faster, for 2 more bytes per parameter. loss: the
    head's logits are never stored whole; reading outputs.logits of a training step computes them. layers: uses
    liger-kernel's norms, RoPE and activations for the families that it supports. graphs: from the second batch on, the
    layers are replayed from CUDA graphs. Batch lengths are rounded up, by at most a ninth from 512 tokens on, with
    tokens that attention and loss ignore. Right padding is computed like other tokens: no earlier token sees it, but
    its own hidden states differ. offload: keeps the inputs of checkpointed layers in pinned host memory between the
    forward and the backward pass: M * hidden_size values per layer, rounded up to a power of two. regions:
    torch.compile compiles each layer and fuses norms, RoPE and activation, instead of liger-kernel and graphs; default:
    if several processes train a model without experts on GPUs. The first steps then take longer to compile, and the
    first batch of another length compiles once more for all later lengths."""
    base = _base_of(model)
    there: _SpedUp | None = vars(base).get(_AT)
    if there is not None:
        return there.report
    made = _SpedUp(TrainingReport(), [])
    if products:
        _products(base, made.report)
    if isinstance(products, str):
        _products_in_int8(base, made, products)
    if loss:
        _loss(base, made)
    is_compiled = _regions(base, made, regions)
    if layers and not is_compiled:
        _layers(base, made.report)
    if isinstance(products, str) and layers:
        _share_rotated(base, made)
    if offload:
        _offload(base, made)
    if graphs and not is_compiled:
        _graphs(base, made)
    vars(base)[_AT] = made
    return made.report


def restore_training(model: Any) -> None:
    """Undoes what speed_up_training() did to the model's loss and layers, except for liger-kernel's functions."""
    base = _base_of(model)
    made: _SpedUp | None = vars(base).pop(_AT, None)
    for undo in reversed(made.undo if made else [functools.partial(transformers_int8.restore_rotated, base)]):
        undo()


def report(model: Any) -> TrainingReport:
    """Reports what was done, and how many batches were replayed or not so far."""
    made: _SpedUp | None = vars(_base_of(model)).get(_AT)
    if made is None:
        return TrainingReport(left={"the model": "speed_up_training() has not been called"})
    done, left = dict(made.report.done), dict(made.report.left)
    if made.backbone is not None:
        done["the layers"] = f"{made.backbone.replayed} batches replayed from {made.backbone.graphs} CUDA graphs"
        if made.backbone.left:
            reasons = (f"{reason} ({count})" for reason, count in made.backbone.left.most_common())
            left["the layers of some batches"] = ", ".join(reasons)
    return TrainingReport(done, left)


class SpeedUpTraining(TrainerCallback):  # type: ignore[misc]  # mypy does not read its types
    """Calls speed_up_training() for a Trainer that makes the adapters, like trl's: callbacks=[SpeedUpTraining()]."""

    def __init__(self, **options: bool) -> None:
        self._options = options

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        print(speed_up_training(kwargs["model"], **self._options))

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        print(report(kwargs["model"]))


def _base_of(model: Any) -> Any:
    """Unwraps the transformers model from the wrappers of peft, DDP and torch.compile."""
    while not hasattr(model, "get_output_embeddings") or hasattr(model, "get_base_model"):
        inner = model.get_base_model() if hasattr(model, "get_base_model") else getattr(model, "module", None)
        if inner is None:
            raise TypeError(f"speed_up_training takes a model of transformers, not a {type(model).__name__}")
        model = inner
    return model


def _products(base: Any, report: TrainingReport) -> None:
    for name, integration in {"bitsandbytes": bitsandbytes, "peft": peft}.items():
        try:
            version(name)
        except PackageNotFoundError:
            report.left[f"products of {name}"] = "it is not installed"
            continue
        found = integration.enable()
        if found:
            report.done[f"products of {name}"] = f"qfuse's kernels, at {len(found.replaced)} places"
        report.left |= {f"{name}'s {place}": reason for place, reason in found.left.items()}
        if integration is peft:
            report.left |= _left_to_peft(base)


def _left_to_peft(base: Any) -> dict[str, str]:
    """Returns a line for each reason why peft computes layers: the first of them, and how many there are."""
    by_reason: dict[str, list[str]] = {}
    try:
        for layer, reason in peft.uncovered(base).items():
            by_reason.setdefault(reason, []).append(layer)
    except ImportError:  # without bitsandbytes, no layer is in 4 bits
        return {}
    count = {reason: f", the first of {len(layers)}," if layers[1:] else "" for reason, layers in by_reason.items()}
    return {f"peft's {layers[0]}{count[reason]}": reason for reason, layers in by_reason.items()}


def _products_in_int8(base: Any, made: _SpedUp, products: Literal["int8", "int8_kept"]) -> None:
    left = peft.set_products(base, products)
    made.undo.append(functools.partial(peft.set_products, base, None))
    kept = ", with weights kept in INT8" if products == "int8_kept" else ""
    made.report.done["products with frozen weights"] = f"INT8, rotated, of more than few rows{kept}"
    made.report.left |= {f"{name} in INT8": reason for name, reason in left.items()}


def _share_rotated(base: Any, made: _SpedUp) -> None:
    """Replaces MLP forwards, also those of liger-kernel, which does not quantize."""
    shared = transformers_int8.share_rotated(base)
    made.undo.append(functools.partial(transformers_int8.restore_rotated, base))
    if any(shared):
        made.report.done["layers of products in INT8"] = str(shared)


def _loss(base: Any, made: _SpedUp) -> None:
    reason = transformers_loss.why_not(base)
    if reason is not None:
        made.report.left["the loss"] = reason
        return
    made.undo.append(transformers_loss.defer(base))
    made.report.done["the loss"] = "a chunk of tokens at a time, without logits in memory"


def _backbone_of(base: Any) -> nn.Module:
    backbone: nn.Module = base.get_decoder() if hasattr(base, "get_decoder") else base.base_model
    return backbone


def _offload(base: Any, made: _SpedUp) -> None:
    made.undo.append(transformers_offload.offload(_backbone_of(base)))
    made.report.done["checkpoints"] = "in the host's memory from the forward to the backward pass"


def _graphs(base: Any, made: _SpedUp) -> None:
    backbone = _backbone_of(base)
    has_head = base.get_output_embeddings() is not None
    if backbone is base and has_head:
        made.report.left["the layers"] = "they are not apart from the head"
        return
    made.backbone = GraphedBackbone(backbone)
    made.undo.append(made.backbone.install(base))
    made.report.done["the layers"] = "CUDA graphs on a GPU, from the second batch on"


def _regions(base: Any, made: _SpedUp, regions: bool | None) -> bool:
    """Compiles the layers if asked to, or by default with several processes. Returns whether it did."""
    backbone = _backbone_of(base)
    if regions is None:
        if base.device.type == "cpu" or not transformers_regions.several_processes():
            return False
        reason = transformers_regions.why_not(backbone)
        if reason is not None:
            made.report.left["the layers of several processes"] = f"{reason}; regions=True compiles them"
            return False
    elif not regions:
        return False
    made.undo.append(transformers_regions.compile_layers(backbone))
    count = len(transformers_regions.layers_of(backbone))
    made.report.done["the layers"] = f"torch.compile, {count} regions"
    return True


def _layers(base: Any, report: TrainingReport) -> None:
    try:
        from liger_kernel.transformers import monkey_patch
    except ImportError as error:
        report.left["norms, RoPE and activations"] = f'pip install "qfuse[train]" has liger-kernel ({error})'
        return
    if base.device.type == "cpu":
        report.left["norms, RoPE and activations"] = "liger-kernel's are for GPUs"
        return
    family = base.config.model_type
    if family not in monkey_patch.MODEL_TYPE_TO_APPLY_LIGER_FN:
        report.left["norms, RoPE and activations"] = f"liger-kernel does not know the family {family}"
        return
    parts = dict(cross_entropy=False, fused_linear_cross_entropy=False)
    found = f"liger-kernel {version('liger-kernel')}"
    if any(isinstance(module, Stack4bit) for module in base.modules()):
        parts["swiglu"] = False  # it would make experts multiply by codes
        found += ", but for activations: experts are in 4 bits"
    monkey_patch._apply_liger_kernel_to_instance(base, **parts)
    report.done["norms, RoPE and activations"] = found
