"""What trl's own code pushes to vLLM from a quantized model: wrong without qfuse, `qfuse merge`'s bits with it. A class
that records what it is given stands for vLLM, which these tests cannot install."""

import json
import types

import pytest
import torch
from conftest import same_bits

import qfuse
from qfuse import versions

pytest.importorskip("trl", versions.OLDEST["trl"])
accelerate = pytest.importorskip("accelerate")
peft = pytest.importorskip("peft")
from test_merged_weights import adapted, load, merged_by_file, write_llama  # noqa: E402
from trl.generation import vllm_generation  # noqa: E402

import qfuse.integrations.trl as integration  # noqa: E402

NAME = "model.layers.0.mlp.down_proj.weight"
LAYER = "base_model.model.model.layers.0.mlp.down_proj"


class Engine:
    """vllm.LLM and VLLMClient, as far as trl uses them here. generated: what had been pushed at each generation."""

    made, generated = None, ()

    def __init__(self, **settings):
        Engine.made, self.settings, self.pushed, self.metadata = self, settings, {}, None
        config = types.SimpleNamespace(quantization=settings.get("quantization"))
        runner = types.SimpleNamespace(model=self)
        executor = types.SimpleNamespace(driver_worker=types.SimpleNamespace(model_runner=runner))
        self.llm_engine = types.SimpleNamespace(model_config=config, model_executor=executor)

    def load_weights(self, named):
        self.pushed = self.pushed | {name: tensor.clone() for name, tensor in named}

    def update_named_params(self, metadata, named):
        self.metadata = metadata
        self.load_weights(named)

    def reset_prefix_cache(self):
        self.is_reset = True

    def generate(self, prompts, **_):
        """Completes each prompt by random tokens."""
        Engine.generated += (self.pushed,)
        return [
            types.SimpleNamespace(prompt_token_ids=each["prompt_token_ids"], outputs=[completion()]) for each in prompts
        ]

    def init_communicator(self, device):
        pass


def completion(length=6):
    ids = torch.randint(5, 90, (length,)).tolist()
    return types.SimpleNamespace(
        token_ids=ids, logprobs=[{i: types.SimpleNamespace(rank=1, logprob=-4.5)} for i in ids]
    )


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    monkeypatch.setattr(vllm_generation, "is_vllm_available", lambda *_, **__: True)
    monkeypatch.setattr(vllm_generation, "LLM", Engine, raising=False)
    monkeypatch.setattr(vllm_generation, "VLLMClient", Engine)
    monkeypatch.setattr(vllm_generation, "SamplingParams", dict, raising=False)
    monkeypatch.setattr(Engine, "generated", ())
    yield
    integration.disable()


@pytest.fixture(params=[False, True], ids=["untied", "tied"])
def made(request, tmp_path):
    """A QLoRA model, and the tensors that `qfuse merge` writes for it."""
    model = load(write_llama(tmp_path / "full", request.param))
    model.save_pretrained(tmp_path / "base")
    model = adapted(model)
    return model, merged_by_file(tmp_path / "base", model, tmp_path)


def generation(model, mode="server"):
    return vllm_generation.VLLMGeneration(model, accelerate.Accelerator(cpu=True), None, mode=mode)


def push(model, mode="server"):
    pushing = generation(model, mode)
    pushing.sync_weights()
    assert Engine.made.is_reset
    return Engine.made


@pytest.mark.parametrize("mode", ["server", "colocate"])
def test_what_is_pushed_is_what_the_command_writes(made, mode):
    model, expected = made
    assert integration.enable()
    state = {name: it.clone() for name, it in model.state_dict().items() if isinstance(it, torch.Tensor)}
    engine = push(model, mode)
    assert engine.settings.get("quantization") is None
    assert engine.pushed.keys() == expected.keys()
    assert all(same_bits(engine.pushed[name], tensor) for name, tensor in expected.items())
    assert all(same_bits(model.state_dict()[name], tensor) for name, tensor in state.items())
    if mode == "server":
        announced = {name: (dtype, shape) for name, dtype, shape in engine.metadata}
        assert announced == {name: ("bfloat16", list(tensor.shape)) for name, tensor in expected.items()}


