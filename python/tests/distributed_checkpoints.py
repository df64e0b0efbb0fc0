"""What ranks save and restore: see distributed_cases.py."""

import functools
from importlib.util import find_spec
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from distributed_models import (
    INNER,
    WIDTH,
    Model,
    Plain,
    assert_same,
    batch,
    experts,
    lora,
    train,
    train_with,
    weight,
    whole,
)
from distributed_support import FOLDER, Skipped, mesh, refused, shared_out, tensor_parallel
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, set_model_state_dict
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import parallelize_module

import qfuse.distributed as qd
from qfuse.nn import Linear4bit
from qfuse.weight import parameter_of


def case_2_save() -> None:
    """Saves for case_4_restore and the one-process test, and stores the losses of the next two steps."""
    x = batch()
    model = shared_out(Model(), mesh(2))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    train_with(model, optimizer, x, 2)
    qd.save(model, FOLDER / "step2", optimizer=optimizer, base=True, extra={"step": 2})
    losses = train_with(model, optimizer, x, 2)
    if dist.get_rank() == 0:
        torch.save(losses, FOLDER / "next.pt")
    cut = tensor_parallel(Model(), mesh(2))
    train(cut, x, 1)
    qd.save(cut, FOLDER / "cut", base=True)
    qd.save(cut, FOLDER / "cut")  # replaces the previous checkpoint
    if dist.get_rank() == 0:  # other ranks may get here after rank 0 has begun the next save
        assert not (FOLDER / "cut.partial").exists() and not (FOLDER / "cut.old").exists()
    qd.save(cut, FOLDER / "cut", base=True)


def case_2_restore_behind_an_evaluation() -> None:
    """An evaluation leaves unsharded parameters in place of the shards."""
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
    """No rank is left waiting."""
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
    if dist.get_rank() == 0:  # only rank 0 gets the full state dict
        assert torch.equal(found["up.weight"].dequantize(), Plain().up.weight.dequantize().cpu())


class All(nn.Module):
    """A model with every kind of 4-bit weight."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([lora(WIDTH, WIDTH, 0), Linear4bit(weight(WIDTH, WIDTH, 1, nested=False))])
        self.experts = experts()

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        index = torch.arange(len(x), device=x.device).view(-1, 1) % 4
        return self.experts(x[:, :128], index, torch.ones_like(index, dtype=x.dtype))


def _zeroed(model: Any) -> Any:
    """Zeroes the model's weights after it has computed once, and returns it."""
    with torch.no_grad():
        model(batch())
        model.reshard()
        for parameter in model.parameters():
            local = getattr(parameter, "_local_tensor", parameter)
            getattr(local, "packed", local).zero_()
        model(batch())
    return model


def _loaded(state: Any, model: Any, **options: bool) -> Any:
    set_model_state_dict(model, state, options=StateDictOptions(**options))
    with torch.no_grad():
        return model(batch())


def case_2_state_dicts_of_torch() -> None:
    """Loads full state dicts of every rank, of rank 0 only or of an ordinary model, and sharded state dicts."""
    expected, is_first = All()(batch()), dist.get_rank() == 0
    for options in (
        {"full_state_dict": True},
        {"full_state_dict": True, "cpu_offload": True},
        {},
        {"cpu_offload": True},
    ):
        state = get_model_state_dict(shared_out(All(), mesh(2)), options=StateDictOptions(**options))
        from_first = "cpu_offload" in options and "full_state_dict" in options
        assert from_first <= (is_first == bool(state))
        more = {"broadcast_from_rank0": from_first, "full_state_dict": "full_state_dict" in options}
        assert torch.equal(_loaded(state, _zeroed(shared_out(All(), mesh(2))), **more), expected), options
    for from_first in (False, True):
        one = Plain().state_dict() if is_first or not from_first else {}
        assert ("up.weight.absmax" in one) == bool(one)
        options = {"full_state_dict": True, "broadcast_from_rank0": from_first}
        assert torch.equal(_loaded(one, _zeroed(shared_out(Plain(), mesh(2))), **options), Plain()(batch()))


