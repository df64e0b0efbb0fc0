"""qfuse.quantize_experts with the real transformers: what it makes of a model, and what the model then supports."""

import copy
import io
import subprocess
import sys
import weakref

import pytest
import torch
from conftest import same_bits
from safetensors.torch import load_file
from torch.nn import Parameter

import qfuse
from qfuse import versions
from qfuse.weight import decodable_weight

transformers = pytest.importorskip("transformers", versions.OLDEST["transformers"])
from experts_models import decoded, distance, gpt_oss, logits, mixtral, stacks, tokens  # noqa: E402

from qfuse.integrations import transformers_experts as experts  # noqa: E402

MODELS = {"mixtral": mixtral, "gpt_oss": gpt_oss}


@pytest.fixture(params=MODELS)
def make(request):
    return MODELS[request.param]


def bits(model):
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def same(a, b):
    return a.keys() == b.keys() and all(same_bits(a[name], b[name]) for name in a)


# What quantize_experts makes


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize("quant_type", ["nf4", "fp4"])
def test_bits_are_those_of_a_whole_stack(make, device, quant_type, nested):
    bitsandbytes = pytest.importorskip("bitsandbytes").functional
    model = make(torch.bfloat16).to(device)
    plain = {id(module): copy.deepcopy(module._parameters) for module in model.modules()}
    qfuse.quantize_experts(model, quant_type=quant_type, nested=nested)
    for module, name, stack in stacks(model):
        original = plain[id(module)][name]
        weight = stack.weight(module._parameters[name])
        if device == "cuda":
            codes, state = bitsandbytes.quantize_4bit(
                original.data, compress_statistics=nested, quant_type=quant_type, blocksize=64
            )
            expected = decodable_weight(codes, state)[0]
        else:
            quantize = qfuse.ops.quantize_4bit_nested if nested else qfuse.ops.quantize_4bit
            expected = quantize(original.data, 64, quant_type)
        assert weight.shape == original.shape and weight.dtype is original.dtype
        for found, wanted in zip(weight.tensors, expected, strict=True):
            assert same_bits(found.reshape(-1), wanted.reshape(-1))


def test_the_report_says_what_was_done_and_old_stacks_are_freed(make):
    model = make(torch.bfloat16)
    names = [name for name, module in model.named_modules() if hasattr(module, "_apply_gate")]
    old = [weakref.ref(parameter) for name, parameter in model.named_parameters() if parameter.dim() == 3]
    report = qfuse.quantize_experts(model)
    assert report.quantized == names and not report.left and report
    parts = [tensor for module, name, stack in stacks(model) for tensor in stack.weight(getattr(module, name)).tensors]
    assert report.bytes_after == sum(tensor.nbytes for tensor in parts) < report.bytes_before / 2
    assert "2 modules" in str(report)
    assert all(reference() is None for reference in old)
    assert not any(parameter.requires_grad for parameter in model.parameters() if parameter.dtype is torch.uint8)
    assert model.config._experts_implementation == "qfuse"


def test_products_are_as_near_to_float64_as_those_of_transformers(make, device):
    for dtype in (torch.float32, torch.bfloat16):
        model = make(dtype).to(device)
        qfuse.quantize_experts(model)
        exact = logits(decoded(model).double())
        naive = max(distance(logits(decoded(model, kind)), exact) for kind in ("eager", "batched_mm"))
        assert distance(logits(model), exact) <= 2 * naive


def test_names_choose_modules(make):
    model = make()
    report = qfuse.quantize_experts(model, names=lambda name: "layers.1." in name)
    assert len(report.quantized) == 1 and not report.left
    assert torch.allclose(logits(model), logits(decoded(model)), atol=1e-5)  # the other module runs grouped_mm


def test_a_second_call_changes_nothing(make):
    model = make()
    qfuse.quantize_experts(model)
    before = bits(model)
    with pytest.warns(UserWarning, match="is in 4 bits already"):
        report = qfuse.quantize_experts(model)
    assert not report and len(report.left) == 2
    assert same(bits(model), before)


