"""Replays the layers of a transformers model, forward and backward, from one CUDA graph per batch length.

The graphs contain the backbone, from token ids to the last hidden state, which has most kernels of a step. Head, loss,
clipping, optimizer and the caller of the model, a Trainer or a loop, do not change.
"""

import inspect
import warnings
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial, wraps
from types import MethodType
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn
from torch.nn.modules.dropout import _DropoutNd
from torch.utils import _pytree as pytree
from transformers import masking_utils

from ..ops.gradients import is_watched
from ..ops.lora import is_saved_by_hooks
from ..training.batches import Attention, attention_of, lengthen, round_up
from ..training.graphs import Captured, CudaRecorder, Gradients, Memory, Place, RandomOfLayers, Recorder
from .peft_forward import MERGED
from .transformers_regions import several_processes

LIMIT_OF_GRAPHS = 32  # maximum number of graphs kept; each holds some megabytes of driver memory
LIMIT_OF_FAILURES = 3

Function = Callable[..., Any]
Arguments = dict[str, Any]


class GraphedBackbone:
    """Replaces a backbone's forward. The first batch is launched kernel by kernel, so that libraries initialize. The
    second is captured, and later ones are replayed. A batch of another length is captured at once, or if it needs a
    mask, when its shape repeats. `left` counts the batches without a graph, by reason."""

    def __init__(self, backbone: nn.Module, recorder: Callable[[torch.device], Recorder] = CudaRecorder) -> None:
        self.backbone = backbone
        self.replayed = 0
        self.left: Counter[str] = Counter()  # number of batches without a graph, by reason
        self._forward = backbone.forward
        self._config: Any = backbone.config
        self._names = inspect.signature(backbone.forward)
        self._recorder = recorder  # tests without a GPU pass another one
        self._labels: Tensor | None = None  # labels of the current call of the model that has the backbone
        self._forget()

    @property
    def graphs(self) -> int:
        return len(self._graphs)

    def install(self, model: nn.Module) -> Callable[[], None]:
        """Installs itself in the model that has the backbone and receives the labels. Returns a function to undo it."""
        whole = model.forward

        def forward_of_model(*args: Any, **kwargs: Any) -> Any:
            self._labels = kwargs.get("labels")
            try:
                return whole(*args, **kwargs)
            finally:
                self._labels = None

        undo = [replace_forward(model, forward_of_model), replace_forward(self.backbone, self)]

        def undo_all() -> None:
            for each in undo:
                each()
            self._forget()

        return undo_all

    def _forget(self) -> None:
        self._watched = _Watched(self.backbone)
        self._memory: Memory | None = None
        self._seen: dict[Any, list[Any]] = {}  # masks of the first batch, by key
        self._graphs: OrderedDict[Any, Captured] = OrderedDict()
        self._at_once: dict[Any, bool] = {}  # whether to capture at first sight, by kind: batches that differ in length
        self._failures: dict[Any, str] = {}
        self._is_exact = _rope_is_by_length(self._config)  # if true, no batch is padded to a longer length

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.backbone.training or not torch.is_grad_enabled() or is_watched():
            return self._forward(*args, **kwargs)
        if self._watched.has_changed():
            self._forget()
        given = self._arguments(args, kwargs)
        reason = self._why_not(given)
        if reason is None:
            result = self._replayed(given)
            if not isinstance(result, str):
                return result
            reason = result
        self.left[reason] += 1
        return self._forward(*args, **kwargs)

    def _arguments(self, args: tuple[Any, ...], kwargs: Arguments) -> Arguments:
        bound = self._names.bind(*args, **kwargs).arguments
        given = {**bound, **bound.get("kwargs", {})}
        return {name: value for name, value in given.items() if value is not None and name not in _NOT_FOR_LAYERS}

    def _why_not(self, given: Arguments) -> str | None:
        if len(self._failures) >= LIMIT_OF_FAILURES and not self._graphs:
            return next(iter(self._failures.values()))
        ids = given.get("input_ids", given.get("inputs_embeds"))
        if ids is None or ids.dim() < 2 or (self._recorder is CudaRecorder and not ids.is_cuda):
            return "its batch is not on a GPU"
        for name, value in given.items():
            if not isinstance(value, (Tensor, bool, int, float, str)):
                return f"its batch has {name}, a {type(value).__name__}"
        mask = given.get("attention_mask")
        if mask is not None and mask.dim() != 2:
            return "its attention mask is one of its own"
        if is_saved_by_hooks():
            return "what it keeps for the backward pass goes to hooks"
        if several_processes():
            return "several processes train, which exchange gradients in hooks"
        return self._watched.why_not()

    def _replayed(self, given: Arguments) -> Any:
        """Returns the backbone's result, or the reason why no graph computes it."""
        # With a cache, transformers does not treat a jump in positions as the start of a sequence.
        has_cache = given.pop("use_cache", self._config.use_cache)
        positions = None if has_cache else given.get("position_ids")
        attention = attention_of(given.get("attention_mask"), positions, self._labels)
        if attention is Attention.CAUSAL:
            given.pop("attention_mask", None)
        ids = given.get("input_ids", given.get("inputs_embeds"))
        assert ids is not None
        tokens = ids.shape[1]
        tensors = {name: each for name, each in given.items() if isinstance(each, Tensor)}
        # A token that may attend to nothing attends to all tokens, so its result would depend on the padded length.
        is_exact = self._is_exact or attention is Attention.MASKED
        can_be_longer = not is_exact and all(_is_of_tokens(name, each) for name, each in tensors.items())
        length = self._rounded_up(tokens) if can_be_longer else tokens
        tensors = {name: _lengthened(name, each, length) for name, each in tensors.items()}
        others = {name: each for name, each in given.items() if not isinstance(each, Tensor)} | {"use_cache": False}
        state = tuple(sorted(others.items())), self._watched.state(ids.device.type)
        shapes = _shapes(tensors)
        key = (attention, shapes, *state)
        kind = (attention, tuple((name, len(shape), *rest) for name, shape, *rest in shapes), *state)
        if key in self._failures:
            return self._failures[key]
        if self._memory is not None and self._memory.turn.is_taken:
            return "the backward pass of the batch before it was still to come"
        names = list(tensors)

        def function(*inputs: Tensor) -> Any:
            return self._forward(**dict(zip(names, inputs, strict=True)), **others)

        captured = self._graphs.get(key)
        is_first = captured is None and key not in self._seen
        if captured is None and (not is_first or self._at_once.get(kind, False)):
            captured = self._capture(key, attention, function, tensors)
            if captured is not None and can_be_longer:  # rounding up leaves few different lengths
                self._at_once.setdefault(kind, True)
            elif captured is None:
                self._at_once[kind] = False
        if captured is None and is_first:
            return self._first(key, attention, function, tensors, tokens, length)
        if captured is None:
            return self._failures[key]
        self._graphs.move_to_end(key)
        self.replayed += 1
        return _shortened(captured(list(tensors.values())), length, tokens)

    def _rounded_up(self, tokens: int) -> int:
        """Rounds up to a length that repeats, but to at most max_position_embeddings."""
        limit = getattr(self._config, "max_position_embeddings", None)
        return round_up(tokens) if limit is None else max(tokens, min(round_up(tokens), limit))

    def _first(
        self, key: Any, attention: Attention, function: Function, tensors: dict[str, Tensor], tokens: int, length: int
    ) -> Any:
        """Computes a batch without capture, under the same settings, so that libraries do their one-time work now."""
        masks = self._seen[key] = []
        with _capturable(attention, masks, is_captured=False):
            result = function(*tensors.values())
        if length != tokens and not all(_is_by_token(each, length) for each in pytree.tree_leaves(result)):
            self._is_exact = True
            return "it was the first, and gives more than a vector for each token"
        self.left["it was the first of its kind"] += 1
        return _shortened(result, length, tokens)

    def _capture(
        self, key: Any, attention: Attention, function: Function, tensors: dict[str, Tensor]
    ) -> Captured | None:
        device = next(iter(tensors.values())).device
        try:
            if self._memory is None:
                self._memory = Memory(self._recorder(device), Gradients(self._watched.trained))
            random = self._watched.random_of_layers()
            masks = self._seen.get(key)  # kept as long as the graph, which reads them
            with _capturable(attention, masks or [], masks is not None), self._watched.drawing_from(random):
                captured = Captured(self._memory, function, list(tensors.values()), random)
        except Exception as error:
            if self._memory is not None:  # a recorder cannot capture again after a failure
                self._memory.recorder = self._recorder(device)
            if key not in self._seen:  # may have failed because libraries were not initialized for this kind
                return None
            self._failures[key] = reason = f"its capture failed: {type(error).__name__}: {_first_line(error)}"
            warnings.warn(f"qfuse trains batches of {_shapes(tensors)} without a CUDA graph: {reason}", stacklevel=2)
            return None
        self._graphs[key] = captured
        if len(self._graphs) > LIMIT_OF_GRAPHS:
            self._graphs.popitem(last=False)
        return captured


