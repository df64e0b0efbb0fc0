"""integrations/transformers_graphs.py without a GPU: a model with a replayed backbone, beside its untouched twin. What
no graph can compute is left to transformers, and is right."""

import contextlib
import copy
import gc
import pickle

import pytest
import torch
from recorded_operations import OperationsRecorder
from training_models import (
    KINDS,
    OF_FAMILY,
    Twins,
    add_adapters,
    make,
    make_base,
    make_batch,
    peft,
    randomize,
    some_slow,
)

from qfuse.integrations import transformers_graphs
from qfuse.integrations.peft import merge_aware

FIRST = "it was the first of its kind"
STILL = "the backward pass of the batch before it was still to come"


def batches(count, tokens=40, kind="none"):
    return [make_batch(tokens, kind, seed) for seed in range(count)]


@pytest.mark.parametrize("family", some_slow(OF_FAMILY, "qwen2", "qwen3", "gemma3_text", "phi3", "gpt_oss"))
def test_every_family_trains_as_without(family):
    twins = Twins(make(family))
    for step in range(2 * len(KINDS)):
        twins.step(make_batch(40, KINDS[step % len(KINDS)], step))
        twins.update()
    twins.walk([make_batch(64, "right", 9)] * 2)
    graphs = {"packed": 1, "hole": 1, "causal": 1}
    assert twins.graphed.graphs == len(graphs), twins.graphed.left
    assert twins.graphed.replayed == 2 * (len(KINDS) + 1) - len(graphs)


