"""Cases of FSDP2 on several ranks: see distributed_cases.py."""

import warnings
from functools import partial, partialmethod
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

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
    mxfp4,
    train,
    weight,
    whole,
)
from distributed_support import (
    FOLDER,
    Skipped,
    llama,
    losses_of_lengths,
    mesh,
    needs,
    refused,
    share_out_layers,
    shared_out,
)
from torch import nn
from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor

import qfuse
import qfuse.distributed as qd
from qfuse.nn import Linear4bit


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


def case_2_fsdp_gathers_merged_weights() -> None:
    """4-bit layers under peft, experts and plain tensors: they are the tensors of one process."""
    needs("peft", "transformers")
    model = llama()
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            nn.init.normal_(parameter, std=0.1)
    for made, share, count in (
        (model, share_out_layers, 21),
        (experts(), lambda it, over: fully_shard(it, mesh=over), 3),
        (experts(packed=mxfp4), lambda it, over: fully_shard(it, mesh=over), 3),
    ):
        expected = dict(qfuse.merged_weights(made))
        assert qd.shardable(made)
        share(made, mesh(2))
        found = dict(qfuse.merged_weights(made))
        assert found.keys() == expected.keys() and len(found) == count
        assert_same(found, expected)


def case_2_fsdp_mixed_precision_leaves_codes_alone() -> None:
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    x, model = batch(), shared_out(Model(), mesh(2), mp_policy=policy)
    model.unshard()
    model.layers[0].unshard()
    base = model.layers[0].up.base
    assert torch.equal(base.dequantize(), weight(INNER, WIDTH, 0).dequantize())
    assert all(value > 0 for value in train(model, x))


def case_2_fsdp_gathers_every_word() -> None:
    """Gathers all 2^16 16-bit words as codes and all bytes as scales."""
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
    """Gathers the words as bfloat16, a possible bnb_4bit_quant_storage, and expects torch to change some of them."""
    if DEVICE == "cpu":
        raise Skipped("on a CPU none is lost")
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
    """Calls accelerate's function for FSDP2 without starting accelerate on a GPU."""
    needs("accelerate", "bitsandbytes")
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
        assert not isinstance(prepared()[0].weight, DTensor)  # without the integration, accelerate replicates it
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


def case_2_fsdp_of_transformers_experts() -> None:
    """Experts that quantize_experts has quantized, with peft's adapters over them."""
    needs("transformers", "peft, LoRA over experts")
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

    losses, model, over = losses_of_lengths, made(), mesh(2)
    report = qd.shardable(model)
    assert len(report.layers) == 2 and not report.left
    stack = "base_model.model.model.layers.0.mlp.experts.base_layer.base_layer.down_proj"
    whole_bytes = sum(each.nbytes for each in model.get_parameter(stack).inner)
    share_out_layers(model, over)
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


def case_2_fsdp_of_gpt_oss() -> None:
    """gpt-oss with experts in MXFP4, as published, and peft's adapters over them. The saved base equals the files."""
    needs("transformers", "peft, LoRA over experts")
    from experts_models import published_gpt_oss
    from peft import LoraConfig, get_peft_model
    from safetensors.torch import load_file
    from transformers import AutoModelForCausalLM

    from qfuse.integrations.transformers import Mxfp4Config

    folder = FOLDER / "gpt-oss"
    if dist.get_rank() == 0:
        published_gpt_oss(folder)
    dist.barrier()

    def made() -> Any:
        torch.manual_seed(3)
        settings = dict(quantization_config=Mxfp4Config(), dtype=torch.bfloat16)
        model = AutoModelForCausalLM.from_pretrained(folder, **settings).to(DEVICE)
        stacks = [f"mlp.experts.{name}_proj" for name in ("gate_up", "down")]
        return get_peft_model(model, LoraConfig(r=4, target_modules=["q_proj"], target_parameters=stacks))

    model, expected = made(), losses_of_lengths(made())
    report = qd.shardable(model)
    assert len(report.layers) == 2 and not report.left
    share_out_layers(model, mesh(2))
    stack = model.get_parameter("base_model.model.model.layers.0.mlp.experts.base_layer.base_layer.down_proj")
    assert stack.to_local().packed.shape == (2, 64, 48) and stack.to_local().absmax.shape == (2, 64, 3)
    assert losses_of_lengths(model) == expected
    qd.save(model, FOLDER / "gpt-oss-trained", base=True)
    if dist.get_rank() == 0:
        qd.consolidate(FOLDER / "gpt-oss-trained", FOLDER / "gpt-oss-files", like=folder)
        found = load_file(FOLDER / "gpt-oss-files" / "model-00001-of-00001.safetensors")
        original = load_file(folder / "model.safetensors")
        assert found.keys() == original.keys() and all(torch.equal(found[name], original[name]) for name in found)
    dist.barrier()


