"""The two copies of a model in a random walk: one with its peers alone (bitsandbytes and peft), one with qfuse."""

import importlib
from collections import Counter
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn

import qfuse
import qfuse.integrations.bitsandbytes
import qfuse.integrations.peft

bnb = pytest.importorskip("bitsandbytes")
peft = pytest.importorskip("peft")
PeftLinear4bit = importlib.import_module("peft.tuners.lora.bnb").Linear4bit
HIDDEN, INNER = 64, 128  # whole blocks in every row, which bitsandbytes decodes right on every CPU
ALPHA = 6
CALLS: Counter = Counter()  # of hooks, in the current run


@contextmanager
def _both():
    with qfuse.integrations.bitsandbytes.enabled(matmul=True), qfuse.integrations.peft.enabled():
        yield


# What the second copy runs with. "none": the peers again, which would show the walks' own noise.
MODES = {
    "none": nullcontext,
    "matmul": lambda: qfuse.integrations.bitsandbytes.enabled(matmul=True),
    "peft": qfuse.integrations.peft.enabled,
    "both": _both,
    "module": nullcontext,  # its second copy has qfuse.nn.Linear4bitLoRA
}


class Spec(NamedTuple):
    """What a model is made from. Each default is the simplest value, to which a failure is shrunk."""

    mode: str
    device: str = "cpu"
    dtype: torch.dtype = torch.float32
    nested: bool = False
    bias: bool = False
    rank: int = 8
    dropout: float = 0.0
    injected: bool = False  # by inject_adapter_in_model
    dora: bool = False
    rslora: bool = False
    lora_bias: bool = False

    def __str__(self) -> str:
        defaults = self._field_defaults.items()
        changed = [f"{name}={getattr(self, name)}" for name, default in defaults if getattr(self, name) != default]
        return f"{self.mode}({', '.join(changed)})"


def draw_spec(mode, device, draw):
    dtype = draw.choice([torch.float32, torch.float32, torch.bfloat16, torch.float16])
    variant = draw.choice(["dora", "rslora", "lora_bias", *[""] * 6])
    same_mask = device == "cpu" or dtype == torch.float32  # on a GPU, torch's mask depends on its input's dtype
    return Spec(
        mode,
        device,
        dtype,
        nested=draw.random() < 0.5,
        bias=draw.random() < 0.5,
        rank=draw.choice([8, 5, 3]),  # with rank 1, gradients are sums of few terms that cancel, without a bound
        dropout=draw.choice([0.0, 0.0, 0.3]) if same_mask else 0.0,
        injected=draw.random() < 0.3,
        **({variant: True} if variant else {}),
    )


class Net(nn.Module):
    """A block of two layers, after a trained shift in place of embeddings."""

    is_loaded_in_4bit = True  # peft recognizes 4-bit models by it

    def __init__(self, up, down):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(HIDDEN))
        self.up, self.down = up, down

    def forward(self, x):
        return x / 2 + self.down(nn.functional.gelu(self.up(x + self.shift.to(x.dtype))))


class PlainLora(nn.Module):
    """Linear4bitLoRA's reference: the decoded weight, and an adapter that computes as peft's does."""

    def __init__(self, base, rank, dropout):
        super().__init__()
        self.decoded = (qfuse.dequantize_4bit(base),)  # not a buffer, which a cast of the module would round
        self.register_buffer("bias", None if base.bias is None else base.bias.detach(), persistent=False)
        self.scaling = ALPHA / rank
        self.dropout = nn.Dropout(dropout)
        self.lora_A = nn.Linear(base.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, base.out_features, bias=False)

    def forward(self, x):
        bias = None if self.bias is None else self.bias.to(x.dtype)
        y = nn.functional.linear(x, self.decoded[0].to(x.dtype), bias)
        low = self.lora_A(self.dropout(x.to(_input_dtype(self.lora_A))))
        return y + (self.lora_B(low.to(_input_dtype(self.lora_B))) * self.scaling).to(y.dtype)


def _input_dtype(linear):
    return next(linear.parameters()).dtype


class Copy:
    """One of the two copies. undo: functions that remove hooks; around: contexts that every run enters."""

    def __init__(self, spec, is_peer):
        self.spec, self.is_peer = spec, is_peer
        self.undo: list[Any] = []
        self.around: list[Any] = []
        torch.manual_seed(1)
        self.model = _make(spec, is_peer)
        torch.manual_seed(2)  # restarts the generator from which layers have drawn
        with torch.no_grad():
            shift = next(parameter for name, parameter in self.model.named_parameters() if name.endswith("shift"))
            shift.copy_(torch.randn(HIDDEN) / 2)
        randomize(self)

    @contextmanager
    def running(self):
        with ExitStack() as stack:
            for enter in self.around:
                stack.enter_context(enter())
            yield

    def layers(self):
        kinds = (PeftLinear4bit, PlainLora, qfuse.nn.Linear4bitLoRA)
        return [module for module in self.model.modules() if isinstance(module, kinds)]

    def parameters(self):
        """Parameters by name, trained scalings included."""
        found = dict(self.model.named_parameters())
        for i, layer in enumerate(self.layers()):
            scalings = layer.scaling if isinstance(layer.scaling, dict) else {"": layer.scaling}
            trained = {f"scaling.{i}.{name}": it for name, it in scalings.items() if isinstance(it, nn.Parameter)}
            found.update((name, it) for name, it in trained.items() if all(it is not own for own in found.values()))
        return found


def make_base(spec, cols, rows, **changes):
    kinds = dict(compute_dtype=spec.dtype, compress_statistics=spec.nested, quant_type="nf4", bias=spec.bias)
    layer = bnb.nn.Linear4bit(cols, rows, **kinds | changes)
    layer.support_avx512bf16_for_cpu = False  # else the peer repacks its weight in eval mode, and rounds it anew
    if layer.bias is not None:
        layer.bias.data = layer.bias.data.to(spec.dtype)
    return layer.to(spec.device)


def _make(spec, is_peer):
    layers = [make_base(spec, HIDDEN, INNER), make_base(spec, INNER, HIDDEN)]
    if spec.mode == "module":
        return Net(*(_with_lora(spec, layer, is_peer) for layer in layers)).to(spec.device).train()
    net = Net(*layers).to(spec.device).train()
    if spec.injected:
        return peft.inject_adapter_in_model(config(spec), net)
    return peft.get_peft_model(net, config(spec))


def _with_lora(spec, base, is_peer):
    if is_peer:
        return PlainLora(base, spec.rank, spec.dropout)
    return qfuse.nn.Linear4bitLoRA(base, spec.rank, ALPHA, dropout=spec.dropout)


def config(spec, **changes):
    settings = dict(r=spec.rank, lora_alpha=ALPHA, lora_dropout=spec.dropout, target_modules=["up", "down"])
    variants = dict(use_dora=spec.dora, use_rslora=spec.rslora, lora_bias=spec.lora_bias)
    return peft.LoraConfig(**settings | variants | changes)


def randomize(copy):
    """Gives adapters about as large outputs as their bases, so that a missing one is seen in 16 bits as well."""
    with torch.no_grad():
        for layer in copy.layers():
            for part, spread in (("lora_A", 0.1), ("lora_B", 0.4)):
                linears = getattr(layer, part)
                for linear in linears.values() if isinstance(linears, nn.ModuleDict) else [linears]:
                    for parameter in linear.parameters():
                        values = torch.randn(parameter.shape) * spread
                        parameter.copy_(values.to(parameter.device) if parameter.device.type != "meta" else parameter)
