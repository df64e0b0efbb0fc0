"""python features.py <output>: tests each feature of qfuse, on the CPU, with the installed versions of the libraries.

Writes JSON: for each feature "works", "refused" with qfuse's message, or "fails" with the error. A feature works if the
profiler sees qfuse's op and the result matches another library or float64. Each feature runs in a process of its own
that is forked after the imports. tools/compatibility runs this script in many environments.
"""

import json
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile

FEATURES: dict[str, Callable[[], None]] = {}
ROWS, COLUMNS = 192, 256
SIZES = dict(hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4, vocab_size=256)


class Refused(Exception):
    """The feature refuses this version; the message is qfuse's."""


def feature(title: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def add(run: Callable[[], None]) -> Callable[[], None]:
        FEATURES[title] = run
        return run

    return add


@contextmanager
def refusals() -> Iterator[None]:
    """Turns errors of the enclosed calls into Refused: they may say that a version is unsupported."""
    try:
        yield
    except (ImportError, ValueError) as error:
        raise Refused(str(error)) from error


def enabled(integration: Any, function: str = "", **options: Any) -> None:
    """Enables the integration; raises Refused if its report says that it left `function` alone."""
    with refusals(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = integration.enable(**options)
    for name, reason in report.left.items():
        if function and name.endswith(function):
            raise Refused(f"{name}: {reason}")
    assert report, report


class Calls:
    def __init__(self, op: str) -> None:
        self._op, self._profile = op, profile(activities=[ProfilerActivity.CPU])

    def __enter__(self) -> "Calls":
        self._profile.start()
        return self

    def __exit__(self, kind: Any, *error: object) -> None:
        self._profile.stop()
        if kind is None:
            assert any(event.name == self._op for event in self._profile.events()), f"{self._op} was not called"


def random(*shape: int, seed: int = 1, dtype: torch.dtype = torch.bfloat16) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def layer(dtype: torch.dtype = torch.bfloat16, nested: bool = True) -> Any:
    """Returns a quantized bitsandbytes layer in training mode, since bitsandbytes repacks CPU codes for inference."""
    import bitsandbytes as bnb

    torch.manual_seed(3)
    made = bnb.nn.Linear4bit(
        COLUMNS, ROWS, compute_dtype=dtype, compress_statistics=nested, quant_type="nf4", bias=True
    )
    return made.to(dtype).to("cpu").train()


def decoded(of: Any) -> Tensor:
    """Decodes the layer's codes as CUDA does, from bitsandbytes' table and scales. Some bitsandbytes versions decode
    differently on the CPU."""
    state = of.weight.quant_state
    codes = of.weight.data.reshape(-1)
    values = state.code[torch.stack([codes >> 4, codes & 15], 1).long()].view(-1, state.blocksize)
    absmax = state.absmax
    if state.nested:
        scales = state.state2.absmax.repeat_interleave(state.state2.blocksize)[: absmax.numel()]
        absmax = state.state2.code[absmax.long()] * scales + state.offset
    return (values * absmax.view(-1, 1)).view(state.shape).to(state.dtype)


def error_of(found: Tensor, exact: Tensor) -> float:
    return float((found.double() - exact).norm() / exact.norm())


def no_worse(found: dict[str, Tensor], other: dict[str, Tensor], exact: dict[str, Tensor]) -> None:
    """Allows at most twice the other library's distance from float64."""
    assert found.keys() == other.keys() == exact.keys(), found.keys() ^ exact.keys()
    for name in found:
        ours, theirs = error_of(found[name], exact[name]), error_of(other[name], exact[name])
        assert ours <= 2 * theirs + 1e-7, f"{name}: {ours:.2e} from float64, the other library {theirs:.2e}"


# ---- qfuse's own ops


@feature("decode")
def decode() -> None:
    import qfuse

    of = layer()
    expected = decoded(of)
    with Calls("qfuse::dequantize_4bit"):
        found = qfuse.dequantize_4bit(of)
    assert torch.equal(found, expected)


@feature("encode")
def encode() -> None:
    """Expects each code to be the nearest one in bitsandbytes' own table."""
    import bitsandbytes as bnb

    import qfuse

    original = random(ROWS, COLUMNS, dtype=torch.float32)
    packed, absmax = qfuse.ops.quantize_4bit(original, 64, "nf4")
    blocks = original.view(-1, 64)
    assert torch.equal(absmax.view(-1, 1), blocks.abs().amax(1, keepdim=True))
    table = bnb.functional.get_4bit_type("nf4", device="cpu")
    codes = torch.stack([packed.view(-1) >> 4, packed.view(-1) & 15], 1).long()
    scaled = blocks / absmax.view(-1, 1)
    distance = (table[codes].view_as(scaled) - scaled).abs()
    nearest = (table - scaled.view(-1, 1)).abs().amin(1).view_as(scaled)
    assert (distance <= nearest + 1e-6).all()


def step(multiply: Callable[[Tensor], Tensor], dtype: torch.dtype = torch.bfloat16) -> dict[str, Tensor]:
    x = random(24, COLUMNS, seed=4).to(dtype).requires_grad_()
    y = multiply(x)
    y.backward(random(24, ROWS, seed=5).to(dtype))
    assert x.grad is not None
    return {"y": y.detach(), "x": x.grad}


def step_in_float64(of: Any) -> dict[str, Tensor]:
    weight = decoded(of).double()
    return step(lambda x: nn.functional.linear(x, weight, of.bias.detach().double()), torch.float64)


@feature("product")
def product() -> None:
    import qfuse

    of = layer()
    expected, exact = step(of), step_in_float64(of)
    with Calls("qfuse::matmul_4bit"):
        found = step(lambda x: qfuse.matmul_4bit(x, of, bias=of.bias))
    no_worse(found, expected, exact)


@feature("torch.compile")
def compiled() -> None:
    import qfuse

    of, x = layer(), random(24, COLUMNS)
    weight = qfuse.Weight4bit(*_weight(of))
    graph = torch.compile(lambda x: qfuse.matmul_4bit(x, weight).relu(), backend="aot_eager", fullgraph=True)
    assert torch.equal(graph(x), qfuse.matmul_4bit(x, weight).relu())


def _weight(of: Any) -> Any:
    from qfuse.weight import read_weight

    return read_weight(of)


# ---- bitsandbytes


@feature("bitsandbytes: decode")
def bitsandbytes_decode() -> None:
    """Tests decoding through bitsandbytes' function and in the gradient of its layer."""
    import bitsandbytes as bnb

    import qfuse.integrations.bitsandbytes as integration

    of = layer()
    before, exact = step(of), step_in_float64(of)
    enabled(integration, "dequantize_4bit")
    with Calls("qfuse::dequantize_4bit"):
        assert torch.equal(bnb.functional.dequantize_4bit(of.weight.data, of.weight.quant_state), decoded(of))
    with Calls("qfuse::dequantize_4bit"):
        after = step(of)
    no_worse(after, before, exact)


@feature("bitsandbytes: product")
def bitsandbytes_product() -> None:
    import qfuse.integrations.bitsandbytes as integration

    of = layer()
    before, exact = step(of), step_in_float64(of)
    enabled(integration, "matmul_4bit", matmul=True)
    with Calls("qfuse::matmul_4bit"):
        after = step(of)
    no_worse(after, before, exact)


# ---- transformers


def llama(folder: Path, dtype: torch.dtype = torch.bfloat16) -> None:
    import transformers

    torch.manual_seed(1)
    config = transformers.LlamaConfig(**SIZES, num_key_value_heads=2, tie_word_embeddings=False)
    transformers.LlamaForCausalLM(config).to(dtype).save_pretrained(folder)


def loaded(folder: Path, **options: Any) -> Any:
    import transformers

    transformers.logging.set_verbosity_error()
    return transformers.AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.bfloat16, device_map="cpu", attn_implementation="eager", **options
    )


def layers_of(model: Any) -> dict[str, Any]:
    return {name: each for name, each in model.named_modules() if type(each).__name__ == "Linear4bit"}


@feature("transformers: loads what qfuse quantized")
def loads_quantized() -> None:
    import qfuse

    with temporary_folder() as folder:
        llama(folder / "full")
        qfuse.checkpoint.quantize(folder / "full", folder / "nf4", quant_type="nf4")
        model, stored = loaded(folder / "nf4"), qfuse.load_checkpoint(folder / "nf4")
        assert len(layers_of(model)) == 14
        for name, each in layers_of(model).items():
            weight = stored[f"{name}.weight"]
            assert torch.equal(weight.dequantize(), decoded(each)), name
        assert model(torch.arange(8)[None]).logits.isfinite().all()


@feature("transformers: its 4-bit checkpoint, to bf16")
def decodes_checkpoint() -> None:
    import transformers

    import qfuse

    with temporary_folder() as folder:
        llama(folder / "full")
        config = transformers.BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True
        )
        model = loaded(folder / "full", quantization_config=config)
        model.save_pretrained(folder / "nf4")
        qfuse.checkpoint.dequantize(folder / "nf4", folder / "bf16")
        plain = loaded(folder / "bf16")
        assert not layers_of(plain) and len(layers_of(model)) == 14
        for name, each in layers_of(model).items():
            assert torch.equal(plain.get_submodule(name).weight, decoded(each).bfloat16()), name


