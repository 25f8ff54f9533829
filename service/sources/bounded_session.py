"""A requests session whose answers end: by a deadline, at a size, and as JSON."""

from __future__ import annotations

import json
import time
from http import HTTPStatus
from io import BytesIO

import requests

# Well above any list of markets, of which the longest run to several megabytes.
MOST_BYTES = 32 * 2**20
# How it is said of a source that its time is over.
TOO_LATE = "no whole answer in time"
PIECE = 2**16


class BoundedSession(requests.Session):
    """What ccxt is given as its session, and what every other source is asked through.

    The `timeout` of requests holds for each read alone, so that a server which sends a byte now and then
    keeps a caller for hours. Here nothing is read after `deadline`, a `time.monotonic()`; headers and name
    resolution may still be slow, so a caller that must go on waits in another thread. An answer that is not
    JSON is refused: ccxt would take it for an empty one. Redirects are not followed, no exchange sends any,
    and proxies or passwords in the environment are not looked for.
    """

    deadline = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.trust_env = False

    def request(self, method: str, url: str, **options) -> requests.Response:
        options |= {"timeout": self._left(url), "stream": True, "allow_redirects": False}
        response = super().request(method, url, **options)
        with response.raw as raw:
            content = self._read(raw, url)
        if response.status_code == HTTPStatus.OK:
            _require_json(content, url)
        response.raw = BytesIO(content)
        return response

    def _left(self, url: str) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise requests.exceptions.Timeout(f"no time left for {url}")
        return left

    def _read(self, raw, url: str) -> bytes:
        content = bytearray()
        while piece := raw.read1(PIECE, decode_content=True):
            content += piece
            self._left(url)
            if len(content) > MOST_BYTES:
                raise requests.exceptions.ContentDecodingError(f"more than {MOST_BYTES} bytes from {url}")
        return bytes(content)


def _require_json(content: bytes, url: str) -> None:
    try:
        json.loads(content)
    except ValueError:
        raise requests.exceptions.InvalidJSONError(f"no JSON from {url}") from None
