"""The proxy of a request to a source: SOURCE_PROXY, else HTTPS_PROXY, HTTP_PROXY or ALL_PROXY of the environment.

NO_PROXY lists the hosts that are reached directly, as curl and requests read it. This machine's own addresses are
reached directly too, unless SOURCE_PROXY is set; a language model on this machine always is. Webhooks use no proxy.
"""

from __future__ import annotations

import re
from contextlib import suppress
from urllib.parse import urlsplit
from urllib.request import getproxies_environment

from requests.utils import select_proxy, should_bypass_proxies
from urllib3.util import parse_url

from service.config import PROXY, Settings, SettingsError
from service.errors import SourceFailed

LOOPBACK = re.compile(r"(.+\.)?localhost|127(\.\d+){3}|0\.0\.0\.0|::1")

_source_proxy = ""


class UnusableProxy(SettingsError, SourceFailed):
    """The address of a proxy cannot be used; the message repeats nothing of it, because it may hold a password."""


def use(settings: Settings) -> None:
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
