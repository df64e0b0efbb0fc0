"""What the tests of several ranks run on each of them: python distributed_cases.py <rank> <ranks> <folder>.

Every function of this file that begins with case_<ranks>_ is run, one after the other, in one process group; a line of
<folder>/<ranks>.<rank>.txt says of each how it ended. A case that fails ends the rank, since others may wait for it.
"""

import os
import sys
import traceback
import warnings
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
from distributed_models import (
    DEVICE,
    INNER,
    WIDTH,
    Model,
    Plain,
    assert_same,
    batch,
    experts,
    gradients,
    lora,
    train,
    train_with,
    weight,
    whole,
)
from safetensors.torch import load_file, save_file
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import parallelize_module

import qfuse
import qfuse.distributed as qd
from qfuse.nn import Linear4bit
from qfuse.quant_state import to_state_dict

FOLDER = Path()


class Skipped(Exception):
    """Of what does not happen on this device."""


def mesh(*sizes: int) -> Any:
    return init_device_mesh(DEVICE, sizes, mesh_dim_names=("dp", "tp")[2 - len(sizes) :] if len(sizes) > 1 else ("dp",))


def refused(call: Any, *words: str) -> None:
    try:
        call()
    except ValueError as error:
        assert all(word in str(error) for word in words), error
        return
    raise AssertionError("was not refused")


def shared_out(model: Any, over: Any, **options: Any) -> Any:
    assert qd.shardable(model)
    for layer in getattr(model, "layers", []):
        fully_shard(layer, mesh=over, **options)
    return fully_shard(model, mesh=over, **options)


def case_2_fsdp_has_the_bits_of_one_process() -> None:
    x = batch()
    for dtype in (torch.float32, torch.bfloat16):
        expected = train(Model(dtype=dtype), x)
        assert train(shared_out(Model(dtype=dtype), mesh(2)), x) == expected
    assert train(shared_out(Model(), mesh(2), reshard_after_forward=False), x) == train(Model(), x)
    offload = CPUOffloadPolicy(pin_memory=False)
    assert train(shared_out(Model(), mesh(2), offload_policy=offload), x) == train(Model(), x)
    assert train(shared_out(Plain(), mesh(2)), x) == train(Plain(), x)


def case_2_fsdp_gradients() -> None:
    x, expected = batch(), gradients(Model(), batch())
    model = shared_out(Model(), mesh(2))
    model(x).float().square().mean().backward()
    found = {name: whole(p.grad) for name, p in model.named_parameters() if p.grad is not None}
    assert_same(found, expected)


def case_2_fsdp_under_activation_checkpointing_and_compile() -> None:
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper

    x, expected = batch(), train(Model(), batch())
    model = Model()
    for i, layer in enumerate(model.layers):
        model.layers[i] = checkpoint_wrapper(layer)
    assert train(shared_out(model, mesh(2)), x) == expected
    model = Model()
    qd.shardable(model)
    for layer in model.layers:
        layer.compile(backend="aot_eager", fullgraph=True)
    assert train(shared_out(model, mesh(2)), x) == expected


def case_2_fsdp_mixed_precision_leaves_codes_alone() -> None:
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    x, model = batch(), shared_out(Model(), mesh(2), mp_policy=policy)
    model.unshard()
    model.layers[0].unshard()
    base = model.layers[0].up.base
    assert torch.equal(base.dequantize(), weight(INNER, WIDTH, 0).dequantize())
    assert all(value > 0 for value in train(model, x))


def case_2_fsdp_gathers_every_word() -> None:
    """All 2^16 words of 16 bits as codes, and all bytes as scales."""
    words = torch.arange(2**16, dtype=torch.int32).to(torch.uint16).view(torch.uint8).repeat(2)
    packed, absmax = words.view(512, 512), torch.arange(8192, dtype=torch.int32).to(torch.uint8)
    nested = torch.rand(32), torch.rand(256), torch.rand(())
    packed, absmax, *nested = (each.to(DEVICE) for each in (packed, absmax, *nested))
    one = qfuse.Weight4bit((packed, absmax, *nested), (512, 1024), torch.bfloat16)
    layer = Linear4bit(one)
    fully_shard(layer, mesh=mesh(2))
    layer.unshard()
    assert torch.equal(layer.weight.packed, packed)
    assert torch.equal(layer.weight.absmax.view(-1), absmax)
    layer.reshard()
    try:
        layer.weight._local_tensor.dequantize()
    except ValueError as error:
        assert "a part of a parameter" in str(error)
    else:
        raise AssertionError("a part was decoded")


