"""Hooks into other libraries: entry points in fresh processes, kernels of bitsandbytes' ops, refused versions."""

import gc
import importlib.metadata
import json
import logging
import os
import subprocess
import sys
import threading
import types
import warnings

import pytest
import torch
from conftest import Calls, golden_weights, same_bits
from layers_of_bitsandbytes import all_are_original, bnb, make_layer

import qfuse
import qfuse.integrations.bitsandbytes as integration
import qfuse_plugins
from qfuse import versions
from qfuse.integrations import report
from qfuse.patching.hook import Kernel
from qfuse.patching.patch import Patch, Patches

pytestmark = pytest.mark.usefixtures("bitsandbytes_as_it_was")
MATRICES = [case for case in golden_weights("bnb_cases") if len(case.weight.shape) == 2]
VARIABLE = "QFUSE_BITSANDBYTES"

# ---- entry points, in fresh processes


# Each scenario runs in a fork of a process that has imported torch, because that import takes most of the time.
FORK = f"""
import json, os, sys
import torch._dynamo  # which bitsandbytes imports

scenarios = json.loads(sys.argv[1])
for name, (variable, code) in scenarios.items():
    if os.fork() == 0:
        if variable:
            os.environ["{VARIABLE}"] = variable
        names = dict(json=json, sys=sys)
        exec(code, names)
        with open(os.path.join(sys.argv[2], name), "w") as file:
            json.dump(names["found"], file)
        os._exit(0)
sys.exit(any([os.wait()[1] for _ in scenarios]))
"""


def in_fresh_processes(folder, **scenarios):
    """Returns the `found` of each scenario. A scenario is a value of the variable, and code."""
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    command = [sys.executable, "-W", "error::UserWarning:qfuse", "-c", FORK, json.dumps(scenarios), folder]
    subprocess.run(command, env=environment, timeout=300, check=True)
    return [json.loads((folder / name).read_text()) for name in scenarios]


LOOK = """
import hashlib, sys
import bitsandbytes as bnb, torch

def look():
    torch.manual_seed(1)
    layer = bnb.nn.Linear4bit(96, 64, bias=False, quant_type="nf4", compute_dtype=torch.float32).train().to("cpu")
    x = torch.randn(3, 96, requires_grad=True)
    y = layer(x)
    y.sum().backward()
    weight = bnb.functional.dequantize_4bit(layer.weight, layer.weight.quant_state)
    bits = b"".join(each.detach().numpy().tobytes() for each in (y, x.grad, weight))
    functions = bnb.functional.dequantize_4bit, bnb.functional.quantize_4bit, bnb.matmul_4bit
    functions = [each for each in functions if not hasattr(each, "__wrapped__")]
    integrations = sys.modules.get("qfuse.integrations")
    return {
        "imported": sorted({"qfuse", "qfuse_plugins"} & set(sys.modules)),
        "functions": [f"{each.__module__}.{each.__qualname__}" for each in functions],
        "bits": hashlib.sha256(bits).hexdigest(),
        "replaced": integrations and integrations.report().replaced,
    }
"""
# A worker of vLLM, which calls the entry points of the group before it imports what models need.
VLLM = """
import importlib.metadata, logging, sys

lines = []
class Keeps(logging.Handler):
    def emit(self, record):
        lines.append(record.getMessage())
logging.getLogger("vllm").setLevel("INFO")
logging.getLogger("vllm").addHandler(Keeps())
for entry in importlib.metadata.entry_points(group="vllm.general_plugins"):
    if entry.name == "qfuse":
        entry.load()()
early = "bitsandbytes" in sys.modules
"""
ORIGINALS = ["bitsandbytes.functional.dequantize_4bit", "bitsandbytes.functional.quantize_4bit"]
PRODUCT = "bitsandbytes.autograd._functions.matmul_4bit"


