"""The signature of a daily root."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from service.ledger.roots import Root, is_signed, public_key, sign

SEED = b"a seed of exactly thirty-two by."
ROOT = sign(["11" * 32], day="2026-11-21", first_seq=1, previous="", signed_at="2026-11-22T00:00:00Z", seed=SEED)


def test_a_root_is_signed_by_the_key_it_names():
    assert is_signed(ROOT)
    assert ROOT.key == public_key(SEED)


@pytest.mark.parametrize("name", [field.name for field in fields(Root)])
def test_no_field_can_be_changed_under_the_signature(name: str):
    value = getattr(ROOT, name)
    assert not is_signed(replace(ROOT, **{name: value + 1 if isinstance(value, int) else f"{value}0"}))


def test_a_signature_in_upper_case_is_refused():
    assert not is_signed(replace(ROOT, signature=ROOT.signature.upper()))