def case_2_state_dicts_of_what_is_trained() -> None:
    options = StateDictOptions(full_state_dict=True, ignore_frozen_params=True)
    state = get_model_state_dict(shared_out(All(), mesh(2)), options=options)
    assert state and all("lora_" in name for name in state)
    model, expected = All(), All()(batch())
    with torch.no_grad():
        model.experts.down_proj.lora_B.zero_()
    model = shared_out(model, mesh(2))
    assert not torch.equal(model(batch()), expected)
    options = {"full_state_dict": True, "broadcast_from_rank0": True, "strict": False}
    assert torch.equal(_loaded(state, model, **options), expected)


def case_2_state_dicts_that_do_not_fit_are_refused_on_all_ranks() -> None:
    whole = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True, strict=False)
    for name, value, words in (
        ("up.weight", torch.zeros(INNER, WIDTH), "is a Tensor of torch.float32, and in the model a weight in 4 bits"),
        ("up.weight", parameter_of(weight(WIDTH, WIDTH, 0)), "has the shape (256, 256), and in the model (512, 256)"),
        ("up.weight", parameter_of(weight(INNER, WIDTH, 0, nested=False)), "not nested, and in the model nf4"),
    ):
        state = {name: value} if dist.get_rank() == 0 else {}
        model = shared_out(Plain(), mesh(2))
        refused(functools.partial(set_model_state_dict, model, state, options=whole), words)
    cut = parallelize_module(Plain(), mesh(2), {"up": qd.ColwiseLinear4bit(), "down": qd.RowwiseLinear4bit()})
    refused(lambda: get_model_state_dict(cut), "'up' is cut by tensor parallelism")


def case_2_save_pretrained_says_what_to_do() -> None:
    if find_spec("peft") is None:
        raise Skipped
    from peft import LoraConfig, get_peft_model
    from safetensors.torch import load_file

    import qfuse.integrations.peft as integration

    model = shared_out(get_peft_model(Plain(), LoraConfig(r=4, target_modules=["up"])), mesh(2))
    folder = FOLDER / f"saved{dist.get_rank()}"
    assert integration.uncovered(model) == {}  # although each rank has only shards of the weight and the factors
    refused(lambda: model.save_pretrained(folder), "each rank has a part: call qfuse.distributed.save(model, path)")
    options = StateDictOptions(full_state_dict=True, ignore_frozen_params=True)
    model.save_pretrained(folder, state_dict=get_model_state_dict(model, options=options))
    assert len(load_file(folder / "adapter_model.safetensors")) == 2


def case_2_dcp_saves() -> None:
    """Saves for case_4_dcp_loads."""
    dcp.save({"model": get_model_state_dict(shared_out(All(), mesh(2)))}, checkpoint_id=FOLDER / "by_dcp")


def case_4_dcp_loads() -> None:
    model = _zeroed(shared_out(All(), mesh(4)))
    state = {"model": get_model_state_dict(model)}
    dcp.load(state, checkpoint_id=FOLDER / "by_dcp")
    set_model_state_dict(model, state["model"])
    assert torch.equal(model(batch()), All()(batch()))


def case_2_a_weight_in_4_bits_takes_no_gradient() -> None:
    layer = fully_shard(Linear4bit(weight(INNER, WIDTH, 0)), mesh=mesh(2))
    layer.weight.requires_grad_(True)  # a DTensor's own method
    try:
        layer(batch())
    except RuntimeError as error:
        assert "a weight in 4 bits cannot require a gradient" in str(error)
    else:
        raise AssertionError("was accepted")


def case_4_restore() -> None:
    x = batch()
    model = shared_out(Model(), mesh(4))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    assert qd.restore(model, FOLDER / "step2", optimizer=optimizer) == {"step": 2}
    assert train_with(model, optimizer, x, 2) == torch.load(FOLDER / "next.pt")
