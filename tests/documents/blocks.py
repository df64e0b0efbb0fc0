#!/usr/bin/env python3
"""Finds the code blocks of README.md and docs/*.md, and the comments that mark them.

    blocks.py FOLDER     writes to FOLDER what tests/consumer builds and runs with an installed qfuse

A block is fenced, or indented by four spaces: then it is shell. A comment above a block says why it cannot run:

    <!-- not run: needs two GPUs -->
    <!-- not run (hf, vllm): there is no network here -->     only the lines that begin with one of these words
    <!-- installed: tests/consumer -->                        shell lines that need an installed qfuse
    <!-- file: decode.cpp -->                                 C and C++: later shell lines use the block as this file
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"```(\w*)")
MARK = re.compile(r"<!-- (not run|installed|file)(?: \(([^)]+)\))?: (.+?) -->")
RUN = ("python", "sh", "console")  # tested by python/tests/test_documents.py
BUILT = ("c", "cpp", "cmake")  # tested by tests/consumer


class Block(NamedTuple):
    page: str
    line: int  # number of the first line
    language: str
    code: str
    mark: str = ""  # "not run", "installed", "file"
    words: tuple[str, ...] = ()  # prefixes of the lines that are not run; empty: all lines
    reason: str = ""  # for "file", the file's name

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    return ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]


def of_notebook(page: str) -> Iterator[Block]:
    for number, cell in enumerate(json.loads((ROOT / page).read_text(encoding="utf-8"))["cells"]):
        code = "".join(cell["source"])
        if cell["cell_type"] == "code":
            language, code = ("sh", re.sub("^!", "", code, flags=re.M)) if code.startswith("!") else ("python", code)
            yield Block(page, number + 1, language, code)


def of_page(page: str) -> Iterator[Block]:
    if page.endswith(".ipynb"):
        yield from of_notebook(page)
        return
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    mark: tuple[str, tuple[str, ...], str] = ("", (), "")
    before = ""  # the last line that is not empty
    at = 0
    while at < len(lines):
        line = lines[at]
        if found := FENCE.match(line):
            end = lines.index("```", at + 1)
            yield Block(page, at + 2, found[1] or "console", "\n".join(lines[at + 1 : end]) + "\n", *mark)
        elif line.startswith("    ") and not lines[at - 1] and not before.startswith(("- ", "  ", "1. ")):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end]):
                end += 1
            code = "\n".join(line[4:] for line in lines[at:end]).rstrip()
            yield Block(page, at + 1, "console" if code.startswith("$ ") else "sh", code + "\n", *mark)
            end -= 1
        else:
            if found := MARK.match(line):
                words = tuple(word.strip() for word in found[2].split(",")) if found[2] else ()
                mark = found[1], words, found[3]
            elif line:
                mark = "", (), ""
            before = line or before
            at += 1
            continue
        mark = "", (), ""
        before = "```"
        at = end + 1


def all_blocks() -> Iterator[Block]:
    for page in pages():
        yield from of_page(page)


def main() -> None:
    """Writes programs as PAGE/line_N.c or .cpp or under their file name, others as CMakeLists.txt and line_N.sh."""
    folder = Path(sys.argv[1])
    for block in all_blocks():
        page = folder / Path(block.page).stem
        if block.language in BUILT or block.mark == "installed":
            page.mkdir(exist_ok=True)
        if block.language == "cmake":
            (page / "CMakeLists.txt").write_text(block.code)
        elif block.language in BUILT and block.mark != "not run":
            name = block.reason if block.mark == "file" else f"line_{block.line}.{block.language}"
            (page / name).write_text(f'#line {block.line} "{block.page}"\n{block.code}')
        elif block.mark == "installed":
            (page / f"line_{block.line}.sh").write_text(block.code)


if __name__ == "__main__":
    main()
