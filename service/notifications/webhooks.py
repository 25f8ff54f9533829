"""Webhooks: which URLs and network addresses they may be sent to, and the secrets and signatures of messages.

A webhook makes this service send requests on behalf of a stranger, so it must not reach machines that only this service
can reach (server-side request forgery). Messages are signed as Standard Webhooks defines it. The secret of an endpoint
is derived from the service's secret, its id and the number of its rotations, so no database and no backup holds it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from standardwebhooks import Webhook

from service.errors import FieldError, InvalidRequest
from service.market.instants import DAY, utc
from service.notifications.events import Message

LONGEST_URL = 2048
# What `is_global` does not exclude: IPv6 addresses in which an IPv4 address is embedded (mapped, translated, 6to4,
# Teredo, NAT64), site-local, documentation and protocol addresses, and the relays of 6to4.
NOT_PUBLIC = tuple(
    ip_network(network)
    for network in (
        *("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/23", "2002::/16"),
        *("fec0::/10", "3fff::/20", "192.0.0.0/24", "192.88.99.0/24"),
    )
)
LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?"
NAME = re.compile(rf"{LABEL}(?:\.{LABEL})*\.?")
LONGEST_NAME = 253
# A browser takes `0x7f.1` or `2130706433` for an IPv4 address: every name whose last label is a number.
NUMERIC = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?")
LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".localdomain")

OVERLAP_S = DAY  # how long the secret before a rotation stays valid


def is_public(address: str) -> bool:
    """Whether an IP address can be reached from anywhere: not private, loopback, link-local, shared, multicast, …"""
    ip = ip_address(address)
    if isinstance(ip, IPv6Address) and ip.scope_id is not None:
        return False
    if any(ip in network for network in NOT_PUBLIC if network.version == ip.version):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


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
    with suppress(ValueError):
        literal = str(ip_address(host))
        return None if private or is_public(literal) else "must not lead to a private or reserved address"
    if NUMERIC.fullmatch(host):
        return "must name its host by a domain name or by an IP address in the usual form"
    if len(host) > LONGEST_NAME or not NAME.fullmatch(host):
        return "must have a domain name as its host; write an international one in its ASCII form"
    if not private and ("." not in host.rstrip(".") or f".{host.rstrip('.')}".endswith(LOCAL_NAMES)):
        return "must have a public domain name as its host"
    return None


@dataclass(frozen=True)
class EndpointSecrets:
    """The secrets of the endpoint `id` after `rotations`, the last of which was at the unix second `rotated_at`."""

    id: str
    rotations: int
    rotated_at: int | None

    def current(self, key_secret: bytes) -> str:
        return self._secret(key_secret, self.rotations)

    def old_valid_until(self, now: float) -> int | None:
        """The unix second until which the secret before the last rotation is valid; None when it no longer is."""
        until = None if self.rotated_at is None else self.rotated_at + OVERLAP_S
        return until if until is not None and now < until else None

    def valid(self, key_secrets: Sequence[bytes], now: float) -> list[str]:
        """The secrets that sign at the unix second `now`: the newest, and for a day the one before it.

        They are derived from every valid secret of the service.
        """
        last = [self.rotations, self.rotations - 1] if self.old_valid_until(now) else [self.rotations]
        return [self._secret(key_secret, rotation) for key_secret in key_secrets for rotation in last]

    def _secret(self, key_secret: bytes, rotation: int) -> str:
        signature = hmac.new(key_secret, f"webhook {self.id} {rotation}".encode(), hashlib.sha256).digest()
        return f"whsec_{base64.b64encode(signature).decode()}"


def signed_headers(message: Message, secrets: Sequence[str], sent_at: int) -> dict[str, str]:
    """The headers of a message that is sent at the wall second `sent_at`, signed with each secret."""
    signatures = [Webhook(secret).sign(message.id, utc(sent_at), message.body) for secret in secrets]
    return {"webhook-id": message.id, "webhook-timestamp": str(sent_at), "webhook-signature": " ".join(signatures)}
