"""peft's LoRA over experts in 4 bits, with target_parameters, compared with peft's own over the same stacks decoded."""

import copy
import sys

import pytest
import torch
from conftest import same_bits

import qfuse
import qfuse.integrations.peft as integration
from qfuse import versions
from qfuse.integrations import peft_stacks
from qfuse.integrations import transformers_experts as experts

peft = pytest.importorskip("peft")
transformers = pytest.importorskip("transformers", versions.OLDEST["transformers"])
import experts_models  # noqa: E402
from experts_models import decoded, gpt_oss, mixtral, stacks, tokens  # noqa: E402

MODELS = {"mixtral": mixtral, "gpt_oss": gpt_oss}
STACKS = ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"]


@pytest.fixture(params=MODELS)
def make(request):
    return MODELS[request.param]


def config(**more):
    settings = dict(r=3, lora_alpha=5, target_modules=["q_proj"], target_parameters=STACKS)
    return peft.LoraConfig(**settings | more)


def randomize(model, seed=5):
    """Makes adapters nonzero, with the same values for the same names."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            if "lora_" in name:
                parameter.copy_(torch.randn_like(parameter) * 0.05)
    return model


def pair(make, **more):
    """Returns our model, and peft's own over the decoded stacks."""
    model = make()
    qfuse.quantize_experts(model)
    twin = decoded(model)
    return [randomize(peft.get_peft_model(each, config(**more))) for each in (model, twin)]


def step(model):
    model.zero_grad()
    result = model(input_ids=tokens(model), labels=tokens(model))
    result.loss.backward()
    grads = {name: parameter.grad.clone() for name, parameter in model.named_parameters() if parameter.grad is not None}
    return {"logits": result.logits.detach(), **grads}


def near(found, expected):
    """Compares in float32 with a tolerance, because sums have another order."""
    assert found.keys() == expected.keys()
    for name in found:
        largest = expected[name].abs().max()
        assert (found[name] - expected[name]).abs().max() <= 2e-5 * largest, name
    return True


def adapter(model):
    return {name: tensor.clone() for name, tensor in peft.get_peft_model_state_dict(model).items()}


def same(a, b):
    return a.keys() == b.keys() and all(same_bits(a[name], b[name]) for name in a)


def test_an_older_peft_is_refused(monkeypatch):
    """Both when its adapters are made, and when they were made over stacks that were quantized later."""
    model, later = mixtral(), peft.get_peft_model(mixtral(), config())
    qfuse.quantize_experts(model)
    qfuse.quantize_experts(later)
    monkeypatch.setattr(versions, "version", lambda library: "0.18.1")
    peft_stacks._require_sides.cache_clear()
    for use in (lambda: peft.get_peft_model(model, config()), lambda: later(tokens(later))):
        with pytest.raises(ImportError, match=r"peft 0\.19 or later for LoRA over experts in 4 bits, this is 0\.18\.1"):
            use()


def test_a_peft_that_cannot_be_covered_is_a_warning(monkeypatch):
    """Users who quantize experts may not need LoRA. A peft that can be imported only later is patched then."""
    versions_of = versions.version
    with monkeypatch.context() as patched:
        patched.setattr(experts, "_is_prepared", False)
        patched.setattr(versions, "version", lambda name: "0.16.0" if name == "peft" else versions_of(name))
        with pytest.warns(UserWarning, match=r"no LoRA over these experts: qfuse needs peft 0\.17 or later"):
            qfuse.quantize_experts(mixtral())
        assert not experts._is_prepared
    monkeypatch.setattr(experts, "_is_prepared", False)
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "peft.tuners.lora.layer", None)  # the import of peft fails halfway
        peft_stacks._stacks.disable()
        with pytest.warns(UserWarning, match="could not|halted|None in sys.modules"):
            qfuse.quantize_experts(mixtral())
    model = mixtral()
    qfuse.quantize_experts(model)
    assert peft.get_peft_model(model, config()) and experts._is_prepared


@pytest.mark.parametrize("more", [{"use_rslora": True}, {"target_parameters": STACKS[:1]}, {"r": 1}])
def test_settings_are_those_of_peft(make, more):
    model, twin = pair(make, **more)
    assert near(step(model), step(twin))


