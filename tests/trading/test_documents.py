"""What the documents of the strategies say of themselves beside what was computed."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from pydantic import TypeAdapter

from service.market.instants import HOUR, iso
from service.trading.arena import Arena
from service.trading.documents import (
    LEADERBOARD_ASSETS,
    LeaderboardDocument,
    StrategyDocument,
    leaderboard_document,
    strategy_document,
)
from service.trading.leaderboard import leaderboard
from service.trading.profile import profile

ENVELOPE = ["schema", "timestamp", "as_of", "stale_after", "world", "sources"]


@pytest.fixture(scope="module")
def about(arena: Arena) -> dict:
    made_at = arena.as_of + 7
    return {"made_at": made_at, "as_of": arena.as_of, "step": 300, "world": "replay", "sources": {"btc": "a file"}}


def test_the_assets_with_a_leaderboard_are_those_of_the_specification():
    assert LEADERBOARD_ASSETS == ("btc", "eth", "sol", "bnb", "gold", "silver")


def test_a_document_is_the_envelope_of_the_contract_and_then_what_was_computed(arena: Arena, about: dict):
    board = leaderboard(arena, "btc")
    page = profile(arena, board.entries[0])
    for document, pure in ((leaderboard_document(board, **about), board), (strategy_document(page, **about), page)):
        told, computed = asdict(document), asdict(pure)
        assert list(told) == ENVELOPE + list(computed)
        assert {name: told[name] for name in computed} == computed


def test_it_says_when_it_was_made_what_it_saw_and_when_it_is_out_of_date(arena: Arena, about: dict):
    document = leaderboard_document(leaderboard(arena), **about)
    assert (document.schema, document.world, document.sources) == ("leaderboard/1", "replay", {"btc": "a file"})
    assert (document.timestamp, document.as_of) == (iso(arena.as_of + 7), iso(arena.as_of))
    assert document.stale_after == iso(arena.as_of + 900)


def test_a_page_that_is_made_every_hour_is_not_stale_before_three_of_them(arena: Arena, about: dict):
    page = profile(arena, leaderboard(arena).entries[0])
    document = strategy_document(page, **about | {"step": HOUR})
    assert (document.schema, document.stale_after) == ("strategy/1", iso(arena.as_of + 3 * HOUR))


def test_as_json_and_back_it_is_the_same(arena: Arena, about: dict):
    board = leaderboard(arena)
    for kind, document in (
        (LeaderboardDocument, leaderboard_document(board, **about)),
        (StrategyDocument, strategy_document(profile(arena, board.entries[0]), **about)),
    ):
        adapter = TypeAdapter(kind)
        assert adapter.validate_json(adapter.dump_json(document)) == document
