"""Plans, the windows they are counted in, the headers of a limit, and network addresses as limits count them.

Every window begins at a multiple of its length since 1970, so a day's quota resets at 00:00 UTC for everyone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Network, ip_address
from types import MappingProxyType
from typing import Literal, NamedTuple

Plan = Literal["free", "paid"]
# Calls a day, per key; for a delegating key, per end user.
PLANS: Mapping[Plan, int] = MappingProxyType({"free": 10, "paid": 100})
WEBHOOKS: Mapping[Plan, int] = MappingProxyType({"free": 0, "paid": 10})  # webhook endpoints of one key
# Event streams of one caller in one process; and those of one address without a paid key, or of one caller with
# streams that have to end but have not.
EVENT_STREAMS, HELD_STREAMS = 4, 8
DELEGATED_CAP = 2_000  # calls a day over all the end users of one delegating key
# Calls to public telemetry from one address in a window of seconds.
TELEMETRY_CALLS, TELEMETRY_WINDOW_S = 120, 60
# An answer counts again for each so many stored rows that it is computed from: 20 to 40 ms of CPU time.
ROWS_PER_CALL = 10_000
DELEGATED_TELEMETRY = 1_200  # calls to public telemetry a minute over all the end users of one delegating key
# A limit per address counts the /64 of an IPv6 address, and its /48 with a limit that is so many times as high.
NETWORK_FACTOR = 5


def window_end(now: float, length: int) -> int:
    """The unix second at which the window of `length` seconds that `now` lies in ends; it resets in that instant."""
    return (int(now) // length + 1) * length


class QuotaStatus(NamedTuple):
    """How a caller stands with one limit: `limit` calls in `window_s` seconds, `remaining` of them until `reset_at`.

    `reset_at` is a unix second.
    """

    name: str
    limit: int
    window_s: int
    remaining: int
    reset_at: int

    @property
    def policy(self) -> str:
        """An item of the RateLimit-Policy header (draft-ietf-httpapi-ratelimit-headers-11)."""
        return f'"{self.name}";q={self.limit};w={self.window_s}'

    def state(self, now: float) -> str:
        """An item of the RateLimit header of the same draft; `t` is seconds until the reset."""
        return f'"{self.name}";r={self.remaining};t={self.seconds_left(now)}'

    def seconds_left(self, now: float) -> int:
        """Whole seconds after which the window has surely ended, at least 1."""
        return max(1, self.reset_at - int(now))


NO_ADDRESS = "unreadable"


def wide_network(address: str | None) -> str | None:
    """The /48 of an IPv6 address, which one customer may have to himself; None for every other address."""
    narrow = network(address)
    return str(IPv6Network(narrow).supernet(new_prefix=48)) if narrow.endswith("/64") else None


@lru_cache(maxsize=4096)
def network(address: str | None) -> str:
    """What an address is counted as: an IPv4 address as itself, an IPv6 address as its /64.

    A home or a server usually has a whole /64, so a limit on single addresses would have no effect. Some have a whole
    /48: see `wide_network`. All invalid addresses count as one caller, so that they do not escape the limit.
    """
    try:
        ip = ip_address(address or "")
    except ValueError:
        return NO_ADDRESS
    if isinstance(ip, IPv4Address):
        return str(ip)
    return str(ip.ipv4_mapped or IPv6Network((int(ip), 64), strict=False))


def shortened(address: str | None) -> str:
    """An address without what tells one household from its neighbours: its /24, or the /48 of an IPv6 address."""
    return wide_network(address) or re.sub(r"\.\d+$", ".0/24", network(address))