def case_2_floats_lose_nan_patterns_on_a_gpu() -> None:
    """What case_2_fsdp_gathers_every_word would be in bfloat16, as bnb_4bit_quant_storage may have it, and fails."""
    if DEVICE == "cpu":
        raise Skipped
    layer = nn.Linear(256, 256, bias=False, dtype=torch.bfloat16, device=DEVICE)
    words = torch.arange(2**16, dtype=torch.int32).to(torch.uint16).view(torch.bfloat16).view(256, 256).to(DEVICE)
    layer.weight = nn.Parameter(words.clone(), requires_grad=False)
    fully_shard(layer, mesh=mesh(2))
    layer.unshard()
    changed = (layer.weight.view(torch.int16) != words.view(torch.int16)).sum().item()
    assert changed > 0, "torch gathers floats as they are by now: say so in docs/SEVERAL_GPUS.md"
    assert (
        words.view(torch.int16)[layer.weight.view(torch.int16) != words.view(torch.int16)].unique().numel() == changed
    )


def case_2_shardable_refuses_what_is_shared_out() -> None:
    model = fully_shard(Model(), mesh=mesh(2))
    refused(lambda: qd.shardable(model), "before fully_shard")


def case_2_fsdp_refuses_rows_that_do_not_divide() -> None:
    layer = Linear4bit(weight(65, WIDTH, 0))
    fully_shard(layer, mesh=mesh(2))
    refused(lambda: layer(batch()), "(65, 256)", "2 ranks")


