"""qfuse.nn.Experts4bit: against each expert's layers in torch over decoded stacks, and transformers' own modules."""

import copy
import functools

import pytest
import torch
from conftest import same_bits
from safetensors.torch import save_file
from test_grouped import stack_of, values

import qfuse
from qfuse.nn import Experts4bit, clamped_swiglu

EXPERTS, HIDDEN, WIDE, TOKENS, TOP = 6, 64, 40, 11, 2
linear = torch.nn.functional.linear


def stacks(device, is_transposed=False, nested="plain", dtype=torch.float32):
    gate_up, down = (EXPERTS, 2 * WIDE, HIDDEN), (EXPERTS, HIDDEN, WIDE)
    shapes = [(e, k, n) if is_transposed else (e, n, k) for e, n, k in (gate_up, down)]
    return [stack_of(device, shape, nested, dtype=dtype)[0] for shape in shapes]


def biases(device, dtype=torch.float32):
    return {
        "gate_up_bias": values(EXPERTS, 2 * WIDE, device=device, dtype=dtype),
        "down_bias": values(EXPERTS, HIDDEN, device=device, dtype=dtype),
    }


def routed(device, dtype=torch.float32, experts=EXPERTS):
    hidden = 0.1 * values(TOKENS, HIDDEN, device=device, dtype=dtype)
    index = torch.stack([torch.randperm(experts, generator=torch.Generator().manual_seed(i)) for i in range(TOKENS)])
    weights = values(TOKENS, TOP, device=device, seed=4).softmax(-1).to(dtype)
    return hidden, index[:, :TOP].to(device), weights


def by_torch(experts, hidden, index, weights, split, dtype=torch.float64):
    """Computes expert by expert in torch, from the decoded stacks."""
    total = torch.zeros(TOKENS, HIDDEN, dtype=dtype, device=hidden.device)
    for expert in range(EXPERTS):
        token, place = torch.where(index == expert)
        x = hidden[token].to(dtype)
        for stack in (experts.gate_up_proj, experts.down_proj):
            dense = stack.base.dequantize()[expert].to(dtype)
            y = x @ dense if stack.is_transposed else linear(x, dense)
            y = y if stack.bias is None else y + stack.bias[expert].to(dtype)
            if stack.rank > 0:
                a, b = stack.lora_A[expert].to(dtype), stack.lora_B[expert].to(dtype)
                y = y + stack.scaling * linear(linear(x, a), b)
            x = experts.activation(*split(y)) if stack is experts.gate_up_proj else y
        total = total.index_add(0, token, x * weights[token, place, None].to(dtype))
    return total


def halves(gate_up):
    return gate_up.chunk(2, -1)


def turns(gate_up):
    return gate_up[..., ::2], gate_up[..., 1::2]


LAYOUTS = {
    "as most": ({}, halves, {}),
    "as gpt-oss": ({"is_transposed": True}, turns, {"is_concatenated": False, "activation": clamped_swiglu}),
}


def experts_of(layout, device, rank=4, nested="plain", dtype=torch.float32):
    lies, split, more = LAYOUTS[layout]
    module = Experts4bit(*stacks(device, nested=nested, dtype=dtype, **lies), rank=rank, alpha=8, **lies, **more)
    if layout == "as gpt-oss":
        module = Experts4bit(
            module.gate_up_proj.base, module.down_proj.base, rank=rank, alpha=8, **lies, **more, **biases(device, dtype)
        )
    for parameter in module.parameters():
        parameter.data = 0.1 * values(*parameter.shape, device=device, dtype=parameter.dtype, seed=parameter.dim())
    return module, split


@pytest.mark.parametrize("nested", ["plain", "each"])
@pytest.mark.parametrize("rank", [0, 4])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_is_each_experts_layers(device, layout, rank, nested):
    experts, split = experts_of(layout, device, rank, nested)
    hidden, index, weights = routed(device)
    found = experts(hidden, index, weights)
    expected = by_torch(experts, hidden, index, weights, split)
    assert found.dtype == hidden.dtype
    torch.testing.assert_close(found.double(), expected, rtol=1e-4, atol=1e-6 * float(expected.detach().abs().max()))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients(device, layout):
    experts, split = experts_of(layout, device)
    hidden, index, weights = routed(device)
    grad = values(TOKENS, HIDDEN, device=device, seed=9)
    leaves = [hidden.requires_grad_(), weights.requires_grad_(), *experts.parameters()]
    assert len(leaves) == 6
    found = torch.autograd.grad(experts(hidden, index, weights), leaves, grad)
    expected = torch.autograd.grad(by_torch(experts, hidden, index, weights, split), leaves, grad.double())
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4 * float(other.abs().max()))


