"""Makes a page of one of our C or C++ headers: each comment with its declaration, under the sections' headings."""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

SECTION = re.compile(r"(?:/\*|//) ---- (.+?) -+(?: \*/)?")
NAME = re.compile(
    r"^(?=\S)(?:#define (\w+)"  # only lines that are not indented
    r"|(?:typedef )?(?:struct|class|enum class|enum) (?:QFUSE_API )?(\w+)"
    r"|using (\w+)"
    r"|(?:typedef \w+ \(\*)?[\w:<>,&*\[\] ]*?\b(\w+)\)?\()",  # a function or a function pointer
    re.M,
)


def chunks(text: str) -> Iterator[str]:
    """Yields top-level pieces of a file, split at empty lines outside of braces and comments."""
    piece: list[str] = []
    depth = 0
    in_comment = False
    for line in text.splitlines():
        if not line and not depth and not in_comment:
            if piece:
                yield "\n".join(piece)
            piece = []
            continue
        code = re.sub(r"/\*.*?\*/|//.*", "", line)
        if not in_comment:
            in_comment = "/*" in code
        elif "*/" in line:
            in_comment = False
        if not in_comment and not re.match('extern "C"|}?  *(//|/\\*) namespace|namespace', line):
            depth += code.count("{") - code.count("}")
        piece.append(line)
    if piece:
        yield "\n".join(piece)


def split(chunk: str) -> tuple[str, str]:
    """Returns the comment at the beginning, without comment signs, and the code that it describes."""
    if chunk.startswith("/*"):
        comment, _, code = chunk.partition("*/")
        lines = [re.sub(r"^ ?\* ?", "", line) for line in comment.removeprefix("/*").splitlines()]
        return "\n".join(
            line.removeprefix(" ") if not number else line for number, line in enumerate(lines)
        ), code.strip("\n")
    lines = chunk.splitlines()
    count = next((number for number, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return "\n".join(re.sub("^// ?", "", line) for line in lines[:count]), "\n".join(lines[count:])


def marked(line: str) -> str:
    """Marks names with an underscore as code, including <op> in them, and escapes other Markdown characters."""
    parts = re.split(r"(`[^`]*`|(?:\w|<\w+>)*[A-Za-z>]_(?:\w|<\w+>)+)", line)
    return "".join(
        (part if part.startswith("`") else f"`{part}`") if number % 2 else re.sub(r"([*_<])", r"\\\1", part)
        for number, part in enumerate(parts)
    )


def prose(comment: str) -> str:
    """Converts a comment to Markdown. Indented lines are formulas, or continue an item of a list."""
    out: list[str] = []
    is_code = False
    in_item = False
    for line in textwrap.dedent(comment).splitlines():
        in_item = line.startswith("- ") or (in_item and line.startswith("  "))
        code = line.startswith("  ") and not in_item
        if code != is_code or (line.startswith("- ") and out and not out[-1].startswith(("- ", "  "))):
            out.append("")
        is_code = code
        out.append(f"    {line}" if code else marked(line))
    return "\n".join(out)


def names_of(code: str) -> list[str]:
    found = [next(filter(None, match)) for match in NAME.findall(code)]
    inner = {"if", "for", "while", "switch", "return", "sizeof", "defined"}
    return list(dict.fromkeys(name for name in found if name not in inner and not name.endswith("_")))


def page(path: Path) -> str:
    language = "c" if path.suffix == ".h" else "cpp"
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"^#(?:ifndef \w+_HP*\n#define \w+|endif.*_HP*).*$", "", text, flags=re.M)  # include guards
    text = re.sub(r"^namespace detail {.*?^}  // namespace detail$", "", text, flags=re.M | re.S)
    out = [f"# {path.name}\n"]
    for chunk in chunks(text):
        if section := SECTION.match(chunk):
            out.append(f"## {section[1]}\n")
            chunk = chunk[section.end() :].lstrip("\n")
        comment, code = split(chunk)
        if code.startswith(("extern", "}", "namespace detail", "#if", "#include", "namespace")) and not comment:
            continue
        names = names_of(code) if code else []
        if names:
            out.append("### " + ", ".join(f"`{name}`" for name in names) + "\n")
        if comment:
            out.append(prose(comment) + "\n")
        if code and not code.startswith(("#include", "namespace", "extern")):
            code = re.sub(
                r"^((?:\[\[|inline|constexpr|template <[^>]*>\ninline)[^{};]*?) \{(?:.*?^|[^\n]*)\}",
                r"\1;",
                code,
                flags=re.M | re.S,
            )
            out.append(f"```{language}\n{code}\n```\n")
    return "\n".join(out)


if __name__ == "__main__":
    import sys

    print(page(Path(sys.argv[1])))
