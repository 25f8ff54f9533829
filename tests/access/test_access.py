"""The form of a key and of an email, when a day ends, who counts together, and how a limit is told."""

from __future__ import annotations

import hashlib
import hmac
import re
import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.access.keys import LONGEST_EMAIL, NOBODY, digest, key_id, matches, mint, normalised
from service.access.quota import (
    NO_ADDRESS,
    QuotaStatus,
    network,
    shortened,
    wide_network,
    window_end,
)
from service.errors import InvalidKey, InvalidRequest
from service.market.instants import DAY, MINUTE

SECRET = b"service secret"
KEY = mint(bytes.fromhex("0a1b2c3d"), bytes(range(32)))
identities, secrets = st.binary(min_size=4, max_size=4), st.binary(min_size=32, max_size=32)


@given(identities, secrets)
def test_a_minted_key_has_the_promised_form_and_yields_its_id(identity, secret):
    key = mint(identity, secret)
    assert re.fullmatch("nf_live_[0-9a-f]{8}_[0-9A-Za-z]{43}_[0-9a-f]{8}", key)
    assert key_id(key) == identity.hex()


def test_the_checksum_is_the_crc32_of_all_before_it():
    body, _, checksum = KEY.rpartition("_")
    assert int(checksum, 16) == zlib.crc32(body.encode())


def test_the_secret_is_base62_of_all_256_bits():
    """62^42 < 2^256 <= 62^43, so the smallest and the largest secret are both 43 digits and no two are alike."""
    smallest, largest = mint(bytes(4), bytes(32)), mint(bytes(4), b"\xff" * 32)
    assert smallest.split("_")[3] == "0" * 43
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    value = 0
    for digit in largest.split("_")[3]:
        value = value * 62 + digits.index(digit)
    assert value == 2**256 - 1


@pytest.mark.parametrize(("identity", "secret"), [(bytes(3), bytes(32)), (bytes(4), bytes(31))])
def test_a_key_of_too_little_randomness_is_not_minted(identity, secret):
    with pytest.raises(ValueError, match="4 and 32 bytes"):
        mint(identity, secret)


@given(st.integers(0, len(KEY) - 1), st.characters(min_codepoint=33, max_codepoint=126))
def test_a_key_with_one_wrong_character_is_refused(place, character):
    typo = KEY[:place] + character + KEY[place + 1 :]
    if typo != KEY:
        with pytest.raises(InvalidKey):
            key_id(typo)


@pytest.mark.parametrize(
    "text", ["", " ", "nf_live_", KEY[:-1], KEY + "\n", " " + KEY, KEY + "," + KEY, KEY.upper(), "é" * 80, "x" * 65536]
)
def test_what_is_not_a_key_is_refused_without_being_repeated(text):
    with pytest.raises(InvalidKey) as refusal:
        key_id(text)
    assert refusal.value.detail == "The API key is not valid."


def test_the_digest_is_the_hmac_sha256_under_the_services_secret():
    assert digest(KEY, SECRET) == hmac.new(SECRET, KEY.encode(), hashlib.sha256).hexdigest()


def test_only_the_same_key_under_the_same_secret_matches():
    stored_digest = digest(KEY, SECRET)
    assert matches(KEY, stored_digest, SECRET)
    assert not matches(mint(bytes(4), bytes(32)), stored_digest, SECRET)
    assert not matches(KEY, stored_digest, b"another secret")
    assert not matches(KEY, NOBODY, SECRET)


LABEL = "a" * 63


@pytest.mark.parametrize(
    "email", ["you@example.com", "first.last+tag@mail.example.co.uk", "o'neil@x-y.io", "a@xn--mnchen-3ya.de"]
)
def test_an_ordinary_address_is_accepted_as_it_is(email):
    assert normalised(email) == email


def test_the_case_of_an_address_makes_no_other_address():
    assert normalised("You@Example.COM") == "you@example.com"


@pytest.mark.parametrize(
    ("email", "mailbox"),
    [
        ("J.Doe+news@Gmail.com", "jdoe@gmail.com"),
        ("jdoe@googlemail.com", "jdoe@gmail.com"),
        ("j.doe+news@outlook.com", "j.doe@outlook.com"),
        ("j.doe+news@fastmail.com", "j.doe@fastmail.com"),
        ("j_d.o-e+news@protonmail.com", "jdoe@proton.me"),
        ("j.doe+news@example.com", "j.doe+news@example.com"),
        ("...@gmail.com", "...@gmail.com"),
        ("+news@gmail.com", "+news@gmail.com"),
    ],
)
def test_spellings_that_a_provider_ignores_are_one_mailbox(email, mailbox):
    assert normalised(email) == normalised(mailbox) == mailbox


@given(st.emails())
def test_a_short_ascii_address_of_rfc_5322_is_accepted(email):
    local, _, domain = email.partition("@")
    if len(local) <= 64 and len(email) <= LONGEST_EMAIL and "." in domain:
        assert normalised(email) == email.lower()


@pytest.mark.parametrize(
    "email",
    [
        *("", "you", "@example.com", "you@", "you@localhost", "you@@example.com", "you@example..com"),
        *("you@-example.com", "you@example.com.", " you@example.com", "you@example.com\n", "you\x00@example.com"),
        *("you me@example.com", "yöu@example.com", "you@exämple.com", "<you@example.com>", f"{'a' * 65}@example.com"),
        f"you@{LABEL}a.com",
        f"{'a' * 64}@{LABEL}.{LABEL}.{LABEL}.com",
    ],
)
def test_anything_else_is_refused_and_the_field_is_named(email):
    with pytest.raises(InvalidRequest) as refusal:
        normalised(email)
    assert [error.field for error in refusal.value.errors] == ["email"]


def test_the_longest_address_that_mail_can_carry_is_accepted():
    email = f"{'a' * 64}@{LABEL}.{LABEL}.{'a' * 57}.com"
    assert len(email) == LONGEST_EMAIL
    assert normalised(email) == email


MIDNIGHT = int(datetime(2026, 11, 22, tzinfo=UTC).timestamp())
DAILY = QuotaStatus(name="daily", limit=10, window_s=DAY, remaining=9, reset_at=MIDNIGHT)


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