@pytest.mark.parametrize("checkpointed", some_slow([None, "apart", "reentrant"], "reentrant"))
def test_walk_over_lengths_and_masks(checkpointed):
    """Micro-batches, with an evaluation and a pass without gradients between them."""
    twins = Twins(make())
    if checkpointed is not None:
        kwargs = dict(use_reentrant=checkpointed == "reentrant")
        twins.each(lambda model: model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=kwargs))
        twins.each(lambda model: model.enable_input_require_grads())
    for step in range(8):
        for micro in range(3):
            twins.step(make_batch((40, 70)[step % 2], KINDS[step // 2], 3 * step + micro))
        if step % 3 == 0:
            twins.each(lambda model: model.eval())
            twins.losses(make_batch(40, seed=99))
            twins.each(lambda model: model.train())
            with torch.no_grad():
                twins.losses(make_batch(64, seed=98))
        twins.update(set_to_none=step % 2 == 0)
    assert twins.graphed.graphs == 6 and twins.graphed.replayed == 8 * 3 - 4  # causal, packed, and masks of each length


def test_rounded_lengths_share_a_graph():
    twins = Twins(make())
    twins.walk([make_batch(tokens) for tokens in (33, 40, 63, 64, 9, 10)])
    assert twins.graphed.graphs == 1 and twins.graphed.left == {FIRST: 1} and twins.graphed.replayed == 5


def test_no_batch_is_longer_than_the_model_has_positions_for():
    no_dropout = dict(embd_pdrop=0.0, resid_pdrop=0.0, attn_pdrop=0.0)
    twins = Twins(make_base("gpt2", max_position_embeddings=50, **no_dropout))
    twins.walk([make_batch(tokens) for tokens in (40, 50, 44)])
    assert twins.graphed.graphs == 1 and twins.graphed.replayed == 2


def test_no_batch_is_longer_where_rope_is_by_length():
    """Packed sequences of 48 get RoPE's short factors here; positions added after them would select the long ones."""
    rope = dict(rope_type="longrope", rope_theta=10000.0, factor=8.0, original_max_position_embeddings=64)
    rope |= dict(short_factor=[1.0] * 4, long_factor=[2.0] * 4)
    twins = Twins(make("phi3", original_max_position_embeddings=64, rope_parameters=rope))
    twins.walk([make_batch(96, "packed", seed) for seed in range(3)])


def test_whole_models_are_trained_too():
    twins = Twins(make_base(tie_word_embeddings=True))
    twins.walk(batches(4))
    assert twins.graphed.replayed == 3


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_on_and_off(dtype):
    twins = Twins(make(), tolerance=1e-2)
    for step in range(6):
        with torch.autocast("cpu", dtype, enabled=step % 2 == 0):
            twins.step(make_batch(64, seed=step))
        twins.update(rate=0.01)
    assert twins.graphed.graphs == 2


def test_adapters_that_are_switched():
    twins = Twins(make())
    other = peft.LoraConfig(r=2, target_modules=["q_proj", "o_proj"], task_type="CAUSAL_LM")
    walk = batches(2)
    twins.walk(walk)
    twins.each(lambda model: model.add_adapter("other", other))
    twins.each(randomize)
    twins.walk(walk)
    for name in ("other", "default", "other", "default"):
        twins.each(lambda model, name=name: model.set_adapter(name))
        twins.walk(walk)
    assert twins.graphed.replayed >= 5
    with contextlib.ExitStack() as stack:
        twins.each(lambda model: stack.enter_context(model.disable_adapter()))
        twins.losses(walk[0])
    twins.walk(walk)
    twins.each(lambda model: model.delete_adapter("other"))
    twins.walk(walk)
    twins.each(lambda model: model.add_adapter("other", other))
    twins.each(randomize)
    twins.each(lambda model: model.set_adapter("other"))
    twins.walk(batches(3))


def test_adapters_that_are_trained_for_their_merge():
    twins = Twins(make())
    twins.walk(batches(2))
    twins.each(lambda model: merge_aware(model, blocksize=32, from_step=2))
    twins.walk(batches(4))
    assert twins.graphed.graphs == 2, twins.graphed.left


def test_adapters_that_are_merged_and_taken_away():
    twins = Twins(make())
    twins.walk(batches(2))
    twins.each(lambda model: model.merge_adapter())
    twins.losses(make_batch(40))
    twins.each(lambda model: model.unmerge_adapter())
    twins.walk(batches(2))
    plain, sped_up = (model.unload() for model in twins.both)
    for base in (plain, sped_up):
        torch.manual_seed(6)
        add_adapters(base, ("v_proj", "up_proj"))
    twins.plain, twins.sped_up = plain, sped_up
    before = twins.graphed.replayed
    twins.walk(batches(3))
    assert twins.graphed.replayed == before + 2


def test_adapters_that_are_unloaded():
    """Unloading removes modules and changes nothing else in the model."""
    twins = Twins(make())
    twins.each(lambda model: model.get_input_embeddings().requires_grad_())
    twins.walk(batches(3))
    twins.plain, twins.sped_up = (model.unload() for model in twins.both)
    twins.walk(batches(3))


def layers_of(model):
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    return base.get_decoder().layers


def test_replaced_module():
    twins = Twins(make())
    twins.walk(batches(3))

    def replace(model):
        layers_of(model)[1].mlp = copy.deepcopy(layers_of(model)[0].mlp)

    twins.each(replace)
    twins.walk(batches(3))
    assert twins.graphed.replayed == 4


def test_replaced_parameters():
    twins = Twins(make())
    twins.walk(batches(3))

    def replace_data(model):
        weight = layers_of(model)[0].self_attn.q_proj.lora_A["default"].weight
        weight.data = weight.data * 3

    def replace_whole(model):
        part = layers_of(model)[0].self_attn.q_proj.lora_A["default"]
        part.weight = torch.nn.Parameter(part.weight.detach() * 3)

    def replace_frozen(model):
        weight = layers_of(model)[0].self_attn.o_proj.weight
        weight.data = weight.data * 2

    for replace in (replace_data, replace_whole, replace_frozen):
        twins.each(replace)
        before = twins.graphed.replayed
        twins.walk(batches(3))
        assert twins.graphed.replayed == before + 2


def test_parameters_that_are_trained_and_frozen():
    twins = Twins(make())
    twins.walk(batches(3))
    for is_trained in (True, False):
        twins.each(lambda model, on=is_trained: layers_of(model)[1].self_attn.o_proj.weight.requires_grad_(on))
        twins.walk(batches(3))
    twins.each(lambda model: layers_of(model)[0].self_attn.q_proj.lora_A["default"].weight.requires_grad_(False))
    twins.walk(batches(3))
    assert twins.graphed.replayed >= 6


@pytest.mark.parametrize("set_to_none", [False, True])
def test_dtypes_that_change(set_to_none):
    """To another dtype and back between two steps, with gradients and without."""
    twins = Twins(make(), tolerance=1e-2)
    twins.walk(batches(3))
    for model in twins.both:
        if not set_to_none:
            model(**make_batch(40)).loss.backward()
        model.to(torch.bfloat16).to(torch.float32)
    twins.walk(batches(3))
    twins.each(lambda model: model.to(torch.bfloat16))
    twins.walk(batches(3))
    twins.each(lambda model: model.float())
    twins.walk(batches(3))


def test_scaling_and_switches_of_modules():
    twins = Twins(make(adapters=dict(lora_dropout=0.5)))
    twins.walk(batches(3, 64))

    def scale(model):
        layers_of(model)[0].self_attn.q_proj.scaling["default"] = 3.0

    def stop_dropping(model):
        layers_of(model)[1].self_attn.q_proj.eval()

    def drop_less(model):
        layers_of(model)[0].mlp.down_proj.lora_dropout["default"].p = 0.1

    def patch(model):
        mlp = layers_of(model)[0].mlp
        mlp.forward = lambda x: 2 * type(mlp).forward(mlp, x)

    for change in (scale, stop_dropping, drop_less, patch):
        twins.each(change)
        before = twins.graphed.replayed
        twins.walk(batches(3, 64))
        assert twins.graphed.replayed == before + 2


def test_attention_that_is_chosen_anew():
    twins = Twins(make())
    twins.walk(batches(2))
    twins.each(lambda model: model.get_base_model().set_attn_implementation("eager"))
    twins.walk(batches(2))
    assert twins.graphed.left == {FIRST: 2}


@pytest.mark.parametrize("place", ["forward", "forward_pre", "full_backward", "parameter"])
def test_hooks_are_called(place):
    twins = Twins(make())
    twins.walk(batches(3))
    called = []

    def hook(*arguments):
        called.append(arguments)

    for model in twins.both:
        module = layers_of(model)[0].mlp
        if place == "parameter":
            module.down_proj.lora_A["default"].weight.register_post_accumulate_grad_hook(hook)
        else:
            getattr(module, f"register_{place}_hook")(hook)
    twins.walk(batches(2))
    assert len(called) == 4 and twins.graphed.replayed == 2


def test_dropout_within_a_checkpoint_is_left():
    twins = Twins(make(adapters=dict(lora_dropout=0.5)))
    twins.walk(batches(2, 64))
    twins.each(lambda model: model.gradient_checkpointing_enable())
    twins.each(lambda model: model.enable_input_require_grads())
    twins.walk(batches(2, 64))
    assert "dropout within checkpointed layers" in "".join(twins.graphed.left)
    twins.each(lambda model: model.gradient_checkpointing_disable())
    twins.walk(batches(2, 64))
    assert twins.graphed.replayed == 2


def test_layers_left_out_at_random_are_no_graph():
    twins = Twins(make_base("opt", ffn_dim=48, word_embed_proj_dim=32, layerdrop=0.5, dropout=0.0))
    for seed in range(4):
        twins.step(make_batch(64, seed=seed))
    assert twins.graphed.replayed == 0


def test_attention_in_both_directions_is_left():
    """Tokens of BERT would attend to those that are appended to lengthen a batch."""
    for family, more in (("bert", {}), ("gemma3_text", dict(use_bidirectional_attention=True))):
        model = make_base(family, **more)
        backbone = model.base_model
        graphed = transformers_graphs.GraphedBackbone(backbone, OperationsRecorder)
        model.eval()
        expected = [backbone(input_ids=make_batch(40, seed=seed)["input_ids"])[0] for seed in range(3)]
        model.train()
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        graphed.install(model)
        for seed, each in enumerate(expected):
            found = backbone(input_ids=make_batch(40, seed=seed)["input_ids"])[0]
            torch.testing.assert_close(found, each)
        assert graphed.left == {"its attention is not known to be causal": 3}


def test_loss_that_is_kept():
    """Losses are kept over steps, and some never have a backward pass."""
    twins = Twins(make())
    kept = []
    for batch in batches(4):
        losses = twins.losses(batch)
        for loss in losses:
            loss.backward()
        kept.append(losses)
        twins.compare()
    assert twins.graphed.replayed == 3
    kept = [twins.losses(batch) for batch in batches(3)]
    assert twins.graphed.left == {FIRST: 1, STILL: 2}
    for losses in kept:
        for loss in losses:
            loss.backward()
    twins.compare()
    del losses, loss, kept
    twins.losses(make_batch(40))  # nobody keeps its loss
    gc.collect()
    twins.step(make_batch(40))
    assert twins.graphed.left == {FIRST: 1, STILL: 2}


def test_backward_twice_says_what_to_do():
    twins = Twins(make())
    twins.walk(batches(2))
    loss = twins.sped_up(**make_batch(40)).loss
    loss.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="Call backward once a step, or train without graphs"):
        loss.backward(retain_graph=True)
    twins.sped_up(**make_batch(40, seed=1))  # its loss is dropped at once, which gives its turn back
    with pytest.raises(RuntimeError, match="Call backward once a step"):
        loss.backward()
    for model in twins.both:
        model.zero_grad()
    twins.walk(batches(2))


def test_gradients_of_others_are_added_to():
    twins = Twins(make())
    twins.walk(batches(2))
    for model in twins.both:
        torch.manual_seed(3)
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.square().sum().backward()
    twins.step(make_batch(40))
    twins.step(make_batch(40, seed=1))
    for model in twins.both:
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad = parameter.grad / 2
    twins.step(make_batch(40, seed=2))
    for model in twins.both:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    twins.step(make_batch(40, seed=3))


def test_gradients_that_are_parts_of_a_buffer():
    twins = Twins(make())
    twins.walk(batches(2))
    buffers = []
    for model in twins.both:
        trained = [each for each in model.parameters() if each.requires_grad]
        buffers.append(torch.zeros(sum(each.numel() for each in trained)))
        parts = buffers[-1].split([each.numel() for each in trained])
        for parameter, part in zip(trained, parts, strict=True):
            parameter.grad = part.view_as(parameter)
    for seed in range(2):
        twins.step(make_batch(40, seed=seed))
    torch.testing.assert_close(buffers[1], buffers[0], rtol=1e-4, atol=1e-6)
    assert buffers[0].any()


def test_gradients_that_are_taken_away_stay_as_they_are():
    twins = Twins(make())
    twins.walk(batches(2))
    taken = []
    for seed in range(3):
        twins.step(make_batch(40, seed=seed))
        taken.append([[each.grad for each in model.parameters() if each.grad is not None] for model in twins.both])
        twins.each(lambda model: model.zero_grad(set_to_none=True))
    assert twins.graphed.replayed == 4
    for expected, found in taken:
        for a, b in zip(expected, found, strict=True):
            torch.testing.assert_close(b, a, rtol=1e-4, atol=1e-6)


def test_what_else_a_backbone_gives():
    for family, more in (("llama", dict(output_hidden_states=True)), ("qwen3_moe", dict(output_router_logits=True))):
        twins = Twins(make(family))
        twins.walk(batches(4), **more)
        twins.walk(batches(2))
        outputs = [model(**make_batch(40), **more) for model in twins.both]
        for name in ("hidden_states", "router_logits"):
            expected, found = (output.get(name) for output in outputs)
            assert (expected is None) == (found is None)
            for a, b in zip(expected or (), found or (), strict=True):
                torch.testing.assert_close(b, a)
        assert twins.graphed.replayed >= 4, twins.graphed.left
        for name in more:
            twins.each(lambda model, name=name: setattr(model.get_base_model().get_decoder().config, name, True))
        del outputs
        twins.walk(batches(2))


def test_gradients_through_what_else_it_gives():
    """Gradients go through the hidden states in every second step only."""
    twins = Twins(make())
    for at, batch in enumerate(batches(6)):
        for model in twins.both:
            outputs = model(**batch, output_hidden_states=True)
            (outputs.loss + at % 2 * outputs.hidden_states[1].square().mean()).backward()
            del outputs
        twins.compare()
    for batch in batches(2):
        for model in twins.both:
            model.zero_grad()
            model(**batch, output_hidden_states=True).loss.backward()
        twins.compare()
    assert twins.graphed.replayed >= 6


def test_arguments_by_their_places():
    twins, kept = Twins(make()), []
    for seed in range(4):
        batch = make_batch(40, "hole", seed)
        found = [layers_backbone(model)(batch["input_ids"], batch["attention_mask"])[0] for model in twins.both]
        torch.testing.assert_close(found[1], found[0])
        for each in found:
            each.square().mean().backward()
        twins.compare()
        kept.append([each.detach() for each in found])
        del found, each
    for expected, found in kept:  # later replays do not overwrite earlier results
        torch.testing.assert_close(found, expected)
    assert twins.graphed.replayed == 3


def layers_backbone(model):
    return model.get_base_model().get_decoder()


def test_embeddings_that_need_a_gradient():
    twins = Twins(make())
    for seed in range(3):
        batch = make_batch(40, "right", seed)
        gradients = []
        for model in twins.both:
            torch.manual_seed(seed)
            embeddings = torch.randn(2, 40, 32, requires_grad=True)
            model(inputs_embeds=embeddings, **batch | dict(input_ids=None)).loss.backward()
            gradients.append(embeddings.grad)
        torch.testing.assert_close(*gradients)
        twins.compare()
    assert twins.graphed.replayed == 2


def test_arguments_of_other_shapes_are_not_lengthened():
    twins = Twins(make())
    for seed in range(3):
        batch = make_batch(40, seed=seed)
        twins.step(batch | dict(position_ids=torch.arange(40)[None], some_tensor=torch.zeros(2, 40)))
        twins.step(batch | dict(shift_labels=batch["labels"].roll(-1, 1)))
        mask = torch.ones(40, 40, dtype=torch.bool).tril().expand(2, 1, -1, -1)
        twins.step(batch | dict(attention_mask=mask))
        twins.step(batch | dict(past_key_values=None, use_cache=True))
    assert twins.graphed.replayed == 2 + 5
    assert twins.graphed.left["its attention mask is one of its own"] == 3


def test_arguments_for_each_token_that_are_not_known():
    twins = Twins(make_base("gpt2", embd_pdrop=0.0, resid_pdrop=0.0, attn_pdrop=0.0))
    for seed in range(3):
        batch = make_batch(40, seed=seed)
        twins.step(batch | dict(token_type_ids=batch["input_ids"].flip(1)))
    assert twins.graphed.replayed == 2


def test_saved_tensors_that_go_to_hooks():
    twins = Twins(make())
    twins.walk(batches(2))
    with torch.autograd.graph.save_on_cpu():
        twins.walk(batches(2))
    assert twins.graphed.left["what it keeps for the backward pass goes to hooks"] == 2


@pytest.mark.slow
def test_compiled_model_has_no_graphs():
    twins = Twins(make_base())
    compiled = torch.compile(twins.sped_up, backend="eager")
    for batch in batches(2):
        expected, found = twins.plain(**batch).loss, compiled(**batch).loss
        torch.testing.assert_close(found, expected)
    assert twins.graphed.graphs == 0


def test_transforms_have_no_graphs():
    model = make_base()
    graphed = transformers_graphs.GraphedBackbone(model.get_decoder(), OperationsRecorder)
    parameters, batch = dict(model.named_parameters()), make_batch(64)

    def loss_of(parameters):
        return torch.func.functional_call(model, parameters, kwargs=batch).loss

    expected = torch.func.grad(loss_of)(parameters)
    graphed.install(model)
    for _ in range(3):
        found = torch.func.grad(loss_of)(parameters)
        for name, gradient in expected.items():
            torch.testing.assert_close(found[name], gradient)


def test_copies_have_no_graphs():
    """Copies have no graphs, and weights of their own."""
    twins = Twins(make())
    twins.walk(batches(3))
    before = twins.graphed.replayed
    for copied in (copy.deepcopy(twins.sped_up), pickle.loads(pickle.dumps(twins.sped_up))):
        loss = copied(**make_batch(40)).loss
        torch.testing.assert_close(loss, twins.plain(**make_batch(40)).loss)
        loss.backward()
        for parameter in copied.parameters():
            parameter.data.zero_()
        assert copied(**make_batch(40)).loss != loss
    assert twins.graphed.replayed == before
    twins.walk(batches(1))


def test_undo():
    twins = Twins(make())
    twins.walk(batches(2))
    twins.undo()
    assert "forward" not in vars(layers_backbone(twins.sped_up))
    twins.walk(batches(2))
    assert twins.graphed.replayed == 1 and twins.graphed.graphs == 0


def test_capture_that_fails_is_left_with_its_reason(monkeypatch):
    twins = Twins(make())
    mlp = layers_of(twins.sped_up)[0].mlp
    original = type(mlp).forward

    def asking(self, x):
        return original(self, x) if x.sum().item() else x

    monkeypatch.setattr(type(mlp), "forward", asking)
    with pytest.warns(UserWarning, match="capture failed: RuntimeError: operation not permitted"):
        twins.walk(batches(3))
    assert twins.graphed.replayed == 0 and sum(twins.graphed.left.values()) == 3


def test_at_most_so_many_graphs(monkeypatch):
    monkeypatch.setattr(transformers_graphs, "LIMIT_OF_GRAPHS", 2)
    twins = Twins(make())
    for tokens in (64, 128, 192):
        twins.walk([make_batch(tokens)] * 2)
    assert twins.graphed.graphs == 2
    twins.walk([make_batch(64)] * 2)
    assert twins.graphed.replayed == 7


def test_another_length_whose_capture_fails_at_once_is_computed_first():
    """The model acts like a library that first creates something for a new length, which no capture permits."""
    twins = Twins(make())
    mlp, seen = twins.sped_up.get_base_model().model.layers[0].mlp, set()
    forward = mlp.forward

    def prepared(x):
        if x.shape not in seen:
            x.sum().item()
            seen.add(x.shape)
        return forward(x)

    mlp.forward = prepared
    twins.walk([make_batch(tokens, seed=tokens) for tokens in (64, 64, 128, 192, 128, 192, 256)])
    assert twins.graphed.left == {FIRST: 4} and twins.graphed.graphs == 3
