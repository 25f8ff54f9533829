"""Sending one message to a webhook endpoint: to public addresses only, without redirects, in ten seconds at most."""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache

import httpcore2
import httpx2

from service.errors import InvalidRequest
from service.notifications.events import Attempt, Message
from service.notifications.webhooks import check_url, is_public, signed_headers
from service.sources.deadline_network import AddressRefused, DeadlineBackend, Resolve, resolve

TIME_LIMIT_S = 10.0
MOST_BYTES = 64 * 1024
LONGEST_ERROR = 300
AGENT = "Ninefold-Webhooks/1"


def send(
    url: str,
    message: Message,
    secrets: Sequence[str],
    at: int,
    *,
    private: bool,
    time_limit_s: float = TIME_LIMIT_S,
    resolve: Resolve = resolve,
) -> Attempt:
    """Post a message, signed with each of the secrets at the wall second `at`, and say what came of it.

    The name is resolved once, the connection is made to that address, and the certificate is checked for the name.
    `private` allows http and addresses of one's own network. At most 64 KiB of the answer are read; only its status
    counts.
    """
    began = time.monotonic()
    status, error = None, None
    try:
        check_url(url, private=private)
        status = _status(url, message, signed_headers(message, secrets, at), private, began + time_limit_s, resolve)
        is_success, is_redirect = 200 <= status < 300, 300 <= status < 400
        hint = "; redirects are not followed" if is_redirect else ""
        error = None if is_success else f"The endpoint answered {status}{hint}."
    except InvalidRequest as refusal:
        error = refusal.detail
    except AddressRefused as refusal:
        error = f"The address is not allowed: {refusal}."
    except httpcore2.TimeoutException:
        error = f"No answer within {time_limit_s:g} s."
    except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError) as failure:
        error = f"The connection failed: {failure}."[:LONGEST_ERROR]
    return Attempt(message, at, round(1000 * (time.monotonic() - began)), status, error)


def _status(
    url: str, message: Message, signature: Mapping[str, str], private: bool, end: float, resolve: Resolve
) -> int:
    """The status of the answer; the rest of it is read as far as time and size allow."""
    backend = DeadlineBackend(None if private else is_public, resolve, MOST_BYTES)
    timeouts = {"connect": end, "read": end, "write": end, "pool": TIME_LIMIT_S}
    headers: dict[bytes | str, bytes | str] = {
        "Content-Type": "application/json",
        "User-Agent": AGENT,
        "Connection": "close",
        **signature,
    }
    with (
        httpcore2.ConnectionPool(ssl_context=_certificates(), network_backend=backend) as pool,
        pool.stream(
            "POST", url, headers=headers, content=message.body.encode(), extensions={"timeout": timeouts}
        ) as response,
    ):
        # Read, the endpoint can finish its answer; an answer that is cut off was an answer.
        with suppress(httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError):
            for _ in response.iter_stream():
                pass
        return response.status


@cache
def _certificates() -> ssl.SSLContext:
    return httpx2.create_ssl_context()
