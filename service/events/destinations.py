"""Where a webhook may be sent: which URLs are accepted, and which network addresses a name may lead to.

A webhook makes this service send requests on behalf of a stranger, so it must not reach machines that only this
service can reach (server-side request forgery).
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from service.errors import FieldError, InvalidRequest

LONGEST_URL = 2048
# What `is_global` does not exclude: IPv6 addresses in which an IPv4 address is embedded (mapped, translated, 6to4,
# Teredo, NAT64), site-local, documentation and protocol addresses, and the relays of 6to4.
NOT_PUBLIC = tuple(
    ip_network(network)
    for network in (
        "::/96",
        "::ffff:0:0/96",
        "::ffff:0:0:0/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2001::/23",
        "2002::/16",
        "fec0::/10",
        "3fff::/20",
        "192.0.0.0/24",
        "192.88.99.0/24",
    )
)
LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?"
NAME = re.compile(rf"{LABEL}(?:\.{LABEL})*\.?")
LONGEST_NAME = 253
# A browser takes `0x7f.1` or `2130706433` for an IPv4 address: every name whose last label is a number.
NUMERIC = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?")
LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".localdomain")


def is_public(address: str) -> bool:
    """Whether an IP address can be reached from anywhere: not private, loopback, link-local, shared, multicast, …"""
    parsed = ip_address(address)
    if isinstance(parsed, IPv6Address) and parsed.scope_id is not None:
        return False
    if any(parsed in network for network in NOT_PUBLIC if network.version == parsed.version):
        return False
    return parsed.is_global and not parsed.is_multicast and not parsed.is_reserved


def check_url(url: str, *, private: bool) -> None:
    """Raise InvalidRequest unless a webhook may be sent to `url`; `private` accepts http and hosts of one's own."""
    fault = _fault(url, private=private)
    if fault:
        raise InvalidRequest(f"The webhook's URL is not accepted: it {fault}.", [FieldError("url", fault)])


def _fault(url: str, *, private: bool) -> str | None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return "must be a URL such as https://example.com/hook"
    if parts.scheme not in (("https", "http") if private else ("https",)):
        return "must begin with https:// or http://" if private else "must begin with https://"
    if parts.username is not None or parts.password is not None:
        return "must not contain a user name or a password"
    if parts.fragment or not re.fullmatch("[!-~]+", url) or "\\" in url or len(url) > LONGEST_URL:
        return f"must be at most {LONGEST_URL} printable ASCII characters without spaces, backslashes or a fragment"
    return _host_fault(host, private=private)


def _host_fault(host: str, *, private: bool) -> str | None:
    literal = _literal(host)
    if literal is not None:
        return None if private or is_public(str(literal)) else "must not lead to a private or reserved address"
    if NUMERIC.fullmatch(host):
        return "must name its host by a domain name or by an IP address in the usual form"
    if len(host) > LONGEST_NAME or not NAME.fullmatch(host):
        return "must have a domain name as its host; write an international one in its ASCII form"
    if not private and ("." not in host.rstrip(".") or f".{host.rstrip('.')}".endswith(LOCAL_NAMES)):
        return "must have a public domain name as its host"
    return None


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
