"""The signature of a daily root."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from service.ledger.chain import GENESIS, ChainEntry, chained
from service.ledger.roots import Root, handover_row, is_signed, public_key, sign, successor

SEED = b"a seed of exactly thirty-two by."
ROOT = sign(["11" * 32], day="2026-11-21", first_seq=1, root_before="", signed_at="2026-11-22T00:00:00Z", seed=SEED)


def test_a_root_is_signed_by_the_key_it_names():
    assert is_signed(ROOT)
    assert ROOT.key == public_key(SEED)


@pytest.mark.parametrize("name", [field.name for field in fields(Root)])
def test_no_field_can_be_changed_under_the_signature(name: str):
    value = getattr(ROOT, name)
    assert not is_signed(replace(ROOT, **{name: value + 1 if isinstance(value, int) else f"{value}0"}))


def test_a_signature_in_upper_case_is_refused():
    assert not is_signed(replace(ROOT, signature=ROOT.signature.upper()))


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