def test_entry_points_do_nothing_until_they_are_asked_to(tmp_path):
    show, here = LOOK + "found = look()", {}
    worker = VLLM + LOOK + "found = look() | dict(early=early, lines=lines)"
    inactive, matmul, worker = in_fresh_processes(
        tmp_path, inactive=("", show), matmul=("matmul", show), worker=("decode", worker)
    )
    exec(show, here)
    assert inactive["imported"] == ["qfuse_plugins"]  # the entry point was called, and imported nothing else
    assert inactive["functions"] == here["found"]["functions"] == [*ORIGINALS, PRODUCT]
    assert inactive["bits"] == here["found"]["bits"] != matmul["bits"]

    assert matmul["functions"] == [] and matmul["replaced"]["bitsandbytes::gemm_4bit on CPU"] == "hook"
    assert matmul["replaced"]["bitsandbytes.matmul_4bit"] == "patch"
    assert worker["early"] and worker["functions"] == []  # the product has a guard, which no report names
    assert "bitsandbytes.matmul_4bit" not in worker["replaced"]
    assert worker["replaced"]["bitsandbytes::dequantize_4bit on CPU"] == "hook"
    assert "qfuse replaced bitsandbytes::dequantize_4bit on CPU (hook)" in worker["lines"]
    assert matmul["replaced"].keys() > worker["replaced"].keys()


def test_an_entry_point_that_is_not_asked_costs_microseconds(monkeypatch):
    import timeit

    monkeypatch.delenv(VARIABLE, raising=False)
    assert min(timeit.repeat(qfuse_plugins.bitsandbytes, number=100, repeat=5)) < 100 * 50e-6
    assert min(timeit.repeat(qfuse_plugins.vllm, number=100, repeat=5)) < 100 * 50e-6
    assert all_are_original()


def test_the_package_names_its_entry_points():
    for group, function in [
        ("bitsandbytes.backends", qfuse_plugins.bitsandbytes),
        ("vllm.general_plugins", qfuse_plugins.vllm),
    ]:
        (entry,) = (each for each in importlib.metadata.entry_points(group=group) if each.name == "qfuse")
        assert entry.load() is function


@pytest.mark.parametrize("wrong", ["1", "MATMUL", "encode"])
def test_another_value_is_a_warning_that_names_the_two(monkeypatch, wrong):
    monkeypatch.setenv(VARIABLE, wrong)
    with pytest.warns(UserWarning, match=f"QFUSE_BITSANDBYTES is '{wrong}', it can be decode or matmul"):
        qfuse_plugins.bitsandbytes()
    assert all_are_original() and not integration.report()


def test_no_warning_ends_the_import_of_bitsandbytes(monkeypatch, capsys):
    """No warning does, even where warnings are errors. After an error, what was already replaced is restored."""
    monkeypatch.setenv(VARIABLE, "yes")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        qfuse_plugins.bitsandbytes()
    assert "QFUSE_BITSANDBYTES is 'yes'" in capsys.readouterr().err
    monkeypatch.setenv(VARIABLE, "matmul")
    monkeypatch.setattr(integration._product, "enable", raiser(RuntimeError("as it happens")))
    with pytest.warns(UserWarning, match="replaces nothing: as it happens"):
        qfuse_plugins.bitsandbytes()
    assert not integration.report() and all_are_original()


def raiser(error):
    def raise_it(*args, **kwargs):
        raise error

    return raise_it


def test_a_worker_of_vllm_that_has_bitsandbytes_already(monkeypatch, caplog):
    """Such a worker was forked from a process that had imported it before the variable was set."""
    with caplog.at_level(logging.INFO):
        monkeypatch.setenv(VARIABLE, "matmul")
        qfuse_plugins.vllm()
        assert "bitsandbytes.matmul_4bit" in report().replaced
        assert "qfuse replaced bitsandbytes::gemm_4bit on CPU (hook)" in caplog.text
        integration.disable()
        caplog.clear()
        monkeypatch.setenv(VARIABLE, "all")
        qfuse_plugins.vllm()
        assert "it can be decode or matmul" in caplog.text and not integration.report()
        monkeypatch.setitem(sys.modules, "bitsandbytes", types.ModuleType("bitsandbytes"))  # without a __spec__
        qfuse_plugins.vllm()