# ---- peft


def with_adapter(model: Any, targets: list[str], **more: Any) -> Any:
    import peft

    model = peft.get_peft_model(model, peft.LoraConfig(r=6, lora_alpha=10, target_modules=targets, **more))
    torch.manual_seed(5)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            if "lora_" in name:
                parameter.copy_(torch.randn_like(parameter) * 0.05)
    return model


def gradients(model: Any, dtype: torch.dtype) -> dict[str, Tensor]:
    model.zero_grad()
    x = random(24, COLUMNS, seed=4).to(dtype).requires_grad_()
    y = model(x)
    y.backward(random(24, ROWS, seed=6).to(dtype))
    assert x.grad is not None
    grads = {name: p.grad.clone() for name, p in model.named_parameters() if "lora_" in name and p.grad is not None}
    return {"y": y.detach(), "x": x.grad, **grads}


@feature("peft: LoRA over Linear4bit")
def lora() -> None:
    import qfuse.integrations.peft as integration

    class Net(nn.Module):
        is_loaded_in_4bit = True

        def __init__(self) -> None:
            super().__init__()
            self.up = layer()

        def forward(self, x: Tensor) -> Tensor:
            result: Tensor = self.up(x)
            return result

    net = Net()
    dense = nn.Module()
    dense.up = nn.Linear(COLUMNS, ROWS)
    dense.up.weight.data, dense.up.bias.data = decoded(net.up), net.up.bias.data
    dense.forward = lambda x: dense.up(x)
    model, exact = with_adapter(net, ["up"]), with_adapter(dense, ["up"]).double()
    expected = gradients(exact, torch.float64)
    before = gradients(model, torch.bfloat16)
    enabled(integration, "Linear4bit.forward")
    assert integration.uncovered(model) == {}
    with Calls("qfuse::matmul_4bit"):
        after = gradients(model, torch.bfloat16)
    # peft keeps its factors in float32, but qfuse rounds them, so the rounding of bfloat16 is an allowed error.
    for name, value in after.items():
        assert error_of(value, expected[name]) <= max(2 * error_of(before[name], expected[name]), 2**-7), name