def test_nobodys_rows_add_nothing(device):
    """A process that has only some experts gives rows of the others an index past its last expert."""
    experts, split = experts_of("as most", device)
    hidden, index, weights = routed(device, experts=EXPERTS + 3)
    index = index.clamp(max=EXPERTS)
    assert (index == EXPERTS).any()
    hidden.requires_grad_()
    found = experts(hidden, index, weights)
    expected = by_torch(experts, hidden, index, weights, split)
    torch.testing.assert_close(found.double(), expected, rtol=1e-4, atol=1e-6 * float(expected.detach().abs().max()))
    found.square().sum().backward()
    assert hidden.grad.isfinite().all()
    all_nobodys = experts(hidden, torch.full_like(index, EXPERTS), weights)
    assert (all_nobodys == 0).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_in_16_bits(device, dtype):
    experts, split = experts_of("as most", device, dtype=dtype)
    hidden, index, weights = routed(device, dtype)
    found = experts(hidden, index, weights.float())
    assert found.dtype == dtype
    expected = by_torch(experts, hidden, index, weights, split)
    assert (found.double() - expected).abs().max() <= 16 * torch.finfo(dtype).eps * expected.abs().max()


def test_an_untrained_adapter_changes_nothing(device):
    given, (hidden, index, weights) = stacks(device), routed(device)
    expected = Experts4bit(*given)(hidden, index, weights)
    found = Experts4bit(*given, rank=8)(hidden, index, weights)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


def test_an_order_of_tokens_changes_no_result(device):
    experts, _ = experts_of("as most", device, rank=0)
    qfuse.set_batch_invariant(True)
    hidden, index, weights = routed(device)
    expected = experts(hidden, index, weights)
    order = torch.randperm(TOKENS, generator=torch.Generator().manual_seed(2)).to(device)
    assert same_bits(experts(hidden[order], index[order], weights[order]), expected[order])
    qfuse.set_batch_invariant(False)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_compiles_with_its_gradients_into_one_graph(device, backend, layout):
    experts, _ = experts_of(layout, device)
    hidden, index, weights = routed(device)

    def step(module):
        leaves = [hidden.detach().clone().requires_grad_(), *experts.parameters()]
        found = module(leaves[0], index, weights)
        return [found, *torch.autograd.grad(found.square().sum(), leaves)]

    torch._dynamo.reset()
    for one, other in zip(step(torch.compile(experts, fullgraph=True, backend=backend)), step(experts), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-3 * float(other.detach().abs().max()))


# ---- modules of transformers


def of_transformers(name, device):
    pytest.importorskip("transformers")
    if name == "gpt_oss":
        from transformers import GptOssConfig as Config
        from transformers.models.gpt_oss.modeling_gpt_oss import GptOssExperts as Experts

        config = Config(num_local_experts=EXPERTS, hidden_size=HIDDEN, intermediate_size=WIDE)
    else:
        from transformers import Qwen3MoeConfig as Config
        from transformers.models.qwen3_moe.modeling_qwen3_moe import Qwen3MoeExperts as Experts

        config = Config(num_experts=EXPERTS, hidden_size=HIDDEN, moe_intermediate_size=WIDE)
    config._experts_implementation = "eager"
    module = Experts(config).to(device)
    for i, parameter in enumerate(module.parameters()):
        parameter.data = 0.2 * values(*parameter.shape, device=device, seed=i)
    return module


@pytest.mark.parametrize("name", ["qwen3_moe", "gpt_oss"])
def test_is_transformers_module(device, name):
    module = of_transformers(name, device)
    experts = Experts4bit.from_module(module)
    for own in ("gate_up_proj", "down_proj"):
        getattr(module, own).data = getattr(experts, own).base.dequantize()
    hidden, index, weights = routed(device)
    torch.testing.assert_close(experts(hidden, index, weights), module(hidden, index, weights), rtol=1e-4, atol=1e-4)
    assert not any(
        value is module for value in vars(experts.activation).values() if hasattr(experts.activation, "func")
    )


def test_of_a_module_that_bitsandbytes_has_quantized(device):
    parametrize = pytest.importorskip("bitsandbytes.nn.parametrize")
    module = of_transformers("qwen3_moe", device)
    for name in ("gate_up_proj", "down_proj"):
        parametrize.replace_parameter_4bit(module, name, compress_statistics=True, quant_type="nf4")
    experts = Experts4bit.from_module(module)
    assert experts.gate_up_proj.base.packed.data_ptr() == module.parametrizations.gate_up_proj.original.data_ptr()
    hidden, index, weights = routed(device)
    torch.testing.assert_close(experts(hidden, index, weights), module(hidden, index, weights), rtol=1e-4, atol=1e-4)


