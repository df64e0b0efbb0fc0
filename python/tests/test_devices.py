"""Calls with tensors on several devices: each op, and the functions and modules over it, raise a RuntimeError that
names two of the tensors. If one tensor is on meta, torch calls the op's fake."""

import pytest
import torch
from conftest import replaced
from every_call import COLS, RANK, ROWS, Inputs
from swiglu_outputs import in_pieces, silu_arguments, swiglu_outputs
from test_ops import OPS, calls
from torch._subclasses.fake_tensor import FakeTensorMode

import qfuse

META, CPU, CUDA = "meta", "cpu", "cuda"
WORDS = r"^\w+ lies on (meta|the CPU|cuda:0), \w+ on (meta|the CPU|cuda:0): all must be on one device"


def _with_experts():
    """A swiglu call of few rows with the arguments that no call of test_ops has."""
    x, grad_y = silu_arguments(CPU)[:2]
    outputs = in_pieces(swiglu_outputs(CPU)[1]) | {"grad_y": grad_y, "weights": torch.rand(200)}
    experts = {"expert_ends": torch.tensor([200])}
    return OPS.swiglu.default, (x,), outputs | in_pieces(swiglu_outputs(CPU)[0]) | experts


def _with_lora():
    given = Inputs(CPU)
    arguments = given.x, given.weight.tensors, given.bias, given.lora_in, given.lora_weight
    return OPS.matmul_4bit.default, arguments, {"shape": (ROWS, COLS)}


def _grouped_with_lora():
    given = Inputs(CPU)
    factor = given.lora_weight.view(4, -1, RANK)
    arguments = given.x, given.weight.tensors, given.ends, given.bias.view(4, -1), given.lora_in, factor
    return OPS.matmul_4bit_grouped.default, arguments, {"shape": given.experts}


def _with_offset():
    how = {"nested_blocksize": 256, "given_offset": torch.zeros(())}
    return OPS.quantize_4bit.nested, (torch.randn(128, 64), 64, "nf4"), how


def _with_importance():
    return OPS.quantize_4bit.default, (torch.randn(128, 64), 64, "nf4"), {"importance": torch.ones(64)}


def _with_either_global_scale():
    """Has both a global scale and a global divisor, although a call may have only one."""
    given = Inputs(CPU)
    one, scales = torch.ones(1), torch.ones(ROWS, 1)
    more = {"global_scale": one, "global_divisor": one, "zero_points": scales.to(torch.uint8)}
    return OPS.dequantize_4bit_rows.default, (given.codes, scales, 2 * COLS, "int4", 2 * COLS, torch.half), more


def _named(op, args, kwargs):
    """All arguments of a call by name, except those left at their defaults."""
    return dict(zip([argument.name for argument in op._schema.arguments], args, strict=False)) | kwargs


def _places(arguments):
    """Yields the places of a call's tensors as (name, index in a list of tensors or None)."""
    for name, value in arguments.items():
        if isinstance(value, torch.Tensor):
            yield name, None
        elif isinstance(value, tuple) and isinstance(value[0], torch.Tensor):
            yield from ((name, index) for index in range(len(value)))


def _moved(arguments, here, there, place):
    """Returns the arguments with the tensor at `place` on `there` and all others on `here`."""

    def move(tensor, *at):
        return torch.empty(tensor.shape, dtype=tensor.dtype, device=there if at == place else here)

    moved = dict(arguments)
    for name, index in _places(arguments):
        if index is None:
            moved[name] = move(arguments[name], name, None)
        else:
            moved[name] = tuple(move(tensor, name, i) for i, tensor in enumerate(arguments[name]))
    return moved


# One call of every overload, with all tensors that it can have.
WHOLE = {
    call[0]: call
    for call in [
        *calls(CPU)[::-1],
        _with_experts(),
        _with_lora(),
        _grouped_with_lora(),
        _with_offset(),
        _with_importance(),
        _with_either_global_scale(),
    ]
}
WHOLE |= {call[0]: call for call in calls(CPU) if {"expert_ends", "addend"} & call[2].keys()}
CALLS = {str(op): (op, _named(op, args, kwargs)) for op, args, kwargs in WHOLE.values()}
CASES = [
    pytest.param(name, place, id=f"{name}-{place[0]}{'' if place[1] is None else place[1]}")
    for name, (_, arguments) in CALLS.items()
    for place in _places(arguments)
    if len(list(_places(arguments))) > 1
]
OF_WEIGHT = ("packed", "absmax", "nested_absmax", "nested_quant_map", "nested_offset")


def test_every_tensor_of_every_op_is_here():
    for schema in torch._C._jit_get_all_schemas():
        if not schema.name.startswith("qfuse::"):
            continue
        name = f"{schema.name.replace('::', '.')}.{schema.overload_name or 'default'}"
        tensors = {argument.name for argument in schema.arguments if "Tensor" in str(argument.type)}
        assert name in CALLS, f"{name} has no call here"
        assert tensors == {place[0] for place in _places(CALLS[name][1])}, name


