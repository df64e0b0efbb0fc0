"""Runs every code block of README.md and docs/*.md, page by page and in order, with small models under the names of the
pages' large ones. tests/documents/blocks.py defines blocks and how those that cannot run are marked. C, C++ and CMake
blocks are built by tests/consumer against an installed qfuse."""

import contextlib
import io
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from conftest import TINY
from safetensors.torch import save_file

import qfuse

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "documents"))
import blocks  # noqa: E402

PAGES = [*blocks.pages(), "examples/python/qlora.ipynb"]
NUMBER = re.compile(r"target=\S+|\d[\d.,]*(e[-+]?\d+)?( ([kMG]?B|[mµ]?s|bytes)\b)?")


def make_tokenizer(folder: Path) -> None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = ["<unk>", "<s>", "</s>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, [], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="</s>")
    fast.save_pretrained(folder)


def make_pipeline(folder: Path) -> None:
    """Writes a pipeline with one component in diffusers' layout."""
    (folder / "transformer").mkdir(parents=True)
    index = {"_class_name": "FluxPipeline", "transformer": ["diffusers", "FluxTransformer2DModel"]}
    (folder / "model_index.json").write_text(json.dumps(index))
    (folder / "transformer" / "config.json").write_text(json.dumps({"_class_name": "FluxTransformer2DModel"}))
    weights = {f"transformer_blocks.0.attn.to_{name}.weight": torch.randn(64, 64).bfloat16() for name in "qkv"}
    save_file(weights, folder / "transformer" / "diffusion_pytorch_model.safetensors")


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the pages expect to exist."""
    for name in ("transformers", "peft", "bitsandbytes", "trl", "datasets"):
        pytest.importorskip(name)
    from experts_models import published_gpt_oss
    from packed_models import KINDS, published
    from transformers import AutoModelForCausalLM, LlamaConfig, Qwen3MoeConfig

    folder = tmp_path_factory.mktemp("models")
    for name in ("Llama-3.2-1B", "Llama-3-8B", "Llama-3-8B-bnb-4bit"):
        source = TINY / ("bnb4" if "4bit" in name else "full")
        shutil.copytree(source, folder / name)
        make_tokenizer(folder / name)
    for name in ("my-adapter", "my-lora", "my-qlora", "style", "facts"):
        shutil.copytree(TINY / "adapter", folder / name)
        config = json.loads((folder / name / "adapter_config.json").read_text())
        (folder / name / "adapter_config.json").write_text(
            json.dumps(config | {"base_model_name_or_path": "Llama-3-8B"})
        )
    shutil.copytree(TINY / "bnb4", folder / "model-bnb-4bit")
    make_pipeline(folder / "FLUX.1-schnell")
    config = dict(vocab_size=512, hidden_size=128, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=2)
    config |= dict(head_dim=32, moe_intermediate_size=64, num_experts=8, num_experts_per_tok=2)
    mixture = AutoModelForCausalLM.from_config(Qwen3MoeConfig(**config), dtype=torch.bfloat16)
    mixture.save_pretrained(folder / "Qwen3-30B-A3B")
    published_gpt_oss(folder / "gpt-oss-20b")
    published(folder / "Llama-3.1-8B-NVFP4A16", KINDS["nvfp4"])
    config = dict(vocab_size=256, hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4)
    AutoModelForCausalLM.from_config(LlamaConfig(**config), dtype=torch.bfloat16).save_pretrained(folder / "full")
    qfuse.checkpoint.quantize(folder / "full", folder / "Llama-3-70B-bnb-4bit")
    (folder / "train.jsonl").write_text(
        "".join(json.dumps({"text": f"What is {i} and {i}? It is {2 * i}."}) + "\n" for i in range(8))
    )
    return folder


class Page:
    """Runs a page's blocks one after another, in their own folder."""

    def __init__(self, folder: Path) -> None:
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.folder = folder
        command = Path(qfuse.__file__).parent / "bin" / "qfuse"
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        (bin_folder / "qfuse").symlink_to(command)
        for name in ("python", "python3"):
            (bin_folder / name).symlink_to(sys.executable)

    def run(self, block: blocks.Block) -> None:
        getattr(self, f"run_{block.language}")(block)

    def run_python(self, block: blocks.Block) -> None:
        if block.mark == "file":
            Path(block.reason).write_text(block.code)
            return
        code = compile("\n" * (block.line - 1) + block.code, block.page, "exec")  # for the lines of tracebacks
        exec(code, self.names)

    def run_sh(self, block: blocks.Block) -> None:
        for line in block.code.replace("\\\n", " ").splitlines():
            self.run_line(block, line)

    def run_console(self, block: blocks.Block) -> None:
        """Runs the lines after $ and compares what they print; numbers may differ."""
        if block.code.startswith(">>> "):
            self.run_session(block)
            return
        assert block.code.startswith("$ "), f"{block.place}: is of no language"
        for part in re.split(r"^\$ ", block.code.replace("\\\n", " "), flags=re.M)[1:]:
            line, _, expected = part.partition("\n")
            printed = self.run_line(block, line)
            if printed is not None:
                check_printed(block.place, expected, printed)

    def run_session(self, block: blocks.Block) -> None:
        line, _, expected = block.code.removeprefix(">>> ").partition("\n")
        with pytest.raises(Exception) as raised:
            exec(line, self.names)
        assert f"{raised.type.__name__}: {raised.value}" == expected.strip()

    def run_line(self, block: blocks.Block, line: str) -> str | None:
        """Returns what the line prints, or None if it is not run."""
        line = re.sub(r"(^|\s)#.*", "", line).strip()
        words = shlex.split(line)
        if not words or words[0] in block.words:
            return None
        is_module = words[1:2] == ["-m"] and words[2].startswith("qfuse.")
        is_program = len(words) > 1 and words[1].endswith(".py")
        if words[0] in ("python", "python3") and (is_module or is_program) and "&&" not in words:
            printed = self.run_program(words[1 + is_module :], is_module)
        else:
            found = subprocess.run(["bash", "-euo", "pipefail", "-c", line], capture_output=True, text=True, timeout=60)
            printed = found.stdout + found.stderr
            assert found.returncode == 0, f"{block.place}: {line}\n{printed}"
        print(f"$ {line}\n{printed}", end="")  # a transcript with pytest's -rP
        return printed

    def run_program(self, words: list[str], is_module: bool) -> str:
        """Runs in this process, which has already imported the program's packages."""
        before, sys.argv = sys.argv, words
        run, path = (runpy.run_module, words[0]) if is_module else (runpy.run_path, str(self.folder / words[0]))
        output = io.StringIO()
        try:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                run(path, run_name="__main__")
        finally:
            sys.argv = before
        return output.getvalue()


def check_printed(place: str, expected: str, printed: str) -> None:
    """Expects each line that the page shows, in this order; "..." stands for any lines, and numbers may differ."""
    lines = iter([NUMBER.sub("#", line).split() for line in printed.splitlines()])
    for line in expected.splitlines():
        if line.strip() == "...":
            continue
        words = NUMBER.sub("#", line).split()
        assert words in lines, f"{place}: was not printed: {line}\n{printed}"


@pytest.fixture
def page(models, tmp_path, monkeypatch):
    for path in models.iterdir():
        (tmp_path / path.name).symlink_to(path)
    for name in ("examples", "python", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return Page(tmp_path)


@pytest.fixture
def as_it_was(request, monkeypatch, tmp_path):
    """Restores after a page whatever it has replaced."""
    for name, value in dict(RANK=0, LOCAL_RANK=0, WORLD_SIZE=1, MASTER_ADDR="127.0.0.1", MASTER_PORT=0).items():
        monkeypatch.setenv(name, str(value))  # as torchrun does
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("bitsandbytes.nn.modules.has_avx512bf16", lambda: False)
    request.getfixturevalue("bitsandbytes_as_it_was")
    import qfuse.integrations.peft as integration

    yield
    integration.disable()
    qfuse.set_batch_invariant(False)
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def runs_here(block: blocks.Block) -> bool:
    return block.language not in blocks.BUILT and block.mark != "installed" and (block.mark != "not run" or block.words)


@pytest.mark.parametrize("name", [name for name in PAGES if any(map(runs_here, blocks.of_page(name)))])
def test_blocks_run(name, page, as_it_was):
    for block in filter(runs_here, blocks.of_page(name)):
        page.run(block)


def test_every_block_is_run_or_says_why_not(capsys):
    marked = [block for block in blocks.all_blocks() if block.mark == "not run"]
    for block in blocks.all_blocks():
        assert block.language in blocks.RUN + blocks.BUILT or block in marked, f"{block.place}: is of no language"
    with capsys.disabled():
        for block in marked:
            print(f"Not run: {block.place}{': ' * bool(block.words) + ', '.join(block.words)} ({block.reason})")
