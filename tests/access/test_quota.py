"""When a day ends, and how a limit is told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.access.quota import (
    DELEGATED_CAP,
    NO_ADDRESS,
    PLANS,
    QuotaStatus,
    network,
    shortened,
    wide_network,
    window_end,
)
from service.market.instants import DAY, MINUTE

MIDNIGHT = int(datetime(2026, 11, 22, tzinfo=UTC).timestamp())
DAILY = QuotaStatus(name="daily", limit=10, window_s=DAY, remaining=9, reset_at=MIDNIGHT)


def test_the_plans_are_those_of_the_contract():
    assert dict(PLANS) == {"free": 10, "paid": 100}
    assert PLANS["paid"] < DELEGATED_CAP


@pytest.mark.parametrize(
    ("now", "ends"), [*((MIDNIGHT - before, MIDNIGHT) for before in (DAY, 1, 0.001)), (MIDNIGHT, MIDNIGHT + DAY)]
)
def test_a_day_ends_and_the_next_begins_at_midnight_utc(now, ends):
    assert window_end(now, DAY) == ends


@given(st.floats(0, 4e9), st.sampled_from([MINUTE, DAY]))
def test_a_window_contains_its_instant(now, length):
    ends = window_end(now, length)
    assert ends % length == 0
    assert ends - length <= now < ends


def test_the_headers_are_those_of_the_draft():
    """draft-ietf-httpapi-ratelimit-headers-11, section 3: lists of strings with the parameters q, w and r, t."""
    assert DAILY.policy == '"daily";q=10;w=86400'
    assert DAILY.state(MIDNIGHT - 3600.5) == '"daily";r=9;t=3601'


@given(st.floats(MIDNIGHT - DAY, MIDNIGHT, exclude_max=True))
def test_after_retry_after_a_new_window_has_begun(now):
    wait = DAILY.seconds_left(now)
    assert 1 <= wait <= DAY
    assert window_end(now + wait, DAY) == MIDNIGHT + DAY


V6 = "2001:db8:1::/48"


@pytest.mark.parametrize(
    ("address", "group", "wide_group", "shortened_address"),
    [
        ("203.0.113.7", "203.0.113.7", None, "203.0.113.0/24"),
        ("::ffff:203.0.113.7", "203.0.113.7", None, "203.0.113.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", V6, V6),
        ("2001:DB8:1:2::ffff", "2001:db8:1:2::/64", V6, V6),
        ("2001:db8:1:3::", "2001:db8:1:3::/64", V6, V6),
        ("::1", "::/64", "::/48", "::/48"),
        ("fe80::1%eth0", "fe80::/64", "fe80::/48", "fe80::/48"),
        *((text, NO_ADDRESS, None, NO_ADDRESS) for text in (None, "", "unix:", "203.0.113.07", "x" * 10_000)),
        ("203.0.113.7:5123", NO_ADDRESS, None, NO_ADDRESS),
    ],
)
def test_ipv4_counts_per_address_and_ipv6_per_network(address, group, wide_group, shortened_address):
    """Shortened it names no household.

    What cannot be read is counted together: else a proxy that adds the port would give every connection a limit.
    """
    assert (network(address), wide_network(address), shortened(address)) == (group, wide_group, shortened_address)