@pytest.mark.parametrize(("name", "place"), CASES)
@pytest.mark.parametrize(("here", "there"), [(CPU, META), (META, CPU)])
def test_an_op_refuses(name, place, here, there):
    op, arguments = CALLS[name]
    with pytest.raises(RuntimeError, match=WORDS) as raised:
        op(**_moved(arguments, here, there, place))
    argument, index = place
    if argument == "biases":
        argument = "bias"
    elif index is not None and len(arguments[argument]) > 1:  # not an array in the place of a 4-bit weight
        argument = OF_WEIGHT[index % len(OF_WEIGHT)]
    assert argument in str(raised.value)


@pytest.mark.parametrize(("name", "place"), CASES)
@pytest.mark.parametrize(("here", "there"), [(CUDA, CPU), (CPU, CUDA)])
def test_a_fake_refuses_what_no_gpu_is_needed_for(name, place, here, there):
    """Fakes also refuse an offset of no dimensions, which torch's own ops would accept on the CPU."""
    op, arguments = CALLS[name]
    with FakeTensorMode(allow_non_fake_inputs=False), pytest.raises(RuntimeError, match=WORDS):
        op(**_moved(arguments, here, there, place))


@pytest.mark.parametrize("index", range(len(calls(CPU))))
def test_all_on_meta(index):
    op, args, kwargs = calls(CPU)[index]
    found, expected = op(**_moved(_named(op, args, kwargs), META, META, None)), op(*args, **kwargs)
    for one, other in zip(*((x if isinstance(x, tuple | list) else (x,)) for x in (found, expected)), strict=True):
        if other is not None:
            assert (one.device.type, one.shape, one.dtype) == (META, other.shape, other.dtype)


# ---- calls built on the ops: past torch's dispatcher, with gradients and in modules


def _replaced(given, name):
    """Returns the inputs with one tensor on meta."""
    if name in OF_WEIGHT:
        index = OF_WEIGHT.index(name)
        given.weight = replaced(given.weight, index, given.weight.tensors[index].to(META))
    else:
        setattr(given, name, getattr(given, name).to(META))
    return given


DECODES = {
    "ops": lambda i: qfuse.ops.dequantize_4bit(*i.weight),
    "functional": lambda i: qfuse.dequantize_4bit(i.weight),
}
PRODUCTS = {
    "ops": lambda i: i.product(i.x, bias=i.bias),
    "functional": lambda i: qfuse.matmul_4bit(i.x, i.weight, bias=i.bias),
    "many": lambda i: qfuse.matmul_4bit_many(i.x, [i.weight] * 2, biases=[i.bias] * 2),
    "decoded": lambda i: i.product(i.x, order=None, bias=i.bias),
    "lora": lambda i: qfuse.matmul_4bit_lora(i.x, i.weight, i.lora_a, i.lora_b, bias=i.bias),
    "shared": lambda i: qfuse.matmul_4bit_lora_shared(
        i.x, [i.weight] * 2, [i.lora_a] * 2, [i.lora_b] * 2, biases=[i.bias] * 2
    ),
}


@pytest.mark.parametrize("name", OF_WEIGHT)
@pytest.mark.parametrize("decode", DECODES)
def test_a_decode_refuses(decode, name):
    with pytest.raises(RuntimeError, match=WORDS):
        DECODES[decode](_replaced(Inputs(CPU), name))


@pytest.mark.parametrize("name", ["x", "bias", *OF_WEIGHT])
@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("product", PRODUCTS)
def test_a_product_refuses(product, trained, name):
    given = _replaced(Inputs(CPU), name)
    given.x.requires_grad_(trained)
    with pytest.raises(RuntimeError, match=WORDS):
        PRODUCTS[product](given)


@pytest.mark.parametrize("name", ["lora_a", "lora_b"])
@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("product", ["lora", "shared"])
def test_an_adapter_elsewhere_is_refused(product, trained, name):
    given = _replaced(Inputs(CPU), name)
    given.x.requires_grad_(trained)
    with pytest.raises(RuntimeError, match=WORDS):
        PRODUCTS[product](given)


@pytest.mark.parametrize("with_lora", [False, True])
@pytest.mark.parametrize("name", ["x", "bias", "ends", *OF_WEIGHT])
def test_a_product_of_experts_refuses(name, with_lora):
    given = Inputs(CPU)
    given.bias, given.lora_a = given.bias.view(4, -1), given.lora_a.expand(4, -1, -1)
    given.lora_b = given.lora_b.view(4, -1, RANK)
    given = _replaced(given, name)
    stack = given.weight._replace(shape=given.experts)
    product = qfuse.matmul_4bit_grouped_lora if with_lora else qfuse.matmul_4bit_grouped
    with pytest.raises(RuntimeError, match=WORDS):
        product(given.x, stack, given.ends, *[given.lora_a, given.lora_b] * with_lora, bias=given.bias)


@pytest.mark.parametrize("name", ["x", *OF_WEIGHT])
def test_a_layer_refuses(name):
    with pytest.raises(RuntimeError, match=WORDS):
        given = _replaced(Inputs(CPU), name)
        qfuse.nn.Linear4bitLoRA(given.weight, RANK)(given.x)
