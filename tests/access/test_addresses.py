"""What an address is counted as."""

from __future__ import annotations

import pytest

from service.access.addresses import UNREADABLE, network, wide_network


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
        ("::1", "::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_ipv4_counts_per_address_and_ipv6_per_64_bit_network(address, counted):
    assert network(address) == counted


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/48"),
        ("203.0.113.7", None),
        ("::ffff:203.0.113.7", None),
        ("unix:", None),
        (None, None),
    ],
)
def test_an_ipv6_address_is_in_a_48_bit_network(address, counted):
    assert wide_network(address) == counted


@pytest.mark.parametrize("address", [None, "", "unix:", "203.0.113.7:5123", "203.0.113.07", "x" * 10_000])
def test_what_cannot_be_read_is_counted_together(address):
    """Else a proxy that adds the port would give every connection a limit of its own."""
    assert network(address) == UNREADABLE