# Names as users write them: in full, by layer, by parameter only; and axolotl's, all parameters with three dimensions.
@pytest.mark.parametrize(
    "names",
    [
        ["model.layers.0.mlp.experts.gate_up_proj"],
        ["0.mlp.experts.gate_up_proj", "1.mlp.experts.down_proj"],
        ["gate_up_proj", "down_proj"],
        "three dimensions",
    ],
)
def test_names_are_those_of_peft(make, names):
    if isinstance(names, str):
        model = make()
        qfuse.quantize_experts(model)
        names = sorted({name.split(".", 3)[-1] for name, parameter in model.named_parameters() if parameter.dim() == 3})
        assert names == sorted(STACKS)
    model, twin = pair(make, target_modules=[], target_parameters=names)
    assert near(step(model), step(twin))


@pytest.mark.parametrize("targets", ["all-linear", ["q_proj", "gate_proj", "up_proj", "down_proj"]])
def test_modules_beside_stacks_are_no_targets(make, targets):
    model, twin = pair(make, target_modules=targets)
    assert adapter(model).keys() == adapter(twin).keys()
    assert near(step(model), step(twin))


def test_the_order_of_calls_does_not_matter(make):
    model, twin = pair(make)
    late = randomize(peft.get_peft_model(make(), config()))
    assert len(qfuse.quantize_experts(late).quantized) == 2
    assert same(adapter(late), adapter(model))
    assert near(step(late), step(twin))


def test_merging_is_refused_and_changes_nothing(make):
    model, _ = pair(make)
    before = step(model)
    for merge in (model.merge_and_unload, model.merge_adapter):
        with pytest.raises(ValueError, match="is in 4 bits, into which no adapter can be merged"):
            merge()
    wrapper = model.base_model.model.model.layers[0].mlp.experts
    with pytest.raises(ValueError, match="into which no adapter"):
        wrapper.merge()
    assert near(step(model), before)
    plain = model.unload()
    assert len(list(stacks(plain))) == 4 and torch.isfinite(plain(tokens(plain)).logits).all()


def test_what_was_merged_before_stays(make):
    """16-bit stacks with a merged adapter are quantized with it."""
    model = randomize(peft.get_peft_model(make(), config()))
    model.merge_adapter()
    qfuse.quantize_experts(model)
    with torch.no_grad():
        found, expected = model(tokens(model)).logits, decoded(model)(tokens(model)).logits
    assert torch.allclose(found, expected, atol=1e-5)
    with pytest.raises(ValueError, match="into which no adapter"):
        model.unmerge_adapter()


def test_plain_stacks_stay_peft_s_own(make):
    """The model's other layer is quantized."""
    model = make()
    qfuse.quantize_experts(model, names=lambda name: "layers.1." in name)
    both = [randomize(peft.get_peft_model(each, config())) for each in (model, decoded(model))]
    assert near(step(both[0]), step(both[1]))


def test_enable_and_disable_have_nothing_to_do_with_it(make):
    model, twin = pair(make)
    expected = step(twin)
    with integration.enabled():
        assert near(step(model), expected)
    integration.disable()
    assert near(step(model), expected)


def test_another_implementation_says_what_it_lacks(make):
    model, _ = pair(make)
    model.base_model.model.set_experts_implementation("eager")
    with pytest.raises(TypeError, match="qfuse_lora"):
        step(model)


def test_an_adapter_in_a_copy(make):
    model, twin = pair(make)
    assert near(step(copy.deepcopy(model)), step(twin))


def test_autocast_and_bfloat16(make):
    """Like a Trainer with bf16=True: A and B in float32, the base in bfloat16."""
    model = make(torch.bfloat16)
    qfuse.quantize_experts(model)
    both = [randomize(peft.get_peft_model(each, config())) for each in (model, decoded(model))]
    exact = step(copy.deepcopy(both[1]).double())
    with torch.autocast("cpu", torch.bfloat16):
        found, naive = step(both[0]), step(both[1])
    assert found.keys() == naive.keys() == exact.keys()
    for name in found:
        error, own = ((each[name].double() - exact[name]).norm() for each in (found, naive))
        assert error <= 2 * own, name


