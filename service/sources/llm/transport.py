"""An HTTP transport with a hard deadline per request and a maximum response size, and the faults of single requests.

It is a separate module because the HTTP library is slow to import and only language models need it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus

import httpcore2
import httpx2
import openai

from service.sources.deadline_network import DeadlineBackend
from service.sources.llm import limits, modes
from service.sources.llm.modes import TooMuchText
from service.sources.sessions import retry_after

# A chunk of a few letters takes about 300 bytes, and a reasoning model also streams its thinking.
MOST_BYTES = 4 * 2**20
REST_S = 30.0  # after which an idle connection is closed


class Transport(httpx2.BaseTransport):
    """The transport of the SDK's requests, whose `timeout` covers the whole of each, however slowly its body arrives.

    The client handles redirects. All requests go through the address `proxy`, which may hold a password, if it is set.
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
        with _as_httpx(), limits.waiting():
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
            response.status, headers=_plain(response), stream=_Body(response), extensions=response.extensions
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
        while True:
            with _as_httpx(), limits.waiting():
                piece = next(pieces, None)
            if piece is None:
                return
            count += len(piece)
            if count > MOST_BYTES:
                raise TooMuchText(f"more than {MOST_BYTES} bytes")
            yield piece

    def close(self) -> None:
        self._response.close()


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
    except httpcore2.ConnectTimeout as error:
        raise httpx2.ConnectTimeout(str(error)) from error
    except httpcore2.TimeoutException as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except (httpcore2.ConnectError, httpcore2.ProxyError) as error:
        raise httpx2.ConnectError(str(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        raise httpx2.ReadError(str(error)) from error


# Anthropic returns 529 when it is overloaded.
RETRY_STATUSES = (429, 500, 502, 503, 504, 529)

WORDS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "refused the key",
    HTTPStatus.PAYMENT_REQUIRED: "is out of credit",
    HTTPStatus.FORBIDDEN: "refused the key",
    HTTPStatus.NOT_FOUND: "was not found",
    HTTPStatus.TOO_MANY_REQUESTS: "accepts no more requests at the moment",
}


@dataclass(frozen=True)
class Fault:
    """The fault of one request; `reason` is published and its subject is the engine.

    `is_passing` is true if a retry may succeed; `wait_s` is the delay that the server asks for. `refuses_mode` and
    `fails_inside` (an internal server error) indicate a mode that the server does not support. `may_cost` is true if
    the model may have used tokens, `is_late` if there was no time left.
    """

    reason: str
    is_passing: bool = False
    wait_s: float = 0.0
    refuses_mode: bool = False
    fails_inside: bool = False
    may_cost: bool = True
    is_late: bool = False


TIMEOUT = Fault("did not answer in time", is_late=True)
NOT_SENT = Fault("did not answer in time", may_cost=False, is_late=True)
BROKEN_OFF = Fault("interrupted its answer", is_passing=True)
BAD_ANSWER = Fault("sent an unreadable answer")
TOO_LONG = Fault("sent an answer that is too long")
NO_CONNECTION = Fault("could not be reached", is_passing=True, may_cost=False)


def fault_of(error: Exception) -> Fault:
    """The fault for an exception raised by the SDK or while reading an answer."""
    if isinstance(error, openai.APIStatusError):
        return _of_status(error)
    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
    match cause:
        case httpx2.ConnectTimeout():
            return NOT_SENT
        case httpx2.TimeoutException():
            return TIMEOUT
        case httpx2.ConnectError():
            return NO_CONNECTION
        case TooMuchText():
            return TOO_LONG
        # The SDK raises APIError for an error event inside a stream.
        case httpx2.NetworkError() | openai.APIError():
            return BROKEN_OFF
    return BAD_ANSWER


def _of_status(error: openai.APIStatusError) -> Fault:
    status = error.status_code
    is_spent = error.code == "insufficient_quota"
    words = "is out of credit" if is_spent else _in_words(status)
    is_refusal = status in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.INTERNAL_SERVER_ERROR)
    return Fault(
        f"{words} ({status})",
        is_passing=status in RETRY_STATUSES and not is_spent,
        wait_s=max(0.0, retry_after(error.response.headers.get("Retry-After", ""), time.time()) or 0.0),
        refuses_mode=is_refusal and modes.names_the_mode(f"{error.message} {error.body}"),
        fails_inside=status == HTTPStatus.INTERNAL_SERVER_ERROR,
        may_cost=False,
    )


def _in_words(status: int) -> str:
    if status in WORDS:
        return WORDS[status]
    if status < 400:
        return "has moved"
    return "refused the request" if status < 500 else "failed"
