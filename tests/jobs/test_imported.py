"""Outside markets of the live world: imported, settled by their source, and fresh as long as it answers."""

from __future__ import annotations

import pytest

from service.forecasting.predictions import Prediction, Settlement
from service.jobs import imported, tick
from service.ledger.verifier import verify
from service.market.instants import DAY, HOUR, iso
from service.store import ledger, predictions
from tests.jobs.live import (
    BIG,
    SLOT,
    an_hour_later,
    answering,
    do,
    gamma_over,
    gamma_row,
    hang,
    kalshi_row,
)
from tests.jobs.track_record import document
from tests.running_service import RunningService, copied, running_service

pytestmark = pytest.mark.slow

GAMMA_ID, TICKER = "polymarket-1500056", "kalshi-KXBTC-26NOV27-B1"


def imported_markets(running: RunningService) -> dict[str, dict]:
    listed = document(running, "predictions")["markets"]
    return {market["id"]: market for market in listed if market["category"] == "imported"}


def frozen(running: RunningService) -> dict[str, dict]:
    """The imported markets without what changes every hour."""
    now = dict.fromkeys(("context", "ai_now", "odds_now"))
    return {market_id: market | now for market_id, market in imported_markets(running).items()}


def stored(running: RunningService, market_id: str) -> Prediction:
    with running.runtime.database.reading() as db:
        return predictions.find(db, market_id)


def test_imported_markets_show_the_prices_of_now(live):
    """From the listing that is read every hour anyway; the votes and odds of the opening stay."""
    before = frozen(live)
    live.move(2 * HOUR)
    live.move(60)
    shown = imported_markets(live)[GAMMA_ID]
    assert (shown["market_odds"]["p_yes"], shown["odds_now"]["p_yes"]) == (0.41, 0.41)
    assert shown["odds_now"]["as_of"] == iso(SLOT + 2 * HOUR)
    assert shown["ai_now"]["as_of"] == iso(SLOT + 2 * HOUR)
    assert frozen(live)[GAMMA_ID]["ai_votes"] == before[GAMMA_ID]["ai_votes"]


def test_in_the_live_world_the_record_begins_with_the_first_vote(live):
    """Nothing is backfilled, and what others ask is taken over, voted on and priced by them."""
    page = document(live, "predictions")
    assert not any(market["backfilled"] for market in page["markets"])
    assert set(imported_markets(live)) == {GAMMA_ID, TICKER}
    for market in imported_markets(live).values():
        assert len(market["ai_votes"]) == 9
        assert market["created_at"] == iso(SLOT)
        assert market["commitment"]["seq"] > 0
    assert imported_markets(live)[GAMMA_ID]["market_odds"]["p_yes"] == 0.41
    assert not imported_markets(live)[GAMMA_ID]["market_odds"]["simulated"]
    assert page["sources"]["polymarket"] == f"odds (polymarket), read {iso(SLOT)}"
    assert page["sources"]["kalshi"] == f"odds (kalshi), read {iso(SLOT)}"
    assert all(market["market_odds"] is None for market in page["markets"] if market["category"] != "imported")


def test_the_voters_never_see_the_odds(live, begun, world, tmp_path):
    """The same market at other odds gets the same votes to the last bit."""
    commitments = []
    for p in ("0.10", "0.90"):
        folder = copied(begun, tmp_path / p)
        world.offered["polymarket"] = [gamma_row("7", share=0.95, day=27, p=p)]
        with running_service(folder, **world.options) as running:
            an_hour_later(running)
            prediction = stored(running, "polymarket-7")
            assert prediction.odds.p_yes == float(p)
            commitments.append(prediction.commitment)
    assert commitments[0] == commitments[1]


def test_an_imported_market_is_settled_as_its_source_settles_it(live, world):
    world.over = {
        "polymarket": [gamma_over("2026-11-21 08:20:00+00")],
        "kalshi": [kalshi_row(status="finalized", result="no", settlement_ts="2026-11-21T08:30:00Z")],
    }
    an_hour_later(live)
    at = SLOT + HOUR
    assert stored(live, GAMMA_ID).settlement == Settlement("yes", at, "Yes pays 1, No pays 0", "polymarket")
    assert stored(live, TICKER).settlement == Settlement("no", at, "settled as no", "kalshi")
    an_hour_later(live, 2)
    assert not imported_markets(live)
    with live.runtime.database.reading() as db:
        assert verify(ledger.export(db)).fault is None
        for market_id in (GAMMA_ID, TICKER):
            kinds = [row.kind for row in ledger.entries(db, 1, 100, subject=market_id)]
            assert kinds == ["votes", "odds", "resolution", "score"]


def test_a_market_decided_before_its_import_is_void(live, world):
    world.over["polymarket"] = [gamma_over("2026-11-21 07:59:59+00")]
    an_hour_later(live)
    settlement = stored(live, GAMMA_ID).settlement
    assert (settlement.outcome, settlement.evidence) == ("void", "it was decided before it was imported")


def test_bars_never_settle_an_imported_market(live):
    """Days after its end it still waits for its source."""
    live.move(8 * DAY)
    assert stored(live, GAMMA_ID).settlement is None
    assert GAMMA_ID not in imported_markets(live)


FAULTS = {
    "hangs": (hang, "no complete response in time"),
    "answers 500": (answering(b"{}", 500), "it answered 500"),
    "answers 429": (answering(b"{}", 429, Retry_After="120"), "it answered 429, retry after 120 s"),
    "answers broken JSON": (answering(b'{"markets": ['), "InvalidJSONError"),
    "answers 10 MB": (answering(b'{"markets": []}' + BIG), "more than 8388608 bytes in one page"),
}


@pytest.mark.parametrize("name", ["polymarket", "kalshi"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_market_that_fails_changes_nothing_but_its_freshness(live, world, name, fault):
    """What was taken over stays as it is, the list says which source failed, and the other one is read."""
    before, other = frozen(live), {"polymarket": "kalshi", "kalshi": "polymarket"}[name]
    world.servers[name].fault, reason = FAULTS[fault]
    an_hour_later(live)
    page = document(live, "predictions")
    assert page["sources"][name] == f"odds ({name}), read {iso(SLOT)}; failed since: {name}: {reason}"
    assert page["sources"][other] == f"odds ({other}), read {iso(SLOT + HOUR)}"
    assert frozen(live) == before
    world.servers[name].fault = None
    an_hour_later(live, 2)
    assert document(live, "predictions")["sources"][name] == f"odds ({name}), read {iso(SLOT + 2 * HOUR)}"


def test_a_source_that_never_answered_is_shown_as_never_read(live_world, world, tmp_path):
    with running_service(tmp_path, **world.options) as running:
        world.servers["kalshi"].fault = answering(b"", 500)
        do(running, tick.tick, SLOT)
        do(running, imported.import_markets, SLOT)
        with running.runtime.database.reading() as db:
            assert imported.sources(db)["kalshi"] == "odds (kalshi), never read; failed since: kalshi: it answered 500"
