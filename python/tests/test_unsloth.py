"""The integration under unsloth itself, where it and a GPU are, and everywhere under a stand-in: the same names,
by-name imports and pass-through cases, and a fast_dequantize that says when it is called."""

import importlib.util
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest
import torch
from conftest import NO_GPU, same_bits

import qfuse
import qfuse.integrations.unsloth as integration

UTILS = """
import torch
def fast_dequantize(W, quant_state=None, out=None, use_global_buffer=False):
    return W if quant_state is None else "the original"
"""
BY_NAME = "from unsloth.kernels.utils import fast_dequantize\n"


@pytest.fixture
def unsloth(monkeypatch):
    modules = {}
    for name, source in [
        ("unsloth", ""),
        ("unsloth.kernels", ""),
        ("unsloth.kernels.utils", UTILS),
        ("unsloth.kernels.fast_lora", BY_NAME),
        ("unsloth.save", BY_NAME),
    ]:
        modules[name] = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, modules[name])
        exec(source, modules[name].__dict__)
    yield modules
    integration.disable()


def state_of(weight, dtype=torch.bfloat16, quant_type="nf4"):
    state2 = types.SimpleNamespace(
        absmax=weight.nested_absmax, code=weight.nested_quant_map, blocksize=256, dtype=torch.float32
    )
    return types.SimpleNamespace(
        absmax=weight.absmax,
        shape=torch.Size(weight.shape),
        dtype=dtype,
        blocksize=weight.blocksize,
        quant_type=quant_type,
        offset=weight.nested_offset,
        state2=state2,
    )


@pytest.fixture
def weight(made):
    return made.weight


def test_replaces_it_in_every_module(unsloth):
    report = integration.enable()
    assert report.replaced == [
        f"unsloth.{module}.fast_dequantize" for module in ("kernels.fast_lora", "kernels.utils", "save")
    ]
    integration.disable()
    assert all(unsloth[f"unsloth.{m}"].fast_dequantize(None, 1) == "the original" for m in ("save", "kernels.utils"))


def test_decodes_what_unsloth_does_and_more(unsloth, weight, device):
    fast_dequantize = (integration.enable(), unsloth["unsloth.save"].fast_dequantize)[1]
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        state = state_of(weight, dtype)
        expected = qfuse.dequantize_4bit(weight.packed, state)
        assert same_bits(fast_dequantize(weight.packed, state), expected)
        assert same_bits(fast_dequantize(weight.packed.t(), state, use_global_buffer=True), expected.t())
        out = torch.empty_like(expected)
        assert fast_dequantize(weight.packed, state, out=out) is out and same_bits(out, expected)
    assert not same_bits(fast_dequantize(weight.packed, state_of(weight, torch.float32, "fp4")), expected)


def test_a_buffer_is_not_written_twice(unsloth, weight):
    integration.enable()
    fast_dequantize = unsloth["unsloth.kernels.fast_lora"].fast_dequantize
    first = fast_dequantize(weight.packed, state_of(weight), use_global_buffer=True)
    second = fast_dequantize(weight.packed, state_of(weight), use_global_buffer=True)
    assert first.data_ptr() != second.data_ptr()


def test_leaves_the_rest_to_the_original(unsloth, weight):
    integration.enable()
    fast_dequantize = unsloth["unsloth.kernels.utils"].fast_dequantize
    plain = torch.ones(2, 3)
    assert fast_dequantize(plain) is plain
    assert fast_dequantize(torch.ones(2, 3).to(torch.float8_e4m3fn), torch.ones(1)) == "the original"


def test_says_that_it_is_not_there():
    if "unsloth" in sys.modules:
        pytest.skip("it is")
    with pytest.warns(UserWarning, match="qfuse left unsloth.kernels.utils.fast_dequantize as it is"):
        assert not integration.enable()


def test_leaves_a_version_with_a_kernel_of_its_own(unsloth, weight):
    utils = unsloth["unsloth.kernels.utils"]
    utils._USE_NF4_KERNELS = True
    with pytest.warns(UserWarning, match="left unsloth.kernels.utils.fast_dequantize as it is: Unneeded: .* itself"):
        assert not integration.enable()
    assert utils.fast_dequantize(weight.packed, state_of(weight)) == "the original"


@pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU)
@pytest.mark.parametrize("own_kernel", ["0", "1"])
def test_under_unsloth_itself(tmp_path, own_kernel):
    if importlib.util.find_spec("unsloth") is None:
        pytest.skip("NOT TESTED UNDER UNSLOTH: it is not installed here")
    script = Path(__file__).with_name("under_unsloth.py")
    environment = {**os.environ, "UNSLOTH_BNB_TRITON": own_kernel}
    done = subprocess.run(
        [sys.executable, "-B", script],
        cwd=tmp_path,  # where unsloth leaves files
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
