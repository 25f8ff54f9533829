"""An HTTP transport with a hard deadline per request and a maximum response size.

It is a separate module because the HTTP library is slow to import and only language models need it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpcore2
import httpx2

from service.sources.deadline_network import DeadlineBackend
from service.sources.llm import turns

# A chunk of a few letters takes about 300 bytes, and a reasoning model also streams its thinking.
MOST_BYTES = 4 * 2**20
REST_S = 30.0  # after which an idle connection is closed


class TooLong(httpx2.TransportError):
    """The response exceeds the maximum size."""


class Transport(httpx2.BaseTransport):
    """The transport of the SDK's requests.

    The `timeout` of a request covers the whole of it: connecting, headers and body, however slowly they arrive. Only
    name resolution cannot be interrupted. The client handles redirects. All requests go through `proxy`, an address
    that may hold a name and a password, if it is not empty.
    """

    def __init__(self, proxy: str = "") -> None:
        server = httpx2.Proxy(proxy) if proxy else None
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(),
            max_connections=None,
            max_keepalive_connections=64,
            keepalive_expiry=REST_S,
            network_backend=DeadlineBackend(),
            proxy=server and httpcore2.Proxy(str(server.url), server.raw_auth),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        seconds = request.extensions["timeout"]["read"]
        # The pool passes timeouts on unchanged, so the streams below receive an instant instead of a duration.
        end = time.monotonic() + seconds
        timeouts = {"connect": end, "read": end, "write": end, "pool": seconds}
        with _as_httpx(), turns.waiting():
            response = self._pool.handle_request(
                httpcore2.Request(
                    method=request.method,
                    url=httpcore2.URL(
                        scheme=request.url.raw_scheme,
                        host=request.url.raw_host,
                        port=request.url.port,
                        target=request.url.raw_path,
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=dict(request.extensions) | {"timeout": timeouts},
                )
            )
        return httpx2.Response(
            response.status,
            headers=_plain(response),
            stream=_Body(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    """The body of a response, up to the maximum size."""

    def __init__(self, response: httpcore2.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        count = 0
        pieces = self._response.iter_stream()
        while (piece := _arrived(pieces)) is not None:
            count += len(piece)
            if count > MOST_BYTES:
                raise TooLong(f"more than {MOST_BYTES} bytes")
            yield piece

    def close(self) -> None:
        self._response.close()


def _arrived(pieces: Iterator[bytes]) -> bytes | None:
    """The next piece of a body once it is there, None at its end."""
    with _as_httpx(), turns.waiting():
        return next(pieces, None)


def _plain(response: httpcore2.Response) -> list[tuple[bytes, bytes]]:
    """The headers of an uncompressed response; compression is refused, as a small body could fill the memory."""
    if any(name.lower() == b"content-encoding" and value.lower() != b"identity" for name, value in response.headers):
        response.close()
        raise httpx2.DecodingError("the response is compressed")
    return response.headers


@contextmanager
def _as_httpx() -> Iterator[None]:
    """Translate the pool's exceptions into the ones that the SDK handles."""
    try:
        yield
    except httpcore2.TimeoutException as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except (httpcore2.ConnectError, httpcore2.ProxyError) as error:
        raise httpx2.ConnectError(str(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        raise httpx2.ReadError(str(error)) from error
