"""Serve a folder on the loopback like a production server does: HTTP/1.1, gzip, cache headers."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HOST = "127.0.0.1"
COMPRESSED = {".html", ".css", ".js", ".json", ".svg", ".xml", ".txt"}


@lru_cache(maxsize=256)
def packed(path: str, mtime: int) -> bytes:
    """Return a file's gzip form; `mtime` makes an edited file a new entry."""
    return gzip.compress(Path(path).read_bytes(), 9, mtime=0)


class Handler(SimpleHTTPRequestHandler):
    """Files below one folder, compressed where that helps; a missing one is answered with 404.html."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Send a file."""
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        status = 200
        if not path.is_file():
            path, status = Path(self.directory) / "404.html", 404
        if not path.is_file():
            self.send_error(404)
            return
        compressed = path.suffix in COMPRESSED and "gzip" in self.headers.get("Accept-Encoding", "")
        body = packed(str(path), path.stat().st_mtime_ns) if compressed else path.read_bytes()
        self.send_response(status)
        self.send_header("Content-Type", self._type(path))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-cache" if path.suffix == ".html" else "public, max-age=31536000")
        if compressed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        with suppress(ConnectionError):  # the browser left the page
            self.wfile.write(body)

    def _type(self, path: Path) -> str:
        kind = self.guess_type(str(path))
        return f"{kind}; charset=utf-8" if kind.startswith("text/") or path.suffix == ".js" else kind

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the tests' output is for the tests."""


@contextmanager
def bound() -> Iterator[tuple[ThreadingHTTPServer, str]]:
    """Take a free port before the site is built, so that `site_url` can be the serving origin."""
    with ThreadingHTTPServer((HOST, 0), Handler) as server:
        server.daemon_threads = True
        yield server, f"http://{HOST}:{server.server_address[1]}/"


@contextmanager
def serving(server: ThreadingHTTPServer, folder: Path) -> Iterator[None]:
    """Serve the folder until the block ends."""
    server.RequestHandlerClass = partial(Handler, directory=str(folder))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