def test_a_module_with_an_activation_of_its_own():
    module = torch.nn.Module()
    module.gate_up_proj, module.down_proj = torch.zeros(2, 16, 64), torch.zeros(2, 64, 8)
    with pytest.raises(ValueError, match="a Module has an activation of its own: pass it as activation"):
        Experts4bit.from_module(module)
    experts = Experts4bit.from_module(module, activation=torch.mul, nested=False, quant_type="fp4")
    assert experts.activation is torch.mul and not experts.down_proj.base.nested


# ---- what is stored


@pytest.mark.parametrize("nested", ["plain", "stack", "each"])
def test_what_is_stored_is_loaded(device, nested, tmp_path):
    experts = Experts4bit(*stacks(device, nested=nested), **biases(device))
    state = experts.to_state_dict("mlp.experts.")
    assert {"mlp.experts.gate_up_proj", "mlp.experts.down_proj.absmax", "mlp.experts.down_proj_bias"} <= state.keys()
    hidden, index, weights = routed(device)
    expected = experts(hidden, index, weights)
    again = Experts4bit.from_state_dict(state, "mlp.experts.")
    assert same_bits(again(hidden, index, weights), expected)
    with pytest.raises(KeyError, match=r"experts.gate_up_proj.quant_state.bitsandbytes__nf4"):
        Experts4bit.from_state_dict(state, "experts.")
    save_file({name: tensor.contiguous().cpu() for name, tensor in state.items()}, tmp_path / "model.safetensors")
    loaded = qfuse.load_checkpoint(tmp_path / "model.safetensors", device)
    gate_up, down = (loaded[f"mlp.experts.{name}"] for name in ("gate_up_proj", "down_proj"))
    again = Experts4bit(gate_up, down, **biases(device))
    assert same_bits(again(hidden, index, weights), expected)


def test_bitsandbytes_reads_what_is_stored(device):
    functional = pytest.importorskip("bitsandbytes.functional")
    experts = Experts4bit(*stacks(device, nested="stack", dtype=torch.bfloat16))
    state = experts.to_state_dict()
    own = {key.removeprefix("down_proj."): state[key] for key in state if key.startswith("down_proj.")}
    read = functional.QuantState.from_dict(own, torch.device(device))
    assert tuple(read.shape) == (EXPERTS, HIDDEN, WIDE) and read.dtype == torch.bfloat16 and read.nested
    stack = experts.down_proj.base
    assert torch.equal(read.code, functional.get_4bit_type("nf4", device))
    assert same_bits(qfuse.dequantize_4bit(state["down_proj"], read), qfuse.dequantize_4bit(stack))


def test_the_state_dict_is_the_adapters_alone(device):
    experts, _ = experts_of("as gpt-oss", device)
    names = {f"{stack}.{factor}" for stack in ("gate_up_proj", "down_proj") for factor in ("lora_A", "lora_B")}
    assert experts.state_dict().keys() == names == dict(experts.named_parameters()).keys()
    other, _ = experts_of("as gpt-oss", device)
    for parameter in other.parameters():
        parameter.data.zero_()
    other.load_state_dict(experts.state_dict())
    arguments = routed(device)
    assert same_bits(other(*arguments), experts(*arguments))


def test_moving_keeps_codes_and_scales(device):
    experts, _ = experts_of("as gpt-oss", device)
    moved = copy.deepcopy(experts).to(device, torch.bfloat16)
    for stack, other in ((experts.gate_up_proj, moved.gate_up_proj), (experts.down_proj, moved.down_proj)):
        assert all(same_bits(a, b) for a, b in zip(stack.base.tensors, other.base.tensors, strict=True))
        assert other.lora_A.dtype == other.bias.dtype == torch.bfloat16
    assert moved.to("meta").down_proj.base.device.type == "meta"
    assert "6, in_features=64, out_features=80, bias=True, quant_type=nf4, rank=4" in repr(experts)


def test_refuses(device):
    gate_up, down = stacks(device)
    refuse = functools.partial(pytest.raises, ValueError)
    with refuse(match=r"gate_up and down have the shapes \(6, 64, 40\) and \(6, 80, 64\), they must be"):
        Experts4bit(down, gate_up)
    with refuse(match="gate_up and down have the shapes"):
        Experts4bit(gate_up, down, is_transposed=True)
    with refuse(match=r"the weight has shape \(80, 64\), it must be a stack of matrices"):
        Experts4bit(torch.zeros(80, 64, device=device), down)
    with refuse(match=r"the weight has shape \(480, 64\), it must be a stack of matrices"):
        Experts4bit(gate_up._replace(shape=(480, 64)), down)
    with refuse(match=r"a bias has shape \(6, 40\), it must be \[6, 80\]"):
        Experts4bit(gate_up, down, gate_up_bias=torch.zeros(6, 40, device=device))
    with refuse(match="rank is -1, it must be 0 or more"):
        Experts4bit(gate_up, down, rank=-1)
    with pytest.raises(TypeError, match="has no quant_state"):
        Experts4bit(gate_up.packed, down)
