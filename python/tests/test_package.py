"""The installed package: it is whole, typed, and needs nothing but torch and libc."""

import gzip
import importlib
import io
import json
import operator
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import torch
from conftest import GOLDEN, command

import qfuse
from qfuse.weight import Form, Weight4bitTensor

PACKAGE = Path(qfuse.__file__).parent
ROOT = GOLDEN.parents[1]


def test_the_version_is_the_librarys():
    header = (ROOT / "include/qfuse/qfuse.h").read_text()
    parts = [re.search(rf"#define QFUSE_VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
    assert ".".join(part[1] for part in parts if part) == qfuse.__version__


@pytest.mark.parametrize(
    "file, least",
    [
        ("libqfuse_torch.so", {"qfuse", "hwy"}),
        ("libqfuse_python.so", {"qfuse", "qfuse_checkpoint", "hwy"}),
        ("bin/qfuse", {"qfuse", "qfuse_checkpoint", "hwy"}),
    ],
    ids=["torch", "ctypes", "bin"],
)
def test_what_the_package_is_linked_with_lies_in_it(file, least):
    found = subprocess.run(["ldd", PACKAGE / file], capture_output=True, text=True, check=True).stdout
    places = {line.split()[0]: line.split()[2] for line in found.splitlines() if "=>" in line}
    ours = {name: Path(place) for name, place in places.items() if re.match("lib(qfuse|hwy|tbb|fmt|pcre2)", name)}
    assert least <= {name.removeprefix("lib").split(".")[0] for name in ours}
    assert {place.resolve().parent for place in ours.values()} == {PACKAGE.resolve()}, "or it is not found"
    assert not any("python" in name for name in places)


def run_python(*arguments, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True, **options).stdout


def test_importing_it_imports_no_more_than_it_needs():
    """Imports neither torch's compiler, which takes as long as torch itself, nor other libraries, and starts no GPU."""
    code = """if True:
        import sys, torch
        had_compiler = "torch._dynamo" in sys.modules
        import qfuse
        print(had_compiler or "torch._dynamo" not in sys.modules)
        import qfuse.integrations.bitsandbytes, qfuse.integrations.peft
        print(torch.cuda.is_initialized(), {"bitsandbytes", "peft", "transformers"} & set(sys.modules))"""
    assert run_python("-c", code) == "True\nFalse set()\n"


def test_the_command_comes_with_it():
    for how in (["-m", "qfuse"], ["-c", "import qfuse_command; qfuse_command.main()"]):
        assert run_python(*how, "--version").strip().endswith(qfuse.__version__)
    assert run_python("-c", "import sys, qfuse_command; print('torch' in sys.modules)").strip() == "False"


def test_the_man_page_and_completions_come_with_it():
    """They are below the environment's prefix, where man and shells look, or with pip's --target beside the package."""
    places = [Path(place) / "share" for place in (PACKAGE.parent, sysconfig.get_path("data"))]
    share = next(place for place in places if (place / "man/man1/qfuse.1.gz").is_file())
    page = gzip.decompress((share / "man/man1/qfuse.1.gz").read_bytes()).decode()
    assert f'"qfuse {qfuse.__version__}"' in page and ".SS qfuse dequantize" in page
    files = {"bash": "bash-completion/completions/qfuse", "zsh": "zsh/site-functions/_qfuse"}
    files["fish"] = "fish/vendor_completions.d/qfuse.fish"
    for shell, file in files.items():
        assert (share / file).read_text() == command("completions", shell)


def test_without_torch():
    """What does not need torch works, and the rest says what it needs."""
    code = f"""if True:
        import sys
        sys.modules["torch"] = None
        import qfuse, qfuse.checkpoint
        assert qfuse.devices()[0].name == "cpu"
        print(len(qfuse.checkpoint.inspect({str(GOLDEN / "tiny_llama/bnb4")!r}).tensors), qfuse.merge.__name__)
        try:
            qfuse.dequantize_4bit
        except ImportError as error:
            print(error)"""
    count, message = run_python("-c", code).splitlines()
    assert count == "21 merge"
    assert message == 'this part of qfuse needs torch 2.10 or later: pip install "qfuse[torch]"'


def test_the_extension_asks_for_no_more_than_torch_2_10_has():
    """torch's headers guard what later versions added, so that the declared version decides."""
    lines = (ROOT / "python" / "CMakeLists.txt").read_text()
    assert "TORCH_TARGET_VERSION=0x020a000000000000" in lines
    names = subprocess.run(
        ["nm", "-D", "--undefined-only", PACKAGE / "libqfuse_torch.so"], capture_output=True, text=True, check=True
    ).stdout.split()
    direct = PACKAGE / "_direct.abi3.so"
    if direct.is_file():
        lines = subprocess.run(
            ["nm", "-D", "--undefined-only", direct], capture_output=True, text=True, check=True
        ).stdout
        kinds = {name: kind for kind, name in map(str.split, lines.splitlines())}
        assert kinds["torch_tensor_to_pyobject"] == "w"  # weak: new in torch 2.14
        names += [name for name, kind in kinds.items() if kind == "U" and "qfuse" not in name]
    from_torch = {name for name in names if name.startswith(("aoti_torch_", "torch_"))}
    assert from_torch and not any("cuda_stream" in name for name in from_torch)
    assert not any("c10" in name or "2at" in name for name in names)  # no symbols of the unstable interface


# Parts of torch that nothing here names, and from which no type here comes; mypy would take longer for them than for
# all else. torch._dynamo counts as unread: only its settings and reset() are named.
UNREAD = (
    "_decomp _export _functorch _higher_order_ops _inductor _numpy _prims _refs ao export fx.passes jit onnx package"
)
UNREAD_MODULES = [f"torch.{part}" for part in UNREAD.split()]
OVERRIDES = {
    "skip": [f"{name}.*" for name in (*UNREAD_MODULES, "torch._dynamo")],
    "normal": ["torch._dynamo", "torch._dynamo.config"],
}


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Runs mypy on files with pyproject.toml's settings. Its cache of torch is in build/, if there is one, and lasts
    from one run of the tests to the next."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("mypy")
    settings = [(ROOT / "pyproject.toml").read_text()]
    for how, modules in OVERRIDES.items():
        settings.append(f'[[tool.mypy.overrides]]\nmodule = {json.dumps(modules)}\nfollow_imports = "{how}"\n')
    (folder / "pyproject.toml").write_text("".join(settings))
    cache = (ROOT / "build" if (ROOT / "build").is_dir() else folder) / "mypy_of_the_package"

    command = [sys.executable, "-m", "mypy", "--config-file", folder / "pyproject.toml", "--cache-dir", cache]

    def run(*what):
        environment = os.environ | {"MYPYPATH": str(PACKAGE.parent)}
        found = subprocess.run([*command, *what], capture_output=True, text=True, cwd=PACKAGE.parent, env=environment)
        return found.stdout + found.stderr

    return run


CHECKED = {
    "the package": sorted(PACKAGE.rglob("*.py")),
    "benchmarks": sorted((ROOT / "python/benchmarks").glob("*.py")),
    "examples": sorted((ROOT / "examples/python").glob("*.py")),
}


@pytest.mark.parametrize("what", CHECKED)
def test_types(what, mypy):
    files = CHECKED[what]
    named = re.compile(rf"\b({'|'.join(map(re.escape, UNREAD_MODULES))})\b|torch\._dynamo\.(?!config|reset)")
    assert files and not [path for path in files if named.search(path.read_text())], "is to be read then"
    checked = mypy(*(["-p", "qfuse"] if what == "the package" else files))
    assert checked.startswith("Success"), checked


def test_types_know_the_words(tmp_path, mypy):
    (tmp_path / "user.py").write_text(
        "import qfuse, torch\n"
        "qfuse.ops.quantize_4bit(torch.ones(64), 64, 'nf4', 'ieee')\n"
        "qfuse.ops.quantize_4bit(torch.ones(64), 64, 'nf5')\n"
        "qfuse.ops.quantize_4bit(torch.ones(64), 64, 'nf4', 'fast')\n"
        "qfuse.merge('base', ['one', ('another', 0.5)], 'out', to='nf4').merged[0].survival\n"
        "qfuse.merge('base', [('one', 1)], 'out', head='tied')\n"
    )
    wrong = [line for line in mypy(tmp_path / "user.py").splitlines() if "user.py:" in line]
    assert len(wrong) == 3 and all(word in line for word, line in zip(["nf5", "fast", "tied"], wrong, strict=True))


def test_names_the_missing_extension(monkeypatch, tmp_path):
    from qfuse.native import extension

    monkeypatch.setattr(extension, "_LIBRARY", tmp_path / "libqfuse_torch.so")
    with pytest.raises(ImportError, match="install qfuse with pip"):
        extension.load()
    (tmp_path / "libqfuse_torch.so").write_bytes(b"no library")
    with pytest.raises(ImportError, match=r"libqfuse_torch.so cannot be loaded: .*(invalid ELF header|file too short)"):
        extension.load()
    monkeypatch.setattr(torch, "__version__", "2.9.1+cu128")
    with pytest.raises(ImportError, match=re.escape("qfuse needs torch 2.10 or later, this is 2.9.1+cu128")):
        extension.load()


def as_once_saved(value):
    """Saves under the names that modules had before they were in folders, and returns what torch loads."""
    file = io.BytesIO()
    torch.save(value, file, _use_new_zipfile_serialization=False)
    raw = file.getvalue()
    for now, then in (("weight_4bit", "quant_state"), ("tensor", "parameter"), ("form", "parameter")):
        raw = raw.replace(f"qfuse.weight.{now}\n".encode(), f"qfuse.{then}\n".encode())
    assert b"qfuse.weight" not in raw
    return [torch.load(io.BytesIO(raw), weights_only=only) for only in (True, False)]


def test_former_names_of_modules_still_load():
    tensors = qfuse.ops.quantize_4bit_nested(torch.randn(4, 64), 64, "nf4")
    weight = qfuse.Weight4bit(tensors, (4, 64), torch.float32)
    for found in as_once_saved(weight):
        assert type(found) is qfuse.Weight4bit and torch.equal(found.dequantize(), weight.dequantize())
    once = Weight4bitTensor.of(weight)
    once.form = Form._make((*weight[2:], False))  # as formerly: is_part at its end, and no shape
    del once.is_part
    for found in as_once_saved(once):
        assert type(found) is Weight4bitTensor and torch.equal(found.dequantize(), weight.dequantize())
        assert found.form == weight.form and not found.is_part
    for name in ("experts", "functional", "integrations.experts", "integrations.patch", "lora", "quant_state"):
        assert importlib.import_module(f"qfuse.{name}") is operator.attrgetter(name)(qfuse)
