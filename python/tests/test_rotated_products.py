"""The order "rotated_int8" of matmul_4bit: the ops that it equals, forward and backward, and peft's layers with it."""

import copy
import pickle
import types
import weakref

import pytest
import torch
from conftest import Calls, make_weight, same_bits
from peft_models import HIDDEN, INNER, distance, inputs, make, step
from torch.utils.checkpoint import checkpoint

import qfuse
import qfuse.integrations.bitsandbytes
import qfuse.integrations.peft as integration
from qfuse.integrations import transformers_training
from qfuse.integrations.transformers_training import restore_training, speed_up_training
from qfuse.ops import rotated_products, rotated_swiglu

OP = "qfuse::matmul_4bit_rotated_int8"
SCALES, CODES = "qfuse::rotated_int8_weight_scales", "qfuse::rotated_int8_weight"
MANY = 150  # tokens of each of two sequences: more rows than a fused product takes
ROWS, COLS, RANK = 128, 192, 8


@pytest.fixture(autouse=True)
def leave_nothing_behind():
    yield
    qfuse.set_batch_invariant(False)
    integration.disable()
    qfuse.integrations.bitsandbytes.disable()


def random(*shape, device, dtype=torch.bfloat16, seed=1):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(device, dtype)


def by_ops(x, weight, bias=None, terms=(None, None), direction="forward", addend=None):
    q, scale = qfuse.rotated_int8_quantize(x)
    weight_scale = qfuse.rotated_int8_weight_scales(weight, direction=direction)
    weight_q = qfuse.rotated_int8_weight(weight, weight_scale, direction=direction)
    given = q, scale, weight_q, weight_scale, x.dtype, bias, *terms, addend
    return qfuse.rotated_int8_matmul(*given, direction=direction)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_products_and_gradients_are_those_of_the_ops(device, dtype):
    weight = make_weight(device, ROWS, COLS).weight
    bias = random(ROWS, device=device, dtype=dtype).requires_grad_()
    for shape in [(1, COLS), (2, 3, COLS), (0, COLS), (300, COLS), (COLS,)]:
        x = random(*shape, device=device, dtype=dtype).requires_grad_()
        y = qfuse.matmul_4bit(x, weight, bias=bias, order="rotated_int8")
        assert same_bits(y, by_ops(x.detach(), weight, bias.detach()))
        grad = random(*shape[:-1], ROWS, device=device, dtype=dtype, seed=2)
        grad_x, grad_bias = torch.autograd.grad(y, (x, bias), grad)
        assert same_bits(grad_x, by_ops(grad, weight, direction="backward"))
        assert same_bits(grad_bias, grad.reshape(-1, ROWS).sum(0))


def test_an_adapter_is_in_the_sums_and_its_gradients_are_those_of_any_order(device):
    weight = make_weight(device, ROWS, COLS).weight
    x = random(40, COLS, device=device).requires_grad_()
    lora_a = random(RANK, COLS, device=device, dtype=torch.float32, seed=2).requires_grad_()
    lora_b = random(ROWS, RANK, device=device, dtype=torch.float32, seed=3).requires_grad_()
    grad = random(40, ROWS, device=device, seed=4)

    def found(order):
        y = qfuse.matmul_4bit_lora(x, weight, lora_a, lora_b, 1.0, order=order)
        return y, *torch.autograd.grad(y, (x, lora_a, lora_b), grad)

    y, grad_x, *of_factors = found("rotated_int8")
    a, b = lora_a.detach().to(x.dtype), lora_b.detach().to(x.dtype)
    assert same_bits(y, by_ops(x.detach(), weight, terms=(x.detach() @ a.t(), b)))
    assert same_bits(grad_x, by_ops(grad, weight, terms=(grad @ b, a), direction="backward"))
    plain_y, plain_x, *of_plain = found("plain")
    assert all(map(same_bits, of_factors, of_plain))
    assert 0 < distance(y, plain_y) < 0.02 and 0 < distance(grad_x, plain_x) < 0.02
    shared = qfuse.matmul_4bit_lora_shared(x, [weight] * 2, [lora_a] * 2, [lora_b] * 2, order="rotated_int8")
    assert all(same_bits(each, y) for each in shared)
    (shared_x,) = torch.autograd.grad(shared, x, [grad] * 2)
    terms = torch.cat([grad @ b] * 2, -1), torch.cat([a] * 2)
    first = by_ops(grad, weight, terms=terms, direction="backward")
    assert same_bits(shared_x, by_ops(grad, weight, direction="backward", addend=first))