def case_2_fsdp_of_packed_models() -> None:
    """Linear layers and experts of compressed-tensors under peft's adapters: each rank has half of the codes, and
    losses are those of one process. The saved layers equal the files; joined experts are not saved."""
    needs("transformers", "peft, LoRA over experts")
    import packed_models
    from peft import LoraConfig, get_peft_model
    from safetensors.torch import load_file
    from transformers import AutoModelForCausalLM

    import qfuse.integrations.peft
    from qfuse.integrations.transformers import CompressedTensorsConfig

    stacks = [f"mlp.experts.{name}_proj" for name in ("gate_up", "down")]
    of_experts = LoraConfig(r=4, target_modules=["o_proj"], target_parameters=stacks)
    of_layers = LoraConfig(r=4, target_modules="all-linear")

    def made(folder: Any, lora: Any) -> Any:
        torch.manual_seed(3)
        settings = dict(quantization_config=CompressedTensorsConfig(), dtype=torch.bfloat16)
        return get_peft_model(AutoModelForCausalLM.from_pretrained(folder, **settings).to(DEVICE), lora)

    def is_half(codes: Any) -> bool:
        return 2 * codes.to_local().shape[0] == codes.shape[0]

    def check(publish: Any, lora: Any, count: int, kind: str) -> Any:
        folder = FOLDER / f"{publish.__name__}-{kind}"
        if dist.get_rank() == 0:
            publish(folder, packed_models.KINDS[kind])
        dist.barrier()
        expected, model = losses_of_lengths(made(folder, lora)), made(folder, lora)
        report = qd.shardable(model)
        assert len(report.layers) == count and not report.left, report
        share_out_layers(model, mesh(2))
        frozen = [(name, each) for name, each in model.named_parameters() if not each.requires_grad]
        codes = [
            each for name, each in frozen if name.endswith((".weight_packed", "gate_up_proj", "experts.down_proj"))
        ]
        assert len(codes) >= count and all(map(is_half, codes))
        assert losses_of_lengths(model) == expected
        return model, folder

    with qfuse.integrations.peft.enabled():
        for kind in ("int4_32", "nvfp4", "mxfp4"):
            model, folder = check(packed_models.published, of_layers, 14, kind)
            qd.save(model, folder / "saved", base=True)
            if dist.get_rank() == 0:
                qd.consolidate(folder / "saved", folder / "files", like=folder)
                found = load_file(folder / "files" / "model-00001-of-00001.safetensors")
                assert packed_models.same_arrays(found, load_file(folder / "model.safetensors"))
            model, folder = check(packed_models.published_deepseek, of_experts, 3, kind)
            saving = partial(qd.save, model, FOLDER / "joined", base=True)
            refused(saving, "'model.layers.1.mlp.experts'", "save without base")


def case_2_fsdp_of_a_model_that_is_sped_up() -> None:
    """With speed_up_training() before or after fully_shard, the losses equal those of one process, and so do logits
    that are requested."""
    needs("transformers", "peft", "bitsandbytes")
    import qfuse.integrations.peft
    from qfuse.integrations.transformers_training import speed_up_training

    def sped_up(model: Any) -> Any:
        with patch.object(nn.Module, "compile", partialmethod(nn.Module.compile, backend="aot_eager")):
            report = speed_up_training(model, products=False, regions=True)
        assert report.done["the layers"] == "torch.compile, 2 regions"
        assert report.done["the loss"] == "a chunk of tokens at a time, without logits in memory"
        return model

    losses, ids = partial(losses_of_lengths, lengths=(16, 24, 16)), torch.arange(32, device=DEVICE).view(2, 16)
    with qfuse.integrations.peft.enabled():
        model = sped_up(llama())
        expected, logits = losses(model), model(input_ids=ids).logits
        for is_first in (True, False):
            model = llama()
            assert len(qd.shardable(model).layers) == 14
            if is_first:
                share_out_layers(sped_up(model), mesh(2))
            else:
                share_out_layers(model, mesh(2))
                sped_up(model)
            found = losses(model)
            assert found == expected, (is_first, found, expected)
            output = model(input_ids=ids)
            assert output.logits.grad_fn is not None and torch.equal(output.logits + 0, logits + 0)
            (output.logits.float().square().mean()).backward()
            assert all(p.grad is not None for name, p in model.named_parameters() if "lora_B" in name)
        replicated = nn.parallel.DistributedDataParallel(llama(), init_sync=False)
        assert losses(sped_up(replicated)) == expected


def case_4_hybrid_sharding() -> None:
    x = batch()
    assert train(shared_out(Model(), mesh(2, 2)), x) == train(Model(), x)