def test_an_import_of_bitsandbytes_survives_what_qfuse_cannot_do(monkeypatch, caplog):
    monkeypatch.setenv(VARIABLE, "decode")
    monkeypatch.setattr(versions, "version", lambda library: "0.47.0")
    refused = r"replaces nothing: qfuse needs bitsandbytes 0\.48 or later, this is 0\.47\.0"
    with pytest.warns(UserWarning, match=refused):
        qfuse_plugins.bitsandbytes()
    assert all_are_original()
    monkeypatch.setitem(sys.modules, "qfuse.integrations", None)
    with caplog.at_level(logging.WARNING):
        qfuse_plugins.vllm()
    assert "QFUSE_BITSANDBYTES has no effect" in caplog.text


def test_the_variable_says_how_much(monkeypatch):
    for value, replaced in [("decode", False), ("matmul", True)]:
        monkeypatch.setenv(VARIABLE, value)
        qfuse_plugins.bitsandbytes()
        assert ("bitsandbytes.matmul_4bit" in report().replaced) == replaced
        integration.disable()
        assert not integration.report() and all_are_original()


# ---- kernels of ops


def gemm(case, x, device, bias=None):
    """Calls bitsandbytes' op with the arguments that bitsandbytes itself passes."""
    weight = case.on(device)
    nested = {}
    absmax = weight.absmax
    if weight.nested:
        absmax = weight.nested_absmax
        nested = dict(
            absmax_8bit=weight.absmax, absmax_code=weight.nested_quant_map, absmax_offset=weight.nested_offset
        )
    codes = weight.packed.view(-1, 1)
    arguments = codes, weight.shape, absmax, weight.blocksize, weight.quant_type
    return torch.ops.bitsandbytes.gemm_4bit.default(x, *arguments, bias=bias, **nested)


def operands(case, device, dtype):
    torch.manual_seed(2)
    rows, cols = case.weight.shape
    return torch.randn(2, 3, cols, device=device, dtype=dtype), torch.randn(rows, device=device, dtype=dtype)


def test_products_are_a_kernel_of_their_op(device, monkeypatch):
    """Compares with products in float64 of the values that an H100 decodes."""
    monkeypatch.setattr(integration, "is_slower_than_bitsandbytes", lambda *call: False)
    seen = set()
    with integration.enabled(matmul=True) as found:
        for case in MATRICES:
            for dtype in (torch.float32, torch.bfloat16):
                x, bias = operands(case, device, dtype)
                product = gemm(case, x, device, bias)
                assert same_bits(product, qfuse.matmul_4bit(x, case.on(device), bias=bias)), case.name
                exact = torch.nn.functional.linear(x.double(), case.decoded[dtype].to(device).double(), bias.double())
                if exact.isfinite().all():
                    largest = exact.abs().max()
                    assert (product - exact).abs().max() <= 4 * torch.finfo(dtype).eps * largest, case.name
                    seen.add((case.weight.quant_type, case.weight.nested))
        with Calls("qfuse::matmul_4bit") as calls:
            gemm(MATRICES[0], operands(MATRICES[0], device, torch.bfloat16)[0], device)
    assert found.replaced[f"bitsandbytes::gemm_4bit on {device.upper()}"] == "hook"
    assert len(seen) == 4 and calls.count == 1


def test_decodes_are_a_kernel_of_their_op(device):
    """The expected bits are those of an H100, also where bitsandbytes' own kernels are wrong."""
    with integration.enabled() as found:
        for case in MATRICES:
            weight, expected = case.on(device), case.decoded[torch.bfloat16].to(device)
            if not weight.nested:
                arguments = weight.packed.view(-1, 1), weight.absmax, weight.blocksize, weight.quant_type, weight.shape
                decoded = torch.ops.bitsandbytes.dequantize_4bit.default(*arguments, torch.bfloat16)
                assert same_bits(decoded, expected), case.name
            if device == "cpu":
                x, bias = operands(case, device, torch.bfloat16)
                product = torch.nn.functional.linear(x, expected, bias)
                assert same_bits(gemm(case, x, device, bias), product), case.name
    assert found.replaced[f"bitsandbytes::dequantize_4bit on {device.upper()}"] == "hook"


