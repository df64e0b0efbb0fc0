"""The benchmarks in little: all of them on a GPU, on a CPU what needs none. Figures mean nothing at these sizes."""
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import test_silu_dot_fwd_bwd_quant_fuse as swiglu

import qfuse


def run(benchmark, folder, device, *options):
    """Exit status, what went to the JSON file, and the printed tables."""
    files = [folder / "result.json", folder / "result.md"]
    status = benchmark.main(["--device", device, "--small", "--commit", "abc", "--json", str(files[0]), "--markdown",
                             str(files[1]), *options])
    return status, json.loads(files[0].read_text()), files[1].read_text()


def test_the_swiglu_backward(tmp_path, device):
    status, result, tables = run(swiglu, tmp_path, device)
    assert status == 0 and len(result["compared"]) == 57 and not any(result["compared"].values())
    assert len(result["rows"]) == 2 and "Mean over the 2 shapes" in tables


def test_a_single_wrong_byte_of_the_swiglu_backward_fails(tmp_path, device, monkeypatch, capsys):
    def wrong(x, grad_y, *outputs):
        qfuse.ops.silu_dot_fwd_bwd_quant_fuse(x, grad_y, *outputs)
        if outputs[2] is not None:
            outputs[2][0, 0] ^= 1

    monkeypatch.setattr(swiglu, "silu_dot_fwd_bwd_quant_fuse", wrong)
    monkeypatch.setattr(swiglu, "cases", lambda layers: [("zeros", swiglu.zeros)])
    assert run(swiglu, tmp_path, device, "--without-compile")[0] == 1
    assert "FAILED zeros: {'y_q_t': 1}\nFAILED zeros, no gradients: {'y_q_t': 1}" in capsys.readouterr().out