def case_2_accelerate_shares_out_what_it_would_replicate() -> None:
    """Its own function for FSDP2, of a model that it has not started on a GPU."""
    if find_spec("accelerate") is None or find_spec("bitsandbytes") is None:
        raise Skipped
    from accelerate.utils import FullyShardedDataParallelPlugin, fsdp_utils
    from bitsandbytes.nn import Linear4bit as OfBitsandbytes

    import qfuse.integrations.accelerate as integration

    def prepared() -> Any:
        net = nn.Sequential(OfBitsandbytes(WIDTH, INNER, bias=False), OfBitsandbytes(INNER, WIDTH, bias=False))
        for layer, stored in zip(net, (weight(INNER, WIDTH, 1), weight(WIDTH, INNER, 2)), strict=True):
            layer.weight = stored.params4bit(layer)
        plugin = FullyShardedDataParallelPlugin(
            fsdp_version=2, auto_wrap_policy="no_wrap", cpu_ram_efficient_loading=True
        )
        state = SimpleNamespace(fsdp_plugin=plugin)
        accelerator = SimpleNamespace(
            state=state, mixed_precision="no", is_main_process=dist.get_rank() == 0, device=DEVICE, print=said.append
        )
        return fsdp_utils.fsdp2_prepare_model(accelerator, net)

    said: list[str] = []
    with warnings.catch_warnings(record=True):
        assert not isinstance(prepared()[0].weight, DTensor)  # as accelerate is: replicated
    with integration.enabled():
        net = prepared()
    assert said == ["qfuse: 2 layers have 4-bit weights that can be shared out"]
    assert net[0].weight.to_local().packed.shape == (INNER // 2, WIDTH // 2)
    hidden = qfuse.matmul_4bit(batch(), weight(INNER, WIDTH, 1))
    assert torch.equal(net(batch()), qfuse.matmul_4bit(hidden, weight(WIDTH, INNER, 2)))


def case_2_fsdp_of_experts() -> None:
    class Mixture(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.experts = experts()

        def forward(self, x: Any) -> Any:
            index = torch.arange(2 * len(x), device=x.device).view(-1, 2) % 4
            return self.experts(x, index, torch.full(index.shape, 0.5, device=x.device))

    x = batch(24, 128)
    found, expected = train(shared_out(Mixture(), mesh(2)), x), train(Mixture(), x)
    assert found == expected, (found, expected)


def _write(path: Path, model: Any) -> dict[str, torch.Tensor]:
    """A file of a model's weights, written by the first rank."""
    tensors: dict[str, torch.Tensor] = {}
    for name, module in model.named_modules():
        if hasattr(module, "base"):
            tensors |= to_state_dict(module.base, f"{name}.weight")
    tensors |= {name: p.detach() for name, p in model.named_parameters() if "norm" in name}
    if dist.get_rank() == 0:
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, path)
    dist.barrier()
    return tensors


class _Meter:
    """Bytes that preadv has read."""

    def __init__(self) -> None:
        self.bytes, self._preadv = 0, os.preadv

    def __enter__(self) -> "_Meter":
        os.preadv = self._count
        return self

    def __exit__(self, *_: Any) -> None:
        os.preadv = self._preadv

    def _count(self, *args: Any) -> int:
        count = self._preadv(*args)
        self.bytes += count
        return count


def case_2_fsdp_of_transformers_experts() -> None:
    """Which quantize_experts has quantized, with peft's adapters over them."""
    if find_spec("transformers") is None or find_spec("peft") is None:
        raise Skipped
    from peft import LoraConfig, get_peft_model
    from transformers import Qwen3MoeConfig, Qwen3MoeForCausalLM

    sizes = dict(hidden_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=32)
    sizes |= dict(moe_intermediate_size=64, num_experts=4, num_experts_per_tok=2, vocab_size=128)

    def made() -> Any:
        torch.manual_seed(3)
        model = Qwen3MoeForCausalLM(Qwen3MoeConfig(**sizes)).bfloat16().to(DEVICE)
        assert qfuse.quantize_experts(model)
        stacks = [f"mlp.experts.{name}_proj" for name in ("gate_up", "down")]
        return get_peft_model(model, LoraConfig(r=4, target_modules=["q_proj"], target_parameters=stacks))

    def losses(model: Any) -> list[float]:
        optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
        ids = torch.arange(32, device=DEVICE).view(2, 16)
        found = []
        for _ in range(3):
            loss = model(input_ids=ids, labels=ids).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            found.append(loss.item())
        return found

    model, over = made(), mesh(2)
    report = qd.shardable(model)
    assert len(report.layers) == 2 and not report.left
    stack = "base_model.model.model.layers.0.mlp.experts.base_layer.base_layer.down_proj"
    whole_bytes = sum(each.nbytes for each in model.get_parameter(stack).inner)
    for layer in model.base_model.model.model.layers:
        fully_shard(layer, mesh=over)
    fully_shard(model, mesh=over)
    part = model.get_parameter(stack).to_local()
    assert part.packed.shape[0] == 2 and sum(each.nbytes for each in part.inner[:2]) < whole_bytes / 2
    assert losses(model) == losses(made())
    qd.save(model, FOLDER / "experts", base=True)
    if dist.get_rank() == 0:
        qd.consolidate(FOLDER / "experts", FOLDER / "experts_files")
        stored = qfuse.load_checkpoint(FOLDER / "experts_files" / "model-00001-of-00001.safetensors")
        twin = made().base_model.model.model.layers[1].mlp.experts.base_layer.base_layer
        expected = twin.down_proj_4bit.weight(twin.down_proj).dequantize()
        assert torch.equal(stored["model.layers.1.mlp.experts.down_proj"].dequantize(), expected.cpu())
    dist.barrier()


def _on_meta(model: Any) -> Any:
    model = model.to("meta")
    for module in model.modules():
        if hasattr(module, "base"):
            module.base = module.base.to("meta")
    return model


def case_2_load_reads_a_part() -> None:
    path, model = FOLDER / "model.safetensors", Model(depth=4)
    tensors = _write(path, model)
    expected = train(Model(depth=4), batch())
    model = shared_out(_on_meta(Model(depth=4)), mesh(2))
    torch.manual_seed(dist.get_rank())  # the first rank's counts
    with _Meter() as meter:
        made = qd.load(model, path, DEVICE)
    alone = _on_meta(Model(depth=4))
    qd.load(alone, path, DEVICE)
    for name, parameter in alone.named_parameters():
        if "lora" in name:
            assert torch.equal(whole(dict(model.named_parameters())[name].detach()), parameter.detach()), name
    assert len(made) == 16 and all("lora" in name for name in made)
    read = sum(tensor.nbytes for name, tensor in tensors.items() if name.count(".") < 5)
    # Nested arrays are whole everywhere, and 64 bytes here are some of them.
    assert meter.bytes < 0.55 * read, (meter.bytes, read)
    for name, factor in Model(depth=4).named_parameters():
        if "lora" in name:
            parameter = dict(model.named_parameters())[name]
            parameter.data._local_tensor.copy_(factor.detach().chunk(2)[dist.get_rank()])
    assert train(model, batch()) == expected


def case_2_as_stored() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(WIDTH, INNER, bias=False), nn.Linear(INNER, WIDTH)

        def forward(self, x: Any) -> Any:
            return self.b(self.a(x))

    path = FOLDER / "net.safetensors"
    stored = weight(INNER, WIDTH, 5), weight(WIDTH, INNER, 6, nested=False), torch.arange(WIDTH).bfloat16().to(DEVICE)
    if dist.get_rank() == 0:
        save_file(
            to_state_dict(stored[0], "a.weight") | to_state_dict(stored[1], "b.weight") | {"b.bias": stored[2]}, path
        )
    dist.barrier()
    with torch.device("meta"):
        net = Net().bfloat16()
    assert qd.as_stored(net, path).layers == ["a", "b"]
    fully_shard(net, mesh=mesh(2))
    assert qd.load(net, path, DEVICE) == []
    hidden = qfuse.matmul_4bit(batch(), stored[0])
    assert torch.equal(net(batch()), qfuse.matmul_4bit(hidden, stored[1], bias=stored[2]))
    with torch.device("meta"):
        other = nn.Sequential(nn.Linear(8, 8))
    refused(lambda: qd.as_stored(other, path), "no 4-bit weight", "prefix")


def case_2_load_checkpoint_of_a_mesh() -> None:
    path, rank = FOLDER / "plan.safetensors", dist.get_rank()
    stored = {name: weight(128, 512, i, nested=i % 2 == 0) for i, name in enumerate(("a", "b", "c"))}
    dense = torch.arange(64 * 6, dtype=torch.int32).view(64, 6)
    if rank == 0:
        tensors: dict[str, torch.Tensor] = {"norm": dense}
        for name, each in stored.items():
            tensors |= to_state_dict(each, name)
        save_file(tensors, path)
    dist.barrier()
    plan = {"a": Shard(0), "b": Shard(1), "norm": Shard(1)}
    found = qfuse.load_checkpoint(path, DEVICE, mesh=mesh(2), plan=plan)
    decoded = {name: each.dequantize() for name, each in stored.items()}
    assert torch.equal(found["a"].dequantize(), decoded["a"].chunk(2, 0)[rank])
    assert torch.equal(found["b"].dequantize(), decoded["b"].chunk(2, 1)[rank])
    assert torch.equal(found["c"].dequantize(), decoded["c"])
    assert torch.equal(found["norm"].cpu(), dense.chunk(2, 1)[rank])
    refused(lambda: qfuse.load_checkpoint(path, mesh=mesh(2), plan={"*.q_proj": Shard(0)}), "*.q_proj", "no tensor")
    refused(lambda: qfuse.load_checkpoint(path, mesh=mesh(2), plan={"a": [Shard(0), Shard(1)]}), "2 placements")
    only_first = DeviceMesh(DEVICE, [0], mesh_dim_names=("dp",))
    if rank == 1:
        refused(lambda: qfuse.load_checkpoint(path, mesh=only_first, plan={"a": Shard(0)}), "rank 1 is not in")
    over_two = mesh(1, 2)
    found = qfuse.load_checkpoint(path, DEVICE, mesh=over_two, plan={"a": [Replicate(), Shard(1)]})
    assert torch.equal(found["a"].dequantize(), decoded["a"].chunk(2, 1)[rank])


def _layer_cases() -> Any:
    for bias in (False, True):
        for nested in (False, True):
            yield lora(INNER, WIDTH, 3, bias=bias, nested=nested)
        yield Linear4bit(weight(INNER, WIDTH, 4), bias=torch.ones(INNER).bfloat16().to(DEVICE) if bias else None)


def _run(layer: Any, x: Any, grad: Any) -> tuple[Any, Any]:
    x = x.clone().requires_grad_()
    y = layer(x)
    y.backward(grad)
    return y.detach(), x.grad


def case_2_columns_of_a_layer_have_the_bits_of_one_process() -> None:
    x, rank, over = batch(), dist.get_rank(), mesh(2)
    grad = batch(16, INNER, 1)
    for layer, alone in zip(_layer_cases(), _layer_cases(), strict=True):
        y, grad_x = _run(alone, x, grad)
        parallelize_module(layer, over, qd.ColwiseLinear4bit())
        own, own_grad_x = _run(layer, x, grad.chunk(2, 1)[rank])
        assert torch.equal(own, y.chunk(2, 1)[rank])
        torch.testing.assert_close(own_grad_x, grad_x, rtol=0.02, atol=0.02)  # a sum of two roundings
        _check_factors(layer, alone)


def _check_factors(layer: Any, alone: Any) -> None:
    for name, parameter in alone.named_parameters():
        if "lora" in name:
            found = whole(dict(layer.named_parameters())[name].grad)
            scale = parameter.grad.abs().max().item()
            torch.testing.assert_close(found, parameter.grad, rtol=0.02, atol=0.02 * scale)


def case_2_rows_of_a_layer_are_one_sum() -> None:
    x, rank, over = batch(16, WIDTH), dist.get_rank(), mesh(2)
    grad = batch(16, INNER, 1)
    for layer, alone in zip(_layer_cases(), _layer_cases(), strict=True):
        y, grad_x = _run(alone, x, grad)
        parallelize_module(layer, over, qd.RowwiseLinear4bit())
        found, own_grad_x = _run(layer, x.chunk(2, 1)[rank].contiguous(), grad)
        torch.testing.assert_close(found, y, rtol=0.02, atol=0.02)
        assert torch.equal(own_grad_x, grad_x.chunk(2, 1)[rank])  # columns of dx: each has its own sum
        _check_factors(layer, alone)


def case_2_tensor_parallel_with_sequence_parallel() -> None:
    rank, over, x = dist.get_rank(), mesh(2), batch()
    alone = Model().layers[1]
    expected = alone(x)
    block = Model().layers[1]
    plan = {"up": qd.ColwiseLinear4bit(sequence_parallel=True), "down": qd.RowwiseLinear4bit(sequence_parallel=True)}
    parallelize_module(block, over, plan)
    own = x.chunk(2)[rank]
    found = block(own)
    torch.testing.assert_close(found, expected.chunk(2)[rank], rtol=0.02, atol=0.03)
    expected.float().square().sum().backward()
    found.float().square().sum().backward()
    _check_factors(block, alone)


def case_2_tensor_parallel_gathers_its_output() -> None:
    over, x = mesh(2), batch()
    layer, alone = lora(INNER, WIDTH, 3), lora(INNER, WIDTH, 3)
    parallelize_module(layer, over, qd.ColwiseLinear4bit(gather_output=True))
    (y, grad_x), (found, found_grad_x) = _run(alone, x, batch(16, INNER, 1)), _run(layer, x, batch(16, INNER, 1))
    assert torch.equal(found, y)
    torch.testing.assert_close(found_grad_x, grad_x, rtol=0.02, atol=0.02)


def case_2_layers_of_one_input_send_one_gradient() -> None:
    import torch.distributed._functional_collectives as funcol

    over, x = mesh(2), batch().requires_grad_()
    layers = [Linear4bit(weight(INNER, WIDTH, seed)) for seed in range(3)]
    expected = [layer(x) for layer in layers]
    sum(y.float().square().sum() for y in expected).backward()
    grad, x.grad = x.grad, None
    for layer in layers:
        parallelize_module(layer, over, qd.ColwiseLinear4bit())
    counted, original = [], funcol.all_reduce
    funcol.all_reduce = lambda *args: counted.append(args) or original(*args)
    try:
        found = [layer(x) for layer in layers]
        sum(y.float().square().sum() for y in found).backward()
        assert len(counted) == 1
        torch.testing.assert_close(x.grad, grad, rtol=0.02, atol=0.02 * grad.abs().max().item())
        x.grad = None
        with torch.no_grad():
            x.mul_(2)
            layers[0](x)
        found = [layer(x) for layer in layers]  # another x by now, though it is the same object
        sum(y.float().square().sum() for y in found).backward()
        assert len(counted) == 2
        torch.testing.assert_close(x.grad, 2 * grad, rtol=0.02, atol=0.04 * grad.abs().max().item())
        # One that is changed between two layers, with a gradient of its own.
        changed = x * 1
        first = layers[0](changed)
        changed.mul_(2)
        assert torch.equal(layers[0](changed), 2 * first)
        x.grad = None
        layers[1](changed).float().sum().backward()
        direct = x.detach().clone().requires_grad_()
        layers[1](2 * direct).float().sum().backward()
        assert torch.equal(x.grad, direct.grad)
    finally:
        funcol.all_reduce = original


def case_2_tensor_parallel_refuses() -> None:
    over = mesh(2)
    layer = Linear4bit(weight(64, 64, 0))
    refused(lambda: parallelize_module(layer, over, qd.RowwiseLinear4bit()), "block of 64")
    refused(lambda: parallelize_module(nn.Linear(64, 64), over, qd.ColwiseLinear4bit()), "Linear", "shardable")
    odd = Linear4bit(weight(65, 64, 0))
    refused(lambda: parallelize_module(odd, over, qd.ColwiseLinear4bit()), "65", "2 equal parts")
    twice = parallelize_module(Linear4bit(weight(128, 64, 0)), over, qd.ColwiseLinear4bit())
    refused(lambda: parallelize_module(twice, over, qd.ColwiseLinear4bit()), "cut already")
    cut = Linear4bit(weight(128, 64, 0))
    fully_shard(cut, mesh=over)
    refused(lambda: parallelize_module(cut, over, qd.ColwiseLinear4bit()), "before FSDP")


def _with_biases() -> nn.Module:
    biases = [torch.linspace(-1, 1, n, device=DEVICE) for n in (INNER, WIDTH)]
    up, down = weight(INNER, WIDTH, 0), weight(WIDTH, INNER, 1)
    return nn.Sequential(Linear4bit(up, bias=biases[0]), nn.SiLU(), Linear4bit(down, bias=biases[1]))


def case_2_biases_of_cut_layers_are_trained_and_saved() -> None:
    rank, over, x = dist.get_rank(), mesh(2), batch().float()
    alone = _with_biases()
    alone(x).square().sum().backward()
    for is_sequence in (False, True):
        options = {"sequence_parallel": is_sequence}
        plan = {"0": qd.ColwiseLinear4bit(**options), "2": qd.RowwiseLinear4bit(**options)}
        model = parallelize_module(_with_biases(), over, plan)
        found = model(x.chunk(2)[rank] if is_sequence else x)
        found.square().sum().backward()
        for i in (0, 2):
            torch.testing.assert_close(whole(model[i].bias.grad), alone[i].bias.grad, rtol=1e-4, atol=1e-4)
    model.requires_grad_(False)
    qd.save(model, FOLDER / "biases", base=True)
    if rank == 0:
        qd.consolidate(FOLDER / "biases", FOLDER / "biases_out")
        stored = qfuse.load_checkpoint(FOLDER / "biases_out" / "model-00001-of-00001.safetensors", DEVICE)
        for i in (0, 2):
            assert torch.equal(stored[f"{i}.bias"], alone[i].bias)
            assert torch.equal(stored[f"{i}.weight"].dequantize(), alone[i].weight.dequantize())
    dist.barrier()


def case_2_an_adapter_that_is_added_to_a_cut_layer() -> None:
    """Each rank would have another gradient of it."""

    class Adapted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.base_layer = Linear4bit(weight(INNER, WIDTH, 0))
            self.in_features, self.out_features = WIDTH, INNER
            self.lora_A, self.lora_B = nn.ModuleDict(), nn.ModuleDict()

        def forward(self, x: Any) -> Any:
            return self.base_layer(x)

    for style in (qd.ColwiseLinear4bit(), qd.RowwiseLinear4bit()):
        layer = parallelize_module(Adapted(), mesh(2), style)
        layer.lora_A["later"] = nn.Linear(WIDTH, 4, bias=False)
        try:
            layer(batch())
        except RuntimeError as error:
            assert "'later'" in str(error)
        else:
            raise AssertionError("was not refused")


def case_2_load_and_save_parts_of_experts_and_biases() -> None:
    """A model that is on the meta device but for its adapters."""
    names = {"experts": experts(), "linear": lora(INNER, WIDTH, 0, bias=True)}
    stored = {f"experts.{name}": each for name, each in names["experts"].to_state_dict().items()}
    stored |= to_state_dict(names["linear"].base, "linear.weight") | {"linear.bias": names["linear"].bias}
    path, model = (
        FOLDER / "parts.safetensors",
        nn.ModuleDict({"experts": experts(), "linear": lora(INNER, WIDTH, 0, bias=True)}),
    )
    if dist.get_rank() == 0:
        save_file({name: each.contiguous() for name, each in stored.items()}, path)
    dist.barrier()
    for module in model.modules():
        if hasattr(module, "base"):
            module.base = module.base.to("meta")
            module.bias = None if module.bias is None else module.bias.to("meta")
    parallelize_module(model, mesh(2), {"experts": qd.ExpertParallel4bit(), "linear": qd.ColwiseLinear4bit()})
    qd.shardable(model)
    assert qd.load(model, path, DEVICE) == []
    assert torch.equal(model["linear"].bias, names["linear"].bias.chunk(2)[dist.get_rank()])
    qd.save(model, FOLDER / "parts", base=True)
    if dist.get_rank() == 0:
        qd.consolidate(FOLDER / "parts", FOLDER / "parts_out")
        found = load_file(FOLDER / "parts_out" / "model-00001-of-00001.safetensors", DEVICE)
        assert found.keys() == stored.keys()
        assert all(torch.equal(found[name].view(-1), each.view(-1)) for name, each in stored.items())
    dist.barrier()


def case_2_load_takes_no_bytes_for_values() -> None:
    path, layer = FOLDER / "bytes.safetensors", nn.Linear(8, 8, bias=False, device="meta")
    if dist.get_rank() == 0:
        save_file({"weight": torch.ones(8, 8, dtype=torch.int8)}, path)
    dist.barrier()
    refused(lambda: qd.load(layer, path, DEVICE), "weight is torch.int8 in the files")
    fully_shard(layer, mesh=mesh(2))
    refused(lambda: qd.load(layer, path, DEVICE), "weight is torch.int8 in the files")


def case_2_experts_over_ranks() -> None:
    over, rank = mesh(2), dist.get_rank()
    hidden, index = batch(24, 128), torch.randint(4, (24, 2), generator=torch.Generator().manual_seed(1)).to(DEVICE)
    shares = torch.rand(24, 2, generator=torch.Generator().manual_seed(2)).to(DEVICE)
    alone = experts()
    expected = alone(hidden, index, shares)
    expected.float().square().sum().backward()
    made = experts()
    parallelize_module(made, over, qd.ExpertParallel4bit())
    assert made.gate_up_proj.base.shape == (2, 128, 128)
    found = made(hidden, index, shares)
    torch.testing.assert_close(found, expected, rtol=0.02, atol=0.05)
    found.float().square().sum().backward()
    _check_factors(made, alone)
    made = experts()
    parallelize_module(made, over, qd.ExpertParallel4bit(sequence_parallel=True))
    found = made(*(each.chunk(2)[rank] for each in (hidden, index, shares)))
    torch.testing.assert_close(found, expected.chunk(2)[rank], rtol=0.02, atol=0.05)
    found.float().square().sum().backward()
    _check_factors(made, alone)


def _tensor_parallel(model: Any, over: Any) -> Any:
    plan = {"layers.*.up": qd.ColwiseLinear4bit(), "layers.*.down": qd.RowwiseLinear4bit()}
    return parallelize_module(model, over, plan)


def case_2_save() -> None:
    """For case_4_restore and the test of one process. What comes next is in the folder, too."""
    x = batch()
    model = shared_out(Model(), mesh(2))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    train_with(model, optimizer, x, 2)
    qd.save(model, FOLDER / "step2", optimizer=optimizer, base=True, extra={"step": 2})
    losses = train_with(model, optimizer, x, 2)
    if dist.get_rank() == 0:
        torch.save(losses, FOLDER / "next.pt")
    cut = _tensor_parallel(Model(), mesh(2))
    train(cut, x, 1)
    qd.save(cut, FOLDER / "cut", base=True)
    qd.save(cut, FOLDER / "cut")  # in place of the one before
    if dist.get_rank() == 0:  # which may write the next one before others get here
        assert not (FOLDER / "cut.partial").exists() and not (FOLDER / "cut.old").exists()
    qd.save(cut, FOLDER / "cut", base=True)


def case_2_restore_behind_an_evaluation() -> None:
    """Which leaves whole parameters in the place of shards."""
    x, model = batch(), shared_out(Model(), mesh(2))
    train(model, x, 1)
    expected = {name: whole(p.detach()) for name, p in model.named_parameters() if p.requires_grad}
    for which in (model, shared_out(Model(), mesh(2), reshard_after_forward=False)):
        with torch.no_grad():
            which(x)
        if which is model:
            qd.save(which, FOLDER / "evaluated")
        else:
            qd.restore(which, FOLDER / "evaluated")
            which.reshard()
    assert_same({name: whole(p.detach()) for name, p in which.named_parameters() if p.requires_grad}, expected)


def case_2_what_fails_on_the_first_rank_fails_on_all() -> None:
    """None waits for it."""
    (FOLDER / "file").touch()
    try:
        qd.save(Model(), FOLDER / "file" / "below")
    except (OSError, RuntimeError) as error:
        assert "Not a directory" in str(error) or "NotADirectory" in str(error)
    else:
        raise AssertionError("was saved")


def case_2_restore_of_another_adapter() -> None:
    qd.save(Model(), FOLDER / "two_layers")
    refused(lambda: qd.restore(Model(depth=3), FOLDER / "two_layers"), "has no 'layers.2")
    refused(lambda: qd.restore(Model(depth=1), FOLDER / "two_layers"), "has 'layers.1", "the model has not")


def case_2_full_state_dict() -> None:
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    found = get_model_state_dict(shared_out(Plain(), mesh(2)), options=options)
    if dist.get_rank() == 0:  # which alone gets it
        assert torch.equal(found["up.weight"].dequantize(), Plain().up.weight.dequantize().cpu())


def case_2_clipping_sees_one_norm() -> None:
    """What a rank has of a factor is its part of the whole's norm."""
    x = batch()
    alone, cut = Model(), _tensor_parallel(Model(), mesh(2))
    for model in (alone, cut):
        model(x).float().square().sum().backward()
    norms = [
        whole(nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], 1e-3))
        for model in (alone, cut)
    ]
    torch.testing.assert_close(norms[1], norms[0], rtol=0.01, atol=0)


