"""The build's download of torch's headers, from an index that this test serves."""

import http.server
import importlib
import io
import sys
import threading
import zipfile
from pathlib import Path

import pytest

PACKAGING = Path(__file__).parents[1] / "packaging"
INDEX = b'<a href="../files/torch-2.9.1-cp310-cp310-manylinux_2_28_x86_64.whl#sha256=0">no</a>'
WANTED = {"torch/include/torch/csrc/stable/library.h": b"stable", "torch/include/ATen/dlpack.h": b"dlpack"}


@pytest.fixture
def build(monkeypatch):
    pytest.importorskip("scikit_build_core")
    monkeypatch.syspath_prepend(PACKAGING)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return importlib.import_module("qfuse_build")


def wheel():
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in WANTED.items():
            file.writestr(name, text)
            file.writestr(f"torch/lib/{Path(name).name}.so", bytes(300_000), zipfile.ZIP_STORED)
        file.writestr("torch/include/torch/csrc/stable/../../../../../outside.h", "")
    return stored.getvalue()


@pytest.fixture
def serve():
    """Serves an index and a wheel, in parts or only whole; returns the index's address and the sizes sent."""
    servers = []

    def start(wheel, page=INDEX, ranges=True, who=None, cut=0):
        sent = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if who and self.headers.get("Authorization") != who:
                    self.send_error(401)
                    return
                asked = self.headers.get("Range")
                whole = wheel if ".whl" in self.path else page
                begin, end = 0, len(whole)
                if asked and ranges:
                    first, _, last = asked.removeprefix("bytes=").partition("-")
                    begin, end = (int(first), int(last) + 1) if first else (max(len(whole) - int(last), 0), len(whole))
                self.send_response(206 if asked and ranges else 200)
                if asked and ranges:
                    self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(whole)}")
                if cut:
                    self.send_header("Content-Length", str(end - begin + cut))
                self.end_headers()
                self.wfile.write(whole[begin:end])
                sent.append(end - begin)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("localhost", 0), Handler)
        threading.Thread(target=server.serve_forever).start()
        servers.append(server)
        return f"http://localhost:{server.server_port}/simple", sent

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def page_of(build, name="torch-{}-cp312-cp312-manylinux_2_28_x86_64.whl"):
    return INDEX + f'\n<a href="../files/{name.format(build._TORCH)}#sha256=1">yes</a>'.encode()


def test_headers_are_read_out_of_the_wheel(build, serve, tmp_path):
    index, sent = serve(wheel(), page_of(build))
    build.fetch_headers(tmp_path, index)
    found = {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == WANTED
    assert sum(sent) < 400_000 < len(wheel()), "the rest of the wheel is not fetched"


def test_an_index_that_wants_a_password(build, serve, capsys, monkeypatch, tmp_path):
    """The password is not printed, as pip would not print it."""
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda name: None)
    monkeypatch.delenv("QFUSE_TORCH_HEADERS", raising=False)
    links = page_of(build, "torch-{}-cp312-cp312-manylinux_2_28_x86_64.whl?a=1&amp;b=2") + b"\xff"
    index, _ = serve(wheel(), links, who="Basic Y2k6czNjcjN0L3Q=")
    for user, is_known in [("ci:s3cr3t%2Ft@", True), ("ci:s3cr3t%2F@", False)]:
        monkeypatch.setenv("PIP_INDEX_URL", index.replace("localhost", user + "localhost"))
        try:
            with build._torch_headers() as settings:
                found = Path(settings["cmake.define.QFUSE_TORCH_HEADERS"])
                assert is_known and (found / "torch/csrc/stable/library.h").read_bytes() == b"stable"
        except SystemExit as error:
            assert not is_known and "401" in str(error) and "s3cr3t" not in str(error)
        printed = capsys.readouterr().out
        assert "from localhost:" in printed and "s3cr3t" not in printed


def test_says_what_to_do_without_them(build, serve, monkeypatch, tmp_path):
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda name: None)
    monkeypatch.delenv("QFUSE_TORCH_HEADERS", raising=False)
    spoilt = bytearray(wheel())
    spoilt[40:45] = b"spoil"  # corrupts the first file
    for served, reason in [
        (serve(wheel(), page_of(build), ranges=False), "does not send parts of files"),
        (serve(wheel()), "has no wheel of torch 2.10"),
        (serve(bytes(spoilt), page_of(build)), "torch's headers could not be read"),
        (serve(wheel(), page_of(build), cut=9), "IncompleteRead"),
        (("http://localhost:9/simple", None), "refused"),
        (("http://[localhost/simple", None), "Invalid IPv6 URL"),
    ]:
        monkeypatch.setenv("PIP_INDEX_URL", served[0])
        with pytest.raises(SystemExit, match=f"{reason}.*QFUSE_TORCH_HEADERS"), build._torch_headers():
            pass


def test_headers_that_are_there_are_taken(build, monkeypatch, tmp_path):
    monkeypatch.setenv("QFUSE_TORCH_HEADERS", str(tmp_path))
    with build._torch_headers() as settings:
        assert settings == {"cmake.define.QFUSE_TORCH_HEADERS": str(tmp_path)}
    monkeypatch.delenv("QFUSE_TORCH_HEADERS")
    with build._torch_headers() as settings:
        assert settings == {}, "this Python has torch"