@pytest.mark.filterwarnings("ignore:Merge lora module to 4-bit")
def test_without_it_packed_bytes_are_pushed(made):
    """When this fails, trl has learned it: the hook, and TRAINING.md, can go."""
    model, expected = made
    pushed = push(model).pushed
    assert pushed[NAME].dtype is torch.uint8 and pushed[NAME].shape == (64 * 128 // 2, 1)
    assert expected[NAME].dtype is torch.bfloat16 and expected[NAME].shape == (64, 128)


def test_a_model_in_16_bits(tmp_path):
    """Without the hook, each push leaves roundings in its weights. Adapters other than LoRA's stay trl's own affair."""
    full = write_llama(tmp_path / "full")
    model = adapted(load(full, "plain"))
    expected, weight = merged_by_file(full, model, tmp_path), model.get_submodule(LAYER).base_layer.weight
    before = weight.clone()
    with integration.enabled():
        found = push(model).pushed
    assert found.keys() == expected.keys() and all(same_bits(found[name], expected[name]) for name in found)
    assert torch.equal(weight, before)
    push(model)
    assert not torch.equal(weight, before)
    ia3 = peft.get_peft_model(load(full, "plain"), peft.IA3Config(target_modules=["q_proj"], feedforward_modules=[]))
    with integration.enabled():
        assert push(ia3).pushed.keys() == push(load(full, "plain")).pushed.keys() == expected.keys()


def test_refusals(tmp_path):
    full = write_llama(tmp_path / "full", tied=True)
    load(full).save_pretrained(tmp_path / "four")
    early = generation(adapted(load(full)), "colocate")
    integration.enable()
    with pytest.raises(ValueError, match=r"in bitsandbytes, .*: call qfuse.integrations.trl.enable\(\) before"):
        early.sync_weights()
    four = adapted(load(tmp_path / "four", "plain"))
    with pytest.raises(
        ValueError, match=r"would load it quantized \(bitsandbytes\).* `qfuse dequantize .*four -o DIR`"
    ):
        generation(four, "colocate")
    qfuse.checkpoint.dequantize(tmp_path / "four", tmp_path / "decoded")
    config = tmp_path / "decoded" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"quantization_config": None}))
    four.get_base_model().name_or_path = str(tmp_path / "decoded")
    assert generation(four, "colocate") and Engine.made.settings["model"] == str(tmp_path / "decoded")
    with pytest.raises(ValueError, match=r"lm_head\.weight: is tied to the embedding by config\.json, and adapters"):
        push(adapted(load(full), target_modules=["lm_head", "q_proj"]))


def test_a_trainer_generates_from_the_weights_of_its_step(tmp_path, monkeypatch):
    """GRPOTrainer makes the adapters, and pushes before each generation."""
    datasets, tokenizers = pytest.importorskip("datasets"), pytest.importorskip("tokenizers")
    import transformers
    from trl.trainer import grpo_trainer

    words = tokenizers.models.WordLevel({f"w{i}": i for i in range(96)}, unk_token="w0")
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    settings = dict(per_device_train_batch_size=4, num_generations=4, max_completion_length=6, max_steps=3)
    settings |= dict(use_vllm=True, vllm_mode="colocate", report_to=[], use_cpu=True, bf16=False, save_strategy="no")
    integration.enable()
    trainer = grpo_trainer.GRPOTrainer(
        model=load(write_llama(tmp_path / "full")),
        reward_funcs=lambda completions, **_: torch.rand(len(completions)).tolist(),
        args=grpo_trainer.GRPOConfig(output_dir=str(tmp_path / "out"), learning_rate=0.1, **settings),
        train_dataset=datasets.Dataset.from_dict({"prompt": ["w3 w4 w5", "w6 w7 w8"] * 4}),
        processing_class=transformers.PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, pad_token="w0", eos_token="w1"
        ),
        peft_config=peft.LoraConfig(r=4, target_modules=["q_proj", "down_proj"]),
    )
    expected = []
    push = vllm_generation.VLLMGeneration.sync_weights

    def recorded(self):
        expected.append({name: tensor.clone() for name, tensor in qfuse.merged_weights(trainer.model)})
        push(self)

    monkeypatch.setattr(vllm_generation.VLLMGeneration, "sync_weights", recorded)
    trainer.train()
    assert len(expected) == len(Engine.generated) == 3
    for pushed, merged in zip(Engine.generated, expected, strict=True):
        assert pushed.keys() == merged.keys() and all(same_bits(pushed[name], merged[name]) for name in merged)
    assert not same_bits(expected[0][NAME], expected[2][NAME])


def test_report():
    with integration.enabled() as report:
        places = [
            f"trl.generation.vllm_generation.VLLMGeneration.{name}" for name in ("_init_vllm", "_iter_named_params")
        ]
        assert sorted(report.replaced) == places and not report.left
        assert integration.report() == report
    assert not integration.report()