def test_a_call_that_ended_halfway_is_resumed(make, monkeypatch):
    model, whole = make(), make()
    encode, calls = experts.encoded_stack, []

    def run_out_of_memory(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise torch.OutOfMemoryError
        return encode(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(experts, "encoded_stack", run_out_of_memory)
        with pytest.raises(torch.OutOfMemoryError):
            qfuse.quantize_experts(model)
    assert len(list(stacks(model))) == 1
    assert len(qfuse.quantize_experts(model).quantized) == len(qfuse.quantize_experts(whole).quantized) == 2
    assert same(bits(model), bits(whole)) and same_bits(logits(model), logits(whole))
    model.load_state_dict(whole.state_dict())


class Strange(torch.Tensor):
    """A tensor with ops of its own, like a DTensor."""

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise NotImplementedError


def spoil(module, how):
    old = module.down_proj
    if how == "expert-parallel":
        module._is_expert_parallel = True
    elif how == "int8":
        module.down_proj = Parameter(old.to(torch.int8), requires_grad=False)
    elif how == "no whole blocks":
        module._parameters["down_proj"] = Parameter(old.data[:, :3, :7].contiguous())
    elif how == "parametrized":
        torch.nn.utils.parametrize.register_parametrization(module, "down_proj", torch.nn.Identity())
    elif how == "tensor parallelism":
        module._parameters["down_proj"] = torch.Tensor._make_subclass(Strange, old.data)
    else:
        module._parameters["down_proj"] = Parameter(old.to("meta"))


@pytest.mark.parametrize(
    "how", ["expert-parallel", "int8", "no whole blocks", "parametrized", "tensor parallelism", "offloading"]
)
def test_what_cannot_be_quantized_is_left_with_a_reason(how):
    model = mixtral()
    module = model.model.layers[0].mlp.experts
    spoil(module, how)
    with pytest.warns(UserWarning, match=how):
        report = qfuse.quantize_experts(model)
    assert report.quantized == ["model.layers.1.mlp.experts"]
    assert list(report.left) == ["model.layers.0.mlp.experts"]
    assert experts.stack_of(module, "gate_up_proj") is None  # neither of its stacks is quantized


def test_a_model_without_such_experts_is_refused():
    config = transformers.LlamaConfig(
        hidden_size=64, intermediate_size=96, num_hidden_layers=1, num_attention_heads=4, vocab_size=128
    )
    with pytest.raises(ValueError, match="LlamaForCausalLM has no experts"):
        qfuse.quantize_experts(transformers.LlamaForCausalLM(config))


@pytest.mark.parametrize("wrong", [{"quant_type": "int4"}, {"blocksize": 48}, {"blocksize": 0}])
def test_arguments_are_checked_before_anything_is_done(wrong):
    model = mixtral()
    before = bits(model)
    with pytest.raises(ValueError, match="must be among"):
        qfuse.quantize_experts(model, **wrong)
    assert same(bits(model), before)


# The experts function registered with transformers


def test_what_is_not_quantized_goes_to_grouped_mm(make):
    model = make()
    model.set_experts_implementation("grouped_mm")
    expected = logits(model)
    import qfuse.integrations.transformers  # noqa: F401

    model.set_experts_implementation("qfuse")
    assert same_bits(logits(model), expected)


def test_from_pretrained_takes_it(make, tmp_path):
    model = make(torch.bfloat16)
    model.save_pretrained(tmp_path)
    loaded = type(model).from_pretrained(
        tmp_path, experts_implementation="qfuse", device_map="cpu", dtype=torch.bfloat16
    )
    qfuse.quantize_experts(loaded)
    qfuse.quantize_experts(model)
    assert same(bits(loaded), bits(model))
    assert distance(logits(loaded), logits(decoded(loaded))) < 0.02


def test_another_implementation_over_codes_is_an_error(make):
    model = make()
    qfuse.quantize_experts(model)
    for kind in ("eager", "grouped_mm", "batched_mm"):
        model.set_experts_implementation(kind)
        with pytest.raises(RuntimeError):
            logits(model)


def test_rows_of_other_processes_are_left_out(make):
    """Expert parallelism gives rows of other processes ids that are beyond the last expert."""
    model = make()
    qfuse.quantize_experts(model)
    module = model.model.layers[0].mlp.experts
    module._is_expert_parallel = True
    torch.manual_seed(3)
    x = torch.randn(6, 64, requires_grad=True)
    ids = torch.tensor([[0, 1], [3, 4], [4, 4], [2, 0], [4, 1], [3, 2]])
    weights = torch.rand(6, 2).masked_fill(ids == 4, 0).requires_grad_()
    found = torch.autograd.grad(module(x, ids, weights).square().sum(), (x, weights))
    twin = decoded(model, "batched_mm").model.layers[0].mlp.experts
    expected = torch.autograd.grad(twin(x, ids, weights).square().sum(), (x, weights))
    for one, other in zip(found, expected, strict=True):
        assert torch.allclose(one, other, atol=1e-5)


def test_no_tokens_and_one(make):
    model = make()
    qfuse.quantize_experts(model)
    module, twin = (each.model.layers[0].mlp.experts for each in (model, decoded(model)))
    for rows in (0, 1):
        arguments = torch.randn(rows, 64), torch.zeros(rows, 2, dtype=torch.int64), torch.ones(rows, 2)
        assert torch.allclose(module(*arguments), twin(*arguments), atol=1e-5)


def test_it_generates(make):
    model = make()
    qfuse.quantize_experts(model)
    settings = dict(max_new_tokens=6, do_sample=False, pad_token_id=0)
    found = model.generate(tokens(model), **settings)
    assert torch.equal(found, decoded(model).generate(tokens(model), **settings))


def test_it_is_compiled_in_one_graph(backend):
    """Compiles forward and backward, neither of which waits for the experts' numbers of rows."""
    model = gpt_oss()
    qfuse.quantize_experts(model)
    module = model.model.layers[0].mlp.experts
    compiled = torch.compile(module, backend=backend, fullgraph=True)

    def step(function, rows):
        torch.manual_seed(3)
        x = torch.randn(rows, 64, requires_grad=True)
        y = function(x, torch.randint(0, 4, (rows, 2)), torch.rand(rows, 2))
        return y, torch.autograd.grad(y.square().sum(), x)[0]

    for rows in (5, 9):
        for found, expected in zip(step(compiled, rows), step(module, rows), strict=True):
            assert torch.allclose(found, expected, atol=1e-5)


# What a quantized model supports


@pytest.mark.parametrize("to", ["same", "other scales", "fp4"])
def test_a_state_dict_is_saved_and_loaded(make, to):
    model = make(torch.bfloat16)
    qfuse.quantize_experts(model)
    other = make(torch.bfloat16, seed=9)
    more = {"same": {}, "other scales": {"nested": False}, "fp4": {"quant_type": "fp4", "blocksize": 128}}
    qfuse.quantize_experts(other, **more[to])
    assert not same_bits(logits(other), logits(model))
    for assign in (False, True):
        stored = io.BytesIO()
        torch.save(model.state_dict(), stored)
        stored.seek(0)
        loaded = torch.load(stored)
        for name in list(loaded):
            if f"{name}.absmax" in loaded and to == "same":
                loaded[name] = loaded[name].view(-1, 1)  # the shape in bitsandbytes' files
        other.load_state_dict(loaded, assign=assign)
        for name in loaded:
            if "absmax" in name:
                loaded[name].zero_()  # the load has copied scales
        assert same_bits(logits(other), logits(model))
        assert same(bits(other), bits(model))


def test_what_does_not_fit_is_not_loaded(make):
    model, plain = make(), make()
    qfuse.quantize_experts(model)
    with pytest.raises(RuntimeError, match="size mismatch"):
        model.load_state_dict(plain.state_dict())
    with pytest.raises(RuntimeError, match="size mismatch"):
        plain.load_state_dict(model.state_dict())
    for lost in ("gate_up_proj.absmax", "down_proj.quant_state.bitsandbytes__nf4", "down_proj.nested_absmax"):
        stored = model.state_dict()
        stored.pop(f"model.layers.0.mlp.experts.{lost}")
        with pytest.raises(RuntimeError, match=f"Missing key.*experts.{lost}"):
            model.load_state_dict(stored)
    stored = model.state_dict() | {"model.layers.0.mlp.experts.down_proj.zeros": torch.zeros(1)}
    with pytest.raises(RuntimeError, match=r"Unexpected key.*experts\.down_proj\.zeros"):
        model.load_state_dict(stored)


def test_files_are_those_of_bitsandbytes(make, tmp_path):
    """qfuse's own reader finds 4-bit weights in them, and the command decodes them."""
    model = make(torch.bfloat16)
    qfuse.quantize_experts(model)
    model.save_pretrained(tmp_path / "saved")
    found = qfuse.load_checkpoint(tmp_path / "saved")
    for name, module in model.named_modules():
        for stack in ("gate_up_proj", "down_proj"):
            if experts.stack_of(module, stack):
                expected = experts.stack_of(module, stack).weight(getattr(module, stack))
                assert found[f"{name}.{stack}"][1:] == expected[1:]
                assert same_bits(found[f"{name}.{stack}"].dequantize(), expected.dequantize())
    qfuse.checkpoint.dequantize(tmp_path / "saved", tmp_path / "plain")
    plain = type(model).from_pretrained(tmp_path / "plain", dtype=torch.bfloat16)
    assert same(bits(plain), bits(decoded(model)))


def test_stacks_that_the_command_quantized_are_loaded(tmp_path):
    """Files of quantize --experts load into a model that was quantized in memory."""
    model = gpt_oss(torch.bfloat16)
    model.save_pretrained(tmp_path / "plain")
    qfuse.checkpoint.quantize(tmp_path / "plain", tmp_path / "out", experts=True, exclude=["*self_attn*"])
    other = gpt_oss(torch.bfloat16, seed=9)
    qfuse.quantize_experts(other, nested=False)
    other.load_state_dict(load_file(tmp_path / "out" / "model.safetensors"))
    qfuse.quantize_experts(model)
    assert same(bits(other), bits(model))


def test_quant_states_are_read_by_bitsandbytes(make):
    functional = pytest.importorskip("bitsandbytes").functional
    model = make(torch.bfloat16)
    qfuse.quantize_experts(model)
    stored, name = model.state_dict(), "model.layers.0.mlp.experts.down_proj"
    parts = {key.removeprefix(f"{name}."): value for key, value in stored.items() if key.startswith(f"{name}.")}
    state = functional.QuantState.from_dict(parts, device="cpu")
    expected = decoded(model).model.layers[0].mlp.experts.down_proj
    assert same_bits(qfuse.dequantize_4bit(stored[name], state), expected.data)


def test_copies_and_pickles(tmp_path):
    model = mixtral()
    qfuse.quantize_experts(model)
    twin = copy.deepcopy(model)
    expected = logits(model)
    with torch.no_grad():
        for module, name, _ in stacks(model):
            module._parameters[name].zero_()
    assert same_bits(logits(twin), expected) and not same_bits(logits(model), expected)
    other = copy.deepcopy(twin)
    other.load_state_dict(model.state_dict())  # uses the copy's own hook
    assert same_bits(logits(other), logits(model)) and same_bits(logits(twin), expected)
    torch.save(twin, tmp_path / "model.pt")
    script = f"""import sys, torch; sys.path = {sys.path}; import experts_models
        torch.load({str(tmp_path / "model.pt")!r}, weights_only=False)(torch.tensor([[1]]))"""
    script = "\n".join(map(str.strip, script.splitlines()))
    subprocess.run([sys.executable, "-c", script], check=True)  # where "qfuse" is not registered with transformers


CASTS = {
    "half": lambda model: model.half(),
    "bfloat16": lambda model: model.bfloat16(),
    "to": lambda model: model.to(torch.bfloat16),
    "to device and dtype": lambda model: model.to("cpu", torch.float16),
}


@pytest.mark.parametrize("cast", CASTS)
def test_a_change_of_dtype_leaves_codes_and_scales(make, cast):
    model = make()
    qfuse.quantize_experts(model)
    before = {name: tensor for name, tensor in bits(model).items() if "proj" in name and ".experts." in name}
    CASTS[cast](model)
    after = bits(model)
    for name in before:
        if "quant_state" not in name and "bias" not in name:
            assert same_bits(after[name], before[name])
    for module, _, stack in stacks(model):
        assert stack.dtype is model.dtype
    assert logits(model).dtype is model.dtype and logits(model).isfinite().all()
    twin = decoded(model)
    assert twin.model.layers[0].mlp.experts.down_proj.dtype is model.dtype
    assert distance(logits(model), logits(twin)) < 0.02


def test_codes_are_not_cast(make):
    model = make()
    qfuse.quantize_experts(model)
    module, expected = model.model.layers[0].mlp.experts, logits(model)
    with pytest.raises(ValueError, match="have been cast to torch"):
        module.type(torch.float16)  # casts every tensor
    module.down_proj.data = module.down_proj.data.half()
    with pytest.raises(ValueError, match="have been cast to torch"):
        logits(model)
    module.down_proj.data = module.down_proj.data.byte()
    assert same_bits(logits(model), expected)


def test_meta_and_back(make):
    model = make()
    qfuse.quantize_experts(model)
    stored, expected = bits(model), logits(model)
    model.to("meta")
    assert all(tensor.is_meta for tensor in model.state_dict().values() if tensor.dtype is not torch.uint8)
    model.to_empty(device="cpu").load_state_dict(stored)
    for module in model.modules():  # restores inv_freq, which no state_dict has
        if hasattr(module, "inv_freq"):
            module.__init__(model.config)
    assert same_bits(logits(model), expected)


def test_gradients_flow_to_inputs_and_biases(make):
    model = make()
    qfuse.quantize_experts(model)
    for parameter in model.parameters():
        parameter.requires_grad_(parameter.is_floating_point())

    def step(net):
        net(tokens(net), labels=tokens(net)).loss.backward()
        return {name: parameter.grad for name, parameter in net.named_parameters() if parameter.grad is not None}

    twin = decoded(model)
    found, expected = step(model), step(twin)
    assert found.keys() == expected.keys() and any("embed" in name for name in found)
    assert all(torch.allclose(found[name], expected[name], atol=1e-6, rtol=1e-4) for name in found)


def test_weights_that_accelerate_keeps_on_a_cpu():
    """accelerate's hooks load a module's parameters for each call."""
    accelerate = pytest.importorskip("accelerate")
    model = mixtral()
    qfuse.quantize_experts(model)
    expected = logits(model)
    accelerate.cpu_offload(model, execution_device=torch.device("cpu"), state_dict=bits(model))
    assert model.model.layers[0].mlp.experts.down_proj.is_meta
    with torch.no_grad():
        assert same_bits(model(torch.arange(1, 5)[None]).logits, model(torch.arange(1, 5)[None]).logits)
        torch.manual_seed(1)
        assert same_bits(model(torch.randint(1, 128, (2, 12))).logits, expected)
    with pytest.warns(UserWarning, match="offloading|4 bits already"):
        qfuse.quantize_experts(model)


def test_weights_that_were_offloaded_before():
    accelerate = pytest.importorskip("accelerate")
    model = mixtral()
    accelerate.cpu_offload(model, execution_device=torch.device("cpu"))
    with pytest.warns(UserWarning, match="without offloading"):
        assert not qfuse.quantize_experts(model)
