"""How pip builds the package: scikit-build-core, and the headers of torch that the ops are compiled with.

torch is no build requirement, because pip would fetch 3 GB of it into the environment of every build. The ops need half
a megabyte: the headers of torch's stable interface. Where the Python that builds has torch, its headers are taken
(`pip install --no-build-isolation`), or those in the directory that QFUSE_TORCH_HEADERS names. Otherwise they are read
out of the wheel of torch 2.10 on the package index, PIP_INDEX_URL or PyPI, by requests for ranges of its bytes: the
wheel's table of contents and then each header. CRCs in the wheel say whether they arrived whole.
"""

import base64
import contextlib
import html
import http.client
import importlib.util
import io
import os
import re
import ssl
import tempfile
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from scikit_build_core import build as _backend
from scikit_build_core.build import *  # noqa: F403  # what this module does not change

# The oldest torch that the package runs with: what it is compiled with, every later one has.
_TORCH = "2.10.0"
_WHEEL = re.compile(rf"torch-{re.escape(_TORCH)}-[^/]*manylinux[^/]*\.whl")
_HEADERS = re.compile(
    r"torch/include/(ATen/dlpack\.h|torch/(headeronly|csrc/stable|csrc/inductor/aoti_torch)/.*)", re.DOTALL
)
_ADVICE = (
    "Or build without them: install torch and scikit-build-core, and run `pip install . --no-build-isolation`; or name "
    "the include directory of an unpacked torch in QFUSE_TORCH_HEADERS."
)


class HeadersNotFound(Exception):
    pass


def _open(url: str, **headers: str) -> io.BufferedIOBase:
    """Who a URL says one is goes into a header, which no other server is sent to by a redirection."""
    parts = urlsplit(url)
    request = urllib.request.Request(parts._replace(netloc=_host(url)).geturl(), headers=headers)
    if parts.username is not None:
        who = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        request.add_unredirected_header("Authorization", "Basic " + base64.b64encode(who.encode()).decode())
    context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT"))
    return urllib.request.urlopen(request, timeout=60, context=context)


def _host(url: str) -> str:
    """What may be printed of a URL: no user, no password."""
    return urlsplit(url).netloc.rpartition("@")[2]


class RemoteFile(io.RawIOBase):
    """A file on a server, read by ranges of at least READ_AHEAD bytes; its end first, where zipfile begins."""

    READ_AHEAD = 1 << 16

    def __init__(self, url: str) -> None:
        self._url, self._at = url, 0
        with _open(url, Range=f"bytes=-{self.READ_AHEAD}") as answer:
            found = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", answer.headers.get("Content-Range", ""))
            if answer.status != 206 or found is None:
                raise HeadersNotFound(f"{_host(url)} does not send parts of files")
            self._begin, self._size = int(found[1]), int(found[2])
            self._bytes = answer.read()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        end = self._size if size < 0 else min(self._at + size, self._size)
        if not (self._begin <= self._at and end <= self._begin + len(self._bytes)):
            last = min(max(end, self._at + self.READ_AHEAD), self._size) - 1
            with _open(self._url, Range=f"bytes={self._at}-{last}") as answer:
                self._begin, self._bytes = self._at, answer.read()
            if len(self._bytes) != last + 1 - self._at:
                raise HeadersNotFound(f"{_host(self._url)}: the server sent {len(self._bytes)} bytes of a part")
        part = self._bytes[self._at - self._begin : end - self._begin]
        self._at = end
        return part


def wheel_of_torch(index: str) -> str:
    """The address of a wheel of torch, whose headers are the same for every Python and processor."""
    page = index.rstrip("/") + "/torch/"
    with _open(page, Accept="text/html") as answer:
        links = re.findall(r'href="([^"#]+)', answer.read().decode(errors="replace"))
        base = answer.geturl()
    for link in map(html.unescape, links):
        if _WHEEL.fullmatch(unquote(urlsplit(link).path).rpartition("/")[2]):
            wheel = urlsplit(urljoin(base, link))
            same_host = wheel.netloc == _host(index) and wheel.scheme == urlsplit(index).scheme
            return wheel._replace(netloc=urlsplit(index).netloc).geturl() if same_host else wheel.geturl()
    raise HeadersNotFound(f"{_host(index)} has no wheel of torch {_TORCH}")


def fetch_headers(directory: Path, index: str) -> None:
    with zipfile.ZipFile(RemoteFile(wheel_of_torch(index))) as wheel:
        names = [name for name in wheel.namelist() if _HEADERS.fullmatch(name) and ".." not in name]
        for name in sorted(names, key=lambda name: wheel.getinfo(name).header_offset):
            wheel.extract(name, directory)


@contextlib.contextmanager
def _torch_headers() -> Iterator[dict[str, str]]:
    """What CMake has to be told, beside what it finds out by itself."""
    if given := os.environ.get("QFUSE_TORCH_HEADERS"):
        yield {"cmake.define.QFUSE_TORCH_HEADERS": str(Path(given).absolute())}
    elif importlib.util.find_spec("torch") is not None:
        yield {}
    else:
        index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple")
        with tempfile.TemporaryDirectory(prefix="qfuse-torch-headers-") as directory:
            try:
                print(f"qfuse: reading the headers of torch {_TORCH} from {_host(index)}", flush=True)
                fetch_headers(Path(directory), index)
            except (HeadersNotFound, OSError, ValueError, http.client.HTTPException, zipfile.BadZipFile) as error:
                raise SystemExit(
                    f"qfuse: torch's headers could not be read from the index: {error}. {_ADVICE}"
                ) from None
            yield {"cmake.define.QFUSE_TORCH_HEADERS": str(Path(directory) / "torch/include")}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with _torch_headers() as settings:
        return _backend.build_wheel(wheel_directory, settings | (config_settings or {}), metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    with _torch_headers() as settings:
        return _backend.build_editable(wheel_directory, settings | (config_settings or {}), metadata_directory)