@feature("peft: merge")
def merge() -> None:
    """Compares a float32 merge of peft's adapter file with peft's own merge and with one in float64."""
    import peft
    import transformers

    import qfuse

    with temporary_folder() as folder:
        llama(folder / "base", torch.float32)
        base = transformers.AutoModelForCausalLM.from_pretrained(folder / "base", dtype=torch.float32)
        model = with_adapter(base, ["q_proj", "v_proj", "down_proj"])
        model.save_pretrained(folder / "adapter")
        qfuse.merge(folder / "base", folder / "adapter", folder / "merged")
        exact = peft.PeftModel.from_pretrained(
            transformers.AutoModelForCausalLM.from_pretrained(folder / "base", dtype=torch.float32).double(),
            folder / "adapter",
            autocast_adapter_dtype=False,
        )
        expected = exact.double().merge_and_unload().state_dict()
        found = transformers.AutoModelForCausalLM.from_pretrained(folder / "merged", dtype=torch.float32).state_dict()
        assert found.keys() == expected.keys()
        theirs = model.merge_and_unload().state_dict()
        changed = [name for name in found if not torch.equal(found[name], expected[name].float())]
        assert all(error_of(found[name], expected[name]) <= 2**-23 for name in changed)
        assert error_of(found["model.layers.0.mlp.down_proj.weight"], theirs["model.layers.0.mlp.down_proj.weight"]
                        .double()) <= 2**-22  # fmt: skip


