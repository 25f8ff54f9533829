"""A server of language models that all say the same, each after the milliseconds in its name: `wait-520`.

python -m tests.measure.waiting_models

It listens on PORT of 127.0.0.1 and keeps connections open, as providers do. A GET says how many questions are open.
"""

from __future__ import annotations

import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.sources.llm.model_server import events, vote_text

CONTENT = events(vote_text())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body would otherwise wait for each other.
    disable_nagle_algorithm = True
    open_questions = 0
    lock = threading.Lock()

    def do_GET(self) -> None:
        self._send(str(Handler.open_questions).encode(), "text/plain")

    def do_POST(self) -> None:
        began = time.monotonic()
        model = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["model"]
        self._count(1)
        time.sleep(max(0.0, began + float(model.removeprefix("wait-")) / 1000 - time.monotonic()))
        self._send(CONTENT, "text/event-stream")
        self._count(-1)

    def _count(self, change: int) -> None:
        with Handler.lock:
            Handler.open_questions += change

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # all seats of all questions connect at once


if __name__ == "__main__":
    Server(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