class _Watched:
    """The properties of a model that a graph depends on, in lists that are fast to compare again."""

    def __init__(self, backbone: nn.Module) -> None:
        self._backbone = backbone
        self._named = dict(backbone.named_modules())
        self._modules = list(self._named.values())
        self._parts = [part for module in self._modules for part in (module._parameters, module._buffers)]
        self._children = [(module._modules, list(module._modules.values())) for module in self._modules]
        self._was = self._where()
        self._devices = {tensor.device for tensor in self._tensors()}
        self._is_causal = {module.is_causal for module in self._modules if hasattr(module, "is_causal")} == {True}
        # Attributes with probabilities of random choices, besides those of Dropout modules
        self._chances = [
            (module, name)
            for module in self._modules
            for name, value in vars(module).items()
            if isinstance(value, float) and ("drop" in name or "jitter" in name)
        ]

    def trained(self) -> list[Place]:
        named = ((part, name, tensor) for part in self._parts for name, tensor in part.items())
        return [(part, name) for part, name, tensor in named if tensor is not None and tensor.requires_grad]

    def has_changed(self) -> bool:
        """Whether modules, parameters or buffers were replaced or moved."""
        return self._where() != self._was or any(list(part.values()) != was for part, was in self._children)

    def _where(self) -> list[Any]:
        return [(id(tensor), tensor.data_ptr(), tensor.dtype) for tensor in self._tensors()]

    def _tensors(self) -> Iterator[Tensor]:
        return (tensor for part in self._parts for tensor in part.values() if tensor is not None)

    def state(self, kind: str) -> int:
        """Hash of everything that a forward pass depends on besides its arguments and the tensors' values."""
        config = vars(getattr(self._backbone, "config", self._backbone))
        found: list[Any] = [torch.is_autocast_enabled(kind), torch.get_autocast_dtype(kind)]
        found += [config.get(name) for name in _OF_A_CONFIG]
        found += [tensor.requires_grad for tensor in self._tensors()]
        for module in self._modules:
            values = vars(module)
            found += [values["training"], values.get("p"), values.get("gradient_checkpointing"), values.get("forward")]
            if "merged_adapters" in values:
                found += [values["_disable_adapters"], *values["merged_adapters"], *values["_active_adapter"]]
                found += [*values.get("scaling", {}).values(), values.get(MERGED)]
        return hash(tuple(found))

    def _drawn(self) -> list[str]:
        """Names of the random choices that are active now, such as dropout."""
        names = [name for module, name in self._chances if module.training and vars(module)[name]]
        dropouts = (isinstance(each, _DropoutNd) and each.p > 0 and each.training for each in self._modules)
        return [*names, *("dropout" for is_dropping in dropouts if is_dropping)]

    def random_of_layers(self) -> RandomOfLayers | None:
        """Generators for checkpointed layers, if these draw random numbers on a GPU; otherwise None."""
        layers, (device,) = len(checkpointed(self._modules)), self._devices
        return RandomOfLayers(device, layers) if layers and self._drawn() and device.type == "cuda" else None

    def drawing_from(self, random: RandomOfLayers | None) -> AbstractContextManager[None]:
        return _drawing_from(random, self._modules)

    def why_not(self) -> str | None:
        if not self._is_causal:
            return "its attention is not known to be causal"
        if len(self._devices) > 1:
            return "its layers are on several devices"
        drawn, (device,) = self._drawn(), self._devices
        if "layerdrop" in drawn:
            return "it leaves out layers at random, which a graph does not do again"
        if drawn and device.type != "cuda" and checkpointed(self._modules):
            return "it has dropout within checkpointed layers, which draws its numbers again on GPUs alone"
        for module in self._modules:
            values = vars(module)
            if values["_forward_hooks"] or values["_forward_pre_hooks"] or values["_backward_hooks"]:
                hooks = [*module._forward_hooks.values(), *module._forward_pre_hooks.values()]
                if values["_backward_hooks"] or any(_module_of(hook) not in _OWN_HOOKS for hook in hooks):
                    name = next(name for name, each in self._named.items() if each is module)
                    return f"{name or 'the model'} has hooks, which a replay does not call"
        for part, name in self.trained():
            if part[name]._backward_hooks or part[name]._post_accumulate_grad_hooks:
                return "its parameters have hooks, which a replay does not call"
        return None