def test_who_watches_gets_the_same_bits(device, backend):
    weight = make_weight(device, ROWS, COLS).weight
    x, grad = random(40, COLS, device=device).requires_grad_(), random(40, ROWS, device=device, seed=2)
    lora_a, lora_b = random(RANK, COLS, device=device), random(ROWS, RANK, device=device)

    def multiply(x):
        return qfuse.matmul_4bit_lora(x, weight, lora_a, lora_b, order="rotated_int8")

    y = multiply(x)
    (grad_x,) = torch.autograd.grad(y, x, grad, retain_graph=True)
    for other in (
        torch.compile(multiply, fullgraph=True, backend=backend),
        lambda x: checkpoint(multiply, x, use_reentrant=False),
        lambda x: torch.func.vmap(multiply)(x.unflatten(0, (4, 10))).flatten(0, 1),
    ):
        found = other(x)
        assert same_bits(found, y) and same_bits(torch.autograd.grad(found, x, grad)[0], grad_x)
    with torch.inference_mode():
        assert same_bits(multiply(x), y)


def test_what_has_no_such_product_is_refused(device):
    weight = make_weight(device, ROWS, COLS).weight
    x = random(40, COLS, device=device).requires_grad_()
    y = qfuse.matmul_4bit(x, weight, order="rotated_int8")
    with pytest.raises(ValueError, match="has no gradient: leave out create_graph"):
        torch.autograd.grad(y.sum(), x, create_graph=True)
    factors = random(RANK, COLS, device=device), random(ROWS, RANK, device=device)
    y = qfuse.matmul_4bit_lora(x, weight, *factors, order="rotated_int8")
    with pytest.raises(ValueError, match="has no gradient: leave out create_graph"):
        torch.autograd.grad(y.sum(), x, create_graph=True)
    (y,) = qfuse.matmul_4bit_lora_shared(x, [weight], *([each] for each in factors), order="rotated_int8")
    with pytest.raises(ValueError, match="has no gradient: leave out create_graph"):
        torch.autograd.grad(y.sum(), x, create_graph=True)
    stack = make_weight(device, 2 * ROWS, COLS).weight._replace(shape=(2, ROWS, COLS))
    ends = torch.tensor([10, 40], device=device)
    with pytest.raises(ValueError, match="has no products of experts"):
        qfuse.matmul_4bit_grouped(x.detach(), stack, ends, order="rotated_int8")
    narrow = make_weight(device, ROWS, 96).weight
    with pytest.raises(RuntimeError, match="multiple of 64"):
        qfuse.matmul_4bit(x.detach()[:, :96], narrow, order="rotated_int8")


def test_peft_multiplies_many_rows_in_int8_and_few_as_ever(device):
    model, few, many = make(device), inputs(device), inputs(device, tokens=MANY)
    with integration.enabled():
        plain_few, plain_many = step(model, few), step(model, many)
    with integration.enabled(products="int8"):
        with Calls(OP) as calls:
            found_few = step(model, few)
        assert calls.count == 0 and all(same_bits(found_few[name], each) for name, each in plain_few.items())
        with Calls(OP) as calls:
            found = step(model, many)
        assert calls.count == 4
        qfuse.set_batch_invariant(True)
        with Calls(OP) as calls:
            rows = step(model, many[:, :3])
        assert calls.count == 4 and same_bits(rows["y"], found["y"][:, :3])
    assert all(0 < distance(found[name], each) < 0.04 for name, each in plain_many.items())
    qfuse.set_batch_invariant(False)
    with integration.enabled(), Calls(OP) as calls:
        step(model, many)
    assert calls.count == 0
    with pytest.raises(ValueError, match="products is 'fp8', it can be None or 'int8'"):
        integration.enable(products="fp8")


def test_a_models_layers_are_set_by_their_names(device):
    model, x = make(device), inputs(device, tokens=MANY)
    integration.enable()
    for layers, count in [(["up"], 2), ("nobody", 2), (None, 4)]:
        assert integration.set_products(model, "int8", layers) == {}
        with Calls(OP) as calls:
            step(model, x)
        assert calls.count == count
    assert integration.set_products(model, "bf16", ["model.up"]) == {}
    with integration.enabled(products="int8"), Calls(OP) as calls:
        step(model, x)
    assert calls.count == 2
    assert integration.set_products(model, None) == {}
    with integration.enabled(products="int8"), Calls(OP) as calls:
        step(model, x)
    assert calls.count == 4
    with pytest.raises(ValueError, match="products is 'int4', it can be 'int8', 'int8_kept', 'bf16' or None"):
        integration.set_products(model, "int4")


