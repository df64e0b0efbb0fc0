"""Adds pages to mkdocs: documents outside docs/, linked sources, and headers.

Links in documents are valid in the tree. They are changed to lead to the page of the file that they name."""

import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import header
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = {"README.md": "index.md", "docs/README.md": "documents.md"}  # they have other names in the site
OUTSIDE |= {name: name for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")}
HEADERS = {f"include/qfuse/{name}": f"reference/{name}.md" for name in ("qfuse.h", "qfuse.hpp", "checkpoint.hpp")}
LINK = re.compile(r"(\[[^\]]*\]\()([^)\s]+)(\))")
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
LANGUAGES = {".py": "python", ".cpp": "cpp", ".hpp": "cpp", ".h": "c", ".c": "c", ".cu": "cuda", ".cuh": "cuda"}
LANGUAGES |= {".json": "json", ".ipynb": "json", ".cmake": "cmake", ".toml": "toml", ".yml": "yaml"}
PYTHON = {
    "python": ("The Python package", ["qfuse", "qfuse.nn", "qfuse.integrations.bitsandbytes", "qfuse.integrations.peft",
                                      "qfuse.integrations.transformers", "qfuse.integrations.accelerate"]),
    "ops": ("The PyTorch ops", ["qfuse.ops"]),
    "checkpoint": ("Whole checkpoints from Python", ["qfuse.checkpoint"]),
    "distributed": ("Several GPUs from Python", ["qfuse.distributed"]),
}  # fmt: skip


def files_in(folder: str) -> list[str]:
    """Returns the folder's files, without those of subfolders."""
    return sorted(f"{folder}/{path.name}" for path in (ROOT / folder).iterdir() if path.is_file())


def links_of(text: str) -> Iterator[str]:
    for _, target, _ in LINK.findall(FENCED.sub("", text)):
        if "://" not in target and not target.startswith(("#", "mailto:")):
            yield target.partition("#")[0]


class Site:
    """Maps the tree's files to the site's pages."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = dict(OUTSIDE) | HEADERS

    def page_of(self, name: str) -> str | None:
        if name in self.pages:
            return self.pages[name]
        return name.removeprefix("docs/") if name.startswith("docs/") else None

    def file_of(self, uri: str) -> str:
        """Returns the file of a page, for documents."""
        return next((name for name, page in self.pages.items() if page == uri), f"docs/{uri}")


site = Site()


def generated(config: Any, uri: str, text: str) -> File:
    return File.generated(config, uri, content=text)


def source_page(name: str) -> str:
    path = ROOT / name
    if path.is_dir():
        lines = [f"- [{posixpath.basename(file)}]({posixpath.basename(file)}.md)" for file in files_in(name)]
        return f"# {name}\n\n" + "\n".join(lines) + "\n"
    text = path.read_text(encoding="utf-8")
    fence = "`" * (max([2, *map(len, re.findall("`+", text))]) + 1)
    return f"# {name}\n\n{fence}{LANGUAGES.get(path.suffix, 'text')}\n{text.rstrip()}\n{fence}\n"


def linked_sources() -> list[str]:
    """Returns linked files that are not documents, and linked folders with their files."""
    documents = [*OUTSIDE, *(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))]
    found: set[str] = set()
    for document in documents:
        for target in links_of((ROOT / document).read_text(encoding="utf-8")):
            name = posixpath.normpath(posixpath.join(posixpath.dirname(document), target))
            if site.page_of(name) or not (ROOT / name).exists():
                continue
            found.add(name)
            if (ROOT / name).is_dir():
                found |= set(files_in(name))
    return sorted(found)


def on_files(files: Files, config: Any) -> Files:
    files.remove(files.get_file_from_path("README.md"))
    for name, uri in OUTSIDE.items():
        files.append(generated(config, uri, (ROOT / name).read_text(encoding="utf-8")))
    for name, uri in HEADERS.items():
        files.append(generated(config, uri, header.page(ROOT / name)))
    for uri, (title, modules) in PYTHON.items():
        text = f"# {title}\n\n" + "".join(f"## {module}\n\n::: {module}\n\n" for module in modules)
        files.append(generated(config, f"reference/{uri}.md", text))
    for name in linked_sources():
        index = "/index" if (ROOT / name).is_dir() else ""
        uri = f"source/{name}{index}.md"
        site.pages[name] = uri
    for name, uri in list(site.pages.items()):
        if uri.startswith("source/"):
            files.append(generated(config, uri, source_page(name)))
    files.append(generated(config, "site.css", (Path(__file__).parent / "site.css").read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    uri = page.file.src_uri
    if uri == "index.md":
        page.meta["hide"] = ["navigation"]
    # In a search, usage pages come before internals: sources are in no section, and the section Inside comes last.
    is_inside = page.parent.title == "Inside" if page.parent else uri != "index.md"
    page.meta["search"] = {"boost": 0.25 if is_inside else 1}
    file = site.file_of(uri)
    folder = file if (ROOT / file).is_dir() else posixpath.dirname(file)

    def rewrite(found: re.Match[str]) -> str:
        before, target, behind = found.groups()
        path, hash_, anchor = target.partition("#")
        if not path or "://" in target or target.startswith("mailto:"):
            return found[0]
        there = site.page_of(posixpath.normpath(posixpath.join(folder, path)))
        if there is None:
            return found[0]  # mkdocs reports it
        return f"{before}{os.path.relpath(there, posixpath.dirname(uri) or '.')}{hash_}{anchor}{behind}"

    parts, at = [], 0
    for code in FENCED.finditer(markdown):  # leaves code unchanged
        parts += [LINK.sub(rewrite, markdown[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*parts, LINK.sub(rewrite, markdown[at:])])
