"""The examples, at their smallest, in this process: most of their time is imports, which other tests need too."""

import re
import runpy
import sys
from pathlib import Path

import pytest
from conftest import TINY

FOLDER = Path(__file__).parents[2] / "examples" / "python"
MODEL = TINY / "bnb4"


@pytest.fixture
def run_example(monkeypatch, capsys):
    """Gives what an example prints."""

    def run_example(name, *arguments):
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        runpy.run_path(str(FOLDER / name), run_name="__main__")
        return capsys.readouterr().out

    return run_example


@pytest.fixture
def peers(request, monkeypatch):
    """The libraries that the examples need; nothing of them stays replaced behind a test."""
    for name in ("transformers", "peft", "bitsandbytes"):
        pytest.importorskip(name)
    # On a CPU with AVX512-BF16 bitsandbytes repacks weights in eval mode, and cannot where a row is no whole number of
    # blocks, as the tiny model's down_proj.
    monkeypatch.setattr("bitsandbytes.nn.modules.has_avx512bf16", lambda: False)
    request.getfixturevalue("bitsandbytes_as_it_was")
    import qfuse.integrations.peft as integration

    yield
    integration.disable()


def test_qlora_trains_and_saves_an_adapter(run_example, tmp_path, peers):
    printed = run_example("qlora.py", MODEL, tmp_path / "adapter")
    assert "left to peft: nothing" in printed
    losses = [float(loss) for loss in re.findall(r"step \d+: loss ([\d.]+)", printed)]
    assert len(losses) == 10 and losses[-1] < losses[0]
    assert (tmp_path / "adapter" / "adapter_model.safetensors").is_file()


def test_generates(run_example, peers):
    tokens = re.search(r"^\[1, 15, 7, ([\d, ]+)\]$", run_example("generate.py", MODEL, 1, 15, 7), re.M)
    assert tokens and len(tokens[1].split(",")) == 32


def test_experts_in_fp8_are_near_float32(run_example):
    errors = [float(error) for error in re.findall(r"relative error ([\d.]+)", run_example("moe_fp8.py"))]
    assert len(errors) == 5 and all(0 < error < 0.1 for error in errors)


@pytest.mark.parametrize("name", ["qlora.py", "generate.py"])
def test_says_what_it_takes(run_example, peers, name):
    with pytest.raises(SystemExit, match="MODEL"):
        run_example(name)