@pytest.mark.parametrize(("products", "op"), [("int8", SCALES), ("int8_kept", SCALES), ("int8_kept", CODES)])
def test_what_is_kept_of_a_weight_is_made_once_until_it_is_modified(device, products, op):
    model, x = make(device), inputs(device, tokens=MANY)
    integration.enable()
    plain = make(device)
    integration.set_products(plain, "int8")
    expected = step(plain, x)
    integration.set_products(model, products)
    with Calls(op) as calls:
        first = step(model, x)
    assert calls.count == 4 and all(same_bits(first[name], each) for name, each in expected.items())
    with Calls(op) as calls:
        again = step(model, x)
    assert calls.count == 0 and all(same_bits(again[name], each) for name, each in first.items())
    up = model.base_model.model.up.base_layer
    with torch.no_grad():
        up.weight.quant_state.absmax.mul_(4)
    with Calls(op) as calls:
        larger = step(model, x)
    assert calls.count == 2
    fresh = make(device)
    with torch.no_grad():
        fresh.base_model.model.up.base_layer.weight.quant_state.absmax.mul_(4)
    integration.set_products(fresh, "int8")
    for found in (larger, step(model, x)):
        assert all(same_bits(found[name], each) for name, each in step(fresh, x).items())


def test_codes_can_be_kept_after_scales_are(device):
    weight, x = make_weight(device, ROWS, COLS).weight, random(40, COLS, device=device)
    rotated_products.keep_scales(weight.packed)
    found = [qfuse.matmul_4bit(x, weight, order="rotated_int8")]
    rotated_products.keep_scales(weight.packed, codes=True)
    with Calls(SCALES, CODES) as calls:
        found += [qfuse.matmul_4bit(x, weight, order="rotated_int8") for _ in range(2)]
    assert calls.counts == (0, 1)
    assert same_bits(found[1], found[0]) and same_bits(found[2], found[0])


def test_scales_of_the_same_tensors_in_another_form(device):
    weight, x = make_weight(device, ROWS, COLS).weight, random(40, COLS, device=device)
    other = weight._replace(quant_type="fp4")
    expected = qfuse.matmul_4bit(x, other, order="rotated_int8")
    rotated_products.keep_scales(weight.packed)
    qfuse.matmul_4bit(x, weight, order="rotated_int8")
    assert same_bits(qfuse.matmul_4bit(x, other, order="rotated_int8"), expected)


QUANTIZE = "qfuse::rotated_int8_quantize"
SWIGLU = "qfuse::rotated_int8_swiglu"


def test_an_x_of_several_products_is_rotated_once(device):
    weights = [make_weight(device, ROWS, COLS).weight for _ in range(3)]
    x = random(40, COLS, device=device).requires_grad_()

    def products():
        return [qfuse.matmul_4bit(x, weight, order="rotated_int8") for weight in weights]

    with Calls(QUANTIZE) as calls:
        expected = products()
    assert calls.count == 3
    with Calls(QUANTIZE) as calls, rotated_products.shared_inputs():
        found = products()
        with torch.no_grad():
            x.mul_(2)
        later = products()
    assert calls.count == 2
    assert all(map(same_bits, found, expected)) and all(map(same_bits, later, products()))


def test_gradients_of_a_shared_x_are_summed_before_they_are_rounded(device):
    weights = [make_weight(device, ROWS, COLS).weight for _ in range(3)]
    leaf = random(40, COLS, device=device).requires_grad_()
    bias = random(ROWS, device=device, seed=8).requires_grad_()
    lora_a, lora_b = random(RANK, COLS, device=device, seed=6).requires_grad_(), random(ROWS, RANK, device=device)
    grads = [random(40, ROWS, device=device, seed=seed) for seed in (2, 3, 4)]
    x = leaf.clone()
    with rotated_products.shared_inputs():
        outputs = [qfuse.matmul_4bit(x, weights[0], bias=bias, order="rotated_int8")]
        outputs.append(qfuse.matmul_4bit_lora(x, weights[1], lora_a, lora_b, order="rotated_int8"))
        outputs.append(qfuse.matmul_4bit(x, weights[2], order="rotated_int8"))
    assert not any(name.startswith("_qfuse") for name in x.__dict__)

    def found(numbers, *inputs):
        given = [outputs[i] for i in numbers], inputs, [grads[i] for i in numbers]
        return torch.autograd.grad(*given, retain_graph=True)

    def expected(numbers):
        total = None
        for i in reversed(numbers):  # autograd begins with what was computed last
            terms = (grads[i] @ lora_b, lora_a.detach()) if i == 1 else (None, None)
            total = by_ops(grads[i], weights[i], None, terms, "backward", total)
        return total

    assert not same_bits(expected([0, 2]), expected([0]) + expected([2]))
    for numbers in ([0, 1, 2], [0, 2], [1], [0, 1, 2]):
        assert same_bits(*found(numbers, leaf), expected(numbers))
        assert same_bits(*found(numbers, x), expected(numbers))
        if 0 in numbers:  # leaves nothing for the next pass
            assert same_bits(*found(numbers[:1], bias), grads[0].sum(0))
        if 1 in numbers:
            assert same_bits(found(numbers, lora_a, x)[1], expected(numbers))
    three_times = 3 * x
    (both,) = torch.autograd.grad([*outputs, three_times], leaf, [*grads, torch.ones_like(three_times)])
    assert same_bits(both, expected([0, 1, 2]) + 3)


