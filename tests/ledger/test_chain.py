"""Rows that contain the hash of the row before, the signature of a daily root, and its tree as RFC 6962 has it."""

from __future__ import annotations

import hashlib
from dataclasses import fields, replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.ledger import roots
from service.ledger.chain import GENESIS, ChainEntry, LedgerRow, chained, instant_of, is_whole, with_iso_instants
from service.ledger.roots import Root, handover_row, is_signed, public_key, sign, successor
from tests.ledger.independent import tree

NOON, SECOND = "2026-11-21T12:00:00Z", int(datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp())
SEED, AFTER, OTHER = b"a" * 32, b"b" * 32, b"c" * 32
ROOT = sign(["11" * 32], day="2026-11-21", first_seq=1, root_before="", signed_at="2026-11-22T00:00:00Z", seed=SEED)


def test_a_hash_can_be_computed_from_the_published_row():
    row = LedgerRow("odds", "polymarket-1", {"p_yes": 0.5, "bid": None, "source": "día", "at": SECOND}, False)
    (entry,) = chained([row], NOON, None)
    body = f'{{"at":"{NOON}","bid":null,"p_yes":0.5,"source":"día"}}'
    expected = (
        f'{{"backfilled":false,"body":{body},"form":"rfc8785","kind":"odds",'
        f'"previous":"{"0" * 64}","recorded_at":"{NOON}","seq":1,"subject":"polymarket-1"}}'
    )
    assert entry.hash == hashlib.sha256(expected.encode()).hexdigest()
    assert is_whole(entry)


@pytest.mark.parametrize("body", [{"p": float("nan")}, {"p": float("inf")}, {"text": "\ud800"}])
def test_what_json_cannot_hold_is_refused(body: dict):
    with pytest.raises(ValueError):
        list(chained([LedgerRow("score", "x", body, False)], NOON, None))


def test_instants_are_recorded_as_iso_times():
    """In nested objects and lists too; other numbers and fields without an instant stay."""
    others = {"fitted_at": None, "columns": ["at"], "p": 0.5}

    def body(instant: object) -> dict:
        question = {"deadline": instant, "level": 70_000}
        return others | {"at": instant, "question": question, "votes": [{"time": instant}]}

    assert with_iso_instants(body(SECOND)) == body(NOON)


def test_both_forms_of_an_instant_are_read():
    """Rows of the first edition hold unix seconds, and the ledger never changes."""
    assert instant_of(SECOND) == instant_of(NOON) == datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_a_root_is_signed_by_the_key_it_names():
    """In lower case alone."""
    assert is_signed(ROOT)
    assert ROOT.key == public_key(SEED)
    assert not is_signed(replace(ROOT, signature=ROOT.signature.upper()))


@pytest.mark.parametrize("name", [field.name for field in fields(Root)])
def test_no_field_can_be_changed_under_the_signature(name: str):
    value = getattr(ROOT, name)
    assert not is_signed(replace(ROOT, **{name: value + 1 if isinstance(value, int) else f"{value}0"}))


@pytest.fixture
def entry() -> ChainEntry:
    (entry,) = chained([handover_row(SEED, AFTER, GENESIS)], NOON, None)
    return entry


def with_body(entry: ChainEntry, **fields: object) -> ChainEntry:
    return replace(entry, body={**entry.body, **fields})


def test_a_hand_over_names_both_keys(entry: ChainEntry):
    """Another key is not signed, nor is a copy at another place or an empty body."""
    assert successor(entry) == (public_key(SEED), public_key(AFTER))
    others = [with_body(entry, **{name: public_key(OTHER)}) for name in ("key", "key_before")]
    for other in (*others, replace(entry, previous="1" * 64), replace(entry, body={})):
        assert successor(other) is None


@pytest.mark.parametrize("field", ["key", "key_before", "signature"])
@pytest.mark.parametrize("value", [None, "", "no hex", 5])
def test_a_malformed_body_is_no_hand_over(entry: ChainEntry, field: str, value: object):
    assert successor(with_body(entry, **{field: value})) is None


# The inputs and roots that Certificate Transparency's own implementations are tested with.
INPUTS = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)

leaf_lists = st.lists(st.binary(min_size=32, max_size=32).map(bytes.hex), min_size=1, max_size=40)
# A list of leaves and the place of one of them.
places = leaf_lists.flatmap(lambda leaves: st.tuples(st.just(leaves), st.integers(0, len(leaves) - 1)))


def audit(index: int, data: list[bytes]) -> list[tuple[str, bytes]]:
    """PATH of RFC 6962, 2.1.1, with the side of each neighbour."""
    if len(data) == 1:
        return []
    half = 1 << (len(data) - 1).bit_length() - 1
    if index < half:
        return [*audit(index, data[:half]), ("right", tree(data[half:]))]
    return [*audit(index - half, data[half:]), ("left", tree(data[:half]))]


def test_the_roots_are_those_of_the_published_vectors():
    assert tuple(roots.tree_root(INPUTS[:size]) for size in range(1, 9)) == ROOTS


@given(places)
def test_a_root_and_a_path_are_those_of_the_definition(place: tuple[list[str], int]):
    leaves, index = place
    assert roots.tree_root(leaves) == tree([bytes.fromhex(leaf) for leaf in leaves]).hex()
    path = roots.path(leaves, index)
    expected = audit(index, [bytes.fromhex(leaf) for leaf in leaves])
    assert [(step.side, step.hash) for step in path] == [(side, hash.hex()) for side, hash in expected]
    assert [step.side for step in path] == list(roots.sides(index, len(leaves)))
    assert roots.climb(leaves[index], path) == roots.tree_root(leaves)
