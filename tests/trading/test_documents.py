"""The header of the strategies' documents and the content behind it."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from pydantic import TypeAdapter

from service.documents import DocumentHeader
from service.market.headers import header
from service.market.instants import HOUR, iso
from service.trading.arena import Arena
from service.trading.documents import (
    LeaderboardDocument,
    StrategyDocument,
    leaderboard_document,
    strategy_document,
)
from service.trading.leaderboard import leaderboard
from service.trading.profile import profile

ENVELOPE = ["schema", "timestamp", "as_of", "stale_after", "world", "sources"]


@pytest.fixture(scope="module")
def head(arena: Arena) -> DocumentHeader:
    return header_of(arena, 300)


def header_of(arena: Arena, step: int) -> DocumentHeader:
    return header(arena.as_of + 7, arena.as_of, step=step, world="replay", sources={"btc": "a file"})


def test_a_document_is_the_header_and_then_the_content(arena: Arena, head: DocumentHeader):
    board = leaderboard(arena, "btc")
    page = profile(arena, board.entries[0])
    for document, pure in ((leaderboard_document(board, head), board), (strategy_document(page, head), page)):
        published, computed = asdict(document), asdict(pure)
        assert list(published) == ENVELOPE + list(computed)
        assert {name: published[name] for name in computed} == computed


def test_header_has_timestamp_as_of_and_stale_after(arena: Arena, head: DocumentHeader):
    document = leaderboard_document(leaderboard(arena), head)
    assert (document.schema, document.world, document.sources) == ("leaderboard/1", "replay", {"btc": "a file"})
    assert (document.timestamp, document.as_of) == (iso(arena.as_of + 7), iso(arena.as_of))
    assert document.stale_after == iso(arena.as_of + 900)


def test_an_hourly_page_is_stale_after_three_hours(arena: Arena):
    page = profile(arena, leaderboard(arena).entries[0])
    document = strategy_document(page, header_of(arena, HOUR))
    assert (document.schema, document.stale_after) == ("strategy/1", iso(arena.as_of + 3 * HOUR))


def test_documents_survive_json(arena: Arena, head: DocumentHeader):
    board = leaderboard(arena)
    for kind, document in (
        (LeaderboardDocument, leaderboard_document(board, head)),
        (StrategyDocument, strategy_document(profile(arena, board.entries[0]), head)),
    ):
        adapter = TypeAdapter(kind)
        assert adapter.validate_json(adapter.dump_json(document)) == document
