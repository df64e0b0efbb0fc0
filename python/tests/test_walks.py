"""Random walks over operations on a model with LoRA: qfuse gives the results of its peers, bitsandbytes and peft.

QFUSE_WALKS is the number of walks of each test, QFUSE_WALKS_SEED the first one's seed, and QFUSE_WALKS_WITHOUT the
comma-separated operations and runs to leave out. `python python/tests/walks.py --help` does the same without pytest.
"""

import logging
import os

import pytest
import torch
import walks
from walk_models import Spec
from walk_operations import OPERATIONS, PEFT
from walk_runs import RUNS

WITHOUT = tuple(filter(None, os.environ.get("QFUSE_WALKS_WITHOUT", "").split(",")))
SEED = int(os.environ.get("QFUSE_WALKS_SEED", "0"))
COUNTS = [int(os.environ.get("QFUSE_WALKS", "12")), pytest.param(500, marks=pytest.mark.slow)]


@pytest.fixture(autouse=True)
def quiet():
    """Silences bitsandbytes' advice on speed."""
    logger = logging.getLogger("bitsandbytes")
    level = logger.level
    logger.setLevel(logging.ERROR)
    yield
    logger.setLevel(level)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("mode", ["matmul", "peft", "both", "module"])
def test_both_copies_stay_the_same(mode, count, device):
    found = walks.search(mode, device, count, SEED, WITHOUT, most_kinds=5 if count <= 20 else 1000)
    assert not found, f"\n{walks.report(found)}"


def test_a_copy_of_the_peers_is_as_the_other(device):
    """Otherwise, differences could be the walks' own noise."""
    assert walks.report(walks.search("none", device, 5)) == ""


def planted(copy, draw):
    """Zeroes one adapter's output in one of the two copies."""
    if not copy.is_peer:
        with torch.no_grad():
            for parameter in copy.layers()[0].lora_B.parameters():
                parameter.zero_()


@pytest.mark.parametrize("mode", ["none", "module"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("run", ["train", "no_grad"])
def test_an_adapter_that_is_missing_is_found_and_shrunk(monkeypatch, device, mode, dtype, run):
    monkeypatch.setitem(OPERATIONS, "planted", (planted, PEFT))
    names = ["train_or_eval", "planted", "remove_hooks"]
    steps = [*(walks.Step(name, "", seed) for seed, name in enumerate(names)), walks.Step("remove_hooks", run, 3)]
    failure = walks.walk(Spec(mode, device, dtype, nested=True, bias=True), tuple(steps))
    assert failure is not None and "is beyond the bound" in failure.what
    shrunk = walks.shrink(failure)
    assert [step.operation for step in shrunk.steps if step.operation] == ["planted"] and not shrunk.spec.bias


def refused(copy, draw):
    if not copy.is_peer:
        raise ValueError("the packed codes were stored as torch.uint8 and have been cast to torch.float32")


def test_a_refusal_of_codes_that_were_not_cast_is_found(monkeypatch, device):
    monkeypatch.setitem(OPERATIONS, "refused", (refused, PEFT))
    failure = walks.walk(Spec("none", device), (walks.Step("refused", "train", 0),))
    assert failure is not None and "raises under qfuse alone" in failure.what


def test_what_a_step_gave_is_not_rounded_by_a_later_cast(monkeypatch, device):
    """A module's cast replaces the data and dtype of its gradients in place."""
    monkeypatch.setitem(OPERATIONS, "to_float16", (lambda copy, draw: copy.model.to(torch.float16) and None, PEFT))
    steps = (walks.Step("train_or_eval", "train", 0), walks.Step("to_float16", "", 1))
    alone, before = (walks.take_all(Spec("none", device), some, True)[0].result for some in (steps[:1], steps))
    assert alone.keys() == before.keys() and any(name.endswith("lora_A.default.weight.grad") for name in alone)
    assert all(torch.equal(alone[name], before[name]) for name in alone if torch.is_tensor(alone[name]))


def test_a_walk_is_its_seed(device):
    assert (
        walks.draw_walk("both", device, 3) == walks.draw_walk("both", device, 3) != walks.draw_walk("both", device, 4)
    )


def test_what_is_left_out_is_not_drawn(device):
    _, steps = walks.draw_walk("both", device, 3, without=tuple(set(OPERATIONS) - {"merge"} | set(RUNS) - {"no_grad"}))
    assert {step.operation for step in steps} == {"merge"} and {step.run for step in steps} <= {"train", "no_grad"}
