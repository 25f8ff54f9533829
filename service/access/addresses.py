"""Network addresses as the limits count them."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

UNREADABLE = "unreadable"


def wide_network(address: str | None) -> str | None:
    """The /48 of an IPv6 address, which one customer may have to himself; None for every other address."""
    counted = network(address)
    return _widened(counted) if counted.endswith("/64") else None


def network(address: str | None) -> str:
    """What an address is counted as: an IPv4 address as itself, an IPv6 address as its /64.

    A home or a server usually has a whole /64, so a limit on single addresses would have no effect. Some have a whole
    /48: see `wide_network`. All invalid addresses count as one caller, so that they do not escape the limit.
    """
    if not address:
        return UNREADABLE
    return _parsed(address)


@lru_cache(maxsize=4096)
def _parsed(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return UNREADABLE
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    return _counted(parsed)


@lru_cache(maxsize=4096)
def _widened(narrow: str) -> str:
    return str(IPv6Network(narrow).supernet(new_prefix=48))


def _counted(address: IPv6Address) -> str:
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(IPv6Network((int(address), 64), strict=False))