def choosing(model, given=None):
    """Records each router's choice of experts in later steps. `given` replaces it by the choice of another model."""
    chosen = []

    def choose(router, args, result):
        logits, scores, index = result
        if given is not None:
            index = given[len(chosen)]
            scores = torch.softmax(logits.float(), -1).gather(-1, index)
            scores = (scores / scores.sum(-1, keepdim=True)).to(result[1].dtype)
        chosen.append(index)
        return logits, scores, index

    for module in model.modules():
        if type(module).__name__ in ("MixtralTopKRouter", "GptOssTopKRouter"):
            module.register_forward_hook(choose)
    return chosen


def of_each_expert(grads, experts):
    """Splits gradients of adapters over stacks by expert: A is [experts * rank, k], B [n, rank * experts]."""
    for name, grad in grads.items():
        if "experts" in name:
            grad = grad if "lora_A" in name else grad.view(grad.shape[0], -1, experts).permute(2, 0, 1)
            yield from ((f"{name}[{i}]", part) for i, part in enumerate(grad.reshape(experts, -1).double()))


def test_of_the_same_choice_each_expert_has_peft_s_gradient():
    """If rounding makes tokens choose other experts, these get other gradients: docs/EXPERTS.md."""
    settings = dict(num_key_value_heads=2, num_local_experts=16, num_experts_per_tok=1)
    config_of_model = transformers.MixtralConfig(**experts_models._SIZES, **settings)
    model = experts_models._make(transformers.MixtralForCausalLM, config_of_model, torch.bfloat16, 0)
    qfuse.quantize_experts(model)
    both = [randomize(peft.get_peft_model(each, config())) for each in (model, decoded(model))]
    ids = torch.randint(1, 128, (4, 96), generator=torch.Generator().manual_seed(0))

    def gradients(model, is_exact=False):
        with torch.autocast("cpu", torch.bfloat16, enabled=not is_exact):
            loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        grads = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
        return dict(of_each_expert(grads, 16))

    exact_model = copy.deepcopy(both[1]).double()
    theirs = choosing(both[1])
    naive = gradients(both[1])
    for each in (both[0], exact_model):
        choosing(each, list(theirs))
    found, exact = gradients(both[0]), gradients(exact_model, is_exact=True)
    assert len(found) == 2 * 2 * 2 * 16
    for name in found:
        error, own = ((each[name] - exact[name]).norm() for each in (found, naive))
        assert error <= 2 * own + 0.01 * exact[name].norm(), name


def test_as_it_is_used_beside_bitsandbytes(make, tmp_path):
    """A 16-bit checkpoint loaded with load_in_4bit, which leaves its experts. These are then quantized and trained."""
    pytest.importorskip("bitsandbytes")
    make(torch.bfloat16).save_pretrained(tmp_path)
    settings = transformers.BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
    )
    model = type(make()).from_pretrained(tmp_path, quantization_config=settings, dtype=torch.bfloat16, device_map="cpu")
    assert type(model.model.layers[0].self_attn.q_proj).__name__ == "Linear4bit"
    assert model.model.layers[0].mlp.experts.down_proj.dtype is torch.bfloat16
    assert len(qfuse.quantize_experts(model).quantized) == 2
    model = peft.prepare_model_for_kbit_training(model, gradient_checkpointing_kwargs={"use_reentrant": False})
    assert all(stack.dtype is torch.bfloat16 for _, _, stack in stacks(model))
    model = peft.get_peft_model(model, config()).train()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.01)
    codes = [module._parameters[name].clone() for module, name, _ in stacks(model)]
    losses = []
    for _ in range(4):
        loss = model(input_ids=tokens(model), labels=tokens(model)).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    after = [module._parameters[name] for module, name, _ in stacks(model)]
    assert all(same_bits(*both) for both in zip(after, codes, strict=True))


def test_adapters_that_transformers_adds(make):
    """Without peft's model around the model."""
    model = make()
    qfuse.quantize_experts(model)
    both = model, decoded(model)
    for each in both:
        each.add_adapter(config())
        randomize(each)
    assert near(step(both[0]), step(both[1]))


def test_a_step_is_compiled(make):
    model, _ = pair(make)
    expected = step(model)
    layer = model.base_model.model.model.layers[0].mlp.experts
    layer.compile(backend="aot_eager", fullgraph=True)
    assert near(step(model), expected)
