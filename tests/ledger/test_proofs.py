"""One row proved without the others."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import asdict

import pytest

from service.ledger import proofs
from service.ledger.chain import chained
from service.ledger.roots import public_key
from tests.ledger import made

KEY = public_key(made.SEED)
DAYS = (7, 5)


def told(seq: int, book: made.Book | None = None) -> dict:
    """The proof of a row as its JSON."""
    book = book or made.book(*DAYS)
    root = next(root for root in book.roots if root.last_seq >= seq)
    hashes = [entry.hash for entry in book.entries[root.first_seq - 1 : root.last_seq]]
    return json.loads(json.dumps(asdict(proofs.prove(book.entries[seq - 1], root, hashes))))


def fault(told: dict, seq: int, key: str | None = KEY) -> str | None:
    return proofs.fault(proofs.read(told), seq, key)


@pytest.mark.parametrize("seq", range(1, sum(DAYS) + 1))
def test_every_sealed_row_has_a_proof_that_holds(seq: int):
    proof = told(seq)
    assert fault(proof, seq) is None
    assert (proof["tree_size"], proof["leaf_index"]) == ((7, seq - 1) if seq <= 7 else (5, seq - 8))


def other(value: object) -> object:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, dict):
        return {**value, "p": 0.5}
    return ("1" if value[:1] == "0" else "0") + value[1:]


PLACES = [(part, name) for part in ("entry", "root") for name in told(1)[part]]


@pytest.mark.parametrize(("part", "name"), PLACES)
def test_no_field_of_the_row_or_the_root_can_be_changed(part: str, name: str):
    proof = told(3)
    proof[part][name] = other(proof[part][name])
    assert fault(proof, 3)


@pytest.mark.parametrize("name", ["leaf_index", "tree_size"])
def test_its_place_in_the_tree_cannot_be_changed(name: str):
    proof = told(3)
    proof[name] += 1
    assert "The path is not that of row 3" in fault(proof, 3)


def test_no_step_can_be_changed_left_out_or_added():
    for place in range(3):
        for change in ("hash", "side", "out", "twice"):
            proof = deepcopy(told(3))
            step = proof["path"][place]
            if change == "hash":
                step["hash"] = other(step["hash"])
            elif change == "side":
                step["side"] = "left" if step["side"] == "right" else "right"
            elif change == "out":
                del proof["path"][place]
            else:
                proof["path"].insert(place, step)
            assert fault(proof, 3), (place, change)


def test_the_proof_of_another_row_is_not_accepted():
    assert fault(told(4), 3) == "It is about row 4, not about row 3."


def test_a_root_signed_by_another_key_holds_only_for_who_knows_no_key():
    forged = told(3, made.book(*DAYS, seed=b"another seed of thirty-two bytes"))
    assert "signed by another key" in fault(forged, 3)
    assert fault(forged, 3, key=None) is None


def test_a_row_that_was_never_sealed_cannot_be_passed_off_as_the_row_of_that_number():
    book = made.book(*DAYS)
    (false,) = chained(made.rows(9)[8:], "2026-11-21T12:00:00Z", book.entries[1])
    proof = {**told(3), "entry": vars(false)}
    assert fault(proof, 3) == "The path from row 3 does not lead to the root of 2026-11-21."


@pytest.mark.parametrize(
    "answer", [{}, {"entry": None}, {**told(1), "path": [{"side": "left"}]}, {**told(1), "root": []}]
)
def test_what_is_no_proof_is_said_to_be_none(answer: dict):
    with pytest.raises(ValueError, match="no proof of a row"):
        proofs.read(answer)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [("root", "first_seq", "1"), ("root", "key", 1), ("root", "key", "z"), ("entry", "seq", None)],
)
def test_a_proof_of_odd_types_fails_and_breaks_nothing(part: str, name: str, value: object):
    proof = told(3)
    proof[part][name] = value
    assert fault(proof, 3)


def test_a_step_that_is_no_hash_fails_and_breaks_nothing():
    for hash in ("xyz", 7, None):
        proof = told(3)
        proof["path"][0]["hash"] = hash
        assert fault(proof, 3) == "It is no proof of a row."