def test_rows_that_bitsandbytes_decodes_wrongly_on_a_cpu():
    """For nf4 in blocks of 64, bitsandbytes 0.50.2 is wrong if k is a multiple of 16 but not of 64, on CPUs with
    AVX-512. Its AVX-512 code is in the library that it loads where it sees no GPU."""
    wrong = []
    for k in range(16, 200, 4):
        torch.manual_seed(k)
        packed, absmax = qfuse.ops.quantize_4bit(torch.randn(64, k), 64, "nf4")
        arguments = packed.view(-1, 1), absmax, 64, "nf4", (64, k), torch.float32
        theirs = torch.ops.bitsandbytes.dequantize_4bit.default(*arguments)
        codes = torch.stack([packed.view(-1) >> 4, packed.view(-1) & 15], 1).view(-1).long()
        values = bnb.functional.get_4bit_type("nf4", "cpu")[codes]
        exact = (values * absmax.repeat_interleave(64)[: values.numel()]).view(64, k)
        with integration.enabled():
            assert same_bits(torch.ops.bitsandbytes.dequantize_4bit.default(*arguments), exact)
        if not same_bits(theirs, exact):
            wrong.append(k)
    has_avx512 = torch.backends.cpu.get_cpu_capability() == "AVX512" and not bnb.cextension.lib.compiled_with_cuda
    is_affected = has_avx512 and bnb.__version__.startswith(("0.49", "0.50"))
    if is_affected and wrong:  # if `wrong` is empty, bitsandbytes is fixed, and docs/PYTORCH.md outdated
        assert wrong == [k for k in range(16, 200, 16) if k % 64]
    assert not is_affected or wrong


def test_leaves_what_is_not_its_own_to_their_kernel(device):
    layer = make_layer(device)
    state = layer.weight.quant_state
    codes, x = layer.weight.data, torch.ones(2, 128, device=device).bfloat16()
    decode, product = torch.ops.bitsandbytes.dequantize_4bit.default, torch.ops.bitsandbytes.gemm_4bit.default
    given = [
        lambda: decode(codes.expand(-1, 2)[:, :1], state.absmax, 64, "nf4", state.shape, torch.float32),
        lambda: product(x[:, :64], codes, state.shape, state.absmax, 64, "nf4"),
    ]
    if device == "cpu":  # on a GPU, bitsandbytes reads past the end of such a bias
        bias = torch.ones(1).bfloat16()
        given.append(lambda: product(x, codes, state.shape, state.absmax, 64, "nf4", bias=bias))
    without = []
    for call in given:
        try:
            without.append(call())
        except RuntimeError as error:
            without.append(str(error))
    with integration.enabled(matmul=True), Calls("qfuse::matmul_4bit") as calls:
        for call, expected in zip(given, without, strict=True):
            try:
                assert same_bits(call(), expected)
            except RuntimeError as error:
                assert str(error) == expected
    assert calls.count == 0


def calls_of_ops():
    """Returns how many decodes and products qfuse computes for one call each of bitsandbytes' two ops on a CPU."""
    plain = (each for each in MATRICES if not each.weight.nested)
    case = next(
        each for each in plain if each.weight.shape[1] % 64 == 0
    )  # for other rows, bitsandbytes compiles for seconds
    weight = case.on("cpu")
    arguments = weight.packed.view(-1, 1), weight.absmax, weight.blocksize, weight.quant_type, weight.shape
    with Calls("qfuse::dequantize_4bit") as decodes:
        torch.ops.bitsandbytes.dequantize_4bit.default(*arguments, torch.float32)
    with Calls("qfuse::matmul_4bit") as products:
        gemm(case, operands(case, "cpu", torch.bfloat16)[0], "cpu")
    return decodes.count, products.count


def test_disable_gives_the_ops_back():
    assert calls_of_ops() == (0, 0)
    for _ in range(2):
        integration.enable(matmul=True)
        integration.enable()
        with integration.enabled(matmul=True):
            assert calls_of_ops() == (1, 1)
        assert integration.report().replaced["bitsandbytes::gemm_4bit on CPU"] == "hook"
        integration.disable()
        gc.collect()
        assert calls_of_ops() == (0, 0)
        assert not integration.report()


