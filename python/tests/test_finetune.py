"""The fine-tuning benchmark at its smallest, with bitsandbytes, transformers and peft together."""

import contextlib
import json
import os
import re
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from conftest import NO_GPU

import qfuse
import qfuse.integrations.bitsandbytes as integration

for needed in ("bitsandbytes", "transformers", "peft"):
    pytest.importorskip(needed)

SCRIPT = str(Path(__file__).parents[2] / "python" / "benchmarks" / "finetune.py")
SMALLEST = ["--layers", "1", "--tokens", "16", "--steps", "1", "--rounds", "1"]


@pytest.fixture
def start(tmp_path):
    """Starts the script as a user does, and checks that it leaves no temporary files."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    started = []

    def start(*options, **more):
        started.append(
            subprocess.Popen(
                [sys.executable, "-B", SCRIPT, *options],
                stdout=subprocess.PIPE,
                text=True,
                stderr=subprocess.PIPE,
                env={**os.environ, "TMPDIR": str(temporary)},
                **more,
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()
    assert not list(temporary.glob("qfuse*"))


@pytest.fixture
def run_here(monkeypatch, capsys):
    """Runs the script in this process, where a test can break things; returns its exit status and output."""

    def run_here(*options):
        monkeypatch.setattr(sys, "argv", [SCRIPT, *SMALLEST, "--device", "cpu", *options])
        with pytest.raises(SystemExit) as end:
            runpy.run_path(SCRIPT, run_name="__main__")
        return end.value.code, capsys.readouterr().out

    yield run_here
    torch.use_deterministic_algorithms(False)
    torch.utils.deterministic.fill_uninitialized_memory = True


@pytest.mark.parametrize(
    "options", [[], ["--gradient-checkpointing"], ["--no-autocast"]], ids=lambda each: "".join(each)
)
def test_trains_to_the_same_bits(start, run_here, tmp_path, device, options):
    """On a CPU, cases with options run in this process, because a new one spends most of its time on imports."""
    options = [*options, "--json", str(tmp_path / "figures.json")]
    if device == "cpu" and len(options) > 2:
        status, out = run_here(*options)
        assert status == 0, out
    else:
        process = start(*SMALLEST, "--device", device, *options)
        out, err = process.communicate()
        assert process.returncode == 0, out + err
    what = "4 losses, 14 adapter weights, 14 gradients"
    assert f'Equal bit for bit in 2 runs of "bitsandbytes" and "qfuse decodes": {what}' in out
    assert f'Equal bit for bit in 1 runs of "qfuse, LoRA too": {what}' in out
    figures = json.loads((tmp_path / "figures.json").read_text())
    without, enabled, with_lora = figures["runs"]
    assert without["losses"] == enabled["losses"] and len(set(without["losses"])) == 4
    assert figures["graph"] is False
    assert figures["faults"] == [] and not any(enabled["differing"].values())
    assert without["reports"] == [] and "bitsandbytes.functional.dequantize_4bit" in enabled["reports"][0]
    assert "peft.tuners.lora.bnb.Linear4bit.forward" in with_lora["reports"][1]
    assert 0 < with_lora["distance"] < 0.01 and enabled["distance"] == 0
    assert sum(with_lora["calls"].get(f"qfuse::{op}", 0) for op in ("matmul_4bit", "dequantize_4bit")) >= 11
    assert enabled["calls"]["qfuse::dequantize_4bit"] >= 4  # of 7 layers, those that propagate a gradient
    assert not any(op.startswith("qfuse") for op in without["calls"])
    assert all(len(run["step_ms"]) == 1 and run["step_ms"][0] > 0 for run in figures["runs"])
    assert all((run["peak_bytes"] is None) == (device == "cpu") for run in figures["runs"])


@pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU)
@pytest.mark.parametrize(
    "options",
    [[], ["--gradient-checkpointing"], ["--no-autocast"], ["--rounds", "2"]],
    ids=["plain", "checkpointing", "fp32", "rounds"],
)
def test_graphs_train_as_eager_steps_do(start, tmp_path, options):
    """They agree except for rounding, because in a graph the optimizer uses a step count on the GPU."""
    losses = []
    for graph in ([], ["--graph"]):
        path = tmp_path / "figures.json"
        process = start(*SMALLEST, "--device", "cuda", "--steps", "4", *options, *graph, "--json", path)
        out, err = process.communicate()
        assert process.returncode == 0, out + err
        figures = json.loads(path.read_text())
        assert figures["graph"] == bool(graph)
        losses.append([run["losses"] for run in figures["runs"]])
        assert all(len(run["step_ms"]) == 4 and run["calls"] for run in figures["runs"])
    eager, replayed = losses
    for a, b in zip(eager, replayed, strict=True):
        assert len(set(b)) == 7 and b == pytest.approx(a, rel=1e-3)


def test_graphs_need_a_gpu(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [SCRIPT, *SMALLEST, "--device", "cpu", "--graph"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(SCRIPT, run_name="__main__")
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    assert "--graph is for a GPU, and this run is on a CPU: leave it out, or run where torch sees a GPU" in err


@pytest.mark.slow
def test_interrupted_leaves_nothing_behind(start):
    # A shell's background jobs ignore SIGINT, and so do the processes that they start.
    process = start(
        "--steps", "100000", "--device", "cpu", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    )
    said = ""
    while "Run 1" not in said and (more := process.stderr.read(1)):
        said += more
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode in (130, -signal.SIGINT)


def test_one_wrong_sign_in_a_weight_is_seen(run_here, monkeypatch):
    decode = qfuse.native.torch_ops.dequantize_4bit

    def broken(*args, **more):
        weight = decode(*args, **more)
        weight[0, 0] *= -1
        return weight

    monkeypatch.setattr(qfuse.native.torch_ops, "dequantize_4bit", broken)
    status, out = run_here()
    assert status == 1
    assert re.search(r"Run 2, qfuse decodes: \d+ gradients differ from those of run 1", out) and "Equal" not in out


def test_a_comparison_in_which_qfuse_did_nothing_fails(run_here, monkeypatch):
    monkeypatch.setattr(integration, "enabled", lambda: contextlib.nullcontext("no report"))
    status, out = run_here()
    assert status == 1
    assert "Run 2, qfuse decodes: qfuse computed nothing (no report)" in out and "Equal" not in out


def test_nondeterministic_compares_no_bits_but_what_computed(run_here, monkeypatch):
    decode = qfuse.native.torch_ops.dequantize_4bit
    monkeypatch.setattr(qfuse.native.torch_ops, "dequantize_4bit", lambda *args, **more: -decode(*args, **more))
    status, out = run_here("--nondeterministic")
    assert status == 0 and not torch.are_deterministic_algorithms_enabled()
    assert "Bits were not compared" in out and "differ from" not in out and "Equal" not in out
    monkeypatch.setattr(integration, "enabled", lambda: contextlib.nullcontext("no report"))
    status, out = run_here("--nondeterministic")
    assert status == 1
    assert "Run 2, qfuse decodes: qfuse computed nothing (no report)" in out
