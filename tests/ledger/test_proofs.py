"""Proofs of single rows."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from service.ledger import proofs
from service.ledger.chain import chained
from service.ledger.roots import public_key
from tests.ledger import books

KEY = public_key(books.SEED)
DAYS = (7, 5)
BOOK = books.book(*DAYS)


def proof_body(seq: int, book: books.Book = BOOK) -> dict:
    """The proof of a row as its JSON."""
    root = next(root for root in book.roots if root.last_seq >= seq)
    hashes = [entry.hash for entry in book.entries[root.first_seq - 1 : root.last_seq]]
    return json.loads(json.dumps(asdict(proofs.prove(book.entries[seq - 1], root, hashes))))


def fault(proof_body: dict, seq: int, key: str | None = KEY) -> str | None:
    return proofs.fault(proofs.read(proof_body), seq, key)


def test_every_sealed_row_has_a_valid_proof():
    for seq in range(1, sum(DAYS) + 1):
        proof = proof_body(seq)
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


CHANGES = [(part, name, other(value)) for part in ("entry", "root") for name, value in proof_body(3)[part].items()]
WRONG_TYPES = [("root", "first_seq", "1"), ("root", "key", 1), ("root", "key", "z"), ("entry", "seq", None)]


@pytest.mark.parametrize(("part", "name", "value"), [*CHANGES, *WRONG_TYPES])
def test_no_field_of_the_row_or_the_root_can_be_changed(part: str, name: str, value: object):
    proof = proof_body(3)
    proof[part][name] = value
    assert fault(proof, 3)


@pytest.mark.parametrize("name", ["leaf_index", "tree_size"])
def test_its_place_in_the_tree_cannot_be_changed(name: str):
    proof = proof_body(3)
    proof[name] += 1
    assert "The path does not belong to row 3" in fault(proof, 3)


def test_no_step_can_be_changed_left_out_or_added():
    proof = proof_body(3)
    steps = proof["path"]
    for place, step in enumerate(steps):
        mirror = {**step, "side": "left" if step["side"] == "right" else "right"}
        for parts in ([{**step, "hash": other(step["hash"])}], [mirror], [], [step, step]):
            path = [*steps[:place], *parts, *steps[place + 1 :]]
            assert fault({**proof, "path": path}, 3), (place, parts)
    for hash in ("xyz", 7, None):
        path = [{**steps[0], "hash": hash}, *steps[1:]]
        assert fault({**proof, "path": path}, 3) == "This is not a proof of a row."


def test_the_proof_of_another_row_is_not_accepted():
    assert fault(proof_body(4), 3) == "The proof is about row 4, not about row 3."


def test_another_keys_root_is_refused_when_the_key_is_known():
    forgery = proof_body(3, books.book(*DAYS, seed=b"another seed of thirty-two bytes"))
    assert "signed by another key" in fault(forgery, 3)
    assert fault(forgery, 3, key=None) is None


def test_an_unsealed_row_cannot_replace_a_sealed_one():
    (false,) = chained(books.rows(9)[8:], "2026-11-21T12:00:00Z", BOOK.entries[1])
    proof = {**proof_body(3), "entry": vars(false)}
    assert fault(proof, 3) == "The path from row 3 does not lead to the root of 2026-11-21."


@pytest.mark.parametrize(
    "answer", [{}, {"entry": None}, {**proof_body(1), "path": [{"side": "left"}]}, {**proof_body(1), "root": []}]
)
def test_anything_else_is_not_a_proof(answer: dict):
    with pytest.raises(ValueError, match="not a proof of a row"):
        proofs.read(answer)