def replace_forward(module: nn.Module, ours: Function) -> Callable[[], None]:
    """Replaces a module's forward. Returns a function to undo it, which does nothing if forward was replaced again."""
    before = vars(module).get("forward")

    @wraps(type(module).forward)
    def forward(called: nn.Module, *args: Any, **kwargs: Any) -> Any:
        if called is not module:  # a copy of the model, which has the original forward
            return type(called).forward(called, *args, **kwargs)
        return ours(*args, **kwargs)

    module.forward = MethodType(forward, module)  # a bound method, so that a call on a copy is recognized

    def undo() -> None:
        if getattr(vars(module).get("forward"), "__func__", None) is not forward:
            return
        if before is None:
            del module.forward
        else:
            module.forward = before

    return undo


# Arguments that the backbone only passes on to a loss, or that are empty.
_NOT_FOR_LAYERS = {"kwargs", "num_items_in_batch", "shift_labels", "ignore_index"}
# Fields of a config that a forward pass reads as defaults of its arguments.
_OF_A_CONFIG = ("output_hidden_states", "output_attentions", "output_router_logits", "_attn_implementation_internal")
# Modules whose hooks only make an output require a gradient or collect layers' outputs, so that a replay may skip them.
_OWN_HOOKS = {
    *("transformers.modeling_utils", "transformers.utils.output_capturing"),
    *("peft.tuners.tuners_utils", "peft.peft_model", "peft.utils.other"),
}