def case_4_fsdp_and_tensor_parallel() -> None:
    over, x = mesh(2, 2), batch()
    expected = train(Model(), x)
    model = Model()
    qd.shardable(model)
    _tensor_parallel(model, over["tp"])
    found = train(shared_out(model, over["dp"]), x)
    torch.testing.assert_close(torch.tensor(found), torch.tensor(expected), rtol=0.01, atol=0)
    again = Model()
    qd.shardable(again)
    _tensor_parallel(again, over["tp"])
    assert train(shared_out(again, over["dp"]), x) == found
    refused(lambda: qd.save(again, FOLDER / "both", base=True), "at once")
    qd.save(again, FOLDER / "both")


def case_4_load_over_two_dimensions() -> None:
    over, path = mesh(2, 2), FOLDER / "two.safetensors"
    _write(path, Model())
    model = Model()
    for module in model.modules():
        if hasattr(module, "base"):
            module.base = module.base.to("meta")
    qd.shardable(model)
    _tensor_parallel(model, over["tp"])
    shared_out(model, over["dp"])
    qd.load(model, path, DEVICE)
    expected = Model()
    qd.shardable(expected)
    _tensor_parallel(expected, over["tp"])
    shared_out(expected, over["dp"])
    for (name, one), (_, other) in zip(model.named_parameters(), expected.named_parameters(), strict=True):
        if name.endswith("base"):
            for a, b in zip(one._local_tensor.inner, other._local_tensor.inner, strict=True):
                assert torch.equal(a, b), name
    assert train(model, batch()) == train(expected, batch())