# ---- experts


def mixtral() -> Any:
    import transformers

    torch.manual_seed(0)
    config = transformers.MixtralConfig(**SIZES, num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2)
    return transformers.MixtralForCausalLM(config).eval()


def experts_of(model: Any) -> Iterator[Any]:
    return (module for module in model.modules() if "down_proj" in module._parameters)


def quantized_and_twin() -> tuple[Any, Any]:
    """Returns a model with quantized experts, and a twin that runs transformers' experts on the decoded weights."""
    import qfuse

    model, twin = mixtral(), mixtral()
    with refusals():
        assert len(qfuse.quantize_experts(model).quantized) == 2
    for ours, other in zip(experts_of(model), experts_of(twin), strict=True):
        for name in ("gate_up_proj", "down_proj"):
            stack = ours._modules[f"{name}_4bit"].weight(ours._parameters[name])
            other._parameters[name].data = stack.dequantize()
    return model, twin


def near(found: Tensor, expected: Tensor) -> None:
    """Expects near equality in float32, where the order of summation differs."""
    assert (found - expected).abs().max() <= 2e-5 * expected.abs().max(), (found - expected).abs().max()


@feature("transformers: experts in 4 bits")
def experts() -> None:
    model, twin = quantized_and_twin()
    tokens = torch.arange(24).view(2, 12)
    with Calls("qfuse::matmul_4bit_grouped"):
        found = model(tokens).logits
    near(found, twin(tokens).logits)


@feature("peft: LoRA over experts")
def lora_over_experts() -> None:
    stacks = ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"]
    try:
        twin_only = with_adapter(mixtral(), ["q_proj"], target_parameters=stacks)
        twin_only(torch.arange(24).view(2, 12))
    except Exception as error:  # this peft cannot adapt even transformers' own experts
        raise Refused(f"peft itself: {type(error).__name__}: {str(error).splitlines()[0]}") from error
    model, twin = (with_adapter(each, ["q_proj"], target_parameters=stacks) for each in quantized_and_twin())
    tokens = torch.arange(24).view(2, 12)
    with refusals():
        model(tokens)
    with Calls("qfuse::matmul_4bit_grouped"):
        results = [each(input_ids=tokens, labels=tokens) for each in (model, twin)]
    near(results[0].logits, results[1].logits)
    for each in results:
        each.loss.backward()
    others = dict(twin.named_parameters())
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            near(parameter.grad, others[name].grad)


# ---- several ranks


