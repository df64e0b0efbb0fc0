"""The example that generates, at its smallest."""

import contextlib
import json
import runpy
import sys
from pathlib import Path

import pytest
import torch

import qfuse
import qfuse.integrations.bitsandbytes as integration

pytest.importorskip("bitsandbytes")

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "python" / "generate.py")


@pytest.fixture
def run_here(monkeypatch, capsys):
    """Runs the example in this process, where a test can break things: its exit status and what it printed."""

    def run_here(*options):
        monkeypatch.setattr(sys, "argv", [EXAMPLE, "--layers", "1", "--tokens", "4", "--rounds", "2", *options])
        with pytest.raises(SystemExit) as end:
            runpy.run_path(EXAMPLE, run_name="__main__")
        return end.value.code, capsys.readouterr().out

    return run_here


def test_generates_three_ways(run_here, device, tmp_path):
    status, out = run_here("--device", device, "--json", str(tmp_path / "figures.json"))
    assert status == 0, out
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert list(figures["ways"]) == ["bf16", "bitsandbytes", "qfuse"] and figures["faults"] == []
    for way in figures["ways"].values():
        assert len(way["tokens"]) == 4 and len(way["tokens_per_second"]) == 2 and min(way["tokens_per_second"]) > 0
    assert figures["products_of_qfuse_a_token"] == 7
    errors = figures["relative_errors"]
    assert 0 < errors["qfuse"] <= 2 * errors["bf16"] < 0.1
    assert "tokens/s" in out


def test_a_wrong_product_is_seen(run_here, monkeypatch):
    multiply = qfuse.ops.matmul_4bit

    def broken(*args, **more):
        y = multiply(*args, **more)
        y[..., 0] *= -1
        return y

    monkeypatch.setattr(qfuse.ops, "matmul_4bit", broken)
    status, out = run_here("--device", "cpu")
    assert status == 1 and "qfuse's logits have an error of" in out and "tokens/s" not in out


def test_a_run_in_which_qfuse_did_nothing_fails(run_here, monkeypatch):
    monkeypatch.setattr(integration, "enabled", lambda matmul: contextlib.nullcontext())
    status, out = run_here("--device", "cpu")
    assert status == 1 and "qfuse multiplied nothing" in out


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_missing_gpu_is_said(run_here):
    assert run_here("--device", "cuda")[0] == 2