def test_threads_compute_while_others_enable_and_disable():
    layer, x = make_layer("cpu"), torch.randn(3, 128).bfloat16()
    with torch.no_grad():
        expected = layer(x)
    ends, failed = threading.Event(), []

    def compute():
        with torch.no_grad():
            while not ends.is_set():
                try:
                    close = torch.allclose(layer(x), expected, rtol=0.02, atol=0.02)
                except Exception as error:
                    failed.append(error)
                else:
                    failed.extend([] if close else ["another result"])

    threads = [threading.Thread(target=compute) for _ in range(3)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(interval / 50)  # threads switch between any two steps, and none waits long
    try:
        for thread in threads:
            thread.start()
        for i in range(60):
            with integration.enabled(matmul=i % 2 == 0):
                ends.wait(0.001)
    finally:
        ends.set()
        sys.setswitchinterval(interval)
    for thread in threads:
        thread.join()
    assert not failed, failed[:3]


def test_a_kernel_that_another_library_has_put_over_ours():
    """The other library's kernel may call ours, which falls through to the original once it is disabled."""
    case = MATRICES[0]
    x = operands(case, "cpu", torch.bfloat16)[0]
    expected = gemm(case, x, "cpu")
    integration.enable(matmul=True)
    kept = torch.library.get_kernel("bitsandbytes::gemm_4bit", "CPU")
    library = torch.library.Library("bitsandbytes", "FRAGMENT")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library.impl(
            "gemm_4bit",
            lambda keys, *args, **kwargs: kept.call_boxed(keys, *args, **kwargs),
            "CPU",
            with_keyset=True,
            allow_override=True,
        )
    with Calls("qfuse::matmul_4bit") as calls:
        gemm(case, x, "cpu")
    assert calls.count == 1
    assert "another one in its place" in report().left["bitsandbytes::gemm_4bit on CPU"]
    integration.disable()
    assert same_bits(gemm(case, x, "cpu"), expected)
    library._destroy()


def test_the_op_by_itself_has_the_gradient_that_theirs_has(device):
    case = MATRICES[0]
    x, bias = (each.requires_grad_() for each in operands(case, device, torch.float32))

    def gradients():
        y = gemm(case, x, device, bias)
        return torch.autograd.grad(y.sum(), (x, bias)) if device == "cpu" else y.requires_grad

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that the op promises no gradient
        theirs = gradients()
        for matmul in (False, True):
            with integration.enabled(matmul=matmul):
                ours = gradients()
            if device == "cpu":
                torch.testing.assert_close(ours, theirs)
            else:
                assert ours == theirs


def test_a_function_that_somebody_has_replaced_since_is_reported(monkeypatch):
    with integration.enabled(matmul=True):
        monkeypatch.setattr(bnb.functional, "dequantize_4bit", lambda *args: "theirs")
        found = integration.report()
        assert "another one in its place" in found.left["bitsandbytes.functional.dequantize_4bit"]
        assert not any("dequantize_4bit" in name and "::" not in name for name in found.replaced)
        monkeypatch.undo()
        assert "bitsandbytes.functional.dequantize_4bit" in integration.report().replaced


def test_enable_and_disable_race_to_one_of_the_two():
    """Here, disable() runs after enable() has begun and before it has replaced anything."""
    patches = Patches(Patch("json", "loads", lambda *args, **kwargs: None))
    with patches._lock:
        thread = threading.Thread(target=patches.enable)
        thread.start()
        thread.join(0.05)
        patches.disable()
    thread.join()
    assert patches.is_enabled == bool(patches.report()) == hasattr(json.loads, "__wrapped__")
    patches.disable()
    assert not hasattr(json.loads, "__wrapped__")


def test_contexts_of_both_kinds_end_in_any_order():
    """The product's kernel overrides the decode's kernel, which stays registered."""
    layer, x = make_layer("cpu", nested=True), torch.randn(3, 128).bfloat16()

    def decodes():
        with torch.no_grad(), Calls("qfuse::dequantize_4bit") as calls:
            layer(x)
        return calls.count

    with integration.enabled(), integration.enabled(matmul=True):
        pass
    one, other = integration.enabled(matmul=True), integration.enabled()
    one.__enter__()
    other.__enter__()
    assert decodes() == 0
    one.__exit__(None, None, None)
    assert decodes() == 1
    other.__exit__(None, None, None)
    assert decodes() == 0


def test_a_context_that_nobody_ends_ends_with_its_garbage():
    """Garbage may be collected anywhere, e.g., as here, under the lock."""
    context = integration.enabled()
    context.__enter__()
    with integration._patches._lock:
        del context
    assert all_are_original()


def test_the_ops_compile_into_one_graph(device, backend):
    layer, x = make_layer(device, nested=True), torch.randn(3, 128, device=device).bfloat16()

    def run(x, packed, absmax, code, offset, nested):
        state = layer.weight.quant_state
        arguments = packed, state.shape, nested, 64, "nf4"
        more = dict(absmax_8bit=absmax, absmax_code=code, absmax_offset=offset)
        return torch.ops.bitsandbytes.gemm_4bit.default(x, *arguments, **more) * 2

    state = layer.weight.quant_state
    tensors = layer.weight.data, state.absmax, state.state2.code, state.offset, state.state2.absmax
    torch._dynamo.reset()
    compiled = torch.compile(run, fullgraph=True, backend=backend)
    compiled(x, *tensors)
    with integration.enabled(matmul=True):
        with Calls("qfuse::matmul_4bit") as calls:
            found = compiled(x, *tensors)
        assert same_bits(found, run(x, *tensors))
    assert calls.count == 1 or device == "cuda"
    with Calls("qfuse::matmul_4bit") as calls:
        compiled(x, *tensors)
    assert calls.count == 0


def test_several_models_in_several_threads():
    layers = [make_layer("cpu", nested, kind) for nested in (False, True) for kind in ("nf4", "fp4")]
    x = torch.randn(3, 128).bfloat16()
    expected = [qfuse.matmul_4bit(x, layer, bias=layer.bias).detach() for layer in layers]
    wrong = []

    def work(layer, expected):
        with torch.no_grad():
            wrong.extend(1 for _ in range(20) if not same_bits(layer(x), expected))

    with integration.enabled(matmul=True):
        threads = [threading.Thread(target=work, args=pair) for pair in zip(layers, expected, strict=True)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_says_why_an_op_stays():
    patches = Patches(
        Kernel("bitsandbytes::gemm_5bit", "CPU", print, "bitsandbytes.backends.cpu.ops"),
        Kernel("bitsandbytes::gemm_4bit", "XPU", print, "bitsandbytes.backends.xpu.ops"),
    )
    assert patches.enable().left == {
        "bitsandbytes::gemm_5bit on CPU": "LookupError: this version has no such op",
        "bitsandbytes::gemm_4bit on XPU": "no device of this kind here: bitsandbytes.backends.xpu.ops is not loaded",
    }
    patches.disable()


# ---- versions


@pytest.mark.parametrize(
    "library, older", [("bitsandbytes", "0.47.0"), ("peft", "0.16.0"), ("accelerate", "1.5.2"), ("trl", "1.14.0")]
)
def test_older_versions_are_refused_by_name(monkeypatch, library, older):
    pytest.importorskip(library)
    module = importlib.import_module(f"qfuse.integrations.{library}")
    monkeypatch.setattr(versions, "version", {library: older}.__getitem__)
    sentence = f"qfuse needs {library} {versions.OLDEST[library]} or later, this is {older}"
    for start in (module.enable, lambda: module.enabled().__enter__()):
        with pytest.raises(ImportError) as error:
            start()
        assert str(error.value) == sentence
    assert all_are_original() and not integration.report()


def test_an_older_transformers_is_refused_for_experts(monkeypatch):
    pytest.importorskip("transformers")
    from qfuse.integrations import transformers_experts as experts

    monkeypatch.setattr(versions, "version", lambda library: "5.17.0")
    with pytest.raises(ImportError, match=r"transformers 5\.20 or later for experts in 4 bits, this is 5\.17\.0"):
        experts.register()


def test_versions_are_compared_by_number():
    assert versions.is_older("0.9.1", "0.10") and not versions.is_older("0.50.2", "0.48")
    assert not versions.is_older("2.10.0a0+git", "2.10") and versions.is_older("2.9.1+cu128", "2.10")