def on_two_ranks(run: Callable[[Path], None]) -> None:
    """Runs `run` in two forked processes connected by gloo."""
    import torch.distributed as dist

    with temporary_folder() as folder:
        children = []
        for rank in range(2):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    store = dist.FileStore(str(folder / "store"), 2)
                    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
                    run(folder)
                    dist.barrier()
                    status = 0
                except Refused as error:
                    (folder / f"refused{rank}").write_text(str(error))
                except BaseException:
                    (folder / f"failed{rank}").write_text(traceback.format_exc())
                os._exit(status)
            children.append(child)
        states = [os.waitpid(child, 0)[1] for child in children]
        for file in sorted(folder.glob("refused?")):
            raise Refused(file.read_text())
        said = [file.read_text() for file in sorted(folder.glob("failed?"))]
        assert not any(states), said[0].strip().splitlines()[-1] if said else states


def two_layers() -> nn.Module:
    import qfuse
    from qfuse.nn import Linear4bit

    torch.manual_seed(2)

    def made(rows: int, columns: int) -> nn.Module:
        tensors = qfuse.ops.quantize_4bit_nested(random(rows, columns), 64, "nf4")
        return Linear4bit(qfuse.Weight4bit(tensors, (rows, columns), torch.bfloat16))

    return nn.Sequential(made(256, 128), nn.Linear(256, 64, dtype=torch.bfloat16))


@feature("FSDP2")
def fsdp() -> None:
    def run(folder: Path) -> None:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        import qfuse.distributed as distributed

        x, model = random(8, 128), two_layers()
        expected = model(x)
        assert distributed.shardable(model)
        sharded = fully_shard(model, mesh=init_device_mesh("cpu", (2,)))
        assert torch.equal(sharded(x), expected)
        sharded(x).float().square().mean().backward()

    on_two_ranks(run)


@feature("accelerate: FSDP2")
def accelerated() -> None:
    """Calls accelerate's own function on a bitsandbytes model that never ran on a GPU."""

    def run(folder: Path) -> None:
        from types import SimpleNamespace

        from accelerate.utils import FullyShardedDataParallelPlugin, fsdp_utils

        import qfuse.integrations.accelerate as integration

        net = nn.Sequential(layer())
        x = random(8, COLUMNS)
        expected = net(x)
        enabled(integration, "fsdp2_prepare_model")
        plugin = FullyShardedDataParallelPlugin(fsdp_version=2, auto_wrap_policy="no_wrap")
        accelerator: Any = SimpleNamespace(
            state=SimpleNamespace(fsdp_plugin=plugin), mixed_precision="no", is_main_process=True, device="cpu",
            print=lambda text: None, torch_device_mesh=None,
        )  # fmt: skip
        prepared = fsdp_utils.fsdp2_prepare_model(accelerator, net)
        assert prepared[0].weight.to_local().packed.shape[0] < ROWS
        assert error_of(prepared(x), expected.double()) < 2**-7

    on_two_ranks(run)


# ----


@contextmanager
def temporary_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def tried(title: str) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as name:
        said = Path(name, "said")
        child = os.fork()
        if child == 0:
            try:
                FEATURES[title]()
                found = {"result": "works"}
            except Refused as error:
                found = {"result": "refused", "said": str(error)}
            except BaseException as error:
                print(f"---- {title}\n{traceback.format_exc()}", file=sys.stderr, flush=True)
                found = {"result": "fails", "said": f"{type(error).__name__}: {error}"}
            said.write_text(json.dumps(found))
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status or not said.exists():
            return {"result": "fails", "said": f"the process ended with status {status}"}
        result: dict[str, str] = json.loads(said.read_text())
        return result


def main() -> None:
    for name in ("bitsandbytes", "transformers", "peft", "accelerate"):
        try:
            __import__(name)
        except Exception:
            print(f"---- import {name}\n{traceback.format_exc()}", file=sys.stderr, flush=True)
    wanted = sys.argv[2:] or list(FEATURES)
    Path(sys.argv[1]).write_text(json.dumps({title: tried(title) for title in wanted}, indent=1))


if __name__ == "__main__":
    main()
