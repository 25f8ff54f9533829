"""A hand-over of the signing key is signed by the key before, for its place in the chain."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.ledger.chain import GENESIS, ChainEntry, chained
from service.ledger.handover import handover_row, successor
from service.ledger.roots import public_key

BEFORE, AFTER, OTHER = b"a" * 32, b"b" * 32, b"c" * 32


@pytest.fixture
def entry() -> ChainEntry:
    (entry,) = chained([handover_row(BEFORE, AFTER, GENESIS)], "2026-11-21T12:00:00Z", None)
    return entry


def with_body(entry: ChainEntry, **fields: object) -> ChainEntry:
    return replace(entry, body={**entry.body, **fields})


def test_a_hand_over_names_both_keys(entry: ChainEntry):
    assert successor(entry) == (public_key(BEFORE), public_key(AFTER))


def test_another_successor_is_not_signed(entry: ChainEntry):
    assert successor(with_body(entry, key=public_key(OTHER))) is None
    assert successor(with_body(entry, key_before=public_key(OTHER))) is None


def test_a_copy_at_another_place_is_not_signed(entry: ChainEntry):
    assert successor(replace(entry, previous="1" * 64)) is None


@pytest.mark.parametrize("field", ["key", "key_before", "signature"])
@pytest.mark.parametrize("value", [None, "", "no hex", 5])
def test_a_malformed_body_is_no_hand_over(entry: ChainEntry, field: str, value: object):
    assert successor(with_body(entry, **{field: value})) is None


def test_an_empty_body_is_no_hand_over(entry: ChainEntry):
    assert successor(replace(entry, body={})) is None
