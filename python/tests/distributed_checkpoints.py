"""What ranks save and restore: see distributed_cases.py."""

import torch
import torch.distributed as dist
from distributed_models import Model, Plain, assert_same, batch, train, train_with, whole
from distributed_support import FOLDER, mesh, refused, shared_out, tensor_parallel
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict

import qfuse.distributed as qd


def case_2_save() -> None:
    """For case_4_restore and the test of one process. What comes next is in the folder, too."""
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
    qd.save(cut, FOLDER / "cut")  # in place of the one before
    if dist.get_rank() == 0:  # which may write the next one before others get here
        assert not (FOLDER / "cut.partial").exists() and not (FOLDER / "cut.old").exists()
    qd.save(cut, FOLDER / "cut", base=True)


def case_2_restore_behind_an_evaluation() -> None:
    """Which leaves whole parameters in the place of shards."""
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
    """None waits for it."""
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
    if dist.get_rank() == 0:  # which alone gets it
        assert torch.equal(found["up.weight"].dequantize(), Plain().up.weight.dequantize().cpu())


def case_4_restore() -> None:
    x = batch()
    model = shared_out(Model(), mesh(4))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    assert qd.restore(model, FOLDER / "step2", optimizer=optimizer) == {"step": 2}
    assert train_with(model, optimizer, x, 2) == torch.load(FOLDER / "next.pt")
