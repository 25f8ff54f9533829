"""The live world's outside markets and feeds: whatever they do, nothing changes but how fresh things are.

Prices are simulated and passed off as live; Polymarket, Kalshi and a paper are servers on this machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import app
from service.forecasting.predictions import Settlement
from service.jobs import listing, news, outside, tick
from service.ledger.verifier import verify
from service.market.instants import DAY, HOUR, iso
from service.store import ledger, predictions, snapshots
from service.store.predictions import Stored
from tests.houses import START, Residents, copied, resident
from tests.jobs.live import (
    PRINTED,
    SEED,
    SLOT,
    LiveFeed,
    Outside,
    answering,
    gamma_over,
    gamma_row,
    hang,
    kalshi_row,
    printing,
    rss,
)
from tests.sources.conftest import ExchangeServer, serve

DAYS = 120
BIG = b" " * 10 * 2**20
GAMMA_ID, TICKER = "polymarket-1500056", "kalshi-KXBTC-26NOV27-B1"


@pytest.fixture(scope="module")
def outside_world() -> Iterator[Outside]:
    told = Outside()
    routes = {
        "polymarket": lambda _server, _path, query: told.list("polymarket", query),
        "kalshi": lambda _server, _path, query: told.list("kalshi", query),
        "paper": lambda *_: None,
        "pools": lambda *_: {"status": "success", "data": []},
    }
    with ExitStack() as open_servers:
        for name, answers in routes.items():
            told.servers[name] = open_servers.enter_context(contextmanager(serve)(ExchangeServer(answers)))
        told.reset()
        yield told


@pytest.fixture(scope="module")
def live_world() -> Iterator[None]:
    """Prices that need no exchange, and all of their past at the first tick."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "open_feed", lambda _, wall: LiveFeed(SEED, wall - wall % DAY - DAYS * DAY))
        patch.setattr(tick, "LIVE_REACH_S", 2 * DAYS * DAY)
        yield


@pytest.fixture(scope="module")
def begun(live_world, outside_world: Outside, tmp_path_factory) -> Path:
    """The data of a live service after its first start, when everybody answered."""
    folder = tmp_path_factory.mktemp("live")
    with resident(folder, **outside_world.options) as residents:
        residents.work()
        residents.move(60)  # the list is made every minute, and again with what was taken over
    return folder


@pytest.fixture
def world(outside_world: Outside) -> Outside:
    outside_world.reset()
    return outside_world


@pytest.fixture
def live(begun: Path, world: Outside, tmp_path: Path) -> Iterator[Residents]:
    with resident(copied(begun, tmp_path), wall=START + 60, **world.options) as residents:
        yield residents


def do(residents: Residents, job: Callable, slot: int) -> None:
    """Work one slot of one job, as the engine does."""
    effects = job(residents.engine._workshop, slot)
    with residents.house.database.writing() as db:
        effects(db)


def an_hour_later(residents: Residents, hours: int = 1) -> None:
    """What asks the outside world, so many hours after the first start, and the list of markets a minute later."""
    slot = SLOT + hours * HOUR
    for job in (outside.take_over, outside.settle_taken, news.read_news):
        do(residents, job, slot)
    do(residents, listing.list_markets, slot + 60)


def document(residents: Residents, name: str) -> dict:
    with residents.house.database.reading() as db:
        return json.loads(snapshots.latest(db, name).body)


def imported(residents: Residents) -> dict[str, dict]:
    listed = document(residents, "predictions")["markets"]
    return {one["id"]: one for one in listed if one["category"] == "imported"}


def frozen(residents: Residents) -> dict[str, dict]:
    """The imported markets without what their asset costs now."""
    return {market_id: one | {"context": None} for market_id, one in imported(residents).items()}


def stored(residents: Residents, market_id: str) -> Stored:
    with residents.house.database.reading() as db:
        return predictions.find(db, market_id)


def test_in_the_live_world_the_record_begins_with_the_first_vote(live):
    """Nothing is backfilled, and what others ask is taken over, voted on and priced by them."""
    told = document(live, "predictions")
    assert not any(one["backfilled"] for one in told["markets"])
    assert set(imported(live)) == {GAMMA_ID, TICKER}
    for one in imported(live).values():
        assert len(one["ai_votes"]) == 9
        assert one["created_at"] == iso(SLOT)
        assert one["commitment"]["seq"] > 0
    assert imported(live)[GAMMA_ID]["market_odds"]["p_yes"] == 0.41
    assert not imported(live)[GAMMA_ID]["market_odds"]["simulated"]
    assert told["sources"]["polymarket"] == f"odds (polymarket), read {iso(SLOT)}"
    assert told["sources"]["kalshi"] == f"odds (kalshi), read {iso(SLOT)}"
    assert all(one["market_odds"] is None for one in told["markets"] if one["category"] != "imported")


def test_the_voters_never_see_the_odds(live, begun, world, tmp_path):
    """The same market at other odds gets the same votes to the last bit."""
    commitments = []
    for p in ("0.10", "0.90"):
        folder = copied(begun, tmp_path / p)
        world.offered["polymarket"] = [gamma_row("7", share=0.95, day=27, p=p)]
        with resident(folder, **world.options) as residents:
            an_hour_later(residents)
            one = stored(residents, "polymarket-7")
            assert one.odds.p_yes == float(p)
            commitments.append(one.commitment)
    assert commitments[0] == commitments[1]


