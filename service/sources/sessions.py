"""A requests session with a deadline, a size limit and a JSON check, and the proxy of a request to a source.

The proxy is SOURCE_PROXY, else HTTPS_PROXY, HTTP_PROXY or ALL_PROXY of the environment. NO_PROXY lists the hosts that
are reached directly, as curl and requests read it. This machine's own addresses are reached directly too, unless
SOURCE_PROXY is set; a language model on this machine always is. Webhooks use no proxy.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from io import BytesIO
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies_environment

import requests
from requests.utils import select_proxy, should_bypass_proxies
from urllib3.util import parse_url

from service.config import PROXY, Settings, SettingsError
from service.errors import SourceFailed

# Well above the size of the longest list of markets, which is several megabytes.
MOST_BYTES = 32 * 2**20
# The reason reported when a source exceeds its time limit.
TOO_LATE = "no complete response in time"
PIECE = 2**16
Result = TypeVar("Result")


def in_time(seconds: float, call: Callable[[], Result]) -> Result:
    """What `call` returns or raises; TimeoutError after so many seconds, when its thread is abandoned.

    Slow headers, name resolution and parsing have no time limit of their own.
    """
    if seconds <= 0:
        raise TimeoutError
    outcome: Future[Result] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:
            outcome.set_exception(error)

    Thread(target=run, daemon=True).start()
    return outcome.result(seconds)


def retry_after(header: str, now: float) -> float | None:
    """The seconds from the unix second `now` that a `Retry-After` asks for, as a number or a date; None if invalid."""
    try:
        is_number = header.isascii() and header.isdecimal()
        return float(header[:12]) if is_number else parsedate_to_datetime(header).timestamp() - now
    except (ValueError, OverflowError):
        return None


class BoundedSession(requests.Session):
    """The session of ccxt and of every other source.

    The `timeout` of requests applies to each read, so a server that sends one byte now and then can block a caller
    for hours. This session reads nothing after `deadline`, an instant of `time.monotonic()`. Headers and name
    resolution may still be slow, so callers that must continue wait in another thread. Where it `is_json`, a response
    that is not JSON is refused, because ccxt would treat it as empty. Redirects are not followed. The proxy is that of
    `proxy_of`; everything else in the environment, such as passwords in `.netrc`, is ignored.
    """

    most_bytes = MOST_BYTES
    is_json = True

    def __init__(self, deadline: float = 0.0) -> None:
        super().__init__()
        self.deadline = deadline
        self.trust_env = False

    def request(self, method: str, url: str | bytes, *arguments: Any, **options: Any) -> requests.Response:
        proxy = proxy_of(url.decode() if isinstance(url, bytes) else url)
        options |= {"timeout": self._left(url), "stream": True, "allow_redirects": False, "proxies": {"all": proxy}}
        try:
            response = super().request(method, url, *arguments, **options)
        except requests.exceptions.ConnectionError as error:
            if not proxy or isinstance(error, requests.exceptions.Timeout | requests.exceptions.SSLError):
                raise
            cause: BaseException = error  # the first of the errors; the texts of the later ones are long
            while cause.__context__:
                cause = cause.__context__
            raise requests.exceptions.ProxyError(f"no connection through the proxy: {cause}") from None
        content = bytearray()
        with response.raw as raw:
            while piece := raw.read1(PIECE, decode_content=True):
                content += piece
                self._left(url)
                if len(content) > self.most_bytes:
                    raise requests.exceptions.ContentDecodingError(f"more than {self.most_bytes} bytes from {url}")
        if self.is_json and response.status_code == HTTPStatus.OK:
            try:
                json.loads(content)
            except (ValueError, RecursionError):
                raise requests.exceptions.InvalidJSONError(f"the response is not JSON: {url}") from None
        response.raw = BytesIO(content)
        return response

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Always None, because requests would read the whole body of a redirect before it follows it."""

    def _left(self, url: str | bytes) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise requests.exceptions.Timeout(f"no time left for {url}")
        return left


def in_session(
    seconds: float, read: Callable[[BoundedSession], Result], *, most_bytes: int, is_json: bool = True
) -> Result:
    """What `read` gets with a session within so many seconds. Raises SourceFailed: its own, else with a reason.

    A malformed response can raise anything in a parser, and the caller must still get a SourceFailed.
    """
    deadline = time.monotonic() + seconds

    def run() -> Result:
        with BoundedSession(deadline) as session:
            session.most_bytes, session.is_json = most_bytes, is_json
            return read(session)

    try:
        return in_time(seconds, run)
    except SourceFailed:
        raise
    except (TimeoutError, requests.exceptions.Timeout):
        raise SourceFailed(TOO_LATE) from None
    except requests.exceptions.ContentDecodingError:
        raise SourceFailed(f"it is larger than {most_bytes // 2**20} MB") from None
    except Exception as error:
        raise SourceFailed(f"it could not be read: {type(error).__name__}") from None


LOOPBACK = re.compile(r"(.+\.)?localhost|127(\.\d+){3}|0\.0\.0\.0|::1")

_source_proxy = ""


class UnusableProxy(SettingsError, SourceFailed):
    """The address of a proxy cannot be used; the message repeats nothing of it, because it may hold a password."""


def use_proxy(settings: Settings) -> None:
    """Set SOURCE_PROXY for all sessions and models that this process opens from now on; raises UnusableProxy."""
    global _source_proxy
    proxy = settings.source_proxy.get_secret_value()
    _source_proxy = proxy and _checked(proxy, "SOURCE_PROXY")


def proxy_of(url: str) -> str:
    """The address of the proxy for a URL, empty for a direct connection; raises UnusableProxy."""
    if should_bypass_proxies(url, no_proxy=None):
        return ""
    if _source_proxy or is_loopback(url):
        return _source_proxy
    proxy = select_proxy(url, getproxies_environment())
    return _checked(proxy, "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY") if proxy else ""


def is_loopback(url: str) -> bool:
    """Whether the host of a URL is this machine."""
    return LOOPBACK.fullmatch(urlsplit(url).hostname or "") is not None


def _checked(proxy: str, option: str) -> str:
    """The address with its scheme, which is http:// if it has none."""
    with suppress(ValueError):
        address = parse_url(proxy if "://" in proxy else f"http://{proxy}")
        if address.host and f"{address.scheme}://" in PROXY:
            return address.url
    raise UnusableProxy(f"{option}: not a valid address of a proxy; it begins with {' or '.join(PROXY)}")
