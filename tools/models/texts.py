#!/usr/bin/env python3
"""Collects English prose: texts.py OUT FOLDER... writes the paragraphs of every .html, .txt, .pod and manual page in
the folders, of which some may be .gz or .dz, each paragraph once. Files in another language, or mostly code, are left
out.
Exit status: 0, 1 there is no such file, 2 wrong usage."""

import argparse
import gzip
import html
import re
from pathlib import Path

ENDINGS = re.compile(r"\.(html?|html\.en|txt|pod|rst|dict|[1-8])(\.gz|\.dz)?$")
MARKUP = re.compile(r"<(script|style|head|nav|pre)\b.*?</\1>", re.DOTALL | re.I)
INLINE = re.compile(
    r"</?(a|b|i|em|strong|code|tt|span|abbr|kbd|var|samp|cite|q|dfn|sup|sub|font|u)\b[^>]*>", re.IGNORECASE
)
TAG = re.compile(r"<[^>]*>")
MACRO = re.compile(r"^[.'].*$|\\f.|\\[&%|,]|[A-Z]<+|>+", re.MULTILINE)  # of troff and pod
COMMON = re.compile(r"\b(the|of|and|to|is|in|that|for|with|are)\b")
LEAST_COMMON = 0.12  # share of these words in a file: English prose has 0.2 to 0.35


def text_of(file: Path) -> str:
    """Returns a file's text, a paragraph a line."""
    opened = gzip.open if file.suffix in (".gz", ".dz") else open
    with opened(file, "rb") as stream:
        text = stream.read().decode("utf-8", errors="replace")
    if ".htm" in file.name:
        text = TAG.sub("\n", INLINE.sub("", re.sub(r"\s+", " ", MARKUP.sub("\n", text))))
        paragraphs = html.unescape(text).split("\n")
    else:
        if ".txt" not in file.name:
            text = MACRO.sub(" ", text).replace("\\-", "-")
        paragraphs = re.split(r"\n\s*\n", text)
    return "\n".join(filter(None, (re.sub(r"\s+", " ", paragraph).strip() for paragraph in paragraphs)))


def is_english(text: str) -> bool:
    words = len(re.findall(r"\b\w+\b", text))
    return words >= 50 and len(COMMON.findall(text)) >= LEAST_COMMON * words


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--html", action="store_true", help="only .html, where .txt would repeat it in other words")
    arguments = parser.parse_args(words)
    seen: set[int] = set()
    files = size = 0
    with arguments.out.open("w", encoding="utf-8") as out:
        found = {file.resolve() for folder in arguments.folders for file in folder.rglob("*")}
        for file in sorted(found - {arguments.out.resolve()}):
            if not ENDINGS.search(file.name) or not file.is_file() or (arguments.html and ".htm" not in file.name):
                continue
            if not is_english(text := text_of(file)):
                continue
            lines = [line for line in text.split("\n") if hash(line) not in seen]
            seen.update(map(hash, lines))
            size += out.write("\n".join([*dict.fromkeys(lines), "\n"]))
            files += 1
    if not files:
        raise SystemExit(f"no English text in {' '.join(map(str, arguments.folders))}")
    print(f"{arguments.out}: {size / 1e6:.1f} million letters of {files} files")


if __name__ == "__main__":
    main()