def test_what_was_taken_over_is_settled_as_its_source_settles_it(live, world):
    world.over = {
        "polymarket": [gamma_over("2026-11-21 08:20:00+00")],
        "kalshi": [kalshi_row(status="finalized", result="no", settlement_ts="2026-11-21T08:30:00Z")],
    }
    an_hour_later(live)
    at = SLOT + HOUR
    assert stored(live, GAMMA_ID).settlement == Settlement("yes", at, "Yes pays 1, No pays 0", "polymarket")
    assert stored(live, TICKER).settlement == Settlement("no", at, "settled as no", "kalshi")
    an_hour_later(live, 2)
    assert not imported(live)
    with live.house.database.reading() as db:
        assert verify(ledger.export(db)).fault is None
        for market_id in (GAMMA_ID, TICKER):
            kinds = [row.kind for row in ledger.entries(db, 1, 100, subject=market_id)]
            assert kinds == ["votes", "odds", "resolution", "score"]


def test_what_was_decided_before_it_was_taken_over_is_void(live, world):
    world.over["polymarket"] = [gamma_over("2026-11-21 07:59:59+00")]
    an_hour_later(live)
    settlement = stored(live, GAMMA_ID).settlement
    assert (settlement.outcome, settlement.evidence) == ("void", "it was decided before it was taken over")


def test_bars_never_settle_what_another_settles(live):
    """Days after its end it still waits for its source."""
    live.move(8 * DAY)
    assert stored(live, GAMMA_ID).settlement is None
    assert GAMMA_ID not in imported(live)


FAULTS = {
    "hangs": (hang, "no whole answer in time"),
    "answers 500": (answering(b"{}", 500), "it answered 500"),
    "answers 429": (answering(b"{}", 429, Retry_After="120"), "it answered 429, to be asked again in 120 s"),
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
    told = document(live, "predictions")
    assert told["sources"][name] == f"odds ({name}), read {iso(SLOT)}; failed since: {name}: {reason}"
    assert told["sources"][other] == f"odds ({other}), read {iso(SLOT + HOUR)}"
    assert frozen(live) == before
    world.servers[name].fault = None
    an_hour_later(live, 2)
    assert document(live, "predictions")["sources"][name] == f"odds ({name}), read {iso(SLOT + 2 * HOUR)}"


def test_a_source_that_never_answered_is_said_to_have_never_been_read(live_world, world, tmp_path):
    with resident(tmp_path, **world.options) as residents:
        world.servers["kalshi"].fault = answering(b"", 500)
        do(residents, tick.tick, SLOT)
        do(residents, outside.take_over, SLOT)
        with residents.house.database.reading() as db:
            assert outside.sources(db)["kalshi"] == "odds (kalshi), never read; failed since: kalshi: it answered 500"


PAPER_FAULTS = {
    "hangs": (hang, "no whole answer in time"),
    "answers 500": (answering(b"", 500), "it answered 500"),
    "answers 429": (
        answering(b"", 429, Retry_After="7200"),
        f"it answered 429 and is left alone until {iso(SLOT + 3 * HOUR)}",
    ),
    "answers broken XML": (answering(rss(*PRINTED)[:-9], kind="text/xml"), "it is no well-formed XML"),
    "answers 10 MB": (answering(BIG, kind="text/xml"), "it is larger than 2 MB"),
}


@pytest.mark.parametrize("fault", PAPER_FAULTS)
def test_a_paper_that_fails_changes_nothing_but_the_freshness_of_the_news(live, world, fault):
    """The headlines stay, and the document says which source failed and since when it has seen nothing."""
    before = document(live, "news-pulse")
    assert (before["failed"], before["as_of"]) == ({}, iso(SLOT))
    assert [row["title"] for row in before["headlines"]] == [title for title, _ in PRINTED]
    world.servers["paper"].fault, reason = PAPER_FAULTS[fault]
    an_hour_later(live)
    after = document(live, "news-pulse")
    assert after["failed"] == {"127.0.0.1": reason}
    assert after["headlines"] == before["headlines"]
    assert (after["timestamp"], after["as_of"]) == (iso(SLOT + HOUR), iso(SLOT))
    assert after["stale_after"] == before["stale_after"]


def test_a_paper_that_asked_for_rest_is_left_alone_and_the_document_says_so(live, world):
    paper = world.servers["paper"]
    paper.fault = PAPER_FAULTS["answers 429"][0]
    an_hour_later(live)
    paper.fault = printing(("Gold rises", SLOT + HOUR))
    paper.asked.clear()
    an_hour_later(live, 2)
    told = document(live, "news-pulse")
    assert (paper.asked, told["failed"]) == ([], {"127.0.0.1": f"it is left alone until {iso(SLOT + 3 * HOUR)}"})
    assert told["as_of"] == iso(SLOT)
    do(live, tick.tick, SLOT + 3 * HOUR + tick.LIVE_SETTLES_S)
    an_hour_later(live, 3)
    told = document(live, "news-pulse")
    assert (told["failed"], told["as_of"], told["headlines"][0]["title"]) == ({}, iso(SLOT + 3 * HOUR), "Gold rises")


def test_of_two_papers_one_may_fail(live, begun, world, tmp_path):
    """The other one is read, and the news are as fresh as that."""
    options = world.options
    options["news_feeds"] = ("http://localhost:1/rss", *options["news_feeds"])
    world.servers["paper"].fault = printing(*PRINTED, ("Gold rises", SLOT + 60))
    with resident(copied(begun, tmp_path / "two"), **options) as residents:
        do(residents, tick.tick, SLOT + HOUR + tick.LIVE_SETTLES_S)
        an_hour_later(residents)
        told = document(residents, "news-pulse")
    assert set(told["failed"]) == {"localhost"}
    assert (told["as_of"], told["headlines"][0]["title"]) == (iso(SLOT + HOUR), "Gold rises")
