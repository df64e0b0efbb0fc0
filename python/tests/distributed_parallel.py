"""Cases of layers and experts split over several ranks: see distributed_cases.py."""

from typing import Any

import torch
import torch.distributed as dist
from distributed_models import DEVICE, INNER, WIDTH, Model, batch, experts, int4, lora, mxfp4, train, weight, whole
from distributed_support import FOLDER, mesh, refused, shared_out, tensor_parallel
from safetensors.torch import load_file, save_file
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import parallelize_module

import qfuse
import qfuse.distributed as qd
from qfuse.nn import Linear4bit
from qfuse.weight import to_state_dict


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


def _check_factors(layer: Any, alone: Any) -> None:
    for name, parameter in alone.named_parameters():
        if "lora" in name:
            found = whole(dict(layer.named_parameters())[name].grad)
            scale = parameter.grad.abs().max().item()
            torch.testing.assert_close(found, parameter.grad, rtol=0.02, atol=0.02 * scale)


def _with_biases() -> nn.Module:
    biases = [torch.linspace(-1, 1, n, device=DEVICE) for n in (INNER, WIDTH)]
    up, down = weight(INNER, WIDTH, 0), weight(WIDTH, INNER, 1)
    return nn.Sequential(Linear4bit(up, bias=biases[0]), nn.SiLU(), Linear4bit(down, bias=biases[1]))


def case_2_columns_of_a_layer_have_the_bits_of_one_process() -> None:
    x, rank, over = batch(), dist.get_rank(), mesh(2)
    grad = batch(16, INNER, 1)
    for layer, alone in zip(_layer_cases(), _layer_cases(), strict=True):
        y, grad_x = _run(alone, x, grad)
        parallelize_module(layer, over, qd.ColwiseLinear4bit())
        own, own_grad_x = _run(layer, x, grad.chunk(2, 1)[rank])
        assert torch.equal(own, y.chunk(2, 1)[rank])
        torch.testing.assert_close(own_grad_x, grad_x, rtol=0.02, atol=0.02)  # dx is the sum of two rounded parts
        _check_factors(layer, alone)


def case_2_rows_of_a_layer_are_one_sum() -> None:
    x, rank, over = batch(16, WIDTH), dist.get_rank(), mesh(2)
    grad = batch(16, INNER, 1)
    for layer, alone in zip(_layer_cases(), _layer_cases(), strict=True):
        y, grad_x = _run(alone, x, grad)
        parallelize_module(layer, over, qd.RowwiseLinear4bit())
        found, own_grad_x = _run(layer, x.chunk(2, 1)[rank].contiguous(), grad)
        torch.testing.assert_close(found, y, rtol=0.02, atol=0.02)
        assert torch.equal(own_grad_x, grad_x.chunk(2, 1)[rank])  # each column of dx is summed on one rank
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


def case_2_tensor_parallel_under_compile() -> None:
    for sequence_parallel in (False, True):
        x = batch().chunk(2)[dist.get_rank()] if sequence_parallel else batch()
        found = []
        for compiles in (False, True):
            block = Model().layers[1]
            plan = {
                "up": qd.ColwiseLinear4bit(sequence_parallel=sequence_parallel),
                "down": qd.RowwiseLinear4bit(sequence_parallel=sequence_parallel),
            }
            parallelize_module(block, mesh(2), plan)
            if compiles:
                block.compile(backend="aot_eager")
            y = block(x)
            y.float().square().sum().backward()
            found.append([y, *(whole(p.grad) for p in block.parameters() if p.grad is not None)])
        assert len(found[0]) == 5
        assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))


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
        found = [layer(x) for layer in layers]  # x has new values, though it is the same object
        sum(y.float().square().sum() for y in found).backward()
        assert len(counted) == 2
        torch.testing.assert_close(x.grad, 2 * grad, rtol=0.02, atol=0.04 * grad.abs().max().item())
        # An input that is changed in place between two layers gets its own gradient.
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
    """A cut layer refuses it, because each rank would compute a different gradient of the adapter."""

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
    """The base weights and biases, but not the adapters, start on the meta device."""
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


def case_2_experts_over_ranks() -> None:
    for packed in (None, mxfp4, int4):
        _experts_over_ranks(packed)


def _experts_over_ranks(packed: Any) -> None:
    over, rank = mesh(2), dist.get_rank()
    hidden, index = batch(24, 128), torch.randint(4, (24, 2), generator=torch.Generator().manual_seed(1)).to(DEVICE)
    shares = torch.rand(24, 2, generator=torch.Generator().manual_seed(2)).to(DEVICE)
    alone = experts(packed=packed)
    expected = alone(hidden, index, shares)
    expected.float().square().sum().backward()
    made = experts(packed=packed)
    parallelize_module(made, over, qd.ExpertParallel4bit())
    assert made.gate_up_proj.base.shape == (2, 128, 128)
    found = made(hidden, index, shares)
    torch.testing.assert_close(found, expected, rtol=0.02, atol=0.05)
    found.float().square().sum().backward()
    _check_factors(made, alone)
    made = experts(packed=packed)
    parallelize_module(made, over, qd.ExpertParallel4bit(sequence_parallel=True))
    found = made(*(each.chunk(2)[rank] for each in (hidden, index, shares)))
    torch.testing.assert_close(found, expected.chunk(2)[rank], rtol=0.02, atol=0.05)
    found.float().square().sum().backward()
    _check_factors(made, alone)


def case_2_clipping_sees_one_norm() -> None:
    """A rank's shard of a factor contributes its part to the norm of the whole model."""
    x = batch()
    alone, cut = Model(), tensor_parallel(Model(), mesh(2))
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
    tensor_parallel(model, over["tp"])
    found = train(shared_out(model, over["dp"]), x)
    torch.testing.assert_close(torch.tensor(found), torch.tensor(expected), rtol=0.01, atol=0)
    again = Model()
    qd.shardable(again)
    tensor_parallel(again, over["tp"])
    assert train(shared_out(again, over["dp"]), x) == found
    refused(lambda: qd.save(again, FOLDER / "both", base=True), "at once")
    qd.save(again, FOLDER / "both")


def case_4_sums_are_in_the_order_of_ranks() -> None:
    from qfuse.layers.collectives import scattered_sum, summed

    group = mesh(4).get_group()
    parts = [batch(8, 33, seed).float() / 3 * 10.0**seed for seed in range(4)]  # every sum of these is rounded
    expected = ((parts[0] + parts[1]) + parts[2]) + parts[3]
    assert not torch.equal(expected, ((parts[0] + parts[3]) + parts[2]) + parts[1])
    own = parts[dist.get_rank()]
    assert torch.equal(summed(own, group), expected)
    assert torch.equal(scattered_sum(own, group, 0), expected.chunk(4)[dist.get_rank()])
    low = [part.bfloat16() for part in parts]
    expected = (((low[0].float() + low[1]) + low[2]) + low[3]).bfloat16()
    assert torch.equal(summed(low[dist.get_rank()], group), expected)