def test_a_swiglu_blocks_rows_are_rotated_where_they_are_made(device):
    gate, up = (random(40, COLS, device=device, seed=seed).requires_grad_() for seed in (1, 2))
    weight = make_weight(device, ROWS, COLS).weight
    into = [make_weight(device, COLS, ROWS).weight for _ in range(2)]
    x = random(40, ROWS, device=device).requires_grad_()

    def block(activation):
        gate, up = (qfuse.matmul_4bit(x, each, order="rotated_int8") for each in into)
        y = qfuse.matmul_4bit(activation(gate, up), weight, order="rotated_int8")
        return y, *torch.autograd.grad(y.square().sum(), x)

    class Apart(torch.autograd.Function):
        """SwiGLU with the same bits, without quantized rows for the next product."""

        @staticmethod
        def forward(ctx, gate, up):
            ctx.save_for_backward(gate, up)
            return qfuse.ops.rotated_int8_swiglu(gate, up)[0]

        @staticmethod
        def backward(ctx, grad):
            return tuple(qfuse.ops.rotated_int8_swiglu(*ctx.saved_tensors, grad)[0])

    with Calls(QUANTIZE) as calls:
        expected = block(Apart.apply)
    assert calls.count == 6
    with Calls(QUANTIZE) as calls:
        found = block(rotated_swiglu.swiglu)
    assert calls.count == 3  # x for gate and for up, and dy for down
    assert all(map(same_bits, found, expected))
    y = rotated_swiglu.swiglu(gate, up)
    with pytest.raises(ValueError, match="has no gradient: leave out create_graph"):
        torch.autograd.grad(y.sum(), gate, create_graph=True)


def llama(device, targets, head_dim=32):
    transformers = pytest.importorskip("transformers")
    sizes = dict(hidden_size=HIDDEN, intermediate_size=INNER, num_hidden_layers=1, num_attention_heads=2, vocab_size=64)
    sizes |= dict(num_key_value_heads=1, head_dim=head_dim)
    torch.manual_seed(1)
    base = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes)).to(torch.bfloat16)
    from peft_models import bnb, peft

    for module in list(base.model.modules()):
        for name, layer in list(module.named_children()):
            if type(layer) is torch.nn.Linear:
                kinds = dict(bias=False, compute_dtype=torch.bfloat16, quant_type="nf4")
                quantized = bnb.nn.Linear4bit(layer.in_features, layer.out_features, **kinds)
                quantized.weight = bnb.nn.Params4bit(layer.weight.data, requires_grad=False, quant_type="nf4")
                setattr(module, name, quantized)
    base = base.to(device)
    base.is_loaded_in_4bit = True
    return peft.get_peft_model(base, peft.LoraConfig(r=4, target_modules=targets)).train()


def gradients_of(model, batch):
    model.zero_grad()
    loss = model(**batch, labels=batch["input_ids"]).loss
    loss.backward()
    return {"loss": loss.detach()} | {name: p.grad for name, p in model.named_parameters() if p.grad is not None}


