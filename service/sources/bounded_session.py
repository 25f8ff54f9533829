"""A requests session with a deadline, a size limit and a JSON check."""

from __future__ import annotations

import json
import time
from http import HTTPStatus
from io import BytesIO
from typing import Any

import requests
from urllib3 import HTTPResponse

from service.sources.proxies import proxy_of

# Well above the size of the longest list of markets, which is several megabytes.
MOST_BYTES = 32 * 2**20
# The reason reported when a source exceeds its time limit.
TOO_LATE = "no complete response in time"
PIECE = 2**16


class BoundedSession(requests.Session):
    """The session of ccxt and of every other source.

    The `timeout` of requests applies to each read, so a server that sends one byte now and then can block a caller
    for hours. This session reads nothing after `deadline`, an instant of `time.monotonic()`. Headers and name
    resolution may still be slow, so callers that must continue wait in another thread. A response that is not JSON
    is refused, because ccxt would treat it as empty. Redirects are not followed. The proxy is that of
    `service.sources.proxies`; everything else in the environment, such as passwords in `.netrc`, is ignored.
    """

    deadline = 0.0
    most_bytes = MOST_BYTES
    is_json = True

    def __init__(self) -> None:
        super().__init__()
        self.trust_env = False

    def request(self, method: str, url: str | bytes, *arguments: Any, **options: Any) -> requests.Response:
        proxy = proxy_of(url.decode() if isinstance(url, bytes) else url)
        options |= {"timeout": self._left(url), "stream": True, "allow_redirects": False, "proxies": {"all": proxy}}
        try:
            response = super().request(method, url, *arguments, **options)
        except requests.exceptions.ConnectionError as error:
            if not proxy or isinstance(error, requests.exceptions.Timeout | requests.exceptions.SSLError):
                raise
            raise requests.exceptions.ProxyError(f"no connection through the proxy: {_cause(error)}") from None
        with response.raw as raw:
            content = self._read(raw, url)
        if self.is_json and response.status_code == HTTPStatus.OK:
            _require_json(content, url)
        response.raw = BytesIO(content)
        return response

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Always None, because requests would read the whole body of a redirect before it follows it."""

    def _left(self, url: str | bytes) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise requests.exceptions.Timeout(f"no time left for {url}")
        return left

    def _read(self, raw: HTTPResponse, url: str | bytes) -> bytes:
        content = bytearray()
        while piece := raw.read1(PIECE, decode_content=True):
            content += piece
            self._left(url)
            if len(content) > self.most_bytes:
                raise requests.exceptions.ContentDecodingError(f"more than {self.most_bytes} bytes from {url}")
        return bytes(content)


def _require_json(content: bytes, url: str | bytes) -> None:
    try:
        json.loads(content)
    except ValueError:
        raise requests.exceptions.InvalidJSONError(f"the response is not JSON: {url}") from None


def _cause(error: BaseException) -> BaseException:
    """The first of the errors that led to this one; the texts of the later ones are long."""
    while error.__context__:
        error = error.__context__
    return error