def _rope_is_by_length(config: Any) -> bool:
    """Whether RoPE's frequencies depend on the sequence length."""
    rope = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    kinds = [each.get("rope_type", each.get("type")) for each in (rope, *rope.values()) if isinstance(each, dict)]
    return any(kind == "longrope" or "dynamic" in str(kind) for kind in kinds)


def _module_of(hook: Any) -> str:
    return getattr(getattr(hook, "func", hook), "__module__", "")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0]


def _shapes(tensors: dict[str, Tensor]) -> tuple[Any, ...]:
    return tuple((name, tuple(each.shape), each.dtype, each.requires_grad) for name, each in tensors.items())


def _lengthened(name: str, tensor: Tensor, length: int) -> Tensor:
    """Pads to the graph's number of tokens on the right, where no earlier token sees them and they have no gradient."""
    return lengthen(tensor, length, _FILL[name]) if name in _FILL else tensor


_FILL = {"input_ids": 0, "inputs_embeds": 0, "attention_mask": 0, "position_ids": None}


def _is_of_tokens(name: str, tensor: Tensor) -> bool:
    """Whether a tensor has a number or a vector per token, so that it can be padded."""
    return name in _FILL and tensor.dim() == (3 if name == "inputs_embeds" else 2)


def _is_by_token(leaf: Any, length: int) -> bool:
    return not isinstance(leaf, Tensor) or (leaf.dim() == 3 and leaf.shape[1] == length)


def _shortened(result: Any, length: int, tokens: int) -> Any:
    if length == tokens:
        return result
    return pytree.tree_map_only(Tensor, lambda each: each[:, :tokens], result)


def checkpointed(modules: Iterable[nn.Module]) -> list[Any]:
    return [module for module in modules if vars(module).get("gradient_checkpointing")]


@contextmanager
def _capturable(attention: Attention, masks: list[Any], is_captured: bool) -> Iterator[None]:
    """Keeps a backbone from copying numbers from or to the GPU, which a capture forbids, and disables autocast's cache.
    masks: those of a causal batch, which depend only on its shape: collected in the first computation and reused in the
    capture."""
    with ExitStack() as stack:
        stack.callback(torch.set_autocast_cache_enabled, torch.is_autocast_cache_enabled())
        torch.clear_autocast_cache()
        torch.set_autocast_cache_enabled(False)
        if attention is Attention.CAUSAL:
            for name, answer in {"find_packed_sequence_indices": None, "is_tracing": False}.items():
                if hasattr(masking_utils, name):
                    stack.enter_context(patch.object(masking_utils, name, _always(answer)))
            kinds = masking_utils.ALL_MASK_ATTENTION_FUNCTIONS._global_mapping
            taken = iter(masks)
            for kind, make in list(kinds.items()):
                of_kind = partial(next, taken) if is_captured else partial(_kept, masks, make)
                stack.enter_context(patch.dict(kinds, {kind: _ignoring(of_kind) if is_captured else of_kind}))
        yield


def _kept(masks: list[Any], make: Function, *args: Any, **kwargs: Any) -> Any:
    masks.append(make(*args, **kwargs))
    return masks[-1]


def _ignoring(function: Function) -> Function:
    return lambda *args, **kwargs: function()


@contextmanager
def _drawing_from(random: RandomOfLayers | None, modules: Iterable[nn.Module]) -> Iterator[None]:
    """Makes checkpoints not save torch's random state, which a capture forbids. Their random numbers, if any, come from
    `random`."""
    with ExitStack() as stack:
        for at, module in enumerate(checkpointed(modules)):
            function = partial(module._gradient_checkpointing_func, preserve_rng_state=False)
            if random is not None:
                contexts = partial(random.contexts, at)
                function = partial(function, use_reentrant=False, context_fn=contexts)
            stack.enter_context(patch.object(module, "_gradient_checkpointing_func", function))
        yield


def _always(answer: Any) -> Function:
    return lambda *args, **kwargs: answer