def case_4_sums_are_in_the_order_of_ranks() -> None:
    from qfuse.collectives import scattered_sum, summed

    group = mesh(4).get_group()
    parts = [batch(8, 33, seed).float() / 3 * 10.0**seed for seed in range(4)]  # whose sums are all rounded
    expected = ((parts[0] + parts[1]) + parts[2]) + parts[3]
    assert not torch.equal(expected, ((parts[0] + parts[3]) + parts[2]) + parts[1])
    own = parts[dist.get_rank()]
    assert torch.equal(summed(own, group), expected)
    assert torch.equal(scattered_sum(own, group, 0), expected.chunk(4)[dist.get_rank()])
    low = [part.bfloat16() for part in parts]
    expected = (((low[0].float() + low[1]) + low[2]) + low[3]).bfloat16()
    assert torch.equal(summed(low[dist.get_rank()], group), expected)


def case_4_hybrid_sharding() -> None:
    x = batch()
    assert train(shared_out(Model(), mesh(2, 2)), x) == train(Model(), x)


def case_4_restore() -> None:
    x = batch()
    model = shared_out(Model(), mesh(4))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    assert qd.restore(model, FOLDER / "step2", optimizer=optimizer) == {"step": 2}
    assert train_with(model, optimizer, x, 2) == torch.load(FOLDER / "next.pt")


def main() -> None:
    global FOLDER
    rank, ranks, FOLDER = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    torch.set_num_threads(1)
    store = dist.FileStore(str(FOLDER / f"store{ranks}"), ranks)
    backend = "gloo"
    if DEVICE == "cuda":
        torch.cuda.set_device(rank)
        backend = "nccl"
    dist.init_process_group(backend, store=store, rank=rank, world_size=ranks, timeout=timedelta(seconds=100))
    chosen = sys.argv[4:]
    with open(FOLDER / f"{ranks}.{rank}.txt", "a", buffering=1) as log:
        for name, case in list(globals().items()):
            if not name.startswith(f"case_{ranks}_") or (chosen and name not in chosen):
                continue
            log.write(f"{name} began\n")
            try:
                case()
            except Skipped:
                log.write(f"{name} skipped\n")
                continue
            except BaseException:
                log.write(f"{name} failed\n{traceback.format_exc()}\n")
                os._exit(1)
            log.write(f"{name} passed\n")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