def test_layers_of_transformers_share_what_is_rotated(device, monkeypatch):
    # liger-kernel's RoPE would stay in place, for models on a CPU, too.
    monkeypatch.setattr(transformers_training, "_layers", lambda base, report: None)
    model = llama(device, "all-linear", head_dim=64)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.normal_(std=0.02)
    batch = dict(input_ids=torch.randint(64, (2, MANY), device=device))
    speed_up_training(model, products="int8", graphs=False, layers=False)
    with Calls(OP, QUANTIZE) as calls:
        expected = gradients_of(model, batch)
    assert calls.counts == (14 - 3, 14 - 3)  # the embedding needs no gradient
    restore_training(model)
    said = str(speed_up_training(model, products="int8", graphs=False))
    assert "q, k and v of one rotation in 1 layers, gate and up in 1; SwiGLU quantizes what it makes in 1" in said
    copied = copy.deepcopy(model)
    for each in (model, copied):
        with Calls(OP, QUANTIZE, SWIGLU) as calls:
            found = gradients_of(each, batch)
        assert calls.counts == (14 - 3, 14 - 3 - 2 - 1 - 3, 2)  # less k, v, up, and the outputs that SwiGLU quantizes
        assert all(distance(found[name], value) < 0.02 for name, value in expected.items())
    few = dict(input_ids=batch["input_ids"][:, :3])
    with Calls(SWIGLU) as swiglu:
        gradients_of(model, few)
    assert swiglu.count == 0
    model.gradient_checkpointing_enable(dict(use_reentrant=False))
    model.enable_input_require_grads()
    again = gradients_of(model, batch)
    assert all(same_bits(again[name], value) for name, value in found.items())
    restore_training(model)
    assert "weights kept in INT8" in str(speed_up_training(model, products="int8_kept", graphs=False))
    gradients_of(model, batch)
    with Calls(CODES) as calls:
        kept = gradients_of(model, batch)
    assert calls.count == 0 and all(same_bits(kept[name], value) for name, value in found.items())
    loaded = pickle.loads(pickle.dumps(mlp_of(copied)))
    assert loaded.forward.__func__ is type(loaded).forward
    for each in (model, copied):
        restore_training(each)
        assert not any(module.forward.__module__.endswith("transformers_int8") for module in each.modules())


def mlp_of(model):
    return next(module for module in model.modules() if type(module).__name__ == "LlamaMLP")


def limited(self, x):
    return self.down_proj(self.act_fn(self.gate_proj(x)).clamp(max=1) * self.up_proj(x))


def of_class(mlp):
    mlp.__class__ = type("Limited", (type(mlp),), {"forward": limited})


def of_instance(mlp):
    mlp.forward = types.MethodType(limited, mlp)


def of_another(mlp):
    mlp.forward = types.MethodType(lambda self, x: limited(mlp, x), object())


def hooked(mlp):
    mlp.act_fn.register_forward_hook(lambda *_: None)


def of_that_name(mlp):
    mlp.act_fn = type("SiLU", (torch.nn.GELU,), {})()


CHANGES = [(of_class, 1), (of_instance, 1), (of_another, 0), (hooked, 1), (of_that_name, 1)]


@pytest.mark.parametrize(("change", "shared"), CHANGES)
def test_only_the_known_block_has_its_swiglu_quantized(device, monkeypatch, change, shared):
    monkeypatch.setattr(transformers_training, "_layers", lambda base, report: None)
    monkeypatch.setattr(rotated_products, "gatherer_of", lambda x: None)  # for sums of gradients with the same bits
    model = llama(device, "all-linear", head_dim=64)
    change(mlp_of(model))
    batch = dict(input_ids=torch.randint(64, (2, MANY), device=device))
    speed_up_training(model, products="int8", graphs=False, layers=False)
    expected = gradients_of(model, batch)
    restore_training(model)
    speed_up_training(model, products="int8", graphs=False)
    with Calls(QUANTIZE, SWIGLU) as calls:
        found = gradients_of(model, batch)
    assert calls.counts == (14 - 3 - 2 - shared, 0)
    assert all(same_bits(found[name], value) for name, value in expected.items())


def test_what_a_backward_pass_leaves_goes_with_its_tensor(device):
    gate, up = (random(40, COLS, device=device, seed=seed).requires_grad_() for seed in (1, 2))
    kept = []
    gate.register_hook(lambda grad: kept.append(weakref.ref(grad.__dict__[rotated_products._ROWS].value[0])))
    rotated_swiglu.swiglu(gate, up).sum().backward()
    gate.grad = up.grad = None
    (rows,) = kept
    assert rows() is None


def test_speed_up_training_says_which_products_are_in_int8(device):
    model = llama(device, ["q_proj", "k_proj", "down_proj"])
    print(said := str(speed_up_training(model, products="int8", graphs=False, layers=False)))
    assert "qfuse speeds up products with frozen weights: INT8, rotated, of more than few rows" in said
    assert "k_proj in INT8 as it is: its weight is of 32 x 128: products in INT8 need multiples of 64" in said
    batch = dict(input_ids=torch.randint(64, (2, MANY), device=device))
    with Calls(OP) as calls:
        model(**batch, labels=batch["input_ids"]).loss.backward()
    assert calls.count == 3  # q, down, and down's gradient; q's input has none
    restore_training(model)
    with Calls(OP) as calls:
        model(**batch)
    assert calls.count == 0
